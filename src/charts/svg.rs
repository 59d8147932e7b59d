//! A drawing backend for plotters that writes SVG: groups with ids, classes and tooltips,
//! coordinates with one decimal, text as text, the same bytes for the same calls.
//!
//! Plotters counts in whole pixels. Here one of its pixels is a tenth of a pixel of the SVG, font
//! sizes and stroke widths included.

use std::convert::Infallible;
use std::fmt::Write as _;

use plotters::element::{Drawable, PointCollection};
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};

use super::text::{ASCENT, DESCENT};

/// Tenths of a pixel in a pixel.
pub const TENTHS: f64 = 10.0;

/// Families of which every system has one; a chart carries no font.
const FAMILY: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

type Done = Result<(), DrawingErrorKind<Infallible>>;

/// Writes into a string that it borrows; complete once [`DrawingBackend::present`] was called.
#[derive(Debug)]
pub struct SvgBackend<'a> {
    out: &'a mut String,
    /// Width and height in tenths of a pixel.
    size: (u32, u32),
    open_groups: usize,
    presented: bool,
}

impl<'a> SvgBackend<'a> {
    /// Begins a document of so many pixels. `id` begins every id of the document, so that several
    /// can stand in one page; `title` and `desc` are what a screen reader says.
    pub fn new(out: &'a mut String, size: (u32, u32), id: &str, title: &str, desc: &str) -> Self {
        let (w, h) = size;
        let id = escape(id);
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
             role=\"img\" aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FAMILY}\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
            escape(title),
            escape(desc)
        );
        SvgBackend { out, size: (w * 10, h * 10), open_groups: 0, presented: false }
    }

    fn stroke<S: BackendStyle>(&mut self, style: &S) {
        let _ = write!(
            self.out,
            " fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
            hex(style.color()),
            Tenths(style.stroke_width() as i32)
        );
        self.opacity("stroke-opacity", style.color());
    }

    fn fill(&mut self, color: BackendColor) {
        let _ = write!(self.out, " fill=\"{}\"", hex(color));
        self.opacity("fill-opacity", color);
    }

    fn opacity(&mut self, name: &str, color: BackendColor) {
        let percent = libm::round(color.alpha * 100.0) as u32;
        if percent < 100 {
            let _ = write!(self.out, " {name}=\"0.{percent:02}\"");
        }
    }

    fn points(&mut self, points: impl IntoIterator<Item = BackendCoord>) {
        self.out.push_str(" points=\"");
        for (i, (x, y)) in points.into_iter().enumerate() {
            let space = if i > 0 { " " } else { "" };
            let _ = write!(self.out, "{space}{},{}", Tenths(x), Tenths(y));
        }
        self.out.push('"');
    }
}

impl DrawingBackend for SvgBackend<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        self.size
    }

    fn ensure_prepared(&mut self) -> Done {
        Ok(())
    }

    fn present(&mut self) -> Done {
        if !self.presented {
            assert_eq!(self.open_groups, 0, "a group was left open");
            self.out.push_str("</svg>\n");
            self.presented = true;
        }
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Done {
        self.draw_rect((x, y), (x + 10, y + 10), &color, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Done {
        let _ = write!(
            self.out,
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"",
            Tenths(from.0),
            Tenths(from.1),
            Tenths(to.0),
            Tenths(to.1)
        );
        self.stroke(style);
        self.out.push_str("/>\n");
        Ok(())
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        upper_left: BackendCoord,
        bottom_right: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Done {
        let _ = write!(
            self.out,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            Tenths(upper_left.0),
            Tenths(upper_left.1),
            Tenths(bottom_right.0 - upper_left.0),
            Tenths(bottom_right.1 - upper_left.1)
        );
        if fill {
            self.fill(style.color());
        } else {
            self.stroke(style);
        }
        self.out.push_str("/>\n");
        Ok(())
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Done {
        let path: Vec<BackendCoord> = path.into_iter().collect();
        if let [from, to] = path[..] {
            return self.draw_line(from, to, style);
        }
        self.out.push_str("<polyline");
        self.points(path);
        self.stroke(style);
        self.out.push_str(" stroke-linejoin=\"round\"/>\n");
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Done {
        let _ = write!(
            self.out,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"",
            Tenths(center.0),
            Tenths(center.1),
            Tenths(radius as i32)
        );
        if fill {
            self.fill(style.color());
        } else {
            self.stroke(style);
        }
        self.out.push_str("/>\n");
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vert: I,
        style: &S,
    ) -> Done {
        self.out.push_str("<polygon");
        self.points(vert);
        self.fill(style.color());
        self.out.push_str("/>\n");
        Ok(())
    }

    fn draw_text<T: BackendTextStyle>(&mut self, text: &str, style: &T, pos: BackendCoord) -> Done {
        let size = style.size();
        let anchor = style.anchor();
        let down = match anchor.v_pos {
            VPos::Top => ASCENT * size,
            // Half the height of the capitals.
            VPos::Center => 0.36 * size,
            VPos::Bottom => -DESCENT * size,
        };
        let _ = write!(
            self.out,
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\"",
            Tenths(pos.0),
            Tenths(pos.1 + libm::round(down) as i32),
            Tenths(libm::round(size) as i32)
        );
        self.out.push_str(match anchor.h_pos {
            HPos::Left => "",
            HPos::Center => " text-anchor=\"middle\"",
            HPos::Right => " text-anchor=\"end\"",
        });
        if matches!(style.style(), FontStyle::Bold) {
            self.out.push_str(" font-weight=\"bold\"");
        }
        self.fill(style.color());
        let _ = writeln!(self.out, ">{}</text>", escape(text));
        Ok(())
    }
}

/// An element that opens a group, or closes the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Group {
    /// Opens one. Empty texts are left out.
    Open {
        /// Unique in the page.
        id: String,
        /// For style sheets.
        class: &'static str,
        /// Tooltip, and the name that a screen reader says.
        title: String,
        /// `stroke-dasharray` of all lines inside.
        dash: Option<&'static str>,
    },
    /// Closes the last one.
    Close,
}

impl<'a> PointCollection<'a, BackendCoord> for &'a Group {
    type Point = &'a BackendCoord;
    type IntoIter = std::iter::Empty<&'a BackendCoord>;

    fn point_iter(self) -> Self::IntoIter {
        std::iter::empty()
    }
}

impl Drawable<SvgBackend<'_>> for Group {
    fn draw<I: Iterator<Item = BackendCoord>>(
        &self,
        _: I,
        backend: &mut SvgBackend<'_>,
        _: (u32, u32),
    ) -> Done {
        match self {
            Group::Open { id, class, title, dash } => {
                backend.out.push_str("<g");
                let pairs = [("id", id.as_str()), ("class", class)];
                for (name, value) in pairs.into_iter().chain(dash.map(|d| ("stroke-dasharray", d)))
                {
                    if !value.is_empty() {
                        let _ = write!(backend.out, " {name}=\"{}\"", escape(value));
                    }
                }
                backend.out.push('>');
                if !title.is_empty() {
                    let _ = write!(backend.out, "<title>{}</title>", escape(title));
                }
                backend.out.push('\n');
                backend.open_groups += 1;
            }
            Group::Close => {
                assert!(backend.open_groups > 0, "no group is open");
                backend.open_groups -= 1;
                backend.out.push_str("</g>\n");
            }
        }
        Ok(())
    }
}

/// A number of tenths as a decimal number: `12`, `0.5`, `-3.1`.
struct Tenths(i32);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (whole, tenth) = (self.0.unsigned_abs() / 10, self.0.unsigned_abs() % 10);
        let sign = if self.0 < 0 { "-" } else { "" };
        if tenth == 0 { write!(f, "{sign}{whole}") } else { write!(f, "{sign}{whole}.{tenth}") }
    }
}

fn hex(color: BackendColor) -> String {
    let (r, g, b) = color.rgb;
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// The text as XML; characters that XML 1.0 forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tenths_print_at_most_one_decimal() {
        let shown: Vec<String> = [0, 5, -31, 120, -10].map(|t| Tenths(t).to_string()).into();
        assert_eq!(shown, ["0", "0.5", "-3.1", "12", "-1"]);
    }

    #[test]
    fn what_rounds_to_full_opacity_is_opaque() {
        let shown = |alpha| {
            let mut out = String::new();
            let mut svg = SvgBackend::new(&mut out, (10, 10), "c", "t", "d");
            svg.fill(BackendColor { alpha, rgb: (1, 2, 3) });
            out.contains("opacity")
        };
        assert!(!shown(1.0) && !shown(0.996) && shown(0.994));
    }

    #[test]
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd} ");
    }
}
