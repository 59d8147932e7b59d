//! librdkafka's partitioners.
//!
//! # Source
//! librdkafka 2.0.2, `partitioner`, <https://docs.confluent.io/platform/current/clients/librdkafka/html/md_CONFIGURATION.html>.
//!
//! # Choices made where the source is silent
//! - The library takes bytes; integers and UUIDs are their texts.

use super::partitions::{PARTITIONS, Partitioned, column, count, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Placement, StrategyInfo};

const SOURCE: &str = "librdkafka 2.0.2, https://docs.confluent.io/platform/current/clients/librdkafka/html/md_CONFIGURATION.html";

/// `consistent`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "librdkafka_partitioners.csv (columns consistent_crc32_*)",
        ..numbered(
            "librdkafka-consistent",
            "librdkafka consistent",
            "librdkafka's `consistent`, with `_random` its default: CRC-32 mod partitions",
            SOURCE,
            &[PARTITIONS, RANDOM],
            consistent,
        )
    },
    family: "modulo",
    version: "librdkafka 2.0.2",
    rule: "crc32(key) mod partitions, unsigned. consistent_random (`random`) sends messages without a \
           key or with an empty one anywhere: an empty key is then refused here",
    answer: Answer::Partition,
};

/// `murmur2`.
pub static MURMUR2: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "librdkafka_partitioners.csv (columns murmur2_*)",
        ..numbered(
            "librdkafka-murmur2",
            "librdkafka murmur2",
            "librdkafka's `murmur2` and `murmur2_random`: what Kafka's Java producer does with a key",
            SOURCE,
            &[PARTITIONS],
            murmur2,
        )
    },
    family: "modulo",
    version: "librdkafka 2.0.2",
    rule: "(murmur2(key, seed 9747b28c) & 7fffffff) mod partitions; an empty key is hashed like any \
           other, and murmur2_random differs for messages without a key only",
    answer: Answer::Partition,
};

/// `fnv1a`.
pub static FNV1A: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "librdkafka_partitioners.csv (columns fnv1a_*)",
        ..numbered(
            "librdkafka-fnv1a",
            "librdkafka fnv1a",
            "librdkafka's `fnv1a` and `fnv1a_random`, after Sarama: absolute value of FNV-1a mod partitions",
            SOURCE,
            &[PARTITIONS],
            fnv1a,
        )
    },
    family: "modulo",
    version: "librdkafka 2.0.2",
    rule: "|fnv1a-32(key) as i32| mod partitions, where −2^31 becomes 2^31; an empty key is hashed like \
           any other, and fnv1a_random differs for messages without a key only",
    answer: Answer::Partition,
};

const RANDOM: Param = Param::new(
    "random",
    Type::Bool,
    Default::Bool(false),
    "`consistent_random`, the library's default: an empty key has no partition of its own and is refused",
);

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let columns = [column("crc32", "whole", 0)?];
    let partitions = count(build).max(1);
    let placement = Partitioned::new(build, columns, move |[digest]| digest as u32 % partitions)?;
    Ok(Box::new(match build.params.bool("random") {
        true => placement.accepting(|text| !text.is_empty()),
        false => placement,
    }))
}

fn murmur2(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let columns = [column("kafka-murmur2", "whole", 0)?];
    let partitions = count(build).max(1);
    let number = move |[digest]: [u64; 1]| (digest as u32 & 0x7fff_ffff) % partitions;
    Ok(Box::new(Partitioned::new(build, columns, number)?))
}

fn fnv1a(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let columns = [column("fnv1a-32", "whole", 0)?];
    let partitions = count(build).max(1);
    let number = move |[digest]: [u64; 1]| (digest as u32 as i32).unsigned_abs() % partitions;
    Ok(Box::new(Partitioned::new(build, columns, number)?))
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number};
    use crate::strategy::{Slot, place_one};

    #[test]
    fn recorded_partitions() {
        let vectors = Vectors::read("librdkafka_partitioners.csv", 303);
        let keys = vectors.keys("key_hex", KeyKind::Bytes);
        for column in &vectors.columns()[1..] {
            let (partitioner, partitions) = column.rsplit_once('_').unwrap();
            let preset = match partitioner {
                "consistent_crc32" => "librdkafka-consistent",
                "murmur2" => "librdkafka-murmur2",
                "fnv1a" => "librdkafka-fnv1a",
                other => panic!("{other}"),
            };
            let params = &[("partitions", partitions)];
            vectors.check(column, &keys, &Case { preset, params, servers: &[] }, number);
        }
        vectors.finish(&[]);
    }

    #[test]
    fn consistent_random_has_no_partition_for_an_empty_key() {
        for (random, slot) in [("true", Slot::REFUSED), ("false", Slot(0))] {
            let params = &[("partitions", "8"), ("random", random)];
            let case = Case { preset: "librdkafka-consistent", params, servers: &[] };
            assert_eq!(place_one(case.build(KeyKind::Text).as_ref(), &Key::Text("")), slot);
        }
    }
}
