//! How the requests of a row divide: into reads and writes, and into those that a cache in front answers
//! and those that reach a node. Integers throughout.
//!
//! The rows lie one after the other on a line of requests; of the first x requests, round(w·x) are writes.
//! A row's writes are the difference over its stretch: never negative, never more than its requests,
//! and together round(w·R).

use super::cumulative::{ONE, share_out};

/// How requests divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Divide {
    /// Share of the writes, in fixed point.
    writes: u64,
    /// Ranks below this are in the cache.
    cached: u64,
    /// Share of the reads of a cached row that the cache answers, in fixed point.
    hit: u64,
    /// Whether reads and writes are told apart.
    apart: bool,
}

/// A share from 0 to 1 in fixed point.
pub fn fixed(share: f64) -> u64 {
    libm::round(share.clamp(0.0, 1.0) * ONE as f64) as u64
}

impl Divide {
    /// Divides by the share of writes; `apart` says whether reads and writes are loads of their own.
    pub fn new(write_share: f64, apart: bool) -> Self {
        Divide { writes: fixed(write_share), apart, ..Divide::default() }
    }

    /// The same with a cache of the first `rows` ranks that answers the share `hit` of their reads.
    #[must_use]
    pub fn cached(self, rows: u64, hit: f64) -> Self {
        Divide { cached: rows, hit: fixed(hit), ..self }
    }

    /// The same with a cache of so many ranks instead.
    #[must_use]
    pub fn with_ranks(self, cached: u64) -> Self {
        Divide { cached, ..self }
    }

    /// Number of ranks in the cache.
    pub fn ranks(&self) -> u64 {
        self.cached
    }

    /// Whether every request simply reaches its node.
    pub fn is_plain(&self) -> bool {
        !self.apart && (self.cached == 0 || self.hit == 0)
    }

    /// Whether reads and writes are told apart.
    pub fn apart(&self) -> bool {
        self.apart
    }

    /// Writes among the requests from the `before`-th to the `upto`-th.
    #[inline]
    pub fn writes(&self, before: u64, upto: u64) -> u64 {
        share_out(self.writes, upto) - share_out(self.writes, before)
    }

    /// Of so many reads those that pass the cache, whose entry it holds.
    #[inline]
    pub fn pass(&self, reads: u64) -> u64 {
        reads - share_out(self.hit, reads)
    }

    /// Reads and writes that reach the node of the row of that rank with the requests from the
    /// `before`-th to the `upto`-th.
    #[inline]
    pub fn row(&self, rank: u64, before: u64, upto: u64) -> (u64, u64) {
        let writes = self.writes(before, upto);
        let reads = upto - before - writes;
        (if rank < self.cached { self.pass(reads) } else { reads }, writes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_tenth_of_the_requests_are_writes_and_the_cache_answers_reads_only() {
        let divide = Divide::new(0.1, true).cached(1, 0.75);
        assert_eq!(divide.row(0, 0, 100), (90 - 68, 10), "67.5 hits go up to 68");
        assert_eq!(divide.row(1, 100, 200), (90, 10));
        assert!(!divide.is_plain() && Divide::new(0.0, false).is_plain());
    }

    proptest! {
        #[test]
        fn pieces_sum_to_the_whole(
            share in 0.0..=1.0, hit in 0.0..=1.0, cached in 0u64..5,
            pieces in prop::collection::vec(0u64..1 << 50, 1..50),
        ) {
            let divide = Divide::new(share, true).cached(cached, hit);
            let (mut at, mut writes) = (0, 0);
            for (rank, piece) in pieces.iter().enumerate() {
                let (r, w) = divide.row(rank as u64, at, at + piece);
                prop_assert!(w <= *piece && r + w <= *piece);
                prop_assert!((rank as u64) < cached || r + w == *piece);
                (at, writes) = (at + piece, writes + w);
            }
            prop_assert_eq!(writes, share_out(fixed(share), at));
        }
    }
}
