//! Durations and rates as scenarios write them, and decimals as people claim them: the one parser of each.

use crate::error::Error;
use crate::params::Value;

/// Longest duration, in milliseconds: 100 years.
const MOST_MS: u64 = 100 * 365 * 86_400_000;

/// Units of time and their milliseconds, the longer names first.
const TIMES: &[(&str, u64)] =
    &[("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// Units of bytes.
const BYTES: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// Milliseconds of a duration such as `90s`, `40m`, `8h`, `1h30m`, `0.5d`, `0s`.
///
/// Errors: not a duration; negative; not a whole number of milliseconds; longer than 100 years.
pub fn duration_ms(text: &str) -> Result<u64, Error> {
    let wrong = |why: &str| {
        let error = Error::invalid(format!("is \"{text}\"{why}"));
        error.help("allowed: a duration such as 90s, 40m, 8h, 1h30m or 2d")
    };
    let mut rest = text.trim();
    if rest.starts_with('-') {
        return Err(wrong(", which is negative"));
    }
    if rest.is_empty() {
        return Err(wrong(""));
    }
    let mut total = 0u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
        let (number, tail) = rest.split_at(digits.ok_or_else(|| wrong(", which has no unit"))?);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let unit = TIMES.iter().find(|(name, _)| *name == unit).ok_or_else(|| wrong(""))?;
        let ms = scaled(number, unit.1).ok_or_else(|| wrong(""))?;
        total = total
            .checked_add(ms)
            .filter(|t| *t <= MOST_MS)
            .ok_or_else(|| wrong(", which is more than 100 years"))?;
        rest = tail.trim_start();
    }
    Ok(total)
}

/// What a rate counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Per {
    /// Rows, reads or writes.
    Row,
    /// Bytes.
    Byte,
}

/// A number of things per second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rate {
    /// Thousandths a second.
    pub milli: u64,
    /// Of what.
    pub per: Per,
}

/// A rate such as `3000 rows/s`, `8k/s`, `50 MB/s`; `bytes`: whether it may count bytes.
///
/// Errors: not a rate; zero; finer than a thousandth.
pub fn rate(text: &str, bytes: bool) -> Result<Rate, Error> {
    let allowed = match bytes {
        true => "allowed: a rate per second above 0, such as 3000 rows/s, 8k rows/s or 50 MB/s",
        false => "allowed: a rate per second above 0, such as 8000/s or 2.5k/s",
    };
    let wrong = |why: &str| Error::invalid(format!("is \"{text}\"{why}")).help(allowed);
    let amount = text.trim().strip_suffix("/s").ok_or_else(|| wrong(", not a rate per second"))?;
    let end = amount.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_'));
    let (number, unit) = amount.split_at(end.unwrap_or(amount.len()));
    let unit = unit.trim();
    let size = BYTES.iter().find(|(name, _)| bytes && *name == unit);
    let (factor, per) = match (size, unit) {
        (Some((_, size)), _) => (*size, Per::Byte),
        (None, "" | "rows" | "row") => (1, Per::Row),
        (None, "k" | "k rows") => (1000, Per::Row),
        (None, "m" | "m rows") => (1_000_000, Per::Row),
        _ => return Err(wrong("")),
    };
    let milli = scaled(number, factor.checked_mul(1000).ok_or_else(|| wrong(""))?);
    match milli {
        Some(0) => Err(wrong(": nothing would ever be done")),
        Some(milli) => Ok(Rate { milli, per }),
        None => Err(wrong("")),
    }
}

/// A rate as a scenario gives it: a text, or a bare number of things a second.
///
/// Errors: as [`rate`]; neither a text nor a number.
pub fn rate_of(value: &Value, bytes: bool) -> Result<Rate, Error> {
    match value {
        Value::Text(text) => rate(text, bytes),
        other => rate(&format!("{other}/s"), bytes),
    }
}

/// A decimal number times a factor, if that is a whole number that can be held.
fn scaled(number: &str, factor: u64) -> Option<u64> {
    let number = number.replace('_', "");
    let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
    if (whole.is_empty() && fraction.is_empty()) || fraction.len() > 12 {
        return None;
    }
    let digits: u128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = (0..fraction.len()).fold(1u128, |scale, _| scale * 10);
    let product = digits.checked_mul(u128::from(factor))?;
    (product % scale == 0).then(|| u64::try_from(product / scale).ok())?
}

/// A decimal number as it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Decimal {
    /// Its value.
    pub value: f64,
    /// Power of ten of its last digit: -2 in `0.75`, 0 in `75` and in `7.5e1`.
    pub last: i32,
    /// Significant digits: 2 in `0.020`.
    pub digits: usize,
}

impl Decimal {
    /// Reads `0.75`, `62 500`, `62_500`, `7.5e-1`. None: it is no such number, or too large.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().replace([' ', '_'], "");
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i16>().ok()?),
            None => (text.as_str(), 0),
        };
        let plain = mantissa.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b'-');
        let value: f64 = text.parse().ok().filter(|x: &f64| plain && x.is_finite())?;
        let fraction = mantissa.split_once('.').map_or("", |(_, fraction)| fraction);
        let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
        Some(Decimal {
            value,
            last: i32::from(exponent) - fraction.len() as i32,
            digits: digits.trim_start_matches('0').len(),
        })
    }

    /// Half a unit of its last digit: what rounds to it lies so near.
    pub fn half(&self) -> f64 {
        0.5 * libm::pow(10.0, f64::from(self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_know_their_last_digit() {
        for (text, value, last, digits) in [
            ("0.75", 0.75, -2, 2),
            ("75", 75.0, 0, 2),
            ("62 500", 62_500.0, 0, 5),
            ("8.0e1", 80.0, 0, 2),
            ("4e-1", 0.4, -1, 1),
            ("1E3", 1000.0, 3, 1),
            ("-0.020", -0.02, -3, 2),
            ("0", 0.0, 0, 0),
        ] {
            assert_eq!(Decimal::parse(text), Some(Decimal { value, last, digits }), "{text}");
        }
        for text in ["", "-", ".", "e", "1e", "e1", "1e400", "1e99999", "nan", "inf", "1.2.3", "5%"]
        {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse("4e-1").unwrap().half(), 0.05);
    }

    #[test]
    fn durations() {
        for (text, ms) in [
            ("40m", 2_400_000),
            ("8h", 28_800_000),
            ("1h30m", 5_400_000),
            ("1h 30m", 5_400_000),
            ("0.5d", 43_200_000),
            ("250ms", 250),
            ("1_000s", 1_000_000),
            ("0s", 0),
        ] {
            assert_eq!(duration_ms(text).unwrap(), ms, "{text}");
        }
        for wrong in ["", "40", "m", "40 min", "1.0001ms", "1h30", "1e3s", "999999999d", "..s"] {
            assert!(duration_ms(wrong).is_err(), "{wrong}");
        }
        assert!(duration_ms("-5m").unwrap_err().message.contains("which is negative"));
    }

    #[test]
    fn rates() {
        for (text, milli, per) in [
            ("3000 rows/s", 3_000_000, Per::Row),
            ("8k/s", 8_000_000, Per::Row),
            ("2.5k rows/s", 2_500_000, Per::Row),
            ("0.5/s", 500, Per::Row),
            ("50 MB/s", 50_000_000_000, Per::Byte),
            ("1 KiB/s", 1_024_000, Per::Byte),
        ] {
            assert_eq!(rate(text, true).unwrap(), Rate { milli, per }, "{text}");
        }
        for wrong in ["", "3000", "3000 rows", "fast/s", "-1/s", "1 rows/m", "0.0001/s"] {
            assert!(rate(wrong, true).is_err(), "{wrong}");
        }
        assert!(rate("50 MB/s", false).is_err());
        assert_eq!(rate_of(&Value::Float(2.5), true).unwrap().milli, 2500);
        assert!(
            rate_of(&Value::Int(0), false).is_err() && rate_of(&Value::Bool(true), true).is_err()
        );
        assert!(rate("0 rows/s", true).unwrap_err().message.contains("nothing would ever"));
    }
}
