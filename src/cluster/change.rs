//! The changes of a cluster along a path, resolved to ids.

use super::NodeId;
use crate::params::Value;

/// What becomes of a failed node's keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFail {
    /// Routing is rebuilt without the node, exactly as for a removal; its keys are lost, not moved.
    Reroute,
    /// Routing stays as it is and the node's keys are ABSENT.
    Unavailable,
}

/// One alteration of the cluster, with node names already interned.
#[derive(Debug, Clone, PartialEq)]
pub enum ChangeKind {
    /// The nodes join at the end of the order.
    Add(Vec<NodeId>),
    /// The nodes leave as planned.
    Remove(Vec<NodeId>),
    /// The nodes fail.
    Fail(Vec<NodeId>, OnFail),
    /// Nodes get new weights.
    Reweight(Vec<(NodeId, f64)>),
    /// Parameters of the strategy change; names and new values.
    Set(Vec<(String, Value)>),
    /// The strategy's identity changes: `kind`, `hasher`, `hash-seed`, `view` and what belongs to them.
    Switch(Vec<(String, Value)>),
    /// Every bucket or chunk gets an owner, by measured load; none while that is not measured.
    Assign(Vec<NodeId>),
    /// Some keys go to a node of their own, which joins.
    Isolate(Isolation),
}

/// A rule in front of a placement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Isolation {
    /// Text of the key, or how the texts of the keys begin.
    pub text: String,
    /// Whether it is the whole key.
    pub whole: bool,
    /// Where those keys go.
    pub node: NodeId,
}

/// A change as the scenario states it.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What it does.
    pub kind: ChangeKind,
    /// How records and charts name it, e.g. `add db16` or `remove db3`.
    pub text: String,
}
