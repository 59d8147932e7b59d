//! `hash-balance-factor`: the consistent ring, on which servers with too many open requests are passed by.

use std::sync::Arc;

use super::consistent::{SCALE, ring};
use super::{BASE, HASH, MAX_WEIGHT, MODIFIER, VERSION};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};
use crate::preset::facts::{LIST, RING_COST};
use crate::preset::points::PointRing;
use crate::preset::servers::whole_weights;
use crate::preset::{Answer, PresetInfo};
use crate::strategy::support::step;
use crate::strategy::{Build, Caps, Cost, Explanation, Placement, Session, Slot, StrategyInfo};

/// `hash-type consistent` with `hash-balance-factor`.
pub static BOUNDED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "haproxy_bounded_load.csv",
        name: "haproxy-bounded",
        title: "HAProxy bounded",
        summary: "HAProxy `hash-balance-factor`: its ring, past servers with too many open requests",
        caps: Caps { sessions: true, ..LIST },
        params: &[
            HASH,
            MODIFIER,
            Param::new(
                "balance-factor",
                Type::Int { min: 101, max: 65_535 },
                Default::Int(150),
                "`hash-balance-factor`: open requests that a server may hold, in per cent of its share",
            ),
        ],
        cost: Cost { lookup: "O(points passed)", change: "O(16 Σw)", ..RING_COST },
        build: bounded,
        ..BASE
    },
    family: "bounded-ring",
    version: VERSION,
    rule: "as haproxy-consistent; from the nearest point on, going up, the first whose server has a slot \
           free. Slots are ⌊((open + 1) · factor + 99) / 100⌋, dealt out in proportion to the weights: \
           per · w + ⌊(before + w) · rest / W⌋ − ⌊before · rest / W⌋ to a server, at least 1, where w is \
           16 · weight, W the sum, before that of the earlier servers, per and rest the quotient and \
           remainder of slots by W. A key without open requests is where haproxy-consistent has it",
    answer: Answer::Server,
};

fn bounded(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let ring = ring(build)?;
    let mut servers = vec![Server::default(); build.cluster.ids];
    let mut before = 0;
    for (node, weight) in build.cluster.nodes.iter().zip(whole_weights(build, 0, MAX_WEIGHT)?) {
        let weight = weight * SCALE;
        servers[node.id.0 as usize] = Server { weight, before };
        before += weight;
    }
    let factor = build.params.int("balance-factor") as u64;
    let bound = Bound { factor, servers, total: before };
    Ok(Box::new(Bounded { ring: Arc::new(ring), bound: Arc::new(bound) }))
}

/// A server's weight and the sum of those before it, in points.
#[derive(Debug, Clone, Copy, Default)]
struct Server {
    weight: u64,
    before: u64,
}

#[derive(Debug)]
struct Bound {
    /// Per cent.
    factor: u64,
    /// By id.
    servers: Vec<Server>,
    total: u64,
}

impl Bound {
    /// Whether a server that holds `load` requests may take one more while `open` are open.
    #[inline]
    fn is_eligible(&self, id: usize, load: u64, open: u64) -> bool {
        let slots = ((open + 1) * self.factor).div_ceil(100);
        let (per_weight, rest) = (slots / self.total, slots % self.total);
        let Server { weight, before } = self.servers[id];
        let dealt = (before + weight) * rest / self.total - before * rest / self.total;
        load < (weight * per_weight + dealt).max(1)
    }
}

#[derive(Debug)]
struct Bounded {
    ring: Arc<PointRing>,
    bound: Arc<Bound>,
}

impl Placement for Bounded {
    fn columns(&self) -> &[ColumnSpec] {
        self.ring.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.ring.place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        Some(Box::new(Open {
            ring: Arc::clone(&self.ring),
            loads: vec![0; self.bound.servers.len()],
            bound: Arc::clone(&self.bound),
            open: 0,
        }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.ring.explain(key);
        explanation.steps.push(step("where the key goes while its server has a slot free", ""));
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.ring.heap_bytes() + 16 * self.bound.servers.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        self.ring.lookup_steps()
    }

    fn points(&self) -> u64 {
        self.ring.points()
    }
}

/// Requests that stay open.
struct Open {
    ring: Arc<PointRing>,
    bound: Arc<Bound>,
    /// By id.
    loads: Vec<u64>,
    open: u64,
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        let len = self.ring.len();
        if len == 0 {
            return Slot::ABSENT;
        }
        let mut at = self.ring.find(digests[0]);
        for _ in 0..len {
            let server = self.ring.owner(at);
            let id = server.0 as usize;
            if self.bound.is_eligible(id, self.loads[id], self.open) {
                self.loads[id] += 1;
                self.open += 1;
                return server;
            }
            at = if at + 1 == len { 0 } else { at + 1 };
        }
        unreachable!("there are more slots than open requests")
    }
}

#[cfg(test)]
mod tests {
    use crate::preset::vectors::{Case, Servers, Vectors};

    #[test]
    fn recorded_sessions() {
        let vectors = Vectors::read("haproxy_bounded_load.csv", 560);
        let lists = Servers::read("haproxy_server_lists.json");
        let checked = vectors.check_sessions(&["hash_balance_factor", "list"], |values| {
            let params = vec![("balance-factor", values[0].to_string())];
            ("haproxy-bounded", params, lists.get(values[1]))
        });
        assert_eq!(checked, 560);
        vectors.finish(&[]);
    }

    #[test]
    fn a_bound_above_fair_always_leaves_a_slot() {
        for list in ["n3", "w3_1_2_3", "w4_100_200_100_200"] {
            let lists = Servers::read("haproxy_server_lists.json");
            let params = [("balance-factor", "101")];
            let case =
                Case { preset: "haproxy-bounded", params: &params, servers: lists.get(list) };
            let mut session = case.build(crate::keys::KeyKind::Text).session().unwrap();
            for _ in 0..3000 {
                assert!(session.route(&[7]).node().is_some(), "{list}");
            }
        }
    }
}
