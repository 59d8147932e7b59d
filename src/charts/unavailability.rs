//! Share of the rows that cannot be read or cannot be written while a migration runs, a line per cell.

use super::ChartInfo;
use super::data;
use super::model::{Axis, Chart, Layer, Line, Scale, Unit};
use super::palette::{Dash, Look, Marker};
use super::time::{self, Clock};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::Record;

/// The chart.
pub static INFO: ChartInfo = ChartInfo {
    name: "unavailability",
    title: "Unavailability",
    summary: "share of the rows that cannot be read or cannot be written while a migration runs, a line per cell",
    params: &[
        Param::new(
            "limit",
            Type::Int { min: 1, max: 40 },
            Default::Int(7),
            "lines drawn: the cells with the most key-seconds unavailable",
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
    let mut order: Vec<usize> = (0..found.len()).collect();
    let worst = |i: usize| found[i].1.key_seconds_unavailable;
    order.retain(|&i| worst(i) > 0.0);
    order.sort_by(|&a, &b| worst(b).total_cmp(&worst(a)).then(a.cmp(&b)));
    order.truncate(params.int("limit") as usize);
    order.sort_unstable();
    if order.is_empty() {
        return Ok(Vec::new());
    }
    let longest = order.iter().map(|&i| found[i].1.simulated_seconds).fold(0.0, f64::max);
    let clock = Clock::for_length(longest);
    let dashes = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];
    let mut layers = Vec::new();
    for (nth, &i) in order.iter().enumerate() {
        let (_, timeline, name) = &found[i];
        let rows = |i: usize| timeline.windows.rows.get(i).map_or(timeline.rows_in, |rows| *rows);
        let unavailable = timeline.windows.unavailable.iter().enumerate();
        let windows = time::windows(timeline).into_iter().zip(unavailable);
        let mut points: Vec<(f64, f64)> = windows
            .filter(|((_, length), _)| *length > 0.0)
            .map(|((middle, length), (i, unavailable))| {
                let rows = rows(i).max(1) as f64;
                (clock.at(middle), unavailable / length / rows * 100.0)
            })
            .collect();
        // A simulation that ended before the others goes on as it ended.
        points.extend(points.last().map(|(_, share)| (clock.at(longest), *share)));
        let look = Look::series(nth).dash(dashes[nth % dashes.len()]).marker(Marker::None);
        layers.push(Layer::Line(Line { name: name.clone(), points, look }));
    }
    let mut notes = Vec::new();
    let without = found.len() - order.len();
    if without > 0 {
        notes.push(format!(
            "Not drawn: {without} of {} cells, which are available throughout or more than these.",
            found.len()
        ));
    }
    notes.push(data::origin(record));
    let title = params.text_opt("title").unwrap_or("Rows that cannot be read or cannot be written");
    Ok(vec![Chart {
        suffix: String::new(),
        title: title.to_string(),
        subtitle: data::context(record),
        x: clock.axis(),
        y: Axis::new("Share of all rows", Unit::Percent, Scale::FromZero),
        layers,
        notes,
    }])
}
