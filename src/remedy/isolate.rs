//! Isolate: some keys, or all keys of a tenant, on a node of their own, by a rule in front of the strategy.

use std::sync::Arc;

use super::{RemedyInfo, next_step};
use crate::cluster::{Change, ChangeKind, Cluster, Isolation, Node};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::scenario::Cell;

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "isolate",
    summary: "one key, or all keys that begin alike, on one more node that holds nothing else",
    source: "isolate_tenant_to_new_shard of Citus, https://docs.citusdata.com/en/stable/admin_guide/cluster_management.html#tenant-isolation",
    price: "a node more, a rule that every client must know, and the tenant's keys moved; the tenant's own load stays on one node",
    params: &[
        Param::new("key", Type::Text, Default::Absent, "the key; or else `prefix`"),
        Param::new(
            "prefix",
            Type::Text,
            Default::Absent,
            "how the text of every key of the tenant begins, e.g. tenant0:",
        ),
        Param::new("node", Type::Name, Default::Text("isolated"), "name of the new node"),
        Param::new("weight", Type::Weight, Default::Float(1.0), "weight of the new node"),
    ],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let (key, prefix) = (params.text_opt("key"), params.text_opt("prefix"));
    if key.is_some() == prefix.is_some() {
        return Err(Error::invalid("`isolate` needs either `key` or `prefix`")
            .help("write key = \"user:9527\" for one key, prefix = \"tenant0:\" for a tenant"));
    }
    let name = params.text("node");
    let ids = cell.steps[0].cluster.ids;
    let taken = |cluster: &Cluster| cluster.nodes.iter().any(|node| &*node.name == name);
    if cell.steps.iter().any(|step| taken(&step.cluster)) {
        return Err(Error::invalid(format!("a node is called `{name}` already"))
            .help("give the new node another name with `node`")
            .field("node"));
    }
    let node = Node { weight: params.float("weight"), ..Node::named(ids as u32, name) };
    let isolation = Isolation {
        text: key.or(prefix).unwrap_or_default().to_string(),
        whole: key.is_some(),
        node: node.id,
    };
    let what =
        if isolation.whole { isolation.text.clone() } else { format!("{}…", isolation.text) };
    let text = format!("isolate {what} on {name}");
    let mut new = next_step(cell, Change { kind: ChangeKind::Isolate(isolation), text });
    let mut steps = cell.steps.clone();
    let mut after = (*new.cluster).clone();
    after.nodes.push(node);
    new.cluster = Arc::new(after);
    steps.push(new);
    // Every step's tables have room for every node of the path.
    for step in &mut steps {
        step.cluster = Arc::new(Cluster { ids: ids + 1, ..(*step.cluster).clone() });
    }
    Ok(Cell { steps, ..cell.clone() })
}
