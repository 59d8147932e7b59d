//! The sampler: what a cell shows under one label set after another. Trials, and the claims that are
//! judged on them, read their statistics from it.

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;

use super::Progress;
use super::input::Input;
use super::labels::{LabelSet, Varies, placements, varies};
use super::replay::place;
use crate::error::{Error, ErrorKind};
use crate::keys::{Access, BATCH_ROWS, CHUNK_ROWS, ColumnSpec, Digester, KeyBatch, KeyKind, Want};
use crate::metrics::spread::Spread;
use crate::scenario::Cell;
use crate::strategy::{Ownership, Placement, Slot};

/// Most bytes of text of the keys that trials place: every thread has a copy.
const MAX_SAMPLE_TEXT: usize = 256 << 20;

/// What one label set gives at one step.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How the shares spread around fair ones.
    pub spread: Spread,
    /// Share by node id: of the digest space, or of the keys on nodes.
    pub shares: Vec<f64>,
    /// Keys by node id; None where shares are exact.
    pub counts: Option<Vec<u64>>,
    /// Share that moved at this step.
    pub moved: Option<f64>,
    /// Points that lie on another point; of rings only.
    pub shared_points: Option<u64>,
}

/// A cell under label sets: exact shares where they are known, else shares of placed keys.
pub struct Sampler<'a> {
    cell: &'a Cell,
    varies: Varies,
    kind: KeyKind,
    base: &'a Path,
    /// The keys that are placed; None where shares are exact.
    keys: Option<Vec<KeyBatch>>,
    /// Fair shares by step.
    fair: Vec<Vec<f64>>,
}

impl<'a> Sampler<'a> {
    /// A sampler of a cell that has these placements under its own labels; where ownership is not known
    /// it places the first `rows` rows. The inner error is the reason why nothing can vary.
    pub fn new(
        cell: &'a Cell,
        own: &[&dyn Placement],
        rows: u64,
        input: &Input,
        base: &'a Path,
    ) -> Result<Result<Self, String>, Error> {
        let varies = match varies(cell) {
            Ok(varies) => varies,
            Err(reason) => return Ok(Err(reason)),
        };
        if own.iter().any(|p| p.session().is_some()) {
            return Ok(Err("the answer depends on which requests are open".into()));
        }
        let exact = varies == Varies::Names && own.iter().all(|p| p.ownership().is_some());
        let keys = if exact { None } else { Some(sample(input, rows)?) };
        let fair = cell.steps.iter().map(|step| step.fair_shares()).collect();
        Ok(Ok(Sampler { cell, varies, kind: input.source.kind(), base, keys, fair }))
    }

    /// `ownership` where shares are exact, else `keys`.
    pub fn on(&self) -> &'static str {
        if self.keys.is_none() { "ownership" } else { "keys" }
    }

    /// What varies from trial to trial.
    pub fn varies(&self) -> Varies {
        self.varies
    }

    /// What placements, one for each step, give.
    pub fn measure(&self, placements: &[&dyn Placement]) -> Vec<Outcome> {
        self.with(placements, &mut self.keys.clone())
    }

    /// What `read` makes of the outcomes, by step, of each of these trials.
    pub fn draw<T: Send>(
        &self,
        trials: Range<u64>,
        progress: &dyn Progress,
        read: impl Fn(&[Outcome]) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        let last = self.cell.steps.len() - 1;
        trials
            .into_par_iter()
            .map_init(
                || self.keys.clone(),
                |keys, t| {
                    if progress.interrupted() {
                        return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
                    }
                    let ids = self.cell.steps[0].cluster.ids;
                    let labels = LabelSet::drawn(self.varies, self.cell.seed, t, ids);
                    let chain = placements(self.cell, &labels, last, self.kind, self.base)?;
                    let chain: Vec<&dyn Placement> = chain.iter().map(AsRef::as_ref).collect();
                    let outcome = read(&self.with(&chain, keys));
                    progress.advance(1);
                    Ok(outcome)
                },
            )
            .collect()
    }

    fn with(
        &self,
        placements: &[&dyn Placement],
        keys: &mut Option<Vec<KeyBatch>>,
    ) -> Vec<Outcome> {
        match keys {
            None => self.owned(placements),
            Some(keys) => self.placed(placements, keys),
        }
    }

    /// Exact shares under one label set.
    fn owned(&self, placements: &[&dyn Placement]) -> Vec<Outcome> {
        let ids = self.cell.steps[0].cluster.ids;
        let ownership: Vec<Ownership> = placements
            .iter()
            .map(|p| p.ownership().expect("known for the cell's own labels"))
            .collect();
        ownership
            .iter()
            .enumerate()
            .map(|(step, owners)| {
                let mut shares = owners.shares(ids);
                let spread = Spread::of_shares(&shares, &self.fair[step]);
                shares.truncate(ids);
                let moved = step.checked_sub(1).and_then(|b| ownership[b].share_moved(owners));
                let shared_points = placements[step].shared_points();
                Outcome { spread, shares, counts: None, moved, shared_points }
            })
            .collect()
    }

    /// Shares of placed keys under one label set.
    fn placed(&self, placements: &[&dyn Placement], keys: &mut [KeyBatch]) -> Vec<Outcome> {
        let cell = self.cell;
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
        counts
            .into_iter()
            .enumerate()
            .map(|(step, mut counts)| {
                counts.truncate(ids);
                let on_nodes = counts.iter().sum::<u64>().max(1) as f64;
                let shares: Vec<f64> = counts.iter().map(|&c| c as f64 / on_nodes).collect();
                Outcome {
                    spread: Spread::of_shares(&shares, &self.fair[step]),
                    shares,
                    counts: Some(counts),
                    moved: (step > 0).then(|| moved[step] as f64 / total as f64),
                    shared_points: placements[step].shared_points(),
                }
            })
            .collect()
    }
}

/// The spread of exact shares at a step.
pub fn owned_spread(cell: &Cell, step: usize, owners: &Ownership) -> Spread {
    let step = &cell.steps[step];
    Spread::of_shares(&owners.shares(step.cluster.ids), &step.fair_shares())
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
