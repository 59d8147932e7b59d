//! Which router a command asks about: a cell of a scenario at a step, a strategy, or a real system.
//! Every command that asks about one takes the same arguments.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Failure;
use super::args::{count, pair, step, values};
use super::placements::{Placed, source};
use crate::cluster::{Cluster, NodeId, server_list};
use crate::error::{Error, ErrorKind};
use crate::hash::{self, Input};
use crate::keys::KeyKind;
use crate::params::{Params, Value};
use crate::preset::{self, Answer};
use crate::scenario::{self, Cell, Overrides, Scenario, Step};
use crate::sim;
use crate::sim::plan::Plan;
use crate::strategy::{self, Build, StrategyInfo, Weights};

/// As many nodes as a scenario may have.
const MOST_NODES: u64 = 100_000;

/// Arguments that name one router.
#[derive(Debug, Args)]
pub struct ChoiceArgs {
    /// Scenario whose cluster and strategy to use
    #[arg(long, value_name = "FILE", conflicts_with_all = ["strategy", "preset", "nodes", "servers", "param", "hasher", "vnodes"])]
    scenario: Option<PathBuf>,
    /// Which cell of the scenario; `shardlab check` shows them
    #[arg(long, value_name = "ID", requires = "scenario")]
    cell: Option<String>,
    /// Step of the cell, by default 0; where keys are shown, also whether they move from the step before
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
    /// Hash function: short for --param hasher=H
    #[arg(long, value_name = "H")]
    hasher: Option<String>,
    /// Virtual nodes per node: short for --param vnodes=V
    #[arg(long, value_name = "V")]
    vnodes: Option<String>,
    /// Parameter of the strategy or preset, e.g. vnodes=160
    #[arg(long, value_name = "K=V", value_parser = pair)]
    param: Vec<(String, String)>,
}

/// One router, checked as far as it can be before the type of the keys is known.
#[derive(Debug)]
pub enum Choice {
    /// A cell of a scenario at one of its steps.
    Cell {
        /// The scenario.
        scenario: Box<Scenario>,
        /// Index of the cell.
        cell: usize,
        /// The step, one of the cell's.
        step: usize,
    },
    /// A strategy or a preset over a cluster given by arguments.
    Named(Box<Step>),
}

impl ChoiceArgs {
    /// The router that the arguments name.
    pub fn choose(&self) -> Result<Choice, Failure> {
        match &self.scenario {
            Some(path) => {
                let scenario = closed(scenario::load(path, &Overrides::default())?)?;
                let cell = pick(&scenario.cells, self.cell.as_deref())?;
                let last = cell.steps.len() - 1;
                let step = self.step.unwrap_or(0);
                if step > last {
                    return Err(Error::invalid(format!("cell `{}` has no step {step}", cell.id))
                        .help(format!("steps: 0 to {last}"))
                        .into());
                }
                let cell = scenario.cells.iter().position(|c| c.id == cell.id);
                let cell = cell.expect("it is one of them");
                Ok(Choice::Cell { scenario: Box::new(scenario), cell, step })
            }
            // The parser waives what an option requires when that conflicts with another.
            None if self.cell.is_some() || self.step.is_some() => {
                Err(Error::invalid("--cell and --step choose within a scenario, and there is none")
                    .help("give --scenario FILE in place of the strategy")
                    .into())
            }
            None => Ok(Choice::Named(Box::new(self.named()?))),
        }
    }

    /// The same with members: where what is asked for is the number of a partition, each is a node.
    pub fn choose_members(&self) -> Result<Choice, Failure> {
        let mut choice = self.choose()?;
        if let Choice::Named(step) = &mut choice
            && step.cluster.nodes.is_empty()
        {
            let partitions = step.params.get("partitions").map(|_| step.params.int("partitions"));
            match partitions {
                Some(n) if n as u64 <= MOST_NODES => {
                    step.cluster = Cluster::numbered(n as usize, "{i}").into();
                }
                Some(n) => {
                    return Err(Error::invalid(format!("{n} partitions"))
                        .help(format!("at most {MOST_NODES} can be counted one by one"))
                        .help("or give --nodes or --servers, to which they are dealt out")
                        .into());
                }
                None => {
                    let name = step.strategy.name;
                    return Err(Error::invalid(format!("`{name}` is given no nodes"))
                        .help("give --nodes N, or --servers with a file or a list parted by commas")
                        .into());
                }
            }
        }
        Ok(choice)
    }

    /// `--param`, and what is short for it.
    fn given(&self) -> Result<Vec<(String, String)>, Error> {
        let mut given = self.param.clone();
        for (name, text) in [("hasher", &self.hasher), ("vnodes", &self.vnodes)] {
            let Some(text) = text else { continue };
            if given.iter().any(|(have, _)| have == name) {
                return Err(Error::invalid(format!("`{name}` is given twice"))
                    .help(format!("leave out --{name} or --param {name}=…")));
            }
            given.push((name.to_string(), text.clone()));
        }
        Ok(given)
    }

    fn named(&self) -> Result<Step, Error> {
        let info = match (&self.strategy, &self.preset) {
            (Some(name), _) => strategy::find(name)?,
            (None, Some(name)) => preset::find(name)?,
            (None, None) => unreachable!("clap requires one of them without a scenario"),
        };
        let params = Params::from_pairs(info.params, values(info.params, &self.given()?))?;
        let cluster = self.cluster_for(info, &params)?;
        Ok(Step {
            change: None,
            cluster: cluster.into(),
            strategy: info,
            params,
            rebuilt: false,
            fair: None,
        })
    }

    fn cluster_for(&self, info: &'static StrategyInfo, params: &Params) -> Result<Cluster, Error> {
        let declared = info.params.iter().any(|p| p.name == "partitions");
        let none = self.nodes.is_none() && self.servers.is_none();
        match preset::of(info).map(|preset| preset.answer) {
            // What is asked for is the number of the partition.
            Some(Answer::Partition) if params.get("partitions").is_some() => {
                if !none {
                    equal(info, &self.cluster()?)?;
                }
                Ok(Cluster::default())
            }
            Some(Answer::Partition) if declared => {
                let servers = self.cluster()?;
                equal(info, &servers)?;
                Ok(Cluster::numbered(servers.nodes.len(), "{i}"))
            }
            // The number of partitions is fixed; with servers, their owner is.
            Some(Answer::Partition) if none => Ok(Cluster::default()),
            // A map of the system's own has its devices, and their numbers are the answer.
            Some(Answer::Server) if none && params.get("map").is_some() => Ok(Cluster::default()),
            _ => self.cluster(),
        }
    }

    /// The cluster that the arguments describe.
    fn cluster(&self) -> Result<Cluster, Error> {
        match (self.nodes, &self.servers) {
            (Some(0), _) => {
                Err(Error::invalid("a cluster of 0 nodes holds no key").help("at least 1"))
            }
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
                Ok(Cluster { nodes, ids, ..Cluster::default() })
            }
            (None, None) => Err(Error::invalid("no cluster is given")
                .help("give --nodes N, or --servers with a file or a list parted by commas")
                .help("of a preset that numbers partitions, --param partitions=N is enough")),
        }
    }
}

/// Refuses weights where partitions have none, though it is only their number that is asked for.
fn equal(info: &StrategyInfo, cluster: &Cluster) -> Result<(), Error> {
    if info.caps.weights == Weights::Equal && !cluster.is_unweighted() {
        let reason = "it gives every node the same share: it has no weights";
        return Err(
            unsupported(info.name, reason).help("leave out `weight` in the list of servers")
        );
    }
    Ok(())
}

impl Choice {
    /// What is routed by: strategy, parameters, cluster.
    pub fn step(&self) -> &Step {
        match self {
            Choice::Cell { scenario, cell, step } => &scenario.cells[*cell].steps[*step],
            Choice::Named(step) => step,
        }
    }

    /// What the router is made of, name and value: for people, and to compare with another.
    pub fn setup(&self) -> Vec<(String, String)> {
        let Step { strategy, params, cluster, .. } = self.step();
        let mut setup = Vec::new();
        let mut put = |name: &str, value: String| setup.push((name.to_string(), value));
        match preset::of(strategy) {
            Some(preset) => {
                put("preset", strategy.name.into());
                put("system", preset.version.into());
            }
            None => put("strategy", strategy.name.into()),
        }
        params.iter().for_each(|(name, value)| put(name, value.to_string()));
        put("number of nodes", cluster.nodes.len().to_string());
        let nodes = cluster.nodes.iter().map(|node| {
            let address = match (&node.host, node.port) {
                (Some(host), Some(port)) => format!("={host}:{port}"),
                (Some(host), None) => format!("={host}"),
                _ => String::new(),
            };
            let down = if cluster.down.contains(&node.id) { " down" } else { "" };
            let weight =
                if node.weight == 1.0 { String::new() } else { format!(" weight={}", node.weight) };
            format!("{}{address}{weight}{down}", node.name)
        });
        put("nodes", nodes.collect::<Vec<_>>().join(", "));
        setup
    }

    /// What the router is made of, in one line: parameters only where they are not the usual ones.
    pub fn summary(&self) -> String {
        let Step { strategy, params, cluster, .. } = self.step();
        let usual = Params::defaults(strategy.params).unwrap_or_default();
        let told = |name: &str, value: &Value| {
            ["hasher", "vnodes"].contains(&name) || usual.get(name) != Some(value)
        };
        let params = params.iter().filter(|(name, value)| told(name, value));
        let mut words = vec![strategy.name.to_string()];
        words.extend(params.map(|(name, value)| format!("{name} {value}")));
        words.push(format!("{} nodes", cluster.nodes.len()));
        words.join(", ")
    }

    /// Nodes a key.
    pub fn replicas(&self) -> usize {
        match self {
            Choice::Cell { scenario, cell, .. } => scenario.cells[*cell].replicas,
            Choice::Named(_) => 1,
        }
    }

    /// The type of keys that suits the router: the scenario's, or integers where only these do.
    pub fn usual_kind(&self) -> Result<KeyKind, Error> {
        match self {
            Choice::Cell { scenario, cell, .. } => {
                Ok(source(&scenario.cells[*cell].workload, &scenario.base)?.kind())
            }
            Choice::Named(step) => {
                let takes_integers = || {
                    let name = step.params.text_opt("hasher")?;
                    Some(hash::find(name).ok()?.input == Input::Integer)
                };
                let integers = step.strategy.caps.integer_keys || takes_integers() == Some(true);
                Ok(if integers { KeyKind::I64 } else { KeyKind::Text })
            }
        }
    }

    /// The placement for keys of that kind, and the one of the step before where there is a step before.
    ///
    /// # Errors
    /// What the strategy cannot do is unsupported, with the reason.
    pub fn placed(&self, kind: KeyKind) -> Result<(Placed<'_>, Option<Placed<'_>>), Error> {
        match self {
            Choice::Cell { scenario, cell, step } => {
                let cell = &scenario.cells[*cell];
                let plan = Plan::new(&[cell], kind, &scenario.base)?;
                let steps = plan.cells[0].steps.as_ref();
                let steps = steps.map_err(|reason| unsupported(&cell.id, reason))?;
                let placed = |step: usize| Placed {
                    cluster: &cell.steps[step].cluster,
                    placement: plan.routed[steps[step]].placement.clone(),
                };
                Ok((placed(*step), step.checked_sub(1).map(placed)))
            }
            Choice::Named(step) => {
                let build = Build {
                    cluster: &step.cluster,
                    params: &step.params,
                    keys: kind,
                    replicas: 1,
                    base: Path::new("."),
                };
                let placement = step.strategy.place(&build).map_err(|error| match error.kind {
                    ErrorKind::Unsupported => unsupported(step.strategy.name, &error.message),
                    _ => error,
                })?;
                Ok((Placed { cluster: &step.cluster, placement: placement.into() }, None))
            }
        }
    }
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

/// The scenario with the steps that follow from measured load, if it has some: they are measured first.
pub(super) fn closed(scenario: Scenario) -> Result<Scenario, Error> {
    Ok(sim::control::close(&scenario, &sim::Silent)?.unwrap_or(scenario))
}

/// What is asked of a strategy that cannot do it.
pub(super) fn unsupported(what: &str, reason: &str) -> Error {
    Error::unsupported(format!("`{what}` is unsupported: {reason}"))
}

/// Whether a text is meant as a file rather than as servers.
fn looks_like_a_path(text: &str) -> bool {
    const ENDINGS: [&str; 7] = [".txt", ".csv", ".list", ".toml", ".conf", ".lst", ".json"];
    let single = !text.contains([',', '=', ' ']);
    single && (text.contains('/') || ENDINGS.iter().any(|ending| text.ends_with(ending)))
}
