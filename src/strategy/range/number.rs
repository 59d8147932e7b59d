//! The number of a key: an integer key itself, or digits at a fixed place of a text key.

use std::ops::Range;

use crate::error::Error;
use crate::keys::{KeyBatch, KeyKind};
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
                "`digits` reads the text of a key, this pattern gives {kind:?} keys"
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

    /// What is read, in words.
    pub fn describe(&self) -> String {
        match self {
            Number::Itself => "the key as a number".to_string(),
            Number::Digits(at) => format!("digits {}..{} of the key", at.start, at.end),
        }
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
