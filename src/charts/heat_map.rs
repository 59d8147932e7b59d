//! What moves from which node to which at one step, as a grid: a row per giver, a column per receiver.

use std::collections::{BTreeMap, BTreeSet};

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Heat, Layer, Scale, Texts, Unit};
use super::palette::Look;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{ByLoad, CellRecord, MovementRecord, NodeMoved, Record, StepRecord};

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

/// More fields than this on a side nobody can tell apart: of more nodes several share one.
const MOST_FIELDS: usize = 128;
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

/// The map of one step; None if nothing moves, or if there are too many pairs for the record.
pub fn of_step(record: &Record, cell: &CellRecord, step: &StepRecord, load: &str) -> Option<Chart> {
    let movement = step.movement.as_ref()?;
    let total = *step.totals.get(load)?;
    let (from, to) = sides(cell, step, movement, load)?;
    let (from, to) = (Fields::of(&from), Fields::of(&to));
    let mut amounts = vec![vec![0u64; to.labels.len()]; from.labels.len()];
    for pair in movement.pairs.as_ref()? {
        let amount = *pair.loads.get(load)?;
        if amount > 0 {
            amounts[*from.place.get(&*pair.from)?][*to.place.get(&*pair.to)?] += amount;
        }
    }
    let share = |amount: &u64| (*amount > 0).then(|| *amount as f64 / total as f64 * 100.0);
    let rows: Vec<Vec<Option<f64>>> =
        amounts.iter().map(|row| row.iter().map(share).collect()).collect();
    let most = rows.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let change = step.change.clone().unwrap_or_default();
    let axis = |title: &str, names| Axis::new(title, Unit::Number, Scale::Category(names));
    let mut notes = vec![
        "An empty field: nothing moves between the two. Nodes that give or receive nothing are left out.".to_string(),
    ];
    if from.each.max(to.each) > 1 {
        let several = |n: usize| if n == 1 { "one node".into() } else { format!("{n} nodes") };
        notes.push(format!(
            "A row stands for {}, a column for {}, in the cluster's order.",
            several(from.each),
            several(to.each)
        ));
    }
    notes.push(data::origin(record));
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
        x: axis("Receives", to.labels),
        y: axis("Gives", from.labels),
        layers: vec![Layer::Heat(heat)],
        notes,
    })
}

/// The fields of a side: a node each, or several that follow one another.
struct Fields<'a> {
    /// Most nodes of a field.
    each: usize,
    labels: Vec<String>,
    /// Field of each node.
    place: BTreeMap<&'a str, usize>,
}

impl<'a> Fields<'a> {
    fn of(names: &[&'a str]) -> Self {
        let each = names.len().div_ceil(MOST_FIELDS);
        let label = |names: &[&str]| match names {
            [one] => (*one).to_string(),
            [first, .., last] => format!("{first} … {last}"),
            [] => String::new(),
        };
        Fields {
            each,
            labels: names.chunks(each).map(label).collect(),
            place: names.iter().enumerate().map(|(i, name)| (*name, i / each)).collect(),
        }
    }
}

/// Names of those that give and of those that receive, in the cluster's order.
fn sides<'a>(
    cell: &'a CellRecord,
    step: &'a StepRecord,
    movement: &'a MovementRecord,
    load: &str,
) -> Option<(Vec<&'a str>, Vec<&'a str>)> {
    let before = cell.steps.iter().find(|s| s.step + 1 == step.step)?;
    let moves: BTreeMap<&str, &NodeMoved> =
        movement.per_node.iter().map(|node| (node.node.as_str(), node)).collect();
    // The members before, those that came, then outcomes.
    let mut order: Vec<&str> = Vec::new();
    let mut seen = BTreeSet::new();
    let members = before.per_node.iter().chain(&step.per_node).map(|node| node.node.as_str());
    let all = members.chain(movement.per_node.iter().map(|node| node.node.as_str()));
    order.extend(all.filter(|name| seen.insert(*name)));
    let some = |amounts: &ByLoad<u64>| amounts.get(load).is_some_and(|n| *n > 0);
    let side = |of: fn(&NodeMoved) -> &ByLoad<u64>| -> Vec<&str> {
        order.iter().copied().filter(|n| moves.get(n).is_some_and(|m| some(of(m)))).collect()
    };
    let (from, to) = (side(|m| &m.gives), side(|m| &m.receives));
    (!from.is_empty() && !to.is_empty()).then_some((from, to))
}
