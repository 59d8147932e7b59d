//! What the command line changes in a scenario: `--seed`, `--keys`, `--set`, `--sweep`.
//!
//! The changes are made in the tree before it is checked, so that a wrong value is refused by the
//! same rules as in the file, with its place in the option.

use super::Overrides;
use super::fields::ROOT;
use super::strategies;
use super::tree::{self, Data, Item, Source, Table};
use crate::error::Error;
use crate::keys;
use crate::params::{Param, Value};

/// Tables that a dotted path may lead into.
const TABLES: &[&str] = &["cluster", "keys", "traffic", "trials", "migration", "needs", "strategy"];

/// Applies the overrides to the tree of a scenario.
pub fn apply(root: &mut Table, overrides: &Overrides, errors: &mut Vec<Error>) {
    if overrides.needs && root.get("needs").is_none() {
        let table = Table { entries: Vec::new(), place: root.place.clone() };
        let item = Item { data: Data::Table(table), place: root.place.clone(), raw: None };
        root.put("needs", root.place.clone(), item);
    }
    if let Some(seed) = overrides.seed {
        let text = seed.to_string();
        let item = scalar("--seed", &text, 0, &text);
        root.put("seed", item.place.clone(), item);
    }
    if let Some(count) = overrides.keys {
        limit_keys(root, count, errors);
    }
    for (path, value) in &overrides.set {
        let text = format!("{path}={value}");
        let item = scalar("--set", &text, path.len() + 1, value);
        put(root, "--set", path, &item, errors);
    }
    for (path, values) in &overrides.sweep {
        let text = format!("{path}={values}");
        let mut at = path.len() + 1;
        let mut items = Vec::new();
        for value in split(values) {
            items.push(scalar("--sweep", &text, at, value));
            at += value.len() + 1;
        }
        let source = source("--sweep", &text);
        let place = source.place(path.len() + 1..text.len());
        let item = Item { data: Data::List(items), place, raw: None };
        put(root, "--sweep", path, &item, errors);
    }
}

fn source(option: &str, text: &str) -> Source {
    Source { file: option.into(), text: text.into() }
}

/// One value of an option, `start` bytes into its text: TOML where it is TOML, else a bare text.
fn scalar(option: &str, text: &str, start: usize, value: &str) -> Item {
    let source = source(option, text);
    let place = source.place(start..start + value.len());
    let mut ignored = Vec::new();
    let parsed =
        tree::read_value(value.trim(), &source, &mut ignored).filter(|_| ignored.is_empty());
    let mut item = parsed.unwrap_or_else(|| Item {
        data: Data::Scalar(Value::Text(value.trim().to_string())),
        place: place.clone(),
        raw: None,
    });
    relocate(&mut item, &place);
    item.raw = Some(value.trim().to_string());
    item
}

/// Everything within an option's value is at the place of the value.
fn relocate(item: &mut Item, place: &crate::error::Place) {
    item.place = place.clone();
    match &mut item.data {
        Data::Scalar(_) => {}
        Data::List(items) => items.iter_mut().for_each(|item| relocate(item, place)),
        Data::Table(table) => {
            table.place = place.clone();
            for entry in &mut table.entries {
                entry.key_place = place.clone();
                relocate(&mut entry.item, place);
            }
        }
    }
}

/// Splits at commas that stand in no bracket, brace or quote.
fn split(values: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth, mut quote) = (Vec::new(), 0, 0i32, None);
    for (at, c) in values.char_indices() {
        match (quote, c) {
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => {
                parts.push(&values[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&values[start..]);
    parts
}

fn put(root: &mut Table, option: &str, path: &str, item: &Item, errors: &mut Vec<Error>) {
    let key_place = source(option, &item.place.text).place(0..path.len());
    let refuse = |error: Error| error.at(key_place.clone());
    match path.split_once('.') {
        None if ROOT.params.iter().any(|p| p.name == path) => {
            root.put(path, key_place, item.clone());
        }
        None => put_in_strategies(root, path, item).unwrap_or_else(|e| errors.push(refuse(e))),
        Some(("strategy", field)) => {
            put_in_strategies(root, field, item).unwrap_or_else(|e| errors.push(refuse(e)));
        }
        Some((name, field)) if TABLES.contains(&name) && !field.contains('.') => {
            match table_mut(root, name, item) {
                Some(table) => table.put(field, key_place, item.clone()),
                None => errors.push(refuse(Error::invalid(format!("`{name}` is not a table")))),
            }
        }
        Some((name, _)) if TABLES.contains(&name) => {
            let error = Error::invalid(format!("`{path}` goes too deep"));
            errors.push(refuse(error.help("write TABLE.FIELD, or the name of a strategy field")));
        }
        Some((name, _)) => {
            errors.push(refuse(Error::unknown("table", name, TABLES.iter().copied())));
        }
    }
}

/// The table of that name, made if it is not there.
fn table_mut<'a>(root: &'a mut Table, name: &str, item: &Item) -> Option<&'a mut Table> {
    if root.get(name).is_none() {
        let table = Table { entries: Vec::new(), place: item.place.clone() };
        root.put(name, item.place.clone(), Item { data: Data::Table(table), ..item.clone() });
    }
    match root.entries.iter_mut().find(|e| e.key == name).map(|e| &mut e.item.data) {
        Some(Data::Table(table)) => Some(table),
        _ => None,
    }
}

/// Puts a value into every strategy table whose kind declares the field.
fn put_in_strategies(root: &mut Table, field: &str, item: &Item) -> Result<(), Error> {
    let mut touched = false;
    let mut fields: Vec<&str> = Vec::new();
    if let Some(Data::List(tables)) =
        root.entries.iter_mut().find(|e| e.key == "strategy").map(|e| &mut e.item.data)
    {
        for table in tables {
            let Data::Table(table) = &mut table.data else { continue };
            let declared: Vec<&str> = strategies::fields(table).collect();
            if declared.contains(&field) {
                table.put(field, item.place.clone(), item.clone());
                touched = true;
            }
            for name in declared {
                if !fields.contains(&name) {
                    fields.push(name);
                }
            }
        }
    }
    if touched {
        return Ok(());
    }
    fields.extend(ROOT.params.iter().map(|p| p.name));
    let holds = |table: &&&str| match root.get(table).map(|item| &item.data) {
        Some(Data::Table(table)) => table.get(field).is_some(),
        _ => false,
    };
    Err(Error::unknown("field", field, fields).help(match TABLES.iter().find(holds) {
        Some(table) => format!("did you mean `{table}.{field}`?"),
        None => "a field of another table is written with it, e.g. keys.count=10m".to_string(),
    }))
}

/// `--keys`: how many keys a pattern generates, or how many rows of a file are read.
fn limit_keys(root: &mut Table, count: u64, errors: &mut Vec<Error>) {
    let text = count.to_string();
    let item = scalar("--keys", &text, 0, &text);
    let Some(entry) = root.entries.iter_mut().find(|e| e.key == "keys") else { return };
    // Of several families each.
    let tables: Vec<&mut Table> = match &mut entry.item.data {
        Data::Table(table) => vec![table],
        Data::List(items) => {
            let table = |item| match item {
                &mut Item { data: Data::Table(ref mut table), .. } => Some(table),
                _ => None,
            };
            items.iter_mut().filter_map(table).collect()
        }
        Data::Scalar(_) => return,
    };
    for table in tables {
        limit_table(table, &item, errors);
    }
}

fn limit_table(table: &mut Table, item: &Item, errors: &mut Vec<Error>) {
    let names: Vec<String> = match table.get("pattern") {
        Some(pattern) => pattern.one_or_many().iter().map(|p| p.value().to_string()).collect(),
        None => vec!["file".to_string()],
    };
    let declares = |field: &str| {
        let has = |params: &[Param]| params.iter().any(|p| p.name == field);
        names.iter().any(|name| keys::find(name).is_ok_and(|info| has(info.params)))
    };
    let fields: Vec<&str> = ["count", "limit"].into_iter().filter(|f| declares(f)).collect();
    if fields.is_empty() && names.iter().all(|name| keys::find(name).is_ok()) {
        let error = Error::invalid(format!("pattern {} has no number of keys", names.join(", ")));
        errors.push(error.help("leave out --keys").at(item.place.clone()));
    }
    for field in fields {
        table.put(field, item.place.clone(), item.clone());
    }
}
