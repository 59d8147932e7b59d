//! What clients send: where writes go, what they do to rows, what reads find.

use super::engine::Simulation;
use super::queue::Kind;
use super::rows::{Fresh, Hits, Rows, part};
use super::rules::{Read, Scene, Write};
use super::settings::Mode;
use super::unit::Phase;

/// Requests of one kind of client.
#[derive(Debug, Clone, Copy, Default)]
struct Sent {
    reads: u64,
    updates: u64,
    inserts: u64,
}

impl Simulation<'_> {
    /// Lets arrive what clients have sent to all units until now.
    pub(super) fn arrive_all(&mut self) {
        (0..self.units.len()).for_each(|unit| self.arrive(unit));
    }

    /// Lets arrive what clients have sent to a unit until now, as the unit has been since.
    pub(super) fn arrive(&mut self, index: usize) {
        let ticks = self.now - self.units[index].arrived;
        if ticks == 0 {
            return;
        }
        self.units[index].arrived = self.now;
        let scene = self.scene(index);
        self.availability(index, &scene, ticks);
        let (fresh, stale) = self.sent(index, ticks);
        self.write(index, (self.rules.write)(&scene), &scene, fresh);
        self.read(index, (self.rules.read)(&scene), fresh.reads);
        if stale.updates + stale.inserts > 0 {
            self.write_by_old_routing(index, &scene, stale);
        }
        if stale.reads > 0 {
            let open = scene.source_up && !scene.stopped;
            let read = if open { Read::Source } else { Read::Refused };
            self.read(index, read, stale.reads);
        }
        self.watch_traffic(index, &scene, ticks);
    }

    /// What the rules look at.
    pub(super) fn scene(&self, index: usize) -> Scene {
        let unit = &self.units[index];
        Scene {
            mode: self.job.settings.mode,
            phase: unit.phase,
            begun: self.begun,
            stopped: self.stopped,
            source_up: self.nodes[unit.plan.from].up,
            target_up: unit.plan.to.is_some_and(|to| self.nodes[to].up),
        }
    }

    fn availability(&mut self, index: usize, scene: &Scene, ticks: u64) {
        let unwritable = (self.rules.write)(scene) == Write::Refused;
        let unreadable = (self.rules.read)(scene) == Read::Refused;
        let rows = u128::from(self.units[index].rows.live()) * u128::from(ticks);
        if rows == 0 || !(unwritable || unreadable) {
            return;
        }
        let totals = &mut self.ledger.totals;
        totals.unreadable += if unreadable { rows } else { 0 };
        totals.unwritable += if unwritable { rows } else { 0 };
        totals.unavailable += rows;
        self.ledger.window().unavailable += rows;
    }

    /// Whether clients with an old routing think otherwise of the unit than the others.
    pub(super) fn is_rerouted(&self, index: usize) -> Option<u64> {
        let (share, since) = self.stale?;
        (self.units[index].rerouted? >= since).then_some(share)
    }

    /// Requests of so many ticks: of clients with the present routing, and of those with an old one.
    fn sent(&mut self, index: usize, ticks: u64) -> (Sent, Sent) {
        let settings = &self.job.settings;
        let share = self.is_rerouted(index).unwrap_or(0);
        let unit = &mut self.units[index];
        let weight = u128::from(unit.plan.requests) * u128::from(ticks);
        let whole = self.requests * 1000;
        let writes = unit.meters.writes.take(weight * u128::from(settings.writes), whole);
        let reads = unit.meters.reads.take(weight * u128::from(settings.reads), whole);
        let stale_writes = unit.meters.stale_writes.share(writes, share);
        let stale_reads = unit.meters.stale_reads.share(reads, share);
        let inserts = unit.meters.inserts.share(writes - stale_writes, settings.inserts);
        let stale_inserts = unit.meters.stale_inserts.share(stale_writes, settings.inserts);
        let totals = &mut self.ledger.totals;
        totals.writes_sent += writes;
        totals.reads_sent += reads;
        (
            Sent { reads: reads - stale_reads, updates: writes - stale_writes - inserts, inserts },
            Sent {
                reads: stale_reads,
                updates: stale_writes - stale_inserts,
                inserts: stale_inserts,
            },
        )
    }

    /// Clients with an old routing write to the source alone.
    fn write_by_old_routing(&mut self, index: usize, scene: &Scene, sent: Sent) {
        let writes = sent.updates + sent.inserts;
        let present = (self.rules.write)(scene);
        let closed = scene.stopped || scene.phase == Phase::Closing || !scene.source_up;
        if present == Write::Source || closed {
            let write = if closed { Write::Refused } else { Write::Source };
            return self.write(index, write, scene, sent);
        }
        if self.job.settings.version_check {
            // Turned away, told the new routing, and sent again.
            self.ledger.totals.writes_turned_away += writes;
            self.ledger.load(self.units[index].plan.from).writes += writes;
            return self.write(index, present, scene, sent);
        }
        self.ledger.totals.wrong_node_writes += writes;
        self.write(index, Write::Source, scene, sent);
    }

    /// Where rows go that are written on the source alone.
    pub(super) fn fresh(&self, scene: &Scene) -> Fresh {
        match scene.phase {
            Phase::Resident | Phase::Pending | Phase::Stayed => Fresh::Ahead,
            Phase::Cleaning | Phase::Done | Phase::Dead => Fresh::Lost,
            // The copy goes by the version of the rows and finds them.
            _ if scene.mode == Mode::RowVersion => Fresh::Ahead,
            _ => Fresh::Changed,
        }
    }

    fn write(&mut self, index: usize, write: Write, scene: &Scene, sent: Sent) {
        let writes = sent.updates + sent.inserts;
        if writes == 0 {
            return;
        }
        let fresh = self.fresh(scene);
        let unit = &mut self.units[index];
        let (from, to) = (unit.plan.from, unit.plan.to);
        let totals = &mut self.ledger.totals;
        if write == Write::Refused {
            totals.writes_refused += writes;
            return;
        }
        let hits = unit.rows.draw(sent.updates, &mut unit.hits);
        unit.rows_in += sent.inserts;
        let logged = scene.mode == Mode::Redirect && scene.phase.is_active();
        match write {
            Write::Source => {
                unit.lost += unit.rows.write_source(hits, sent.inserts, fresh, logged);
            }
            Write::Target => unit.rows.write_target(hits, sent.inserts),
            Write::Both => unit.rows.write_both(hits, sent.inserts),
            Write::First => self.write_first(index, hits, sent),
            Write::Refused => unreachable!("returned above"),
        }
        let twice = matches!(write, Write::Both | Write::First);
        let totals = &mut self.ledger.totals;
        totals.writes_acknowledged += writes;
        totals.writes_doubled += if twice { writes } else { 0 };
        if self.begun && !scene.phase.is_final() {
            totals.moving_acknowledged += writes;
            totals.moving_operations += writes * if twice { 2 } else { 1 };
        }
        if write != Write::Target {
            self.ledger.load(from).writes += writes;
        }
        if write != Write::Source {
            self.ledger.load(to.expect("only what moves has a target")).writes += writes;
        }
    }

    /// Each node acknowledges half of the writes first; the other gets them later, or never.
    fn write_first(&mut self, index: usize, hits: Hits, sent: Sent) {
        let settings = &self.job.settings;
        let unit = &mut self.units[index];
        let by_source = unit.meters.first.share(hits.0.live(), super::PPM / 2);
        let inserts = unit.meters.first_inserts.share(sent.inserts, super::PPM / 2);
        let on_source = Rows::split(hits, by_source);
        let on_target = hits.minus(on_source);
        unit.rows.write_first(on_source, inserts);
        unit.rows.write_target(on_target, sent.inserts - inserts);
        let to_target = on_source.0.live() + inserts;
        let to_source = on_target.0.live() + sent.inserts - inserts;
        let fails = settings.second_fails;
        let to_target = to_target - unit.meters.fails_on_target.share(to_target, fails);
        let to_source = to_source - unit.meters.fails_on_source.share(to_source, fails);
        unit.flying_to_target += to_target;
        unit.flying_to_source += to_source;
        let to = unit.plan.to.expect("only what moves is written twice");
        let lags = [(to, to_target, 0), (unit.plan.from, 0, to_source)];
        for (node, on_target, on_source) in lags {
            let lag = (settings.second_lag * self.nodes[node].slowness).div_ceil(1000);
            if on_target + on_source == 0 {
                continue;
            }
            self.outstanding += 1;
            if lag == 0 {
                self.landing(index, on_target, on_source);
            } else {
                let kind = Kind::Landing { unit: index as u32, on_target, on_source };
                self.queue.push(self.now + lag, kind);
            }
        }
    }

    /// Writes that one node has acknowledged reach the other, if it still is what it was.
    pub(super) fn landing(&mut self, index: usize, on_target: u64, on_source: u64) {
        self.arrive(index);
        self.outstanding -= 1;
        let scene = self.scene(index);
        let unit = &mut self.units[index];
        unit.flying_to_target -= on_target;
        unit.flying_to_source -= on_source;
        let kept = scene.phase.is_active() || scene.phase == Phase::Kept;
        if !kept {
            return;
        }
        if scene.target_up {
            let rows = on_target.min(unit.rows.changed);
            unit.rows.changed -= rows;
            unit.rows.both += rows;
        }
        if scene.source_up {
            let rows = on_source.min(unit.rows.target);
            unit.rows.target -= rows;
            unit.rows.both += rows;
        }
        self.watch_landed(index, on_target > 0);
    }

    fn read(&mut self, index: usize, read: Read, reads: u64) {
        if reads == 0 {
            return;
        }
        let unit = &mut self.units[index];
        let (from, to) = (unit.plan.from, unit.plan.to);
        let (live, absent) = (unit.rows.live().max(1), unit.rows.source_only());
        let newer = unit.rows.target;
        let totals = &mut self.ledger.totals;
        let mut lacking =
            |rows: u64| part(u128::from(reads) * u128::from(rows), live, &mut unit.stale);
        match read {
            Read::Refused => totals.reads_refused += reads,
            Read::Source => {
                totals.stale_reads += lacking(newer);
                self.ledger.load(from).reads += reads;
            }
            Read::Target => {
                totals.stale_reads += lacking(absent);
                self.ledger.load(to.expect("only what moves has a target")).reads += reads;
            }
            Read::TargetThenSource => {
                let again = lacking(absent);
                totals.reads_repeated += again;
                self.ledger.load(to.expect("only what moves has a target")).reads += reads;
                self.ledger.load(from).reads += again;
            }
        }
    }
}
