//! On which keys do two routers differ: two clients, two orders of a server list, two versions.
//!
//! Nodes are the same when their names are, and under other names when host and port are. What a label
//! hashes (name, host, port, id) may differ between the two: that is a frequent cause.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::cluster::{Cluster, NodeId};
use crate::error::Error;
use crate::keys::{ColumnSpec, KeyBatch};
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::replay::place;
use crate::sim::scan::scan;
use crate::strategy::{Placement, Slot};

/// Differing keys that are kept as examples: the first ones.
const EXAMPLES: usize = 5;

/// One of the two routers.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// Its cluster.
    pub cluster: &'a Cluster,
    /// Its placement, of one node a key.
    pub placement: Arc<dyn Placement>,
}

/// An amount of keys and of their requests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Rows.
    pub keys: u64,
    /// Their requests; one a row where there is no traffic.
    pub requests: u64,
}

/// A key that lives on different nodes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// Row number within the source.
    pub row: u64,
    /// The key's text.
    pub key: String,
    /// Where the first router sends it.
    pub first: String,
    /// Where the second sends it.
    pub second: String,
}

/// What two routers make of the same keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// All keys.
    pub total: Amount,
    /// Those that live on different nodes.
    pub differ: Amount,
    /// The same by (first, second) node; outcomes stand in parentheses. Largest first, then by name.
    pub pairs: Vec<(String, String, Amount)>,
    /// The first few that differ.
    pub examples: Vec<Example>,
    /// Names of nodes that only the first or only the second router has.
    pub only: [Vec<String>; 2],
    /// Nodes that the two know under different names, the first router's first: host and port are the same.
    pub renamed: Vec<(String, String)>,
}

/// Routes all keys of `input` by both sides.
///
/// # Errors
/// A strategy whose answer depends on open requests; a fault of a key file; an interrupt.
pub fn disagree(
    sides: [&Side<'_>; 2],
    input: &Input,
    progress: &dyn Progress,
) -> Result<Disagreement, Error> {
    if sides.iter().any(|side| side.placement.session().is_some()) {
        return Err(Error::unsupported(
            "one of the two places a key by the requests that are open: it has no answer for a key alone",
        )
        .help("compare strategies without bounded load"));
    }
    let names = Names::new(sides);
    let mut columns: Vec<ColumnSpec> = Vec::new();
    for column in sides.iter().flat_map(|side| side.placement.columns()) {
        if !columns.contains(column) {
            columns.push(column.clone());
        }
    }
    progress.begin("comparing", input.rows);
    let counts = scan(input, &columns, progress, Counts::default, |counts, batch| {
        counts.batch(sides, &names, batch);
    })?;
    let mut all = Counts::default();
    counts.into_iter().for_each(|counts| all.merge(counts));
    Ok(names.summary(all))
}

/// The nodes of both sides by name.
struct Names {
    names: Vec<Arc<str>>,
    /// Index into `names` by a side's node id.
    of: [Vec<u32>; 2],
    renamed: Vec<(Arc<str>, Arc<str>)>,
}

/// Nodes that each cluster has under a name that the other lacks, where each has one such node of the same
/// host and port: names in the first and in the second.
fn renamed([first, second]: [&Cluster; 2]) -> Vec<(Arc<str>, Arc<str>)> {
    let first_by = by_address(first, second);
    let second_by = by_address(second, first);
    let pairs = first_by.into_iter().filter_map(|(address, names)| {
        match (names.as_slice(), second_by.get(&address)?.as_slice()) {
            ([a], [b]) => Some((Arc::clone(a), Arc::clone(b))),
            // Two of one address could be either.
            _ => None,
        }
    });
    pairs.collect()
}

type Address = (Arc<str>, Option<u16>);

/// Names by address of the nodes whose names the other cluster lacks.
fn by_address(cluster: &Cluster, other: &Cluster) -> BTreeMap<Address, Vec<Arc<str>>> {
    let names: BTreeSet<&Arc<str>> = other.nodes.iter().map(|node| &node.name).collect();
    let mut found: BTreeMap<Address, Vec<Arc<str>>> = BTreeMap::new();
    for node in &cluster.nodes {
        if let (Some(host), false) = (&node.host, names.contains(&node.name)) {
            found.entry((host.clone(), node.port)).or_default().push(node.name.clone());
        }
    }
    found
}

impl Names {
    fn new(sides: [&Side<'_>; 2]) -> Self {
        let renamed = renamed(sides.map(|side| side.cluster));
        let firsts: BTreeMap<&Arc<str>, &Arc<str>> = renamed.iter().map(|(a, b)| (b, a)).collect();
        let common = |name: &Arc<str>| firsts.get(name).map_or(name, |first| first).clone();
        let mut names: Vec<Arc<str>> =
            sides.iter().flat_map(|s| s.cluster.nodes.iter().map(|n| common(&n.name))).collect();
        names.sort_unstable();
        names.dedup();
        let of = sides.map(|side| {
            let mut of = vec![0; side.cluster.ids];
            for node in &side.cluster.nodes {
                let at = names.binary_search(&common(&node.name)).expect("it was put there");
                of[node.id.0 as usize] = at as u32;
            }
            of
        });
        Names { names, of, renamed }
    }

    /// The slot with the node's index among the names; outcomes as they are.
    fn common(&self, side: usize, slot: Slot) -> Slot {
        match slot.node() {
            Some(NodeId(id)) => Slot(self.of[side][id as usize]),
            None => slot,
        }
    }

    fn name(&self, slot: Slot) -> String {
        match slot.node() {
            Some(NodeId(at)) => self.names[at as usize].to_string(),
            None if slot == Slot::MISROUTED => "(misrouted)".into(),
            None if slot == Slot::REFUSED => "(refused)".into(),
            None => "(absent)".into(),
        }
    }

    fn summary(&self, counts: Counts) -> Disagreement {
        let mut pairs: Vec<(String, String, Amount)> = counts
            .pairs
            .iter()
            .map(|(&(a, b), &amount)| (self.name(a), self.name(b), amount))
            .collect();
        pairs.sort_by(|a, b| b.2.keys.cmp(&a.2.keys).then_with(|| (&a.0, &a.1).cmp(&(&b.0, &b.1))));
        let mut differ = Amount::default();
        pairs.iter().for_each(|(_, _, amount)| differ.add(*amount));
        let example = |(row, key, a, b): &(u64, String, Slot, Slot)| Example {
            row: *row,
            key: key.clone(),
            first: self.name(*a),
            second: self.name(*b),
        };
        let only = [[0, 1], [1, 0]].map(|[side, other]| {
            let has = |side: usize, at: u32| self.of[side].contains(&at);
            let at = 0..self.names.len() as u32;
            let only = at.filter(|&at| has(side, at) && !has(other, at));
            only.map(|at| self.names[at as usize].to_string()).collect()
        });
        let examples = counts.examples.iter().map(example).collect();
        let renamed = self.renamed.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        Disagreement { total: counts.total, differ, pairs, examples, only, renamed }
    }
}

impl Amount {
    fn add(&mut self, other: Amount) {
        self.keys += other.keys;
        self.requests = self.requests.saturating_add(other.requests);
    }
}

/// One thread's counts.
#[derive(Default)]
struct Counts {
    slots: [Vec<Slot>; 2],
    total: Amount,
    pairs: BTreeMap<(Slot, Slot), Amount>,
    examples: Vec<(u64, String, Slot, Slot)>,
}

impl Counts {
    fn batch(&mut self, sides: [&Side<'_>; 2], names: &Names, batch: &KeyBatch) {
        for (side, slots) in sides.iter().zip(&mut self.slots) {
            place(side.placement.as_ref(), &side.cluster.down, 1, batch, slots);
        }
        for row in 0..batch.len() {
            let requests = batch.requests.get(row).copied().unwrap_or(1);
            let amount = Amount { keys: 1, requests };
            self.total.add(amount);
            let [a, b] = [0, 1].map(|side| names.common(side, self.slots[side][row]));
            if a != b {
                self.pairs.entry((a, b)).or_default().add(amount);
                // A thread meets its batches in the order of their rows.
                if self.examples.len() < EXAMPLES {
                    let key = batch.key(row).to_string();
                    self.examples.push((batch.first_row + row as u64, key, a, b));
                }
            }
        }
    }

    fn merge(&mut self, other: Counts) {
        self.total.add(other.total);
        for (pair, amount) in other.pairs {
            self.pairs.entry(pair).or_default().add(amount);
        }
        self.examples.extend(other.examples);
        self.examples.sort_by_key(|(row, ..)| *row);
        self.examples.truncate(EXAMPLES);
    }
}
