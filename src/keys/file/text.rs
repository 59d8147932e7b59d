//! Newline-separated text: one key a line. About 15 M rows a second.

use std::io::{BufRead, BufReader, Read};

use super::Spec;
use super::input::{self, BUFFER, Input};
use super::sink::Sink;
use crate::error::Error;
use crate::keys::{KeyBatch, MAX_KEY, RowReader};
use crate::text_file::BOM;

/// Longest line that is read: longest key, CR, LF and a byte order mark.
const MAX_LINE: u64 = MAX_KEY as u64 + 5;

/// Reads a text file.
pub(super) struct TextRows<'a> {
    input: BufReader<Input>,
    sink: Sink<'a>,
    line: Vec<u8>,
}

impl<'a> TextRows<'a> {
    /// Opens the file.
    pub(super) fn open(spec: &'a Spec) -> Result<Self, Error> {
        let input = BufReader::with_capacity(BUFFER, input::open(spec)?);
        Ok(TextRows { input, sink: Sink::new(spec), line: Vec::new() })
    }

    /// Reads the next line that is not blank; false at the end.
    fn next_line(&mut self) -> Result<bool, Error> {
        loop {
            self.line.clear();
            let read = self.input.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line);
            if read.map_err(|e| input::failed(self.sink.spec, self.sink.rows, &e))? == 0 {
                return Ok(false);
            }
            self.sink.line += 1;
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            }
            if self.line.last() == Some(&b'\r') {
                self.line.pop();
            }
            if self.sink.line == 1 && self.line.starts_with(BOM.as_bytes()) {
                self.line.drain(..BOM.len());
            }
            if !self.line.is_empty() {
                return Ok(true);
            }
        }
    }
}

impl RowReader for TextRows<'_> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        for _ in 0..self.sink.left(rows) {
            if self.sink.is_full(batch) {
                break;
            }
            if !self.next_line()? {
                return self.sink.end_of_file();
            }
            self.sink.key(&self.line, batch)?;
            self.sink.end_row();
            batch.grow(1);
        }
        Ok(())
    }
}
