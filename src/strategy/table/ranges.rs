//! The ranges of a table, sorted and disjoint.

use super::file::RangeRow;
use crate::error::Error;
use crate::keys::{KeyBatch, KeyKind, KeyRange};

/// Ascending half-open ranges `from .. to`.
#[derive(Debug, Clone)]
pub(super) enum Ranges {
    /// Of integer keys. No bound: the least and the largest i128, which no key reaches.
    Numbers(Vec<(i128, i128)>),
    /// Of texts, by their bytes. No upper bound: None.
    Texts(Vec<(Vec<u8>, Option<Vec<u8>>)>),
}

/// Who owns each range, as indices into the file's names.
type Owners = Vec<u32>;

impl Ranges {
    /// Sorts the rows of a file; empty or overlapping ranges are errors that name the rows.
    pub(super) fn new(
        rows: Vec<RangeRow>,
        integer: bool,
        shown: &str,
    ) -> Result<(Self, Owners), Error> {
        if integer {
            let parse = |row: &RangeRow| {
                Ok((
                    number(&row.from, i128::MIN, "from", row.number, shown)?,
                    number(&row.to, i128::MAX, "to", row.number, shown)?,
                ))
            };
            let (ranges, owners) = sorted(rows, shown, parse, |from, to| from < to)?;
            return Ok((Ranges::Numbers(ranges), owners));
        }
        let parse = |row: &RangeRow| {
            let to = (!row.to.is_empty()).then(|| row.to.clone().into_bytes());
            Ok((row.from.clone().into_bytes(), to))
        };
        let below = |from: &Vec<u8>, to: &Option<Vec<u8>>| to.as_ref().is_none_or(|to| from < to);
        let (ranges, owners) = sorted(rows, shown, parse, below)?;
        Ok((Ranges::Texts(ranges), owners))
    }

    /// The range that holds the key of row `i` of the batch.
    #[inline]
    pub(super) fn find(&self, batch: &KeyBatch, i: usize) -> Option<usize> {
        match (self, batch.kind()) {
            (Ranges::Numbers(ranges), KeyKind::I64 | KeyKind::U64) => {
                let x = match batch.kind() {
                    KeyKind::I64 => i128::from(batch.ints[i] as i64),
                    _ => i128::from(batch.ints[i]),
                };
                let row = ranges.partition_point(|(from, _)| *from <= x).checked_sub(1)?;
                (x < ranges[row].1).then_some(row)
            }
            (Ranges::Texts(ranges), KeyKind::Text | KeyKind::Bytes) => {
                let x = batch.text.get(i);
                let row =
                    ranges.partition_point(|(from, _)| from.as_slice() <= x).checked_sub(1)?;
                ranges[row].1.as_ref().is_none_or(|to| x < to.as_slice()).then_some(row)
            }
            _ => None,
        }
    }

    /// The rows that hold keys of a range of keys; None: it is of keys of another kind.
    pub(super) fn within(&self, range: &KeyRange) -> Option<std::ops::Range<usize>> {
        let (first, end) = match self {
            Ranges::Numbers(ranges) => {
                let (from, to) = range.numbers()?;
                let first = ranges.partition_point(|row| row.1 <= from);
                (first, ranges.partition_point(|row| row.0 < to))
            }
            Ranges::Texts(ranges) => {
                let (from, to) = range.texts()?;
                let ends = |row: &(Vec<u8>, Option<Vec<u8>>)| {
                    row.1.as_ref().is_some_and(|end| end.as_slice() <= from)
                };
                let begins = |to: &[u8]| ranges.partition_point(|row| row.0.as_slice() < to);
                (ranges.partition_point(ends), to.map_or(ranges.len(), begins))
            }
        };
        Some(first..end.max(first))
    }

    /// A range in words.
    pub(super) fn show(&self, row: usize) -> String {
        let (from, to) = match self {
            Ranges::Numbers(ranges) => {
                let (from, to) = ranges[row];
                (
                    if from == i128::MIN { String::new() } else { from.to_string() },
                    if to == i128::MAX { String::new() } else { to.to_string() },
                )
            }
            Ranges::Texts(ranges) => {
                let show = |text: &[u8]| format!("\"{}\"", String::from_utf8_lossy(text));
                let (from, to) = &ranges[row];
                (show(from), to.as_ref().map_or(String::new(), |to| show(to)))
            }
        };
        let or =
            |bound: String, open: &str| if bound.is_empty() { open.to_string() } else { bound };
        format!("{} .. {}", or(from, "first"), or(to, "last"))
    }

    /// 32 bytes a range of numbers; the bytes of its bounds for one of texts.
    pub(super) fn heap_bytes(&self) -> u64 {
        match self {
            Ranges::Numbers(ranges) => 32 * ranges.len() as u64,
            Ranges::Texts(ranges) => ranges
                .iter()
                .map(|(from, to)| (from.len() + to.as_ref().map_or(0, Vec::len)) as u64)
                .sum(),
        }
    }
}

/// A bound of an integer range; `open` if the field is empty.
fn number(text: &str, open: i128, column: &str, row: u64, shown: &str) -> Result<i128, Error> {
    if text.is_empty() {
        return Ok(open);
    }
    // Keys have 64 bits, signed or not.
    let allowed = i128::from(i64::MIN)..=i128::from(u64::MAX) + 1;
    text.parse().ok().filter(|n| allowed.contains(n)).ok_or_else(|| {
        Error::data(format!("`{shown}`, row {row}: `{column}` is \"{text}\""))
            .help("allowed for integer keys: a whole number of 64 bits, or nothing for no bound")
    })
}

/// Parses, checks and sorts the rows. `below` tells whether a `from` lies below a `to`; where it does
/// not for the next row's `from`, two ranges overlap.
fn sorted<F: Ord + Clone, T>(
    rows: Vec<RangeRow>,
    shown: &str,
    parse: impl Fn(&RangeRow) -> Result<(F, T), Error>,
    below: impl Fn(&F, &T) -> bool,
) -> Result<(Vec<(F, T)>, Owners), Error> {
    let mut parsed = Vec::with_capacity(rows.len());
    for row in rows {
        let (from, to) = parse(&row)?;
        if !below(&from, &to) {
            return Err(Error::data(format!(
                "`{shown}`, row {}: `from` is \"{}\", not below `to`, which is \"{}\"",
                row.number, row.from, row.to
            ))
            .help("a range holds the keys from `from` up to but not including `to`"));
        }
        parsed.push((from, to, row));
    }
    parsed.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.number.cmp(&b.2.number)));
    if let Some(pair) = parsed.windows(2).find(|pair| below(&pair[1].0, &pair[0].1)) {
        let (a, b) = (&pair[0].2, &pair[1].2);
        return Err(Error::data(format!(
            "`{shown}`, rows {} and {}: the ranges \"{}\" .. \"{}\" and \"{}\" .. \"{}\" overlap",
            a.number, b.number, a.from, a.to, b.from, b.to
        ))
        .help("ranges are half-open and must not overlap"));
    }
    let owners = parsed.iter().map(|(_, _, row)| row.name).collect();
    Ok((parsed.into_iter().map(|(from, to, _)| (from, to)).collect(), owners))
}
