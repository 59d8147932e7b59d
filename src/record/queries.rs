//! Queries over many keys: which nodes hold a match, and which a router must ask.

use serde::{Deserialize, Serialize};

/// Queries over many keys at one step. Only primary copies count; a node that is down holds nothing and
/// is not asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Queries {
    /// Over all queries, each by its share.
    #[serde(flatten)]
    pub all: QueryFigures,
    /// Each, in the scenario's order.
    pub each: Vec<QueryRecord>,
}

/// One query, or those that one table draws.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct QueryRecord {
    /// Its name.
    pub query: String,
    /// `range`, `prefix` or `list`.
    pub kind: String,
    /// How many were drawn; 1 for one that is given.
    pub queries: u64,
    /// Its share of all queries.
    pub share: f64,
    /// How the router knows whom to ask: `owners` (from the order of the keys, or from a prefix that
    /// fixes what is hashed), `keys` (each is looked up), `scatter` (it does not: all are asked), or
    /// `mixed`.
    pub answered: String,
    /// Means, spreads and extremes; of one query itself.
    #[serde(flatten)]
    pub figures: QueryFigures,
    /// Of a query that is given, the nodes that are asked or hold a match, in the cluster's order; null
    /// for drawn ones and beyond 1024 nodes.
    pub nodes: Option<Vec<QueryNode>>,
}

/// What queries take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct QueryFigures {
    /// Mean number of rows that match.
    pub keys: f64,
    /// Its standard deviation.
    pub keys_sd: f64,
    /// Mean number of matching rows that live on no node that is up.
    pub keys_missing: f64,
    /// Mean number of nodes that hold a match.
    pub nodes_touched: f64,
    /// Its standard deviation.
    pub nodes_touched_sd: f64,
    /// Most nodes that hold a match of one query.
    pub nodes_touched_max: u64,
    /// Mean number of nodes that must be asked.
    pub nodes_asked: f64,
    /// Its standard deviation.
    pub nodes_asked_sd: f64,
    /// Most nodes that must be asked for one query.
    pub nodes_asked_max: u64,
    /// Share of the queries that go to all nodes, since nothing tells which hold a match.
    pub scatter_share: f64,
    /// Mean share of a query's matches that the node with most of them holds; null where nothing
    /// matches.
    pub busiest_node_share: Option<f64>,
}

/// One node that takes part in a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct QueryNode {
    /// Name.
    pub node: String,
    /// Whether the router must ask it.
    pub asked: bool,
    /// Matching rows that it holds.
    pub keys: u64,
}
