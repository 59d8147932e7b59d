//! Phases of units: when one begins and ends, what follows from it, and which unit is next.

use super::engine::Simulation;
use super::queue::Kind;
use super::rows::Rows;
use super::settings::{Mode, Verify};
use super::unit::Phase;
use super::{Tick, streams};

/// Check-sums of a unit are compared at most so often.
const MOST_COMPARED: u32 = 3;

impl Simulation<'_> {
    /// Begins units while there is room.
    pub(super) fn schedule(&mut self) {
        if !self.begun || self.coordinator_down > 0 {
            return;
        }
        while self.active < self.job.settings.concurrency {
            let waits = |&unit: &usize| {
                let unit = &self.units[unit];
                let to = unit.plan.to.expect("it moves");
                unit.phase == Phase::Pending && self.nodes[unit.plan.from].up && self.nodes[to].up
            };
            let Some(skipped) = self.moving[self.next..].iter().position(waits) else { break };
            let unit = self.moving[self.next + skipped];
            // Units that wait for a node are looked at again when it is up.
            self.next = if skipped == 0 { self.next + 1 } else { self.next };
            self.enter(unit, Phase::Copying);
        }
    }

    /// Looks for units from the first on again.
    pub(super) fn reschedule(&mut self) {
        self.next = 0;
        self.schedule();
    }

    /// Moves a unit into a phase, with all that follows.
    pub(super) fn enter(&mut self, index: usize, phase: Phase) {
        self.arrive(index);
        let (now, settings) = (self.now, &self.job.settings);
        let unit = &mut self.units[index];
        let before = unit.phase;
        unit.enter(phase, now);
        unit.credit = 0;
        let rerouted = match phase {
            Phase::Copying => settings.mode.is_double_write(),
            Phase::Kept | Phase::Done => true,
            _ => false,
        };
        unit.rerouted = match unit.rerouted {
            // The routing is what it was.
            _ if phase == Phase::Stayed => None,
            None if rerouted => Some(now),
            rerouted => rerouted,
        };
        match phase {
            Phase::Verifying => {
                let rows = unit.rows.live();
                unit.credit = rows.saturating_mul(1000);
                unit.compared += 1;
            }
            Phase::Kept => self.queue.push(now + settings.keep_old, Kind::Timer(index as u32)),
            Phase::Closing => {
                self.queue.push(now + settings.cutover, Kind::Timer(index as u32));
            }
            Phase::Cleaning => {
                // Nothing is written twice any more, and what is under way arrives first.
                let landed = unit.flying_to_target.min(unit.rows.changed);
                unit.rows.changed -= landed;
                unit.rows.both += landed;
                let lost = (self.rules.clean_up)(&mut unit.rows);
                unit.lost += lost;
                self.queue.push(now + settings.clean_up, Kind::Timer(index as u32));
            }
            _ => {}
        }
        self.count(before, phase);
        self.noted(index);
        if phase.is_active() {
            self.queue.push(now + 1, Kind::Stream(index as u32));
        }
        self.await_arrivals(index);
        self.settle();
    }

    fn count(&mut self, before: Phase, after: Phase) {
        let open = |phase: Phase| phase == Phase::Pending || phase.is_active();
        self.active =
            self.active + usize::from(after.is_active()) - usize::from(before.is_active());
        self.before_cutover =
            self.before_cutover + usize::from(open(after)) - usize::from(open(before));
        self.unfinished =
            self.unfinished + usize::from(!after.is_final()) - usize::from(!before.is_final());
    }

    /// Notes that all units are over, and lets the world go on.
    pub(super) fn settle(&mut self) {
        if self.before_cutover == 0 && self.begun {
            self.migrated.get_or_insert(self.now);
            if self.stopped {
                self.arrive_all();
                self.stopped = false;
                (0..self.units.len()).for_each(|unit| self.await_arrivals(unit));
            }
        } else {
            self.migrated = None;
        }
        self.finished = match self.unfinished {
            0 if self.begun => Some(self.finished.unwrap_or(self.now)),
            _ => None,
        };
    }

    /// The phase of a unit is over: it goes into the next one.
    pub(super) fn advance(&mut self, index: usize) {
        let settings = &self.job.settings;
        let unit = &self.units[index];
        let verify = settings.verify != Verify::Off && !unit.verified && !unit.differs;
        let was_active = unit.phase.is_active();
        let phase = (self.rules.next)(settings.mode, unit.phase, verify);
        self.enter(index, phase);
        if was_active && !phase.is_active() {
            self.schedule();
        }
    }

    /// Check-sums of a unit have been read: rows that differ are copied again.
    pub(super) fn compare(&mut self, index: usize) {
        let unit = &mut self.units[index];
        let differing = streams::differing(self.job.settings.mode, unit);
        self.ledger.totals.rows_differing += differing;
        if differing == 0 {
            unit.verified = true;
        } else if unit.compared == MOST_COMPARED {
            unit.differs = true;
        } else {
            unit.repair = differing;
            return self.enter(index, Phase::Repairing);
        }
        self.advance(index);
    }

    pub(super) fn timer(&mut self, index: usize) {
        let settings = &self.job.settings;
        let unit = &self.units[index];
        let due = |length: Tick| unit.since + length <= self.now;
        let target_up = unit.plan.to.is_some_and(|to| self.nodes[to].up);
        match unit.phase {
            // Nobody deletes the old copy while the new one does not answer.
            Phase::Kept if due(settings.keep_old) && !target_up => {
                self.queue.push(self.now + 1, Kind::Timer(index as u32));
            }
            Phase::Kept if due(settings.keep_old) => {
                // Rows of an old version are on the source: it is not given up yet.
                if settings.mode == Mode::RowVersion && unit.rows.ahead > 0 {
                    self.enter(index, Phase::Copying);
                } else {
                    self.advance(index);
                }
            }
            Phase::Cleaning if due(settings.clean_up) => self.advance(index),
            Phase::Closing if due(settings.cutover) && self.closed(index) => self.advance(index),
            _ => {}
        }
    }

    /// Whether a closing unit has no more to carry over.
    pub(super) fn closed(&self, index: usize) -> bool {
        let unit = &self.units[index];
        self.job.settings.mode != Mode::Redirect || unit.rows.changed == 0
    }

    /// Plans the next arrival of a unit whose requests must arrive tick by tick: its rows are not all
    /// in one state, so that what a write does depends on the writes before it.
    pub(super) fn await_arrivals(&mut self, index: usize) {
        let unit = &mut self.units[index];
        let Rows { ahead, changed, dropped, both, target } = unit.rows;
        let mixed = [ahead, changed, dropped, both, target].iter().filter(|n| **n > 0).count() > 1;
        let early =
            unit.phase == Phase::Pending && (unit.rows.live() > ahead || unit.rerouted.is_some());
        let on_its_way =
            unit.phase.is_active() || matches!(unit.phase, Phase::Kept | Phase::Cleaning) || early;
        let settled = unit.phase == Phase::Done && (mixed || self.stale.is_some());
        if (self.eager || on_its_way || settled) && !unit.awaited && !self.ended {
            unit.awaited = true;
            self.queue.push(self.now + 1, Kind::Arrival(index as u32));
        }
    }
}
