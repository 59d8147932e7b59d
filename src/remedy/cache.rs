//! Cache: a local cache in front of the nodes that answers reads of the hottest keys.

use std::sync::Arc;

use super::RemedyInfo;
use crate::error::Error;
use crate::params::Params;
use crate::scenario::{CACHE_PARAMS, Cache, Cell};

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "cache",
    summary: "a cache in every client that answers a share of the reads of the hottest keys",
    source: "B. Fan et al., Small Cache, Big Effect, 2011, https://doi.org/10.1145/2038916.2038939",
    price: "memory in every client, and reads that are as old as the entry; writes pass",
    params: CACHE_PARAMS,
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
