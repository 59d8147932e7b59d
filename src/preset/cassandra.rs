//! Cassandra's partitioners.
//!
//! # Source
//! PyPI cassandra-driver 3.30.1, `Murmur3Token`, `MD5Token`,
//! <https://cassandra.apache.org/doc/stable/cassandra/architecture/dynamo.html>; tokens of nodes as the
//! documentation computes `initial_token`.
//!
//! # Choices made where the source is silent
//! - One token a node, and no replicas: who owns the range is asked for.
//! - The server refuses an empty partition key, although the driver has a token for it.

use super::owners::Owners;
use super::partitions::{INTEGER_TYPE, Partitioned, column, fitting, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Cost, History, Placement, StrategyInfo};

/// Token ranges of equal size.
pub static CASSANDRA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "cassandra_tokens.csv, cassandra_typed_tokens.csv (tokens; which node has a token is not recorded)",
        history: History::Free,
        cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
        ..numbered(
            "cassandra",
            "Cassandra",
            "Cassandra's Murmur3Partitioner or RandomPartitioner: a key's token, nodes at even tokens",
            "cassandra-driver 3.30.1, https://cassandra.apache.org/doc/stable/cassandra/architecture/dynamo.html",
            &[PARTITIONER, INTEGER_TYPE],
            cassandra,
        )
    },
    family: "ring",
    version: "cassandra-driver 3.30.1",
    rule: "token = h1 of murmur3-x64-128 with seed 0 and its last bytes sign-extended, signed (−2^63 becomes \
           2^63 − 1), or |md5 as a signed number of 128 bits|, high byte first. Texts are UTF-8, integers 8 or \
           4 bytes, high byte first, UUIDs 16 bytes; a composite key is given as bytes: for each part its length as 2 bytes, \
           high byte first, the part, 0. Node i of n has the token i · ⌊2^64/n⌋ − 2^63, or i · ⌊2^127/n⌋; a key lives on \
           the first node whose token is at or after its own, going round. An empty key is refused",
    answer: Answer::Server,
};

const PARTITIONER: Param = Param::new(
    "partitioner",
    Type::Choice(&["murmur3", "random"]),
    Default::Text("murmur3"),
    "`murmur3` for Murmur3Partitioner, `random` for RandomPartitioner",
);

fn cassandra(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let nodes = build.cluster.nodes.len() as u32;
    if nodes == 0 {
        return Err(Error::invalid("the cluster has no nodes").help("give at least one node"));
    }
    let view = match (build.keys, build.params.text("type")) {
        (KeyKind::I64 | KeyKind::U64, "int") => "i32-be",
        (KeyKind::I64 | KeyKind::U64, _) => "i64-be",
        (KeyKind::Uuid, _) => "uuid-bytes",
        (KeyKind::Text | KeyKind::Bytes, _) => "whole",
    };
    let (owners, fits) = (Owners::nodes(build, "nodes")?, fitting(build));
    let not_empty = |text: &[u8]| !text.is_empty();
    if build.params.text("partitioner") == "murmur3" {
        let apart = (1u128 << 64) / u128::from(nodes);
        let number = move |[digest]: [u64; 1]| {
            let token = murmur3_token(digest);
            successor(token.wrapping_sub(i64::MIN) as u64 as u128, apart, nodes)
        };
        let columns = [column("cassandra-murmur3", view, 0)?];
        let placement = Partitioned::with(owners, columns, number);
        return Ok(Box::new(placement.accepting(not_empty).accepting_integers(fits)));
    }
    let apart = (1u128 << 127) / u128::from(nodes);
    let number = move |halves: [u64; 2]| successor(random_token(halves), apart, nodes);
    let high = column("md5", view, 0)?;
    let columns = [high.clone(), high.low()];
    let placement = Partitioned::with(owners, columns, number);
    Ok(Box::new(placement.accepting(not_empty).accepting_integers(fits)))
}

/// The server's token of Murmur3Partitioner.
#[inline]
fn murmur3_token(digest: u64) -> i64 {
    match digest as i64 {
        i64::MIN => i64::MAX,
        token => token,
    }
}

/// The token of RandomPartitioner, from 0 to 2^127.
#[inline]
fn random_token([high, low]: [u64; 2]) -> u128 {
    (u128::from(high) << 64 | u128::from(low)).cast_signed().unsigned_abs()
}

/// The first of `nodes` tokens, `apart` from 0 on, that is at or after `token`, going round.
#[inline]
fn successor(token: u128, apart: u128, nodes: u32) -> u32 {
    let at = token.div_ceil(apart);
    if at < u128::from(nodes) { at as u32 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::keys::{Digester, Key, KeyBatch};
    use crate::preset::vectors::{Case, Vectors};
    use crate::strategy::{Slot, place_one};

    /// The digests of the columns of a preset with these parameters.
    fn digests(keys: &KeyBatch, params: &[(&str, &str)]) -> Vec<Vec<u64>> {
        let cluster = Cluster::numbered(1, "n{i}");
        let placement =
            Case { preset: "cassandra", params, servers: &cluster.nodes }.build(keys.kind());
        let mut keys = keys.clone();
        Digester::new(placement.columns()).compute(&mut keys);
        placement.columns().iter().map(|column| keys.digests(column).to_vec()).collect()
    }

    #[test]
    fn recorded_tokens() {
        let vectors = Vectors::read("cassandra_tokens.csv", 305);
        let keys = vectors.keys("partition_key_hex", KeyKind::Bytes);
        let tokens = digests(&keys, &[]);
        let want = vectors.column("murmur3partitioner_token_i64");
        for (row, (digest, want)) in tokens[0].iter().zip(want).enumerate() {
            assert_eq!((*digest as i64).to_string(), want, "{}", keys.key(row));
        }
        let halves = digests(&keys, &[("partitioner", "random")]);
        for (row, want) in vectors.column("randompartitioner_md5_token").iter().enumerate() {
            let token = random_token([halves[0][row], halves[1][row]]);
            assert_eq!(token.to_string(), *want, "{}", keys.key(row));
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_tokens_of_typed_keys() {
        let all = Vectors::read("cassandra_typed_tokens.csv", 422);
        for (cql, kind, rows) in [
            ("int", Some(KeyKind::I64), 125),
            ("bigint", Some(KeyKind::I64), 254),
            ("uuid", Some(KeyKind::Uuid), 14),
            // As their bytes only.
            ("composite", None, 29),
        ] {
            let vectors = all.only("cql_type", cql, rows);
            let bytes = vectors.keys("serialized_partition_key_hex", KeyKind::Bytes);
            let want = vectors.column("murmur3_token");
            let check = |keys: &KeyBatch, params: &[(&str, &str)]| {
                for (row, digest) in digests(keys, params)[0].iter().enumerate() {
                    assert_eq!((*digest as i64).to_string(), want[row], "{cql} {}", keys.key(row));
                }
            };
            check(&bytes, &[]);
            match kind {
                Some(kind) => {
                    let params: &[(&str, &str)] =
                        if cql == "int" { &[("type", "int")] } else { &[] };
                    check(&vectors.keys("value", kind), params);
                    vectors.finish(&[]);
                }
                None => vectors.finish(&["value"]),
            }
        }
    }

    #[test]
    fn ranges_end_at_the_tokens_of_their_nodes() {
        // Documented: 4 nodes are at −2^63, −2^62, 0, 2^62; a range includes its end.
        let apart = 1 << 62;
        let node = |token: i64| successor(token.wrapping_sub(i64::MIN) as u64 as u128, apart, 4);
        assert_eq!([node(i64::MIN), node(i64::MIN + 1), node(-(1 << 62))], [0, 1, 1]);
        assert_eq!([node(-1), node(0), node(1), node(1 << 62)], [2, 2, 3, 3]);
        assert_eq!([node((1 << 62) + 1), node(i64::MAX)], [0, 0]);
        assert_eq!(murmur3_token(1 << 63), i64::MAX);
        assert_eq!(random_token([1 << 63, 0]), 1 << 127);
    }

    #[test]
    fn empty_keys_and_integers_that_do_not_fit_are_refused() {
        let cluster = Cluster::numbered(3, "n{i}");
        let params = &[("type", "int")];
        let case = Case { preset: "cassandra", params, servers: &cluster.nodes };
        let place = |key: Key<'_>, kind| place_one(case.build(kind).as_ref(), &key);
        assert_eq!(place(Key::Text(""), KeyKind::Text), Slot::REFUSED);
        assert_eq!(place(Key::I64(1 << 31), KeyKind::I64), Slot::REFUSED);
        assert_ne!(place(Key::I64(-1 << 31), KeyKind::I64), Slot::REFUSED);
    }
}
