//! The ledger for the terminal: a summary of all claims, and the whole reasoning of one.

use std::fmt::Write as _;

use comfy_table::{ColumnConstraint, Width};

use super::{COLUMNS, counts, rows};
use crate::analysis::claims::record::{
    BesideRecord, Entry, FigureRecord, GridRecord, LedgerRecord, PartRecord, ReadingRecord,
};
use crate::analysis::claims::words;
use crate::report::number::grouped;
use crate::report::table::plain;

/// Columns of the table in a terminal: all but P, which the lines below it tell.
const SHOWN: [usize; 7] = [0, 1, 2, 3, 4, 5, 7];
const NUMERIC: [bool; 7] = [false, false, true, true, true, true, false];

/// Widest column of what is claimed, so that a row fits into 120 characters.
const WIDEST: u16 = 30;

/// Width of prose: that of the narrowest usual terminal.
const WIDTH: usize = 80;

/// One row for each part of each claim, then why.
pub fn summary(ledger: &LedgerRecord) -> String {
    let mut table = plain(SHOWN.map(|i| COLUMNS[i]).to_vec(), &NUMERIC);
    if let Some(column) = table.column_mut(1) {
        column.set_constraint(ColumnConstraint::UpperBoundary(Width::Fixed(WIDEST)));
    }
    for row in ledger.claims.iter().flat_map(rows) {
        table.add_row(SHOWN.map(|i| row[i].clone()));
    }
    let mut out = format!("{}\n\nwhy\n", table.trim_fmt());
    for entry in &ledger.claims {
        let verdict = entry.verdict.name();
        match &entry.parts[..] {
            [part] => prose(&mut out, 2, 8, &format!("{:<5} {verdict}: {}", entry.id, why(part))),
            parts => {
                let _ = writeln!(out, "  {:<5} {verdict}", entry.id);
                for (i, part) in parts.iter().enumerate() {
                    let aside = if part.aside { ", aside" } else { "" };
                    let verdict = part.verdict.name();
                    let id = format!("{}.{}", entry.id, i + 1);
                    prose(&mut out, 4, 12, &format!("{id:<6} {verdict}{aside}: {}", why(part)));
                }
            }
        }
    }
    let _ = writeln!(out, "\n{}", counts(ledger));
    out
}

/// Why a part has its verdict, and the closed form for the number that decides.
fn why(part: &PartRecord) -> String {
    let reading = part.readings.get(part.decided_by.unwrap_or(0));
    match reading.and_then(|reading| reading.figure.theory.as_ref()) {
        Some(theory) => {
            format!("{} ({} {}: {})", part.why, theory.kind, theory.shown, theory.formula)
        }
        None => part.why.clone(),
    }
}

/// Text in lines of [`WIDTH`], the first indented by `first`, the others by `others`.
fn prose(out: &mut String, first: usize, others: usize, text: &str) {
    let mut line = " ".repeat(first);
    let mut width = first;
    let mut empty = true;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !empty && width + 1 + length > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            line = " ".repeat(others);
            (width, empty) = (others, true);
        }
        if !empty {
            line.push(' ');
            width += 1;
        }
        line.push_str(word);
        width += length;
        empty = false;
    }
    let _ = writeln!(out, "{}", line.trim_end());
}

/// Everything about one claim.
pub fn reasoning(entry: &Entry) -> String {
    let mut out = format!("{}  {}\n", entry.id, entry.verdict.name());
    prose(&mut out, 0, 0, &entry.claim);
    for (name, text) in [("parameters", &entry.parameters), ("note", &entry.note)] {
        if !text.is_empty() {
            prose(&mut out, 0, 2, &format!("{name}: {text}"));
        }
    }
    for (i, part) in entry.parts.iter().enumerate() {
        let aside = if part.aside { " (aside: does not enter the verdict)" } else { "" };
        out.push('\n');
        let verdict = part.verdict.name();
        prose(&mut out, 0, 3, &format!("{}. {}: {verdict}{aside}", i + 1, part.part));
        prose(&mut out, 3, 3, &part.why);
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
    prose(out, 3, 5, &format!("as {}{plain}{decides}", reading.reading));
    let mut line = |name: &str, text: &str| prose(out, 5, 17, &format!("{name:<11} {text}"));
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
    let mut text = format!("{}: {}", beside.figure, beside.shown);
    if let Some(value) = &beside.value {
        let _ = write!(text, "  ({}; {})", value.metric, value.from);
    }
    prose(out, 2, 4, &text);
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
        prose(out, 0, 0, &grid.note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_at_words_and_loses_none() {
        let text = "größer ".repeat(40) + &"x".repeat(100) + " end";
        let mut out = String::new();
        prose(&mut out, 2, 5, &text);
        let long = |line: &&str| line.chars().count() > WIDTH;
        assert_eq!(out.lines().filter(long).count(), 1, "the word of 100 alone");
        assert!(out.starts_with("  größer") && out.lines().skip(1).all(|l| l.starts_with("     ")));
        let words = |text: &str| text.split_whitespace().map(str::to_string).collect::<Vec<_>>();
        assert_eq!(words(&out), words(&text));
    }
}
