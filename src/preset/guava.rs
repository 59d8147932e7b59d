//! Guava's `Hashing.consistentHash`.
//!
//! # Source
//! Guava 31.1-jre, `Hashing.consistentHash(long, int)` and `consistentHash(HashCode, int)`,
//! <https://guava.dev/releases/31.1-jre/api/docs/com/google/common/hash/Hashing.html>.
//!
//! # Choices made where the source is silent
//! - Integer keys without `hash` are the `long` argument; with it they are hashed by `hashLong`, as
//!   8 bytes low first. Texts are hashed by `hashString(text, UTF_8)`, with `murmur3_32_fixed`.

use super::partitions::{PARTITIONS, Partitioned, column, count, numbered, takes};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::params::{Default, Param, Type};
use crate::strategy::jump::MULTIPLIER;
use crate::strategy::{Build, Cost, Movement, Placement, StrategyInfo};

/// `Hashing.consistentHash`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "guava_consistent_hash_long.csv, guava_consistent_hash_hashcode.csv, \
              jump_edge_guava_vs_reference.csv (column guava_consistentHash)",
        movement: Movement::Minimal,
        cost: Cost { lookup: "O(log n)", change: "O(partitions)", bytes: "4 · partitions" },
        ..numbered(
            "guava-consistent-hash",
            "Guava consistentHash",
            "Guava `Hashing.consistentHash`: jump hash with one rounding and a 31-bit overflow of its own",
            "Guava 31.1-jre, https://guava.dev/releases/31.1-jre/api/docs/com/google/common/hash/Hashing.html",
            &[PARTITIONS, HASH],
            consistent,
        )
    },
    family: "jump",
    version: "Guava 31.1-jre",
    rule: "from state = key, bucket 0, repeat: state = state · 2862933555777941757 + 1; d = (i32)((state \
           >>> 33) + 1) / 2^31, which is −1 when state >>> 33 is 2^31 − 1; next = (i32)((bucket + 1) / d); \
           stop unless 0 ≤ next < n. Hash codes become the key by padToLong: their first 8 bytes, low \
           byte first, shorter ones zero-extended",
    answer: Answer::Partition,
};

const HASH: Param = Param::new(
    "hash",
    Type::Choice(&["murmur3-32", "murmur3-128", "md5", "crc32", "crc32c", "sip24", "farm"]),
    Default::Absent,
    "Guava hash function whose HashCode is the key. Absent: integer keys as they are",
);

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let n = count(build).max(1);
    let Some(hash) = build.params.text_opt("hash") else {
        let why = "consistentHash takes a long or a HashCode; name a function in `hash`";
        takes(build, &[KeyKind::I64, KeyKind::U64], why)?;
        let columns = [column("identity", "whole", 0)?];
        return Ok(Box::new(Partitioned::new(build, columns, move |[key]| guava_jump(key, n))?));
    };
    let hasher = match hash {
        "sip24" => "siphash-2-4-guava",
        "farm" => "farm64",
        same => same,
    };
    let columns = [column(hasher, "i64-le", 0)?];
    // MD5 columns hold the first byte highest; Guava reads it lowest.
    let swaps = hash == "md5";
    let number =
        move |[digest]: [u64; 1]| guava_jump(if swaps { digest.swap_bytes() } else { digest }, n);
    Ok(Box::new(Partitioned::new(build, columns, number)?))
}

/// The bucket of a key among `n`, which must not be 0.
#[inline]
fn guava_jump(key: u64, n: u32) -> u32 {
    let (mut state, mut bucket) = (key, 0i32);
    loop {
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(1);
        let draw = ((state >> 33) as i32).wrapping_add(1);
        let next = (f64::from(bucket + 1) / (f64::from(draw) / (1u64 << 31) as f64)) as i32;
        if next < 0 || next as u32 >= n {
            return bucket as u32;
        }
        bucket = next;
    }
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Vectors, number};

    #[test]
    fn recorded_buckets_of_longs() {
        let vectors = Vectors::read("guava_consistent_hash_long.csv", 262);
        let keys = vectors.keys("input_long", KeyKind::I64);
        for column in &vectors.columns()[1..] {
            let n = column.strip_prefix("buckets_").unwrap();
            let params = &[("partitions", n)];
            let case = Case { preset: "guava-consistent-hash", params, servers: &[] };
            vectors.check(column, &keys, &case, number);
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_buckets_of_hash_codes() {
        let vectors = Vectors::read("guava_consistent_hash_hashcode.csv", 178);
        let keys = vectors.keys("key", KeyKind::Text);
        for column in &vectors.columns()[2..] {
            let (hash, n) = column.rsplit_once("_b").unwrap();
            let hash = match hash {
                "murmur3_32_fixed" => "murmur3-32",
                "murmur3_128" => "murmur3-128",
                other => other,
            };
            let params = &[("partitions", n), ("hash", hash)];
            let case = Case { preset: "guava-consistent-hash", params, servers: &[] };
            vectors.check(column, &keys, &case, number);
        }
        let params = &[("partitions", "3"), ("hash", "murmur3-32")];
        let case = Case { preset: "guava-consistent-hash", params, servers: &[] };
        vectors.check_digests("m32_padToLong", &keys, &case, |digest| digest.to_string());
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_buckets_of_crafted_keys() {
        let vectors = Vectors::read("jump_edge_guava_vs_reference.csv", 427);
        let mut rows = 0;
        for n in vectors.column("buckets").into_iter().collect::<std::collections::BTreeSet<_>>() {
            let of = vectors.column("buckets").iter().filter(|cell| **cell == n).count();
            let vectors = vectors.only("buckets", n, of);
            let keys = vectors.keys("key_u64", KeyKind::U64);
            let params = &[("partitions", n)];
            let case = Case { preset: "guava-consistent-hash", params, servers: &[] };
            vectors.check("guava_consistentHash", &keys, &case, number);
            // Those of the reference are tested beside `jump`, ClickHouse's beside its preset; `edge` is
            // what the key was crafted for.
            vectors.finish(&["pypi_jump_c", "clickhouse_jumpConsistentHash", "edge"]);
            rows += vectors.len();
        }
        assert_eq!(rows, 427);
    }
}
