//! ClickHouse's SQL functions, of strings and of Int64.

use shardlab::hash::Half;
use shardlab::keys::KeyKind;

use crate::table::{Vectors, build, is};

#[test]
fn of_strings() {
    let vectors = Vectors::read("clickhouse_hash_strings.csv");
    assert_eq!(vectors.rows.len(), 292);
    let checks = [
        is("sipHash64", "siphash-2-4"),
        is("cityHash64", "clickhouse-city64"),
        is("farmFingerprint64", "farm64"),
        is("murmurHash2_32", "murmur2-32"),
        is("murmurHash2_64", "murmur64a"),
        is("gccMurmurHash", "murmur64a").seed(0xc70f_6907),
        is("murmurHash3_32", "murmur3-32"),
        is("murmurHash3_64", "clickhouse-murmur3-64"),
        is("xxHash32", "xxh32"),
        is("xxHash64", "xxh64"),
        is("xxh3", "xxh3-64"),
        is("halfMD5", "md5-64be"),
        is("javaHash", "clickhouse-java-hash"),
        is("CRC32", "crc32"),
    ];
    let masked = ["kafkaMurmurHash", "hiveHash"];
    let hexadecimal = ["murmurHash3_128_hex", "MD5_hex"];
    // Variants of their own that no system modelled here places by.
    let unmodelled =
        ["farmHash64", "metroHash64", "CRC32IEEE", "CRC64", "wyHash64", "sipHash128_hex"];
    let others = [&masked[..], &hexadecimal, &unmodelled].concat();
    let mut cells = vectors.check_all(KeyKind::Bytes, &checks, &others);

    // Of these ClickHouse drops the sign.
    let positive = |cell: &str| cell.parse::<u64>().unwrap();
    for (column, hasher) in masked.into_iter().zip(["kafka-murmur2", "clickhouse-java-hash"]) {
        let hasher = build(hasher, 0, Half::High);
        for (key, cell) in vectors.keys().iter().zip(vectors.column(column)) {
            assert_eq!(hasher.hash(key) & 0x7fff_ffff, positive(cell), "{column}, {key:02x?}");
            cells += 1;
        }
    }
    // Hexadecimal digits of the bytes: h1 and h2 of Murmur have their low byte first, MD5 its high one.
    let half = |cell: &str, i: usize| u64::from_str_radix(&cell[16 * i..16 * (i + 1)], 16).unwrap();
    for (i, which) in [Half::High, Half::Low].into_iter().enumerate() {
        let murmur = build("murmur3-128", 0, which);
        cells += vectors.check(hexadecimal[0], &*murmur, |cell| half(cell, i).swap_bytes());
        cells += vectors.check(hexadecimal[1], &*build("md5", 0, which), |cell| half(cell, i));
    }
    assert_eq!(cells, 292 * (14 + 2 + 4));
}

#[test]
fn of_integers() {
    let vectors = Vectors::read("clickhouse_hash_int64.csv");
    assert_eq!(vectors.rows.len(), 225);
    let le = |column, hasher| is(column, hasher).view("i64-le");
    let checks = [
        le("sipHash64_Int64", "siphash-2-4"),
        is("cityHash64_Int64", "clickhouse-int-hash-64"),
        is("intHash64_UInt64", "clickhouse-int-hash-64"),
        is("farmHash64_Int64", "clickhouse-int-hash-64"),
        le("murmurHash3_64_Int64", "clickhouse-murmur3-64"),
        le("murmurHash2_64_Int64", "murmur64a"),
        le("xxHash64_Int64", "xxh64"),
        is("javaHash_Int64", "java-long"),
        le("halfMD5_Int64", "md5-64be"),
    ];
    let others = [
        // A function of its own, and hashes of several arguments.
        "intHash32_UInt64",
        "sipHash64_Int64_x",
        "cityHash64_Int64_x",
        // Remainders, not hashes.
        "positiveModulo_8",
        "pct_8",
        "u64_mod_8",
    ];
    assert_eq!(vectors.check_all(KeyKind::I64, &checks, &others), 225 * 9);
}
