//! `shardlab size`: how much of it is enough.

use std::io::Write as _;
use std::path::Path;

use clap::{ArgMatches, Args};

use super::args::{TableFormat, count, pair, share, values};
use super::input::{KeysType, batches};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::size::apart::{MAX_KEYS, apart};
use crate::analysis::size::noise::noise;
use crate::analysis::size::peak::{MAX_NODES, size};
use crate::analysis::size::{Need, knob};
use crate::error::{Error, ErrorKind};
use crate::keys::{KeyBatch, KeyKind};
use crate::params::{Params, Value};
use crate::report::sheet;
use crate::report::sizing::{self, Sizes};
use crate::strategy::{self, StrategyInfo};
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "size",
    summary: "How many virtual nodes, buckets, table entries, probes, keys or nodes are enough",
    examples: "Examples:\n  \
        shardlab size --strategy ring --nodes 16 --grow-to 64 --max-over-mean 1.1 --confidence 0.95\n  \
        shardlab size --strategy ring,multi-probe,bucket-table,maglev --nodes 16 --max-over-mean 1.05\n  \
        shardlab size --nodes 16 --noise-below 0.01\n  \
        shardlab size --keys-apart cluster-a,cluster-b,cluster-c --strategy modulo --hasher fnv1a-64",
    augment: SizeArgs::augment_args,
    run,
};

/// Largest file of keys.
const MAX_FILE_BYTES: u64 = 4 << 20;

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("question").required(true))]
struct SizeArgs {
    /// Bound on max over mean, e.g. 1.1: sizes the strategy's virtual nodes, points, buckets or probes
    #[arg(long, value_name = "X", group = "question", allow_negative_numbers = true)]
    max_over_mean: Option<f64>,
    /// Bound on sampling noise, e.g. 0.01 or 1%: how many keys are needed
    #[arg(long, value_name = "Y", group = "question", allow_negative_numbers = true, value_parser = share)]
    noise_below: Option<f64>,
    /// Keys to keep apart, parted by commas, or a file with one a line: how many nodes are needed
    #[arg(long, value_name = "LIST|FILE", group = "question")]
    keys_apart: Option<String>,
    /// Strategies; `shardlab list strategies` shows them
    #[arg(long, value_name = "S,S", default_value = "ring", value_delimiter = ',')]
    strategy: Vec<String>,
    /// Number of nodes
    #[arg(long, value_name = "N", value_parser = count, required_unless_present = "keys_apart")]
    nodes: Option<u64>,
    /// Number of nodes after growth, for which the size must still be enough
    #[arg(long, value_name = "M", value_parser = count)]
    grow_to: Option<u64>,
    /// Probability with which the bound holds, e.g. 0.95 or 95%
    #[arg(long, value_name = "P", default_value = "0.95", allow_negative_numbers = true, value_parser = share)]
    confidence: f64,
    /// Number of keys, whose sampling noise then counts too; without, the shares that nodes own
    #[arg(long, value_name = "K", value_parser = count)]
    keys: Option<u64>,
    /// Hash function, for keys to keep apart
    #[arg(long, value_name = "H")]
    hasher: Option<String>,
    /// Another parameter of the strategy, e.g. tie=first
    #[arg(long, value_name = "K=V", value_parser = pair)]
    param: Vec<(String, String)>,
    /// How the keys to keep apart are read; by default text
    #[arg(long = "keys-type", value_name = "TYPE")]
    keys_type: Option<KeysType>,
    /// Nodes up to which is looked for keys apart
    #[arg(long, value_name = "N", default_value = "4096", value_parser = count)]
    most: u64,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: TableFormat,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: SizeArgs = read(matches);
    let text = match (args.max_over_mean, args.noise_below, &args.keys_apart) {
        (Some(bound), ..) => by_peak(bound, &args)?,
        (_, Some(bound), _) => by_noise(bound, &args)?,
        (_, _, Some(given)) => by_keys(given, &args)?,
        _ => unreachable!("clap requires one of them"),
    };
    ui.out().write_all(text.as_bytes())?;
    Ok(Exit::Done)
}

fn pretty(json: &serde_json::Value) -> String {
    serde_json::to_string_pretty(json).expect("JSON values are JSON") + "\n"
}

/// Parameters of a strategy, with the hasher where it takes one.
fn params(info: &'static StrategyInfo, args: &SizeArgs) -> Result<Params, Error> {
    let mut given = args.param.clone();
    given.extend(args.hasher.iter().map(|h| ("hasher".to_string(), h.clone())));
    let mut given = values(info.params, &given);
    // A required knob is what is looked for.
    if let Some((knob, range)) = knob(info)
        && given.iter().all(|(name, _)| name != knob.param)
    {
        given.push((knob.param.to_string(), Value::Int(range.min.max(1) as i64)));
    }
    Params::from_pairs(info.params, given)
}

fn by_peak(bound: f64, args: &SizeArgs) -> Result<String, Error> {
    let nodes = args.nodes.expect("clap requires it");
    let mut sizings = Vec::new();
    for name in &args.strategy {
        let info = strategy::find(name.trim())?;
        let params = params(info, args)?;
        let need = Need {
            strategy: info,
            params: &params,
            nodes,
            grow_to: args.grow_to.unwrap_or(nodes),
            max_over_mean: bound,
            confidence: args.confidence,
            keys: args.keys,
        };
        match size(&need) {
            Ok(sizing) => sizings.push((info.name.to_string(), Ok(sizing))),
            // Of several strategies the others still have an answer.
            Err(error) if error.kind == ErrorKind::Unsupported && args.strategy.len() > 1 => {
                let reason = [&[error.message], &error.help[..]].concat().join("; ");
                sizings.push((info.name.to_string(), Err(reason)));
            }
            Err(error) => return Err(error),
        }
    }
    let all = Sizes {
        max_over_mean: bound,
        confidence: args.confidence,
        keys: args.keys,
        sizings: &sizings,
    };
    Ok(match args.format {
        TableFormat::Table => sheet::table(&sizing::sizes(&all)),
        TableFormat::Markdown => sheet::markdown(&sizing::sizes(&all)),
        TableFormat::Csv => sizing::sizes_csv(&all),
        TableFormat::Json => pretty(&sizing::sizes_json(&all)),
    })
}

fn by_noise(bound: f64, args: &SizeArgs) -> Result<String, Error> {
    let mut counts = vec![args.nodes.expect("clap requires it")];
    counts.extend(args.grow_to);
    let all = counts.iter().map(|&n| noise(n, bound, args.confidence));
    let all = all.collect::<Result<Vec<_>, _>>()?;
    Ok(match args.format {
        TableFormat::Table => sheet::table(&[sizing::noise(&all, bound, args.confidence)]),
        TableFormat::Markdown => sheet::markdown(&[sizing::noise(&all, bound, args.confidence)]),
        TableFormat::Csv => {
            let (header, rows) = sizing::noise_rows(&all);
            sheet::csv(&header, &rows)
        }
        TableFormat::Json => pretty(&sizing::noise_json(&all, bound, args.confidence)),
    })
}

fn by_keys(given: &str, args: &SizeArgs) -> Result<String, Error> {
    let [name] = &args.strategy[..] else {
        return Err(Error::invalid("several strategies for keys to keep apart")
            .help("give one: --strategy modulo"));
    };
    if args.most > MAX_NODES {
        return Err(Error::invalid(format!("--most {}", args.most))
            .help(format!("allowed: up to {MAX_NODES} nodes")));
    }
    let info = strategy::find(name.trim())?;
    let mut given_params = args.param.clone();
    given_params.extend(args.hasher.iter().map(|h| ("hasher".to_string(), h.clone())));
    let params = Params::from_pairs(info.params, values(info.params, &given_params))?;
    let usual = if info.caps.integer_keys { KeyKind::I64 } else { KeyKind::Text };
    let kind = args.keys_type.map_or(usual, KeysType::kind);
    let mut all = KeyBatch::new(kind);
    let keys = key_list(given)?;
    batches(&keys, kind, |batch| {
        all.extend_from(batch, 0..batch.len());
        Ok::<(), Error>(())
    })?;
    let found = apart(info, &params, &mut all, args.most)?;
    Ok(match args.format {
        TableFormat::Table => sheet::table(&[sizing::apart(&found)]),
        TableFormat::Markdown => sheet::markdown(&[sizing::apart(&found)]),
        TableFormat::Csv => {
            let sheet = sizing::apart(&found);
            sheet::csv(&sheet.header, &sheet.rows)
        }
        TableFormat::Json => pretty(&sizing::apart_json(&found)),
    })
}

/// Keys from a file with one a line, or from a list.
fn key_list(given: &str) -> Result<Vec<String>, Error> {
    let path = Path::new(given);
    let keys: Vec<String> = if path.is_file() {
        let text = text_file::read(path, given, MAX_FILE_BYTES)?;
        text.lines().filter(|line| !line.is_empty()).map(String::from).collect()
    } else {
        given.split(',').map(|key| key.trim().to_string()).filter(|key| !key.is_empty()).collect()
    };
    if !(2..=MAX_KEYS).contains(&keys.len()) {
        return Err(Error::data(format!("`{given}` gives {} key(s)", keys.len())).help(format!(
            "give 2 to {MAX_KEYS} different keys, parted by commas, or a file with one a line"
        )));
    }
    Ok(keys)
}
