//! `shardlab quick`: a first answer without a file. It writes the scenario for the person, runs it
//! as it would any file, and shows both.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};

use super::args::{count, exponent, pair, short_seed, value};
use super::run::{EngineArgs, replay, show};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::Error;
use crate::keys::{self, PatternInfo};
use crate::params::{Param, Value};
use crate::report::{self, publish, table};
use crate::scenario::{self, Overrides};
use crate::strategy::{self, StrategyInfo};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "quick",
    summary: "A first answer without a file; prints the scenario that it equals",
    examples: "Examples:\n  shardlab quick --strategy ring,jump --nodes 16 --add 1\n  \
               shardlab quick --strategy ring --vnodes 32,160 --hasher murmur3-32,md5 --zipf 1.1\n  \
               shardlab quick --strategy ring --toml > my.toml",
    augment: QuickArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct QuickArgs {
    /// Strategies; `shardlab list strategies` shows them
    #[arg(long, value_name = "S,S", required = true, value_delimiter = ',')]
    strategy: Vec<String>,
    /// Number of nodes; several are a sweep
    #[arg(long, value_name = "N,N", default_value = "16", value_parser = count, value_delimiter = ',')]
    nodes: Vec<u64>,
    /// Virtual nodes per node, for strategies that have them
    #[arg(long, value_name = "V,V", value_delimiter = ',')]
    vnodes: Vec<String>,
    /// Hash functions, for strategies that take one
    #[arg(long, value_name = "H,H", value_delimiter = ',')]
    hasher: Vec<String>,
    /// Another parameter, for strategies that have it; several values are a sweep
    #[arg(long, value_name = "K=V,V", value_parser = pair)]
    param: Vec<(String, String)>,
    /// Then add this many nodes; repeat for more steps
    #[arg(long, value_name = "N", value_parser = count)]
    add: Vec<u64>,
    /// Then remove the node of this name (node0, node1 …); repeat for more steps
    #[arg(long, value_name = "NAME")]
    remove: Vec<String>,
    /// Number of keys, e.g. 1m
    #[arg(long, value_name = "N", default_value = "1m", value_parser = count)]
    keys: u64,
    /// Key pattern; `shardlab list keys` shows them
    #[arg(long, value_name = "P", default_value = "sequential")]
    pattern: String,
    /// Zipf traffic with this exponent; by default every key is one request
    #[arg(long, value_name = "S", value_parser = exponent, allow_negative_numbers = true)]
    zipf: Option<f64>,
    /// Requests of the traffic; by default 100 per key
    #[arg(long, value_name = "N", value_parser = count, requires = "zipf")]
    requests: Option<u64>,
    /// Seed of all random streams
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true, value_parser = short_seed)]
    seed: u32,
    /// Print the scenario and run nothing
    #[arg(long)]
    toml: bool,
    /// Also write record, CSV files and charts to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: QuickArgs = read(matches);
    let format = report::find(&args.engine.format)?;
    let text = scenario_text(&args)?;
    let scenario =
        scenario::parse(&text, "(quick)", "quick", Path::new("."), &Overrides::default())?;
    if args.toml {
        ui.out().write_all(text.as_bytes())?;
        return Ok(Exit::Done);
    }
    if let Some(dir) = &args.out {
        publish::ensure_writable(dir)?;
    }
    if !args.engine.quiet {
        // Beside the table it belongs to the answer; beside data for a program it would spoil it.
        if format.name == table::INFO.name {
            writeln!(ui.out(), "{text}")?;
        } else {
            ui.note(&text);
        }
    }
    let record = replay(&scenario, args.out.as_deref(), &args.engine, ui)?;
    show(&[&record], format, &args.engine, ui)
}

/// The scenario that the arguments describe, as a person would write it.
fn scenario_text(args: &QuickArgs) -> Result<String, Error> {
    let strategies: Vec<&StrategyInfo> =
        args.strategy.iter().map(|name| strategy::find(name.trim())).collect::<Result<_, _>>()?;
    let pattern = keys::find(&args.pattern)?;
    let mut toml = String::new();
    let nodes: Vec<String> = args.nodes.iter().map(u64::to_string).collect();
    let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name).collect();
    let title = format!("{} on {} nodes", names.join(", "), nodes.join(", "));
    let _ = writeln!(toml, "title = {}\nseed = {}\n", quoted(&title), args.seed);
    let _ = writeln!(toml, "[cluster]\nnodes = {}\nname = \"node{{i}}\"\n", one_or_list(&nodes));
    push_keys(&mut toml, pattern, args)?;
    if let Some(exponent) = args.zipf {
        let requests = args.requests.unwrap_or(args.keys.saturating_mul(100));
        let _ = writeln!(
            toml,
            "[traffic]\nshape = \"zipf\"\nexponent = {exponent:?}\nrequests = {requests}\n"
        );
    }
    let given = given_params(args);
    for (name, _) in &given {
        if strategies.iter().all(|s| find(s.params, name).is_none()) {
            let known = strategies.iter().flat_map(|s| s.params).map(|p| p.name);
            return Err(Error::unknown("parameter", name, known));
        }
    }
    for strategy in &strategies {
        let _ = writeln!(toml, "[[strategy]]\nkind = {}", quoted(strategy.name));
        for (name, texts) in &given {
            if let Some(param) = find(strategy.params, name) {
                let values: Vec<String> =
                    texts.iter().map(|text| literal(&value(&param.ty, text))).collect();
                let _ = writeln!(toml, "{name} = {}", one_or_list(&values));
            }
        }
        toml.push('\n');
    }
    for n in &args.add {
        let _ = writeln!(toml, "[[change]]\nadd = {n}\n");
    }
    for name in &args.remove {
        let _ = writeln!(toml, "[[change]]\nremove = [{}]\n", quoted(name));
    }
    toml.truncate(toml.trim_end().len());
    toml.push('\n');
    Ok(toml)
}

fn push_keys(toml: &mut String, pattern: &PatternInfo, args: &QuickArgs) -> Result<(), Error> {
    if find(pattern.params, "count").is_none() {
        return Err(Error::invalid(format!("`{}` keys need a scenario file", pattern.name))
            .help("write one with --toml and another pattern, and change its [keys]"));
    }
    let name = quoted(pattern.name);
    let _ = writeln!(toml, "[keys]\npattern = {name}\ncount = {}\n", args.keys);
    Ok(())
}

/// Parameters of strategies with their texts, in the order in which they stand in the file.
fn given_params(args: &QuickArgs) -> Vec<(String, Vec<String>)> {
    let own = [("vnodes", &args.vnodes), ("hasher", &args.hasher)];
    let own = own.into_iter().filter(|(_, texts)| !texts.is_empty());
    let own = own.map(|(name, texts)| (name.to_string(), texts.clone()));
    let more = args.param.iter().map(|(name, texts)| {
        (name.clone(), texts.split(',').map(|t| t.trim().to_string()).collect())
    });
    own.chain(more).collect()
}

fn find(params: &'static [Param], name: &str) -> Option<&'static Param> {
    params.iter().find(|p| p.name == name)
}

fn one_or_list(items: &[String]) -> String {
    match items {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    }
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// A value in TOML.
fn literal(value: &Value) -> String {
    match value {
        Value::Text(text) => quoted(text),
        Value::Float(x) => format!("{x:?}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, FromArgMatches};

    use super::*;

    fn text(line: &str) -> Result<String, Error> {
        let command = QuickArgs::augment_args(Command::new("quick"));
        let words = std::iter::once("quick").chain(line.split_whitespace());
        let matches = command.try_get_matches_from(words).unwrap();
        scenario_text(&QuickArgs::from_arg_matches(&matches).unwrap())
    }

    #[test]
    fn arguments_become_the_scenario_that_a_person_would_write() {
        let toml = text(
            "--strategy ring,jump --vnodes 32,160 --hasher md5 --keys 5k --add 1 --add 2 \
                         --remove node3 --zipf 1",
        )
        .unwrap();
        let table: toml::Table = toml.parse().unwrap();
        assert_eq!(table["cluster"]["nodes"].as_integer(), Some(16));
        assert_eq!(table["keys"]["count"].as_integer(), Some(5000));
        assert_eq!(table["traffic"]["exponent"].as_float(), Some(1.0));
        assert_eq!(table["traffic"]["requests"].as_integer(), Some(500_000));
        let strategies = table["strategy"].as_array().unwrap();
        assert_eq!(strategies[0]["vnodes"].as_array().unwrap().len(), 2);
        assert!(strategies[1].get("vnodes").is_none(), "jump has none");
        assert_eq!(strategies[1]["hasher"].as_str(), Some("md5"));
        let changes = table["change"].as_array().unwrap();
        assert_eq!(changes[1]["add"].as_integer(), Some(2));
        assert_eq!(changes[2]["remove"][0].as_str(), Some("node3"));
    }

    #[test]
    fn names_that_no_strategy_knows_are_refused() {
        assert!(text("--strategy rnig").unwrap_err().help[0].contains("`ring`"));
        assert!(text("--strategy jump --vnodes 3").unwrap_err().message.contains("`vnodes`"));
        assert!(text("--strategy jump --pattern sequentail").is_err());
    }
}
