//! Jump: a pseudo-random walk over the numbers of nodes; the last jump that stays below n wins.
//!
//! # Idea
//! Seeded by the key, decide for every n in turn whether the key moves to the new last bucket when
//! the n-th is added (with probability 1/n), but leap from move to move instead of asking each n.
//!
//! # Source
//! J. Lamping, E. Veach, "A Fast, Minimal Memory, Consistent Hash Algorithm", 2014,
//! <https://arxiv.org/abs/1406.2294>.
//!
//! # Cost
//! Look-up Hₙ ≈ ln n + 0.58 steps on average, one division each. Change: a list of n; an added node
//! takes 1/(n + 1) of the keys and nothing else moves. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - Digests narrower than 64 bits are zero-extended, as Guava does; of 128 bits the first 64 count.
//! - The arithmetic is the paper's, quotient rounded first, then the product (Guava rounds once and
//!   differs on crafted keys).
//! - The source numbers buckets and can drop only the last. `on-remove` says what becomes of another:
//!   see [`super::positions`]. Only the removal of the last node, and `replace`, move nothing else.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::positions::{ON_REMOVE, Positions};
use super::support::{digest_step, mean_steps, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Ownership, Placement, Slot,
    StrategyInfo,
};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::Input;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts. Minimal movement is what an added node causes; see `on-remove` for removals.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "jump",
    title: "Jump hash",
    summary: "a pseudo-random walk over the node counts; a node added at the end takes only its share",
    source: "Lamping & Veach (2014), https://arxiv.org/abs/1406.2294",
    checked: "PyPI jump-consistent-hash 3.6.0 (the authors' C++ code), ClickHouse 26.9 on crafted keys; the mean number of steps, Hₙ",
    caps: Caps { positional: true, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Dependent,
    params: &[HASHER, HASH_SEED, VIEW, ON_REMOVE],
    cost: Cost { lookup: "O(log n)", change: "O(n)", bytes: "4 n" },
    build: |build| Ok(Box::new(Jump::new(build, Positions::new(build))?)),
};

#[derive(Debug)]
struct Jump {
    columns: [ColumnSpec; 1],
    positions: Positions,
}

impl Jump {
    fn new(build: &Build<'_>, positions: Positions) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        Ok(Jump { columns: [column], positions })
    }
}

impl Placement for Jump {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        if self.positions.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        let slots = self.positions.slots();
        let n = self.positions.len();
        let digests = batch.digests(&self.columns[0]);
        let (lanes, rest) = digests.as_chunks::<LANES>();
        let (out_lanes, out_rest) = out.split_at_mut(lanes.len() * LANES);
        for (out, keys) in out_lanes.chunks_exact_mut(LANES).zip(lanes) {
            for (out, position) in out.iter_mut().zip(jump_lanes(keys, n)) {
                *out = slots[position as usize];
            }
        }
        for (out, &digest) in out_rest.iter_mut().zip(rest) {
            *out = slots[jump(digest, n) as usize];
        }
    }

    fn evolve(
        &self,
        _change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let positions = self.positions.after(after)?;
        Some(
            positions.and_then(|positions| {
                Ok(Box::new(Jump::new(after, positions)?) as Box<dyn Placement>)
            }),
        )
    }

    /// The walk sends equal parts of all 64-bit digests to every position. Integers that are not
    /// hashed need not be spread over all of them.
    fn ownership(&self) -> Option<Ownership> {
        let hashed = self.columns[0].hasher.input != Input::Integer;
        (hashed && !self.positions.is_empty())
            .then(|| Ownership::Buckets(self.positions.slots().to_vec()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let digest = batch.digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.positions.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let n = self.positions.len();
        let position = jump(digest, n);
        let visited: Vec<String> = walk(digest, n).map(|b| b.to_string()).collect();
        let jumps = format!("{} ({} steps)", visited.join(" → "), visited.len());
        steps.push(step(format!("jumps below {n}"), jumps));
        Explanation { steps, slot: self.positions.slots()[position as usize] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * u64::from(self.positions.len())
    }

    fn lookup_steps(&self) -> Option<f64> {
        let n = self.positions.len();
        Some(mean_steps(&self.columns[0], |digest| walk(digest, n).count() as u64))
    }
}

/// The paper's multiplier: Knuth's linear congruential generator with increment 1.
pub const MULTIPLIER: u64 = 2_862_933_555_777_941_757;

/// The bucket of a key among `n`, which must not be 0.
#[inline]
pub fn jump(key: u64, n: u32) -> u32 {
    let n = i64::from(n);
    let (mut state, mut bucket, mut next) = (key, 0, 0i64);
    while next < n {
        bucket = next;
        (state, next) = leap(state, bucket);
    }
    bucket as u32
}

/// The bucket that the key moves to after `bucket`, and the generator's next state.
#[inline(always)]
fn leap(state: u64, bucket: i64) -> (u64, i64) {
    let state = state.wrapping_mul(MULTIPLIER).wrapping_add(1);
    let quotient = (1u64 << 31) as f64 / ((state >> 33) + 1) as f64;
    (state, ((bucket + 1) as f64 * quotient) as i64)
}

/// Keys that walk in step, so that their divisions overlap: a quarter less time at 16 and 100 nodes.
const LANES: usize = 8;

/// [`jump`] of several keys at once. Buckets are kept as the f64 that they are computed in; a lane that
/// is done stands at n until all are. Needs n < 2³¹.
#[inline]
fn jump_lanes(keys: &[u64; LANES], n: u32) -> [u32; LANES] {
    let n = f64::from(n);
    let (mut state, mut bucket, mut next) = (*keys, [0.0; LANES], [0.0f64; LANES]);
    loop {
        let mut walking = false;
        for lane in 0..LANES {
            let walks = next[lane] < n;
            walking |= walks;
            bucket[lane] = if walks { next[lane] } else { bucket[lane] };
            state[lane] = state[lane].wrapping_mul(MULTIPLIER).wrapping_add(1);
            let divisor = f64::from(((state[lane] >> 33) + 1) as u32);
            let beyond = (bucket[lane] + 1.0) * ((1u64 << 31) as f64 / divisor);
            let beyond = if beyond < n { f64::from(beyond as i32) } else { n };
            next[lane] = if walks { beyond } else { n };
        }
        if !walking {
            return bucket.map(|b| b as u32);
        }
    }
}

/// All buckets that the key has lived in by the time there are `n`.
pub fn walk(key: u64, n: u32) -> impl Iterator<Item = i64> {
    std::iter::successors(Some((key, 0)), |&(state, bucket)| Some(leap(state, bucket)))
        .map(|(_, bucket)| bucket)
        .take_while(move |&bucket| bucket < i64::from(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_authors_code() {
        let text = include_str!("../../tests/vectors/jump_consistent_hash_pypi.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let mut cells = 0;
        for record in reader.records() {
            let record = record.unwrap();
            let key: u64 = record[0].parse().unwrap();
            for (header, want) in headers.iter().zip(&record).skip(1) {
                let n = header.strip_prefix("buckets_").unwrap().parse().unwrap();
                assert_eq!(jump(key, n).to_string(), want, "{key} among {n}");
                cells += 1;
            }
        }
        assert_eq!(cells, 230 * 15);
    }

    #[test]
    fn agrees_on_keys_crafted_to_show_other_rounding() {
        let text = include_str!("../../tests/vectors/jump_edge_guava_vs_reference.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let mut rows = 0;
        for record in reader.records() {
            let record = record.unwrap();
            let (key, n) = (record[0].parse().unwrap(), record[1].parse().unwrap());
            assert_eq!(jump(key, n).to_string(), record[3], "{key} among {n}: {}", &record[5]);
            rows += 1;
        }
        assert_eq!(rows, 427);
    }

    #[test]
    fn lanes_walk_like_single_keys() {
        let edges = [0, 1, u64::MAX, 1 << 63, 7_498_788_043_944_397_379, 2, 3, 4];
        let keys =
            (0..200).map(|i| std::array::from_fn(|l| crate::hash::mix::fmix64(8 * i + l as u64)));
        for keys in keys.chain([edges]) {
            for n in [1, 2, 3, 16, 1000, 65_536, i32::MAX as u32] {
                assert_eq!(jump_lanes(&keys, n), keys.map(|key| jump(key, n)), "{n}");
            }
        }
    }

    #[test]
    fn the_walk_has_as_many_steps_as_the_source_says() {
        for n in [1u32, 2, 10, 1000] {
            let harmonic = (1..=n).map(|i| 1.0 / f64::from(i)).sum();
            let steps = (0..100_000).map(|i| walk(crate::hash::mix::fmix64(i), n).count() as f64);
            super::super::testing::assert_mean(&format!("steps below {n}"), steps, harmonic);
        }
    }

    #[test]
    fn the_walk_ends_in_the_bucket() {
        for key in (0..300).map(crate::hash::mix::fmix64) {
            for n in [1, 2, 17, 1000] {
                assert_eq!(walk(key, n).last(), Some(i64::from(jump(key, n))));
            }
        }
    }
}
