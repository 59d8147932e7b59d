//! From the steps of cells to simulated migrations: units and their counts, rates per tick, faults.

mod present;
mod settings;

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Progress;
use super::hot_rows::named;
use super::input::Input;
use super::plan::{Plan, PlannedCell};
use super::units::{self, Count, Division, UnitKind};
use crate::cluster::ChangeKind;
use crate::error::{Error, ErrorKind};
use crate::keys::{KeyBatch, KeyKind};
use crate::scenario::{Cell, Migration};
use crate::timeline::{Job, PPM, STATED, Simulation, Timeline, UnitPlan, WatchPlan};

/// Events between two looks at the interrupt flag.
const STRIDE: u32 = 1 << 16;

/// The divisions that the cells of a workload need, each once.
#[derive(Debug, Default)]
pub struct Divisions {
    /// Distinct divisions.
    pub all: Vec<Division>,
    /// By cell and step: index into `all`; None where nothing is migrated.
    pub steps: Vec<Vec<Option<usize>>>,
}

/// Divides every step of every cell that has a migration; `keys` and `rows` are those of the workload.
///
/// Errors: a unit that a strategy does not have; a rate that no tick can hold; a key to watch that is
/// of another type than the others.
pub fn divide(plan: &Plan<'_>, keys: KeyKind, rows: u64) -> Result<Divisions, Error> {
    let mut divisions = Divisions::default();
    for planned in &plan.cells {
        if let Some(migration) = &planned.cell.migration {
            check(migration, keys, rows).map_err(|error| migration.locate(error))?;
        }
        let mut steps = Vec::new();
        for step in 0..planned.cell.steps.len() {
            steps.push(division(plan, planned, step, &mut divisions.all)?);
        }
        divisions.steps.push(steps);
    }
    Ok(divisions)
}

/// What of a migration shows only once the keys are known.
fn check(migration: &Migration, keys: KeyKind, rows: u64) -> Result<(), Error> {
    settings::settings(migration, row_bytes(migration, rows), &[], 0)?;
    for key in migration.params.list("watch").unwrap_or_default() {
        named(&key.to_string(), keys).map_err(|error| error.field("watch"))?;
    }
    Ok(())
}

/// Rows behind so many keys.
fn rows_of(migration: &Migration, keys: u64) -> u64 {
    migration.params.get("rows").map_or(keys, |_| migration.params.int("rows") as u64)
}

/// Bytes of so many rows, where the migration states them.
fn row_bytes(migration: &Migration, keys: u64) -> Option<(u64, u64)> {
    let bytes = migration.params.get("bytes").map(|_| migration.params.int("bytes") as u64)?;
    Some((bytes, rows_of(migration, keys).max(1)))
}

fn division(
    plan: &Plan<'_>,
    planned: &PlannedCell<'_>,
    step: usize,
    all: &mut Vec<Division>,
) -> Result<Option<usize>, Error> {
    let cell = planned.cell;
    let (Some(migration), Ok(routed)) = (&cell.migration, &planned.steps) else { return Ok(None) };
    let change = cell.steps[step].change.as_ref();
    // A node that has failed can give nothing: there is nothing to carry over.
    if change.is_none_or(|change| matches!(change.kind, ChangeKind::Fail(..))) {
        return Ok(None);
    }
    let (before, after) = (routed[step - 1], routed[step]);
    let kind = UnitKind::named(migration.params.text("unit"));
    let same = |d: &Division| (d.before, d.after, d.kind) == (before, after, kind);
    if let Some(found) = all.iter().position(same) {
        return Ok(Some(found));
    }
    let ids = cell.steps[step].cluster.ids;
    let division =
        Division::new(plan, (before, after), kind, ids).map_err(|error| migration.locate(error))?;
    all.push(division);
    Ok(Some(all.len() - 1))
}

/// Simulates the migration of every step of every cell; by cell and step.
pub fn timelines(
    input: &Input,
    plan: &Plan<'_>,
    divisions: &Divisions,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Option<Timeline>>>, Error> {
    if divisions.all.is_empty() {
        return Ok(plan.cells.iter().map(|cell| vec![None; cell.cell.steps.len()]).collect());
    }
    let counts = units::count(input, plan, &divisions.all, progress)?;
    let present = present::present(input, plan, progress)?;
    let mut jobs: Vec<(usize, usize, Job)> = Vec::new();
    for (c, (planned, steps)) in plan.cells.iter().zip(&divisions.steps).enumerate() {
        for (s, division) in steps.iter().enumerate() {
            let (Some(division), Some(migration)) = (*division, &planned.cell.migration) else {
                continue;
            };
            let stock =
                Stock { plan, division: &divisions.all[division], input, present: &present };
            let job = stock.job(planned.cell, s, migration, &counts[division]);
            jobs.push((c, s, job.map_err(|error| migration.locate(error))?));
        }
    }
    progress.begin("simulating migrations", jobs.len() as u64);
    let done: Vec<Timeline> =
        jobs.par_iter().map(|(.., job)| simulate(job, progress)).collect::<Result<_, _>>()?;
    let mut timelines: Vec<Vec<Option<Timeline>>> =
        plan.cells.iter().map(|cell| vec![None; cell.cell.steps.len()]).collect();
    for ((cell, step, _), timeline) in jobs.into_iter().zip(done) {
        timelines[cell][step] = Some(timeline);
    }
    Ok(timelines)
}

fn simulate(job: &Job, progress: &dyn Progress) -> Result<Timeline, Error> {
    let mut simulation = Simulation::new(job, &STATED);
    let mut events = 0u32;
    while simulation.step() {
        events = events.wrapping_add(1);
        if events.is_multiple_of(STRIDE) && progress.interrupted() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
    }
    progress.advance(1);
    Ok(simulation.outcome())
}

/// What a job is made from.
struct Stock<'a> {
    plan: &'a Plan<'a>,
    division: &'a Division,
    input: &'a Input,
    /// Followed keys that are among the keys.
    present: &'a BTreeSet<String>,
}

impl Stock<'_> {
    fn job(
        &self,
        cell: &Cell,
        step: usize,
        migration: &Migration,
        counts: &[Count],
    ) -> Result<Job, Error> {
        let parts = self.division.parts(counts);
        let keys: u64 = parts.iter().map(|part| part.count.keys).sum();
        let rows = rows_of(migration, keys);
        // Members before or after, by id; ids that only other steps have are left out.
        let mut names = vec![None; cell.steps[step].cluster.ids];
        for node in cell.steps[step - 1..=step].iter().flat_map(|s| &s.cluster.nodes) {
            names[node.id.0 as usize] = Some(node.name.to_string());
        }
        let mut index = vec![usize::MAX; names.len()];
        let mut nodes = Vec::new();
        for (id, name) in names.into_iter().enumerate() {
            if let Some(name) = name {
                index[id] = nodes.len();
                nodes.push(name);
            }
        }
        let mut spread = Spread { rows, keys, seen: 0, given: 0 };
        let mut units = Vec::new();
        for part in parts.iter().filter(|part| index[part.from] != usize::MAX) {
            let (from, to) = (index[part.from], index[part.to]);
            units.push(UnitPlan {
                name: match (from == to, part.name.is_empty()) {
                    (true, _) => format!("what stays on {}", nodes[from]),
                    (false, true) => format!("{} → {}", nodes[from], nodes[to]),
                    (false, false) => part.name.clone(),
                },
                from,
                to: (from != to).then_some(to),
                rows: spread.take(part.count.keys),
                requests: part.count.requests,
            });
        }
        let settings =
            settings::settings(migration, row_bytes(migration, keys), &nodes, cell.seed)?;
        let watch = self.watch(cell, migration, &units, &parts, settings.writes)?;
        Ok(Job { nodes, units, watch, unit: self.division.kind.name(), settings })
    }

    /// The units of the keys that are followed, and their writes: a named hot key's own, for others
    /// the average of their unit.
    fn watch(
        &self,
        cell: &Cell,
        migration: &Migration,
        units: &[UnitPlan],
        parts: &[units::Part],
        writes: u64,
    ) -> Result<Vec<WatchPlan>, Error> {
        let requests: u128 = units.iter().map(|unit| u128::from(unit.requests)).sum();
        let mut watch = Vec::new();
        for key in migration.params.list("watch").unwrap_or_default() {
            let text = key.to_string();
            let key =
                named(&text, self.input.source.kind()).map_err(|error| error.field("watch"))?;
            let batch = KeyBatch::single(&key.key(), &self.plan.columns());
            let Some((from, to, at)) = self.division.part_of(self.plan, &batch) else { continue };
            let name = format!("{} {at}", self.division.kind.name());
            let of_key = |part: &units::Part| {
                part.from == from
                    && part.to == to
                    && (from == to || part.name.is_empty() || part.name == name)
            };
            let Some(unit) = parts.iter().position(of_key) else { continue };
            let hot = cell.workload.hot.iter().find(|hot| hot.key == text);
            let count = parts[unit].count;
            let share = match hot {
                Some(hot) => (hot.share * PPM as f64) as u128 * 1000,
                None => {
                    u128::from(count.requests) * 1000 * u128::from(PPM)
                        / (u128::from(count.keys.max(1)) * requests.max(1))
                }
            };
            let writes = (u128::from(writes) * share / 1000) as u64;
            let present = self.present.contains(&text);
            watch.push(WatchPlan { key: text, unit, writes, present });
        }
        Ok(watch)
    }
}

/// Shares rows out as keys are, so that they sum to the total.
struct Spread {
    rows: u64,
    keys: u64,
    seen: u64,
    given: u64,
}

impl Spread {
    fn take(&mut self, keys: u64) -> u64 {
        self.seen += keys;
        let due = u128::from(self.rows) * u128::from(self.seen) / u128::from(self.keys.max(1));
        let rows = due as u64 - self.given;
        self.given = due as u64;
        rows
    }
}
