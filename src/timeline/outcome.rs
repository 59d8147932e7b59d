//! What has come of a migration, as the record keeps it. Times are seconds since the simulation began.

use serde::{Deserialize, Serialize};

use super::Tick;
use super::engine::Simulation;
use super::unit::{Phase, Unit};

/// Most units whose phases are kept one by one.
const MOST_UNITS: usize = 24;

/// A migration, simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Timeline {
    /// Treatment of writes.
    pub mode: String,
    /// What a unit is: bucket, arc or shard.
    pub unit: String,
    /// Units that move.
    pub units: u64,
    /// Rows of all units at the beginning.
    pub rows: u64,
    /// Of these, rows of units that move.
    pub rows_moving: u64,
    /// When the first unit begins.
    pub start_seconds: f64,
    /// From there until the last unit is over; null: not within the horizon.
    pub migrated_seconds: Option<f64>,
    /// From there until the last old copy is gone; null: not within the horizon.
    pub finished_seconds: Option<f64>,
    /// How much was simulated.
    pub simulated_seconds: f64,
    /// Rows at the beginning and rows added by acknowledged writes.
    pub rows_in: u64,
    /// Rows that are live at the end.
    pub rows_live: u64,
    /// Rows whose last acknowledged version is on no live owner.
    pub rows_lost: u64,
    /// Of these, rows of units that move.
    pub rows_lost_moving: u64,
    /// Writes that an old routing sent to the source alone.
    pub wrong_node_writes: u64,
    /// Writes with an old routing that a node turned away.
    pub turned_away_writes: u64,
    /// Writes that clients sent.
    pub writes_sent: u64,
    /// Writes that were acknowledged.
    pub writes_acknowledged: u64,
    /// Writes that nobody took.
    pub writes_refused: u64,
    /// Node writes ÷ acknowledged writes, of units that move, from the start until each is done.
    pub write_amplification: f64,
    /// Reads that clients sent.
    pub reads_sent: u64,
    /// Reads that nobody answered.
    pub reads_refused: u64,
    /// Reads that were asked of a second node.
    pub reads_repeated: u64,
    /// Answers that lacked the last acknowledged version.
    pub stale_reads: u64,
    /// Rows × seconds in which they could not be read or could not be written.
    pub key_seconds_unavailable: f64,
    /// Rows × seconds in which they could not be read.
    pub key_seconds_unreadable: f64,
    /// Rows × seconds in which they could not be written.
    pub key_seconds_unwritable: f64,
    /// Rows that streams carried.
    pub rows_copied: u64,
    /// Rows that differed when check-sums were compared.
    pub rows_differing: u64,
    /// Units whose check-sums did not agree in the end.
    pub units_differing: u64,
    /// Units that went to their target because their source died.
    pub units_rescued: u64,
    /// Units that stayed because their target died.
    pub units_stayed: u64,
    /// Units that move and have no owner left.
    pub units_dead: u64,
    /// Operations per second of the busiest node in its busiest minute, or over the whole time if that is
    /// shorter; minutes are longer where the horizon is more than 16 384 of them away.
    pub peak_node_operations: f64,
    /// The phases: when the first unit entered and the last one left each.
    pub phases: Vec<PhaseRecord>,
    /// Loads over time.
    pub windows: Windows,
    /// Phases of units one by one; of many units every so many.
    pub gantt: Vec<UnitRecord>,
    /// Keys that were followed.
    pub watch: Vec<WatchRecord>,
}

/// A phase over all units.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PhaseRecord {
    /// Its name.
    pub phase: String,
    /// When the first unit entered it.
    pub begin: f64,
    /// When the last unit left it.
    pub end: f64,
    /// Seconds that units were in it, together.
    pub unit_seconds: f64,
}

/// Loads by window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Windows {
    /// Length of a window; the last one may be shorter.
    pub seconds: f64,
    /// Length of the last one.
    pub last_seconds: f64,
    /// Rows × seconds that could not be read or could not be written, by window.
    pub unavailable: Vec<f64>,
    /// Rows at its end, lost ones too, by window; empty in records of before it was counted.
    #[serde(default)]
    pub rows: Vec<u64>,
    /// By node.
    pub nodes: Vec<NodeWindows>,
}

/// Loads of a node by window, as counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NodeWindows {
    /// Name.
    pub node: String,
    /// Reads of clients.
    pub reads: Vec<u64>,
    /// Writes of clients.
    pub writes: Vec<u64>,
    /// Rows that streams read or wrote, and rows read for check-sums.
    pub copies: Vec<u64>,
}

/// A unit's phases.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct UnitRecord {
    /// Name.
    pub unit: String,
    /// Node that had it.
    pub from: String,
    /// Node that was to have it.
    pub to: String,
    /// Rows at the beginning.
    pub rows: u64,
    /// Where it ended: `done`, `stayed`, `dead` or a phase that was not over.
    pub end: String,
    /// Phase, from, to.
    pub spans: Vec<(String, f64, f64)>,
}

/// A key that was followed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WatchRecord {
    /// The key.
    pub key: String,
    /// Its unit.
    pub unit: String,
    /// What happened to it.
    pub events: Vec<WatchEvent>,
}

/// Something that happened to a key.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WatchEvent {
    /// When.
    pub seconds: f64,
    /// What.
    pub what: String,
}

/// The outcome of a simulation.
pub(super) fn of(simulation: &Simulation<'_>) -> Timeline {
    let job = simulation.job;
    let settings = &job.settings;
    let seconds = |ticks: Tick| ticks as f64 * settings.tick_ms as f64 / 1000.0;
    let key_seconds = |ticks: u128| ticks as f64 * settings.tick_ms as f64 / 1000.0;
    let since_start = |at: Option<Tick>| at.map(|at| seconds(at - settings.start.min(at)));
    let (units, totals) = (simulation.units(), simulation.totals());
    let moving = || units.iter().filter(|unit| unit.plan.to.is_some());
    let in_phase = |phase: Phase| moving().filter(|unit| unit.phase == phase).count() as u64;
    let amplification = match totals.moving_acknowledged {
        0 => 1.0,
        writes => totals.moving_operations as f64 / writes as f64,
    };
    Timeline {
        mode: settings.mode.name().into(),
        unit: job.unit.into(),
        units: moving().count() as u64,
        rows: job.units.iter().map(|unit| unit.rows).sum(),
        rows_moving: moving().map(|unit| unit.plan.rows).sum(),
        start_seconds: seconds(settings.start),
        migrated_seconds: since_start(simulation.migrated),
        finished_seconds: since_start(simulation.finished),
        simulated_seconds: seconds(simulation.now()),
        rows_in: units.iter().map(|unit| unit.rows_in).sum(),
        rows_live: units.iter().map(|unit| unit.rows.live()).sum(),
        rows_lost: units.iter().map(|unit| unit.lost).sum(),
        rows_lost_moving: moving().map(|unit| unit.lost).sum(),
        wrong_node_writes: totals.wrong_node_writes,
        turned_away_writes: totals.writes_turned_away,
        writes_sent: totals.writes_sent,
        writes_acknowledged: totals.writes_acknowledged,
        writes_refused: totals.writes_refused,
        write_amplification: amplification,
        reads_sent: totals.reads_sent,
        reads_refused: totals.reads_refused,
        reads_repeated: totals.reads_repeated,
        stale_reads: totals.stale_reads,
        key_seconds_unavailable: key_seconds(totals.unavailable),
        key_seconds_unreadable: key_seconds(totals.unreadable),
        key_seconds_unwritable: key_seconds(totals.unwritable),
        rows_copied: totals.rows_copied,
        rows_differing: totals.rows_differing,
        units_differing: moving().filter(|unit| unit.differs).count() as u64,
        units_rescued: moving().filter(|unit| is_rescued(unit)).count() as u64,
        units_stayed: in_phase(Phase::Stayed),
        units_dead: in_phase(Phase::Dead),
        peak_node_operations: peak(simulation, settings.tick_ms),
        phases: phases(units, simulation.now(), &seconds),
        windows: windows(simulation, &seconds),
        gantt: gantt(simulation, &seconds),
        watch: watch(simulation, &seconds),
    }
}

/// Whether a unit is done without its target having become its owner in the usual way.
fn is_rescued(unit: &Unit) -> bool {
    unit.phase == Phase::Done && unit.spans.iter().all(|(phase, ..)| *phase != Phase::Kept)
}

fn peak(simulation: &Simulation<'_>, tick_ms: u64) -> f64 {
    let (most, ticks) = simulation.ledger.peak(simulation.now());
    if ticks == 0 { 0.0 } else { most as f64 * 1000.0 / (ticks * tick_ms) as f64 }
}

/// Phases that a unit has left, and the one it is in.
fn spans(unit: &Unit, now: Tick) -> impl Iterator<Item = (Phase, Tick, Tick)> {
    let running = Phase::TIMED.contains(&unit.phase).then_some((unit.phase, unit.since, now));
    unit.spans.iter().copied().chain(running)
}

fn phases(units: &[Unit], now: Tick, seconds: &dyn Fn(Tick) -> f64) -> Vec<PhaseRecord> {
    let record = |wanted: Phase| {
        let mut found = units.iter().flat_map(|u| spans(u, now)).filter(|s| s.0 == wanted);
        let (_, mut begin, mut end) = found.next()?;
        let mut length = end - begin;
        for (_, from, to) in found {
            (begin, end) = (begin.min(from), end.max(to));
            length += to - from;
        }
        Some(PhaseRecord {
            phase: wanted.name().into(),
            begin: seconds(begin),
            end: seconds(end),
            unit_seconds: seconds(length),
        })
    };
    Phase::TIMED.into_iter().filter_map(record).collect()
}

fn windows(simulation: &Simulation<'_>, seconds: &dyn Fn(Tick) -> f64) -> Windows {
    let ledger = &simulation.ledger;
    let of = |node: usize, get: fn(&super::ledger::Load) -> u64| {
        ledger.windows.iter().map(|w| get(&w.loads[node])).collect()
    };
    let names = simulation.job.nodes.iter().enumerate();
    let unavailable = ledger.windows.iter().map(|w| w.unavailable as f64 * seconds(1)).collect();
    Windows {
        seconds: seconds(ledger.width),
        last_seconds: seconds(ledger.windows.last().map_or(0, |w| w.ticks)),
        unavailable,
        rows: ledger.windows.iter().map(|w| w.rows).collect(),
        nodes: names
            .map(|(i, name)| NodeWindows {
                node: name.clone(),
                reads: of(i, |load| load.reads),
                writes: of(i, |load| load.writes),
                copies: of(i, |load| load.copies),
            })
            .collect(),
    }
}

fn gantt(simulation: &Simulation<'_>, seconds: &dyn Fn(Tick) -> f64) -> Vec<UnitRecord> {
    let nodes = &simulation.job.nodes;
    let every = simulation.moving.len().div_ceil(MOST_UNITS).max(1);
    let shown = simulation.moving.iter().step_by(every).map(|&i| &simulation.units()[i]);
    shown
        .map(|unit| UnitRecord {
            unit: unit.plan.name.clone(),
            from: nodes[unit.plan.from].clone(),
            to: unit.plan.to.map_or(String::new(), |to| nodes[to].clone()),
            rows: unit.plan.rows,
            end: unit.phase.name().into(),
            spans: spans(unit, simulation.now())
                .map(|(phase, from, to)| (phase.name().into(), seconds(from), seconds(to)))
                .collect(),
        })
        .collect()
}

fn watch(simulation: &Simulation<'_>, seconds: &dyn Fn(Tick) -> f64) -> Vec<WatchRecord> {
    let record = |watch: &super::watch::Watch| WatchRecord {
        key: watch.plan.key.clone(),
        unit: simulation.units()[watch.plan.unit].plan.name.clone(),
        events: watch
            .events
            .iter()
            .map(|(at, what)| WatchEvent { seconds: seconds(*at), what: what.clone() })
            .collect(),
    };
    simulation.watch.iter().map(record).collect()
}
