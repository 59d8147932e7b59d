//! A change, planned: what moves, between whom, what it costs along the path and what may go wrong.
//!
//! Everything but the lists of buckets and arcs ([`moves`]) comes from the record of a run that counted
//! repeated moves.

pub mod moves;
mod pairing;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::metrics::capacity;
use crate::record::{
    AlongPath, ByLoad, CellRecord, FailureRecord, MovementRecord, NodeMoved, NodeRecord, Pair,
    Record, StepRecord,
};
use moves::Moves;
pub use pairing::Pairing;

/// Name of the schema.
pub const SCHEMA: &str = "shardlab.plan/1";

/// The plans of all cells of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ChangePlan {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of shardlab.
    pub shardlab: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// The cells, in order.
    pub cells: Vec<CellPlan>,
}

/// The plan of one cell: one strategy on one path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct CellPlan {
    /// The cell's id.
    pub id: String,
    /// Its path.
    pub path: String,
    /// Why the strategy cannot do it.
    pub unsupported: Option<String>,
    /// The whole path, by load; empty without a change.
    pub totals: ByLoad<PathTotals>,
    /// The steps from step 1 on.
    pub steps: Vec<StepPlan>,
}

/// What a path moves in all its steps together, of one load.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PathTotals {
    /// All of the load.
    pub total: u64,
    /// What moved, what moved again.
    #[serde(flatten)]
    pub along: AlongPath,
    /// Share that lives elsewhere at the end than at the start.
    pub elsewhere_share: f64,
    /// The least share that any strategy must move to be fair at the end, having been fair at the start.
    pub least_share: f64,
    /// Share moved beyond the least that leads to the same loads at the end.
    pub excess_share: f64,
    /// Share moved between nodes alive before and after a step, summed over the steps.
    pub between_survivors_share: f64,
    /// The step at which most moves.
    pub worst_step: usize,
    /// The share that moves there.
    pub worst_share: f64,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepPlan {
    /// Number of the step.
    pub step: usize,
    /// The change that leads here.
    pub change: String,
    /// Live nodes before.
    pub nodes_before: usize,
    /// Live nodes after.
    pub nodes_after: usize,
    /// `moved`, or `lost` after a failure.
    pub verb: String,
    /// By load.
    pub totals: ByLoad<StepTotals>,
    /// Every node that is alive before or after, and the outcomes that take part.
    pub nodes: Vec<NodePlan>,
    /// By load the node that fills first, where capacities are stated.
    pub fills_first: ByLoad<Fullest>,
    /// From → to; None where there are too many pairs.
    pub pairs: Option<Vec<Pair>>,
    /// Where the number of nodes is multiplied and each old node splits into its own new ones.
    pub pairing: Option<Vec<Pairing>>,
    /// Buckets or arcs to move, where ownership is known without keys.
    pub moves: Option<Moves>,
    /// Where nodes fail.
    pub failure: Option<FailureRecord>,
}

/// Movement of one load at a step.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct StepTotals {
    /// All of the load.
    pub total: u64,
    /// Amount moved.
    pub moved: u64,
    /// Its share.
    pub share_moved: f64,
    /// Share moved in this step and all before it; what moves twice counts twice.
    pub share_moved_so_far: f64,
    /// The least share that any strategy must move.
    pub least_share: f64,
    /// Share moved beyond the least that leads to the same loads.
    pub excess_share: f64,
    /// Share moved between survivors.
    pub between_survivors_share: f64,
    /// Largest load ÷ fair load before.
    pub max_over_mean_before: Option<f64>,
    /// The same after.
    pub max_over_mean_after: Option<f64>,
}

/// One node at a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NodePlan {
    /// Name.
    pub node: String,
    /// `stays`, `joins`, `leaves`, or `outcome` for rows that are no nodes.
    pub role: String,
    /// By load.
    pub gives: ByLoad<u64>,
    /// By load.
    pub receives: ByLoad<u64>,
    /// receives − gives, by load.
    pub net: ByLoad<i64>,
    /// What it has afterwards, by load; empty for one that left.
    pub after: ByLoad<u64>,
    /// What it can bear.
    pub capacity: ByLoad<u64>,
    /// after ÷ capacity; None for one that can bear nothing and has something.
    pub utilisation: ByLoad<Option<f64>>,
}

/// A node and how full it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Fullest {
    /// Name.
    pub node: String,
    /// Load ÷ capacity; None for one that can bear nothing and has something.
    pub utilisation: Option<f64>,
    /// By which factor the load of all can grow until this node is full.
    pub growth_until_full: Option<f64>,
}

/// The plan that a record and the moves of its cells (by cell, then by step from 1 on) amount to.
pub fn plan(record: &Record, mut moves: Vec<Vec<Option<Moves>>>) -> ChangePlan {
    moves.resize(record.cells.len(), Vec::new());
    ChangePlan {
        schema: SCHEMA.into(),
        shardlab: record.shardlab.clone(),
        scenario: record.scenario.name.clone(),
        title: record.scenario.title.clone(),
        cells: record.cells.iter().zip(moves).map(|(cell, moves)| cell_plan(cell, moves)).collect(),
    }
}

fn cell_plan(cell: &CellRecord, moves: Vec<Option<Moves>>) -> CellPlan {
    let mut moves = moves.into_iter();
    let steps = cell.steps.windows(2).map(|pair| {
        let movement = pair[1].movement.as_ref().expect("there is movement from step 1 on");
        step_plan(&pair[0], &pair[1], movement, moves.next().flatten())
    });
    let mut steps: Vec<StepPlan> = steps.collect();
    let mut so_far: ByLoad<f64> = ByLoad::new();
    for (load, totals) in steps.iter_mut().flat_map(|step| &mut step.totals) {
        let sum = so_far.entry(load.clone()).or_default();
        *sum += totals.share_moved;
        totals.share_moved_so_far = *sum;
    }
    CellPlan {
        id: cell.id.clone(),
        path: cell.at.get("path").and_then(|p| p.as_str()).unwrap_or_default().to_string(),
        unsupported: cell.unsupported.clone(),
        totals: totals(cell),
        steps,
    }
}

fn totals(cell: &CellRecord) -> ByLoad<PathTotals> {
    let Some(last) = cell.steps.last() else { return ByLoad::new() };
    let Some(movement) = &last.movement else { return ByLoad::new() };
    let from_start = movement.from_start.as_ref().unwrap_or(&movement.loads);
    let steps = || cell.steps.iter().filter_map(|s| Some((s.step, s.movement.as_ref()?)));
    let of = |(load, start): (&String, &crate::record::Moved)| {
        let along = movement.along_path.as_ref()?.get(load)?;
        let each = || steps().filter_map(|(step, m)| Some((step, m.loads.get(load)?)));
        let (worst_step, worst) =
            each().reduce(|a, b| if b.1.moved > a.1.moved { b } else { a })?;
        let totals = PathTotals {
            total: *last.totals.get(load)?,
            along: *along,
            elsewhere_share: start.share_moved,
            least_share: start.minimum_share,
            excess_share: along.share_moved - start.minimum_actual_share,
            between_survivors_share: each().map(|(_, m)| m.between_survivors_share).sum(),
            worst_step,
            worst_share: worst.share_moved,
        };
        Some((load.clone(), totals))
    };
    from_start.iter().filter_map(of).collect()
}

fn step_plan(
    before: &StepRecord,
    after: &StepRecord,
    movement: &MovementRecord,
    moves: Option<Moves>,
) -> StepPlan {
    let totals = movement.loads.iter().map(|(load, moved)| {
        let balance = |step: &StepRecord| step.balance.get(load).map(|b| b.max_over_mean);
        let totals = StepTotals {
            total: after.totals.get(load).copied().unwrap_or(0),
            moved: moved.moved,
            share_moved: moved.share_moved,
            // Summed up once all steps are there.
            share_moved_so_far: moved.share_moved,
            least_share: moved.minimum_share,
            excess_share: moved.excess_share,
            between_survivors_share: moved.between_survivors_share,
            max_over_mean_before: balance(before),
            max_over_mean_after: balance(after),
        };
        (load.clone(), totals)
    });
    let was = before.per_node.iter().map(|node| node.node.as_str()).collect();
    let is: BTreeMap<&str, &NodeRecord> =
        after.per_node.iter().map(|node| (node.node.as_str(), node)).collect();
    let used: ByLoad<BTreeMap<&str, f64>> = after
        .totals
        .keys()
        .map(|load| (load.clone(), capacity::utilisations(after, load).into_iter().collect()))
        .collect();
    let nodes = movement.per_node.iter().map(|node| node_plan(&was, &is, &used, node)).collect();
    StepPlan {
        step: after.step,
        change: after.change.clone().unwrap_or_default(),
        nodes_before: before.nodes,
        nodes_after: after.nodes,
        verb: movement.verb.clone(),
        totals: totals.collect(),
        nodes,
        fills_first: fills_first(after),
        pairs: movement.pairs.clone(),
        pairing: pairing::pairing(before, after, movement),
        moves,
        failure: after.failure.clone(),
    }
}

/// A node's part: `was` has the members before, `is` those after, `used` their utilisation by load.
fn node_plan(
    was: &BTreeSet<&str>,
    is: &BTreeMap<&str, &NodeRecord>,
    used: &ByLoad<BTreeMap<&str, f64>>,
    moved: &NodeMoved,
) -> NodePlan {
    let name = &moved.node;
    let is = is.get(name.as_str()).copied();
    let role = match (was.contains(name.as_str()), is) {
        (true, Some(_)) => "stays",
        (false, Some(_)) => "joins",
        (true, None) => "leaves",
        (false, None) => "outcome",
    };
    let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let net = moved.gives.iter().map(|(load, &gives)| {
        let receives = moved.receives.get(load).copied().unwrap_or(0);
        (load.clone(), signed(receives) - signed(gives))
    });
    let utilisation = moved.gives.keys().filter_map(|load| {
        let used = used.get(load)?.get(name.as_str())?;
        Some((load.clone(), used.is_finite().then_some(*used)))
    });
    NodePlan {
        node: name.clone(),
        role: role.into(),
        net: net.collect(),
        utilisation: utilisation.collect(),
        gives: moved.gives.clone(),
        receives: moved.receives.clone(),
        after: is.map(|n| n.loads.clone()).unwrap_or_default(),
        capacity: is.map(|n| n.capacity.clone()).unwrap_or_default(),
    }
}

/// By load the fullest node of a step.
fn fills_first(step: &StepRecord) -> ByLoad<Fullest> {
    let of = |load: &String| {
        let (node, used) = capacity::fullest(step, load)?;
        let fullest = Fullest {
            node: node.to_string(),
            utilisation: used.is_finite().then_some(used),
            growth_until_full: (used > 0.0).then(|| 1.0 / used),
        };
        Some((load.clone(), fullest))
    };
    step.totals.keys().filter_map(of).collect()
}
