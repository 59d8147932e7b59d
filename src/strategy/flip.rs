//! FlipHash: a number below the next power of two whose low bits are flipped at random, drawn again
//! while it is not below n.
//!
//! # Idea
//! For 2ʳ positions: the low r bits of a hash, with the bits under their highest one flipped by a second
//! hash that depends on the place of that highest bit. So each of the levels 2ᵇ to 2ᵇ⁺¹ − 1 is decided
//! by its own hash, and one more bit moves half of the keys, all upwards. For other n a number that is
//! too large is replaced by the first of a sequence below n, or by the answer for half the power.
//!
//! # Source
//! C. Masson, H. Lee, "FlipHash: A Constant-Time Consistent Range-Hashing Algorithm", 2024,
//! <https://arxiv.org/abs/2402.17549>.
//!
//! # Cost
//! Look-up O(1): at most about 3.5 hashes on average. Change: a list of n. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - The family of hashes of a key is SplitMix64 seeded by its digest: number 64·i + b + 1 for attempt i
//!   at level b; attempt 0 gives the flips of a level and, at level 0 where nothing is flipped, the low
//!   bits.
//! - At most 64 attempts, as in the authors' code: what is left over, less than 2⁻⁶⁴ of the keys, goes
//!   to the answer for half the power.
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::numbered::{CAPS, Numbered, Numbering, PARAMS};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;

/// Most attempts to draw a number of the last level below n.
const ATTEMPTS: u64 = 64;

/// Static facts. Minimal movement is what an added node causes; see `on-remove` for removals.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "flip",
    title: "FlipHash",
    summary: "the low bits of a hash, flipped below their highest one by a second hash, drawn again while not below n",
    source: "Masson & Lee (2024), https://arxiv.org/abs/2402.17549",
    checked: "the authors' crate fliphash 0.1.0 with its XXH3 family; the mean number of hashes by the formula of a geometric trial; equal shares; the law of growth",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Dependent,
    params: PARAMS,
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: Numbered::<Flip>::build,
};

#[derive(Debug)]
struct Flip;

impl Numbering for Flip {
    const STEPS: &'static str = "hashes of the digest";

    #[inline]
    fn walk(digest: u64, _bits: u32, n: u32) -> (u32, u32) {
        flip(n, |level, attempt| splitmix64(digest, 64 * attempt + u64::from(level) + 1))
    }
}

/// The position below `n` and the hashes computed, by the key's family of hashes.
#[inline]
fn flip(n: u32, hash: impl Fn(u32, u64) -> u64) -> (u32, u32) {
    let low = hash(0, 0) as u32;
    let mut hashes = 1;
    if n == 1 {
        return (0, hashes);
    }
    // The last level that has positions below n begins at 2^level.
    let level = (n - 1).ilog2();
    let half = 1u32 << level;
    let whole = flipped(low & (half | (half - 1)), &hash, &mut hashes);
    if whole < n {
        return (whole, hashes);
    }
    for attempt in 1..=ATTEMPTS {
        hashes += 1;
        let drawn = hash(level, attempt) as u32 & (half | (half - 1));
        if drawn < half {
            break;
        }
        if drawn < n {
            return (drawn, hashes);
        }
    }
    (flipped(low & (half - 1), &hash, &mut hashes), hashes)
}

/// The number with the bits under its highest one flipped by the hash of that bit's place.
#[inline]
fn flipped(number: u32, hash: impl Fn(u32, u64) -> u64, hashes: &mut u32) -> u32 {
    if number == 0 {
        return 0;
    }
    *hashes += 1;
    let level = number.ilog2();
    number ^ (hash(level, 0) as u32 & ((1 << level) - 1))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_numbering, check_steps};
    use super::*;

    #[test]
    fn positions_are_in_range_stable_and_equally_likely() {
        check_numbering::<Flip>();
    }

    #[test]
    fn hashes_are_as_many_as_the_formula_says() {
        for n in [2u32, 3, 5, 8, 9, 11, 33, 48, 100, 1025, 65_537, (1 << 30) + 1] {
            let (n, m) = (f64::from(n), f64::from(n.next_power_of_two()));
            // Too large with probability 1 − n/m; then m/n attempts; m/2 of n end below the level.
            let again = m / n + m / 2.0 / n * (1.0 - 2.0 / m);
            let want = 1.0 + (1.0 - 1.0 / m) + (1.0 - n / m) * again;
            assert!(want <= 3.5);
            check_steps::<Flip>(n as u32, want);
        }
    }

    /// Their hash of level and attempt is XXH3 under a seed made of both.
    #[test]
    fn agrees_with_the_authors_code() {
        let text = include_str!("../../tests/vectors/fliphash_xxh3.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let mut cells = 0;
        for record in reader.records() {
            let record = record.unwrap();
            let hash = |level: u32, attempt: u64| {
                let seed = u64::from(level) + (attempt << 32);
                xxhash_rust::xxh3::xxh3_64_with_seed(record[0].as_bytes(), seed)
            };
            for (header, want) in headers.iter().zip(&record).skip(1) {
                let n = header.strip_prefix("buckets_").unwrap().parse().unwrap();
                assert_eq!(flip(n, hash).0.to_string(), want, "{} among {n}", &record[0]);
                cells += 1;
            }
        }
        assert_eq!(cells, 200 * 15);
    }
}
