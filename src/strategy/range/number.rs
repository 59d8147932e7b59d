//! The number of a key: an integer key itself, or digits at a fixed place of a text key.

use std::ops::Range;

use crate::error::Error;
use crate::keys::{KeyBatch, KeyKind, KeyRange};
use crate::params::Params;

/// Most digits of a number in a text: all such numbers are below 2^63.
const MAX_DIGITS: usize = 18;

/// Where the number of a key stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Number {
    /// The key is an integer.
    Itself,
    /// Bytes of the key's text, all of them digits.
    Digits(Range<usize>),
}

impl Number {
    /// The reader for keys of that kind, by the parameter `digits`. None: the keys are texts and no
    /// `digits` are given. UUIDs have no number.
    pub fn of(kind: KeyKind, params: &Params) -> Result<Option<Self>, Error> {
        let digits = params.text_opt("digits").map(parse_digits).transpose()?;
        match (kind, digits) {
            (KeyKind::I64 | KeyKind::U64, None) => Ok(Some(Number::Itself)),
            (KeyKind::Text | KeyKind::Bytes, digits) => Ok(digits.map(Number::Digits)),
            (kind, Some(_)) => Err(Error::unsupported(format!(
                "`digits` reads the text of a key, this pattern gives {kind} keys"
            ))
            .help("leave `digits` out for integer keys")
            .field("digits")),
            (KeyKind::Uuid, None) => {
                Err(Error::unsupported("range compares integers or texts, not UUIDs")
                    .help("take a key pattern with integer or text keys"))
            }
        }
    }

    /// The number of row `i`, if it has one.
    #[inline]
    pub fn get(&self, batch: &KeyBatch, i: usize) -> Option<i128> {
        match (self, batch.kind()) {
            (Number::Itself, KeyKind::I64) => Some(i128::from(batch.ints[i] as i64)),
            (Number::Itself, KeyKind::U64) => Some(i128::from(batch.ints[i])),
            (Number::Digits(at), KeyKind::Text | KeyKind::Bytes) => {
                parse_decimal(batch.text.get(i).get(at.clone())?).map(i128::from)
            }
            _ => None,
        }
    }

    /// The least and the largest number that a key of the range can have: None where no key has one.
    /// Integers bound themselves; texts bound the digits where they all begin alike up to there.
    pub fn span(&self, range: &KeyRange) -> Option<(i128, i128)> {
        let (first, last) = match self {
            Number::Itself => {
                let (from, to) = range.numbers()?;
                (from, to - 1)
            }
            Number::Digits(at) => {
                let (from, to) = range.texts()?;
                let to = to.filter(|to| to.get(..at.start) == from.get(..at.start));
                match (range.common_prefix().len() >= at.start, to) {
                    (false, _) => (0, all_nines(at)),
                    (true, None) => (lower(from, at), all_nines(at)),
                    (true, Some(to)) => (lower(from, at), upper(to, at)),
                }
            }
        };
        (first <= last).then_some((first, last))
    }

    /// What is read, in words.
    pub fn describe(&self) -> String {
        match self {
            Number::Itself => "the key as a number".to_string(),
            Number::Digits(at) => format!("digits {}..{} of the key", at.start, at.end),
        }
    }
}

fn all_nines(at: &Range<usize>) -> i128 {
    10i128.pow(at.len() as u32) - 1
}

/// The leading digits of a text where the number stands, filled up with zeros; and what follows them
/// there, if that is no digit.
fn leading(text: &[u8], at: &Range<usize>) -> (i128, usize, Option<u8>) {
    let digits = text.get(at.start..text.len().min(at.end)).unwrap_or_default();
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    let number = digits[..count].iter().fold(0, |n, b| n * 10 + i128::from(b - b'0'));
    (number * 10i128.pow((at.len() - count) as u32), count, digits.get(count).copied())
}

/// The least number of texts from this one on that agree with it before the number.
fn lower(from: &[u8], at: &Range<usize>) -> i128 {
    match leading(from, at) {
        // No digit is above that byte: what follows has larger digits before it.
        (number, count, Some(b)) if b > b'9' => number + 10i128.pow((at.len() - count) as u32),
        (number, ..) => number,
    }
}

/// The largest number of texts below this one that agree with it before the number.
fn upper(to: &[u8], at: &Range<usize>) -> i128 {
    match leading(to, at) {
        // Every digit is below that byte.
        (number, count, Some(b)) if b > b'9' => number + 10i128.pow((at.len() - count) as u32) - 1,
        // The number itself has texts below: those that end earlier after it.
        (number, count, None) if count == at.len() && to.len() > at.end => number,
        (number, ..) => number - 1,
    }
}

/// A text of digits only as a number; at most 19 digits. None for anything else, or for nothing.
#[inline]
pub fn parse_decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    text.iter().try_fold(0u64, |n, b| b.is_ascii_digit().then(|| n * 10 + u64::from(b - b'0')))
}

fn parse_digits(text: &str) -> Result<Range<usize>, Error> {
    let wrong = || {
        Error::invalid(format!("`digits` is \"{text}\""))
            .help("write FROM..TO, bytes counted from 0 and TO excluded, e.g. digits = \"2..10\"")
            .help(format!("at most {MAX_DIGITS} digits make a number"))
            .field("digits")
    };
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let (from, to): (u32, u32) =
        (from.parse().map_err(|_| wrong())?, to.parse().map_err(|_| wrong())?);
    let range = from as usize..to as usize;
    if range.is_empty() || range.len() > MAX_DIGITS { Err(wrong()) } else { Ok(range) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::keys::Key;
    use crate::params::Value;
    use crate::strategy::range::INFO;

    fn number(kind: KeyKind, digits: Option<&str>) -> Result<Option<Number>, Error> {
        let mut given = vec![("mode".to_string(), Value::Text("bounds".into()))];
        given.extend(digits.map(|d| ("digits".to_string(), Value::Text(d.into()))));
        Number::of(kind, &Params::from_pairs(INFO.params, given).unwrap())
    }

    fn read(number: &Number, key: Key<'_>) -> Option<i128> {
        number.get(&KeyBatch::single(&key, &[]), 0)
    }

    #[test]
    fn numbers_are_read_from_integers_and_from_digits() {
        let itself = number(KeyKind::U64, None).unwrap().unwrap();
        assert_eq!(read(&itself, Key::U64(u64::MAX)), Some(i128::from(u64::MAX)));
        assert_eq!(read(&itself, Key::I64(-5)), Some(-5));
        assert_eq!(read(&itself, Key::Text("5")), None);
        let digits = number(KeyKind::Text, Some("2..6")).unwrap().unwrap();
        assert_eq!(read(&digits, Key::Text("NO20250115")), Some(2025));
        assert_eq!(read(&digits, Key::Bytes(b"NO0007")), Some(7));
        for bad in ["", "NO202", "NO20x5", "NO-025", "NO+025", "N€2025"] {
            assert_eq!(read(&digits, Key::Text(bad)), None, "{bad}");
        }
        assert_eq!(read(&digits, Key::I64(123_456)), None);
        assert_eq!(number(KeyKind::Text, None).unwrap(), None);
    }

    #[test]
    fn a_range_of_texts_spans_the_numbers_of_its_keys() {
        let digits = Number::Digits(2..5);
        let all: Vec<String> = (0..1000)
            .flat_map(|n| [format!("NO{n:03}"), format!("NO{n:03}x"), format!("NP{n:03}")])
            .collect();
        let mut batch = KeyBatch::new(KeyKind::Text);
        all.iter().for_each(|text| batch.push(&Key::Text(text)));
        let ends = ["", "N", "NO", "NO1", "NO12", "NO120", "NO120x", "NO13", "NO1:", "NO1!", "NP"];
        let ends = ends.iter().chain(&["NO129", "NO1290", "NO2", "NO9", "NO999", "O", "NP5"]);
        let ends: Vec<&str> = ends.copied().collect();
        let check = |range: &KeyRange, exact: bool| {
            let held = (0..batch.len()).filter(|&row| range.holds(&batch, row));
            let numbers: Vec<i128> = held.filter_map(|row| digits.get(&batch, row)).collect();
            let span = digits.span(range);
            let real = numbers.iter().min().copied().zip(numbers.iter().max().copied());
            match (span, real) {
                (_, None) => {}
                (Some((low, high)), Some((least, most))) => {
                    assert!(low <= least && most <= high, "{range:?}: {span:?} {real:?}");
                    assert!(!exact || span == real, "{range:?}: {span:?} {real:?}");
                }
                (None, Some(_)) => panic!("{range:?}: no span, but {real:?}"),
            }
        };
        for from in &ends {
            let prefix = KeyRange::prefix(KeyKind::Text, from);
            prefix.iter().for_each(|range| check(range, from.len() > 2 && from.starts_with("NO")));
            for to in &ends {
                let range = KeyRange::between(KeyKind::Text, Some(from), Some(to));
                range.iter().for_each(|range| check(range, false));
            }
        }
        let span = |from, to| {
            digits.span(&KeyRange::between(KeyKind::Text, Some(from), Some(to)).unwrap())
        };
        assert_eq!(span("NO12", "NO13"), Some((120, 129)));
        assert_eq!(span("NO120", "NO131"), Some((120, 130)));
        assert_eq!(span("NO1:", "NO2"), None);
        let itself = |from, to| {
            let range = KeyRange::between(KeyKind::I64, from, to).unwrap();
            Number::Itself.span(&range)
        };
        assert_eq!(itself(Some("-5"), Some("7")), Some((-5, 6)));
        assert_eq!(itself(Some("-5"), None), Some((-5, i128::from(u64::MAX))));
    }

    #[test]
    fn wrong_digits_are_refused() {
        for bad in ["", "2", "5..5", "6..2", "0..19", "a..b", "-1..3"] {
            assert_eq!(number(KeyKind::Text, Some(bad)).unwrap_err().kind, ErrorKind::Invalid);
        }
        let unsupported = |kind, digits| number(kind, digits).unwrap_err().kind;
        assert_eq!(unsupported(KeyKind::I64, Some("0..4")), ErrorKind::Unsupported);
        assert_eq!(unsupported(KeyKind::Uuid, None), ErrorKind::Unsupported);
    }

    #[test]
    fn the_longest_decimal_does_not_overflow() {
        assert_eq!(parse_decimal(b"9999999999999999999"), Some(9_999_999_999_999_999_999));
        assert_eq!(parse_decimal(b"10000000000000000000"), None);
    }
}
