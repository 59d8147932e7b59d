//! The smallest number of nodes that keeps a few given keys apart.

use std::path::Path;

use crate::analysis::explain::forms;
use crate::cluster::Cluster;
use crate::error::{Error, ErrorKind};
use crate::keys::{Digester, KeyBatch};
use crate::params::Params;
use crate::strategy::{Build, Slot, StrategyInfo};

/// Most keys.
pub const MAX_KEYS: usize = 1000;

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Apart {
    /// Number of different keys.
    pub keys: usize,
    /// The least number of nodes on which no two share one; None up to the limit.
    pub nodes: Option<u64>,
    /// Nodes up to which was looked.
    pub most: u64,
    /// Where each key then lives: key and node number; at the last number of nodes where none is enough.
    pub places: Vec<(String, Option<u64>)>,
    /// Keys that share a node on as many nodes as there are keys.
    pub meet_at_start: usize,
    /// Nodes that keep so many keys apart as likely as not, under an ideal hash.
    pub by_chance: f64,
    /// P(an ideal hash keeps them apart on the number found).
    pub p: Option<f64>,
}

/// Looks from as many nodes as keys up to `most`.
///
/// Errors: fewer than two different keys, too many, or a strategy that cannot place them.
pub fn apart(
    info: &'static StrategyInfo,
    params: &Params,
    batch: &mut KeyBatch,
    most: u64,
) -> Result<Apart, Error> {
    let mut texts: Vec<String> = (0..batch.len()).map(|i| batch.key(i).to_string()).collect();
    let mut sorted = texts.clone();
    sorted.sort();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::data(format!("key `{}` is given twice", pair[0]))
            .help("equal keys always share a node: give each once"));
    }
    if !(2..=MAX_KEYS).contains(&texts.len()) {
        return Err(Error::data(format!("{} key(s) to keep apart", texts.len()))
            .help(format!("give 2 to {MAX_KEYS} different keys")));
    }
    let k = texts.len() as u64;
    let most = most.max(k);
    let mut digester: Option<Digester> = None;
    let mut slots = vec![Slot::ABSENT; texts.len()];
    let (mut meet_at_start, mut found) = (0, None);
    for nodes in k..=most {
        place(info, params, batch, nodes, &mut digester, &mut slots)?;
        let mut owners: Vec<Slot> = slots.clone();
        owners.sort_unstable();
        let shared = owners.len() - {
            owners.dedup();
            owners.len()
        };
        if nodes == k {
            meet_at_start = shared;
        }
        if shared == 0 && slots.iter().all(|slot| slot.node().is_some()) {
            found = Some(nodes);
            break;
        }
    }
    let places = texts.drain(..).zip(slots.iter().map(|s| s.node().map(|id| u64::from(id.0))));
    Ok(Apart {
        keys: k as usize,
        nodes: found,
        most,
        places: places.collect(),
        meet_at_start,
        by_chance: forms::nodes_apart(k as f64, 0.5),
        p: found.map(|n| forms::all_apart(k as f64, n as f64)),
    })
}

fn place(
    info: &'static StrategyInfo,
    params: &Params,
    batch: &mut KeyBatch,
    nodes: u64,
    digester: &mut Option<Digester>,
    slots: &mut [Slot],
) -> Result<(), Error> {
    let cluster = Cluster::numbered(nodes as usize, "node{i}");
    let build =
        Build { cluster: &cluster, params, keys: batch.kind(), replicas: 1, base: Path::new(".") };
    let placement = info.place(&build).map_err(|error| match error.kind {
        ErrorKind::Unsupported => {
            Error::unsupported(format!("{} on {nodes} nodes: {}", info.name, error.message))
        }
        _ => error,
    })?;
    // The digests do not depend on the number of nodes.
    let digester = match digester {
        Some(digester) => digester,
        None => digester.insert(Digester::new(placement.columns())),
    };
    digester.compute(batch);
    placement.place(batch, slots);
    Ok(())
}
