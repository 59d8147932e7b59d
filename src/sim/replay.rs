//! The replay: every key through every placement of a workload, in one pass.

use super::Progress;
use super::input::{Input, too_many_requests};
use super::plan::Plan;
use super::scan::scan;
use super::tally::{CellTally, loads_of, tallies};
use crate::cluster::NodeId;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::scenario::Cell;
use crate::strategy::{Placement, Slot};

/// Most bytes that the counts of all threads may take together.
const MAX_TALLY_BYTES: u64 = 2 << 30;

/// What a pass counted.
#[derive(Debug)]
pub struct Replayed {
    /// One per cell of the plan; None where the strategy cannot do it or a session must.
    pub cells: Vec<Option<CellTally>>,
    /// Requests of the hottest row.
    pub hottest: u64,
    /// Requests of all rows.
    pub requests: u64,
}

/// Replays the workload through all placements without a session.
pub fn replay(
    input: &Input,
    plan: &Plan<'_>,
    is_session: &[bool],
    progress: &dyn Progress,
) -> Result<Replayed, Error> {
    let columns = plan.columns();
    let loads = loads_of(input.has_requests, input.source.has_bytes());
    check_size(plan, loads.len())?;
    progress.begin("placing keys", input.rows);
    let new = || {
        let mut cells = tallies(plan, &loads);
        for (cell, session) in cells.iter_mut().zip(is_session) {
            if *session {
                *cell = None;
            }
        }
        let mut used = vec![false; plan.routed.len()];
        for (cell, tally) in plan.cells.iter().zip(&cells) {
            if let (Some(_), Ok(steps)) = (tally, &cell.steps) {
                steps.iter().for_each(|&routed| used[routed] = true);
            }
        }
        Worker {
            slots: vec![Vec::new(); plan.routed.len()],
            used,
            cells,
            totals: Totals::default(),
        }
    };
    let workers = scan(input, &columns, progress, new, |worker, batch| worker.batch(plan, batch))?;
    let mut workers = workers.into_iter();
    let first = workers.next().expect("a pool has at least one thread");
    let (mut cells, mut totals) = (first.cells, first.totals);
    for worker in workers {
        for (mine, theirs) in cells.iter_mut().zip(&worker.cells) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.merge(theirs);
            }
        }
        totals.merge(&worker.totals);
    }
    // Every partial sum is at most the total, so nothing has wrapped if the totals fit.
    let requests = u64::try_from(totals.requests).map_err(|_| too_many_requests())?;
    u64::try_from(totals.bytes).map_err(|_| too_many_requests())?;
    cells.iter_mut().flatten().for_each(CellTally::finish);
    Ok(Replayed { cells, hottest: totals.hottest, requests })
}

/// Refuses counts that would not fit in memory: every thread has its own.
fn check_size(plan: &Plan<'_>, loads: usize) -> Result<(), Error> {
    let of = |cell: &Cell| CellTally::bytes(cell.steps[0].cluster.ids, cell.steps.len(), loads);
    let bytes = plan.cells.iter().fold(0u64, |sum, cell| sum.saturating_add(of(cell.cell)));
    let threads = rayon::current_num_threads() as u64;
    if bytes.saturating_mul(threads) > MAX_TALLY_BYTES {
        return Err(Error::invalid(format!(
            "the counts of all cells and steps take {} MiB for each of {threads} threads",
            bytes >> 20
        ))
        .help(format!("at most {} MiB in all", MAX_TALLY_BYTES >> 20))
        .help("take fewer steps, nodes or cells, or fewer --threads"));
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Totals {
    requests: u128,
    bytes: u128,
    hottest: u64,
}

impl Totals {
    fn batch(&mut self, batch: &KeyBatch) {
        self.requests += batch.requests.iter().map(|&r| u128::from(r)).sum::<u128>();
        self.bytes += batch.bytes.iter().map(|&b| u128::from(b)).sum::<u128>();
        self.hottest = self.hottest.max(batch.requests.iter().copied().max().unwrap_or(0));
    }

    fn merge(&mut self, other: &Totals) {
        self.requests += other.requests;
        self.bytes += other.bytes;
        self.hottest = self.hottest.max(other.hottest);
    }
}

/// One thread's buffers and counts.
struct Worker {
    /// Slots by placement: keys × replicas.
    slots: Vec<Vec<Slot>>,
    used: Vec<bool>,
    cells: Vec<Option<CellTally>>,
    totals: Totals,
}

impl Worker {
    fn batch(&mut self, plan: &Plan<'_>, batch: &KeyBatch) {
        self.totals.batch(batch);
        for ((routed, slots), used) in plan.routed.iter().zip(&mut self.slots).zip(&self.used) {
            if *used {
                place(routed.placement.as_ref(), &routed.down, routed.replicas, batch, slots);
            }
        }
        let mut primaries: Vec<&[Slot]> = Vec::new();
        for (cell, tally) in plan.cells.iter().zip(&mut self.cells) {
            let (Ok(steps), Some(tally)) = (&cell.steps, tally) else { continue };
            let replicas = cell.cell.replicas;
            if replicas == 1 {
                primaries.clear();
                primaries.extend(steps.iter().map(|&r| &self.slots[r][..batch.len()]));
                tally.count(batch, &primaries);
            } else {
                let first: Vec<Vec<Slot>> = steps
                    .iter()
                    .map(|&r| {
                        self.slots[r].chunks_exact(replicas).map(|copies| copies[0]).collect()
                    })
                    .collect();
                let first: Vec<&[Slot]> = first.iter().map(Vec::as_slice).collect();
                tally.count(batch, &first);
                for (step, &routed) in steps.iter().enumerate() {
                    tally.count_copies(step, &self.slots[routed], replicas);
                }
            }
        }
    }
}

/// Places a batch and marks the keys of nodes that are down as absent.
pub fn place(
    placement: &dyn Placement,
    down: &[NodeId],
    replicas: usize,
    batch: &KeyBatch,
    slots: &mut Vec<Slot>,
) {
    slots.resize(batch.len() * replicas, Slot::ABSENT);
    placement.place(batch, slots);
    if !down.is_empty() {
        for slot in slots {
            if slot.node().is_some_and(|node| down.contains(&node)) {
                *slot = Slot::ABSENT;
            }
        }
    }
}
