//! Presets: named real systems, each bit for bit as the system routes.
//!
//! A preset is an instance of a strategy family with everything fixed that the system fixes: hash
//! functions, views, labels, weights, tie rules. To the engine it is a [`StrategyInfo`] like any
//! other; beside it stand the system's version, its rule in words, and the recorded outputs that the
//! model is held to. What the system lets an operator set is a declared parameter.
//!
//! To add one: a file with a [`PresetInfo`] and a test on all recorded rows, and two lines here. No
//! preset without recorded outputs. Three mechanisms serve most of them: [`points`] for systems that
//! put points on a ring in a way of their own, [`entries`] for those that index a table of servers by a
//! remainder, [`partitions`] for those that number partitions.

pub mod aerospike;
pub mod cassandra;
pub mod clickhouse;
pub mod crush;
pub mod elasticsearch;
pub mod entries;
pub mod envoy;
pub mod facts;
pub mod flink;
pub mod groupcache;
pub mod guava;
pub mod haproxy;
pub mod hashring;
pub mod hazelcast;
mod java;
pub mod kafka;
pub mod ketama;
pub mod libketama;
pub mod libmemcached;
pub mod librdkafka;
pub mod mariadb;
pub mod modes;
pub mod mongodb;
pub mod nginx;
pub mod owners;
pub mod partitions;
pub mod points;
pub mod postgres;
pub mod redis;
pub mod rendezvous;
pub mod round_robin;
pub mod servers;
pub mod shardingsphere;
pub mod spark;
pub mod spymemcached;
pub mod twemproxy;
pub mod uhashring;
#[cfg(test)]
mod vectors;

use std::fmt;

use crate::cluster::Node;
use crate::error::Error;
use crate::strategy::{self, StrategyInfo};

/// What a system's rule gives for a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// One of the servers.
    Server,
    /// The number of a partition, shard, slot or group.
    Partition,
}

/// A named real system.
pub struct PresetInfo {
    /// How the engine sees it: name, abilities, parameters, `build`.
    pub strategy: StrategyInfo,
    /// The strategy that it is an instance of, by name.
    pub family: &'static str,
    /// Which system, in which version, gave the recorded outputs.
    pub version: &'static str,
    /// The rule, exactly.
    pub rule: &'static str,
    /// What the rule gives.
    pub answer: Answer,
}

impl fmt::Debug for PresetInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.strategy.name)
    }
}

/// All presets, in the order in which lists show them.
pub static ALL: &[&PresetInfo] = &[
    &libmemcached::KETAMA,
    &libmemcached::WEIGHTED,
    &libmemcached::SPY,
    &libmemcached::MODULA,
    &libketama::KETAMA,
    &twemproxy::KETAMA,
    &twemproxy::MODULA,
    &spymemcached::SPYMEMCACHED,
    &nginx::CONSISTENT,
    &nginx::HASH,
    &nginx::IP_HASH,
    &haproxy::consistent::CONSISTENT,
    &haproxy::map::MAP,
    &haproxy::bounded::BOUNDED,
    &envoy::ring_hash::RING_HASH,
    &envoy::maglev::MAGLEV,
    &envoy::bounded::BOUNDED,
    &groupcache::GROUPCACHE,
    &uhashring::MD5,
    &uhashring::KETAMA,
    &hashring::HASHRING,
    &rendezvous::CLANDESTINED,
    &rendezvous::PYMEMCACHE,
    &redis::CLUSTER,
    &cassandra::CASSANDRA,
    &crush::CRUSH,
    &aerospike::AEROSPIKE,
    &hazelcast::HAZELCAST,
    &mongodb::HASHED,
    &elasticsearch::ROUTING,
    &postgres::HASH,
    &mariadb::HASH,
    &mariadb::LINEAR_HASH,
    &mariadb::KEY,
    &mariadb::LINEAR_KEY,
    &shardingsphere::HASH_MOD,
    &kafka::KAFKA,
    &librdkafka::CONSISTENT,
    &librdkafka::MURMUR2,
    &librdkafka::FNV1A,
    &spark::SQL,
    &spark::RDD,
    &flink::FLINK,
    &guava::CONSISTENT,
    &clickhouse::JUMP,
    &clickhouse::KOSTIK,
];

/// The preset of that name as a strategy, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static StrategyInfo, Error> {
    ALL.iter().find(|p| p.strategy.name == name).map(|p| &p.strategy).ok_or_else(|| {
        let mut error = Error::unknown("preset", name, ALL.iter().map(|p| p.strategy.name));
        if strategy::ALL.iter().any(|s| s.name == name) {
            let hint =
                format!("`{name}` is a strategy: `kind = \"{name}\"` or `--strategy {name}`");
            error.help.insert(0, hint);
        }
        error
    })
}

/// The preset that a strategy is; None for a strategy of the lab's own.
pub fn of(strategy: &StrategyInfo) -> Option<&'static PresetInfo> {
    ALL.iter().copied().find(|p| p.strategy == *strategy)
}

/// The family of a strategy, which for a strategy of the lab's own is itself.
pub fn family(strategy: &StrategyInfo) -> &'static str {
    of(strategy).map_or(strategy.name, |preset| preset.family)
}

/// Host and port of a server: as its list gives them, else as its name says, `host:port`.
pub fn address(node: &Node) -> (&str, Option<u16>) {
    match &node.host {
        Some(host) => (host, node.port),
        None => match node.name.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok() => (host, port.parse().ok()),
            _ => (&node.name, node.port),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy;

    #[test]
    fn names_are_unique_and_families_exist() {
        let mut names: Vec<&str> = ALL.iter().map(|p| p.strategy.name).collect();
        names.extend(strategy::ALL.iter().map(|s| s.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a strategy and a preset share a name");
        for preset in ALL {
            assert!(strategy::find(preset.family).is_ok(), "{preset:?}: {}", preset.family);
            assert_eq!(find(preset.strategy.name).unwrap(), &preset.strategy);
            assert_eq!(family(&preset.strategy), preset.family);
            assert!(!preset.rule.is_empty() && !preset.strategy.checked.is_empty(), "{preset:?}");
        }
        assert!(find("nginx-consistant").unwrap_err().to_string().contains("nginx-consistent"));
    }

    #[test]
    fn addresses_come_from_the_list_or_the_name() {
        let mut node = Node::named(0, "10.0.0.1:80");
        assert_eq!(address(&node), ("10.0.0.1", Some(80)));
        node.host = Some("db.example".into());
        assert_eq!(address(&node), ("db.example", None));
        assert_eq!(address(&Node::named(0, "db0")), ("db0", None));
        assert_eq!(address(&Node::named(0, "unix:/tmp/a")), ("unix:/tmp/a", None));
    }
}
