//! Counts: where the rows of a cell live at each step, and how they move. Integers only, so that the
//! order in which batches arrive does not matter.

use super::copies::CopyTally;
use super::plan::{Plan, PlannedCell};
use super::repeats::Repeats;
use crate::keys::KeyBatch;
use crate::metrics::movement::Flows;
use crate::scenario::Cell;
use crate::strategy::Slot;

/// Largest number of from × to pairs that a step counts one by one.
pub const MAX_PAIRS: usize = 1 << 20;

/// The loads that a run counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Load {
    /// One a row.
    Keys,
    /// The row's requests.
    Requests,
    /// The row's bytes.
    Bytes,
    /// The row's reads.
    Reads,
    /// The row's writes.
    Writes,
    /// The row's requests in one phase of the traffic; a load of the tally, not of the record.
    Phase(u16),
}

impl Load {
    /// Name in records.
    pub fn name(self) -> &'static str {
        match self {
            Load::Keys => "keys",
            Load::Requests => "requests",
            Load::Bytes => "bytes",
            Load::Reads => "reads",
            Load::Writes => "writes",
            Load::Phase(_) => "phase",
        }
    }

    /// The amounts of a batch's keys; None where each counts one.
    pub fn amounts(self, batch: &KeyBatch) -> Option<&[u64]> {
        match self {
            Load::Keys => None,
            Load::Requests => Some(&batch.requests),
            Load::Bytes => Some(&batch.bytes),
            Load::Reads => Some(&batch.reads),
            Load::Writes => Some(&batch.writes),
            Load::Phase(phase) => Some(&batch.phases[usize::from(phase)]),
        }
    }

    /// Whether it is a load of the record, and not a part of one.
    pub fn is_whole(self) -> bool {
        !matches!(self, Load::Phase(_))
    }
}

/// Amounts by row of a tally: the nodes by id, then misrouted, refused, absent.
pub type Counts = Vec<u64>;

/// What one load does at one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadTally {
    /// Amount by node.
    pub at: Counts,
    /// Movement since the step before.
    pub moved: Flow,
    /// Movement since step 0; empty at steps 0 and 1.
    pub from_start: Flow,
}

/// Movement between two steps, as amounts by row of the tally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flow {
    /// Amount from a to b at `a × rows + b`, unmoved amounts on the diagonal; empty when there are
    /// too many pairs.
    pub pairs: Vec<u64>,
    /// What moved from and to each row; derived from the pairs at the end where they are counted.
    pub sums: Flows,
}

/// The counts of one step.
#[derive(Debug, Clone)]
pub struct StepTally {
    /// By load, in the order of [`CellTally::loads`].
    pub loads: Vec<LoadTally>,
    /// Copies of keys; None for one replica.
    pub copies: Option<CopyTally>,
    /// Rows that queries ask for, by segment and row of the tally.
    pub queried: Counts,
    /// Rows of the tally alive at this step and the one before (and at step 0).
    survivors: [Vec<bool>; 2],
}

/// What is counted beside the loads.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// Segments of queries.
    pub segments: usize,
    /// Whether repeated moves of the same keys count.
    pub repeats: bool,
}

/// The counts of one cell.
#[derive(Debug, Clone)]
pub struct CellTally {
    /// Which loads are counted.
    pub loads: Vec<Load>,
    /// One per step.
    pub steps: Vec<StepTally>,
    /// How often the same keys move; None where nobody asks.
    pub repeats: Option<Repeats>,
    ids: usize,
}

/// Which rows of a tally are alive at a step.
pub fn alive(cell: &PlannedCell<'_>, step: usize) -> Vec<bool> {
    let cluster = &cell.cell.steps[step].cluster;
    let mut alive = vec![false; cluster.ids + Slot::OUTCOMES];
    for node in &cluster.nodes {
        alive[node.id.0 as usize] = !cluster.down.contains(&node.id);
    }
    alive
}

impl CellTally {
    /// An empty tally for a cell.
    pub fn new(cell: &PlannedCell<'_>, loads: &[Load], extras: Extras) -> Self {
        let Extras { segments, repeats } = extras;
        let ids = cell.cell.steps[0].cluster.ids;
        let rows = ids + Slot::OUTCOMES;
        let both = |a: &[bool], b: &[bool]| a.iter().zip(b).map(|(a, b)| a & b).collect();
        let repeats = (repeats && cell.cell.steps.len() > 1)
            .then(|| Repeats::new(loads.len(), cell.cell.steps.len()));
        let steps = (0..cell.cell.steps.len())
            .map(|step| {
                let now = alive(cell, step);
                let dense = rows * rows <= MAX_PAIRS;
                let load = LoadTally {
                    at: vec![0; rows],
                    moved: Flow::new(rows, step > 0, step > 0 && dense),
                    from_start: Flow::new(rows, step > 1, false),
                };
                StepTally {
                    loads: vec![load; loads.len()],
                    copies: CopyTally::new(cell, step),
                    queried: vec![0; segments * rows],
                    survivors: [
                        if step > 0 { both(&alive(cell, step - 1), &now) } else { Vec::new() },
                        if step > 1 { both(&alive(cell, 0), &now) } else { Vec::new() },
                    ],
                }
            })
            .collect();
        CellTally { loads: loads.to_vec(), steps, repeats, ids }
    }

    /// Bytes that a tally of this cell takes.
    pub fn bytes(cell: &Cell, loads: usize, segments: usize) -> u64 {
        let (ids, steps) = (cell.steps[0].cluster.ids, cell.steps.len() as u64);
        let rows = (ids + Slot::OUTCOMES) as u64;
        let pairs = if rows * rows <= MAX_PAIRS as u64 { rows * rows } else { 2 * rows };
        let copies = if cell.replicas > 1 { CopyTally::bytes(ids) } else { 0 };
        let queried = (segments as u64).saturating_mul(rows);
        steps.saturating_mul(8 * (loads as u64 * (pairs + 3 * rows) + queried) + copies)
    }

    /// Counts one batch: `slots` holds the tally row of each key by step, primaries only.
    pub fn count(&mut self, batch: &KeyBatch, slots: &[&[Slot]]) {
        let amounts: Vec<&[u64]> =
            self.loads.iter().map(|load| load.amounts(batch).unwrap_or_default()).collect();
        self.count_amounts(&amounts, slots);
    }

    /// Counts rows by their amounts of each load; no amounts: one a row.
    pub fn count_amounts(&mut self, amounts: &[&[u64]], slots: &[&[Slot]]) {
        for (load, amounts) in amounts.iter().enumerate() {
            self.count_load(load, amounts, slots);
        }
        if let Some(repeats) = &mut self.repeats {
            repeats.count(amounts, slots);
        }
    }

    /// Counts the rows of a batch that queries ask for, each with its segment.
    pub fn count_queried(
        &mut self,
        matches: impl Iterator<Item = (usize, usize)> + Clone,
        slots: &[&[Slot]],
    ) {
        let rows = self.ids + Slot::OUTCOMES;
        for (step, now) in self.steps.iter_mut().zip(slots) {
            for (row, segment) in matches.clone() {
                step.queried[segment * rows + now[row].index(self.ids)] += 1;
            }
        }
    }

    /// Counts one load of one batch; no amounts: one a key.
    fn count_load(&mut self, load: usize, amounts: &[u64], slots: &[&[Slot]]) {
        let ids = self.ids;
        for (step, now) in slots.iter().enumerate() {
            let StepTally { loads, survivors, .. } = &mut self.steps[step];
            let tally = &mut loads[load];
            if step == 0 || tally.moved.pairs.is_empty() {
                let (nodes, outcomes) = tally.at.split_at_mut(ids);
                tally_each(amounts, now, |slot, amount| {
                    let at = match nodes.get_mut(slot.0 as usize) {
                        Some(node) => node,
                        None => &mut outcomes[slot.index(0)],
                    };
                    *at = at.wrapping_add(amount);
                });
            }
            if step > 0 {
                tally.moved.count(ids, amounts, slots[step - 1], now, &survivors[0]);
            }
            if step > 1 {
                tally.from_start.count(ids, amounts, slots[0], now, &survivors[1]);
            }
        }
    }

    /// Adds another worker's counts.
    pub fn merge(&mut self, other: &CellTally) {
        if let (Some(mine), Some(theirs)) = (&mut self.repeats, &other.repeats) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.steps.iter_mut().zip(&other.steps) {
            for (mine, theirs) in mine.loads.iter_mut().zip(&theirs.loads) {
                add(&mut mine.at, &theirs.at);
                mine.moved.merge(&theirs.moved);
                mine.from_start.merge(&theirs.from_start);
            }
            if let (Some(mine), Some(theirs)) = (&mut mine.copies, &theirs.copies) {
                mine.merge(theirs);
            }
            add(&mut mine.queried, &theirs.queried);
        }
    }

    /// Derives what was not counted directly: amounts by node are the column sums of the pairs.
    pub fn finish(&mut self) {
        self.repeats.iter_mut().for_each(Repeats::finish);
        let rows = self.ids + Slot::OUTCOMES;
        for step in &mut self.steps {
            for tally in &mut step.loads {
                let pairs = &tally.moved.pairs;
                if pairs.is_empty() {
                    continue;
                }
                for line in pairs.chunks_exact(rows) {
                    add(&mut tally.at, line);
                }
                let moved = pairs.iter().enumerate().map(|(i, &n)| (i / rows, i % rows, n));
                let [survives, _] = &step.survivors;
                tally.moved.sums = Flows::from_pairs(moved, rows, survives, survives);
            }
        }
    }
}

impl Flow {
    fn new(rows: usize, counted: bool, dense: bool) -> Self {
        let sums = if counted && !dense { vec![0; rows] } else { Vec::new() };
        Flow {
            pairs: if dense { vec![0; rows * rows] } else { Vec::new() },
            sums: Flows { moved: 0, between_survivors: 0, gives: sums.clone(), receives: sums },
        }
    }

    fn count(
        &mut self,
        ids: usize,
        amounts: &[u64],
        from: &[Slot],
        to: &[Slot],
        survives: &[bool],
    ) {
        let rows = ids + Slot::OUTCOMES;
        let mut row = 0;
        if !self.pairs.is_empty() {
            let pairs = &mut self.pairs[..rows * rows];
            tally_each(amounts, to, |slot, amount| {
                let pair = &mut pairs[from[row].index(ids) * rows + slot.index(ids)];
                *pair = pair.wrapping_add(amount);
                row += 1;
            });
            return;
        }
        tally_each(amounts, to, |slot, amount| {
            let (a, b) = (from[row].index(ids), slot.index(ids));
            let amount = if a == b { 0 } else { amount };
            let sums = &mut self.sums;
            sums.moved = sums.moved.wrapping_add(amount);
            sums.gives[a] = sums.gives[a].wrapping_add(amount);
            sums.receives[b] = sums.receives[b].wrapping_add(amount);
            let stays = u64::from(survives[a] & survives[b]);
            sums.between_survivors = sums.between_survivors.wrapping_add(amount * stays);
            row += 1;
        });
    }

    fn merge(&mut self, other: &Flow) {
        add(&mut self.pairs, &other.pairs);
        add(&mut self.sums.gives, &other.sums.gives);
        add(&mut self.sums.receives, &other.sums.receives);
        let sums = &mut self.sums;
        sums.moved = sums.moved.wrapping_add(other.sums.moved);
        sums.between_survivors = sums.between_survivors.wrapping_add(other.sums.between_survivors);
    }
}

/// Calls `count` with each slot and its amount; without amounts each counts once.
#[inline]
fn tally_each(amounts: &[u64], slots: &[Slot], mut count: impl FnMut(Slot, u64)) {
    if amounts.is_empty() {
        slots.iter().for_each(|&slot| count(slot, 1));
    } else {
        assert_eq!(amounts.len(), slots.len(), "every key of a batch has its amount");
        slots.iter().zip(amounts).for_each(|(&slot, &amount)| count(slot, amount));
    }
}

fn add(mine: &mut [u64], theirs: &[u64]) {
    for (mine, theirs) in mine.iter_mut().zip(theirs) {
        *mine = mine.wrapping_add(*theirs);
    }
}

/// The loads that a workload's rows carry.
pub fn loads_of(has_requests: bool, has_bytes: bool) -> Vec<Load> {
    let mut loads = vec![Load::Keys];
    if has_requests {
        loads.push(Load::Requests);
    }
    if has_bytes {
        loads.push(Load::Bytes);
    }
    loads
}

/// An empty tally for every cell of a plan that its strategy can do.
pub fn tallies(plan: &Plan<'_>, loads: &[Load], extras: Extras) -> Vec<Option<CellTally>> {
    let tally = |cell| CellTally::new(cell, loads, extras);
    plan.cells.iter().map(|cell| cell.steps.as_ref().ok().map(|_| tally(cell))).collect()
}
