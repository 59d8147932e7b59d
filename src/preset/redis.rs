//! Redis Cluster.
//!
//! # Source
//! redis-server and redis-cli 7.0.15, Redis Cluster specification,
//! <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/>.
//!
//! # Choices made where the source is silent
//! - Integers and UUIDs are their texts, as clients send them.
//! - A change moves the fewest slots; `redis-cli` leaves to the operator which.

use super::owners::Owners;
use super::partitions::{Partitioned, column, dealt, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::strategy::redis_slots::{SLOTS, created, slot_of};
use crate::strategy::{Build, Cost, Placement, StrategyInfo};

/// Redis Cluster.
pub static CLUSTER: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "redis_cluster_keyslot.csv; the slots that redis-cli prints for 3 masters",
        cost: Cost { lookup: "O(1)", change: "O(16384)", bytes: "4 · 16384" },
        ..dealt(numbered(
            "redis-cluster",
            "Redis Cluster",
            "Redis Cluster: CRC16 of the hash tag into 16384 slots, dealt out as redis-cli creates clusters",
            "redis-server 7.0.15, https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/",
            &[],
            cluster,
        ))
    },
    family: "redis-slots",
    version: "redis-server 7.0.15",
    rule: "slot = crc16-xmodem(tag) mod 16384, where the tag is what stands between the first `{` and \
           the first `}` after it, or the whole key if nothing does; of n masters number i gets the \
           slots from round(i · 16384/n) on, in single precision, as `redis-cli --cluster create` \
           assigns them. Without servers the answer is the slot",
    answer: Answer::Partition,
};

fn cluster(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let nodes = build.cluster.nodes.len();
    if nodes > SLOTS {
        return Err(Error::unsupported(format!("{nodes} masters, but only {SLOTS} slots")));
    }
    let owners = Owners::table(build, SLOTS as u32, |cluster| Ok(created(cluster)))?;
    let columns = [column("crc16-xmodem", "hash-tag", 0)?];
    Ok(Box::new(Partitioned::with(owners, columns, |[digest]| slot_of(digest) as u32)))
}

#[cfg(test)]
mod tests {
    use crate::cluster::Cluster;
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number};
    use crate::strategy::place_one;

    #[test]
    fn recorded_slots() {
        let vectors = Vectors::read("redis_cluster_keyslot.csv", 331);
        let keys = vectors.keys("key_hex", KeyKind::Bytes);
        let case = Case { preset: "redis-cluster", params: &[], servers: &[] };
        vectors.check("slot", &keys, &case, number);
        vectors.finish(&[]);
    }

    #[test]
    fn masters_have_the_slots_that_redis_cli_gives_them() {
        let masters = Cluster::numbered(3, "m{i}");
        let case = Case { preset: "redis-cluster", params: &[], servers: &masters.nodes };
        let placement = case.build(KeyKind::Text);
        // 0 - 5460, 5461 - 10922, 10923 - 16383; CLUSTER KEYSLOT foo is 12182, bar 5061, hello 866.
        for (key, master) in [("foo", 2), ("bar", 0), ("hello", 0), ("{foo}x", 2)] {
            assert_eq!(place_one(placement.as_ref(), &Key::Text(key)).0, master, "{key}");
        }
    }
}
