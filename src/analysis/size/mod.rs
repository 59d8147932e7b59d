//! The inverse question: how much of it is enough?
//!
//! * [`peak`]: virtual nodes, points, buckets, table entries or probes that keep max over mean below a
//!   bound with a stated confidence, now and after growth. One knob a file, [`ALL`] the list.
//! * [`noise`]: keys until sampling noise is small.
//! * [`apart`]: the smallest number of nodes that keeps a few given keys apart.
//!
//! What theory answers sharply comes from theory; the rest from trials, with their number and interval.

pub mod apart;
mod cells;
pub mod noise;
pub mod peak;
mod points;
mod probes;

use std::path::Path;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::keys::KeyKind;
use crate::params::{Params, Type, Value};
use crate::strategy::{Build, StrategyInfo};

/// What is asked of a strategy.
#[derive(Debug, Clone, Copy)]
pub struct Need<'a> {
    /// The strategy.
    pub strategy: &'static StrategyInfo,
    /// Its parameters; the knob's own value is what is looked for.
    pub params: &'a Params,
    /// Nodes now.
    pub nodes: u64,
    /// Nodes after growth; the same where none is planned.
    pub grow_to: u64,
    /// Bound on max over mean, above 1.
    pub max_over_mean: f64,
    /// Probability with which it holds.
    pub confidence: f64,
    /// Number of keys, whose noise then counts too. None: the shares themselves.
    pub keys: Option<u64>,
}

/// Steps of a look-up, by nodes and value of a knob: how many, and what is counted.
type Steps = fn(u64, u64) -> (f64, &'static str);

/// A parameter that makes a strategy more even.
#[derive(Debug)]
pub struct Knob {
    /// The parameter.
    pub param: &'static str,
    /// Finds the least value that is enough.
    size: fn(&Need<'_>, Range) -> Result<Found, Error>,
    /// Steps of a look-up, by nodes and value: a number, and what is counted.
    steps: Steps,
}

/// The knobs; a strategy has the first whose parameter it declares.
pub static ALL: &[&Knob] =
    &[&points::VNODES, &points::POINTS, &cells::BUCKETS, &cells::TABLE_SIZE, &probes::PROBES];

/// Allowed values of a knob.
#[derive(Debug, Clone, Copy)]
pub struct Range {
    /// Least.
    pub min: u64,
    /// Largest.
    pub max: u64,
}

/// Where an answer comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Counting: no chance in it.
    Exact,
    /// Bounds of theory: no value below `least` can do, the one given always does.
    Theory {
        /// No value below this can do.
        least: u64,
    },
    /// So many draws; between `least` and the value given the 99 % interval holds the confidence.
    Trials {
        /// Draws of each value that was tried.
        count: u32,
        /// The least value whose interval reaches the confidence.
        least: u64,
        /// 99 % interval of the probability at the value given.
        interval: [f64; 2],
    },
    /// There is nothing to choose.
    Fixed,
}

/// What a knob found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    /// The value.
    pub value: u64,
    /// Where it comes from.
    pub method: Method,
}

/// The knob of a strategy, and the range of its values.
pub fn knob(info: &'static StrategyInfo) -> Option<(&'static Knob, Range)> {
    ALL.iter().find_map(|knob| {
        let param = info.params.iter().find(|p| p.name == knob.param)?;
        match param.ty {
            Type::Int { min, max } => {
                Some((*knob, Range { min: min.max(1) as u64, max: max.max(1) as u64 }))
            }
            _ => None,
        }
    })
}

/// The parameters with the knob at this value.
fn with(need: &Need<'_>, param: &'static str, value: u64) -> Params {
    let mut params = need.params.clone();
    params.set(param, Value::Int(value as i64));
    params
}

/// What a placement of so many nodes takes: points, bytes.
fn cost(info: &'static StrategyInfo, params: &Params, nodes: u64) -> Result<(u64, u64), Error> {
    let cluster = Cluster::numbered(nodes as usize, "node{i}");
    let keys = if info.caps.integer_keys { KeyKind::I64 } else { KeyKind::Text };
    let build = Build { cluster: &cluster, params, keys, replicas: 1, base: Path::new(".") };
    let placement = info.place(&build)?;
    Ok((placement.points(), placement.heap_bytes()))
}

/// The least value from `low` on for which `enough` holds, which then holds for all larger ones; None if
/// it does not hold at `high`.
fn least(low: u64, high: u64, mut enough: impl FnMut(u64) -> bool) -> Option<u64> {
    let (mut fails, mut holds) = (low.saturating_sub(1), low.max(1));
    while !enough(holds) {
        if holds >= high {
            return None;
        }
        fails = holds;
        holds = holds.saturating_mul(2).min(high);
    }
    while holds - fails > 1 {
        let middle = fails + (holds - fails) / 2;
        if enough(middle) { holds = middle } else { fails = middle }
    }
    Some(holds)
}

/// The need cannot be met.
fn impossible(need: &Need<'_>, why: String) -> Error {
    Error::unsupported(format!(
        "{} cannot keep max over mean below {} with confidence {} on {} nodes",
        need.strategy.name, need.max_over_mean, need.confidence, need.grow_to
    ))
    .help(why)
}

#[cfg(test)]
mod tests;
