//! The parallel batch loop: walks the rows of a workload once and shows every batch to a visitor.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Progress;
use super::input::Input;
use crate::error::{Error, ErrorKind};
use crate::keys::{
    Access, BATCH_ROWS, CHUNK_ROWS, ColumnSpec, Digester, Generate, KeyBatch, RowReader, Want,
};

/// One pass over the rows of `input`: every worker thread makes a state with `new` and shows it each
/// of its batches, digests computed and requests filled in. The states come back in no order; what
/// they hold must not depend on which batches a worker happened to get.
pub fn scan<S: Send>(
    input: &Input,
    columns: &[ColumnSpec],
    progress: &dyn Progress,
    new: impl Fn() -> S + Sync,
    visit: impl Fn(&mut S, &KeyBatch) + Sync,
) -> Result<Vec<S>, Error> {
    let supply = Supply::new(input, progress)?;
    let results = rayon::broadcast(|_| {
        let mut worker = Worker::new(input, columns);
        let mut state = new();
        let outcome = worker.run(&supply, |batch| visit(&mut state, batch));
        outcome.map(|()| state)
    });
    // At most one worker meets a data error (one reader); the others may only have been interrupted.
    let mut states = Vec::with_capacity(results.len());
    let mut failure: Option<Error> = None;
    for result in results {
        match result {
            Ok(state) => states.push(state),
            Err(error) => {
                if failure.as_ref().is_none_or(|f| f.kind == ErrorKind::Interrupted) {
                    failure = Some(error);
                }
            }
        }
    }
    failure.map_or(Ok(states), Err)
}

/// Hands rows to the workers.
struct Supply<'a> {
    input: &'a Input,
    rows: Rows<'a>,
    hot_taken: AtomicBool,
    stop: AtomicBool,
    progress: &'a dyn Progress,
}

enum Rows<'a> {
    Generated { source: &'a dyn Generate, next: AtomicU64 },
    Read(Mutex<Reading<'a>>),
}

struct Reading<'a> {
    reader: Box<dyn RowReader + 'a>,
    next_row: u64,
    /// Requests of all rows before it; only kept where they are divided.
    requests: u64,
}

impl<'a> Supply<'a> {
    fn new(input: &'a Input, progress: &'a dyn Progress) -> Result<Self, Error> {
        let rows = match input.source.access() {
            Access::AnyOrder(source) => Rows::Generated { source, next: AtomicU64::new(0) },
            Access::InOrder(file) => {
                Rows::Read(Mutex::new(Reading { reader: file.open()?, next_row: 0, requests: 0 }))
            }
        };
        Ok(Supply {
            input,
            rows,
            hot_taken: AtomicBool::new(false),
            stop: AtomicBool::new(false),
            progress,
        })
    }

    fn check(&self) -> Result<bool, Error> {
        if self.progress.interrupted() {
            self.stop.store(true, Ordering::Relaxed);
            return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
        }
        Ok(!self.stop.load(Ordering::Relaxed))
    }
}

struct Worker<'a> {
    input: &'a Input,
    digester: Digester,
    want: Want,
    batch: KeyBatch,
    chunk: KeyBatch,
}

impl<'a> Worker<'a> {
    fn new(input: &'a Input, columns: &[ColumnSpec]) -> Self {
        let kind = input.source.kind();
        let digester = Digester::new(columns);
        let want = Want { text: digester.wants_text(kind) };
        Worker {
            input,
            digester,
            want,
            batch: KeyBatch::with_rows(kind, BATCH_ROWS),
            chunk: KeyBatch::with_rows(kind, CHUNK_ROWS as usize),
        }
    }

    fn run(&mut self, supply: &Supply<'_>, mut visit: impl FnMut(&KeyBatch)) -> Result<(), Error> {
        match &supply.rows {
            Rows::Generated { source, next } => {
                let rows = supply.input.rows;
                while supply.check()? {
                    let chunk = next.fetch_add(1, Ordering::Relaxed);
                    let first = chunk.saturating_mul(CHUNK_ROWS);
                    if first >= rows {
                        break;
                    }
                    self.generated(*source, chunk, first, rows.min(first + CHUNK_ROWS), &mut visit);
                    supply.progress.advance(CHUNK_ROWS.min(rows - first));
                }
            }
            Rows::Read(reading) => {
                while supply.check()? {
                    let (first, before) = {
                        let mut reading = reading.lock().expect("no worker panics");
                        self.chunk.clear(reading.next_row);
                        let read = reading.reader.read(CHUNK_ROWS as usize, &mut self.chunk);
                        if let Err(error) = read {
                            supply.stop.store(true, Ordering::Relaxed);
                            return Err(error);
                        }
                        let first = reading.next_row;
                        let before = reading.requests;
                        reading.next_row += self.chunk.len() as u64;
                        if self.input.counted.is_some() {
                            let sum = |sum: u64, &requests| sum.saturating_add(requests);
                            reading.requests = self.chunk.requests.iter().fold(before, sum);
                        }
                        (first, before)
                    };
                    if self.chunk.is_empty() {
                        break;
                    }
                    self.sliced(first, before, &mut visit);
                    supply.progress.advance(self.chunk.len() as u64);
                }
            }
        }
        if !self.input.hot.is_empty() && !supply.hot_taken.swap(true, Ordering::Relaxed) {
            self.hot_rows(&mut visit);
        }
        Ok(())
    }

    fn generated(
        &mut self,
        source: &dyn Generate,
        chunk: u64,
        first: u64,
        end: u64,
        visit: &mut impl FnMut(&KeyBatch),
    ) {
        let mut cursor = source.open(chunk, self.want);
        let mut row = first;
        while row < end {
            let rows = (end - row).min(BATCH_ROWS as u64);
            self.batch.clear(row);
            cursor.fill(rows as usize, &mut self.batch);
            debug_assert_eq!(self.batch.len(), rows as usize);
            self.finish(visit);
            row += rows;
        }
    }

    /// `before` are the requests of the rows before the chunk, as far as they are kept.
    fn sliced(&mut self, first: u64, before: u64, visit: &mut impl FnMut(&KeyBatch)) {
        let (mut start, mut before) = (0, before);
        while start < self.chunk.len() {
            let end = self.chunk.len().min(start + BATCH_ROWS);
            self.batch.clear(first + start as u64);
            self.batch.extend_from(&self.chunk, start..end);
            if let Some(counted) = &self.input.counted {
                let requests = &self.batch.requests;
                let sum = requests.iter().fold(before, |sum, &r| sum.saturating_add(r));
                counted.fill(&mut self.batch, before);
                before = sum;
            }
            self.finish(visit);
            start = end;
        }
    }

    /// Requests, digests, and on to the visitor.
    fn finish(&mut self, visit: &mut impl FnMut(&KeyBatch)) {
        if let Some(traffic) = &self.input.traffic {
            traffic.fill(&mut self.batch);
        } else if self.input.has_requests && self.batch.requests.is_empty() {
            self.batch.requests.resize(self.batch.len(), 1);
        }
        self.digester.compute(&mut self.batch);
        visit(&self.batch);
    }

    fn hot_rows(&mut self, visit: &mut impl FnMut(&KeyBatch)) {
        self.batch.clear(self.input.rows);
        for hot in &self.input.hot {
            self.batch.push(&hot.key());
            self.batch.requests.push(hot.requests);
            if self.input.apart {
                self.batch.reads.push(hot.reads);
                self.batch.writes.push(hot.writes);
            }
            self.batch.phases.resize(hot.phases.len(), Vec::new());
            self.batch.phases.iter_mut().zip(&hot.phases).for_each(|(all, &one)| all.push(one));
            if self.input.source.has_bytes() {
                self.batch.bytes.push(0);
            }
        }
        self.digester.compute(&mut self.batch);
        visit(&self.batch);
    }
}
