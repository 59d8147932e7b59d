//! Feedback: every round gives nodes new weights by the load that was measured, and looks again.

use super::{LOAD, RemedyInfo, load, next_step};
use crate::cluster::{Change, ChangeKind};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::scenario::{Cell, Control, Rule};
use crate::strategy::Weights;

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "feedback",
    summary: "weights (virtual nodes) that follow the measured load over rounds: more for idle nodes, or for the loaded ones",
    source: "dynamic weights of articles on consistent hashing; dynamic load balancing in \
             DHTs: Godfrey et al., 2004, https://doi.org/10.1109/INFCOM.2004.1354648",
    price: "keys moved in every round, whether it helps or not",
    params: &[
        LOAD,
        Param::new(
            "more-for",
            Type::Choice(&["idle", "loaded"]),
            Default::Text("idle"),
            "which nodes get more virtual nodes",
        ),
        Param::new(
            "gain",
            Type::Float { min: 0.01, max: 10.0 },
            Default::Float(1.0),
            "exponent on load ÷ fair load: the new weight is the old one times (fair ÷ load)^gain for the idle, (load ÷ fair)^gain for the loaded",
        ),
        Param::new("rounds", Type::Int { min: 1, max: 200 }, Default::Int(12), "number of rounds"),
        Param::new(
            "most",
            Type::Float { min: 1.0, max: 1000.0 },
            Default::Float(16.0),
            "a weight stays within this factor of the one it had at the start",
        ),
    ],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let last = cell.steps.last().expect("a cell has step 0");
    if matches!(last.strategy.caps.weights, Weights::Equal | Weights::Fixed) {
        return Err(Error::unsupported(format!("{} has no weights to change", last.strategy.name)));
    }
    let rounds = params.int("rounds") as usize;
    let gain = params.float("gain");
    let rule = Rule::Feedback {
        gain: if params.text("more-for") == "loaded" { -gain } else { gain },
        most: params.float("most"),
    };
    let mut steps = cell.steps.clone();
    for round in 1..=rounds {
        let text = format!("round {round}");
        let mut step = next_step(cell, Change { kind: ChangeKind::Reweight(Vec::new()), text });
        // Weights are what the loop turns; what a node should carry stays.
        step.fair = Some(last.fair_shares().into());
        steps.push(step);
    }
    let control = Control { rule, load: load(params, cell)?, first: cell.steps.len(), moved: 0 };
    Ok(Cell { steps, control: Some(control), ..cell.clone() })
}
