//! Systems on the JVM: Java, Guava, Commons Codec, Lucene, Elasticsearch, Hazelcast, Spark, Flink.

use shardlab::hash;
use shardlab::keys::view::View;
use shardlab::keys::{ColumnSpec, KeyBatch, KeyKind};

use crate::table::{Check, Vectors, bits, decimal, is, typed};

#[test]
fn java() {
    let vectors = Vectors::read("java_hashcode_string.csv");
    assert_eq!(vectors.rows.len(), 196);
    let checks = [is("hashCode", "java-string"), is("HashMap_spread", "java-string-spread")];
    // Remainders of hash codes belong to placements.
    let others: Vec<&str> = vectors.header[3..].iter().map(String::as_str).collect();
    assert_eq!(vectors.check_all(KeyKind::Text, &checks, &others), 196 * 2);
    assert!(hash::find("java-string").unwrap().signed);

    let vectors = Vectors::read("java_hashcode_long_int.csv");
    assert_eq!(vectors.rows.len(), 236);
    let integers: Vec<&str> = vectors.column("Integer_hashCode_or_empty").collect();
    assert!(
        integers.iter().zip(vectors.column("value")).all(|(&int, v)| int.is_empty() || int == v)
    );
    let checks = [is("Long_hashCode", "java-long"), is("String_valueOf_hashCode", "java-string")];
    // An Integer's hash code is its value; BigInteger has no hasher.
    let others = ["Integer_hashCode_or_empty", "BigInteger_hashCode"];
    assert_eq!(vectors.check_all(KeyKind::I64, &checks, &others), 236 * 2);
}

#[test]
fn guava_bytes() {
    let vectors = Vectors::read("guava_hashbytes.csv");
    assert_eq!(vectors.rows.len(), 311);
    let checks = [
        is("murmur3_32_fixed_seed0_asInt", "murmur3-32"),
        is("murmur3_32_fixed_seed42_asInt", "murmur3-32").seed(42),
        is("murmur3_128_seed0_asLong", "murmur3-128"),
        is("murmur3_128_seed42_asLong", "murmur3-128").seed(42),
        is("sipHash24_default_asLong", "siphash-2-4-guava"),
        is("farmHashFingerprint64_asLong", "farm64"),
        is("crc32c_asInt", "crc32c"),
    ];
    // The hexadecimal form of what asLong gives in part; a fingerprint of Google's own.
    let others = ["murmur3_128_seed0_hex", "fingerprint2011_asLong"];
    assert_eq!(vectors.check_all(KeyKind::Bytes, &checks, &others), 311 * 7);
}

#[test]
fn guava_texts_and_integers() {
    let vectors = Vectors::read("guava_hashstring_utf8.csv");
    assert_eq!(vectors.rows.len(), 180);
    let (legacy, fixed) = ("murmur3_32_legacy_hashString_utf8", "murmur3_32_fixed_hashString_utf8");
    let checks = [
        is(legacy, "guava-murmur3-legacy"),
        is(fixed, "murmur3-32"),
        is("murmur3_32_fixed_hashUnencodedChars", "murmur3-32").view("utf16le"),
        is("murmur3_128_hashString_utf8_asLong", "murmur3-128"),
    ];
    assert_eq!(vectors.check_all(KeyKind::Text, &checks, &[]), 180 * 4);
    let wrong = vectors.column(legacy).zip(vectors.column(fixed)).filter(|(l, f)| l != f).count();
    assert_eq!(wrong, 3, "texts in which Guava's bug shows");

    let vectors = Vectors::read("guava_hash_long_int.csv");
    assert_eq!(vectors.rows.len(), 260);
    let checks = [
        is("murmur3_32_hashLong", "murmur3-32").view("i64-le"),
        is("murmur3_32_hashInt_of_low32", "murmur3-32").view("i32-le"),
        is("murmur3_128_hashLong_asLong", "murmur3-128").view("i64-le"),
    ];
    assert_eq!(vectors.check_all(KeyKind::I64, &checks, &[]), 260 * 3);
}

#[test]
fn commons_codec() {
    let vectors = Vectors::read("commons_codec_hashes.csv");
    assert_eq!(vectors.rows.len(), 312);
    let checks = [
        is("MurmurHash2_hash32", "kafka-murmur2"),
        is("MurmurHash2_hash64", "murmur64a").seed(0xe17a_1465),
        is("MurmurHash3_hash32x86", "murmur3-32"),
        is("MurmurHash3_hash32_legacy_seed104729", "commons-codec-murmur3").seed(104_729),
        is("XXHash32", "xxh32"),
        is("PureJavaCrc32C", "crc32c"),
    ];
    assert_eq!(vectors.check_all(KeyKind::Bytes, &checks, &[]), 312 * 6);
}

#[test]
fn lucene_and_elasticsearch() {
    let vectors = Vectors::read("lucene_murmur3_utf8.csv");
    assert_eq!(vectors.rows.len(), 188);
    let column = "lucene_StringHelper_murmurhash3_x86_32_utf8_seed0_i32";
    assert_eq!(vectors.check_all(KeyKind::Text, &[is(column, "murmur3-32")], &[]), 188);

    let vectors = Vectors::read("elasticsearch_routing_lucene_murmur3.csv");
    assert_eq!(vectors.rows.len(), 206);
    let checks = [is("lucene_murmur3_x86_32_utf16le_seed0", "murmur3-32").view("utf16le")];
    let shards: Vec<&str> = vectors.header[2..].iter().map(String::as_str).collect();
    assert_eq!(vectors.check_all(KeyKind::Text, &checks, &shards), 206);
    for name in shards {
        let n: i32 = name["shards_".len()..].parse().unwrap();
        for (hash, shard) in vectors.column(&vectors.header[1]).zip(vectors.column(name)) {
            let hash: i32 = hash.parse().unwrap();
            assert_eq!(hash.rem_euclid(n).to_string(), shard, "{name}, hash {hash}");
        }
    }
}

#[test]
fn hazelcast() {
    let vectors = Vectors::read("hazelcast_partition.csv");
    assert_eq!(vectors.rows.len(), 297);
    let seeded = |view: &str| ColumnSpec {
        seed: 0x0100_0193,
        view: View::parse(view).unwrap(),
        ..ColumnSpec::whole(hash::find("murmur3-32").unwrap())
    };
    let kind = |row: &[String]| match row[0].as_str() {
        "string" => (KeyKind::Text, seeded("length-prefixed")),
        "int" => (KeyKind::I64, seeded("i32-be")),
        other => panic!("type {other}"),
    };
    for row in &vectors.rows {
        let (kind, spec) = kind(row);
        typed(kind, &row[1], |key| {
            let batch = KeyBatch::single(key, std::slice::from_ref(&spec));
            let hash = batch.digests(&spec)[0];
            assert_eq!(hash, bits(&row[2], 32), "{key}");
            // No row has i32::MIN, which Hazelcast sends to partition 0.
            assert_eq!(u64::from((hash as i32).unsigned_abs()) % 271, decimal(&row[3]), "{key}");
        });
    }
}

#[test]
fn spark() {
    let vectors = Vectors::read("spark_string.csv");
    assert_eq!(vectors.rows.len(), 183);
    let seeded = |check: Check| check.seed(42);
    let checks = [
        seeded(is("sql_hash_murmur3_seed42_i32", "spark-murmur3")),
        seeded(is("sql_xxhash64_seed42_i64", "xxh64")),
    ];
    let others: Vec<&str> = vectors.header[3..].iter().map(String::as_str).collect();
    assert_eq!(vectors.check_all(KeyKind::Text, &checks, &others), 183 * 2);
    check_floor(&vectors, "sql_hash_murmur3_seed42_i32", "df_repartition_");

    let vectors = Vectors::read("spark_bigint.csv");
    assert_eq!(vectors.rows.len(), 250);
    let checks = [
        seeded(is("sql_hash_bigint", "spark-murmur3").view("i64-le")),
        seeded(is("sql_xxhash64_bigint", "xxh64").view("i64-le")),
        seeded(is("sql_hash_int_if_fits", "spark-murmur3").view("i32-le")),
    ];
    let others: Vec<&str> = vectors.header[4..].iter().map(String::as_str).collect();
    let ints = vectors.column("sql_hash_int_if_fits").filter(|cell| !cell.is_empty()).count();
    assert_eq!(vectors.check_all(KeyKind::I64, &checks, &others), 250 * 2 + ints);
    assert_eq!(ints, 129);
    check_floor(&vectors, "sql_hash_bigint", "df_repartition_bigint_");
    // Of several columns, each hash is the next one's seed.
    let both = vectors.column("sql_hash_bigint_then_string_x");
    for (first, both) in vectors.column("sql_hash_bigint").zip(both) {
        let hash = hash::murmur3_signed::spark_murmur3(b"x", bits(first, 32) as u32);
        assert_eq!(u64::from(hash), bits(both, 32), "after {first}");
    }
}

/// Partitions are the floored remainders of the hash.
fn check_floor(vectors: &Vectors, hash: &str, prefix: &str) {
    let columns: Vec<&String> = vectors.header.iter().filter(|h| h.starts_with(prefix)).collect();
    assert_eq!(columns.len(), 4);
    for name in columns {
        let n: i32 = name[prefix.len()..].parse().unwrap();
        for (hash, part) in vectors.column(hash).zip(vectors.column(name)) {
            let hash: i32 = hash.parse().unwrap();
            assert_eq!(hash.rem_euclid(n).to_string(), part, "{name}, hash {hash}");
        }
    }
}

/// Flink makes the hash of the hash code positive, then takes remainders.
#[test]
fn flink() {
    let positive = |digest: u64| match digest as i32 {
        i32::MIN => 0,
        hash => u64::from(hash.unsigned_abs()),
    };
    let spec = |view: &str| ColumnSpec {
        view: View::parse(view).unwrap(),
        ..ColumnSpec::whole(hash::find("murmur3-32").unwrap())
    };
    let vectors = Vectors::read("flink_murmurHash_int.csv");
    assert_eq!(vectors.rows.len(), 117);
    let (code, hash_code) = (spec("i32-le"), spec("java-hash-code"));
    let batch = vectors.digested(KeyKind::I64, std::slice::from_ref(&code));
    for (&digest, cell) in batch.digests(&code).iter().zip(vectors.column("MathUtils_murmurHash")) {
        assert_eq!(positive(digest), decimal(cell));
    }

    let vectors = Vectors::read("flink_key_group.csv");
    assert_eq!(vectors.rows.len(), 445);
    for row in &vectors.rows {
        let kind = match row[0].as_str() {
            "string" => KeyKind::Text,
            "long" => KeyKind::I64,
            other => panic!("type {other}"),
        };
        typed(kind, &row[1], |key| {
            let batch = KeyBatch::single(key, std::slice::from_ref(&hash_code));
            let hash = positive(batch.digests(&hash_code)[0]);
            let (group, large) = (hash % 128, hash % 4096);
            let expected = [group, group * 3 / 128, group * 8 / 128, large, large * 10 / 4096];
            let cells: Vec<u64> = row[2..].iter().map(|cell| decimal(cell)).collect();
            assert_eq!(cells, expected, "{key}");
        });
    }
}
