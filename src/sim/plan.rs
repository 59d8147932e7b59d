//! Builds the placements of all cells of a workload, each distinct one once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::cluster::{Change, ChangeKind, Cluster, NodeId, OnFail};
use crate::error::{Error, ErrorKind};
use crate::keys::{ColumnSpec, KeyKind};
use crate::scenario::{Cell, Step};
use crate::strategy::isolated::Isolated;
use crate::strategy::{Build, Placement};

/// Most bytes that the tables of all cells and steps may take together.
pub const MAX_TABLE_BYTES: u64 = 2 << 30;

/// A placement that some steps of some cells use.
#[derive(Debug)]
pub struct Routed {
    /// The routing table.
    pub placement: Arc<dyn Placement>,
    /// Nodes whose keys are ABSENT though routing points at them, by id.
    pub down: Vec<NodeId>,
    /// Copies of each key that are placed.
    pub replicas: usize,
}

/// The cells of one workload and their placements.
#[derive(Debug, Default)]
pub struct Plan<'a> {
    /// Distinct placements.
    pub routed: Vec<Routed>,
    /// The cells, in order.
    pub cells: Vec<PlannedCell<'a>>,
    /// Whether to count how often the same keys move.
    pub repeats: bool,
    /// Most pairs of nodes that the record lists for a step.
    pub most_pairs: usize,
    /// Bytes of all placements' tables.
    bytes: u64,
    /// Placements built anew, by strategy and parameters.
    built: BTreeMap<String, Vec<Built<'a>>>,
}

/// One cell with the placement of each of its steps.
#[derive(Debug)]
pub struct PlannedCell<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Index into [`Plan::routed`] by step; or why the strategy cannot do the cell.
    pub steps: Result<Vec<usize>, String>,
}

/// What a placement that was built anew is a function of, beside strategy and parameters.
#[derive(Debug)]
struct Built<'a> {
    cluster: &'a Cluster,
    replicas: usize,
    routed: usize,
}

impl<'a> Plan<'a> {
    /// Builds all placements. Only a fault of the scenario is an error; what a strategy cannot do is
    /// noted with the cell.
    pub fn new(cells: &[&'a Cell], keys: KeyKind, base: &Path) -> Result<Self, Error> {
        let mut plan = Plan::default();
        for &cell in cells {
            if let Some(reason) = &cell.impossible {
                plan.cells.push(PlannedCell { cell, steps: Err(reason.clone()) });
                continue;
            }
            let steps = match plan.cell(cell, keys, base) {
                Ok(steps) => Ok(steps),
                Err(error) if error.kind == ErrorKind::Unsupported => Err(error.message),
                Err(error) => return Err(cell.locate(error)),
            };
            plan.cells.push(PlannedCell { cell, steps });
        }
        Ok(plan)
    }

    /// The digest columns of all placements, each once.
    pub fn columns(&self) -> Vec<ColumnSpec> {
        let mut columns: Vec<ColumnSpec> = Vec::new();
        for routed in &self.routed {
            for spec in routed.placement.columns() {
                if !columns.contains(spec) {
                    columns.push(spec.clone());
                }
            }
        }
        columns
    }

    fn cell(&mut self, cell: &'a Cell, keys: KeyKind, base: &Path) -> Result<Vec<usize>, Error> {
        let mut steps: Vec<usize> = Vec::with_capacity(cell.steps.len());
        for step in &cell.steps {
            let previous = steps.last().copied();
            steps.push(self.step(cell, step, previous, keys, base)?);
        }
        Ok(steps)
    }

    fn step(
        &mut self,
        cell: &'a Cell,
        step: &'a Step,
        previous: Option<usize>,
        keys: KeyKind,
        base: &Path,
    ) -> Result<usize, Error> {
        let build = build_of(cell, step, keys, base);
        if let (Some(previous), Some(change)) = (previous, &step.change) {
            let before = self.routed[previous].placement.clone();
            if matches!(change.kind, ChangeKind::Fail(_, OnFail::Unavailable)) {
                return self.add(before, step, cell.replicas);
            }
            if let Some(led) = lead(&before, step, &build) {
                return self.add(led?, step, cell.replicas);
            }
            if let Some(evolved) = evolve(before.as_ref(), step, &build) {
                return self.add(Arc::from(evolved?), step, cell.replicas);
            }
        }
        let key = format!("{} {:?}", step.strategy.name, step.params);
        let same = self.built.get(&key).into_iter().flatten().find(|b| {
            b.replicas == cell.replicas
                && b.cluster.nodes == step.cluster.nodes
                && b.cluster.down == step.cluster.down
                && b.cluster.map == step.cluster.map
        });
        if let Some(same) = same {
            return Ok(same.routed);
        }
        let placement: Arc<dyn Placement> = Arc::from(step.strategy.place(&build)?);
        let routed = self.add(placement, step, cell.replicas)?;
        let built = Built { cluster: &step.cluster, replicas: cell.replicas, routed };
        self.built.entry(key).or_default().push(built);
        Ok(routed)
    }

    fn add(
        &mut self,
        placement: Arc<dyn Placement>,
        step: &Step,
        replicas: usize,
    ) -> Result<usize, Error> {
        self.bytes += placement.heap_bytes();
        if self.bytes > MAX_TABLE_BYTES {
            return Err(Error::invalid(format!(
                "the tables of all cells and steps take more than {} GiB",
                MAX_TABLE_BYTES >> 30
            ))
            .help("sweep over fewer values, take fewer steps, or make the tables smaller")
            .help("`shardlab check` shows what each cell takes"));
        }
        self.routed.push(Routed { placement, down: step.cluster.down.clone(), replicas });
        Ok(self.routed.len() - 1)
    }
}

/// What the placement of a step is built from.
pub fn build_of<'a>(cell: &Cell, step: &'a Step, keys: KeyKind, base: &'a Path) -> Build<'a> {
    Build { cluster: &step.cluster, params: &step.params, keys, replicas: cell.replicas, base }
}

/// The placement after a change that a remedy makes: a rule in front of the placement before, or buckets
/// with given owners, on a table that may have been built anew for it. None: any other change.
pub fn lead(
    before: &Arc<dyn Placement>,
    step: &Step,
    build: &Build<'_>,
) -> Option<Result<Arc<dyn Placement>, Error>> {
    let change = step.change.as_ref()?;
    match &change.kind {
        ChangeKind::Isolate(rule) => {
            let isolated = Isolated::new(before.clone(), rule, build.keys, build.replicas);
            Some(isolated.map(|isolated| Arc::new(isolated) as Arc<dyn Placement>))
        }
        ChangeKind::Assign(_) => Some(assign(before, step, change, build)),
        _ => None,
    }
}

fn assign(
    before: &Arc<dyn Placement>,
    step: &Step,
    change: &Change,
    build: &Build<'_>,
) -> Result<Arc<dyn Placement>, Error> {
    let table: Arc<dyn Placement> = match step.rebuilt {
        true => Arc::from(step.strategy.place(build)?),
        false => before.clone(),
    };
    match table.evolve(change, build) {
        Some(assigned) => Ok(Arc::from(assigned?)),
        None => {
            Err(Error::unsupported(format!("{} has no buckets to re-assign", step.strategy.name)))
        }
    }
}

/// The placement after the step's change, where it depends on the one before.
pub fn evolve(
    before: &dyn Placement,
    step: &Step,
    build: &Build<'_>,
) -> Option<Result<Box<dyn Placement>, Error>> {
    let change = step.change.as_ref().filter(|_| !step.rebuilt)?;
    match step.strategy.check(build) {
        Ok(()) => before.evolve(change, build),
        Err(error) => Some(Err(error)),
    }
}
