//! A chart as data. What it shows stands here; where every pixel goes is the renderer's business.

use super::palette::{Look, Rgb};

/// One chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Tells several charts of one kind apart in file names; empty if there is one.
    pub suffix: String,
    /// What it shows; stands top left.
    pub title: String,
    /// The question or the context; may be empty.
    pub subtitle: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis.
    pub y: Axis,
    /// What is drawn, the lowest first.
    pub layers: Vec<Layer>,
    /// Small print below: how something was computed, what was left out.
    pub notes: Vec<String>,
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it measures, with the unit in words; may be empty.
    pub title: String,
    /// How numbers on it are written.
    pub unit: Unit,
    /// How values become places.
    pub scale: Scale,
}

impl Axis {
    /// An axis.
    pub fn new(title: impl Into<String>, unit: Unit, scale: Scale) -> Self {
        Axis { title: title.into(), unit, scale }
    }
}

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bare: `1 000`.
    Number,
    /// Whole things that are counted one by one, such as rounds: no tick lies between two.
    Count,
    /// In per cent; values are per cent, not shares: `27 %`.
    Percent,
    /// A multiple: `1.5 ×`.
    Times,
}

/// How values become places.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// Evenly, over the range of the values.
    Linear,
    /// Evenly, zero included.
    FromZero,
    /// By the logarithm; values that are not positive are left out.
    Log,
    /// The values 0, 1, 2 … stand for these texts; from the left or from the top.
    Category(Vec<String>),
}

/// Something drawn in the plot.
#[derive(Debug, Clone, PartialEq)]
pub enum Layer {
    /// Points joined by a line.
    Line(Line),
    /// The area between two lines.
    Band(Band),
    /// A bar per category, beside those of other `Bars` layers.
    Bars(Bars),
    /// A stretch per category with a point at each end, beside those of other `Spans` layers.
    Spans(Spans),
    /// Stretches along the rows of a category axis that runs down, of several layers in the same row.
    Periods(Periods),
    /// A straight line across the plot at one value.
    Rule(Rule),
    /// Points with a text each.
    Marks(Vec<Mark>),
    /// Points of a kind, in any order.
    Dots(Dots),
    /// A grid over two category axes.
    Heat(Heat),
}

/// A grid over two category axes: the more, the darker.
#[derive(Debug, Clone, PartialEq)]
pub struct Heat {
    /// For the legend; empty if none is needed.
    pub name: String,
    /// One row per vertical category, one value per horizontal one; None leaves the field empty.
    pub rows: Vec<Vec<Option<f64>>>,
    /// How values are written.
    pub unit: Unit,
    /// Colour of the largest value.
    pub colour: Rgb,
    /// Whether values stand in their fields, where there is room.
    pub texts: Texts,
}

/// Points joined by a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// For the legend.
    pub name: String,
    /// (x, y), x ascending. Values that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// How it looks.
    pub look: Look,
}

/// The area between two lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// For the legend.
    pub name: String,
    /// (x, lower y, upper y), x ascending.
    pub points: Vec<(f64, f64, f64)>,
    /// Colour, drawn faintly.
    pub colour: Rgb,
}

/// A bar per category.
#[derive(Debug, Clone, PartialEq)]
pub struct Bars {
    /// For the legend; empty if the axis says it all.
    pub name: String,
    /// One per category; None draws nothing.
    pub values: Vec<Option<f64>>,
    /// Its colour fills the bar.
    pub look: Look,
    /// Whether and how the bar is filled.
    pub fill: Fill,
    /// Whether the value stands at the end of the bar.
    pub texts: Texts,
}

/// How a bar is filled: a cue beside its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Fully.
    Solid,
    /// Faintly, with an outline.
    Faint,
}

/// Whether values are written beside bars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// No.
    Hidden,
    /// Yes.
    Shown,
}

/// A stretch per category.
#[derive(Debug, Clone, PartialEq)]
pub struct Spans {
    /// For the legend.
    pub name: String,
    /// One per category: (from, to).
    pub values: Vec<Option<(f64, f64)>>,
    /// How it looks.
    pub look: Look,
    /// Whether the second value stands beside its point, where there is room.
    pub texts: Texts,
}

/// Stretches along rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Periods {
    /// For the legend.
    pub name: String,
    /// (row, from, to).
    pub stretches: Vec<(usize, f64, f64)>,
    /// Its colour fills the stretches.
    pub look: Look,
    /// Whether and how they are filled.
    pub fill: Fill,
}

/// A straight line across the plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Stands at its end.
    pub name: String,
    /// Value on the axis that is not a category axis; on the vertical one if neither is.
    pub at: f64,
    /// How it looks.
    pub look: Look,
}

/// A point with a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Place on the horizontal axis.
    pub x: f64,
    /// Place on the vertical axis.
    pub y: f64,
    /// The text, line by line.
    pub lines: Vec<String>,
}

/// Points of a kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Dots {
    /// For the legend; empty if none is needed.
    pub name: String,
    /// (x, y, what its tooltip says).
    pub points: Vec<(f64, f64, String)>,
    /// Colour and marker.
    pub look: Look,
    /// Radius in pixels.
    pub radius: f64,
}

impl Chart {
    /// Whether categories run from top to bottom, so that values run from left to right.
    pub fn is_horizontal(&self) -> bool {
        matches!(self.y.scale, Scale::Category(_))
    }

    /// Every finite value on the horizontal (`true`) or the vertical axis.
    pub fn values(&self, horizontal: bool) -> Vec<f64> {
        let on_value_axis = horizontal == self.is_horizontal();
        let mut out = Vec::new();
        for layer in &self.layers {
            match layer {
                Layer::Line(line) => {
                    out.extend(line.points.iter().map(|&(x, y)| if horizontal { x } else { y }));
                }
                Layer::Band(band) if horizontal => out.extend(band.points.iter().map(|p| p.0)),
                Layer::Band(band) => out.extend(band.points.iter().flat_map(|p| [p.1, p.2])),
                Layer::Marks(marks) => {
                    out.extend(marks.iter().map(|m| if horizontal { m.x } else { m.y }));
                }
                Layer::Dots(dots) => {
                    out.extend(dots.points.iter().map(|p| if horizontal { p.0 } else { p.1 }));
                }
                Layer::Bars(bars) if on_value_axis => out.extend(bars.values.iter().flatten()),
                Layer::Spans(spans) if on_value_axis => {
                    out.extend(spans.values.iter().flatten().flat_map(|&(a, b)| [a, b]));
                }
                Layer::Periods(periods) if on_value_axis => {
                    out.extend(periods.stretches.iter().flat_map(|&(_, a, b)| [a, b]));
                }
                Layer::Rule(rule) if on_value_axis => out.push(rule.at),
                Layer::Bars(_)
                | Layer::Spans(_)
                | Layer::Periods(_)
                | Layer::Rule(_)
                | Layer::Heat(_) => {}
            }
        }
        out.retain(|v| v.is_finite());
        out
    }

    /// Whether some layer fills the categories from edge to edge, as bars and grids do.
    pub fn fills_categories(&self) -> bool {
        self.beside() > 0 || self.layers.iter().any(|l| matches!(l, Layer::Heat(_)))
    }

    /// Number of layers that stand beside each other within a category.
    pub fn beside(&self) -> usize {
        self.layers.iter().filter(|l| matches!(l, Layer::Bars(_) | Layer::Spans(_))).count()
    }
}
