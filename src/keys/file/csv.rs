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
    /// Whether the row read last may have swallowed others by an open quote.
    swallowed: bool,
    sink: Sink<'a>,
}

/// The names in the header.
pub(super) fn columns(spec: &Spec) -> Result<Vec<String>, Error> {
    let input = Budget { input: input::open(spec)?, left: MAX_ROW, quotes: 0 };
    let mut reader = ReaderBuilder::new().buffer_capacity(BUFFER).from_reader(input);
    let header = reader.byte_headers().map_err(|cause| failed(&Sink::new(spec), &cause))?;
    if header.is_empty() {
        Sink::new(spec).end_of_file()?;
    }
    Ok(header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect())
}

impl<'a> CsvRows<'a> {
    /// Opens the file and finds its columns.
    pub(super) fn open(spec: &'a Spec) -> Result<Self, Error> {
        let input = Budget { input: input::open(spec)?, left: MAX_ROW, quotes: 0 };
        let mut reader = ReaderBuilder::new().buffer_capacity(BUFFER).from_reader(input);
        let sink = Sink::new(spec);
        let header = match reader.byte_headers() {
            Ok(header) => header.clone(),
            Err(cause) => return Err(failed(&sink, &cause)),
        };
        if header.is_empty() {
            sink.end_of_file()?;
        }
        let known: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let [key, requests, bytes] = find_columns(spec, &known)?;
        let key = key.expect("the key column is always wanted");
        Ok(CsvRows {
            reader,
            key,
            requests,
            bytes,
            record: ByteRecord::new(),
            swallowed: false,
            sink,
        })
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
        self.swallowed = !self.reader.get_ref().quotes.is_multiple_of(2)
            && self.record.as_slice().contains(&b'\n');
        self.sink.end_row();
        Ok(())
    }
}

impl CsvRows<'_> {
    /// An open quote at the end of the file has swallowed the rows after it: the parser takes them for
    /// one cell. Quotes that are closed, also those doubled inside a cell, are even in number.
    fn end_of_file(&self) -> Result<(), Error> {
        if !self.swallowed {
            return self.sink.end_of_file();
        }
        let (name, row, line) = (&self.sink.spec.name, self.sink.rows, self.sink.line);
        Err(Error::data(format!("`{name}`, row {row} (line {line}): a quote is left open"))
            .help("close it; a quote inside a cell is written twice"))
    }

    /// The error of a row that does not end.
    #[cold]
    fn too_long(&self) -> Error {
        let (name, row) = (&self.sink.spec.name, self.sink.rows + 1);
        let line = self.reader.position().line();
        Error::data(format!("`{name}`, row {row} (line {line}): has more than {MAX_ROW} bytes"))
            .help("is a quote left open? A quote inside a cell is written twice")
    }
}

impl RowReader for CsvRows<'_> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        for _ in 0..self.sink.left(rows) {
            if self.sink.is_full(batch) {
                break;
            }
            self.reader.get_mut().left = MAX_ROW;
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => self.row(batch)?,
                Ok(false) => return self.end_of_file(),
                Err(_) if self.reader.get_ref().left == 0 => return Err(self.too_long()),
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
            .help("a quote that is left open swallows the fields and rows after it")
        }
        _ => Error::data(format!("{}: {cause}", sink.place())),
    }
}

/// An input that refuses to give more than a number of bytes until the number is set anew.
struct Budget {
    input: Input,
    left: usize,
    /// Double quotes so far.
    quotes: u64,
}

impl Read for Budget {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a row has too many bytes"));
        }
        let most = buffer.len().min(self.left);
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read;
        self.quotes += buffer[..read].iter().filter(|&&byte| byte == b'"').count() as u64;
        Ok(read)
    }
}
