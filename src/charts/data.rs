//! What charts read from a record: cells by their axes, names for legends, statistics by name.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value as Json;

use super::model::Unit;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::record::{Balance, Band, CellRecord, Record, StepRecord, TrialStep};

/// `where`: which cells a chart shows.
pub const WHERE: Param = Param::new(
    "where",
    Type::List(&Type::Text),
    Default::Absent,
    "cells shown, as texts `axis=value` that must all hold; all cells if absent",
);
/// `title`: replaces the chart's own title.
pub const TITLE: Param = Param::new(
    "title",
    Type::Text,
    Default::Absent,
    "title of the chart; one that says what is shown if absent",
);
/// `load`: which load a chart shows.
pub const LOAD: Param =
    Param::new("load", Type::Text, Default::Text("keys"), "name of the load, e.g. `requests`");

/// `y-scale`: how values run up the chart.
pub const Y_SCALE: Param = Param::new(
    "y-scale",
    Type::Choice(&["auto", "linear", "log"]),
    Default::Text("auto"),
    "vertical scale; `auto` is log where the values span a factor of eight",
);

/// Whether the values go on a log axis under that `y-scale`.
pub fn is_log(params: &Params, values: &[f64]) -> bool {
    match params.text("y-scale") {
        "auto" => spans_factor(values, 8.0),
        name => name == "log",
    }
}

/// Whether the values are positive and the largest is so many times the smallest.
pub fn spans_factor(values: &[f64], factor: f64) -> bool {
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    low > 0.0 && high / low >= factor
}

/// A statistic of balance that charts can show.
pub struct Stat {
    /// Its name in the record.
    pub name: &'static str,
    /// Title of an axis that shows it.
    pub title: &'static str,
    /// How it is written.
    pub unit: Unit,
    /// Value of a balance, in that unit.
    pub of: fn(&Balance) -> f64,
    /// Band over label sets, in that unit, where trials keep one.
    pub band: fn(&TrialStep) -> Option<Band>,
}

/// The statistics, the usual one first.
pub static STATS: &[Stat] = &[
    Stat {
        name: "max-deviation",
        title: "Largest deviation from fair load, either way",
        unit: Unit::Percent,
        of: |b| b.max_deviation * 100.0,
        band: |t| Some(map_band(&t.max_deviation, |x| x * 100.0)),
    },
    Stat {
        name: "max-over-mean",
        title: "Largest load ÷ fair load",
        unit: Unit::Times,
        of: |b| b.max_over_mean,
        band: |t| Some(t.max_over_mean),
    },
    Stat {
        name: "min-over-mean",
        title: "Smallest load ÷ fair load",
        unit: Unit::Times,
        of: |b| b.min_over_mean,
        band: |t| Some(t.min_over_mean),
    },
    Stat {
        name: "cv",
        title: "Standard deviation of load ÷ fair load",
        unit: Unit::Percent,
        of: |b| b.cv * 100.0,
        band: |t| Some(map_band(&t.cv_squared, |x| libm::sqrt(x) * 100.0)),
    },
    Stat {
        name: "gini",
        title: "Gini coefficient of load ÷ fair load",
        unit: Unit::Number,
        of: |b| b.gini,
        band: |_| None,
    },
    Stat {
        name: "p99-over-mean",
        title: "99th percentile of load ÷ fair load",
        unit: Unit::Times,
        of: |b| b.p99_over_mean,
        band: |_| None,
    },
];

fn map_band(band: &Band, f: impl Fn(f64) -> f64) -> Band {
    Band {
        p2_5: f(band.p2_5),
        p5: f(band.p5),
        p50: f(band.p50),
        p95: f(band.p95),
        p97_5: f(band.p97_5),
        mean: f(band.mean),
        own_percentile: band.own_percentile,
    }
}

/// The statistic of that name, or an error that suggests the nearest one.
pub fn stat(name: &str) -> Result<&'static Stat, Error> {
    STATS.iter().find(|s| s.name == name).ok_or_else(|| {
        Error::unknown("statistic", name, STATS.iter().map(|s| s.name)).field("stat")
    })
}

/// A lower floor of the hottest key than this lies on the axis, where it says nothing.
const LEAST_FLOOR: f64 = 0.05;

/// The largest load ÷ fair load of requests that the hottest key alone makes, where it can be seen.
pub fn hot_key_floor(step: &StepRecord) -> Option<f64> {
    step.theory.hot_key_floor.filter(|floor| *floor >= LEAST_FLOOR)
}

/// Conditions `axis=value` from a list of texts.
pub fn conditions(params: &Params, name: &'static str) -> Result<Vec<(String, String)>, Error> {
    let texts = params.list(name).unwrap_or_default();
    texts
        .iter()
        .map(|text| {
            let Value::Text(text) = text else { panic!("`{name}` is a list of texts") };
            let (axis, value) = text.split_once('=').ok_or_else(|| {
                Error::invalid(format!("`{name}` has \"{text}\""))
                    .help("allowed: `axis=value`, e.g. `hasher=murmur3-32`")
                    .field(name)
            })?;
            Ok((axis.trim().to_string(), value.trim().to_string()))
        })
        .collect()
}

/// Whether a cell meets all conditions; numbers compare as numbers.
pub fn meets(cell: &CellRecord, conditions: &[(String, String)]) -> bool {
    conditions.iter().all(|(axis, want)| {
        cell.at.get(axis).is_some_and(|have| {
            json_text(have) == *want || have.as_f64().is_some_and(|h| want.parse() == Ok(h))
        })
    })
}

/// The cells that a strategy could do and that meet the chart's `where`.
pub fn cells<'a>(record: &'a Record, params: &Params) -> Result<Vec<&'a CellRecord>, Error> {
    let conditions = conditions(params, "where")?;
    let able = record.cells.iter().filter(|c| c.unsupported.is_none() && !c.steps.is_empty());
    Ok(able.filter(|c| meets(c, &conditions)).collect())
}

/// A value on an axis as a text.
pub fn json_text(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The cell's value on an axis as a text; empty if it has none.
pub fn at_text(cell: &CellRecord, axis: &str) -> String {
    cell.at.get(axis).filter(|v| !v.is_null()).map(json_text).unwrap_or_default()
}

/// Names of cells for a legend, as short as they can be: what the scenario calls the strategy,
/// then every axis but `without` on which the cells of that strategy differ. What all cells share
/// is left out.
pub fn names(cells: &[&CellRecord], without: &[&str]) -> Vec<String> {
    let main = |cell: &CellRecord| -> String {
        cell.label.clone().or_else(|| cell.preset.clone()).unwrap_or_else(|| cell.strategy.clone())
    };
    let mains: Vec<String> = cells.iter().map(|c| main(c)).collect();
    let one_main = mains.iter().collect::<BTreeSet<_>>().len() <= 1;
    let skip = |axis: &str| matches!(axis, "strategy" | "preset") || without.contains(&axis);
    // By main name: its first cell, and the axes on which some other cell of that name differs from it.
    let mut peers: BTreeMap<&str, (&CellRecord, BTreeSet<&str>)> = BTreeMap::new();
    for (cell, main) in cells.iter().copied().zip(&mains) {
        let (first, differing) = peers.entry(main).or_insert_with(|| (cell, BTreeSet::new()));
        let axes = cell.at.keys().chain(first.at.keys());
        differing.extend(axes.map(String::as_str).filter(|a| cell.at.get(*a) != first.at.get(*a)));
    }
    cells
        .iter()
        .zip(&mains)
        .map(|(cell, main)| {
            let differing = &peers[main.as_str()].1;
            let shown = cell.at.iter().filter(|(axis, value)| {
                !skip(axis) && !value.is_null() && differing.contains(axis.as_str())
            });
            let mut parts: Vec<String> =
                shown.map(|(axis, value)| axis_text(axis, value)).collect();
            if !one_main || parts.is_empty() {
                parts.insert(0, main.clone());
            }
            parts.join(" · ")
        })
        .collect()
}

/// An error if a chart names something that no cell has.
pub fn known(
    name: &'static str,
    given: Option<&str>,
    known: impl IntoIterator<Item = String>,
) -> Result<(), Error> {
    let known: BTreeSet<String> = known.into_iter().collect();
    match given {
        Some(given) if !known.is_empty() && !known.contains(given) => {
            Err(Error::unknown(name, given, known.iter().map(String::as_str)).field(name))
        }
        _ => Ok(()),
    }
}

/// A value with its axis, unless it speaks for itself: `murmur3-32`, `160 vnodes`, `raw true`.
fn axis_text(axis: &str, value: &Json) -> String {
    let short = axis.rsplit('.').next().unwrap_or(axis);
    match value {
        Json::String(text) => text.clone(),
        Json::Number(n) if n.as_i64() == Some(1) => format!("1 {}", short.trim_end_matches('s')),
        Json::Number(number) => format!("{number} {short}"),
        other => format!("{short} {}", json_text(other)),
    }
}

/// Where the numbers come from: the last line of small print.
pub fn origin(record: &Record) -> String {
    format!("shardlab {} · {} · seed {}", record.shardlab, record.scenario.name, record.seed)
}

/// Title and question of the scenario in one text.
pub fn context(record: &Record) -> String {
    let parts = [record.scenario.title.trim(), record.scenario.question.trim()];
    let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
    match parts[..] {
        [title, question] if title.ends_with(['.', '?', '!', ':']) => format!("{title} {question}"),
        [title, question] => format!("{title}. {question}"),
        _ => parts.concat(),
    }
}

/// `41st`, `2nd`, `13th` …
pub fn ordinal(n: u64) -> String {
    let ending = match (n % 100, n % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// The text with its first letter in upper case.
pub fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::charts::fixtures;

    #[test]
    fn names_hold_what_differs_and_no_more() {
        let record = fixtures::vnodes(&["murmur3-32", "md5"], &[1.0, 32.0]);
        let cells: Vec<&CellRecord> = record.cells.iter().collect();
        assert_eq!(names(&cells, &["vnodes"])[0], "murmur3-32");
        assert_eq!(names(&cells, &[])[2..], ["md5 · 1 vnode", "md5 · 32 vnodes"]);
        assert_eq!(names(&cells[..1], &[])[0], "ring");
    }

    #[test]
    fn conditions_compare_numbers_as_numbers() {
        let record = fixtures::vnodes(&["md5"], &[32.0]);
        let holds = |value: &str| meets(&record.cells[0], &[("vnodes".into(), value.into())]);
        assert!(holds("32") && holds("32.0") && !holds("33"));
    }

    #[test]
    fn ordinals() {
        assert_eq!(
            [1, 2, 3, 11, 13, 22, 41, 100].map(ordinal).concat(),
            "1st2nd3rd11th13th22nd41st100th"
        );
    }
}
