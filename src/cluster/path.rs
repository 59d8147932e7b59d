//! From the changes that a scenario states to the cluster at every step of a path.
//!
//! Names become ids here. A name keeps its id on every path of a cluster ([`Ids`]), whether it joins
//! early, late or again. What is impossible (a node that is not there, a cluster left empty) is an
//! error that points at the name in the file.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::map::BucketMap;
use super::{Change, ChangeKind, Cluster, Node, NodeId, OnFail};
use crate::error::{Error, Place};
use crate::params::Value;

/// Largest cluster that a change may lead to.
pub const MAX_NODES: usize = 100_000;

/// A node's name as a change states it.
#[derive(Debug, Clone)]
pub struct NameRef {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub place: Option<Place>,
}

/// What an `add` adds.
#[derive(Debug, Clone)]
pub enum Joining {
    /// So many nodes under the next names of the template that the path has not used.
    Count(usize, Option<Place>),
    /// A node by name: as it last was on this path if it was a member before, else of the default
    /// weight.
    Name(NameRef),
    /// A node with all it has; its id does not count.
    Node(Box<Node>, Option<Place>),
}

/// A change as a scenario states it, names not yet interned.
#[derive(Debug, Clone)]
pub enum Alteration {
    /// Nodes join at the end of the order.
    Add(Vec<Joining>),
    /// Nodes leave as planned.
    Remove(Vec<NameRef>),
    /// Nodes fail.
    Fail(Vec<NameRef>, OnFail),
    /// Nodes get new weights.
    Reweight(Vec<(NameRef, f64)>),
    /// Parameters of the strategy change.
    Set(Vec<(String, Value)>),
    /// The strategy's identity changes.
    Switch(Vec<(String, Value)>),
}

/// The cluster that every path starts from.
#[derive(Debug, Clone)]
pub struct Start {
    /// Members at step 0, ids not yet given.
    pub nodes: Vec<Node>,
    /// Template with `{i}` for the names of nodes that are added by number.
    pub template: String,
    /// What a node has that is added by number or by a new name: its weight and what it can bear.
    pub joining: Node,
    /// Who owns each bucket of the start, as indices into its nodes.
    pub map: Option<Arc<BucketMap>>,
}

/// Node ids by name, shared by the paths of one cluster.
#[derive(Debug, Clone, Default)]
pub struct Ids(BTreeMap<Arc<str>, u32>);

impl Ids {
    fn of(&mut self, name: &Arc<str>) -> NodeId {
        let next = self.0.len() as u32;
        NodeId(*self.0.entry(name.clone()).or_insert(next))
    }
}

/// One step of a path: the change that led there (None at step 0) and the cluster after it.
pub type History = Vec<(Option<Change>, Arc<Cluster>)>;

/// Walks a path. `budget` is the number of node entries that all steps may hold together; it is
/// checked before a step is made. Each alteration comes with its place in the file, for what no name
/// in it is to blame for; an error of the start has no place.
pub fn resolve(
    start: &Start,
    ids: &mut Ids,
    alterations: &[(&Alteration, Option<Place>)],
    budget: &mut usize,
) -> Result<History, Error> {
    let mut walk = Walk::begin(start, ids, budget)?;
    for (alteration, place) in alterations {
        let change = walk.apply(alteration).map_err(|error| at(error, place))?;
        walk.push(Some(change)).map_err(|error| at(error, place))?;
    }
    Ok(walk.finish())
}

struct Walk<'a> {
    start: &'a Start,
    ids: &'a mut Ids,
    budget: &'a mut usize,
    nodes: Vec<Node>,
    /// Ids of `nodes`.
    members: BTreeSet<NodeId>,
    down: BTreeSet<NodeId>,
    /// Every node that was a member, as it last was.
    known: BTreeMap<Arc<str>, Node>,
    /// The next number of the template to try.
    next: u64,
    /// One more than the largest id so far.
    top: usize,
    steps: Vec<(Option<Change>, Cluster)>,
}

impl<'a> Walk<'a> {
    fn begin(start: &'a Start, ids: &'a mut Ids, budget: &'a mut usize) -> Result<Self, Error> {
        let mut walk = Walk {
            start,
            ids,
            budget,
            nodes: Vec::new(),
            members: BTreeSet::new(),
            down: BTreeSet::new(),
            known: BTreeMap::new(),
            next: 0,
            top: 0,
            steps: Vec::new(),
        };
        for node in &start.nodes {
            walk.join(node.clone(), None)?;
        }
        walk.push(None)?;
        Ok(walk)
    }

    fn finish(self) -> History {
        let ids = self.top;
        let whole = |(change, mut cluster): (Option<Change>, Cluster)| {
            cluster.ids = ids;
            (change, Arc::new(cluster))
        };
        self.steps.into_iter().map(whole).collect()
    }

    /// Records the cluster as it is now.
    fn push(&mut self, change: Option<Change>) -> Result<(), Error> {
        let live = self.nodes.iter().filter(|n| !self.down.contains(&n.id));
        if live.clone().next().is_none() {
            return Err(Error::invalid("no node is left").help("a cluster needs at least one"));
        }
        if live.clone().all(|n| n.weight == 0.0) {
            return Err(Error::invalid("all weights are 0")
                .help("at least one node must have a weight above 0"));
        }
        *self.budget = self.budget.checked_sub(self.nodes.len()).ok_or_else(|| {
            Error::invalid("the paths have too many nodes in all their steps together")
                .help("use fewer nodes, fewer steps or fewer sweeps of the cluster")
        })?;
        let cluster = Cluster {
            nodes: self.nodes.clone(),
            ids: 0,
            down: self.down.iter().copied().collect(),
            // Later steps go by what the change makes of it.
            map: self.start.map.clone().filter(|_| change.is_none()),
        };
        self.steps.push((change, cluster));
        Ok(())
    }

    fn apply(&mut self, alteration: &Alteration) -> Result<Change, Error> {
        let (kind, text) = match alteration {
            Alteration::Add(joining) => {
                let mut added = Vec::new();
                for one in joining {
                    self.add(one, &mut added)?;
                }
                let text = format!("add {}", self.names(&added));
                (ChangeKind::Add(added), text)
            }
            Alteration::Remove(names) => {
                let (gone, text) = self.leave(names)?;
                (ChangeKind::Remove(gone), format!("remove {text}"))
            }
            Alteration::Fail(names, OnFail::Reroute) => {
                let (gone, text) = self.leave(names)?;
                (ChangeKind::Fail(gone, OnFail::Reroute), format!("fail {text}"))
            }
            Alteration::Fail(names, OnFail::Unavailable) => {
                let failed = self.go_down(names)?;
                let text = format!("fail {} (unavailable)", self.names(&failed));
                (ChangeKind::Fail(failed, OnFail::Unavailable), text)
            }
            Alteration::Reweight(weights) => {
                let mut changed = Vec::new();
                for (name, weight) in weights {
                    changed.push((self.member(name)?, *weight));
                }
                let new: BTreeMap<NodeId, f64> = changed.iter().copied().collect();
                for node in &mut self.nodes {
                    if let Some(weight) = new.get(&node.id) {
                        node.weight = *weight;
                        self.known.insert(node.name.clone(), node.clone());
                    }
                }
                let parts = weights.iter().map(|(name, w)| format!("{} = {w}", name.name));
                let text = format!("reweight {}", some_of(parts.collect(), "nodes"));
                (ChangeKind::Reweight(changed), text)
            }
            Alteration::Set(pairs) => (ChangeKind::Set(pairs.clone()), settings("set", pairs)),
            Alteration::Switch(pairs) => {
                (ChangeKind::Switch(pairs.clone()), settings("switch", pairs))
            }
        };
        Ok(Change { kind, text })
    }

    fn add(&mut self, joining: &Joining, added: &mut Vec<NodeId>) -> Result<(), Error> {
        let named = match joining {
            Joining::Count(..) => None,
            Joining::Name(name) => Some((name.name.as_str(), &name.place)),
            Joining::Node(node, place) => Some((&*node.name, place)),
        };
        if let Some((name, place)) = named
            && self.known.get(name).is_some_and(|node| added.contains(&node.id))
        {
            return Err(at(twice(name), place));
        }
        match joining {
            Joining::Count(count, place) => {
                self.check_size(*count).map_err(|error| at(error, place))?;
                for _ in 0..*count {
                    let name = self.unused_name();
                    let node = Node { name: name.into(), ..self.start.joining.clone() };
                    added.push(self.join(node, place.as_ref())?);
                }
            }
            Joining::Name(name) => {
                let node = self.known.get(name.name.as_str()).cloned().unwrap_or_else(|| Node {
                    name: name.name.as_str().into(),
                    ..self.start.joining.clone()
                });
                added.push(self.join(node, name.place.as_ref())?);
            }
            Joining::Node(node, place) => {
                let mut node = (**node).clone();
                if node.capacity.is_empty() && node.headroom.is_empty() {
                    node.capacity = self.start.joining.capacity.clone();
                    node.headroom = self.start.joining.headroom.clone();
                }
                added.push(self.join(node, place.as_ref())?);
            }
        }
        Ok(())
    }

    fn check_size(&self, more: usize) -> Result<(), Error> {
        let size = self.nodes.len().saturating_add(more);
        if size > MAX_NODES {
            return Err(Error::invalid(format!("the cluster would have {size} nodes"))
                .help(format!("at most {MAX_NODES}")));
        }
        Ok(())
    }

    fn join(&mut self, mut node: Node, place: Option<&Place>) -> Result<NodeId, Error> {
        let place = place.cloned();
        self.check_size(1).map_err(|error| at(error, &place))?;
        node.id = self.ids.of(&node.name);
        if !self.members.insert(node.id) {
            let error = Error::invalid(format!("`{}` is a member already", node.name));
            let error = if self.down.contains(&node.id) {
                error.help("it is down; remove it before it is added again")
            } else {
                error.help("node names are unique: take another one")
            };
            return Err(at(error, &place));
        }
        self.top = self.top.max(node.id.0 as usize + 1);
        self.known.insert(node.name.clone(), node.clone());
        let id = node.id;
        self.nodes.push(node);
        Ok(id)
    }

    /// The next name of the template that this path has not used.
    fn unused_name(&mut self) -> String {
        loop {
            let name = self.start.template.replace("{i}", &self.next.to_string());
            self.next += 1;
            if !self.known.contains_key(name.as_str()) {
                return name;
            }
        }
    }

    fn leave(&mut self, names: &[NameRef]) -> Result<(Vec<NodeId>, String), Error> {
        once_each(names)?;
        let mut gone = Vec::new();
        for name in names {
            let id = self.member(name)?;
            gone.push(id);
            self.members.remove(&id);
            self.down.remove(&id);
            self.check_live(name)?;
        }
        self.nodes.retain(|n| self.members.contains(&n.id));
        let names = names.iter().map(|n| n.name.clone()).collect();
        Ok((gone, some_of(names, "nodes")))
    }

    fn go_down(&mut self, names: &[NameRef]) -> Result<Vec<NodeId>, Error> {
        once_each(names)?;
        let mut failed = Vec::new();
        for name in names {
            let id = self.member(name)?;
            if !self.down.insert(id) {
                let error = Error::invalid(format!("`{}` is down already", name.name));
                return Err(at(error, &name.place));
            }
            failed.push(id);
            self.check_live(name)?;
        }
        Ok(failed)
    }

    fn check_live(&self, last: &NameRef) -> Result<(), Error> {
        if self.members.len() > self.down.len() {
            return Ok(());
        }
        let error = Error::invalid(format!("`{}` is the last node", last.name))
            .help("a cluster needs at least one node: add another one first");
        Err(at(error, &last.place))
    }

    fn member(&self, name: &NameRef) -> Result<NodeId, Error> {
        let id = self.known.get(name.name.as_str()).map(|n| n.id);
        if let Some(id) = id.filter(|id| self.members.contains(id)) {
            return Ok(id);
        }
        let members: Vec<&str> = self.nodes.iter().map(|n| &*n.name).collect();
        let mut error = Error::unknown("node", &name.name, members.iter().copied());
        let step = self.steps.len().saturating_sub(1);
        error.message = format!("`{}` is not in the cluster at step {step}", name.name);
        if let Some(known) = error.help.last_mut() {
            *known = format!(
                "members: {}",
                some_of(members.iter().map(|m| m.to_string()).collect(), "nodes")
            );
        }
        Err(at(error, &name.place))
    }

    fn names(&self, ids: &[NodeId]) -> String {
        let name = |id: &NodeId| {
            self.nodes
                .iter()
                .rev()
                .find(|n| n.id == *id)
                .map_or(String::new(), |n| n.name.to_string())
        };
        match ids {
            [first, _, _, .., last] => {
                format!("{} nodes ({} … {})", ids.len(), name(first), name(last))
            }
            few => some_of(few.iter().map(name).collect(), "nodes"),
        }
    }
}

fn twice(name: &str) -> Error {
    Error::invalid(format!("`{name}` is named twice in one change")).help("leave one out")
}

/// Refuses a list that names a node twice.
fn once_each(names: &[NameRef]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    match names.iter().find(|name| !seen.insert(name.name.as_str())) {
        Some(name) => Err(at(twice(&name.name), &name.place)),
        None => Ok(()),
    }
}

fn at(error: Error, place: &Option<Place>) -> Error {
    match place {
        Some(place) => error.at(place.clone()),
        None => error,
    }
}

/// Up to three names, or their number with the first and the last.
fn some_of(names: Vec<String>, what: &str) -> String {
    match names.as_slice() {
        [first, _, _, .., last] => format!("{} {what} ({first} … {last})", names.len()),
        few => few.join(", "),
    }
}

fn settings(verb: &str, pairs: &[(String, Value)]) -> String {
    let parts: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!("{verb} {}", parts.join(", "))
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
