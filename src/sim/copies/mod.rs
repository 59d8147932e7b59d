//! Counts of the copies of keys: where they are, which sets of nodes hold one key, who inherits from a
//! primary, and what stays within a zone.

pub mod record;

use std::collections::BTreeMap;

use super::plan::PlannedCell;
use super::tally::{Counts, MAX_PAIRS};
use crate::cluster::domains;
use crate::strategy::Slot;

/// Most distinct sets of nodes that are counted one by one.
const MAX_SETS: usize = 1 << 18;

/// The counts of the copies at one step.
#[derive(Debug, Clone)]
pub struct CopyTally {
    /// Rows of the batch seen.
    pub keys: u64,
    /// Copies by row of the tally.
    pub at: Counts,
    /// Rows by primary, by node id.
    pub primaries: Counts,
    /// Rows with fewer distinct nodes than replicas.
    pub short_keys: u64,
    /// Rows with fewer distinct zones than replicas.
    pub short_zones: u64,
    /// Rows by the set of nodes that hold them, ids ascending; None when there are too many sets.
    pub sets: Option<BTreeMap<Box<[u32]>, u64>>,
    /// Rows whose primary is a and whose second copy is b, at `a × ids + b`; empty when that is too
    /// many pairs.
    pub heirs: Vec<u64>,
    /// Rows by zone of a client and node that it reads from, at `zone × ids + node`: the copy in its
    /// zone, else the primary.
    pub reads: Vec<u64>,
    /// Zone of each node by id; empty where no node has one.
    zone: Vec<u32>,
    zones: usize,
    ids: usize,
    replicas: usize,
}

/// The zone of each node by id, and how many zones there are: its zone, or its rack where no node
/// has a zone. Nodes that lack it are zones of their own. Empty where no node has either.
pub fn zones(cell: &PlannedCell<'_>, step: usize) -> (Vec<u32>, usize) {
    let cluster = &cell.cell.steps[step].cluster;
    let has_zone = cluster.nodes.iter().any(|n| n.zone.is_some());
    let has_rack = cluster.nodes.iter().any(|n| n.rack.is_some());
    if !has_zone && !has_rack {
        return (Vec::new(), 0);
    }
    domains(cluster.nodes.iter(), cluster.ids, |node| {
        if has_zone { node.zone.as_deref() } else { node.rack.as_deref() }
    })
}

impl CopyTally {
    /// No counts; None for a cell of one replica.
    pub fn new(cell: &PlannedCell<'_>, step: usize) -> Option<Self> {
        let replicas = cell.cell.replicas;
        if replicas < 2 {
            return None;
        }
        let (zone, zones) = zones(cell, step);
        Some(CopyTally::empty(cell.cell.steps[step].cluster.ids, replicas, zone, zones))
    }

    /// No counts of so many nodes; `zone` is empty where nodes have none.
    fn empty(ids: usize, replicas: usize, zone: Vec<u32>, zones: usize) -> Self {
        let dense = |count: usize| if count <= MAX_PAIRS { vec![0; count] } else { Vec::new() };
        CopyTally {
            keys: 0,
            at: vec![0; ids + Slot::OUTCOMES],
            primaries: vec![0; ids],
            short_keys: 0,
            short_zones: 0,
            sets: Some(BTreeMap::new()),
            heirs: dense(ids * ids),
            reads: dense(zones * ids),
            zone,
            zones,
            ids,
            replicas,
        }
    }

    /// Counts a batch: `slots` is keys × replicas, key-major.
    pub fn count(&mut self, slots: &[Slot]) {
        let mut set: Vec<u32> = Vec::with_capacity(self.replicas);
        for copies in slots.chunks_exact(self.replicas) {
            self.keys += 1;
            set.clear();
            for slot in copies {
                self.at[slot.index(self.ids)] += 1;
                if let Some(node) = slot.node()
                    && !set.contains(&node.0)
                {
                    set.push(node.0);
                }
            }
            self.short_keys += u64::from(set.len() < self.replicas);
            if let Some(primary) = copies[0].node() {
                let primary = primary.0 as usize;
                self.primaries[primary] += 1;
                if let Some(second) = copies[1].node()
                    && let Some(pair) = self.heirs.get_mut(primary * self.ids + second.0 as usize)
                {
                    *pair += 1;
                }
            }
            self.count_zones(&set);
            set.sort_unstable();
            self.count_set(&set);
        }
    }

    /// The nodes of a key in the order of its copies.
    fn count_zones(&mut self, nodes: &[u32]) {
        if self.zone.is_empty() {
            return;
        }
        let zone = |node: &u32| self.zone[*node as usize];
        let repeated = nodes
            .iter()
            .enumerate()
            .filter(|(i, node)| nodes[..*i].iter().any(|before| zone(before) == zone(node)));
        let distinct = nodes.len() - repeated.count();
        self.short_zones += u64::from(distinct < self.replicas);
        let Some(primary) = nodes.first() else { return };
        if !self.reads.is_empty() {
            for client in 0..self.zones {
                let own = nodes.iter().find(|node| zone(node) as usize == client);
                let node = *own.unwrap_or(primary) as usize;
                self.reads[client * self.ids + node] += 1;
            }
        }
    }

    fn count_set(&mut self, set: &[u32]) {
        let Some(sets) = &mut self.sets else { return };
        if set.is_empty() {
            return;
        }
        if let Some(count) = sets.get_mut(set) {
            *count += 1;
        } else if sets.len() < MAX_SETS {
            sets.insert(set.into(), 1);
        } else {
            self.sets = None;
        }
    }

    /// Adds another worker's counts. Which worker met which batch makes no difference: the sets are
    /// given up when there are too many of them in all.
    pub fn merge(&mut self, other: &CopyTally) {
        let add = |mine: &mut [u64], theirs: &[u64]| {
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        };
        self.keys += other.keys;
        add(&mut self.at, &other.at);
        add(&mut self.primaries, &other.primaries);
        add(&mut self.heirs, &other.heirs);
        add(&mut self.reads, &other.reads);
        self.short_keys += other.short_keys;
        self.short_zones += other.short_zones;
        let (Some(sets), Some(theirs)) = (&mut self.sets, &other.sets) else {
            self.sets = None;
            return;
        };
        for (set, count) in theirs {
            *sets.entry(set.clone()).or_default() += count;
        }
        if sets.len() > MAX_SETS {
            self.sets = None;
        }
    }

    /// Number of zones; 0 where no node has one.
    pub fn zones(&self) -> usize {
        self.zones
    }

    /// The zone of a node.
    pub fn zone(&self, id: usize) -> usize {
        self.zone[id] as usize
    }

    /// Bytes that the tally of a step may take beside its sets.
    pub fn bytes(ids: usize) -> u64 {
        8 * (2 * (ids * ids).min(MAX_PAIRS) + 2 * ids) as u64
    }
}
