//! Random numbers: one ChaCha8 stream per (seed, purpose, index), and nothing else.
//!
//! Only `next_u64`, `set_stream` and `set_word_pos` of the generator are used, since the values of
//! the higher-level methods of `rand` may change between its releases. Bounded integers and the
//! shuffle are our own.

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

use crate::hash::mix::fmix64;

/// What a stream of random numbers is for. Different purposes never share numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Keys of a pattern; index = chunk.
    Keys = 1,
    /// The bijection from row to traffic rank; index 0.
    Ranks = 2,
    /// Node names and hash seeds of trials; index = trial.
    Trials = 3,
    /// The order of requests in a session; index 0.
    Requests = 4,
    /// Generated keys of trials that need keys; index = chunk.
    TrialKeys = 5,
    /// Rows from which queries are drawn; index = number of the `[[query]]`.
    Queries = 9,
    /// Draws from the law that a placement follows by chance; index = draw.
    Chance = 12,
    /// Which rows of a unit the updates of a migration hit; index = unit.
    RowHits = 6,
    /// Which reads during a migration find an old version; index = unit.
    StaleReads = 7,
    /// Place and luck of a watched key during a migration; index = key.
    Watched = 8,
}

/// A stream of random numbers, a function of (seed, purpose, index) alone.
#[derive(Debug, Clone)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of `purpose` number `index` under the scenario's `seed`.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(index);
        Stream(rng)
    }

    /// Goes to the `n`-th u64 of the stream.
    pub fn seek(&mut self, n: u64) {
        self.0.set_word_pos(u128::from(n) * 2);
    }

    /// The next 64 random bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A uniform integer below `bound` (multiply-shift with rejection: Lemire, 2019,
    /// <https://doi.org/10.1145/3230636>).
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "an empty range has no random element");
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(bound);
            let low = wide as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A uniform number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Fisher–Yates, from the end.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u64 + 1) as usize);
        }
    }
}

/// A seed derived from another for one named use, for hashers that vary by trial.
pub fn derive(seed: u64, index: u64) -> u64 {
    fmix64(seed ^ fmix64(index.wrapping_add(0x9e37_79b9_7f4a_7c15)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_stable_and_distinct() {
        let first = |seed, purpose, index| Stream::new(seed, purpose, index).next_u64();
        let all = [
            first(1, Purpose::Keys, 0),
            first(1, Purpose::Keys, 1),
            first(1, Purpose::Ranks, 0),
            first(2, Purpose::Keys, 0),
        ];
        for (i, a) in all.iter().enumerate() {
            assert!(all[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn seek_lands_on_the_nth_number() {
        let mut walked = Stream::new(7, Purpose::Trials, 3);
        let mut sought = walked.clone();
        for _ in 0..5 {
            walked.next_u64();
        }
        sought.seek(5);
        assert_eq!(walked.next_u64(), sought.next_u64());
    }

    #[test]
    fn below_stays_below_and_reaches_every_value() {
        let mut stream = Stream::new(1, Purpose::Keys, 0);
        let mut seen = [0u32; 7];
        for _ in 0..7000 {
            seen[stream.below(7) as usize] += 1;
        }
        // Chi-square with 6 degrees of freedom: above 33 with probability 1e-5.
        let chi: f64 = seen.iter().map(|&s| (f64::from(s) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi < 33.0, "{seen:?}");
    }
}
