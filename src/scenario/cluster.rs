//! The `[cluster]` table: a number of nodes, a list of nodes, or a server list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::fields::{CLUSTER, HEADROOM_TYPE, MAX_HISTORY_NODES, MAX_NODES, NODE};
use super::table::{self, Axis};
use super::tree::{Item, Table};
use crate::cluster::map::{self, ClusterMap};
use crate::cluster::path::Start;
use crate::cluster::{Node, server_list};
use crate::error::{Error, ErrorKind, Place};
use crate::params::{Param, Params, Type, Value};

/// A cluster of the sweep: what every path starts from, and the swept axes by dotted name.
#[derive(Debug)]
pub struct ClusterVariant {
    /// What every path starts from.
    pub start: Start,
    /// Where the table stands.
    pub place: Place,
    /// Swept axes and their values here.
    pub swept: Vec<(String, Value)>,
    /// The map that it was read from.
    pub map: Option<Arc<ClusterMap>>,
}

/// All clusters that the table spans, in file order of its axes. None: something is wrong and
/// reported.
pub fn read(
    root: &Table,
    base: &Path,
    limit: usize,
    errors: &mut Vec<Error>,
) -> Option<Vec<ClusterVariant>> {
    let Some(item) = root.get("cluster") else {
        errors.push(
            Error::invalid("`[cluster]` is missing")
                .help("give it, e.g. `nodes = 16`")
                .at(root.place.clone()),
        );
        return None;
    };
    let table = table::as_table(item, "cluster", errors)?;
    let axes = table::closed_axes(table, &CLUSTER, errors)?;
    let ways: Vec<&str> = ["nodes", "node", "servers", "from"]
        .into_iter()
        .filter(|way| table.get(way).is_some())
        .collect();
    if ways.len() != 1 {
        errors.push(wrong_ways(table, &ways));
        return None;
    }
    let room = Room::read(table, errors)?;
    if let Some(format) = table.entry("format").filter(|_| ways[0] != "from") {
        errors.push(
            Error::invalid("`format` does not belong to this cluster")
                .help("it says how the map is written that `from` names")
                .at(format.key_place.clone()),
        );
        return None;
    }
    let map = match ways[0] {
        "from" => Some(Arc::new(from(table, base, errors)?)),
        _ => None,
    };
    let listed = match ways[0] {
        "node" => Some(listed(table, errors)?),
        "servers" => Some(servers(table, base, errors)?),
        _ => map.as_ref().map(|map| map.nodes.clone()),
    };
    let Some(combinations) = table::product(&axes, limit) else {
        errors.push(table::too_many_cells("too many", limit, table.place.clone()));
        return None;
    };
    let mut variants = Vec::new();
    let mut budget = MAX_HISTORY_NODES;
    for chosen in combinations {
        let pairs = axes.iter().zip(&chosen);
        let given = pairs.clone().map(|(a, &i)| (a.name.to_string(), a.values[i].clone()));
        let params = Params::from_pairs(CLUSTER.params, given.collect()).expect("checked");
        let swept = pairs
            .filter(|(axis, _)| axis.swept)
            .map(|(a, &i): (&Axis, _)| (format!("cluster.{}", a.name), a.values[i].clone()))
            .collect();
        let template = params.text("name").to_string();
        if !template.contains("{i}") {
            errors.push(
                Error::invalid(format!("the name `{template}` is the same for every node"))
                    .help("put `{i}` where the node's number belongs")
                    .at(table.place_of("name")),
            );
            return None;
        }
        let weight = params.get("weight").map_or(1.0, |_| params.float("weight"));
        let count = listed.as_ref().map_or_else(|| params.int("nodes") as usize, Vec::len);
        let Some(left) = budget.checked_sub(count) else {
            errors.push(
                Error::invalid("the clusters of the sweep have too many nodes together")
                    .help(format!("at most {}", MAX_HISTORY_NODES))
                    .at(table.place_of("nodes")),
            );
            return None;
        };
        budget = left;
        let mut nodes = listed.clone().unwrap_or_else(|| numbered(count, &template, weight));
        nodes.iter_mut().for_each(|node| room.lend(node));
        let mut joining = Node { weight, ..Node::named(0, "") };
        room.lend(&mut joining);
        let buckets = map.as_ref().and_then(|map| map.buckets.clone());
        let start = Start { nodes, template, joining, map: buckets };
        let place = table.place.clone();
        variants.push(ClusterVariant { start, place, swept, map: map.clone() });
    }
    Some(variants)
}

fn wrong_ways(table: &Table, ways: &[&str]) -> Error {
    let error = match ways {
        [] => Error::invalid("[cluster] has no nodes").at(table.place.clone()),
        [_, second, ..] => {
            let place = table.entry(second).expect("it is there").key_place.clone();
            Error::invalid(format!("[cluster] has both `{}` and `{second}`", ways[0])).at(place)
        }
        [_] => unreachable!("one way is right"),
    };
    error.help("give one of `nodes = 16`, `[[cluster.node]]` tables, `servers = \"file\"`, or `from = \"file\"`")
}

fn numbered(count: usize, template: &str, weight: f64) -> Vec<Node> {
    (0..count)
        .map(|i| Node { weight, ..Node::named(0, &template.replace("{i}", &i.to_string())) })
        .collect()
}

fn default_weight(table: &Table) -> f64 {
    table.get("weight").and_then(|item| item.value().as_f64()).unwrap_or(1.0)
}

fn listed(table: &Table, errors: &mut Vec<Error>) -> Option<Vec<Node>> {
    let before = errors.len();
    let item = table.get("node").expect("the caller has looked");
    let tables = table::as_tables(item, "cluster.node", errors);
    let weight = default_weight(table);
    let nodes: Vec<(Node, &Table)> =
        tables.into_iter().filter_map(|t| Some((node(t, weight, errors)?, t))).collect();
    if errors.len() == before {
        check_list(&nodes, item, errors);
    }
    (errors.len() == before).then(|| nodes.into_iter().map(|(node, _)| node).collect())
}

/// Names and explicit ids are unique, and there is at least one node.
fn check_list(nodes: &[(Node, &Table)], item: &Item, errors: &mut Vec<Error>) {
    if nodes.is_empty() || nodes.len() > MAX_NODES {
        errors.push(
            Error::invalid(format!("the cluster has {} nodes", nodes.len()))
                .help(format!("allowed: 1 to {MAX_NODES}"))
                .at(item.place.clone()),
        );
        return;
    }
    let mut names: BTreeMap<&str, &Table> = BTreeMap::new();
    let mut ids: BTreeMap<u32, &Table> = BTreeMap::new();
    for (node, table) in nodes {
        if let Some(first) = names.insert(&node.name, table) {
            errors.push(twice(
                format!("two nodes are called `{}`", node.name),
                "name",
                table,
                first,
            ));
        }
        if let Some(id) = node.server_id
            && let Some(first) = ids.insert(id, table)
        {
            errors.push(twice(format!("two nodes have the id {id}"), "id", table, first));
        }
    }
}

fn twice(message: String, field: &str, second: &Table, first: &Table) -> Error {
    let (line, _) = first.place_of(field).line_column();
    Error::invalid(message)
        .help(format!("the first is in line {line}; each node needs its own"))
        .at(second.place_of(field))
}

/// One node from its table, of the given weight if it states none.
pub fn node(table: &Table, weight: f64, errors: &mut Vec<Error>) -> Option<Node> {
    let params = table::closed(table, &NODE, errors)?;
    let name = params.text("name");
    let text = |field: &str| params.text_opt(field).map(Arc::from);
    let int = |field: &str| params.get(field).map(|_| params.int(field));
    Some(Node {
        weight: params.get("weight").map_or(weight, |_| params.float("weight")),
        zone: text("zone"),
        rack: text("rack"),
        host: text("host"),
        port: int("port").map(|port| port as u16),
        server_id: int("id").map(|id| id as u32),
        capacity: capacity(table, errors)?,
        headroom: headroom(table, errors)?,
        ..Node::named(0, name)
    })
}

static CAPACITY: Param = Param::new(
    "capacity",
    Type::Int { min: 0, max: i64::MAX },
    crate::params::Default::Absent,
    "what the node can bear",
);

static HEADROOM: Param = Param::new(
    "headroom",
    HEADROOM_TYPE,
    crate::params::Default::Absent,
    "what the node can bear ÷ its fair load",
);

fn capacity(table: &Table, errors: &mut Vec<Error>) -> Option<BTreeMap<Arc<str>, u64>> {
    let bounds = by_load(table, &CAPACITY, errors)?.into_iter();
    let whole = |(load, value): (Arc<str>, Value)| match value {
        Value::Int(bound) => (load, bound as u64),
        other => unreachable!("checked to be a whole number: {other}"),
    };
    Some(bounds.map(whole).collect())
}

fn headroom(table: &Table, errors: &mut Vec<Error>) -> Option<BTreeMap<Arc<str>, f64>> {
    let factors = by_load(table, &HEADROOM, errors)?.into_iter();
    Some(factors.map(|(load, value)| (load, value.as_f64().expect("checked"))).collect())
}

/// A table of values by load.
fn by_load(
    table: &Table,
    param: &'static Param,
    errors: &mut Vec<Error>,
) -> Option<Vec<(Arc<str>, Value)>> {
    let Some(item) = table.get(param.name) else { return Some(Vec::new()) };
    let mut values = Vec::new();
    for entry in &table::as_table(item, param.name, errors)?.entries {
        if !crate::metrics::LOADS.contains(&entry.key.as_str()) {
            let error = Error::unknown("load", &entry.key, crate::metrics::LOADS.iter().copied());
            errors.push(error.at(entry.key_place.clone()));
            return None;
        }
        values.push((entry.key.as_str().into(), table::check(param, &entry.item, errors)?));
    }
    Some(values)
}

/// What `[cluster]` says of the capacity of nodes that do not say it themselves.
struct Room {
    capacity: BTreeMap<Arc<str>, u64>,
    headroom: BTreeMap<Arc<str>, f64>,
}

impl Room {
    fn read(table: &Table, errors: &mut Vec<Error>) -> Option<Self> {
        Some(Room { capacity: capacity(table, errors)?, headroom: headroom(table, errors)? })
    }

    /// A load for which the node has either is left as it is.
    fn lend(&self, node: &mut Node) {
        let own: BTreeSet<Arc<str>> =
            node.capacity.keys().chain(node.headroom.keys()).cloned().collect();
        let lacks = |load: &Arc<str>| !own.contains(load);
        let capacity = self.capacity.iter().filter(|(load, _)| lacks(load));
        node.capacity.extend(capacity.map(|(load, bound)| (load.clone(), *bound)));
        let headroom = self.headroom.iter().filter(|(load, _)| lacks(load));
        node.headroom.extend(headroom.map(|(load, factor)| (load.clone(), *factor)));
    }
}

/// The map of a real cluster.
fn from(table: &Table, base: &Path, errors: &mut Vec<Error>) -> Option<ClusterMap> {
    let file = table.get("from")?.value().to_string();
    let format = table.get("format").map(|item| item.value().to_string());
    if let Some(Err(error)) = format.as_deref().map(map::find) {
        errors.push(error.at(table.place_of("format")));
        return None;
    }
    let read = map::read(&base.join(&file), &file, format.as_deref());
    let read = read.map_err(|error| match error.kind {
        ErrorKind::Io => error.help("a relative path starts from the scenario's folder"),
        _ => error,
    });
    match read {
        Ok(map) if map.nodes.len() <= MAX_NODES => Some(map),
        Ok(map) => {
            let message = format!("`{file}` has {} nodes", map.nodes.len());
            let error = Error::invalid(message).help(format!("at most {MAX_NODES}"));
            errors.push(error.at(table.place_of("from")));
            None
        }
        Err(error) => {
            errors.push(error.at(table.place_of("from")));
            None
        }
    }
}

fn servers(table: &Table, base: &Path, errors: &mut Vec<Error>) -> Option<Vec<Node>> {
    let place = table.place_of("servers");
    let file = table.get("servers")?.value().to_string();
    let nodes = server_list::read(&base.join(&file), &file).map_err(|error| match error.kind {
        ErrorKind::Io => error.help("a relative path starts from the scenario's folder"),
        _ => error,
    });
    match nodes {
        Ok(nodes) if (1..=MAX_NODES).contains(&nodes.len()) => Some(nodes),
        Ok(nodes) => {
            let message = format!("`{file}` lists {} servers", nodes.len());
            errors
                .push(Error::invalid(message).help(format!("allowed: 1 to {MAX_NODES}")).at(place));
            None
        }
        Err(error) => {
            errors.push(error.at(place));
            None
        }
    }
}
