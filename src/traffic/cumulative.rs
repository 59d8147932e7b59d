//! Cumulative shares over ranks, in fixed point: what makes the requests of all rows sum exactly.
//!
//! C(r) is the share of the requests that the first r ranks take together, as an integer out of
//! [`ONE`]. It never falls, C(0) = 0 and C(rows) = `ONE`, so that the differences of the rounded
//! products C(r)·R are never negative and sum to R.

use std::fmt::Debug;

/// The whole, in fixed point.
pub const ONE: u64 = 1 << 63;

/// A cumulative share over ranks counted from 0.
pub trait Cumulative: Debug + Send + Sync {
    /// C(rank) and C(rank + 1); the rank is below the number of rows.
    fn around(&self, rank: u64) -> (u64, u64);
}

/// round(c ÷ [`ONE`] × requests), halves up.
#[inline]
pub fn share_out(c: u64, requests: u64) -> u64 {
    ((u128::from(c) * u128::from(requests) + (u128::from(ONE) >> 1)) >> 63) as u64
}

/// One or two groups of ranks, even within each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// Ranks of the first group.
    kink: u64,
    /// Share of the first group.
    at_kink: u64,
    /// Share of one rank of either group, times 2^64.
    slopes: [u128; 2],
}

impl Lines {
    /// All rows alike.
    pub fn one(rows: u64) -> Self {
        Self::two(rows, rows, 1.0)
    }

    /// The first `first` ranks take `share` (0 to 1) of the requests; all, if there are no others.
    pub fn two(rows: u64, first: u64, share: f64) -> Self {
        let first = first.min(rows);
        let at_kink = if first == rows {
            ONE
        } else {
            libm::round(share * ONE as f64).min(ONE as f64) as u64
        };
        // Rounded up, so that the last rank of a group reaches its end: the excess over all ranks
        // is below ranks ÷ 2^64.
        let slope =
            |share: u64, ranks: u64| (u128::from(share) << 64).div_ceil(ranks.max(1).into());
        let slopes = [slope(at_kink, first), slope(ONE - at_kink, rows - first)];
        Lines { kink: first, at_kink, slopes }
    }

    #[inline]
    fn at(&self, r: u64) -> u64 {
        let (start, from, slope) = if r <= self.kink {
            (0, 0, self.slopes[0])
        } else {
            (self.at_kink, self.kink, self.slopes[1])
        };
        start + ((u128::from(r - from) * slope) >> 64) as u64
    }
}

impl Cumulative for Lines {
    #[inline]
    fn around(&self, rank: u64) -> (u64, u64) {
        (self.at(rank), self.at(rank + 1))
    }
}

/// Ranks below 2^15 have an entry each.
const HEAD_BITS: u32 = 15;
/// Number of ranks with an entry each.
pub const HEAD: u64 = 1 << HEAD_BITS;

/// A table of at most 2^16 entries: every rank of the head, then geometrically spaced anchors with
/// straight lines between them.
///
/// From rank 2^15 on, every power of two is cut into 2^k equal pieces, k the largest that the table
/// has room for: 15 up to 65 536 rows (every rank exact), 11 at 10^7 rows, 10 at 10^12. Within
/// a piece all ranks take the same; for a Zipf exponent s a rank's share is off by at most
/// s ÷ 2^(k+1) of itself, the shares of whole pieces not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    rows: u64,
    /// log2 of the pieces of a power of two.
    piece_bits: u32,
    /// C at the start of every piece; the head's pieces are single ranks.
    starts: Vec<u64>,
}

impl Table {
    /// Tabulates `shares`: it is given the sorted anchor ranks (all below `rows`, from 0) and gives
    /// C of each as a share between 0 and 1. Rounding errors that would let C fall are flattened.
    pub fn new(rows: u64, shares: impl FnOnce(&[u64]) -> Vec<f64>) -> Self {
        let piece_bits = piece_bits(rows);
        let mut anchors: Vec<u64> = (0..rows.min(HEAD)).collect();
        let mut octave = HEAD_BITS;
        while octave < 64 && rows > 1 << octave {
            let width = octave - piece_bits;
            let pieces = (1u64 << piece_bits)..(2 << piece_bits);
            anchors.extend(pieces.map(|p| p << width).take_while(|&r| r < rows));
            octave += 1;
        }
        let mut highest = 0;
        let starts = shares(&anchors)
            .into_iter()
            .map(|share| {
                let fixed = libm::round(share * ONE as f64).clamp(0.0, ONE as f64) as u64;
                highest = fixed.max(highest);
                highest
            })
            .collect();
        Table { rows, piece_bits, starts }
    }

    #[inline]
    fn at(&self, r: u64) -> u64 {
        if r < HEAD {
            return self.starts.get(r as usize).copied().unwrap_or(ONE);
        }
        let octave = 63 - r.leading_zeros();
        let width = octave - self.piece_bits;
        let piece = r >> width;
        let index = HEAD
            + (u64::from(octave - HEAD_BITS) << self.piece_bits)
            + (piece - (1 << self.piece_bits));
        let offset = r & ((1 << width) - 1);
        match self.starts.get(index as usize..index as usize + 2) {
            Some(ends) => ends[0] + between(ends[1] - ends[0], offset, width),
            // The last piece ends with the rows, not with its power of two.
            None => self.in_last_piece(r, index as usize, piece << width),
        }
    }

    #[cold]
    fn in_last_piece(&self, r: u64, index: usize, first: u64) -> u64 {
        if r >= self.rows {
            return ONE;
        }
        let start = self.starts[index];
        let part = u128::from(ONE - start) * u128::from(r - first) / u128::from(self.rows - first);
        start + part as u64
    }
}

impl Cumulative for Table {
    #[inline]
    fn around(&self, rank: u64) -> (u64, u64) {
        (self.at(rank), self.at(rank + 1))
    }
}

/// The largest k ≤ 15 with at most 2^15 pieces in all octaves that `rows` reach beyond the head.
fn piece_bits(rows: u64) -> u32 {
    let last_octave = 63 - rows.saturating_sub(1).max(HEAD).leading_zeros();
    let octaves = last_octave - HEAD_BITS + 1;
    HEAD_BITS - octaves.next_power_of_two().trailing_zeros()
}

/// difference × offset ÷ 2^width, rounded down.
#[inline]
fn between(difference: u64, offset: u64, width: u32) -> u64 {
    ((u128::from(difference) * u128::from(offset)) >> width) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn even(rows: u64) -> Table {
        Table::new(rows, |ranks| ranks.iter().map(|&r| r as f64 / rows as f64).collect())
    }

    #[test]
    fn the_table_stays_within_its_size_and_uses_it() {
        for rows in [1, 2, 1000, HEAD - 1, HEAD, HEAD + 1, 65_535, 65_536, 65_537, 1 << 62] {
            let entries = even(rows).starts.len();
            assert!(entries <= 1 << 16, "{rows} rows: {entries} entries");
            assert_eq!(entries as u64 == rows, rows <= 65_536, "{rows} rows: {entries} entries");
        }
        assert_eq!(
            [HEAD, 65_536, 65_537, 10_000_000, 1_000_000_000_000, 1 << 62].map(piece_bits),
            [15, 15, 14, 11, 10, 9]
        );
    }

    #[test]
    fn anchors_are_where_the_index_looks_for_them() {
        for rows in [40_000, 65_536, 100_000, 1 << 20, (1 << 20) + 1, 123_456_789] {
            let mut anchors = Vec::new();
            let table = Table::new(rows, |ranks| {
                anchors = ranks.to_vec();
                ranks.iter().map(|&r| r as f64 / rows as f64).collect()
            });
            assert!(anchors.windows(2).all(|pair| pair[0] < pair[1]));
            for (&rank, &start) in anchors.iter().zip(&table.starts) {
                assert_eq!(table.at(rank), start, "rank {rank} of {rows}");
            }
        }
    }

    #[test]
    fn every_cumulative_rises_from_zero_to_one() {
        for rows in [1, 2, 3, 32_767, 32_768, 32_769, 65_536, 65_537, 100_003] {
            let table = even(rows);
            let one = Lines::one(rows);
            let two = Lines::two(rows, rows.div_ceil(3), 0.9);
            for c in [&table as &dyn Cumulative, &one, &two] {
                let mut last = 0;
                for rank in 0..rows {
                    let (before, upto) = c.around(rank);
                    assert_eq!(before, last, "rank {rank} of {rows}: {c:?}");
                    assert!(upto >= before, "rank {rank} of {rows}");
                    last = upto;
                }
                assert_eq!(last, ONE, "{rows} rows");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn ends_are_exact_and_neighbours_in_order_at_any_size(
            rows in 1u64..=1 << 62, rank: u64, share in 0.0..=1.0, first: u64,
        ) {
            let two = Lines::two(rows, 1 + first % rows, share);
            let table = even(rows);
            for c in [&two as &dyn Cumulative, &table] {
                prop_assert_eq!(c.around(0).0, 0);
                prop_assert_eq!(c.around(rows - 1).1, ONE);
                let rank = rank % rows;
                let (before, upto) = c.around(rank);
                prop_assert!(before <= upto && upto <= ONE);
                if rank > 0 {
                    prop_assert!(c.around(rank - 1).1 == before);
                }
            }
            // An even table is the line, up to the rounding of its anchors to 53 bits.
            let line = Lines::one(rows).around(rank % rows).0;
            prop_assert!(line.abs_diff(table.around(rank % rows).0) <= 1 << 11);
        }
    }

    #[test]
    fn a_falling_share_is_flattened() {
        let table = Table::new(4, |_| vec![0.0, 0.5, 0.25, 0.75]);
        let shares: Vec<u64> = (0..4).map(|r| table.around(r).0 >> 61).collect();
        assert_eq!(shares, [0, 2, 2, 3]);
    }

    #[test]
    fn rounding_is_half_up_and_does_not_overflow() {
        assert_eq!([0, 1, 2, 3, 4].map(|q| share_out(ONE / 4 * q, 10)), [0, 3, 5, 8, 10]);
        assert_eq!(share_out(ONE, u64::MAX), u64::MAX);
        assert_eq!(share_out(ONE - 1, u64::MAX), u64::MAX - 2);
    }
}
