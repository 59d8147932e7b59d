//! `shardlab plan`: what a change moves, between whom, and what may go wrong, before it is made.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, ValueEnum};

use super::args::{OverrideArgs, step, threads};
use super::maps::{map_notes, new_map};
use super::placements::source;
use super::run::{EngineArgs, replay};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::plan::moves::{Moves, Side, between};
use crate::analysis::plan::{self, ChangePlan};
use crate::charts::{self, heat_map, render};
use crate::error::{Error, ErrorKind};
use crate::record::Record;
use crate::report::plan::{blocks, files, json, parts, summary};
use crate::report::{self, publish};
use crate::scenario::{self, Cell, Scenario};
use crate::sim::{self, assemble, plan::Plan};
use crate::strategy::Ownership;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "plan",
    summary: "What a change moves from which node to which, what fills up, what a failure does",
    examples: "Examples:\n  shardlab plan scenarios/plan-8-to-16.toml\n  \
               shardlab plan my.toml --cell ring/murmur3-32 --step 2\n  \
               shardlab plan my.toml --format csv --part buckets > moves.csv\n\n\
               Exit code: 0 done, 1 an expectation of the scenario failed, 2 wrong input, 130 interrupted.",
    augment: PlanArgs::augment_args,
    run,
};

/// Most heat maps that one plan writes.
const MOST_MAPS: usize = 48;

#[derive(Debug, Args)]
struct PlanArgs {
    /// Scenario file, with the changes to plan
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Only this cell; `shardlab check` shows them
    #[arg(long, value_name = "ID")]
    cell: Option<String>,
    /// Which step is shown in full; by default every one of up to three, else the worst
    #[arg(long, value_name = "K", value_parser = step)]
    step: Option<usize>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: Format,
    /// Which part of the plan a CSV holds: paths, steps, nodes, pairs, pairing, buckets, arcs or waves
    #[arg(long, value_name = "PART")]
    part: Option<String>,
    /// Folder for plan.json, plan.md, a CSV of each part, heat maps and all that `run` writes; without it no file is written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Write the cluster's map after the last step to this file, in the format of `[cluster] from`
    #[arg(long, value_name = "FILE")]
    write_map: Option<PathBuf>,
    /// Worker threads; by default one per core. The results are the same on any number
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Print no notes or progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    overrides: OverrideArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading: totals, nodes, the largest pairs
    Table,
    /// Everything
    Json,
    /// One part in full, pairs if --part does not say which
    Csv,
    /// As the table, for a page
    Markdown,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: PlanArgs = read(matches);
    let part = part(&args)?;
    let mut scenario = scenario::load(&args.scenario, &args.overrides.clone().into_overrides())?;
    if let Some(id) = &args.cell {
        keep(&mut scenario, id)?;
    }
    strip(&mut scenario);
    check_steps(&scenario, args.step)?;
    if let Some(dir) = &args.out {
        publish::ensure_writable(dir)?;
    }
    let map = args.write_map.as_ref().map(|file| new_map(&scenario, file)).transpose()?;
    if !args.quiet {
        map_notes(&scenario, ui);
    }
    let engine = EngineArgs {
        format: "table".into(),
        threads: args.threads,
        quiet: args.quiet,
        timings: false,
        pairs: true,
        planning: true,
    };
    let record = replay(&scenario, None, &engine, ui)?;
    let plan = plan::plan(&record, moves(&scenario)?);
    if let Some(dir) = &args.out {
        write(dir, &record, &plan, &args, ui)?;
    }
    if let (Some(file), Some(text)) = (&args.write_map, &map) {
        publish::write_one(file, text.as_bytes())?;
        if !args.quiet {
            ui.note(&format!("the map after the last step is in {}", file.display()));
        }
    }
    let view = summary::View { title: true, step: args.step };
    match args.format {
        Format::Table => print(ui, blocks::text(&summary::blocks(&plan, &view)).as_bytes())?,
        Format::Markdown => {
            print(ui, blocks::markdown(&summary::blocks(&plan, &view)).as_bytes())?;
        }
        Format::Json => print(ui, &json(&plan))?,
        Format::Csv => print(ui, &(part.rows)(&plan).csv())?,
    }
    let failed = record.expect.iter().filter(|expect| !expect.pass);
    let failed: Vec<_> = failed.map(report::table::expect_line).collect();
    failed.iter().for_each(|line| ui.note(line.trim_start()));
    Ok(if failed.is_empty() { Exit::Done } else { Exit::Failed })
}

fn print(ui: &mut Ui, bytes: &[u8]) -> Result<(), Failure> {
    Ok(ui.out().write_all(bytes)?)
}

/// The part that a CSV holds.
fn part(args: &PlanArgs) -> Result<&'static parts::Part, Error> {
    match &args.part {
        Some(_) if args.format != Format::Csv => Err(Error::invalid("--part without --format csv")
            .help("a table shows some of every part, JSON holds all of them")),
        Some(name) => parts::find(name),
        None => parts::find("pairs"),
    }
}

/// Leaves only the cell of that id; what the scenario expects of others goes with them.
fn keep(scenario: &mut Scenario, id: &str) -> Result<(), Error> {
    if !scenario.cells.iter().any(|cell| cell.id == id) {
        let ids = scenario.cells.iter().map(|cell| cell.id.as_str());
        return Err(Error::unknown("cell", id, ids));
    }
    scenario.cells.retain(|cell| cell.id == id);
    let cell = &scenario.cells[0];
    scenario.expects.retain(|expect| cell.at.matches(&expect.filter));
    scenario.charts.clear();
    Ok(())
}

/// Leaves out what a plan does not show: label sets, and prose about all cells.
fn strip(scenario: &mut Scenario) {
    scenario.trials = None;
    scenario.events.clear();
    scenario.searches.clear();
    scenario.expects.retain(|expect| !expect.metric.starts_with("trials."));
    scenario.analysis.clear();
}

/// A plan needs a change, and the step that is asked for.
fn check_steps(scenario: &Scenario, step: Option<usize>) -> Result<(), Error> {
    let last = scenario.cells.iter().map(|cell| cell.steps.len() - 1).max().unwrap_or(0);
    if last == 0 {
        return Err(Error::invalid("the scenario has no change to plan").help(
            "add one, e.g. `[[change]]` with `add = 1`, `remove = [\"db3\"]` or `fail = [\"db3\"]`",
        ));
    }
    match step {
        Some(step) if step == 0 || step > last => {
            Err(Error::invalid(format!("no path has a step {step}"))
                .help(format!("steps with a change: 1 to {last}")))
        }
        _ => Ok(()),
    }
}

/// What moves between the steps of every cell, where ownership is known: by cell, then by step from 1.
fn moves(scenario: &Scenario) -> Result<Vec<Vec<Option<Moves>>>, Error> {
    let mut all = vec![Vec::new(); scenario.cells.len()];
    for (workload, members) in sim::workloads(scenario) {
        let kind = source(workload, &scenario.base)?.kind();
        for index in members {
            // One cell at a time: the tables of one are enough to hold.
            let cell = &scenario.cells[index];
            let plan = Plan::new(&[cell], kind, &scenario.base)?;
            if let Ok(routed) = &plan.cells[0].steps {
                let owned: Vec<Option<Ownership>> = routed
                    .iter()
                    .map(|&routed| plan.routed[routed].placement.ownership())
                    .collect();
                all[index] = moves_of(cell, &owned);
            }
        }
    }
    Ok(all)
}

fn moves_of(cell: &Cell, owned: &[Option<Ownership>]) -> Vec<Option<Moves>> {
    let names = assemble::names(cell);
    let side = |step: usize| {
        let ownership = owned[step].as_ref()?;
        Some(Side { ownership, cluster: &cell.steps[step].cluster })
    };
    (1..owned.len()).map(|step| between(side(step - 1)?, side(step)?, &names)).collect()
}

/// Writes everything to a folder.
fn write(
    dir: &Path,
    record: &Record,
    plan: &ChangePlan,
    args: &PlanArgs,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let mut all = report::files(record, true);
    all.extend(files(plan));
    let drawn = charts::draw_all(record);
    all.extend(drawn.into_iter().map(|(stem, svg)| (format!("{stem}.svg"), svg.into_bytes())));
    // The scenario may have asked for some of the maps itself: these bear names of their own.
    let mut stems: BTreeMap<String, u32> = BTreeMap::new();
    stems.extend(all.iter().filter_map(|(name, _)| Some((name.strip_suffix(".svg")?.into(), 1))));
    let (maps, left) = heat_maps(record, &mut stems);
    all.extend(maps);
    if super::progress::interrupted() {
        return Err(Error::new(ErrorKind::Interrupted, "interrupted").into());
    }
    publish::publish(dir, &all)?;
    if !args.quiet {
        ui.note(&format!("{} files in {}", all.len(), dir.display()));
        if left > 0 {
            ui.note(&format!(
                "note: {} left out, beyond the first {MOST_MAPS} or of too many pairs of nodes",
                if left == 1 { "1 heat map is".into() } else { format!("{left} heat maps are") }
            ));
        }
    }
    Ok(())
}

/// A heat map of every step at which something moves that the scenario's charts do not show already, and
/// how many are left out.
fn heat_maps(
    record: &Record,
    stems: &mut BTreeMap<String, u32>,
) -> (Vec<(String, Vec<u8>)>, usize) {
    let drawn: Vec<_> = charts::charts(record).into_iter().flat_map(|(_, charts)| charts).collect();
    let mut maps = Vec::new();
    let mut left = 0;
    for cell in &record.cells {
        for step in &cell.steps {
            let moves = |m: &crate::record::MovementRecord| m.loads.values().any(|l| l.moved > 0);
            if !step.movement.as_ref().is_some_and(moves) {
                continue;
            }
            let load = if step.totals.contains_key("keys") { "keys" } else { "requests" };
            match heat_map::of_step(record, cell, step, load) {
                Some(chart) if drawn.iter().any(|have| have.layers == chart.layers) => {}
                Some(chart) if maps.len() < MOST_MAPS => {
                    let stem = charts::stem(heat_map::INFO.name, &chart.suffix);
                    let stem = charts::unused(stems, &stem);
                    let svg = render::render(&chart, &stem);
                    maps.push((format!("{stem}.svg"), svg.into_bytes()));
                }
                _ => left += 1,
            }
        }
    }
    (maps, left)
}
