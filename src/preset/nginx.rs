//! nginx: `hash KEY consistent`, `hash KEY`, `ip_hash`.
//!
//! # Source
//! nginx 1.22.1, the upstream module, <https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash>.
//!
//! # Choices made where the source is silent
//! - Of equal points of two servers the earlier server in the configuration has it: nginx sorts and
//!   drops later duplicates.
//! - An empty key is REFUSED: nginx goes round robin without a hash.
//! - All servers are up: what a retry would add to the hash is not modelled.

use std::net::IpAddr;

use super::entries::Entries;
use super::facts::{LIST, LIST_COST};
use super::points::{PointRing, Successor, check_points};
use super::servers::{is_not_empty, whole_weights};
use super::{Answer, PresetInfo, address};
use crate::cluster::Node;
use crate::error::Error;
use crate::hash::function::of_bytes;
use crate::hash::{self, Half, HasherInfo, Input, Seed};
use crate::keys::{ColumnSpec, KeyKind};
use crate::strategy::{
    Build, Caps, Cost, History, Movement, Order, Placement, StrategyInfo, Weights,
};

/// Points of a server of weight 1 (`ngx_http_upstream_init_chash`).
const POINTS: u64 = 160;

/// `hash KEY consistent`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "nginx_hash.csv",
        name: "nginx-consistent",
        title: "nginx consistent",
        summary: "nginx `hash KEY consistent`: a ring of 160 chained CRC-32 points per weight",
        source: "nginx 1.22.1, https://nginx.org/en/docs/http/ngx_http_upstream_module.html#hash",
        caps: Caps { weights: Weights::Rounded, names: true, ..Caps::NONE },
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
};

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "nginx 1.22.1, https://nginx.org/en/docs/http/ngx_http_upstream_module.html",
    caps: LIST,
    movement: Movement::Full,
    history: History::Free,
    order: Order::Dependent,
    params: &[],
    cost: LIST_COST,
    build: plain,
};

/// `hash KEY`.
pub static HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "nginx_hash.csv",
        name: "nginx-hash",
        title: "nginx hash",
        summary: "nginx `hash KEY`: 15 bits of CRC-32 mod total weight",
        cost: Cost { lookup: "O(1)", change: "O(n + 32 768)", bytes: "131 072" },
        ..BASE
    },
    family: "modulo",
    version: "nginx 1.22.1",
    rule: "((crc32(key) >> 16) & 0x7fff) mod the total weight counts through the servers in order, each as \
           long as it weighs. Weights are whole numbers from 1; an empty key goes round robin and is \
           refused here",
    answer: Answer::Server,
};

/// `ip_hash`.
pub static IP_HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "nginx_ip_hash.csv",
        name: "nginx-ip-hash",
        title: "nginx ip_hash",
        summary: "nginx `ip_hash`: a client's /24, or whole IPv6 address, hashed mod total weight",
        cost: Cost { lookup: "O(1)", change: "O(n + 6271)", bytes: "25 084" },
        build: ip_hash,
        ..BASE
    },
    family: "modulo",
    version: "nginx 1.22.1",
    rule: "h = 89, then h = (113 h + byte) mod 6271 for the first three bytes of an IPv4 address, all \
           sixteen of an IPv6 address; h mod the total weight counts through the servers in order, each \
           as long as it weighs. Keys are addresses; others are refused. Weights are whole numbers from 1",
    answer: Answer::Server,
};

/// The hash of `ip_hash` over an address in text form.
static IP_HASHER: HasherInfo = HasherInfo {
    name: "nginx ip_hash",
    summary: "h = (113 h + byte) mod 6271 over an address",
    source: BASE.source,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(hash_address),
};

/// What `ip_hash` divides by, and so the number of its digests.
const IP_DIGESTS: u32 = 6271;

/// The hash of an address; 0 of what is none, which is refused.
fn hash_address(text: &[u8]) -> u64 {
    let hash = |bytes: &[u8]| {
        bytes.iter().fold(89, |h, &byte| (h * 113 + u64::from(byte)) % u64::from(IP_DIGESTS))
    };
    match ip_address(text) {
        Some(IpAddr::V4(address)) => hash(&address.octets()[..3]),
        Some(IpAddr::V6(address)) => hash(&address.octets()),
        None => 0,
    }
}

fn ip_address(text: &[u8]) -> Option<IpAddr> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn plain(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let column = ColumnSpec::whole(hash::find("libhashkit-crc")?);
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let entries = Entries::by_weight(build, column, &weights, Some(1 << 15))?;
    Ok(Box::new(entries.accepting(is_not_empty)))
}

fn ip_hash(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    if !matches!(build.keys, KeyKind::Text | KeyKind::Bytes) {
        return Err(Error::unsupported(format!(
            "nginx-ip-hash takes clients' addresses as keys, this pattern gives {} keys",
            build.keys
        )));
    }
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let column = ColumnSpec::whole(&IP_HASHER);
    let entries = Entries::by_weight(build, column, &weights, Some(IP_DIGESTS))?;
    Ok(Box::new(entries.accepting(|key| ip_address(key).is_some())))
}

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let crc32 = hash::find("crc32")?;
    check_points(build.cluster.total_weight() * POINTS as f64)?;
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let hash = (crc32.build)(0, Half::High);
    let points = build.cluster.nodes.iter().zip(&weights).map(|(node, weight)| {
        let mut text = base(node);
        let length = text.len();
        let mut previous = 0;
        let points = (0..POINTS * weight).map(|_| {
            text.truncate(length);
            text.extend_from_slice(&(previous as u32).to_le_bytes());
            previous = hash.hash(&text);
            previous
        });
        (node.id.into(), points.collect())
    });
    let ring = PointRing::new(build, ColumnSpec::whole(crc32), Successor::AtOrAfter, points)?;
    Ok(Box::new(ring.accepting(is_not_empty)))
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
    use crate::cluster::Node;
    use crate::keys::{Key, KeyBatch, KeyKind};
    use crate::preset::vectors::{Case, Servers, Vectors, port};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("nginx_hash.csv", 207);
        let keys = vectors.keys("key", KeyKind::Text);
        // `$request_uri` instead of the argument.
        let mut uris = KeyBatch::new(KeyKind::Text);
        for key in vectors.column("key") {
            uris.push(&Key::Text(&format!("/?k={key}")));
        }
        let lists = Servers::read("nginx_server_lists.json");
        // A name instead of the address; both addresses that it has are one server by name and port.
        let named = |node: &Node| Node { host: Some("localhost".into()), ..node.clone() };
        let localhost: Vec<Node> = lists.get("n3").iter().map(named).collect();
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let servers = match list {
                "n3_name_localhost" => &localhost,
                list => lists.get(list),
            };
            let preset = if mode == "modulo" { "nginx-hash" } else { "nginx-consistent" };
            let keys = if mode == "consistent_request_uri" { &uris } else { &keys };
            vectors.check(column, keys, &Case { preset, params: &[], servers }, port(servers));
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_placements_of_ip_hash() {
        let vectors = Vectors::read("nginx_ip_hash.csv", 165);
        let keys = vectors.keys("client_ip", KeyKind::Text);
        let lists = Servers::read("nginx_server_lists.json");
        for list in &vectors.columns()[1..] {
            let servers = lists.get(list);
            let case = Case { preset: "nginx-ip-hash", params: &[], servers };
            vectors.check(list, &keys, &case, port(servers));
        }
        vectors.finish(&[]);
    }
}
