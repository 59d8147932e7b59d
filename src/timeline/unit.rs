//! A unit on its way.

use super::Tick;
use super::rows::Rows;
use super::settings::{PPM, UnitPlan};
use crate::rng::{Purpose, Stream};

/// Where a unit is in its migration; see the head of [`super`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It stays where it is: not part of the migration.
    Resident,
    /// It has not begun.
    Pending,
    /// Its rows are copied.
    Copying,
    /// The log of changes is carried over.
    CatchUp,
    /// Check-sums are compared.
    Verifying,
    /// Rows that differ are copied again.
    Repairing,
    /// Writes are refused until the routing has changed.
    Closing,
    /// The target is the owner; the source keeps its copy.
    Kept,
    /// The source deletes its copy.
    Cleaning,
    /// Only the target has it.
    Done,
    /// The target died; the source is the owner for good.
    Stayed,
    /// No owner is left.
    Dead,
}

impl Phase {
    /// The phases that take time, in their order.
    pub const TIMED: [Phase; 7] = [
        Phase::Copying,
        Phase::CatchUp,
        Phase::Verifying,
        Phase::Repairing,
        Phase::Closing,
        Phase::Kept,
        Phase::Cleaning,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Resident => "resident",
            Phase::Pending => "pending",
            Phase::Copying => "copying",
            Phase::CatchUp => "catch-up",
            Phase::Verifying => "verifying",
            Phase::Repairing => "repairing",
            Phase::Closing => "closing",
            Phase::Kept => "kept",
            Phase::Cleaning => "cleaning",
            Phase::Done => "done",
            Phase::Stayed => "stayed",
            Phase::Dead => "dead",
        }
    }

    /// Whether a unit in it is on its way to the cut-over: it counts against the concurrency.
    pub fn is_active(self) -> bool {
        (Phase::Copying..=Phase::Closing).contains(&self)
    }

    /// Whether the target is the owner.
    pub fn is_over(self) -> bool {
        (Phase::Kept..=Phase::Done).contains(&self)
    }

    /// Whether nothing more is done about the unit.
    pub fn is_final(self) -> bool {
        self == Phase::Resident || self >= Phase::Done
    }
}

/// Whole parts of a rate, what is left over kept for the next time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Meter(u128);

impl Meter {
    /// `amount ÷ unit` and the rest of earlier calls.
    pub fn take(&mut self, amount: u128, unit: u128) -> u64 {
        self.0 += amount;
        let whole = self.0 / unit;
        self.0 %= unit;
        whole as u64
    }

    /// A share in parts per million of a count.
    pub fn share(&mut self, count: u64, ppm: u64) -> u64 {
        self.take(u128::from(count) * u128::from(ppm), u128::from(PPM))
    }
}

/// What a unit's rates have left over.
#[derive(Debug, Clone, Default)]
pub struct Meters {
    /// Writes that clients send.
    pub writes: Meter,
    /// Reads that clients send.
    pub reads: Meter,
    /// Writes of clients with an old routing.
    pub stale_writes: Meter,
    /// Reads of clients with an old routing.
    pub stale_reads: Meter,
    /// Writes that add rows.
    pub inserts: Meter,
    /// The same of clients with an old routing.
    pub stale_inserts: Meter,
    /// Updates that the source acknowledges first; the rest the target.
    pub first: Meter,
    /// Inserts that the source acknowledges first.
    pub first_inserts: Meter,
    /// Second writes to the target that fail.
    pub fails_on_target: Meter,
    /// Second writes to the source that fail.
    pub fails_on_source: Meter,
    /// Rows that a copy drops.
    pub drops: Meter,
}

/// A unit on its way.
#[derive(Debug)]
pub struct Unit {
    /// What it was planned as.
    pub plan: UnitPlan,
    /// Where it is.
    pub phase: Phase,
    /// Since when.
    pub since: Tick,
    /// Its rows.
    pub rows: Rows,
    /// Rows lost so far.
    pub lost: u64,
    /// Rows at the beginning and rows added by acknowledged writes.
    pub rows_in: u64,
    /// Rows that the copy must pass again though they have arrived.
    pub again: u64,
    /// Thousandths of rows that the stream may carry still, or the check-sum has still to read.
    pub credit: u64,
    /// Rows that differ and are still to be copied.
    pub repair: u64,
    /// How often check-sums were compared.
    pub compared: u32,
    /// Whether check-sums have agreed.
    pub verified: bool,
    /// Whether it was given up that they agree.
    pub differs: bool,
    /// When the routing of the unit changed first; None: it has not.
    pub rerouted: Option<Tick>,
    /// Second writes under way to the target.
    pub flying_to_target: u64,
    /// Second writes under way to the source.
    pub flying_to_source: u64,
    /// Until when clients' requests have arrived.
    pub arrived: Tick,
    /// Whether an arrival is planned.
    pub awaited: bool,
    /// Phases it has left: which, from, to.
    pub spans: Vec<(Phase, Tick, Tick)>,
    pub(super) meters: Meters,
    pub(super) hits: Stream,
    pub(super) stale: Stream,
}

impl Unit {
    pub(super) fn new(plan: &UnitPlan, index: usize, seed: u64) -> Self {
        Unit {
            phase: if plan.to.is_some() { Phase::Pending } else { Phase::Resident },
            since: 0,
            rows: Rows { ahead: plan.rows, ..Rows::default() },
            lost: 0,
            rows_in: plan.rows,
            again: 0,
            credit: 0,
            repair: 0,
            compared: 0,
            verified: false,
            differs: false,
            rerouted: None,
            flying_to_target: 0,
            flying_to_source: 0,
            arrived: 0,
            awaited: false,
            spans: Vec::new(),
            meters: Meters::default(),
            hits: Stream::new(seed, Purpose::RowHits, index as u64),
            stale: Stream::new(seed, Purpose::StaleReads, index as u64),
            plan: plan.clone(),
        }
    }

    /// Goes into another phase.
    pub(super) fn enter(&mut self, phase: Phase, now: Tick) {
        if Phase::TIMED.contains(&self.phase) {
            self.spans.push((self.phase, self.since, now));
        }
        self.phase = phase;
        self.since = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meter_gives_the_same_in_one_call_and_in_many() {
        let (mut one, mut many) = (Meter::default(), Meter::default());
        let total: u64 = (0..1000).map(|_| many.take(7, 30)).sum();
        assert_eq!(one.take(7000, 30), total);
        assert_eq!(total, 233);
        assert_eq!(Meter::default().share(10, 250_000), 2);
    }
}
