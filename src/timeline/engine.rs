//! The simulation: its state and the loop over events.

use super::ledger::{Ledger, Totals};
use super::outcome::{self, Timeline};
use super::queue::{Event, Kind, Queue};
use super::rules::Rules;
use super::settings::{FaultKind, Job, Mode};
use super::unit::Unit;
use super::watch::Watch;
use super::{Tick, streams};

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
    pub(super) next: usize,
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
    pub(super) unfinished: usize,
    /// Units that have yet to be cut over or to end otherwise.
    pub(super) before_cutover: usize,
    pub(super) migrated: Option<Tick>,
    pub(super) finished: Option<Tick>,
    pub(super) ended: bool,
    /// Lets every unit's requests arrive at every tick, which changes nothing but the time it takes.
    pub(super) eager: bool,
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
            ledger: Ledger::new(job.nodes.len(), job.settings.tick_ms, job.settings.horizon),
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
        self.queue.push(self.ledger.stretch_ends(), Kind::Peak);
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
                self.ledger.close(self.now, self.rows_in());
                self.queue.push(self.ledger.ends(), Kind::Sample);
            }
            Kind::Peak => {
                self.arrive_all();
                self.ledger.close_stretch(self.now);
                self.queue.push(self.ledger.stretch_ends(), Kind::Peak);
            }
        }
    }

    fn end(&mut self, at: Tick) {
        // The window that runs may end within the last tick.
        self.now = at;
        self.arrive_all();
        self.ledger.finish(at, self.rows_in());
        self.ended = true;
    }

    /// Rows at the beginning and rows added since.
    fn rows_in(&self) -> u64 {
        self.units.iter().map(|unit| unit.rows_in).sum()
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

    /// The faults that the clients' routing is subject to.
    pub(super) fn kind_of(&self, fault: usize) -> FaultKind {
        self.job.settings.faults[fault].kind
    }
}
