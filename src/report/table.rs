//! The terminal summary: title, question, analysis, the table, and below it what the table cannot
//! hold: unsupported cells, events, searches, expectations.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use comfy_table::{CellAlignment, Row, Table, presets};
use serde_json::{Map, Value as Json};

use super::grid::{Grid, Steps, has_prices, summary};
use super::number::{fixed, grouped, probability_percent, shortest};
use super::{ReportInfo, Written, prose, queries, timeline};
use crate::record::{CellRecord, EventRecord, ExpectRecord, Record, SearchRecord};

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "table",
    extension: "txt",
    summary: "the summary for the terminal: what was asked, the table, events and expectations",
    file: "summary.txt",
    written: Written::Never,
    write,
};

/// More rows than this, and only the last step of each cell is shown: three screens.
const MOST_ROWS: usize = 150;

/// How a failed expectation's line begins; the command line paints it.
pub const FAILED: &str = "  FAIL  ";
/// How the line of an expectation that held begins.
pub const HELD: &str = "  ok    ";

fn write(record: &Record) -> Vec<u8> {
    let mut out = String::new();
    let scenario = &record.scenario;
    let (analysis, _) = prose::fill_or_mark(&scenario.analysis, record);
    for paragraph in [scenario.title.as_str(), &scenario.question, &analysis] {
        if !paragraph.trim().is_empty() {
            let _ = writeln!(out, "{}\n", paragraph.trim());
        }
    }
    let rows: usize = record.cells.iter().map(|c| c.steps.len()).sum();
    let steps = if rows > MOST_ROWS || has_prices(record) { Steps::Last } else { Steps::All };
    let grid = summary(record, steps);
    if !grid.shared.is_empty() {
        let shared: Vec<String> = grid.shared.iter().map(|(k, v)| format!("{k} {v}")).collect();
        let _ = writeln!(out, "in every row: {}", shared.join(", "));
    }
    if !grid.rows.is_empty() {
        let _ = writeln!(out, "{}", render(&grid));
    }
    if steps == Steps::Last && record.cells.iter().any(|c| c.steps.len() > 1) {
        let _ = writeln!(out, "The last step of each cell; every step stands in results.csv.");
    }
    if let Some(grid) = queries::grid(record, steps) {
        let _ = writeln!(out, "\n{}", queries::TITLE);
        let _ = writeln!(out, "{}", render(&grid));
    }
    if let Some(grid) = timeline::summary(record) {
        let _ = writeln!(out, "\nmigrations\n{}", render(&grid));
    }
    for (title, lines) in sections(record) {
        let _ = writeln!(out, "\n{title}");
        for line in lines {
            let _ = writeln!(out, "{line}");
        }
    }
    out.into_bytes()
}

fn render(grid: &Grid) -> String {
    let mut table = plain(grid.header.iter().map(String::as_str).collect(), &grid.numeric);
    let mut above = "";
    for row in &grid.rows {
        // The cell's name stands only in its first row.
        let name = if row[0] == above { "" } else { row[0].as_str() };
        above = &row[0];
        table.add_row(std::iter::once(name).chain(row[1..].iter().map(String::as_str)));
    }
    table.trim_fmt()
}

/// A table in the style of all of shardlab's tables; number columns are set to the right.
pub fn plain(header: Vec<&str>, numeric: &[bool]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(comfy_table::LineStyle::none()));
    table.set_header(Row::from(header));
    for (i, _) in numeric.iter().enumerate().filter(|(_, numeric)| **numeric) {
        if let Some(column) = table.column_mut(i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// What stands below the table: titles and indented lines. Shared with the Markdown report.
pub(super) fn sections(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let unsupported = record.cells.iter().filter_map(|cell| {
        cell.unsupported.as_ref().map(|reason| format!("  {}: {reason}", cell.id))
    });
    let mut expect: Vec<String> = record.expect.iter().map(expect_line).collect();
    if !expect.is_empty() {
        let held = record.expect.iter().filter(|e| e.pass).count();
        expect.push(format!("  {held} of {} hold", record.expect.len()));
    }
    let varying = varying(record);
    let mut sections = vec![
        ("unsupported", unsupported.collect()),
        ("watched keys", timeline::watched(record)),
        ("events", record.events.iter().map(|e| event_line(e, &varying)).collect()),
        ("searches", record.searches.iter().map(|s| search_line(s, &varying)).collect()),
        ("expectations", expect),
    ];
    sections.retain(|(_, lines): &(_, Vec<String>)| !lines.is_empty());
    sections
}

/// The axes on which the cells of the record differ.
fn varying(record: &Record) -> BTreeSet<&str> {
    let axes = record.cells.iter().flat_map(|cell| cell.at.keys());
    axes.filter(|axis| {
        let value = |cell: &CellRecord| cell.at.get(axis.as_str()).cloned();
        record.cells.windows(2).any(|pair| value(&pair[0]) != value(&pair[1]))
    })
    .map(String::as_str)
    .collect()
}

/// The axes of an event or a search in brackets, those of them that tell cells apart.
fn place(at: &Map<String, Json>, varying: &BTreeSet<&str>) -> String {
    let at: Vec<String> = at
        .iter()
        .filter(|(axis, _)| varying.contains(axis.as_str()))
        .map(|(axis, v)| format!("{axis}={}", super::results::text(v)))
        .collect();
    if at.is_empty() { String::new() } else { format!(" [{}]", at.join(", ")) }
}

fn event_line(event: &EventRecord, varying: &BTreeSet<&str>) -> String {
    let at = place(&event.at, varying);
    let [low, high] = event.interval_99.map(probability_percent);
    format!(
        "  {}{at}: {} of {} label sets, {} % (99 % interval {low} to {high} %)",
        event.name,
        grouped(event.hits),
        grouped(event.trials),
        probability_percent(event.p),
    )
}

fn search_line(search: &SearchRecord, varying: &BTreeSet<&str>) -> String {
    let found = match search.found.as_slice() {
        [] => "nothing found".to_string(),
        found => format!("found {}", found.join(", ")),
    };
    format!(
        "  {}{}: `{}` with try {} to {}: {} of {} hold; {found}",
        search.name,
        place(&search.at, varying),
        search.template,
        search.range[0],
        search.range[1].saturating_sub(1),
        grouped(search.hits),
        grouped(search.tries),
    )
}

fn mark(expect: &ExpectRecord) -> &'static str {
    if expect.pass { HELD } else { FAILED }
}

/// One line about an expectation.
pub fn expect_line(expect: &ExpectRecord) -> String {
    let because =
        if expect.because.is_empty() { String::new() } else { format!("; {}", expect.because) };
    let Some(measured) = expect.measured else {
        return format!("{}{} (nothing measured{because})", mark(expect), expect.text);
    };
    // Five decimals do for a number of ordinary size; a tiny one keeps its magnitude.
    let measured = if libm::fabs(measured) >= 0.001 || measured == 0.0 {
        let text = fixed(measured, 5);
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        shortest(measured)
    };
    format!(
        "{}{} (measured {measured} in {}, step {}{because})",
        mark(expect),
        expect.text,
        expect.cell,
        expect.step,
    )
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn the_summary_reads_from_question_to_expectations() {
        let text = String::from_utf8(write(&sample::record())).unwrap();
        let order = [
            "A sample\n",
            "Does it render?",
            "The ring moves 32.0 %.",
            "in every row: rows 1,000",
            "cell ",
            "ring/murmur3-32/vnodes=8 ",
            "1 add db2",
            "unsupported\n  range: ranges are fixed",
            "both at once [strategy=ring]: 12 of 100,000 label sets, 0.012 %",
            "found db77-{i}",
            "  ok    keys.max-over-mean at most 1.25 (measured 1.2 in",
            "  FAIL  movement.keys.share-moved",
            "1 of 2 hold",
        ];
        let mut at = 0;
        for part in order {
            let found = text[at..].find(part);
            at += found.unwrap_or_else(|| panic!("`{part}` is missing or out of place:\n{text}"));
        }
        assert_eq!(text.matches("ring/murmur3-32/vnodes=8  ").count(), 1, "{text}");
    }

    #[test]
    fn many_rows_are_cut_to_the_last_steps() {
        let mut record = sample::record();
        let cell = record.cells[0].clone();
        record.cells = vec![cell; MOST_ROWS / 2 + 1];
        let text = String::from_utf8(write(&record)).unwrap();
        assert!(text.contains("The last step of each cell"));
        assert_eq!(text.matches("1 add db2").count(), MOST_ROWS / 2 + 1);
    }
}
