//! Rack-aware: a home rack for every key, a home node in it, and other racks only when the rack is full.
//!
//! # Idea
//! The key's hash chooses a rack, which stands for the rack whose clients ask for it, and a node in that
//! rack. A request that meets a full node goes to the next node of the same rack, which costs no traffic
//! between racks; only when the whole rack holds c times its share does it fall back to the next rack.
//!
//! # Source
//! Preference for the closest replica set by rack: HDFS, K. Shvachko et al., "The Hadoop Distributed File
//! System", MSST 2010, doi 10.1109/MSST.2010.5496972; the same with a threshold and fall-back as zone-aware
//! and priority routing in Envoy,
//! <https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/priority>; the
//! cap of V. Mirrokni, M. Thorup, M. Zadimoghaddam, SODA 2018.
//!
//! # Cost
//! A request O(n) for every rack that it meets. Change: none beyond the lists. Bytes: rendezvous' 20 a node,
//! 24 a rack, 12 a node for a session and its rack.
//!
//! # Choices made where the source is silent
//! - Both choices are weighted rendezvous: of racks by the sum of their nodes' weights, of nodes by their
//!   own; so without full nodes every node has its fair share. A rack's score mixes the key's digest with
//!   number 1 of SplitMix64 seeded by the digest of the rack's name, a node's is that of
//!   [`super::rendezvous`].
//! - Racks are told apart by `rack`, or with `domain = "zone"` by `zone`; nodes without one share a nameless
//!   rack.
//! - The load threshold is the cap of [`super::bounded_ring`], ⌈c·m·w / Σw⌉ of m open requests over all
//!   racks. Falling back follows the key's own order of racks, and in each rack its order of nodes.
//! - A node that joins or leaves changes its rack's weight, so that keys move between that rack and the
//!   others, and the rack's own nodes receive some of those.
//! - Without a session a key is placed at its home.
//!
//! # Checked against
//! What `INFO.checked` says.

use std::sync::Arc;

use super::bound::{Bound, FACTOR, Loads};
use super::rendezvous::{Rendezvous, unit};
use super::support::{label_hash, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Session, Slot,
    StrategyInfo, Weights,
};
use crate::error::Error;
use crate::hash::mix::{fmix64, splitmix64};
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "rack-aware",
    title: "Rack-aware",
    summary: "a home rack and a home node in it by rendezvous; full nodes pass requests on within the rack, full racks to others",
    source: "Shvachko et al. (2010), doi 10.1109/MSST.2010.5496972; \
             https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/priority",
    checked: "the two orders written out by sorting; that no request leaves its rack while it has room; fair shares",
    caps: Caps { weights: Weights::Exact, names: true, sessions: true, ..Caps::NONE },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        FACTOR,
        Param::new(
            "domain",
            Type::Choice(&["rack", "zone"]),
            Default::Text("rack"),
            "what a request stays in while it has room",
        ),
    ],
    cost: Cost { lookup: "O(n)", change: "O(n log n)", bytes: "32 n + 24 · racks" },
    build: |build| {
        let racks = Arc::new(Racks::new(build)?);
        let bound = Arc::new(Bound::new(build.cluster, build.params.float("factor")));
        Ok(Box::new(RackAware { racks, bound }))
    },
};

#[derive(Debug)]
struct RackAware {
    racks: Arc<Racks>,
    bound: Arc<Bound>,
}

/// One rack.
#[derive(Debug)]
struct Rack {
    name: Arc<str>,
    /// Mixed digest of the name.
    mixed: u64,
    weight: f64,
}

#[derive(Debug)]
struct Racks {
    nodes: Rendezvous,
    /// In the order of their names.
    racks: Vec<Rack>,
    /// Rack of each node by id; beyond the racks for those that are no members.
    rack_of: Vec<u32>,
}

impl Racks {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let nodes = Rendezvous::new(INFO.name, build)?;
        let hash = label_hash(INFO.name, &build.params.column())?;
        let by_zone = build.params.text("domain") == "zone";
        let rack = |node: &crate::cluster::Node| -> Arc<str> {
            let named = if by_zone { &node.zone } else { &node.rack };
            named.clone().unwrap_or_else(|| "".into())
        };
        let mut members: Vec<_> = build
            .cluster
            .nodes
            .iter()
            .filter(|n| n.weight > 0.0)
            .map(|n| (rack(n), n.name.clone(), n))
            .collect();
        // By rack, and within it by name, so that sums do not depend on the order of the nodes.
        members.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let mut racks: Vec<Rack> = Vec::new();
        let mut rack_of = vec![u32::MAX; build.cluster.ids];
        for (name, _, node) in members {
            if racks.last().is_none_or(|last| last.name != name) {
                let mixed = splitmix64(hash.hash(name.as_bytes()), 1);
                racks.push(Rack { name, mixed, weight: 0.0 });
            }
            rack_of[node.id.0 as usize] = racks.len() as u32 - 1;
            racks.last_mut().expect("pushed above").weight += node.weight;
        }
        Ok(Racks { nodes, racks, rack_of })
    }

    /// −ln u / w of a rack: least for the first choice.
    fn cost(&self, rack: usize, digest: u64) -> f64 {
        let Rack { mixed, weight, .. } = self.racks[rack];
        -libm::log(unit(fmix64(mixed ^ digest))) / weight
    }

    /// The first rack in the key's order.
    fn home(&self, digest: u64) -> Option<usize> {
        let mut best = None;
        for rack in 0..self.racks.len() {
            let cost = self.cost(rack, digest);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, rack));
            }
        }
        best.map(|(_, rack)| rack)
    }

    /// All racks in the key's order.
    fn order(&self, digest: u64) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> =
            (0..self.racks.len()).map(|rack| (self.cost(rack, digest), rack)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, rack)| rack).collect()
    }

    fn is_in(&self, node: Slot, rack: usize) -> bool {
        self.rack_of[node.0 as usize] as usize == rack
    }

    /// The first node of a rack that passes, in the key's order.
    fn node(&self, digest: u64, rack: usize, passes: impl Fn(Slot) -> bool) -> Option<Slot> {
        self.nodes.best_of(digest, |node| self.is_in(node, rack) && passes(node))
    }
}

impl Placement for RackAware {
    fn columns(&self) -> &[ColumnSpec] {
        self.racks.nodes.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let racks = &self.racks;
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns()[0])) {
            let home = racks.home(digest).and_then(|rack| racks.node(digest, rack, |_| true));
            *slot = home.unwrap_or(Slot::ABSENT);
        }
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        let (racks, loads) = (Arc::clone(&self.racks), Loads::new(Arc::clone(&self.bound)));
        Some(Box::new(Open { racks, loads }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, self.columns()).digests(&self.columns()[0])[0];
        let racks = &self.racks;
        let mut steps = vec![super::support::digest_step(&self.columns()[0], key, digest)];
        let order = racks.order(digest);
        let Some(&home) = order.first() else {
            return Explanation { steps, slot: Slot::ABSENT };
        };
        let shown = |rack: &usize| format!("{:?}", racks.racks[*rack].name);
        let names: Vec<String> = order.iter().take(3).map(shown).collect();
        steps.push(step("racks in the key's order", names.join(", ")));
        let slot = racks.node(digest, home, |_| true).expect("a rack has nodes");
        steps.push(step("home, where the key goes while its node has room", ""));
        Explanation { steps, slot }
    }

    fn heap_bytes(&self) -> u64 {
        let racks = 24 * self.racks.racks.len() + 4 * self.racks.rack_of.len();
        self.racks.nodes.heap_bytes() + racks as u64 + self.bound.session_bytes()
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(self.racks.racks.len() as f64 + self.racks.nodes.lookup_steps()?)
    }
}

/// Requests that stay open.
struct Open {
    racks: Arc<Racks>,
    loads: Loads,
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        let digest = digests[0];
        self.loads.open();
        let Some(home) = self.racks.home(digest) else { return Slot::ABSENT };
        if let Some(node) = self.racks.node(digest, home, |node| self.loads.has_room(node)) {
            return self.loads.take(node);
        }
        for rack in self.racks.order(digest) {
            if let Some(node) = self.racks.node(digest, rack, |node| self.loads.has_room(node)) {
                return self.loads.take(node);
            }
        }
        unreachable!("the caps sum to more than the requests that are open")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{answers, assert_shares, built, text, weighted, with_build};
    use super::*;
    use crate::cluster::Cluster;
    use crate::keys::KeyKind;
    use crate::params::Value;

    /// Nodes by rack letter, the weights given.
    fn cluster(racks: &str, weights: &[f64]) -> Cluster {
        let mut cluster = weighted(weights);
        for (node, rack) in cluster.nodes.iter_mut().zip(racks.chars()) {
            node.rack = Some(rack.to_string().into());
        }
        cluster
    }

    #[test]
    fn homes_are_fair_for_racks_and_nodes_of_any_weight() {
        let weights = [1.0, 2.0, 0.5, 3.0, 0.0, 1.0, 1.5];
        for (racks, domain) in [("aabbbcd", "rack"), ("aaaaaaa", "rack"), ("abcdefg", "zone")] {
            let placement = built(&INFO, &cluster(racks, &weights), &[("domain", text(domain))]);
            let mut counts = [0; 7];
            answers(&*placement, 100_000).iter().for_each(|s| counts[s.0 as usize] += 1);
            assert_shares(racks, &counts, &weights.map(|w| w / 9.0));
        }
    }

    /// Home rack first, others only when every node of it is full by division.
    #[test]
    fn requests_leave_their_rack_only_when_it_is_full() {
        let (letters, weights) = ("abbaccb", [1.0, 2.0, 0.5, 1.0, 1.0, 1.0, 1.5]);
        let cluster = cluster(letters, &weights);
        let rack = |slot: Slot| letters.as_bytes()[slot.0 as usize];
        let given = [("factor", Value::Float(1.1))];
        let placement = built(&INFO, &cluster, &given);
        let racks = with_build(&INFO, &cluster, KeyKind::Text, &given, |b| Racks::new(b).unwrap());
        let mut session = placement.session().unwrap();
        let mut loads = [0u64; 7];
        let (mut same_rack, mut fell_back) = (0, 0);
        for m in 1..=3000u64 {
            let key = format!("user:{}", m * m % 97);
            let batch = KeyBatch::single(&Key::Text(&key), placement.columns());
            let digest = batch.digests(&placement.columns()[0])[0];
            let mut home = [Slot::MISROUTED];
            placement.place(&batch, &mut home);
            // Weights in halves: ⌈1.1·m·2w / 16⌉.
            let cap = |i: usize| (11 * m * (2.0 * weights[i]) as u64).div_ceil(160);
            let has_room = |i: usize| loads[i] < cap(i);
            let at_home = (0..7).any(|i| rack(Slot(i as u32)) == rack(home[0]) && has_room(i));
            let home_has_room = has_room(home[0].0 as usize);
            let slot = session.route(&[digest]);
            assert!(has_room(slot.0 as usize), "request {m}");
            if home_has_room {
                assert_eq!(slot, home[0], "request {m}");
            } else if at_home {
                assert_eq!(rack(slot), rack(home[0]), "request {m}");
                same_rack += 1;
            } else {
                let with_room =
                    |r: &usize| (0..7).any(|i| racks.is_in(Slot(i), *r) && has_room(i as usize));
                let next = racks.order(digest).into_iter().find(with_room).unwrap();
                assert!(racks.is_in(slot, next), "request {m}");
                fell_back += 1;
            }
            loads[slot.0 as usize] += 1;
        }
        assert!(same_rack > 50 && fell_back > 50, "{same_rack} {fell_back}");
    }

    #[test]
    fn no_nodes_no_place() {
        let placement = built(&INFO, &weighted(&[0.0, 0.0]), &[]);
        assert_eq!(placement.session().unwrap().route(&[7]), Slot::ABSENT);
        assert_eq!(answers(&*placement, 1), [Slot::ABSENT]);
    }
}
