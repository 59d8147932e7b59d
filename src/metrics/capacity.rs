//! How full nodes are, where the cluster states what they can bear.

use super::{Family, MetricInfo, Unit};
use crate::record::StepRecord;

/// By load; only loads for which some node has a capacity.
pub static FAMILY: Family = Family {
    name: "capacity",
    forms: &["capacity.LOAD.STAT"],
    metrics: &[
        MetricInfo {
            name: "fullest",
            unit: Unit::Share,
            range: "0 and more",
            doc: "utilisation of the fullest node, which fills first as the load grows",
            formula: "max load ÷ capacity",
            source: "",
            read: |p| Some(fullest(p.step, p.load)?.1),
        },
        MetricInfo {
            name: "over",
            unit: Unit::Count,
            range: "0 to nodes",
            doc: "nodes above their capacity",
            formula: "",
            source: "",
            read: |p| {
                let nodes = utilisations(p.step, p.load);
                (!nodes.is_empty()).then(|| nodes.iter().filter(|(_, u)| *u > 1.0).count() as f64)
            },
        },
        MetricInfo {
            name: "throttled-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of the load that lies above the capacity of its node: what a node that takes no more than it can bear turns away",
            formula: "Σ max(0, load − capacity) ÷ total",
            source: "",
            read: |p| throttled(p.step, p.load),
        },
    ],
};

/// The load above the capacity of its node as a share of all; None where no node states a capacity.
fn throttled(step: &StepRecord, load: &str) -> Option<f64> {
    let of = |node: &crate::record::NodeRecord| {
        Some(node.loads.get(load)?.saturating_sub(*node.capacity.get(load)?))
    };
    let above: Vec<u64> = step.per_node.iter().filter_map(of).collect();
    let total = *step.totals.get(load)?;
    let sum: u128 = above.iter().map(|n| u128::from(*n)).sum();
    (!above.is_empty() && total > 0).then(|| sum as f64 / total as f64)
}

/// Utilisation of each node that has a capacity of that load, in the cluster's order: infinite for a
/// node that has load and can bear none.
pub fn utilisations<'a>(step: &'a StepRecord, load: &str) -> Vec<(&'a str, f64)> {
    let of = |node: &'a crate::record::NodeRecord| {
        let (capacity, has) = (*node.capacity.get(load)?, *node.loads.get(load)?);
        let used = match (has, capacity) {
            (0, _) => 0.0,
            (_, 0) => f64::INFINITY,
            _ => has as f64 / capacity as f64,
        };
        Some((node.node.as_str(), used))
    };
    step.per_node.iter().filter_map(of).collect()
}

/// The node of the highest utilisation, the first of equals.
pub fn fullest<'a>(step: &'a StepRecord, load: &str) -> Option<(&'a str, f64)> {
    utilisations(step, load).into_iter().reduce(|a, b| if b.1 > a.1 { b } else { a })
}
