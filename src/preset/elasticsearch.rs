//! Elasticsearch and OpenSearch: document routing.
//!
//! # Source
//! Elasticsearch, `_routing` field, <https://www.elastic.co/guide/en/elasticsearch/reference/current/mapping-routing-field.html>;
//! hash of Lucene 8.7.0, shards of the upstream test `IndexRoutingTests.testBWC`.
//!
//! # Choices made where the source is silent
//! - Integers and UUIDs are their texts: a routing value is a string.

use super::partitions::{Partitioned, column, count, floor_mod, numbered, takes};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Placement, StrategyInfo};

/// Most shards of an index (`index.max_number_of_shards`).
const MOST: u32 = 1024;

/// Document routing.
pub static ROUTING: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "elasticsearch_routing_lucene_murmur3.csv, from_upstream_unit_tests.json (testBWC_8_shards, \
              murmur3_function_u32; not the partitioned indices, whose keys are two values)",
        ..numbered(
            "elasticsearch",
            "Elasticsearch",
            "Elasticsearch and OpenSearch: Murmur3 of the routing value in UTF-16, over routing shards, to a primary shard",
            "Elasticsearch, https://www.elastic.co/guide/en/elasticsearch/reference/current/mapping-routing-field.html",
            &[SHARDS, ROUTING_SHARDS],
            routing,
        )
    },
    family: "modulo",
    version: "Lucene 8.7.0; Elasticsearch's own tests of routing (7.0 and later)",
    rule: "h = murmur3-32 with seed 0 of the routing value (by default the _id) as UTF-16, low byte first, \
           signed; shard = floorMod(h, R) / (R / shards), integer division. R = index.number_of_routing_shards, \
           which is shards · 2^max(1, 10 − ⌈log2 shards⌉) by default since 7.0. routing_partition_size \
           is not modelled: there a shard depends on two values, routing and _id",
    answer: Answer::Partition,
};

const SHARDS: Param = Param::new(
    "partitions",
    Type::Int { min: 1, max: MOST as i64 },
    Default::Absent,
    "number of primary shards, dealt out to the nodes in turn; a change moves the fewest. Absent: as \
     many as there are nodes, shard i on node i, and a change renumbers them",
);

const ROUTING_SHARDS: Param = Param::new(
    "routing-shards",
    Type::Int { min: 1, max: i32::MAX as i64 },
    Default::Absent,
    "index.number_of_routing_shards, a multiple of the shards. Absent: the default since 7.0, from \
     576 to 2048; give the number of shards for indices made before",
);

fn routing(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    takes(
        build,
        &[KeyKind::Text, KeyKind::I64, KeyKind::U64, KeyKind::Uuid],
        "a routing value is a text",
    )?;
    let shards = count(build).max(1);
    if shards > MOST {
        return Err(Error::invalid(format!("{shards} shards")).help(format!("at most {MOST}")));
    }
    let routing = match build.params.get("routing-shards") {
        Some(_) => build.params.int("routing-shards") as u32,
        None => routing_shards(shards),
    };
    if !routing.is_multiple_of(shards) {
        return Err(Error::invalid(format!("{routing} routing shards for {shards} shards"))
            .help("a multiple of the number of shards")
            .field("routing-shards"));
    }
    let factor = routing / shards;
    let columns = [column("murmur3-32", "utf16le", 0)?];
    let number = move |[digest]: [u64; 1]| floor_mod(digest as u32 as i32, routing) / factor;
    Ok(Box::new(Partitioned::new(build, columns, number)?))
}

/// The default of `index.number_of_routing_shards` since 7.0.
fn routing_shards(shards: u32) -> u32 {
    let log2 = shards.next_power_of_two().trailing_zeros();
    shards << 10u32.saturating_sub(log2).max(1)
}

#[cfg(test)]
mod tests {
    use super::routing_shards;
    use crate::keys::{Key, KeyBatch, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number, place, signed};

    #[test]
    fn recorded_shards_of_indices_without_spare_routing_shards() {
        let vectors = Vectors::read("elasticsearch_routing_lucene_murmur3.csv", 206);
        let keys = vectors.keys("routing", KeyKind::Text);
        for column in &vectors.columns()[2..] {
            let shards = column.strip_prefix("shards_").unwrap();
            let params = &[("partitions", shards), ("routing-shards", shards)];
            let case = Case { preset: "elasticsearch", params, servers: &[] };
            vectors.check(column, &keys, &case, number);
        }
        let case = Case { preset: "elasticsearch", params: &[("partitions", "1")], servers: &[] };
        vectors.check_digests("lucene_murmur3_x86_32_utf16le_seed0", &keys, &case, signed);
        vectors.finish(&[]);
    }

    #[test]
    fn shards_and_hashes_of_elasticsearchs_own_tests() {
        let json = &Vectors::json("from_upstream_unit_tests.json")["elasticsearch"];
        let keys = |object: &str| {
            let object = json[object].as_object().unwrap();
            let mut keys = KeyBatch::new(KeyKind::Text);
            object.keys().for_each(|key| keys.push(&Key::Text(key)));
            (keys, object.values().cloned().collect::<Vec<_>>())
        };
        let params = &[("partitions", "8"), ("routing-shards", "8")];
        let case = Case { preset: "elasticsearch", params, servers: &[] };
        let placement = case.build(KeyKind::Text);
        let (batch, shards) = keys("testBWC_8_shards");
        assert_eq!(shards.len(), 99);
        for (slot, shard) in place(placement.as_ref(), &batch).into_iter().zip(shards) {
            assert_eq!(number(slot), shard.to_string());
        }
        let (batch, hashes) = keys("murmur3_function_u32");
        assert_eq!(hashes.len(), 7);
        for (row, hash) in hashes.iter().enumerate() {
            let single = KeyBatch::single(&batch.key(row), placement.columns());
            let digest = single.digests(&placement.columns()[0])[0];
            assert_eq!(format!("{digest:#010x}"), hash.as_str().unwrap());
        }
    }

    #[test]
    fn routing_shards_leave_room_to_split() {
        let cases = [(1, 1024), (2, 1024), (3, 768), (5, 640), (8, 1024), (9, 576), (512, 1024)];
        for (shards, routing) in cases.into_iter().chain([(1024, 2048)]) {
            assert_eq!(routing_shards(shards), routing, "{shards}");
        }
        let params = &[("partitions", "3"), ("routing-shards", "8")];
        let case = Case { preset: "elasticsearch", params, servers: &[] };
        assert!(case.try_build(KeyKind::Text).is_err());
    }
}
