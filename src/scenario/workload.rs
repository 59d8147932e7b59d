//! `[keys]` and `[traffic]`: what is placed, and how many requests it takes.

use std::path::Path;

use super::cells::Keys;
use super::fields::{KEYS_COMMON, MAX_CELLS, TRAFFIC_COMMON};
use super::open::{self, OpenSpec, Tag, Variant};
use super::table;
use super::tree::{Data, Item, Table};
use super::{Cache, HotKey, Workload};
use super::{families, hot};
use crate::error::Error;
use crate::keys::{self, KeyKind, PatternBuild, PatternInfo, parse};
use crate::params::{Params, Value};
use crate::traffic::{self, TrafficInfo};

static KEYS: OpenSpec<PatternInfo> = OpenSpec {
    name: "[keys]",
    tags: &[Tag { name: "pattern", find: keys::find }],
    common: KEYS_COMMON,
    common_sweeps: &["pattern"],
    nested: &[],
};

/// Fields of `[traffic]` that hold tables.
const NESTED: [&str; 2] = ["hot", "cache"];

static TRAFFIC: OpenSpec<TrafficInfo> = OpenSpec {
    name: "[traffic]",
    tags: &[Tag { name: "shape", find: traffic::find }],
    common: TRAFFIC_COMMON,
    common_sweeps: &["shape", "requests", "write-share"],
    nested: &NESTED,
};

/// Keys of the sweep.
pub type KeysVariant = Variant<PatternInfo>;

/// Traffic of the sweep.
#[derive(Debug)]
pub struct TrafficVariant {
    /// The shape with its parameters; None without a `[traffic]` table.
    pub shape: Option<Variant<TrafficInfo>>,
    /// Requests in total, where they are given.
    pub requests: Option<u64>,
    /// Named hot keys.
    pub hot: Vec<HotKey>,
    /// Share of the writes.
    pub write_share: Option<f64>,
    /// A cache in front.
    pub cache: Option<Cache>,
    /// Swept fields of the hot keys and the cache by dotted name, and their values here.
    pub swept: Vec<(String, Value)>,
}

/// All keys that the table spans, or its families. None: something is wrong and reported.
pub fn read_keys(root: &Table, base: &Path, errors: &mut Vec<Error>) -> Option<Keys> {
    let Some(item) = root.get("keys") else {
        errors.push(
            Error::invalid("`[keys]` is missing")
                .help("give it, e.g. `pattern = \"sequential\"`")
                .at(root.place.clone()),
        );
        return None;
    };
    if let Data::List(_) = item.data {
        return families::read(item, base, errors).map(Keys::Families);
    }
    let table = table::as_table(item, "keys", errors)?;
    let absent = match table.get("file") {
        Some(_) => keys::find("file").ok(),
        None => None,
    };
    let variants = open::variants(table, &KEYS, absent, errors)?;
    let before = errors.len();
    for variant in &variants {
        let build = PatternBuild { params: &variant.params, seed: 0, base };
        if let Err(error) = (variant.info.build)(&build) {
            // What the file lacks, and what is wrong within it, stands at the file.
            let stated = error.field.is_some_and(|field| table.get(field).is_some());
            let at_file = table.get("file").filter(|_| !stated).map(|item| item.place.clone());
            errors.push(table.locate(at_file.into_iter().fold(error, Error::at)));
            break;
        }
    }
    (errors.len() == before).then_some(Keys::One(variants))
}

/// Whether the key file, or that of every family, carries its own request counts.
fn counts_of_its_own(root: &Table) -> bool {
    let items = root.get("keys").map_or(&[][..], Item::one_or_many);
    let counted = |item: &Item| matches!(&item.data, Data::Table(t) if t.get("file").is_some() && t.get("requests").is_some());
    !items.is_empty() && items.iter().all(counted)
}

/// All traffic that the table spans. None: something is wrong and reported.
pub fn read_traffic(root: &Table, errors: &mut Vec<Error>) -> Option<Vec<TrafficVariant>> {
    let counted = counts_of_its_own(root);
    // Without a shape: the file's own counts where it has them, else one request a row.
    let plain = |info: &&TrafficInfo| info.build.is_none() && info.reads_counts == counted;
    let absent = traffic::ALL.iter().copied().find(plain);
    let Some(item) = root.get("traffic") else {
        let shape = absent.filter(|_| counted).and_then(|info| {
            let params = Params::defaults(info.params).ok()?;
            Some(Variant { info, params, common: Vec::new(), swept: Vec::new() })
        });
        return Some(vec![TrafficVariant {
            shape,
            requests: None,
            hot: Vec::new(),
            write_share: None,
            cache: None,
            swept: Vec::new(),
        }]);
    };
    let table = table::as_table(item, "traffic", errors)?;
    let before = errors.len();
    if table.get("shape").is_none() {
        refuse_shapeless(table, errors);
        if errors.len() > before {
            return None;
        }
    }
    let shapes = open::variants(table, &TRAFFIC, absent, errors);
    let (hot, caches) = (hot::read(table, errors), hot::cache(table, errors));
    let mut variants = Vec::new();
    let (shapes, hot, caches) = (shapes?, hot?, caches?);
    if shapes.len().saturating_mul(hot.len()).saturating_mul(caches.len()) > MAX_CELLS {
        errors.push(table::too_many_cells("too many", MAX_CELLS, item.place.clone()));
        return None;
    }
    if let Some(requests) = table.entry("requests")
        && shapes.iter().all(|shape| shape.info.build.is_none())
    {
        let name = shapes[0].info.name;
        errors.push(
            Error::invalid(format!("`requests` does not belong to traffic of shape {name}"))
                .help(format!("{name}: {}", shapes[0].info.summary))
                .help("leave it out, or give a shape that shares requests out, such as zipf")
                .at(requests.key_place.clone()),
        );
    }
    for shape in shapes {
        let requests = shape.common.iter().find_map(|(name, value)| match (*name, value) {
            ("requests", Value::Int(n)) => Some(*n as u64),
            _ => None,
        });
        if requests.is_none() && shape.info.build.is_some() && !counted {
            errors.push(
                Error::invalid(format!(
                    "`requests` is missing for traffic of shape {}",
                    shape.info.name
                ))
                .help("give the number of requests in total, e.g. `requests = 1_000_000`")
                .help("only a key file with a `requests` column can do without")
                .at(table.place_of("shape")),
            );
            break;
        }
        if shape.info.reads_counts && !counted {
            errors.push(
                Error::invalid(format!(
                    "traffic of shape {} needs a key file with request counts",
                    shape.info.name
                ))
                .help("name the column: `requests = \"…\"` in [keys]")
                .at(table.place_of("shape")),
            );
            break;
        }
        let write_share = shape.common.iter().find_map(|(name, value)| match *name {
            "write-share" => value.as_f64(),
            _ => None,
        });
        for hot in &hot {
            for (cache, swept) in &caches {
                variants.push(TrafficVariant {
                    shape: Some(shape.clone()),
                    requests,
                    hot: hot.keys.clone(),
                    write_share,
                    cache: *cache,
                    swept: hot.swept.iter().chain(swept).cloned().collect(),
                });
            }
        }
    }
    (errors.len() == before).then_some(variants)
}

/// Refuses the fields of a shape in a table that names none: it would not be known whose they are.
fn refuse_shapeless(table: &Table, errors: &mut Vec<Error>) {
    let own = traffic::ALL.iter().flat_map(|info| info.params).map(|p| p.name);
    let mut known: Vec<&str> = TRAFFIC_COMMON.iter().map(|p| p.name).chain(NESTED).collect();
    own.for_each(|name| {
        if !known.contains(&name) {
            known.push(name);
        }
    });
    let before = errors.len();
    table::refuse_unknown(table, TRAFFIC.name, &known, errors);
    if errors.len() > before {
        return;
    }
    let shapeless = |key: &str| key == "write-share" || NESTED.contains(&key);
    if let Some(entry) = table.entries.iter().find(|e| !shapeless(&e.key)) {
        let shapes: Vec<&str> = traffic::ALL.iter().map(|info| info.name).collect();
        errors.push(
            Error::invalid(format!("`shape` is missing in [traffic], which gives `{}`", entry.key))
                .help(format!("shapes: {}", shapes.join(", ")))
                .help("write e.g. shape = \"zipf\", exponent = 1.1, requests = 1_000_000")
                .at(table.place.clone()),
        );
    }
}

/// Keys and traffic in one.
pub fn workload(keys: &KeysVariant, traffic: &TrafficVariant, seed: u64) -> Workload {
    Workload {
        pattern: keys.info,
        keys: keys.params.clone(),
        traffic: traffic.shape.as_ref().map(|s| s.info),
        traffic_params: traffic.shape.as_ref().map_or_else(Params::default, |s| s.params.clone()),
        requests: traffic.requests,
        hot: traffic.hot.clone(),
        write_share: traffic.write_share,
        cache: traffic.cache,
        seed,
        family: None,
        whole: None,
        families: Vec::new(),
    }
}

/// Hot keys must be keys of the pattern's type, and the requests must be countable.
pub fn check_together(
    root: &Table,
    base: &Path,
    keys: &[KeysVariant],
    traffic: &[TrafficVariant],
    errors: &mut Vec<Error>,
) {
    let tables = hot::tables(root);
    for variant in keys {
        let build = PatternBuild { params: &variant.params, seed: 0, base };
        let Ok(source) = (variant.info.build)(&build) else { return };
        for (hot, table) in traffic.iter().flat_map(|t| t.hot.iter().zip(&tables)) {
            if hot.family.is_some() {
                errors.push(
                    Error::invalid(format!("the hot key `{}` names a family", hot.key))
                        .help("only `[[keys]]`, a list, has families: leave it out")
                        .at(table.place_of("family")),
                );
                return;
            }
            if let Err(error) = fits(source.kind(), variant.info.name, hot, table) {
                errors.push(error);
                return;
            }
        }
        // One request a row, and the hot keys' requests on top of them.
        for traffic in traffic {
            let one_each = traffic.shape.as_ref().is_none_or(|s| s.info.build.is_none());
            let left = 1.0 - traffic.hot.iter().map(|h| h.share).sum::<f64>();
            if let (true, Some(Value::Int(count))) = (one_each, variant.params.get("count"))
                && *count as f64 / left >= u64::MAX as f64
                && let Some(table) = tables.last()
            {
                errors.push(
                    Error::invalid("the hot keys would take more requests than can be counted")
                        .help("the total must stay below 2^64: use fewer keys or smaller shares")
                        .at(table.place_of("share")),
                );
                return;
            }
        }
    }
}

/// Whether a hot key can be a key of a pattern.
pub fn fits(kind: KeyKind, pattern: &str, hot: &HotKey, table: &Table) -> Result<(), Error> {
    if let Some(wanted) = wrong_type(kind, &hot.key) {
        return Err(Error::invalid(format!("the hot key `{}` is not {wanted}", hot.key))
            .help(format!("every key of pattern {pattern} is {wanted}"))
            .at(table.place_of("key")));
    }
    if hot.parts() > 1 && !matches!(kind, KeyKind::Text | KeyKind::Bytes) {
        return Err(Error::invalid(format!(
            "the hot key `{}` cannot be split: its parts `{}:0`, `{}:1` … are texts",
            hot.key, hot.key, hot.key
        ))
        .help(format!("keys of pattern {pattern} are numbers here; take one with text keys"))
        .at(table.place_of("split")));
    }
    Ok(())
}

/// What a key of this type must be, when the text is none.
fn wrong_type(kind: KeyKind, text: &str) -> Option<&'static str> {
    match kind {
        KeyKind::I64 if text.parse::<i64>().is_err() => Some("a whole number of 64 bits"),
        KeyKind::U64 if text.parse::<u64>().is_err() => Some("a whole number from 0 of 64 bits"),
        KeyKind::Uuid if parse::uuid(text).is_none() => Some("a UUID"),
        _ => None,
    }
}
