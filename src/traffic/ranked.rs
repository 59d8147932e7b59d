//! The traffic of a cumulative share whose ranks are given out by a bijection of the row number.

use super::cumulative::{Cumulative, share_out};
use super::divide::Divide;
use super::rank::{MAX_ROWS, Ranks};
use super::{Traffic, TrafficBuild};
use crate::error::Error;
use crate::keys::KeyBatch;

/// Shares `requests` out over `rows` rows by their ranks.
#[derive(Debug)]
pub struct Ranked<C> {
    cumulative: C,
    ranks: Ranks,
    rows: u64,
    requests: u64,
    divide: Divide,
}

/// Builds the traffic of a cumulative share with the parameter `rank` of the shape.
///
/// Errors: no rows, or more than 2^62.
pub fn build<C: Cumulative + 'static>(
    build: &TrafficBuild<'_>,
    cumulative: C,
) -> Result<Box<dyn Traffic>, Error> {
    if build.rows == 0 || build.rows > MAX_ROWS {
        return Err(wrong_rows(build));
    }
    let ranks = Ranks::from_param(build.params.text("rank"), build.rows, build.seed);
    let TrafficBuild { rows, requests, divide, .. } = *build;
    Ok(Box::new(Ranked { cumulative, ranks, rows, requests, divide }))
}

/// The error of a number of rows that no shape can share requests out over.
pub(super) fn wrong_rows(build: &TrafficBuild<'_>) -> Error {
    Error::invalid(format!("{} rows cannot share {} requests", build.rows, build.requests))
        .help(format!("allowed: 1 to {MAX_ROWS} rows"))
}

impl<C: Cumulative> Ranked<C> {
    /// Requests by rank, divided; `requests` holds the ranks.
    fn divide(&self, requests: &mut [u64], reads: &mut Vec<u64>, writes: &mut Vec<u64>) {
        for slot in requests {
            let rank = *slot;
            let (before, upto) = self.cumulative.around(rank);
            let (before, upto) = (share_out(before, self.requests), share_out(upto, self.requests));
            let (r, w) = self.divide.row(rank, before, upto);
            *slot = r + w;
            if self.divide.apart() {
                reads.push(r);
                writes.push(w);
            }
        }
    }
}

impl<C: Cumulative> Traffic for Ranked<C> {
    fn fill(&self, batch: &mut KeyBatch) {
        let first = batch.first_row;
        // Rows beyond those that were counted take nothing: the requests are shared out already.
        let known = (batch.len() as u64).min(self.rows.saturating_sub(first)) as usize;
        let len = batch.len();
        let KeyBatch { requests: out, reads, writes, .. } = batch;
        out.clear();
        out.resize(len, 0);
        self.ranks.fill(first, &mut out[..known]);
        if !self.divide.is_plain() {
            reads.clear();
            writes.clear();
            self.divide(&mut out[..known], reads, writes);
            let apart = if self.divide.apart() { len } else { 0 };
            reads.resize(apart, 0);
            writes.resize(apart, 0);
            return;
        }
        for slot in &mut out[..known] {
            let (before, upto) = self.cumulative.around(*slot);
            *slot = share_out(upto, self.requests) - share_out(before, self.requests);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::TrafficInfo;
    use super::*;
    use crate::keys::{Key, KeyKind};
    use crate::params::{Params, Value};

    /// The requests of all rows, filled in batches of uneven length.
    pub(in crate::traffic) fn counts(
        info: &'static TrafficInfo,
        params: &[(&str, Value)],
        rows: u64,
        requests: u64,
        seed: u64,
    ) -> Vec<u64> {
        let given = params.iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect();
        let params = Params::from_pairs(info.params, given).unwrap();
        let build =
            TrafficBuild { params: &params, rows, seed, requests, divide: Divide::default() };
        let traffic = info.build.unwrap()(&build).unwrap();
        let mut counts = Vec::new();
        let mut batch = KeyBatch::new(KeyKind::U64);
        while (counts.len() as u64) < rows {
            batch.clear(counts.len() as u64);
            for row in 0..97.min(rows - batch.first_row) {
                batch.push(&Key::U64(row));
            }
            traffic.fill(&mut batch);
            counts.extend_from_slice(&batch.requests);
        }
        counts
    }

    #[test]
    fn rows_past_the_counted_ones_take_nothing() {
        let params = Params::defaults(super::super::uniform::INFO.params).unwrap();
        let build = TrafficBuild {
            params: &params,
            rows: 3,
            seed: 1,
            requests: 30,
            divide: Divide::default(),
        };
        let traffic = super::super::uniform::INFO.build.unwrap()(&build).unwrap();
        let mut batch = KeyBatch::new(KeyKind::U64);
        for first in [1, 5, u64::MAX - 1] {
            batch.clear(first);
            (0..4).for_each(|row| batch.push(&Key::U64(row)));
            traffic.fill(&mut batch);
            let known = 3u64.saturating_sub(first) as usize;
            let want: Vec<u64> = (0..4).map(|i| if i < known { 10 } else { 0 }).collect();
            assert_eq!(batch.requests, want, "from row {first}");
        }
    }

    #[test]
    fn no_rows_or_too_many_are_errors() {
        let params = Params::defaults(super::super::uniform::INFO.params).unwrap();
        for rows in [0, MAX_ROWS + 1, u64::MAX] {
            let build = TrafficBuild {
                params: &params,
                rows,
                seed: 1,
                requests: 30,
                divide: Divide::default(),
            };
            assert!(super::super::uniform::INFO.build.unwrap()(&build).is_err(), "{rows}");
        }
    }
}
