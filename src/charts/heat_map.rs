//! What moves from which node to which at one step, as a grid: a row per giver, a column per receiver.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Heat, Layer, Scale, Texts, Unit};
use super::palette::Look;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, MovementRecord, Record, StepRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "movement-heat-map",
    title: "Movement from node to node",
    summary: "a grid of what each node gives to each at one step; a chart per cell",
    params: &[
        data::LOAD,
        Param::new(
            "step",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Absent,
            "step of the path; the one at which most moves if absent",
        ),
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// More nodes than this on a side make a grid that nobody can read.
pub const MOST_NODES: usize = 128;
/// More cells than this are drawn only where a scenario picks some.
const MOST_CELLS: usize = 6;

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let cells = data::cells(record, params)?;
    let load = params.text("load");
    let picked = params.list("where").is_some();
    if !picked && cells.len() > MOST_CELLS {
        return Ok(Vec::new());
    }
    let names = data::names(&cells, &[]);
    let charts = cells.iter().zip(&names).filter_map(|(cell, name)| {
        let step = match params.get("step") {
            Some(_) => cell.steps.get(params.int("step") as usize)?,
            None => most(cell, load)?,
        };
        let mut chart = of_step(record, cell, step, load)?;
        if let Some(title) = params.text_opt("title") {
            chart.title = title.to_string();
            if cells.len() > 1 {
                chart.title = format!("{title} ({name})");
            }
        }
        Some(chart)
    });
    Ok(charts.collect())
}

/// The first step at which most of the load moves.
fn most<'a>(cell: &'a CellRecord, load: &str) -> Option<&'a StepRecord> {
    let moved = |step: &StepRecord| Some(step.movement.as_ref()?.loads.get(load)?.moved);
    let steps = cell.steps.iter().filter(|step| moved(step).is_some_and(|n| n > 0));
    steps.rev().max_by_key(|step| moved(step))
}

/// The map of one step; None if nothing moves, or if there are too many nodes or pairs.
pub fn of_step(record: &Record, cell: &CellRecord, step: &StepRecord, load: &str) -> Option<Chart> {
    let movement = step.movement.as_ref()?;
    let total = *step.totals.get(load)?;
    let (from, to) = sides(cell, step, movement, load)?;
    let mut rows = vec![vec![None; to.len()]; from.len()];
    for pair in movement.pairs.as_ref()? {
        let place = |names: &[&str], name: &str| names.iter().position(|n| *n == name);
        let amount = *pair.loads.get(load)?;
        if amount == 0 {
            continue;
        }
        rows[place(&from, &pair.from)?][place(&to, &pair.to)?] =
            Some(amount as f64 / total as f64 * 100.0);
    }
    let most = rows.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let change = step.change.clone().unwrap_or_default();
    let axis = |title: &str, names: Vec<&str>| {
        let names = names.into_iter().map(String::from).collect();
        Axis::new(title, Unit::Number, Scale::Category(names))
    };
    let heat = Heat {
        name: format!(
            "share of all {load}; the darkest is {}",
            super::scale::value_text(most, Unit::Percent)
        ),
        rows,
        unit: Unit::Percent,
        colour: Look::series(0).colour,
        texts: Texts::Shown,
    };
    Some(Chart {
        suffix: format!("{} step {}", cell.id, step.step),
        title: format!("Who gives {load} to whom: {}, {change}", cell.id),
        subtitle: data::context(record),
        x: axis("Receives", to),
        y: axis("Gives", from),
        layers: vec![Layer::Heat(heat)],
        notes: vec![
            "An empty field: nothing moves between the two. Nodes that give or receive nothing are left out."
                .into(),
            data::origin(record),
        ],
    })
}

/// Names of those that give and of those that receive, in the cluster's order.
fn sides<'a>(
    cell: &'a CellRecord,
    step: &'a StepRecord,
    movement: &'a MovementRecord,
    load: &str,
) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let before = cell.steps.iter().find(|s| s.step + 1 == step.step)?;
    let moves = |name: &str| movement.per_node.iter().find(|node| node.node == name);
    // The members before, those that came, then outcomes.
    let mut order: Vec<&str> = Vec::new();
    let members = before.per_node.iter().chain(&step.per_node).map(|node| node.node.as_str());
    for name in members.chain(movement.per_node.iter().map(|node| node.node.as_str())) {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    let some = |amounts: &crate::record::ByLoad<u64>| amounts.get(load).is_some_and(|n| *n > 0);
    let from: Vec<&str> =
        order.iter().copied().filter(|n| moves(n).is_some_and(|m| some(&m.gives))).collect();
    let to: Vec<&str> =
        order.iter().copied().filter(|n| moves(n).is_some_and(|m| some(&m.receives))).collect();
    let fits = |side: &Vec<&str>| (1..=MOST_NODES).contains(&side.len());
    (fits(&from) && fits(&to)).then_some((from, to))
}
