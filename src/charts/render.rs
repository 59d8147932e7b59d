//! From a chart to SVG: draws what the plan says, layer by layer.

use plotters_backend::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, Font};
use super::layers::{around, bar};
use super::legend::{self, Entry, Sample};
use super::model::{Chart, Layer, Scale};
use super::palette::{AXIS, Dash, GRID, INK, PAPER};
use super::place::Room;
use super::plan::{LABEL, LABEL_LINE, MARGIN, Plan, WIDTH};
use super::text::{self, Frame, Weight};

/// Font of the names of layers.
const NAME: Font = Font { size: legend::SIZE, weight: Weight::Regular, colour: INK };

/// The chart as an SVG document; every id in it begins with `id`.
pub fn render(chart: &Chart, id: &str) -> String {
    let plan = Plan::new(chart);
    let mut out = String::new();
    let size = (WIDTH as u32, libm::ceil(plan.height) as u32);
    let canvas = Canvas::new(&mut out, size, id, &chart.title, &description(chart));
    let mut sheet = Sheet { canvas, room: Room::new(plan.plot), plan, chart };
    sheet.frame();
    sheet.layers();
    sheet.names();
    sheet.inner_texts();
    sheet.canvas.finish();
    out
}

/// What a screen reader says of the chart: question, axes, layers.
fn description(chart: &Chart) -> String {
    let mut parts: Vec<String> = Vec::new();
    if !chart.subtitle.is_empty() {
        parts.push(chart.subtitle.clone());
    }
    for (side, axis) in [("Horizontal", &chart.x), ("Vertical", &chart.y)] {
        let scale = match &axis.scale {
            Scale::Log => " (logarithmic)".to_string(),
            Scale::Category(names) => format!(" ({} categories)", names.len()),
            Scale::Linear | Scale::FromZero => String::new(),
        };
        if !axis.title.is_empty() || !scale.is_empty() {
            parts.push(format!("{side}: {}{scale}.", axis.title));
        }
    }
    let names: Vec<&str> = chart.layers.iter().filter_map(|l| Some(legend::sample(l)?.0)).collect();
    if !names.is_empty() {
        parts.push(format!("Shown: {}.", names.join("; ")));
    }
    parts.join(" ")
}

/// A sheet that is being drawn.
pub(super) struct Sheet<'a> {
    pub(super) canvas: Canvas<'a>,
    pub(super) room: Room,
    pub(super) plan: Plan,
    pub(super) chart: &'a Chart,
}

impl Sheet<'_> {
    /// Grid, axes, titles and ticks.
    fn frame(&mut self) {
        let Frame { left, top, right, bottom } = self.plan.plot;
        self.canvas.open("grid", "", Dash::Solid);
        for &px in &self.plan.grid.0 {
            self.canvas.line(&[(px, top), (px, bottom)], GRID, 1.0);
        }
        for &py in &self.plan.grid.1 {
            self.canvas.line(&[(left, py), (right, py)], GRID, 1.0);
        }
        self.canvas.close();
        self.canvas.open("axes", "", Dash::Solid);
        self.canvas.line(&[(left, bottom), (right, bottom)], AXIS, 1.2);
        if self.chart.is_horizontal() {
            self.canvas.line(&[(left, top), (left, bottom)], AXIS, 1.2);
        }
        self.canvas.close();
        self.canvas.open("texts", "", Dash::Solid);
        for t in &self.plan.texts {
            self.canvas.text(&t.text, t.at, t.font, t.h.into(), t.v.into());
        }
        self.canvas.close();
    }

    /// Names of layers beside and below the plot.
    fn names(&mut self) {
        let right = self.plan.plot.right;
        self.canvas.open("legend", "", Dash::Solid);
        let beside: Vec<Entry> = self.plan.legend.beside.clone();
        for entry in &beside {
            let at = (right + entry.at.0, entry.at.1);
            if let Some(end) = entry.target {
                // The leader ends at the middle of a name of several lines.
                let middle = at.1 + (entry.lines.len() - 1) as f64 * legend::LINE / 2.0;
                let categories = matches!(self.chart.x.scale, Scale::Category(_));
                // Lines over categories stand beside each other.
                let off = if categories { 36.0 } else { 9.0 };
                let from = (end.0 + off).min(right + 4.0);
                let to = right + legend::LEADER - 4.0;
                self.canvas.line(&[(from, end.1), (to, middle)], AXIS, 0.8);
            }
            self.name(entry, at);
        }
        let below: Vec<Entry> = self.plan.legend.below.clone();
        for entry in &below {
            self.name(entry, (MARGIN + entry.at.0, self.plan.legend_top + entry.at.1));
        }
        self.canvas.close();
    }

    fn name(&mut self, entry: &Entry, (left, top): (f64, f64)) {
        let middle = match entry.target {
            Some(_) => top + (entry.lines.len() - 1) as f64 * legend::LINE / 2.0,
            None => top,
        };
        self.sample(entry.sample, left, middle);
        for (i, line) in entry.lines.iter().enumerate() {
            let at = (left + legend::SAMPLE, top + i as f64 * legend::LINE);
            self.canvas.text(line, at, NAME, HPos::Left, VPos::Center);
        }
    }

    fn sample(&mut self, sample: Sample, left: f64, y: f64) {
        let (right, middle) = (left + 30.0, left + 15.0);
        let frame = |half: f64| Frame { left, top: y - half, right, bottom: y + half };
        match sample {
            Sample::Line(look) => {
                self.canvas.open("sample", "", look.dash);
                self.canvas.line(&[(left, y), (right, y)], look.colour, look.stroke);
                self.canvas.close();
                self.canvas.marker((middle, y), look.marker, 5.0, look.colour);
            }
            Sample::Dot(look) => self.canvas.marker((middle, y), look.marker, 6.0, look.colour),
            Sample::Area(colour) => self.canvas.area(frame(7.0), colour, 0.18),
            Sample::Box(look, fill) => {
                bar(
                    &self.canvas,
                    Frame { left: left + 8.0, right: left + 28.0, ..frame(6.5) },
                    look,
                    fill,
                );
            }
            Sample::Span(look) => {
                self.canvas.line(&[(left, y), (right, y)], look.colour, 2.5);
                self.canvas.marker((left + 4.0, y), look.marker, 4.0, look.colour);
                self.canvas.marker((right - 6.0, y), look.marker, 6.0, look.colour);
            }
        }
    }

    /// Names of lines that end within the plot, then texts of marks.
    fn inner_texts(&mut self) {
        let chart = self.chart;
        let mut wanted: Vec<((f64, f64), Vec<String>)> = Vec::new();
        for &i in &self.plan.legend.inside {
            if let Layer::Line(line) = &chart.layers[i] {
                let end = line.points.iter().rev().find_map(|&(x, y)| self.px(x, y));
                if let Some(end) = end {
                    self.room.take(around(end, 6.0));
                    wanted.push((end, text::wrap(&line.name, LABEL.size, LABEL.weight, 240.0)));
                }
            }
        }
        for layer in &chart.layers {
            if let Layer::Marks(marks) = layer {
                let placed =
                    marks.iter().filter_map(|m| Some((self.px(m.x, m.y)?, m.lines.clone())));
                wanted.extend(placed);
            }
        }
        self.canvas.open("notes", "", Dash::Solid);
        for (point, lines) in wanted {
            self.inner_text(point, &lines);
        }
        self.canvas.close();
    }

    fn inner_text(&mut self, point: (f64, f64), lines: &[String]) {
        let width =
            lines.iter().map(|l| text::width(l, LABEL.size, LABEL.weight)).fold(0.0, f64::max);
        let height = lines.len() as f64 * LABEL_LINE;
        // A full plot leaves the text to the tooltip of its point.
        // In rows a text stands above its point, off the stretch that runs through it.
        let above = self.chart.is_horizontal().then(|| self.room.above(point, width + 4.0, height));
        let place = above.flatten().or_else(|| self.room.find(point, width + 4.0, height));
        let Some(frame) = place else { return };
        // Widths are upper estimates: a text stands at that end of its frame that is near its point.
        let (left, right) = (frame.left + 2.0, frame.right - 2.0);
        let middle = (left + right) / 2.0;
        let (x, align) = if self.chart.is_horizontal() && frame.bottom < point.1 {
            (middle, HPos::Center)
        } else if middle < point.0 - width / 4.0 {
            (right, HPos::Right)
        } else if middle > point.0 + width / 4.0 {
            (left, HPos::Left)
        } else {
            (middle, HPos::Center)
        };
        let toward = frame.nearest(point);
        let (dx, dy) = (toward.0 - point.0, toward.1 - point.1);
        let distance = libm::hypot(dx, dy);
        if distance > 24.0 {
            let from = (point.0 + dx / distance * 10.0, point.1 + dy / distance * 10.0);
            self.canvas.line(&[from, toward], AXIS, 1.0);
        }
        if self.room.has_lines(&frame) {
            self.canvas.area(frame, PAPER, 0.85);
        }
        for (i, line) in lines.iter().enumerate() {
            let at = (x, frame.top + 1.0 + i as f64 * LABEL_LINE);
            self.canvas.text(line, at, LABEL, align, VPos::Top);
        }
    }
}
