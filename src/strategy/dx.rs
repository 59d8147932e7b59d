//! DxHash: a key tries buckets in a pseudo-random order of its own until one works.
//!
//! # Idea
//! A bit for each of a buckets says whether it works. The sequence of buckets that a key tries does not
//! depend on which work: one that stops passes its keys to their next tries, one that starts takes the
//! keys that try it before the bucket that they had. Nothing else need be remembered.
//!
//! # Source
//! C. Dong, F. Wang, "DxHash: A Scalable Consistent Hashing Based on the Pseudo-Random Sequence", 2021,
//! <https://arxiv.org/abs/2107.07930>.
//!
//! # Cost
//! Look-up a/w tries on average, w of a buckets working. Change O(1). Bytes: a bit a bucket, 4 a number
//! that does not work, 4 a node.
//!
//! # Choices made where the source is silent
//! - Try i is number i of SplitMix64 seeded by the digest, cut to the bits of a; `capacity` is rounded up
//!   to a power of two, as the source requires.
//! - The nodes of the first cluster have buckets 0 to w − 1 in its order. A node that joins takes the
//!   bucket that stopped last, then unused ones upwards; those decide who gets which keys, not where the
//!   keys of working buckets are.
//! - After 64·a tries, which less than e⁻⁶⁴ of the keys need, the lowest working bucket is taken.
//! - Neither the source's doubling of a (a node beyond the capacity is unsupported) nor its weights, which
//!   let a key pass by a node by chance, are part of this.
//! - Ownership is not stated: every working bucket has 1/w, but shares do not tell which keys move.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::roster::{self, Buckets, CAPACITY, CAPS, Roster};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts. History decides which bucket a node has, and nothing else.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "dx",
    title: "DxHash",
    summary: "a key tries buckets in a pseudo-random order of its own until one works",
    source: "Dong & Wang (2021), https://arxiv.org/abs/2107.07930",
    checked: "the mean number of tries; equal shares; that the order of removals does not matter",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[HASHER, HASH_SEED, VIEW, CAPACITY],
    cost: Cost { lookup: "O(a/n)", change: "O(1)", bytes: "a/8 + 4 a" },
    build: |build| Roster::build(build, Dx::empty(roster::capacity(build))),
};

#[derive(Debug, Clone)]
struct Dx {
    /// Bit b of word b/64: whether bucket b works.
    works: Vec<u64>,
    /// Buckets that do not, the next to be added last.
    idle: Vec<u32>,
    capacity: u32,
}

impl Dx {
    fn empty(capacity: u32) -> Self {
        let capacity = capacity.next_power_of_two();
        let words = capacity.div_ceil(64) as usize;
        Dx { works: vec![0; words], idle: (0..capacity).rev().collect(), capacity }
    }
}

impl Buckets for Dx {
    const STEPS: &'static str = "tries";

    #[inline]
    fn walk(&self, digest: u64) -> (u32, u32) {
        for attempt in 1..=64 * u64::from(self.capacity) {
            let bucket = splitmix64(digest, attempt) as u32 & (self.capacity - 1);
            if self.works[bucket as usize / 64] >> (bucket % 64) & 1 == 1 {
                return (bucket, attempt as u32);
            }
        }
        let word = self.works.iter().position(|word| *word != 0).expect("some bucket works");
        (64 * word as u32 + self.works[word].trailing_zeros(), 64 * self.capacity)
    }

    fn add(&mut self) -> Option<u32> {
        let bucket = self.idle.pop()?;
        self.works[bucket as usize / 64] |= 1 << (bucket % 64);
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) {
        self.works[bucket as usize / 64] &= !(1 << (bucket % 64));
        self.idle.push(bucket);
    }

    fn capacity(&self) -> u32 {
        self.capacity
    }

    fn heap_bytes(&self) -> u64 {
        8 * self.works.len() as u64 + 4 * self.idle.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_mean, assert_shares};
    use super::*;
    use crate::hash::mix::fmix64;

    fn dx(capacity: u32, working: u32) -> Dx {
        let mut dx = Dx::empty(capacity);
        (0..working).for_each(|b| assert_eq!(dx.add(), Some(b)));
        dx
    }

    #[test]
    fn tries_are_as_many_as_the_source_says() {
        for (a, w) in [(1, 1), (16, 16), (16, 9), (128, 3), (1024, 1000), (1024, 16)] {
            let dx = dx(a, w);
            let tries = (0..50_000).map(|i| f64::from(dx.walk(fmix64(i)).1));
            assert_mean(&format!("{w} of {a}"), tries, f64::from(a) / f64::from(w));
        }
        assert_eq!(dx(100, 1).capacity(), 128);
    }

    #[test]
    fn the_order_of_removals_does_not_matter_and_shares_stay_equal() {
        let (mut one, mut other) = (dx(32, 20), dx(32, 20));
        let gone = [3, 0, 19, 7, 8];
        gone.iter().for_each(|b| one.remove(*b));
        gone.iter().rev().for_each(|b| other.remove(*b));
        let mut counts = [0; 20];
        for digest in (0..100_000).map(fmix64) {
            let bucket = one.walk(digest).0;
            assert_eq!(bucket, other.walk(digest).0);
            counts[bucket as usize] += 1;
        }
        let counts: Vec<u64> = counts.into_iter().filter(|c| *c > 0).collect();
        assert_shares("15 of 32", &counts, &[1.0 / 15.0; 15]);
    }

    #[test]
    fn a_search_that_finds_nothing_ends_at_the_lowest_that_works() {
        let mut dx = dx(1, 1);
        // A mask that no try can meet: the only working bucket lies beyond the capacity.
        dx.works = vec![0, 1 << 5];
        assert_eq!(dx.walk(1), (69, 64));
    }
}
