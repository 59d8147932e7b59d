//! The replay: every key through every placement of a workload, in one pass.

use super::Progress;
use super::arcs::{ArcCounts, Arcs};
use super::input::{Input, too_many_requests};
use super::plan::Plan;
use super::queries::{Matcher, QuerySet};
use super::scan::scan;
use super::tally::{CellTally, Extras, tallies};
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
    /// What the queries matched.
    pub matcher: Matcher,
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
    queries: &QuerySet,
    progress: &dyn Progress,
) -> Result<Replayed, Error> {
    let columns = plan.columns();
    let loads = input.loads();
    check_size(plan, loads.len(), queries.segments())?;
    progress.begin("placing keys", input.rows);
    let extras = Extras { segments: queries.segments(), repeats: plan.repeats };
    // What a range query matches is known row by row only.
    let by_row = extras.segments > 0;
    let arcs = Arcs::new(plan, &loads, |cell| !is_session[cell] && !by_row, input.rows);
    let new = || {
        let mut cells = tallies(plan, &loads, extras);
        for (index, cell) in cells.iter_mut().enumerate() {
            if is_session[index] || arcs.has(index) {
                *cell = None;
            }
        }
        let schedule = Schedule::new(plan, &cells);
        Worker {
            slots: vec![Vec::new(); schedule.buffers],
            schedule,
            cells,
            by_arc: ArcCounts::new(&arcs, &loads),
            matcher: Matcher::new(queries),
            totals: Totals::default(),
        }
    };
    let workers = scan(input, &columns, progress, new, |worker, batch| {
        worker.batch(plan, queries, batch);
        worker.by_arc.batch(&arcs, batch);
    })?;
    let mut workers = workers.into_iter();
    let Worker { mut cells, mut by_arc, mut matcher, mut totals, .. } =
        workers.next().expect("a pool has at least one thread");
    for worker in workers {
        by_arc.merge(&worker.by_arc);
        for (mine, theirs) in cells.iter_mut().zip(&worker.cells) {
            if let (Some(mine), Some(theirs)) = (mine, theirs) {
                mine.merge(theirs);
            }
        }
        matcher.merge(&worker.matcher);
        totals.merge(&worker.totals);
    }
    // Every partial sum is at most the total, so nothing has wrapped if the totals fit.
    let requests = u64::try_from(totals.requests).map_err(|_| too_many_requests())?;
    u64::try_from(totals.bytes).map_err(|_| too_many_requests())?;
    for (index, tally) in arcs.tallies(plan, &loads, extras, &by_arc) {
        cells[index] = Some(tally);
    }
    cells.iter_mut().flatten().for_each(CellTally::finish);
    Ok(Replayed { cells, matcher, hottest: totals.hottest, requests })
}

/// Refuses counts that would not fit in memory: every thread has its own.
fn check_size(plan: &Plan<'_>, loads: usize, segments: usize) -> Result<(), Error> {
    let of = |cell: &Cell| CellTally::bytes(cell, loads, segments);
    let bytes = plan.cells.iter().fold(0u64, |sum, cell| sum.saturating_add(of(cell.cell)));
    let threads = rayon::current_num_threads() as u64;
    if bytes.saturating_mul(threads) > MAX_TALLY_BYTES {
        return Err(Error::invalid(format!(
            "the counts of all cells and steps take {} MiB for each of {threads} threads",
            bytes >> 20
        ))
        .help(format!("at most {} MiB in all", MAX_TALLY_BYTES >> 20))
        .help("take fewer steps, nodes, cells or queries, or fewer --threads"));
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

/// Which buffer holds the slots of which placement, and from when to when: a placement is computed
/// for the first cell that counts it, and its buffer is free again after the last. A sweep of a
/// hundred cells then needs one buffer, which stays in the cache between placing and counting.
#[derive(Debug)]
struct Schedule {
    /// By cell; empty where nothing is counted.
    cells: Vec<Turn>,
    /// Buffers in all.
    buffers: usize,
}

/// What a cell does with a batch.
#[derive(Debug, Default)]
struct Turn {
    /// Placements to compute first, with their buffers.
    place: Vec<(usize, usize)>,
    /// The buffer that holds each step.
    steps: Vec<usize>,
}

impl Schedule {
    fn new(plan: &Plan<'_>, tallies: &[Option<CellTally>]) -> Self {
        let counted: Vec<&[usize]> = plan
            .cells
            .iter()
            .zip(tallies)
            .map(|(cell, tally)| match (&cell.steps, tally) {
                (Ok(steps), Some(_)) => steps.as_slice(),
                _ => &[],
            })
            .collect();
        let mut last = vec![0; plan.routed.len()];
        for (cell, steps) in counted.iter().enumerate() {
            steps.iter().for_each(|&routed| last[routed] = cell);
        }
        let mut schedule = Schedule { cells: Vec::new(), buffers: 0 };
        let mut held: Vec<Option<usize>> = vec![None; plan.routed.len()];
        let mut free = Vec::new();
        for (cell, steps) in counted.iter().enumerate() {
            let mut turn = Turn::default();
            for &routed in *steps {
                let buffer = *held[routed].get_or_insert_with(|| {
                    let buffer = free.pop().unwrap_or_else(|| {
                        schedule.buffers += 1;
                        schedule.buffers - 1
                    });
                    turn.place.push((routed, buffer));
                    buffer
                });
                turn.steps.push(buffer);
            }
            for &routed in *steps {
                if last[routed] == cell {
                    free.extend(held[routed].take());
                }
            }
            schedule.cells.push(turn);
        }
        schedule
    }
}

/// One thread's buffers and counts.
struct Worker {
    /// Slots by buffer: keys × replicas.
    slots: Vec<Vec<Slot>>,
    schedule: Schedule,
    cells: Vec<Option<CellTally>>,
    by_arc: ArcCounts,
    matcher: Matcher,
    totals: Totals,
}

impl Worker {
    fn batch(&mut self, plan: &Plan<'_>, queries: &QuerySet, batch: &KeyBatch) {
        self.totals.batch(batch);
        self.matcher.batch(queries, batch);
        for ((cell, turn), tally) in
            plan.cells.iter().zip(&self.schedule.cells).zip(&mut self.cells)
        {
            let Some(tally) = tally else { continue };
            for &(routed, buffer) in &turn.place {
                let routed = &plan.routed[routed];
                let slots = &mut self.slots[buffer];
                place(routed.placement.as_ref(), &routed.down, routed.replicas, batch, slots);
            }
            let replicas = cell.cell.replicas;
            if replicas == 1 {
                let primaries: Vec<&[Slot]> =
                    turn.steps.iter().map(|&buffer| self.slots[buffer].as_slice()).collect();
                tally.count(batch, &primaries);
                tally.count_queried(self.matcher.matches(), &primaries);
            } else {
                let first: Vec<Vec<Slot>> = turn
                    .steps
                    .iter()
                    .map(|&buffer| {
                        self.slots[buffer].chunks_exact(replicas).map(|copies| copies[0]).collect()
                    })
                    .collect();
                let first: Vec<&[Slot]> = first.iter().map(Vec::as_slice).collect();
                tally.count(batch, &first);
                tally.count_queried(self.matcher.matches(), &first);
                for (step, &buffer) in turn.steps.iter().enumerate() {
                    if let Some(copies) = &mut tally.steps[step].copies {
                        copies.count(&self.slots[buffer]);
                    }
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
