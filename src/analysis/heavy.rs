//! The most frequent values of a column, in bounded memory.
//!
//! J. Misra and D. Gries, 1982 (<https://doi.org/10.1016/0167-6423(82)90012-0>): with m counters a value's
//! count is short by at most the number of rounds in which all counters were lowered, at most rows ÷ m.
//! Without a round every count is exact. Values are told apart by 64-bit fingerprints.

use std::collections::BTreeMap;

/// Values that are counted at the same time.
pub const COUNTERS: usize = 1 << 16;

/// Characters of a value that are kept for show.
const SHOWN: usize = 60;

/// Counts values in the order of rows.
#[derive(Debug, Clone, Default)]
pub struct Heavy {
    counters: BTreeMap<u64, (u64, Box<str>)>,
    rows: u64,
    rounds: u64,
}

/// A frequent value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frequent {
    /// Its fingerprint.
    pub fingerprint: u64,
    /// Its first characters.
    pub text: String,
    /// Rows that hold it, at least.
    pub least: u64,
    /// Rows that hold it, at most; the same where the count is exact.
    pub most: u64,
}

impl Heavy {
    /// Takes the value of the next row; `text` is asked for when the value is new.
    pub fn add(&mut self, fingerprint: u64, text: impl FnOnce() -> String) {
        self.rows += 1;
        if let Some((count, _)) = self.counters.get_mut(&fingerprint) {
            *count += 1;
            return;
        }
        if self.counters.len() == COUNTERS {
            self.rounds += 1;
            self.counters.retain(|_, (count, _)| {
                *count -= 1;
                *count > 0
            });
            return;
        }
        let text: String = text().chars().take(SHOWN).collect();
        self.counters.insert(fingerprint, (1, text.into()));
    }

    /// Whether every count is exact, and so every value is there.
    pub fn is_exact(&self) -> bool {
        self.rounds == 0
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The most frequent values, at most `limit`; equal ones by their text.
    pub fn top(&self, limit: usize) -> Vec<Frequent> {
        let mut all: Vec<Frequent> = self
            .counters
            .iter()
            .map(|(fingerprint, (count, text))| Frequent {
                fingerprint: *fingerprint,
                text: text.to_string(),
                least: *count,
                most: count + self.rounds,
            })
            .collect();
        all.sort_by(|a, b| b.least.cmp(&a.least).then_with(|| a.text.cmp(&b.text)));
        all.truncate(limit);
        all
    }

    /// The counts of all values at hand, largest first.
    pub fn counts(&self) -> Vec<u64> {
        let mut counts: Vec<u64> = self.counters.values().map(|(count, _)| *count).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::fmix64;

    #[test]
    fn few_values_are_counted_exactly() {
        let mut heavy = Heavy::default();
        (0..100u64).for_each(|i| heavy.add(fmix64(i % 7 % 3), || (i % 7 % 3).to_string()));
        assert!(heavy.is_exact());
        let top = heavy.top(2);
        // Residues 0 … 6 mod 3: 0 thrice, of which 15 + 14 + 14 rows.
        assert_eq!((top[0].text.as_str(), top[0].least, top[0].most), ("0", 43, 43));
        assert_eq!(top.len(), 2);
        assert_eq!(heavy.counts().iter().sum::<u64>(), 100);
    }

    #[test]
    fn a_frequent_value_stays_among_many_rare_ones() {
        let mut heavy = Heavy::default();
        let rows = 4 * COUNTERS as u64;
        for row in 0..rows {
            let value = if row % 10 == 0 { u64::MAX } else { row };
            heavy.add(fmix64(value), || value.to_string());
        }
        assert!(!heavy.is_exact());
        let top = &heavy.top(1)[0];
        let truth = rows.div_ceil(10);
        assert_eq!(top.text, u64::MAX.to_string());
        assert!(top.least <= truth && truth <= top.most, "{top:?} for {truth}");
        assert!(top.most - top.least <= rows / COUNTERS as u64);
    }
}
