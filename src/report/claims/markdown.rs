//! The ledger as Markdown: a summary table, then every claim with its readings.

use std::fmt::Write as _;

use super::{COLUMNS, counts, draw, rows};
use crate::analysis::claims::record::{Entry, LedgerRecord, PartRecord, ReadingRecord};
use crate::analysis::claims::words;
use crate::report::markdown::pipe_table;
use crate::report::number::NONE;

/// The whole ledger.
pub fn write(ledger: &LedgerRecord) -> Vec<u8> {
    let mut out = format!(
        "# The claims ledger\n\n{}.\n\nWritten by `shardlab claims --out reports/claims`; the rule of the \
         verdicts stands in `src/analysis/claims/verdict.rs`.\n\n{}",
        counts(ledger),
        summary(ledger)
    );
    for entry in &ledger.claims {
        section(&mut out, entry);
    }
    out.into_bytes()
}

/// The summary as a pipe table.
pub fn summary(ledger: &LedgerRecord) -> String {
    let rows: Vec<Vec<String>> = ledger.claims.iter().flat_map(rows).collect();
    let numeric = [false, false, true, true, true, true, true, false];
    pipe_table(&COLUMNS, &numeric, &rows)
}

fn section(out: &mut String, entry: &Entry) {
    let _ = writeln!(out, "\n## {}: {}\n\n{}\n", entry.id, entry.verdict.name(), entry.claim);
    if !entry.parameters.is_empty() {
        let _ = writeln!(out, "Parameters: {}\n", entry.parameters);
    }
    if !entry.note.is_empty() {
        let _ = writeln!(out, "{}\n", entry.note);
    }
    for part in &entry.parts {
        let aside = if part.aside { " (aside)" } else { "" };
        let verdict = part.verdict.name();
        let _ = writeln!(out, "- **{}**: {verdict}{aside}. {}", part.part, part.why);
    }
    let table: Vec<Vec<String>> =
        entry.parts.iter().flat_map(|p| p.readings.iter().map(|r| reading(p, r))).collect();
    if !table.is_empty() {
        let header =
            ["reading", "claimed", "measured", "theory", "p2.5–p97.5", "P", "verdict", "from"];
        let numeric = [false, true, true, false, true, true, false, false];
        let _ = writeln!(out, "\n{}", pipe_table(&header, &numeric, &table).trim_end());
    }
    for beside in &entry.beside {
        let _ = writeln!(out, "\n{}: {}", beside.figure, beside.shown);
    }
    for grid in &entry.grids {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let numeric: Vec<bool> = (0..header.len()).map(|i| i > 0).collect();
        let table = pipe_table(&header, &numeric, &grid.rows);
        let _ = writeln!(out, "\n### {}\n\n{}\n{}", grid.title, table, grid.note);
    }
    for (stem, _) in draw(entry) {
        let _ = writeln!(out, "\n![{stem}]({stem}.svg)");
    }
}

fn reading(part: &PartRecord, reading: &ReadingRecord) -> Vec<String> {
    let figure = &reading.figure;
    let theory = figure.theory.as_ref();
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
    let spread = figure.spread.as_ref();
    let over = spread.map_or("", |s| s.over);
    let words_of = match part.readings.len() {
        1 => format!("{}: {}", part.part, reading.reading),
        _ => reading.reading.clone(),
    };
    vec![
        words_of,
        or_none(reading.claimed.clone()),
        figure.shown.clone(),
        or_none(theory.map(|t| format!("{} {}: {}", t.kind, t.shown, t.formula))),
        or_none(spread.map(|s| words::range(s.p2_5, s.p97_5, figure.style))),
        or_none(reading.probability.as_ref().map(|p| words::probability(p, over))),
        or_none(reading.verdict.map(|v| v.name().to_string())),
        format!("{}; {}", figure.metric, figure.from),
    ]
}
