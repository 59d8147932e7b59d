//! `shardlab explain`: what a person sees, and whether it can be what they think it is.

use std::io::{IsTerminal as _, Read as _, Write as _};
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Args, Command};

use super::args::{TableFormat, count, pair, values};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::explain::counts::{self, Observation, input};
use crate::analysis::explain::forms::{self, FormInfo, Verdict};
use crate::error::Error;
use crate::params::{Default, Params};
use crate::report::catalog::default_text;
use crate::report::{answer, diagnosis};
use crate::strategy;
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "explain",
    summary: "Why loads are uneven, and closed forms: what should move, what can be even",
    examples: "Examples:\n  \
        shardlab explain counts 414182 388317 362089 342782 324263 318252 304890 297171 288496\n  \
        shardlab explain counts --file loads.csv --strategy ring --vnodes 160\n  \
        shardlab explain counts 28.4 38.6 32.9 --keys 1m --strategy ring --vnodes 16\n  \
        shardlab explain modulo 3 4 --claimed 83%\n  \
        shardlab explain ring 16 17 --vnodes 160\n  \
        shardlab explain --list",
    augment,
    run,
};

/// Largest table of loads.
const MAX_FILE_BYTES: u64 = 64 << 20;

fn augment(command: Command) -> Command {
    let counts = CountsArgs::augment_args(Command::new("counts"))
        .about("Why the loads of nodes are uneven: chance, causes by likelihood, what would help")
        .after_help(
            "Loads are numbers, one a node, or a table of node,count[,weight] (--file, or stdin).\n\
             Numbers with a fraction are amounts, e.g. per cent or GB; --keys says how many keys they stand for.",
        );
    let list = Arg::new("list")
        .long("list")
        .action(ArgAction::SetTrue)
        .help("List the closed forms with their formulas");
    command
        .arg(list)
        .arg_required_else_help(true)
        .args_conflicts_with_subcommands(true)
        .subcommand(counts)
        .subcommands(forms::ALL.iter().map(|form| form_command(form)))
}

#[derive(Debug, Args)]
struct CountsArgs {
    /// Load of each node
    #[arg(value_name = "N", allow_negative_numbers = true)]
    counts: Vec<String>,
    /// Table of node,count[,weight]; `-` is stdin
    #[arg(long, value_name = "FILE", conflicts_with = "counts")]
    file: Option<PathBuf>,
    /// Strategy that places the keys; `shardlab list strategies` shows them
    #[arg(long, value_name = "S", default_value = "modulo")]
    strategy: String,
    /// Virtual nodes a node, for strategies that have them
    #[arg(long, value_name = "V")]
    vnodes: Option<String>,
    /// Another parameter of the strategy, e.g. buckets=1024
    #[arg(long, value_name = "K=V", value_parser = pair)]
    param: Vec<(String, String)>,
    /// Weight of each node, where they are not equal
    #[arg(long, value_name = "W,W", value_delimiter = ',', allow_negative_numbers = true)]
    weights: Option<Vec<f64>>,
    /// How many keys the loads stand for, where they are not counts of keys
    #[arg(long, value_name = "K", value_parser = count)]
    keys: Option<u64>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: TableFormat,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    match matches.subcommand() {
        Some(("counts", sub)) => explain_counts(&read(sub), ui)?,
        Some((name, sub)) => {
            let form = forms::find(name)?;
            return explain_form(form, sub, ui);
        }
        None => {
            for form in forms::ALL {
                writeln!(ui.out(), "{:<16}  {}", usage(form), form.summary)?;
                writeln!(ui.out(), "    {}", form.formula)?;
            }
        }
    }
    Ok(Exit::Done)
}

fn explain_counts(args: &CountsArgs, ui: &mut Ui) -> Result<(), Failure> {
    let info = strategy::find(&args.strategy)?;
    let mut given = args.param.clone();
    given.extend(args.vnodes.iter().map(|v| ("vnodes".to_string(), v.clone())));
    let params = Params::from_pairs(info.params, values(info.params, &given))?;
    let seen = observation(args)?;
    let found = counts::diagnose(&seen, info, &params)?;
    let text = match args.format {
        TableFormat::Table => diagnosis::table(&found),
        TableFormat::Markdown => diagnosis::markdown(&found),
        TableFormat::Csv => diagnosis::csv(&found),
        TableFormat::Json => pretty(&diagnosis::json(&found)),
    };
    Ok(ui.out().write_all(text.as_bytes())?)
}

fn pretty(json: &serde_json::Value) -> String {
    serde_json::to_string_pretty(json).expect("JSON values are JSON") + "\n"
}

fn observation(args: &CountsArgs) -> Result<Observation, Error> {
    if !args.counts.is_empty() {
        return input::from_numbers(&args.counts, args.weights.as_deref(), args.keys);
    }
    let (text, name) = match &args.file {
        Some(path) if path != Path::new("-") => {
            let name = path.display().to_string();
            (text_file::read(path, &name, MAX_FILE_BYTES)?, name)
        }
        _ => (from_stdin()?, "stdin".to_string()),
    };
    let mut seen = input::parse(&text, &name, args.keys)?;
    if let Some(weights) = &args.weights {
        if weights.len() != seen.loads.len() {
            let (have, want) = (weights.len(), seen.loads.len());
            return Err(Error::invalid(format!("{have} weights for {want} nodes"))
                .help("give one weight a node: --weights 1,1,2"));
        }
        let named = seen.named;
        seen = Observation::new(seen.names, seen.loads, weights.clone(), args.keys)?;
        seen.named = named;
    }
    Ok(seen)
}

fn from_stdin() -> Result<String, Error> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Error::invalid("no loads are given")
            .help("give one number a node, e.g. shardlab explain counts 414182 388317 362089")
            .help("or a table of node,count: --file loads.csv, or piped in"));
    }
    let mut text = String::new();
    let mut limited = stdin.lock().take(MAX_FILE_BYTES + 1);
    limited
        .read_to_string(&mut text)
        .map_err(|cause| Error::io("cannot read loads from stdin", &cause))?;
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::data("stdin holds more than 64 MiB of loads"));
    }
    Ok(text_file::without_mark(text))
}

/// A form's name with its positional inputs.
fn usage(form: &FormInfo) -> String {
    let inputs = form.params[..form.positional].iter().map(|param| match param.default {
        Default::Required => format!(" {}", param.name),
        _ => format!(" [{}]", param.name),
    });
    std::iter::once(form.name.to_string()).chain(inputs).collect()
}

/// How claims are judged.
const CLAIMS: &str = "--claimed X is right if the first quantity rounds to X. A share is written 83%, 0.83 or 83; 0 is none \
    and 1 all of it, not rounded; another whole factor (2, 3) is met within a tenth of what it is beyond 1. \
    Not the expectation, but possible: what one ring or one set of keys shows as well (middle 95 %). \
    A number that is the value of another line is said to be that. Exit code 1 when X is none of these.";

/// The command of a form: its inputs are arguments, the others of them options.
fn form_command(form: &'static FormInfo) -> Command {
    let mut command = Command::new(form.name)
        .about(form.summary)
        .after_help(format!("{}\n\nSource: {}\n\n{CLAIMS}", form.formula, form.source));
    for (i, param) in form.params.iter().enumerate() {
        let default = match param.default {
            Default::Required | Default::Absent => String::new(),
            ref given => format!("; default: {}", default_text(given)),
        };
        let help = format!("{}; {}{default}", param.doc, param.ty.describe());
        let arg = Arg::new(param.name).help(help).allow_negative_numbers(true);
        let arg = if i < form.positional {
            arg.required(param.default == Default::Required)
        } else {
            arg.long(param.name)
        };
        command = command.arg(arg);
    }
    let claimed =
        Arg::new("claimed").long("claimed").value_name("X").allow_negative_numbers(true).help(
            "A number that somebody gives for the first quantity, e.g. 83% or 1.25: is it right?",
        );
    let format = Arg::new("format")
        .long("format")
        .value_name("F")
        .default_value("table")
        .value_parser(clap::value_parser!(TableFormat))
        .help("Form of the output");
    command.arg(claimed).arg(format)
}

fn explain_form(
    form: &'static FormInfo,
    matches: &ArgMatches,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let mut given = Vec::new();
    for param in form.params {
        let text = matches.get_one::<String>(param.name);
        given.extend(text.map(|text| (param.name.to_string(), text.clone())));
    }
    let params = Params::from_pairs(form.params, values(form.params, &given))?;
    let mut found = (form.answer)(&params)?;
    if let Some(text) = matches.get_one::<String>("claimed") {
        found.compare(text)?;
    }
    let format = *matches.get_one::<TableFormat>("format").expect("has a default");
    let text = match format {
        TableFormat::Table => answer::table(form, &found),
        TableFormat::Markdown => answer::markdown(form, &found),
        TableFormat::Csv => answer::csv(&found),
        TableFormat::Json => pretty(&answer::json(form, &params, &found)),
    };
    ui.out().write_all(text.as_bytes())?;
    let refuted = found.claim.as_ref().is_some_and(|claim| claim.verdict == Verdict::Wrong);
    Ok(if refuted { Exit::Failed } else { Exit::Done })
}
