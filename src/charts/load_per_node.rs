//! Load ÷ fair load of every node, side by side for each load; a chart per cell.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Bars, Chart, Fill, Layer, Line, Rule, Scale, Texts, Unit};
use super::palette::{Dash, Look, Marker};
use super::scale::value_text;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::record::{CellRecord, NodeRecord, Record, StepRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "load-per-node",
    title: "Load per node",
    summary: "load ÷ fair load of every node for each load, with the floor that the hottest key forces; a chart per cell",
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
            "names of loads shown; all if absent",
        ),
        Param::new(
            "limit",
            Type::Int { min: 1, max: 1000 },
            Default::Int(6),
            "cells that get a chart, from the first on",
        ),
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// With more nodes than this the loads are drawn as sorted curves.
const MOST_BARS: usize = 64;

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let limit = params.int("limit") as usize;
    let names = data::names(&cells, &[]);
    let wanted: Option<Vec<String>> =
        params.list("loads").map(|loads| loads.iter().map(Value::to_string).collect());
    let mut charts = Vec::new();
    for (cell, name) in cells.iter().zip(&names) {
        if charts.len() == limit {
            break;
        }
        let step = match params.get("step") {
            Some(_) => cell.steps.get(params.int("step") as usize),
            None => cell.steps.last(),
        };
        let Some(step) = step else { continue };
        let loads = relative_loads(step, wanted.as_deref());
        if loads.is_empty() || step.per_node.is_empty() {
            continue;
        }
        let mut chart = chart(cell, step, &loads);
        let after = match &step.change {
            Some(_) => format!(", {} nodes at step {}", step.nodes, step.step),
            None => String::new(),
        };
        chart.title = match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("Load per node: {name}{after}"),
        };
        chart.suffix = if cells.len() == 1 { String::new() } else { cell.id.clone() };
        chart.subtitle = data::context(record);
        chart.notes.push(data::origin(record));
        charts.push(chart);
    }
    Ok(charts)
}

/// Each load's values ÷ fair load in the cluster's order; fair load is the placed total × weight ÷
/// all weights. Keys come first. A node of weight 0 has no fair load: NaN.
fn relative_loads(step: &StepRecord, wanted: Option<&[String]>) -> Vec<(String, Vec<f64>)> {
    let weights: f64 = step.per_node.iter().map(|n| n.weight).sum();
    let Some(first) = step.per_node.first() else { return Vec::new() };
    let mut names: Vec<&String> = first.loads.keys().collect();
    names.sort_by_key(|n| (*n != "keys", *n));
    names
        .into_iter()
        .filter(|n| wanted.is_none_or(|w| w.contains(n)))
        .filter_map(|name| {
            let of = |n: &NodeRecord| n.loads.get(name).copied().unwrap_or(0) as f64;
            let total: f64 = step.per_node.iter().map(of).sum();
            let values =
                step.per_node.iter().map(|n| of(n) / (total * n.weight / weights)).collect();
            (total > 0.0).then(|| (name.clone(), values))
        })
        .collect()
}

fn chart(cell: &CellRecord, step: &StepRecord, loads: &[(String, Vec<f64>)]) -> Chart {
    let sorted = step.per_node.len() > MOST_BARS;
    let mut layers = Vec::new();
    for (i, (name, values)) in loads.iter().enumerate() {
        let look = Look::series(i);
        let name = name.clone();
        if sorted {
            let mut values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
            values.sort_by(|a, b| b.total_cmp(a));
            let points = values.into_iter().enumerate().map(|(i, v)| (i as f64 + 1.0, v)).collect();
            let dash = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted][i % 4];
            layers.push(Layer::Line(Line {
                name,
                points,
                look: look.dash(dash).marker(Marker::None),
            }));
        } else {
            let values = values.iter().map(|v| v.is_finite().then_some(*v)).collect();
            let fill = if i % 2 == 0 { Fill::Solid } else { Fill::Faint };
            layers.push(Layer::Bars(Bars { name, values, look, fill, texts: Texts::Hidden }));
        }
    }
    layers.push(rule("fair".into(), 1.0, Dash::Solid));
    let mut notes = Vec::new();
    let shows_requests = loads.iter().any(|(name, _)| name == "requests");
    if let Some(floor) = data::hot_key_floor(step).filter(|_| shows_requests) {
        let text = value_text(floor, Unit::Times);
        layers.push(rule(format!("hot-key floor {text}"), floor, Dash::Dashed));
        let share = cell.workload.hottest_share.map_or(String::new(), |share| {
            format!(" takes {} of all requests and", value_text(share * 100.0, Unit::Percent))
        });
        notes.push(format!(
            "Hot-key floor: the hottest key{share} lies on one node, whatever the strategy."
        ));
    }
    let x = if sorted {
        Axis::new("Nodes, the most loaded first", Unit::Number, Scale::Linear)
    } else {
        let weighted = step.per_node.windows(2).any(|pair| pair[0].weight != pair[1].weight);
        let name = |n: &NodeRecord| match weighted {
            true => format!("{} weight {}", n.node, n.weight),
            false => n.node.clone(),
        };
        let names = step.per_node.iter().map(name).collect();
        Axis::new("Node", Unit::Number, Scale::Category(names))
    };
    Chart {
        suffix: String::new(),
        title: String::new(),
        subtitle: String::new(),
        x,
        y: Axis::new("Load ÷ fair load", Unit::Times, Scale::FromZero),
        layers,
        notes,
    }
}

fn rule(name: String, at: f64, dash: Dash) -> Layer {
    Layer::Rule(Rule { name, at, look: Look::reference(dash) })
}
