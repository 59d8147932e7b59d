//! `shardlab run`: replays scenarios, prints a summary, writes record, CSV files and charts.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{ArgMatches, Args};
use serde_json::json;

use super::args::{OverrideArgs, threads};
use super::progress::{Watch, catch_interrupts, interrupted};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::{Error, ErrorKind};
use crate::record::Record;
use crate::report::{self, ReportInfo, prose, publish, several, table};
use crate::scenario::{self, Scenario};
use crate::sim;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "run",
    summary: "Replay scenarios: print a table, write record, CSV files and charts",
    examples: "Examples:\n  shardlab run scenarios/vnodes-27-to-9.toml\n  \
               shardlab run my.toml --keys 1m --sweep vnodes=1,10,100 --out /tmp/look\n\n\
               Exit code: 0 all expectations hold, 1 one failed, 2 wrong input, 130 interrupted.",
    augment: RunArgs::augment_args,
    run,
};

/// Most pairs of nodes that a plan lists for a step.
const PLAN_PAIRS: usize = 1 << 17;

#[derive(Debug, Args)]
struct RunArgs {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Folder of the results; by default reports/<scenario>; of several scenarios each gets its own in it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    overrides: OverrideArgs,
}

/// How to run and what to print; shared with `quick`.
#[derive(Debug, Args)]
pub struct EngineArgs {
    /// What to print: table, json, csv, markdown, nodes, movement or queries
    #[arg(long, value_name = "F", default_value = "table")]
    pub format: String,
    /// Worker threads; by default one per core. The results are the same on any number
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<u16>,
    /// Print no table, notes or progress; only expectations that failed
    #[arg(long)]
    pub quiet: bool,
    /// Also write timings.json: wall time per stage; measured, so never the same twice
    #[arg(long)]
    pub timings: bool,
    /// Also write movement.csv: what moved from which node to which
    #[arg(long)]
    pub pairs: bool,
    /// Also count how often the same keys move, and list all pairs: for `plan`
    #[arg(skip)]
    pub planning: bool,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: RunArgs = read(matches);
    let format = report::find(&args.engine.format)?;
    let overrides = args.overrides.into_overrides();
    // Everything that can be wrong is found before the first key is placed, in all scenarios.
    let (mut scenarios, mut errors) = (Vec::new(), Vec::new());
    for path in &args.scenarios {
        match scenario::load(path, &overrides) {
            Ok(scenario) => scenarios.push(scenario),
            Err(more) => errors.extend(more),
        }
    }
    if !errors.is_empty() {
        return Err(errors.into());
    }
    let dirs = folders(args.out.as_deref(), &scenarios)?;
    for dir in &dirs {
        publish::ensure_writable(dir)?;
    }
    let mut records = Vec::new();
    let mut exit = Exit::Done;
    for (i, (scenario, dir)) in scenarios.iter().zip(&dirs).enumerate() {
        let record = replay(scenario, Some(dir), &args.engine, ui)?;
        if format.name != table::INFO.name {
            records.push(record);
            continue;
        }
        if i > 0 && !args.engine.quiet {
            ui.report(b"\n")?;
        }
        if show(&[&record], format, &args.engine, ui)? == Exit::Failed {
            exit = Exit::Failed;
        }
    }
    if records.is_empty() {
        return Ok(exit);
    }
    // Data for a program is one document, however many scenarios there are.
    show(&records.iter().collect::<Vec<_>>(), format, &args.engine, ui)
}

/// The folder of each scenario's results.
fn folders(out: Option<&Path>, scenarios: &[Scenario]) -> Result<Vec<PathBuf>, Error> {
    let dirs: Vec<PathBuf> = match (out, scenarios) {
        (Some(out), [_]) => vec![out.to_path_buf()],
        (out, _) => {
            let parent = out.unwrap_or(Path::new("reports"));
            scenarios.iter().map(|s| parent.join(&s.name)).collect()
        }
    };
    for (i, dir) in dirs.iter().enumerate() {
        if dirs[..i].contains(dir) {
            return Err(Error::invalid(format!(
                "two scenarios would both write to `{}`",
                dir.display()
            ))
            .help("run them one at a time, each with its own --out"));
        }
    }
    Ok(dirs)
}

/// Runs one scenario, writes its files to `dir` if there is one, and notes what is noteworthy.
pub fn replay(
    scenario: &Scenario,
    dir: Option<&Path>,
    args: &EngineArgs,
    ui: &mut Ui,
) -> Result<Record, Failure> {
    catch_interrupts();
    let watch = Watch::new(!args.quiet && ui.can_show_progress());
    let options = sim::Options {
        threads: args.threads.map(usize::from),
        repeats: args.planning,
        most_pairs: args.planning.then_some(PLAN_PAIRS),
    };
    let result = sim::run(scenario, options, &watch);
    watch.end();
    let record = result?;
    if let Some(dir) = dir {
        let files = files(&record, args, &watch);
        if interrupted() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted").into());
        }
        let removed = publish::publish(dir, &files)?;
        if !args.quiet {
            ui.note(&format!("{} files in {}", files.len(), dir.display()));
            if !removed.is_empty() {
                ui.note(&format!("removed there, of an earlier run: {}", removed.join(", ")));
            }
        }
    }
    notes(&record, args, ui);
    Ok(record)
}

/// Prints the report on the records; the verdict is theirs.
pub fn show(
    records: &[&Record],
    format: &ReportInfo,
    args: &EngineArgs,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let failed = records.iter().any(|record| record.expect.iter().any(|e| !e.pass));
    match print(records, format, args, ui) {
        // The files are there and the verdict stands, read or not.
        Ok(()) | Err(Failure::Closed) => Ok(if failed { Exit::Failed } else { Exit::Done }),
        Err(failure) => Err(failure),
    }
}

fn files(record: &Record, args: &EngineArgs, watch: &Watch) -> Vec<(String, Vec<u8>)> {
    let begun = Instant::now();
    let mut files = report::files(record, args.pairs);
    let charts = crate::charts::draw_all(record);
    files.extend(charts.into_iter().map(|(stem, svg)| (format!("{stem}.svg"), svg.into_bytes())));
    if args.timings {
        let mut timings = watch.timings();
        timings["reports-and-charts-seconds"] = json!(begun.elapsed().as_secs_f64());
        timings["scenario"] = json!(record.scenario.name);
        let mut bytes = serde_json::to_vec_pretty(&timings).expect("JSON values are JSON");
        bytes.push(b'\n');
        files.push((publish::TIMINGS.to_string(), bytes));
    }
    files
}

/// What a person should know that no report says.
fn notes(record: &Record, args: &EngineArgs, ui: &mut Ui) {
    if args.quiet {
        return;
    }
    let (_, missing) = prose::fill_or_mark(&record.scenario.analysis, record);
    for error in missing {
        ui.note(&format!("note: analysis: {}", error.message));
    }
    if record.cells.iter().all(|cell| cell.unsupported.is_some()) {
        ui.note("note: no cell could be run; the results say why for each");
    }
    for (kind, charts) in crate::charts::charts(record) {
        if charts.is_empty() && !record.charts.is_empty() {
            ui.note(&format!(
                "note: the chart {kind} is not drawn: the results hold nothing for it{}",
                if kind == crate::charts::heat_map::INFO.name {
                    "; of very many pairs of nodes `plan --out` draws it"
                } else {
                    ""
                }
            ));
        }
    }
    let cut = record
        .cells
        .iter()
        .flat_map(|c| &c.steps)
        .filter(|s| s.movement.as_ref().is_some_and(|m| m.pairs.is_none()));
    let cut = cut.count();
    if args.pairs && cut > 0 {
        ui.note(&format!(
            "note: movement.csv lacks {cut} steps: too many pairs, or rounds of a loop"
        ));
    }
}

fn print(
    records: &[&Record],
    format: &ReportInfo,
    args: &EngineArgs,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let is_table = format.name == table::INFO.name;
    if !(args.quiet && is_table) {
        ui.report(&several::write(format, records))?;
        ui.flush()?;
    }
    if args.quiet || !is_table {
        let expects = records.iter().flat_map(|record| &record.expect);
        for expect in expects.filter(|e| !e.pass) {
            ui.note(table::expect_line(expect).trim_start());
        }
    }
    Ok(())
}
