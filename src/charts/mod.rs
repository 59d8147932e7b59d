//! Charts: a chart is data; one renderer turns it into SVG.
//!
//! Data flows one way: [`Record`] → a file of this folder that is named after its chart →
//! [`model::Chart`] → [`render`] (which asks `plan`, `legend` and `place` where things go) → `canvas` →
//! plotters → `svg`, a drawing backend of our own. Charts know nothing of pixels, the renderer
//! nothing of records.
//!
//! To add one: a file with its `INFO`, and two lines here.

mod canvas;
mod data;
mod layers;
mod legend;
pub mod model;
pub mod palette;
mod place;
mod plan;
pub mod render;
mod scale;
mod svg;
mod text;
mod theory;
mod time;

mod balance_by_cell;
mod balance_by_phase;
mod balance_by_round;
mod blast_radius;
pub mod heat_map;
mod load_over_time;
mod load_per_node;
mod metrics_by_axis;
mod movement_by_step;
pub mod pareto;
mod paths;
mod skew_by_axis;
mod unavailability;
mod unit_gantt;

#[cfg(test)]
mod fixtures;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use self::svg::escape;

use self::model::{Axis, Chart, Scale, Unit};
pub use self::svg::escape as escape_xml;
use crate::error::Error;
use crate::params::{Param, Params, Value};
use crate::record::{ChartRecord, Record};

/// A kind of chart: static facts and a `draw`.
pub struct ChartInfo {
    /// Name in scenario files; begins the names of its files.
    pub name: &'static str,
    /// Title in lists.
    pub title: &'static str,
    /// One sentence without a full stop: what it shows.
    pub summary: &'static str,
    /// Parameters of its `[[chart]]` table.
    pub params: &'static [Param],
    /// The charts of this kind for a record, one per path or cell where the kind is so; none if the
    /// record does not hold what it shows. An error names the parameter that is wrong.
    pub draw: fn(&Record, &Params) -> Result<Vec<Chart>, Error>,
    /// What of `draw`'s errors can be found without a record, for reading scenarios.
    pub check: fn(&Params) -> Result<(), Error>,
}

impl std::fmt::Debug for ChartInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All charts, in the order in which reports show them.
pub static ALL: &[&ChartInfo] = &[
    &skew_by_axis::INFO,
    &movement_by_step::INFO,
    &balance_by_cell::INFO,
    &load_per_node::INFO,
    &load_over_time::INFO,
    &unit_gantt::INFO,
    &unavailability::INFO,
    &heat_map::INFO,
    &paths::INFO,
    &blast_radius::INFO,
    &metrics_by_axis::INFO,
    &balance_by_round::INFO,
    &balance_by_phase::INFO,
];

/// The kind that needs repeated moves to be counted.
pub const PATHS: &str = "path-totals";

/// The kind of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static ChartInfo, Error> {
    ALL.iter()
        .copied()
        .find(|c| c.name == name)
        .ok_or_else(|| Error::unknown("chart", name, ALL.iter().map(|c| c.name)))
}

/// The charts of the record, as (file stem, SVG): those of the scenario's `[[chart]]` tables if it
/// has any, else every kind with its defaults. A table that is wrong gives a sheet that says so, for
/// records from elsewhere; scenarios are checked when they are read.
pub fn draw_all(record: &Record) -> Vec<(String, String)> {
    draw_as(record, "")
}

/// The same, each file stem after a prefix, such as `a4-`: for documents that hold the charts of several records.
pub fn draw_as(record: &Record, prefix: &str) -> Vec<(String, String)> {
    let mut stems = BTreeMap::new();
    let mut drawn = Vec::new();
    for (kind, charts) in charts(record) {
        for chart in charts {
            let stem = unused(&mut stems, &stem(&format!("{prefix}{kind}"), &chart.suffix));
            let svg = render::render(&chart, &stem);
            drawn.push((stem, svg));
        }
    }
    drawn
}

/// The same as data, by kind.
pub fn charts(record: &Record) -> Vec<(String, Vec<Chart>)> {
    if record.charts.is_empty() {
        let drawn = ALL.iter().map(|info| {
            let charts = Params::defaults(info.params).and_then(|p| (info.draw)(record, &p));
            (info.name.to_string(), charts.unwrap_or_else(|e| vec![sheet_of(&e, info.title)]))
        });
        return drawn.collect();
    }
    record.charts.iter().map(|table| (table.kind.clone(), of_table(record, table))).collect()
}

/// The charts of one `[[chart]]` table.
fn of_table(record: &Record, table: &ChartRecord) -> Vec<Chart> {
    let info = match find(&table.kind) {
        Ok(info) => info,
        Err(error) => return vec![sheet_of(&error, "Unknown chart")],
    };
    let given = table.params.iter().map(|(k, v)| (k.clone(), from_json(v))).collect();
    Params::from_pairs(info.params, given)
        .and_then(|params| (info.draw)(record, &params))
        .unwrap_or_else(|error| vec![sheet_of(&error, info.title)])
}

/// A chart without data that shows an error.
fn sheet_of(error: &Error, title: &str) -> Chart {
    let axis = || Axis::new("", Unit::Number, Scale::Category(Vec::new()));
    Chart {
        suffix: String::new(),
        title: format!("{title}: not drawn"),
        subtitle: error.message.clone(),
        x: axis(),
        y: axis(),
        layers: Vec::new(),
        notes: error.help.clone(),
    }
}

/// A parameter's value as the record keeps it. Null becomes an empty text, which no type but text takes.
fn from_json(json: &serde_json::Value) -> Value {
    use serde_json::Value as Json;
    match json {
        Json::Null => Value::Text(String::new()),
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(n) => match n.as_i64() {
            Some(i) => Value::Int(i),
            None => Value::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(from_json).collect()),
        Json::Object(map) => {
            Value::Table(map.iter().map(|(k, v)| (k.clone(), from_json(v))).collect())
        }
    }
}

/// A file stem of lower-case letters, digits and single hyphens.
pub fn stem(kind: &str, suffix: &str) -> String {
    let mut out = String::new();
    for c in format!("{kind}-{suffix}").chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
        // Long cell ids make no longer names than file systems take.
        if out.len() >= 100 {
            break;
        }
    }
    out.trim_end_matches('-').to_string()
}

/// The stem, with a number if it was given out before.
pub fn unused(given: &mut BTreeMap<String, u32>, stem: &str) -> String {
    let mut candidate = stem.to_string();
    let mut n = 1;
    while given.contains_key(&candidate) {
        n += 1;
        candidate = format!("{stem}-{n}");
    }
    given.insert(candidate.clone(), n);
    candidate
}
