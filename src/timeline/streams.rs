//! The copy: how much each stream may carry, and what it does with it.

use super::Tick;
use super::engine::Simulation;
use super::queue::Kind;
use super::settings::{Mode, Verify};
use super::unit::{Phase, Unit};

/// How many streams share each limit in a tick.
#[derive(Debug)]
pub struct Shares {
    tick: Tick,
    all: u64,
    from: Vec<u64>,
    to: Vec<u64>,
}

impl Shares {
    /// No streams between so many nodes.
    pub fn new(nodes: usize) -> Self {
        Shares { tick: 0, all: 0, from: vec![0; nodes], to: vec![0; nodes] }
    }
}

/// Rows that check-sums find different. What the log still has is known to be; second writes under way
/// are waited for.
pub fn differing(mode: Mode, unit: &Unit) -> u64 {
    let rows = unit.rows;
    match mode {
        Mode::Redirect | Mode::RowVersion => rows.dropped,
        Mode::DoubleWriteFirst => {
            rows.dropped
                + rows.changed.saturating_sub(unit.flying_to_target)
                + rows.target.saturating_sub(unit.flying_to_source)
        }
        Mode::StopTheWorld | Mode::CopyOnly | Mode::DoubleWriteAll => rows.dropped + rows.changed,
    }
}

impl Simulation<'_> {
    /// A tick of a unit's stream, or of its check-sums.
    pub(super) fn stream(&mut self, index: usize) {
        self.arrive(index);
        let unit = &self.units[index];
        // A unit that began anew in this very tick has its next event planned already.
        if !unit.phase.is_active() || unit.since >= self.now {
            return;
        }
        let phase = unit.phase;
        let to = unit.plan.to.expect("it moves");
        if self.nodes[unit.plan.from].up && self.nodes[to].up {
            match phase {
                Phase::Verifying => self.verify(index),
                _ => self.carry(index),
            }
        }
        let unit = &self.units[index];
        if unit.phase == phase && unit.since < self.now {
            self.queue.push(self.now + 1, Kind::Stream(index as u32));
        }
    }

    /// Counts the streams that run in this tick, once.
    fn count_streams(&mut self) {
        if self.shares.tick == self.now {
            return;
        }
        self.shares.tick = self.now;
        self.shares.all = 0;
        self.shares.from.fill(0);
        self.shares.to.fill(0);
        for &index in &self.moving {
            let unit = &self.units[index];
            let to = unit.plan.to.expect("it moves");
            let streams = match unit.phase {
                Phase::Copying | Phase::CatchUp | Phase::Repairing => true,
                Phase::Closing => !self.closed(index),
                _ => false,
            };
            if streams && self.nodes[unit.plan.from].up && self.nodes[to].up {
                self.shares.all += 1;
                self.shares.from[unit.plan.from] += 1;
                self.shares.to[to] += 1;
            }
        }
    }

    /// Thousandths of a row that a unit's stream may carry in this tick; None: as many as it likes.
    fn allowance(&mut self, index: usize) -> Option<u64> {
        self.count_streams();
        let unit = &self.units[index];
        let (from, to) = (unit.plan.from, unit.plan.to.expect("it moves"));
        let limits = &self.job.settings.limits;
        let shares = &self.shares;
        let least = [
            limits.stream,
            limits.overall.map(|limit| limit / shares.all.max(1)),
            limits.source.map(|limit| limit / shares.from[from].max(1)),
            limits.target.map(|limit| limit / shares.to[to].max(1)),
        ];
        let slowness = self.nodes[from].slowness.max(self.nodes[to].slowness);
        least.into_iter().flatten().min().map(|limit| limit * 1000 / slowness)
    }

    /// Carries what the allowance allows.
    fn carry(&mut self, index: usize) {
        let allowance = self.allowance(index);
        let now = self.now;
        let (drops, settings) = (self.drops, &self.job.settings);
        let unit = &mut self.units[index];
        unit.credit = match allowance {
            Some(allowance) => unit.credit.saturating_add(allowance),
            None => u64::MAX,
        };
        let may = unit.credit / 1000;
        let again = unit.again.min(may);
        let rows = &mut unit.rows;
        let left = may - again;
        let carried = match unit.phase {
            Phase::Copying => take(&mut rows.ahead, left),
            Phase::CatchUp => take(&mut rows.changed, left),
            Phase::Closing if settings.mode == Mode::Redirect => take(&mut rows.changed, left),
            Phase::Repairing => {
                let dropped = take(&mut rows.dropped, left.min(unit.repair));
                let wanted = left.min(unit.repair) - dropped;
                let changed = match settings.mode {
                    Mode::Redirect => 0,
                    _ => take(&mut rows.changed, wanted),
                };
                // What only the target has it gives to the source.
                let back = match settings.mode {
                    Mode::DoubleWriteFirst => take(&mut rows.target, wanted - changed),
                    _ => 0,
                };
                dropped + changed + back
            }
            _ => 0,
        };
        unit.again -= again;
        let lost_on_the_way = unit.meters.drops.share(carried, drops);
        rows.dropped += lost_on_the_way;
        rows.both += carried - lost_on_the_way;
        let streamed = carried + again;
        unit.repair = unit.repair.saturating_sub(carried);
        let phase = unit.phase;
        let over = match phase {
            Phase::Copying => unit.again == 0 && rows.ahead == 0,
            Phase::CatchUp => rows.changed <= may,
            // What writes have taken out of it in the meantime need not be carried.
            Phase::Repairing => {
                unit.repair == 0 || differing(settings.mode, unit) == 0 || (may > 0 && carried == 0)
            }
            _ => false,
        };
        // What is not used now cannot be used later.
        unit.credit =
            if allowance.is_none() || streamed < may { 0 } else { unit.credit - streamed * 1000 };
        let closed = phase == Phase::Closing && now >= unit.since + settings.cutover;
        let (from, to) = (unit.plan.from, unit.plan.to.expect("it moves"));
        self.ledger.load(from).copies += streamed;
        self.ledger.load(to).copies += streamed;
        self.ledger.totals.rows_copied += streamed;
        self.watch_carried(index);
        if over || (closed && self.closed(index)) {
            self.advance(index);
        }
    }

    /// Reads the check-sums of rows on both nodes.
    fn verify(&mut self, index: usize) {
        let Verify::On(limit) = self.job.settings.verify else {
            unreachable!("only what is verified is in this phase")
        };
        let unit = &mut self.units[index];
        let (from, to) = (unit.plan.from, unit.plan.to.expect("it moves"));
        let slowness = self.nodes[from].slowness.max(self.nodes[to].slowness);
        let may = limit.map_or(u64::MAX, |limit| limit * 1000 / slowness);
        let before = unit.credit.div_ceil(1000);
        unit.credit = unit.credit.saturating_sub(may);
        let read = before - unit.credit.div_ceil(1000);
        let over = unit.credit == 0;
        self.ledger.load(from).copies += read;
        self.ledger.load(to).copies += read;
        self.ledger.totals.rows_summed += 2 * read;
        if over {
            self.compare(index);
        }
    }
}

/// Takes up to so many from a count.
fn take(count: &mut u64, most: u64) -> u64 {
    let taken = most.min(*count);
    *count -= taken;
    taken
}
