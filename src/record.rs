//! The raw result of a run; everything shown is derived from it. Schema `shardlab.record/1`.

mod failure;
mod hot;
mod queries;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::timeline::Timeline;

pub use failure::{CascadeRecord, FailureRecord, Lost, OverloadRecord, WaveRecord};
pub use hot::{ControlRecord, PhaseRecord, Phases, Price, Spill};
pub use queries::{Queries, QueryFigures, QueryNode, QueryRecord};

/// Name of the schema.
pub const SCHEMA: &str = "shardlab.record/1";

/// A map by load name: `keys`, `requests`, `bytes` … in alphabetical order.
pub type ByLoad<T> = BTreeMap<String, T>;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Record {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of shardlab.
    pub shardlab: String,
    /// What was run.
    pub scenario: ScenarioRecord,
    /// The scenario's (first) seed.
    pub seed: u64,
    /// The cells, in order.
    pub cells: Vec<CellRecord>,
    /// Joint events.
    pub events: Vec<EventRecord>,
    /// Searches for labels.
    pub searches: Vec<SearchRecord>,
    /// Expectations and how they came out.
    pub expect: Vec<ExpectRecord>,
    /// Charts that the scenario asks for, with their parameters; none: every kind with its defaults.
    pub charts: Vec<ChartRecord>,
}

/// Which scenario was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ScenarioRecord {
    /// File stem.
    pub name: String,
    /// Title.
    pub title: String,
    /// Question.
    pub question: String,
    /// Prose, placeholders not filled in.
    pub analysis: String,
    /// SHA-256 of the text.
    pub sha256: String,
    /// Data files.
    pub data: Vec<DataRecord>,
}

/// A data file that the run read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DataRecord {
    /// Path as the scenario gives it.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Rows.
    pub rows: u64,
}

/// A chart configured by the scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChartRecord {
    /// Kind of the chart.
    pub kind: String,
    /// Parameters by name.
    pub params: serde_json::Map<String, Json>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CellRecord {
    /// Unique id.
    pub id: String,
    /// Strategy of step 0.
    pub strategy: String,
    /// Preset, if any.
    pub preset: Option<String>,
    /// Hasher, if any.
    pub hasher: Option<String>,
    /// Name for legends: the strategy table's `name`, if it has one.
    pub label: Option<String>,
    /// Values on the axes.
    pub at: serde_json::Map<String, Json>,
    /// Why the strategy cannot do this cell.
    pub unsupported: Option<String>,
    /// The workload: rows, distinct keys where known, hot-key shares.
    pub workload: WorkloadRecord,
    /// Steps; empty if unsupported.
    pub steps: Vec<StepRecord>,
    /// The band over label sets.
    pub trials: Option<TrialsRecord>,
    /// How a loop that acts on measured load went, where the cell has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub control: Option<ControlRecord>,
    /// What a remedy costs against the cell without it; of cells with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// Facts of the keys and traffic of a cell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WorkloadRecord {
    /// Family of the keys, where there are several; `all` for all of them together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// Key pattern.
    pub pattern: String,
    /// Traffic shape.
    pub traffic: Option<String>,
    /// Rows, hot keys included.
    pub rows: u64,
    /// Distinct keys, where known.
    pub distinct: Option<u64>,
    /// Largest share of the requests that a single row takes.
    pub hottest_share: Option<f64>,
}

/// One step of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepRecord {
    /// Number of the step.
    pub step: usize,
    /// The change that led here.
    pub change: Option<String>,
    /// Live nodes.
    pub nodes: usize,
    /// Points, table entries or buckets.
    pub points: u64,
    /// Bytes of the placement's tables.
    pub heap_bytes: u64,
    /// Points that lie on another point and so own nothing; of rings only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_points: Option<u64>,
    /// Mean number of points, entries or nodes that a look-up reads, where they are counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lookup_steps: Option<f64>,
    /// Total of each load, outcomes included.
    pub totals: ByLoad<u64>,
    /// Keys (requests in sessions) by outcome.
    pub outcomes: Outcomes,
    /// Live nodes in the cluster's order.
    pub per_node: Vec<NodeRecord>,
    /// Balance by load, and `owned` for exact ownership.
    pub balance: ByLoad<Balance>,
    /// Copies of a key, when there is more than one.
    pub copies: Option<Copies>,
    /// Queries over many keys, where the scenario has some and keys have a place of their own: not
    /// where it depends on open requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queries: Option<Queries>,
    /// What theory expects.
    pub theory: Theory,
    /// From step 1 on.
    pub movement: Option<MovementRecord>,
    /// How the movement would be carried out, where the scenario has `[migration]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeline: Option<Timeline>,
    /// Where the change was a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<FailureRecord>,
    /// Balance by phase, where the traffic changes with time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// Requests that bounded load sent past their first node; of strategies with open requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spill: Option<Spill>,
}

/// Keys that no node got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Outcomes {
    /// Negative or out-of-range shard.
    pub misrouted: u64,
    /// Refused by the system.
    pub refused: u64,
    /// No range, unparsable id, no live node.
    pub absent: u64,
}

/// One node at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NodeRecord {
    /// Name.
    pub node: String,
    /// Weight.
    pub weight: f64,
    /// Loads.
    #[serde(flatten)]
    pub loads: ByLoad<u64>,
    /// Exact share of the digest space.
    pub owned_share: Option<f64>,
    /// What it can bear, of the loads that are counted.
    #[serde(default, skip_serializing_if = "ByLoad::is_empty")]
    pub capacity: ByLoad<u64>,
}

/// How evenly a load lies on the live nodes, relative to fair load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Balance {
    /// Largest load ÷ fair load.
    pub max_over_mean: f64,
    /// Smallest load ÷ fair load.
    pub min_over_mean: f64,
    /// Largest deviation from fair either way, as a share of fair.
    pub max_deviation: f64,
    /// Standard deviation of load ÷ fair (divided by n).
    pub cv: f64,
    /// Gini coefficient of load ÷ fair.
    pub gini: f64,
    /// 99th percentile of load ÷ fair (nearest rank).
    pub p99_over_mean: f64,
    /// Chi-square against fair load; keys only.
    pub chi_square_fair: Option<f64>,
    /// P(an ideal hash gives a larger one).
    pub p_fair: Option<f64>,
    /// Chi-square against owned share × keys.
    pub chi_square_owned: Option<f64>,
    /// P(an ideal hash gives a larger one).
    pub p_owned: Option<f64>,
    /// Degrees of freedom of both.
    pub dof: Option<u64>,
}

/// Copies of keys, all replicas counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Copies {
    /// Copies wanted per key.
    pub replicas: usize,
    /// Keys with fewer distinct nodes than wanted.
    pub short_keys: u64,
    /// Their share.
    pub short_share: f64,
    /// Share of keys with fewer distinct zones (racks where no node has a zone) than copies wanted;
    /// null without zones.
    pub short_zones_share: Option<f64>,
    /// Distinct sets of nodes that hold some key; null when there are more than 2^18.
    pub node_sets: Option<u64>,
    /// P(losing two random live nodes at once loses a key).
    pub loss_two: Option<f64>,
    /// P(losing as many random live nodes at once as there are copies loses a key); null where some
    /// keys have fewer copies.
    pub loss_replicas: Option<f64>,
    /// P(two random keys live on the same set of nodes).
    pub same_set: Option<f64>,
    /// Expected number of nodes that two random keys share.
    pub overlap_nodes: f64,
    /// Fewest heirs of a primary: nodes that hold the second copies of its keys.
    pub heirs_least: Option<u64>,
    /// The largest share of a primary's keys that one heir holds.
    pub heir_share_max: Option<f64>,
    /// Share of reads that cross zones when every client reads the copy in its zone, else the
    /// primary; clients are spread over zones as the weights are.
    pub cross_zone_share: Option<f64>,
    /// The same when every client reads the primary.
    pub cross_zone_primary: Option<f64>,
    /// Largest node ÷ fair of the reads within zones: what that locality costs in balance.
    pub zone_reads_max_over_mean: Option<f64>,
    /// Copies per live node, in the cluster's order.
    pub per_node: Vec<u64>,
    /// Their balance.
    pub balance: Balance,
}

/// What theory expects of a step.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Theory {
    /// √((n−1)/(n·v+1)) for a ring with v vnodes a node.
    pub cv_owned: Option<f64>,
    /// √((n−1)/K): the sampling floor.
    pub cv_sampling: Option<f64>,
    /// The hottest row forces max over mean of requests to at least this.
    pub hot_key_floor: Option<f64>,
    /// Share of keys that the strategy is expected to move at this step, where a closed form is known.
    pub share_moved: Option<f64>,
}

/// Movement of a step against the step before, and against step 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct MovementRecord {
    /// `moved`, or `lost` when the change was a failure.
    pub verb: String,
    /// Totals by load.
    #[serde(flatten)]
    pub loads: ByLoad<Moved>,
    /// Gives and receives of every node that is alive before or after.
    pub per_node: Vec<NodeMoved>,
    /// From → to, where there are few enough pairs and it is no round of a loop; outcomes appear as
    /// `(misrouted)` and so on.
    pub pairs: Option<Vec<Pair>>,
    /// Against step 0; None at step 1, where it is the same.
    pub from_start: Option<ByLoad<Moved>>,
    /// How often the same keys have moved since step 0; only where it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub along_path: Option<ByLoad<AlongPath>>,
}

/// How often the same keys have moved along a path, from step 0 to this one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct AlongPath {
    /// Amount moved, summed over the steps: a key that moves twice counts twice.
    pub moved: u64,
    /// Its share of the total; may be above 1.
    pub share_moved: f64,
    /// Amount of the keys that have moved at all.
    pub ever: u64,
    /// Its share of the total.
    pub ever_share: f64,
    /// Amount of the keys that have moved more than once.
    pub more_than_once: u64,
    /// Its share of the total.
    pub more_than_once_share: f64,
    /// The most moves that any key has made.
    pub most_moves: u64,
}

/// Movement of one load.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Moved {
    /// Amount whose node differs.
    pub moved: u64,
    /// Its share of the total.
    pub share_moved: f64,
    /// Half the L1 distance of the fair shares: the least any strategy must move to be fair after, having been fair before.
    pub minimum_share: f64,
    /// Half the L1 distance of the measured loads: the least that leads to the same loads.
    pub minimum_actual_share: f64,
    /// moved − minimum-actual, as a share.
    pub excess_share: f64,
    /// Share that moved between nodes alive both before and after.
    pub between_survivors_share: f64,
    /// Share of what moved that the largest receiver got.
    pub largest_inheritor_share: f64,
}

/// What a node gave and received.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct NodeMoved {
    /// Name.
    pub node: String,
    /// By load.
    pub gives: ByLoad<u64>,
    /// By load.
    pub receives: ByLoad<u64>,
}

/// What moved from one node to another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Pair {
    /// Node before.
    pub from: String,
    /// Node after.
    pub to: String,
    /// By load.
    #[serde(flatten)]
    pub loads: ByLoad<u64>,
}

/// The band over label sets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrialsRecord {
    /// Label sets.
    pub count: u32,
    /// `ownership` or `keys`.
    pub on: String,
    /// Why there is no band.
    pub reason: Option<String>,
    /// One per step.
    pub steps: Vec<TrialStep>,
}

/// The band at one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TrialStep {
    /// Number of the step.
    pub step: usize,
    /// Largest owned share ÷ fair share.
    pub max_over_mean: Band,
    /// Smallest owned share ÷ fair share.
    pub min_over_mean: Band,
    /// Largest deviation either way.
    pub max_deviation: Band,
    /// Squared cv of the owned shares.
    pub cv_squared: Band,
    /// Share of the space that moves at this step.
    pub share_moved: Option<Band>,
}

/// Percentiles (nearest rank) of a statistic over trials.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Band {
    /// 2.5th percentile.
    #[serde(rename = "p2.5")]
    pub p2_5: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 97.5th percentile.
    #[serde(rename = "p97.5")]
    pub p97_5: f64,
    /// Mean.
    pub mean: f64,
    /// Share of the trials at or below the scenario's own labels.
    #[serde(rename = "own-percentile")]
    pub own_percentile: Option<f64>,
}

/// A joint event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct EventRecord {
    /// Name.
    pub name: String,
    /// Values on the axes that its conditions leave open.
    pub at: serde_json::Map<String, Json>,
    /// Label sets tried.
    pub trials: u64,
    /// Label sets in which all conditions held.
    pub hits: u64,
    /// hits ÷ trials.
    pub p: f64,
    /// Clopper–Pearson interval of 99 %.
    #[serde(rename = "interval-99")]
    pub interval_99: [f64; 2],
}

/// A search for labels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct SearchRecord {
    /// Name.
    pub name: String,
    /// Values on the axes that its conditions leave open.
    pub at: serde_json::Map<String, Json>,
    /// Node-name template with `{try}` and `{i}`.
    pub template: String,
    /// First number tried and one more than the last.
    pub range: [u64; 2],
    /// Label sets tried.
    pub tries: u64,
    /// Label sets in which all conditions held.
    pub hits: u64,
    /// The first few, as node-name templates with only `{i}` left.
    pub found: Vec<String>,
}

/// An expectation and how it came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ExpectRecord {
    /// What was expected, in words.
    pub text: String,
    /// Whether every cell and step held.
    pub pass: bool,
    /// The measured value nearest to (or farthest beyond) the bound; None when nothing was measured.
    pub measured: Option<f64>,
    /// Its cell.
    pub cell: String,
    /// Its step.
    pub step: usize,
    /// Where the bound comes from.
    pub because: String,
}
