//! Ranges of keys in the keys' own order: integers as integers, texts by their bytes, UUIDs by the
//! digits of their text.

use std::cmp::Ordering;

use super::parse::{hex, uuid_start};
use super::{KeyBatch, KeyKind};
use crate::error::Error;

/// The least integer of 64 bits, signed or not, and one more than the largest.
const LEAST_AND_END: (i128, i128) = (i64::MIN as i128, u64::MAX as i128 + 1);

/// The place of a key in the order of the keys of its kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Position {
    /// Of an integer.
    Number(i128),
    /// Of a text or of bytes.
    Text(Vec<u8>),
    /// Of a UUID.
    Uuid(u128),
}

impl Position {
    /// The place of key `row` of a batch.
    pub fn of(batch: &KeyBatch, row: usize) -> Self {
        match batch.kind() {
            KeyKind::I64 => Position::Number(i128::from(batch.ints[row] as i64)),
            KeyKind::U64 => Position::Number(i128::from(batch.ints[row])),
            KeyKind::Uuid => Position::Uuid(batch.uuids[row]),
            KeyKind::Text | KeyKind::Bytes => Position::Text(batch.text.get(row).to_vec()),
        }
    }

    /// How it compares with key `row` of a batch of keys of the same kind.
    #[inline]
    pub fn cmp_row(&self, batch: &KeyBatch, row: usize) -> Ordering {
        match self {
            Position::Text(text) => text.as_slice().cmp(batch.text.get(row)),
            Position::Uuid(uuid) => uuid.cmp(&batch.uuids[row]),
            Position::Number(_) => self.cmp(&Position::of(batch, row)),
        }
    }
}

/// The keys from one place up to but not including another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRange {
    /// The first place; None: every key below `to`.
    pub from: Option<Position>,
    /// The place after the last; None: every key from `from` on.
    pub to: Option<Position>,
}

impl KeyRange {
    /// From one key up to but not including another, as texts.
    ///
    /// Errors name the field: not a key of that kind, or nothing between the two.
    pub fn between(kind: KeyKind, from: Option<&str>, to: Option<&str>) -> Result<Self, Error> {
        let place = |field, text: Option<&str>| text.map(|t| bound(kind, field, t)).transpose();
        let (first, last) = (place("from", from)?, place("to", to)?);
        if let (Some(a), Some(b)) = (&first, &last)
            && a >= b
        {
            let (from, to) = (from.unwrap_or_default(), to.unwrap_or_default());
            let order = match kind {
                KeyKind::I64 | KeyKind::U64 => "integers compare as integers",
                KeyKind::Text | KeyKind::Bytes => "texts compare by their bytes",
                KeyKind::Uuid => "UUIDs compare by their digits",
            };
            return Err(Error::invalid(format!("`to` is {to}, not above `from`, which is {from}"))
                .help(format!(
                    "a range holds the keys from `from` up to but not including `to`; {order}"
                ))
                .field("to"));
        }
        Ok(KeyRange { from: first, to: last })
    }

    /// The keys whose text begins so.
    ///
    /// Errors: integers have no prefix; an empty one; not the beginning of a UUID.
    pub fn prefix(kind: KeyKind, prefix: &str) -> Result<Self, Error> {
        if prefix.is_empty() {
            return Err(Error::invalid("`prefix` is empty: every key begins so")
                .help("give the first characters of the keys that the query asks for")
                .field("prefix"));
        }
        match kind {
            KeyKind::I64 | KeyKind::U64 => Err(Error::invalid("integer keys have no prefix")
                .help("give a range: `from` and `to`")
                .field("prefix")),
            KeyKind::Text => Ok(KeyRange::beginning_with(prefix.as_bytes())),
            KeyKind::Bytes => match bound(kind, "prefix", prefix)? {
                Position::Text(bytes) => Ok(KeyRange::beginning_with(&bytes)),
                other => unreachable!("bytes have no place {other:?}"),
            },
            KeyKind::Uuid => {
                let (first, bits) =
                    uuid_start(prefix).ok_or_else(|| not_a(kind, "prefix", prefix))?;
                let to = 1u128
                    .checked_shl(128 - bits)
                    .and_then(|span| first.checked_add(span))
                    .map(Position::Uuid);
                Ok(KeyRange { from: Some(Position::Uuid(first)), to })
            }
        }
    }

    /// The texts that begin with these bytes.
    pub fn beginning_with(prefix: &[u8]) -> Self {
        KeyRange {
            from: Some(Position::Text(prefix.to_vec())),
            to: after_all(prefix).map(Position::Text),
        }
    }

    /// Whether key `row` of a batch lies in it.
    pub fn holds(&self, batch: &KeyBatch, row: usize) -> bool {
        self.from.as_ref().is_none_or(|from| from.cmp_row(batch, row).is_le())
            && self.to.as_ref().is_none_or(|to| to.cmp_row(batch, row).is_gt())
    }

    /// The range as integers of 64 bits, signed or not: the first and one more than the last. None: its
    /// keys are no integers.
    pub fn numbers(&self) -> Option<(i128, i128)> {
        match (&self.from, &self.to) {
            (Some(Position::Number(from)), Some(Position::Number(to))) => Some((*from, *to)),
            (Some(Position::Number(from)), None) => Some((*from, LEAST_AND_END.1)),
            (None, Some(Position::Number(to))) => Some((LEAST_AND_END.0, *to)),
            _ => None,
        }
    }

    /// The range as texts: the first, and where it ends, if it does. None: its keys are no texts.
    pub fn texts(&self) -> Option<(&[u8], Option<&[u8]>)> {
        fn text(place: &Option<Position>) -> Option<&[u8]> {
            match place {
                Some(Position::Text(text)) => Some(text),
                _ => None,
            }
        }
        match (text(&self.from), text(&self.to)) {
            (None, None) => None,
            (from, to) => Some((from.unwrap_or_default(), to)),
        }
    }

    /// The longest beginning that all its keys have in common; empty where they have none, or are no
    /// texts.
    pub fn common_prefix(&self) -> &[u8] {
        let Some((from, Some(to))) = self.texts() else { return &[] };
        let common = |len: &usize| after_all(&from[..*len]).is_none_or(|end| to <= end.as_slice());
        let len = (0..=from.len()).rev().find(common).unwrap_or(0);
        &from[..len]
    }
}

/// The least text that is above every one that begins so; None: there is none.
fn after_all(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&b| b < u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// The place that a bound's text names; of a UUID its beginning is enough.
fn bound(kind: KeyKind, field: &'static str, text: &str) -> Result<Position, Error> {
    let found = match kind {
        KeyKind::Text => Some(Position::Text(text.as_bytes().to_vec())),
        KeyKind::Bytes => hex(text.as_bytes()).map(Position::Text),
        KeyKind::I64 | KeyKind::U64 => text
            .parse()
            .ok()
            .filter(|n| (LEAST_AND_END.0..=LEAST_AND_END.1).contains(n))
            .map(Position::Number),
        KeyKind::Uuid => uuid_start(text).map(|(first, _)| Position::Uuid(first)),
    };
    found.ok_or_else(|| not_a(kind, field, text))
}

fn not_a(kind: KeyKind, field: &'static str, text: &str) -> Error {
    let (what, allowed) = match kind {
        KeyKind::Text => ("a text", "a text"),
        KeyKind::Bytes => ("bytes in hexadecimal", "an even number of digits 0-9, a-f"),
        KeyKind::I64 | KeyKind::U64 => ("an integer, as the keys are", "a whole number of 64 bits"),
        KeyKind::Uuid => (
            "a UUID or the beginning of one, as the keys are",
            "digits 0-9, a-f with hyphens in their places, e.g. 123e4567-e8",
        ),
    };
    Error::invalid(format!("`{field}` is \"{text}\", which is not {what}"))
        .help(format!("allowed: {allowed}"))
        .field(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Key;

    fn texts(all: &[&str]) -> KeyBatch {
        let mut batch = KeyBatch::new(KeyKind::Text);
        all.iter().for_each(|text| batch.push(&Key::Text(text)));
        batch
    }

    fn held(range: &KeyRange, batch: &KeyBatch) -> Vec<String> {
        let rows = (0..batch.len()).filter(|&row| range.holds(batch, row));
        rows.map(|row| batch.key(row).to_string()).collect()
    }

    #[test]
    fn ranges_are_half_open_in_the_order_of_the_keys() {
        let batch = texts(&["a", "b", "ba", "c", "10", "9"]);
        let between = |from, to| KeyRange::between(KeyKind::Text, from, to).unwrap();
        assert_eq!(held(&between(Some("a"), Some("c")), &batch), ["a", "b", "ba"]);
        assert_eq!(held(&between(Some("10"), Some("9")), &batch), ["10"]);
        assert_eq!(held(&between(None, Some("a")), &batch), ["10", "9"]);
        assert_eq!(held(&between(Some("b"), None), &batch), ["b", "ba", "c"]);
        let mut batch = KeyBatch::new(KeyKind::I64);
        [-5, 9, 10, i64::MAX].into_iter().for_each(|i| batch.push(&Key::I64(i)));
        let between = |from, to| KeyRange::between(KeyKind::I64, from, to).unwrap();
        assert_eq!(held(&between(Some("9"), Some("10")), &batch), ["9"]);
        assert_eq!(held(&between(Some("-5"), Some("10")), &batch), ["-5", "9"]);
        assert_eq!(held(&between(Some("10"), None), &batch), ["10", "9223372036854775807"]);
    }

    #[test]
    fn a_prefix_holds_what_begins_so() {
        let batch = texts(&["ab", "abc", "ac", "aa\u{10ffff}", "b", "ab\u{10ffff}"]);
        let prefix = |text| KeyRange::prefix(KeyKind::Text, text).unwrap();
        assert_eq!(held(&prefix("ab"), &batch), ["ab", "abc", "ab\u{10ffff}"]);
        assert_eq!(KeyRange::beginning_with(&[7, 255, 255]).to, Some(Position::Text(vec![8])));
        assert_eq!(KeyRange::beginning_with(&[255, 255]).to, None);
        let mut batch = KeyBatch::new(KeyKind::Uuid);
        for high in [0x00f0u128, 0x00ff, 0x0100, 0xffff] {
            batch.push(&Key::Uuid(high << 112 | 9));
        }
        let prefix = |text| KeyRange::prefix(KeyKind::Uuid, text).unwrap();
        assert_eq!(held(&prefix("00f"), &batch).len(), 2);
        assert_eq!(held(&prefix("ffff"), &batch).len(), 1);
        let from = KeyRange::between(KeyKind::Uuid, Some("00ff"), Some("ffff")).unwrap();
        assert_eq!(held(&from, &batch).len(), 2);
    }

    #[test]
    fn the_common_prefix_is_what_all_keys_of_the_range_begin_with() {
        let common = |from, to| {
            let range = KeyRange::between(KeyKind::Text, Some(from), Some(to)).unwrap();
            String::from_utf8(range.common_prefix().to_vec()).unwrap()
        };
        assert_eq!(common("NO2024", "NO2025"), "NO2024");
        assert_eq!(common("NO2024", "NO2026"), "NO202");
        assert_eq!(common("NO20245", "NO2025"), "NO2024");
        assert_eq!(common("a", "c"), "");
        assert_eq!(common("abc", "abc0"), "abc");
        assert_eq!(KeyRange::beginning_with(b"xyz").common_prefix(), b"xyz");
        assert_eq!(KeyRange { from: None, to: None }.common_prefix(), b"");
    }

    #[test]
    fn what_is_no_range_is_refused_with_the_field() {
        let field = |kind, from, to| KeyRange::between(kind, from, to).unwrap_err().field;
        assert_eq!(field(KeyKind::Text, Some("b"), Some("a")), Some("to"));
        assert_eq!(field(KeyKind::I64, Some("10"), Some("9")), Some("to"));
        assert_eq!(field(KeyKind::I64, Some("9"), Some("9")), Some("to"));
        assert_eq!(field(KeyKind::I64, Some("x"), None), Some("from"));
        assert_eq!(field(KeyKind::U64, None, Some("18446744073709551617")), Some("to"));
        assert_eq!(field(KeyKind::Uuid, Some("zz"), None), Some("from"));
        for (kind, prefix) in [(KeyKind::I64, "1"), (KeyKind::Text, ""), (KeyKind::Uuid, "g")] {
            assert_eq!(KeyRange::prefix(kind, prefix).unwrap_err().field, Some("prefix"));
        }
    }
}
