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

use super::bound::{self, Bounded, Loads};
use super::bounded_ring::{PARAMS, clockwise};
use super::ring::Ring;
use super::{Cost, History, Movement, Order, Placement, Slot, StrategyInfo};
use crate::hash::mix::splitmix64;

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bounded-forward",
    title: "Bounded ring, random jumps",
    summary: "a ring whose requests leave full nodes by jumps to random points",
    source: "Chen, Coleman & Shrivastava (2021), https://arxiv.org/abs/1908.08762",
    checked: "jumps over the plain ring's segments with every cap by division",
    caps: bound::CAPS,
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &PARAMS,
    cost: Cost { lookup: "O(1/ε)", change: "O(n v)", bytes: "the ring's + 8 n" },
    build: |build| Ok(Bounded::boxed(Ring::new(INFO.name, build)?, build, forward)),
};

/// Jumps for every point of the ring.
const JUMPS: u64 = 32;

/// Jumps from full nodes to random points; after [`JUMPS`] for every point it walks on clockwise.
fn forward(ring: &Ring, digest: u64, loads: &Loads) -> Slot {
    let mask = u64::MAX >> (64 - ring.columns()[0].bits());
    let mut place = digest;
    for jump in 1..=JUMPS * ring.len() as u64 {
        let owner = ring.owner(ring.find(place));
        if loads.has_room(owner) {
            return owner;
        }
        place = splitmix64(digest, jump) & mask;
    }
    clockwise(ring, place, loads)
}

#[cfg(test)]
mod tests {
    use super::super::ring;
    use super::super::testing::{built, check_bounded, text, weighted};
    use super::*;
    use crate::params::Value;
    use crate::strategy::Ownership;

    /// Jumps over the plain ring's segments.
    fn check(weights: &[f64], thousandths: u128, hasher: &str) {
        let given = [("vnodes", Value::Int(20)), ("hasher", text(hasher))];
        let plain = built(&ring::INFO, &weighted(weights), &given);
        let Some(Ownership::Segments { segments, bits }) = plain.ownership() else { panic!() };
        let owner = |digest| segments[segments.partition_point(|(end, _)| *end < digest)].1;
        check_bounded(&INFO, weights, thousandths, &given, |_, digest| {
            std::iter::once(digest)
                .chain((1..).map(move |jump| splitmix64(digest, jump)))
                .map(|place| owner(if bits == 64 { place } else { place % (1 << bits) }))
        });
    }

    #[test]
    fn requests_go_where_division_says() {
        check(&[1.0; 8], 1250, "murmur3-32");
        check(&[1.0, 2.0, 0.5, 0.0, 1.5], 1100, "xxh3-64");
        check(&[1.0, 1.0, 3.0], 1001, "crc16-xmodem");
    }
}
