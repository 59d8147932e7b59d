//! How many distinct values there are, in bounded memory: exact up to a bound, an estimate beyond it.
//!
//! The k smallest fingerprints are kept (Z. Bar-Yossef et al., 2002,
//! <https://doi.org/10.1007/3-540-45726-7_1>; the unbiased form of K. Beyer et al., 2007,
//! <https://doi.org/10.1145/1247480.1247504>). With fewer than k of them nothing was dropped and the
//! number is exact, but for two values with one 64-bit fingerprint (one chance in 30 million for a million
//! values). Counts of parts of the rows can be merged in any order.

use crate::hash::mix::fmix64;
use crate::keys::{KeyBatch, KeyKind};

/// Fingerprints that are kept: up to so many distinct values, the count is exact. 8 MiB.
pub const EXACT_UP_TO: usize = 1 << 20;

/// The fingerprint of key `row` of a batch; the same for all batches of its kind.
pub fn fingerprint(batch: &KeyBatch, row: usize) -> u64 {
    match batch.kind() {
        KeyKind::I64 | KeyKind::U64 => fmix64(batch.ints[row]),
        KeyKind::Uuid => of_bytes(&batch.uuids[row].to_be_bytes()),
        KeyKind::Text | KeyKind::Bytes => of_bytes(batch.text.get(row)),
    }
}

/// The fingerprint of bytes.
pub fn of_bytes(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// Counts distinct fingerprints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinct {
    keep: usize,
    /// The smallest ones, once [`Self::compact`] has sorted them.
    kept: Vec<u64>,
    /// Fingerprints from here on are dropped: the largest that was kept when there were too many.
    limit: u64,
    dropped: bool,
}

impl Default for Distinct {
    fn default() -> Self {
        Self::keeping(EXACT_UP_TO)
    }
}

impl Distinct {
    /// A count that is exact up to `keep` values, of which there are at least 3.
    pub fn keeping(keep: usize) -> Self {
        assert!(keep >= 3, "an estimate needs 3 values");
        Distinct { keep, kept: Vec::new(), limit: u64::MAX, dropped: false }
    }

    /// Takes the fingerprint of a value.
    #[inline]
    pub fn add(&mut self, fingerprint: u64) {
        if self.dropped && fingerprint > self.limit {
            return;
        }
        self.kept.push(fingerprint);
        if self.kept.len() >= 2 * self.keep {
            self.compact();
        }
    }

    /// Takes what another part of the rows has.
    pub fn merge(&mut self, other: &Distinct) {
        other.kept.iter().for_each(|&fingerprint| self.add(fingerprint));
        if other.dropped {
            self.dropped = true;
            self.limit = self.limit.min(other.limit);
            self.kept.retain(|&fingerprint| fingerprint <= self.limit);
        }
    }

    fn compact(&mut self) {
        self.kept.sort_unstable();
        self.kept.dedup();
        if self.kept.len() > self.keep {
            self.kept.truncate(self.keep);
            self.limit = self.kept[self.keep - 1];
            self.dropped = true;
        }
    }

    /// The number of distinct values.
    pub fn count(mut self) -> Count {
        self.compact();
        let exact = !self.dropped;
        let number = match self.kept.last() {
            Some(&last) if !exact => {
                let reached = (last as f64 + 1.0) / 18_446_744_073_709_551_616.0;
                libm::round((self.kept.len() as f64 - 1.0) / reached) as u64
            }
            _ => self.kept.len() as u64,
        };
        let relative_error =
            if exact { 0.0 } else { 1.0 / libm::sqrt(self.kept.len() as f64 - 2.0) };
        Count { number, exact, relative_error }
    }
}

/// A number of distinct values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count {
    /// The number.
    pub number: u64,
    /// Whether it is exact.
    pub exact: bool,
    /// Relative standard error of an estimate.
    pub relative_error: f64,
}

impl Count {
    /// Whether no value occurs twice in so many rows; of an estimate, within four standard errors.
    pub fn is_all(&self, rows: u64) -> bool {
        if self.exact {
            self.number == rows
        } else {
            self.number as f64 >= rows as f64 * (1.0 - 4.0 * self.relative_error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(keep: usize, values: impl Iterator<Item = u64>) -> Count {
        let mut distinct = Distinct::keeping(keep);
        values.for_each(|value| distinct.add(fmix64(value)));
        distinct.count()
    }

    #[test]
    fn few_values_are_counted_exactly() {
        assert_eq!(count(100, (0..1000).map(|i| i % 100)).number, 100);
        assert!(count(100, (0..1000).map(|i| i % 100)).exact);
        assert_eq!(count(100, std::iter::empty()).number, 0);
    }

    #[test]
    fn many_values_are_estimated_within_four_standard_errors() {
        for values in [1001u64, 5000, 200_000] {
            let have = count(1000, 0..values);
            assert!(!have.exact);
            let error = (have.number as f64 / values as f64 - 1.0).abs();
            assert!(error < 4.0 * have.relative_error, "{have:?} for {values}");
        }
    }

    #[test]
    fn parts_merge_to_the_whole_in_any_order() {
        let part = |from: u64, to: u64| {
            let mut distinct = Distinct::keeping(50);
            (from..to).for_each(|value| distinct.add(fmix64(value)));
            distinct
        };
        let whole = part(0, 700).count();
        for order in [[0, 1, 2], [2, 0, 1], [1, 2, 0]] {
            let parts = [part(0, 300), part(250, 600), part(600, 700)];
            let mut all = Distinct::keeping(50);
            order.iter().for_each(|&i: &usize| all.merge(&parts[i]));
            assert_eq!(all.count(), whole);
        }
    }
}
