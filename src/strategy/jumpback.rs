//! JumpBackHash: jump's walk taken backwards, from the last position that a key ever moved to below n.
//!
//! # Idea
//! As in jump, position i takes over a key with probability 1/(i + 1), and the last taker below n has
//! it. Among the positions 2ᵇ to 2ᵇ⁺¹ − 1 there is a taker with probability exactly ½, and the last of
//! them is any with equal probability: one random bit a level says which levels have a taker, and the
//! search starts at the highest.
//!
//! # Source
//! O. Ertl, "JumpBackHash: Say Goodbye to the Modulo Operation to Distribute Keys Uniformly to
//! Buckets", 2024, <https://arxiv.org/abs/2403.18682>.
//!
//! # Cost
//! Look-up 1 + (1 − x)/(x(2 − x)) random numbers on average, where x is n divided by the power of two at
//! or above it: between 1 and 5/3. Change: a list of n. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - The random numbers are SplitMix64 seeded by the digest; narrower digests are zero-extended.
//! - The halves of one number serve twice: the first number gives the level bits (both halves xored)
//!   and, by the parity of the levels left, one half as the position; later ones two candidates each,
//!   the low half first.
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::numbered::{CAPS, Numbered, Numbering, PARAMS};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;

/// Static facts. Minimal movement is what an added node causes; see `on-remove` for removals.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "jumpback",
    title: "JumpBackHash",
    summary: "jump's walk from its end: the last taker below n, found with at most 5/3 random numbers on average",
    source: "Ertl (2024), https://arxiv.org/abs/2403.18682",
    checked: "the crate jump-back-hash 0.1.0 over SplitMix64; the law of the last taker at two sizes; the source's mean number of random numbers",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Dependent,
    params: PARAMS,
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: Numbered::<JumpBack>::build,
};

#[derive(Debug)]
struct JumpBack;

impl Numbering for JumpBack {
    const STEPS: &'static str = "random numbers drawn";

    #[inline]
    fn walk(digest: u64, _bits: u32, n: u32) -> (u32, u32) {
        let mut drawn = 1;
        let first = splitmix64(digest, 1);
        let mut levels = (first ^ (first >> 32)) as u32 & all_levels(n);
        while levels != 0 {
            let start = 1 << levels.ilog2();
            let half = if levels.count_ones() % 2 == 1 { first >> 32 } else { first } as u32;
            let last = start + (half & (start - 1));
            if last < n {
                return (last, drawn);
            }
            if let Some(taker) = taker_before(digest, start, n, &mut drawn) {
                return (taker, drawn);
            }
            levels ^= start;
        }
        (0, drawn)
    }
}

/// Bits 0 to b where 2ᵇ is the first position of the last level that has any below `n`.
#[inline]
fn all_levels(n: u32) -> u32 {
    u32::MAX.checked_shr((n - 1).leading_zeros()).unwrap_or(0)
}

/// The next takers before one at or beyond `n`, until one lies below `n`: it, or None when it lies
/// below the level's `start`. The taker before j is any number below j; since those from `n` on do not
/// matter, numbers below 2·start are drawn until one is below `n`.
#[inline]
fn taker_before(digest: u64, start: u32, n: u32, drawn: &mut u32) -> Option<u32> {
    loop {
        *drawn += 1;
        let number = splitmix64(digest, u64::from(*drawn));
        for half in [number as u32, (number >> 32) as u32] {
            let candidate = half & (2 * start - 1);
            if candidate < n {
                return (candidate >= start).then_some(candidate);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{SIGMAS, check_numbering, check_steps};
    use super::*;
    use crate::hash::mix::fmix64;

    #[test]
    fn positions_are_in_range_stable_and_equally_likely() {
        check_numbering::<JumpBack>();
    }

    #[test]
    fn agrees_with_another_implementation() {
        let text = include_str!("../../tests/vectors/jumpback_crate.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let mut cells = 0;
        for record in reader.records() {
            let record = record.unwrap();
            let digest = record[0].parse().unwrap();
            for (header, want) in headers.iter().zip(&record).skip(1) {
                let n = header.strip_prefix("buckets_").unwrap().parse().unwrap();
                let got = JumpBack::walk(digest, 64, n).0;
                assert_eq!(got.to_string(), want, "{digest} among {n}");
                cells += 1;
            }
        }
        assert_eq!(cells, 200 * 15);
    }

    #[test]
    fn random_numbers_are_as_many_as_the_source_says() {
        for n in [2u32, 3, 4, 5, 9, 11, 16, 17, 33, 48, 100, 1025, 65_537, (1 << 30) + 1] {
            let x = f64::from(n) / f64::from(n.next_power_of_two());
            let want = 1.0 + (1.0 - x) / (x * (2.0 - x));
            assert!(want <= 5.0 / 3.0);
            check_steps::<JumpBack>(n, want);
        }
        assert_eq!(JumpBack::walk(7, 64, 1), (0, 1));
    }

    /// How often a key's position among 23 is also its position among 9: as for jump, 9/23.
    #[test]
    fn positions_at_two_sizes_are_related_as_the_law_says() {
        let keys = 100_000;
        let same = (0..keys)
            .map(fmix64)
            .filter(|&d| JumpBack::walk(d, 64, 9).0 == JumpBack::walk(d, 64, 23).0)
            .count() as f64;
        let (mean, p) = (keys as f64 * 9.0 / 23.0, 9.0 / 23.0);
        let deviation = libm::sqrt(mean * (1.0 - p));
        assert!((same - mean).abs() < SIGMAS * deviation, "{same} of {mean}");
    }
}
