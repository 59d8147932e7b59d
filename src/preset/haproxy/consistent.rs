//! `hash-type consistent`: 16 points per weight; the nearest point wins, on either side.

use super::{BASE, MAX_WEIGHT, VERSION, column};
use crate::error::Error;
use crate::hash::haproxy::avalanche;
use crate::preset::facts::{LIST, RING_COST};
use crate::preset::points::{PointRing, Successor, check_points};
use crate::preset::servers::{is_not_empty, whole_weights};
use crate::preset::{Answer, PresetInfo};
use crate::strategy::{Build, Cost, Movement, Placement, StrategyInfo};

/// Points of a server for each unit of its weight (`BE_WEIGHT_SCALE`).
pub(super) const SCALE: u64 = 16;
/// How far the points of one id lie from those of the next: as many as a server may have (`SRV_EWGHT_RANGE`).
const SPAN: u64 = 4096;

/// `hash-type consistent`.
pub static CONSISTENT: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "haproxy_hash.csv",
        name: "haproxy-consistent",
        title: "HAProxy consistent",
        summary: "HAProxy `hash-type consistent`: 16 points per weight, the nearest on either side",
        caps: LIST,
        movement: Movement::Minimal,
        cost: Cost { change: "O(16 Σw)", ..RING_COST },
        build: consistent,
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "a server has its explicit `id`, else the first number from its place in the configuration on \
           that no server has; per server 16 · weight points avalanche(id · 4096 + i), i from 0. A key's \
           hash belongs to the nearest point, of two as near the one before it. Without explicit ids a \
           removal renumbers the later servers. Weights from 0 to 256; an empty key goes round robin and \
           is refused here",
    answer: Answer::Server,
};

fn consistent(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    Ok(Box::new(ring(build)?))
}

/// The ring, and who is nearest on it.
pub(super) fn ring(build: &Build<'_>) -> Result<PointRing, Error> {
    let weights = whole_weights(build, 0, MAX_WEIGHT)?;
    check_points(build.cluster.total_weight() * SCALE as f64)?;
    let ids = ids(build)?;
    let nodes = &build.cluster.nodes;
    let points = nodes.iter().zip(ids).zip(&weights).map(|((node, id), weight)| {
        let point = |i: u64| avalanche((u64::from(id) * SPAN + i) as u32).into();
        (node.id.into(), (0..weight * SCALE).map(point).collect())
    });
    let ring = PointRing::new(build, column(build, true)?, Successor::Nearest, points)?;
    Ok(ring.accepting(is_not_empty))
}

/// The ids of servers: explicit, or the next that is free, counting with the servers
/// (`get_next_id` after each server).
fn ids(build: &Build<'_>) -> Result<Vec<u32>, Error> {
    let nodes = &build.cluster.nodes;
    let taken: std::collections::BTreeSet<u32> = nodes.iter().filter_map(|n| n.server_id).collect();
    let explicit = nodes.iter().filter(|n| n.server_id.is_some()).count();
    if taken.len() < explicit || taken.contains(&0) {
        return Err(Error::unsupported("HAProxy wants ids of servers that differ and are above 0"));
    }
    let mut next = 1;
    let id = |explicit: Option<u32>| {
        let id = explicit.unwrap_or_else(|| {
            while taken.contains(&next) {
                next += 1;
            }
            next
        });
        next += 1;
        id
    };
    Ok(nodes.iter().map(|n| n.server_id).map(id).collect())
}
