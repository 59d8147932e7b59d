//! `shardlab disagree`: on which keys two routers differ.

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgMatches, Args, ValueEnum};
use serde_json::json;

use super::args::{count, step};
use super::choice::{closed, pick, unsupported};
use super::hash::push_field;
use super::progress::{Watch, catch_interrupts};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::disagree::{Disagreement, Side, disagree};
use crate::error::Error;
use crate::report::number::{grouped, percent};
use crate::report::table::plain;
use crate::scenario::{self, Cell, Overrides};
use crate::sim::input::Input;
use crate::sim::plan::Plan;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "disagree",
    summary: "The share of keys on which two routers differ, and between which nodes",
    examples: "Examples:\n  shardlab disagree java-client.toml python-client.toml\n  \
               shardlab disagree before.toml before.toml --step 0 --step2 1 --keys 1m\n\n\
               The keys and their traffic are those of the first scenario; nodes are the same when their\n\
               names are. Exit code 0 whether they differ or not.",
    augment: DisagreeArgs::augment_args,
    run,
};

/// Pairs of nodes that the text shows.
const SHOWN: usize = 20;

#[derive(Debug, Args)]
struct DisagreeArgs {
    /// Scenario of the first router; its keys are routed
    #[arg(value_name = "A.toml")]
    first: PathBuf,
    /// Scenario of the second router
    #[arg(value_name = "B.toml")]
    second: PathBuf,
    /// Which cell of the first scenario; `shardlab check` shows them
    #[arg(long, value_name = "ID")]
    cell: Option<String>,
    /// Which cell of the second scenario
    #[arg(long, value_name = "ID")]
    cell2: Option<String>,
    /// Step of the first router's path
    #[arg(long, value_name = "K", default_value = "0", value_parser = step)]
    step: usize,
    /// Step of the second router's path
    #[arg(long, value_name = "K", default_value = "0", value_parser = step)]
    step2: usize,
    /// How many keys, instead of the scenario's own number
    #[arg(long, value_name = "N", value_parser = count)]
    keys: Option<u64>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading: the share, the largest pairs, a few keys
    Text,
    /// All pairs of nodes
    Csv,
    /// Everything
    Json,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: DisagreeArgs = read(matches);
    let overrides = Overrides { keys: args.keys, ..Overrides::default() };
    let scenarios = [
        closed(scenario::load(&args.first, &overrides)?)?,
        closed(scenario::load(&args.second, &Overrides::default())?)?,
    ];
    let cells = [
        pick(&scenarios[0].cells, args.cell.as_deref())?,
        pick(&scenarios[1].cells, args.cell2.as_deref())?,
    ];
    catch_interrupts();
    let watch = Watch::new(ui.can_show_progress());
    let input = Input::open(&cells[0].workload, &scenarios[0].base, &watch)?;
    let kind = input.source.kind();
    let plan = |at: usize| Plan::new(&[cells[at]], kind, &scenarios[at].base);
    let plans = [plan(0)?, plan(1)?];
    let side = |at: usize, step: usize| side(cells[at], &plans[at], step);
    let sides = [side(0, args.step)?, side(1, args.step2)?];
    let found = disagree([&sides[0], &sides[1]], &input, &watch);
    watch.end();
    let found = found?;
    match args.format {
        Format::Text => {
            let steps = [args.step, args.step2];
            text(&found, [0, 1].map(|i| (scenarios[i].name.as_str(), steps[i])), ui)?;
        }
        Format::Csv => csv(&found, ui)?,
        Format::Json => json(&found, ui)?,
    }
    Ok(Exit::Done)
}

fn side<'a>(cell: &'a Cell, plan: &Plan<'_>, step: usize) -> Result<Side<'a>, Error> {
    let steps = plan.cells[0].steps.as_ref().map_err(|reason| unsupported(&cell.id, reason))?;
    let routed = steps.get(step).ok_or_else(|| {
        Error::invalid(format!("cell `{}` has no step {step}", cell.id))
            .help(format!("steps: 0 to {}", steps.len() - 1))
    })?;
    if cell.replicas > 1 {
        return Err(Error::unsupported(format!(
            "cell `{}` places {} replicas of a key",
            cell.id, cell.replicas
        ))
        .help("compare routers of one node a key: replicas = 1"));
    }
    let placement = plan.routed[*routed].placement.clone();
    Ok(Side { cluster: &cell.steps[step].cluster, placement })
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// For reading. `routers`: the scenario's name and the step of each.
fn text(found: &Disagreement, routers: [(&str, usize); 2], ui: &mut Ui) -> Result<(), Failure> {
    let Disagreement { total, differ, pairs, examples, only, renamed } = found;
    let keys = percent(share(differ.keys, total.keys), 4);
    let out = ui.out();
    writeln!(out, "{} of {} keys differ: {keys} %", grouped(differ.keys), grouped(total.keys))?;
    if total.requests != total.keys {
        let requests = percent(share(differ.requests, total.requests), 4);
        let (part, whole) = (grouped(differ.requests), grouped(total.requests));
        writeln!(out, "{part} of {whole} requests: {requests} %")?;
    }
    for ((names, (file, step)), which) in only.iter().zip(routers).zip(["first", "second"]) {
        if !names.is_empty() {
            let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
            let more = if names.len() > SHOWN { " …" } else { "" };
            let shown = shown.join(", ");
            writeln!(out, "only in the {which}, {file} at step {step}: {shown}{more}")?;
        }
    }
    if !renamed.is_empty() {
        let same = |(a, b): &(String, String)| format!("{a} = {b}");
        let shown: Vec<String> = renamed.iter().take(SHOWN).map(same).collect();
        let more = if renamed.len() > SHOWN { " …" } else { "" };
        writeln!(out, "the same by address: {}{more}", shown.join(", "))?;
    }
    if pairs.is_empty() {
        return Ok(());
    }
    let header = vec!["first", "second", "keys", "requests", "% of keys"];
    let mut table = plain(header, &[false, false, true, true, true]);
    for (first, second, amount) in pairs.iter().take(SHOWN) {
        let share = percent(share(amount.keys, total.keys), 4);
        let (keys, requests) = (grouped(amount.keys), grouped(amount.requests));
        table.add_row([first, second, &keys, &requests, &share]);
    }
    writeln!(out, "{}", table.trim_fmt())?;
    if pairs.len() > SHOWN {
        writeln!(out, "{} pairs; --format csv has all", pairs.len())?;
    }
    for example in examples {
        writeln!(out, "e.g. {}: {} or {}", example.key, example.first, example.second)?;
    }
    Ok(())
}

fn csv(found: &Disagreement, ui: &mut Ui) -> Result<(), Failure> {
    let mut bytes = b"first,second,keys,requests\n".to_vec();
    for (first, second, amount) in &found.pairs {
        push_field(&mut bytes, first.as_bytes());
        bytes.push(b',');
        push_field(&mut bytes, second.as_bytes());
        writeln!(bytes, ",{},{}", amount.keys, amount.requests)?;
    }
    Ok(ui.out().write_all(&bytes)?)
}

fn json(found: &Disagreement, ui: &mut Ui) -> Result<(), Failure> {
    let Disagreement { total, differ, pairs, examples, only, renamed } = found;
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(first, second, amount)| {
            json!({ "first": first, "second": second, "keys": amount.keys, "requests": amount.requests })
        })
        .collect();
    let examples: Vec<_> = examples
        .iter()
        .map(|e| json!({ "key": e.key, "row": e.row, "first": e.first, "second": e.second }))
        .collect();
    let all = json!({
        "keys": total.keys,
        "requests": total.requests,
        "differ": {
            "keys": differ.keys,
            "requests": differ.requests,
            "share-of-keys": share(differ.keys, total.keys),
            "share-of-requests": share(differ.requests, total.requests),
        },
        "only-first": only[0],
        "only-second": only[1],
        "renamed": renamed.iter().map(|(a, b)| json!({ "first": a, "second": b })).collect::<Vec<_>>(),
        "pairs": pairs,
        "examples": examples,
    });
    let text = serde_json::to_string_pretty(&all).expect("JSON values are JSON");
    Ok(writeln!(ui.out(), "{text}")?)
}
