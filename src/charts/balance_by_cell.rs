//! The smallest and the largest load ÷ fair load of every cell, for each load: even in keys,
//! uneven in requests.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Mark, Rule, Scale, Spans, Texts, Unit};
use super::palette::{Dash, Look};
use super::scale::value_text;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::record::{CellRecord, Record, StepRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "balance-by-cell",
    title: "Balance by cell",
    summary: "smallest and largest load ÷ fair load of every cell, for each load",
    params: &[
        Param::new(
            "step",
            Type::Int { min: 0, max: 1_000_000 },
            Default::Absent,
            "step of the path; the last one if absent",
        ),
        Param::new(
            "loads",
            Type::List(&Type::Text),
            Default::Absent,
            "names of loads shown, `owned` for exact shares; all but `owned` if absent",
        ),
        Param::new(
            "limit",
            Type::Int { min: 1, max: 1000 },
            Default::Int(40),
            "cells shown, from the first on",
        ),
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// With a larger load than so many times the fair one, values go on a log axis, if none is zero.
const LOG_FROM: f64 = 12.0;

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let limit = params.int("limit") as usize;
    let rows: Vec<(&CellRecord, &StepRecord, String)> = cells
        .iter()
        .zip(data::names(&cells, &[]))
        .filter_map(|(cell, name)| {
            let step = match params.get("step") {
                Some(_) => cell.steps.get(params.int("step") as usize)?,
                None => cell.steps.last()?,
            };
            (!step.balance.is_empty()).then_some((*cell, step, name))
        })
        .collect();
    let shown = &rows[..rows.len().min(limit)];
    let loads = loads(shown, params);
    if shown.is_empty() || loads.is_empty() {
        return Ok(Vec::new());
    }

    let mut layers = vec![Layer::Rule(Rule {
        name: "fair".into(),
        at: 1.0,
        look: Look::reference(Dash::Solid),
    })];
    layers.extend(floor(shown, &loads));
    for (i, load) in loads.iter().enumerate() {
        let values = shown
            .iter()
            .map(|(_, step, _)| step.balance.get(load).map(|b| (b.min_over_mean, b.max_over_mean)));
        let values = values.collect();
        layers.push(Layer::Spans(Spans {
            name: load.clone(),
            values,
            look: Look::series(i),
            texts: Texts::Shown,
        }));
    }
    let mut notes = Vec::new();
    if rows.len() > shown.len() {
        notes.push(format!("The first {} of {} cells.", shown.len(), rows.len()));
    }
    if layers.iter().any(|layer| matches!(layer, Layer::Marks(_))) {
        notes.push("Circles: the floor that the hottest key forces on any single owner.".into());
    }
    notes.push(data::origin(record));
    let mut chart = Chart {
        suffix: String::new(),
        title: match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => "From the least to the most loaded node".to_string(),
        },
        subtitle: data::context(record),
        x: Axis::new(
            "Load ÷ fair load: least loaded node (small mark) to most loaded node (large mark)",
            Unit::Times,
            Scale::FromZero,
        ),
        y: Axis::new(
            "",
            Unit::Number,
            Scale::Category(shown.iter().map(|r| r.2.clone()).collect()),
        ),
        layers,
        notes,
    };
    let values = chart.values(true);
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    if low > 0.0 && high > LOG_FROM {
        chart.x.scale = Scale::Log;
        chart.x.title.push_str(", log scale");
    }
    Ok(vec![chart])
}

/// The loads that any row has, keys first.
fn loads(rows: &[(&CellRecord, &StepRecord, String)], params: &Params) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (_, step, _) in rows {
        for load in step.balance.keys() {
            if !all.contains(load) {
                all.push(load.clone());
            }
        }
    }
    match params.list("loads") {
        Some(wanted) => {
            let wanted: Vec<String> = wanted.iter().map(Value::to_string).collect();
            all.retain(|l| wanted.contains(l));
        }
        None => all.retain(|l| l != "owned"),
    }
    all.sort_by_key(|l| (l != "keys", l.clone()));
    all
}

/// The floor of the hottest key: a line where it is the same for all rows, else a mark in each row that
/// has one above fair.
fn floor(rows: &[(&CellRecord, &StepRecord, String)], loads: &[String]) -> Option<Layer> {
    if !loads.iter().any(|l| l == "requests") {
        return None;
    }
    let floors: Vec<Option<f64>> = rows.iter().map(|r| data::hot_key_floor(r.1)).collect();
    if let Some(floor) = floors[0].filter(|floor| floors.iter().all(|f| *f == Some(*floor))) {
        let name = format!("hot-key floor {}", value_text(floor, Unit::Times));
        return Some(Layer::Rule(Rule { name, at: floor, look: Look::reference(Dash::Dashed) }));
    }
    let marks = floors.iter().enumerate().filter_map(|(row, floor)| {
        let floor = floor.filter(|floor| *floor > 1.0)?;
        Some(Mark { x: floor, y: row as f64, lines: Vec::new() })
    });
    let marks: Vec<Mark> = marks.collect();
    (!marks.is_empty()).then_some(Layer::Marks(marks))
}
