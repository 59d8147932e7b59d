//! Colours, markers and dashes of series: no two of the first 49 series look alike, and colour is
//! never the only difference.

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// The palette of Okabe and Ito (2008, <https://jfly.uni-koeln.de/color/>), which people with any
/// kind of colour vision can tell apart; without its yellow, which is too faint for lines on white,
/// and with a dark grey in place of the black of the texts.
const COLOURS: [Rgb; 7] = [
    (0x00, 0x72, 0xB2),
    (0xD5, 0x5E, 0x00),
    (0x00, 0x9E, 0x73),
    (0xCC, 0x79, 0xA7),
    (0xE6, 0x9F, 0x00),
    (0x56, 0xB4, 0xE9),
    (0x50, 0x50, 0x50),
];

/// Background.
pub const PAPER: Rgb = (0xFF, 0xFF, 0xFF);
/// Titles and labels.
pub const INK: Rgb = (0x22, 0x22, 0x22);
/// Subtitles, tick labels, notes.
pub const SOFT: Rgb = (0x5A, 0x5A, 0x5A);
/// Axis lines and leaders.
pub const AXIS: Rgb = (0x8A, 0x8A, 0x8A);
/// Grid lines.
pub const GRID: Rgb = (0xE4, 0xE4, 0xE4);

/// Shape of the points of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// No marker.
    None,
    /// Disc.
    Circle,
    /// Square.
    Square,
    /// Triangle on its base.
    Triangle,
    /// Square on its tip.
    Diamond,
    /// Triangle on its tip.
    Wedge,
    /// Upright cross.
    Plus,
    /// Diagonal cross.
    Cross,
}

/// How a line is stroked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Long dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dash, dot.
    DashDot,
}

impl Dash {
    /// The SVG `stroke-dasharray` in pixels; None for a solid line.
    pub fn array(self) -> Option<&'static str> {
        match self {
            Dash::Solid => None,
            Dash::Dashed => Some("9 5"),
            Dash::Dotted => Some("2 5"),
            Dash::DashDot => Some("10 4 2 4"),
        }
    }
}

/// How a series looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// Colour.
    pub colour: Rgb,
    /// Shape of its points.
    pub marker: Marker,
    /// Stroke of its line.
    pub dash: Dash,
    /// Width of its line in pixels.
    pub stroke: f64,
}

impl Look {
    /// The look of the `i`-th series: colours and markers advance together and fall out of step
    /// every seven series; dashes change every seven.
    pub fn series(i: usize) -> Look {
        let markers = [
            Marker::Circle,
            Marker::Square,
            Marker::Triangle,
            Marker::Diamond,
            Marker::Wedge,
            Marker::Plus,
            Marker::Cross,
        ];
        let round = i / COLOURS.len();
        let dashes = [Dash::Solid, Dash::Dashed, Dash::DashDot, Dash::Dotted];
        Look {
            colour: COLOURS[i % COLOURS.len()],
            marker: markers[(i + round) % markers.len()],
            dash: dashes[round % dashes.len()],
            stroke: 2.5,
        }
    }

    /// A line without points in the colour of a text: theory, bounds, references.
    pub fn reference(dash: Dash) -> Look {
        Look { colour: INK, marker: Marker::None, dash, stroke: 1.8 }
    }

    /// The same with another stroke width.
    #[must_use]
    pub fn stroke(self, stroke: f64) -> Look {
        Look { stroke, ..self }
    }

    /// The same with another dash.
    #[must_use]
    pub fn dash(self, dash: Dash) -> Look {
        Look { dash, ..self }
    }

    /// The same with another marker.
    #[must_use]
    pub fn marker(self, marker: Marker) -> Look {
        Look { marker, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_49_series_differ_in_colour_and_marker() {
        let looks: Vec<Look> = (0..49).map(Look::series).collect();
        for (i, a) in looks.iter().enumerate() {
            for b in &looks[i + 1..] {
                assert!(a.colour != b.colour || a.marker != b.marker);
            }
        }
        for pair in looks.windows(7) {
            assert!(pair[1..].iter().all(|b| b.colour != pair[0].colour));
        }
    }
}
