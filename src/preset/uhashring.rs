//! uhashring, a Python library with two rings.
//!
//! # Source
//! PyPI uhashring 2.5, `uhashring/ring.py` and `ring_ketama.py`, <https://github.com/ultrabug/uhashring>.

use super::facts::{RING, RING_COST};
use super::ketama::{self, DIGESTS};
use super::points::{PointRing, Successor, check_points};
use super::servers::whole_weights;
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash::{self, Half};
use crate::keys::ColumnSpec;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Cost, History, Movement, Order, Placement, StrategyInfo};

const VERSION: &str = "PyPI uhashring 2.5";

const BASE: StrategyInfo = StrategyInfo {
    checked: "",
    name: "",
    title: "",
    summary: "",
    source: "PyPI uhashring 2.5, https://github.com/ultrabug/uhashring",
    caps: RING,
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &[],
    cost: RING_COST,
    build: md5,
};

/// The default ring.
pub static MD5: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "uhashring.csv",
        name: "uhashring-md5",
        title: "uhashring md5",
        summary: "uhashring's default: a ring of 160 whole MD5 digests per weight",
        params: &[Param::new(
            "vnodes",
            Type::Int { min: 1, max: 100_000 },
            Default::Int(160),
            "points of a node of weight 1",
        )],
        cost: Cost { change: "O(160 Σw)", ..RING_COST },
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "per node vnodes · weight points, the MD5 of name-i as a number of 128 bits, i from 0; of equal \
           points the later node's stays; a key's MD5 belongs to the first point after it. Of the 128 \
           bits the first 64 are kept here",
    answer: Answer::Server,
};

/// `hash_fn="ketama"`.
pub static KETAMA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "uhashring.csv, uhashring_ketama_points_n3.csv",
        name: "uhashring-ketama",
        title: "uhashring ketama",
        summary: "uhashring's ketama: 160 MD5 points a node of average weight, weights in whole numbers",
        movement: Movement::Bounded,
        build: ketama,
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "per node ⌊40 · nodes · w / Σw⌋ labels name-i, i from 0, in whole numbers; the MD5 of each gives \
           four points (4 bytes, low byte first); of equal points the later node's stays; the first 4 \
           bytes of a key's MD5 belong to the first point after them",
    answer: Answer::Server,
};

fn md5(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let vnodes = build.params.int("vnodes") as u64;
    let weights = whole_weights(build, 0, u32::MAX)?;
    check_points(build.cluster.total_weight() * vnodes as f64)?;
    let column = ColumnSpec::whole(hash::find("md5")?);
    let hash = (column.hasher.build)(0, Half::High);
    let points = build.cluster.nodes.iter().zip(&weights).rev().map(|(node, weight)| {
        let labels = (0..vnodes * weight).map(|i| format!("{}-{i}", node.name));
        (node.id.into(), labels.map(|label| hash.hash(label.as_bytes())).collect())
    });
    Ok(Box::new(PointRing::new(build, column, Successor::After, points)?))
}

fn ketama(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let weights = whole_weights(build, 0, u32::MAX)?;
    let (total, count) = (weights.iter().sum::<u64>(), weights.len() as u64);
    check_points(count as f64 * 160.0)?;
    let points = build.cluster.nodes.iter().zip(&weights).rev().map(|(node, weight)| {
        let digests = u128::from(DIGESTS * count) * u128::from(*weight);
        let digests = digests.checked_div(total.into()).unwrap_or(0) as u64;
        (node.id.into(), ketama::points(&node.name, digests))
    });
    let column = ColumnSpec::whole(hash::find("md5-32le")?);
    Ok(Box::new(PointRing::new(build, column, Successor::After, points)?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("uhashring.csv", 189);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("hashring_libs_server_lists.json");
        for column in &vectors.columns()[1..] {
            let (mode, list) = column.split_once('|').unwrap();
            let servers = lists.get(list);
            let case = Case { preset: &mode.replace(' ', "-"), params: &[], servers };
            vectors.check(column, &keys, &case, numbers(servers));
        }
        vectors.finish(&[]);
    }
}
