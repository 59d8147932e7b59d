//! Keys that a person gives: as arguments, or one a line on stdin.

use std::io::{BufRead, IsTerminal as _, Read as _};

use clap::ValueEnum;

use crate::error::Error;
use crate::keys::parse::push_text;
use crate::keys::{BATCH_ROWS, KeyBatch, KeyKind, MAX_BATCH_TEXT, MAX_KEY};
use crate::text_file::BOM;

/// How the text of a given key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeysType {
    /// UTF-8 text
    Text,
    /// Signed 64-bit integers in decimal
    Int,
    /// Unsigned 64-bit integers in decimal
    Uint,
    /// Bytes in hexadecimal
    Hex,
    /// UUIDs, with or without hyphens
    Uuid,
}

impl KeysType {
    /// The kind of key it gives.
    pub fn kind(self) -> KeyKind {
        match self {
            KeysType::Text => KeyKind::Text,
            KeysType::Int => KeyKind::I64,
            KeysType::Uint => KeyKind::U64,
            KeysType::Hex => KeyKind::Bytes,
            KeysType::Uuid => KeyKind::Uuid,
        }
    }
}

/// Calls `each` with batches of the keys, in their order; the batch's `first_row` counts from 0.
/// Every line of stdin is a key: an empty one is the empty key. A byte order mark before the first is none
/// of it, as in files of keys.
pub fn batches<E: From<Error>>(
    given: &[String],
    kind: KeyKind,
    mut each: impl FnMut(&mut KeyBatch) -> Result<(), E>,
) -> Result<(), E> {
    let mut batch = KeyBatch::new(kind);
    let mut row = 0;
    let mut push = |line: &[u8]| -> Result<(), E> {
        if batch.len() == BATCH_ROWS || batch.text.total_bytes() >= MAX_BATCH_TEXT {
            each(&mut batch)?;
            batch.clear(row);
        }
        row += 1;
        Ok(push_key(&mut batch, line, row)?)
    };
    if given.is_empty() {
        read_lines(&mut push)?;
    } else {
        given.iter().try_for_each(|key| push(key.as_bytes()))?;
    }
    if batch.is_empty() { Ok(()) } else { each(&mut batch) }
}

fn read_lines<E: From<Error>>(push: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Err(Error::invalid("no keys are given")
            .help("give keys as arguments, or pipe them in, one a line")
            .into());
    }
    let mut input = std::io::BufReader::with_capacity(1 << 16, stdin.lock());
    let (mut line, mut mark) = (Vec::new(), BOM.as_bytes());
    loop {
        line.clear();
        // Room for a key that is too long, mark, CR and LF: it is refused, whatever follows.
        let read = input.by_ref().take(MAX_KEY as u64 + 6).read_until(b'\n', &mut line);
        if read.map_err(|cause| Error::io("cannot read keys from stdin", &cause))? == 0 {
            return Ok(());
        }
        let key = line.strip_prefix(mark).unwrap_or(&line);
        mark = &[];
        let end = key.strip_suffix(b"\n").unwrap_or(key);
        push(end.strip_suffix(b"\r").unwrap_or(end))?;
    }
}

fn push_key(batch: &mut KeyBatch, bytes: &[u8], row: u64) -> Result<(), Error> {
    let shown = || String::from_utf8_lossy(bytes).chars().take(80).collect::<String>();
    let wrong = |allowed: &str| {
        Error::data(format!("key {row}: `{}` is not {allowed}", shown()))
            .help("--keys text, int, uint, hex or uuid says how keys are read")
    };
    if bytes.len() > MAX_KEY {
        return Err(Error::data(format!(
            "key {row}: `{}…` has more than {MAX_KEY} bytes",
            shown()
        ))
        .help(format!("allowed: keys of up to {MAX_KEY} bytes; is a line break missing?")));
    }
    push_text(batch, bytes).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(kind: KeyKind, given: &[&str]) -> Result<Vec<String>, Error> {
        let given: Vec<String> = given.iter().map(ToString::to_string).collect();
        let mut seen = Vec::new();
        batches(&given, kind, |batch| {
            seen.extend((0..batch.len()).map(|i| batch.key(i).to_string()));
            Ok::<(), Error>(())
        })?;
        Ok(seen)
    }

    #[test]
    fn keys_are_read_by_their_type() {
        assert_eq!(keys(KeyKind::Text, &["", "é"]).unwrap(), ["", "é"]);
        assert_eq!(keys(KeyKind::I64, &["-5"]).unwrap(), ["-5"]);
        assert_eq!(
            keys(KeyKind::U64, &["18446744073709551615"]).unwrap(),
            ["18446744073709551615"]
        );
        assert_eq!(keys(KeyKind::Bytes, &["0x00fF", ""]).unwrap(), ["00ff", ""]);
        let id = "123e4567-e89b-12d3-a456-426614174000";
        assert_eq!(keys(KeyKind::Uuid, &[id, &id.replace('-', "")]).unwrap(), [id, id]);
    }

    #[test]
    fn a_wrong_key_is_named_with_its_row() {
        for (kind, text) in [
            (KeyKind::I64, "1x"),
            (KeyKind::U64, "-1"),
            (KeyKind::Bytes, "abc"),
            (KeyKind::Bytes, "+1"),
            (KeyKind::Uuid, "123e4567e89b-12d3-a456-426614174000"),
        ] {
            let good = if kind == KeyKind::Uuid { "0".repeat(32) } else { "10".into() };
            let error = keys(kind, &[&good, text]).unwrap_err();
            assert!(error.message.starts_with(&format!("key 2: `{text}` is not")), "{error}");
        }
    }

    #[test]
    fn many_keys_come_in_batches_and_in_order() {
        let given: Vec<String> = (0..2 * BATCH_ROWS + 1).map(|i| i.to_string()).collect();
        let mut rows = Vec::new();
        batches(&given, KeyKind::Text, |batch| {
            rows.push((batch.first_row, batch.len()));
            Ok::<(), Error>(())
        })
        .unwrap();
        let size = BATCH_ROWS as u64;
        assert_eq!(rows, [(0, BATCH_ROWS), (size, BATCH_ROWS), (2 * size, 1)]);
    }
}
