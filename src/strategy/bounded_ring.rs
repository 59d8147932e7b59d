//! Bounded ring: a ring on which no node holds more than c times its fair share of open requests.
//!
//! # Idea
//! A request goes to the first node clockwise that still has room. Only requests that meet a full node
//! walk on, so that the ring keeps most of its stability and no node is overloaded by a hot key.
//!
//! # Source
//! V. Mirrokni, M. Thorup, M. Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018,
//! <https://arxiv.org/abs/1608.01350>.
//!
//! # Cost
//! A request O(1/ε²) points for c = 1 + ε. Change: as the ring. Bytes: the ring's, and 8 a node for a
//! session.
//!
//! # Choices made where the source is silent
//! - cap = ⌈c·m·w / Σw⌉ where m counts the open requests, this one included, so that there is always
//!   room somewhere. c is rounded to thousandths, weights to millionths (at least one): the comparison
//!   is exact in integers.
//! - The walk goes from point to point of the ring, full nodes passed each time they are met.
//! - Without a session a key is placed at its home, the plain ring's answer.
//! - Ownership is not stated: how much a node gets depends on the requests.
//!
//! # Checked against
//! What `INFO.checked` says.

use std::sync::Arc;

use super::bound::{Bound, FACTOR, Loads};
use super::ring::{self, Ring};
use super::support::step;
use super::{
    Caps, Cost, Explanation, History, Movement, Order, Placement, Session, Slot, StrategyInfo,
    Weights,
};
use crate::keys::{ColumnSpec, Key, KeyBatch};

/// Static facts. Movement beyond the minimum is bounded in expectation: O(1/ε²) requests for each
/// node or request that comes or goes.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-ring",
    title: "Bounded ring",
    summary: "a ring whose requests pass by nodes that hold c times their fair share",
    source: "Mirrokni, Thorup & Zadimoghaddam (2018), https://arxiv.org/abs/1608.01350",
    checked: "a walk that computes every cap by division; the bound ⌈c·m/n⌉",
    caps: Caps {
        weights: Weights::Rounded,
        replicas: false,
        names: true,
        sessions: true,
        integer_keys: false,
        positional: false,
    },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[
        ring::PARAMS[0],
        ring::PARAMS[1],
        ring::PARAMS[2],
        ring::PARAMS[3],
        ring::PARAMS[4],
        ring::PARAMS[5],
        ring::PARAMS[6],
        ring::PARAMS[7],
        FACTOR,
    ],
    cost: Cost { lookup: "O(1/ε²)", change: "O(n v)", bytes: "the ring's + 8 n" },
    build: |build| {
        let ring = Arc::new(Ring::new(INFO.name, build)?);
        let bound = Bound::new(build.cluster, build.params.float("factor"));
        Ok(Box::new(BoundedRing { ring, bound: Arc::new(bound) }))
    },
};

#[derive(Debug)]
struct BoundedRing {
    ring: Arc<Ring>,
    bound: Arc<Bound>,
}

impl Placement for BoundedRing {
    fn columns(&self) -> &[ColumnSpec] {
        self.ring.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.ring.place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        Some(Box::new(Open {
            ring: Arc::clone(&self.ring),
            loads: Loads::new(Arc::clone(&self.bound)),
        }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.ring.explain(key);
        explanation.steps.push(step("home, where the key goes while its node has room", ""));
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.ring.heap_bytes() + self.bound.session_bytes()
    }

    fn points(&self) -> u64 {
        self.ring.points()
    }
}

/// Requests that stay open.
struct Open {
    ring: Arc<Ring>,
    loads: Loads,
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        let len = self.ring.len();
        if len == 0 {
            return Slot::ABSENT;
        }
        self.loads.open();
        let mut at = self.ring.find(digests[0]);
        for _ in 0..len {
            let owner = self.ring.owner(at);
            if self.loads.has_room(owner) {
                return self.loads.take(owner);
            }
            at = if at + 1 == len { 0 } else { at + 1 };
        }
        unreachable!("the caps sum to more than the requests that are open")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use crate::strategy::{Build, Ownership};
    use std::path::Path;

    fn place(info: &StrategyInfo, weights: &[f64], factor: Option<f64>) -> Box<dyn Placement> {
        let mut cluster = Cluster::numbered(weights.len(), "db{i}");
        for (node, &weight) in cluster.nodes.iter_mut().zip(weights) {
            node.weight = weight;
        }
        let mut given = vec![("vnodes".into(), Value::Int(20))];
        given.extend(factor.map(|factor| ("factor".into(), Value::Float(factor))));
        let params = Params::from_pairs(info.params, given).unwrap();
        let build = Build {
            cluster: &cluster,
            params: &params,
            keys: KeyKind::Text,
            replicas: 1,
            base: Path::new(""),
        };
        (info.build)(&build).unwrap()
    }

    /// Walks the plain ring's segments and computes every cap by division.
    fn check(weights: &[f64], thousandths: u128) {
        let placement = place(&INFO, weights, Some(thousandths as f64 / 1000.0));
        let plain = place(&ring::INFO, weights, None);
        let Some(Ownership::Segments { segments, .. }) = plain.ownership() else { panic!() };
        // Weights in tenths are whole.
        let whole = |w: f64| libm::round(w * 10.0) as u128;
        let total: u128 = weights.iter().map(|&w| whole(w)).sum();
        let mut loads = vec![0u128; weights.len()];
        let mut session = placement.session().unwrap();
        let mut passed = 0;
        for m in 1..=3000u128 {
            let key = format!("user:{}", m * m % 97);
            let batch = KeyBatch::single(&Key::Text(&key), plain.columns());
            let digest = batch.digests(&plain.columns()[0])[0];
            let home = segments.partition_point(|(end, _)| *end < digest);
            let want = (0..)
                .map(|k| segments[(home + k) % segments.len()].1)
                .find(|slot| {
                    let weight = whole(weights[slot.0 as usize]);
                    loads[slot.0 as usize] < (thousandths * m * weight).div_ceil(1000 * total)
                })
                .unwrap();
            loads[want.0 as usize] += 1;
            passed += usize::from(want != segments[home].1);
            assert_eq!(session.route(&[digest]), want, "request {m}");
        }
        assert!(passed > 100, "hot keys fill their nodes");
    }

    #[test]
    fn requests_go_where_division_says() {
        check(&[1.0; 8], 1250);
        check(&[1.0, 2.0, 0.5, 0.0, 1.5], 1100);
        check(&[1.0, 0.1, 3.0], 1001);
    }

    #[test]
    fn no_nodes_no_place() {
        let placement = place(&INFO, &[0.0, 0.0], Some(1.25));
        assert_eq!(placement.session().unwrap().route(&[7]), Slot::ABSENT);
    }
}
