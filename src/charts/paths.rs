//! Paths side by side: what moves in all their steps together, and what of it moves more than once.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Bars, Chart, Fill, Layer, Scale, Texts, Unit};
use super::palette::Look;
use crate::error::Error;
use crate::params::Params;
use crate::record::{AlongPath, CellRecord, Record};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: super::PATHS,
    title: "Paths side by side",
    summary: "movement summed over all steps of each path, and the keys that move more than once",
    params: &[data::LOAD, data::WHERE, data::TITLE],
    draw,
    check: |params| data::conditions(params, "where").map(|_| ()),
};

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let load = params.text("load");
    let cells = data::cells(record, params)?;
    let along = |cell: &CellRecord| -> Option<AlongPath> {
        cell.steps.last()?.movement.as_ref()?.along_path.as_ref()?.get(load).copied()
    };
    let cells: Vec<&CellRecord> = cells.into_iter().filter(|c| along(c).is_some()).collect();
    if cells.is_empty() {
        return Ok(Vec::new());
    }
    let bars = |name: &str, nth: usize, of: fn(AlongPath) -> f64| {
        Layer::Bars(Bars {
            name: name.into(),
            values: cells.iter().map(|c| along(c).map(|a| of(a) * 100.0)).collect(),
            look: Look::series(nth),
            fill: Fill::Solid,
            texts: Texts::Shown,
        })
    };
    Ok(vec![Chart {
        suffix: String::new(),
        title: match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("Share of {load} moved along each path"),
        },
        subtitle: data::context(record),
        x: Axis::new(format!("% of all {load}"), Unit::Percent, Scale::FromZero),
        y: Axis::new("", Unit::Number, Scale::Category(data::names(&cells, &[]))),
        layers: vec![
            bars("moved, every step counted", 0, |a| a.share_moved),
            bars("keys that move more than once", 1, |a| a.more_than_once_share),
        ],
        notes: vec![data::origin(record)],
    }])
}
