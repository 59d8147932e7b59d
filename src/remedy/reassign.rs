//! Reassign: buckets or chunks go from the busiest node to the idlest by their measured load.

use super::{LOAD, RemedyInfo, load, next_step};
use crate::cluster::{Change, ChangeKind};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::scenario::{Cell, Control, Rule};

/// Parameters that say how many buckets a strategy has.
const COUNTS: &[&str] = &["buckets", "chunks", "merchants"];

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "reassign",
    summary: "buckets or chunks go by their measured load, the best one at a time, from the busiest node to the idlest",
    source: "the balancers of MongoDB and Apache HBase; hot-shard split of middleware for sharding",
    price: "buckets moved, and a map that every client must follow; a bucket with one hot key stays as hot",
    params: &[
        LOAD,
        Param::new(
            "split",
            Type::Int { min: 1, max: 1024 },
            Default::Int(1),
            "pieces that every bucket is cut into first; 1 leaves them whole",
        ),
        Param::new(
            "moves",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Absent,
            "most buckets that may move; as many as help when absent",
        ),
    ],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let last = cell.steps.last().expect("a cell has step 0");
    let pieces = params.int("split");
    let stand_in = |text: &str| Change { kind: ChangeKind::Assign(Vec::new()), text: text.into() };
    let mut steps = cell.steps.clone();
    if pieces > 1 {
        let name = last.strategy.name;
        let declared = last.strategy.params.iter().find(|p| COUNTS.contains(&p.name));
        let Some((param, Value::Int(count))) =
            declared.and_then(|param| Some((param, last.params.get(param.name)?)))
        else {
            return Err(Error::unsupported(format!("{name} has no buckets that could be split")));
        };
        let more = param.check(Value::Int(count.saturating_mul(pieces)));
        let more = more.map_err(|error| Error::unsupported(error.message))?;
        let mut step = next_step(cell, stand_in(&format!("split every bucket in {pieces}")));
        step.params.set(param.name, more);
        step.rebuilt = true;
        steps.push(step);
    }
    let mut step = steps.last().expect("a cell has step 0").clone();
    (step.change, step.rebuilt) = (Some(stand_in("re-assign buckets")), false);
    steps.push(step);
    let moves = params.get("moves").map_or(u64::MAX, |_| params.int("moves") as u64);
    let rule = Rule::Reassign { moves };
    let control = Control { rule, load: load(params, cell)?, first: cell.steps.len(), moved: 0 };
    Ok(Cell { steps, control: Some(control), ..cell.clone() })
}
