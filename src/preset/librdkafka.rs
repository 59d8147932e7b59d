//! librdkafka's partitioners.
//!
//! # Source
//! librdkafka 2.0.2, `partitioner`, <https://docs.confluent.io/platform/current/clients/librdkafka/html/md_CONFIGURATION.html>.

use super::partitions::{PARTITIONS, Partitioned, count};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash;
use crate::keys::ColumnSpec;
use crate::strategy::{
    Build, Caps, Cost, History, Movement, Order, Placement, StrategyInfo, Weights,
};

/// What all of them can do.
const CAPS: Caps = Caps {
    weights: Weights::Equal,
    replicas: false,
    names: false,
    sessions: false,
    integer_keys: false,
    positional: true,
};

/// `consistent`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        name: "librdkafka-consistent",
        title: "librdkafka consistent",
        summary: "librdkafka's `consistent`, with `_random` its default: CRC-32 mod partitions",
        source: "librdkafka 2.0.2, https://docs.confluent.io/platform/current/clients/librdkafka/html/md_CONFIGURATION.html",
        caps: CAPS,
        movement: Movement::Full,
        history: History::Dependent,
        order: Order::Dependent,
        params: &[PARTITIONS],
        cost: Cost { lookup: "O(1)", change: "O(partitions)", bytes: "4 · partitions" },
        build: consistent,
    },
    family: "modulo",
    version: "librdkafka 2.0.2",
    rule: "crc32(key) mod partitions, unsigned",
    answer: Answer::Partition,
    checked: "librdkafka_partitioners.csv",
};

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let column = ColumnSpec::whole(hash::find("crc32")?);
    let partitions = u64::from(count(build)).max(1);
    let number = move |[digest]: [u64; 1]| (digest % partitions) as u32;
    Ok(Box::new(Partitioned::new(build, [column], number)?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Vectors, number};

    #[test]
    fn recorded_partitions() {
        let vectors = Vectors::read("librdkafka_partitioners.csv", 303);
        let keys = vectors.keys("key_hex", KeyKind::Bytes);
        for partitions in ["3", "8", "12", "100", "2147483647"] {
            let case = Case {
                preset: "librdkafka-consistent",
                params: &[("partitions", partitions)],
                servers: &[],
            };
            vectors.check(&format!("consistent_crc32_{partitions}"), &keys, &case, number);
        }
        let others: Vec<&str> = vectors.columns().iter().map(String::as_str).collect();
        vectors.finish(&others[6..]);
    }
}
