//! Draws the layers of a chart, the lowest first.

use plotters_backend::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, Font};
use super::model::{
    Axis, Band, Bars, Dots, Fill, Heat, Layer, Line, Mark, Periods, Scale, Spans, Texts,
};
use super::palette::{Dash, GRID, INK, Look, Marker, PAPER};
use super::plan::{LABEL, LABEL_LINE, bar_text};
use super::render::Sheet;
use super::scale::value_text;
use super::text::{self, Frame};

/// Points of a line get markers and tooltips up to this many.
const MOST_MARKERS: usize = 64;

impl Sheet<'_> {
    /// Draws all layers.
    pub(super) fn layers(&mut self) {
        let chart = self.chart;
        let beside = chart.beside();
        let dodged = chart.layers.iter().filter(|l| matches!(l, Layer::Line(_))).count();
        let (mut nth_beside, mut nth_line) = (0, 0);
        let mut values = Vec::new();
        for layer in &chart.layers {
            match layer {
                Layer::Band(band) => self.band(band),
                Layer::Line(line) => {
                    self.line(line, nth_line, dodged);
                    nth_line += 1;
                }
                Layer::Bars(bars) => {
                    self.bars(bars, nth_beside, beside, &mut values);
                    nth_beside += 1;
                }
                Layer::Spans(spans) => {
                    self.spans(spans, nth_beside, beside, &mut values);
                    nth_beside += 1;
                }
                Layer::Periods(periods) => self.periods(periods),
                Layer::Rule(rule) => self.rule(&rule.name, rule.at, rule.look),
                Layer::Marks(marks) => self.marks(marks),
                Layer::Dots(dots) => self.dots(dots),
                Layer::Heat(heat) => self.heat(heat),
            }
        }
        // Above all layers: a rule that runs through a value makes way for it.
        self.canvas.open("values", "", Dash::Solid);
        for (value, end) in values {
            self.bar_text(value, end);
        }
        self.canvas.close();
    }

    pub(super) fn px(&self, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((self.plan.x.px(x)?, self.plan.y.px(y)?))
    }

    fn band(&mut self, band: &Band) {
        let edge = |upper: bool| -> Vec<(f64, f64)> {
            let points = band.points.iter().map(|p| (p.0, if upper { p.2 } else { p.1 }));
            points.filter_map(|(x, y)| self.px(x, y)).collect()
        };
        let (mut outline, upper) = (edge(false), edge(true));
        outline.extend(upper.iter().rev());
        self.canvas.open("band", &band.name, Dash::Solid);
        if upper.len() == 1 {
            // One place only: an upright bar.
            self.canvas.line(&outline, band.colour, 6.0);
        } else if upper.len() > 1 {
            self.canvas.polygon(&outline, band.colour, 0.18);
        }
        self.room.avoid_edge(&outline);
        self.canvas.close();
    }

    /// Lines over categories stand a little beside each other, so that equal values stay visible.
    fn line(&mut self, line: &Line, nth: usize, of: usize) {
        let dodge = match (&self.chart.x.scale, self.plan.x.px(0.0), self.plan.x.px(1.0)) {
            (Scale::Category(_), Some(first), Some(second)) if line.look.marker != Marker::None => {
                let slot = second - first;
                (nth as f64 - (of as f64 - 1.0) / 2.0) * (slot * 0.6 / of as f64).min(9.0)
            }
            _ => 0.0,
        };
        let points: Vec<(f64, f64, (f64, f64))> = line
            .points
            .iter()
            .filter_map(|&(x, y)| self.px(x, y).map(|p| (x, y, (p.0 + dodge, p.1))))
            .collect();
        let path: Vec<(f64, f64)> = points.iter().map(|p| p.2).collect();
        let look = line.look;
        self.canvas.open("line", &line.name, look.dash);
        self.canvas.line(&path, look.colour, look.stroke);
        self.canvas.close();
        self.room.avoid(&path);
        if look.marker == Marker::None || points.len() > MOST_MARKERS {
            return;
        }
        self.canvas.open("points", &line.name, Dash::Solid);
        for (x, y, place) in &points {
            self.canvas.open_point(&format!("{}: {}", line.name, self.point_text(*x, *y)));
            self.canvas.marker(*place, look.marker, 5.0, look.colour);
            self.canvas.close();
        }
        self.canvas.close();
    }

    fn dots(&mut self, dots: &Dots) {
        self.canvas.open("points", &dots.name, Dash::Solid);
        for (x, y, text) in &dots.points {
            let Some(place) = self.px(*x, *y) else { continue };
            self.canvas.open_point(text);
            self.canvas.marker(place, dots.look.marker, dots.radius, dots.look.colour);
            self.canvas.close();
            self.room.take(around(place, dots.radius));
        }
        self.canvas.close();
    }

    fn point_text(&self, x: f64, y: f64) -> String {
        let show = |axis: &Axis, value: f64| match &axis.scale {
            Scale::Category(names) => names.get(value as usize).cloned().unwrap_or_default(),
            _ => value_text(value, axis.unit),
        };
        format!("{}, {}", show(&self.chart.x, x), show(&self.chart.y, y))
    }

    /// Middle and half thickness, across the values, of the `nth` of `of` layers in a category.
    fn slot(&self, category: usize, nth: usize, of: usize, widest: f64) -> (f64, f64) {
        let Frame { left, top, right, bottom } = self.plan.plot;
        let (axis, map, length) = if self.chart.is_horizontal() {
            (&self.chart.y, &self.plan.y, bottom - top)
        } else {
            (&self.chart.x, &self.plan.x, right - left)
        };
        let Scale::Category(names) = &axis.scale else { panic!("bars need a category axis") };
        let slot = length / names.len().max(1) as f64;
        let each = (slot * 0.8 / of as f64).min(widest);
        let middle = map.px(category as f64).expect("a category has a place");
        (middle + (nth as f64 - (of as f64 - 1.0) / 2.0) * each, each / 2.0)
    }

    fn bars(&mut self, bars: &Bars, nth: usize, of: usize, values: &mut Vec<(f64, Frame)>) {
        let flat = self.chart.is_horizontal();
        self.canvas.open("bars", &bars.name, Dash::Solid);
        for (i, value) in bars.values.iter().enumerate() {
            let Some(value) = *value else { continue };
            let map = if flat { &self.plan.x } else { &self.plan.y };
            let Some(end) = map.px(value) else { continue };
            let start = map.px(0.0).unwrap_or(if flat {
                self.plan.plot.left
            } else {
                self.plan.plot.bottom
            });
            let (middle, half) = self.slot(i, nth, of, 44.0);
            let half = half * 0.94;
            let frame = if flat {
                Frame {
                    left: start.min(end),
                    top: middle - half,
                    right: start.max(end),
                    bottom: middle + half,
                }
            } else {
                Frame {
                    left: middle - half,
                    top: start.min(end),
                    right: middle + half,
                    bottom: start.max(end),
                }
            };
            let category = i as f64;
            let (x, y) = if flat { (value, category) } else { (category, value) };
            self.canvas.open_point(&format!("{} {}", bars.name, self.point_text(x, y)));
            bar(&self.canvas, frame, bars.look, bars.fill);
            self.canvas.close();
            self.room.take(frame);
            if bars.texts == Texts::Shown {
                values.push((value, frame));
            }
        }
        self.canvas.close();
    }

    /// The value at the end of a bar or a span.
    fn bar_text(&mut self, value: f64, bar: Frame) {
        let shown = bar_text(self.chart, value);
        let width = text::width(&shown, LABEL.size, LABEL.weight);
        let (at, h, v, frame) = if self.chart.is_horizontal() {
            let middle = (bar.top + bar.bottom) / 2.0;
            let left = bar.right + 8.0;
            let frame =
                Frame { left, top: middle - 7.0, right: left + width, bottom: middle + 7.0 };
            ((left, middle), HPos::Left, VPos::Center, frame)
        } else {
            let middle = (bar.left + bar.right) / 2.0;
            let bottom = bar.top - 3.0;
            let frame = Frame {
                left: middle - width / 2.0,
                top: bottom - 14.0,
                right: middle + width / 2.0,
                bottom,
            };
            ((middle, bottom), HPos::Center, VPos::Bottom, frame)
        };
        self.canvas.area(frame.grown(2.0), PAPER, 1.0);
        self.canvas.text(&shown, at, LABEL, h, v);
        self.room.take(frame);
    }

    fn spans(&mut self, spans: &Spans, nth: usize, of: usize, values: &mut Vec<(f64, Frame)>) {
        let flat = self.chart.is_horizontal();
        let colour = spans.look.colour;
        self.canvas.open("spans", &spans.name, Dash::Solid);
        for (i, value) in spans.values.iter().enumerate() {
            let Some((from, to)) = *value else { continue };
            let map = if flat { &self.plan.x } else { &self.plan.y };
            let (Some(a), Some(b)) = (map.px(from), map.px(to)) else { continue };
            let (middle, half) = self.slot(i, nth, of, 18.0);
            let at = |p: f64| if flat { (p, middle) } else { (middle, p) };
            let axis = if flat { &self.chart.x } else { &self.chart.y };
            let (low, high) = (value_text(from, axis.unit), value_text(to, axis.unit));
            self.canvas.open_point(&format!("{}: {low} to {high}", spans.name));
            self.canvas.line(&[at(a), at(b)], colour, 2.5);
            self.canvas.marker(at(a), spans.look.marker, 4.0, colour);
            self.canvas.marker(at(b), spans.look.marker, 6.0, colour);
            self.canvas.close();
            // Across upright spans there is no room for texts side by side.
            if flat && spans.texts == Texts::Shown && half * 2.0 >= LABEL_LINE {
                let end =
                    Frame { left: b, top: middle - half, right: b + 4.0, bottom: middle + half };
                values.push((to, end));
            }
        }
        self.canvas.close();
    }

    fn periods(&mut self, periods: &Periods) {
        self.canvas.open("periods", &periods.name, Dash::Solid);
        for &(row, from, to) in &periods.stretches {
            let (Some(left), Some(right)) = (self.plan.x.px(from), self.plan.x.px(to)) else {
                continue;
            };
            let (middle, half) = self.slot(row, 0, 1, 18.0);
            // What takes no time on this scale is a hairline still.
            let right = right.max(left + 0.8);
            let frame = Frame { left, top: middle - half, right, bottom: middle + half };
            let unit = self.chart.x.unit;
            let (begin, end) = (value_text(from, unit), value_text(to, unit));
            self.canvas.open_point(&format!("{}: {begin} to {end}", periods.name));
            bar(&self.canvas, frame, periods.look, periods.fill);
            self.canvas.close();
        }
        self.canvas.close();
    }

    fn rule(&mut self, name: &str, at: f64, look: Look) {
        let Frame { left, top, right, bottom } = self.plan.plot;
        let points = if self.chart.is_horizontal() {
            self.plan.x.px(at).map(|px| [(px, top), (px, bottom)])
        } else {
            self.plan.y.px(at).map(|py| [(left, py), (right, py)])
        };
        let Some(points) = points else { return };
        self.canvas.open("rule", name, look.dash);
        self.canvas.line(&points, look.colour, look.stroke);
        self.canvas.close();
        self.room.avoid(&points);
    }

    fn heat(&mut self, heat: &Heat) {
        let Frame { left, top, right, bottom } = self.plan.plot;
        let columns = heat.rows.first().map_or(1, Vec::len).max(1);
        let width = (right - left) / columns as f64;
        let height = (bottom - top) / heat.rows.len().max(1) as f64;
        let most = heat.rows.iter().flatten().flatten().copied().fold(0.0, f64::max);
        let name = |axis: &Axis, i: usize| match &axis.scale {
            Scale::Category(names) => names.get(i).cloned().unwrap_or_default(),
            _ => panic!("a grid needs category axes"),
        };
        self.canvas.open("heat", &heat.name, Dash::Solid);
        for (row, values) in heat.rows.iter().enumerate() {
            for (column, value) in values.iter().enumerate() {
                let (x, y) = (left + column as f64 * width, top + row as f64 * height);
                let field = Frame { left: x, top: y, right: x + width, bottom: y + height };
                let Some(value) = *value else { continue };
                let shade = if most > 0.0 { 0.12 + 0.88 * (value / most) } else { 0.12 };
                let shown = value_text(value, heat.unit);
                let (from, to) = (name(&self.chart.y, row), name(&self.chart.x, column));
                self.canvas.open_point(&format!("{from} → {to}: {shown}"));
                self.canvas.area(field, heat.colour, shade);
                let fits = text::width(&shown, LABEL.size, LABEL.weight) + 4.0 <= width
                    && LABEL_LINE <= height;
                if heat.texts == Texts::Shown && fits {
                    let colour = if shade > 0.6 { PAPER } else { INK };
                    let middle = (x + width / 2.0, y + height / 2.0);
                    let font = Font { colour, ..LABEL };
                    self.canvas.text(&shown, middle, font, HPos::Center, VPos::Center);
                }
                self.canvas.close();
            }
        }
        self.canvas.close();
        // Lines between the fields, so that empty ones can be told apart.
        self.canvas.open("grid", "", Dash::Solid);
        for column in 0..=columns {
            let x = left + column as f64 * width;
            self.canvas.line(&[(x, top), (x, bottom)], GRID, 1.0);
        }
        for row in 0..=heat.rows.len() {
            let y = top + row as f64 * height;
            self.canvas.line(&[(left, y), (right, y)], GRID, 1.0);
        }
        self.canvas.close();
    }

    fn marks(&mut self, marks: &[Mark]) {
        self.canvas.open("marks", "", Dash::Solid);
        for mark in marks {
            let Some(at) = self.px(mark.x, mark.y) else { continue };
            self.canvas.open_point(&mark.lines.join(" "));
            self.canvas.ring(at, 8.5, INK, 2.2);
            self.canvas.disc(at, 2.2, INK);
            self.canvas.close();
            self.room.take(around(at, 9.0));
        }
        self.canvas.close();
    }
}

/// A bar as its series fills it.
pub(super) fn bar(canvas: &Canvas<'_>, frame: Frame, look: Look, fill: Fill) {
    match fill {
        Fill::Solid => canvas.area(frame, look.colour, 1.0),
        Fill::Faint => {
            canvas.area(frame, look.colour, 0.25);
            canvas.outline(frame, look.colour, 1.4);
        }
    }
}

/// A square around a point.
pub(super) fn around((x, y): (f64, f64), r: f64) -> Frame {
    Frame { left: x - r, top: y - r, right: x + r, bottom: y + r }
}
