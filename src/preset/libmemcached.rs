//! libmemcached, the C client of memcached: its rings and its modula.
//!
//! # Source
//! libmemcached 1.1.4, `memcached_generate_hash`; <https://awesomized.github.io/libmemcached/>. The
//! 1.0 inside PyPI pylibmc 1.6.3 gives the same.
//!
//! # Choices made where the source is silent
//! - Keys that memcached's text protocol does not take are refused.
//! - Of equal points that of the earlier server wins.

use super::facts::{LIST, LIST_COST, RING, RING_COST};
use super::ketama;
use super::modes::{HashMode, chosen, names};
use super::points::{PointRing, Successor, check_points};
use super::servers::{
    MEMCACHED_PORT, host_port, host_port_unless_usual, is_memcached_key, whole_weights,
};
use super::{Answer, PresetInfo, address};
use crate::cluster::Node;
use crate::error::Error;
use crate::hash::Half;
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::preset::entries::Entries;
use crate::strategy::{Build, Caps, History, Movement, Order, Placement, StrategyInfo, Weights};

/// Points of a server on the ring without weights.
const POINTS: u64 = 100;

const VERSION: &str = "libmemcached 1.1.4";

/// `MEMCACHED_BEHAVIOR_HASH`.
static MODES: [HashMode; 9] = [
    HashMode::new("default", "one-at-a-time"),
    HashMode::new("md5", "md5-32le"),
    HashMode::of_digests("crc", "libhashkit-crc", 1 << 15),
    HashMode::new("fnv1_64", "libhashkit-fnv1-64"),
    HashMode::new("fnv1a_64", "libhashkit-fnv1a-64"),
    HashMode::new("fnv1_32", "libhashkit-fnv1-32"),
    HashMode::new("fnv1a_32", "libhashkit-fnv1a-32"),
    HashMode::new("murmur", "libhashkit-murmur"),
    HashMode::new("jenkins", "libhashkit-jenkins"),
];
static NAMES: [&str; MODES.len()] = names(&MODES);

const fn hash_param(default: &'static str) -> Param {
    Param::new(
        "hash",
        Type::Choice(&NAMES),
        Default::Text(default),
        "hash function of the key, by the names of MEMCACHED_BEHAVIOR_HASH; default is one_at_a_time",
    )
}

const SOURCE: &str = "libmemcached 1.1.4, libmemcached/hosts.cc and hash.cc, \
                      https://github.com/awesomized/libmemcached";

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: SOURCE,
    caps: RING,
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[],
    cost: RING_COST,
    build: ketama,
};

/// `DISTRIBUTION_CONSISTENT_KETAMA` and `DISTRIBUTION_CONSISTENT`.
pub static KETAMA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "libmemcached_ketama.csv",
        name: "libmemcached-ketama",
        title: "libmemcached ketama",
        summary: "libmemcached's consistent and ketama distributions: 100 one-at-a-time points a server",
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "server names: host-i, host:port-i for ports other than 11211. While all weights are 1: \
           per server the points one_at_a_time(name), i from 0 to 99. With any weight above 1: \
           the ring of libmemcached-ketama-weighted. Either way a key's one_at_a_time belongs to the \
           first point at or after it. KETAMA and CONSISTENT give the same. Keys that memcached's \
           protocol does not take (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

/// `BEHAVIOR_KETAMA_WEIGHTED`.
pub static WEIGHTED: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "libmemcached_ketama_weighted.csv",
        name: "libmemcached-ketama-weighted",
        title: "libmemcached ketama weighted",
        summary: "libmemcached's KETAMA_WEIGHTED: 160 MD5 points a server of average weight",
        params: &[hash_param("md5")],
        build: weighted,
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "server names: host-i, host:port-i for ports other than 11211. Per server \
           ⌊w / Σw · 160 / 4 · servers + 1e-10⌋ names in 32-bit floating point, from 0, whose MD5 gives \
           four points each (4 bytes, low byte first); a key's hash, by default the first 4 bytes of \
           its MD5, belongs to the first point at or after it. Keys that memcached's protocol does \
           not take (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

/// `DISTRIBUTION_CONSISTENT_KETAMA_SPY`.
pub static SPY: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "libmemcached_ketama_spy.csv",
        name: "libmemcached-ketama-spy",
        title: "libmemcached ketama spy",
        summary: "libmemcached's KETAMA_SPY: as its ketama, with servers named /host:port",
        build: spy,
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "as libmemcached-ketama, with server names /host:port-i whatever the port",
    answer: Answer::Server,
};

/// `DISTRIBUTION_MODULA`.
pub static MODULA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "libmemcached_modula.csv",
        name: "libmemcached-modula",
        title: "libmemcached modula",
        summary: "libmemcached's default distribution: hash mod servers",
        caps: Caps { weights: Weights::Fixed, ..LIST },
        movement: Movement::Full,
        order: Order::Dependent,
        params: &[hash_param("default")],
        cost: LIST_COST,
        build: modula,
        ..BASE
    },
    family: "modulo",
    version: VERSION,
    rule: "hash of the key mod number of servers, in the order of the list; weights are ignored. Keys \
           that memcached's protocol does not take (empty, over 250 bytes, blanks, control characters) \
           are refused",
    answer: Answer::Server,
};

fn ketama(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    switching(build, host_port_unless_usual)
}

fn spy(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    switching(build, |node| {
        let usual = address(node).1.is_none().then_some(MEMCACHED_PORT);
        let usual = usual.map_or(String::new(), |port| format!(":{port}"));
        format!("/{}{usual}", host_port(node))
    })
}

/// The ring without weights, or the weighted one if any weight is above 1; keys are hashed alike.
fn switching(build: &Build<'_>, name: fn(&Node) -> String) -> Result<Box<dyn Placement>, Error> {
    let column = ColumnSpec::whole(MODES[0].hasher()?);
    let weights = whole_weights(build, 1, u32::MAX)?;
    if weights.iter().any(|&weight| weight > 1) {
        return Ok(Box::new(weighted_ring(build, column, &weights, name)?));
    }
    check_points((weights.len() as u64 * POINTS) as f64)?;
    let hash = (column.hasher.build)(0, Half::High);
    let points = build.cluster.nodes.iter().map(|node| {
        let name = name(node);
        let points = (0..POINTS).map(|i| hash.hash(format!("{name}-{i}").as_bytes()));
        (node.id.into(), points.collect())
    });
    let ring = PointRing::new(build, column, Successor::AtOrAfter, points)?;
    Ok(Box::new(ring.accepting(is_memcached_key)))
}

fn weighted(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let mode = chosen(build, "hash", &MODES);
    let weights = whole_weights(build, 1, u32::MAX)?;
    let column = ColumnSpec::whole(mode.hasher()?);
    let ring = weighted_ring(build, column, &weights, host_port_unless_usual)?;
    Ok(Box::new(ring.uneven(mode.digests.is_some())))
}

/// The weighted ring of libmemcached, and of twemproxy.
pub(super) fn weighted_ring(
    build: &Build<'_>,
    column: ColumnSpec,
    weights: &[u64],
    name: impl Fn(&Node) -> String,
) -> Result<PointRing, Error> {
    check_points(weights.len() as f64 * 160.0)?;
    let total = weights.iter().sum();
    let points = build.cluster.nodes.iter().zip(weights).map(|(node, &weight)| {
        let digests = ketama::digests_libmemcached(weight, total, weights.len());
        (node.id.into(), ketama::points(&name(node), digests))
    });
    let ring = PointRing::new(build, column, Successor::AtOrAfter, points)?;
    Ok(ring.accepting(is_memcached_key))
}

fn modula(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let mode = chosen(build, "hash", &MODES);
    let once = vec![1; build.cluster.nodes.len()];
    let column = ColumnSpec::whole(mode.hasher()?);
    let entries = Entries::by_weight(build, column, &once, mode.digests)?;
    Ok(Box::new(entries.accepting(is_memcached_key)))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    /// Checks every column, `MODE|LIST`; `hash` is what the mode says of the parameter.
    fn check(preset: &str, file: &str, rows: usize, hash: impl Fn(&str) -> Option<String>) {
        let vectors = Vectors::read(file, rows);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("libmemcached_server_lists.json");
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let servers = lists.get(list);
            let hash = hash(mode);
            let params: Vec<(&str, &str)> = hash.iter().map(|h| ("hash", h.as_str())).collect();
            let case = Case { preset, params: &params, servers };
            vectors.check(column, &keys, &case, numbers(servers));
        }
        vectors.finish(&[]);
    }

    #[test]
    fn recorded_placements_of_ketama() {
        check("libmemcached-ketama", "libmemcached_ketama.csv", 191, |_| None);
    }

    #[test]
    fn recorded_placements_of_ketama_weighted() {
        check("libmemcached-ketama-weighted", "libmemcached_ketama_weighted.csv", 196, |mode| {
            mode.strip_prefix("ketama_weighted_").map(String::from)
        });
    }

    #[test]
    fn recorded_placements_of_ketama_spy() {
        check("libmemcached-ketama-spy", "libmemcached_ketama_spy.csv", 186, |_| None);
    }

    #[test]
    fn recorded_placements_of_modula() {
        check("libmemcached-modula", "libmemcached_modula.csv", 188, |mode| {
            mode.strip_prefix("modula_").map(String::from)
        });
    }
}
