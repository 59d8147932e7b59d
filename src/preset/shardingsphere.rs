//! ShardingSphere's `HASH_MOD`.
//!
//! # Source
//! Apache ShardingSphere 5, `HashModShardingAlgorithm`,
//! <https://shardingsphere.apache.org/document/current/en/user-manual/common-config/builtin-algorithm/sharding/#hash-modulo-sharding-algorithm>.

use super::java::by_hash_code;
use super::partitions::{JAVA_INTEGER, NONE, PARTITIONS, count, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Placement, StrategyInfo};

/// `HASH_MOD`.
pub static HASH_MOD: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "java_hashcode_string.csv (hashCode, long_Math_abs_*, int_Math_abs_*; the other columns are \
              reductions of other programs and the spread of hash tables), java_hashcode_long_int.csv (not \
              BigInteger)",
        ..numbered(
            "shardingsphere-hash-mod",
            "ShardingSphere HASH_MOD",
            "ShardingSphere `HASH_MOD`: absolute value of Java's hash code mod sharding count",
            "Apache ShardingSphere 5, https://shardingsphere.apache.org/document/current/en/user-manual/common-config/builtin-algorithm/sharding/#hash-modulo-sharding-algorithm",
            &[PARTITIONS, JAVA_INTEGER, ABS],
            hash_mod,
        )
    },
    family: "modulo",
    version: "rule of ShardingSphere 5, hash codes and absolute values of JDK 17",
    rule: "Math.abs((long) value.hashCode()) % count, never negative. With `abs` = int, as in hand-written \
           copies, Math.abs of the hash code −2^31 stays −2^31, and its remainder, unless it is 0, names \
           no shard: the key is misrouted",
    answer: Answer::Partition,
};

const ABS: Param = Param::new(
    "abs",
    Type::Choice(&["long", "int"]),
    Default::Text("long"),
    "type whose Math.abs is called: `long` as ShardingSphere 5 does, `int` as hand-written copies do",
);

fn hash_mod(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let shards = count(build).max(1);
    if build.params.text("abs") == "long" {
        return by_hash_code(build, move |h| h.unsigned_abs() % shards);
    }
    by_hash_code(build, move |h| {
        // A remainder has the sign of the dividend.
        let rest = i64::from(h.wrapping_abs()) % i64::from(shards);
        u32::try_from(rest).unwrap_or(NONE)
    })
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Vectors, number, signed};

    const PRESET: &str = "shardingsphere-hash-mod";

    #[test]
    fn recorded_shards_of_texts() {
        let vectors = Vectors::read("java_hashcode_string.csv", 196);
        let keys = vectors.keys("key", KeyKind::Text);
        let mut misrouted = 0;
        for column in vectors.columns() {
            let (abs, shards) = match column.split_once("_Math_abs_mod_") {
                Some((abs, shards)) => (abs, shards),
                None => continue,
            };
            let params = &[("partitions", shards), ("abs", abs)];
            // A negative shard is none.
            let wants = vectors.column(column);
            let mut wants = wants.iter();
            let got = vectors.place(&keys, &Case { preset: PRESET, params, servers: &[] });
            for slot in got {
                let want = wants.next().unwrap();
                if want.starts_with('-') {
                    assert_eq!(number(slot), "Slot(4294967295)", "{column}");
                    misrouted += 1;
                } else {
                    assert_eq!(number(slot), *want, "{column}");
                }
            }
        }
        // Two texts of hash code −2^31, remainder −8 by 10 and 0 by 8.
        assert_eq!(
            misrouted,
            vectors.column("hashCode").iter().filter(|h| **h == "-2147483648").count()
        );
        assert!(misrouted > 0);
        let case = Case { preset: PRESET, params: &[("partitions", "8")], servers: &[] };
        vectors.check_digests("hashCode", &keys, &case, signed);
        vectors.finish(&[
            "HashMap_spread",
            "plain_pct_10",
            "abs_of_pct_10",
            "floorMod_8",
            "floorMod_10",
            "mask7fffffff_mod_8",
            "mask7fffffff_mod_10",
        ]);
    }

    #[test]
    fn recorded_hash_codes_of_numbers() {
        let all = Vectors::read("java_hashcode_long_int.csv", 236);
        let keys = all.keys("value", KeyKind::I64);
        let case = Case { preset: PRESET, params: &[("partitions", "8")], servers: &[] };
        all.check_digests("Long_hashCode", &keys, &case, signed);
        let texts = all.keys("value", KeyKind::Text);
        all.check_digests("String_valueOf_hashCode", &texts, &case, signed);
        all.finish(&["Integer_hashCode_or_empty", "BigInteger_hashCode"]);
        let ints = all.given("Integer_hashCode_or_empty");
        let keys = ints.keys("value", KeyKind::I64);
        let params = &[("partitions", "8"), ("type", "int")];
        let case = Case { preset: PRESET, params, servers: &[] };
        ints.check_digests("Integer_hashCode_or_empty", &keys, &case, signed);
    }
}
