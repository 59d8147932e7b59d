//! Placements as the engine plans them, key by key: for `route` and `check`.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::cluster::{Cluster, NodeId};
use crate::error::Error;
use crate::keys::{KeyBatch, KeySource, PatternBuild};
use crate::scenario::Workload;
use crate::strategy::{Placement, Session, Slot};

/// A placement with the cluster that it was built for.
#[derive(Debug, Clone)]
pub struct Placed<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The placement.
    pub placement: Arc<dyn Placement>,
}

/// The key source of a workload.
pub fn source(workload: &Workload, base: &Path) -> Result<Box<dyn KeySource>, Error> {
    let build = PatternBuild { params: &workload.keys, seed: workload.seed, base };
    (workload.pattern.build)(&build)
}

/// Routes batches at one step: by placement, or request by request where the strategy has sessions.
pub struct Router<'a> {
    placed: &'a Placed<'a>,
    replicas: usize,
    session: Option<Box<dyn Session>>,
    names: Vec<&'a str>,
    slots: Vec<Slot>,
    digests: Vec<u64>,
}

impl<'a> Router<'a> {
    /// A router with no open requests.
    pub fn new(placed: &'a Placed<'a>, replicas: usize) -> Self {
        let mut names = vec![""; placed.cluster.ids];
        for node in &placed.cluster.nodes {
            names[node.id.0 as usize] = &node.name;
        }
        let session = placed.placement.session();
        // A session knows no copies.
        let replicas = if session.is_some() { 1 } else { replicas };
        Router { placed, replicas, session, names, slots: Vec::new(), digests: Vec::new() }
    }

    /// Whether the answer depends on the keys before.
    pub fn has_session(&self) -> bool {
        self.session.is_some()
    }

    /// Places the keys of a batch whose digest columns are computed.
    pub fn route(&mut self, batch: &KeyBatch) {
        self.slots.clear();
        self.slots.resize(batch.len() * self.replicas, Slot::ABSENT);
        match &mut self.session {
            None => self.placed.placement.place(batch, &mut self.slots),
            Some(session) => {
                for (row, slot) in self.slots.iter_mut().enumerate() {
                    let columns = self.placed.placement.columns();
                    self.digests.clear();
                    self.digests.extend(columns.iter().map(|c| batch.digests(c)[row]));
                    *slot = session.route(&self.digests);
                }
            }
        }
        let down = &self.placed.cluster.down;
        if !down.is_empty() {
            let is_down = |slot: &Slot| slot.node().is_some_and(|id| down.contains(&id));
            self.slots.iter_mut().filter(|s| is_down(s)).for_each(|s| *s = Slot::ABSENT);
        }
    }

    /// Where key `row` of the batch lives: its copies in order.
    pub fn slots(&self, row: usize) -> &[Slot] {
        &self.slots[row * self.replicas..][..self.replicas]
    }

    /// The name of a slot; outcomes stand in parentheses, and what is no node of the cluster is the
    /// number of a partition.
    pub fn name(&self, slot: Slot) -> Cow<'a, str> {
        match slot.node() {
            Some(NodeId(id)) => match self.names.get(id as usize) {
                Some(name) => Cow::Borrowed(name),
                None => Cow::Owned(id.to_string()),
            },
            None if slot == Slot::MISROUTED => "(misrouted)".into(),
            None if slot == Slot::REFUSED => "(refused)".into(),
            None => "(absent)".into(),
        }
    }

    /// Appends the names of the copies of key `row`, parted by spaces.
    pub fn push_names(&self, row: usize, out: &mut Vec<u8>) {
        for (i, &slot) in self.slots(row).iter().enumerate() {
            if i > 0 {
                out.push(b' ');
            }
            out.extend_from_slice(self.name(slot).as_bytes());
        }
    }
}
