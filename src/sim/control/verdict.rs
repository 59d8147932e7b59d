//! How a loop went: from the balance of its rounds to a verdict.

use crate::record::{CellRecord, ControlRecord};
use crate::scenario::Control;

/// Max over mean that stays within this span, as a share of its mean, stands still.
const STILL: f64 = 0.02;

/// Adds to a cell's record how its loop went. Rounds keep their movement but list no pairs of nodes: a
/// loop has many rounds, and where each key went in each of them is no result.
pub fn record(record: &mut CellRecord, control: &Control) {
    let rounds = record.steps.iter_mut().skip(control.first);
    rounds.filter_map(|step| step.movement.as_mut()).for_each(|movement| movement.pairs = None);
    let series: Vec<f64> = record
        .steps
        .iter()
        .skip(control.first - 1)
        .filter_map(|step| Some(step.balance.get(&control.load)?.max_over_mean))
        .collect();
    if series.len() < 2 {
        return;
    }
    let moved = record.steps.iter().skip(control.first);
    let moved = moved.filter_map(|step| step.movement.as_ref()?.loads.get("keys"));
    let (best_round, best) = series
        .iter()
        .enumerate()
        .min_by(|a, b| a.1.total_cmp(b.1).then(a.0.cmp(&b.0)))
        .expect("the series is not empty");
    let (verdict, late_span) = verdict(&series);
    record.control = Some(ControlRecord {
        load: control.load.clone(),
        rounds: series.len() as u64 - 1,
        start: series[0],
        end: series[series.len() - 1],
        best: *best,
        best_round: best_round as u64,
        late_span,
        verdict: verdict.into(),
        moved_total: moved.map(|moved| moved.share_moved).sum(),
    });
}

/// What a series of max over mean does, the start first, and its span over the last third of the rounds as
/// a share of its mean there. It converges where it stands still below the start, or has no effect where
/// that is not far below or above it. It diverges where it is above the start on average at last, still or
/// not. It oscillates where it keeps changing below that.
fn verdict(series: &[f64]) -> (&'static str, f64) {
    let rounds = series.len() - 1;
    let late = &series[series.len() - (rounds / 3).max(1)..];
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let low = late.iter().copied().fold(f64::INFINITY, f64::min);
    let high = late.iter().copied().fold(0.0, f64::max);
    let span = if mean > 0.0 { (high - low) / mean } else { 0.0 };
    let start = series[0];
    let verdict = if mean > start * (1.0 + STILL) {
        "diverges"
    } else if span > STILL {
        "oscillates"
    } else if mean < start * (1.0 - STILL) {
        "converges"
    } else {
        "no effect"
    };
    (verdict, span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_told_apart() {
        let of = |series: &[f64]| verdict(series).0;
        assert_eq!(of(&[2.0, 1.5, 1.2, 1.1, 1.06, 1.05, 1.05]), "converges");
        assert_eq!(of(&[1.2, 1.5, 2.0, 4.0, 8.0, 8.0, 8.0]), "diverges");
        assert_eq!(of(&[2.0, 1.1, 2.0, 1.1, 2.0, 1.1, 2.0]), "oscillates");
        assert_eq!(of(&[2.0, 2.0, 2.0, 2.0]), "no effect");
        assert_eq!(of(&[1.5, 1.4]), "converges");
        // Wild, and worse than at the start on average.
        assert_eq!(of(&[1.2, 1.1, 3.0, 1.1, 3.0, 1.1, 3.0]), "diverges");
    }
}
