//! Look-up table: a secondary index from the key at hand to the key that rows are sharded by.
//!
//! # Idea
//! Rows are sharded by merchant, but a query brings a trade number. A table of all trade numbers says whose
//! trade it is, and the merchant says which shard. So one merchant's trades stay together and a shard is
//! moved by merchants; the price is a table with an entry a key, and entries that are behind the moves.
//!
//! # Source
//! Secondary indexes in a table of their own: look-up vindexes of Vitess,
//! <https://vitess.io/docs/reference/features/vindexes/#lookup-vindex-types>.
//!
//! # Cost
//! Look-up O(1) and one query more. Change O(merchants). Bytes: `entries` × `entry-bytes`, 4 a merchant.
//!
//! # Choices made where the source is silent
//! - The table is not kept in memory here: a trade's merchant is its digest modulo `merchants` (with `view`
//!   the part of the key that names the merchant), and `entries` and `entry-bytes` say what a real table
//!   would take.
//! - Merchants are dealt out in runs in node order by weight, as in [`super::bucket_table`]; a change moves
//!   the fewest.
//! - An entry holds the merchant's shard too, to save the second query. The share `stale` of the entries,
//!   by a hash of the key, still holds the shard of before the last change: such a key whose merchant moved
//!   is MISROUTED. Every change brings up to date what was stale before it.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::bucket_table::{enough_digests, equally_likely};
use super::quota::{self, Layout, MAX_BUCKETS};
use super::support::{digest_step, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Ownership, Placement, Slot,
    StrategyInfo, Weights,
};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::mix::splitmix64;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "lookup-table",
    title: "Look-up table",
    summary: "a secondary index from trade to merchant, and merchants on shards; stale entries misroute after a move",
    source: "Look-up vindexes of Vitess, https://vitess.io/docs/reference/features/vindexes/",
    checked: "the share of misrouted keys, stale × moved; the fewest merchants moved",
    caps: Caps { weights: Weights::Rounded, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "merchants",
            Type::Int { min: 1, max: MAX_BUCKETS },
            Default::Int(10_000),
            "what the keys belong to and move with",
        ),
        Param::new(
            "entries",
            Type::Int { min: 0, max: 1_000_000_000_000 },
            Default::Int(1_000_000),
            "entries of the table, one a key that was ever written",
        ),
        Param::new(
            "entry-bytes",
            Type::Int { min: 1, max: 100_000 },
            Default::Int(40),
            "bytes of an entry: key, merchant, shard and what the index adds",
        ),
        Param::new(
            "stale",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.0),
            "share of the entries that a change leaves behind until the next change",
        ),
    ],
    cost: Cost {
        lookup: "O(1)",
        change: "O(merchants)",
        bytes: "entries · entry-bytes + 4 · merchants",
    },
    build: |build| Ok(Box::new(LookupTable::new(build)?)),
};

#[derive(Debug, Clone)]
struct LookupTable {
    columns: [ColumnSpec; 1],
    /// Shard of each merchant.
    owners: Vec<Slot>,
    /// The same before the last change.
    before: Vec<Slot>,
    /// An entry is stale whose hash is below this: the share in 2⁻⁶³.
    stale_below: u64,
    table_bytes: u64,
}

impl LookupTable {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let merchants = build.params.int("merchants") as u32;
        enough_digests(&column, merchants.into())?;
        let owners = quota::allot(merchants, build.cluster, Layout::Contiguous)?;
        Ok(LookupTable {
            columns: [column],
            before: owners.clone(),
            owners,
            stale_below: libm::round(build.params.float("stale") * (1u64 << 63) as f64) as u64,
            table_bytes: (build.params.int("entries") * build.params.int("entry-bytes")) as u64,
        })
    }

    #[inline]
    fn merchant(&self, digest: u64) -> usize {
        (digest % self.owners.len() as u64) as usize
    }

    /// Whether the key's entry has not followed the last change.
    #[inline]
    fn is_stale(&self, digest: u64) -> bool {
        splitmix64(digest, 1) >> 1 < self.stale_below
    }

    #[inline]
    fn slot(&self, digest: u64) -> Slot {
        let merchant = self.merchant(digest);
        let (owner, before) = (self.owners[merchant], self.before[merchant]);
        if owner != before && self.is_stale(digest) { Slot::MISROUTED } else { owner }
    }
}

impl Placement for LookupTable {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = self.slot(digest);
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        quota::evolved(&self.owners, change, after.cluster, |owners| LookupTable {
            owners,
            before: self.owners.clone(),
            ..self.clone()
        })
    }

    /// None while stale entries misroute some keys of a merchant.
    fn ownership(&self) -> Option<Ownership> {
        let exact = self.stale_below == 0 || self.owners == self.before;
        (exact && equally_likely(&self.columns[0], self.owners.len() as u64))
            .then(|| Ownership::Buckets(self.owners.clone()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let merchant = self.merchant(digest);
        let mut steps = vec![
            digest_step(&self.columns[0], key, digest),
            step(format!("merchant, of {}", self.owners.len()), merchant),
        ];
        if self.is_stale(digest) {
            let moved = self.owners[merchant] != self.before[merchant];
            steps.push(step(
                "the entry has not followed the last change",
                if moved { "it names the shard of before" } else { "its merchant stayed" },
            ));
        }
        Explanation { steps, slot: self.slot(digest) }
    }

    fn heap_bytes(&self) -> u64 {
        self.table_bytes + 4 * self.owners.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        // The key's entry, then its merchant's shard.
        Some(2.0)
    }

    fn points(&self) -> u64 {
        self.owners.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SIGMAS, add, answers, built, equal, evolved, members, remove};
    use super::*;
    use crate::params::Value;

    #[test]
    fn stale_entries_misroute_what_moved_until_the_next_change() {
        let given = [("stale", Value::Float(0.25))];
        let start = built(&INFO, &equal(4), &given);
        let keys = 100_000;
        let misrouted = |placement: &dyn Placement| {
            answers(placement, keys).iter().filter(|s| **s == Slot::MISROUTED).count() as f64
        };
        assert_eq!(misrouted(&*start), 0.0);
        assert!(start.ownership().is_some());
        // A fifth of the merchants moves, a quarter of their entries stays behind.
        let five = evolved(&INFO, &*start, add(4), &equal(5), &given).unwrap();
        let mean = keys as f64 * 0.2 * 0.25;
        assert!((misrouted(&*five) - mean).abs() < SIGMAS * libm::sqrt(mean * 0.95));
        assert!(five.ownership().is_none());
        // The rest lives where a table without stale entries has it.
        let fresh = evolved(&INFO, &*built(&INFO, &equal(4), &[]), add(4), &equal(5), &[]).unwrap();
        let right = answers(&*fresh, keys);
        for (got, want) in answers(&*five, keys).iter().zip(&right) {
            assert!(got == want || *got == Slot::MISROUTED);
        }
        // All of it is found again, a quarter of the leaving node's keys is not.
        let four = evolved(&INFO, &*five, remove(0), &members(&[1, 2, 3, 4]), &given).unwrap();
        let gone = right.iter().filter(|s| **s == Slot(0)).count() as f64;
        let found: Vec<Slot> = answers(&*four, keys);
        for (got, was) in found.iter().zip(&right) {
            assert!(got == was || *was == Slot(0));
        }
        let bound = SIGMAS * libm::sqrt(gone * 0.25 * 0.75);
        assert!((misrouted(&*four) - 0.25 * gone).abs() < bound);
    }

    #[test]
    fn bytes_are_those_of_the_table() {
        let given = [
            ("entries", Value::Int(1_000_000_000_000)),
            ("entry-bytes", Value::Int(100_000)),
            ("merchants", Value::Int(7)),
        ];
        let placement = built(&INFO, &equal(4), &given);
        assert_eq!(placement.heap_bytes(), 100_000_000_000_000_000 + 28);
    }

    #[test]
    fn every_entry_or_none_is_stale_at_the_ends() {
        for (share, want) in [(0.0, 0), (1.0, 1000)] {
            let given = [("stale", Value::Float(share))];
            let placement = super::super::testing::with_build(
                &INFO,
                &equal(2),
                crate::keys::KeyKind::Text,
                &given,
                |b| LookupTable::new(b).unwrap(),
            );
            assert_eq!((0..1000).filter(|d| placement.is_stale(*d)).count(), want);
        }
    }
}
