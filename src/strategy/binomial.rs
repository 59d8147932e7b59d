//! BinomialHash: positions as the nodes of a binomial tree; keys beyond n are hashed again.
//!
//! # Idea
//! The low bits of a hash choose one of E positions, E the power of two at or above n, and a second hash
//! relocates the key within its level, 2ᵇ to 2ᵇ⁺¹ − 1, so that each level is decided by its own hash. A
//! key in the last level but not below n is hashed again; one that falls below the last level gets the
//! place that it had when there was no such level.
//!
//! # Source
//! M. Coluzzi, A. Brocco, A. Antonucci, "BinomialHash: A Constant Time, Minimal Memory Consistent Hash
//! Algorithm", 2024, <https://arxiv.org/abs/2406.19836>.
//!
//! # Cost
//! Look-up O(1): E/n hashes on average, below 2, and a relocation each. Change: a list of n. Bytes: 4 a
//! node.
//!
//! # Choices made where the source is silent
//! - Hash i of a key is number i of SplitMix64 seeded by its digest; the relocation within the level that
//!   begins at s is number s of the sequence seeded by that hash.
//! - ω, the most hashes of the last level, is 64: what is left over, less than 2⁻⁶⁴ of the keys, goes
//!   below the last level. The source notes that a small ω leaves an imbalance of that order.
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::numbered::{CAPS, Numbered, Numbering, PARAMS};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;

/// ω: most hashes to find a place below n.
const MOST_HASHES: u32 = 64;

/// Static facts. Minimal movement is what an added node causes; see `on-remove` for removals.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "binomial",
    title: "BinomialHash",
    summary: "a place in the tree of the next power of two, relocated within its level, hashed again while not below n",
    source: "Coluzzi, Brocco & Antonucci (2024), https://arxiv.org/abs/2406.19836",
    checked: "the mean number of hashes, E/n; equal shares; the law of growth",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Dependent,
    params: PARAMS,
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: Numbered::<Binomial>::build,
};

#[derive(Debug)]
struct Binomial;

impl Numbering for Binomial {
    const STEPS: &'static str = "hashes of the digest";

    #[inline]
    fn walk(digest: u64, _bits: u32, n: u32) -> (u32, u32) {
        let first = splitmix64(digest, 1);
        if n == 1 {
            return (0, 1);
        }
        let half = 1u32 << (n - 1).ilog2();
        let mut hashes = 1;
        let mut hash = first;
        loop {
            let place = relocated(hash as u32 & (half | (half - 1)), hash);
            if (half..n).contains(&place) {
                return (place, hashes);
            }
            if place < half || hashes == MOST_HASHES {
                return (relocated(first as u32 & (half - 1), first), hashes);
            }
            hashes += 1;
            hash = splitmix64(digest, u64::from(hashes));
        }
    }
}

/// Another place of the same level.
#[inline]
fn relocated(place: u32, hash: u64) -> u32 {
    if place < 2 {
        return place;
    }
    let start = 1u32 << place.ilog2();
    start + (splitmix64(hash, u64::from(start)) as u32 & (start - 1))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_numbering, check_steps};
    use super::*;

    #[test]
    fn positions_are_in_range_stable_and_equally_likely() {
        check_numbering::<Binomial>();
    }

    #[test]
    fn hashes_are_as_many_as_the_formula_says() {
        for n in [2u32, 3, 5, 8, 9, 11, 33, 48, 100, 1025, 65_537, (1 << 30) + 1] {
            check_steps::<Binomial>(n, f64::from(n.next_power_of_two()) / f64::from(n));
        }
    }
}
