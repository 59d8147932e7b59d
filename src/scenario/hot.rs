//! `[[traffic.hot]]` and `traffic.cache`: named hot keys, how they are split, what answers in front.

use super::fields::{CACHE, HOT, MAX_CELLS, SPLIT};
use super::table::{self, Axis, TableSpec};
use super::tree::{Data, Item, Table};
use super::{Cache, HotKey, Split, SplitReads};
use crate::error::Error;
use crate::params::{Params, Value};

/// Most rows that the named hot keys and their parts may be together: they make one batch.
const MAX_HOT_ROWS: u64 = 65_536;

/// Swept fields by dotted name, and their values in one combination.
pub type Swept = Vec<(String, Value)>;

/// One combination of the values that the hot keys' tables give.
#[derive(Debug, Clone, Default)]
pub struct HotVariant {
    /// The hot keys, in their order.
    pub keys: Vec<HotKey>,
    /// The swept fields by dotted name and their values here.
    pub swept: Swept,
}

/// A cache with the swept fields and their values.
pub type CacheVariant = (Option<Cache>, Swept);

/// All combinations that `[[traffic.hot]]` spans; one without hot keys where there is none.
pub fn read(traffic: &Table, errors: &mut Vec<Error>) -> Option<Vec<HotVariant>> {
    let Some(item) = traffic.get("hot") else { return Some(vec![HotVariant::default()]) };
    let before = errors.len();
    let tables = table::as_tables(item, "traffic.hot", errors);
    let several = tables.len() > 1;
    let mut variants = vec![HotVariant::default()];
    for table in &tables {
        let Some(options) = one(table, several, errors) else { continue };
        if variants.len().saturating_mul(options.len()) > MAX_CELLS {
            errors.push(table::too_many_cells("too many", MAX_CELLS, item.place.clone()));
            return None;
        }
        let with = |variant: &HotVariant, (key, swept): &(HotKey, Swept)| {
            let mut variant = variant.clone();
            variant.keys.push(key.clone());
            variant.swept.extend(swept.iter().cloned());
            variant
        };
        variants = variants
            .iter()
            .flat_map(|variant| options.iter().map(|option| with(variant, option)))
            .collect();
    }
    if errors.len() == before {
        check_names(&variants, &tables, errors);
        variants.iter().all(|variant| check_sums(variant, &tables, errors));
    }
    (errors.len() == before).then_some(variants)
}

/// The combinations that one table spans.
fn one(table: &Table, several: bool, errors: &mut Vec<Error>) -> Option<Vec<(HotKey, Swept)>> {
    let mut table = table.clone();
    // An integer key may be written as one.
    if let Some(entry) = table.entries.iter_mut().find(|e| e.key == "key")
        && let Data::Scalar(Value::Int(i)) = entry.item.data
    {
        entry.item.data = Data::Scalar(Value::Text(i.to_string()));
    }
    let axes = table::closed_axes(&table, &HOT, errors)?;
    let split = match table.get("split") {
        Some(item) => {
            let table = table::as_table(item, "split", errors)?;
            Some(combinations(table, &SPLIT, "split.", errors)?)
        }
        None => None,
    };
    let key = table.get("key").map_or(String::new(), |item| item.value().to_string());
    let prefix = if several { format!("traffic.hot.{key}.") } else { "traffic.hot.".to_string() };
    let mut options = Vec::new();
    for (params, swept) in product(&axes, &HOT, &table, errors)? {
        let share = params.float("share");
        if share <= 0.0 || share >= 1.0 {
            let error = Error::invalid(format!("`share` is {share}"));
            let error = error.help("allowed: more than 0 and less than 1");
            errors.push(error.at(table.place_of("share")));
            return None;
        }
        let hot = |split: Option<Split>| HotKey {
            key: params.text("key").to_string(),
            share,
            write_share: params.get("write-share").map(|_| params.float("write-share")),
            split,
            family: params.text_opt("family").map(String::from),
        };
        let swept: Swept =
            swept.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)).collect();
        match &split {
            None => options.push((hot(None), swept)),
            Some(splits) => options.extend(splits.iter().map(|(params, more)| {
                let more =
                    more.iter().map(|(name, value)| (format!("{prefix}{name}"), value.clone()));
                (hot(Some(split_of(params))), swept.iter().cloned().chain(more).collect())
            })),
        }
    }
    Some(options)
}

/// What the parameters of a `split` say.
fn split_of(params: &Params) -> Split {
    let reads = match params.text("read") {
        "one" => SplitReads::One,
        _ => SplitReads::All,
    };
    Split { parts: params.int("parts") as u64, reads }
}

/// The combinations of a closed table, with its swept fields by name behind a prefix.
fn combinations(
    table: &Table,
    spec: &'static TableSpec,
    prefix: &str,
    errors: &mut Vec<Error>,
) -> Option<Vec<(Params, Swept)>> {
    let axes = table::closed_axes(table, spec, errors)?;
    let all = product(&axes, spec, table, errors)?;
    let named = |swept: Swept| {
        swept.into_iter().map(|(name, value)| (format!("{prefix}{name}"), value)).collect()
    };
    Some(all.into_iter().map(|(params, swept)| (params, named(swept))).collect())
}

fn product(
    axes: &[Axis],
    spec: &'static TableSpec,
    table: &Table,
    errors: &mut Vec<Error>,
) -> Option<Vec<(Params, Swept)>> {
    let Some(all) = table::product(axes, MAX_CELLS) else {
        errors.push(table::too_many_cells("too many", MAX_CELLS, table.place.clone()));
        return None;
    };
    let mut out = Vec::new();
    for chosen in all {
        let pick = || axes.iter().zip(&chosen).map(|(axis, &i)| (axis, axis.values[i].clone()));
        let given = pick().map(|(axis, value)| (axis.name.to_string(), value)).collect();
        let swept = pick()
            .filter(|(axis, _)| axis.swept)
            .map(|(axis, value)| (axis.name.to_string(), value))
            .collect();
        match Params::from_pairs(spec.params, given) {
            Ok(params) => out.push((params, swept)),
            Err(error) => {
                errors.push(table.locate(error));
                return None;
            }
        }
    }
    Some(out)
}

fn check_names(variants: &[HotVariant], tables: &[&Table], errors: &mut Vec<Error>) {
    let Some(HotVariant { keys, .. }) = variants.first() else { return };
    for (i, (hot, table)) in keys.iter().zip(tables).enumerate() {
        let same = |other: &HotKey| other.key == hot.key && other.family == hot.family;
        if keys[..i].iter().any(same) {
            errors.push(
                Error::invalid(format!("the hot key `{}` is named twice", hot.key))
                    .help("leave one out")
                    .at(table.place_of("key")),
            );
        }
    }
}

/// The sum of the shares, and the number of rows. False: an error is reported.
fn check_sums(variant: &HotVariant, tables: &[&Table], errors: &mut Vec<Error>) -> bool {
    let (mut sum, mut rows) = (0.0, 0);
    for (hot, table) in variant.keys.iter().zip(tables) {
        sum += hot.share;
        rows += hot.parts();
        if sum >= 1.0 {
            let message = format!("the shares of the hot keys sum to {sum}");
            let help = "the sum must be below 1: the other keys share what is left";
            errors.push(Error::invalid(message).help(help).at(table.place_of("share")));
            return false;
        }
        if rows > MAX_HOT_ROWS {
            let message = format!("the hot keys and their parts are {rows} rows");
            let help = format!("at most {MAX_HOT_ROWS}: split fewer keys, or in fewer parts");
            errors.push(Error::invalid(message).help(help).at(table.place_of("split")));
            return false;
        }
    }
    true
}

/// All caches that `traffic.cache` spans; none where it is absent.
pub fn cache(traffic: &Table, errors: &mut Vec<Error>) -> Option<Vec<CacheVariant>> {
    let Some(item) = traffic.get("cache") else { return Some(vec![(None, Vec::new())]) };
    let table = table::as_table(item, "cache", errors)?;
    let all = combinations(table, &CACHE, "traffic.cache.", errors)?;
    let cache = |params: &Params| Cache {
        keys: params.int("keys") as u64,
        hit: params.float("hit"),
        instances: params.int("instances") as u64,
    };
    Some(all.into_iter().map(|(params, swept)| (Some(cache(&params)), swept)).collect())
}

/// Where the hot keys stand, for errors that only their key source shows: (key, share, split).
pub fn tables(root: &Table) -> Vec<&Table> {
    let items: &[Item] = match root.get("traffic").map(|t| &t.data) {
        Some(Data::Table(table)) => table.get("hot").map_or(&[][..], Item::one_or_many),
        _ => &[],
    };
    let tables = items.iter().filter_map(|item| match &item.data {
        Data::Table(table) => Some(table),
        _ => None,
    });
    tables.collect()
}
