//! What goes wrong, and what is made of it.

use super::engine::Simulation;
use super::queue::Kind;
use super::rows::Rows;
use super::settings::FaultKind;
use super::unit::Phase;

impl Simulation<'_> {
    /// A fault begins.
    pub(super) fn fault(&mut self, index: usize) {
        self.arrive_all();
        self.outstanding -= 1;
        match self.kind_of(index) {
            FaultKind::Dies(node) => self.dies(node),
            FaultKind::Slows(node, factor) => self.nodes[node].slowness = factor,
            FaultKind::Restarts => self.restarts(self.job.settings.faults[index].until.is_some()),
            FaultKind::StaleClients(share) => {
                self.stale = Some((share, self.now));
                (0..self.units.len()).for_each(|unit| self.await_arrivals(unit));
            }
            FaultKind::DropsRows(share) => self.drops = share,
        }
    }

    /// A fault ends.
    pub(super) fn fault_end(&mut self, index: usize) {
        self.arrive_all();
        self.outstanding -= 1;
        match self.kind_of(index) {
            FaultKind::Dies(_) => unreachable!("the dead stay dead"),
            FaultKind::Slows(node, _) => self.nodes[node].slowness = 1000,
            FaultKind::Restarts => {
                self.coordinator_down -= 1;
                self.reschedule();
            }
            FaultKind::StaleClients(_) => self.stale = None,
            FaultKind::DropsRows(_) => self.drops = 0,
        }
    }

    fn dies(&mut self, node: usize) {
        if self.nodes[node].copies == 0 {
            return;
        }
        self.nodes[node].copies -= 1;
        self.nodes[node].up = false;
        self.outstanding += 1;
        self.queue.push(self.now + self.job.settings.failover, Kind::Failover(node as u32));
        if self.nodes[node].copies > 0 {
            return;
        }
        for index in 0..self.units.len() {
            let unit = &mut self.units[index];
            let died = (unit.plan.from == node, unit.plan.to == Some(node));
            if died.0 {
                unit.lost += (self.rules.source_dies)(&mut unit.rows);
            }
            if died.1 {
                unit.lost += (self.rules.target_dies)(&mut unit.rows);
            }
            if died.0 || died.1 {
                self.watch_died(index, died.0);
            }
        }
    }

    /// The routing reacts to a node that died.
    pub(super) fn failover(&mut self, node: usize) {
        self.arrive_all();
        self.outstanding -= 1;
        if self.nodes[node].copies > 0 {
            self.nodes[node].up = true;
            return self.reschedule();
        }
        for index in 0..self.units.len() {
            let unit = &self.units[index];
            let alive = |node: usize| self.nodes[node].copies > 0;
            let (from, to) = (unit.plan.from, unit.plan.to);
            let phase = if from == node {
                orphaned(unit.phase, to.is_some_and(alive))
            } else if to == Some(node) {
                returned(unit.phase, alive(from))
            } else {
                continue;
            };
            if phase != unit.phase {
                self.enter(index, phase);
            }
        }
        self.reschedule();
    }

    /// The coordinator forgets how far it has come.
    fn restarts(&mut self, comes_back_later: bool) {
        self.coordinator_down += u32::from(comes_back_later);
        for i in 0..self.moving.len() {
            let index = self.moving[i];
            let unit = &mut self.units[index];
            if !unit.phase.is_active() {
                continue;
            }
            // Rows that have arrived stay, but nobody knows which: the copy passes all of them again.
            let Rows { ahead, changed, dropped, both, target } = unit.rows;
            unit.rows =
                Rows { ahead: ahead + changed + dropped, changed: 0, dropped: 0, both, target };
            unit.again = both + target;
            (unit.repair, unit.compared) = (0, 0);
            (unit.verified, unit.differs) = (false, false);
            if self.job.settings.mode.is_double_write() {
                unit.rerouted = None;
            }
            self.enter(index, Phase::Pending);
        }
        self.reschedule();
    }
}

/// Where a unit goes whose source has died.
fn orphaned(phase: Phase, target_lives: bool) -> Phase {
    match phase {
        Phase::Resident | Phase::Stayed | Phase::Dead => Phase::Dead,
        _ if target_lives => Phase::Done,
        _ => Phase::Dead,
    }
}

/// Where a unit goes whose target has died.
fn returned(phase: Phase, source_lives: bool) -> Phase {
    match phase {
        Phase::Cleaning | Phase::Done | Phase::Dead => Phase::Dead,
        _ if source_lives => Phase::Stayed,
        _ => Phase::Dead,
    }
}
