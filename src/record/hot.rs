//! The parts of a record that are about hot keys and tenants: phases of the traffic, bounded load's spill,
//! loops that act on measured load, prices of remedies.

use serde::{Deserialize, Serialize};

use super::Balance;

/// How the requests lie in each phase of the traffic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Phases {
    /// Number of phases.
    pub count: u64,
    /// The largest max over mean of any phase, within the phase.
    pub worst_max_over_mean: f64,
    /// Max over mean of the phases, averaged over time.
    pub mean_max_over_mean: f64,
    /// Requests per time of the busiest node in its busiest phase ÷ its fair share of the requests per
    /// time over all phases.
    pub peak_over_average: f64,
    /// The phase of that peak.
    pub peak_phase: String,
    /// The phases, in order.
    pub each: Vec<PhaseRecord>,
}

/// The requests in one phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PhaseRecord {
    /// What it is called.
    pub phase: String,
    /// Share of the whole time.
    pub time_share: f64,
    /// Requests in it, outcomes included.
    pub requests: u64,
    /// Requests per live node, in the cluster's order.
    pub per_node: Vec<u64>,
    /// Their balance.
    pub balance: Balance,
}

/// Requests that bounded load sent elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Spill {
    /// Requests that did not go to the node that is their key's home.
    pub requests: u64,
    /// Their share of all requests.
    pub share: f64,
    /// Keys whose requests went to more than one node.
    pub scattered_keys: u64,
    /// Their share of the keys with requests.
    pub scattered_share: f64,
}

/// How a loop that acts on measured load went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct ControlRecord {
    /// Load that is measured.
    pub load: String,
    /// Rounds.
    pub rounds: u64,
    /// Max over mean of the load before the first round.
    pub start: f64,
    /// Max over mean after the last round.
    pub end: f64,
    /// The least max over mean that any round reached.
    pub best: f64,
    /// The round that reached it; 0 is the start.
    pub best_round: u64,
    /// Span of max over mean over the last third of the rounds, as a share of its mean.
    pub late_span: f64,
    /// `converges`, `diverges`, `oscillates` or `no effect`.
    pub verdict: String,
    /// Keys moved in all rounds together, as a share of the keys.
    pub moved_total: f64,
}

/// What a remedy costs against the same cell without it, at the last step of both.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Price {
    /// Requests (bytes or keys where there are none) that reach the nodes ÷ those without the remedy.
    pub work: Option<f64>,
    /// Load of the busiest node ÷ that of the busiest without the remedy.
    pub largest: Option<f64>,
    /// Max over mean of requests with the busiest node left out.
    pub others_max_over_mean: Option<f64>,
    /// Nodes more.
    pub extra_nodes: f64,
    /// Points or table entries ÷ those without the remedy.
    pub points: Option<f64>,
    /// Keys that live elsewhere than without the remedy, as a share of all.
    pub moved: Option<f64>,
    /// Keys moved on the way there, in all rounds together.
    pub moved_total: Option<f64>,
    /// Buckets or chunks that were given to another node.
    pub buckets_moved: Option<f64>,
    /// Share of the requests that do not go to their key's home.
    pub spill: Option<f64>,
    /// Entries of all caches together.
    pub cache_entries: Option<f64>,
    /// Reads of the parts of a split key for one read of the key.
    pub read_fan_out: Option<f64>,
}
