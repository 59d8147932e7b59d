//! The claims ledger as bytes: the summary, the whole reasoning, and files for people and machines.

mod csv;
mod draw;
mod html;
mod markdown;
mod table;

pub use csv::brief;
pub use draw::draw;
pub use table::{reasoning, summary};

use super::number::NONE;
use crate::analysis::claims::record::{Entry, LedgerRecord, PartRecord};
use crate::analysis::claims::words;
use crate::error::Error;
use crate::report::number::probability_percent;

/// A form of the ledger.
#[derive(Debug)]
pub struct LedgerReport {
    /// Name in `--format`.
    pub name: &'static str,
    /// Name of its file, where it has one.
    pub file: Option<&'static str>,
    /// Renders it.
    pub write: fn(&LedgerRecord) -> Vec<u8>,
}

/// All of them, in the order of messages.
pub static ALL: &[LedgerReport] = &[
    LedgerReport { name: "table", file: None, write: |ledger| summary(ledger).into_bytes() },
    LedgerReport { name: "json", file: Some("ledger.json"), write: json },
    LedgerReport { name: "csv", file: Some("ledger.csv"), write: csv::write },
    LedgerReport { name: "markdown", file: Some("ledger.md"), write: markdown::write },
    LedgerReport { name: "html", file: Some("ledger.html"), write: html::write },
];

/// The form of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static LedgerReport, Error> {
    ALL.iter()
        .find(|report| report.name == name)
        .ok_or_else(|| Error::unknown("format", name, ALL.iter().map(|r| r.name)))
}

/// The files of a ledger: name and bytes, the charts among them.
pub fn files(ledger: &LedgerRecord) -> Vec<(String, Vec<u8>)> {
    let reports = ALL.iter().filter_map(|r| Some((r.file?.to_string(), (r.write)(ledger))));
    let mut files: Vec<(String, Vec<u8>)> = reports.collect();
    files.extend(charts(ledger));
    files
}

/// The charts alone, each once.
pub fn charts(ledger: &LedgerRecord) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for (stem, svg) in ledger.claims.iter().flat_map(draw) {
        let name = format!("{stem}.svg");
        if files.iter().all(|(other, _)| *other != name) {
            files.push((name, svg.into_bytes()));
        }
    }
    files
}

fn json(ledger: &LedgerRecord) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(ledger).expect("a ledger is JSON");
    bytes.push(b'\n');
    bytes
}

/// Heads of the columns that every tabular form shows.
pub const COLUMNS: [&str; 8] =
    ["id", "claim", "claimed", "measured", "theory", "p5–p95", "P", "verdict"];

/// One row for each part of a claim: the texts of [`COLUMNS`], of the reading that decides.
fn rows(entry: &Entry) -> Vec<Vec<String>> {
    let several = entry.parts.len() > 1;
    let row = |(at, part): (usize, &PartRecord)| {
        let id = if several { format!("{}.{}", entry.id, at + 1) } else { entry.id.clone() };
        let mut row = vec![id, part.part.clone()];
        row.extend(numbers(part));
        row.push(part.verdict.name().to_string());
        row
    };
    entry.parts.iter().enumerate().map(row).collect()
}

/// Claimed, measured, theory, spread and probability of the reading that decides a part.
fn numbers(part: &PartRecord) -> [String; 5] {
    let Some(reading) = part.readings.get(part.decided_by.unwrap_or(0)) else {
        return std::array::from_fn(|_| NONE.to_string());
    };
    let figure = &reading.figure;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
    [
        or_none(reading.claimed.clone()),
        figure.shown.clone(),
        or_none(figure.theory.as_ref().map(|t| format!("{} {}", t.kind, t.shown))),
        or_none(figure.spread.as_ref().map(|s| words::range(s.p5, s.p95, figure.style))),
        or_none(reading.probability.as_ref().map(|p| format!("{} %", probability_percent(p.p)))),
    ]
}

/// How many claims have each verdict, in words.
fn counts(ledger: &LedgerRecord) -> String {
    use crate::analysis::claims::verdict::Verdict::*;
    let count = |verdict| ledger.claims.iter().filter(|e| e.verdict == verdict).count();
    let all = [Reproduced, ReproducedUnder, Refuted, NotAPlacementClaim];
    let counts = all.map(|verdict| format!("{} {}", count(verdict), verdict.name()));
    format!("{} claims: {}", ledger.claims.len(), counts.join(", "))
}
