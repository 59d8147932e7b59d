//! What nodes can bear, in amounts of the loads that a cell counts.

use super::tally::{CellTally, Load};
use crate::cluster::Node;
use crate::record::ByLoad;
use crate::scenario::Cell;

/// The capacity of every node of a step.
#[derive(Debug, Clone)]
pub struct Capacities {
    /// By load, in the tally's order: its total, and the fair load of weight 1 at step 0.
    loads: Vec<(Load, f64)>,
}

impl Capacities {
    /// Of a cell whose counts are finished.
    pub fn new(cell: &Cell, tally: &CellTally) -> Self {
        let start = &cell.steps[0].cluster;
        let up = start.nodes.iter().filter(|node| !start.down.contains(&node.id));
        let weight: f64 = up.map(|node| node.weight).sum();
        let loads = tally.loads.iter().zip(&tally.steps[0].loads).map(|(&load, counts)| {
            let total: u128 = counts.at.iter().map(|&n| u128::from(n)).sum();
            (load, total as f64 / weight)
        });
        Capacities { loads: loads.collect() }
    }

    /// What a node can bear of the load of that number; None: no bound is stated.
    pub fn of(&self, node: &Node, load: usize) -> Option<u64> {
        let (load, fair) = self.loads[load];
        if let Some(&bound) = node.capacity.get(load.name()) {
            return Some(bound);
        }
        let factor = node.headroom.get(load.name())?;
        Some(libm::floor(factor * fair * node.weight) as u64)
    }

    /// All bounds of a node.
    pub fn by_load(&self, node: &Node) -> ByLoad<u64> {
        let bound = |(i, (load, _)): (usize, &(Load, f64))| {
            Some((load.name().to_string(), self.of(node, i)?))
        };
        self.loads.iter().enumerate().filter_map(bound).collect()
    }
}
