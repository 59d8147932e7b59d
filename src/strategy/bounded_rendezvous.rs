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

use super::bound::{self, Bounded, FACTOR, Loads};
use super::rendezvous::Rendezvous;
use super::{Caps, Cost, History, Movement, Order, Slot, StrategyInfo, Weights};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-rendezvous",
    title: "Bounded rendezvous",
    summary: "the highest score among the nodes that hold less than c times their fair share",
    source: "Mirrokni, Thorup & Zadimoghaddam (2018), https://arxiv.org/abs/1608.01350; \
             Thaler & Ravishankar (1998), doi 10.1109/90.663936",
    checked: "a walk down the full ranking that computes every cap by division",
    caps: Caps { weights: Weights::Exact, ..bound::CAPS },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[HASHER, HASH_SEED, VIEW, FACTOR],
    cost: Cost { lookup: "O(n)", change: "O(1)", bytes: "28 n" },
    build: |build| Ok(Bounded::boxed(Rendezvous::new(INFO.name, build)?, build, down)),
};

/// Down the key's ranking to the first node with room.
fn down(nodes: &Rendezvous, digest: u64, loads: &Loads) -> Slot {
    nodes.best_of(digest, |node| loads.has_room(node)).unwrap_or(Slot::ABSENT)
}

#[cfg(test)]
mod tests {
    use super::super::rendezvous;
    use super::super::testing::{check_bounded, weighted, with_build};
    use super::*;
    use crate::keys::KeyKind;

    /// Walks the ranking that rendezvous gives as replicas.
    fn check(weights: &[f64], thousandths: u128) {
        let cluster = weighted(weights);
        let ranking = with_build(&rendezvous::INFO, &cluster, KeyKind::Text, &[], |build| {
            let all = crate::strategy::Build { replicas: weights.len(), ..*build };
            rendezvous::INFO.place(&all).unwrap()
        });
        check_bounded(&INFO, weights, thousandths, &[], |batch, _| {
            let mut ranked = vec![Slot::MISROUTED; weights.len()];
            ranking.place(batch, &mut ranked);
            ranked.into_iter().filter(|slot| slot.node().is_some())
        });
    }

    #[test]
    fn requests_go_where_division_says() {
        check(&[1.0; 8], 1250);
        check(&[1.0, 2.0, 0.5, 0.0, 1.5], 1100);
        check(&[1.0, 0.1, 3.0], 1001);
    }
}
