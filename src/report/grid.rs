//! The summary that the terminal table and the Markdown table share: which columns are worth a
//! place, and their texts.
//!
//! What is the same in every row goes above the table in one line; what no row has is left out; a
//! load that lies exactly as `keys` do is not shown twice, and one beside `keys` is shown in brief.

use std::collections::BTreeSet;

use super::number::{fixed, grouped, percent, probability};
use super::timeline;
use crate::hash;
use crate::record::{Balance, Band, CellRecord, Moved, Record, StepRecord, Theory};
use crate::strategy::{self, Weights};

/// Which steps of each cell get a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Every one.
    All,
    /// The last one.
    Last,
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Grid {
    /// What all rows have in common: name and value.
    pub shared: Vec<(String, String)>,
    /// Heads of the columns; a line break parts the load from the statistic.
    pub header: Vec<String>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
    /// The rows, as many texts each as there are columns.
    pub rows: Vec<Vec<String>>,
}

/// When a column is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Show {
    Always,
    /// If any row has a text in it.
    Filled,
    /// As a column if it varies, else above the table.
    Varying,
}

pub(super) struct Column {
    head: String,
    numeric: bool,
    show: Show,
    text: Box<TextOf>,
}

/// The text of a row.
type TextOf = dyn Fn(&CellRecord, &StepRecord) -> String;

/// The summary of a record.
pub fn summary(record: &Record, steps: Steps) -> Grid {
    // Cells that only migrate differently place alike.
    let mut seen = BTreeSet::new();
    let rows: Vec<(&CellRecord, &StepRecord)> = record
        .cells
        .iter()
        .filter(|cell| {
            let id = timeline::placement_id(cell);
            id == cell.id || seen.insert(id)
        })
        .flat_map(|cell| {
            let skip = if steps == Steps::Last { cell.steps.len().saturating_sub(1) } else { 0 };
            cell.steps.iter().skip(skip).map(move |step| (cell, step))
        })
        .collect();
    let mut grid =
        Grid { shared: vec![], header: vec![], numeric: vec![], rows: vec![vec![]; rows.len()] };
    for column in columns(record) {
        let texts: Vec<String> = rows.iter().map(|(c, s)| (column.text)(c, s)).collect();
        if column.show != Show::Always && texts.iter().all(String::is_empty) {
            continue;
        }
        if column.show == Show::Varying && texts.windows(2).all(|pair| pair[0] == pair[1]) {
            grid.shared.extend(texts.into_iter().next().map(|text| (column.head, text)));
            continue;
        }
        grid.header.push(column.head);
        grid.numeric.push(column.numeric);
        for (row, text) in grid.rows.iter_mut().zip(texts) {
            row.push(text);
        }
    }
    grid
}

/// The loads worth showing, keys first.
fn shown_loads(record: &Record) -> Vec<String> {
    let steps = || record.cells.iter().flat_map(|c| &c.steps);
    let mut loads: Vec<String> = steps().flat_map(|s| s.balance.keys()).cloned().collect();
    loads.retain(|load| load != "owned");
    loads.sort_by_key(|load| (load != "keys", load != "requests", load.clone()));
    loads.dedup();
    let spread = |b: &Balance| (b.max_over_mean, b.min_over_mean, b.cv);
    loads.retain(|load| {
        load == "keys"
            || steps().any(|s| {
                s.balance.get(load).map(spread) != s.balance.get("keys").map(spread)
                    && s.balance.contains_key(load)
            })
    });
    loads
}

fn columns(record: &Record) -> Vec<Column> {
    let column =
        |head: &str, numeric, show, text| Column { head: head.into(), numeric, show, text };
    // Remedies stand beside each other, one row each: their prices say what moved.
    let remedies = has_prices(record);
    let several = !remedies && record.cells.iter().any(|c| c.steps.len() > 1);
    let mut columns: Vec<Column> = Vec::new();
    columns.push(column("cell", false, Show::Always, Box::new(|c, _| timeline::placement_id(c))));
    if several {
        let text = |s: &StepRecord| match &s.change {
            Some(change) => format!("{} {change}", s.step),
            None => s.step.to_string(),
        };
        columns.push(column("step", false, Show::Always, Box::new(move |_, s| text(s))));
    }
    type Text = fn(&CellRecord, &StepRecord) -> String;
    let facts: [(&str, Text); 3] = [
        ("rows", |c, _| grouped(c.workload.rows)),
        ("nodes", |_, s| s.nodes.to_string()),
        ("points", |_, s| if s.points > 0 { grouped(s.points) } else { String::new() }),
    ];
    for (head, text) in facts {
        columns.push(column(head, true, Show::Varying, Box::new(text)));
    }
    let loads = shown_loads(record);
    for load in &loads {
        balance_columns(load, loads.len() > 1, remedies, &mut columns);
    }
    phase_columns(&mut columns);
    columns.push(column("max dev % over\nnames: p5–p95 (own)", true, Show::Filled, {
        Box::new(|c, s| band_text(c, s).unwrap_or_default())
    }));
    if remedies {
        super::remedies::columns(&mut columns);
    } else {
        for load in &loads {
            movement_columns(load, loads.len() > 1, &mut columns);
        }
        add(&mut columns, "spill %".into(), |s| Some(percent(s.spill?.share, 2)));
    }
    for load in &loads {
        failure_columns(load, loads.len() > 1, &mut columns);
    }
    add(&mut columns, "cascade:\nwaves, left".into(), |s| {
        let cascade = s.failure.as_ref()?.cascade.as_ref()?;
        Some(format!("{}, {}", cascade.waves, cascade.nodes_left))
    });
    let outcomes: [(&str, Text); 4] = [
        ("misrouted", |_, s| nonzero(s.outcomes.misrouted)),
        ("refused", |_, s| nonzero(s.outcomes.refused)),
        ("absent", |_, s| nonzero(s.outcomes.absent)),
        ("too few\ncopies", |_, s| s.copies.as_ref().map_or("".into(), |c| nonzero(c.short_keys))),
    ];
    for (head, text) in outcomes {
        columns.push(column(head, true, Show::Filled, Box::new(text)));
    }
    columns
}

fn nonzero(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

/// Adds a column whose text comes from one part of a step.
fn add(
    columns: &mut Vec<Column>,
    head: String,
    text: impl Fn(&StepRecord) -> Option<String> + 'static,
) {
    let text = Box::new(move |_: &CellRecord, s: &StepRecord| text(s).unwrap_or_default());
    columns.push(Column { head, numeric: true, show: Show::Filled, text });
}

fn head(load: &str, several: bool, statistic: &str) -> String {
    if several { format!("{load}\n{statistic}") } else { statistic.into() }
}

/// Adds a column whose text comes from the cell.
pub(super) fn add_of_cell(
    columns: &mut Vec<Column>,
    head: &str,
    numeric: bool,
    text: impl Fn(&CellRecord) -> Option<String> + 'static,
) {
    let text = Box::new(move |c: &CellRecord, _: &StepRecord| text(c).unwrap_or_default());
    columns.push(Column { head: head.into(), numeric, show: Show::Filled, text });
}

/// Whether any cell has the price of a remedy.
pub(super) fn has_prices(record: &Record) -> bool {
    record.cells.iter().any(|cell| cell.price.is_some())
}

fn phase_columns(columns: &mut Vec<Column>) {
    add(columns, "worst phase\nmax/mean".into(), |s| {
        Some(fixed(s.phases.as_ref()?.worst_max_over_mean, 3))
    });
    add(columns, "peak ÷\naverage".into(), |s| {
        Some(fixed(s.phases.as_ref()?.peak_over_average, 3))
    });
}

/// `brief`: max over mean alone.
fn balance_columns(load: &str, several: bool, brief: bool, columns: &mut Vec<Column>) {
    let is_keys = load == "keys";
    type Text = fn(&Balance, &Theory, &CellRecord) -> Option<String>;
    let mut put = |statistic: &str, text: Text| {
        let name = load.to_string();
        let text = Box::new(move |cell: &CellRecord, s: &StepRecord| {
            s.balance.get(&name).and_then(|b| text(b, &s.theory, cell)).unwrap_or_default()
        });
        let head = head(load, several, statistic);
        columns.push(Column { head, numeric: true, show: Show::Filled, text });
    };
    if load == "requests" {
        put("max/mean\n(hot-key floor)", |b, t, _| {
            Some(bracketed(fixed(b.max_over_mean, 3), t.hot_key_floor.map(|f| fixed(f, 3))))
        });
    } else {
        put("max/mean", |b, _, _| Some(fixed(b.max_over_mean, 3)));
    }
    if brief {
        return;
    }
    if is_keys || !several {
        put("min/mean", |b, _, _| Some(fixed(b.min_over_mean, 3)));
        put("max dev %", |b, _, _| Some(percent(b.max_deviation, 2)));
    }
    if is_keys {
        put("cv\n(theory)", |b, t, cell| {
            Some(bracketed(fixed(b.cv, 4), theory_cv(cell, t).map(|cv| fixed(cv, 4))))
        });
        put("p-owned", |b, _, _| b.p_owned.map(probability));
    } else {
        put("cv", |b, _, _| Some(fixed(b.cv, 4)));
    }
}

fn bracketed(value: String, theory: Option<String>) -> String {
    match theory {
        Some(theory) => format!("{value} ({theory})"),
        None => value,
    }
}

/// The cv to expect of keys, where theory knows it: from sampling, and from the owned shares where a
/// closed form is known; the two are independent. Strategies whose shares are neither exactly fair nor
/// of known spread have none, and neither have keys that are not hashed or that repeat.
fn theory_cv(cell: &CellRecord, theory: &Theory) -> Option<f64> {
    let sampling = theory.cv_sampling?;
    let hashed = cell.hasher.as_deref().is_some_and(|hasher| hasher != hash::identity::INFO.name);
    let distinct = cell.workload.distinct == Some(cell.workload.rows);
    let exact = strategy::find(&cell.strategy)
        .is_ok_and(|s| matches!(s.caps.weights, Weights::Equal | Weights::Exact));
    let owned = theory.cv_owned.or(exact.then_some(0.0))?;
    (hashed && distinct).then(|| libm::sqrt(owned * owned + sampling * sampling))
}

fn movement_columns(load: &str, several: bool, columns: &mut Vec<Column>) {
    let name = load.to_string();
    let moved = move |s: &StepRecord| s.movement.as_ref().and_then(|m| m.loads.get(&name).copied());
    let theory = (load == "keys").then_some(|s: &StepRecord| s.theory.share_moved);
    let get = moved.clone();
    let statistic = if theory.is_some() { "moved %\n(theory)" } else { "moved %" };
    add(columns, head(load, several, statistic), move |s| {
        let expected = theory.and_then(|theory| theory(s)).map(|share| percent(share, 2));
        let verb = s.movement.as_ref().map_or("moved", |m| m.verb.as_str());
        let mut text = bracketed(percent(get(s)?.share_moved, 2), expected);
        if verb != "moved" {
            text = format!("{text} {verb}");
        }
        Some(text)
    });
    type Part = fn(Moved) -> f64;
    let parts: [(&str, Part); 2] =
        [("least %", |m| m.minimum_share), ("excess %", |m| m.excess_share)];
    // The least follows from the weights alone: once is enough.
    let known = usize::from(several && load != "keys");
    for (statistic, part) in parts.into_iter().skip(known) {
        let get = moved.clone();
        add(columns, head(load, several, statistic), move |s| Some(percent(part(get(s)?), 2)));
    }
}

/// Who inherits what a failed node had.
fn failure_columns(load: &str, several: bool, columns: &mut Vec<Column>) {
    let name = load.to_string();
    let lost = move |s: &StepRecord| s.failure.as_ref().and_then(|f| f.loads.get(&name).cloned());
    let get = lost.clone();
    add(columns, head(load, several, "heirs"), move |s| Some(grouped(get(s)?.heirs?)));
    add(columns, head(load, several, "largest\nheir +%"), move |s| {
        lost(s)?.heir_gain_share.map(|share| percent(share, 1))
    });
}

/// Where the largest deviation lies over label sets, and the scenario's own labels among them.
fn band_text(cell: &CellRecord, step: &StepRecord) -> Option<String> {
    let trials = cell.trials.as_ref()?.steps.iter().find(|t| t.step == step.step)?;
    let Band { p5, p95, own_percentile, .. } = trials.max_deviation;
    let own = own_percentile.map(|p| format!("p{}", fixed(p * 100.0, 0)));
    Some(bracketed(format!("{}–{}", percent(p5, 1), percent(p95, 1)), own))
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn texts(grid: &Grid, head: &str) -> Vec<String> {
        let i = grid.header.iter().position(|h| h == head).unwrap_or_else(|| panic!("no {head}"));
        grid.rows.iter().map(|row| row[i].clone()).collect()
    }

    #[test]
    fn columns_follow_what_varies() {
        let mut record = sample::record();
        let grid = summary(&record, Steps::All);
        assert_eq!(texts(&grid, "nodes"), ["2", "3"]);
        assert_eq!(texts(&grid, "moved %\n(theory)"), ["", "32.00"]);
        assert_eq!(texts(&grid, "least %"), ["", "33.33"]);
        assert_eq!(grid.shared, [("rows".to_string(), "1,000".to_string())]);
        assert!(!grid.header.iter().any(|h| h == "misrouted"));
        record.cells[0].steps.truncate(1);
        let grid = summary(&record, Steps::All);
        assert!(!grid.header.iter().any(|h| h == "step" || h.starts_with("moved")));
        assert_eq!(grid.shared[1], ("nodes".to_string(), "2".to_string()));
    }

    #[test]
    fn theory_adds_the_variances_of_ownership_and_sampling() {
        // 0.3² + 0.04² = 0.0916, whose root is 0.30265…
        let grid = summary(&sample::record(), Steps::Last);
        assert_eq!(texts(&grid, "cv\n(theory)"), ["0.2000 (0.3027)"]);
    }

    #[test]
    fn a_second_load_has_columns_only_where_it_differs_from_keys() {
        let mut record = sample::record();
        for step in &mut record.cells[0].steps {
            let keys = step.balance["keys"];
            step.balance.insert("requests".into(), keys);
        }
        assert_eq!(shown_loads(&record), ["keys"]);
        let step = &mut record.cells[0].steps[1];
        step.theory.hot_key_floor = Some(1.5);
        step.balance.get_mut("requests").unwrap().max_over_mean = 1.75;
        assert_eq!(shown_loads(&record), ["keys", "requests"]);
        let grid = summary(&record, Steps::Last);
        assert_eq!(texts(&grid, "requests\nmax/mean\n(hot-key floor)"), ["1.750 (1.500)"]);
    }
}
