//! What the record says of a candidate: the worst of all its cells and steps.

use serde::Serialize;

use crate::analysis::peak::{Law, has_own_shares};
use crate::params::Value;
use crate::record::{CellRecord, Record, StepRecord};
use crate::scenario::needs::{REMOVAL, TRIAL_KEYS, UNEQUAL};
use crate::scenario::{Cell, Scenario, Step};
use crate::strategy::Weights;

/// Of so many of a hundred draws the skew stays below `p95`.
const CONFIDENCE: f64 = 0.95;

/// What was measured of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Measures {
    /// The load that it is about: requests where the scenario says how they fall, or where the placement
    /// depends on them, else keys.
    pub load: &'static str,
    /// Largest load over fair load with the scenario's own names and keys.
    pub max_over_mean: f64,
    /// What that of the keys stays below in 95 of 100 draws of names and keys; None where chance is not known or plays
    /// no part.
    pub p95: Option<f64>,
    /// Share of the keys that the path with the largest excess moves, all its steps together.
    pub moved: f64,
    /// Share that it moves beyond the least that leads to the same loads.
    pub excess: f64,
    /// Mean steps of a look-up.
    pub lookup_steps: Option<f64>,
    /// Bytes of the tables.
    pub table_bytes: u64,
    /// Nodes that a range or prefix of keys must ask in the mean, where there are such queries and keys
    /// have a place of their own.
    pub nodes_asked: Option<f64>,
    /// Share of the keys that it sends elsewhere than the system to match.
    pub differs: Option<f64>,
    /// Share of the keys that no node gets.
    pub homeless: f64,
}

impl Measures {
    /// The skew that counts: what was measured, or what 95 of 100 draws stay below, if that is more.
    pub fn skew(&self) -> f64 {
        self.p95.map_or(self.max_over_mean, |p95| p95.max(self.max_over_mean))
    }
}

/// The cells of each candidate, by its name, in the scenario's order.
pub fn groups(scenario: &Scenario) -> Vec<(String, Vec<usize>)> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for (index, cell) in scenario.cells.iter().enumerate() {
        let name = name(cell);
        match groups.iter_mut().find(|(other, _)| *other == name) {
            Some((_, cells)) => cells.push(index),
            None => groups.push((name, vec![index])),
        }
    }
    groups
}

/// A cell's id without what it shares with other candidates: the path and whatever else the scenario
/// sweeps over beside strategies.
fn name(cell: &Cell) -> String {
    surroundings(cell)
        .fold(cell.id.clone(), |id, (axis, value)| id.replacen(&format!("/{axis}={value}"), "", 1))
}

/// The axes of a cell that are not its strategy's.
pub(super) fn surroundings(cell: &Cell) -> impl Iterator<Item = &(String, Value)> {
    const OUTER: &[&str] = &["path", "seed", "replicas", "family"];
    let declared = cell.steps[0].strategy.params;
    cell.at.0.iter().filter(|(axis, _)| {
        let own = declared.iter().any(|param| param.name == axis.as_str());
        axis.contains('.') || OUTER.contains(&axis.as_str()) && !own
    })
}

/// The measures of a candidate's cells. None: none of them could be built.
pub fn of(
    scenario: &Scenario,
    record: &Record,
    cells: &[usize],
    differs: &[Option<f64>],
) -> Option<Measures> {
    let mut all: Option<Measures> = None;
    for &index in cells.iter().filter(|&&index| record.cells[index].unsupported.is_none()) {
        let differs = differs.get(index).copied().flatten();
        let one = of_cell(&scenario.cells[index], &record.cells[index], differs);
        all = Some(all.map_or(one, |all| worse(all, one)));
    }
    all
}

/// The worse of each.
fn worse(a: Measures, b: Measures) -> Measures {
    let more = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => Some(a.max(b)),
        (a, b) => a.or(b),
    };
    let (moved, excess) =
        if b.excess > a.excess { (b.moved, b.excess) } else { (a.moved, a.excess) };
    Measures {
        load: a.load,
        max_over_mean: a.max_over_mean.max(b.max_over_mean),
        p95: more(a.p95, b.p95),
        moved: if a.excess == b.excess { a.moved.max(b.moved) } else { moved },
        excess,
        lookup_steps: more(a.lookup_steps, b.lookup_steps),
        table_bytes: a.table_bytes.max(b.table_bytes),
        nodes_asked: more(a.nodes_asked, b.nodes_asked),
        differs: more(a.differs, b.differs),
        homeless: a.homeless.max(b.homeless),
    }
}

fn of_cell(cell: &Cell, record: &CellRecord, differs: Option<f64>) -> Measures {
    let (mut moved, mut excess) = (0.0, 0.0);
    for step in &record.steps {
        let movement = step.movement.as_ref();
        let load = movement.and_then(|m| m.loads.get("keys").or_else(|| m.loads.get("requests")));
        if let Some(load) = load {
            moved += load.share_moved;
            excess += load.excess_share;
        }
    }
    let steps = || record.steps.iter();
    let largest = |values: &mut dyn Iterator<Item = f64>| values.reduce(f64::max);
    let chance = record.steps.iter().zip(&cell.steps).enumerate();
    Measures {
        load: record.steps.first().map_or("keys", |step| load(cell, step)),
        max_over_mean: largest(&mut steps().map(|step| skew(cell, step))).unwrap_or(0.0),
        p95: largest(&mut chance.filter_map(|(i, (r, s))| p95(record, i, r, s))),
        moved,
        excess,
        lookup_steps: largest(&mut steps().filter_map(|step| step.lookup_steps)),
        table_bytes: steps().map(|step| step.heap_bytes).max().unwrap_or(0),
        nodes_asked: largest(&mut steps().filter_map(asked)),
        differs,
        homeless: largest(&mut steps().map(homeless)).unwrap_or(0.0),
    }
}

/// The load that balance is about.
fn load(cell: &Cell, step: &StepRecord) -> &'static str {
    let traffic = cell.workload.traffic.is_some() && step.balance.contains_key("requests");
    if traffic || !step.balance.contains_key("keys") { "requests" } else { "keys" }
}

fn skew(cell: &Cell, step: &StepRecord) -> f64 {
    step.balance.get(load(cell, step)).map_or(0.0, |balance| balance.max_over_mean)
}

/// What max over mean of the keys stays below with 95 % of all names and keys: by the law of shares where
/// that knows all chance, else the larger of what it says of keys and what trials show of names. Under
/// bounded load it is no more than the bound.
fn p95(record: &CellRecord, index: usize, step: &StepRecord, of: &Step) -> Option<f64> {
    let keys = record.workload.distinct.unwrap_or(record.workload.rows).max(1);
    let fair = fair(step)?;
    let law = law(step, of, &fair);
    let by_law = law.as_ref().map(|law| law.0.peak(&fair, keys as f64, CONFIDENCE));
    let p95 = match law {
        Some((_, Chance::All)) => by_law?,
        _ => match (by_law, trials(record, index, keys, of, &fair)) {
            (Some(a), Some(b)) => f64::max(a, b),
            (a, b) => a.or(b)?,
        },
    };
    let bound = of.params.get("factor").and_then(Value::as_f64);
    Some(bound.filter(|_| of.strategy.caps.sessions).map_or(p95, |bound| p95.min(bound)))
}

/// What the trials of a step say, if they speak of as many keys as there are.
fn trials(record: &CellRecord, index: usize, keys: u64, of: &Step, fair: &[f64]) -> Option<f64> {
    let trials = record.trials.as_ref()?;
    let p95 = trials.steps.get(index)?.max_over_mean.p95;
    let placed = TRIAL_KEYS as u64;
    match trials.on.as_str() {
        "ownership" => Some(p95),
        _ if placed >= keys => Some(p95),
        // The first keys are like all where they are hashed, as they are beside labels.
        _ if of.strategy.caps.names => Some(renoised(p95, placed, keys, fair)),
        _ => None,
    }
}

/// A skew measured on fewer keys than there are: the chance of the few is taken out and that of all put in,
/// as variances are.
fn renoised(p95: f64, placed: u64, keys: u64, fair: &[f64]) -> f64 {
    let even = Law::Fixed(fair.to_vec());
    let noise = |keys: u64| even.peak(fair, keys as f64, CONFIDENCE) - 1.0;
    let (over, few, all) = (p95 - 1.0, noise(placed), noise(keys));
    1.0 + libm::sqrt((over * over - few * few).max(0.0) + all * all)
}

/// Fair shares of the live nodes.
fn fair(step: &StepRecord) -> Option<Vec<f64>> {
    let total: f64 = step.per_node.iter().map(|node| node.weight).sum();
    let shares = step.per_node.iter().map(|node| node.weight / total);
    (total > 0.0).then(|| shares.collect())
}

/// What chance a law of shares knows of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chance {
    /// All that there is.
    All,
    /// That of the keys, not that of the nodes' names.
    Keys,
}

/// The law of shares of a step's live nodes: random arcs of a ring, those that the nodes own, or the fair
/// shares where the strategy keeps to them, up to a grain. Of bounded load that of the keys' homes.
fn law(step: &StepRecord, of: &Step, fair: &[f64]) -> Option<(Law, Chance)> {
    let caps = of.strategy.caps;
    if of.params.get("probes").is_some() {
        return None;
    }
    if let Some(vnodes) = of.params.get("vnodes").and_then(Value::as_f64) {
        let points = |w: f64| if w > 0.0 { libm::round(vnodes * w).max(1.0) } else { 0.0 };
        let points = step.per_node.iter().map(|node| points(node.weight)).collect();
        return Some((Law::Points(points), Chance::All));
    }
    let owned: Option<Vec<f64>> = step.per_node.iter().map(|node| node.owned_share).collect();
    match (owned, caps.weights) {
        (Some(owned), _) => {
            Some((Law::Fixed(owned), if caps.names { Chance::Keys } else { Chance::All }))
        }
        (None, Weights::Fixed) => None,
        (None, _) if has_own_shares(of.strategy) => None,
        (None, Weights::Rounded) => Some((Law::Fixed(fair.to_vec()), Chance::Keys)),
        (None, _) => Some((Law::Fixed(fair.to_vec()), Chance::All)),
    }
}

/// Nodes that ranges and prefixes must ask, in the mean.
fn asked(step: &StepRecord) -> Option<f64> {
    let each = &step.queries.as_ref()?.each;
    let ranges: Vec<_> = each.iter().filter(|query| query.kind != "list").collect();
    let shares: f64 = ranges.iter().map(|query| query.share).sum();
    let sum: f64 = ranges.iter().map(|query| query.share * query.figures.nodes_asked).sum();
    (shares > 0.0).then(|| sum / shares)
}

fn homeless(step: &StepRecord) -> f64 {
    let lost = step.outcomes.misrouted + step.outcomes.refused + step.outcomes.absent;
    let total = step.totals.get("keys").or_else(|| step.totals.get("requests"));
    total.filter(|total| **total > 0).map_or(0.0, |total| lost as f64 / *total as f64)
}

/// The name of the path that shows a need; empty for others.
pub fn shows(cell: &Cell) -> &'static str {
    match cell.path.as_str() {
        REMOVAL => "arbitrary-removal",
        UNEQUAL => "unequal-nodes",
        _ => "",
    }
}
