//! groupcache's consistent hash, in Go.
//!
//! # Source
//! golang/groupcache, `consistenthash/consistenthash.go` and `http.go` (50 replicas, CRC-32),
//! <https://github.com/golang/groupcache>.

use super::facts::{EQUAL_RING, RING_COST};
use super::points::{PointRing, Successor, check_points};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash::{self, Half};
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Cost, History, Movement, Order, Placement, StrategyInfo};

/// groupcache.
pub static GROUPCACHE: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "groupcache_consistenthash.csv",
        name: "groupcache",
        title: "groupcache",
        summary: "Go's groupcache: a ring of 50 CRC-32 points a peer, numbers before names",
        source: "golang/groupcache, consistenthash/consistenthash.go, https://github.com/golang/groupcache",
        caps: EQUAL_RING,
        movement: Movement::Minimal,
        history: History::Free,
        order: Order::Free,
        params: &[Param::new(
            "point-count",
            Type::Int { min: 1, max: 100_000 },
            Default::Int(50),
            "HTTPPoolOptions.Replicas: points of a peer",
        )],
        cost: Cost { change: "O(50 n)", ..RING_COST },
        build: groupcache,
    },
    family: "ring",
    version: "golang/groupcache (Debian golang-github-golang-groupcache)",
    rule: "per peer the points crc32(i ‖ name), i in decimal from 0, the name as the peers are given, such \
           as http://10.0.0.3:8000; of equal points the later peer's stays; a key's crc32 belongs to the \
           first point at or after it",
    answer: Answer::Server,
};

fn groupcache(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let count = build.params.int("point-count");
    check_points(build.cluster.nodes.len() as f64 * count as f64)?;
    let column = ColumnSpec::whole(hash::find("crc32")?);
    let hash = (column.hasher.build)(0, Half::High);
    // The later of equal points wins: a map is overwritten.
    let points = build.cluster.nodes.iter().rev().map(|node| {
        let points = (0..count).map(|i| hash.hash(format!("{i}{}", node.name).as_bytes()));
        (node.id.into(), points.collect())
    });
    Ok(Box::new(PointRing::new(build, column, Successor::AtOrAfter, points)?))
}

#[cfg(test)]
mod tests {
    use crate::cluster::Node;
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("groupcache_consistenthash.csv", 194);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("hashring_libs_server_lists.json");
        for column in vectors.columns() {
            let Some(list) = column.strip_suffix(" replicas50 crc32") else { continue };
            let url = |node: &Node| {
                let url = format!("http://{}:8000", node.host.as_deref().unwrap());
                Node::named(node.id.0, &url)
            };
            let servers: Vec<Node> = lists.get(list).iter().map(url).collect();
            let case = Case { preset: "groupcache", params: &[], servers: &servers };
            let name = |slot: crate::strategy::Slot| servers[slot.0 as usize].name.to_string();
            vectors.check(column, &keys, &case, name);
        }
        // Digests of Go's hash/fnv, which groupcache does not use.
        let others = ["fnv1_64 (hash/fnv New64)", "fnv1a_64 (New64a)", "fnv1a_32 (New32a)"];
        vectors.finish(&others);
    }
}
