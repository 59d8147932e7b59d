//! Kafka's default partitioner.
//!
//! # Source
//! Apache Kafka, `BuiltInPartitioner.partitionForKey`; recorded from kafka-python 3.0.12,
//! `DefaultPartitioner`, <https://kafka.apache.org/documentation/#producerconfigs_partitioner.class>.

use super::partitions::{PARTITIONS, Partitioned, column, count, fits_i32, fits_i64, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Placement, StrategyInfo};

/// The default partitioner.
pub static KAFKA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "kafka_default_partitioner.csv",
        ..numbered(
            "kafka",
            "Kafka",
            "Kafka's default partitioner for records with a key: MurmurHash2, low 31 bits, mod partitions",
            "kafka-python 3.0.12, https://kafka.apache.org/documentation/#producerconfigs_partitioner.class",
            &[PARTITIONS, SERIALIZER],
            kafka,
        )
    },
    family: "modulo",
    version: "kafka-python 3.0.12, as kafkajs 2.2.4 and librdkafka 2.0.2",
    rule: "(murmur2(key, seed 9747b28c) & 7fffffff) mod partitions. An empty key is hashed like any \
           other (275646681); a record without a key, which is not the same, sticks to a partition for \
           a batch, whichever it is, and cannot be placed",
    answer: Answer::Partition,
};

const SERIALIZER: Param = Param::new(
    "serializer",
    Type::Choice(&["long", "integer", "string"]),
    Default::Text("long"),
    "how integer keys become bytes: Kafka's LongSerializer (8 bytes, high byte first), \
     IntegerSerializer (4 bytes; what does not fit is refused) or StringSerializer (decimal text)",
);

fn kafka(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let (view, fits): (_, fn(i128) -> bool) = match build.params.text("serializer") {
        "long" => ("i64-be", fits_i64),
        "integer" => ("i32-be", fits_i32),
        _ => ("whole", |_| true),
    };
    let columns = [column("kafka-murmur2", view, 0)?];
    let partitions = count(build).max(1);
    let number = move |[digest]: [u64; 1]| (digest as u32 & 0x7fff_ffff) % partitions;
    Ok(Box::new(Partitioned::new(build, columns, number)?.accepting_integers(fits)))
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number, signed};
    use crate::strategy::{Slot, place_one};

    #[test]
    fn recorded_partitions() {
        let vectors = Vectors::read("kafka_default_partitioner.csv", 303);
        let keys = vectors.keys("key_hex", KeyKind::Bytes);
        for column in &vectors.columns()[3..] {
            let params = &[("partitions", column.strip_prefix("partitions_").unwrap())];
            vectors.check(column, &keys, &Case { preset: "kafka", params, servers: &[] }, number);
        }
        let case = Case { preset: "kafka", params: &[("partitions", "3")], servers: &[] };
        vectors.check_digests("murmur2_u32", &keys, &case, |digest| digest.to_string());
        vectors.check_digests("murmur2_i32", &keys, &case, signed);
        vectors.finish(&[]);
    }

    #[test]
    fn integers_go_through_the_serializer() {
        let place = |serializer, key: Key<'_>, kind| {
            let params = &[("partitions", "1000000007"), ("serializer", serializer)];
            let case = Case { preset: "kafka", params, servers: &[] };
            place_one(case.build(kind).as_ref(), &key)
        };
        let bytes = |bytes: &[u8]| place("long", Key::Bytes(bytes), KeyKind::Bytes);
        let int = |serializer, key| place(serializer, Key::I64(key), KeyKind::I64);
        assert_eq!(int("long", -2), bytes(&(-2i64).to_be_bytes()));
        assert_eq!(int("integer", -2), bytes(&(-2i32).to_be_bytes()));
        assert_eq!(int("string", -2), bytes(b"-2"));
        assert_eq!(int("integer", 1 << 31), Slot::REFUSED);
    }
}
