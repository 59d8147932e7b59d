//! MementoHash: jump, and a memory of the buckets that were removed.
//!
//! # Idea
//! While only the last bucket goes or comes, this is jump. For any other removed bucket an entry says how
//! many were left: a key that jumps there is hashed again among those. Unlike AnchorHash there is no
//! capacity and no entry for buckets that work.
//!
//! # Source
//! M. Coluzzi, A. Brocco, A. Antonucci, T. Leidi, "MementoHash: A Stateful, Minimal Memory, Best
//! Performing Consistent Hash Algorithm", 2023, <https://arxiv.org/abs/2306.09783>.
//!
//! # Cost
//! Look-up a jump and H_n − H_w ≤ ln(n/w) hashes on average, w of n buckets working, each with as many
//! look-ups at most. Change O(log r), r removed. Bytes: 12 a removed bucket and 4 a bucket.
//!
//! # Choices made where the source is silent
//! - The hash for removed bucket b is number 2 + b of SplitMix64 seeded by the digest, reduced by
//!   ⌊number × size / 2⁶⁴⌋.
//! - Entries lie in a tree by bucket number (the source: a hash table).
//! - The nodes of the first cluster have buckets 0 to n − 1 in its order. Nodes that join take the bucket
//!   removed last, as in the source; nodes that leave at once do so in the order in which the change
//!   names them.
//! - A change of the strategy builds anew and forgets. Ownership is not stated: every working bucket has
//!   1/w, but shares do not tell which keys move.
//!
//! # Checked against
//! What `INFO.checked` says.

use std::collections::BTreeMap;

use super::jump::{jump, walk};
use super::roster::{Buckets, CAPS, Roster};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "memento",
    title: "MementoHash",
    summary: "jump with a memory of removed buckets, whose keys are hashed again among those that were left",
    source: "Coluzzi, Brocco, Antonucci & Leidi (2023), https://arxiv.org/abs/2306.09783",
    checked: "lists of the buckets left by each removal, over random changes; the mean number of hashes; jump",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[HASHER, HASH_SEED, VIEW],
    cost: Cost { lookup: "O(log n + ln²(n/w))", change: "O(log r)", bytes: "12 r + 4 n" },
    build: |build| Roster::build(build, Memento::default()),
};

#[derive(Debug, Clone, Default)]
struct Memento {
    /// Buckets, removed ones included.
    size: u32,
    removed: BTreeMap<u32, Removed>,
    /// The bucket removed last.
    last: u32,
}

#[derive(Debug, Clone, Copy)]
struct Removed {
    /// Buckets left by the removal, which is also the bucket that took its place.
    left: u32,
    /// The bucket removed before.
    before: u32,
}

impl Buckets for Memento {
    const STEPS: &'static str = "jump, and hashes for removed buckets";

    #[inline]
    fn walk(&self, digest: u64) -> (u32, u32) {
        let mut bucket = jump(digest, self.size);
        let mut hashes = 1;
        while let Some(removed) = self.removed.get(&bucket) {
            let left = removed.left;
            let number = splitmix64(digest, 2 + u64::from(bucket));
            hashes += 1;
            bucket = ((u128::from(number) * u128::from(left)) >> 64) as u32;
            // Removed before it: others have taken its place.
            while let Some(earlier) = self.removed.get(&bucket).filter(|r| r.left >= left) {
                bucket = earlier.left;
            }
        }
        (bucket, hashes)
    }

    /// The turns of the jump, and the hashes after it.
    fn steps(&self, digest: u64) -> u64 {
        let hashes = self.walk(digest).1 - 1;
        walk(digest, self.size).count() as u64 + u64::from(hashes)
    }

    fn add(&mut self) -> Option<u32> {
        let Some(restored) = self.removed.remove(&self.last) else {
            self.size += 1;
            return Some(self.size - 1);
        };
        let bucket = std::mem::replace(&mut self.last, restored.before);
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) {
        if self.removed.is_empty() && bucket + 1 == self.size {
            self.size -= 1;
            return;
        }
        let left = self.size - self.removed.len() as u32 - 1;
        self.removed.insert(bucket, Removed { left, before: self.last });
        self.last = bucket;
    }

    /// Without end; as many as there are now.
    fn capacity(&self) -> u32 {
        self.size
    }

    fn heap_bytes(&self) -> u64 {
        12 * self.removed.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::roster::oracle::{self, Snapshots};
    use super::super::testing::{assert_mean, assert_shares};
    use super::*;
    use crate::hash::mix::fmix64;

    fn memento(size: u32) -> Memento {
        let mut memento = Memento::default();
        (0..size).for_each(|b| assert_eq!(memento.add(), Some(b)));
        memento
    }

    #[test]
    fn the_last_bucket_comes_and_goes_as_in_jump() {
        let mut memento = memento(20);
        for size in (1..=20).rev() {
            for digest in (0..200).map(fmix64) {
                assert_eq!(memento.walk(digest), (jump(digest, size), 1));
            }
            memento.remove(size - 1);
        }
        assert_eq!((memento.size, memento.removed.len()), (0, 0));
    }

    #[test]
    fn walks_are_those_over_lists_of_what_was_left() {
        // Bucket 4 stays removed, so that the last one is removed like any other.
        let (mut memento, mut snapshots) = (memento(20), Snapshots::full(20));
        memento.remove(4);
        snapshots.remove(4);
        oracle::check(memento, snapshots, |digest| jump(digest, 20));
    }

    #[test]
    fn hashes_are_as_many_as_the_source_says_and_shares_stay_equal() {
        for (n, w) in [(10, 10), (20, 10), (200, 20)] {
            let mut memento = memento(n);
            // Any order but from the end.
            (0..n - w).for_each(|bucket| memento.remove(bucket));
            let mut counts = vec![0; n as usize];
            let walks: Vec<(u32, u32)> = (0..100_000).map(|i| memento.walk(fmix64(i))).collect();
            walks.iter().for_each(|(bucket, _)| counts[*bucket as usize] += 1);
            let want = 1.0 + oracle::harmonic(w, n);
            assert!(want <= 1.0 + libm::log(f64::from(n) / f64::from(w)) + 1e-12);
            assert_mean(&format!("{w} of {n}"), walks.iter().map(|w| f64::from(w.1)), want);
            let shares = vec![1.0 / f64::from(w); w as usize];
            assert_shares(&format!("{w} of {n}"), &counts[(n - w) as usize..], &shares);
        }
    }
}
