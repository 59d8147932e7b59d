//! hashring, the Node.js library that several memcached and Redis clients use.
//!
//! # Source
//! npm hashring 3.2.0, `index.js`, <https://github.com/3rd-Eden/node-hashring>.

use super::facts::{RING, RING_COST};
use super::ketama::{self, POINTS_PER_DIGEST};
use super::points::{PointRing, Successor, check_points};
use super::servers::{host_port, whole_weights};
use super::{Answer, PresetInfo, address};
use crate::cluster::Node;
use crate::error::Error;
use crate::hash;
use crate::hash::md5::md5;
use crate::hash::sha1::sha1;
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, History, Movement, Order, Placement, StrategyInfo};

/// hashring.
pub static HASHRING: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "npm_hashring.csv",
        name: "npm-hashring",
        title: "npm hashring",
        summary: "Node.js hashring: ketama with 160 MD5 points a server, give or take a rounding",
        source: "npm hashring 3.2.0, https://github.com/3rd-Eden/node-hashring",
        caps: RING,
        movement: Movement::Bounded,
        history: History::Free,
        order: Order::Free,
        params: &[
            Param::new(
                "algorithm",
                Type::Choice(&["md5", "sha1"]),
                Default::Text("md5"),
                "hash of labels and keys",
            ),
            Param::new(
                "compatibility",
                Type::Choice(&["ketama", "hash_ring"]),
                Default::Text("ketama"),
                "`hash_ring` reads 3 points from a digest, as Python's hash_ring does, instead of 4",
            ),
            Param::new(
                "vnode-count",
                Type::Int { min: 1, max: 100_000 },
                Default::Int(40),
                "`vnode count`: digests of a server of average weight",
            ),
            Param::new(
                "default-port",
                Type::Int { min: 0, max: 65_535 },
                Default::Absent,
                "`default port`: a port that is left out of labels; absent: none is",
            ),
        ],
        cost: RING_COST,
        build: hashring,
    },
    family: "ring",
    version: "npm hashring 3.2.0",
    rule: "per server ⌊w / Σw · vnode count · servers⌋ labels host:port-i in 64-bit floating point, i from \
           0, so that 7 equal servers have 39 digests each, not 40; each digest gives four points (4 \
           bytes, low byte first), in compatibility hash_ring three; of equal points the earlier \
           server's comes first; the first 4 bytes of a key's digest belong to the first point at or \
           after them",
    answer: Answer::Server,
};

/// The first 16 bytes of a digest.
type Digest16 = fn(&[u8]) -> [u8; 16];

fn hashring(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let vnodes = build.params.int("vnode-count") as u64;
    let weights = whole_weights(build, 0, u32::MAX)?;
    check_points(weights.len() as f64 * (vnodes * POINTS_PER_DIGEST as u64) as f64)?;
    let (digest, hasher): (Digest16, _) = match build.params.text("algorithm") {
        "sha1" => (|label| *sha1(label).first_chunk().expect("20 bytes"), "sha1-32le"),
        _ => (|label| md5(label).to_be_bytes(), "md5-32le"),
    };
    let per_digest = match build.params.text("compatibility") {
        "hash_ring" => 3,
        _ => POINTS_PER_DIGEST,
    };
    let omitted = build.params.get("default-port").map(|_| build.params.int("default-port"));
    let name = |node: &Node| match address(node) {
        (host, Some(port)) if Some(i64::from(port)) == omitted => host.to_string(),
        _ => host_port(node),
    };
    let total = build.cluster.total_weight();
    let points = build.cluster.nodes.iter().map(|node| {
        let digests = ketama::digests_hashring(node.weight, total, vnodes, weights.len());
        (node.id.into(), ketama::points_by(digest, &name(node), digests, per_digest))
    });
    let column = ColumnSpec::whole(hash::find(hasher)?);
    Ok(Box::new(PointRing::new(build, column, Successor::AtOrAfter, points)?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("npm_hashring.csv", 193);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("hashring_libs_server_lists.json");
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let params: &[(&str, &str)] = match mode {
                "hashring md5 vnode40 rep4" => &[],
                "hashring compat=hash_ring" => &[("compatibility", "hash_ring")],
                "hashring sha1" => &[("algorithm", "sha1")],
                "hashring default port 11211" => &[("default-port", "11211")],
                other => panic!("{other}"),
            };
            let servers = lists.get(list);
            let case = Case { preset: "npm-hashring", params, servers };
            vectors.check(column, &keys, &case, numbers(servers));
        }
        vectors.finish(&[]);
    }
}
