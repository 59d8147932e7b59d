//! Balance phase by phase of traffic that changes with time, beside the balance over the whole time.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Rule, Scale, Unit};
use super::palette::{Dash, Look, Marker};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Phases, Record};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "balance-by-phase",
    title: "Balance phase by phase",
    summary: "the busiest node's requests ÷ fair in every phase of the traffic, a line per cell, and dashed what the whole time shows",
    params: &[
        Param::new(
            "limit",
            Type::Int { min: 1, max: 20 },
            Default::Int(4),
            "cells shown, from the first on",
        ),
        data::Y_SCALE,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let phased: Vec<(&CellRecord, &Phases)> = cells
        .iter()
        .filter_map(|cell| Some((*cell, cell.steps.last()?.phases.as_ref()?)))
        .collect();
    if phased.is_empty() {
        return Ok(Vec::new());
    }
    let shown = &phased[..phased.len().min(params.int("limit") as usize)];
    let names = data::names(&shown.iter().map(|(cell, _)| *cell).collect::<Vec<_>>(), &[]);
    let mut layers = vec![Layer::Rule(Rule {
        name: "fair".into(),
        at: 1.0,
        look: Look::reference(Dash::Solid),
    })];
    for (i, ((cell, phases), name)) in shown.iter().zip(names).enumerate() {
        let point = |(at, value): (usize, f64)| (at as f64 + 1.0, value);
        let each = phases.each.iter().map(|phase| phase.balance.max_over_mean);
        layers.push(Layer::Line(Line {
            name: name.clone(),
            points: each.enumerate().map(point).collect(),
            look: Look::series(i),
        }));
        let whole = cell.steps.last().and_then(|step| step.balance.get("requests"));
        if let Some(whole) = whole {
            let flat = std::iter::repeat_n(whole.max_over_mean, phases.each.len());
            layers.push(Layer::Line(Line {
                name: format!("{name}, whole time"),
                points: flat.enumerate().map(point).collect(),
                look: Look::series(i).dash(Dash::Dashed).marker(Marker::None),
            }));
        }
    }
    let mut notes = Vec::new();
    if phased.len() > shown.len() {
        notes.push(format!("The first {} of {} cells.", shown.len(), phased.len()));
    }
    notes.push(data::origin(record));
    let mut chart = Chart {
        suffix: String::new(),
        title: params.text_opt("title").unwrap_or("Balance phase by phase").to_string(),
        subtitle: data::context(record),
        x: Axis::new("Phase of the traffic", Unit::Count, Scale::Linear),
        y: Axis::new("Largest load ÷ fair load, of requests", Unit::Times, Scale::FromZero),
        layers,
        notes,
    };
    if data::is_log(params, &chart.values(false)) {
        chart.y.scale = Scale::Log;
        chart.y.title.push_str(", log scale");
    }
    Ok(vec![chart])
}
