//! MongoDB's hashed sharding.
//!
//! # Source
//! MongoDB, `BSONElementHasher::hash64` and its test; the first chunks of an empty collection,
//! <https://www.mongodb.com/docs/manual/core/hashed-sharding/>.
//!
//! # Choices made where the source is silent
//! - Chunks are those of an empty collection, before the balancer splits or moves any; shards have
//!   them in their order, consecutive ones each.

use super::owners::Owners;
use super::partitions::{JAVA_KINDS, Partitioned, column, count, dealt, fits_i64, numbered, takes};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::quota::{self, Layout};
use crate::strategy::{Build, Placement, StrategyInfo};

/// Hashed shard keys.
pub static HASHED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "from_upstream_unit_tests.json (mongodb: integers and strings; not doubles, ObjectIds, booleans, \
              MinKey and MaxKey, which are no keys here)",
        ..dealt(numbered(
            "mongodb-hashed",
            "MongoDB hashed",
            "MongoDB hashed shard key: MD5 of the typed value, in chunks that split the 64-bit range evenly",
            "MongoDB, https://www.mongodb.com/docs/manual/core/hashed-sharding/",
            &[CHUNKS],
            hashed,
        ))
    },
    family: "range",
    version: "hash64 of MongoDB's own test hasher_test.cpp",
    rule: "h = the first 8 bytes, low byte first, signed, of md5(seed 0 as 4 bytes ‖ type as 4 bytes ‖ value): \
           integers have type 10 and are 8 bytes, low byte first; texts have type 15 and are length + 1 as 4 \
           bytes, UTF-8, NUL. Of n chunks the inner bounds lie ⌊(2^63 − 1)/n⌋ · 2 apart around 0, a bound \
           belongs to the chunk above it. Integers beyond i64 are refused",
    answer: Answer::Partition,
};

const CHUNKS: Param = Param::new(
    "partitions",
    Type::Int { min: 1, max: 1_000_000 },
    Default::Absent,
    "number of first chunks, consecutive ones to a node; a change moves the fewest. Absent: as many as \
     there are nodes at first",
);

fn hashed(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    takes(build, JAVA_KINDS, "only integers and texts were recorded; give UUIDs as text")?;
    let chunks = count(build);
    let owners = match chunks {
        // Says that the number is not given.
        0 => Owners::nodes(build, "partitions")?,
        _ => Owners::table(build, chunks, |c| quota::allot(chunks, c, Layout::Contiguous))?,
    };
    let columns = [column("mongodb-hashed", "mongodb", 0)?];
    let bounds = bounds(chunks);
    let number =
        move |[digest]: [u64; 1]| bounds.partition_point(|&bound| bound <= digest as i64) as u32;
    Ok(Box::new(Partitioned::with(owners, columns, number).accepting_integers(fits_i64)))
}

/// The bounds between chunks, from the lowest.
fn bounds(chunks: u32) -> Vec<i64> {
    let apart = (i64::MAX / i64::from(chunks.max(2))) * 2;
    let first = if chunks.is_multiple_of(2) { apart } else { apart / 2 };
    let inner = i64::from(chunks.saturating_sub(1) / 2);
    let upper = (0..inner).map(|i| first + i * apart);
    let lower = (0..inner).rev().map(|i| -(first + i * apart));
    lower.chain(chunks.is_multiple_of(2).then_some(0)).chain(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::bounds;
    use crate::keys::{Key, KeyBatch, KeyKind};
    use crate::preset::vectors::{Case, Vectors};

    #[test]
    fn hashes_of_mongodbs_own_test() {
        let json = &Vectors::json("from_upstream_unit_tests.json")["mongodb"];
        let params = &[("partitions", "4")];
        let case = Case { preset: "mongodb-hashed", params, servers: &[] };
        let check = |kind, key: Key<'_>, want: &serde_json::Value| {
            let placement = case.build(kind);
            let batch = KeyBatch::single(&key, placement.columns());
            let digest = batch.digests(&placement.columns()[0])[0] as i64;
            assert_eq!(digest, want.as_i64().unwrap(), "{key}");
        };
        let numbers = json["int/long/double(truncated)"].as_object().unwrap();
        let mut integers = 0;
        for (text, want) in numbers {
            // Doubles are truncated by MongoDB; here no key is one.
            if let Ok(integer) = text.parse() {
                check(KeyKind::I64, Key::I64(integer), want);
                integers += 1;
            }
        }
        assert_eq!(integers, 8);
        let strings = json["string"].as_object().unwrap();
        assert_eq!(strings.len(), 2);
        strings.iter().for_each(|(text, want)| check(KeyKind::Text, Key::Text(text), want));
    }

    #[test]
    fn chunks_split_the_range_evenly() {
        assert!(bounds(1).is_empty());
        assert_eq!(bounds(2), [0]);
        assert_eq!(bounds(3), [-3_074_457_345_618_258_602, 3_074_457_345_618_258_602]);
        // As the manual shows for two shards of two chunks each.
        assert_eq!(bounds(4), [-4_611_686_018_427_387_902, 0, 4_611_686_018_427_387_902]);
        for chunks in 1..200 {
            let bounds = bounds(chunks);
            assert_eq!(bounds.len() as u32, chunks - 1);
            assert!(bounds.is_sorted());
        }
    }
}
