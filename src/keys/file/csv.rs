//! CSV with a header row. About 8 M rows a second.

use std::io::{self, Read};

use ::csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder};

use super::Spec;
use super::input::{self, BUFFER, Input};
use super::sink::{Load, Sink, find_columns};
use crate::error::Error;
use crate::keys::{KeyBatch, RowReader};

/// Longest row in bytes: a quote that is left open must not read the file into memory.
const MAX_ROW: usize = 16 << 20;

/// Reads a CSV file.
pub(super) struct CsvRows<'a> {
    reader: Reader<Budget>,
    /// Places of key, requests, bytes among the columns.
    key: usize,
    requests: Option<usize>,
    bytes: Option<usize>,
    record: ByteRecord,
    sink: Sink<'a>,
}

impl<'a> CsvRows<'a> {
    /// Opens the file and finds its columns.
    pub(super) fn open(spec: &'a Spec) -> Result<Self, Error> {
        let input = Budget { input: input::open(spec)?, left: MAX_ROW };
        let mut reader = ReaderBuilder::new().buffer_capacity(BUFFER).from_reader(input);
        let sink = Sink::new(spec);
        let header = reader.byte_headers().map_err(|e| failed(&sink, &e))?;
        if header.is_empty() {
            sink.end_of_file()?;
        }
        let known: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let [key, requests, bytes] = find_columns(spec, &known)?;
        let key = key.expect("the key column is always wanted");
        Ok(CsvRows { reader, key, requests, bytes, record: ByteRecord::new(), sink })
    }

    fn row(&mut self, batch: &mut KeyBatch) -> Result<(), Error> {
        self.sink.line = self.record.position().map_or(0, |position| position.line());
        // Every record has as many fields as the header, or reading it had failed.
        self.sink.key(&self.record[self.key], batch)?;
        if let Some(i) = self.requests {
            self.sink.count(Load::Requests, &self.record[i], batch)?;
        }
        if let Some(i) = self.bytes {
            self.sink.count(Load::Bytes, &self.record[i], batch)?;
        }
        self.sink.end_row();
        Ok(())
    }
}

impl RowReader for CsvRows<'_> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        for _ in 0..self.sink.left(rows) {
            self.reader.get_mut().left = MAX_ROW;
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => self.row(batch)?,
                Ok(false) => return self.sink.end_of_file(),
                Err(cause) => return Err(failed(&self.sink, &cause)),
            }
            batch.grow(1);
        }
        Ok(())
    }
}

/// The error when a record cannot be read.
#[cold]
fn failed(sink: &Sink<'_>, cause: &::csv::Error) -> Error {
    match cause.kind() {
        ErrorKind::Io(cause) => input::failed(sink.spec, sink.rows, cause),
        ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.as_ref().map_or(0, |pos| pos.line());
            let place = format!("`{}`, row {} (line {line})", sink.spec.name, sink.rows + 1);
            let fields = |n: u64| format!("{n} field{}", if n == 1 { "" } else { "s" });
            Error::data(format!(
                "{place}: has {}, the header has {}",
                fields(*len),
                fields(*expected_len)
            ))
            .help("write a field that holds a comma, a quote or a line break in double quotes")
        }
        _ => Error::data(format!("{}: {cause}", sink.place())),
    }
}

/// An input that refuses to give more than a number of bytes until the number is set anew.
struct Budget {
    input: Input,
    left: usize,
}

impl Read for Budget {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                format!("the next row has more than {MAX_ROW} bytes; is a quote left open?"),
            ));
        }
        let most = buffer.len().min(self.left);
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read;
        Ok(read)
    }
}
