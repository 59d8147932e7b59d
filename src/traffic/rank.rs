//! Which row has which rank: a keyed bijection of the row number, computed per row.
//!
//! Source: the generalised Feistel network of J. Black and P. Rogaway, "Ciphers with arbitrary
//! finite domains", CT-RSA 2002, <https://doi.org/10.1007/3-540-45760-7_9>. A row is the pair
//! (row ÷ b, row mod b) with a·b just above the number of rows, each round adds a keyed mix of one
//! half to the other, and a result past the last row is put through again (cycle walking). Since
//! fewer than b ≈ √rows of the pairs lie past the last row, that is rare, where a network over whole
//! bits would walk up to three times a row.

use crate::params::{Default, Param, Type};
use crate::rng::{Purpose, Stream};

/// Most rows that ranks can be given to.
pub const MAX_ROWS: u64 = 1 << 62;

/// Rounds of the network. Four rounds of random functions make a permutation that cannot be told
/// from a random one (Luby and Rackoff, 1988, <https://doi.org/10.1137/0217022>).
const ROUNDS: usize = 4;

/// `rank`: which row has which rank.
pub const RANK: Param = Param::new(
    "rank",
    Type::Choice(&["shuffled", "key-order"]),
    Default::Text("shuffled"),
    "which row has which rank: a keyed shuffle, or the first row the first rank",
);

/// The rank of every row, counted from 0.
#[derive(Debug, Clone)]
pub enum Ranks {
    /// Row i has rank i.
    KeyOrder,
    /// A keyed permutation of the rows.
    Shuffled(Feistel),
}

impl Ranks {
    /// The ranks that the (checked) value of the parameter `rank` asks for.
    pub fn from_param(rank: &str, rows: u64, seed: u64) -> Self {
        match rank {
            "key-order" => Ranks::KeyOrder,
            _ => Ranks::Shuffled(Feistel::new(rows, seed)),
        }
    }

    /// The ranks of the rows from `first` on; all must be below the number of rows.
    pub fn fill(&self, first: u64, out: &mut [u64]) {
        match self {
            Ranks::KeyOrder => {
                for (row, slot) in (first..).zip(out) {
                    *slot = row;
                }
            }
            Ranks::Shuffled(feistel) => feistel.fill(first, out),
        }
    }
}

/// A keyed permutation of the numbers below `rows`.
#[derive(Debug, Clone)]
pub struct Feistel {
    rows: u64,
    /// Sizes of the halves: a·b ≥ rows, a ≤ b.
    a: u64,
    b: u64,
    keys: [u64; ROUNDS],
}

impl Feistel {
    /// The permutation of 1 to [`MAX_ROWS`] rows under a seed.
    pub fn new(rows: u64, seed: u64) -> Self {
        assert!((1..=MAX_ROWS).contains(&rows), "{rows} rows have no ranks");
        let mut stream = Stream::new(seed, Purpose::Ranks, 0);
        let b = ceil_sqrt(rows);
        Feistel { rows, a: rows.div_ceil(b), b, keys: std::array::from_fn(|_| stream.next_u64()) }
    }

    /// The image of one row below the number of rows.
    pub fn rank(&self, row: u64) -> u64 {
        debug_assert!(row < self.rows);
        self.walk(row / self.b, row % self.b)
    }

    /// The images of consecutive rows, without a division for each.
    fn fill(&self, first: u64, out: &mut [u64]) {
        let (mut left, mut right) = (first / self.b, first % self.b);
        for slot in out {
            *slot = self.walk(left, right);
            right += 1;
            if right == self.b {
                (left, right) = (left + 1, 0);
            }
        }
    }

    #[inline]
    fn walk(&self, left: u64, right: u64) -> u64 {
        let mut image = self.network(left, right);
        while image >= self.rows {
            image = self.network(image / self.b, image % self.b);
        }
        image
    }

    #[inline]
    fn network(&self, mut left: u64, mut right: u64) -> u64 {
        for pair in self.keys.chunks_exact(2) {
            left = add_below(left, mix(right, pair[0]), self.a);
            right = add_below(right, mix(left, pair[1]), self.b);
        }
        left * self.b + right
    }
}

/// (x + the 32-bit fraction f of n) mod n, for x < n ≤ 2^31.
#[inline]
fn add_below(x: u64, fraction: u64, n: u64) -> u64 {
    let sum = x + ((fraction * n) >> 32);
    // sum − n wraps to a huge number when it is negative: a minimum instead of a branch that would
    // be mispredicted half the time.
    sum.min(sum.wrapping_sub(n))
}

/// 32 keyed bits of x < 2^31: two rounds of the 64-bit finaliser of MurmurHash3
/// ([`crate::hash::mix::fmix64`]), of which the high half is used.
#[inline]
fn mix(x: u64, key: u64) -> u64 {
    let product = (x ^ key).wrapping_mul(0xff51_afd7_ed55_8ccd);
    (product ^ (product >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53) >> 32
}

/// The least b with b² ≥ n.
fn ceil_sqrt(n: u64) -> u64 {
    let root = n.isqrt();
    if root * root == n { root } else { root + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_a_bijection_for_every_small_number_of_rows() {
        for rows in 1..400u64 {
            let feistel = Feistel::new(rows, rows * 31);
            let mut images: Vec<u64> = (0..rows).map(|row| feistel.rank(row)).collect();
            images.sort_unstable();
            assert!(images.iter().copied().eq(0..rows), "{rows} rows");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn it_is_a_bijection(rows in 1u64..30_000, seed: u64) {
            let feistel = Feistel::new(rows, seed);
            let mut images = vec![0; rows as usize];
            feistel.fill(0, &mut images);
            images.sort_unstable();
            prop_assert!(images.iter().copied().eq(0..rows));
        }

        #[test]
        fn it_stays_in_range_for_any_number_of_rows(rows in 1u64..=MAX_ROWS, row: u64, seed: u64) {
            let feistel = Feistel::new(rows, seed);
            prop_assert!(feistel.rank(row % rows) < rows);
            prop_assert!(feistel.rank(rows - 1) < rows);
        }
    }

    #[test]
    fn filling_from_anywhere_equals_ranking_one_by_one() {
        let feistel = Feistel::new(1_000_003, 7);
        for first in [0, 1, 999, 1000, 1001, 65_536, 999_900] {
            let mut filled = [0; 103];
            feistel.fill(first, &mut filled);
            let one_by_one: Vec<u64> = (first..first + 103).map(|r| feistel.rank(r)).collect();
            assert_eq!(filled[..], one_by_one[..]);
        }
    }

    #[test]
    fn halves_cover_the_rows_with_little_to_spare() {
        for rows in (1..2000).chain([MAX_ROWS - 1, MAX_ROWS, 1_000_000_000_000]) {
            let f = Feistel::new(rows, 0);
            assert!(f.a <= f.b && f.b <= 1 << 31, "{rows}");
            let spare = f.a * f.b - rows;
            assert!(spare < f.b, "{rows} rows leave {spare} to spare");
        }
    }

    /// Over seeds, a row's rank is uniform; over rows, so are the high and the low part of the rank.
    /// Each chi-square with 15 degrees of freedom is above 52 with probability 5e-6; 24 + 2 of them.
    #[test]
    fn ranks_look_uniform() {
        let chi = |counts: &[u32]| {
            let mean = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
            counts.iter().map(|&c| (f64::from(c) - mean).powi(2) / mean).sum::<f64>()
        };
        for (rows, row) in [16, 160, 1600].into_iter().flat_map(|n| [(n, 0), (n, 1), (n, n - 1)]) {
            let mut counts = [0; 16];
            for seed in 0..1000 {
                counts[(Feistel::new(rows, seed).rank(row) * 16 / rows) as usize] += 1;
            }
            assert!(chi(&counts) < 52.0, "row {row} of {rows}: {counts:?}");
        }
        for seed in 0..8 {
            let feistel = Feistel::new(1 << 30, seed);
            let (mut high, mut low) = ([0; 16], [0; 16]);
            for row in 0..4096 {
                let rank = feistel.rank(row);
                high[(rank >> 26) as usize] += 1;
                low[(rank & 15) as usize] += 1;
            }
            assert!(chi(&high) < 52.0 && chi(&low) < 52.0, "seed {seed}: {high:?} {low:?}");
        }
    }

    #[test]
    fn ranks_are_stable() {
        let feistel = Feistel::new(1_000_000, 20_260_101);
        let ranks: Vec<u64> = (0..4).map(|row| feistel.rank(row)).collect();
        assert_eq!(ranks, [109_162, 160_597, 527_829, 678_412]);
    }

    #[test]
    fn roots_are_rounded_up() {
        for (n, root) in [(1, 1), (2, 2), (4, 2), (5, 3), (9, 3), (MAX_ROWS, 1 << 31)] {
            assert_eq!(ceil_sqrt(n), root);
        }
        assert_eq!(ceil_sqrt(MAX_ROWS - 1), 1 << 31);
    }
}
