//! How often the same keys move along a path. Counted only where it is asked for, since it looks at
//! every key at every step once more.

use crate::strategy::Slot;

/// What of one load has moved once and again, by step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Seen {
    /// Amount of the keys that move for the first time at this step; after [`Repeats::finish`] of
    /// those that have moved at all.
    pub ever: u64,
    /// The same of those that move for the second time, or have moved more than once.
    pub again: u64,
    /// The most moves of a key so far.
    pub most: u64,
}

/// Repeated moves of a cell.
#[derive(Debug, Clone)]
pub struct Repeats {
    /// By load, then by step.
    pub seen: Vec<Vec<Seen>>,
    /// Moves of each key of the batch at hand.
    times: Vec<u16>,
}

impl Repeats {
    /// Nothing counted yet.
    pub fn new(loads: usize, steps: usize) -> Self {
        Repeats { seen: vec![vec![Seen::default(); steps]; loads], times: Vec::new() }
    }

    /// Counts one batch: the amounts of each load (none: one a key), the tally row of each key by step.
    /// Rows that stand for no key at all, by the first load, count for nothing.
    pub fn count(&mut self, amounts: &[&[u64]], slots: &[&[Slot]]) {
        let keys = slots.first().map_or(0, |slots| slots.len());
        self.times.clear();
        self.times.resize(keys, 0);
        for (step, pair) in slots.windows(2).enumerate() {
            for (row, times) in self.times.iter_mut().enumerate() {
                let none = amounts[0].get(row) == Some(&0);
                if none || pair[0][row] == pair[1][row] {
                    continue;
                }
                // A path has at most 1000 steps.
                *times += 1;
                for (seen, amounts) in self.seen.iter_mut().zip(amounts) {
                    let amount = amounts.get(row).copied().unwrap_or(1);
                    let seen = &mut seen[step + 1];
                    match *times {
                        1 => seen.ever = seen.ever.wrapping_add(amount),
                        2 => seen.again = seen.again.wrapping_add(amount),
                        _ => {}
                    }
                    seen.most = seen.most.max(u64::from(*times));
                }
            }
        }
    }

    /// Adds another worker's counts.
    pub fn merge(&mut self, other: &Repeats) {
        let mine = self.seen.iter_mut().flatten();
        for (mine, theirs) in mine.zip(other.seen.iter().flatten()) {
            mine.ever = mine.ever.wrapping_add(theirs.ever);
            mine.again = mine.again.wrapping_add(theirs.again);
            mine.most = mine.most.max(theirs.most);
        }
    }

    /// Sums up along the path.
    pub fn finish(&mut self) {
        for steps in &mut self.seen {
            for step in 1..steps.len() {
                let before = steps[step - 1];
                let now = &mut steps[step];
                now.ever = now.ever.wrapping_add(before.ever);
                now.again = now.again.wrapping_add(before.again);
                now.most = now.most.max(before.most);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn agrees_with_looking_at_each_key_alone() {
        let mut rng = Stream::new(11, Purpose::Keys, 0);
        for _ in 0..100 {
            let (keys, steps) = (1 + rng.below(50) as usize, 1 + rng.below(6) as usize);
            let walks: Vec<Vec<Slot>> = (0..steps)
                .map(|_| (0..keys).map(|_| Slot(rng.below(3) as u32)).collect())
                .collect();
            let bytes: Vec<u64> = (0..keys).map(|_| rng.below(1000)).collect();
            // Two workers, each with its part of the keys.
            let cut = rng.below(keys as u64 + 1) as usize;
            let part = |from: usize, to: usize| {
                let mut repeats = Repeats::new(2, steps);
                let slots: Vec<&[Slot]> = walks.iter().map(|w| &w[from..to]).collect();
                repeats.count(&[&[], &bytes[from..to]], &slots);
                repeats
            };
            let mut all = part(0, cut);
            all.merge(&part(cut, keys));
            all.finish();
            for step in 0..steps {
                let moves = |key: usize| {
                    (1..=step).filter(|&s| walks[s][key] != walks[s - 1][key]).count() as u64
                };
                let sum = |least: u64, amount: &dyn Fn(usize) -> u64| {
                    (0..keys).filter(|&k| moves(k) >= least).map(amount).sum::<u64>()
                };
                let most = (0..keys).map(moves).max().unwrap();
                let want = |amount: &dyn Fn(usize) -> u64| Seen {
                    ever: sum(1, amount),
                    again: sum(2, amount),
                    most,
                };
                assert_eq!(all.seen[0][step], want(&|_| 1));
                assert_eq!(all.seen[1][step], want(&|k| bytes[k]));
            }
        }
    }
}
