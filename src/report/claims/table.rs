//! The ledger for the terminal: a summary of all claims, and the whole reasoning of one.

use std::fmt::Write as _;

use super::{COLUMNS, counts, rows};
use crate::analysis::claims::record::{
    BesideRecord, Entry, FigureRecord, GridRecord, LedgerRecord, PartRecord, ReadingRecord,
};
use crate::analysis::claims::words;
use crate::report::number::grouped;
use crate::report::table::plain;

const NUMERIC: [bool; 8] = [false, false, true, true, true, true, true, false];

/// One row for each part of each claim, then why.
pub fn summary(ledger: &LedgerRecord) -> String {
    let mut table = plain(COLUMNS.to_vec(), &NUMERIC);
    for row in ledger.claims.iter().flat_map(rows) {
        table.add_row(row);
    }
    let mut out = format!("{}\n\nwhy\n", table.trim_fmt());
    for entry in &ledger.claims {
        let _ = writeln!(out, "  {:<4} {}: {}", entry.id, entry.verdict.name(), entry.why);
    }
    let _ = writeln!(out, "\n{}", counts(ledger));
    out
}

/// Everything about one claim.
pub fn reasoning(entry: &Entry) -> String {
    let mut out = format!("{}  {}\n{}\n", entry.id, entry.verdict.name(), entry.claim);
    for (name, text) in [("parameters", &entry.parameters), ("note", &entry.note)] {
        if !text.is_empty() {
            let _ = writeln!(out, "{name}: {text}");
        }
    }
    for (i, part) in entry.parts.iter().enumerate() {
        let _ = writeln!(out, "\n{}. {}: {}", i + 1, part.part, part.verdict.name());
        let _ = writeln!(out, "   {}", part.why);
        for (at, r) in part.readings.iter().enumerate() {
            reading(&mut out, part, at, r);
        }
    }
    if !entry.beside.is_empty() {
        out.push_str("\nbeside\n");
        entry.beside.iter().for_each(|b| beside(&mut out, b));
    }
    entry.grids.iter().for_each(|g| grid(&mut out, g));
    out
}

fn reading(out: &mut String, part: &PartRecord, at: usize, reading: &ReadingRecord) {
    let plain = match (reading.unstated, at == 0 && part.readings.len() > 1) {
        (true, _) => " (a condition that is not stated)",
        (false, true) => " (the plain reading)",
        _ => "",
    };
    let decides =
        if part.decided_by == Some(at) && part.readings.len() > 1 { ", decides" } else { "" };
    let _ = writeln!(out, "   as {}{plain}{decides}", reading.reading);
    let mut line = |name: &str, text: &str| {
        let _ = writeln!(out, "     {name:<11} {text}");
    };
    if let Some(claimed) = &reading.claimed {
        line("claimed", claimed);
    }
    let FigureRecord { shown, metric, from, theory, spread, style, .. } = &reading.figure;
    line("measured", &format!("{shown}  ({metric}; {from})"));
    if let Some(theory) = theory {
        line(theory.kind, &format!("{}  ({})", theory.shown, theory.formula));
    }
    if let Some(spread) = spread {
        let range = |low, high| words::range(low, high, *style);
        line(
            "spread",
            &format!(
                "p5–p95 {}, p2.5–p97.5 {}, median {}  ({} {}, on {})",
                range(spread.p5, spread.p95),
                range(spread.p2_5, spread.p97_5),
                words::value(spread.p50, *style),
                grouped(spread.trials),
                spread.over,
                spread.on
            ),
        );
        if let Some(p) = &reading.probability {
            line("P", &words::probability(p, spread.over));
        }
    }
    if let Some(verdict) = reading.verdict {
        line("verdict", verdict.name());
    }
}

fn beside(out: &mut String, beside: &BesideRecord) {
    let _ = write!(out, "  {}: {}", beside.figure, beside.shown);
    if let Some(value) = &beside.value {
        let _ = write!(out, "  ({}; {})", value.metric, value.from);
    }
    out.push('\n');
}

fn grid(out: &mut String, grid: &GridRecord) {
    let _ = writeln!(out, "\n{}", grid.title);
    let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
    let numeric: Vec<bool> = (0..header.len()).map(|i| i > 0).collect();
    let mut table = plain(header, &numeric);
    for row in &grid.rows {
        table.add_row(row);
    }
    let _ = writeln!(out, "{}", table.trim_fmt());
    if !grid.note.is_empty() {
        let _ = writeln!(out, "{}", grid.note);
    }
}
