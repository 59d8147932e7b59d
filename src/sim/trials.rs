//! Trials: the band that a cell's skew and movement show over label sets.

use std::path::Path;

use rayon::prelude::*;

use super::Progress;
use super::input::Input;
use super::labels::{LabelSet, Varies, placements, varies};
use super::plan::PlannedCell;
use super::replay::place;
use crate::error::{Error, ErrorKind};
use crate::keys::{Access, BATCH_ROWS, CHUNK_ROWS, ColumnSpec, Digester, KeyBatch, Want};
use crate::metrics::bands::band;
use crate::metrics::spread::Spread;
use crate::record::{TrialStep, TrialsRecord};
use crate::scenario::{Cell, Trials};
use crate::strategy::{Ownership, Placement, Slot};

/// Most bytes of text of the keys that trials place: every thread has a copy.
const MAX_SAMPLE_TEXT: usize = 256 << 20;

/// What one label set gives at one step.
#[derive(Debug, Clone, Copy)]
struct Outcome {
    spread: Spread,
    moved: Option<f64>,
}

/// The trials of one cell, and beside them what the scenario's own labels give.
pub fn trials(
    planned: &PlannedCell<'_>,
    own: &[&dyn Placement],
    trials: &Trials,
    input: &Input,
    base: &Path,
    progress: &dyn Progress,
) -> Result<TrialsRecord, Error> {
    let cell = planned.cell;
    let varies = match varies(cell) {
        Ok(varies) => varies,
        Err(reason) => return Ok(none(reason)),
    };
    let on_ownership = varies == Varies::Names && own.iter().all(|p| p.ownership().is_some());
    if own.iter().any(|p| p.session().is_some()) {
        return Ok(none("the answer depends on which requests are open".into()));
    }
    progress.begin("trying label sets", u64::from(trials.count));
    let kind = input.source.kind();
    let last = cell.steps.len() - 1;
    let sample = if on_ownership { Vec::new() } else { sample(input, trials.keys)? };
    let measure = |placements: &[&dyn Placement], keys: &mut Vec<KeyBatch>| {
        if on_ownership { owned(cell, placements) } else { placed(cell, placements, keys) }
    };
    let mine = measure(own, &mut sample.clone());
    let outcomes: Vec<Vec<Outcome>> = (0..u64::from(trials.count))
        .into_par_iter()
        .map_init(
            || sample.clone(),
            |keys, t| {
                if progress.interrupted() {
                    return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
                }
                let labels = LabelSet::drawn(varies, cell.seed, t, cell.steps[0].cluster.ids);
                let chain = placements(cell, &labels, last, kind, base)?;
                let chain: Vec<&dyn Placement> = chain.iter().map(AsRef::as_ref).collect();
                let outcome = measure(&chain, keys);
                progress.advance(1);
                Ok(outcome)
            },
        )
        .collect::<Result<_, Error>>()?;
    Ok(TrialsRecord {
        count: trials.count,
        on: if on_ownership { "ownership" } else { "keys" }.into(),
        reason: None,
        steps: (0..=last).map(|step| summary(step, &outcomes, &mine[step])).collect(),
    })
}

fn none(reason: String) -> TrialsRecord {
    TrialsRecord { count: 0, on: "none".into(), reason: Some(reason), steps: Vec::new() }
}

fn summary(step: usize, outcomes: &[Vec<Outcome>], own: &Outcome) -> TrialStep {
    let of = |get: &dyn Fn(&Outcome) -> f64| {
        let mut values: Vec<f64> = outcomes.iter().map(|steps| get(&steps[step])).collect();
        band(&mut values, Some(get(own)))
    };
    TrialStep {
        step,
        max_over_mean: of(&|o| o.spread.max_over_mean),
        min_over_mean: of(&|o| o.spread.min_over_mean),
        max_deviation: of(&|o| o.spread.max_deviation),
        cv_squared: of(&|o| o.spread.cv_squared),
        share_moved: own.moved.map(|_| of(&|o| o.moved.unwrap_or(0.0))),
    }
}

/// Exact shares under one label set.
fn owned(cell: &Cell, placements: &[&dyn Placement]) -> Vec<Outcome> {
    let ownership: Vec<Ownership> = placements
        .iter()
        .map(|p| p.ownership().expect("known for the cell's own labels"))
        .collect();
    ownership
        .iter()
        .enumerate()
        .map(|(step, owners)| Outcome {
            spread: owned_spread(cell, step, owners),
            moved: step.checked_sub(1).and_then(|before| ownership[before].share_moved(owners)),
        })
        .collect()
}

/// The spread of exact shares at a step.
pub fn owned_spread(cell: &Cell, step: usize, owners: &Ownership) -> Spread {
    let cluster = &cell.steps[step].cluster;
    Spread::of_shares(&owners.shares(cluster.ids), &cluster.fair_shares())
}

/// Shares of placed keys under one label set.
fn placed(cell: &Cell, placements: &[&dyn Placement], keys: &mut [KeyBatch]) -> Vec<Outcome> {
    let ids = cell.steps[0].cluster.ids;
    let mut columns: Vec<ColumnSpec> = Vec::new();
    for placement in placements {
        columns.extend_from_slice(placement.columns());
    }
    let mut digester = Digester::new(&columns);
    let mut counts = vec![vec![0u64; ids + Slot::OUTCOMES]; placements.len()];
    let mut moved = vec![0u64; placements.len()];
    let (mut slots, mut before) = (Vec::new(), Vec::new());
    for batch in keys.iter_mut() {
        digester.compute(batch);
        for (step, placement) in placements.iter().enumerate() {
            let down = &cell.steps[step].cluster.down;
            place(*placement, down, cell.replicas, batch, &mut slots);
            for slot in slots.iter().step_by(cell.replicas) {
                counts[step][slot.index(ids)] += 1;
            }
            if step > 0 {
                let pairs = slots.iter().zip(&before).step_by(cell.replicas);
                moved[step] += pairs.filter(|(a, b)| a != b).count() as u64;
            }
            std::mem::swap(&mut slots, &mut before);
        }
    }
    let total: u64 = keys.iter().map(|batch| batch.len() as u64).sum();
    (0..placements.len())
        .map(|step| {
            let on_nodes: u64 = counts[step][..ids].iter().sum();
            let shares: Vec<f64> =
                counts[step].iter().map(|&c| c as f64 / on_nodes.max(1) as f64).collect();
            let fair = cell.steps[step].cluster.fair_shares();
            Outcome {
                spread: Spread::of_shares(&shares, &fair),
                moved: (step > 0).then(|| moved[step] as f64 / total as f64),
            }
        })
        .collect()
}

/// The first `rows` rows of the workload.
fn sample(input: &Input, rows: u64) -> Result<Vec<KeyBatch>, Error> {
    let rows = rows.min(input.rows);
    let mut batches = Vec::new();
    let mut row = 0;
    match input.source.access() {
        Access::AnyOrder(source) => {
            while row < rows {
                let end = rows.min(row + CHUNK_ROWS);
                let mut cursor = source.open(row / CHUNK_ROWS, Want { text: true });
                while row < end {
                    let mut batch = KeyBatch::new(input.source.kind());
                    batch.clear(row);
                    let take = (end - row).min(BATCH_ROWS as u64);
                    cursor.fill(take as usize, &mut batch);
                    row += take;
                    batches.push(batch);
                }
            }
        }
        Access::InOrder(file) => {
            let mut reader = file.open()?;
            let mut bytes = 0;
            while row < rows {
                let mut batch = KeyBatch::new(input.source.kind());
                batch.clear(row);
                reader.read((rows - row).min(BATCH_ROWS as u64) as usize, &mut batch)?;
                if batch.is_empty() {
                    break;
                }
                row += batch.len() as u64;
                bytes += batch.text.total_bytes();
                if bytes > MAX_SAMPLE_TEXT {
                    return Err(Error::data(format!(
                        "the first {row} keys, with which trials are made, take more than {} MiB",
                        MAX_SAMPLE_TEXT >> 20
                    ))
                    .help("lower `keys` in [trials]: the keys of a trial stay in memory"));
                }
                batches.push(batch);
            }
        }
    }
    Ok(batches)
}
