//! `[[keys]]`: several families of keys, each with its own source, placed side by side and in total.
//!
//! Every family is a workload of its own, and so is their sum. A cell of the sweep becomes one cell for
//! each, told apart by the axis `family`, whose value is [`TOGETHER`] for the sum.

use std::path::Path;
use std::sync::Arc;

use super::fields::FAMILY_COMMON;
use super::open::{self, OpenSpec, Tag};
use super::table;
use super::tree::{Item, Table};
use super::workload::{self, KeysVariant, TrafficVariant};
use super::{HotKey, Workload, hot};
use crate::error::{Error, Place};
use crate::keys::{self, PatternBuild, PatternInfo};
use crate::params::Value;
use crate::rng::derive;
use crate::traffic::{hot_requests, phased::portions};

/// The axis that tells families apart.
pub const AXIS: &str = "family";

/// The value of the axis for all families together.
pub const TOGETHER: &str = "all";

/// Most families.
const MAX_FAMILIES: usize = 32;

static FAMILY: OpenSpec<PatternInfo> = OpenSpec {
    name: "[[keys]]",
    tags: &[Tag { name: "pattern", find: keys::find }],
    common: FAMILY_COMMON,
    common_sweeps: &[],
    nested: &[],
};

/// One family.
#[derive(Debug)]
pub struct Family {
    /// Its name.
    pub name: Arc<str>,
    /// Its keys.
    keys: KeysVariant,
    /// Its share of the requests, where it is given.
    share: Option<f64>,
    /// The random stream that its keys are drawn from.
    stream: String,
    place: Place,
}

/// All families. None: something is wrong and reported.
pub fn read(item: &Item, base: &Path, errors: &mut Vec<Error>) -> Option<Vec<Family>> {
    let before = errors.len();
    let tables = table::as_tables(item, "keys", errors);
    if tables.is_empty() && errors.len() == before {
        let error = Error::invalid("`keys` is an empty list").help("give a table, or one a family");
        errors.push(error.at(item.place.clone()));
    }
    if tables.len() > MAX_FAMILIES {
        let error = Error::invalid(format!("{} families of keys", tables.len()));
        errors.push(error.help(format!("at most {MAX_FAMILIES}")).at(item.place.clone()));
        return None;
    }
    let mut families: Vec<Family> = Vec::new();
    for table in tables {
        let Some(family) = one(table, base, errors) else { continue };
        if families.iter().any(|f| f.name == family.name) {
            errors.push(
                Error::invalid(format!("two families are called `{}`", family.name))
                    .help("each needs its own name")
                    .at(table.place_of("family")),
            );
        }
        families.push(family);
    }
    if errors.len() == before {
        check_shares(&families, errors);
    }
    (errors.len() == before).then_some(families)
}

fn one(table: &Table, base: &Path, errors: &mut Vec<Error>) -> Option<Family> {
    let absent = table.get("file").and_then(|_| keys::find("file").ok());
    let mut variants = open::variants(table, &FAMILY, absent, errors)?;
    if let Some((swept, _)) = variants.first().and_then(|v| v.swept.first()) {
        errors.push(
            Error::invalid(format!("`{swept}` of a family is a list"))
                .help("families do not sweep: give one value, or write a scenario for each")
                .at(table.place_of(swept)),
        );
        return None;
    }
    let keys = variants.remove(0);
    let common = |field: &str| keys.common.iter().find(|(name, _)| *name == field).map(|(_, v)| v);
    let Some(name) = common(AXIS).map(Value::to_string) else {
        let error = table::missing(&FAMILY_COMMON[1], table, FAMILY.name);
        errors.push(error.help("for keys of one kind write one table, `[keys]`"));
        return None;
    };
    if name == TOGETHER {
        errors.push(
            Error::invalid(format!("a family is called `{TOGETHER}`"))
                .help("that is the name of all families together; choose another")
                .at(table.place_of(AXIS)),
        );
        return None;
    }
    let build = PatternBuild { params: &keys.params, seed: 0, base };
    if let Err(error) = (keys.info.build)(&build) {
        let stated = error.field.is_some_and(|field| table.get(field).is_some());
        let at_file = table.get("file").filter(|_| !stated).map(|item| item.place.clone());
        errors.push(table.locate(at_file.into_iter().fold(error, Error::at)));
        return None;
    }
    Some(Family {
        share: common("share").and_then(Value::as_f64),
        stream: common("stream").map_or_else(|| format!("family {name}"), Value::to_string),
        name: name.into(),
        place: table.place.clone(),
        keys,
    })
}

/// Shares are given for all families or for none, and sum to 1.
fn check_shares(families: &[Family], errors: &mut Vec<Error>) {
    let shares: Vec<f64> = families.iter().filter_map(|f| f.share).collect();
    let sum: f64 = shares.iter().sum();
    if shares.is_empty() {
        return;
    }
    if let Some(lacking) = families.iter().find(|f| f.share.is_none()) {
        errors.push(
            Error::invalid(format!("family `{}` has no `share`, others have one", lacking.name))
                .help("give it for every family, or for none: then it goes by the number of keys")
                .at(lacking.place.clone()),
        );
    } else if libm::fabs(sum - 1.0) > 1e-9 {
        errors.push(
            Error::invalid(format!("the shares of the families sum to {sum}"))
                .help("they must sum to 1")
                .at(families[families.len() - 1].place.clone()),
        );
    }
}

/// Whether hot keys name their family and fit it, and whether requests can be shared out.
pub fn check_together(
    root: &Table,
    base: &Path,
    families: &[Family],
    traffic: &[TrafficVariant],
    errors: &mut Vec<Error>,
) {
    let tables = hot::tables(root);
    for variant in traffic {
        for (hot, table) in variant.hot.iter().zip(&tables) {
            if let Err(error) = check_hot(base, families, hot, table) {
                errors.push(error);
                return;
            }
        }
        if !variant.hot.is_empty() && variant.requests.is_none() {
            errors.push(
                Error::invalid("hot keys beside several families need a number of requests")
                    .help(
                        "give `shape` and `requests` in [traffic]: the hot keys have shares of it",
                    )
                    .at(tables[0].place.clone()),
            );
            return;
        }
        let unknown = families.iter().find(|f| f.share.is_none() && rows(f).is_none());
        if let (Some(_), Some(family)) = (variant.requests, unknown) {
            errors.push(
                Error::invalid(format!("how many requests are family `{}`'s?", family.name))
                    .help("the rows of its file are not counted yet: give `share` for every family")
                    .at(family.place.clone()),
            );
            return;
        }
    }
}

fn check_hot(base: &Path, families: &[Family], hot: &HotKey, table: &Table) -> Result<(), Error> {
    let names = families.iter().map(|f| &*f.name);
    let Some(name) = &hot.family else {
        let all: Vec<&str> = names.collect();
        return Err(Error::invalid(format!("the hot key `{}` names no family", hot.key))
            .help(format!("give `family`, one of {}", all.join(", ")))
            .at(table.place.clone()));
    };
    let Some(family) = families.iter().find(|f| *f.name == **name) else {
        return Err(Error::unknown("family", name, names).at(table.place_of("family")));
    };
    let build = PatternBuild { params: &family.keys.params, seed: 0, base };
    match (family.keys.info.build)(&build) {
        Ok(source) => workload::fits(source.kind(), family.keys.info.name, hot, table),
        Err(_) => Ok(()),
    }
}

/// Rows of a family as far as its parameters tell.
fn rows(family: &Family) -> Option<f64> {
    family.keys.params.get("count").and_then(Value::as_f64)
}

/// The workload of each family under its name, and last that of all together.
pub fn workloads(
    families: &[Family],
    traffic: &TrafficVariant,
    seed: u64,
) -> Vec<(Arc<str>, Arc<Workload>)> {
    let whole = traffic.requests;
    let hot_share = |hot: &HotKey| whole.map_or(0, |total| hot_requests(total, hot.share));
    let hot: u64 = traffic.hot.iter().map(hot_share).sum();
    let weights: Vec<f64> =
        families.iter().map(|f| f.share.or_else(|| rows(f)).unwrap_or(0.0)).collect();
    let parts = whole.map(|total| portions(total.saturating_sub(hot), &weights));
    let mut all: Vec<(Arc<str>, Arc<Workload>)> = families
        .iter()
        .enumerate()
        .map(|(i, family)| {
            let mut own = workload::workload(&family.keys, traffic, seed_of(seed, &family.stream));
            own.hot.retain(|hot| hot.family.as_deref() == Some(&*family.name));
            own.requests =
                parts.as_ref().map(|parts| parts[i] + own.hot.iter().map(hot_share).sum::<u64>());
            own.whole = whole;
            // Where one family tells reads from writes, all do.
            if traffic.hot.iter().any(|hot| hot.split.is_some() || hot.write_share.is_some()) {
                own.write_share = Some(traffic.write_share.unwrap_or(0.0));
            }
            own.family = Some(family.name.clone());
            (family.name.clone(), Arc::new(own))
        })
        .collect();
    let members: Vec<Arc<Workload>> = all.iter().map(|(_, workload)| workload.clone()).collect();
    let together = Workload {
        family: Some(TOGETHER.into()),
        whole: None,
        requests: whole,
        hot: traffic.hot.clone(),
        seed,
        families: members,
        ..(*all[0].1).clone()
    };
    all.push((TOGETHER.into(), Arc::new(together)));
    all
}

/// The seed of a random stream that has a name.
fn seed_of(seed: u64, stream: &str) -> u64 {
    stream.bytes().fold(seed, |seed, byte| derive(seed, byte.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_of_one_name_are_one_stream() {
        assert_eq!(seed_of(1, "ids"), seed_of(1, "ids"));
        assert_ne!(seed_of(1, "ids"), seed_of(1, "sdi"));
        assert_ne!(seed_of(1, "ids"), seed_of(2, "ids"));
    }
}
