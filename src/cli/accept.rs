//! `shardlab accept`: the acceptance suite of a routing, and frozen routing versions.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, ValueEnum};

use super::accept_keys::KeysArgs;
use super::args::{count, level, share};
use super::choice::{Choice, ChoiceArgs};
use super::progress::{Watch, catch_interrupts};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::accept::frozen::{self, freeze};
use crate::analysis::accept::{self, GroupInfo, Judge, Limits, Suite};
use crate::analysis::disagree::Side;
use crate::error::Error;
use crate::keys::KeyKind;
use crate::report::{self, number::grouped};
use crate::strategy::Slot;
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "accept",
    summary: "Tests a routing: even, stable, at ease with the ends of its keys; exit code 1 if not",
    examples: "Examples:\n  shardlab accept --strategy modulo --hasher murmur3-32 --nodes 16\n  \
               shardlab accept --preset kafka --param partitions=12 --judge chi-square --format junit\n  \
               shardlab accept --strategy ring --servers servers.txt --keys orders.csv --column order_id\n  \
               shardlab accept --strategy jump --nodes 16 --freeze routing-v1.csv\n  \
               shardlab accept --strategy jump --nodes 16 --frozen routing-v1.csv\n\n\
               Groups: uniformity (consecutive order numbers), stability (two runs, threads, key by key),\n\
               subset (one channel's prefix), hot-prefix (keys that differ only at their end), bounds\n\
               (smallest, largest, negative, empty, long and UTF-8 keys), frozen (with --frozen). Beside\n\
               each threshold stands the chance that an ideal hash passes it; --judge chi-square tests\n\
               whether the counts are those of a hash at all.",
    augment: AcceptArgs::augment_args,
    run,
};

/// Largest frozen file that is read.
const MOST_BYTES: u64 = 256 << 20;

#[derive(Debug, Args)]
struct AcceptArgs {
    #[command(flatten)]
    router: ChoiceArgs,
    #[command(flatten)]
    keys: KeysArgs,
    /// Largest deviation from fair load of the uniformity group
    #[arg(long, value_name = "X", default_value = "1%", value_parser = share)]
    uniformity: f64,
    /// Largest deviation of the subset
    #[arg(long, value_name = "X", default_value = "2%", value_parser = share)]
    subset: f64,
    /// Largest deviation of the hot prefix
    #[arg(long, value_name = "X", default_value = "25%", value_parser = share)]
    hot: f64,
    /// What decides about a spread
    #[arg(long, value_name = "J", default_value = "threshold")]
    judge: JudgeArg,
    /// Probability at which the chi-square test rejects an ideal hash
    #[arg(long, value_name = "P", default_value = "0.001", value_parser = level)]
    level: f64,
    /// Outcomes that a key may have instead of a node: misrouted, refused, absent
    #[arg(long, value_name = "O,O", value_delimiter = ',', default_value = "refused")]
    allow: Vec<OutcomeArg>,
    /// Only these groups
    #[arg(long, value_name = "G,G", value_delimiter = ',')]
    only: Vec<String>,
    /// Write keys and their nodes to this file, and run no group
    #[arg(long, value_name = "FILE", conflicts_with_all = ["frozen", "only"])]
    freeze: Option<PathBuf>,
    /// How many keys to freeze, beside those at the ends
    #[arg(long, value_name = "N", default_value = "1000", value_parser = count, requires = "freeze")]
    freeze_keys: u64,
    /// Also test that the keys of this file live where they did
    #[arg(long, value_name = "FILE")]
    frozen: Option<PathBuf>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum JudgeArg {
    /// The largest deviation
    Threshold,
    /// The chi-square test
    ChiSquare,
    /// Both must hold
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OutcomeArg {
    None,
    Misrouted,
    Refused,
    Absent,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Table,
    /// Everything
    Json,
    /// One row a check
    Csv,
    /// For a page or an issue
    Markdown,
    /// JUnit XML, for CI systems
    Junit,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: AcceptArgs = read(matches);
    let groups = groups(&args.only, args.frozen.is_some())?;
    let frozen = args.frozen.as_deref().map(frozen_file).transpose()?;
    let choice = args.router.choose_members()?;
    let kind = args.keys.kind(&choice)?;
    let place = |kind: KeyKind| {
        let (placed, _) = choice.placed(kind)?;
        Ok(Side { cluster: placed.cluster, placement: placed.placement })
    };
    // What cannot be done at all shows before any key is read.
    place(kind)?;
    let [uniformity, subset, hot_prefix] = args.keys.open(&choice, kind)?;
    let suite = Suite {
        place: &place,
        replicas: choice.replicas(),
        uniformity,
        subset,
        hot_prefix,
        limits: limits(&args),
        frozen,
        setup: setup(&choice),
    };
    catch_interrupts();
    let watch = Watch::new(ui.can_show_progress());
    if let Some(path) = &args.freeze {
        let frozen = freeze(&suite, args.freeze_keys as usize, &watch);
        watch.end();
        return write_frozen(path, &frozen?, ui);
    }
    let found = accept::accept(&suite, &groups, &watch);
    watch.end();
    let found = found?;
    let routing = choice.summary();
    let bytes = match args.format {
        Format::Table => report::accept::listing(&found, &routing).table().into_bytes(),
        Format::Markdown => report::accept::listing(&found, &routing).markdown().into_bytes(),
        Format::Csv => report::accept::rows(&found),
        Format::Json => report::listing::json(&report::accept::json(&found, &suite.setup)),
        Format::Junit => report::accept::junit(&found).into_bytes(),
    };
    ui.out().write_all(&bytes)?;
    Ok(if found.passes() { Exit::Done } else { Exit::Failed })
}

/// The groups to run. A file of frozen keys and its group belong together: one without the other would
/// test nothing, and pass.
fn groups(only: &[String], has_frozen: bool) -> Result<Vec<&'static GroupInfo>, Error> {
    if only.is_empty() {
        return Ok(accept::ALL.to_vec());
    }
    let named: Vec<&str> = only
        .iter()
        .map(|name| accept::find(name.trim()).map(|g| g.name))
        .collect::<Result<_, _>>()?;
    let frozen = frozen::INFO.name;
    match (named.contains(&frozen), has_frozen) {
        (true, false) => {
            return Err(Error::invalid("--only names the group `frozen`, and no keys are frozen")
                .help("give --frozen FILE with a file that --freeze FILE wrote"));
        }
        (false, true) => {
            return Err(Error::invalid(
                "--only leaves out the group of --frozen: it would test nothing",
            )
            .help(format!("--only {},{frozen}", only.join(","))));
        }
        _ => {}
    }
    Ok(accept::ALL.iter().copied().filter(|group| named.contains(&group.name)).collect())
}

fn frozen_file(path: &Path) -> Result<frozen::Frozen, Error> {
    let shown = path.display().to_string();
    let text = text_file::read(path, &shown, MOST_BYTES)
        .map_err(|error| error.help("accept --freeze FILE writes one, with the same routing"))?;
    frozen::parse(&text, &shown)
}

/// What the routing is made of, with the version of the lab that computes it.
fn setup(choice: &Choice) -> Vec<(String, String)> {
    let mut setup = vec![("shardlab".to_string(), env!("CARGO_PKG_VERSION").to_string())];
    setup.extend(choice.setup());
    setup
}

fn limits(args: &AcceptArgs) -> Limits {
    let allowed = args.allow.iter().filter_map(|outcome| match outcome {
        OutcomeArg::None => None,
        OutcomeArg::Misrouted => Some(Slot::MISROUTED),
        OutcomeArg::Refused => Some(Slot::REFUSED),
        OutcomeArg::Absent => Some(Slot::ABSENT),
    });
    Limits {
        uniformity: args.uniformity,
        subset: args.subset,
        hot_prefix: args.hot,
        level: args.level,
        judge: match args.judge {
            JudgeArg::Threshold => Judge::Threshold,
            JudgeArg::ChiSquare => Judge::ChiSquare,
            JudgeArg::Both => Judge::Both,
        },
        allowed: allowed.collect(),
    }
}

fn write_frozen(path: &Path, frozen: &frozen::Frozen, ui: &mut Ui) -> Result<Exit, Failure> {
    let shown = path.display();
    if path.exists() {
        return Err(Error::invalid(format!("`{shown}` is there already"))
            .help("a frozen version is a promise: choose another name, or remove the file first")
            .into());
    }
    let temporary = path.with_extension(format!("{}.tmp", std::process::id()));
    let failed = |cause: std::io::Error| Error::io(format!("cannot write `{shown}`"), &cause);
    let written =
        fs::write(&temporary, frozen.to_text()).and_then(|()| fs::rename(&temporary, path));
    if let Err(cause) = written {
        let _ = fs::remove_file(&temporary);
        return Err(failed(cause).into());
    }
    ui.note(&format!(
        "{} keys with their nodes are in `{shown}`; a change that moves 1 % of all keys would move none of \
         these with probability {}",
        grouped(frozen.entries.len() as u64),
        report::number::probability(frozen.unseen(0.01)),
    ));
    Ok(Exit::Done)
}
