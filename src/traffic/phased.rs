//! Traffic that changes with time: phases one after the other, each with its own hot set.
//!
//! A phase has its part of the time and of the requests. Within it one group of ranks is hot and both
//! groups are even ([`Lines`]); where the hot group begins moves from phase to phase. A row has its
//! requests of every phase and their sum.

use super::cumulative::{Cumulative as _, Lines, share_out};
use super::divide::Divide;
use super::rank::{MAX_ROWS, Ranks};
use super::{Phase, Traffic, TrafficBuild};
use crate::error::Error;
use crate::keys::KeyBatch;

/// One phase as its shape states it.
#[derive(Debug)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// Share of the time.
    pub time: f64,
    /// Requests in proportion to the other phases'.
    pub weight: f64,
    /// First rank of the hot group; it goes on behind the last rank with the first.
    pub start: u64,
    /// Ranks and share of the hot group.
    pub lines: Lines,
}

/// Shares requests out over phases and, in each, over rows.
#[derive(Debug)]
struct Phased {
    parts: Vec<(u64, Lines)>,
    phases: Vec<Phase>,
    ranks: Ranks,
    rows: u64,
    divide: Divide,
}

/// Builds the traffic of some phases with the parameter `rank` of the shape.
///
/// Errors: no rows, or more than 2^62.
pub fn build(build: &TrafficBuild<'_>, parts: Vec<Part>) -> Result<Box<dyn Traffic>, Error> {
    if build.rows == 0 || build.rows > MAX_ROWS {
        return Err(super::ranked::wrong_rows(build));
    }
    let weights: Vec<f64> = parts.iter().map(|part| part.weight).collect();
    let requests = portions(build.requests, &weights);
    let phases = parts
        .iter()
        .zip(requests)
        .map(|(part, requests)| Phase { name: part.name.clone(), time: part.time, requests })
        .collect();
    Ok(Box::new(Phased {
        parts: parts.into_iter().map(|part| (part.start % build.rows, part.lines)).collect(),
        phases,
        ranks: Ranks::from_param(build.params.text("rank"), build.rows, build.seed),
        rows: build.rows,
        divide: build.divide,
    }))
}

/// `total` in portions by weight: the differences of the rounded cumulative products, which sum to it.
pub fn portions(total: u64, weights: &[f64]) -> Vec<u64> {
    let sum: f64 = weights.iter().sum();
    let (mut cumulative, mut before) = (0.0, 0);
    weights
        .iter()
        .enumerate()
        .map(|(i, weight)| {
            cumulative += weight;
            let upto = match i + 1 == weights.len() {
                true => total,
                false => share_out(super::divide::fixed(cumulative / sum), total).max(before),
            };
            let portion = upto - before;
            before = upto;
            portion
        })
        .collect()
}

impl Traffic for Phased {
    fn fill(&self, batch: &mut KeyBatch) {
        let first = batch.first_row;
        let len = batch.len();
        let known = (len as u64).min(self.rows.saturating_sub(first)) as usize;
        let mut ranks = vec![0; known];
        self.ranks.fill(first, &mut ranks);
        let KeyBatch { requests, reads, writes, phases, .. } = batch;
        let apart = if self.divide.apart() { len } else { 0 };
        for (column, len) in [(&mut *requests, len), (&mut *reads, apart), (&mut *writes, apart)] {
            column.clear();
            column.resize(len, 0);
        }
        phases.resize(self.parts.len(), Vec::new());
        for (((start, lines), facts), column) in
            self.parts.iter().zip(&self.phases).zip(phases.iter_mut())
        {
            column.clear();
            column.resize(len, 0);
            for (i, &rank) in ranks.iter().enumerate() {
                let rank = if rank >= *start { rank - start } else { rank + self.rows - start };
                let (before, upto) = lines.around(rank);
                let (before, upto) =
                    (share_out(before, facts.requests), share_out(upto, facts.requests));
                let (r, w) = self.divide.row(rank, before, upto);
                column[i] = r + w;
                requests[i] += r + w;
                if apart > 0 {
                    reads[i] += r;
                    writes[i] += w;
                }
            }
        }
    }

    fn phases(&self) -> &[Phase] {
        &self.phases
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_sum_to_the_total() {
        assert_eq!(portions(10, &[1.0, 1.0, 1.0]), [3, 4, 3]);
        assert_eq!(
            portions(1_000_000_007, &[0.2, 0.0, 3.0, 0.8]).iter().sum::<u64>(),
            1_000_000_007
        );
        assert_eq!(
            portions(u64::MAX, &[0.1; 10]).iter().map(|&p| u128::from(p)).sum::<u128>(),
            u64::MAX.into()
        );
        assert_eq!(portions(7, &[0.0, 1.0])[0], 0);
    }
}
