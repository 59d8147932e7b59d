//! Memcached clients and proxies, Kafka clients.

use shardlab::hash::{self, Half};
use shardlab::keys::view::View;
use shardlab::keys::{ColumnSpec, KeyKind};

use crate::table::{Vectors, build, decimal, is};

#[test]
fn libhashkit() {
    let vectors = Vectors::read("libhashkit_hashes.csv");
    assert_eq!(vectors.rows.len(), 298);
    let checks = [
        is("one_at_a_time", "one-at-a-time"),
        is("md5", "md5-32le"),
        is("crc", "libhashkit-crc"),
        is("fnv1_64", "libhashkit-fnv1-64"),
        is("fnv1a_64", "libhashkit-fnv1a-64"),
        is("fnv1_32", "libhashkit-fnv1-32"),
        is("fnv1a_32", "libhashkit-fnv1a-32"),
        is("murmur", "libhashkit-murmur"),
        is("jenkins", "libhashkit-jenkins"),
    ];
    // Built without hsieh, the library answers 1.
    assert!(vectors.column("hsieh").all(|cell| cell == "1"));
    let cells = vectors.check_all(KeyKind::Bytes, &checks, &["hsieh", "murmur3"]);
    assert_eq!(cells, 298 * 9);
    // murmur3 is MurmurHash3_x86_32 under a seed that the length sets; it has no hasher.
    for (key, cell) in vectors.keys().iter().zip(vectors.column("murmur3")) {
        let seed = 0xdead_beef_u32.wrapping_mul(key.len() as u32);
        assert_eq!(u64::from(hash::murmur3_32::murmur3_32(key, seed)), decimal(cell), "{key:02x?}");
    }
}

/// Modula on eight equal servers is the digest modulo 8; server i is number i + 1.
#[test]
fn twemproxy_modula() {
    let vectors = Vectors::read("twemproxy.csv");
    assert_eq!(vectors.rows.len(), 195);
    let columns = [
        ("one_at_a_time", "one-at-a-time", "whole"),
        ("md5", "md5-32le", "whole"),
        ("crc16", "twemproxy-crc16", "whole"),
        ("crc32", "libhashkit-crc", "whole"),
        ("crc32a", "crc32", "whole"),
        ("fnv1_64", "libhashkit-fnv1-64", "whole"),
        ("fnv1_32", "libhashkit-fnv1-32", "whole"),
        ("fnv1a_32", "libhashkit-fnv1a-32", "whole"),
        ("murmur", "libhashkit-murmur", "whole"),
        ("fnv1a_64", "libhashkit-fnv1a-64", "whole"),
        ("fnv1a_64 hash_tag{}", "libhashkit-fnv1a-64", "hash-tag"),
    ];
    let specs = columns.map(|(_, hasher, view)| ColumnSpec {
        view: View::parse(view).unwrap(),
        ..ColumnSpec::whole(hash::find(hasher).unwrap())
    });
    let batch = vectors.digested(KeyKind::Text, &specs);
    let mut cells = 0;
    for ((name, ..), spec) in columns.iter().zip(&specs) {
        let column = format!("modula {name}|n8");
        for (row, cell) in vectors.column(&column).enumerate() {
            let server = batch.digests(spec)[row] % 8 + 1;
            assert_eq!(server, decimal(cell), "{column}, key {:?}", vectors.rows[row][0]);
            cells += 1;
        }
    }
    assert_eq!(cells, 195 * 11);
}

/// Twemproxy's crc16 keeps bits above the low 16: on a ring of 32 bits they decide.
#[test]
fn twemproxys_crc16_is_not_masked() {
    let vectors = Vectors::read("libhashkit_hashes.csv");
    let (wide, narrow) =
        (build("twemproxy-crc16", 0, Half::High), build("crc16-xmodem", 0, Half::High));
    let keys = vectors.keys();
    assert!(keys.iter().all(|key| wide.hash(key) & 0xffff == narrow.hash(key)));
    assert!(keys.iter().filter(|key| wide.hash(key) != narrow.hash(key)).count() > 200);
}

#[test]
fn haproxy() {
    let vectors = Vectors::read("haproxy_hash_functions.csv");
    assert_eq!(vectors.rows.len(), 308);
    let checks = [
        is("sdbm", "sdbm"),
        is("sdbm_avalanche", "sdbm-avalanche"),
        is("djb2", "djb2"),
        is("djb2_avalanche", "djb2-avalanche"),
        is("wt6", "wt6"),
        is("wt6_avalanche", "wt6-avalanche"),
        is("crc32", "crc32"),
        is("crc32_avalanche", "crc32-avalanche"),
        is("crc32c", "crc32c"),
        is("xxh32", "xxh32"),
        is("xxh64", "xxh64"),
        is("xxh3", "xxh3-64"),
    ];
    assert_eq!(vectors.check_all(KeyKind::Bytes, &checks, &[]), 308 * 12);
}

#[test]
fn spymemcached() {
    let vectors = Vectors::read("spymemcached_hashes.csv");
    assert_eq!(vectors.rows.len(), 196);
    let checks = [
        is("NATIVE_HASH", "java-string"),
        is("CRC_HASH", "libhashkit-crc"),
        is("FNV1_64_HASH", "spymemcached-fnv1-64"),
        is("FNV1A_64_HASH", "spymemcached-fnv1a-64"),
        is("FNV1_32_HASH", "spymemcached-fnv1-32"),
        is("FNV1A_32_HASH", "spymemcached-fnv1a-32"),
        is("KETAMA_HASH", "md5-32le"),
    ];
    assert_eq!(vectors.check_all(KeyKind::Text, &checks, &[]), 196 * 7);
}

#[test]
fn kafka() {
    let vectors = Vectors::read("kafka_default_partitioner.csv");
    assert_eq!(vectors.rows.len(), 303);
    let seeded = || is("murmur2_u32", "murmur2-32").seed(0x9747_b28c);
    let checks = [is("murmur2_i32", "kafka-murmur2"), seeded()];
    let partitions: Vec<&str> = vectors.header[3..].iter().map(String::as_str).collect();
    assert_eq!(vectors.check_all(KeyKind::Bytes, &checks, &partitions), 303 * 2);

    let murmur = build("kafka-murmur2", 0, Half::High);
    let positive = |key: &[u8]| murmur.hash(key) & 0x7fff_ffff;
    assert_eq!(check_partitions(&vectors, "partitions_", positive), 303 * 7);
}

#[test]
fn librdkafka() {
    let vectors = Vectors::read("librdkafka_partitioners.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (303, 16));
    let hasher = |name| build(name, 0, Half::High);
    let (crc, murmur, fnv) = (hasher("crc32"), hasher("kafka-murmur2"), hasher("fnv1a-32"));
    let cells = check_partitions(&vectors, "consistent_crc32_", |key| crc.hash(key))
        + check_partitions(&vectors, "murmur2_", |key| murmur.hash(key) & 0x7fff_ffff)
        + check_partitions(&vectors, "fnv1a_", |key| (fnv.hash(key) as i32).unsigned_abs().into());
    assert_eq!(cells, 303 * 15);
}

/// Compares remainders with the columns whose names end in the divisor.
fn check_partitions(vectors: &Vectors, prefix: &str, hash: impl Fn(&[u8]) -> u64) -> usize {
    let mut cells = 0;
    for name in vectors.header.iter().filter(|name| name.starts_with(prefix)) {
        let n = decimal(&name[prefix.len()..]);
        for (key, cell) in vectors.keys().iter().zip(vectors.column(name)) {
            assert_eq!(hash(key) % n, decimal(cell), "{name}, key {key:02x?}");
            cells += 1;
        }
    }
    cells
}
