//! The keys that `shardlab accept` tries a routing on: generated order numbers, a file's, a scenario's own.

use std::path::{Path, PathBuf};

use clap::Args;

use super::args::count;
use super::choice::Choice;
use super::input::KeysType;
use crate::analysis::accept::Keys;
use crate::analysis::heavy::Heavy;
use crate::analysis::rows::each_batch;
use crate::error::Error;
use crate::keys::{self, KeyKind, KeySource, PatternBuild};
use crate::params::{Params, Value};
use crate::report::number::grouped;
use crate::sim::input::Input;

/// Arguments about the keys.
#[derive(Debug, Args)]
pub struct KeysArgs {
    /// Key file (CSV, text, Parquet) in place of generated order numbers
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    /// Column of the keys in the file
    #[arg(long, value_name = "NAME", default_value = "key", requires = "keys")]
    column: String,
    /// The scenario's own keys in place of generated order numbers
    #[arg(long, requires = "scenario", conflicts_with = "keys")]
    own_keys: bool,
    /// Type of the keys: text, int, or of a file uint; by default what the routing takes
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<KeysType>,
    /// Keys of the uniformity group
    #[arg(long, value_name = "N", default_value = "1m", value_parser = count)]
    uniformity_keys: u64,
    /// Keys of the subset
    #[arg(long, value_name = "N", default_value = "100k", value_parser = count)]
    subset_keys: u64,
    /// Keys of the hot prefix
    #[arg(long, value_name = "N", default_value = "10k", value_parser = count)]
    hot_keys: u64,
    /// Prefix of the subset's keys; of a file by default the commonest first 4 characters
    #[arg(long, value_name = "TEXT")]
    prefix: Option<String>,
    /// Prefix of the hot keys; of a file by default the commonest first 8 characters
    #[arg(long, value_name = "TEXT")]
    hot_prefix: Option<String>,
}

impl KeysArgs {
    /// The type of the keys: what is asked for, else what suits the routing.
    pub fn kind(&self, choice: &Choice) -> Result<KeyKind, Error> {
        match (self.kind, self.own_keys, choice.usual_kind()?) {
            (Some(kind), ..) => Ok(kind.kind()),
            // Generated integers are signed.
            (None, false, KeyKind::U64) => Ok(KeyKind::I64),
            (None, _, kind) => Ok(kind),
        }
    }

    /// The keys of the three groups: uniformity, subset, hot prefix.
    pub fn open(&self, choice: &Choice, kind: KeyKind) -> Result<[Keys; 3], Error> {
        if let Some(path) = &self.keys {
            let file = path.display().to_string();
            let open = || file_source(&file, &self.column, kind);
            return prefixed(open, &file, self);
        }
        if let (true, Choice::Cell { scenario, cell, .. }) = (self.own_keys, choice) {
            let workload = &scenario.cells[*cell].workload;
            let open = || super::placements::source(workload, &scenario.base);
            return prefixed(open, "the scenario's keys", self);
        }
        // The parser waives what an option requires when that conflicts with another.
        if self.own_keys {
            return Err(Error::invalid("--own-keys asks for a scenario's keys, and there is none")
                .help("give --scenario FILE in place of the strategy"));
        }
        let counts = [self.uniformity_keys, self.subset_keys, self.hot_keys];
        if counts.contains(&0) {
            return Err(Error::invalid("a group of 0 keys tests nothing").help("at least 1"));
        }
        match kind {
            KeyKind::I64 | KeyKind::U64 => integers(counts),
            KeyKind::Text => orders(counts, self),
            _ => Err(Error::invalid("keys are generated as texts or integers")
                .help("give --type text or int, or a file with --keys")),
        }
    }
}

/// Order numbers: of a day, of another channel, of one product of that day.
fn orders(counts: [u64; 3], args: &KeysArgs) -> Result<[Keys; 3], Error> {
    let subset = args.prefix.as_deref().unwrap_or("WX20250115");
    let hot = args.hot_prefix.as_deref().unwrap_or("NO20250115888");
    let made = |count, prefix: &str, digits, what: &str| {
        let given = vec![
            ("count", Value::Int(count as i64)),
            ("prefix", Value::Text(prefix.into())),
            ("digits", Value::Int(digits)),
        ];
        generated("order-number", given, format!("{what} {prefix}…"))
    };
    Ok([
        made(counts[0], "NO20250115", 8, "consecutive orders")?,
        made(counts[1], subset, 8, "channel")?,
        made(counts[2], hot, 5, "hot prefix")?,
    ])
}

fn integers(counts: [u64; 3]) -> Result<[Keys; 3], Error> {
    let made = |count: u64, start: i64, what: &str| {
        let given = vec![("count", Value::Int(count as i64)), ("start", Value::Int(start))];
        generated("sequential", given, format!("{what} from {start} on"))
    };
    Ok([
        made(counts[0], 20_250_115_000_001, "consecutive numbers")?,
        made(counts[1], 8_820_250_115_000_001, "numbers of the channel 88")?,
        made(counts[2], 20_250_115_888_000_001, "numbers of the hot prefix")?,
    ])
}

fn generated(pattern: &str, given: Vec<(&str, Value)>, what: String) -> Result<Keys, Error> {
    let pattern = keys::find(pattern)?;
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let params = Params::from_pairs(pattern.params, given)?;
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    keys_from((pattern.build)(&build)?, what, None)
}

fn keys_from(
    source: Box<dyn KeySource>,
    what: String,
    prefix: Option<String>,
) -> Result<Keys, Error> {
    let rows = source.rows()?;
    let input = Input::of_keys(source, rows);
    Ok(Keys { what, input, prefix })
}

fn file_source(file: &str, column: &str, kind: KeyKind) -> Result<Box<dyn KeySource>, Error> {
    let text = |value: &str| Value::Text(value.to_string());
    let Some(kind) = keys::file::type_name(kind) else {
        return Err(Error::invalid("the keys of a file are texts or integers of 64 bits")
            .help("give --type text, int or uint"));
    };
    let given = vec![
        ("file".to_string(), text(file)),
        ("key".to_string(), text(column)),
        ("type".to_string(), text(kind)),
    ];
    let params = Params::from_pairs(keys::file::INFO.params, given)?;
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    (keys::file::INFO.build)(&build)
}

/// All rows; those of the subset's prefix; those of the hot prefix.
fn prefixed(
    open: impl Fn() -> Result<Box<dyn KeySource>, Error>,
    name: &str,
    args: &KeysArgs,
) -> Result<[Keys; 3], Error> {
    let chosen = [(&args.prefix, 4), (&args.hot_prefix, 8)];
    let [subset, hot] = chosen.map(|(given, characters)| match given {
        Some(prefix) => Ok(prefix.clone()),
        None => commonest_prefix(open()?.as_ref(), characters),
    });
    let (subset, hot) = (subset?, hot?);
    let all = open()?;
    let rows = grouped(all.rows()?);
    let with = |prefix: &str| format!("{name}: keys like {prefix:?}…");
    Ok([
        keys_from(all, format!("{name}: all {rows} rows"), None)?,
        keys_from(open()?, with(&subset), Some(subset.clone()))?,
        keys_from(open()?, with(&hot), Some(hot.clone()))?,
    ])
}

/// The first characters that most keys of a million rows begin with.
fn commonest_prefix(source: &dyn KeySource, characters: usize) -> Result<String, Error> {
    const MOST_ROWS: u64 = 1_000_000;
    let mut heavy = Heavy::default();
    each_batch(source, MOST_ROWS, |batch| {
        for row in 0..batch.len() {
            let text = batch.key(row).to_string();
            let prefix: String = text.chars().take(characters).collect();
            let fingerprint = crate::analysis::distinct::of_bytes(prefix.as_bytes());
            heavy.add(fingerprint, || prefix);
        }
    })?;
    Ok(heavy.top(1).first().map(|top| top.text.clone()).unwrap_or_default())
}
