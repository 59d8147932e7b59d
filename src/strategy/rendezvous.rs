//! Rendezvous: every node draws a score for the key, the highest wins.
//!
//! # Idea
//! No table: whoever knows the nodes' names computes the same winner. A node that joins takes the
//! keys for which it scores highest, one that leaves gives its keys to their seconds.
//!
//! # Source
//! D. Thaler, C. Ravishankar, "Using Name-Based Mappings to Increase Hit Rates", IEEE/ACM
//! Transactions on Networking 6(1), 1998, doi 10.1109/90.663936. Weights: C. Schindelhauer,
//! G. Schomaker, "Weighted Distributed Hash Tables", SPAA 2005, doi 10.1145/1073970.1074008.
//!
//! # Cost
//! Look-up O(n): one mixing a node. Change: none beyond the list. Bytes: 20 a node.
//!
//! # Choices made where the source is silent
//! - score = fmix64(digest of the key ⊕ fmix64(digest of the name)), both digests by the cell's hasher
//!   and seed (the first 64 bits of 128). Nodes whose names have one digest tie on every key: the
//!   smaller name takes all, in 32 bits once in 8 600 clusters of 1000 nodes.
//! - Weighted: the highest −w / ln u wins, u = (⌊score / 2¹²⌋ + ½) / 2⁵²; equal weights skip the
//!   logarithm, which does not change the order. A node of weight 0 never wins.
//! - Equal scores: the smaller name wins. Replicas: the R highest scores.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::spread::{Domains, SPREAD};
use super::support::{digest_step, label_hash, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
    Weights,
};
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "rendezvous",
    title: "Rendezvous",
    summary: "highest random weight: every node draws a score for the key, the highest wins",
    source: "Thaler & Ravishankar (1998), doi 10.1109/90.663936; \
             Schindelhauer & Schomaker (2005), doi 10.1145/1073970.1074008",
    checked: "a sort of all scores; the multinomial law of the counts, with and without weights",
    caps: Caps { weights: Weights::Exact, replicas: true, names: true, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &[HASHER, HASH_SEED, VIEW, SPREAD],
    cost: Cost { lookup: "O(n)", change: "O(1)", bytes: "20 n" },
    build: |build| Ok(Box::new(Rendezvous::new(INFO.name, build)?)),
};

/// The nodes of one cluster and what their scores are made of.
#[derive(Debug)]
pub struct Rendezvous {
    columns: [ColumnSpec; 1],
    /// fmix64 of the digests of the names, in the order of the names.
    nodes: Vec<u64>,
    slots: Vec<Slot>,
    names: Vec<std::sync::Arc<str>>,
    /// 1 / weight; None when all are equal.
    inverse: Option<Vec<f64>>,
    domains: Domains,
}

impl Rendezvous {
    /// All nodes of a cluster; `strategy` is the name for messages.
    pub fn new(strategy: &str, build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let hash = label_hash(strategy, &column)?;
        let mut members: Vec<_> = build.cluster.nodes.iter().filter(|n| n.weight > 0.0).collect();
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let unequal = members.windows(2).any(|pair| pair[0].weight != pair[1].weight);
        Ok(Rendezvous {
            columns: [column],
            nodes: members.iter().map(|n| fmix64(hash.hash(n.name.as_bytes()))).collect(),
            slots: members.iter().map(|n| n.id.into()).collect(),
            names: members.iter().map(|n| n.name.clone()).collect(),
            inverse: unequal.then(|| members.iter().map(|n| 1.0 / n.weight).collect()),
            domains: Domains::new(build),
        })
    }

    /// The number of the winner; 0 when there are no nodes.
    #[inline]
    fn winner(&self, digest: u64) -> usize {
        match &self.inverse {
            None => highest(&self.nodes, digest),
            Some(inverse) => cheapest(&self.nodes, inverse, digest),
        }
    }

    /// What is least for the winner: the complement of the score, or −ln u / w.
    fn rank(&self, i: usize, digest: u64) -> (f64, u64) {
        let score = score(self.nodes[i], digest);
        match &self.inverse {
            None => (0.0, !score),
            Some(inverse) => (-libm::log(unit(score)) * inverse[i], 0),
        }
    }

    /// The best of the nodes that pass, in the order of the scores; None when none does.
    pub fn best_of(&self, digest: u64, passes: impl Fn(Slot) -> bool) -> Option<Slot> {
        let mut best = None;
        for i in (0..self.nodes.len()).filter(|i| passes(self.slots[*i])) {
            let rank = self.rank(i, digest);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, i));
            }
        }
        best.map(|(_, i)| self.slots[i])
    }

    /// The copies of a key: nodes in the order of their scores, as far as `domains` allows.
    fn copies(&self, digest: u64, out: &mut [Slot], ranks: &mut Vec<(f64, u64, usize)>) {
        ranks.clear();
        ranks.extend((0..self.nodes.len()).map(|i| {
            let (cost, complement) = self.rank(i, digest);
            (cost, complement, i)
        }));
        let order = |a: &(f64, u64, usize), b: &_| a.partial_cmp(b).expect("costs are finite");
        // Where nodes are all that copies must not share, the best few are enough.
        if self.domains.are_nodes() && out.len() < ranks.len() {
            ranks.select_nth_unstable_by(out.len(), order);
            ranks.truncate(out.len());
        }
        ranks.sort_unstable_by(order);
        self.domains.choose(ranks.iter().map(|rank| self.slots[rank.2]), out);
    }
}

impl Placement for Rendezvous {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        if self.nodes.is_empty() || digests.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        if out.len() == digests.len() {
            for (slot, &digest) in out.iter_mut().zip(digests) {
                *slot = self.slots[self.winner(digest)];
            }
        } else {
            let mut ranks = Vec::new();
            for (slots, &digest) in out.chunks_exact_mut(out.len() / digests.len()).zip(digests) {
                self.copies(digest, slots, &mut ranks);
            }
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        /// So many of the best are shown.
        const SHOWN: usize = 5;
        let batch = KeyBatch::single(key, &self.columns);
        let digest = batch.digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.nodes.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by(|&a, &b| {
            self.rank(a, digest).partial_cmp(&self.rank(b, digest)).expect("finite")
        });
        for &i in order.iter().take(SHOWN) {
            let score = score(self.nodes[i], digest);
            let value = match &self.inverse {
                None => format!("{score:#018x}"),
                Some(inverse) => format!("{:.6}", 1.0 / (-libm::log(unit(score)) * inverse[i])),
            };
            steps.push(step(format!("score of {}", self.names[i]), value));
        }
        Explanation { steps, slot: self.slots[self.winner(digest)] }
    }

    /// Digest, slot and inverse weight.
    fn heap_bytes(&self) -> u64 {
        self.nodes.len() as u64 * (8 + 4 + if self.inverse.is_some() { 8 } else { 0 })
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(self.nodes.len() as f64)
    }
}

#[inline(always)]
fn score(node: u64, digest: u64) -> u64 {
    fmix64(node ^ digest)
}

/// The score as a number strictly between 0 and 1, exactly: 52 bits and the half fill a mantissa.
#[inline(always)]
pub fn unit(score: u64) -> f64 {
    ((score >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// The first of the highest scores.
#[inline]
fn highest(nodes: &[u64], digest: u64) -> usize {
    let (mut best, mut at) = (score(nodes[0], digest), 0);
    for (i, &node) in nodes.iter().enumerate().skip(1) {
        let score = score(node, digest);
        if score > best {
            (best, at) = (score, i);
        }
    }
    at
}

/// The first of the least −ln u / w.
#[inline]
fn cheapest(nodes: &[u64], inverse: &[f64], digest: u64) -> usize {
    let (mut best, mut at) = (f64::INFINITY, 0);
    for (i, (&node, &inverse)) in nodes.iter().zip(inverse).enumerate() {
        let u = unit(score(node, digest));
        // −ln u ≥ 1 − u: most nodes lose by this bound and need no logarithm. The margin is far above
        // the rounding of either side and far below what it could cost.
        if (1.0 - u) * inverse > best * (1.0 + 1e-9) {
            continue;
        }
        let cost = -libm::log(u) * inverse;
        if cost < best {
            (best, at) = (cost, i);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Node};
    use crate::hash::{self, Half};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use std::path::Path;

    /// Every node's score by the formula in the header, best first.
    fn oracle(cluster: &Cluster, digest: u64, weighted: bool) -> Vec<Slot> {
        let hash = (hash::find("murmur3-32").unwrap().build)(0, Half::High);
        let members = cluster.nodes.iter().filter(|n| n.weight > 0.0);
        let mut scores: Vec<(f64, u64, &str, Slot)> = members
            .map(|n| {
                let score = fmix64(digest ^ fmix64(hash.hash(n.name.as_bytes())));
                let u = ((score >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
                if weighted {
                    (-n.weight / libm::log(u), 0, &*n.name, n.id.into())
                } else {
                    (0.0, score, &*n.name, n.id.into())
                }
            })
            .collect();
        scores.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(b.2)));
        scores.into_iter().map(|s| s.3).collect()
    }

    fn check(weights: &[f64]) {
        let mut cluster = Cluster::numbered(weights.len(), "db{i}");
        for (node, &weight) in cluster.nodes.iter_mut().zip(weights) {
            node.weight = weight;
        }
        let params = Params::defaults(INFO.params).unwrap();
        let build = Build {
            cluster: &cluster,
            params: &params,
            keys: KeyKind::Text,
            replicas: 1,
            base: Path::new(""),
        };
        let placement = Rendezvous::new(INFO.name, &build).unwrap();
        let weighted = placement.inverse.is_some();
        for i in 0..1000 {
            let key = format!("user:{i}");
            let batch = KeyBatch::single(&Key::Text(&key), placement.columns());
            let digest = batch.digests(&placement.columns[0])[0];
            let mut want = oracle(&cluster, digest, weighted);
            want.resize(weights.len().max(5), Slot::ABSENT);
            let (mut one, mut many) = ([Slot(99)], [Slot(99); 5]);
            placement.place(&batch, &mut one);
            placement.place(&batch, &mut many);
            assert_eq!(one[0], want[0], "{key}");
            assert_eq!(many[..], want[..5], "{key}");
        }
    }

    #[test]
    fn winners_are_those_of_a_full_sort() {
        check(&[1.0; 9]);
        check(&[3.5; 4]);
        check(&[1.0, 2.0, 0.0, 0.25, 7.0, 1.0]);
        check(&[1e-9, 1e9, 1.0]);
        check(&[2.0, 2.0, 0.0]);
        check(&[0.0, 0.0]);
        check(&[5.0]);
    }

    #[test]
    fn numbers_from_scores_lie_strictly_between_0_and_1() {
        assert!(unit(0) > 0.0 && unit(u64::MAX) < 1.0);
    }

    #[test]
    fn equal_scores_go_to_the_first() {
        assert_eq!(highest(&[7, 7, 7], 1), 0);
        assert_eq!(cheapest(&[7, 7, 7], &[1.0, 1.0, 1.0], 1), 0);
    }
    /// Two names with one CRC-16; the first in byte order comes first.
    fn namesakes() -> [String; 2] {
        let hash = (hash::find("crc16-xmodem").unwrap().build)(0, Half::High);
        let mut seen = std::collections::BTreeMap::new();
        for i in 0..=u32::from(u16::MAX) + 1 {
            let name = format!("db{i}");
            if let Some(other) = seen.insert(hash.hash(name.as_bytes()), name.clone()) {
                let mut pair = [other, name];
                pair.sort();
                return pair;
            }
        }
        unreachable!("more names than digests")
    }

    #[test]
    fn nodes_with_one_digest_rank_by_name_in_whatever_order_they_stand() {
        let given = vec![("hasher".to_string(), Value::Text("crc16-xmodem".to_string()))];
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let [first, second] = namesakes();
        for (order, weight) in [([0, 1], 1.0), ([1, 0], 1.0), ([0, 1], 2.0), ([1, 0], 2.0)] {
            let names = [&first, &second];
            let nodes =
                order.map(|id| Node { weight, ..Node::named(id, names[id as usize].as_str()) });
            let nodes = nodes.into_iter().chain([Node::named(2, "other")]).collect();
            let cluster = Cluster { nodes, ids: 3, ..Cluster::default() };
            let mut build = Build {
                cluster: &cluster,
                params: &params,
                keys: KeyKind::Text,
                replicas: 1,
                base: Path::new("."),
            };
            let one = INFO.place(&build).unwrap();
            build.replicas = 3;
            let three = INFO.place(&build).unwrap();
            let mut wins = [0; 3];
            for i in 0..300 {
                let text = format!("user:{i}");
                let batch = KeyBatch::single(&Key::Text(&text), one.columns());
                let (mut winner, mut ranks) = ([Slot::ABSENT; 1], [Slot::ABSENT; 3]);
                one.place(&batch, &mut winner);
                three.place(&batch, &mut ranks);
                wins[winner[0].0 as usize] += 1;
                assert_eq!(winner[0], ranks[0], "{text}");
                let at = ranks.iter().position(|slot| *slot == Slot(0)).unwrap();
                assert_eq!(ranks.get(at + 1), Some(&Slot(1)), "{text}");
            }
            assert!(wins[0] > 0 && wins[1] == 0 && wins[2] > 0, "{wins:?}");
        }
    }
}
