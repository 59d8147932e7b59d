//! Bounded load: the same strategy, but no node holds more than c times its fair share of open requests.

use super::RemedyInfo;
use crate::error::Error;
use crate::params::{Params, Value};
use crate::scenario::{Cell, Step};
use crate::strategy::{self, bound};

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "bounded-load",
    summary: "the strategy's bounded form: a request whose node is full goes on to the next",
    source: "Mirrokni, Thorup & Zadimoghaddam (2018), https://arxiv.org/abs/1608.01350",
    price: "affinity: requests that do not go to their key's home, and keys that live on several nodes",
    params: &[bound::FACTOR],
    apply,
};

/// What stands before a strategy's name in that of its bounded form.
const PREFIX: &str = "bounded-";

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let steps = cell.steps.iter().map(|step| bounded(params, step)).collect::<Result<_, _>>()?;
    Ok(Cell { steps, ..cell.clone() })
}

fn bounded(params: &Params, step: &Step) -> Result<Step, Error> {
    let plain = step.strategy.name;
    let known = strategy::ALL.iter().filter(|s| s.caps.sessions);
    let Some(info) = known.clone().find(|s| s.name.strip_prefix(PREFIX) == Some(plain)) else {
        let forms: Vec<&str> = known.filter_map(|s| s.name.strip_prefix(PREFIX)).collect();
        return Err(Error::unsupported(format!(
            "{plain} has no form with bounded load: those are of {}",
            forms.join(", ")
        )));
    };
    let own = step.params.iter().filter(|(name, _)| info.params.iter().any(|p| p.name == *name));
    let mut given: Vec<(String, Value)> =
        own.map(|(name, value)| (name.to_string(), value.clone())).collect();
    given.push((bound::FACTOR.name.into(), Value::Float(params.float(bound::FACTOR.name))));
    let params = Params::from_pairs(info.params, given)?;
    Ok(Step { strategy: info, params, ..step.clone() })
}
