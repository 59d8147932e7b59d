//! Cache: a local cache in front of the nodes that answers reads of the hottest keys.

use std::sync::Arc;

use super::RemedyInfo;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::scenario::{Cache, Cell};

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "cache",
    summary: "a cache in every client that answers a share of the reads of the hottest keys",
    source: "B. Fan et al., Small Cache, Big Effect, 2011, https://doi.org/10.1145/2038916.2038939",
    price: "memory in every client, and reads that are as old as the entry; writes pass",
    params: &[
        Param::new(
            "keys",
            Type::Int { min: 1, max: 1_000_000_000 },
            Default::Int(100),
            "number of the hottest keys that it holds: the named ones first, then by rank",
        ),
        Param::new(
            "hit",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.9),
            "share of the reads of a key that it holds and answers",
        ),
        Param::new(
            "instances",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Int(1),
            "clients with a cache each",
        ),
    ],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    if !cell.workload.loads().contains(&"requests") {
        return Err(Error::invalid("a cache in front has no requests to answer")
            .help("give [traffic], or a key file with a `requests` column"));
    }
    let cache = Cache {
        keys: params.int("keys") as u64,
        hit: params.float("hit"),
        instances: params.int("instances") as u64,
    };
    let workload = crate::scenario::Workload { cache: Some(cache), ..(*cell.workload).clone() };
    Ok(Cell { workload: Arc::new(workload), ..cell.clone() })
}
