//! twemproxy (nutcracker), the proxy before memcached and Redis.
//!
//! # Source
//! twemproxy 0.5.0, `distribution: ketama` and `modula`,
//! <https://github.com/twitter/twemproxy/blob/master/notes/recommendation.md>.

use super::facts::{LIST, LIST_COST, RING, RING_COST};
use super::libmemcached::weighted_ring;
use super::modes::{HashMode, chosen, names};
use super::servers::{alias, host_port_unless_usual, is_memcached_key, whole_weights};
use super::{Answer, PresetInfo};
use crate::cluster::Node;
use crate::error::Error;
use crate::keys::ColumnSpec;
use crate::keys::view::View;
use crate::params::{Default, Param, Type};
use crate::preset::entries::Entries;
use crate::strategy::{Build, History, Movement, Order, Placement, StrategyInfo};

/// The pool's `hash`.
static MODES: [HashMode; 10] = [
    HashMode::new("one_at_a_time", "one-at-a-time"),
    HashMode::new("md5", "md5-32le"),
    HashMode::new("crc16", "twemproxy-crc16"),
    HashMode::of_digests("crc32", "libhashkit-crc", 1 << 15),
    HashMode::new("crc32a", "crc32"),
    HashMode::new("fnv1_64", "libhashkit-fnv1-64"),
    HashMode::new("fnv1a_64", "libhashkit-fnv1a-64"),
    HashMode::new("fnv1_32", "libhashkit-fnv1-32"),
    HashMode::new("fnv1a_32", "libhashkit-fnv1a-32"),
    HashMode::new("murmur", "libhashkit-murmur"),
];
static NAMES: [&str; MODES.len()] = names(&MODES);

const PARAMS: &[Param] = &[
    Param::new(
        "hash",
        Type::Choice(&NAMES),
        Default::Text("fnv1a_64"),
        "the pool's `hash`, by its names in nutcracker.yml",
    ),
    Param::new(
        "hash-tag",
        Type::Text,
        Default::Absent,
        "the pool's `hash_tag`: two characters, such as {}, between which lies the part of the key \
         that is hashed; absent: the whole key is",
    ),
    Param::new(
        "protocol",
        Type::Choice(&["memcached", "redis"]),
        Default::Text("memcached"),
        "what the pool speaks: memcached refuses some keys, Redis takes any",
    ),
];

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "twemproxy 0.5.0, src/hashkit, https://github.com/twitter/twemproxy",
    caps: RING,
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: PARAMS,
    cost: RING_COST,
    build: ketama,
};

const VERSION: &str = "twemproxy 0.5.0 (Debian nutcracker)";
const CHECKED: &str =
    "twemproxy.csv, without the columns of hsieh and jenkins, which are not modelled";

/// `distribution: ketama`.
pub static KETAMA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: CHECKED,
        name: "twemproxy-ketama",
        title: "twemproxy ketama",
        summary: "twemproxy's ketama: 160 MD5 points a server of average weight, keys by fnv1a_64",
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "server names: the name in the pool, else host:port, without the port 11211. Per server \
           ⌊w / Σw · 160 / 4 · servers + 1e-10⌋ labels name-i in 32-bit floating point, i from 0, whose \
           MD5 gives four points each (4 bytes, low byte first); the pool's hash of the key or of its \
           tag belongs to the first point at or after it. In memcached pools, keys that the protocol \
           does not take (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

/// `distribution: modula`.
pub static MODULA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: CHECKED,
        name: "twemproxy-modula",
        title: "twemproxy modula",
        summary: "twemproxy's modula: hash mod total weight, keys by fnv1a_64",
        caps: LIST,
        movement: Movement::Full,
        order: Order::Dependent,
        cost: LIST_COST,
        build: modula,
        ..BASE
    },
    family: "modulo",
    version: VERSION,
    rule: "the pool's hash of the key or of its tag, mod the total weight, counts through the list in \
           which each server stands as often as it weighs. In memcached pools, keys that the protocol \
           does not take (empty, over 250 bytes, blanks, control characters) are refused",
    answer: Answer::Server,
};

fn ketama(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let (column, digests) = column(build)?;
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let ring = weighted_ring(build, column, &weights, name)?.uneven(digests.is_some());
    Ok(Box::new(ring.accepting(accepts(build))))
}

fn modula(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let (column, digests) = column(build)?;
    let weights = whole_weights(build, 1, i32::MAX as u32)?;
    let entries = Entries::by_weight(build, column, &weights, digests)?;
    Ok(Box::new(entries.accepting(accepts(build))))
}

fn name(node: &Node) -> String {
    alias(node).map_or_else(|| host_port_unless_usual(node), String::from)
}

/// What is hashed of a key and how; and how many digests that gives, if they do not fill their bits.
fn column(build: &Build<'_>) -> Result<(ColumnSpec, Option<u32>), Error> {
    let mode = chosen(build, "hash", &MODES);
    let whole = ColumnSpec::whole(mode.hasher()?);
    let Some(tag) = build.params.text_opt("hash-tag") else { return Ok((whole, mode.digests)) };
    let &[open, close] = tag.as_bytes() else {
        return Err(Error::invalid(format!("`hash-tag` is \"{tag}\""))
            .help("give two characters of one byte each, such as {} or $$")
            .field("hash-tag"));
    };
    let view = View::parse(&format!("between:{open}..{close}"))?;
    Ok((ColumnSpec { view, ..whole }, mode.digests))
}

fn accepts(build: &Build<'_>) -> fn(&[u8]) -> bool {
    match build.params.text("protocol") {
        "memcached" => is_memcached_key,
        _ => |_| true,
    }
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("twemproxy.csv", 195);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("twemproxy_server_lists.json");
        let mut others = Vec::new();
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let words: Vec<&str> = mode.split(' ').collect();
            if ["hsieh", "jenkins"].contains(&words[1]) {
                others.push(column.as_str());
                continue;
            }
            let mut params = vec![("hash", words[1])];
            let mut servers = lists.get(list).to_vec();
            match words.get(2) {
                Some(&"hash_tag{}") => params.push(("hash-tag", "{}")),
                // Recorded with the names shard1, shard2 …, numbered as the ports are.
                Some(&"named") => {
                    for server in &mut servers {
                        server.name = format!("shard{}", server.port.unwrap() % 100).into();
                    }
                }
                other => assert_eq!(other, None),
            }
            let preset = if words[0] == "ketama" { "twemproxy-ketama" } else { "twemproxy-modula" };
            let case = Case { preset, params: &params, servers: &servers };
            vectors.check(column, &keys, &case, numbers(&servers));
        }
        assert_eq!(others.len(), 4);
        vectors.finish(&others);
    }
}
