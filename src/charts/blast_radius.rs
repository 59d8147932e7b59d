//! What a failure hits, against the number of nodes: a line per strategy.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Scale, Unit};
use super::palette::{Dash, Look};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Record, StepRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "blast-radius",
    title: "Blast radius by number of nodes",
    summary: "what the first failure of each path hits, against the number of nodes; a line per strategy",
    params: &[
        data::LOAD,
        Param::new(
            "measure",
            Type::Choice(&["moved", "lost", "heir-gain", "heirs", "max-over-mean"]),
            Default::Text("moved"),
            "share lost or moved; share lost; growth of the largest heir; number of heirs; largest load ÷ fair afterwards",
        ),
        data::Y_SCALE,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// What a measure is called, how it is written, and how it is read.
struct Measure {
    name: &'static str,
    title: &'static str,
    axis: &'static str,
    unit: Unit,
    read: fn(&StepRecord, &str) -> Option<f64>,
}

static MEASURES: &[Measure] = &[
    Measure {
        name: "moved",
        title: "lost or moved when one node fails",
        axis: "Lost with the node or moved between survivors, % of all",
        unit: Unit::Percent,
        read: |s, load| Some(s.movement.as_ref()?.loads.get(load)?.share_moved * 100.0),
    },
    Measure {
        name: "lost",
        title: "lost when one node fails",
        axis: "Lost with the node, % of all",
        unit: Unit::Percent,
        read: |s, load| Some(s.failure.as_ref()?.loads.get(load)?.lost_share * 100.0),
    },
    Measure {
        name: "heir-gain",
        title: "that the largest heir takes on",
        axis: "Growth of the largest heir, % of its load before",
        unit: Unit::Percent,
        read: |s, load| Some(s.failure.as_ref()?.loads.get(load)?.heir_gain_share? * 100.0),
    },
    Measure {
        name: "heirs",
        title: "of a failed node: how many heirs",
        axis: "Survivors that receive some of it",
        unit: Unit::Number,
        read: |s, load| Some(s.failure.as_ref()?.loads.get(load)?.heirs? as f64),
    },
    Measure {
        name: "max-over-mean",
        title: "on the fullest node after one fails",
        axis: "Largest load ÷ fair load after the failure",
        unit: Unit::Times,
        read: |s, load| Some(s.balance.get(load)?.max_over_mean),
    },
];

/// A line and its points: nodes before the failure, value.
type Series = (String, Vec<(f64, f64)>);

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let load = params.text("load");
    let wanted = params.text("measure");
    let measure = MEASURES.iter().find(|m| m.name == wanted).expect("one of the choices");
    let names = data::names(&cells, &["cluster.nodes"]);
    let mut series: Vec<Series> = Vec::new();
    for (cell, name) in cells.iter().zip(names) {
        let Some(point) = point(cell, measure, load) else { continue };
        match series.iter_mut().find(|(have, _)| *have == name) {
            Some((_, points)) => points.push(point),
            None => series.push((name, vec![point])),
        }
    }
    for (_, points) in &mut series {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    if series.iter().all(|(_, points)| points.len() < 2) {
        return Ok(Vec::new());
    }
    let mut layers: Vec<Layer> = Vec::new();
    for (i, (name, points)) in series.iter().enumerate() {
        let (name, points) = (name.clone(), points.clone());
        layers.push(Layer::Line(Line { name, points, look: Look::series(i) }));
    }
    layers.extend(even(measure, &series));
    let mut chart = Chart {
        suffix: if measure.name == "moved" { String::new() } else { measure.name.to_string() },
        title: match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("Share of {load} {}", measure.title),
        },
        subtitle: data::context(record),
        x: Axis::new("Nodes before the failure", Unit::Number, Scale::Linear),
        y: Axis::new(measure.axis, measure.unit, Scale::FromZero),
        layers,
        notes: vec![data::origin(record)],
    };
    if data::spans_factor(&chart.values(true), 8.0) {
        chart.x.scale = Scale::Log;
        chart.x.title.push_str(", log scale");
    }
    if data::is_log(params, &chart.values(false)) {
        chart.y.scale = Scale::Log;
        chart.y.title.push_str(", log scale");
    }
    Ok(vec![chart])
}

/// The first failure of a cell's path: nodes before it, and what it does.
fn point(cell: &CellRecord, measure: &Measure, load: &str) -> Option<(f64, f64)> {
    let failure = cell.steps.iter().position(|step| step.failure.is_some())?;
    let before = cell.steps.get(failure.checked_sub(1)?)?;
    Some((before.nodes as f64, (measure.read)(&cell.steps[failure], load)?))
}

/// What one of n equal nodes holds, and what each of n − 1 heirs takes on of it.
fn even(measure: &Measure, series: &[Series]) -> Option<Layer> {
    type Law = fn(f64) -> f64;
    let (name, law): (&str, Law) = match measure.name {
        "moved" | "lost" => ("1 ÷ nodes", |n| 100.0 / n),
        "heir-gain" => ("1 ÷ (nodes − 1)", |n| 100.0 / (n - 1.0)),
        _ => return None,
    };
    let mut at: Vec<f64> = series.iter().flat_map(|(_, points)| points).map(|p| p.0).collect();
    at.sort_by(f64::total_cmp);
    at.dedup();
    let points = at.into_iter().map(|n| (n, law(n))).collect();
    Some(Layer::Line(Line { name: name.into(), points, look: Look::reference(Dash::Dashed) }))
}
