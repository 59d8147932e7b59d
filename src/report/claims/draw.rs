//! The charts of a claim: those that its set-ups ask for, and what its readings yield against what is
//! claimed.

use crate::analysis::claims::claimed::Style;
use crate::analysis::claims::record::{Entry, PartRecord, ReadingRecord, SpreadRecord};
use crate::charts;
use crate::charts::model::{Axis, Chart, Layer, Mark, Scale, Spans, Texts, Unit};
use crate::charts::palette::Look;

/// File stem and SVG of each.
pub fn draw(entry: &Entry) -> Vec<(String, String)> {
    let of = |record| charts::draw_as(record, &format!("{}-", record.scenario.name));
    let mut drawn: Vec<(String, String)> = entry.records.iter().flat_map(of).collect();
    if let Some(chart) = readings(entry) {
        let stem = format!("{}-readings", entry.id.to_lowercase());
        drawn.push((stem.clone(), charts::render::render(&chart, &stem)));
    }
    drawn
}

/// One stretch a reading, from the 2.5th to the 97.5th percentile, with the claimed value; only of
/// readings in per cent, since one axis shows them all.
fn readings(entry: &Entry) -> Option<Chart> {
    let spread = |part: &'_ PartRecord, reading: &'_ ReadingRecord| {
        let spread = reading.figure.spread.clone()?;
        let is_share = reading.figure.style == Style::Percent;
        is_share.then(|| (name(part, reading), reading.clone(), spread))
    };
    let parts = entry.parts.iter();
    let rows: Vec<(String, ReadingRecord, SpreadRecord)> =
        parts.flat_map(|part| part.readings.iter().filter_map(|r| spread(part, r))).collect();
    if rows.is_empty() {
        return None;
    }
    let percent = |x: f64| x * 100.0;
    let spans = Spans {
        name: "middle 95 % of label sets".into(),
        values: rows.iter().map(|(.., s)| Some((percent(s.p2_5), percent(s.p97_5)))).collect(),
        look: Look::series(0),
        texts: Texts::Hidden,
    };
    let mark = |(row, (_, reading, _)): (usize, &(String, ReadingRecord, SpreadRecord))| {
        let [low, high] = reading.meets?;
        // A bound stands at its end, a point at its middle.
        let at = match (low, high) {
            (Some(low), Some(high)) => (low + high) / 2.0,
            (low, high) => low.or(high)?,
        };
        let lines = vec![format!("claimed {}", reading.claimed.as_deref()?)];
        Some(Mark { x: percent(at), y: row as f64, lines })
    };
    let marks: Vec<Mark> = rows.iter().enumerate().filter_map(mark).collect();
    Some(Chart {
        suffix: String::new(),
        title: format!("{}: what is claimed against what the set-up yields", entry.id),
        subtitle: entry.claim.clone(),
        x: Axis::new("Share or deviation, %", Unit::Percent, Scale::FromZero),
        y: Axis::new("", Unit::Number, Scale::Category(rows.iter().map(|r| r.0.clone()).collect())),
        layers: vec![Layer::Spans(spans), Layer::Marks(marks)],
        notes: vec![format!("shardlab {} · claims ledger", env!("CARGO_PKG_VERSION"))],
    })
}

fn name(part: &PartRecord, reading: &ReadingRecord) -> String {
    match part.readings.len() {
        1 => part.part.clone(),
        _ => format!("{}: {}", part.part, reading.reading),
    }
}
