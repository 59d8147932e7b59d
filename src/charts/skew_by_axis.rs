//! Skew against a swept number, such as the vnode count: measured lines, the band over label sets,
//! theory, and claimed points.

use std::collections::BTreeSet;

use super::data::{self, Stat};
use super::model::{Axis, Band, Chart, Layer, Line, Mark, Scale, Unit};
use super::palette::{Dash, Look, Marker};
use super::scale::value_text;
use super::{ChartInfo, theory};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::record::{CellRecord, Record};
use crate::strategy;

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "skew-by-axis",
    title: "Skew against a swept number",
    summary: "a line per hasher or strategy, the band over label sets, theory, claimed points",
    params: &[
        Param::new(
            "axis",
            Type::Text,
            Default::Absent,
            "swept axis with three or more numbers; the first such axis if absent",
        ),
        Param::new(
            "load",
            Type::Text,
            Default::Absent,
            "load, or `owned` for exact shares; `owned` where every cell has it, else `keys`, if absent",
        ),
        Param::new("stat", Type::Text, Default::Text("max-deviation"), "statistic of balance"),
        Param::new(
            "step",
            Type::Int { min: 0, max: 1_000_000 },
            Default::Int(0),
            "step of the path",
        ),
        data::Y_SCALE,
        Param::new(
            "band",
            Type::List(&Type::Text),
            Default::Absent,
            "cells of the band, as texts `axis=value`; the first line with trials if absent",
        ),
        Param::new(
            "marks",
            Type::List(&Type::Text),
            Default::Absent,
            "claimed points, as texts `x:y:text`, y as in the record (0.27 for 27 %)",
        ),
        data::WHERE,
        data::TITLE,
    ],
    draw,
    check: |params| settings(params).map(|_| ()),
};

/// The band covers this much of the label sets.
const BAND: &str = "5 to 95 %";

struct Settings {
    stat: &'static Stat,
    band: Vec<(String, String)>,
    marks: Vec<(f64, f64, String)>,
}

/// One line: the cells that differ only on the axis, by ascending value.
pub(super) struct Group<'a> {
    pub name: String,
    pub cells: Vec<(f64, &'a CellRecord)>,
}

fn draw(record: &Record, params: &Params) -> Result<Vec<Chart>, Error> {
    let settings = settings(params)?;
    let stat = settings.stat;
    let cells = data::cells(record, params)?;
    let numeric = |c: &&CellRecord| -> Vec<String> {
        c.at.iter().filter(|(_, v)| v.is_number()).map(|(k, _)| k.clone()).collect()
    };
    data::known("axis", params.text_opt("axis"), cells.iter().flat_map(numeric))?;
    let axis = match params.text_opt("axis") {
        Some(axis) => Some(axis.to_string()),
        None => swept_axis(&cells),
    };
    let Some(axis) = axis else { return Ok(Vec::new()) };
    let groups = groups(&cells, &axis);
    let step = params.int("step") as usize;
    let load = load(params, &groups, step);
    let lines: Vec<(&Group<'_>, Vec<(f64, f64)>)> = groups
        .iter()
        .map(|g| (g, measured(g, stat, &load, step)))
        .filter(|(_, points)| !points.is_empty())
        .collect();
    if lines.iter().all(|(_, points)| points.len() < 2) {
        return Ok(Vec::new());
    }

    let mut notes = Vec::new();
    let banded = (load == "owned" || load == "keys")
        .then(|| {
            let wanted = |g: &&Group<'_>| g.cells.iter().all(|c| data::meets(c.1, &settings.band));
            groups.iter().filter(wanted).find(|g| !band(g, stat, step).is_empty())
        })
        .flatten();
    let mut layers = Vec::new();
    if let Some(group) = banded {
        band_layers(group, stat, step, &mut layers);
        let trials =
            group.cells.iter().find_map(|c| c.1.trials.as_ref()).expect("the group has trials");
        notes.push(format!(
            "Band and median: {} label sets for {}, measured on {}.",
            trials.count, group.name, trials.on
        ));
    }
    let theory_group = banded.or(groups.first());
    if let Some((layer, note)) = theory_group.and_then(|g| theory_layer(g, stat, &load, step)) {
        layers.push(layer);
        notes.push(note);
    }
    for (i, (group, points)) in lines.iter().enumerate() {
        layers.push(Layer::Line(Line {
            name: group.name.clone(),
            points: points.clone(),
            look: Look::series(i),
        }));
    }
    let marks = marks(&settings, banded, &load, step);
    if !marks.is_empty() {
        layers.push(Layer::Marks(marks));
    }
    notes.push(data::origin(record));

    let mut chart = Chart {
        suffix: String::new(),
        title: match params.text_opt("title") {
            Some(title) => title.to_string(),
            None => format!("{} against {}", capital_skew(stat), short(&axis)),
        },
        subtitle: data::context(record),
        x: Axis::new(axis_title(&axis, &groups), Unit::Number, Scale::Linear),
        y: Axis::new(y_title(stat, &load), stat.unit, Scale::FromZero),
        layers,
        notes,
    };
    if data::spans_factor(&chart.values(true), 8.0) {
        chart.x.scale = Scale::Log;
    }
    if data::is_log(params, &chart.values(false)) {
        chart.y.scale = Scale::Log;
    }
    for axis in [&mut chart.x, &mut chart.y] {
        if axis.scale == Scale::Log {
            axis.title.push_str(", log scale");
        }
    }
    Ok(vec![chart])
}

fn settings(params: &Params) -> Result<Settings, Error> {
    let texts = params.list("marks").unwrap_or_default();
    let marks = texts.iter().map(|text| match text {
        Value::Text(text) => parse_mark(text),
        other => panic!("`marks` holds {other}, not a text"),
    });
    data::conditions(params, "where")?;
    Ok(Settings {
        stat: data::stat(params.text("stat"))?,
        band: data::conditions(params, "band")?,
        marks: marks.collect::<Result<_, _>>()?,
    })
}

fn parse_mark(text: &str) -> Result<(f64, f64, String), Error> {
    let mut parts = text.splitn(3, ':');
    let mut number = || parts.next()?.trim().parse().ok().filter(|x: &f64| x.is_finite());
    match (number(), number(), parts.next()) {
        (Some(x), Some(y), Some(label)) => Ok((x, y, label.trim().to_string())),
        _ => Err(Error::invalid(format!("`marks` has \"{text}\""))
            .help("allowed: `x:y:text`, e.g. `32:0.27:claimed 27 % at 32`")
            .field("marks")),
    }
}

/// The first axis on which the cells have three or more numbers; a bare one before a dotted one.
pub(super) fn swept_axis(cells: &[&CellRecord]) -> Option<String> {
    let mut axes: Vec<&String> = cells.iter().flat_map(|c| c.at.keys()).collect();
    let mut seen = BTreeSet::new();
    axes.retain(|a| seen.insert(a.as_str()));
    axes.sort_by_key(|a| a.contains('.'));
    let swept = axes.into_iter().find(|axis| {
        let values = cells.iter().filter_map(|c| c.at.get(axis.as_str())?.as_f64());
        values.map(f64::to_bits).collect::<BTreeSet<u64>>().len() >= 3
    });
    swept.cloned()
}

/// The cells by what tells them apart beside the axis.
pub(super) fn groups<'a>(cells: &[&'a CellRecord], axis: &str) -> Vec<Group<'a>> {
    let on_axis: Vec<&CellRecord> =
        cells.iter().copied().filter(|c| c.at.get(axis).is_some_and(|v| v.is_number())).collect();
    let names = data::names(&on_axis, &[axis]);
    let mut groups: Vec<Group<'a>> = Vec::new();
    for (cell, name) in on_axis.into_iter().zip(names) {
        let value = cell.at[axis].as_f64().expect("it is a number");
        match groups.iter_mut().find(|g| g.name == name) {
            Some(group) => group.cells.push((value, cell)),
            None => groups.push(Group { name, cells: vec![(value, cell)] }),
        }
    }
    for group in &mut groups {
        group.cells.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    groups
}

fn load(params: &Params, groups: &[Group<'_>], step: usize) -> String {
    if let Some(load) = params.text_opt("load") {
        return load.to_string();
    }
    let mut cells = groups.iter().flat_map(|g| &g.cells);
    let owned =
        cells.all(|(_, c)| c.steps.get(step).is_none_or(|s| s.balance.contains_key("owned")));
    if owned { "owned".to_string() } else { "keys".to_string() }
}

fn measured(group: &Group<'_>, stat: &Stat, load: &str, step: usize) -> Vec<(f64, f64)> {
    let value = |cell: &CellRecord| Some((stat.of)(cell.steps.get(step)?.balance.get(load)?));
    group.cells.iter().filter_map(|(x, cell)| Some((*x, value(cell)?))).collect()
}

fn band(group: &Group<'_>, stat: &Stat, step: usize) -> Vec<(f64, crate::record::Band)> {
    let of = |cell: &CellRecord| {
        let trials = cell.trials.as_ref()?;
        (stat.band)(trials.steps.iter().find(|s| s.step == step)?)
    };
    group.cells.iter().filter_map(|(x, cell)| Some((*x, of(cell)?))).collect()
}

fn band_layers(group: &Group<'_>, stat: &Stat, step: usize, layers: &mut Vec<Layer>) {
    let band = band(group, stat, step);
    layers.push(Layer::Band(Band {
        name: format!("{BAND} of label sets, {}", group.name),
        points: band.iter().map(|(x, b)| (*x, b.p5, b.p95)).collect(),
        colour: Look::series(0).colour,
    }));
    layers.push(Layer::Line(Line {
        name: "median of label sets".into(),
        points: band.iter().map(|(x, b)| (*x, b.p50)).collect(),
        look: Look::series(0).marker(Marker::None).stroke(1.2),
    }));
}

fn theory_layer(
    group: &Group<'_>,
    stat: &Stat,
    load: &str,
    step: usize,
) -> Option<(Layer, String)> {
    let floor = load == "requests" && stat.name == "max-over-mean";
    let value = |cell: &CellRecord| {
        let step = cell.steps.get(step)?;
        if floor {
            return step.theory.hot_key_floor;
        }
        let owned = step.theory.cv_owned?;
        // Keys add the noise of sampling to that of the shares; of requests nothing is known.
        let sampling = match load {
            "owned" => 0.0,
            "keys" => step.theory.cv_sampling?,
            _ => return None,
        };
        theory::expected(stat.name, libm::sqrt(owned * owned + sampling * sampling), step.nodes)
    };
    let points: Vec<(f64, f64)> = group
        .cells
        .iter()
        .filter_map(|(x, cell)| {
            let value = value(cell)?;
            Some((*x, if stat.unit == Unit::Percent { value * 100.0 } else { value }))
        })
        .collect();
    if points.is_empty() {
        return None;
    }
    let look = Look::reference(Dash::Dashed);
    if floor {
        let name = "hot-key floor".to_string();
        let note = "Floor: no single owner of the hottest key can be below its share × nodes.";
        return Some((Layer::Line(Line { name, points, look }), note.to_string()));
    }
    let name = "theory".to_string();
    Some((
        Layer::Line(Line { name, points, look }),
        theory::describe(stat.name, group.cells[0].1.steps[0].nodes),
    ))
}

/// Claimed points; those at a value that the band has say where the scenario's own labels lie.
fn marks(settings: &Settings, banded: Option<&Group<'_>>, load: &str, step: usize) -> Vec<Mark> {
    let stat = settings.stat;
    let scale = if stat.unit == Unit::Percent { 100.0 } else { 1.0 };
    let own = |x: f64| -> Option<String> {
        let group = banded?;
        let percentile = band(group, stat, step).into_iter().find(|b| b.0 == x)?.1.own_percentile?;
        let value = measured(group, stat, load, step).into_iter().find(|p| p.0 == x)?.1;
        let rank = data::ordinal(libm::round(percentile * 100.0) as u64);
        Some(format!("own labels {}: {rank} percentile", value_text(value, stat.unit)))
    };
    settings
        .marks
        .iter()
        .map(|(x, y, text)| Mark {
            x: *x,
            y: y * scale,
            lines: [Some(text.clone()), own(*x)].into_iter().flatten().collect(),
        })
        .collect()
}

fn short(axis: &str) -> &str {
    axis.rsplit('.').next().unwrap_or(axis)
}

fn capital_skew(stat: &Stat) -> String {
    stat.title.split(',').next().unwrap_or(stat.title).to_string()
}

/// What the axis is, from the parameter that a strategy declares for it.
pub(super) fn axis_title(axis: &str, groups: &[Group<'_>]) -> String {
    let of = |cell: &CellRecord| {
        let info = strategy::ALL.iter().find(|s| s.name == cell.strategy)?;
        info.params.iter().find(|p| p.name == axis).map(|p| p.doc)
    };
    let doc = groups.iter().flat_map(|g| &g.cells).find_map(|c| of(c.1));
    match doc {
        Some(doc) => data::capitalised(doc),
        None => data::capitalised(short(axis)),
    }
}

fn y_title(stat: &Stat, load: &str) -> String {
    let of = if load == "owned" { "owned share".to_string() } else { load.to_string() };
    let unit = if stat.unit == Unit::Percent { ", % of fair" } else { "" };
    format!("{} ({of}){unit}", stat.title)
}
