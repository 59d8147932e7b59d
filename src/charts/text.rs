//! How wide a text is, without a font: an upper estimate for the usual sans-serif faces.
//!
//! No font is read, so that a chart is the same bytes everywhere. The viewer picks the face; the
//! table holds, for each character, the wider of two faces at the ends of what viewers pick.

/// Advance widths of the printable ASCII characters in hundredths of an em, rounded up: the larger
/// of DejaVu Sans 2.37 and Liberation Sans 2.1 (which has the metrics of Arial and Helvetica).
const ASCII: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 56, 102, 69, 69, 73, 78, 67, 62, 78, 76, 30, 50, 67, 56, 87, 75,
    79, 67, 79, 73, 67, 62, 74, 69, 99, 69, 67, 69, 40, 34, 40, 84, 56, 50, 62, 64, 55, 64, 62, 36,
    64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
];

/// Width of any other character, in hundredths of an em: the widest Latin, Greek and Cyrillic
/// letters, arrows and CJK squares all fit.
const OTHER: u32 = 110;

/// A bold text is at most this many hundredths as wide: the widest ratio of a letter in the two
/// faces is 126 (`i`), that of a line of English 113.
const BOLD: u32 = 116;

/// Height of a line, as a multiple of the font size.
pub const LINE: f64 = 1.25;

/// Height of the capitals above the baseline and depth of the tails below it, as multiples of the
/// font size; together the height of a text box.
pub const ASCENT: f64 = 0.78;
/// See [`ASCENT`].
pub const DESCENT: f64 = 0.24;

/// Weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Regular.
    Regular,
    /// Bold.
    Bold,
}

/// Width of a text in pixels at a font size in pixels; not less than what a viewer shows.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let hundredths: u32 = text.chars().map(char_width).sum();
    let factor = match weight {
        Weight::Regular => 100,
        Weight::Bold => BOLD,
    };
    f64::from(hundredths * factor) * size / 10_000.0
}

fn char_width(c: char) -> u32 {
    match c {
        ' '..='~' => u32::from(ASCII[c as usize - 32]),
        '·' | '’' | '\u{a0}' => 34,
        '–' | '“' | '”' => 56,
        '×' | '÷' | '≤' | '≥' | '±' | '√' => 84,
        _ => OTHER,
    }
}

/// Breaks a text into lines no wider than `limit` pixels: at spaces, else after `/`, `-`, `·`,
/// else anywhere. Nothing is lost but the spaces at the breaks. At least one line.
pub fn wrap(text: &str, size: f64, weight: Weight, limit: f64) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let longer = if line.is_empty() { word.to_string() } else { format!("{line} {word}") };
        if width(&longer, size, weight) <= limit {
            line = longer;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        line = break_word(word, size, weight, limit, &mut lines);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Pushes the full lines of one over-long word and returns its last piece.
fn break_word(
    word: &str,
    size: f64,
    weight: Weight,
    limit: f64,
    lines: &mut Vec<String>,
) -> String {
    let mut rest = word;
    while width(rest, size, weight) > limit {
        let mut fits = 0;
        let mut nice = 0;
        for (at, c) in rest.char_indices() {
            let end = at + c.len_utf8();
            if width(&rest[..end], size, weight) > limit && fits > 0 {
                break;
            }
            fits = end;
            if matches!(c, '/' | '-' | '·' | '_' | ':') && at > 0 {
                nice = end;
            }
        }
        let cut = if nice * 2 > fits { nice } else { fits };
        if cut == rest.len() {
            break;
        }
        lines.push(rest[..cut].to_string());
        rest = &rest[cut..];
    }
    rest.to_string()
}

/// At most `limit` lines of [`wrap`]; a cut is shown by `…`.
pub fn wrap_at_most(
    text: &str,
    size: f64,
    weight: Weight,
    width_limit: f64,
    limit: usize,
) -> Vec<String> {
    let mut lines = wrap(text, size, weight, width_limit);
    if lines.len() > limit {
        lines.truncate(limit);
        if let Some(last) = lines.last_mut() {
            while !last.is_empty() && width(&format!("{last}…"), size, weight) > width_limit {
                last.pop();
            }
            last.push('…');
        }
    }
    lines
}

/// A rectangle in pixels that a text or a mark takes up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

impl Frame {
    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Frame) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether `other` lies inside.
    pub fn contains(&self, other: &Frame) -> bool {
        self.left <= other.left
            && other.right <= self.right
            && self.top <= other.top
            && other.bottom <= self.bottom
    }

    /// The point of the frame that is nearest to another point.
    pub fn nearest(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (x.clamp(self.left, self.right), y.clamp(self.top, self.bottom))
    }

    /// Larger by so many pixels on every side.
    pub fn grown(&self, by: f64) -> Frame {
        Frame {
            left: self.left - by,
            top: self.top - by,
            right: self.right + by,
            bottom: self.bottom + by,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_loses_nothing_and_keeps_the_limit() {
        let texts = [
            "",
            "a",
            "one two three four five six",
            "ring/murmur3-32/vnodes=160/x",
            "wwwwwwwwwwwwwwwwww",
        ];
        for text in texts {
            let lines = wrap(text, 12.0, Weight::Regular, 60.0);
            assert!(lines.iter().all(|l| width(l, 12.0, Weight::Regular) <= 60.0), "{lines:?}");
            let strip = |t: &str| t.chars().filter(|c| *c != ' ').collect::<String>();
            assert_eq!(strip(&lines.concat()), strip(text));
        }
    }

    #[test]
    fn one_character_wider_than_the_limit_still_ends() {
        assert_eq!(wrap("WW", 12.0, Weight::Regular, 1.0), ["W", "W"]);
    }

    #[test]
    fn a_cut_shows() {
        let lines = wrap_at_most("one two three four five six", 12.0, Weight::Regular, 60.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…') && width(&lines[1], 12.0, Weight::Regular) <= 60.0);
    }
}
