//! spymemcached, the Java client of memcached.
//!
//! # Source
//! spymemcached 2.12.3, `KetamaNodeLocator`, `KetamaNodeKeyFormatter`, `ArrayModNodeLocator`,
//! <https://github.com/couchbase/spymemcached>.
//!
//! # Choices made where the source is silent
//! - Servers that all weigh 1 are servers without weights: a client is given weights or none.
//! - Keys that memcached's text protocol does not take are refused.

use super::facts::{RING, RING_COST};
use super::ketama::{self, DIGESTS};
use super::modes::{HashMode, names};
use super::points::{PointRing, Successor, check_points};
use super::servers::{
    MEMCACHED_PORT, alias, host_port, host_port_unless_usual, is_memcached_key, whole_weights,
};
use super::{Answer, PresetInfo, address};
use crate::cluster::Node;
use crate::error::Error;
use crate::hash;
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::preset::entries::Entries;
use crate::strategy::{Build, History, Movement, Order, Placement, StrategyInfo};

/// `DefaultHashAlgorithm`, without `_HASH`, in lower case.
static MODES: [HashMode; 7] = [
    HashMode::new("native", "java-string"),
    HashMode::of_digests("crc", "libhashkit-crc", 1 << 15),
    HashMode::new("fnv1_64", "spymemcached-fnv1-64"),
    HashMode::new("fnv1a_64", "spymemcached-fnv1a-64"),
    HashMode::new("fnv1_32", "spymemcached-fnv1-32"),
    HashMode::new("fnv1a_32", "spymemcached-fnv1a-32"),
    HashMode::new("ketama", "md5-32le"),
];
static NAMES: [&str; MODES.len()] = names(&MODES);

/// spymemcached.
pub static SPYMEMCACHED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "spymemcached.csv; other hashes of array-mod by spymemcached_hashes.csv",
        name: "spymemcached",
        title: "spymemcached",
        summary: "spymemcached's ketama, 160 MD5 points a server, or its ArrayMod",
        source: "spymemcached 2.12.3, https://github.com/couchbase/spymemcached",
        caps: RING,
        movement: Movement::Bounded,
        history: History::Free,
        order: Order::Free,
        params: &[
            Param::new(
                "locator",
                Type::Choice(&["ketama", "array-mod"]),
                Default::Text("ketama"),
                "which NodeLocator: `ketama` of KetamaConnectionFactory, or `array-mod` of \
                 DefaultConnectionFactory, whose keys nearly all move when a server comes or goes",
            ),
            Param::new(
                "format",
                Type::Choice(&["spymemcached", "libmemcached"]),
                Default::Text("spymemcached"),
                "ketama: KetamaNodeKeyFormatter.Format, how a server is named",
            ),
            Param::new(
                "hash",
                Type::Choice(&NAMES),
                Default::Absent,
                "array-mod: DefaultHashAlgorithm of the key, without _HASH; absent: native; ketama has \
                 its own only",
            ),
        ],
        cost: RING_COST,
        build: spymemcached,
    },
    family: "ring",
    version: "spymemcached 2.12.3",
    rule: "ketama: per server 40 labels name-i, i from 0, whose MD5 gives four points each (4 bytes, low \
           byte first); with weights, where any is not 1, ⌊w / Σw · 160 / 4 · servers + 1e-10⌋ labels in \
           32-bit floating point. Of equal points the later server's stays; the first 4 bytes of a key's \
           MD5 belong to the first point at or after them. name in format spymemcached is host:port of an address, \
           hostname/address:port of a resolved host name, which here is the server's own name if it is \
           not its address; in format libmemcached host, or host:port for ports other than 11211. \
           array-mod: (hash & 0xffffffff) mod servers, in their order, without weights. Keys that memcached's protocol \
           does not take (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

fn spymemcached(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let mode = build.params.text_opt("hash");
    match build.params.text("locator") {
        "array-mod" => array_mod(build, mode.unwrap_or(MODES[0].name)),
        _ if mode.is_none_or(|mode| mode == "ketama") => ring(build),
        _ => Err(Error::unsupported(
            "spymemcached's ketama locator is modelled with its own hash, ketama, only; others are for \
             `locator = \"array-mod\"`",
        )),
    }
}

fn array_mod(build: &Build<'_>, mode: &str) -> Result<Box<dyn Placement>, Error> {
    let mode = MODES.iter().find(|m| m.name == mode).expect("the choices are the modes");
    if !build.cluster.is_unweighted() {
        return Err(Error::unsupported(
            "spymemcached's array-mod gives every server the same share: it has no weights",
        ));
    }
    let once = vec![1; build.cluster.nodes.len()];
    let column = ColumnSpec::whole(mode.hasher()?);
    let entries = Entries::by_weight(build, column, &once, mode.digests)?;
    Ok(Box::new(entries.accepting(is_memcached_key)))
}

fn ring(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let nodes = &build.cluster.nodes;
    check_points(nodes.len() as f64 * 160.0)?;
    let name = match build.params.text("format") {
        "libmemcached" => libmemcached_name,
        _ => spymemcached_name,
    };
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let (total, weighted) = (weights.iter().sum(), weights.iter().any(|&weight| weight != 1));
    let digests = |weight: u64| match weighted {
        true => ketama::digests_libmemcached(weight, total, weights.len()),
        false => DIGESTS,
    };
    // The later of equal points wins: a TreeMap is overwritten.
    let points = nodes
        .iter()
        .zip(&weights)
        .rev()
        .map(|(node, &weight)| (node.id.into(), ketama::points(&name(node), digests(weight))));
    let column = ColumnSpec::whole(hash::find("md5-32le")?);
    let ring = PointRing::new(build, column, Successor::AtOrAfter, points)?;
    Ok(Box::new(ring.accepting(is_memcached_key)))
}

/// `InetSocketAddress.toString()` without a slash before it.
fn spymemcached_name(node: &Node) -> String {
    match alias(node) {
        Some(host) => format!("{host}/{}", host_port(node)),
        None => host_port(node),
    }
}

fn libmemcached_name(node: &Node) -> String {
    match (alias(node), address(node).1) {
        (Some(host), None | Some(MEMCACHED_PORT)) => host.into(),
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (None, _) => host_port_unless_usual(node),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, server_list};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("spymemcached.csv", 185);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("libmemcached_server_lists.json");
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let params = match mode {
                "ketama format=SPYMEMCACHED" => [("locator", "ketama"), ("format", "spymemcached")],
                "ketama format=LIBMEMCACHED" => [("locator", "ketama"), ("format", "libmemcached")],
                "ArrayMod NATIVE_HASH" => [("locator", "array-mod"), ("hash", "native")],
                other => panic!("{other}"),
            };
            let servers = lists.get(list);
            let case = Case { preset: "spymemcached", params: &params, servers };
            vectors.check(column, &keys, &case, numbers(servers));
        }
        vectors.finish(&[]);
    }

    #[test]
    fn servers_are_named_as_either_format_has_it() {
        let list = "cache1=10.0.0.1:11211,10.0.0.2:11211,cache3=10.0.0.3:80";
        let nodes = server_list::parse_inline(list, "servers").unwrap();
        let shown: Vec<_> =
            nodes.iter().map(|n| (spymemcached_name(n), libmemcached_name(n))).collect();
        let row = |one: &str, other: &str| (one.to_string(), other.to_string());
        assert_eq!(
            shown,
            [
                row("cache1/10.0.0.1:11211", "cache1"),
                row("10.0.0.2:11211", "10.0.0.2"),
                row("cache3/10.0.0.3:80", "cache3:80"),
            ]
        );
    }

    #[test]
    fn ketama_with_another_hash_is_unsupported() {
        let given = vec![("hash".to_string(), Value::Text("crc".into()))];
        let params = Params::from_pairs(SPYMEMCACHED.strategy.params, given).unwrap();
        let cluster = Cluster::numbered(2, "db{i}");
        let base = std::path::Path::new(".");
        let build =
            Build { cluster: &cluster, params: &params, keys: KeyKind::Text, replicas: 1, base };
        let error = SPYMEMCACHED.strategy.place(&build).unwrap_err();
        assert_eq!(error.kind, crate::error::ErrorKind::Unsupported);
    }
}
