//! Bounded forwarding: a bounded ring whose requests leave a full node by jumps to random points.
//!
//! # Idea
//! On a bounded ring the requests that meet a full node all walk on to its neighbour, which fills up in
//! turn: full nodes grow into runs. Here a request that meets a full node is hashed again to another place
//! of the ring, so that every node with room is as likely to take it as its share of the ring says.
//!
//! # Source
//! J. Chen, B. Coleman, A. Shrivastava, "Revisiting Consistent Hashing with Bounded Loads", AAAI 2021,
//! <https://arxiv.org/abs/1908.08762>; the cap of V. Mirrokni, M. Thorup, M. Zadimoghaddam, SODA 2018.
//!
//! # Cost
//! A request O(1/ε) jumps for c = 1 + ε. Change: as the ring. Bytes: the ring's, and 8 a node for a session.
//!
//! # Choices made where the source is silent
//! - Jump j of a key goes to number j of SplitMix64 seeded by its digest, cut to the bits of a digest; the
//!   key so has one order of places for good, which the source has too.
//! - After 32 jumps for every point of the ring the walk goes on clockwise from the last place, so that it
//!   ends even where the only nodes with room have nearly no share.
//! - The cap is that of [`super::bounded_ring`]: ⌈c·m·w / Σw⌉ of m open requests, this one included.
//! - Without a session a key is placed at its home, the plain ring's answer.
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
use crate::hash::mix::splitmix64;
use crate::keys::{ColumnSpec, Key, KeyBatch};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-forward",
    title: "Bounded ring, random jumps",
    summary: "a ring whose requests leave full nodes by jumps to random points",
    source: "Chen, Coleman & Shrivastava (2021), https://arxiv.org/abs/1908.08762",
    checked: "jumps over the plain ring's segments with every cap by division",
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
    cost: Cost { lookup: "O(1/ε)", change: "O(n v)", bytes: "the ring's + 8 n" },
    build: |build| {
        let ring = Arc::new(Ring::new(INFO.name, build)?);
        let bound = Arc::new(Bound::new(build.cluster, build.params.float("factor")));
        Ok(Box::new(BoundedForward { ring, bound }))
    },
};

#[derive(Debug)]
struct BoundedForward {
    ring: Arc<Ring>,
    bound: Arc<Bound>,
}

impl Placement for BoundedForward {
    fn columns(&self) -> &[ColumnSpec] {
        self.ring.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.ring.place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        let mask = u64::MAX >> (64 - self.columns()[0].bits());
        let (ring, loads) = (Arc::clone(&self.ring), Loads::new(Arc::clone(&self.bound)));
        Some(Box::new(Open { ring, loads, mask }))
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
    /// The bits of a digest.
    mask: u64,
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        let points = self.ring.len();
        if points == 0 {
            return Slot::ABSENT;
        }
        self.loads.open();
        let mut at = self.ring.find(digests[0]);
        for jump in 1..=32 * points as u64 {
            let owner = self.ring.owner(at);
            if self.loads.has_room(owner) {
                return self.loads.take(owner);
            }
            at = self.ring.find(splitmix64(digests[0], jump) & self.mask);
        }
        for _ in 0..points {
            let owner = self.ring.owner(at);
            if self.loads.has_room(owner) {
                return self.loads.take(owner);
            }
            at = if at + 1 == points { 0 } else { at + 1 };
        }
        unreachable!("the caps sum to more than the requests that are open")
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built, text, weighted};
    use super::*;
    use crate::params::Value;
    use crate::strategy::Ownership;

    /// Jumps over the plain ring's segments and computes every cap by division.
    fn check(weights: &[f64], thousandths: u128, hasher: &str) {
        let cluster = weighted(weights);
        let ring = [("vnodes", Value::Int(20)), ("hasher", text(hasher))];
        let plain = built(&ring::INFO, &cluster, &ring);
        let factor = ("factor", Value::Float(thousandths as f64 / 1000.0));
        let given: Vec<_> = ring.into_iter().chain([factor]).collect();
        let mut session = built(&INFO, &cluster, &given).session().unwrap();
        let Some(Ownership::Segments { segments, bits }) = plain.ownership() else { panic!() };
        let owner = |digest| segments[segments.partition_point(|(end, _)| *end < digest)].1;
        // Weights in tenths are whole.
        let whole = |w: f64| libm::round(w * 10.0) as u128;
        let total: u128 = weights.iter().map(|&w| whole(w)).sum();
        let mut loads = vec![0u128; weights.len()];
        let mut passed = 0;
        for m in 1..=3000u128 {
            let key = format!("user:{}", m * m % 97);
            let batch = KeyBatch::single(&Key::Text(&key), plain.columns());
            let digest = batch.digests(&plain.columns()[0])[0];
            let want = std::iter::once(digest)
                .chain((1..).map(|j| splitmix64(digest, j)))
                .map(|place| owner(if bits == 64 { place } else { place % (1 << bits) }))
                .find(|slot| {
                    let weight = whole(weights[slot.0 as usize]);
                    loads[slot.0 as usize] < (thousandths * m * weight).div_ceil(1000 * total)
                })
                .unwrap();
            loads[want.0 as usize] += 1;
            passed += usize::from(want != owner(digest));
            assert_eq!(session.route(&[digest]), want, "request {m}");
        }
        assert!(passed > 100, "hot keys fill their nodes");
    }

    #[test]
    fn requests_go_where_division_says() {
        check(&[1.0; 8], 1250, "murmur3-32");
        check(&[1.0, 2.0, 0.5, 0.0, 1.5], 1100, "xxh3-64");
        check(&[1.0, 1.0, 3.0], 1001, "crc16-xmodem");
    }

    #[test]
    fn no_nodes_no_place() {
        let placement = built(&INFO, &weighted(&[0.0, 0.0]), &[]);
        assert_eq!(placement.session().unwrap().route(&[7]), Slot::ABSENT);
    }
}
