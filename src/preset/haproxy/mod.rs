//! HAProxy's `balance` by a hash: `hash-type consistent`, `map-based`, and `hash-balance-factor`.
//!
//! # Source
//! HAProxy 2.6.12, `src/lb_chash.c`, `src/lb_map.c`, `include/haproxy/hash.h`,
//! <https://docs.haproxy.org/2.6/configuration.html#hash-type>.
//!
//! # Choices made where the source is silent
//! - What is hashed is the key: the header's value, `url_param`, or the path up to `?` for `uri`.
//! - An empty key is REFUSED: HAProxy goes round robin without a hash.

pub mod bounded;
pub mod consistent;
pub mod map;

use crate::error::Error;
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::preset::modes::{HashMode, names};
use crate::strategy::{Build, History, Movement, Order, StrategyInfo};

use super::facts::LIST;
use super::facts::LIST_COST;

/// The function of `hash-type`, and the hashers without and with its modifier `avalanche`.
static MODES: [HashMode; 4] = [
    HashMode::new("sdbm", "sdbm"),
    HashMode::new("djb2", "djb2"),
    HashMode::new("wt6", "wt6"),
    HashMode::new("crc32", "crc32"),
];
static AVALANCHE: [HashMode; 4] = [
    HashMode::new("sdbm", "sdbm-avalanche"),
    HashMode::new("djb2", "djb2-avalanche"),
    HashMode::new("wt6", "wt6-avalanche"),
    HashMode::new("crc32", "crc32-avalanche"),
];
static NAMES: [&str; MODES.len()] = names(&MODES);

const HASH: Param = Param::new(
    "hash",
    Type::Choice(&NAMES),
    Default::Absent,
    "the function of `hash-type`; absent: sdbm, with avalanche if the type is consistent",
);

const MODIFIER: Param = Param::new(
    "avalanche",
    Type::Bool,
    Default::Absent,
    "the modifier `avalanche` of `hash-type`; absent: as HAProxy has it, which is without, but with it \
     for `hash-type consistent` alone",
);

const VERSION: &str = "HAProxy 2.6.12";

/// Largest weight.
const MAX_WEIGHT: u32 = 256;

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "HAProxy 2.6.12, https://docs.haproxy.org/2.6/configuration.html#hash-type",
    caps: LIST,
    movement: Movement::Full,
    history: History::Free,
    order: Order::Dependent,
    params: &[HASH, MODIFIER],
    cost: LIST_COST,
    build: map::map,
};

/// The hash of the key.
fn column(build: &Build<'_>, consistent: bool) -> Result<ColumnSpec, Error> {
    let function = build.params.text_opt("hash");
    let usual = consistent && function.is_none();
    let avalanche = build.params.get("avalanche").map_or(usual, |_| build.params.bool("avalanche"));
    let modes = if avalanche { &AVALANCHE } else { &MODES };
    let function = function.unwrap_or(NAMES[0]);
    let mode = modes.iter().find(|mode| mode.name == function).expect("one of the choices");
    Ok(ColumnSpec::whole(mode.hasher()?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("haproxy_hash.csv", 195);
        let lists = Servers::read("haproxy_server_lists.json");
        // Where the key came from decides what was hashed: the path, the undecoded parameter, the header.
        let keys = |column| vectors.keys(column, KeyKind::Text);
        let (header, path, param) =
            (keys("key"), keys("uri_path_sent"), keys("url_param_value_sent"));
        for column in &vectors.columns()[3..] {
            let (mode, list) = column.split_once('|').unwrap();
            let (balance, mode) = mode.rsplit_once(", ").unwrap_or(("balance hdr", mode));
            let words: Vec<&str> = mode.split(' ').collect();
            let preset = match words[0] {
                "map-based" => "haproxy-map",
                "consistent" => "haproxy-consistent",
                other => panic!("{other}"),
            };
            let avalanche = if words.len() > 2 { "true" } else { "false" };
            let keys = match balance {
                "balance hdr" | "balance hash req.hdr" => &header,
                "balance uri" => &path,
                "balance url_param" => &param,
                other => panic!("{other}"),
            };
            let servers = lists.get(list);
            let params = [("hash", words[1]), ("avalanche", avalanche)];
            vectors.check(
                column,
                keys,
                &Case { preset, params: &params, servers },
                numbers(servers),
            );
        }
        vectors.finish(&[]);
    }
}
