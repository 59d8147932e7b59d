//! A validated scenario: what to place, where, under which changes.
//!
//! [`parse`] finds everything that a scenario can get wrong before any key is placed:
//!
//! 1. `tree`: TOML with the place of every key and value; `overrides` of the command line change it.
//! 2. `table`: every table is checked against declared fields. Those of closed tables stand in
//!    `fields`, those of open sets come with the item (`open`); the JSON [`schema`] comes from both.
//! 3. `needs`: what a scenario with `[needs]` leaves open is filled in, with `candidates`. `cluster`,
//!    `changes`, `workload`, `strategies`: what the tables span.
//! 4. `migration`: how movement is carried out. `cells`: their product, in order; names become ids in [`crate::cluster::path`].
//! 5. `conditions`: trials, expectations, charts, checked against the cells; `asked`
//!    tells whether these can answer.
//!
//! [`render`] shows errors with the line at fault.

mod asked;
mod candidates;
mod cells;
mod changes;
mod cluster;
pub(crate) mod conditions;
mod demand;
mod families;
mod faults;
pub(crate) mod fields;
mod hot;
mod message;
mod migration;
pub mod needs;
mod open;
mod overrides;
mod queries;
mod query;
pub(crate) mod read;
mod remedies;
mod schema;
mod strategies;
pub(crate) mod table;
pub(crate) mod tree;
mod workload;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use candidates::HASHER as CANDIDATES_HASHER;
pub use demand::{Cache, HotKey, Split, SplitReads, Workload};
pub use families::{AXIS as FAMILY, TOGETHER};
pub use fields::CACHE_PARAMS;
pub use message::render;
pub use needs::Needs;
pub use query::{Query, QueryForm};
pub use read::{load, parse};
pub use remedies::{AXIS as REMEDY_AXIS, NONE as NO_REMEDY};
pub use schema::schema;

use crate::cluster::map::ClusterMap;
use crate::cluster::{Change, Cluster};
use crate::error::{Error, Place};
use crate::params::{Params, Value};
use crate::strategy::StrategyInfo;

/// A scenario, checked.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's stem, e.g. `expand-8-to-16`.
    pub name: String,
    /// Title of tables and charts.
    pub title: String,
    /// The question it answers; may be empty.
    pub question: String,
    /// Prose printed above the results; `{…}` placeholders are filled from the record.
    pub analysis: String,
    /// SHA-256 of the scenario's text, hex.
    pub sha256: String,
    /// The folder that relative paths start from.
    pub base: PathBuf,
    /// Where `[keys]` stands in the scenario's text.
    pub keys: Places,
    /// Where `[traffic]` stands in it, if it is there.
    pub traffic: Places,
    /// What the cluster must bear, where the scenario says so.
    pub needs: Option<Needs>,
    /// The map of a real cluster that step 0 was read from.
    pub map: Option<Arc<ClusterMap>>,
    /// The cells, in order.
    pub cells: Vec<Cell>,
    /// The band over label sets.
    pub trials: Option<Trials>,
    /// Joint events of one label set.
    pub events: Vec<Event>,
    /// Searches for a node-name template under which an event happens.
    pub searches: Vec<Search>,
    /// Queries over many keys.
    pub queries: Vec<Query>,
    /// What must hold.
    pub expects: Vec<Expect>,
    /// The charts that it asks for; none: every kind with its defaults.
    pub charts: Vec<ChartSpec>,
}

impl Scenario {
    /// Whether an expectation, a chart or the analysis speaks of how often the same keys move, so that
    /// a run must count it.
    pub fn asks_repeats(&self) -> bool {
        let prefix = crate::metrics::along_path::PREFIX;
        self.expects.iter().any(|expect| expect.metric.starts_with(prefix))
            || self.analysis.contains(&format!("|{prefix}"))
            || self.charts.iter().any(|chart| chart.kind == crate::charts::PATHS)
    }

    /// Points an error of the keys or of their traffic at the field that it names, or else at what the
    /// keys come from.
    pub fn locate(&self, error: Error) -> Error {
        let field = error.field.and_then(|name| {
            [&self.keys, &self.traffic].into_iter().find_map(|places| places.fields.get(name))
        });
        // A parameter that the scenario leaves at its default is the shape's.
        let of_shape = |name: &str| {
            let shapes = self.cells.iter().filter_map(|cell| cell.workload.traffic);
            shapes.flat_map(|shape| shape.params).any(|param| param.name == name)
        };
        if field.is_none() && error.field.is_some_and(of_shape) {
            let shape = self.traffic.fields.get("shape").or(self.traffic.table.as_ref());
            return shape.into_iter().fold(error, |error, place| error.at(place.clone()));
        }
        let source = ["file", "pattern"].into_iter().find_map(|name| self.keys.fields.get(name));
        match field.or(source).or(self.keys.table.as_ref()) {
            Some(place) => error.at(place.clone()),
            None => error,
        }
    }
}

/// Values of the axes of a cell, in order: `strategy`, `preset`, `hasher`, `path`, every strategy
/// field by bare name, and the other swept axes by dotted name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct At(pub Vec<(String, Value)>);

impl At {
    /// The value on an axis.
    pub fn get(&self, axis: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, value)| value)
    }

    /// Whether every axis of `filter` has the value there (whole and fractional numbers compare equal).
    pub fn matches(&self, filter: &[(String, Value)]) -> bool {
        filter.iter().all(|(axis, want)| {
            self.get(axis).is_some_and(|have| {
                have == want || have.as_f64().is_some_and(|h| Some(h) == want.as_f64())
            })
        })
    }
}

/// One point of the sweep.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Unique, e.g. `ring/murmur3-32/vnodes=160`.
    pub id: String,
    /// Where it lies in the sweep.
    pub at: At,
    /// The name that the strategy table gives it, for legends.
    pub label: Option<String>,
    /// Keys and traffic; equal workloads share one pass.
    pub workload: Arc<Workload>,
    /// Seed of the random streams.
    pub seed: u64,
    /// Nodes per key.
    pub replicas: usize,
    /// Name of the path.
    pub path: String,
    /// Step 0 and one more for each change.
    pub steps: Vec<Step>,
    /// How the movement of its steps is carried out, if that is simulated.
    pub migration: Option<Arc<Migration>>,
    /// Where its strategy stands in the scenario's text.
    pub places: Arc<Places>,
    /// Why it cannot be, known before anything is built.
    pub impossible: Option<String>,
    /// A loop that acts on measured load: it makes the last steps of the path.
    pub control: Option<Control>,
}

/// A loop that measures the load of a step and makes the next one of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Control {
    /// How a step follows from the load of the one before.
    pub rule: Rule,
    /// Name of the load that is measured.
    pub load: String,
    /// The first step that it makes; until then all its steps are stand-ins.
    pub first: usize,
    /// Buckets that it gave to other nodes.
    pub moved: u64,
}

impl Control {
    /// Whether it goes on round after round, and so may or may not come to rest.
    pub fn is_loop(&self) -> bool {
        matches!(self.rule, Rule::Feedback { .. })
    }
}

/// How a step follows from the load of the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rule {
    /// New weights: the old ones × (fair load ÷ load)^gain, within a factor of the first ones.
    Feedback {
        /// The exponent; negative where loaded nodes get more.
        gain: f64,
        /// The factor, at least 1.
        most: f64,
    },
    /// Buckets go from the busiest node to the idlest, the best one at a time.
    Reassign {
        /// Most buckets that move.
        moves: u64,
    },
}

/// Where a table and its fields stand in the scenario's text.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The table's header.
    pub table: Option<Place>,
    /// Each field's value, by name.
    pub fields: BTreeMap<String, Place>,
}

impl Places {
    /// Points an error at the field that it names, or else at the table.
    pub fn locate(&self, error: Error) -> Error {
        let field = error.field.and_then(|name| self.fields.get(name));
        match field.or(self.table.as_ref()) {
            Some(place) => error.at(place.clone()),
            None => error,
        }
    }
}

impl Cell {
    /// Points an error at the field that it names, or else at the strategy's table.
    pub fn locate(&self, error: Error) -> Error {
        self.places.locate(error)
    }
}

/// The cluster and the strategy at one step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What led here; None at step 0.
    pub change: Option<Change>,
    /// The cluster after the change; shared by the cells that differ in other things.
    pub cluster: Arc<Cluster>,
    /// The strategy after the change.
    pub strategy: &'static StrategyInfo,
    /// Its parameters.
    pub params: Params,
    /// Whether the strategy's identity changed here (`set`, `switch`), so that nothing evolves.
    pub rebuilt: bool,
    /// Fair shares by node id, where they are not those of the weights: a loop turns the weights, and
    /// the nodes should carry what they carried before.
    pub fair: Option<Arc<[f64]>>,
}

impl Step {
    /// Share of the load that each node should carry, by id; 0 for ids that are no members or down.
    pub fn fair_shares(&self) -> Vec<f64> {
        self.fair.as_ref().map_or_else(|| self.cluster.fair_shares(), |fair| fair.to_vec())
    }
}

/// How the movement of a step is carried out: `[migration]` with one value for each field.
#[derive(Debug, Clone)]
pub struct Migration {
    /// Its checked fields.
    pub params: Params,
    /// What goes wrong, in the order of the file.
    pub faults: Vec<MigrationFault>,
    /// Where it stands in the scenario's text.
    pub places: Arc<Places>,
}

impl Migration {
    /// Points an error at the field that it names, or else at the table.
    pub fn locate(&self, error: Error) -> Error {
        let field = error.field.and_then(|name| self.places.fields.get(name));
        match field.or(self.places.table.as_ref()) {
            Some(place) => error.at(place.clone()),
            None => error,
        }
    }
}

/// Something that goes wrong during a migration: the checked fields of `[[migration.fault]]`.
#[derive(Debug, Clone)]
pub struct MigrationFault {
    /// Its fields.
    pub params: Params,
    /// Where it stands in the scenario's text.
    pub places: Arc<Places>,
}

/// The band over label sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// Number of label sets.
    pub count: u32,
    /// Keys placed per trial where ownership is not known.
    pub keys: u64,
}

/// A condition on one statistic of the owned shares.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// Which cells.
    pub filter: Vec<(String, Value)>,
    /// Name of a balance statistic, e.g. `max-deviation`.
    pub metric: String,
    /// Least value that passes.
    pub min: Option<f64>,
    /// Largest value that passes.
    pub max: Option<f64>,
    /// The step it looks at.
    pub step: usize,
}

/// A joint event of one label set.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What it is called.
    pub name: String,
    /// Number of label sets.
    pub count: u32,
    /// All must hold.
    pub all: Vec<Condition>,
}

/// A search for a node-name template under which a condition set holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Search {
    /// What is sought.
    pub name: String,
    /// Node-name template with `{try}` and `{i}`.
    pub template: String,
    /// First number tried.
    pub from: u64,
    /// One more than the last number tried.
    pub to: u64,
    /// All must hold.
    pub all: Vec<Condition>,
}

/// What must hold of the record.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// Dotted name of a number in the record, e.g. `keys.max-over-mean`.
    pub metric: String,
    /// Which cells.
    pub filter: Vec<(String, Value)>,
    /// Which step; None: every step that has the metric.
    pub step: Option<usize>,
    /// Least value that passes.
    pub min: Option<f64>,
    /// Largest value that passes.
    pub max: Option<f64>,
    /// The theory or claim that the bound comes from.
    pub because: String,
}

/// A chart that a scenario asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartSpec {
    /// Name of the chart kind.
    pub kind: String,
    /// Its checked parameters.
    pub params: Params,
}

/// What the command line changes in a scenario before it is checked.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overrides {
    /// `--seed`
    pub seed: Option<i64>,
    /// `--keys`: the number of generated keys, or how many rows of a file to read.
    pub keys: Option<u64>,
    /// `--set PATH=VALUE` with a dotted path such as `cluster.nodes`, or the bare name of a strategy
    /// field, which sets it in every strategy table that declares it; the value in TOML syntax, bare words as texts.
    pub set: Vec<(String, String)>,
    /// `--sweep PATH=VALUE,VALUE`
    pub sweep: Vec<(String, String)>,
    /// Whether a scenario without `[needs]` is read as one with an empty table, for `advise`.
    pub needs: bool,
}
