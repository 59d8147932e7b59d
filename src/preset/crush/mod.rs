//! Ceph's CRUSH: object → placement group → OSDs.
//!
//! # Source
//! crushtool and osdmaptool 16.2.15; S. Weil et al., "CRUSH: Controlled, Scalable, Decentralized Placement of
//! Replicated Data", SC 2006; <https://docs.ceph.com/en/pacific/rados/operations/crush-map/>.
//!
//! # Choices made where the source is silent
//! - A node is the OSD of its `id`, else of its number in the scenario; it need not be in the map.
//! - Places without an OSD are absent.

mod choose;
mod map;

use self::choose::Choice;
use self::map::{Map, Rule, device, fixed};
use super::partitions::{column, takes};
use super::{Answer, PresetInfo};
use crate::cluster::Node;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind};
use crate::params::{Default, Param, Type, Value};
use crate::strategy::crush::hash32_2;
use crate::strategy::support::{digest_step, step};
use crate::strategy::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
    Weights,
};
use crate::text_file;

/// Longest map that is read: some megabytes hold ten thousand OSDs.
const MAX_BYTES: u64 = 64 << 20;

/// CRUSH.
pub static CRUSH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "ceph_crush_mappings.csv, ceph_object_to_pg.csv, ceph_pg_to_osds_128.csv",
        name: "crush",
        title: "Ceph CRUSH",
        summary: "Ceph CRUSH: an object's placement group, and its OSDs by straw2 over hosts",
        source: "Ceph 16.2.15; Weil et al. (2006), https://doi.org/10.1145/1188455.1188582",
        caps: Caps { weights: Weights::Rounded, replicas: true, ..Caps::NONE },
        movement: Movement::Bounded,
        history: History::Free,
        order: Order::Free,
        params: &[MAP, RULE, PG_NUM, POOL, REWEIGHT],
        cost: Cost { lookup: "O(1)", change: "O(pg-num · n)", bytes: "4 · pg-num · replicas" },
        build,
    },
    family: "rendezvous",
    version: "crushtool and osdmaptool 16.2.15, tunables of profile jewel",
    rule: "ps = rjenkins(name); pg = ps mod m with m the least power of two that is no less than pg-num, by \
           the low bits, or mod m/2 if that is no group; x = hash32_2(pg, pool). Integer keys are x itself, as \
           `crushtool --test` takes it. From the rule's root down, each bucket gives the item of the largest \
           ln(hash32_3(x, item, round) mod 2^16) / weight, in integers; firstn starts replica r at round r and \
           goes on by one past items that are taken or out, 51 rounds; chooseleaf chooses an OSD below a host \
           in the same round; indep tries all open places round by round, place + replicas · round. An OSD with a \
           reweight is out if hash32_2(x, osd) mod 2^16 is not below it. Without a map the root holds the racks, else \
           the zones, of the nodes as hosts (rules host, host-indep), or all nodes (flat)",
    answer: Answer::Server,
};

const MAP: Param = Param::new(
    "map",
    Type::File,
    Default::Absent,
    "text of a CRUSH map as `crushtool -d` writes it; absent: the nodes, with their weights",
);

const RULE: Param = Param::new(
    "rule",
    Type::Text,
    Default::Absent,
    "name or number of a rule of the map, or without one `flat`, `host` or `host-indep`; absent: the first",
);

/// Most placement groups, which bounds the table.
const MOST_GROUPS: i64 = 1 << 16;

const PG_NUM: Param = Param::new(
    "pg-num",
    Type::Int { min: 1, max: MOST_GROUPS },
    Default::Int(128),
    "placement groups of the pool (pg_num and pgp_num)",
);

const POOL: Param = Param::new(
    "pool",
    Type::Int { min: 0, max: u32::MAX as i64 },
    Default::Int(1),
    "number of the pool",
);

const REWEIGHT: Param = Param::new(
    "reweight",
    Type::List(&Type::Text),
    Default::Absent,
    "reweights of OSDs from 0 (out) to 1, each written `3=0.5`; absent: all 1",
);

#[derive(Debug)]
struct Crush {
    columns: Box<[ColumnSpec]>,
    map: Map,
    rule: Rule,
    reweights: Vec<u32>,
    pool: u32,
    replicas: usize,
    /// Nodes of each group's replicas, group by group; empty for integer keys.
    groups: Vec<Slot>,
    pg_num: u32,
    /// Node of each OSD; None where OSDs are numbers.
    nodes: Option<Vec<Slot>>,
}

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let why = "object names are texts, inputs of CRUSH integers";
    takes(build, &[KeyKind::Text, KeyKind::Bytes, KeyKind::I64, KeyKind::U64], why)?;
    let nodes = &build.cluster.nodes;
    let map = match build.params.text_opt("map") {
        Some(file) => {
            let map = Map::parse(&read(build, file)?, file)?;
            has_devices(&map, file, nodes)?;
            map
        }
        None if nodes.is_empty() => {
            return Err(
                Error::invalid("no OSDs are given").help("give `map`, or a cluster with nodes")
            );
        }
        None => Map::of_cluster(build.cluster)?,
    };
    let rule = map.rule(build.params.text_opt("rule"))?.clone();
    let objects = !build.keys.is_integer();
    let mut crush = Crush {
        columns: if objects { [column("ceph-rjenkins", "whole", 0)?].into() } else { [].into() },
        reweights: reweights(build, map.devices)?,
        map,
        rule,
        pool: build.params.int("pool") as u32,
        replicas: build.replicas,
        groups: Vec::new(),
        pg_num: build.params.int("pg-num") as u32,
        nodes: (!nodes.is_empty()).then(|| {
            let most = nodes.iter().map(device).max().unwrap_or(0);
            let mut slots = vec![Slot::ABSENT; most as usize + 1];
            nodes.iter().for_each(|node| slots[device(node) as usize] = node.id.into());
            slots
        }),
    };
    if objects {
        let mut groups = vec![Slot::ABSENT; crush.pg_num as usize * crush.replicas];
        for (group, slots) in (0..).zip(groups.chunks_exact_mut(crush.replicas)) {
            crush.choose(hash32_2(group, crush.pool), slots);
        }
        crush.groups = groups;
    }
    Ok(Box::new(crush))
}

fn read(build: &Build<'_>, file: &str) -> Result<String, Error> {
    text_file::read(&build.base.join(file), file, MAX_BYTES).map_err(|error| error.field("map"))
}

/// Refuses nodes that the map's devices do not have among them.
fn has_devices(map: &Map, file: &str, nodes: &[Node]) -> Result<(), Error> {
    match nodes.iter().find(|node| device(node) >= map.devices) {
        None => Ok(()),
        Some(node) => Err(Error::unsupported(format!(
            "node {} is osd.{}, and the map `{file}` has osd.0 to osd.{}",
            node.name,
            device(node),
            i64::from(map.devices) - 1
        ))
        .help("give nodes the `id` of their OSD, or a map that has them")
        .field("map")),
    }
}

/// Reweights in 1/65 536 by OSD.
fn reweights(build: &Build<'_>, devices: u32) -> Result<Vec<u32>, Error> {
    let mut all = vec![0x1_0000; devices as usize];
    for item in build.params.list("reweight").unwrap_or_default() {
        let Value::Text(text) = item else { continue };
        let pair = text.split_once('=').and_then(|(osd, weight)| {
            let weight: f64 = weight.trim().parse().ok()?;
            Some((osd.trim().parse::<usize>().ok()?, weight))
                .filter(|(_, w)| (0.0..=1.0).contains(w))
        });
        let slot = pair.and_then(|(osd, weight)| Some((all.get_mut(osd)?, weight)));
        let Some((slot, weight)) = slot else {
            return Err(Error::invalid(format!("`{text}` is no reweight of an OSD"))
                .help(format!("write `OSD=WEIGHT`, an OSD below {devices}, a weight from 0 to 1"))
                .field("reweight"));
        };
        *slot = fixed(weight)?;
    }
    Ok(all)
}

impl Crush {
    /// The nodes for an input; places that are not filled become absent.
    fn choose(&self, x: u32, out: &mut [Slot]) {
        let choice = Choice { map: &self.map, reweights: &self.reweights, x };
        let mut devices = choice.run(&self.rule, out.len() as u32).into_iter();
        for slot in out {
            *slot = devices.next().flatten().map_or(Slot::ABSENT, |osd| self.slot(osd));
        }
    }

    fn slot(&self, osd: u32) -> Slot {
        match &self.nodes {
            None => Slot(osd),
            Some(nodes) => nodes.get(osd as usize).copied().unwrap_or(Slot::ABSENT),
        }
    }

    /// The placement group of an object's hash: `ceph_stable_mod`.
    fn group(&self, hash: u64) -> u32 {
        let mask = self.pg_num.next_power_of_two() - 1;
        let group = hash as u32 & mask;
        if group < self.pg_num { group } else { group & (mask >> 1) }
    }
}

impl Placement for Crush {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let slots = out.chunks_exact_mut(self.replicas);
        match self.columns.first() {
            Some(column) => {
                for (slots, &hash) in slots.zip(batch.digests(column)) {
                    let at = self.group(hash) as usize * self.replicas;
                    slots.copy_from_slice(&self.groups[at..at + self.replicas]);
                }
            }
            None => {
                for (slots, &x) in slots.zip(&batch.ints) {
                    match u32::try_from(x) {
                        Ok(x) => self.choose(x, slots),
                        Err(_) => slots.fill(Slot::REFUSED),
                    }
                }
            }
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let mut steps = Vec::new();
        let given = batch.ints.first().copied().unwrap_or(0);
        let Ok(mut x) = u32::try_from(given) else {
            steps.push(step("the system refuses the key", "CRUSH has inputs of 32 bits"));
            return Explanation { steps, slot: Slot::REFUSED };
        };
        if let Some(column) = self.columns.first() {
            let hash = batch.digests(column)[0];
            steps.push(digest_step(column, key, hash));
            let group = self.group(hash);
            steps.push(step("placement group", format!("{}.{group:x}", self.pool)));
            x = hash32_2(group, self.pool);
        }
        let mut slots = vec![Slot::ABSENT; self.replicas];
        self.place(&batch, &mut slots);
        steps.push(step("input of CRUSH", x));
        let choice = Choice { map: &self.map, reweights: &self.reweights, x };
        let osds: Vec<String> = choice
            .run(&self.rule, self.replicas as u32)
            .iter()
            .map(|osd| osd.map_or("none".into(), |osd| format!("osd.{osd}")))
            .collect();
        steps.push(step(format!("OSDs by rule {}", self.rule.name), osds.join(" ")));
        Explanation { steps, slot: slots[0] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.groups.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.groups.len() as u64
    }
}

#[cfg(test)]
mod tests;
