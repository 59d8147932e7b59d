//! The engine: replays keys through placements and tallies where they live.
//!
//! One pass over the rows of each distinct workload (`scan`), all placements of its cells in that
//! pass (`plan`, `replay`), integer counts (`tally`, and `arcs` where a key's digest alone decides),
//! and from them the record (`assemble`). Families of keys are workloads of their own, whose counts
//! are summed (`families`). Loops that act on measured load run before all that and leave ordinary
//! paths (`control`).
//! Strategies whose answer depends on open requests walk a stated order of the requests instead
//! (`session`). Queries over many keys (`queries`) are drawn before that pass and counted in it.
//! Migrations (`units`, `migrate`) are simulated step by step from what moves. Trials, events and
//! searches (`trials`, `events`) vary node names or hash seeds; claims draw theirs from the same
//! `sampler`.

pub mod arcs;
pub mod assemble;
pub mod capacity;
pub mod cascade;
pub mod control;
pub mod copies;
pub mod counted;
pub mod events;
mod expect;
mod failure;
pub mod families;
pub mod hot_rows;
pub mod input;
pub mod labels;
pub mod migrate;
mod phases;
pub mod plan;
mod price;
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
use crate::record::{CellRecord, Record, Spill};
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
/// the scenario that only building shows, a fault of a key file, a rule that no key meets, or an interrupt.
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

impl<'a> Group<'a> {
    fn open(
        scenario: &'a Scenario,
        workload: &Workload,
        members: Vec<usize>,
        options: Options,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let input = Input::open(workload, &scenario.base, progress)
            .map_err(|error| scenario.locate(error))?;
        let cells: Vec<&Cell> = members.iter().map(|&i| &scenario.cells[i]).collect();
        let mut plan = Plan::new(&cells, input.source.kind(), &scenario.base)?;
        plan.repeats = options.repeats || scenario.asks_repeats();
        plan.most_pairs = options.most_pairs.unwrap_or(RECORD_PAIRS);
        session::check_size(workload, input.all_rows(), &plan)?;
        let queries = QuerySet::new(&scenario.queries, &input, workload.seed, progress)
            .map_err(|error| scenario.locate(error))?;
        let divisions = migrate::divide(&plan, input.source.kind(), input.all_rows())?;
        Ok(Group { members, input, plan, queries, divisions })
    }
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
    // Loops that act on measured load become paths first.
    let closed = control::close(scenario, progress)?;
    let scenario = closed.as_ref().unwrap_or(scenario);
    // Everything is opened and built before the first key is placed.
    let (mut groups, mut sums) = (Vec::new(), Vec::new());
    for (workload, members) in workloads(scenario) {
        if workload.families.is_empty() {
            groups.push(Group::open(scenario, workload, members, options, progress)?);
        } else {
            sums.push((workload, members));
        }
    }
    let mut cells: Vec<Option<CellRecord>> = scenario.cells.iter().map(|_| None).collect();
    // Only families are needed again, for their sum.
    let mut counted = Vec::new();
    for group in &groups {
        let (records, replayed) = run_group(scenario, group, progress)?;
        for (&index, record) in group.members.iter().zip(records) {
            cells[index] = Some(record);
        }
        counted.push((!sums.is_empty()).then_some(replayed));
    }
    for (workload, members) in sums {
        let of = |cell: usize| groups.iter().position(|group| group.members.contains(&cell));
        let families = families::of(scenario, workload, &members).into_iter().map(|cell| {
            let at = of(cell).expect("every family has a group");
            families::Family {
                members: &groups[at].members,
                kind: groups[at].input.source.kind(),
                replayed: counted[at].as_ref().expect("kept for the sum"),
            }
        });
        let families: Vec<_> = families.collect();
        let most_pairs = options.most_pairs.unwrap_or(RECORD_PAIRS);
        let records = families::together(scenario, &members, &families, &cells, most_pairs)?;
        for (index, record) in members.into_iter().zip(records) {
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
    price::check_rules(&scenario.cells, &record.cells)?;
    price::add(&scenario.cells, &mut record.cells);
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

/// What was counted, and by cell and step what a session sent past its keys' homes.
type Counted = (Replayed, Vec<Vec<Spill>>);

/// Counts where the keys of all cells of a plan are, by placement or request by request.
fn count(
    input: &Input,
    plan: &Plan<'_>,
    queries: &QuerySet,
    progress: &dyn Progress,
) -> Result<Counted, Error> {
    let sessions = session::session_cells(plan);
    let mut replayed = replay::replay(input, plan, &sessions, queries, progress)?;
    let mut spills = vec![Vec::new(); plan.cells.len()];
    if sessions.contains(&true) {
        let seed = plan.cells[0].cell.workload.seed;
        let walked = session::sessions(input, plan, &sessions, seed, progress)?;
        for ((cell, spills), walked) in replayed.cells.iter_mut().zip(&mut spills).zip(walked) {
            if let Some(walked) = walked {
                (*cell, *spills) = (Some(walked.tally), walked.spills);
            }
        }
    }
    Ok((replayed, spills))
}

fn run_group(
    scenario: &Scenario,
    group: &Group<'_>,
    progress: &dyn Progress,
) -> Result<(Vec<CellRecord>, Replayed), Error> {
    let Group { input, plan, queries, divisions, .. } = group;
    let located = |error: Error| match error.kind {
        ErrorKind::Data => scenario.locate(error),
        _ => error,
    };
    let (replayed, spills) = count(input, plan, queries, progress).map_err(located)?;
    let mut cascades =
        cascade::follow(input, plan, &replayed, &scenario.base, progress).map_err(located)?;
    let timelines = migrate::timelines(input, plan, divisions, progress).map_err(located)?;
    let facts = assemble::workload(plan.cells[0].cell, input, &replayed);
    let sessions = session::session_cells(plan);
    let mut records = Vec::with_capacity(plan.cells.len());
    let counted = plan.cells.iter().zip(&replayed.cells).zip(sessions).zip(timelines).zip(spills);
    for (c, ((((cell, tally), session), timelines), spills)) in counted.enumerate() {
        // Where keys have no place of their own, there is none to look for them.
        let queries = (!session).then_some((queries, &replayed.matcher));
        let mut record = assemble::cell(plan, cell, tally.as_ref(), queries, &facts);
        if let Some(tally) = tally {
            phases::add(&mut record, cell, tally, input.phases());
        }
        if let Some(control) = cell.cell.control.as_ref().filter(|control| control.is_loop()) {
            control::record(&mut record, control);
        }
        for (step, spill) in record.steps.iter_mut().zip(spills) {
            step.spill = Some(spill);
        }
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
    Ok((records, replayed))
}
