//! `hash_balance_factor`: either load balancer, with hosts that hold too many requests passed by.

use std::sync::Arc;

use super::mt19937::Mt19937;
use super::{BASE, HASH, MAX_RING, MIN_RING, TABLE_SIZE, VERSION, hosts, maglev, ring_hash};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};
use crate::preset::entries::Entries;
use crate::preset::facts::RING;
use crate::preset::points::PointRing;
use crate::preset::{Answer, PresetInfo};
use crate::strategy::support::step;
use crate::strategy::{Build, Caps, Cost, Explanation, Placement, Session, Slot, StrategyInfo};

/// `RING_HASH` or `MAGLEV` with `hash_balance_factor`.
pub static BOUNDED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "envoy_bounded_load.csv",
        name: "envoy-bounded",
        title: "Envoy bounded",
        summary: "Envoy `hash_balance_factor`: ring hash or Maglev, past hosts above their share of open requests",
        caps: Caps { sessions: true, ..RING },
        params: &[
            Param::new(
                "policy",
                Type::Choice(&["ring-hash", "maglev"]),
                Default::Text("ring-hash"),
                "`lb_policy`: which load balancer chooses first",
            ),
            HASH,
            MIN_RING,
            MAX_RING,
            TABLE_SIZE,
            Param::new(
                "balance-factor",
                Type::Int { min: 100, max: 65_535 },
                Default::Int(150),
                "`hash_balance_factor`: open requests that a host may hold, in per cent of its share",
            ),
        ],
        cost: Cost { lookup: "O(n) if full", change: "the policy's", bytes: "the policy's + 8 n" },
        build: bounded,
        ..BASE
    },
    family: "bounded-ring",
    version: VERSION,
    rule: "first the host of envoy-ring-hash or envoy-maglev. A host's load is open / max(1, ⌈slots · s⌉), \
           where s is its share of the weights, open its open requests, and slots = ⌊((all open + 1) · \
           factor + 99) / 100⌋. Up to 1.0 it is taken, so that a host may end with one request more than \
           its slots. Else the hosts are shuffled (Fisher-Yates, mt19937 seeded with the low 32 bits of \
           the key's XXH64), and the first whose load is up to 1.0 is taken; if none is, the least \
           loaded. A key without open requests is where the policy has it",
    answer: Answer::Server,
};

fn bounded(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let hosts = hosts(build)?;
    let policy = match build.params.text("policy") {
        "maglev" => Policy::Maglev(maglev::table(build, &hosts)?),
        _ => Policy::RingHash(ring_hash::ring(build, &hosts)?),
    };
    let mut positions = vec![0; build.cluster.ids];
    for (at, host) in hosts.iter().enumerate() {
        positions[host.node.id.0 as usize] = at;
    }
    let bound = Bound {
        factor: build.params.int("balance-factor") as u64,
        hosts: hosts.iter().map(|host| (host.node.id.into(), host.share)).collect(),
        positions,
    };
    Ok(Box::new(Bounded { policy: Arc::new(policy), bound: Arc::new(bound) }))
}

/// Which load balancer chooses first.
#[derive(Debug)]
enum Policy {
    RingHash(PointRing),
    Maglev(Entries),
}

impl Policy {
    fn placement(&self) -> &dyn Placement {
        match self {
            Policy::RingHash(ring) => ring,
            Policy::Maglev(table) => table,
        }
    }

    #[inline]
    fn of(&self, digest: u64) -> Slot {
        match self {
            Policy::RingHash(ring) => ring.owner(ring.find(digest)),
            Policy::Maglev(table) => table.of(digest),
        }
    }
}

#[derive(Debug)]
struct Bound {
    /// Per cent.
    factor: u64,
    /// Slots and shares in the order of the configuration.
    hosts: Vec<(Slot, f64)>,
    /// Place in that order, by id.
    positions: Vec<usize>,
}

#[derive(Debug)]
struct Bounded {
    policy: Arc<Policy>,
    bound: Arc<Bound>,
}

impl Placement for Bounded {
    fn columns(&self) -> &[ColumnSpec] {
        self.policy.placement().columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.policy.placement().place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        Some(Box::new(Open {
            policy: Arc::clone(&self.policy),
            loads: vec![0; self.bound.hosts.len()],
            order: Vec::new(),
            bound: Arc::clone(&self.bound),
            open: 0,
        }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.policy.placement().explain(key);
        explanation.steps.push(step("where the key goes unless its host is overloaded", ""));
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.policy.placement().heap_bytes() + 8 * self.bound.hosts.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        self.policy.placement().lookup_steps()
    }

    fn points(&self) -> u64 {
        self.policy.placement().points()
    }
}

/// Requests that stay open.
struct Open {
    policy: Arc<Policy>,
    bound: Arc<Bound>,
    /// By place in the configuration.
    loads: Vec<u64>,
    open: u64,
    /// The hosts as they are shuffled.
    order: Vec<usize>,
}

impl Open {
    /// A host's load as a part of its slots.
    #[inline]
    fn load(&self, at: usize, slots: u64) -> f64 {
        let slots = libm::ceil(slots as f64 * self.bound.hosts[at].1).max(1.0);
        self.loads[at] as f64 / slots
    }

    /// Where a request of that hash goes whose host is overloaded.
    fn elsewhere(&mut self, home: usize, digest: u64, slots: u64) -> usize {
        let (mut best, mut least) = (home, self.load(home, slots));
        let mut random = Mt19937::new(digest as u32);
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        order.extend(0..self.loads.len());
        for i in 0..order.len() {
            let j = random.below((order.len() - i) as u32) as usize;
            order.swap(i, i + j);
            let host = order[i];
            let load = self.load(host, slots);
            if load < least {
                (best, least) = (host, load);
            }
            if load <= 1.0 {
                break;
            }
        }
        self.order = order;
        best
    }
}

impl Session for Open {
    fn route(&mut self, digests: &[u64]) -> Slot {
        if self.loads.is_empty() {
            return Slot::ABSENT;
        }
        let digest = digests[0];
        let home = self.bound.positions[self.policy.of(digest).0 as usize];
        let slots = ((self.open + 1) * self.bound.factor).div_ceil(100);
        let chosen = match self.load(home, slots) {
            load if load <= 1.0 => home,
            _ => self.elsewhere(home, digest, slots),
        };
        self.loads[chosen] += 1;
        self.open += 1;
        self.bound.hosts[chosen].0
    }
}

#[cfg(test)]
mod tests {
    use crate::cluster::Node;
    use crate::preset::vectors::{Servers, Vectors};

    #[test]
    fn recorded_sessions() {
        let vectors = Vectors::read("envoy_bounded_load.csv", 1120);
        let lists = Servers::read("envoy_server_lists.json");
        // These runs had the ports 21301, 21302 … instead of the lists' 21101, 21102 ….
        let moved = |list: &[Node]| -> Vec<Node> {
            let port = |node: &Node| {
                let port = node.port.unwrap() + 200;
                let name = format!("127.0.0.1:{port}").into();
                Node { name, port: Some(port), ..node.clone() }
            };
            list.iter().map(port).collect()
        };
        let (n8, w4) = (moved(lists.get("n8")), moved(lists.get("w4_1_2_1_2")));
        let of = ["policy", "hash_balance_factor", "list"];
        let checked = vectors.check_sessions(&of, |values| {
            let policy = values[0].to_lowercase().replace('_', "-");
            let params = vec![("policy", policy), ("balance-factor", values[1].to_string())];
            let servers = match values[2] {
                "n8" => &n8[..],
                "w4_1_2_1_2" => &w4,
                other => panic!("{other}"),
            };
            ("envoy-bounded", params, servers)
        });
        assert_eq!(checked, 1120);
        vectors.finish(&[]);
    }
}
