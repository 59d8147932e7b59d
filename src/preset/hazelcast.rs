//! Hazelcast's partitions.
//!
//! # Source
//! hazelcast-python-client 5.7.0, serializer and `hash_to_index`,
//! <https://docs.hazelcast.com/hazelcast/latest/architecture/data-partitioning>.
//!
//! # Choices made where the source is silent
//! - Which member has a partition is decided by the cluster; here they are dealt out in turn.

use super::partitions::{Partitioned, column, count, dealt, fits_i32, numbered, takes, usually};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::strategy::{Build, Placement, StrategyInfo};

/// Hazelcast's own seed of Murmur3.
const SEED: u64 = 0x0100_0193;

/// Hazelcast.
pub static HAZELCAST: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "hazelcast_partition.csv",
        ..dealt(numbered(
            "hazelcast",
            "Hazelcast",
            "Hazelcast: Murmur3 of the serialized key into 271 partitions",
            "hazelcast-python-client 5.7.0, https://docs.hazelcast.com/hazelcast/latest/architecture/data-partitioning",
            &[usually(271, i32::MAX as i64)],
            hazelcast,
        ))
    },
    family: "bucket-table",
    version: "hazelcast-python-client 5.7.0",
    rule: "h = murmur3-32 with seed 01000193 of the serialized key without its header, signed: a text as \
           its length in bytes (4 bytes, high byte first) and its UTF-8, an integer as 4 bytes, high byte \
           first; |h| mod partitions, and 0 for −2^31. Integers beyond 32 bits are refused: the client's \
           default type is int",
    answer: Answer::Partition,
};

fn hazelcast(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let why = "only texts and 32-bit integers were recorded; give others as text";
    takes(build, &[KeyKind::Text, KeyKind::I64, KeyKind::U64], why)?;
    let view = if build.keys.is_integer() { "i32-be" } else { "length-prefixed" };
    let columns = [column("murmur3-32", view, SEED)?];
    let partitions = count(build).max(1);
    let number = move |[digest]: [u64; 1]| match digest as u32 as i32 {
        i32::MIN => 0,
        h => h.unsigned_abs() % partitions,
    };
    Ok(Box::new(Partitioned::new(build, columns, number)?.accepting_integers(fits_i32)))
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number, signed};
    use crate::strategy::{Slot, place_one};

    const CASE: Case<'_> = Case { preset: "hazelcast", params: &[], servers: &[] };

    #[test]
    fn recorded_partitions() {
        let all = Vectors::read("hazelcast_partition.csv", 297);
        for (kind, of, rows) in [("string", KeyKind::Text, 181), ("int", KeyKind::I64, 116)] {
            let vectors = all.only("type", kind, rows);
            let keys = vectors.keys("key", of);
            vectors.check_digests("partition_hash_i32", &keys, &CASE, signed);
            vectors.check("partition_id_of_271", &keys, &CASE, number);
            vectors.finish(&[]);
        }
    }

    #[test]
    fn integers_beyond_32_bits_are_refused() {
        let placement = CASE.build(KeyKind::I64);
        assert_ne!(place_one(placement.as_ref(), &Key::I64(i32::MIN.into())), Slot::REFUSED);
        assert_eq!(place_one(placement.as_ref(), &Key::I64(1 << 31)), Slot::REFUSED);
    }
}
