//! Remedies for hot keys, hot buckets and big tenants: what a cell would look like with one.
//!
//! `[[remedy]]` makes of every cell of a scenario a star: the cell as it is, and one more for each remedy,
//! told apart by the axis `remedy`. A remedy changes what a cell already has: its traffic (a split key, a
//! cache in front), its strategy (bounded load), or the end of its path (more virtual nodes, a node for one
//! tenant, buckets given to others by load, weights that follow the load). So it is replayed, tallied and
//! charted like any cell, and its price is read off against the cell without it.
//!
//! To add one: a file with its `INFO`, and two lines here.

pub mod bounded_load;
pub mod cache;
pub mod feedback;
pub mod isolate;
pub mod more_vnodes;
pub mod reassign;
pub mod split;

use crate::cluster::Change;
use crate::error::Error;
use crate::params::{Param, Params};
use crate::scenario::{Cell, Step};

/// A remedy: static facts and what it makes of a cell.
#[derive(Debug)]
pub struct RemedyInfo {
    /// Name in `[[remedy]] kind = "…"`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Who recommends it, or where it is described.
    pub source: &'static str,
    /// What it costs; one sentence without a full stop.
    pub price: &'static str,
    /// Declared parameters.
    pub params: &'static [Param],
    /// The cell with the remedy. An error of the kind `unsupported` says why the cell cannot have it.
    pub apply: fn(&Params, &Cell) -> Result<Cell, Error>,
}

/// Two are the same when their names are.
impl PartialEq for RemedyInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All remedies, in the order in which lists show them.
pub static ALL: &[&RemedyInfo] = &[
    &split::INFO,
    &cache::INFO,
    &bounded_load::INFO,
    &isolate::INFO,
    &more_vnodes::INFO,
    &reassign::INFO,
    &feedback::INFO,
];

/// The remedy of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static RemedyInfo, Error> {
    ALL.iter()
        .copied()
        .find(|r| r.name == name)
        .ok_or_else(|| Error::unknown("remedy", name, ALL.iter().map(|r| r.name)))
}

/// The last step of a cell once more, with a change that leads there.
fn next_step(cell: &Cell, change: Change) -> Step {
    let last = cell.steps.last().expect("a cell has step 0");
    Step { change: Some(change), rebuilt: false, ..last.clone() }
}

/// The load that a remedy goes by: what is asked for, or the first of requests, bytes and keys that there is.
fn load(params: &Params, cell: &Cell) -> Result<String, Error> {
    let loads = cell.workload.loads();
    match params.text_opt("load") {
        Some(load) if loads.contains(&load) => Ok(load.to_string()),
        Some(load) => Err(Error::invalid(format!("no key carries the load `{load}`"))
            .help(format!("loads of this scenario: {}", loads.join(", ")))
            .field("load")),
        None => {
            let usual = ["requests", "bytes", "keys"];
            let first =
                usual.iter().find(|load| loads.contains(load)).expect("keys are always there");
            Ok((*first).to_string())
        }
    }
}

/// `load`: which load is measured.
const LOAD: Param = Param::new(
    "load",
    crate::params::Type::Choice(crate::metrics::LOADS),
    crate::params::Default::Absent,
    "load that is measured; the first of requests, bytes and keys that there is when absent",
);
