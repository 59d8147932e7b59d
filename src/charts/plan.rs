//! Where everything of a chart goes: a plan of the sheet, made before anything is drawn.

use plotters_backend::text_anchor::{HPos, VPos};

use super::canvas::Font;
use super::legend::Legend;
use super::model::{Axis, Chart, Layer, Scale, Texts};
use super::palette::{INK, SOFT};
use super::place::ABOVE;
use super::scale::{Map, value_text};
use super::text::{self, Frame, Weight};

/// Width of the sheet and its height, unless rows or names need more: 16 to 9, as a slide.
pub const WIDTH: f64 = 1200.0;
/// See [`WIDTH`].
pub const HEIGHT: f64 = 675.0;
/// Free border of the sheet.
pub const MARGIN: f64 = 40.0;

const TITLE: Font = Font { size: 26.0, weight: Weight::Bold, colour: INK };
const SUBTITLE: Font = Font { size: 16.0, weight: Weight::Regular, colour: SOFT };
const AXIS_TITLE: Font = Font { size: 14.0, weight: Weight::Regular, colour: INK };
const TICK: Font = Font { size: 13.0, weight: Weight::Regular, colour: SOFT };
const NOTE: Font = Font { size: 12.0, weight: Weight::Regular, colour: SOFT };
/// Texts inside the plot.
pub const LABEL: Font = Font { size: 13.0, weight: Weight::Regular, colour: INK };

/// Height of a line of ticks and labels.
pub const LABEL_LINE: f64 = 16.0;
/// Least height of a plot.
const LEAST_PLOT: f64 = 260.0;
/// Least height of a plot with names beside it or below it.
const LEAST_BESIDE: f64 = 400.0;
/// Least height of a row of a category axis that runs down, and of each layer that has a bar or a
/// span in it.
const LEAST_ROW: f64 = 20.0;
/// See [`LEAST_ROW`].
const LEAST_BAR: f64 = 12.0;
/// The same where several bars in a row have their values beside them.
const LEAST_BAR_TEXT: f64 = 22.0;
/// The same where points in the rows have texts above them.
const LEAST_MARKED: f64 = 2.0 * (ABOVE + LABEL_LINE + 2.0);
/// Widest name of such a row before it wraps.
const WIDEST_ROW: f64 = 330.0;
/// Free pixels between the texts of two ticks.
const TICK_GAP: f64 = 12.0;

/// A text with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// One line.
    pub text: String,
    /// The point that `h` and `v` name.
    pub at: (f64, f64),
    /// How it is set.
    pub font: Font,
    /// Where it lies from `at`.
    pub h: HAlign,
    /// See `h`.
    pub v: VAlign,
}

/// Horizontal side of a text on which its point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HAlign {
    /// Left end.
    Left,
    /// Middle.
    Center,
    /// Right end.
    Right,
}

/// Vertical side of a text on which its point lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VAlign {
    /// Top.
    Top,
    /// Middle of the capitals.
    Center,
}

impl From<HAlign> for HPos {
    fn from(h: HAlign) -> HPos {
        match h {
            HAlign::Left => HPos::Left,
            HAlign::Center => HPos::Center,
            HAlign::Right => HPos::Right,
        }
    }
}

impl From<VAlign> for VPos {
    fn from(v: VAlign) -> VPos {
        match v {
            VAlign::Top => VPos::Top,
            VAlign::Center => VPos::Center,
        }
    }
}

/// The plan of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Height of the sheet.
    pub height: f64,
    /// The plot between the axes.
    pub plot: Frame,
    /// Values to pixels.
    pub x: Map,
    /// See `x`.
    pub y: Map,
    /// Pixels of grid lines that stand upright and that lie flat.
    pub grid: (Vec<f64>, Vec<f64>),
    /// Titles, ticks, notes and the names of upright rules.
    pub texts: Vec<Placed>,
    /// Names of layers.
    pub legend: Legend,
    /// Top of the names below the plot.
    pub legend_top: f64,
}

impl Plan {
    /// Plans a chart.
    pub fn new(chart: &Chart) -> Plan {
        let mut texts = Vec::new();
        let header = header(chart, &mut texts);
        let room = if shows_values(chart) { 0.12 } else { 0.0 };
        let (across, up) = if chart.is_horizontal() { (room, 0.0) } else { (0.0, room) };
        let x = Map::new(&chart.x, &chart.values(true), across);
        // Points need less room around them than bars.
        let only_lines = matches!(&chart.x.scale, Scale::Category(n) if n.len() > 1)
            && !chart.fills_categories();
        let x = if only_lines { x.tightened(0.2) } else { x };
        let y = Map::new(&chart.y, &chart.values(false), up);

        let notes: Vec<String> = chart
            .notes
            .iter()
            .flat_map(|n| text::wrap(n, NOTE.size, NOTE.weight, WIDTH - 2.0 * MARGIN))
            .collect();
        let notes_height = notes.len() as f64 * LABEL_LINE;

        // From the left: row names or tick texts, the plot, names of layers.
        let rows = row_names(&chart.y);
        let left = MARGIN + left_width(chart, &y, &rows) + 12.0;
        let mut legend = Legend::new(chart, WIDTH - 2.0 * MARGIN, LEAST_BESIDE);
        let beside = legend.width_beside();
        let right = WIDTH - MARGIN - if beside > 0.0 { beside } else { 8.0 };
        let x = x.onto(left, right);

        // From the top: header, vertical axis' title, names of upright rules, the plot.
        let mut top = header + 14.0;
        if !chart.y.title.is_empty() {
            texts.push(line_at(&chart.y.title, (MARGIN, top), AXIS_TITLE, HAlign::Left));
            top += 26.0;
        }
        let (rule_texts, rules_height) = rule_names(chart, &x, left, right);
        for mut placed in rule_texts {
            placed.at.1 += top;
            texts.push(placed);
        }
        top += rules_height + if rules_height > 0.0 { 4.0 } else { 0.0 };

        // From the bottom: notes, names below, horizontal axis' title, its ticks.
        let ticks = across_ticks(chart, &x, left, right);
        let tick_lines = ticks.iter().map(|t| t.1.len()).max().unwrap_or(0) as f64;
        let title_height = if chart.x.title.is_empty() { 0.0 } else { 26.0 };
        let below = legend.height_below();
        let foot = 10.0
            + tick_lines * LABEL_LINE
            + title_height
            + if below > 0.0 { below + 14.0 } else { 0.0 }
            + if notes.is_empty() { 0.0 } else { notes_height + 12.0 }
            + 20.0;
        let least_bar = if several_values(chart) { LEAST_BAR_TEXT } else { LEAST_BAR };
        let least_row = LEAST_ROW.max(4.0 + least_bar * chart.beside() as f64);
        let least_row =
            if has_marked_rows(chart) { least_row.max(LEAST_MARKED) } else { least_row };
        let row_height =
            rows.iter().map(|r| r.len() as f64 * LABEL_LINE + 4.0).fold(least_row, f64::max);
        let least = LEAST_PLOT.max(rows.len() as f64 * row_height);
        let least = if beside + below > 0.0 { least.max(LEAST_BESIDE) } else { least };
        let plot_height = (HEIGHT - top - foot).max(least);
        let bottom = top + plot_height;
        let height = bottom + foot;
        let plot = Frame { left, top, right, bottom };
        let y = if chart.is_horizontal() { y.onto(top, bottom) } else { y.onto(bottom, top) };

        let mut at = bottom + 10.0;
        for (px, lines) in &ticks {
            for (i, line) in lines.iter().enumerate() {
                let place = (*px, at + i as f64 * LABEL_LINE);
                texts.push(line_at(line, place, TICK, HAlign::Center));
            }
        }
        at += tick_lines * LABEL_LINE + 4.0;
        if !chart.x.title.is_empty() {
            let title = fitted(&chart.x.title, AXIS_TITLE, WIDTH - 2.0 * MARGIN);
            let half = text::width(&title, AXIS_TITLE.size, AXIS_TITLE.weight) / 2.0;
            let middle = ((left + right) / 2.0)
                .clamp(MARGIN + half, (WIDTH - MARGIN - half).max(MARGIN + half));
            texts.push(line_at(&title, (middle, at), AXIS_TITLE, HAlign::Center));
            at += title_height;
        }
        let legend_top = at + 8.0;
        for (i, note) in notes.iter().enumerate() {
            let place = (MARGIN, height - 20.0 - notes_height + i as f64 * LABEL_LINE);
            texts.push(line_at(note, place, NOTE, HAlign::Left));
        }
        let flat = side_texts(chart, &y, &rows, left, &mut texts);
        let upright = match chart.x.scale {
            Scale::Category(_) => Vec::new(),
            _ => ticks.iter().map(|t| t.0).collect(),
        };
        legend.place(chart, &x, &y, right, top, bottom);
        Plan { height, plot, x, y, grid: (upright, flat), texts, legend, legend_top }
    }
}

fn line_at(text: &str, at: (f64, f64), font: Font, h: HAlign) -> Placed {
    Placed { text: text.to_string(), at, font, h, v: VAlign::Top }
}

/// One line, cut if it must be; the whole text is in the chart's description.
fn fitted(text: &str, font: Font, width: f64) -> String {
    text::wrap_at_most(text, font.size, font.weight, width, 1).concat()
}

/// Places title and subtitle; returns where they end.
fn header(chart: &Chart, texts: &mut Vec<Placed>) -> f64 {
    let mut top = 26.0;
    for (text, font) in [(&chart.title, TITLE), (&chart.subtitle, SUBTITLE)] {
        if text.is_empty() {
            continue;
        }
        for line in text::wrap_at_most(text, font.size, font.weight, WIDTH - 2.0 * MARGIN, 2) {
            texts.push(line_at(&line, (MARGIN, top), font, HAlign::Left));
            top += font.size * text::LINE;
        }
        top += 2.0;
    }
    top
}

fn shows_values(chart: &Chart) -> bool {
    chart.layers.iter().any(|l| match l {
        Layer::Bars(bars) => bars.texts == Texts::Shown,
        Layer::Spans(spans) => spans.texts == Texts::Shown,
        _ => false,
    })
}

/// Whether a row has a point with a text.
fn has_marked_rows(chart: &Chart) -> bool {
    let has_text = |layer: &Layer| match layer {
        Layer::Marks(marks) => marks.iter().any(|mark| !mark.lines.is_empty()),
        _ => false,
    };
    chart.is_horizontal() && chart.layers.iter().any(has_text)
}

/// Whether more than one layer writes values beside its bars.
fn several_values(chart: &Chart) -> bool {
    let shown = |l: &&Layer| matches!(l, Layer::Bars(bars) if bars.texts == Texts::Shown);
    chart.layers.iter().filter(shown).count() > 1
}

/// Names of the rows of an axis that runs down, wrapped; empty for other axes.
fn row_names(axis: &Axis) -> Vec<Vec<String>> {
    match &axis.scale {
        Scale::Category(names) => {
            names.iter().map(|n| text::wrap(n, TICK.size, TICK.weight, WIDEST_ROW)).collect()
        }
        _ => Vec::new(),
    }
}

fn left_width(chart: &Chart, y: &Map, rows: &[Vec<String>]) -> f64 {
    let width = |t: &String| text::width(t, TICK.size, TICK.weight);
    if chart.is_horizontal() {
        return rows.iter().flatten().map(width).fold(0.0, f64::max);
    }
    let ticks = y.tick_sets(chart.y.unit);
    ticks.iter().flatten().map(|t| width(&t.1)).fold(0.0, f64::max)
}

/// Texts of the vertical axis; returns where its grid lines lie.
fn side_texts(
    chart: &Chart,
    y: &Map,
    rows: &[Vec<String>],
    left: f64,
    texts: &mut Vec<Placed>,
) -> Vec<f64> {
    let mut put = |text: &str, py: f64| {
        let at = (left - 10.0, py);
        texts.push(Placed {
            text: text.to_string(),
            at,
            font: TICK,
            h: HAlign::Right,
            v: VAlign::Center,
        });
    };
    if chart.is_horizontal() {
        for (i, lines) in rows.iter().enumerate() {
            let middle = y.px(i as f64).expect("a row has a place");
            for (j, line) in lines.iter().enumerate() {
                let above = (lines.len() - 1) as f64 / 2.0;
                put(line, middle + (j as f64 - above) * LABEL_LINE);
            }
        }
        return Vec::new();
    }
    let clear = |ticks: &Vec<(f64, String)>| {
        let places: Vec<f64> = ticks.iter().filter_map(|t| y.px(t.0)).collect();
        places.windows(2).all(|p| libm::fabs(p[0] - p[1]) >= 26.0)
    };
    let ticks = y.tick_sets(chart.y.unit).into_iter().find(clear).unwrap_or_default();
    for (value, text) in &ticks {
        put(text, y.px(*value).expect("a tick has a place"));
    }
    ticks.iter().filter_map(|t| y.px(t.0)).collect()
}

/// Ticks of the horizontal axis: pixel and lines.
fn across_ticks(chart: &Chart, x: &Map, left: f64, right: f64) -> Vec<(f64, Vec<String>)> {
    let axis = &chart.x;
    if let Scale::Category(names) = &axis.scale {
        return category_ticks(names, x, left, right);
    }
    let half = |t: &str| text::width(t, TICK.size, TICK.weight) / 2.0;
    let own = own_ticks(chart).into_iter();
    for ticks in own.chain(x.tick_sets(axis.unit)) {
        let places: Vec<(f64, String)> =
            ticks.into_iter().filter_map(|(v, t)| Some((x.px(v)?, t))).collect();
        let clear =
            places.windows(2).all(|p| p[0].0 + half(&p[0].1) + TICK_GAP <= p[1].0 - half(&p[1].1));
        if clear {
            let fits =
                |p: &(f64, String)| p.0 + half(&p.1) <= WIDTH - 4.0 && p.0 - half(&p.1) >= 4.0;
            return places.into_iter().filter(fits).map(|(px, t)| (px, vec![t])).collect();
        }
    }
    Vec::new()
}

/// A tick at every number of a sweep on a log axis, which is what a reader looks for.
fn own_ticks(chart: &Chart) -> Option<Vec<(f64, String)>> {
    if chart.x.scale != Scale::Log || chart.is_horizontal() {
        return None;
    }
    let mut values = chart.values(true);
    values.retain(|v| *v > 0.0);
    values.sort_by(f64::total_cmp);
    values.dedup();
    let ticks = values.into_iter().map(|v| (v, value_text(v, chart.x.unit)));
    Some(ticks.collect::<Vec<_>>()).filter(|ticks| ticks.len() > 1)
}

/// Names of categories: all of them if they fit in up to three lines, else every second, third …
fn category_ticks(names: &[String], x: &Map, left: f64, right: f64) -> Vec<(f64, Vec<String>)> {
    let slot = match (x.px(0.0), x.px(1.0)) {
        (Some(first), Some(second)) if names.len() > 1 => second - first,
        _ => right - left,
    };
    let longest_word = |name: &String| {
        let words = name.split_whitespace().map(|w| text::width(w, TICK.size, TICK.weight));
        words.fold(0.0, f64::max)
    };
    let widest = names.iter().map(longest_word).fold(0.0, f64::max);
    for every in 1..=names.len() {
        let width = slot * every as f64 - TICK_GAP;
        let wrapped: Vec<(f64, Vec<String>)> = names
            .iter()
            .enumerate()
            .step_by(every)
            .map(|(i, n)| {
                let px = x.px(i as f64).expect("a category has a place");
                // Near an edge of the sheet there is less room.
                let room = width.min(2.0 * (px - 4.0)).min(2.0 * (WIDTH - 4.0 - px));
                (px, text::wrap_at_most(n, TICK.size, TICK.weight, room.max(20.0), 3))
            })
            .collect();
        let whole = wrapped.iter().all(|(_, lines)| !lines[lines.len() - 1].ends_with('…'));
        let fits = whole && (widest <= width || width >= 60.0);
        if fits || width >= 160.0 || every == names.len() {
            return wrapped;
        }
    }
    Vec::new()
}

/// Names of rules that stand upright, in rows above the plot; the lowest row ends at the height returned.
fn rule_names(chart: &Chart, x: &Map, left: f64, right: f64) -> (Vec<Placed>, f64) {
    if !chart.is_horizontal() {
        return (Vec::new(), 0.0);
    }
    let mut rules: Vec<(f64, &str)> = chart
        .layers
        .iter()
        .filter_map(|l| match l {
            Layer::Rule(rule) if !rule.name.is_empty() => {
                Some((x.px(rule.at)?, rule.name.as_str()))
            }
            _ => None,
        })
        .collect();
    rules.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Each name goes into the lowest row in which it fits right of the names there.
    let mut ends: Vec<f64> = Vec::new();
    let mut placed: Vec<(usize, f64, String)> = Vec::new();
    for (px, name) in rules {
        let name = fitted(name, LABEL, right - MARGIN);
        let half = text::width(&name, LABEL.size, LABEL.weight) / 2.0;
        let low = (left + half).min(right - half).max(MARGIN + half);
        let middle = px.clamp(low, (right - half).max(low));
        let row =
            ends.iter().position(|&end| end + TICK_GAP <= middle - half).unwrap_or(ends.len());
        if row == ends.len() {
            ends.push(0.0);
        }
        ends[row] = middle + half;
        placed.push((row, middle, name));
    }
    let height = ends.len() as f64 * (LABEL_LINE + 2.0);
    let texts = placed.into_iter().map(|(row, middle, name)| {
        let top = height - (row + 1) as f64 * (LABEL_LINE + 2.0);
        line_at(&name, (middle, top), LABEL, HAlign::Center)
    });
    (texts.collect(), height)
}

/// The value that stands beside a bar or a span.
pub fn bar_text(chart: &Chart, value: f64) -> String {
    value_text(value, if chart.is_horizontal() { chart.x.unit } else { chart.y.unit })
}
