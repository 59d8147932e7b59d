//! Operations a second of every node while a migration runs; a chart per cell.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Scale, Unit};
use super::palette::{Dash, Look, Marker};
use super::time::{self, Clock};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Record};
use crate::timeline::{NodeWindows, Timeline};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "load-over-time",
    title: "Load over time",
    summary: "operations a second of every node while a migration runs, of many nodes those with the highest peaks; a chart per cell",
    params: &[
        Param::new(
            "what",
            Type::Choice(&["all", "reads", "writes", "copies"]),
            Default::Text("all"),
            "operations that are counted; copies are rows that streams or check-sums read or write",
        ),
        Param::new(
            "limit",
            Type::Int { min: 1, max: 1000 },
            Default::Int(3),
            "cells that get a chart, from the first on",
        ),
        time::STEP,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

/// Most nodes with a line of their own.
const MOST_NODES: usize = 7;

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let found = time::migrations(record, params)?;
    let several = found.len() > 1;
    let limit = params.int("limit") as usize;
    let chart = |(cell, timeline, name): (&CellRecord, &Timeline, String)| {
        let mut chart = chart(timeline, params.text("what"));
        chart.title = match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("Load of nodes over time: {name}"),
        };
        chart.subtitle = data::context(record);
        chart.suffix = if several { cell.id.clone() } else { String::new() };
        chart.notes.push(data::origin(record));
        chart
    };
    Ok(found.into_iter().take(limit).map(chart).collect())
}

/// Operations of a node by window.
fn operations(node: &NodeWindows, what: &str) -> Vec<u64> {
    let sum = |i: usize| node.reads[i] + node.writes[i] + node.copies[i];
    match what {
        "reads" => node.reads.clone(),
        "writes" => node.writes.clone(),
        "copies" => node.copies.clone(),
        _ => (0..node.reads.len()).map(sum).collect(),
    }
}

/// A node's operations over time.
struct NodeLine<'a> {
    name: &'a str,
    peak: f64,
    points: Vec<(f64, f64)>,
}

fn chart(timeline: &Timeline, what: &str) -> Chart {
    let clock = Clock::for_length(timeline.simulated_seconds);
    let windows = time::windows(timeline);
    let mut lines: Vec<NodeLine<'_>> = Vec::new();
    for node in &timeline.windows.nodes {
        let rates = operations(node, what);
        let points: Vec<(f64, f64)> = windows
            .iter()
            .zip(rates)
            .filter(|((_, length), _)| *length > 0.0)
            .map(|((middle, length), count)| (clock.at(*middle), count as f64 / length))
            .collect();
        let peak = points.iter().map(|p| p.1).fold(0.0, f64::max);
        lines.push(NodeLine { name: &node.node, peak, points });
    }
    let all = lines.len();
    // The highest peaks; of equal ones the first nodes.
    let mut order: Vec<usize> = (0..all).collect();
    order.sort_by(|&a, &b| lines[b].peak.total_cmp(&lines[a].peak).then(a.cmp(&b)));
    order.truncate(MOST_NODES);
    order.sort_unstable();
    let dashes = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];
    let layers = order
        .iter()
        .enumerate()
        .map(|(i, &node)| {
            let look = Look::series(i).dash(dashes[i % dashes.len()]).marker(Marker::None);
            let NodeLine { name, points, .. } = &lines[node];
            Layer::Line(Line { name: (*name).to_string(), points: points.clone(), look })
        })
        .collect();
    let mut notes =
        vec![format!("Each point is the mean of a window of {} s.", timeline.windows.seconds)];
    if all > order.len() {
        notes.push(format!("{} of {all} nodes: those with the highest peaks.", order.len()));
    }
    let title = match what {
        "all" => "Operations a second: reads, writes, rows copied or summed".to_string(),
        "copies" => "Rows copied or summed a second".to_string(),
        what => format!("{} a second", data::capitalised(what)),
    };
    Chart {
        suffix: String::new(),
        title: String::new(),
        subtitle: String::new(),
        x: clock.axis(),
        y: Axis::new(title, Unit::Number, Scale::FromZero),
        layers,
        notes,
    }
}
