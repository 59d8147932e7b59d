//! The phases of units one by one, as stretches of time; a chart per cell.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Fill, Layer, Periods, Scale, Unit};
use super::palette::Look;
use super::time::{self, Clock};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Record};
use crate::timeline::{Phase, Timeline, UnitRecord};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "unit-gantt",
    title: "Units over time",
    summary: "the phases of units one by one while a migration runs, of many units every so many; a chart per cell",
    params: &[
        Param::new(
            "limit",
            Type::Int { min: 1, max: 1000 },
            Default::Int(2),
            "cells that get a chart, from the first on",
        ),
        time::STEP,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let found = time::migrations(record, params)?;
    let found: Vec<_> = found.into_iter().filter(|(_, t, _)| !t.gantt.is_empty()).collect();
    let several = found.len() > 1;
    let limit = params.int("limit") as usize;
    let chart = |(cell, timeline, name): (&CellRecord, &Timeline, String)| {
        let mut chart = chart(timeline);
        chart.title = match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("Units over time: {name}"),
        };
        chart.subtitle = data::context(record);
        chart.suffix = if several { cell.id.clone() } else { String::new() };
        chart.notes.push(data::origin(record));
        chart
    };
    Ok(found.into_iter().take(limit).map(chart).collect())
}

/// A unit's name, with its nodes where the name does not say them, and how it ended if not well.
fn label(unit: &UnitRecord) -> String {
    let nodes = format!("{} → {}", unit.from, unit.to);
    let name = match unit.unit == nodes {
        true => nodes,
        false => format!("{}: {nodes}", unit.unit),
    };
    if unit.end == Phase::Done.name() { name } else { format!("{name} ({})", unit.end) }
}

fn chart(timeline: &Timeline) -> Chart {
    let clock = Clock::for_length(timeline.simulated_seconds);
    let mut layers = Vec::new();
    for (i, phase) in Phase::TIMED.into_iter().enumerate() {
        let mut stretches = Vec::new();
        for (row, unit) in timeline.gantt.iter().enumerate() {
            let spans = unit.spans.iter().filter(|(name, ..)| name == phase.name());
            stretches.extend(spans.map(|(_, from, to)| (row, clock.at(*from), clock.at(*to))));
        }
        if stretches.iter().any(|(_, from, to)| to > from) {
            // What waits for the end is faint.
            let fill = if phase == Phase::Kept { Fill::Faint } else { Fill::Solid };
            let look = Look::series(i);
            layers.push(Layer::Periods(Periods {
                name: phase.name().to_string(),
                stretches,
                look,
                fill,
            }));
        }
    }
    let (shown, all) = (timeline.gantt.len(), timeline.units);
    let mut notes = Vec::new();
    if all > shown as u64 {
        let every = data::ordinal(all.div_ceil(shown as u64));
        notes.push(format!("Every {every} of {all} units."));
    }
    let rows = timeline.gantt.iter().map(label).collect();
    Chart {
        suffix: String::new(),
        title: String::new(),
        subtitle: String::new(),
        x: clock.axis(),
        y: Axis::new("", Unit::Number, Scale::Category(rows)),
        layers,
        notes,
    }
}
