//! From cells of a row to the columns of a batch, with every check on the way.

use super::Spec;
use crate::error::Error;
use crate::keys::format::{push_i64, push_u64};
use crate::keys::{KeyBatch, KeyKind, MAX_BATCH_TEXT, MAX_KEY};

/// A column that counts something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Load {
    Requests,
    Bytes,
}

/// Takes the cells of rows in order.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    pub(super) spec: &'a Spec,
    /// Complete rows so far.
    pub(super) rows: u64,
    /// Line of the row at hand, counted from 1; 0 where the format has no lines.
    pub(super) line: u64,
    requests: u64,
    bytes: u64,
}

impl<'a> Sink<'a> {
    pub(super) fn new(spec: &'a Spec) -> Self {
        Sink { spec, rows: 0, line: 0, requests: 0, bytes: 0 }
    }

    /// How many of `wanted` rows the limit leaves.
    pub(super) fn left(&self, wanted: usize) -> usize {
        (self.spec.limit - self.rows).min(wanted as u64) as usize
    }

    /// Whether the batch should end before its next row.
    #[inline]
    pub(super) fn is_full(&self, batch: &KeyBatch) -> bool {
        batch.text.total_bytes() >= MAX_BATCH_TEXT
    }

    /// Takes a key in its text form.
    #[inline]
    pub(super) fn key(&mut self, key: &[u8], batch: &mut KeyBatch) -> Result<(), Error> {
        if self.spec.kind == KeyKind::U64 {
            let Some(number) = parse_u64(key) else {
                return Err(self
                    .wrong_cell(&self.spec.key, &show(key), "is no 64-bit integer without a sign")
                    .help(format!("allowed: whole numbers from 0 to {}", u64::MAX)));
            };
            self.unsigned(number, batch);
            return Ok(());
        }
        if self.spec.kind == KeyKind::I64 {
            let Some(number) = parse_i64(key) else {
                return Err(self
                    .wrong_cell(&self.spec.key, &show(key), "is no 64-bit integer")
                    .help(format!("allowed: whole numbers from {} to {}", i64::MIN, i64::MAX)));
            };
            self.integer(number, batch);
            return Ok(());
        }
        if key.len() > MAX_KEY {
            let size = format!("has {} bytes", key.len());
            return Err(self
                .wrong_cell(&self.spec.key, &show(key), &size)
                .help(format!("allowed: keys of up to {MAX_KEY} bytes")));
        }
        if let Err(cause) = std::str::from_utf8(key) {
            let place = format!("is no UTF-8 from byte {} on", cause.valid_up_to() + 1);
            return Err(self
                .wrong_cell(&self.spec.key, &show(key), &place)
                .help("save the file as UTF-8"));
        }
        batch.text.push(key);
        Ok(())
    }

    /// Takes a key that is an integer already, of an integer source.
    #[inline]
    pub(super) fn integer(&mut self, key: i64, batch: &mut KeyBatch) {
        batch.ints.push(key as u64);
        push_i64(key, batch.text.arena());
        batch.text.end();
    }

    /// Takes a key that is an integer without a sign already, of a source of such.
    #[inline]
    pub(super) fn unsigned(&mut self, key: u64, batch: &mut KeyBatch) {
        batch.ints.push(key);
        push_u64(key, batch.text.arena());
        batch.text.end();
    }

    /// Takes a count in its text form.
    #[inline]
    pub(super) fn count(
        &mut self,
        load: Load,
        cell: &[u8],
        batch: &mut KeyBatch,
    ) -> Result<(), Error> {
        match parse_u64(cell) {
            Some(count) => self.add(load, count, batch),
            None => Err(self.wrong_count(load, cell)),
        }
    }

    /// Takes a count.
    #[inline]
    pub(super) fn add(
        &mut self,
        load: Load,
        count: u64,
        batch: &mut KeyBatch,
    ) -> Result<(), Error> {
        let (total, column) = match load {
            Load::Requests => (&mut self.requests, &mut batch.requests),
            Load::Bytes => (&mut self.bytes, &mut batch.bytes),
        };
        let Some(sum) = total.checked_add(count) else {
            return Err(self
                .wrong_cell(self.column(load), &count.to_string(), "makes the total overflow")
                .help(format!("allowed: a total of up to {} over all rows", u64::MAX)));
        };
        *total = sum;
        column.push(count);
        Ok(())
    }

    /// Ends the row.
    #[inline]
    pub(super) fn end_row(&mut self) {
        self.rows += 1;
    }

    /// What the end of the file means: an error if there was no row at all.
    pub(super) fn end_of_file(&self) -> Result<(), Error> {
        if self.rows > 0 {
            return Ok(());
        }
        Err(Error::data(format!("`{}` has no rows", self.spec.name))
            .help("give a file with at least one key")
            .field("file"))
    }

    /// The error of a count that is none.
    #[cold]
    pub(super) fn wrong_count(&self, load: Load, cell: &[u8]) -> Error {
        let digits = cell.strip_prefix(b"-").unwrap_or(cell);
        let problem = if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            "is no whole number"
        } else if digits.len() < cell.len() {
            "is negative"
        } else {
            "is too large"
        };
        self.wrong_cell(self.column(load), &show(cell), problem)
            .help(format!("allowed: whole numbers from 0 to {}", u64::MAX))
    }

    /// An error about a cell of the row at hand.
    #[cold]
    pub(super) fn wrong_cell(&self, column: &str, cell: &str, problem: &str) -> Error {
        let column = match self.spec.format {
            super::Format::Text => String::new(),
            _ => format!(", column `{column}`"),
        };
        Error::data(format!("{}{column}: `{cell}` {problem}", self.place()))
    }

    /// The row at hand, in words.
    pub(super) fn place(&self) -> String {
        let row = self.rows + 1;
        match self.line {
            0 => format!("`{}`, row {row}", self.spec.name),
            line => format!("`{}`, row {row} (line {line})", self.spec.name),
        }
    }

    /// Name of a load's column.
    fn column(&self, load: Load) -> &'a str {
        match load {
            Load::Requests => self.spec.requests.as_deref().unwrap_or_default(),
            Load::Bytes => self.spec.bytes.as_deref().unwrap_or_default(),
        }
    }
}

/// Finds the spec's columns among those of the file: key, requests, bytes.
pub(super) fn find_columns(spec: &Spec, known: &[String]) -> Result<[Option<usize>; 3], Error> {
    let wanted = [
        ("key", Some(&spec.key)),
        ("requests", spec.requests.as_ref()),
        ("bytes", spec.bytes.as_ref()),
    ];
    let mut found = [None; 3];
    for (found, (field, name)) in found.iter_mut().zip(wanted) {
        let Some(name) = name else { continue };
        let mut places = known.iter().enumerate().filter(|(_, have)| *have == name);
        *found = places.next().map(|(i, _)| i);
        if found.is_none() {
            let mut error = Error::unknown("column", name, known.iter().map(String::as_str));
            error.kind = crate::error::ErrorKind::Data;
            error.message = format!("`{}` has no column `{name}`", spec.name);
            return Err(error.field(field));
        }
        if places.next().is_some() {
            return Err(Error::data(format!("`{}` has two columns `{name}`", spec.name))
                .help("rename one of them")
                .field(field));
        }
    }
    Ok(found)
}

/// A cell as messages show it: its start, as text.
fn show(cell: &[u8]) -> String {
    const SHOWN: usize = 60;
    let text = String::from_utf8_lossy(&cell[..cell.len().min(4 * SHOWN)]);
    let short: String = text.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().count() > SHOWN || cell.len() > 4 * SHOWN { short + "…" } else { short }
}

/// Decimal digits only.
#[inline]
fn parse_u64(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Decimal digits with an optional minus sign.
#[inline]
fn parse_i64(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        Some(digits) => 0i64.checked_sub_unsigned(parse_u64(digits)?),
        None => i64::try_from(parse_u64(text)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_parse_at_their_ends() {
        assert_eq!(parse_u64(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(parse_u64(b"18446744073709551616"), None);
        assert_eq!(parse_i64(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(parse_i64(b"9223372036854775808"), None);
        assert_eq!(parse_i64(b"007"), Some(7));
        for wrong in ["", "-", "+1", " 1", "1.0", "1e3", "--1", "٣"] {
            assert_eq!(parse_i64(wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn long_cells_are_shown_by_their_start() {
        assert_eq!(show(b"a\nb"), "a\\nb");
        assert_eq!(show("ü".repeat(100).as_bytes()), "ü".repeat(60) + "…");
        assert_eq!(show(&[0xff; 3]), "\u{fffd}".repeat(3));
    }
}
