//! Public reports whose answer is a place, key by key: exact, from the inputs that the report gives. Those
//! about loads and movement are scenarios in `scenarios/cases/`; those that only need a diagnosis stand
//! beside `analysis::explain::counts`.

use std::path::Path;

use shardlab::cluster::{Cluster, server_list};
use shardlab::error::Error;
use shardlab::keys::{Digester, Key, KeyBatch, KeyKind};
use shardlab::params::{Params, Value};
use shardlab::strategy::{self, Build, StrategyInfo};
use shardlab::{hash, preset};

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

/// Where keys live: numbers of nodes, or of partitions.
fn try_places(
    info: &'static StrategyInfo,
    given: &[(&str, Value)],
    cluster: &Cluster,
    keys: &[Key<'_>],
) -> Result<Vec<u32>, Error> {
    let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let params = Params::from_pairs(info.params, given)?;
    let kind = match keys[0] {
        Key::I64(_) => KeyKind::I64,
        _ => KeyKind::Text,
    };
    let base = Path::new(".");
    let build = Build { cluster, params: &params, keys: kind, replicas: 1, base };
    let placement = info.place(&build)?;
    let mut batch = KeyBatch::new(kind);
    keys.iter().for_each(|key| batch.push(key));
    Digester::new(placement.columns()).compute(&mut batch);
    let mut slots = vec![strategy::Slot::ABSENT; keys.len()];
    placement.place(&batch, &mut slots);
    Ok(slots.iter().map(|slot| slot.0).collect())
}

fn places(name: &str, given: &[(&str, Value)], nodes: usize, keys: &[&str]) -> Vec<u32> {
    let keys: Vec<Key<'_>> = keys.iter().map(|k| Key::Text(k)).collect();
    let info = strategy::find(name).unwrap();
    try_places(info, given, &Cluster::numbered(nodes, "node{i}"), &keys).unwrap()
}

/// Of a preset that numbers partitions.
fn partitions(name: &str, given: &[(&str, Value)], keys: &[&str]) -> Vec<u32> {
    let keys: Vec<Key<'_>> = keys.iter().map(|k| Key::Text(k)).collect();
    try_places(preset::find(name).unwrap(), given, &Cluster::default(), &keys).unwrap()
}

/// Of a preset that chooses among servers.
fn servers(name: &str, list: &str, keys: &[&str]) -> Vec<u32> {
    let keys: Vec<Key<'_>> = keys.iter().map(|k| Key::Text(k)).collect();
    try_places(preset::find(name).unwrap(), &[], &cluster(list), &keys).unwrap()
}

fn cluster(list: &str) -> Cluster {
    let mut nodes = server_list::parse_inline(list, "test").unwrap();
    for (i, node) in nodes.iter_mut().enumerate() {
        node.id = shardlab::cluster::NodeId(i as u32);
    }
    Cluster { ids: nodes.len(), nodes, ..Cluster::default() }
}

fn n(count: i64) -> (&'static str, Value) {
    ("partitions", Value::Int(count))
}

/// node-rdkafka#817, Dekaf#1336, librdkafka#1816: three readings of one hash.
#[test]
fn a_kafka_key_by_mask_by_crc_and_by_abs() {
    let key = ["fd7af248-ce5c-46a5-93d7-1c0c9005b99d"];
    assert_eq!(partitions("kafka", &[n(32)], &key), [26]);
    assert_eq!(partitions("librdkafka-consistent", &[n(32)], &key), [23]);
    let abs = [("hasher", text("kafka-murmur2")), ("sign", text("abs"))];
    assert_eq!(places("modulo", &abs, 32, &key), [6]);
}

/// The same reports: unsigned against masked remainders differ for the keys with the top bit set, unless the
/// number of partitions divides 2^31. 40 000 keys: five standard errors of a half are 1.25 %.
#[test]
fn a_masked_remainder_differs_from_an_unsigned_one_for_half_of_the_keys() {
    let names: Vec<String> = (0..40_000).map(|i| format!("order-{i}")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    for (count, want) in [(3, 0.5), (6, 0.5), (10, 0.5), (12, 0.5), (50, 0.5), (32, 0.0)] {
        let read = |sign: &str| {
            places(
                "modulo",
                &[("hasher", text("kafka-murmur2")), ("sign", text(sign))],
                count,
                &keys,
            )
        };
        let (mask, unsigned) = (read("mask"), read("unsigned"));
        let differ = mask.iter().zip(&unsigned).filter(|(a, b)| a != b).count() as f64 / 40_000.0;
        assert!(
            (differ - want).abs() <= 0.0125 * f64::from(u8::from(want > 0.0)),
            "{count}: {differ}"
        );
    }
}

/// kafka-rest#610: the quotes of JSON are part of the key on the wire.
#[test]
fn two_json_keys_meet_and_two_raw_ones_too() {
    let masked = [("hasher", text("kafka-murmur2")), ("sign", text("mask"))];
    let json = [masked.as_slice(), &[("view", text("json"))]].concat();
    assert_eq!(places("modulo", &json, 3, &["A", "B"]), [2, 2]);
    assert_eq!(partitions("kafka", &[n(3)], &["A", "B"]), [1, 1]);
}

/// librdkafka#4510: an empty key is hashed by murmur2 and goes to one partition.
#[test]
fn empty_keys_go_to_one_partition() {
    for (count, want) in [(3, 0), (6, 3), (12, 9), (15, 6), (32, 25)] {
        assert_eq!(partitions("kafka", &[n(count)], &[""]), [want], "{count}");
    }
}

/// Kafka, Flink and Elasticsearch, from their own test suites.
#[test]
fn vectors_of_partitioners() {
    let orders = ["order-1", "order-2", "order-42"];
    assert_eq!(partitions("kafka", &[n(12)], &orders), [10, 3, 0]);
    assert_eq!(partitions("librdkafka-consistent", &[n(12)], &orders), [7, 9, 10]);
    let eight = ["8", "9", "10", "11", "12", "13", "14", "15"];
    let groups = [("answer", text("key-group")), ("max-parallelism", Value::Int(128))];
    assert_eq!(partitions("flink", &groups, &eight), [68, 96, 61, 56, 16, 79, 123, 51]);
    let routing = ["4", "5", "6", "7", "8", "9"];
    for (shards, want) in
        [(2, [1, 0, 0, 0, 1, 0]), (7, [4, 2, 2, 1, 3, 4]), (9, [4, 2, 3, 4, 8, 5])]
    {
        assert_eq!(partitions("elasticsearch", &[n(shards)], &routing), want, "{shards}");
    }
}

/// argo-cd#8960, #6125: two clusters, and one of two controllers idle.
#[test]
fn two_clusters_share_a_controller_up_to_four() {
    let ids = ["11ddd915-9d42-4bd3-83dd-1e922087720a", "f605b122-034f-4f4d-8fe4-eadddfaa4905"];
    let fnv = [("hasher", text("fnv1a-64"))];
    for (count, want) in [(2, [1, 1]), (3, [0, 0]), (4, [3, 3]), (5, [3, 0])] {
        assert_eq!(places("modulo", &fnv, count, &ids), want, "{count}");
    }
    let names = ["cluster-a", "cluster-b", "cluster-c"];
    assert_eq!(places("modulo", &fnv, 3, &names), [0, 1, 2]);
}

/// twemproxy#32: FNV of short keys that differ in a letter, and the same ring with many keys.
#[test]
fn four_letters_share_a_server_and_a_hundred_thousand_keys_do_not() {
    let fnv = (hash::find("libhashkit-fnv1a-64").unwrap().build)(0, hash::Half::High);
    let digests: Vec<u64> = ["a", "b", "c", "d"].map(|k| fnv.hash(k.as_bytes())).into();
    let want = [0x8601_ec8c, 0x8601_f1a5, 0x8601_eff2, 0x8601_e773];
    assert_eq!(digests, want);
    let list = "127.0.0.1:11212,127.0.0.1:11213";
    assert_eq!(servers("twemproxy-ketama", list, &["a", "b", "c", "d"]), [0; 4]);
    let names: Vec<String> = (0..100_000).map(|i| format!("key-{i}")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let first = servers("twemproxy-ketama", list, &keys).iter().filter(|&&s| s == 0).count();
    assert_eq!(first, 53_019, "the arcs are 52.4 to 47.6");
}

/// buraksezer/consistent#14: 26 letters in two partitions are 14 and 12, and one member may own both, since
/// the cap is ⌈2/2 · 1.25⌉ = 2.
#[test]
fn letters_in_two_partitions() {
    let letters: Vec<String> = ('a'..='z').map(String::from).collect();
    let keys: Vec<&str> = letters.iter().map(String::as_str).collect();
    let placed = places("modulo", &[("hasher", text("xxh64"))], 2, &keys);
    assert_eq!(placed.iter().filter(|&&p| p == 0).count(), 12);
}

/// redis#3919 and others: hash tags, and what a shell does to a backslash.
#[test]
fn slots_of_tagged_keys() {
    let crc = (hash::find("crc16-xmodem").unwrap().build)(0, hash::Half::High);
    let slot = |tag: &str| crc.hash(tag.as_bytes()) % 16_384;
    assert_eq!((slot("bar"), slot("barzap")), (5061, 4493));
    assert_eq!((slot("zhk\\zhk"), slot("zhkzhk")), (10_968, 7973));
    let placed = places("redis-slots", &[], 16_384, &["foo{bar}zap", "foo{bar}{zap}", "barzap"]);
    assert_eq!(placed, [5061, 5061, 4493]);
    // JSON in a key: the first braces are the tag, so equal bodies collapse to one slot.
    let json = ["q:{\"a\":1}:page1", "q:{\"a\":1}:page2", "x{\"a\":1}"];
    let placed = places("redis-slots", &[], 16_384, &json);
    assert!(placed.iter().all(|slot| slot == &placed[0]));
}

/// nginx `ip_hash` (cms#1126, caddy#978, shenyu#4384): an office is one client.
#[test]
fn one_network_is_one_server_and_256_are_even() {
    let names: Vec<String> = (0..256).map(|i| format!("10.0.{i}.7")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let placed = servers("nginx-ip-hash", "a,b,c", &keys);
    let count = |node| placed.iter().filter(|&&s| s == node).count();
    assert_eq!([count(0), count(1), count(2)], [86, 85, 85]);
    let names: Vec<String> = (0..256).map(|i| format!("10.0.3.{i}")).collect();
    let keys: Vec<&str> = names.iter().map(String::as_str).collect();
    let placed = servers("nginx-ip-hash", "a,b,c", &keys);
    assert!(placed.iter().all(|server| server == &placed[0]), "the last byte does not count");
}

/// nginx#191, PowerDNS#6932: a weight of a million is a hundred and sixty million points.
#[test]
fn rings_beyond_memory_are_refused_before_they_are_built() {
    let list = cluster("a weight=1000000,b weight=1");
    let info = preset::find("nginx-consistent").unwrap();
    let error = try_places(info, &[], &list, &[Key::Text("x")]).unwrap_err();
    assert!(error.message.contains("more than 20000000 points"), "{error}");
    assert!(error.help[0].contains("smaller weights"), "{error}");
}

/// Jump hash, as its authors publish it.
#[test]
fn known_values_of_jump() {
    let info = strategy::find("jump").unwrap();
    let raw = [("hasher", text("identity"))];
    for (key, nodes, want) in
        [(1, 10, 6), (10, 10, 7), (10, 100, 73), (256, 1024, 520), (0xDEAD_BEEF, 64, 16)]
    {
        let cluster = Cluster::numbered(nodes, "{i}");
        assert_eq!(try_places(info, &raw, &cluster, &[Key::I64(key)]).unwrap(), [want]);
    }
}

/// shardingsphere#37282, akka#25034: hash codes of −1 as Integer and as Long, and of the smallest number.
#[test]
fn abs_of_hash_codes() {
    let info = preset::find("shardingsphere-hash-mod").unwrap();
    let at = |kind: &str, abs: &str, count: i64, key: i64| {
        let given = [n(count), ("type", text(kind)), ("abs", text(abs))];
        try_places(info, &given, &Cluster::default(), &[Key::I64(key)]).unwrap()[0]
    };
    assert_eq!((at("int", "long", 2, -1), at("long", "long", 2, -1)), (1, 0));
    // −2^31: its abs in 32 bits stays negative, and no shard has the number −(2^31 mod 3).
    assert_eq!(at("int", "int", 4, i64::from(i32::MIN)), 0);
    assert_eq!(at("int", "int", 3, i64::from(i32::MIN)), strategy::Slot::MISROUTED.0);
    assert_eq!(at("int", "long", 3, i64::from(i32::MIN)), 2);
}
