//! `shardlab route`: where each key lives, why, and whether it moves.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};

use super::args::{count, pair, step, values};
use super::hash::{LineFormat, push_digest, push_field, push_shown};
use super::input::{KeysType, batches};
use super::placements::{Placed, Router, source};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::cluster::{Cluster, NodeId, server_list};
use crate::error::{Error, ErrorKind};
use crate::keys::{ColumnSpec, Digester, KeyKind};
use crate::params::Params;
use crate::preset::{self, Answer};
use crate::scenario::{self, Cell, Overrides, Step};
use crate::sim::plan::Plan;
use crate::strategy::{self, Build};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "route",
    summary: "Where each key lives, why, and whether it moves",
    examples: "Examples:\n  shardlab route --strategy ring --nodes 16 user:42\n  \
               shardlab route --strategy ring --servers 'a,b,c weight=2' --param vnodes=40 user:42\n  \
               shardlab route --scenario my.toml --cell ring/md5/vnodes=160 --step 1 user:42\n  \
               shardlab route --preset nginx-consistent --servers servers.txt --format csv < keys.txt\n  \
               shardlab route --preset kafka --param partitions=12 user:42",
    augment: RouteArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct RouteArgs {
    /// Scenario whose cluster and strategy to use
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "preset", "nodes", "servers", "param"])]
    scenario: Option<PathBuf>,
    /// Which cell of the scenario; `shardlab check` shows them
    #[arg(long, value_name = "ID", requires = "scenario")]
    cell: Option<String>,
    /// Step of the cell; also shows whether the key moves from the step before
    #[arg(long, value_name = "K", requires = "scenario", value_parser = step)]
    step: Option<usize>,
    /// Strategy; `shardlab list strategies` shows them
    #[arg(long, value_name = "S", required_unless_present_any = ["scenario", "preset"])]
    strategy: Option<String>,
    /// Real system; `shardlab list presets` shows them
    #[arg(long, value_name = "P", conflicts_with = "strategy")]
    preset: Option<String>,
    /// Number of nodes, named node0, node1 …
    #[arg(long, value_name = "N", value_parser = count, conflicts_with = "servers")]
    nodes: Option<u64>,
    /// Servers: a file with one a line, or a list parted by commas, each `name[=host:port] [weight=2]`
    #[arg(long, value_name = "LIST|FILE")]
    servers: Option<String>,
    /// Parameter of the strategy or preset, e.g. vnodes=160
    #[arg(long, value_name = "K=V", value_parser = pair)]
    param: Vec<(String, String)>,
    /// How keys are read; by default as the scenario's keys are, else text
    #[arg(long = "keys", value_name = "TYPE")]
    keys_type: Option<KeysType>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "text")]
    format: LineFormat,
    /// Keys; without any, one a line on stdin, where an empty line is the empty key
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: RouteArgs = read(matches);
    match &args.scenario {
        Some(path) => by_scenario(path, &args, ui)?,
        None => by_name(&args, ui)?,
    }
    Ok(Exit::Done)
}

fn by_scenario(path: &Path, args: &RouteArgs, ui: &mut Ui) -> Result<(), Failure> {
    let scenario = scenario::load(path, &Overrides::default())?;
    let cell = pick(&scenario.cells, args.cell.as_deref())?;
    let last = cell.steps.len() - 1;
    let step = args.step.unwrap_or(0);
    if step > last {
        return Err(Error::invalid(format!("cell `{}` has no step {step}", cell.id))
            .help(format!("steps: 0 to {last}"))
            .into());
    }
    let kind = match args.keys_type {
        Some(keys_type) => keys_type.kind(),
        None => source(&cell.workload, &scenario.base)?.kind(),
    };
    let plan = Plan::new(&[cell], kind, &scenario.base)?;
    let steps = plan.cells[0].steps.as_ref().map_err(|reason| unsupported(&cell.id, reason))?;
    let placed = |step: usize| Placed {
        cluster: &cell.steps[step].cluster,
        placement: plan.routed[steps[step]].placement.clone(),
    };
    let before = step.checked_sub(1).map(placed);
    route(&placed(step), before.as_ref(), cell.replicas, kind, args, ui)
}

/// The cell of that id; without an id, the only one.
pub(super) fn pick<'a>(cells: &'a [Cell], id: Option<&str>) -> Result<&'a Cell, Error> {
    match id {
        Some(id) => cells
            .iter()
            .find(|c| c.id == id)
            .ok_or_else(|| Error::unknown("cell", id, cells.iter().map(|c| c.id.as_str()))),
        None if cells.len() == 1 => Ok(&cells[0]),
        None => {
            const SHOWN: usize = 20;
            let mut ids: Vec<&str> = cells.iter().take(SHOWN).map(|c| c.id.as_str()).collect();
            if cells.len() > SHOWN {
                ids.push("…");
            }
            Err(Error::invalid(format!("the scenario has {} cells", cells.len()))
                .help(format!("choose one with --cell: {}", ids.join(", "))))
        }
    }
}

/// What is asked of a strategy that cannot do it.
pub(super) fn unsupported(what: &str, reason: &str) -> Error {
    Error::unsupported(format!("`{what}` is unsupported: {reason}"))
}

fn by_name(args: &RouteArgs, ui: &mut Ui) -> Result<(), Failure> {
    let info = match (&args.strategy, &args.preset) {
        (Some(name), _) => strategy::find(name)?,
        (None, Some(name)) => preset::find(name)?,
        (None, None) => unreachable!("clap requires one of them without a scenario"),
    };
    let params = Params::from_pairs(info.params, values(info.params, &args.param))?;
    let declared = info.params.iter().any(|p| p.name == "partitions");
    let cluster = match preset::of(info).map(|preset| preset.answer) {
        // What is asked for is the number of the partition.
        Some(Answer::Partition) if params.get("partitions").is_some() => Cluster::default(),
        Some(Answer::Partition) if declared => Cluster::numbered(cluster(args)?.nodes.len(), "{i}"),
        // The number of partitions is fixed; with servers, their owner is.
        Some(Answer::Partition) if args.nodes.is_none() && args.servers.is_none() => {
            Cluster::default()
        }
        // A map of the system's own has its devices, and their numbers are the answer.
        Some(Answer::Server)
            if args.nodes.is_none() && args.servers.is_none() && params.get("map").is_some() =>
        {
            Cluster::default()
        }
        _ => cluster(args)?,
    };
    let usual = if info.caps.integer_keys { KeysType::Int } else { KeysType::Text };
    let kind = args.keys_type.unwrap_or(usual).kind();
    let step =
        Step { change: None, cluster: cluster.into(), strategy: info, params, rebuilt: false };
    let build = Build {
        cluster: &step.cluster,
        params: &step.params,
        keys: kind,
        replicas: 1,
        base: Path::new("."),
    };
    let placement = info.place(&build).map_err(|error| match error.kind {
        ErrorKind::Unsupported => unsupported(info.name, &error.message),
        _ => error,
    })?;
    let now = Placed { cluster: &step.cluster, placement: placement.into() };
    route(&now, None, 1, kind, args, ui)
}

/// The cluster that the arguments describe.
fn cluster(args: &RouteArgs) -> Result<Cluster, Error> {
    /// As many nodes as a scenario may have.
    const MOST_NODES: u64 = 100_000;
    match (args.nodes, &args.servers) {
        (Some(0), _) => Err(Error::invalid("a cluster of 0 nodes holds no key").help("at least 1")),
        (Some(n), _) if n > MOST_NODES => {
            Err(Error::invalid(format!("{n} nodes")).help(format!("at most {MOST_NODES}")))
        }
        (Some(n), _) => Ok(Cluster::numbered(n as usize, "node{i}")),
        (None, Some(servers)) => {
            let mut nodes = if Path::new(servers).is_file() {
                server_list::read(Path::new(servers), servers)?
            } else if looks_like_a_path(servers) {
                return Err(Error::invalid(format!("no file `{servers}`"))
                    .help("give a file with one server a line, or names parted by commas"));
            } else {
                server_list::parse_inline(servers, "--servers")?
            };
            for (i, node) in nodes.iter_mut().enumerate() {
                node.id = NodeId(i as u32);
            }
            let ids = nodes.len();
            Ok(Cluster { nodes, ids, down: Vec::new() })
        }
        (None, None) => Err(Error::invalid("no cluster is given")
            .help("give --nodes N, or --servers with a file or a list parted by commas")
            .help("of a preset that numbers partitions, --param partitions=N is enough")),
    }
}

/// Whether a text is meant as a file rather than as servers.
fn looks_like_a_path(text: &str) -> bool {
    const ENDINGS: [&str; 7] = [".txt", ".csv", ".list", ".toml", ".conf", ".lst", ".json"];
    let single = !text.contains([',', '=', ' ']);
    single && (text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)))
}

fn route(
    now: &Placed<'_>,
    before: Option<&Placed<'_>>,
    replicas: usize,
    kind: KeyKind,
    args: &RouteArgs,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let placements = std::iter::once(now).chain(before).map(|p| p.placement.columns());
    let columns: Vec<ColumnSpec> = placements.flatten().cloned().collect();
    let mut digester = Digester::new(&columns);
    let mut router = Router::new(now, replicas);
    let mut earlier = before.map(|placed| Router::new(placed, replicas));
    if router.has_session() {
        ui.note(
            "note: each key is a request that stays open; where it goes depends on those before",
        );
    }
    let (csv, mut text) = (args.format == LineFormat::Csv, Vec::new());
    if csv {
        let header =
            if before.is_some() { "key,digest,node,before,moves" } else { "key,digest,node" };
        writeln!(ui.out(), "{header}")?;
    }
    let digest = now.placement.columns().first();
    batches(&args.keys, kind, |batch| {
        digester.compute(batch);
        router.route(batch);
        if let Some(earlier) = &mut earlier {
            earlier.route(batch);
        }
        text.clear();
        let digests = digest.map(|column| batch.digests(column));
        for row in 0..batch.len() {
            if csv {
                push_field(&mut text, batch.text.get(row));
                text.push(b',');
                if let (Some(column), Some(digests)) = (digest, digests) {
                    push_digest(&mut text, column.hasher, digests[row]);
                }
                text.push(b',');
                push_nodes(&mut text, row, &router, earlier.as_ref(), csv);
            } else {
                push_shown(&mut text, batch.text.get(row));
                text.extend_from_slice(" → ".as_bytes());
                push_nodes(&mut text, row, &router, earlier.as_ref(), csv);
                explain(&mut text, now, &batch.key(row));
            }
        }
        Ok::<(), Failure>(ui.out().write_all(&text)?)
    })
}

/// Where key `row` lives, where it lived, and whether that is the same.
fn push_nodes(
    out: &mut Vec<u8>,
    row: usize,
    router: &Router<'_>,
    earlier: Option<&Router<'_>>,
    csv: bool,
) {
    let mut names = Vec::new();
    router.push_names(row, &mut names);
    let field = |out: &mut Vec<u8>, names: &[u8]| {
        if csv { push_field(out, names) } else { out.extend_from_slice(names) }
    };
    field(out, &names);
    if let Some(earlier) = earlier {
        let mut old = Vec::new();
        earlier.push_names(row, &mut old);
        let moves = old != names;
        if csv {
            out.push(b',');
            field(out, &old);
            out.extend_from_slice(if moves { b",yes" } else { b",no" });
        } else if moves {
            out.extend_from_slice(b" (moves from ");
            field(out, &old);
            out.push(b')');
        } else {
            out.extend_from_slice(b" (stays)");
        }
    }
    out.push(b'\n');
}

fn explain(out: &mut Vec<u8>, placed: &Placed<'_>, key: &crate::keys::Key<'_>) {
    let explanation = placed.placement.explain(key);
    let width = explanation.steps.iter().map(|s| s.what.chars().count()).max().unwrap_or(0);
    for step in &explanation.steps {
        let line = format!("    {:width$}  {}", step.what, step.value);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
