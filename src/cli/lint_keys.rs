//! `shardlab lint-keys`: what is wrong with keys for a routing, and which column is the better shard key.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args, ValueEnum};

use super::args::{Form, count, pair, ratio, values};
use super::choice::{Choice, ChoiceArgs};
use super::progress::{Watch, catch_interrupts};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, placements, read};
use crate::analysis::lint::trial::{Setup, Transform};
use crate::analysis::lint::{Question, lint};
use crate::analysis::shard_key::{Candidate, Query, Ranked, parse_queries, rank};
use crate::error::Error;
use crate::keys::joined::Joined;
use crate::keys::{self, KeyKind, KeySource, PatternBuild, file};
use crate::params::{Params, Value};
use crate::report::{self, lint as show, number::grouped};
use crate::sim::input::Input;
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "lint-keys",
    summary: "What is wrong with keys for a routing, what shows it, and the smallest fix, measured",
    examples: "Examples:\n  shardlab lint-keys --keys snowflake --key-param rate=5 --strategy modulo --hasher identity --nodes 256\n  \
               shardlab lint-keys --keys ids.csv --column order_id --strategy ring --nodes 16\n  \
               shardlab lint-keys --keys sequential --strategy modulo --hasher identity --nodes 32 --levels 32,32\n  \
               shardlab lint-keys --keys orders.csv --columns all --queries mix.toml --strategy modulo --nodes 16\n\n\
               Looks for idle nodes and unreachable residues, dead bits, hash functions that show the keys'\n\
               structure, negative shards, text against number, ids beyond 2^53, few distinct values, one\n\
               value's share, and keys that an upstream hash has filtered; with --levels for two numbers\n\
               from one digest. With --columns it ranks the columns of a table as shard keys. Exit code 1\n\
               when something harms these keys.\n\n\
               Limits: distinct values are exact up to 1 048 576, beyond that an estimate with its error;\n\
               65 536 values are counted at a time. Both are the same whatever the size of the file.",
    augment: LintArgs::augment_args,
    run,
};

/// Largest query mix that is read.
const MOST_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
struct LintArgs {
    #[command(flatten)]
    router: ChoiceArgs,
    /// A key file (CSV, text, Parquet), or a key pattern; by default the scenario's keys
    #[arg(long, value_name = "FILE|PATTERN", required_unless_present = "scenario")]
    keys: Option<String>,
    /// Parameter of the pattern, e.g. rate=5; `shardlab list keys` shows them
    #[arg(long, value_name = "K=V", value_parser = pair, requires = "keys")]
    key_param: Vec<(String, String)>,
    /// Column of the keys in the file
    #[arg(long, value_name = "NAME", default_value = "key")]
    column: String,
    /// Type of a file's keys
    #[arg(long = "type", value_name = "TYPE", default_value = "auto")]
    kind: KindArg,
    /// Most rows to look at
    #[arg(long, value_name = "N", default_value = "1m", value_parser = count)]
    rows: u64,
    /// Node and slot (database and table …) from one digest: their numbers
    #[arg(long, value_name = "A,B", value_delimiter = ',', value_parser = count, conflicts_with = "columns")]
    levels: Vec<u64>,
    /// Rank these columns of the file as shard keys, or `all`; a+b is the key of both
    #[arg(long, value_name = "C,C", value_delimiter = ',', requires = "keys")]
    columns: Vec<String>,
    /// Query mix: a TOML file of [[query]] columns = […] share = …
    #[arg(long, value_name = "FILE", requires = "columns")]
    queries: Option<PathBuf>,
    /// Max over mean that is good enough
    #[arg(long, value_name = "X", default_value = "1.25", value_parser = ratio)]
    tolerate: f64,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindArg {
    /// Integers where the routing takes only these, else text
    Auto,
    /// UTF-8 text
    Text,
    /// Signed 64-bit integers
    Int,
    /// Unsigned 64-bit integers
    Uint,
}

impl KindArg {
    /// The type of a file's keys.
    fn kind(self, choice: &Choice) -> Result<KeyKind, Error> {
        match self {
            KindArg::Text => Ok(KeyKind::Text),
            KindArg::Int => Ok(KeyKind::I64),
            KindArg::Uint => Ok(KeyKind::U64),
            KindArg::Auto => choice.usual_kind(),
        }
    }
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: LintArgs = read(matches);
    if args.rows == 0 {
        return Err(Error::invalid("--rows 0 leaves no key to look at").help("at least 1").into());
    }
    let choice = args.router.choose_members()?;
    let setup = Setup { step: choice.step(), base: base(&choice) };
    catch_interrupts();
    let watch = Watch::new(ui.can_show_progress());
    if !args.columns.is_empty() {
        return rank_columns(&args, &choice, setup, &watch, ui);
    }
    let levels = match args.levels[..] {
        [] => None,
        [a, b] => Some([a, b]),
        _ => {
            return Err(Error::invalid(format!("--levels has {} numbers", args.levels.len()))
                .help("give two, e.g. --levels 32,32")
                .into());
        }
    };
    let (source, name) = source(&args, &choice)?;
    let input = input(source, args.rows)?;
    let question = Question { input: &input, setup, levels, tolerated: args.tolerate };
    let found = lint(&question, &watch);
    watch.end();
    let found = found?;
    let routing = choice.summary();
    let bytes = match args.format {
        Form::Table => show::text(&found, &name, &routing).into_bytes(),
        Form::Markdown => show::markdown(&found, &name, &routing).into_bytes(),
        Form::Csv => show::rows(&found),
        Form::Json => report::listing::json(&show::json(&found, &name, &routing)),
    };
    ui.out().write_all(&bytes)?;
    Ok(if found.passes() { Exit::Done } else { Exit::Failed })
}

fn base(choice: &Choice) -> &Path {
    match choice {
        Choice::Cell { scenario, .. } => &scenario.base,
        Choice::Named(_) => Path::new("."),
    }
}

/// The first rows of a source.
fn input(source: Box<dyn KeySource>, most: u64) -> Result<Input, Error> {
    let rows = source.rows()?.min(most);
    Ok(Input::of_keys(source, rows))
}

/// The keys, and what they are called.
fn source(args: &LintArgs, choice: &Choice) -> Result<(Box<dyn KeySource>, String), Error> {
    let Some(given) = &args.keys else {
        let Choice::Cell { scenario, cell, .. } = choice else {
            unreachable!("clap requires keys without a scenario")
        };
        let source = placements::source(&scenario.cells[*cell].workload, &scenario.base)?;
        return Ok((source, "the scenario's keys".into()));
    };
    let pattern = keys::ALL.iter().find(|p| p.name == given && p.name != file::INFO.name);
    let Some(pattern) = pattern else {
        if !Path::new(given).exists() && !given.contains(['.', '/']) {
            let mut error = Error::unknown("key pattern", given, keys::ALL.iter().map(|p| p.name));
            error.message = format!("`{given}` is no file and no key pattern");
            return Err(error);
        }
        if let Some((name, _)) = args.key_param.first() {
            return Err(Error::invalid(format!(
                "`{name}` is a parameter of a pattern, the keys are a file"
            ))
            .help("--column, --type and --rows say how a file is read"));
        }
        let kind = args.kind.kind(choice)?;
        let source = file_source(given, &args.column, kind, args.rows)?;
        return Ok((source, format!("{given}, {}", args.column)));
    };
    let mut given = values(pattern.params, &args.key_param);
    if !given.iter().any(|(name, _)| name == "count") {
        given.push(("count".into(), Value::Int(i64::try_from(args.rows).unwrap_or(i64::MAX))));
    }
    let params = Params::from_pairs(pattern.params, given)?;
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    let words: Vec<String> =
        args.key_param.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let name = format!("{} {}", pattern.name, words.join(" "));
    Ok(((pattern.build)(&build)?, name.trim_end().to_string()))
}

fn file_params(name: &str, column: &str, kind: KeyKind, rows: u64) -> Result<Params, Error> {
    // Other types, which a scenario's patterns have, a file has as texts.
    let kind = file::type_name(kind).unwrap_or("text");
    let text = |value: &str| Value::Text(value.to_string());
    let limit = Value::Int(i64::try_from(rows).unwrap_or(i64::MAX));
    let given =
        [("file", text(name)), ("key", text(column)), ("type", text(kind)), ("limit", limit)];
    Params::from_pairs(file::INFO.params, given.map(|(n, v)| (n.to_string(), v)).into())
}

fn file_source(
    name: &str,
    column: &str,
    kind: KeyKind,
    rows: u64,
) -> Result<Box<dyn KeySource>, Error> {
    let params = file_params(name, column, kind, rows)?;
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    (file::INFO.build)(&build)
}

fn rank_columns(
    args: &LintArgs,
    choice: &Choice,
    setup: Setup<'_>,
    watch: &Watch,
    ui: &mut Ui,
) -> Result<Exit, Failure> {
    let table = args.keys.as_deref().expect("clap requires it");
    let known = file::columns(&file_params(table, "", KeyKind::Text, args.rows)?, Path::new("."))?;
    let all = args.columns.len() == 1 && args.columns[0] == "all";
    let wanted: Vec<String> = if all {
        known.clone()
    } else {
        args.columns.iter().map(|c| c.trim().to_string()).collect()
    };
    let queries: Option<Vec<Query>> = match &args.queries {
        None => None,
        Some(path) => {
            let shown = path.display().to_string();
            Some(parse_queries(&text_file::read(path, &shown, MOST_BYTES)?, &shown, &known)?)
        }
    };
    let mut candidates = Vec::new();
    for name in &wanted {
        match candidate(args, choice, setup, table, name) {
            Ok(candidate) => candidates.push(candidate),
            // Of all columns those that are no keys are left out; of named ones it is an error.
            Err(error) if all => ui.note(&format!("note: `{name}` is left out: {}", error.message)),
            Err(error) => return Err(error.into()),
        }
    }
    if candidates.is_empty() {
        return Err(Error::data(format!("`{table}` has no column that can be ranked")).into());
    }
    let ranked = rank(&candidates, queries.as_deref(), args.tolerate, watch);
    watch.end();
    let ranked: Vec<Ranked> = ranked?;
    let routing = choice.summary();
    let listing = || {
        let mut listing = show::ranking(&ranked, table, &routing, args.tolerate);
        let rows = ranked.iter().map(|column| column.rows).max().unwrap_or(0);
        listing.below.insert(0, format!("{} rows", grouped(rows)));
        listing
    };
    let bytes = match args.format {
        Form::Table => listing().table().into_bytes(),
        Form::Markdown => listing().markdown().into_bytes(),
        Form::Csv => show::ranking_rows(&ranked),
        Form::Json => report::listing::json(&show::ranking_json(&ranked, table, &routing)),
    };
    ui.out().write_all(&bytes)?;
    Ok(Exit::Done)
}

fn candidate(
    args: &LintArgs,
    choice: &Choice,
    setup: Setup<'_>,
    table: &str,
    name: &str,
) -> Result<Candidate, Error> {
    let kind = args.kind.kind(choice)?;
    let parts: Vec<&str> = name.split('+').collect();
    let source = match parts[..] {
        [column] => file_source(table, column, kind, args.rows)?,
        _ => {
            let open = |part: &&str| file_source(table, part.trim(), KeyKind::Text, args.rows);
            Box::new(Joined::new(parts.iter().map(open).collect::<Result<_, _>>()?)?)
        }
    };
    let routing = setup.trial(name, source.kind(), Transform::Keep, &[], None)?;
    Ok(Candidate { name: name.to_string(), input: input(source, args.rows)?, routing })
}
