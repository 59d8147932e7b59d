//! Redis Cluster: 16 384 slots by CRC16 of the hash tag.
//!
//! # Idea
//! A key's slot is `crc16(tag) & 16383`, where the tag is what stands between the first `{` and the
//! first `}` after it, or else the whole key. Slots belong to masters; keys with one tag stay
//! together, and a resharding moves whole slots.
//!
//! # Source
//! Redis Cluster specification, S. Sanfilippo, 2011 on,
//! <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>; first slots as
//! `redis-cli --cluster create` deals them out (`clusterManagerCommandCreate` of `redis-cli.c`, 7.0).
//!
//! # Cost
//! Look-up O(1). Change O(16384). Bytes: 4 a slot, 65 536.
//!
//! # Choices made where the source is silent
//! * Equal weights: the boundaries of `redis-cli`, its single-precision cursor included. Unequal
//!   weights, which `create` does not know: quotas by the largest remainder, contiguous.
//! * A change moves the fewest slots (`quota.rs`). `redis-cli --cluster rebalance` aims at the same
//!   shares, but which slots it moves depends on its order of nodes.
//! * `redis-cli` asks for three masters; one or two are placed here just the same.
//! * A cluster that was read from a map of slots starts from that map.
//! * A key with its own slot is never refused; CROSSSLOT concerns commands of several keys.
//! * `tag = "whole"` shows what clients without the tag rule would do.
//!
//! # Checked against
//! What `INFO.checked` says.

use crate::cluster::{Change, Cluster};
use crate::error::Error;
use crate::hash::{self, Half};
use crate::keys::view::View;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};
use crate::strategy::quota::{self, Layout};
use crate::strategy::support::column_text;
use crate::strategy::{
    Build, Caps, Cost, ExplainStep, Explanation, History, Movement, Order, Ownership, Placement,
    Slot, StrategyInfo, Weights,
};

/// Slots of a Redis Cluster (specification, "Key distribution model").
pub const SLOTS: usize = 16_384;

/// Redis Cluster.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "redis-slots",
    title: "Redis slots",
    summary: "as in Redis Cluster: CRC16 of the hash tag into 16384 slots, slots assigned to masters",
    source: "Redis Cluster specification, https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/",
    checked: "CLUSTER KEYSLOT of redis-server 7.0.15 (331 keys); the boundaries that redis-cli prints",
    caps: Caps { weights: Weights::Rounded, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[Param::new(
        "tag",
        Type::Choice(&["hash-tag", "whole"]),
        Default::Text("hash-tag"),
        "what of the key is hashed: its hash tag, or always the whole key",
    )],
    cost: Cost { lookup: "O(1)", change: "O(16384)", bytes: "4 · 16384" },
    build,
};

/// Slots and their masters.
#[derive(Debug, Clone)]
struct RedisSlots {
    /// What is hashed.
    columns: [ColumnSpec; 1],
    /// Master of each slot; [`SLOTS`] of them.
    owners: Vec<Slot>,
}

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let nodes = build.cluster.nodes.len();
    if nodes > SLOTS {
        return Err(Error::unsupported(format!("{nodes} masters, but only {SLOTS} slots"))
            .help("Redis Cluster recommends at most 1000 nodes"));
    }
    let column = column(build.params.text("tag"));
    if let Some(map) = &build.cluster.map {
        let owners = map.slots();
        if owners.len() != SLOTS {
            let buckets = owners.len();
            return Err(Error::invalid(format!(
                "the cluster's map has {buckets} buckets, Redis Cluster has {SLOTS} slots"
            ))
            .help(format!("take kind = \"bucket-table\" with buckets = {buckets}")));
        }
        return Ok(Box::new(RedisSlots { columns: [column], owners }));
    }
    let mut owners = quota::allot(SLOTS as u32, build.cluster, Layout::Contiguous)?;
    if build.cluster.is_unweighted() {
        owners = created(build.cluster);
    }
    Ok(Box::new(RedisSlots { columns: [column], owners }))
}

fn column(view: &str) -> ColumnSpec {
    ColumnSpec {
        view: View::parse(view).expect("a choice of the parameter"),
        hasher: hash::find("crc16-xmodem").expect("in hash::ALL"),
        seed: 0,
        half: Half::High,
    }
}

/// The slots that `redis-cli --cluster create` gives to each master, in their order.
pub fn created(cluster: &Cluster) -> Vec<Slot> {
    let mut owners = Vec::with_capacity(SLOTS);
    let per_node = SLOTS as f32 / cluster.nodes.len() as f32;
    let mut cursor = 0.0f32;
    for (i, node) in cluster.nodes.iter().enumerate() {
        let last = libm::round(f64::from(cursor + per_node - 1.0)) as usize;
        let end = if i + 1 == cluster.nodes.len() { SLOTS } else { (last + 1).min(SLOTS) };
        owners.resize(end.max(owners.len()), node.id.into());
        cursor += per_node;
    }
    owners
}

/// The slot of a digest.
#[inline]
pub fn slot_of(digest: u64) -> usize {
    digest as usize & (SLOTS - 1)
}

impl Placement for RedisSlots {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let owners = self.owners.as_slice();
        for (out, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *out = owners[slot_of(digest)];
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        quota::evolved(&self.owners, change, after.cluster, |owners| RedisSlots {
            owners,
            ..self.clone()
        })
    }

    fn ownership(&self) -> Option<Ownership> {
        Some(Ownership::Buckets(self.owners.clone()))
    }

    fn bucket_owners(&self) -> Option<&[Slot]> {
        Some(&self.owners)
    }

    fn place_buckets(&self, batch: &KeyBatch, out: &mut [u32]) {
        for (out, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *out = slot_of(digest) as u32;
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = |column: &ColumnSpec| {
            KeyBatch::single(key, std::slice::from_ref(column)).digests(column)[0]
        };
        let [read] = &self.columns;
        let crc = digest(read);
        let slot = slot_of(crc);
        let mut steps = vec![
            ExplainStep { what: column_text(read, key), value: format!("{crc:#06x}") },
            ExplainStep { what: format!("crc & {}", SLOTS - 1), value: format!("slot {slot}") },
        ];
        let whole = column("whole");
        if slot_of(digest(&whole)) != slot {
            steps.push(ExplainStep {
                what: "without the hash tag".to_string(),
                value: format!("slot {}", slot_of(digest(&whole))),
            });
        }
        Explanation { steps, slot: self.owners[slot] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * SLOTS as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        SLOTS as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ChangeKind, Node, NodeId};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use crate::strategy::place_one;

    fn built(cluster: &Cluster, tag: &str) -> Box<dyn Placement> {
        let given = vec![("tag".to_string(), Value::Text(tag.to_string()))];
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let base = std::path::Path::new(".");
        build(&Build { cluster, params: &params, keys: KeyKind::Text, replicas: 1, base }).unwrap()
    }

    fn owners(placement: &dyn Placement) -> Vec<Slot> {
        match placement.ownership() {
            Some(Ownership::Buckets(owners)) => owners,
            other => panic!("{other:?}"),
        }
    }

    /// The first slot of each master.
    fn firsts(n: usize) -> Vec<usize> {
        let owners = owners(&*built(&Cluster::numbered(n, "m{i}"), "hash-tag"));
        assert_eq!(owners.len(), SLOTS);
        (0..n).map(|i| owners.iter().position(|o| o.0 == i as u32).unwrap()).collect()
    }

    #[test]
    fn first_slots_are_those_that_redis_cli_prints() {
        assert_eq!(firsts(1), [0]);
        // As it prints: 0 - 5460, 5461 - 10922, 10923 - 16383.
        assert_eq!(firsts(3), [0, 5461, 10923]);
        // By hand: last slots are 3275.8, 6552.6, 9829.4, 13106.2, each rounded.
        assert_eq!(firsts(5), [0, 3277, 6554, 9830, 13107]);
        assert_eq!(firsts(1000).len(), 1000);
    }

    #[test]
    fn each_key_of_the_recorded_file_lands_on_the_owner_of_its_slot() {
        let cluster = Cluster::numbered(SLOTS, "m{i}");
        // With a master per slot the node's number is the slot.
        let placement = built(&cluster, "hash-tag");
        let mut rows = 0;
        for line in include_str!("../../tests/vectors/redis_cluster_keyslot.csv").lines().skip(1) {
            let (hex, slot) = line.rsplit_once(',').unwrap();
            let key: Vec<u8> = (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
                .collect();
            let placed = place_one(&*placement, &Key::Bytes(&key));
            assert_eq!(placed, Slot(slot.parse().unwrap()), "{hex}");
            assert_eq!(placement.explain(&Key::Bytes(&key)).slot, placed);
            rows += 1;
        }
        // The file holds a sample of the 485 keys that were asked.
        assert_eq!(rows, 331);
    }

    #[test]
    fn tags_keep_keys_together_unless_the_whole_key_is_hashed() {
        let cluster = Cluster::numbered(SLOTS, "m{i}");
        let together = |tag| {
            let p = built(&cluster, tag);
            let of = |key| place_one(&*p, &Key::Text(key));
            of("{user1000}.following") == of("{user1000}.followers")
        };
        assert!(together("hash-tag") && !together("whole"));
        let told = built(&cluster, "hash-tag").explain(&Key::Text("{user1000}.following"));
        assert_eq!(told.steps[0].what, "crc16-xmodem(\"user1000\"), hash-tag of the key");
        assert_eq!(told.steps[2].what, "without the hash tag");
    }

    #[test]
    fn a_fourth_master_takes_a_quarter_and_nothing_else_moves() {
        let mut cluster = Cluster::numbered(3, "m{i}");
        let before = built(&cluster, "hash-tag");
        cluster.nodes.push(Node::named(3, "m3"));
        cluster.ids = 4;
        let params = Params::defaults(INFO.params).unwrap();
        let base = std::path::Path::new(".");
        let after =
            Build { cluster: &cluster, params: &params, keys: KeyKind::Text, replicas: 1, base };
        let change = Change { kind: ChangeKind::Add(vec![NodeId(3)]), text: "add m3".into() };
        let after = before.evolve(&change, &after).unwrap().unwrap();
        let moved: Vec<Slot> = std::iter::zip(owners(&*before), owners(&*after))
            .filter(|(b, a)| b != a)
            .map(|(_, a)| a)
            .collect();
        assert_eq!(moved, vec![Slot(3); 4096]);
    }
}
