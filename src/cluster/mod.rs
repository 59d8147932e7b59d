//! Nodes, their weights and places; the cluster at one step of a path.
//!
//! A [`NodeId`] is interned by name for the whole cell: the same name on any path, or added again
//! after a removal, is the same id. Positional strategies go by the order of [`Cluster::nodes`].

pub mod change;
pub mod label;
pub mod map;
pub mod path;
pub mod server_list;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use change::{Change, ChangeKind, Isolation, OnFail};

/// Smallest weight above 0.
pub const MIN_WEIGHT: f64 = 1e-6;
/// Largest weight. With [`MIN_WEIGHT`] no two weights of a cluster differ by more than a factor of
/// 10^15: less than 2^53, so that a sum of doubles still sees the lightest node beside the heaviest.
pub const MAX_WEIGHT: f64 = 1e9;

/// Whether a number can be a node's weight: 0, or from [`MIN_WEIGHT`] to [`MAX_WEIGHT`].
pub fn is_weight(weight: f64) -> bool {
    (weight == 0.0 && weight.is_sign_positive()) || (MIN_WEIGHT..=MAX_WEIGHT).contains(&weight)
}

/// A node's number, interned by name; below [`Cluster::ids`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub u32);

/// One server, shard or database.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Interned number.
    pub id: NodeId,
    /// Name, unique in the cluster.
    pub name: Arc<str>,
    /// Relative capacity; see [`is_weight`].
    pub weight: f64,
    /// Failure domain above the rack.
    pub zone: Option<Arc<str>>,
    /// Failure domain below the zone.
    pub rack: Option<Arc<str>>,
    /// Host name or address, where labels or keys need it.
    pub host: Option<Arc<str>>,
    /// Port, where labels need it.
    pub port: Option<u16>,
    /// Explicit server id, where a system has one.
    pub server_id: Option<u32>,
    /// What the node can bear, by load.
    pub capacity: BTreeMap<Arc<str>, u64>,
    /// What it can bear as a multiple of the fair load of its weight at step 0, by load; counts for
    /// loads that `capacity` lacks.
    pub headroom: BTreeMap<Arc<str>, f64>,
}

impl Node {
    /// A node of weight 1 with nothing but a name.
    pub fn named(id: u32, name: &str) -> Self {
        Node {
            id: NodeId(id),
            name: name.into(),
            weight: 1.0,
            zone: None,
            rack: None,
            host: None,
            port: None,
            server_id: None,
            capacity: BTreeMap::new(),
            headroom: BTreeMap::new(),
        }
    }
}

/// Numbers the failure domains of nodes from 0: by id the domain of each, and how many there are. A
/// node without a domain's name is a domain of its own.
pub fn domains<'a, K: Ord>(
    nodes: impl Iterator<Item = &'a Node>,
    ids: usize,
    name: impl Fn(&'a Node) -> Option<K>,
) -> (Vec<u32>, usize) {
    let mut numbers = BTreeMap::new();
    let mut of = vec![0; ids];
    let mut count = 0;
    for node in nodes {
        let number = match name(node) {
            Some(name) => *numbers.entry(name).or_insert(count),
            None => count,
        };
        count += u32::from(number == count);
        of[node.id.0 as usize] = number;
    }
    (of, count as usize)
}

/// The members of the cluster at one step, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cluster {
    /// Members in order; those that failed as `unavailable` are still members.
    pub nodes: Vec<Node>,
    /// One more than the largest id that any step of the path uses: the size of per-node tables.
    pub ids: usize,
    /// Members that are down: their keys are ABSENT though routing still points at them.
    pub down: Vec<NodeId>,
    /// Who owns each bucket, where the cluster came with a map of them: step 0 of a cluster that was
    /// read from one. Owners are the ids of its nodes.
    pub map: Option<Arc<map::BucketMap>>,
}

impl Cluster {
    /// `n` nodes of weight 1 whose names come from a template with `{i}`, from 0.
    pub fn numbered(n: usize, template: &str) -> Self {
        let nodes = (0..n)
            .map(|i| Node::named(i as u32, &template.replace("{i}", &i.to_string())))
            .collect();
        Cluster { nodes, ids: n, ..Cluster::default() }
    }

    /// Sum of the weights, in the order of the nodes.
    pub fn total_weight(&self) -> f64 {
        self.nodes.iter().map(|n| n.weight).sum()
    }

    /// Whether all weights are equal.
    pub fn is_unweighted(&self) -> bool {
        self.nodes.windows(2).all(|pair| pair[0].weight == pair[1].weight)
    }

    /// The member with that id.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|n| n.id == id)
    }

    /// Share of the total weight by id (length `ids`); 0 for ids that are no members or down.
    pub fn fair_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.ids];
        let up = || self.nodes.iter().filter(|n| !self.down.contains(&n.id));
        let total: f64 = up().map(|n| n.weight).sum();
        for node in up() {
            shares[node.id.0 as usize] = node.weight / total;
        }
        shares
    }

    /// The same cluster with other node names, by id; for trials. A node that has a host has its new
    /// name as host, since labels may be made of either.
    pub fn renamed(&self, names: &[Arc<str>]) -> Self {
        let mut cluster = self.clone();
        for node in &mut cluster.nodes {
            node.name = names[node.id.0 as usize].clone();
            node.host = node.host.is_some().then(|| node.name.clone());
        }
        cluster
    }
}
