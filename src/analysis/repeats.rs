//! How often each key comes, where keys come again: what the rows of a node are made of.
//!
//! All rows of a key go where the key goes, so that chance places keys and not rows.

use rayon::prelude::*;

use super::distinct::fingerprint;
use super::peak::draws::multinomial;
use super::spread::{Router, begins_with};
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::metrics::ideal::{Chance, bounds, ideal_of_rows};
use crate::rng::{Purpose, Stream};
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::scan::scan;
use crate::strategy::Slot;

/// Keys below which a thread's list is not folded: it fits into a processor's cache.
const LEAST_FOLD: usize = 1 << 16;

/// The keys that were placed on live nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeats {
    /// Distinct keys of each live node, in the cluster's order.
    pub counts: Vec<u64>,
    /// So many rows a key, and how many keys have so many; the most rows first.
    pub classes: Vec<(u64, u64)>,
}

impl Repeats {
    /// Rows of the most frequent key.
    pub fn most(&self) -> u64 {
        self.classes.first().map_or(0, |(rows, _)| *rows)
    }

    /// Distinct keys.
    pub fn keys(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Rows of all keys.
    pub fn rows(&self) -> u64 {
        self.classes.iter().map(|(rows, keys)| rows * keys).sum()
    }

    /// The least deviation from fair load that the most frequent key forces on the node that gets it,
    /// whichever that is; 0 where some node has room for it.
    pub fn least_deviation(&self, owned: &[f64], fair: &[f64]) -> f64 {
        let share = self.most() as f64 / self.rows().max(1) as f64;
        let off = owned.iter().zip(fair).filter(|(owned, _)| **owned > 0.0).map(|(_, fair)| {
            // Without a fair share a node may hold any number.
            if *fair > 0.0 { share / fair - 1.0 } else { 0.0 }
        });
        off.min_by(f64::total_cmp).map_or(0.0, |least| least.max(0.0))
    }

    /// Probability that a hash which places each key by these owned shares, with all its rows, keeps every
    /// node within `x` of its fair load.
    pub fn ideal(&self, owned: &[f64], fair: &[f64], x: f64) -> Drawn {
        let exact = |p| Drawn { chance: Chance { p, exact: true }, draws: 0 };
        if let [(rows, keys)] = self.classes[..] {
            return Drawn { chance: ideal_of_rows(owned, fair, keys, rows, x), draws: 0 };
        }
        let nodes: Vec<usize> =
            (0..fair.len()).filter(|&i| owned[i] > 0.0 || fair[i] > 0.0).collect();
        if nodes.len() < 2 || self.classes.is_empty() {
            return exact(1.0);
        }
        let rows = self.rows();
        let limits: Vec<(u64, u64)> = nodes.iter().map(|&i| bounds(fair[i], rows, x)).collect();
        let whole: f64 = nodes.iter().map(|&i| owned[i]).sum();
        let shares: Vec<f64> = nodes.iter().map(|&i| owned[i] / whole).collect();
        let room = limits.iter().zip(&shares).filter(|(_, share)| **share > 0.0);
        let room = room.map(|((_, high), _)| *high).max().unwrap_or(0);
        if self.most() > room || limits.iter().any(|(low, high)| low > high) {
            return exact(0.0);
        }
        let work: u64 = self.classes.iter().map(|(_, keys)| work(*keys, shares.len())).sum();
        let draws = (WORK / work.max(1)).clamp(LEAST_DRAWS, MOST_DRAWS);
        let passed: u64 = (0..draws)
            .into_par_iter()
            .map(|draw| u64::from(self.draw(draw, &shares, &limits)))
            .sum();
        Drawn { chance: Chance { p: passed as f64 / draws as f64, exact: false }, draws }
    }

    /// Whether the loads of one draw lie within the limits.
    fn draw(&self, number: u64, shares: &[f64], limits: &[(u64, u64)]) -> bool {
        let mut stream = Stream::new(1, Purpose::Chance, number);
        let mut sum = 0.0;
        let add = |share: &f64| {
            sum += share;
            sum
        };
        let ends: Vec<f64> = shares.iter().map(add).collect();
        let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
        let (mut loads, mut counts) = (vec![0u64; shares.len()], Vec::new());
        // The most frequent first: what they break is not mended by the others.
        for &(rows, keys) in &self.classes {
            if keys == work(keys, shares.len()) {
                for _ in 0..keys {
                    let at = stream.unit();
                    let node = ends.partition_point(|&end| end <= at).min(last);
                    loads[node] += rows;
                }
            } else {
                multinomial(&mut stream, keys, shares, &mut counts);
                loads.iter_mut().zip(&counts).for_each(|(load, keys)| *load += rows * keys);
            }
            if loads.iter().zip(limits).any(|(load, (_, high))| load > high) {
                return false;
            }
        }
        loads.iter().zip(limits).all(|(load, (low, _))| load >= low)
    }
}

/// A chance, and from how many draws it is: 0 where it was computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Drawn {
    /// The chance.
    pub chance: Chance,
    /// Draws.
    pub draws: u64,
}

impl Drawn {
    /// Standard error of a chance that was drawn; of one that no draw or every draw met, 1 ÷ draws.
    pub fn error(&self) -> Option<f64> {
        let (p, draws) = (self.chance.p, self.draws as f64);
        (self.draws > 0).then(|| libm::sqrt(p * (1.0 - p) / draws).max(1.0 / draws))
    }
}

/// Keys that are thrown for one chance, about a second's worth.
const WORK: u64 = 100_000_000;

/// Draws for one chance, at least: a standard error of 0.035.
const LEAST_DRAWS: u64 = 200;

/// Draws for one chance, at most: a standard error of 0.008.
const MOST_DRAWS: u64 = 4000;

/// What it takes to throw so many keys on so many nodes, in single throws: they are thrown one by one, or
/// their counts are drawn node by node where that is quicker.
fn work(keys: u64, nodes: usize) -> u64 {
    /// Throws that take as long as one node's count.
    const COUNT: u64 = 32;
    keys.min(COUNT * nodes as u64)
}

/// Counts the rows of every key, or of those whose text begins with `prefix`. Memory grows with the number
/// of distinct keys, 48 bytes each and thread at most: ask only where that number is known to be small.
///
/// # Errors
/// A fault of a key file; an interrupt.
pub fn repeats(
    router: Router<'_>,
    input: &Input,
    prefix: Option<&[u8]>,
    progress: &dyn Progress,
) -> Result<Repeats, Error> {
    progress.begin("counting repeats", input.rows);
    let new = || (router.walk(), Seen::default());
    let parts = scan(input, router.columns(), progress, new, |(walk, seen), batch: &KeyBatch| {
        let slots = walk.place(batch);
        for (row, &slot) in slots.iter().enumerate() {
            if prefix.is_none_or(|prefix| begins_with(batch, row, prefix)) {
                seen.add(fingerprint(batch, row), slot, 1);
            }
        }
    })?;
    let mut all = Seen::default();
    for (_, part) in parts {
        part.keys.into_iter().for_each(|(print, slot, rows)| all.add(print, slot, rows));
    }
    all.fold();
    let live = router.live();
    let at = |slot: Slot| {
        let id = slot.node()?.0 as usize;
        live.iter().position(|&have| have == id)
    };
    let mut counts = vec![0; live.len()];
    let mut rows = Vec::new();
    // Keys of one node follow each other: its place is looked up once.
    all.keys.sort_unstable_by_key(|(_, slot, _)| *slot);
    for of_slot in all.keys.chunk_by(|a, b| a.1 == b.1) {
        if let Some(at) = at(of_slot[0].1) {
            counts[at] += of_slot.len() as u64;
            rows.extend(of_slot.iter().map(|(_, _, rows)| *rows));
        }
    }
    rows.sort_unstable_by(|a, b| b.cmp(a));
    let classes = rows.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u64)).collect();
    Ok(Repeats { counts, classes })
}

/// Keys by fingerprint and node, with their rows; some of them several times until they are folded.
#[derive(Default)]
struct Seen {
    keys: Vec<(u64, Slot, u64)>,
    folded: usize,
}

impl Seen {
    fn add(&mut self, print: u64, slot: Slot, rows: u64) {
        match self.keys.last_mut() {
            Some((last, at, have)) if *last == print && *at == slot => *have += rows,
            _ => self.keys.push((print, slot, rows)),
        }
        if self.keys.len() >= 2 * self.folded.max(LEAST_FOLD) {
            self.fold();
        }
    }

    fn fold(&mut self) {
        self.keys.sort_unstable();
        self.keys.dedup_by(|next, kept| {
            let same = (next.0, next.1) == (kept.0, kept.1);
            if same {
                kept.2 += next.2;
            }
            same
        });
        self.folded = self.keys.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(classes: &[(u64, u64)]) -> Repeats {
        Repeats { counts: Vec::new(), classes: classes.to_vec() }
    }

    /// The chance over all ways to place the keys, one by one; equal shares.
    fn enumerated(classes: &[(u64, u64)], nodes: usize, x: f64) -> f64 {
        let keys: Vec<u64> =
            classes.iter().flat_map(|&(rows, keys)| (0..keys).map(move |_| rows)).collect();
        let mean = keys.iter().sum::<u64>() as f64 / nodes as f64;
        let ways = nodes.pow(keys.len() as u32);
        let passes = (0..ways).filter(|way| {
            let (mut loads, mut way) = (vec![0u64; nodes], *way);
            keys.iter().for_each(|rows| {
                loads[way % nodes] += rows;
                way /= nodes;
            });
            loads.iter().all(|&load| (load as f64 / mean - 1.0).abs() <= x + 1e-9)
        });
        passes.count() as f64 / ways as f64
    }

    #[test]
    fn drawn_chances_are_near_the_enumerated_ones() {
        type Case<'a> = (&'a [(u64, u64)], usize, f64);
        let cases: [Case<'_>; 4] = [
            (&[(5, 1), (1, 9)], 2, 0.3),
            (&[(4, 2), (3, 1), (1, 6)], 3, 0.5),
            (&[(3, 2), (2, 3), (1, 3)], 3, 0.4),
            (&[(9, 1), (2, 5), (1, 3)], 2, 0.1),
        ];
        for (classes, nodes, x) in cases {
            let shares = vec![1.0 / nodes as f64; nodes];
            let have = of(classes).ideal(&shares, &shares, x);
            let want = enumerated(classes, nodes, x);
            assert!(want > 0.02 && have.draws == MOST_DRAWS, "{have:?} for {want}: no test");
            let error = have.error().unwrap();
            assert!((have.chance.p - want).abs() < 4.0 * error, "{have:?} for {want}");
        }
    }

    #[test]
    fn classes_of_many_keys_are_drawn_as_their_keys_would_be() {
        // 2 × 20 000 keys that differ in nothing are 40 000 keys; their counts are drawn node by node.
        let shares = [0.25; 4];
        let keys = of(&[(1, 20_000), (1, 20_000)]).ideal(&shares, &shares, 0.015);
        let want = ideal_of_rows(&shares, &shares, 40_000, 1, 0.015).p;
        assert!((0.3..0.9).contains(&want), "{want}");
        assert!((keys.chance.p - want).abs() < 4.0 * keys.error().unwrap(), "{keys:?} for {want}");
    }

    #[test]
    fn what_no_hash_can_pass_is_exactly_0() {
        let eighth = [0.125; 8];
        let hot = of(&[(30_000, 1), (1, 70_000)]);
        assert_eq!(hot.ideal(&eighth, &eighth, 1.3).chance, Chance { p: 0.0, exact: true });
        // With an eighth of the other keys the node has 2.4 + 0.7 times the mean.
        assert_eq!(hot.ideal(&eighth, &eighth, 2.0).chance.p, 0.0);
        assert!(hot.ideal(&eighth, &eighth, 2.2).chance.p > 0.99);
        assert!((hot.least_deviation(&eighth, &eighth) - 1.4).abs() < 1e-12);
        // A large node has room for it, but it has to own something.
        let fair = [0.3, 0.35, 0.35];
        assert_eq!(hot.least_deviation(&fair, &fair), 0.0);
        assert!((hot.least_deviation(&[0.5, 0.0, 0.5], &[0.25, 0.5, 0.25]) - 0.2).abs() < 1e-12);
        assert_eq!(of(&[(7, 1)]).ideal(&[1.0], &[1.0], 0.0).chance.p, 1.0);
    }
}
