//! `results.csv`: one row per cell and step, every number of the record that belongs to the step.
//!
//! The columns go by the names of the metrics (`keys.max-over-mean`, `movement.keys.share-moved`,
//! `trials.max-deviation.p95`), so that a column can be named in an `[[expect]]` as it is. A column
//! that no row fills is left out.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::{ReportInfo, Written};
use crate::record::{CellRecord, Record, StepRecord};

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "csv",
    extension: "csv",
    summary: "one row per cell and step: axes, balance, theory, movement and trials in columns",
    file: "results.csv",
    written: Written::Always,
    write,
};

/// Rows as column → text, and the columns in the order in which they first appear.
#[derive(Default)]
struct Sheet {
    columns: Vec<String>,
    numbers: BTreeMap<String, usize>,
    rows: Vec<Vec<String>>,
}

impl Sheet {
    fn column(&mut self, name: String) -> usize {
        if let Some(&i) = self.numbers.get(&name) {
            return i;
        }
        self.numbers.insert(name.clone(), self.columns.len());
        self.columns.push(name);
        self.columns.len() - 1
    }

    fn put(&mut self, row: usize, column: String, text: String) {
        let i = self.column(column);
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        let cells = &mut self.rows[row];
        if cells.len() <= i {
            cells.resize(i + 1, String::new());
        }
        cells[i] = text;
    }

    /// Puts the leaves of an object under dotted names.
    fn put_all(&mut self, row: usize, prefix: &str, value: &Json) {
        match value {
            Json::Object(map) => {
                for (name, inner) in map {
                    let dotted =
                        if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
                    self.put_all(row, &dotted, inner);
                }
            }
            Json::Array(_) => {}
            leaf => self.put(row, prefix.to_string(), text(leaf)),
        }
    }

    fn into_csv(self) -> Vec<u8> {
        let filled: Vec<usize> = (0..self.columns.len())
            .filter(|&i| self.rows.iter().any(|row| row.get(i).is_some_and(|t| !t.is_empty())))
            .collect();
        let mut out = csv::Writer::from_writer(Vec::new());
        let mut write = |cells: Vec<&str>| out.write_record(cells).expect("writing to memory");
        write(filled.iter().map(|&i| self.columns[i].as_str()).collect());
        for row in &self.rows {
            write(filled.iter().map(|&i| row.get(i).map_or("", String::as_str)).collect());
        }
        out.into_inner().expect("writing to memory")
    }
}

/// A value as a CSV cell: null is empty, a text is bare.
pub(super) fn text(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The part of a step that has one value per row, nested as the names of the metrics are: balance
/// stands at the top.
fn step_values(step: &StepRecord) -> Json {
    let mut value = serde_json::to_value(step).expect("a record has only JSON values");
    inline(&mut value, "balance");
    inline(&mut value["copies"], "balance");
    rename(&mut value, "queries", "query");
    // Windows have rows of their own in `timeline.csv`.
    if let Some(Json::Object(timeline)) = value.get_mut("timeline") {
        timeline.shift_remove("windows");
        for phase in step.timeline.iter().flat_map(|timeline| &timeline.phases) {
            timeline.insert(format!("{}-seconds", phase.phase), (phase.end - phase.begin).into());
        }
    }
    value
}

/// Puts the fields of an inner object into the outer one, in place of it.
fn inline(outer: &mut Json, name: &str) {
    let Json::Object(map) = outer else { return };
    let fields = std::mem::take(map).into_iter().flat_map(|(key, value)| match value {
        Json::Object(inner) if key == name => inner.into_iter().collect(),
        value => vec![(key, value)],
    });
    *map = fields.collect();
}

/// Gives a field of an object another name, where it stands.
fn rename(outer: &mut Json, name: &str, new: &str) {
    let Json::Object(map) = outer else { return };
    let fields = std::mem::take(map).into_iter();
    *map = fields.map(|(key, value)| (if key == name { new.into() } else { key }, value)).collect();
}

fn put_facts(sheet: &mut Sheet, row: usize, cell: &CellRecord) {
    sheet.put(row, "id".into(), cell.id.clone());
    for (axis, value) in &cell.at {
        sheet.put(row, format!("at.{axis}"), text(value));
    }
}

fn put_workload(sheet: &mut Sheet, row: usize, cell: &CellRecord) {
    sheet.put(row, "label".into(), cell.label.clone().unwrap_or_default());
    sheet.put(row, "unsupported".into(), cell.unsupported.clone().unwrap_or_default());
    let workload = serde_json::to_value(&cell.workload).expect("a record has only JSON values");
    sheet.put_all(row, "workload", &workload);
}

fn write(record: &Record) -> Vec<u8> {
    // Part by part over all rows, so that the columns of a part stay together whichever row first
    // has them. An unsupported cell has one row, with its reason.
    let rows: Vec<(&CellRecord, Option<&StepRecord>)> = record
        .cells
        .iter()
        .flat_map(|cell| {
            let none = cell.steps.is_empty().then_some((cell, None));
            none.into_iter().chain(cell.steps.iter().map(move |step| (cell, Some(step))))
        })
        .collect();
    let mut sheet = Sheet::default();
    for (row, (cell, _)) in rows.iter().enumerate() {
        put_facts(&mut sheet, row, cell);
    }
    for (row, (cell, _)) in rows.iter().enumerate() {
        put_workload(&mut sheet, row, cell);
    }
    for (row, (_, step)) in rows.iter().enumerate() {
        if let Some(step) = step {
            sheet.put_all(row, "", &step_values(step));
        }
    }
    for (row, (cell, step)) in rows.iter().enumerate() {
        let (Some(trials), Some(step)) = (&cell.trials, step) else { continue };
        sheet.put(row, "trials.count".into(), trials.count.to_string());
        sheet.put(row, "trials.on".into(), trials.on.clone());
        if let Some(band) = trials.steps.iter().find(|t| t.step == step.step) {
            let mut band = serde_json::to_value(band).expect("a record has only JSON values");
            band.as_object_mut().expect("a band is an object").shift_remove("step");
            sheet.put_all(row, "trials", &band);
        }
    }
    for (row, (cell, _)) in rows.iter().enumerate() {
        put_remedy(&mut sheet, row, cell);
    }
    sheet.into_csv()
}

/// How a loop went and what a remedy costs: facts of the whole cell, on each of its rows.
fn put_remedy(sheet: &mut Sheet, row: usize, cell: &CellRecord) {
    let json = |part: Result<Json, serde_json::Error>| part.expect("a record has only JSON values");
    if let Some(control) = &cell.control {
        sheet.put_all(row, "control", &json(serde_json::to_value(control)));
    }
    if let Some(price) = &cell.price {
        sheet.put_all(row, "price", &json(serde_json::to_value(price)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_row_per_cell_and_step_with_metric_names_as_columns() {
        let record = super::super::sample::record();
        let bytes = write(&record);
        let mut reader = csv::Reader::from_reader(&bytes[..]);
        let header = reader.headers().unwrap().clone();
        let column = |name: &str| {
            header.iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name}"))
        };
        let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let steps: usize = record.cells.iter().map(|c| c.steps.len().max(1)).sum();
        assert_eq!(rows.len(), steps);
        // Every column that bears the name of a metric holds the metric's value.
        let (cell, mut metrics) = (&record.cells[0], 0);
        for (step, row) in cell.steps.iter().zip(&rows) {
            for (name, text) in header.iter().zip(row) {
                if let Some(value) = crate::metrics::value(step, cell, name) {
                    assert_eq!(text.parse(), Ok(value), "{name}");
                    metrics += 1;
                }
            }
        }
        assert!(metrics > 30, "only {metrics} columns bear the names of metrics");
        assert_eq!(rows[1][column("movement.keys.moved")], *"320");
        assert_eq!(rows[1][column("at.vnodes")], cell.at["vnodes"].to_string());
        assert_eq!(rows[0][column("movement.keys.moved")], *"");
        assert!(!rows.last().unwrap()[column("unsupported")].is_empty());
        assert!(!header.iter().any(|h| h == "at.preset"), "an empty column was kept");
    }
}
