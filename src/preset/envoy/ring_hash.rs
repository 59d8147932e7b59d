//! `RING_HASH`: a ring of a given size, dealt out by weight.

use super::{BASE, Host, VERSION, column, hosts};
use crate::error::Error;
use crate::hash::{self, Half};
use crate::preset::points::{PointRing, Successor, check_points};
use crate::preset::{Answer, PresetInfo};
use crate::strategy::{Build, Cost, Placement, StrategyInfo};

/// `RING_HASH`.
pub static RING_HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "envoy_hash.csv",
        name: "envoy-ring-hash",
        title: "Envoy ring hash",
        summary: "Envoy `RING_HASH`: a ring of at least 1024 points in all, XXH64",
        cost: Cost { lookup: "O(1)", change: "O(min-ring)", bytes: "10–16 per point" },
        build: ring_hash,
        ..BASE
    },
    family: "ring",
    version: VERSION,
    rule: "with shares s = w / Σw and the least of them m, the ring has R = min(⌈m · min-ring⌉ / m, \
           max-ring) points; host by host a target grows by R · s and points name_i, i from 0 in each \
           host, are added while fewer than the target stand; a point is XXH64 of its label, or \
           MurmurHash64A with seed 0xc70f6907. XXH64 of the key belongs to the first point at or after \
           it. The ring keeps its size, so that hosts lose points when others join, and what a fraction \
           of a point rounds to depends on the order of hosts of unequal weights. Weights are whole \
           numbers from 1",
    answer: Answer::Server,
};

pub(super) fn ring_hash(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    Ok(Box::new(ring(build, &hosts(build)?)?))
}

/// The ring of hosts.
pub(super) fn ring(build: &Build<'_>, hosts: &[Host<'_>]) -> Result<PointRing, Error> {
    let (least, most) = (build.params.int("min-ring"), build.params.int("max-ring"));
    if least > most {
        return Err(Error::invalid(format!("`min-ring` {least} is above `max-ring` {most}"))
            .help("Envoy refuses such a cluster: raise `max-ring` or lower `min-ring`")
            .field("min-ring"));
    }
    let smallest = hosts.iter().map(|host| host.share).fold(1.0, f64::min);
    let scale = (libm::ceil(smallest * least as f64) / smallest).min(most as f64);
    check_points(scale)?;
    let hasher = match build.params.text("hash") {
        "murmur2" => (hash::find("murmur64a")?.build)(0xc70f_6907, Half::High),
        _ => (hash::find("xxh64")?.build)(0, Half::High),
    };
    let (mut target, mut count) = (0.0, 0.0);
    let points = hosts.iter().map(|host| {
        target += scale * host.share;
        let mut points = Vec::new();
        while count < target {
            points.push(hasher.hash(format!("{}_{}", host.node.name, points.len()).as_bytes()));
            count += 1.0;
        }
        (host.node.id.into(), points)
    });
    PointRing::new(build, column()?, Successor::AtOrAfter, points)
}
