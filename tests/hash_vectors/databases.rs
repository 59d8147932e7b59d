//! Databases: Cassandra, PostgreSQL, MariaDB, MongoDB, Aerospike, Ceph.

use shardlab::hash::{self, Half};
use shardlab::keys::view::View;
use shardlab::keys::{ColumnSpec, Key, KeyBatch, KeyKind};

use crate::table::{Vectors, bits, build, decimal, from_hex, is, path, typed};

fn spec(hasher: &str, view: &str) -> ColumnSpec {
    ColumnSpec {
        view: View::parse(view).unwrap(),
        ..ColumnSpec::whole(hash::find(hasher).unwrap())
    }
}

#[test]
fn cassandra_tokens() {
    let vectors = Vectors::read("cassandra_tokens.csv");
    assert_eq!(vectors.rows.len(), 305);
    let checks = [is("murmur3partitioner_token_i64", "cassandra-murmur3")];
    let random = "randompartitioner_md5_token";
    assert_eq!(vectors.check_all(KeyKind::Bytes, &checks, &[random]), 305);
    // The absolute value of the whole digest as a signed integer, which no 64-bit column holds.
    for (row, cell) in vectors.rows.iter().zip(vectors.column(random)) {
        let token = (hash::md5::md5(&from_hex(&row[0])) as i128).unsigned_abs();
        assert_eq!(token.to_string(), cell);
    }
}

#[test]
fn cassandra_types() {
    let vectors = Vectors::read("cassandra_typed_tokens.csv");
    assert_eq!(vectors.rows.len(), 422);
    let murmur = build("cassandra-murmur3", 0, Half::High);
    let mut typed_rows = 0;
    for row in &vectors.rows {
        let serialized = from_hex(&row[2]);
        assert_eq!(murmur.hash(&serialized), bits(&row[3], 64), "{row:?}");
        let (kind, view) = match row[0].as_str() {
            "int" => (KeyKind::I64, "i32-be"),
            "bigint" => (KeyKind::I64, "i64-be"),
            "uuid" => (KeyKind::Uuid, "uuid-bytes"),
            "composite" => continue,
            other => panic!("type {other}"),
        };
        typed(kind, &row[1], |key| {
            let mut seen = Vec::new();
            View::parse(view).unwrap().write(key, &mut seen);
            assert_eq!(seen, serialized, "{key} as {view}");
        });
        typed_rows += 1;
    }
    assert_eq!(typed_rows, 422 - 29);
}

const PARTITION_SEED: u64 = 0x7a5b_2236_7996_dcfd;

#[test]
fn postgres_functions() {
    let text = Vectors::read("postgres_hash_text.csv");
    let extended = |column| is(column, "postgres-hash-extended");
    let checks = [
        is("hashtext_i32", "postgres-hash"),
        extended("hashtextextended_seed0"),
        extended("hashtextextended_seed_HASH_PARTITION_SEED").seed(PARTITION_SEED),
        extended("hashtextextended_seed42").seed(42),
    ];
    assert_eq!(text.check_all(KeyKind::Text, &checks, &[]), 200 * 4);

    let int = Vectors::read("postgres_hash_int.csv");
    let view = "postgres-int";
    let checks = [
        is("hashint8_i32", "postgres-hash").view(view),
        is("hashint4_i32_or_empty", "postgres-hash").view(view),
        extended("hashint8extended_seed0").view(view),
        extended("hashint8extended_seed_HASH_PARTITION_SEED").view(view).seed(PARTITION_SEED),
        extended("hashint4extended_seed_HPS_or_empty").view(view).seed(PARTITION_SEED),
        extended("hashint8extended_seed42").view(view).seed(42),
    ];
    let small = int.column("hashint4_i32_or_empty").filter(|cell| !cell.is_empty()).count();
    assert_eq!(int.check_all(KeyKind::I64, &checks, &["hash_numeric_i32"]), 225 * 4 + small * 2);
    assert_eq!((int.rows.len(), small), (225, 121));

    let uuid = Vectors::read("postgres_hash_uuid.csv");
    let view = "uuid-bytes";
    let checks = [
        is("uuid_hash_i32", "postgres-hash").view(view),
        extended("uuid_hash_extended_seed0").view(view),
        extended("uuid_hash_extended_HPS").view(view).seed(PARTITION_SEED),
    ];
    assert_eq!(uuid.check_all(KeyKind::Uuid, &checks, &[]), 40 * 3);
}

#[test]
fn postgres_partitions() {
    let check = |file: &str, kind, view: &str| {
        let vectors = Vectors::read(file);
        let cells = vectors.check_moduli(kind, &spec("postgres-partition", view), "modulus_");
        (vectors.rows.len(), cells)
    };
    let text = check("postgres_hash_partition_text.csv", KeyKind::Text, "whole");
    assert_eq!(text, (183, 183 * 6));
    let int8 = check("postgres_hash_partition_int8.csv", KeyKind::I64, "postgres-int");
    assert_eq!(int8, (241, 241 * 6));
    let int4 = check("postgres_hash_partition_int4.csv", KeyKind::I64, "postgres-int");
    assert_eq!(int4, (120, 120 * 6));
    let uuid = check("postgres_hash_partition_uuid.csv", KeyKind::Uuid, "uuid-bytes");
    assert_eq!(uuid, (34, 34 * 6));
}

#[test]
fn postgres_partitions_of_two_columns() {
    let vectors = Vectors::read("postgres_hash_partition_int8_text.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (196, 9));
    let extended = |bytes: &[u8]| hash::postgres::hash_extended(bytes, PARTITION_SEED);
    let mut nulls = 0;
    for row in &vectors.rows {
        let mut digest = 0;
        if !row[2].starts_with('1') {
            let folded = hash::postgres::fold_int8(row[0].parse().unwrap());
            digest = hash::postgres::combine(digest, extended(&folded.to_le_bytes()));
        }
        if !row[2].ends_with('1') {
            digest = hash::postgres::combine(digest, extended(row[1].as_bytes()));
        }
        nulls += usize::from(row[2] != "00");
        for (name, cell) in vectors.header.iter().zip(row).skip(3) {
            let n = decimal(name.strip_prefix("modulus_").unwrap());
            assert_eq!(digest % n, decimal(cell), "{row:?}, {name}");
        }
    }
    assert!(nulls > 0);
}

#[test]
fn mariadb_key() {
    let vectors = Vectors::read("mariadb_partition_text.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (203, 19));
    let mut cells = 0;
    // The collation utf8mb4_general_ci folds letters; no view does.
    for (prefix, view) in [("utf8mb4_bin", "trimmed"), ("varbinary(1000) ", "whole")] {
        let spec = spec("mariadb-key", view);
        let batch = vectors.digested(KeyKind::Text, std::slice::from_ref(&spec));
        for name in vectors.header.iter().filter(|name| name.contains(prefix)) {
            let (linear, n) = (name.contains("LINEAR"), decimal(name.rsplit_once("|p").unwrap().1));
            for (row, cell) in vectors.column(name).enumerate() {
                let digest = batch.digests(&spec)[row];
                let part = if linear { linear_part(digest, n) } else { digest % n };
                assert_eq!(part, decimal(cell), "{name}, key {:?}", vectors.rows[row][0]);
                cells += 1;
            }
        }
    }
    assert_eq!(cells, 203 * 12);
}

/// MariaDB's LINEAR: mask to the next power of two, and to half of it where that is too much.
fn linear_part(digest: u64, n: u64) -> u64 {
    let mask = n.next_power_of_two() - 1;
    let part = digest & mask;
    if part < n { part } else { digest & (mask >> 1) }
}

#[test]
fn mongodb() {
    let text = std::fs::read_to_string(path("from_upstream_unit_tests.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let cases = |name: &str| json["mongodb"][name].as_object().unwrap().clone();
    let spec = spec("mongodb-hashed", "mongodb");
    let of_key = |key: &Key<'_>| {
        let batch = KeyBatch::single(key, std::slice::from_ref(&spec));
        batch.digests(&spec)[0] as i64
    };
    let of_value = |kind: u32, value: &[u8]| {
        hash::databases::mongodb_hashed(&[&kind.to_le_bytes(), value].concat(), 0) as i64
    };
    let mut checked = 0;
    let mut same = |digest: i64, expected: &serde_json::Value, what: &str| {
        assert_eq!(digest, expected.as_i64().unwrap(), "{what}");
        checked += 1;
    };
    for (text, expected) in cases("int/long/double(truncated)") {
        // Doubles are hashed as the integers that they truncate to, NaN as 0.
        let number = text.parse::<i64>().unwrap_or_else(|_| text.parse::<f64>().unwrap() as i64);
        same(of_key(&Key::I64(number)), &expected, &text);
    }
    same(
        of_key(&Key::U64(u64::MAX)),
        &cases("int/long/double(truncated)")["9223372036854775807"],
        "2⁶⁴",
    );
    for (text, expected) in cases("string") {
        same(of_key(&Key::Text(&text)), &expected, &text);
    }
    for (text, expected) in cases("objectid") {
        same(of_value(35, &from_hex(&text)), &expected, &text);
    }
    for (text, expected) in cases("bool") {
        same(of_value(40, &[u8::from(text == "true")]), &expected, &text);
    }
    same(of_value(u32::MAX, &[]), &json["mongodb"]["minkey"], "MinKey");
    same(of_value(127, &[]), &json["mongodb"]["maxkey"], "MaxKey");
    assert_eq!(checked, 13 + 1 + 2 + 2 + 2 + 2);
}

/// Vitess writes the digest low byte first as a keyspace id. Its `hash` is DES, which has no hasher.
#[test]
fn vitess_xxhash() {
    let text = std::fs::read_to_string(path("from_upstream_unit_tests.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let xxh64 = build("xxh64", 0, Half::High);
    let mut checked = 0;
    for name in ["xxhash(varchar)", "xxhash(int as decimal text)"] {
        for (key, id) in json["vitess"][name].as_object().unwrap() {
            let digest = xxh64.hash(key.as_bytes());
            assert_eq!(digest.to_le_bytes().to_vec(), from_hex(id.as_str().unwrap()), "{key}");
            checked += 1;
        }
    }
    assert_eq!(checked, 8);
}

#[test]
fn aerospike() {
    let vectors = Vectors::read("aerospike_digest_partition.csv");
    assert_eq!(vectors.rows.len(), 439);
    let hasher = build("ripemd160-64le", 0, Half::High);
    let view = View::parse("aerospike").unwrap();
    for row in &vectors.rows {
        let kind = match row[0].as_str() {
            "string" => KeyKind::Text,
            "int" => KeyKind::I64,
            other => panic!("type {other}"),
        };
        let mut seen = b"users".to_vec();
        typed(kind, &row[1], |key| view.write(key, &mut seen));
        let digest = hash::databases::ripemd160(&seen);
        assert_eq!(digest.to_vec(), from_hex(&row[2]), "{row:?}");
        // The documented partition: the first two bytes, low one first.
        let partition = u64::from(u16::from_le_bytes([digest[0], digest[1]]) & 4095);
        assert_eq!(hasher.hash(&seen) & 4095, partition);
    }
}

#[test]
fn ceph_placement_groups() {
    let vectors = Vectors::read("ceph_object_to_pg.csv");
    assert_eq!(vectors.rows.len(), 181);
    let rjenkins = build("ceph-rjenkins", 0, Half::High);
    for pg_num in [128, 384, 65536] {
        for (row, cell) in
            vectors.rows.iter().zip(vectors.column(&format!("pg_of_pg_num_{pg_num}")))
        {
            // Ceph's stable_mod is MariaDB's LINEAR.
            let pg = linear_part(rjenkins.hash(row[0].as_bytes()), pg_num);
            assert_eq!(pg, decimal(cell), "{:?} of {pg_num}", row[0]);
        }
    }
}
