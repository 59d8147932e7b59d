//! Deliberately broken copies: each contract must notice the one made for it.

use std::sync::atomic::{AtomicU32, Ordering};

use shardlab::cluster::{Change, Cluster};
use shardlab::error::Error;
use shardlab::keys::{ColumnSpec, Key, KeyBatch, KeyRange};
use shardlab::strategy::{Build, Explanation, Ownership, Placement, Session, Slot};

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// One key in a thousand lives on a node that is not there.
    OutOfRange,
    /// One key in a thousand lives elsewhere every time.
    Flaky,
    /// One key in a hundred lives on a node that the number of nodes decides.
    Reshuffles,
    /// Three keys in four do.
    ReshufflesMost,
    /// Weights are not looked at.
    IgnoresWeights,
    /// One key in a hundred lives on the first node of the list.
    FollowsOrder,
    /// Placed as if the nodes had other names than they have: names do not matter.
    IgnoresNames,
    /// The first change is slept through, and all that follow.
    Sleeps,
    /// A single key is placed by another rule than a batch.
    SingleDiffers,
    /// The explanation ends at another node.
    ExplainsWrong,
    /// Two nodes' shares are exchanged.
    SwapsShares,
    /// The first owner of a range is not named.
    ForgetsOwners,
    /// All replicas are on one node.
    RepeatsReplicas,
    /// A session sends everything to one node.
    Overloads,
}

impl Fault {
    /// The cluster that the broken strategy is built from.
    pub fn cluster(self, cluster: &Cluster) -> Cluster {
        let mut seen = cluster.clone();
        for (i, node) in seen.nodes.iter_mut().enumerate() {
            match self {
                Fault::IgnoresWeights => node.weight = 1.0,
                Fault::IgnoresNames => node.name = format!("number {i}").into(),
                _ => {}
            }
        }
        seen
    }
}

/// A placement with a fault.
#[derive(Debug)]
pub struct Broken {
    inner: Box<dyn Placement>,
    fault: Fault,
    nodes: Vec<Slot>,
    calls: AtomicU32,
}

impl Broken {
    pub fn new(inner: Box<dyn Placement>, fault: Fault, cluster: &Cluster) -> Self {
        let nodes = cluster.nodes.iter().map(|n| n.id.into()).collect();
        Broken { inner, fault, nodes, calls: AtomicU32::new(0) }
    }

    fn other(&self, slot: Slot) -> Slot {
        *self.nodes.iter().find(|s| **s != slot).unwrap_or(&slot)
    }
}

impl Placement for Broken {
    fn columns(&self) -> &[ColumnSpec] {
        self.inner.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.inner.place(batch, out);
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        // Strategies without a hash have no fault that goes by a digest.
        let Some(column) = self.columns().first() else { return };
        let digests = batch.digests(column);
        let n = self.nodes.len();
        let replicas = out.len() / batch.len();
        for (slots, &digest) in out.chunks_exact_mut(replicas).zip(digests) {
            let (slot, by_size) = (slots[0], self.nodes[(digest % n as u64) as usize]);
            let rare = |one_in: u64| (digest >> 3).is_multiple_of(one_in);
            slots[0] = match self.fault {
                Fault::OutOfRange if rare(1000) => Slot(n as u32 + 100),
                Fault::Flaky if (digest >> 3).wrapping_add(call.into()).is_multiple_of(1000) => {
                    self.other(slot)
                }
                Fault::Reshuffles if rare(100) => by_size,
                Fault::ReshufflesMost if !rare(4) => by_size,
                Fault::FollowsOrder if rare(100) => self.nodes[0],
                Fault::SingleDiffers if batch.len() == 1 => self.other(slot),
                _ => slot,
            };
            if self.fault == Fault::RepeatsReplicas {
                let first = slots[0];
                slots.fill(first);
            }
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        if self.fault == Fault::Sleeps {
            // Keeps the node list of before: the removed node goes on to serve.
            let nodes = self.nodes.clone();
            return Some(Ok(Box::new(Asleep { nodes, columns: self.columns().to_vec() })));
        }
        self.inner.evolve(change, after)
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        match self.fault {
            Fault::Overloads => Some(Box::new(OneNode(self.nodes[0]))),
            _ => self.inner.session(),
        }
    }

    fn segments(&self) -> Option<Vec<(u64, Slot)>> {
        self.inner.segments()
    }

    fn ownership(&self) -> Option<Ownership> {
        let ownership = self.inner.ownership()?;
        if self.fault != Fault::SwapsShares {
            return Some(ownership);
        }
        let (a, b) = (self.nodes[0], self.nodes[1]);
        let swap = |slot: Slot| if slot == a { b } else { slot };
        Some(match ownership {
            Ownership::Segments { bits, segments } => Ownership::Segments {
                bits,
                segments: segments.into_iter().map(|(end, slot)| (end, swap(slot))).collect(),
            },
            Ownership::Buckets(slots) => Ownership::Buckets(slots.into_iter().map(swap).collect()),
        })
    }

    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        let owners = self.inner.owners(range)?;
        let forgotten = usize::from(self.fault == Fault::ForgetsOwners).min(owners.len());
        Some(owners[forgotten..].to_vec())
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.inner.explain(key);
        if self.fault == Fault::ExplainsWrong {
            explanation.slot = self.other(explanation.slot);
        }
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.inner.heap_bytes()
    }

    fn points(&self) -> u64 {
        self.inner.points()
    }
}

/// A placement that missed a change: by position among the nodes of before.
#[derive(Debug, Clone)]
struct Asleep {
    nodes: Vec<Slot>,
    columns: Vec<ColumnSpec>,
}

impl Placement for Asleep {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (slot, digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = self.nodes[(digest % self.nodes.len() as u64) as usize];
        }
    }

    fn evolve(
        &self,
        _change: &Change,
        _after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        Some(Ok(Box::new(self.clone())))
    }

    fn explain(&self, _key: &Key<'_>) -> Explanation {
        Explanation { steps: Vec::new(), slot: Slot::ABSENT }
    }

    fn heap_bytes(&self) -> u64 {
        0
    }
}

struct OneNode(Slot);

impl Session for OneNode {
    fn route(&mut self, _digests: &[u64]) -> Slot {
        self.0
    }
}
