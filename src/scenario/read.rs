//! From a file or a text to a checked [`Scenario`].

use std::path::Path;

use sha2::{Digest, Sha256};

use super::cells::{self, Keys, Sweep};
use super::fields::{MAX_CELLS, ROOT};
use super::table::{self, Axis};
use super::tree::{self, Data, MAX_FILE_BYTES, Source, Table};
use super::{
    Overrides, Places, Scenario, asked, changes, cluster, conditions, families, faults, migration,
    needs, overrides, queries, remedies, strategies, workload,
};
use crate::error::{Error, ErrorKind};
use crate::params::Value;
use crate::text_file;

/// Reads a scenario file. Its errors are all that could be found at once.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Scenario, Vec<Error>> {
    let text = read_file(path).map_err(|error| vec![error])?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    parse(&text, &path.display().to_string(), &name, folder_of(path), overrides)
}

fn read_file(path: &Path) -> Result<String, Error> {
    text_file::read(path, &path.display().to_string(), MAX_FILE_BYTES).map_err(|error| match error
        .kind
    {
        ErrorKind::Io => nearby(path).into_iter().fold(error, Error::help),
        _ => error.help("a scenario is a TOML file; is this a data file?"),
    })
}

/// What to do about a scenario that cannot be read: the scenarios in its folder (or in the folder that
/// it is), the nearest name first.
fn nearby(path: &Path) -> Vec<String> {
    const MOST: usize = 10;
    let folder = if path.is_dir() { path } else { folder_of(path) };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(10_000);
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".toml") && name != "Cargo.toml")
        .collect();
    names.sort();
    if names.is_empty() {
        return vec!["begin with one that `shardlab quick --strategy ring --toml` prints".into()];
    }
    let wanted = path.file_name().unwrap_or_default().to_string_lossy();
    let nearest = Error::unknown("scenario", &wanted, names.iter().map(String::as_str)).help;
    let mut help: Vec<String> = nearest.into_iter().filter(|h| h.starts_with("did you")).collect();
    let more = if names.len() > MOST { ", …" } else { "" };
    names.truncate(MOST);
    help.push(format!("scenarios in `{}`: {}{more}", folder.display(), names.join(", ")));
    help
}

/// The folder that holds a file.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Checks a scenario's text. `file_label` is how messages name the file, `name` the scenario's name,
/// `base` the folder that relative paths start from.
pub fn parse(
    text: &str,
    file_label: &str,
    name: &str,
    base: &Path,
    overrides: &Overrides,
) -> Result<Scenario, Vec<Error>> {
    let source = Source { file: file_label.into(), text: text.into() };
    let mut errors = Vec::new();
    let mut root = tree::read(&source, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    overrides::apply(&mut root, overrides, &mut errors);
    let as_shipped = overrides.set.is_empty() && overrides.sweep.is_empty();
    check(&root, text, name, base, as_shipped, &mut errors)
        .filter(|_| errors.is_empty())
        .ok_or(errors)
}

/// Checks the tree of a scenario: a whole file, or a table within one. None: something is wrong and
/// reported. `text` is what its fingerprint is of; `as_shipped` whether nothing of it was changed.
pub fn check(
    root: &Table,
    text: &str,
    name: &str,
    base: &Path,
    as_shipped: bool,
    errors: &mut Vec<Error>,
) -> Option<Scenario> {
    let (needs, expanded) = match root.get("needs") {
        None => (None, None),
        Some(_) => needs::expand(root, base, errors).map(|(n, tree)| (Some(n), Some(tree)))?,
    };
    let root = expanded.as_ref().unwrap_or(root);
    let axes = table::closed_axes(root, &ROOT, errors);
    let clusters = cluster::read(root, base, MAX_CELLS, errors);
    let keys = workload::read_keys(root, base, errors);
    let traffic = workload::read_traffic(root, errors);
    if let (Some(keys), Some(traffic)) = (&keys, &traffic) {
        match keys {
            Keys::One(keys) => workload::check_together(root, base, keys, traffic, errors),
            Keys::Families(all) => families::check_together(root, base, all, traffic, errors),
        }
    }
    let queries = keys.as_ref().map_or(Some(Vec::new()), |k| queries::read(root, k, base, errors));
    let strategies = strategies::read(root, errors);
    let weight = default_weight(root);
    let paths = changes::read(root, weight, errors);
    let migrations = migration::read(root, paths.as_deref(), errors);
    let remedies = remedies::read(root, keys.as_ref(), errors);
    let axes = axes?;
    let sweep = Sweep {
        root,
        seeds: int_axis(&axes, "seed", 1),
        clusters: clusters?,
        replicas: int_axis(&axes, "replicas", 1),
        keys: keys?,
        traffic: traffic?,
        strategies: strategies?,
        paths: paths?,
        migrations: migrations?,
        remedies: remedies?,
    };
    let map = sweep.clusters.first().and_then(|cluster| cluster.map.clone());
    let cells = sweep.cells(errors)?;
    faults::check_nodes(&cells, errors);
    let trials = conditions::trials(root, &cells, errors);
    let searches = conditions::searches(root, &cells, errors);
    let has_trials = trials.as_ref().is_none_or(|(trials, _)| trials.is_some());
    let queries = queries?;
    let names: Vec<&str> = queries.iter().map(|query| query.name.as_str()).collect();
    let expects = conditions::expects(root, &cells, has_trials, &names, errors);
    // Charts and analysis speak of the cells of the scenario as it ships: `--set` may take them away.
    let charts = conditions::charts(root, as_shipped.then_some(&cells), errors);
    let (trials, events) = trials?;
    let searches = searches?;
    if as_shipped {
        asked::analysis(root, &cells, &events, &searches, &names, errors);
    }
    let prose =
        |field: &str| root.get(field).map_or(String::new(), |item| item.value().to_string());
    let title = prose("title");
    let places = |name: &str| match root.get(name).map(|item| &item.data) {
        Some(Data::Table(table)) => cells::places(table),
        Some(_) => {
            Places { table: root.get(name).map(|item| item.place.clone()), ..Places::default() }
        }
        None => Places::default(),
    };
    let (keys, traffic) = (places("keys"), places("traffic"));
    Some(Scenario {
        name: name.to_string(),
        title: if title.is_empty() { name.to_string() } else { title },
        question: prose("question"),
        analysis: prose("analysis"),
        sha256: Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect(),
        base: base.to_path_buf(),
        keys,
        traffic,
        needs,
        map,
        cells,
        trials,
        events,
        searches,
        expects: expects?,
        queries,
        charts: charts?,
    })
}

/// `cluster.weight`, which also holds for nodes that join later.
fn default_weight(root: &Table) -> f64 {
    match root.get("cluster").map(|item| &item.data) {
        Some(Data::Table(table)) => {
            table.get("weight").and_then(|item| item.value().as_f64()).unwrap_or(1.0)
        }
        _ => 1.0,
    }
}

fn int_axis(axes: &[Axis], name: &'static str, default: i64) -> Axis {
    axes.iter().find(|axis| axis.name == name).cloned().unwrap_or(Axis {
        name,
        values: vec![Value::Int(default)],
        swept: false,
    })
}
