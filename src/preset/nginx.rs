//! nginx: `hash KEY consistent`.
//!
//! # Source
//! nginx 1.22.1, `hash` of the upstream module, <https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash>.
//!
//! # Choices made where the source is silent
//! - Weights are whole numbers, as nginx takes them.
//! - Of equal points of two servers the earlier server in the configuration has it: nginx sorts and
//!   drops later duplicates.

use super::points::{PointRing, Successor, check_points};
use super::{Answer, PresetInfo, address};
use crate::cluster::Node;
use crate::error::Error;
use crate::hash;
use crate::keys::ColumnSpec;
use crate::strategy::{
    Build, Caps, Cost, History, Movement, Order, Placement, StrategyInfo, Weights,
};

/// Points of a server of weight 1 (`ngx_http_upstream_init_chash`).
const POINTS: u64 = 160;

/// `hash KEY consistent`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        name: "nginx-consistent",
        title: "nginx consistent",
        summary: "nginx `hash KEY consistent`: a ring of 160 chained CRC-32 points per weight",
        source: "nginx 1.22.1, https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash",
        caps: Caps {
            weights: Weights::Rounded,
            replicas: false,
            names: true,
            sessions: false,
            integer_keys: false,
            positional: false,
        },
        movement: Movement::Minimal,
        history: History::Free,
        order: Order::Free,
        params: &[],
        cost: Cost { lookup: "O(1)", change: "O(160 Σw)", bytes: "8–16 per point" },
        build: consistent,
    },
    family: "ring",
    version: "nginx 1.22.1",
    rule: "per server 160 × weight points: h = crc32(host ‖ 0x00 ‖ port ‖ previous h as 4 bytes, low \
           byte first), previous 0 at first; a key's crc32 belongs to the first point at or after it",
    answer: Answer::Server,
    checked: "nginx_hash.csv",
};

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let crc32 = hash::find("crc32")?;
    check_points(build.cluster.total_weight() * POINTS as f64)?;
    let hash = (crc32.build)(0, hash::Half::High);
    let points = build.cluster.nodes.iter().map(|node| {
        let mut text = base(node);
        let length = text.len();
        let mut previous = 0;
        let points = (0..POINTS * node.weight as u64).map(|_| {
            text.truncate(length);
            text.extend_from_slice(&(previous as u32).to_le_bytes());
            previous = hash.hash(&text);
            previous
        });
        (node.id.into(), points.collect())
    });
    Ok(Box::new(PointRing::new(build, ColumnSpec::whole(crc32), Successor::AtOrAfter, points)?))
}

/// What the points of a server are hashed from: host, NUL, port; of a Unix socket the path and NUL.
fn base(node: &Node) -> Vec<u8> {
    if let Some(path) = node.name.strip_prefix("unix:") {
        return [path.as_bytes(), b"\0"].concat();
    }
    let (host, port) = address(node);
    let port = port.map_or(String::new(), |port| port.to_string());
    [host.as_bytes(), b"\0", port.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, port};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("nginx_hash.csv", 207);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("nginx_server_lists.json");
        for column in vectors.columns() {
            if let Some(list) =
                column.strip_prefix("consistent|").filter(|l| *l != "n3_name_localhost")
            {
                let servers = lists.get(list);
                let case = Case { preset: "nginx-consistent", params: &[], servers };
                vectors.check(column, &keys, &case, port(servers));
            }
        }
    }
}
