//! The few things that charts draw, in pixels, handed to plotters as whole tenths of a pixel.

use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea as _};
use plotters::element::{Circle, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::{
    Color as _, FontDesc, FontFamily, FontStyle, RGBAColor, RGBColor, ShapeStyle, TextStyle,
};
use plotters_backend::BackendCoord;
use plotters_backend::text_anchor::{HPos, Pos, VPos};

use super::palette::{Dash, Marker, PAPER, Rgb};
use super::svg::{Group, SvgBackend, TENTHS};
use super::text::{Frame, Weight};

/// How a text is set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Font {
    /// Size in pixels.
    pub size: f64,
    /// Weight.
    pub weight: Weight,
    /// Colour.
    pub colour: Rgb,
}

/// A sheet to draw on.
pub struct Canvas<'a> {
    area: DrawingArea<SvgBackend<'a>, Shift>,
    id: String,
    groups: usize,
}

impl<'a> Canvas<'a> {
    /// A white sheet.
    pub fn new(out: &'a mut String, size: (u32, u32), id: &str, title: &str, desc: &str) -> Self {
        let area = SvgBackend::new(out, size, id, title, desc).into_drawing_area();
        let canvas = Canvas { area, id: id.to_string(), groups: 0 };
        let (right, bottom) = (f64::from(size.0), f64::from(size.1));
        canvas.area(Frame { left: 0.0, top: 0.0, right, bottom }, PAPER, 1.0);
        canvas
    }

    /// Ends the document.
    pub fn finish(self) {
        self.area.present().expect("writing to a string cannot fail");
    }

    /// Opens a group with an id of its own.
    pub fn open(&mut self, class: &'static str, title: &str, dash: Dash) {
        self.groups += 1;
        let id = format!("{}-{}", self.id, self.groups);
        self.draw(&Group::Open { id, class, title: title.to_string(), dash: dash.array() });
    }

    /// Opens a small group without an id around one point.
    pub fn open_point(&mut self, title: &str) {
        let title = title.to_string();
        self.draw(&Group::Open { id: String::new(), class: "", title, dash: None });
    }

    /// Closes the last group.
    pub fn close(&mut self) {
        self.draw(&Group::Close);
    }

    /// A line through points; nothing for fewer than two.
    pub fn line(&self, points: &[(f64, f64)], colour: Rgb, stroke: f64) {
        if points.len() >= 2 {
            let points: Vec<BackendCoord> = points.iter().map(|&p| tenths(p)).collect();
            self.draw(&PathElement::new(points, outline(colour, stroke)));
        }
    }

    /// A filled polygon.
    pub fn polygon(&self, points: &[(f64, f64)], colour: Rgb, alpha: f64) {
        let points: Vec<BackendCoord> = points.iter().map(|&p| tenths(p)).collect();
        self.draw(&Polygon::new(points, paint(colour, alpha)));
    }

    /// A filled rectangle.
    pub fn area(&self, frame: Frame, colour: Rgb, alpha: f64) {
        let corners = [tenths((frame.left, frame.top)), tenths((frame.right, frame.bottom))];
        self.draw(&Rectangle::new(corners, paint(colour, alpha)));
    }

    /// The outline of a rectangle.
    pub fn outline(&self, frame: Frame, colour: Rgb, stroke: f64) {
        let corners = [tenths((frame.left, frame.top)), tenths((frame.right, frame.bottom))];
        self.draw(&Rectangle::new(corners, outline(colour, stroke)));
    }

    /// A point of a series; `r` is half its width in pixels.
    pub fn marker(&self, (x, y): (f64, f64), marker: Marker, r: f64, colour: Rgb) {
        let at = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
            points.iter().map(|(dx, dy)| (x + dx * r, y + dy * r)).collect()
        };
        match marker {
            Marker::None => {}
            Marker::Circle => self.disc((x, y), r, colour),
            Marker::Square => {
                let s = r * 0.9;
                self.area(
                    Frame { left: x - s, top: y - s, right: x + s, bottom: y + s },
                    colour,
                    1.0,
                );
            }
            Marker::Triangle => {
                self.polygon(&at(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]), colour, 1.0)
            }
            Marker::Wedge => {
                self.polygon(&at(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]), colour, 1.0)
            }
            Marker::Diamond => {
                self.polygon(
                    &at(&[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)]),
                    colour,
                    1.0,
                );
            }
            Marker::Plus => {
                self.line(&at(&[(-1.2, 0.0), (1.2, 0.0)]), colour, r * 0.55);
                self.line(&at(&[(0.0, -1.2), (0.0, 1.2)]), colour, r * 0.55);
            }
            Marker::Cross => {
                self.line(&at(&[(-1.0, -1.0), (1.0, 1.0)]), colour, r * 0.55);
                self.line(&at(&[(-1.0, 1.0), (1.0, -1.0)]), colour, r * 0.55);
            }
        }
    }

    /// A filled disc.
    pub fn disc(&self, at: (f64, f64), r: f64, colour: Rgb) {
        self.draw(&Circle::new(tenths(at), libm::round(r * TENTHS) as i32, paint(colour, 1.0)));
    }

    /// A circle.
    pub fn ring(&self, at: (f64, f64), r: f64, colour: Rgb, stroke: f64) {
        let radius = libm::round(r * TENTHS) as i32;
        self.draw(&Circle::new(tenths(at), radius, outline(colour, stroke)));
    }

    /// A text; `at` is the point that `h` and `v` name: `Left`, `Bottom` is its lower left corner.
    pub fn text(&self, text: &str, at: (f64, f64), font: Font, h: HPos, v: VPos) {
        let style = match font.weight {
            Weight::Regular => FontStyle::Normal,
            Weight::Bold => FontStyle::Bold,
        };
        let desc = FontDesc::new(FontFamily::SansSerif, font.size * TENTHS, style);
        let colour = rgb(font.colour);
        let style = TextStyle::from(desc).color(&colour).pos(Pos::new(h, v));
        self.draw(&Text::new(text, tenths(at), style));
    }

    fn draw<'e, E>(&self, element: &'e E)
    where
        &'e E: PointCollection<'e, BackendCoord>,
        E: Drawable<SvgBackend<'a>>,
    {
        self.area.draw(element).expect("writing to a string cannot fail");
    }
}

fn tenths((x, y): (f64, f64)) -> BackendCoord {
    (libm::round(x * TENTHS) as i32, libm::round(y * TENTHS) as i32)
}

fn rgb((r, g, b): Rgb) -> RGBColor {
    RGBColor(r, g, b)
}

fn paint(colour: Rgb, alpha: f64) -> ShapeStyle {
    let colour: RGBAColor = rgb(colour).mix(alpha);
    colour.filled()
}

fn outline(colour: Rgb, stroke: f64) -> ShapeStyle {
    rgb(colour).stroke_width(libm::round(stroke * TENTHS) as u32)
}
