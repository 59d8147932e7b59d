//! Feedback on weights: one round.

use std::sync::Arc;

use super::Walk;
use crate::cluster::{ChangeKind, is_weight};
use crate::error::Error;
use crate::scenario::Step;

/// A single round changes no weight by more than this factor: a node without load would get all.
const MOST_IN_A_ROUND: f64 = 16.0;

/// Weights are kept to this grain, so that their text says what they are.
const GRAIN: f64 = 10_000.0;

/// Measures, and goes on to the step with the new weights; `stand_in` is what the scenario has for it.
pub(super) fn round(
    walk: &mut Walk<'_>,
    stand_in: &Step,
    gain: f64,
    most: f64,
) -> Result<(), Error> {
    let loads = walk.by_node()?;
    let fair = stand_in.fair_shares();
    let placed: f64 = loads.iter().map(|&load| load as f64).sum();
    let start = &walk.cell.steps[walk.cell.control.as_ref().map_or(0, |c| c.first - 1)].cluster;
    let mut cluster = (*walk.last().cluster).clone();
    let mut changed = Vec::new();
    for node in &mut cluster.nodes {
        let share = fair[node.id.0 as usize];
        let begun = start.node(node.id).map_or(node.weight, |node| node.weight);
        if share <= 0.0 || placed <= 0.0 {
            continue;
        }
        let ratio = placed * share / (loads[node.id.0 as usize] as f64).max(1.0);
        let factor = libm::pow(ratio, gain).clamp(1.0 / MOST_IN_A_ROUND, MOST_IN_A_ROUND);
        node.weight = (node.weight * factor).clamp(begun / most, begun * most);
        changed.push(node.id);
    }
    // The weights keep their sum, so that the table keeps its size.
    let sum = cluster.total_weight();
    let scale = start.total_weight() / sum;
    for node in cluster.nodes.iter_mut().filter(|node| changed.contains(&node.id)) {
        let weight = libm::round(node.weight * scale * GRAIN) / GRAIN;
        node.weight = if is_weight(weight) && weight > 0.0 { weight } else { 1.0 / GRAIN };
    }
    let new = changed.iter().filter_map(|&id| Some((id, cluster.node(id)?.weight))).collect();
    let mut step = stand_in.clone();
    if let Some(change) = &mut step.change {
        change.kind = ChangeKind::Reweight(new);
    }
    step.cluster = Arc::new(cluster);
    walk.push(step)
}
