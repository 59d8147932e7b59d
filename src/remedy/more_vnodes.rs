//! More virtual nodes: what articles recommend against skew, and what cannot help against one hot key.

use super::{RemedyInfo, next_step};
use crate::cluster::{Change, ChangeKind};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::scenario::Cell;

/// The parameter that it multiplies.
const VNODES: &str = "vnodes";

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "more-vnodes",
    summary: "so many times as many virtual nodes on every node",
    source: "the usual advice of articles on consistent hashing",
    price: "a larger table, and keys moved by the new points; a key is as hot as before",
    params: &[Param::new(
        "times",
        Type::Int { min: 2, max: 1000 },
        Default::Int(10),
        "factor on the number of virtual nodes",
    )],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let last = cell.steps.last().expect("a cell has step 0");
    let declared = last.strategy.params.iter().find(|p| p.name == VNODES);
    let (Some(param), Some(Value::Int(vnodes))) = (declared, last.params.get(VNODES)) else {
        let name = last.strategy.name;
        return Err(Error::unsupported(format!("{name} has no virtual nodes")));
    };
    let more = Value::Int(vnodes.saturating_mul(params.int("times")));
    let more = param.check(more).map_err(|error| Error::unsupported(error.message))?;
    let text = format!("set {VNODES} = {more}");
    let kind = ChangeKind::Set(vec![(VNODES.into(), more.clone())]);
    let mut step = next_step(cell, Change { kind, text });
    step.params.set(VNODES, more);
    step.rebuilt = true;
    let mut steps = cell.steps.clone();
    steps.push(step);
    Ok(Cell { steps, ..cell.clone() })
}
