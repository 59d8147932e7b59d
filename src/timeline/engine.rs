//! The simulation: its state, the loop over events, phases and the scheduler.

use super::ledger::{Ledger, Totals};
use super::outcome::{self, Timeline};
use super::queue::{Event, Kind, Queue};
use super::rows::Rows;
use super::rules::Rules;
use super::settings::{FaultKind, Job, Mode, Verify};
use super::unit::{Phase, Unit};
use super::watch::Watch;
use super::{Tick, streams};

/// Check-sums of a unit are compared at most so often.
const MOST_COMPARED: u32 = 3;

/// A node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Copies of its rows that are left.
    pub copies: u32,
    /// Whether it answers.
    pub up: bool,
    /// Thousandths of its usual time that it takes.
    pub slowness: u64,
}

/// A migration that runs.
pub struct Simulation<'a> {
    pub(super) job: &'a Job,
    pub(super) rules: &'a Rules,
    pub(super) now: Tick,
    pub(super) queue: Queue,
    pub(super) units: Vec<Unit>,
    /// Units that move, in order.
    pub(super) moving: Vec<usize>,
    pub(super) nodes: Vec<Node>,
    pub(super) ledger: Ledger,
    pub(super) watch: Vec<Watch>,
    pub(super) begun: bool,
    pub(super) stopped: bool,
    pub(super) active: usize,
    /// Where in `moving` the scheduler looks for the next unit.
    next: usize,
    /// Faults that restart the coordinator and have not ended.
    pub(super) coordinator_down: u32,
    /// Clients with an old routing: their share, and since when; None: there are none.
    pub(super) stale: Option<(u64, Tick)>,
    /// Share of the rows that streams drop.
    pub(super) drops: u64,
    pub(super) shares: streams::Shares,
    /// Traffic of all units together.
    pub(super) requests: u128,
    /// Faults, their ends, fail-overs and second writes that are to come.
    pub(super) outstanding: usize,
    /// Moving units that are not over for good.
    unfinished: usize,
    /// Units that have yet to be cut over or to end otherwise.
    pub(super) before_cutover: usize,
    pub(super) migrated: Option<Tick>,
    pub(super) finished: Option<Tick>,
    ended: bool,
    /// Lets every unit's requests arrive at every tick, which changes nothing but the time it takes.
    eager: bool,
}

impl<'a> Simulation<'a> {
    /// A migration before its first event.
    pub fn new(job: &'a Job, rules: &'a Rules) -> Self {
        let seed = job.settings.seed;
        let units: Vec<Unit> =
            job.units.iter().enumerate().map(|(i, plan)| Unit::new(plan, i, seed)).collect();
        let moving: Vec<usize> = (0..units.len()).filter(|&i| units[i].plan.to.is_some()).collect();
        let node = Node { copies: job.settings.replicas, up: true, slowness: 1000 };
        let mut simulation = Simulation {
            now: 0,
            queue: Queue::default(),
            nodes: vec![node; job.nodes.len()],
            ledger: Ledger::new(job.nodes.len()),
            watch: job.watch.iter().enumerate().map(|(i, w)| Watch::new(w, i, job)).collect(),
            begun: false,
            stopped: false,
            active: 0,
            next: 0,
            coordinator_down: 0,
            stale: None,
            drops: 0,
            shares: streams::Shares::new(job.nodes.len()),
            requests: job.units.iter().map(|u| u128::from(u.requests)).sum::<u128>().max(1),
            outstanding: 0,
            unfinished: moving.len(),
            before_cutover: moving.len(),
            migrated: None,
            finished: None,
            ended: false,
            eager: false,
            units,
            moving,
            job,
            rules,
        };
        simulation.plan();
        simulation
    }

    /// Lets every unit's requests arrive at every tick: the slow and obvious way to the same result.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.eager = true;
        (0..self.units.len()).for_each(|unit| self.await_arrivals(unit));
        self
    }

    fn plan(&mut self) {
        self.queue.push(self.job.settings.start, Kind::Begin);
        self.queue.push(self.ledger.ends(), Kind::Sample);
        for (i, fault) in self.job.settings.faults.iter().enumerate() {
            self.queue.push(fault.at, Kind::Fault(i as u32));
            self.outstanding += 1;
            if let Some(until) = fault.until {
                self.queue.push(until, Kind::FaultEnd(i as u32));
                self.outstanding += 1;
            }
        }
    }

    /// Takes one event; false: the simulation is over.
    pub fn step(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let event = self.queue.pop().expect("a window always ends");
        let over = self.begun && self.unfinished == 0 && self.outstanding == 0;
        if over || event.at > self.job.settings.horizon {
            self.end(if over { self.now } else { self.job.settings.horizon });
            return false;
        }
        self.now = event.at;
        self.handle(event);
        true
    }

    fn handle(&mut self, event: Event) {
        match event.kind {
            Kind::Fault(i) => self.fault(i as usize),
            Kind::FaultEnd(i) => self.fault_end(i as usize),
            Kind::Failover(node) => self.failover(node as usize),
            Kind::Landing { unit, on_target, on_source } => {
                self.landing(unit as usize, on_target, on_source);
            }
            Kind::Arrival(unit) => {
                self.units[unit as usize].awaited = false;
                self.arrive(unit as usize);
                self.await_arrivals(unit as usize);
            }
            Kind::Stream(unit) => self.stream(unit as usize),
            Kind::Timer(unit) => self.timer(unit as usize),
            Kind::Begin => self.begin(),
            Kind::Sample => {
                self.arrive_all();
                self.ledger.close(self.now);
                self.queue.push(self.ledger.ends(), Kind::Sample);
            }
        }
    }

    fn end(&mut self, at: Tick) {
        // The window that runs may end within the last tick.
        self.now = at;
        self.arrive_all();
        self.ledger.finish(at);
        self.ended = true;
    }

    /// The time of the last event.
    pub fn now(&self) -> Tick {
        self.now
    }

    /// The units as they are now.
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// The sums so far.
    pub fn totals(&self) -> &Totals {
        &self.ledger.totals
    }

    /// Reads, writes and copies that nodes have taken so far.
    pub fn loads(&self) -> (u64, u64, u64) {
        let loads = self.ledger.windows.iter().flat_map(|window| &window.loads);
        loads.fold((0, 0, 0), |(r, w, c), l| (r + l.reads, w + l.writes, c + l.copies))
    }

    /// What has come of it.
    pub fn outcome(&self) -> Timeline {
        outcome::of(self)
    }

    fn begin(&mut self) {
        // From here on routing differs: what was sent before must have arrived.
        self.arrive_all();
        self.begun = true;
        if self.job.settings.mode == Mode::StopTheWorld && self.before_cutover > 0 {
            self.stopped = true;
        }
        if self.job.settings.mode == Mode::RowVersion {
            for i in 0..self.moving.len() {
                let unit = self.moving[i];
                self.units[unit].rerouted = Some(self.now);
                self.await_arrivals(unit);
            }
        }
        self.settle();
        self.schedule();
    }

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
    fn settle(&mut self) {
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

    fn timer(&mut self, index: usize) {
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

    /// The faults that the clients' routing is subject to.
    pub(super) fn kind_of(&self, fault: usize) -> FaultKind {
        self.job.settings.faults[fault].kind
    }
}
