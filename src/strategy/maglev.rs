//! Maglev: a table of M entries which the nodes fill in turns, each in its own order.
//!
//! # Idea
//! Every node has a permutation of the table's entries. Going round, each claims the next entry of its
//! permutation that is still free, until the table is full: shares are as even as they can be, and few
//! entries change when a node comes or goes.
//!
//! # Source
//! D. Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016,
//! section 3.4, <https://www.usenix.org/conference/nsdi16>. Weights: Envoy's
//! `source/extensions/load_balancing_policies/maglev/maglev_lb.cc` (1.40).
//!
//! # Cost
//! Look-up O(1). Change: the table is filled anew, about M ln M probes. Bytes: 4 M.
//!
//! # Choices made where the source is silent
//! - offset = fmix64(d + γ) mod M and skip = fmix64(d + 2γ) mod (M − 1) + 1, where d is the digest of
//!   the name by the cell's hasher and γ = 0x9e3779b97f4a7c15 (as SplitMix64 draws from one seed).
//! - Nodes take turns in the order of their names, whatever order the cluster has.
//! - Weighted: in round r a node of share s takes part when r·s has reached its target, which then
//!   grows by the largest share; equal weights take part in every round.
//! - A key's entry is its digest mod M.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::remainder::Remainder;
use super::support::{digest_step, label_hash, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Ownership, Placement, Slot,
    StrategyInfo, Weights,
};
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Largest table: Envoy's limit, a prime.
const MAX_TABLE: u32 = 5_000_011;

/// Most turns that filling a table of unequal weights may take: a few seconds.
const MAX_TURNS: f64 = 4e9;

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "maglev",
    title: "Maglev",
    summary: "a table of M entries which the nodes fill in turns, each in an order of its own",
    source: "Eisenbud et al. (NSDI 2016), https://www.usenix.org/conference/nsdi16",
    checked: "Real Envoy 1.40.0, by the preset envoy-maglev, which fills its table here; ⌊M/N⌋ or ⌈M/N⌉ entries a node",
    caps: Caps { weights: Weights::Rounded, names: true, ..Caps::NONE },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "table-size",
            Type::Int { min: 2, max: MAX_TABLE as i64 },
            Default::Int(65_537),
            "entries of the table, a prime well above 100 × the number of nodes",
        ),
    ],
    cost: Cost { lookup: "O(1)", change: "O(M log M)", bytes: "4 M" },
    build: |build| Ok(Box::new(Maglev::new(build)?)),
};

#[derive(Debug)]
struct Maglev {
    columns: [ColumnSpec; 1],
    table: Vec<Slot>,
    by: Remainder,
}

impl Maglev {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let hash = label_hash("maglev", &column)?;
        let mut members: Vec<_> = build.cluster.nodes.iter().filter(|n| n.weight > 0.0).collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let size = build.params.int("table-size") as u32;
        let weights: Vec<f64> = members.iter().map(|n| n.weight).collect();
        check(size, &weights)?;
        let total: f64 = weights.iter().sum();
        let entries = members.iter().map(|node| {
            let [offset, skip] = draws(hash.hash(node.name.as_bytes()));
            Turn::new(offset, skip, node.weight / total, size)
        });
        let table = populate(size, entries.collect());
        let slot = |turn: u32| members.get(turn as usize).map_or(Slot::ABSENT, |n| n.id.into());
        Ok(Maglev {
            columns: [column],
            table: table.into_iter().map(slot).collect(),
            by: Remainder::new(size),
        })
    }
}

impl Placement for Maglev {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        for (slot, &digest) in out.iter_mut().zip(digests) {
            *slot = self.table[self.by.of(digest) as usize];
        }
    }

    fn ownership(&self) -> Option<Ownership> {
        Some(Ownership::Buckets(self.table.clone()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let digest = batch.digests(&self.columns[0])[0];
        let entry = self.by.of(digest);
        let steps = vec![
            digest_step(&self.columns[0], key, digest),
            step(format!("entry: remainder by {}", self.by.divisor()), entry),
        ];
        Explanation { steps, slot: self.table[entry as usize] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.table.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.table.len() as u64
    }
}

/// Two numbers from the digest of a name.
fn draws(digest: u64) -> [u64; 2] {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    [1, 2].map(|k: u64| fmix64(digest.wrapping_add(k.wrapping_mul(GAMMA))))
}

/// Everything about the table's size that can be wrong.
pub(crate) fn check(size: u32, weights: &[f64]) -> Result<(), Error> {
    if !is_prime(size) {
        let next = (size..).find(|&n| is_prime(n)).filter(|&n| n <= MAX_TABLE);
        return Err(Error::invalid(format!("`table-size` {size} is not a prime"))
            .help(format!("the next prime is {}", next.unwrap_or(MAX_TABLE)))
            .field("table-size"));
    }
    if weights.len() > size as usize {
        return Err(Error::invalid(format!(
            "`table-size` {size} is smaller than the number of nodes, {}",
            weights.len()
        ))
        .help("the authors advise more than 100 entries a node")
        .field("table-size"));
    }
    let total: f64 = weights.iter().sum();
    let largest = weights.iter().copied().fold(0.0, f64::max);
    // Every round all nodes are looked at, and the largest takes at least one entry.
    let turns = f64::from(size) * weights.len() as f64 * (largest / total);
    if turns > MAX_TURNS {
        return Err(Error::invalid(format!(
            "filling a table of {size} for {} nodes of such unequal weights takes {turns:.0} turns",
            weights.len()
        ))
        .help(format!("at most {MAX_TURNS:.0}: use a smaller table or merge the lightest nodes"))
        .field("table-size"));
    }
    Ok(())
}

/// Trial division: at most 2236 of them.
fn is_prime(n: u32) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}

/// One node's part in filling the table.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    /// Next entry of its permutation.
    next: u32,
    skip: u32,
    /// Share of the total weight.
    share: f64,
    /// Takes part when round × share reaches this.
    target: f64,
}

impl Turn {
    pub(crate) fn new(offset: u64, skip: u64, share: f64, size: u32) -> Self {
        let next = (offset % u64::from(size)) as u32;
        let skip = (skip % u64::from(size - 1)) as u32 + 1;
        Turn { next, skip, share, target: 0.0 }
    }
}

/// The number of the node at each entry; `u32::MAX` everywhere when there are no nodes.
pub(crate) fn populate(size: u32, mut turns: Vec<Turn>) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    let mut table = vec![FREE; size as usize];
    let largest = turns.iter().map(|t| t.share).fold(0.0, f64::max);
    let mut free = if turns.is_empty() { 0 } else { size };
    let mut round = 1.0;
    while free > 0 {
        for (number, turn) in turns.iter_mut().enumerate() {
            if round * turn.share < turn.target {
                continue;
            }
            turn.target += largest;
            while table[turn.next as usize] != FREE {
                turn.next = step_by(turn.next, turn.skip, size);
            }
            table[turn.next as usize] = number as u32;
            turn.next = step_by(turn.next, turn.skip, size);
            free -= 1;
            if free == 0 {
                break;
            }
        }
        round += 1.0;
    }
    table
}

/// (at + skip) mod size, all below 2³¹.
#[inline(always)]
fn step_by(at: u32, skip: u32, size: u32) -> u32 {
    let next = at + skip;
    if next >= size { next - size } else { next }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::hash::{self, Half};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};

    #[test]
    fn equal_nodes_have_the_same_number_of_entries_to_within_one() {
        for (nodes, size) in [(1, 2), (3, 7), (10, 1021), (100, 65_537), (7, 7), (1000, 65_537)] {
            let turns = (0..nodes).map(|i| {
                let [offset, skip] = draws(i);
                Turn::new(offset, skip, 1.0 / nodes as f64, size)
            });
            let mut counts = vec![0; nodes as usize];
            for number in populate(size, turns.collect()) {
                counts[number as usize] += 1;
            }
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{nodes} nodes, {size} entries: {least} to {most}");
        }
    }

    /// Pseudocode 1 of the paper over the draws of the header, in numbers that cannot overflow.
    #[test]
    fn the_table_is_that_of_offsets_and_skips_by_the_formula() {
        const SIZE: u128 = 101;
        let cluster = Cluster::numbered(5, "db{i}");
        let given = vec![("table-size".to_string(), Value::Int(SIZE as i64))];
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let base = std::path::Path::new(".");
        let build =
            Build { cluster: &cluster, params: &params, keys: KeyKind::Text, replicas: 1, base };
        let placement = INFO.place(&build).unwrap();

        let hash = (hash::find("murmur3-32").unwrap().build)(0, Half::High);
        let draw = |name: &str, k: u128| {
            let sum = u128::from(hash.hash(name.as_bytes())) + k * 0x9e37_79b9_7f4a_7c15;
            u128::from(fmix64(sum as u64))
        };
        let mut table = vec![Slot::ABSENT; SIZE as usize];
        let mut next = [0; 5];
        for turn in 0..SIZE as usize {
            let (i, node) = (turn % 5, &cluster.nodes[turn % 5]);
            let (offset, skip) = (draw(&node.name, 1) % SIZE, draw(&node.name, 2) % (SIZE - 1) + 1);
            loop {
                let entry = &mut table[((offset + next[i] * skip) % SIZE) as usize];
                next[i] += 1;
                if *entry == Slot::ABSENT {
                    *entry = node.id.into();
                    break;
                }
            }
        }
        assert_eq!(placement.ownership(), Some(Ownership::Buckets(table)));
    }

    #[test]
    fn wrong_sizes_name_the_next_prime() {
        let error = check(65_536, &[1.0]).unwrap_err();
        assert_eq!(error.help, ["the next prime is 65537"]);
        assert_eq!(error.field, Some("table-size"));
        assert_eq!(check(MAX_TABLE - 1, &[1.0]).unwrap_err().help, ["the next prime is 5000011"]);
        assert!(check(5, &[1.0; 6]).is_err());
        assert!(check(5, &[1.0; 5]).is_ok());
        let mut uneven = vec![1.0; 10_000];
        uneven[0] = 1e9;
        assert!(check(MAX_TABLE, &uneven).is_err());
        assert!(is_prime(MAX_TABLE) && is_prime(2) && !is_prime(1) && !is_prime(4));
    }
}
