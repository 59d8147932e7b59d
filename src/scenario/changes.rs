//! `[[change]]` and `[[path]]`: what the scenario states, before names become ids.

use super::cluster;
use super::fields::{CHANGE, MAX_STEPS, PATH};
use super::table;
use super::tree::{Data, Entry, Item, Table};
use crate::cluster::OnFail;
use crate::cluster::path::{Alteration, Joining, MAX_NODES, NameRef};
use crate::error::Error;
use crate::params::{Default, Param, Type, Value};

/// The verbs of a change; a change has exactly one.
const VERBS: &[&str] = &["add", "remove", "fail", "reweight", "set", "switch"];

/// A path as the scenario states it.
#[derive(Debug)]
pub struct PathSpec<'a> {
    /// Its name.
    pub name: String,
    /// Its changes with the tables they come from.
    pub changes: Vec<Stated<'a>>,
}

/// A change and where it stands.
#[derive(Debug)]
pub struct Stated<'a> {
    /// What it does.
    pub alteration: Alteration,
    /// Its verb, with its value.
    pub entry: &'a Entry,
}

/// All paths; without any, `main` with step 0 only. None: something is wrong and reported.
pub fn read<'a>(
    root: &'a Table,
    weight: f64,
    errors: &mut Vec<Error>,
) -> Option<Vec<PathSpec<'a>>> {
    let before = errors.len();
    let mut paths = Vec::new();
    match (root.entry("change"), root.entry("path")) {
        (Some(_), Some(path)) => errors.push(
            Error::invalid("the scenario has both `change` and `path`")
                .help("move the changes into a `[[path]]` with a name")
                .at(path.key_place.clone()),
        ),
        (_, Some(entry)) => {
            for table in table::as_tables(&entry.item, "path", errors) {
                let Some(params) = table::closed(table, &PATH, errors) else { continue };
                let name = params.text("name").to_string();
                let changes = table.get("change").map(|c| changes(c, weight, errors));
                paths.push((PathSpec { name, changes: changes.unwrap_or_default() }, table));
            }
            check_names(&paths, &entry.item, errors);
        }
        (change, None) => {
            let changes = change.map(|c| changes(&c.item, weight, errors)).unwrap_or_default();
            paths.push((PathSpec { name: "main".into(), changes }, root));
        }
    }
    (errors.len() == before).then(|| paths.into_iter().map(|(path, _)| path).collect())
}

fn check_names(paths: &[(PathSpec<'_>, &Table)], item: &Item, errors: &mut Vec<Error>) {
    if paths.is_empty() && errors.is_empty() {
        let error = Error::invalid("`path` is an empty list").help("give a path or leave it out");
        errors.push(error.at(item.place.clone()));
    }
    for (i, (path, table)) in paths.iter().enumerate() {
        if let Some((_, first)) = paths[..i].iter().find(|(p, _)| p.name == path.name) {
            let (line, _) = first.place_of("name").line_column();
            errors.push(
                Error::invalid(format!("two paths are called `{}`", path.name))
                    .help(format!("the first is in line {line}; each path needs its own name"))
                    .at(table.place_of("name")),
            );
        }
    }
}

fn changes<'a>(item: &'a Item, weight: f64, errors: &mut Vec<Error>) -> Vec<Stated<'a>> {
    let tables = table::as_tables(item, "change", errors);
    if tables.len() > MAX_STEPS {
        errors.push(
            Error::invalid(format!("a path has {} changes", tables.len()))
                .help(format!("at most {MAX_STEPS}"))
                .at(item.place.clone()),
        );
        return Vec::new();
    }
    tables.into_iter().filter_map(|table| change(table, weight, errors)).collect()
}

fn change<'a>(table: &'a Table, weight: f64, errors: &mut Vec<Error>) -> Option<Stated<'a>> {
    let params = table::closed(table, &CHANGE, errors)?;
    let mut verbs = table.entries.iter().filter(|e| VERBS.contains(&e.key.as_str()));
    let known = VERBS.join(", ");
    let Some(entry) = verbs.next() else {
        let error = Error::invalid("a change does nothing").help(format!("give one of {known}"));
        errors.push(error.at(table.place.clone()));
        return None;
    };
    if let Some(second) = verbs.next() {
        errors.push(
            Error::invalid(format!("a change has both `{}` and `{}`", entry.key, second.key))
                .help("write one change for each, in their order")
                .at(second.key_place.clone()),
        );
        return None;
    }
    if let Some(on_fail) = table.entry("on-fail").filter(|_| entry.key != "fail") {
        errors.push(
            Error::invalid(format!("`on-fail` does not belong to `{}`", entry.key))
                .help("it says what becomes of the keys of a node that fails")
                .at(on_fail.key_place.clone()),
        );
        return None;
    }
    let alteration = match entry.key.as_str() {
        "add" => Alteration::Add(joining(&entry.item, weight, errors)?),
        "remove" => Alteration::Remove(names(entry, errors)?),
        "fail" => {
            let on_fail = match params.text_opt("on-fail") {
                Some("unavailable") => OnFail::Unavailable,
                _ => OnFail::Reroute,
            };
            Alteration::Fail(names(entry, errors)?, on_fail)
        }
        "reweight" => Alteration::Reweight(weights(entry, errors)?),
        "set" => Alteration::Set(settings(entry, errors)?),
        "switch" => Alteration::Switch(settings(entry, errors)?),
        other => unreachable!("`{other}` is no verb"),
    };
    Some(Stated { alteration, entry })
}

fn joining(item: &Item, weight: f64, errors: &mut Vec<Error>) -> Option<Vec<Joining>> {
    let items = item.one_or_many();
    if items.is_empty() {
        errors.push(nothing("add", item));
        return None;
    }
    let mut joining = Vec::new();
    for one in items {
        let place = Some(one.place.clone());
        joining.push(match &one.data {
            Data::Scalar(Value::Int(n)) if (1..=MAX_NODES as i64).contains(n) => {
                Joining::Count(*n as usize, place)
            }
            Data::Scalar(Value::Text(name)) if !name.is_empty() => {
                table::check(&NAME, one, errors)?;
                Joining::Name(NameRef { name: name.clone(), place })
            }
            Data::Table(table) => {
                let place = Some(table.place_of("name"));
                Joining::Node(Box::new(cluster::node(table, weight, errors)?), place)
            }
            _ => {
                errors.push(
                    Error::invalid(format!("`add` is {}", shown(one)))
                        .help(format!("allowed: a number of nodes from 1 to {MAX_NODES}, a name, a table such as {{ name = \"db16\", weight = 2 }}, or a list of them"))
                        .at(one.place.clone()),
                );
                return None;
            }
        });
    }
    Some(joining)
}

fn shown(item: &Item) -> String {
    match &item.data {
        Data::Scalar(Value::Text(text)) => format!("\"{text}\""),
        Data::Scalar(value) => value.to_string(),
        _ => item.kind().to_string(),
    }
}

fn nothing(verb: &str, item: &Item) -> Error {
    Error::invalid(format!("`{verb}` is empty"))
        .help("name at least one node")
        .at(item.place.clone())
}

fn names(entry: &Entry, errors: &mut Vec<Error>) -> Option<Vec<NameRef>> {
    let items = entry.item.one_or_many();
    if items.is_empty() {
        errors.push(nothing(&entry.key, &entry.item));
        return None;
    }
    let mut names = Vec::new();
    for item in items {
        let Data::Scalar(Value::Text(name)) = &item.data else {
            errors.push(
                Error::invalid(format!("`{}` is {}", entry.key, shown(item)))
                    .help("allowed: a node's name, or a list of names")
                    .at(item.place.clone()),
            );
            return None;
        };
        names.push(NameRef { name: name.clone(), place: Some(item.place.clone()) });
    }
    Some(names)
}

static WEIGHT: Param = Param::new("weight", Type::Weight, Default::Absent, "new weight");

static NAME: Param = Param::new("add", Type::Name, Default::Absent, "name of the new node");

fn weights(entry: &Entry, errors: &mut Vec<Error>) -> Option<Vec<(NameRef, f64)>> {
    let table = table::as_table(&entry.item, "reweight", errors)?;
    if table.entries.is_empty() {
        errors.push(nothing("reweight", &entry.item));
        return None;
    }
    let mut weights = Vec::new();
    for one in &table.entries {
        let weight = table::check(&WEIGHT, &one.item, errors)?.as_f64().expect("checked");
        let name = NameRef { name: one.key.clone(), place: Some(one.key_place.clone()) };
        weights.push((name, weight));
    }
    Some(weights)
}

fn settings(entry: &Entry, errors: &mut Vec<Error>) -> Option<Vec<(String, Value)>> {
    let table = table::as_table(&entry.item, &entry.key, errors)?;
    if table.entries.is_empty() {
        errors.push(
            Error::invalid(format!("`{}` is empty", entry.key))
                .help("give a parameter of the strategy, e.g. { vnodes = 200 }")
                .at(entry.item.place.clone()),
        );
        return None;
    }
    Some(table.pairs())
}
