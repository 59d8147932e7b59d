//! Two Python libraries of highest random weight: the server that scores highest for a key has it.
//!
//! # Source
//! PyPI clandestined 1.1.0, <https://github.com/ewdurbin/clandestined-python>; PyPI pymemcache 4.0.0,
//! `pymemcache/client/rendezvous.py` and `murmur3.py`, <https://github.com/pinterest/pymemcache>.

use super::facts::EQUAL_RING;
use super::points::{Accepts, refuse};
use super::servers::{host_port, is_memcached_key};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash;
use crate::hash::murmur3_32::murmur3_32;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};
use crate::strategy::support::step;
use crate::strategy::{
    Build, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
};

const SEED: Param = Param::new(
    "seed",
    Type::Int { min: 0, max: u32::MAX as i64 },
    Default::Int(0),
    "seed of MurmurHash3",
);

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "",
    caps: EQUAL_RING,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &[SEED],
    cost: Cost { lookup: "O(n · length)", change: "O(1)", bytes: "the names" },
    build: clandestined,
};

/// clandestined.
pub static CLANDESTINED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "rendezvous_clandestined.csv",
        name: "clandestined",
        title: "clandestined",
        summary: "Python's clandestined: highest MurmurHash3 of node and key",
        source: "PyPI clandestined 1.1.0, https://github.com/ewdurbin/clandestined-python",
        ..BASE
    },
    family: "rendezvous",
    version: "PyPI clandestined 1.1.0",
    rule: "the node with the highest MurmurHash3_x86_32(node-key, seed), unsigned; of equal ones the larger \
           name",
    answer: Answer::Server,
};

/// pymemcache.
pub static PYMEMCACHE: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "pymemcache_rendezvous.csv",
        name: "pymemcache",
        title: "pymemcache",
        summary: "Python's pymemcache: highest MurmurHash3 of host:port and key, by code points",
        source: "PyPI pymemcache 4.0.0, https://github.com/pinterest/pymemcache",
        build: pymemcache,
        ..BASE
    },
    family: "rendezvous",
    version: "PyPI pymemcache 4.0.0",
    rule: "the server with the highest MurmurHash3_x86_32(host:port-key, seed), unsigned, over the low byte \
           of each code point, so that keys beyond ASCII, which the client takes with allow_unicode_keys only, \
           differ from UTF-8; of equal ones the larger name. Keys that memcached's protocol does not take \
           (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

/// How a text is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Letters {
    /// Its UTF-8 bytes.
    Bytes,
    /// The low byte of each code point.
    CodePoints,
}

impl Letters {
    fn append(self, text: &[u8], out: &mut Vec<u8>) {
        match (self, std::str::from_utf8(text)) {
            (Letters::CodePoints, Ok(text)) if !text.is_ascii() => {
                out.extend(text.chars().map(|c| c as u32 as u8));
            }
            _ => out.extend_from_slice(text),
        }
    }
}

fn clandestined(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let names = build.cluster.nodes.iter().map(|node| node.name.to_string());
    Ok(Box::new(Scores::new(build, names, Letters::Bytes, None)?))
}

fn pymemcache(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let names = build.cluster.nodes.iter().map(host_port);
    Ok(Box::new(Scores::new(build, names, Letters::CodePoints, Some(is_memcached_key))?))
}

#[derive(Debug)]
struct Scores {
    /// Asks for the text of keys, from which each node hashes its own score.
    column: [ColumnSpec; 1],
    seed: u32,
    letters: Letters,
    accepts: Option<Accepts>,
    /// Name, `name-` as it is hashed, and slot, largest name first.
    nodes: Vec<(String, Vec<u8>, Slot)>,
}

impl Scores {
    fn new(
        build: &Build<'_>,
        names: impl Iterator<Item = String>,
        letters: Letters,
        accepts: Option<Accepts>,
    ) -> Result<Self, Error> {
        let slots = build.cluster.nodes.iter().map(|node| Slot::from(node.id));
        let mut nodes: Vec<_> = names
            .zip(slots)
            .map(|(name, slot)| {
                let mut prefix = Vec::new();
                letters.append(format!("{name}-").as_bytes(), &mut prefix);
                (name, prefix, slot)
            })
            .collect();
        nodes.sort_by(|a, b| b.0.cmp(&a.0));
        let column = [ColumnSpec::whole(hash::find("murmur3-32")?)];
        let seed = build.params.int("seed") as u32;
        Ok(Scores { column, seed, letters, accepts, nodes })
    }

    /// The score of a node; `text` is the key as it is hashed, `buffer` is written over.
    #[inline]
    fn score(&self, node: usize, text: &[u8], buffer: &mut Vec<u8>) -> u32 {
        buffer.clear();
        buffer.extend_from_slice(&self.nodes[node].1);
        buffer.extend_from_slice(text);
        murmur3_32(buffer, self.seed)
    }

    /// The first of the highest scores.
    #[inline]
    fn winner(&self, text: &[u8], buffer: &mut Vec<u8>) -> Slot {
        let mut best: Option<(u32, Slot)> = None;
        for (i, node) in self.nodes.iter().enumerate() {
            let score = self.score(i, text, buffer);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, node.2));
            }
        }
        best.map_or(Slot::ABSENT, |(_, slot)| slot)
    }
}

impl Placement for Scores {
    fn columns(&self) -> &[ColumnSpec] {
        &self.column
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let (mut text, mut buffer) = (Vec::new(), Vec::new());
        for (slot, key) in out.iter_mut().zip(batch.text.iter()) {
            text.clear();
            self.letters.append(key, &mut text);
            *slot = self.winner(&text, &mut buffer);
        }
        refuse(batch, self.accepts, out);
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        /// So many of the best are shown.
        const SHOWN: usize = 5;
        let batch = KeyBatch::single(key, &self.column);
        let mut out = [Slot::ABSENT];
        self.place(&batch, &mut out);
        if out[0] == Slot::REFUSED {
            let steps = vec![step("the system refuses the key", "")];
            return Explanation { steps, slot: out[0] };
        }
        let (mut text, mut buffer) = (Vec::new(), Vec::new());
        self.letters.append(batch.text.get(0), &mut text);
        let mut scores: Vec<(u32, usize)> =
            (0..self.nodes.len()).map(|i| (self.score(i, &text, &mut buffer), i)).collect();
        scores.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let shown = scores.iter().take(SHOWN);
        let steps = shown
            .map(|&(score, i)| {
                step(format!("score of {}", self.nodes[i].0), format!("{score:#010x}"))
            })
            .collect();
        Explanation { steps, slot: out[0] }
    }

    /// The names as they are hashed, and a slot each.
    fn heap_bytes(&self) -> u64 {
        self.nodes.iter().map(|(_, prefix, _)| prefix.len() as u64 + 4).sum()
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(self.nodes.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::Node;
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};
    use crate::strategy::Slot;

    #[test]
    fn recorded_placements_of_clandestined() {
        let vectors = Vectors::read("rendezvous_clandestined.csv", 188);
        let keys = vectors.keys("key", KeyKind::Text);
        for column in &vectors.columns()[1..] {
            let (list, seed) = column.split_once("_seed").unwrap_or((column, "0"));
            let count: u32 = list[1..].parse().unwrap();
            let servers: Vec<Node> =
                (0..count).map(|i| Node::named(i, &format!("node{i}"))).collect();
            let params = [("seed", seed)];
            let case = Case { preset: "clandestined", params: &params, servers: &servers };
            let name = |slot: Slot| servers[slot.0 as usize].name.to_string();
            vectors.check(column, &keys, &case, name);
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_placements_of_pymemcache() {
        let vectors = Vectors::read("pymemcache_rendezvous.csv", 199);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("hashring_libs_server_lists.json");
        for list in &vectors.columns()[1..] {
            let servers = lists.get(list);
            let case = Case { preset: "pymemcache", params: &[], servers };
            vectors.check(list, &keys, &case, numbers(servers));
        }
        vectors.finish(&[]);
    }
}
