//! The candidates of a scenario with `[needs]` and no `[[strategy]]` of its own: every strategy that can
//! be built without a setting of its own, and where a system must be matched every preset.

use super::needs::{inline, of};
use super::tree::{Data, Item, Table};
use crate::error::Place;
use crate::params::{Default, Param, Value};
use crate::preset;
use crate::strategy::{self, StrategyInfo, Weights};

/// Hash function of the candidates: of 64 bits, even on every pattern of keys, and quick.
pub const HASHER: &str = "xxh3-64";

/// The levels at which a parameter is tried, by its name; every other one keeps its default.
const LEVELS: &[(&str, &[i64])] = &[
    ("vnodes", &[1, 40, 160]),
    ("points", &[1024, 16_384]),
    ("probes", &[5, 21]),
    ("buckets", &[1024, 16_384]),
    ("table-size", &[5003, 65_537]),
];

/// What a scenario says about the list.
#[derive(Debug)]
pub struct Settings<'a> {
    /// Whether copies must lie in different zones.
    pub zones: bool,
    /// Whether any node may leave.
    pub removal: bool,
    /// Most nodes that there may be, where it is known.
    pub capacity: Option<i64>,
    /// The preset to match.
    pub matches: Option<&'a str>,
    /// Whether every strategy is a candidate beside the tables; None: where there are no tables.
    pub all: Option<bool>,
}

/// The list.
#[derive(Debug)]
pub struct List {
    /// All strategy tables, those of the scenario first; None: it has what it needs.
    pub tables: Option<Vec<Item>>,
    /// Whether the list was filled in.
    pub filled: bool,
    /// Strategies that are not in it, and why.
    pub not_tried: Vec<(&'static str, String)>,
}

/// The strategy tables of a scenario with what it leaves open.
pub fn fill(root: &Table, settings: &Settings<'_>, place: &Place) -> List {
    let given: Vec<Item> =
        root.get("strategy").map(|item| item.one_or_many().to_vec()).unwrap_or_default();
    let all = settings.all.unwrap_or(given.is_empty());
    let has = |tag: &str, name: &str| {
        let tables = given.iter().filter_map(|item| match &item.data {
            Data::Table(table) => table.get(tag),
            _ => None,
        });
        tables.flat_map(Item::one_or_many).any(|item| item.value().to_string() == name)
    };
    let mut tables = given.clone();
    let mut not_tried = Vec::new();
    // The system to match comes first of what is added: the others are held against it.
    let matched = settings.matches.and_then(|name| preset::find(name).ok());
    if let Some(info) = matched.filter(|info| !has("preset", info.name)) {
        tables.push(table("preset", info, settings, place));
    }
    if all {
        for &info in strategy::ALL.iter().filter(|info| !has("kind", info.name)) {
            match settled(info) {
                Ok(()) => tables.push(table("kind", info, settings, place)),
                Err(reason) => not_tried.push((info.name, reason)),
            }
        }
    }
    if let Some(matched) = matched.filter(|_| all) {
        for info in preset::ALL.iter().map(|preset| &preset.strategy) {
            if info != matched && !has("preset", info.name) && settled(info).is_ok() {
                tables.push(table("preset", info, settings, place));
            }
        }
    }
    let filled = tables.len() > given.len();
    List { tables: filled.then_some(tables), filled, not_tried }
}

/// Whether a strategy can be built without a setting of its own; if not, why.
fn settled(info: &StrategyInfo) -> Result<(), String> {
    let missing = info.params.iter().find(|param| param.default == Default::Required);
    if let Some(param) = missing {
        return Err(format!("it needs `{}`: {}", param.name, param.doc));
    }
    if info.caps.weights == Weights::Fixed {
        return Err("the scenario says what each node owns".into());
    }
    Ok(())
}

fn table(tag: &str, info: &StrategyInfo, settings: &Settings<'_>, place: &Place) -> Item {
    let text = |text: &str| Data::Scalar(Value::Text(text.into()));
    let mut fields = vec![(tag, text(info.name))];
    // A preset is what it is.
    if tag == "kind" {
        fields
            .extend(info.params.iter().filter_map(|p| Some((p.name, level(p, settings, place)?))));
    }
    inline(fields, place)
}

/// The values that a parameter takes; None: its default.
fn level(param: &Param, settings: &Settings<'_>, place: &Place) -> Option<Data> {
    let text = |text: &str| Data::Scalar(Value::Text(text.into()));
    match param.name {
        "hasher" => Some(text(HASHER)),
        "spread" if settings.zones => Some(text("zone")),
        "on-remove" if settings.removal => {
            let both = ["shift", "swap-last"].map(|how| of(text(how), place));
            Some(Data::List(both.to_vec()))
        }
        "capacity" => settings.capacity.map(|n| Data::Scalar(Value::Int(n))),
        name => {
            let (_, levels) = LEVELS.iter().find(|(of, _)| *of == name)?;
            let items = levels.iter().map(|n| of(Data::Scalar(Value::Int(*n)), place));
            Some(Data::List(items.collect()))
        }
    }
}
