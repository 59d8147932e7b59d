//! Overload after a failure: every node that is above its capacity fails as well, its keys are routed
//! anew, and so on until all are within theirs or none is left. Each wave is one more pass over the
//! keys, shared by all cells that are still in it; without capacities there is none.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::capacity::Capacities;
use super::input::Input;
use super::plan::{Plan, PlannedCell, Routed, build_of, evolve};
use super::queries::QuerySet;
use super::replay::Replayed;
use super::{Progress, count};
use crate::cluster::{Change, ChangeKind, Cluster, NodeId, OnFail};
use crate::error::{Error, ErrorKind};
use crate::record::{CascadeRecord, OverloadRecord, WaveRecord};
use crate::scenario::{Cell, Step};
use crate::strategy::Placement;

/// A cascade is followed no further than this.
const MAX_WAVES: usize = 1000;

/// Cascades by cell of the plan and step.
pub type Cascades = BTreeMap<(usize, usize), CascadeRecord>;

/// A cascade that is being followed.
struct Front<'a> {
    cell: &'a Cell,
    key: (usize, usize),
    capacities: Capacities,
    /// Amounts by load and row as they are now.
    at: Vec<Vec<u64>>,
    /// Names of the counted loads.
    loads: Vec<&'static str>,
    step: Step,
    placement: Arc<dyn Placement>,
    record: CascadeRecord,
}

/// Follows the cascades of all failures of a plan.
pub fn follow(
    input: &Input,
    plan: &Plan<'_>,
    counted: &Replayed,
    base: &Path,
    progress: &dyn Progress,
) -> Result<Cascades, Error> {
    let mut open = fronts(plan, counted);
    let mut done = Cascades::new();
    loop {
        let mut going = Vec::new();
        for mut front in open {
            if front.wave(input, base)? {
                going.push(front);
            } else {
                done.insert(front.key, front.record);
            }
        }
        if going.is_empty() {
            return Ok(done);
        }
        open = going;
        replay(&mut open, input, progress)?;
    }
}

fn fronts<'a>(plan: &Plan<'a>, counted: &Replayed) -> Vec<Front<'a>> {
    let mut fronts = Vec::new();
    for (c, (planned, tally)) in plan.cells.iter().zip(&counted.cells).enumerate() {
        let (Ok(routed), Some(tally)) = (&planned.steps, tally) else { continue };
        let cell = planned.cell;
        let capacities = Capacities::new(cell, tally);
        for (s, step) in cell.steps.iter().enumerate() {
            let kind = step.change.as_ref().map(|change| &change.kind);
            let bounded = step.cluster.nodes.iter().any(|n| !capacities.by_load(n).is_empty());
            if !matches!(kind, Some(ChangeKind::Fail(_, OnFail::Reroute))) || !bounded {
                continue;
            }
            let at = |s: usize| tally.steps[s].loads.iter().map(|load| load.at.clone()).collect();
            let mut front = Front {
                cell,
                key: (c, s),
                capacities: capacities.clone(),
                at: at(s - 1),
                loads: tally.loads.iter().map(|load| load.name()).collect(),
                step: cell.steps[s - 1].clone(),
                placement: plan.routed[routed[s]].placement.clone(),
                record: CascadeRecord {
                    waves: 0,
                    failed: 0,
                    nodes_left: 0,
                    ends: String::new(),
                    over_before: Vec::new(),
                    wave: Vec::new(),
                },
            };
            front.record.over_before =
                front.overloads().into_iter().map(|(_, over)| over.node).collect();
            front.at = at(s);
            front.step = step.clone();
            fronts.push(front);
        }
    }
    fronts
}

/// Counts where the keys are after the wave at hand.
fn replay(open: &mut [Front<'_>], input: &Input, progress: &dyn Progress) -> Result<(), Error> {
    let cells: Vec<Cell> = open
        .iter()
        .map(|front| Cell { steps: vec![front.step.clone()], ..front.cell.clone() })
        .collect();
    let mut plan = Plan::default();
    for (front, cell) in open.iter().zip(&cells) {
        plan.cells.push(PlannedCell { cell, steps: Ok(vec![plan.routed.len()]) });
        plan.routed.push(Routed {
            placement: front.placement.clone(),
            down: front.step.cluster.down.clone(),
            replicas: cell.replicas,
        });
    }
    let (counted, _) = count(input, &plan, &QuerySet::default(), progress)?;
    for (front, tally) in open.iter_mut().zip(counted.cells) {
        let tally = tally.expect("the strategy has placed this cell before");
        front.at = tally.steps[0].loads.iter().map(|load| load.at.clone()).collect();
    }
    Ok(())
}

impl Front<'_> {
    fn live(&self) -> usize {
        self.step.cluster.nodes.len() - self.step.cluster.down.len()
    }

    /// The live nodes above a capacity, in the cluster's order.
    fn overloads(&self) -> Vec<(NodeId, OverloadRecord)> {
        let cluster = &self.step.cluster;
        let up = cluster.nodes.iter().filter(|node| !cluster.down.contains(&node.id));
        let mut overloads = Vec::new();
        for node in up {
            let over = self.loads.iter().enumerate().filter_map(|(l, load)| {
                let (has, capacity) =
                    (self.at[l][node.id.0 as usize], self.capacities.of(node, l)?);
                let ratio =
                    if capacity == 0 { f64::INFINITY } else { has as f64 / capacity as f64 };
                (has > capacity).then(|| {
                    let (node, load) = (node.name.to_string(), load.to_string());
                    (ratio, OverloadRecord { node, load, has, capacity })
                })
            });
            // Of several loads the one that is most above; of equals the first.
            let worst = over.reduce(|a, b| if b.0 > a.0 { b } else { a });
            overloads.extend(worst.map(|(_, overload)| (node.id, overload)));
        }
        overloads
    }

    /// Lets fail what is above its capacity; whether the keys must be counted anew.
    fn wave(&mut self, input: &Input, base: &Path) -> Result<bool, Error> {
        let over = self.overloads();
        let live = self.live();
        self.record.nodes_left = live as u64;
        if over.is_empty() {
            self.record.ends = "stable".into();
            return Ok(false);
        }
        if self.record.wave.len() == MAX_WAVES {
            self.record.ends = format!("not followed beyond {MAX_WAVES} waves");
            return Ok(false);
        }
        let (ids, failed): (Vec<NodeId>, Vec<OverloadRecord>) = over.into_iter().unzip();
        let left = live - ids.len();
        self.record.waves += 1;
        self.record.failed += ids.len() as u64;
        self.record.nodes_left = left as u64;
        self.record.wave.push(WaveRecord { failed, nodes_left: left as u64 });
        let weight = |node: &crate::cluster::Node| node.weight > 0.0 && !ids.contains(&node.id);
        if left == 0 || !self.step.cluster.nodes.iter().any(weight) {
            self.record.ends = "all down".into();
            return Ok(false);
        }
        match self.without(ids, input, base) {
            Ok(()) => Ok(true),
            Err(error) if error.kind == ErrorKind::Unsupported => {
                self.record.ends = format!("not followed further: {}", error.message);
                Ok(false)
            }
            Err(error) => Err(self.cell.locate(error)),
        }
    }

    /// Routes without these nodes.
    fn without(&mut self, ids: Vec<NodeId>, input: &Input, base: &Path) -> Result<(), Error> {
        let old = &self.step.cluster;
        let nodes = old.nodes.iter().filter(|node| !ids.contains(&node.id)).cloned().collect();
        self.step.cluster = Arc::new(Cluster { nodes, map: None, ..(**old).clone() });
        let text = format!("fail {} overloaded nodes", ids.len());
        self.step.change = Some(Change { kind: ChangeKind::Fail(ids, OnFail::Reroute), text });
        self.step.rebuilt = false;
        let build = build_of(self.cell, &self.step, input.source.kind(), base);
        self.placement = match evolve(self.placement.as_ref(), &self.step, &build) {
            Some(evolved) => Arc::from(evolved?),
            None => Arc::from(self.step.strategy.place(&build)?),
        };
        Ok(())
    }
}
