//! `[[strategy]]` tables, and what `set` and `switch` make of a strategy.

use std::borrow::Cow;
use std::sync::Arc;

use super::changes::{PathSpec, Stated};
use super::fields::STRATEGY_COMMON;
use super::open::{self, OpenSpec, Tag, Variant};
use super::table;
use super::tree::{Data, Entry, Table};
use crate::cluster::map::ClusterMap;
use crate::cluster::path::Alteration;
use crate::error::Error;
use crate::params::{Default, Params, Value};
use crate::preset;
use crate::strategy::{self, StrategyInfo, bucket_table};

/// The fields that name a strategy: of the lab, or of a real system.
const TAGS: &[Tag<StrategyInfo>] =
    &[Tag { name: "kind", find: strategy::find }, Tag { name: "preset", find: preset::find }];

static STRATEGY: OpenSpec<StrategyInfo> = OpenSpec {
    name: "[[strategy]]",
    tags: TAGS,
    common: STRATEGY_COMMON,
    common_sweeps: &[],
    nested: &[],
};

/// What a strategy that replaces another takes over from it, unless told otherwise.
const INHERITED: &[&str] = &["hasher", "hash-seed", "view"];

/// A strategy with its parameters.
pub type StrategyVariant = Variant<StrategyInfo>;

/// The variant as the map of the cluster has it: a table of buckets that does not say how many has as many
/// as the map.
pub fn of_map<'a>(
    variant: &'a StrategyVariant,
    table: &Table,
    map: Option<&Arc<ClusterMap>>,
) -> Cow<'a, StrategyVariant> {
    const BUCKETS: &str = "buckets";
    let Some(buckets) = map.and_then(|map| map.buckets.as_ref()) else {
        return Cow::Borrowed(variant);
    };
    if variant.info.name != bucket_table::INFO.name || table.get(BUCKETS).is_some() {
        return Cow::Borrowed(variant);
    }
    let mut variant = variant.clone();
    variant.params.set(BUCKETS, Value::Int(buckets.owners.len() as i64));
    Cow::Owned(variant)
}

/// One `[[strategy]]` table.
#[derive(Debug)]
pub struct StrategyTable<'a> {
    /// The name that it gives.
    pub label: Option<String>,
    /// All combinations that it spans.
    pub variants: Vec<StrategyVariant>,
    /// The table.
    pub table: &'a Table,
}

/// All strategy tables. None: something is wrong and reported.
pub fn read<'a>(root: &'a Table, errors: &mut Vec<Error>) -> Option<Vec<StrategyTable<'a>>> {
    let before = errors.len();
    let tables =
        root.get("strategy").map_or(Vec::new(), |item| table::as_tables(item, "strategy", errors));
    if tables.is_empty() && errors.len() == before {
        errors.push(
            Error::invalid("the scenario has no strategy")
                .help("give at least one `[[strategy]]` table with a `kind`")
                .at(root.place.clone()),
        );
    }
    let mut strategies = Vec::new();
    for table in tables {
        let Some(variants) = open::variants(table, &STRATEGY, None, errors) else { continue };
        let label =
            variants.first().and_then(|v| v.common.iter().find(|(name, _)| *name == "name"));
        let label = label.map(|(_, value)| value.to_string());
        strategies.push(StrategyTable { label, variants, table });
    }
    (errors.len() == before).then_some(strategies)
}

/// Reports fields of `set` and `switch` that no strategy of the scenario declares, and unknown kinds.
pub fn check_settings(
    paths: &[PathSpec<'_>],
    strategies: &[StrategyTable<'_>],
    errors: &mut Vec<Error>,
) {
    let all: Vec<&'static StrategyInfo> =
        strategies.iter().flat_map(|s| s.variants.iter().map(|v| v.info)).collect();
    for path in paths {
        let mut current = all.clone();
        for stated in &path.changes {
            let Some(settings) = settings(stated) else { continue };
            match other(stated, settings) {
                None => {}
                Some(Ok(info)) => current = vec![info],
                Some(Err(error)) => {
                    errors.push(error);
                    return;
                }
            }
            for entry in &settings.entries {
                let is_tag = TAGS.iter().any(|tag| tag.name == entry.key)
                    && matches!(stated.alteration, Alteration::Switch(_));
                let declared = current.iter().any(|i| i.params.iter().any(|p| p.name == entry.key));
                if !is_tag && !declared {
                    errors.push(undeclared(entry, &current));
                }
            }
        }
    }
}

fn undeclared(entry: &Entry, current: &[&'static StrategyInfo]) -> Error {
    let mut known: Vec<&str> = Vec::new();
    for param in current.iter().flat_map(|info| info.params) {
        if !known.contains(&param.name) {
            known.push(param.name);
        }
    }
    let mut error = Error::unknown("field", &entry.key, known);
    error.message = format!("no strategy of this scenario has a field `{}`", entry.key);
    if TAGS.iter().any(|tag| tag.name == entry.key) {
        error = error.help(format!("another {} comes with `switch`", entry.key));
    }
    error.at(entry.key_place.clone())
}

/// The strategy after a change; None when the change leaves it as it is.
pub fn alter(
    stated: &Stated<'_>,
    info: &'static StrategyInfo,
    params: &Params,
) -> Result<Option<(&'static StrategyInfo, Params)>, Error> {
    let Some(settings) = settings(stated) else { return Ok(None) };
    if let Some(info) = other(stated, settings) {
        let info = info?;
        return replace(info, params, settings).map(|params| Some((info, params)));
    }
    let mut new = params.clone();
    let mut touched = false;
    for entry in &settings.entries {
        if let Some(param) = info.params.iter().find(|p| p.name == entry.key) {
            let value =
                param.check(entry.item.value()).map_err(|e| e.at(entry.item.place.clone()))?;
            new.set(param.name, value);
            touched = true;
        }
    }
    new.check_seed().map_err(|error| settings.locate(error))?;
    Ok(touched.then_some((info, new)))
}

/// The parameters of a strategy that takes the place of one with the parameters `old`.
fn replace(info: &'static StrategyInfo, old: &Params, settings: &Table) -> Result<Params, Error> {
    let mut given = Vec::new();
    for param in info.params {
        match (settings.entry(param.name), old.get(param.name)) {
            (Some(entry), _) => {
                let checked = param.check(entry.item.value());
                given.push((
                    param.name.to_string(),
                    checked.map_err(|error| error.at(entry.item.place.clone()))?,
                ));
            }
            (None, Some(value)) if INHERITED.contains(&param.name) => {
                given.push((param.name.to_string(), value.clone()));
            }
            (None, _) if param.default == Default::Required => {
                return Err(table::missing(
                    param,
                    settings,
                    &format!("the switch to {}", info.name),
                ));
            }
            (None, _) => {}
        }
    }
    Params::from_pairs(info.params, given).map_err(|error| settings.locate(error))
}

/// The table of a `set` or `switch`.
fn settings<'a>(stated: &Stated<'a>) -> Option<&'a Table> {
    match (&stated.alteration, &stated.entry.item.data) {
        (Alteration::Set(_) | Alteration::Switch(_), Data::Table(table)) => Some(table),
        _ => None,
    }
}

/// The strategy that a `switch` names by `kind` or `preset`; None when it names none.
fn other(stated: &Stated<'_>, settings: &Table) -> Option<Result<&'static StrategyInfo, Error>> {
    if !matches!(stated.alteration, Alteration::Switch(_)) {
        return None;
    }
    let (tag, entry) =
        TAGS.iter().find_map(|tag| settings.entry(tag.name).map(|entry| (tag, entry)))?;
    let found = (tag.find)(&entry.item.value().to_string());
    Some(found.map_err(|error| error.at(entry.item.place.clone())))
}

/// The fields that the kinds of a strategy table declare, as far as the kinds exist; for the command
/// line, which sets a field wherever it belongs.
pub fn fields(table: &Table) -> impl Iterator<Item = &'static str> {
    let named = TAGS.iter().filter_map(|tag| Some((tag, table.get(tag.name)?)));
    let infos = named.flat_map(|(tag, item)| {
        let names = item.one_or_many();
        names
            .iter()
            .filter_map(|name| (tag.find)(&name.value().to_string()).ok())
            .collect::<Vec<_>>()
    });
    infos.flat_map(|info| info.params.iter().map(|param| param.name))
}
