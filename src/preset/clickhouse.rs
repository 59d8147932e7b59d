//! ClickHouse's consistent hash functions.
//!
//! # Source
//! ClickHouse 26.9, `jumpConsistentHash`, `kostikConsistentHash`,
//! <https://clickhouse.com/docs/sql-reference/functions/hash-functions>.
//!
//! # Choices made where the source is silent
//! - Integer keys without `hash` are the argument itself.

use super::partitions::{PARTITIONS, Partitioned, column, count, numbered, takes};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::{ColumnSpec, KeyKind};
use crate::params::{Default, Param, Type};
use crate::strategy::jump::jump;
use crate::strategy::{Build, Cost, Movement, Placement, StrategyInfo};

const SOURCE: &str =
    "ClickHouse 26.9.2.1, https://clickhouse.com/docs/sql-reference/functions/hash-functions";

/// Most buckets that the functions take.
const MOST: u32 = 32_768;

const HASH: Param = Param::new(
    "hash",
    Type::Choice(&["sipHash64", "cityHash64", "murmurHash3_64", "xxHash64"]),
    Default::Absent,
    "function that turns the key into the argument, an integer key as Int64. Absent: integer keys as \
     they are",
);

/// `jumpConsistentHash`.
pub static JUMP: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "clickhouse_consistent_hash.csv (columns jump_*), jump_edge_guava_vs_reference.csv \
              (column clickhouse_jumpConsistentHash)",
        movement: Movement::Minimal,
        cost: Cost { lookup: "O(log n)", change: "O(partitions)", bytes: "4 · partitions" },
        ..numbered(
            "clickhouse-jump",
            "ClickHouse jump",
            "ClickHouse `jumpConsistentHash`: jump hash of an integer, at most 32768 buckets",
            SOURCE,
            &[PARTITIONS, HASH],
            |build| consistent(build, jump),
        )
    },
    family: "jump",
    version: "ClickHouse 26.9.2.1",
    rule: "the jump hash of Lamping and Veach of the 64 bits of the argument; more than 32768 buckets \
           are an error",
    answer: Answer::Partition,
};

/// `kostikConsistentHash`.
pub static KOSTIK: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "clickhouse_consistent_hash.csv (columns kostik_*)",
        movement: Movement::Minimal,
        ..numbered(
            "clickhouse-kostik",
            "ClickHouse kostik",
            "ClickHouse `kostikConsistentHash`: a consistent numbering in O(1) by K. Oblakov",
            SOURCE,
            &[PARTITIONS, HASH],
            |build| consistent(build, kostik),
        )
    },
    family: "jump",
    version: "ClickHouse 26.9.2.1",
    rule: "a, b, c, d are the 16-bit limbs of the argument, a the lowest; k = bits(n − 1). pow2(K) with \
           C = c mod K: C if C < 2, else 2^y + ((a, or b where C has odd parity) mod 2^y) with y = \
           bits(C) − 1. L = pow2(2^k) if that is below n; else v = s/2^k + 2^(k−1) with s = \
           (((((d << 16−k) | c >> k) << 17−k) | b >> k−1) << 17−k | a >> k−1) mod (L(L + 1)), if v is \
           below n; else pow2(2^(k−1)). More than 32768 buckets are an error",
    answer: Answer::Partition,
};

fn consistent(build: &Build<'_>, bucket: fn(u64, u32) -> u32) -> Result<Box<dyn Placement>, Error> {
    let n = count(build).max(1);
    if n > MOST {
        return Err(Error::invalid(format!("ClickHouse refuses {n} buckets"))
            .help(format!("at most {MOST}"))
            .field("partitions"));
    }
    let columns = [argument(build)?];
    Ok(Box::new(Partitioned::new(build, columns, move |[key]| bucket(key, n))?))
}

/// What the functions are called with.
fn argument(build: &Build<'_>) -> Result<ColumnSpec, Error> {
    let integers = build.keys.is_integer();
    match build.params.text_opt("hash") {
        None => {
            let why = "the functions take integers; name one that gives them in `hash`";
            takes(build, &[KeyKind::I64, KeyKind::U64], why)?;
            column("identity", "whole", 0)
        }
        Some("sipHash64") => column("siphash-2-4", "i64-le", 0),
        Some("cityHash64") if integers => column("clickhouse-int-hash-64", "whole", 0),
        Some("cityHash64") => column("clickhouse-city64", "whole", 0),
        Some("murmurHash3_64") => column("clickhouse-murmur3-64", "i64-le", 0),
        Some(_) => column("xxh64", "i64-le", 0),
    }
}

/// The bucket of a key among `n`, which must not be 0 nor above 32768.
#[inline]
fn kostik(key: u64, n: u32) -> u32 {
    if n == 1 {
        return 0;
    }
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| u64::from((key >> shift) as u16));
    let k = 32 - (n - 1).leading_zeros();
    let pow2 = |buckets: u32| {
        let low = c as u32 & (buckets - 1);
        if low < 2 {
            return low;
        }
        let half = 1 << (31 - low.leading_zeros());
        let bits = if low.count_ones().is_multiple_of(2) { a } else { b };
        half + (bits as u32 & (half - 1))
    };
    let large = pow2(1 << k);
    if large < n {
        return large;
    }
    let mixed = (d << (16 - k)) | (c >> k);
    let mixed = (mixed << (17 - k)) | (b >> (k - 1));
    let mixed = (mixed << (17 - k)) | (a >> (k - 1));
    let (large, mixed) = (u64::from(large), mixed);
    let within = (mixed % (large * (large + 1))) as u32;
    let spread = (within >> k) + (1 << (k - 1));
    if spread < n { spread } else { pow2(1 << (k - 1)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::hash::mix::fmix64;
    use crate::preset::vectors::{Case, Vectors, number};

    #[test]
    fn recorded_buckets() {
        let vectors = Vectors::read("clickhouse_consistent_hash.csv", 244);
        let keys = vectors.keys("key_u64", KeyKind::U64);
        for column in &vectors.columns()[1..] {
            let (function, n) = column.split_once('_').unwrap();
            let preset = &format!("clickhouse-{function}");
            let case = Case { preset, params: &[("partitions", n)], servers: &[] };
            vectors.check(column, &keys, &case, number);
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_buckets_of_crafted_keys() {
        let vectors = Vectors::read("jump_edge_guava_vs_reference.csv", 427);
        let vectors = vectors.given("clickhouse_jumpConsistentHash");
        assert_eq!(vectors.len(), 427 - 54);
        for n in vectors.column("buckets").into_iter().collect::<BTreeSet<_>>() {
            let of = vectors.column("buckets").iter().filter(|cell| **cell == n).count();
            let vectors = vectors.only("buckets", n, of);
            let keys = vectors.keys("key_u64", KeyKind::U64);
            let case =
                Case { preset: "clickhouse-jump", params: &[("partitions", n)], servers: &[] };
            vectors.check("clickhouse_jumpConsistentHash", &keys, &case, number);
        }
    }

    #[test]
    fn more_buckets_than_clickhouse_takes_are_an_error() {
        for (n, taken) in [("32768", true), ("32769", false)] {
            let case =
                Case { preset: "clickhouse-kostik", params: &[("partitions", n)], servers: &[] };
            assert_eq!(case.try_build(KeyKind::I64).is_ok(), taken, "{n}");
        }
    }

    #[test]
    fn kostik_moves_keys_to_the_added_bucket_only() {
        for key in (0..2000).map(fmix64) {
            for n in 1..70 {
                let (before, after) = (kostik(key, n), kostik(key, n + 1));
                assert!(after == before || after == n, "{key:#x} among {n}: {before} → {after}");
            }
        }
    }
}
