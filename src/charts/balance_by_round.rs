//! Balance round by round of loops that act on measured load, with the floor that the hottest key forces.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Rule, Scale, Unit};
use super::palette::{Dash, Look};
use super::scale::value_text;
use crate::error::Error;
use crate::params::Params;
use crate::record::{CellRecord, Record};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "balance-by-round",
    title: "Balance round by round",
    summary: "the busiest node's load ÷ fair load after every round of a loop that acts on load, a line per cell, with the hot-key floor",
    params: &[data::Y_SCALE, data::WHERE, data::TITLE],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let mut cells = data::cells(record, params)?;
    cells.retain(|cell| cell.control.is_some());
    if cells.is_empty() {
        return Ok(Vec::new());
    }
    let names = data::names(&cells, &[]);
    let mut layers = vec![Layer::Rule(Rule {
        name: "fair".into(),
        at: 1.0,
        look: Look::reference(Dash::Solid),
    })];
    let floors: Vec<Option<f64>> =
        cells.iter().map(|c| c.steps.first().and_then(data::hot_key_floor)).collect();
    if let Some(floor) = floors[0].filter(|floor| floors.iter().all(|f| *f == Some(*floor))) {
        layers.push(Layer::Rule(Rule {
            name: format!("hot-key floor {}", value_text(floor, Unit::Times)),
            at: floor,
            look: Look::reference(Dash::Dashed),
        }));
    }
    for (i, (cell, name)) in cells.iter().zip(names).enumerate() {
        let verdict = cell.control.as_ref().map_or("", |control| control.verdict.as_str());
        layers.push(Layer::Line(Line {
            name: format!("{name}: {verdict}"),
            points: points(cell),
            look: Look::series(i),
        }));
    }
    let load = cells[0].control.as_ref().map_or("load", |control| control.load.as_str());
    let mut chart = Chart {
        suffix: String::new(),
        title: params.text_opt("title").unwrap_or("Balance round by round").to_string(),
        subtitle: data::context(record),
        x: Axis::new("Round", Unit::Count, Scale::Linear),
        y: Axis::new(format!("Largest load ÷ fair load, of {load}"), Unit::Times, Scale::FromZero),
        layers,
        notes: vec![
            "Round 0 is before the first change. Fair load is that of the weights at the start."
                .into(),
            data::origin(record),
        ],
    };
    if data::is_log(params, &chart.values(false)) {
        chart.y.scale = Scale::Log;
        chart.y.title.push_str(", log scale");
    }
    Ok(vec![chart])
}

/// Max over mean by round: the rounds are the last steps of the cell.
fn points(cell: &CellRecord) -> Vec<(f64, f64)> {
    let Some(control) = &cell.control else { return Vec::new() };
    let first = cell.steps.len().saturating_sub(control.rounds as usize + 1);
    cell.steps
        .iter()
        .skip(first)
        .enumerate()
        .filter_map(|(round, step)| {
            Some((round as f64, step.balance.get(&control.load)?.max_over_mean))
        })
        .collect()
}
