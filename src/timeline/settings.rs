//! What a migration is told: units, rates in whole numbers per tick, faults.

use super::Tick;

/// Parts per million: how shares are held.
pub const PPM: u64 = 1_000_000;

/// How writes are treated while a unit is on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Nobody reads or writes until all units are over.
    StopTheWorld,
    /// Writes go to the source and nobody tells the copy.
    CopyOnly,
    /// Both get a write; it is acknowledged when both have it.
    DoubleWriteAll,
    /// Both get a write; it is acknowledged when one has it.
    DoubleWriteFirst,
    /// Writes go to the source and into a log; when the log is carried over they go to the target.
    Redirect,
    /// Writes go to the target at once; each row says which routing wrote it.
    RowVersion,
}

impl Mode {
    /// All modes, in the order of lists.
    pub const ALL: [Mode; 6] = [
        Mode::StopTheWorld,
        Mode::CopyOnly,
        Mode::DoubleWriteAll,
        Mode::DoubleWriteFirst,
        Mode::Redirect,
        Mode::RowVersion,
    ];
    /// Their names.
    pub const NAMES: &[&str] = &[
        "stop-the-world",
        "copy-only",
        "double-write-all",
        "double-write-first",
        "redirect",
        "row-version",
    ];

    /// Its name in scenarios.
    pub fn name(self) -> &'static str {
        Mode::NAMES[self as usize]
    }

    /// The mode of that name.
    pub fn find(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// Whether clients write to both nodes.
    pub fn is_double_write(self) -> bool {
        matches!(self, Mode::DoubleWriteAll | Mode::DoubleWriteFirst)
    }
}

/// Limits of the copy in thousandths of a row per tick; None: no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Of all streams together.
    pub overall: Option<u64>,
    /// Of all streams from one node.
    pub source: Option<u64>,
    /// Of all streams to one node.
    pub target: Option<u64>,
    /// Of one stream.
    pub stream: Option<u64>,
}

/// Whether check-sums are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verify {
    /// No.
    Off,
    /// Yes, so many thousandths of a row per tick and unit; None: a unit in one tick.
    On(Option<u64>),
}

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// When it begins.
    pub at: Tick,
    /// When it ends, for those that end.
    pub until: Option<Tick>,
    /// What it is.
    pub kind: FaultKind,
}

/// What goes wrong; nodes by their index in [`Job::nodes`], shares in parts per million.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The node is gone.
    Dies(usize),
    /// The node takes so many thousandths of its usual time.
    Slows(usize, u64),
    /// The coordinator forgets how far it has come.
    Restarts,
    /// So many clients keep an old routing.
    StaleClients(u64),
    /// So many rows that are copied never arrive.
    DropsRows(u64),
}

/// How the migration is carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Treatment of writes.
    pub mode: Mode,
    /// Milliseconds of a tick.
    pub tick_ms: u64,
    /// When the first unit begins.
    pub start: Tick,
    /// When the simulation ends if the migration has not.
    pub horizon: Tick,
    /// Units on their way at once, at most.
    pub concurrency: usize,
    /// Limits of the copy.
    pub limits: Limits,
    /// Reads in thousandths per tick.
    pub reads: u64,
    /// Writes in thousandths per tick.
    pub writes: u64,
    /// Share of the writes that add a row, in parts per million.
    pub inserts: u64,
    /// Whether check-sums are compared.
    pub verify: Verify,
    /// How long writes are refused at the cut-over, at least.
    pub cutover: Tick,
    /// How long the source keeps its copy.
    pub keep_old: Tick,
    /// How long it takes to delete it.
    pub clean_up: Tick,
    /// How long it takes to react to a dead node.
    pub failover: Tick,
    /// Copies of every node's rows.
    pub replicas: u32,
    /// Whether a node refuses writes of clients with an old routing.
    pub version_check: bool,
    /// How much later the other node gets a write that one has acknowledged.
    pub second_lag: Tick,
    /// Share of these that it never gets, in parts per million.
    pub second_fails: u64,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// Seed of the random streams.
    pub seed: u64,
}

/// A unit as it is at the beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitPlan {
    /// How reports call it.
    pub name: String,
    /// Index of the node that has it.
    pub from: usize,
    /// Index of the node that shall have it; None: it stays.
    pub to: Option<usize>,
    /// Rows.
    pub rows: u64,
    /// Its part of the traffic, relative to the sum over all units.
    pub requests: u64,
}

/// A key that is followed singly; it is one of its unit's rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchPlan {
    /// The key as text.
    pub key: String,
    /// Index of its unit.
    pub unit: usize,
    /// Its writes in thousandths of a millionth per tick.
    pub writes: u64,
    /// Whether it is among the keys; if not, what is told is what would happen to one like it.
    pub present: bool,
}

/// A migration: who, what, how.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// Units in the order in which they begin.
    pub units: Vec<UnitPlan>,
    /// Keys followed singly.
    pub watch: Vec<WatchPlan>,
    /// How the unit is called: bucket, arc or shard.
    pub unit: &'static str,
    /// How it is carried out.
    pub settings: Settings,
}
