//! The counts that the rows of a file bring along: how they divide into reads and writes, and what a cache
//! of the hottest rows leaves of them.
//!
//! The line of requests on which they divide runs in the order of the file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Progress;
use super::input::Input;
use super::scan::scan;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::traffic::divide::Divide;

/// Divides the counts of rows.
#[derive(Debug)]
pub struct Counted {
    divide: Divide,
    /// Rows in the cache, ascending.
    cached: Vec<u64>,
}

impl Counted {
    /// Divides the counts of `input`, whose hottest rows are found in one pass if they are cached: of
    /// equal rows the first.
    pub fn new(divide: Divide, input: &Input, progress: &dyn Progress) -> Result<Self, Error> {
        let wanted = divide.ranks() as usize;
        if wanted == 0 {
            return Ok(Counted { divide, cached: Vec::new() });
        }
        progress.begin("finding the hottest keys", input.rows);
        // The coldest of the hottest stands on top.
        type Hottest = BinaryHeap<Reverse<(u64, Reverse<u64>)>>;
        let found = scan(input, &[], progress, Hottest::new, |heap, batch: &KeyBatch| {
            for (row, &requests) in (batch.first_row..).zip(&batch.requests) {
                let item = Reverse((requests, Reverse(row)));
                if heap.len() < wanted {
                    heap.push(item);
                } else if heap.peek().is_some_and(|coldest| item < *coldest) {
                    heap.pop();
                    heap.push(item);
                }
            }
        })?;
        let mut all: Vec<Reverse<(u64, Reverse<u64>)>> = found.into_iter().flatten().collect();
        all.sort_unstable();
        let mut cached: Vec<u64> =
            all.into_iter().take(wanted).map(|Reverse((_, Reverse(row)))| row).collect();
        cached.sort_unstable();
        Ok(Counted { divide, cached })
    }

    /// Divides the requests of a batch; `before` are those of all rows before it.
    pub fn fill(&self, batch: &mut KeyBatch, before: u64) {
        let first = batch.first_row;
        let mut hot = self.cached.partition_point(|&row| row < first);
        let KeyBatch { requests, reads, writes, .. } = batch;
        let mut at = before;
        for (row, requests) in (first..).zip(requests) {
            let is_hot = self.cached.get(hot) == Some(&row);
            hot += usize::from(is_hot);
            // The first ranks are those in the cache.
            let rank = if is_hot { 0 } else { u64::MAX };
            let upto = at.saturating_add(*requests);
            let (r, w) = self.divide.row(rank, at, upto);
            at = upto;
            *requests = r + w;
            if self.divide.apart() {
                reads.push(r);
                writes.push(w);
            }
        }
    }
}
