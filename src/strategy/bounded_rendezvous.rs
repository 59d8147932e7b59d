//! Bounded rendezvous: the node with the highest score that holds less than c times its fair share.
//!
//! # Idea
//! Rendezvous ranks all nodes for every key; a request goes down its own ranking to the first node with
//! room. What a full node cannot take is spread over all others, where a ring sends it to its neighbours.
//!
//! # Source
//! The bound of V. Mirrokni, M. Thorup, M. Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA
//! 2018, <https://arxiv.org/abs/1608.01350>, on the ranking of D. Thaler, C. Ravishankar, 1998, doi
//! 10.1109/90.663936.
//!
//! # Cost
//! A request O(n). Change: none beyond the list. Bytes: rendezvous' 20 a node and 8 for a session.
//!
//! # Choices made where the source is silent
//! - Scores, weights and ties are those of [`super::rendezvous`], the bound is that of
//!   [`super::bounded_ring`]: ⌈c·m·w / Σw⌉ of m open requests, this one included.
//! - Without a session a key is placed at its home, the highest score of all.
//!
//! # Checked against
//! What `INFO.checked` says.

use std::sync::Arc;

use super::bound::{Bound, FACTOR, Loads};
use super::rendezvous::Rendezvous;
use super::support::step;
use super::{
    Caps, Cost, Explanation, History, Movement, Order, Placement, Session, Slot, StrategyInfo,
    Weights,
};
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-rendezvous",
    title: "Bounded rendezvous",
    summary: "the highest score among the nodes that hold less than c times their fair share",
    source: "Mirrokni, Thorup & Zadimoghaddam (2018), https://arxiv.org/abs/1608.01350; \
             Thaler & Ravishankar (1998), doi 10.1109/90.663936",
    checked: "a walk down the full ranking that computes every cap by division",
    caps: Caps {
        weights: Weights::Exact,
        replicas: false,
        names: true,
        sessions: true,
        integer_keys: false,
        positional: false,
    },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[HASHER, HASH_SEED, VIEW, FACTOR],
    cost: Cost { lookup: "O(n)", change: "O(1)", bytes: "28 n" },
    build: |build| {
        let nodes = Arc::new(Rendezvous::new(INFO.name, build)?);
        let bound = Arc::new(Bound::new(build.cluster, build.params.float("factor")));
        Ok(Box::new(BoundedRendezvous { nodes, bound }))
    },
};

#[derive(Debug)]
struct BoundedRendezvous {
    nodes: Arc<Rendezvous>,
    bound: Arc<Bound>,
}

impl Placement for BoundedRendezvous {
    fn columns(&self) -> &[ColumnSpec] {
        self.nodes.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.nodes.place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        let (nodes, loads) = (Arc::clone(&self.nodes), Loads::new(Arc::clone(&self.bound)));
        Some(Box::new(Open { nodes, loads }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.nodes.explain(key);
        explanation.steps.push(step("home, where the key goes while its node has room", ""));
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.nodes.heap_bytes() + self.bound.session_bytes()
    }
}

/// Requests that stay open.
struct Open {
    nodes: Arc<Rendezvous>,
    loads: Loads,
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        self.loads.open();
        match self.nodes.best_of(digests[0], |node| self.loads.has_room(node)) {
            Some(node) => self.loads.take(node),
            None => Slot::ABSENT,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rendezvous;
    use super::super::testing::{built, weighted, with_build};
    use super::*;
    use crate::keys::KeyKind;
    use crate::params::Value;

    /// Walks the ranking that rendezvous gives as replicas and computes every cap by division.
    fn check(weights: &[f64], thousandths: u128) {
        let cluster = weighted(weights);
        let factor = Value::Float(thousandths as f64 / 1000.0);
        let mut session = built(&INFO, &cluster, &[("factor", factor)]).session().unwrap();
        let ranking = with_build(&rendezvous::INFO, &cluster, KeyKind::Text, &[], |build| {
            let all = crate::strategy::Build { replicas: weights.len(), ..*build };
            rendezvous::INFO.place(&all).unwrap()
        });
        // Weights in tenths are whole.
        let whole = |w: f64| libm::round(w * 10.0) as u128;
        let total: u128 = weights.iter().map(|&w| whole(w)).sum();
        let mut loads = vec![0u128; weights.len()];
        let mut passed = 0;
        for m in 1..=2000u128 {
            let key = format!("user:{}", m * m % 97);
            let batch = KeyBatch::single(&Key::Text(&key), ranking.columns());
            let mut ranked = vec![Slot::MISROUTED; weights.len()];
            ranking.place(&batch, &mut ranked);
            let has_room = |slot: &&Slot| {
                let cap =
                    (thousandths * m * whole(weights[slot.0 as usize])).div_ceil(1000 * total);
                loads[slot.0 as usize] < cap
            };
            let want = *ranked.iter().filter(|s| s.node().is_some()).find(has_room).unwrap();
            loads[want.0 as usize] += 1;
            passed += usize::from(want != ranked[0]);
            let digest = batch.digests(&ranking.columns()[0])[0];
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
        let placement = built(&INFO, &weighted(&[0.0, 0.0]), &[]);
        assert_eq!(placement.session().unwrap().route(&[7]), Slot::ABSENT);
    }
}
