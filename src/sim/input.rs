//! What a pass reads: the key source of a workload, its traffic and its named hot keys.

use std::path::Path;

use super::Progress;
use super::counted::Counted;
use super::hot_rows::{self, Demand, HotRow};
use super::scan::scan;
use super::tally::{Load, loads_of};
use crate::error::Error;
use crate::keys::{Access, KeyBatch, KeySource, PatternBuild};
use crate::params::Params;
use crate::scenario::Workload;
use crate::traffic::divide::{Divide, fixed};
use crate::traffic::{BuildTraffic, Phase, Traffic, TrafficBuild, hot_requests, uniform};

/// Most rows of a file that a cache in front holds: they are kept in a list.
const MAX_CACHED_ROWS: u64 = 1 << 20;

/// A workload, opened.
#[derive(Debug)]
pub struct Input {
    /// Where the rows come from.
    pub source: Box<dyn KeySource>,
    /// Rows of the source; named hot keys come on top.
    pub rows: u64,
    /// Fills in requests; None: the source's own counts, or one request a row.
    pub traffic: Option<Box<dyn Traffic>>,
    /// Divides the source's own counts, where that is asked for.
    pub counted: Option<Counted>,
    /// Whether batches carry requests.
    pub has_requests: bool,
    /// Whether batches carry reads and writes.
    pub apart: bool,
    /// Whether writes are counted.
    writes: bool,
    /// Named hot keys with their requests.
    pub hot: Vec<HotRow>,
}

impl Input {
    /// The first `rows` rows of a source: keys alone, without requests.
    pub fn of_keys(source: Box<dyn KeySource>, rows: u64) -> Self {
        Input {
            source,
            rows,
            traffic: None,
            counted: None,
            has_requests: false,
            apart: false,
            writes: false,
            hot: Vec::new(),
        }
    }

    /// Opens a workload; reads its file once where a count of rows or requests is needed first.
    pub fn open(workload: &Workload, base: &Path, progress: &dyn Progress) -> Result<Self, Error> {
        if !workload.families.is_empty() {
            return Err(Error::invalid("the cell holds several families of keys together")
                .help("choose the cell of one family, e.g. with --cell"));
        }
        let build = PatternBuild { params: &workload.keys, seed: workload.seed, base };
        let source = (workload.pattern.build)(&build)?;
        let rows = source.rows()?;
        let shape = workload.traffic.and_then(|t| t.build);
        let apart = workload.reads();
        let divided = apart || workload.cache.is_some();
        let has_requests =
            shape.is_some() || source.has_requests() || !workload.hot.is_empty() || divided;
        let mut input = Input {
            has_requests,
            apart,
            writes: workload.writes(),
            ..Input::of_keys(source, rows)
        };
        let (total, rest) = input.requests(workload, shape, progress)?;
        let mut divide = Divide::new(workload.write_share.unwrap_or(0.0), apart);
        if let Some(cache) = &workload.cache {
            divide = divide.cached(cache.keys, cache.hit);
        }
        // The named hot keys are the first in the cache.
        let named: u64 = workload.hot.iter().map(|hot| hot.parts()).sum();
        let of_rows = divide.with_ranks(divide.ranks().saturating_sub(named));
        match shape {
            Some(build) => {
                let params = &workload.traffic_params;
                input.shape(build, params, workload.seed, rest, of_rows)?;
            }
            // One request a row, which the shuffled ranks divide without regard to the keys.
            None if divided && !input.source.has_requests() => {
                let params = Params::defaults(uniform::INFO.params)?;
                let build = uniform::INFO.build.expect("it shares requests out");
                input.shape(build, &params, workload.seed, rows, of_rows)?;
            }
            None if divided => {
                let limit = Divide::with_ranks(of_rows, of_rows.ranks().min(MAX_CACHED_ROWS));
                input.counted = Some(Counted::new(limit, &input, progress)?);
            }
            None => {}
        }
        input.add_hot(workload, total, rest, &divide)?;
        Ok(input)
    }

    /// Requests of all rows together, hot keys included, and those of the source's rows.
    fn requests(
        &self,
        workload: &Workload,
        shape: Option<BuildTraffic>,
        progress: &dyn Progress,
    ) -> Result<(u64, u64), Error> {
        if shape.is_some() {
            let own = match workload.requests {
                Some(own) => own,
                // The shape shares out anew what the rows of the file have together.
                None if self.source.has_requests() => self.sum_requests(progress)?,
                None => {
                    return Err(Error::invalid("`requests`, their total, is missing")
                        .help("give it, e.g. requests = 1_000_000")
                        .field("shape"));
                }
            };
            let total = workload.whole.unwrap_or(own);
            let hot: u64 = workload.hot.iter().map(|h| hot_requests(total, h.share)).sum();
            return Ok((total, own.saturating_sub(hot)));
        }
        if workload.hot.is_empty() {
            return Ok((0, 0));
        }
        // The rows keep their counts; the hot keys come on top, so that each has its share.
        let hot_share: f64 = workload.hot.iter().map(|h| h.share).sum();
        let rest = self.sum_requests(progress)?;
        let total = rest as f64 / (1.0 - hot_share);
        if total >= 18_446_744_073_709_551_615.0 {
            return Err(Error::invalid(
                "the hot keys' shares lead to more requests than fit in 64 bits",
            )
            .help("lower the shares")
            .field("hot"));
        }
        Ok((total as u64, rest))
    }

    fn shape(
        &mut self,
        build: BuildTraffic,
        params: &Params,
        seed: u64,
        requests: u64,
        divide: Divide,
    ) -> Result<(), Error> {
        let rows = self.rows;
        self.traffic = Some(build(&TrafficBuild { params, rows, seed, requests, divide })?);
        Ok(())
    }

    fn add_hot(
        &mut self,
        workload: &Workload,
        total: u64,
        rest: u64,
        divide: &Divide,
    ) -> Result<(), Error> {
        let (mut at, mut cached) = (rest, divide.ranks());
        for hot in &workload.hot {
            let requests = hot_requests(total, hot.share);
            let upto = at.saturating_add(requests);
            let writes = match hot.write_share {
                Some(share) => crate::traffic::cumulative::share_out(fixed(share), requests),
                None => divide.writes(at, upto),
            };
            at = upto;
            let demand = Demand { requests, writes, cached };
            cached = cached.saturating_sub(hot.parts());
            let rows = hot_rows::rows(hot, self.source.kind(), demand, divide, self.phases())?;
            self.hot.extend(rows);
        }
        Ok(())
    }

    /// The phases of the traffic, if it has some.
    pub fn phases(&self) -> &[Phase] {
        self.traffic.as_ref().map_or(&[], |traffic| traffic.phases())
    }

    /// The loads that its batches carry, those by phase last.
    pub fn loads(&self) -> Vec<Load> {
        let mut loads = loads_of(self.has_requests, self.source.has_bytes());
        if self.apart {
            loads.push(Load::Reads);
            loads.extend(self.writes.then_some(Load::Writes));
        }
        loads.extend((0..self.phases().len()).map(|phase| Load::Phase(phase as u16)));
        loads
    }

    /// Rows with the hot keys.
    pub fn all_rows(&self) -> u64 {
        self.rows + self.hot.len() as u64
    }

    /// Whether the source is a file, which is read in order.
    pub fn is_file(&self) -> bool {
        matches!(self.source.access(), Access::InOrder(_))
    }

    fn sum_requests(&self, progress: &dyn Progress) -> Result<u64, Error> {
        if !self.source.has_requests() {
            return Ok(self.rows);
        }
        progress.begin("summing requests", self.rows);
        let sums = scan(
            self,
            &[],
            progress,
            || 0u128,
            |sum, batch: &KeyBatch| {
                *sum += batch.requests.iter().map(|&r| u128::from(r)).sum::<u128>();
            },
        )?;
        u64::try_from(sums.iter().sum::<u128>()).map_err(|_| too_many_requests())
    }
}

/// The error when requests (or bytes) sum beyond u64.
pub fn too_many_requests() -> Error {
    Error::data(
        "the requests or bytes of all rows sum to more than 18446744073709551615 (2^64 − 1)",
    )
    .help("scale the column down, or read fewer rows")
}
