//! The ledger as CSV: one row for each reading of each part.

use crate::analysis::claims::record::{Entry, LedgerRecord, PartRecord, ReadingRecord};
use crate::error::Error;
use crate::report::markdown::pipe_table;
use crate::report::number::shortest;

const HEADER: [&str; 28] = [
    "id",
    "claim",
    "parameters",
    "verdict",
    "why",
    "part",
    "part-says",
    "part-verdict",
    "part-why",
    "reading",
    "decides",
    "reading-verdict",
    "claimed",
    "measured",
    "metric",
    "from",
    "theory-kind",
    "theory",
    "formula",
    "trials",
    "p2.5",
    "p5",
    "p50",
    "p95",
    "p97.5",
    "p",
    "p-low-99",
    "p-high-99",
];

/// The ledger; a part without readings has one row.
pub fn write(ledger: &LedgerRecord) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEADER).expect("in memory");
    for entry in &ledger.claims {
        for (at, part) in entry.parts.iter().enumerate() {
            let readings: Vec<Option<&ReadingRecord>> = match part.readings.is_empty() {
                true => vec![None],
                false => part.readings.iter().map(Some).collect(),
            };
            for (i, reading) in readings.into_iter().enumerate() {
                let row = row(entry, at, part, reading, part.decided_by == Some(i));
                out.write_record(row).expect("in memory");
            }
        }
    }
    out.into_inner().expect("in memory")
}

/// From a ledger's CSV a table for a page: one row a claim, with its verdict.
pub fn brief(ledger: &str) -> Result<String, Error> {
    let wrong = |what: String| Error::data(format!("the ledger's CSV: {what}"));
    let mut reader = csv::Reader::from_reader(ledger.as_bytes());
    let header = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
    let column = |name: &str| {
        header.iter().position(|h| h == name).ok_or_else(|| wrong(format!("no column `{name}`")))
    };
    let columns = [column("id")?, column("claim")?, column("verdict")?];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| wrong(e.to_string()))?;
        let row: Vec<String> =
            columns.iter().map(|&at| record.get(at).unwrap_or_default().to_string()).collect();
        if rows.last().is_none_or(|last| last[0] != row[0]) {
            rows.push(row);
        }
    }
    Ok(pipe_table(&["id", "claim", "verdict"], &[false; 3], &rows))
}

fn row(
    entry: &Entry,
    at: usize,
    part: &PartRecord,
    reading: Option<&ReadingRecord>,
    decides: bool,
) -> Vec<String> {
    let figure = reading.map(|r| &r.figure);
    let theory = figure.and_then(|f| f.theory.as_ref());
    let spread = figure.and_then(|f| f.spread.as_ref());
    let p = reading.and_then(|r| r.probability.as_ref());
    let text = |text: Option<&str>| text.unwrap_or_default().to_string();
    let number = |x: Option<f64>| x.map(shortest).unwrap_or_default();
    vec![
        entry.id.clone(),
        entry.claim.clone(),
        entry.parameters.clone(),
        entry.verdict.name().into(),
        entry.why.clone(),
        (at + 1).to_string(),
        part.part.clone(),
        part.verdict.name().into(),
        part.why.clone(),
        text(reading.map(|r| r.reading.as_str())),
        if decides { "yes".into() } else { String::new() },
        text(reading.and_then(|r| r.verdict).map(|v| v.name())),
        text(reading.and_then(|r| r.claimed.as_deref())),
        number(figure.and_then(|f| f.measured)),
        text(figure.map(|f| f.metric.as_str())),
        text(figure.map(|f| f.from.as_str())),
        text(theory.map(|t| t.kind)),
        number(theory.map(|t| t.value)),
        text(theory.map(|t| t.formula.as_str())),
        text(spread.map(|s| s.trials.to_string()).as_deref()),
        number(spread.map(|s| s.p2_5)),
        number(spread.map(|s| s.p5)),
        number(spread.map(|s| s.p50)),
        number(spread.map(|s| s.p95)),
        number(spread.map(|s| s.p97_5)),
        number(p.map(|p| p.p)),
        number(p.map(|p| p.interval_99[0])),
        number(p.map(|p| p.interval_99[1])),
    ]
}
