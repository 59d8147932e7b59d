//! Several metrics of the record against a swept number on one chart, each as a multiple of its first
//! value: what is gained and what is paid for it.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Scale, Unit};
use super::palette::Look;
use super::skew_by_axis::{axis_title, groups, swept_axis};
use crate::error::Error;
use crate::metrics::{self, Metric};
use crate::params::{Default, Param, Params, Type, Value};
use crate::record::{CellRecord, Record};

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "metrics-by-axis",
    title: "Metrics against a swept number",
    summary: "a line per metric, each as a multiple of its first value",
    params: &[
        Param::new(
            "metrics",
            Type::List(&Type::Text),
            Default::Absent,
            "dotted names of metrics; no chart is drawn without",
        ),
        Param::new(
            "axis",
            Type::Text,
            Default::Absent,
            "swept axis with three or more numbers; the first such axis if absent",
        ),
        Param::new(
            "step",
            Type::Int { min: 0, max: 1_000_000 },
            Default::Int(0),
            "step of the path",
        ),
        data::Y_SCALE,
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| wanted(params).and(data::conditions(params, "where")).map(|_| ()),
};

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let metrics = wanted(params)?;
    let cells = data::cells(record, params)?;
    let axis = params.text_opt("axis").map(str::to_string).or_else(|| swept_axis(&cells));
    let Some(axis) = axis.filter(|_| !metrics.is_empty()) else { return Ok(Vec::new()) };
    let groups = groups(&cells, &axis);
    let step = params.int("step") as usize;
    let mut layers = Vec::new();
    for metric in &metrics {
        for group in &groups {
            let points = relative(metric, &group.cells, step);
            if points.len() < 2 {
                continue;
            }
            let name = match groups.len() {
                1 => metric.name(),
                _ => format!("{}, {}", metric.name(), group.name),
            };
            layers.push(Layer::Line(Line { name, points, look: Look::series(layers.len()) }));
        }
    }
    if layers.is_empty() {
        return Ok(Vec::new());
    }
    let mut chart = Chart {
        suffix: String::new(),
        title: match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => "What is gained and what is paid".to_string(),
        },
        subtitle: data::context(record),
        x: Axis::new(axis_title(&axis, &groups), Unit::Number, Scale::Linear),
        y: Axis::new("As a multiple of the first value", Unit::Times, Scale::FromZero),
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

/// The metrics that a chart asks for.
fn wanted(params: &Params) -> Result<Vec<Metric<'_>>, Error> {
    params.list("metrics").unwrap_or_default().iter().map(metric).collect()
}

fn metric(name: &Value) -> Result<Metric<'_>, Error> {
    match name {
        Value::Text(name) => metrics::find(name).map_err(|error| error.field("metrics")),
        other => unreachable!("`metrics` is declared as texts: {other}"),
    }
}

/// A metric along the axis, over its first value.
fn relative(metric: &Metric<'_>, cells: &[(f64, &CellRecord)], step: usize) -> Vec<(f64, f64)> {
    let value = |cell: &CellRecord| metric.value(cell.steps.get(step)?, cell);
    let points = cells.iter().filter_map(|(x, cell)| Some((*x, value(cell)?)));
    let points: Vec<(f64, f64)> = points.filter(|(_, y)| *y > 0.0).collect();
    let Some(&(_, first)) = points.first() else { return Vec::new() };
    points.into_iter().map(|(x, y)| (x, y / first)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixtures;
    use super::*;

    fn params(metrics: &[&str]) -> Params {
        let names = metrics.iter().map(|m| Value::Text((*m).into())).collect();
        Params::from_pairs(INFO.params, vec![("metrics".into(), Value::List(names))]).unwrap()
    }

    #[test]
    fn every_metric_begins_at_one() {
        let record = fixtures::vnodes(&["md5"], &[100.0, 200.0, 400.0]);
        let params = params(&["theory.cv-owned", "owned.max-deviation", "keys.p-fair"]);
        let chart = draw(&record, &params).unwrap().remove(0);
        // The fixture has no p-values: no line for them.
        assert_eq!(chart.layers.len(), 2);
        let Layer::Line(line) = &chart.layers[0] else { panic!("a line") };
        assert_eq!(line.points[0], (100.0, 1.0));
        // √(1601 ÷ 6401)
        assert!((line.points[2].1 - 0.500_117).abs() < 1e-6, "{line:?}");
    }

    #[test]
    fn nothing_is_drawn_unless_metrics_are_named() {
        let record = fixtures::vnodes(&["md5"], &[100.0, 200.0, 400.0]);
        assert!(draw(&record, &Params::defaults(INFO.params).unwrap()).unwrap().is_empty());
        assert!(draw(&record, &params(&["keys.max-devation"])).is_err());
    }
}
