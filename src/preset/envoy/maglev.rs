//! `MAGLEV`: the strategy's table, with offsets and skips by XXH64.

use super::{BASE, Host, TABLE_SIZE, VERSION, column, hosts};
use crate::error::Error;
use crate::hash::{self, Half};
use crate::preset::entries::Entries;
use crate::preset::{Answer, PresetInfo};
use crate::strategy::maglev::{Turn, check, populate};
use crate::strategy::{Build, Cost, Order, Placement, StrategyInfo};

/// `MAGLEV`.
pub static MAGLEV: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "envoy_hash.csv",
        name: "envoy-maglev",
        title: "Envoy Maglev",
        summary: "Envoy `MAGLEV`: Maglev's table of 65 537 entries, XXH64",
        order: Order::Free,
        params: &[TABLE_SIZE],
        cost: Cost { lookup: "O(1)", change: "O(M log M)", bytes: "4 M" },
        build: maglev,
        ..BASE
    },
    family: "maglev",
    version: VERSION,
    rule: "hosts by name; offset = XXH64(name, seed 0) mod M, skip = XXH64(name, seed 1) mod (M − 1) + 1; \
           in round r from 1 a host of share s takes part unless r · s is below its target, which then \
           grows by the largest share, and claims the next free entry of its permutation. XXH64 of the \
           key mod M is its entry. Weights are whole numbers from 1",
    answer: Answer::Server,
};

fn maglev(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    Ok(Box::new(table(build, &hosts(build)?)?))
}

/// The table of hosts.
pub(super) fn table(build: &Build<'_>, hosts: &[Host<'_>]) -> Result<Entries, Error> {
    let size = build.params.int("table-size") as u32;
    let weights: Vec<f64> = hosts.iter().map(|host| host.node.weight).collect();
    check(size, &weights)?;
    let mut order: Vec<usize> = (0..hosts.len()).collect();
    order.sort_by(|&a, &b| hosts[a].node.name.cmp(&hosts[b].node.name));
    let xxh64 = hash::find("xxh64")?;
    let [offset, skip] = [0, 1].map(|seed| (xxh64.build)(seed, Half::High));
    let turns = order.iter().map(|&at| {
        let name = hosts[at].node.name.as_bytes();
        Turn::new(offset.hash(name), skip.hash(name), hosts[at].share, size)
    });
    let table = if hosts.is_empty() { Vec::new() } else { populate(size, turns.collect()) };
    let positions = table.into_iter().map(|turn| order[turn as usize]).collect();
    Ok(Entries::new(build, column()?, positions))
}
