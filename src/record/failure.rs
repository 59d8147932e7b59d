//! The record of a failure.

use serde::{Deserialize, Serialize};

use super::ByLoad;

/// What a failure does to the keys of the nodes that fail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct FailureRecord {
    /// The nodes that fail.
    pub failed: Vec<String>,
    /// `reroute` or `unavailable`.
    pub on_fail: String,
    /// By load.
    #[serde(flatten)]
    pub loads: ByLoad<Lost>,
    /// What overload does after it; None without capacities, or where nothing is routed anew.
    pub cascade: Option<CascadeRecord>,
}

/// What of one load loses its node, and who takes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Lost {
    /// Amount on the nodes that fail.
    pub lost: u64,
    /// Its share of the total.
    pub lost_share: f64,
    /// Survivors that receive some of it; None where pairs are not counted.
    pub heirs: Option<u64>,
    /// The survivor whose load grows most.
    pub largest_heir: Option<String>,
    /// By how much its load grows.
    pub heir_gain: u64,
    /// The same relative to its load before; None where that was 0.
    pub heir_gain_share: Option<f64>,
}

/// Overload after a failure: every node above its capacity fails too, and so on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct CascadeRecord {
    /// Number of waves.
    pub waves: u64,
    /// Nodes that fail in the waves together.
    pub failed: u64,
    /// Nodes left alive.
    pub nodes_left: u64,
    /// `stable`, `all down`, or why it could not be followed further.
    pub ends: String,
    /// Nodes that were above their capacity before the failure already.
    pub over_before: Vec<String>,
    /// The waves, in order.
    pub wave: Vec<WaveRecord>,
}

/// Nodes that fail together, all above their capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct WaveRecord {
    /// Who, and of what.
    pub failed: Vec<OverloadRecord>,
    /// Nodes alive after it.
    pub nodes_left: u64,
}

/// A node above its capacity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct OverloadRecord {
    /// Name.
    pub node: String,
    /// The load that is above capacity; of several the one that is most.
    pub load: String,
    /// How much of it the node has.
    pub has: u64,
    /// How much it can bear.
    pub capacity: u64,
}
