//! AnchorHash: buckets up to a fixed capacity; a key of a bucket that does not work is hashed again among
//! those that were left when that bucket was removed.
//!
//! # Idea
//! All a buckets are hashed to, whether they work or not. Each removed bucket remembers how many were
//! left, and the tables can name the h-th of those without keeping the list. So a removal spreads the
//! bucket's keys evenly over the rest, and the bucket gets exactly them back when it is added again.
//!
//! # Source
//! G. Mendelson, S. Vargaftik, K. Barabash, D. Lorenz, I. Keslassy, A. Orda, "AnchorHash: A Scalable
//! Consistent Hash", IEEE/ACM Transactions on Networking 29(2), 2021, doi 10.1109/TNET.2020.3039547.
//!
//! # Cost
//! Look-up 1 + H_a − H_w ≤ 1 + ln(a/w) hashes on average, w of a buckets working. Change O(1). Bytes: 16 a
//! and 4 a node.
//!
//! # Choices made where the source is silent
//! - The first hash is number 1 of SplitMix64 seeded by the digest, the hash for removed bucket b number
//!   2 + b; ⌊number × size / 2⁶⁴⌋ instead of a remainder.
//! - The nodes of the first cluster have buckets 0 to w − 1 in its order. Nodes that join take the bucket
//!   removed last, as in the source, whoever had it; nodes that leave at once do so in the order in which
//!   the change names them.
//! - A node beyond the capacity is unsupported; a change of the strategy builds anew and forgets.
//! - Ownership is not stated: every working bucket has 1/w, but shares do not tell which keys move.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::roster::{self, Buckets, CAPACITY, CAPS, Roster};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "anchor",
    title: "AnchorHash",
    summary: "buckets up to a capacity; keys of a removed bucket are hashed again among those that were left",
    source: "Mendelson et al. (2021), doi 10.1109/TNET.2020.3039547",
    checked: "lists of the buckets left by each removal, over random changes; the mean number of hashes",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[HASHER, HASH_SEED, VIEW, CAPACITY],
    cost: Cost { lookup: "O(1 + ln(a/n))", change: "O(1)", bytes: "16 a + 4 n" },
    build: |build| Roster::build(build, Anchor::empty(roster::capacity(build))),
};

#[derive(Debug, Clone)]
struct Anchor {
    /// A: how many buckets were left when the bucket was removed; 0 while it works.
    left: Vec<u32>,
    /// K: the bucket that took the removed one's place in `working`.
    successor: Vec<u32>,
    /// W: the buckets; the first `size` work.
    working: Vec<u32>,
    /// L: the last place of a bucket in `working`.
    place: Vec<u32>,
    /// R: removed buckets, the last one last.
    removed: Vec<u32>,
    /// N
    size: u32,
}

impl Anchor {
    /// All buckets removed, the highest first.
    fn empty(capacity: u32) -> Self {
        let all: Vec<u32> = (0..capacity).collect();
        let mut anchor = Anchor {
            left: vec![0; capacity as usize],
            successor: all.clone(),
            working: all.clone(),
            place: all,
            removed: Vec::with_capacity(capacity as usize),
            size: capacity,
        };
        (0..capacity).rev().for_each(|bucket| anchor.remove(bucket));
        anchor
    }
}

impl Buckets for Anchor {
    const STEPS: &'static str = "hashes of the digest";

    #[inline]
    fn walk(&self, digest: u64) -> (u32, u32) {
        let mut bucket = reduced(splitmix64(digest, 1), self.capacity());
        let mut hashes = 1;
        while self.left[bucket as usize] > 0 {
            let size = self.left[bucket as usize];
            let mut at = reduced(splitmix64(digest, 2 + u64::from(bucket)), size);
            hashes += 1;
            // Removed before it: others have taken its place.
            while self.left[at as usize] >= size {
                at = self.successor[at as usize];
            }
            bucket = at;
        }
        (bucket, hashes)
    }

    fn add(&mut self) -> Option<u32> {
        let bucket = self.removed.pop()?;
        let (b, size) = (bucket as usize, self.size);
        self.left[b] = 0;
        self.place[self.working[size as usize] as usize] = size;
        self.working[self.place[b] as usize] = bucket;
        self.successor[b] = bucket;
        self.size += 1;
        Some(bucket)
    }

    fn remove(&mut self, bucket: u32) {
        let b = bucket as usize;
        self.removed.push(bucket);
        self.size -= 1;
        self.left[b] = self.size;
        let last = self.working[self.size as usize];
        self.working[self.place[b] as usize] = last;
        self.place[last as usize] = self.place[b];
        self.successor[b] = last;
    }

    fn capacity(&self) -> u32 {
        self.left.len() as u32
    }

    /// A, K, W and L.
    fn heap_bytes(&self) -> u64 {
        16 * self.left.len() as u64
    }
}

/// ⌊number × size / 2⁶⁴⌋
#[inline]
fn reduced(number: u64, size: u32) -> u32 {
    ((u128::from(number) * u128::from(size)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::super::roster::oracle::{self, Snapshots};
    use super::super::testing::{
        add, answers, assert_mean, assert_shares, built, equal, evolved, members, remove,
    };
    use super::*;
    use crate::error::ErrorKind;
    use crate::hash::mix::fmix64;
    use crate::params::Value;
    use crate::strategy::Slot;

    fn anchor(capacity: u32, working: u32) -> Anchor {
        let mut anchor = Anchor::empty(capacity);
        (0..working).for_each(|b| assert_eq!(anchor.add(), Some(b)));
        anchor
    }

    #[test]
    fn walks_are_those_over_lists_of_what_was_left() {
        let first = |digest| reduced(splitmix64(digest, 1), 20);
        oracle::check(anchor(20, 20), Snapshots::full(20), first);
    }

    #[test]
    fn hashes_are_as_many_as_the_source_says() {
        for (a, w) in [(1, 1), (10, 10), (20, 10), (1000, 10), (100, 90)] {
            let want = 1.0 + oracle::harmonic(w, a);
            assert!(want <= 1.0 + libm::log(f64::from(a) / f64::from(w)) + 1e-12);
            let anchor = anchor(a, w);
            let hashes = (0..100_000).map(|i| f64::from(anchor.walk(fmix64(i)).1));
            assert_mean(&format!("{w} of {a}"), hashes, want);
        }
    }

    #[test]
    fn working_buckets_have_equal_shares_after_any_removals() {
        let mut anchor = anchor(30, 20);
        for bucket in [3, 0, 19, 7, 8] {
            anchor.remove(bucket);
        }
        let mut counts = [0; 20];
        (0..100_000).for_each(|i| counts[anchor.walk(fmix64(i)).0 as usize] += 1);
        let counts: Vec<u64> = counts.into_iter().filter(|c| *c > 0).collect();
        assert_eq!(counts.len(), 15);
        assert_shares("15 of 30", &counts, &[1.0 / 15.0; 15]);
    }

    #[test]
    fn the_bucket_removed_last_goes_to_the_next_node() {
        let before = built(&INFO, &equal(4), &[]);
        let gone = evolved(&INFO, &*before, remove(1), &members(&[0, 2, 3]), &[]).unwrap();
        let again = evolved(&INFO, &*gone, add(7), &members(&[0, 2, 3, 7]), &[]).unwrap();
        let renamed = |slot: &Slot| if *slot == Slot(1) { Slot(7) } else { *slot };
        let want: Vec<Slot> = answers(&*before, 2000).iter().map(renamed).collect();
        assert_eq!(answers(&*again, 2000), want);
    }

    #[test]
    fn a_node_beyond_the_capacity_is_unsupported() {
        let given = [("capacity", Value::Int(4))];
        let full = built(&INFO, &equal(4), &given);
        let error = evolved(&INFO, &*full, add(4), &equal(5), &given).unwrap_err();
        assert_eq!((error.kind, error.field), (ErrorKind::Unsupported, Some("capacity")));
        assert_eq!(built(&INFO, &equal(4), &[]).points(), 8);
    }
}
