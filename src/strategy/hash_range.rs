//! Hash range: the digest space cut into n equal contiguous ranges, in the order of the nodes.
//!
//! # Idea
//! As simple as modulo, but neighbours in the digest space stay together, so that a range can be scanned
//! or handed over as a whole. Every bound moves when n changes: of n to n + 1 nodes half of all keys
//! move, where modulo moves n/(n + 1).
//!
//! # Source
//! Old practice: the hash partitions of a parallel database, D. DeWitt, J. Gray, "Parallel Database
//! Systems", CACM 35(6), 1992, doi 10.1145/129888.129894; the initial ranges of a hashed shard key in
//! MongoDB, <https://www.mongodb.com/docs/manual/core/hashed-sharding/>.
//!
//! # Cost
//! Look-up O(1): one multiplication. Change: a list of n. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - Node i of n owns the digests d with ⌊d·n / 2^bits⌋ = i: ranges differ by at most one digest.
//! - Ranges are equal whatever the weights.
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::numbered::{CAPS, Numbered, Numbering, PARAMS};
use super::{Cost, History, Movement, Order, Ownership, Slot, StrategyInfo};
use crate::keys::ColumnSpec;

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "hash-range",
    title: "Hash ranges",
    summary: "the digest space in n equal contiguous ranges, in node order; every bound moves when n changes",
    source: "DeWitt & Gray (1992), doi 10.1145/129888.129894; \
             https://www.mongodb.com/docs/manual/core/hashed-sharding/",
    checked: "the bounds ⌈i·2^bits / n⌉ in u128; the moved share of n → n + 1, exactly ½ in the limit",
    caps: CAPS,
    movement: Movement::Full,
    history: History::Free,
    order: Order::Dependent,
    params: PARAMS,
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: Numbered::<HashRange>::build,
};

#[derive(Debug)]
struct HashRange;

impl Numbering for HashRange {
    const STEPS: &'static str = "multiplications";

    #[inline]
    fn walk(digest: u64, bits: u32, n: u32) -> (u32, u32) {
        (((u128::from(digest) * u128::from(n)) >> bits) as u32, 1)
    }

    fn ownership(column: &ColumnSpec, slots: &[Slot]) -> Option<Ownership> {
        let bits = column.bits();
        let n = slots.len() as u128;
        let segment = |(i, slot): (usize, &Slot)| {
            // The last digest below ⌈(i + 1)·2^bits / n⌉; with more nodes than digests some have none.
            ((((i as u128 + 1) << bits).div_ceil(n) - 1) as u64, *slot)
        };
        let mut segments: Vec<(u64, Slot)> = slots.iter().enumerate().map(segment).collect();
        // Of ranges with one end only the first holds a digest.
        segments.dedup_by_key(|segment| segment.0);
        Some(Ownership::Segments { bits, segments })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built, equal, text};
    use super::*;

    #[test]
    fn bounds_are_those_of_whole_numbers() {
        for n in [1u32, 2, 3, 7, 10, 1000, 65_535] {
            for bits in [16, 32, 64] {
                for i in [0, 1.min(n - 1), n / 2, n - 1] {
                    let first = (u128::from(i) << bits).div_ceil(u128::from(n));
                    let next = (u128::from(i + 1) << bits).div_ceil(u128::from(n));
                    assert_eq!(HashRange::walk(first as u64, bits, n).0, i, "{i} of {n}, {bits}");
                    assert_eq!(HashRange::walk((next - 1) as u64, bits, n).0, i, "{i} of {n}");
                }
            }
        }
    }

    #[test]
    fn one_node_more_moves_half() {
        let owned = |n| built(&INFO, &equal(n), &[]).ownership().unwrap();
        for n in [1usize, 2, 8, 99] {
            let moved = owned(n).share_moved(&owned(n + 1)).unwrap();
            assert!((moved - 0.5).abs() < 1e-6, "{n}: {moved}");
        }
    }

    #[test]
    fn more_nodes_than_digests_leave_some_without() {
        let placement = built(&INFO, &equal(70_000), &[("hasher", text("crc16-xmodem"))]);
        let Some(Ownership::Segments { segments, .. }) = placement.ownership() else { panic!() };
        assert_eq!(segments.len(), 65_536);
        for digest in [0, 1, 32_768, 65_534, 65_535] {
            let at = segments.partition_point(|(end, _)| *end < digest);
            assert_eq!(segments[at].1.0, HashRange::walk(digest, 16, 70_000).0);
        }
    }
}
