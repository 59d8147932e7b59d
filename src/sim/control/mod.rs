//! Loops that act on measured load: the last steps of a path, each made of the load of the step before.
//!
//! The loop runs before the replay: a pass over the keys a round, which counts one load by node (or by
//! bucket), and from it the next step of the path. What comes out is an ordinary cell with an ordinary
//! path, replayed like any other; the record then says how it went.

mod reassign;
mod verdict;
mod weights;

pub use verdict::record;

use std::path::Path;
use std::sync::Arc;

use super::Progress;
use super::input::Input;
use super::plan::{Plan, build_of, evolve, lead};
use super::replay::place;
use super::scan::scan;
use crate::error::{Error, ErrorKind};
use crate::keys::{ColumnSpec, KeyBatch};
use crate::scenario::{Cell, Control, Rule, Scenario, Step};
use crate::strategy::{Placement, Slot};

/// The scenario with every loop closed; None if it has none.
pub fn close(scenario: &Scenario, progress: &dyn Progress) -> Result<Option<Scenario>, Error> {
    if scenario.cells.iter().all(|cell| cell.control.is_none()) {
        return Ok(None);
    }
    let mut closed = scenario.clone();
    for (workload, members) in super::workloads(scenario) {
        if members.iter().all(|&i| scenario.cells[i].control.is_none()) {
            continue;
        }
        let input = Input::open(workload, &scenario.base, progress)
            .map_err(|error| scenario.locate(error))?;
        for i in members {
            let cell = &scenario.cells[i];
            let Some(control) = &cell.control else { continue };
            closed.cells[i] = match one(cell, control, &input, &scenario.base, progress) {
                Ok(closed) => closed,
                Err(error) if error.kind == ErrorKind::Unsupported => {
                    Cell { impossible: Some(error.message), control: None, ..cell.clone() }
                }
                Err(error) => return Err(cell.locate(error)),
            };
        }
    }
    Ok(Some(closed))
}

fn one(
    cell: &Cell,
    control: &Control,
    input: &Input,
    base: &Path,
    progress: &dyn Progress,
) -> Result<Cell, Error> {
    // The steps that stand already, as the replay would build them.
    let first = control.first;
    let stated = Cell { steps: cell.steps[..first].to_vec(), control: None, ..cell.clone() };
    let plan = Plan::new(&[&stated], input.source.kind(), base)?;
    let steps =
        plan.cells[0].steps.as_ref().map_err(|reason| Error::unsupported(reason.clone()))?;
    let placement = plan.routed[steps[first - 1]].placement.clone();
    if placement.session().is_some() {
        let what = "the load follows from open requests: there is no table to change";
        return Err(Error::unsupported(what));
    }
    let mut walk = Walk {
        cell: Cell { steps: stated.steps.clone(), ..cell.clone() },
        placement,
        load: load_of(&control.load),
        input,
        base,
        progress,
    };
    match control.rule {
        Rule::Feedback { gain, most } => {
            for stand_in in &cell.steps[first..] {
                weights::round(&mut walk, stand_in, gain, most)?;
            }
        }
        Rule::Reassign { moves } => reassign::run(&mut walk, &cell.steps[first..], moves)?,
    }
    Ok(walk.cell)
}

/// The column of a batch that holds a load.
type Column = fn(&KeyBatch) -> &[u64];

/// Empty: one a row.
fn load_of(name: &str) -> Column {
    let columns: [(&str, Column); 4] = [
        ("requests", |batch| &batch.requests),
        ("bytes", |batch| &batch.bytes),
        ("reads", |batch| &batch.reads),
        ("writes", |batch| &batch.writes),
    ];
    columns.iter().find(|(known, _)| *known == name).map_or(|_| &[], |(_, column)| *column)
}

/// A loop on its way.
struct Walk<'a> {
    /// The cell with the steps so far.
    cell: Cell,
    /// The placement of the last of them.
    placement: Arc<dyn Placement>,
    load: Column,
    input: &'a Input,
    base: &'a Path,
    progress: &'a dyn Progress,
}

impl Walk<'_> {
    fn last(&self) -> &Step {
        self.cell.steps.last().expect("a cell has step 0")
    }

    /// Goes on to a step.
    fn push(&mut self, step: Step) -> Result<(), Error> {
        let build = build_of(&self.cell, &step, self.input.source.kind(), self.base);
        self.placement = match lead(&self.placement, &step, &build) {
            Some(led) => led?,
            None => match evolve(self.placement.as_ref(), &step, &build) {
                Some(evolved) => Arc::from(evolved?),
                None => Arc::from(step.strategy.place(&build)?),
            },
        };
        self.cell.steps.push(step);
        Ok(())
    }

    /// The load by slot of several placements at once: `count` is given the slots of a row, one for each
    /// placement, and its load.
    fn measure<S: Send>(
        &self,
        placements: &[&dyn Placement],
        new: impl Fn() -> S + Sync,
        count: impl Fn(&mut S, &[Slot], u64) + Sync,
    ) -> Result<Vec<S>, Error> {
        let mut columns: Vec<ColumnSpec> = Vec::new();
        for column in placements.iter().flat_map(|placement| placement.columns()) {
            if !columns.contains(column) {
                columns.push(column.clone());
            }
        }
        let down = &self.last().cluster.down;
        self.progress.begin("measuring load", self.input.rows);
        let state = || (new(), vec![Vec::new(); placements.len()]);
        let states = scan(self.input, &columns, self.progress, state, |(state, slots), batch| {
            for (placement, slots) in placements.iter().zip(slots.iter_mut()) {
                // Copies are counted by their first.
                place(*placement, down, self.cell.replicas, batch, slots);
            }
            let amounts = (self.load)(batch);
            let mut row_slots = vec![Slot::ABSENT; placements.len()];
            for row in 0..batch.len() {
                for (slot, slots) in row_slots.iter_mut().zip(slots.iter()) {
                    *slot = slots[row * self.cell.replicas];
                }
                count(state, &row_slots, amounts.get(row).copied().unwrap_or(1));
            }
        })?;
        Ok(states.into_iter().map(|(state, _)| state).collect())
    }

    /// The load by node id.
    fn by_node(&self) -> Result<Vec<u64>, Error> {
        let ids = self.last().cluster.ids;
        let states = self.measure(
            &[self.placement.as_ref()],
            || vec![0u64; ids],
            |loads, slots, amount| {
                if let Some(load) = loads.get_mut(slots[0].0 as usize) {
                    *load = load.saturating_add(amount);
                }
            },
        )?;
        let mut sum = vec![0u64; ids];
        for loads in states {
            sum.iter_mut().zip(loads).for_each(|(sum, load)| *sum = sum.saturating_add(load));
        }
        Ok(sum)
    }
}
