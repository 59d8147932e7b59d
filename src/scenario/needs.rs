//! `[needs]`: what the cluster must bear, from which `advise` chooses; and what a scenario with needs
//! leaves open, filled in.
//!
//! A scenario with needs is an ordinary one. What it leaves open is put into its tree before that is
//! checked: the candidates as `[[strategy]]` tables, the growth path and the changes that show a need as
//! paths, a query over neighbours, a band over label sets. `run`, `check` and `advise` so see the same
//! cells.

use std::path::Path;

use super::candidates;
use super::cluster;
use super::fields::{MAX_CELLS, MAX_NODES, MAX_STEPS, name};
use super::table::{self, TableSpec};
use super::tree::{Data, Entry, Item, Table};
use crate::cluster::path::Start;
use crate::error::{Error, Place};
use crate::params::{Default, Param, Params, Type, Value};
use crate::preset;

/// Path of the growth that `[needs]` states.
pub const GROWTH: &str = "growth";
/// Path on which a node leaves that is not the last.
pub const REMOVAL: &str = "removal";
/// Path on which one of equal nodes gets twice the weight.
pub const UNEQUAL: &str = "unequal";

/// Label sets of the band, where the scenario asks for none.
const TRIALS: i64 = 100;
/// Most keys placed for each, where ownership is not known; as many as the scenario has if it has fewer.
pub const TRIAL_KEYS: i64 = 20_000;
/// Drawn ranges of neighbouring keys, where the scenario has no query.
const RANGES: i64 = 100;
/// Distinct keys of each.
const RANGE_KEYS: i64 = 100;

const fn flag(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Bool, Default::Bool(false), doc)
}

/// `[needs]`
pub static NEEDS: TableSpec = TableSpec {
    name: "[needs]",
    doc: "What the cluster must bear, for `advise`; what else the scenario leaves open is filled in from it",
    params: &[
        Param::new(
            "growth",
            Type::List(&Type::Int { min: 1, max: MAX_NODES as i64 }),
            Default::Absent,
            "numbers of nodes that the cluster grows to, one after the other; in place of changes",
        ),
        flag(
            "unequal-nodes",
            "nodes of different weight; tried by doubling one where all are equal so far",
        ),
        flag("arbitrary-removal", "any node may leave, not only the last; tried with the first"),
        flag(
            "range-queries",
            "a router must find neighbouring keys without asking every node; tried with drawn ranges \
             where there is no query",
        ),
        flag(
            "may-spill",
            "a request may go elsewhere than its key's home when that is full: for caches and balancers, \
             not for stored data",
        ),
        flag("zones", "the copies of a key must lie in different zones"),
        Param::new(
            "max-over-mean",
            Type::Float { min: 1.0, max: 1e6 },
            Default::Absent,
            "most that the fullest node may carry, over its fair load: 1.25 tolerates 25 % more",
        ),
        Param::new(
            "excess-moved",
            Type::Float { min: 0.0, max: 1e3 },
            Default::Absent,
            "most that a path may move beyond the least, as a share of all keys",
        ),
        Param::new(
            "lookup-steps",
            Type::Float { min: 1.0, max: 1e9 },
            Default::Absent,
            "most steps of a look-up, in the mean",
        ),
        Param::new(
            "table-bytes",
            Type::Int { min: 0, max: i64::MAX },
            Default::Absent,
            "most bytes of a router's tables",
        ),
        name("match", "preset of the system that must send every key to the same node"),
        Param::new(
            "candidates",
            Type::Choice(&["given", "all"]),
            Default::Absent,
            "the [[strategy]] tables alone, or those and every other strategy that needs no setting of \
             its own; absent: the tables, or all where there are none",
        ),
    ],
    sweeps: &[],
    nested: &[],
};

/// What the cluster must bear, checked.
#[derive(Debug, Clone, PartialEq, std::default::Default)]
pub struct Needs {
    /// Whether nodes may differ in weight.
    pub unequal_nodes: bool,
    /// Whether any node may leave.
    pub arbitrary_removal: bool,
    /// Whether ranges of keys must be found without asking every node.
    pub range_queries: bool,
    /// Whether a request may go elsewhere than its key's home.
    pub may_spill: bool,
    /// Whether copies must lie in different zones.
    pub zones: bool,
    /// Largest load over fair load that is tolerated.
    pub max_over_mean: Option<f64>,
    /// Largest share of keys moved beyond the least that is tolerated, over a path.
    pub excess_moved: Option<f64>,
    /// Most steps of a look-up.
    pub lookup_steps: Option<f64>,
    /// Most bytes of tables.
    pub table_bytes: Option<u64>,
    /// The preset to match.
    pub matches: Option<String>,
    /// Strategies that are no candidates, and why.
    pub not_tried: Vec<(&'static str, String)>,
    /// Whether the list of candidates was filled in.
    pub filled: bool,
}

impl Needs {
    fn new(params: &Params) -> Self {
        let number = |name: &str| params.get(name).and_then(Value::as_f64);
        Needs {
            unequal_nodes: params.bool("unequal-nodes"),
            arbitrary_removal: params.bool("arbitrary-removal"),
            range_queries: params.bool("range-queries"),
            may_spill: params.bool("may-spill"),
            zones: params.bool("zones"),
            max_over_mean: number("max-over-mean"),
            excess_moved: number("excess-moved"),
            lookup_steps: number("lookup-steps"),
            table_bytes: params.get("table-bytes").map(|_| params.int("table-bytes") as u64),
            matches: params.text_opt("match").map(str::to_string),
            not_tried: Vec::new(),
            filled: false,
        }
    }
}

/// The needs of a scenario, and its tree with everything filled in that it leaves open. None: it states
/// no needs, or they are wrong and that is reported.
pub fn expand(root: &Table, base: &Path, errors: &mut Vec<Error>) -> Option<(Needs, Table)> {
    let table = table::as_table(root.get("needs")?, "needs", errors)?;
    let params = table::closed(table, &NEEDS, errors)?;
    let before = errors.len();
    let mut needs = Needs::new(&params);
    if let Some(name) = &needs.matches
        && let Err(error) = preset::find(name)
    {
        errors.push(error.at(table.place_of("match")));
    }
    // What is wrong with the cluster is reported where it is checked.
    let clusters = cluster::read(root, base, MAX_CELLS, &mut Vec::new());
    let start = clusters.as_deref().and_then(<[_]>::first).map(|cluster| &cluster.start);
    let mut tree = root.clone();
    if let Some(start) = start {
        let one = clusters.as_ref().is_some_and(|all| all.len() == 1);
        paths(&mut tree, table, &needs, (start, one), errors);
        check_zones(root, table, &needs, start, errors);
    }
    let most = growth(table).last().copied().unwrap_or(0);
    let place = table.place.clone();
    let settings = candidates::Settings {
        zones: needs.zones,
        removal: needs.arbitrary_removal,
        capacity: (most > 0).then_some(2 * most),
        matches: needs.matches.as_deref(),
        all: params.text_opt("candidates").map(|which| which == "all"),
    };
    if errors.len() == before {
        let list = candidates::fill(root, &settings, &place);
        (needs.filled, needs.not_tried) = (list.filled, list.not_tried);
        if let Some(tables) = list.tables {
            tree.put("strategy", place.clone(), of(Data::List(tables), &place));
        }
    }
    let whole = |n: i64| Data::Scalar(Value::Int(n));
    if needs.range_queries && root.get("query").is_none() {
        let kind = Data::Scalar(Value::Text("range".into()));
        let fields = [("kind", kind), ("count", whole(RANGES)), ("width", whole(RANGE_KEYS))];
        let query = inline(fields, &place);
        tree.put("query", place.clone(), of(Data::List(vec![query]), &place));
    }
    if root.get("trials").is_none() {
        let keys = match root.get("keys").map(|item| &item.data) {
            Some(Data::Table(keys)) => keys.get("count").and_then(|count| count.value().as_f64()),
            _ => None,
        };
        let keys = keys.map_or(TRIAL_KEYS, |n| (n as i64).clamp(1, TRIAL_KEYS));
        let fields = [("count", whole(TRIALS)), ("keys", whole(keys))];
        tree.put("trials", place.clone(), inline(fields, &place));
    }
    (errors.len() == before).then_some((needs, tree))
}

/// The numbers of nodes that the cluster grows to.
fn growth(table: &Table) -> Vec<i64> {
    let items = table.get("growth").map(Item::one_or_many).unwrap_or_default();
    items.iter().filter_map(|item| item.value().as_f64()).map(|n| n as i64).collect()
}

/// Copies can lie in different zones only where there are copies and zones.
fn check_zones(root: &Table, table: &Table, needs: &Needs, start: &Start, errors: &mut Vec<Error>) {
    if !needs.zones {
        return;
    }
    let mut refuse = |message: &str, help: &str| {
        errors.push(Error::invalid(message).help(help).at(table.place_of("zones")));
    };
    if root.get("replicas").is_none() {
        refuse("`zones` is about the copies of a key, and there is one", "give `replicas = 3`");
    }
    if start.nodes.iter().all(|node| node.zone.is_none()) {
        refuse("`zones` is set, and no node has a zone", "give each node of [cluster] a `zone`");
    }
}

/// Puts the paths into the tree on which needs are tried, beside those of the scenario.
fn paths(
    tree: &mut Table,
    table: &Table,
    needs: &Needs,
    (start, one): (&Start, bool),
    errors: &mut Vec<Error>,
) {
    let place = &table.place;
    let mut paths = Vec::new();
    if let Some(item) = table.get("growth") {
        match grown(tree, &growth(table), start.nodes.len() as i64, one) {
            Ok(changes) => paths.push((GROWTH, changes.into_iter().map(Data::Table).collect())),
            Err(error) => errors.push(error.at(item.place.clone())),
        }
    }
    let first = start.nodes.first().map(|node| node.name.to_string()).unwrap_or_default();
    if needs.arbitrary_removal {
        if start.nodes.len() < 2 {
            errors.push(
                Error::invalid("`arbitrary-removal` needs a node to stay, and there is one")
                    .help("give [cluster] at least two nodes")
                    .at(table.place_of("arbitrary-removal")),
            );
        }
        let leaves = Data::Scalar(Value::Text(first.clone()));
        paths.push((REMOVAL, vec![change("remove", leaves, place)]));
    }
    let weights = start.nodes.iter().map(|node| node.weight);
    if needs.unequal_nodes && weights.clone().all(|w| Some(w) == weights.clone().next()) {
        let doubled = 2.0 * start.nodes.first().map_or(1.0, |node| node.weight);
        let weight = inline([(first.as_str(), Data::Scalar(Value::Float(doubled)))], place);
        paths.push((UNEQUAL, vec![change("reweight", weight.data, place)]));
    }
    if paths.is_empty() || !errors.is_empty() {
        return;
    }
    let mut all: Vec<Item> = Vec::new();
    if let Some(item) = tree.get("change") {
        all.push(path("main", item.clone(), place));
    } else if let Some(item) = tree.get("path") {
        all.extend(item.one_or_many().iter().cloned());
    }
    for (name, changes) in paths {
        let changes = changes.into_iter().map(|data| of(data, place)).collect();
        all.push(path(name, of(Data::List(changes), place), place));
    }
    tree.entries.retain(|entry| entry.key != "change");
    tree.put("path", place.clone(), of(Data::List(all), place));
}

/// A change that adds nodes for every number that the cluster grows to.
fn grown(tree: &Table, growth: &[i64], from: i64, one: bool) -> Result<Vec<Table>, Error> {
    if let Some(other) = ["change", "path"].into_iter().find(|key| tree.get(key).is_some()) {
        return Err(Error::invalid(format!("the scenario has both `growth` and `[[{other}]]`"))
            .help("write the growth among the changes: `add = 4`; or leave them out"));
    }
    if !one {
        return Err(Error::invalid(
            "`growth` starts from one number of nodes, and there are several",
        )
        .help("leave one value of what [cluster] sweeps over"));
    }
    if growth.is_empty() {
        return Err(Error::invalid("`growth` is an empty list")
            .help("give the numbers of nodes to grow to, e.g. [12, 16]"));
    }
    if growth.len() > MAX_STEPS {
        return Err(Error::invalid(format!("`growth` has {} steps", growth.len()))
            .help(format!("at most {MAX_STEPS}")));
    }
    let mut changes = Vec::new();
    let mut nodes = from;
    for &to in growth {
        if to <= nodes {
            return Err(Error::invalid(format!("`growth` goes from {nodes} nodes to {to}"))
                .help("each number is larger than the one before and than the cluster's")
                .help("nodes that leave are a change: `[[change]]` with `remove = [\"node3\"]`"));
        }
        let Data::Table(table) =
            change("add", Data::Scalar(Value::Int(to - nodes)), &tree.place_of("needs"))
        else {
            unreachable!("a change is a table")
        };
        changes.push(table);
        nodes = to;
    }
    Ok(changes)
}

fn change(verb: &str, data: Data, place: &Place) -> Data {
    inline([(verb, data)], place).data
}

fn path(name: &str, changes: Item, place: &Place) -> Item {
    let name = Data::Scalar(Value::Text(name.into()));
    inline([("name", name), ("change", changes.data)], place)
}

/// A value that stands where the needs do.
pub(super) fn of(data: Data, place: &Place) -> Item {
    Item { data, place: place.clone(), raw: None }
}

/// A table that stands where the needs do.
pub(super) fn inline<'a>(fields: impl IntoIterator<Item = (&'a str, Data)>, place: &Place) -> Item {
    let entry = |(key, data): (&str, Data)| Entry {
        key: key.to_string(),
        key_place: place.clone(),
        item: of(data, place),
    };
    let entries = fields.into_iter().map(entry).collect();
    of(Data::Table(Table { entries, place: place.clone() }), place)
}
