//! Power consistent hash: an answer for the next power of two; keys beyond n walk on as jump does.
//!
//! # Idea
//! For 2ʳ positions two hashes suffice. When that answer is not below n, jump's walk decides among the
//! positions of the last level, starting at its first one, where few jumps are left; a walk that stays
//! below the level leaves the key to the answer for half the power.
//!
//! # Source
//! E. Leu, "Fast Consistent Hashing in Constant Time", 2023, <https://arxiv.org/abs/2307.12448>.
//!
//! # Cost
//! Look-up O(1): at most about 3.5 random numbers on average. Change: a list of n. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - The random numbers are SplitMix64 seeded by the digest: number 1 for the bits that choose the
//!   level, 2 + b for the place in level b, 64 + j for jump j of the walk.
//! - A jump from x goes to ⌊(x + 1)/u⌋, u = (⌊number / 2¹¹⌋ + 1) / 2⁵³ in (0, 1].
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::numbered::{CAPS, Numbered, Numbering, PARAMS};
use super::{Cost, History, Movement, Order, StrategyInfo};
use crate::hash::mix::splitmix64;

/// Static facts. Minimal movement is what an added node causes; see `on-remove` for removals.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "power",
    title: "Power consistent hash",
    summary: "an answer for the next power of two; keys beyond n take jump's walk through the last level",
    source: "Leu (2023), https://arxiv.org/abs/2307.12448",
    checked: "the mean number of random numbers, exact by the harmonic numbers; equal shares; the law of growth",
    caps: CAPS,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Dependent,
    params: PARAMS,
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: Numbered::<Power>::build,
};

#[derive(Debug)]
struct Power;

impl Numbering for Power {
    const STEPS: &'static str = "random numbers drawn";

    #[inline]
    fn walk(digest: u64, _bits: u32, n: u32) -> (u32, u32) {
        let bits = splitmix64(digest, 1) as u32;
        let mut drawn = 1;
        if n == 1 {
            return (0, drawn);
        }
        let half = 1u32 << (n - 1).ilog2();
        let whole = by_power(digest, bits & (half | (half - 1)), &mut drawn);
        if whole < n {
            return (whole, drawn);
        }
        match jump_from(digest, half - 1, n, &mut drawn) {
            below if below < half => (by_power(digest, bits & (half - 1), &mut drawn), drawn),
            landed => (landed, drawn),
        }
    }
}

/// The answer for a power of two, given so many random bits: a place in the level of the highest.
#[inline]
fn by_power(digest: u64, bits: u32, drawn: &mut u32) -> u32 {
    if bits == 0 {
        return 0;
    }
    *drawn += 1;
    let level = bits.ilog2();
    let start = 1 << level;
    start + (splitmix64(digest, 2 + u64::from(level)) as u32 & (start - 1))
}

/// Where jump's walk from position `start` is before it leaves the positions below `n`.
#[inline]
fn jump_from(digest: u64, start: u32, n: u32, drawn: &mut u32) -> u32 {
    let mut at = start;
    for jump in 64.. {
        *drawn += 1;
        let u = ((splitmix64(digest, jump) >> 11) + 1) as f64 * (1.0 / (1u64 << 53) as f64);
        // At most 2³¹ · 2⁵³: an f64 holds it, and so does the comparison.
        let next = f64::from(at + 1) / u;
        if next >= f64::from(n) {
            break;
        }
        at = next as u32;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check_numbering, check_steps};
    use super::*;

    #[test]
    fn positions_are_in_range_stable_and_equally_likely() {
        check_numbering::<Power>();
    }

    #[test]
    fn random_numbers_are_as_many_as_the_formula_says() {
        for n in [2u32, 3, 5, 8, 9, 11, 33, 48, 100, 1025, 65_537] {
            let power = n.next_power_of_two();
            // Landings from m/2 on: position i is landed on with probability 1/(i + 1).
            let landings: f64 = (power / 2 + 1..=n).map(|i| 1.0 / f64::from(i)).sum();
            let (n, m) = (f64::from(n), f64::from(power));
            let walk = 1.0 + landings + m / 2.0 / n * (1.0 - 2.0 / m);
            let want = 1.0 + (1.0 - 1.0 / m) + (1.0 - n / m) * walk;
            assert!(want <= 3.5);
            check_steps::<Power>(n as u32, want);
        }
    }
}
