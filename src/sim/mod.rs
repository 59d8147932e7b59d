//! The engine: replays keys through placements and tallies where they live.
//!
//! One pass over the rows of each distinct workload (`scan`), all placements of its cells in that
//! pass (`plan`, `replay`), integer counts (`tally`, and `arcs` where a key's digest alone decides),
//! and from them the record (`assemble`).
//! Strategies whose answer depends on open requests walk a stated order of the requests instead
//! (`session`). Queries over many keys (`queries`) are drawn before that pass and counted in it.
//! Migrations (`units`, `migrate`) are simulated step by step from what moves. Trials, events and
//! searches (`trials`, `events`) vary node names or hash seeds.

pub mod arcs;
pub mod assemble;
pub mod capacity;
pub mod cascade;
pub mod copies;
pub mod events;
mod expect;
mod failure;
pub mod input;
pub mod labels;
pub mod migrate;
pub mod plan;
pub mod queries;
pub mod repeats;
pub mod replay;
pub mod sampler;
pub mod scan;
pub mod session;
pub mod tally;
pub mod trials;
pub mod units;

use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::keys::KeyKind;
use crate::record::{CellRecord, Record};
use crate::scenario::{Cell, Scenario, Workload};
use input::Input;
use plan::{Plan, PlannedCell};
use queries::QuerySet;
use replay::Replayed;

/// Told how far a run has come. Called from any thread.
pub trait Progress: Sync {
    /// A stage begins: what it is, and how many units (rows, requests, trials) it has.
    fn begin(&self, what: &str, units: u64);
    /// So many more units are done.
    fn advance(&self, units: u64);
    /// Whether the user wants the run to stop.
    fn interrupted(&self) -> bool {
        false
    }
}

/// No progress is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _what: &str, _units: u64) {}
    fn advance(&self, _units: u64) {}
}

/// How to run; nothing here changes a result, though some of it adds to the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Worker threads; None: one per core.
    pub threads: Option<usize>,
    /// Count how often the same keys move, whether the scenario asks for it or not.
    pub repeats: bool,
    /// Most pairs of nodes that the record lists for a step; None: [`RECORD_PAIRS`].
    pub most_pairs: Option<usize>,
}

/// Most pairs that a record lists for a step, unless more are asked for.
pub const RECORD_PAIRS: usize = 4096;

/// Replays the scenario. What a strategy cannot do is noted with its cell; an error is a fault of
/// the scenario that only building shows, a fault of a key file, or an interrupt.
pub fn run(
    scenario: &Scenario,
    options: Options,
    progress: &dyn Progress,
) -> Result<Record, Error> {
    on_threads(options, || run_here(scenario, options, progress))?
}

/// Calls `work` on as many worker threads as the options say.
pub fn on_threads<T: Send>(options: Options, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads.unwrap_or(0))
        .build()
        .map_err(|e| Error::invalid(format!("cannot start the worker threads: {e}")))?;
    Ok(pool.install(work))
}

/// The cells of one workload, opened and planned.
struct Group<'a> {
    members: Vec<usize>,
    input: Input,
    plan: Plan<'a>,
    queries: QuerySet,
    divisions: migrate::Divisions,
}

/// Cells by workload, in order of first appearance.
pub fn workloads(scenario: &Scenario) -> Vec<(&Arc<Workload>, Vec<usize>)> {
    let mut groups: Vec<(&Arc<Workload>, Vec<usize>)> = Vec::new();
    for (index, cell) in scenario.cells.iter().enumerate() {
        match groups
            .iter_mut()
            .find(|(w, _)| Arc::ptr_eq(w, &cell.workload) || *w == &cell.workload)
        {
            Some((_, members)) => members.push(index),
            None => groups.push((&cell.workload, vec![index])),
        }
    }
    groups
}

/// The same as [`run`] on the threads at hand.
pub fn run_here(
    scenario: &Scenario,
    options: Options,
    progress: &dyn Progress,
) -> Result<Record, Error> {
    // Everything is opened and built before the first key is placed.
    let mut groups = Vec::new();
    for (workload, members) in workloads(scenario) {
        let input = Input::open(workload, &scenario.base, progress)
            .map_err(|error| scenario.locate(error))?;
        let cells: Vec<&Cell> = members.iter().map(|&i| &scenario.cells[i]).collect();
        let mut plan = Plan::new(&cells, input.source.kind(), &scenario.base)?;
        plan.repeats = options.repeats || scenario.asks_repeats();
        plan.most_pairs = options.most_pairs.unwrap_or(RECORD_PAIRS);
        session::check_size(workload, input.all_rows(), &plan)?;
        let queries = QuerySet::new(&scenario.queries, &input, workload.seed, progress)
            .map_err(|error| scenario.locate(error))?;
        let divisions = migrate::divide(&plan)?;
        groups.push(Group { members, input, plan, queries, divisions });
    }
    let mut cells: Vec<Option<CellRecord>> = scenario.cells.iter().map(|_| None).collect();
    for group in &groups {
        let records = run_group(scenario, group, progress)?;
        for (&index, record) in group.members.iter().zip(records) {
            cells[index] = Some(record);
        }
    }
    let mut record = Record {
        schema: crate::record::SCHEMA.into(),
        shardlab: env!("CARGO_PKG_VERSION").into(),
        scenario: assemble::scenario(scenario, groups.iter().map(|group| &group.input))?,
        seed: scenario.cells[0].seed,
        cells: cells.into_iter().map(|cell| cell.expect("every cell has a workload")).collect(),
        events: Vec::new(),
        searches: Vec::new(),
        expect: Vec::new(),
        charts: assemble::charts(scenario),
    };
    let able: Vec<&Cell> = groups.iter().flat_map(able).collect();
    let keys = groups.first().map_or(KeyKind::Text, |g| g.input.source.kind());
    for event in &scenario.events {
        record.events.extend(events::event(event, scenario, &able, keys, progress)?);
    }
    for search in &scenario.searches {
        record.searches.extend(events::search(search, scenario, &able, keys, progress)?);
    }
    record.expect = expect::check(&scenario.expects, &scenario.cells, &record);
    Ok(record)
}

/// The cells whose exact ownership follows from node names.
fn able<'a>(group: &Group<'a>) -> Vec<&'a Cell> {
    let knows = |cell: &&PlannedCell<'a>| {
        cell.steps.as_ref().is_ok_and(|steps| {
            steps.iter().all(|&routed| group.plan.routed[routed].placement.ownership().is_some())
        }) && events::can_take_part(cell.cell)
    };
    group.plan.cells.iter().filter(knows).map(|cell| cell.cell).collect()
}

/// Counts where the keys of all cells of a plan are, by placement or request by request.
fn count(
    input: &Input,
    plan: &Plan<'_>,
    queries: &QuerySet,
    progress: &dyn Progress,
) -> Result<Replayed, Error> {
    let sessions = session::session_cells(plan);
    let mut replayed = replay::replay(input, plan, &sessions, queries, progress)?;
    if sessions.contains(&true) {
        let seed = plan.cells[0].cell.workload.seed;
        let walked = session::sessions(input, plan, &sessions, seed, progress)?;
        for (cell, tally) in replayed.cells.iter_mut().zip(walked) {
            if tally.is_some() {
                *cell = tally;
            }
        }
    }
    Ok(replayed)
}

fn run_group(
    scenario: &Scenario,
    group: &Group<'_>,
    progress: &dyn Progress,
) -> Result<Vec<CellRecord>, Error> {
    let Group { input, plan, queries, divisions, .. } = group;
    let located = |error: Error| match error.kind {
        ErrorKind::Data => scenario.locate(error),
        _ => error,
    };
    let replayed = count(input, plan, queries, progress).map_err(located)?;
    let mut cascades =
        cascade::follow(input, plan, &replayed, &scenario.base, progress).map_err(located)?;
    let timelines = migrate::timelines(input, plan, divisions, progress).map_err(located)?;
    let facts = assemble::workload(plan.cells[0].cell, input, &replayed);
    let sessions = session::session_cells(plan);
    let mut records = Vec::with_capacity(plan.cells.len());
    let counted = plan.cells.iter().zip(&replayed.cells).zip(sessions).zip(timelines);
    for (c, (((cell, tally), session), timelines)) in counted.enumerate() {
        // Where keys have no place of their own, there is none to look for them.
        let queries = (!session).then_some((queries, &replayed.matcher));
        let mut record = assemble::cell(plan, cell, tally.as_ref(), queries, &facts);
        for (step, timeline) in record.steps.iter_mut().zip(timelines) {
            step.timeline = timeline;
            if let Some(failure) = &mut step.failure {
                failure.cascade = cascades.remove(&(c, step.step));
            }
        }
        if let (Some(trials), Ok(steps)) = (&scenario.trials, &cell.steps) {
            let own: Vec<_> = steps.iter().map(|&r| plan.routed[r].placement.as_ref()).collect();
            let base = &scenario.base;
            record.trials = Some(trials::trials(cell, &own, trials, input, base, progress)?);
        }
        records.push(record);
    }
    Ok(records)
}
