//! `shardlab advise`: which strategy meets the needs that a scenario states.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::args::{OverrideArgs, TableFormat, threads};
use super::progress::{Watch, interrupted};
use super::run::{EngineArgs, replay};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::advise::{advise, matching};
use crate::charts::{self, pareto};
use crate::error::{Error, ErrorKind};
use crate::report::{self, advice, publish};
use crate::scenario::{self, Overrides, Scenario};
use crate::sim;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "advise",
    summary: "Which strategies meet the needs that a scenario states, ranked, and why the others do not",
    examples: "Examples:\n  shardlab advise scenarios/advise-cache.toml\n  \
               shardlab advise my.toml --set needs.max-over-mean=1.1 --format markdown\n  \
               shardlab advise my.toml --out /tmp/advice\n\n\
               Needs stand in [needs]. Without [[strategy]] every strategy that needs no setting of its own is\n\
               a candidate. Exit code: 0 some candidate meets every need, 1 none does or an expectation of the\n\
               scenario failed, 2 wrong input, 130 interrupted.",
    augment: AdviseArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct AdviseArgs {
    /// Scenario file, with the cluster, the keys and the needs
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: TableFormat,
    /// Folder for advice.json, advice.md, advice.csv, pareto.svg and all that `run` writes; without it no file is written
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Worker threads; by default one per core. The results are the same on any number
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Print no notes or progress
    #[arg(long)]
    quiet: bool,
    #[command(flatten)]
    overrides: OverrideArgs,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: AdviseArgs = read(matches);
    let overrides = Overrides { needs: true, ..args.overrides.clone().into_overrides() };
    let scenario = scenario::load(&args.scenario, &overrides)?;
    if let Some(dir) = &args.out {
        publish::ensure_writable(dir)?;
    }
    let engine = EngineArgs {
        format: "table".into(),
        threads: args.threads,
        quiet: args.quiet,
        timings: false,
        pairs: false,
        planning: false,
    };
    let record = replay(&scenario, None, &engine, ui)?;
    let differs = differs(&scenario, &args, ui)?;
    let advice = advise(&scenario, &record, &differs);
    if let Some(dir) = &args.out {
        let mut files = report::files(&record, false);
        files.extend(advice::files(&advice));
        let drawn = charts::draw_all(&record);
        files
            .extend(drawn.into_iter().map(|(stem, svg)| (format!("{stem}.svg"), svg.into_bytes())));
        let drawn = pareto::draw(&advice);
        files.extend(drawn.map(|svg| (format!("{}.svg", pareto::STEM), svg.into_bytes())));
        if interrupted() {
            return Err(Error::new(ErrorKind::Interrupted, "interrupted").into());
        }
        publish::publish(dir, &files)?;
        if !args.quiet {
            ui.note(&format!("{} files in {}", files.len(), dir.display()));
        }
    }
    match args.format {
        TableFormat::Table => ui.out().write_all(advice::text(&advice).as_bytes())?,
        TableFormat::Markdown => ui.out().write_all(advice::markdown(&advice).as_bytes())?,
        TableFormat::Json => ui.out().write_all(&advice::json(&advice))?,
        TableFormat::Csv => ui.out().write_all(advice::csv(&advice).as_bytes())?,
    }
    let failed: Vec<_> = record.expect.iter().filter(|expect| !expect.pass).collect();
    failed.iter().for_each(|e| ui.note(report::table::expect_line(e).trim_start()));
    let left = advice.candidates.iter().any(|candidate| candidate.rank.is_some());
    Ok(if left && failed.is_empty() { Exit::Done } else { Exit::Failed })
}

/// By cell the share of keys that lives elsewhere than with the system to match; empty without one.
fn differs(
    scenario: &Scenario,
    args: &AdviseArgs,
    ui: &mut Ui,
) -> Result<Vec<Option<f64>>, Failure> {
    let Some(name) = scenario.needs.as_ref().and_then(|needs| needs.matches.as_deref()) else {
        return Ok(Vec::new());
    };
    let watch = Watch::new(!args.quiet && ui.can_show_progress());
    let options =
        sim::Options { threads: args.threads.map(usize::from), ..sim::Options::default() };
    let shares = sim::on_threads(options, || matching::shares(scenario, name, &watch));
    watch.end();
    Ok(shares??)
}
