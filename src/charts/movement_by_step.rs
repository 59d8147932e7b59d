//! Movement against expansion step, a line per strategy, with the least possible; for paths of one
//! step a bar per strategy.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Bars, Chart, Fill, Layer, Line, Rule, Scale, Texts, Unit};
use super::palette::{Dash, Look};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Moved, Record, StepRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "movement-by-step",
    title: "Movement by step",
    summary: "share that moves at each change, by strategy, against the least possible; a chart per path",
    params: &[
        data::LOAD,
        Param::new(
            "measure",
            Type::Choice(&["step", "cumulative", "from-start"]),
            Default::Text("step"),
            "movement of each step, summed over the steps so far, or of step 0 against each step",
        ),
        Param::new(
            "path",
            Type::Text,
            Default::Absent,
            "the one path shown; a chart for each path if absent",
        ),
        data::Y_SCALE,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// Relative difference up to which two cells have the same least possible movement.
const SAME: f64 = 1e-9;

struct Series<'a> {
    name: String,
    look: Look,
    cell: &'a CellRecord,
    /// Per step from step 1 on, in per cent.
    moved: Vec<f64>,
    least: Vec<f64>,
}

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let load = params.text("load");
    let measure = params.text("measure");
    let names = data::names(&cells, &["path"]);
    data::known("path", params.text_opt("path"), cells.iter().map(|c| data::at_text(c, "path")))?;
    // A strategy keeps its look in every chart of the record, whichever paths it can do.
    let mut known: Vec<&String> = Vec::new();
    let mut paths: Vec<(String, Vec<Series<'_>>)> = Vec::new();
    for (cell, name) in cells.iter().zip(&names) {
        let nth = known.iter().position(|k| *k == name).unwrap_or(known.len());
        if nth == known.len() {
            known.push(name);
        }
        let path = data::at_text(cell, "path");
        if params.text_opt("path").is_some_and(|wanted| wanted != path) {
            continue;
        }
        let moved = movement(cell, load, measure, |m| m.share_moved);
        let least = movement(cell, load, measure, |m| m.minimum_share);
        let (Some(moved), Some(least)) = (moved, least) else { continue };
        let series = Series { name: name.clone(), look: Look::series(nth), cell, moved, least };
        match paths.iter_mut().find(|(p, _)| *p == path) {
            Some((_, all)) => all.push(series),
            None => paths.push((path, vec![series])),
        }
    }
    let alone = paths.len() == 1 && paths[0].0 == "main";
    Ok(paths
        .into_iter()
        .map(|(path, series)| {
            let mut chart = if series.iter().all(|s| s.moved.len() == 1) {
                bars(&series)
            } else {
                lines(&series, measure, params)
            };
            let route = route(&series[0].cell.steps);
            let path_text = if alone { String::new() } else { format!(" ({path})") };
            chart.title = match params.text_opt("title") {
                Some(title) => title.to_string(),
                None => format!("Share of {load} that moves: {route}{path_text}"),
            };
            chart.suffix = if alone { String::new() } else { path };
            if measure != "step" {
                chart.suffix = format!("{} {measure}", chart.suffix);
            }
            chart.subtitle = data::context(record);
            if series.iter().any(|s| s.cell.steps.iter().any(is_loss)) {
                chart.notes.push("What a failed node held is lost and counts as moved.".into());
            }
            chart.notes.push(data::origin(record));
            chart
        })
        .collect())
}

/// Movement in per cent at each step from 1 on; None if the cell has no step or lacks the load.
fn movement(
    cell: &CellRecord,
    load: &str,
    measure: &str,
    of: impl Fn(&Moved) -> f64,
) -> Option<Vec<f64>> {
    let mut sum = 0.0;
    let shares = cell.steps.iter().skip(1).map(|step| {
        let movement = step.movement.as_ref()?;
        let moved = match (measure, &movement.from_start) {
            ("from-start", Some(from_start)) => from_start.get(load)?,
            _ => movement.loads.get(load)?,
        };
        let share = of(moved) * 100.0;
        sum += share;
        Some(if measure == "cumulative" { sum } else { share })
    });
    let shares: Vec<f64> = shares.collect::<Option<_>>()?;
    (!shares.is_empty()).then_some(shares)
}

fn lines(series: &[Series<'_>], measure: &str, params: &Params) -> Chart {
    let longest = series.iter().max_by_key(|s| s.moved.len()).expect("a path has cells");
    let categories: Vec<String> = longest.cell.steps.windows(2).map(change_text).collect();
    let mut layers = Vec::new();
    for s in series {
        layers.push(Layer::Line(Line {
            name: s.name.clone(),
            points: points(&s.moved),
            look: s.look,
        }));
    }
    if agree_on_least(series) {
        let look = Look::reference(Dash::Dashed);
        layers.push(Layer::Line(Line {
            name: "least possible".into(),
            points: points(&longest.least),
            look,
        }));
    }
    let what = match measure {
        "cumulative" => "Moved so far, sum of the steps, % of all",
        "from-start" => "Elsewhere than at the start, % of all",
        _ => "Moved at this step, % of all",
    };
    let mut chart = Chart {
        suffix: String::new(),
        title: String::new(),
        subtitle: String::new(),
        x: Axis::new("Change: nodes before → after", Unit::Number, Scale::Category(categories)),
        y: Axis::new(what, Unit::Percent, Scale::FromZero),
        layers,
        notes: Vec::new(),
    };
    if data::is_log(params, &chart.values(false)) {
        chart.y.scale = Scale::Log;
        chart.y.title.push_str(", log scale");
    }
    chart
}

fn bars(series: &[Series<'_>]) -> Chart {
    let categories = series.iter().map(|s| s.name.clone()).collect();
    let mut layers = vec![Layer::Bars(Bars {
        name: String::new(),
        values: series.iter().map(|s| Some(s.moved[0])).collect(),
        look: Look::series(0),
        fill: Fill::Solid,
        texts: Texts::Shown,
    })];
    if agree_on_least(series) {
        let least = series[0].least[0];
        layers.push(Layer::Rule(Rule {
            name: format!("least possible: {}", super::scale::value_text(least, Unit::Percent)),
            at: least,
            look: Look::reference(Dash::Dashed),
        }));
    }
    Chart {
        suffix: String::new(),
        title: String::new(),
        subtitle: String::new(),
        x: Axis::new("Moved, % of all", Unit::Percent, Scale::FromZero),
        y: Axis::new("", Unit::Number, Scale::Category(categories)),
        layers,
        notes: Vec::new(),
    }
}

/// Whether the least possible movement is the same for all: one cluster, one path.
fn agree_on_least(series: &[Series<'_>]) -> bool {
    let longest = series.iter().max_by_key(|s| s.least.len()).expect("a path has cells");
    let near = |(a, b): (&f64, &f64)| libm::fabs(a - b) <= SAME * libm::fabs(*b).max(1.0);
    series.iter().all(|s| s.least.iter().zip(&longest.least).all(near))
}

fn points(values: &[f64]) -> Vec<(f64, f64)> {
    values.iter().enumerate().map(|(i, v)| (i as f64, *v)).collect()
}

fn is_loss(step: &StepRecord) -> bool {
    step.movement.as_ref().is_some_and(|m| m.verb == "lost")
}

/// `8 → 9`, or the change in words where the number of nodes stays.
fn change_text(pair: &[StepRecord]) -> String {
    let [before, after] = [pair[0].nodes, pair[1].nodes];
    match &pair[1].change {
        Some(change) if before == after => change.clone(),
        _ => format!("{before} → {after}"),
    }
}

/// `8 → 9 → … → 16 nodes`, or the change in words where there is one that keeps the number of nodes.
fn route(steps: &[StepRecord]) -> String {
    let nodes: Vec<String> = steps.iter().map(|s| s.nodes.to_string()).collect();
    match (&nodes[..], steps.last().and_then(|s| s.change.as_ref())) {
        ([a, b], Some(change)) if a == b => change.clone(),
        ([first, second, .., last], _) if nodes.len() > 4 => {
            format!("{first} → {second} → … → {last} nodes")
        }
        _ => format!("{} nodes", nodes.join(" → ")),
    }
}
