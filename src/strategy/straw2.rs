//! Straw2: Ceph's weighted draw over a flat list; the node with the longest straw wins.
//!
//! # Idea
//! Rendezvous with weights, in integers: a node's draw for a key is the logarithm of a hash, divided by
//! its weight. A change of one weight moves keys only to or from that node.
//!
//! # Source
//! S. Weil et al., "CRUSH", SC 2006, doi 10.1145/1188455.1188582; straw2 in Ceph, `src/crush/mapper.c`,
//! <https://docs.ceph.com/en/latest/rados/operations/crush-map/>.
//!
//! # Cost
//! Look-up O(n): a hash and a division a node. Change: a list. Bytes: 12 a node.
//!
//! # Choices made where the source is silent
//! - The input x is the low 32 bits of the key's digest. (Ceph's is a placement group's number, hashed.)
//! - A node's number is its `id`, or else the number that its name has on its path, from 0: its position
//!   in the first cluster. Nodes with the same number draw alike, so that is an error.
//! - Weights are rounded to 1/65 536, at least one. Of equal draws, which 16 bits make one key in some
//!   thousand have, the lowest number wins; Ceph's first in its list, where numbers usually ascend.
//! - Replicas as `choose firstn`: replica j takes the winner of round j, of the next round where that node
//!   is taken, 51 rounds at most; what is missing then is absent at the end of the list.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::crush::{ONE, straw2, straw2_draw};
use super::support::{digest_step, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
    Weights,
};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Rounds in which a replica may look for a node that is not taken: Ceph's `choose_total_tries` + 1.
const ROUNDS: u32 = 51;

/// Heaviest node: its weight fits Ceph's 32 bits.
const MAX_WEIGHT: f64 = 65_535.0;

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "straw2",
    title: "straw2",
    summary: "Ceph's weighted draw over a flat list: the logarithm of a hash divided by the weight, in integers",
    source: "Weil et al. (2006), doi 10.1145/1188455.1188582; \
             https://docs.ceph.com/en/latest/rados/operations/crush-map/",
    checked: "crushtool 16.2.15 on flat maps of 7 to 9 weighted nodes, one and three replicas (tests/vectors/ceph_crush_mappings.csv)",
    caps: Caps { weights: Weights::Rounded, replicas: true, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &[HASHER, HASH_SEED, VIEW],
    cost: Cost { lookup: "O(n)", change: "O(n log n)", bytes: "12 n" },
    build: |build| Ok(Box::new(Straw2::new(build)?)),
};

#[derive(Debug)]
struct Straw2 {
    columns: [ColumnSpec; 1],
    /// Number and weight, by number.
    items: Vec<(u32, u32)>,
    slots: Vec<Slot>,
    names: Vec<std::sync::Arc<str>>,
}

impl Straw2 {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let mut members: Vec<_> = build
            .cluster
            .nodes
            .iter()
            .filter(|n| n.weight > 0.0)
            .map(|n| (n.server_id.unwrap_or(n.id.0), n))
            .collect();
        members.sort_by_key(|m| m.0);
        if let Some(pair) = members.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (number, one, other) = (pair[0].0, &pair[0].1.name, &pair[1].1.name);
            return Err(Error::invalid(format!(
                "nodes `{one}` and `{other}` have the same number {number}"
            ))
            .help("straw2 hashes the `id` of a node: give all nodes different ones, or none")
            .field("id"));
        }
        if let Some((_, node)) = members.iter().find(|m| m.1.weight > MAX_WEIGHT) {
            let (name, weight) = (&node.name, node.weight);
            return Err(Error::invalid(format!("node `{name}` has weight {weight}"))
                .help(format!("straw2 keeps weights in 32 bits: at most {MAX_WEIGHT}"))
                .field("weight"));
        }
        let weight = |w: f64| (libm::round(w * f64::from(ONE)) as u32).max(1);
        Ok(Straw2 {
            columns: [column],
            items: members.iter().map(|m| (m.0, weight(m.1.weight))).collect(),
            slots: members.iter().map(|m| m.1.id.into()).collect(),
            names: members.iter().map(|m| m.1.name.clone()).collect(),
        })
    }

    /// The nodes of the replicas, in order; there are nodes.
    fn choose(&self, x: u32, out: &mut [Slot]) {
        let most = out.len();
        let mut found = 0;
        for replica in 0..most as u32 {
            for round in replica..replica + ROUNDS {
                let slot = self.slots[straw2(x, round, &self.items)];
                if !out[..found].contains(&slot) {
                    out[found] = slot;
                    found += 1;
                    break;
                }
            }
            if found == self.slots.len() {
                break;
            }
        }
        out[found..].fill(Slot::ABSENT);
    }
}

impl Placement for Straw2 {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        if self.items.is_empty() || digests.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        if out.len() == digests.len() {
            for (slot, &digest) in out.iter_mut().zip(digests) {
                *slot = self.slots[straw2(digest as u32, 0, &self.items)];
            }
        } else {
            for (slots, &digest) in out.chunks_exact_mut(out.len() / digests.len()).zip(digests) {
                self.choose(digest as u32, slots);
            }
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        /// Draws that an explanation shows.
        const SHOWN: usize = 3;
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.items.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let draw = |i: usize| straw2_draw(digest as u32, self.items[i].0, 0, self.items[i].1);
        let mut order: Vec<usize> = (0..self.items.len()).collect();
        order.sort_by_key(|i| (std::cmp::Reverse(draw(*i)), *i));
        for &i in order.iter().take(SHOWN) {
            let what = format!("straw of {}, number {}", self.names[i], self.items[i].0);
            steps.push(step(what, draw(i)));
        }
        Explanation { steps, slot: self.slots[order[0]] }
    }

    /// Number, weight and slot.
    fn heap_bytes(&self) -> u64 {
        12 * self.items.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(self.items.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{members, with_build};
    use super::*;
    use crate::cluster::Cluster;
    use crate::hash::{self, Half};
    use crate::keys::KeyKind;

    fn placed(cluster: &Cluster) -> Result<Straw2, Error> {
        with_build(&INFO, cluster, KeyKind::Text, &[], Straw2::new)
    }

    /// The flat root of the recorded maps.
    fn map(variant: &str) -> Straw2 {
        let (ids, weights): (&[u32], &[f64]) = match variant {
            "base" => (&[0, 1, 2, 3, 4, 5, 6, 7], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 0.5]),
            "add8" => {
                (&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 0.5, 1.0])
            }
            "rm3" => (&[0, 1, 2, 4, 5, 6, 7], &[1.0, 2.0, 1.0, 1.0, 2.0, 1.0, 0.5]),
            other => panic!("no such map: {other}"),
        };
        let mut cluster = members(ids);
        cluster.nodes.iter_mut().zip(weights).for_each(|(node, w)| node.weight = *w);
        placed(&cluster).unwrap()
    }

    /// Rules 0 and 1 are `choose firstn` over the flat root, for one and for three replicas.
    #[test]
    fn nodes_are_those_that_crushtool_chooses() {
        let text = include_str!("../../tests/vectors/ceph_crush_mappings.csv");
        let mut rows = [0; 2];
        for record in csv::Reader::from_reader(text.as_bytes()).records() {
            let record = record.unwrap();
            let rule: usize = record[0].parse().unwrap();
            if rule > 1 || !["base", "add8", "rm3"].contains(&&record[1]) {
                continue;
            }
            let want: Vec<Slot> =
                record[3].split(' ').map(|osd| Slot(osd.parse().unwrap())).collect();
            let mut got = vec![Slot::MISROUTED; want.len()];
            map(&record[1]).choose(record[2].parse().unwrap(), &mut got);
            assert_eq!(got, want, "{record:?}");
            assert_eq!(want.len(), [1, 3][rule], "{record:?}");
            rows[rule] += 1;
        }
        assert_eq!(rows, [602, 586]);
    }

    #[test]
    fn numbers_are_ids_where_there_are_any() {
        let mut cluster = members(&[0, 1, 2]);
        cluster.nodes[0].server_id = Some(7);
        let placement = placed(&cluster).unwrap();
        assert_eq!(placement.items.iter().map(|i| i.0).collect::<Vec<_>>(), [1, 2, 7]);
        assert_eq!(placement.slots, [Slot(1), Slot(2), Slot(0)]);
        cluster.nodes[0].server_id = Some(2);
        assert_eq!(placed(&cluster).unwrap_err().field, Some("id"));
        cluster.nodes[0].server_id = None;
        cluster.nodes[1].weight = 1e9;
        assert_eq!(placed(&cluster).unwrap_err().field, Some("weight"));
    }

    #[test]
    fn more_replicas_than_nodes_end_absent() {
        let placement = placed(&members(&[4, 5])).unwrap();
        let hash = (hash::find("murmur3-32").unwrap().build)(0, Half::High);
        for i in 0..500 {
            let mut out = [Slot::MISROUTED; 4];
            placement.choose(hash.hash(format!("user:{i}").as_bytes()) as u32, &mut out);
            assert!(out[0] != out[1] && out[2..] == [Slot::ABSENT; 2], "{out:?}");
        }
    }
}
