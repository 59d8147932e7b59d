//! What a claim states, as a number that can be judged: a point with ± half its last digit, or a bound.

use crate::error::Error;
use crate::quantity::Decimal;

/// How a number is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A value: everything that rounds to it meets it.
    Point,
    /// Less than the value.
    Below,
    /// At most the value.
    AtMost,
    /// More than the value.
    Above,
    /// At least the value.
    AtLeast,
}

/// How values of a claim are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A share in per cent.
    Percent,
    /// A plain number.
    Plain,
    /// A multiple of another: `4.75 : 1`.
    Ratio,
    /// Bytes.
    Bytes,
    /// Seconds, as a duration.
    Duration,
}

/// A claimed value.
#[derive(Debug, Clone, PartialEq)]
pub struct Claimed {
    /// As the ledger writes it.
    pub text: String,
    /// Point or bound.
    pub form: Form,
    /// The value; a percentage as a share.
    pub value: f64,
    /// Least value that meets it.
    pub low: f64,
    /// Largest value that meets it.
    pub high: f64,
    /// How values beside it are written.
    pub style: Style,
}

/// Relative slack of the ends of an interval: a value that was computed from the same decimal may
/// differ from it in the last bit.
const SLACK: f64 = 1e-12;

const OPERATORS: [(&str, Form); 6] = [
    ("<=", Form::AtMost),
    ("≤", Form::AtMost),
    (">=", Form::AtLeast),
    ("≥", Form::AtLeast),
    ("<", Form::Below),
    (">", Form::Above),
];

const UNITS: [(&str, f64, Style); 10] = [
    ("%", 0.01, Style::Percent),
    ("KiB", 1024.0, Style::Bytes),
    ("MiB", 1_048_576.0, Style::Bytes),
    ("KB", 1e3, Style::Bytes),
    ("MB", 1e6, Style::Bytes),
    ("B", 1.0, Style::Bytes),
    ("h", 3600.0, Style::Duration),
    ("min", 60.0, Style::Duration),
    ("s", 1.0, Style::Duration),
    ("", 1.0, Style::Plain),
];

/// A decimal without exponent, which no article writes: its value and half a unit of its last digit.
fn decimal(text: &str) -> Option<(f64, f64)> {
    let number = Decimal::parse(text).filter(|_| !text.contains(['e', 'E']))?;
    Some((number.value, number.half()))
}

impl Claimed {
    /// Reads `27 %`, `< 9 %`, `1/16`, `95 : 20`, `4 MB`, `40 min`, `62 500`. A fraction is met by what rounds to
    /// its denominator, a ratio by what rounds to its two numbers.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let wrong = || {
            Error::invalid(format!("`claimed` is \"{text}\"")).help(
                "write a point (\"27 %\", \"1/16\", \"95 : 20\", \"4 MB\", \"40 min\", \"62 500\") or a \
                 bound \
                 (\"< 9 %\", \"<= 2 %\", \"> 1\")",
            )
        };
        let trimmed = text.trim();
        let bound =
            OPERATORS.iter().find_map(|(sign, form)| Some((trimmed.strip_prefix(sign)?, *form)));
        let (rest, form) = bound.unwrap_or((trimmed, Form::Point));
        let (value, low, high, style) = interval(rest.trim()).ok_or_else(wrong)?;
        if !(low.is_finite() && high.is_finite() && low <= value && value <= high) {
            return Err(wrong());
        }
        let (low, high) = match form {
            Form::Point => (low, high),
            Form::Below | Form::AtMost => (f64::NEG_INFINITY, value),
            Form::Above | Form::AtLeast => (value, f64::INFINITY),
        };
        Ok(Claimed { text: trimmed.to_string(), form, value, low, high, style })
    }

    /// Whether it is a bound.
    pub fn is_bound(&self) -> bool {
        self.form != Form::Point
    }

    /// Whether a value is what is claimed.
    pub fn meets(&self, x: f64) -> bool {
        let slack = SLACK * libm::fabs(self.value);
        match self.form {
            Form::Below => x < self.value,
            Form::Above => x > self.value,
            _ => x >= self.low - slack && x <= self.high + slack,
        }
    }

    /// Whether some value from `from` to `to` is.
    pub fn meets_range(&self, from: f64, to: f64) -> bool {
        let slack = SLACK * libm::fabs(self.value);
        to >= self.low - slack && from <= self.high + slack
    }
}

/// Value, low and high end, and style of a number without operator.
fn interval(text: &str) -> Option<(f64, f64, f64, Style)> {
    if let Some((above, below)) = text.split_once('/') {
        let ((above, _), (below, half)) = (decimal(above)?, decimal(below)?);
        let of = |below: f64| above / below;
        return Some((of(below), of(below + half), of(below - half), Style::Percent));
    }
    if let Some((first, second)) = text.split_once(':') {
        let ((first, half), (second, half2)) = (decimal(first)?, decimal(second)?);
        let low = (first - half) / (second + half2);
        let high = (first + half) / (second - half2);
        return Some((first / second, low, high, Style::Ratio));
    }
    let (number, unit, style) = UNITS
        .iter()
        .find_map(|(suffix, unit, style)| Some((text.strip_suffix(suffix)?, *unit, *style)))?;
    let (value, half) = decimal(number)?;
    Some((value * unit, (value - half) * unit, (value + half) * unit, style))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, low: f64, high: f64, style: Style) {
        let claimed = Claimed::parse(text).unwrap();
        let close = |a: f64, b: f64| a == b || (a - b).abs() < 1e-12 * b.abs();
        assert!(close(claimed.low, low) && close(claimed.high, high), "{text}: {claimed:?}");
        assert_eq!(claimed.style, style, "{text}");
    }

    #[test]
    fn points_reach_half_their_last_digit() {
        check("27 %", 0.265, 0.275, Style::Percent);
        check("12.9%", 0.1285, 0.1295, Style::Percent);
        check("0.3 %", 0.0025, 0.0035, Style::Percent);
        check("1/16", 1.0 / 16.5, 1.0 / 15.5, Style::Percent);
        check("95 : 20", 94.5 / 20.5, 95.5 / 19.5, Style::Ratio);
        check("4 MB", 3.5e6, 4.5e6, Style::Bytes);
        check("8 h", 27_000.0, 30_600.0, Style::Duration);
        check("27 min", 1590.0, 1650.0, Style::Duration);
        check("5 s", 4.5, 5.5, Style::Duration);
        check("62 500", 62_499.5, 62_500.5, Style::Plain);
    }

    #[test]
    fn bounds_are_open_or_closed_as_they_are_written() {
        let below = Claimed::parse("< 9 %").unwrap();
        assert!(below.meets(0.0899) && !below.meets(0.09));
        let most = Claimed::parse("<= 2 %").unwrap();
        assert!(most.meets(0.02) && !most.meets(0.0201));
        let above = Claimed::parse("> 1").unwrap();
        assert!(above.meets(1.1) && !above.meets(1.0));
        check("≥ 90 %", 0.9, f64::INFINITY, Style::Percent);
        assert!(below.is_bound() && !Claimed::parse("9 %").unwrap().is_bound());
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in [
            "",
            "%",
            "about 9 %",
            "9 %%",
            "h",
            "9 hours",
            "1/0",
            "1e3",
            "< ",
            "nan",
            "5 : 0",
            "inf",
        ] {
            assert!(Claimed::parse(text).is_err(), "{text}");
        }
    }
}
