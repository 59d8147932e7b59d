//! Expectations of a scenario, held against the record.

use crate::metrics;
use crate::record::{CellRecord, ExpectRecord, Record, StepRecord};
use crate::scenario::{At, Cell, Expect};

/// Checks every expectation: it passes when it holds in every cell and step that it matches and that
/// has the metric, and fails when there is none. `cells` are the scenario's, in the record's order.
pub fn check(expects: &[Expect], cells: &[Cell], record: &Record) -> Vec<ExpectRecord> {
    expects.iter().map(|expect| one(expect, cells, record)).collect()
}

fn one(expect: &Expect, cells: &[Cell], record: &Record) -> ExpectRecord {
    let mut worst: Option<(f64, &CellRecord, &StepRecord, f64)> = None;
    for (cell, found) in cells.iter().zip(&record.cells) {
        if !At::matches(&cell.at, &expect.filter) {
            continue;
        }
        for step in &found.steps {
            if expect.step.is_some_and(|wanted| wanted != step.step) {
                continue;
            }
            let Some(value) = metrics::value(step, found, &expect.metric) else { continue };
            let room = room(expect, value);
            if worst.is_none_or(|(least, ..)| room.total_cmp(&least).is_lt()) {
                worst = Some((room, found, step, value));
            }
        }
    }
    let text = text(expect);
    let because = expect.because.clone();
    match worst {
        Some((room, cell, step, measured)) => ExpectRecord {
            text,
            pass: room >= 0.0,
            measured: Some(measured),
            cell: cell.id.clone(),
            step: step.step,
            because,
        },
        None => ExpectRecord {
            text,
            pass: false,
            measured: None,
            cell: String::new(),
            step: 0,
            because,
        },
    }
}

/// Distance to the nearer bound: negative beyond it.
fn room(expect: &Expect, value: f64) -> f64 {
    if value.is_nan() {
        return f64::NEG_INFINITY;
    }
    let below = expect.min.map_or(f64::INFINITY, |min| value - min);
    let above = expect.max.map_or(f64::INFINITY, |max| max - value);
    below.min(above)
}

fn text(expect: &Expect) -> String {
    let bound = match (expect.min, expect.max) {
        (Some(min), Some(max)) if min == max => format!("= {min}"),
        (Some(min), Some(max)) => format!("from {min} to {max}"),
        (Some(min), None) => format!("≥ {min}"),
        (None, Some(max)) => format!("≤ {max}"),
        (None, None) => "present".into(),
    };
    let mut text = format!("{} {bound}", expect.metric);
    for (i, (axis, value)) in expect.filter.iter().enumerate() {
        text.push_str(if i == 0 { " where " } else { ", " });
        text.push_str(&format!("{axis} = {value}"));
    }
    if let Some(step) = expect.step {
        text.push_str(&format!(", step {step}"));
    }
    text
}
