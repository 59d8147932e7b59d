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

use super::bound::{self, Bounded, FACTOR, Loads};
use super::ring::{self, Ring};
use super::{Cost, History, Movement, Order, Slot, StrategyInfo};
use crate::params::Param;

/// Static facts. Movement beyond the minimum is bounded in expectation: O(1/ε²) requests for each
/// node or request that comes or goes.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-ring",
    title: "Bounded ring",
    summary: "a ring whose requests pass by nodes that hold c times their fair share",
    source: "Mirrokni, Thorup & Zadimoghaddam (2018), https://arxiv.org/abs/1608.01350",
    checked: "a walk that computes every cap by division; the bound ⌈c·m/n⌉",
    caps: bound::CAPS,
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &PARAMS,
    cost: Cost { lookup: "O(1/ε²)", change: "O(n v)", bytes: "the ring's + 8 n" },
    build: |build| Ok(Bounded::boxed(Ring::new(INFO.name, build)?, build, clockwise)),
};

/// The ring's, and the bound.
pub(super) const PARAMS: [Param; 9] = [
    ring::PARAMS[0],
    ring::PARAMS[1],
    ring::PARAMS[2],
    ring::PARAMS[3],
    ring::PARAMS[4],
    ring::PARAMS[5],
    ring::PARAMS[6],
    ring::PARAMS[7],
    FACTOR,
];

/// From the digest's point on, the first whose node has room.
pub(super) fn clockwise(ring: &Ring, digest: u64, loads: &Loads) -> Slot {
    let len = ring.len();
    if len == 0 {
        return Slot::ABSENT;
    }
    let mut at = ring.find(digest);
    for _ in 0..len {
        let owner = ring.owner(at);
        if loads.has_room(owner) {
            return owner;
        }
        at = if at + 1 == len { 0 } else { at + 1 };
    }
    unreachable!("the caps sum to more than the requests that are open")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built, check_bounded, weighted};
    use super::*;
    use crate::params::Value;
    use crate::strategy::Ownership;

    /// Walks the plain ring's segments.
    fn check(weights: &[f64], thousandths: u128) {
        let vnodes = [("vnodes", Value::Int(20))];
        let plain = built(&ring::INFO, &weighted(weights), &vnodes);
        let Some(Ownership::Segments { segments, .. }) = plain.ownership() else { panic!() };
        check_bounded(&INFO, weights, thousandths, &vnodes, |_, digest| {
            let home = segments.partition_point(|(end, _)| *end < digest);
            let segments = &segments;
            (home..).map(move |at| segments[at % segments.len()].1)
        });
    }

    #[test]
    fn requests_go_where_division_says() {
        check(&[1.0; 8], 1250);
        check(&[1.0, 2.0, 0.5, 0.0, 1.5], 1100);
        check(&[1.0, 0.1, 3.0], 1001);
    }
}
