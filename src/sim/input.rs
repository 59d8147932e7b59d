//! What a pass reads: the key source of a workload, its traffic and its named hot keys.

use std::path::Path;

use super::Progress;
use super::scan::scan;
use crate::error::Error;
use crate::keys::{Access, Key, KeyBatch, KeyKind, KeySource, PatternBuild};
use crate::scenario::{HotKey, Workload};
use crate::traffic::{Traffic, TrafficBuild};

/// A workload, opened.
#[derive(Debug)]
pub struct Input {
    /// Where the rows come from.
    pub source: Box<dyn KeySource>,
    /// Rows of the source; named hot keys come on top.
    pub rows: u64,
    /// Fills in requests; None: the source's own counts, or one request a row.
    pub traffic: Option<Box<dyn Traffic>>,
    /// Whether batches carry requests.
    pub has_requests: bool,
    /// Named hot keys with their requests.
    pub hot: Vec<HotRow>,
}

/// A named hot key as an extra row.
#[derive(Debug, Clone)]
pub struct HotRow {
    text: String,
    integer: Option<(KeyKind, u64)>,
    /// Its requests.
    pub requests: u64,
}

/// A key that the scenario names, as a key of this kind.
pub fn row_key(text: &str, kind: KeyKind) -> Result<HotRow, Error> {
    HotRow::named("key", text, kind, 0)
}

impl HotRow {
    fn new(hot: &HotKey, kind: KeyKind, requests: u64) -> Result<Self, Error> {
        HotRow::named("hot key", &hot.key, kind, requests)
    }

    fn named(call: &str, key: &str, kind: KeyKind, requests: u64) -> Result<Self, Error> {
        let wrong = |what: &str| {
            Error::invalid(format!("the {call} `{key}` is not {what}, as this pattern's keys are"))
                .help("name a key of the pattern's own type")
        };
        let integer = match kind {
            KeyKind::Text | KeyKind::Bytes => None,
            KeyKind::I64 => {
                let value: i64 = key.parse().map_err(|_| wrong("a 64-bit integer"))?;
                Some((kind, value as u64))
            }
            KeyKind::U64 => Some((kind, key.parse().map_err(|_| wrong("a u64"))?)),
            KeyKind::Uuid => {
                return Err(wrong("a generated UUID")
                    .help("named hot keys need a pattern with text or integer keys"));
            }
        };
        Ok(HotRow { text: key.to_string(), integer, requests })
    }

    /// The key.
    pub fn key(&self) -> Key<'_> {
        match self.integer {
            Some((KeyKind::U64, bits)) => Key::U64(bits),
            Some((_, bits)) => Key::I64(bits as i64),
            None => Key::Text(&self.text),
        }
    }
}

impl Input {
    /// Opens a workload; reads its file once where a count of rows or requests is needed first.
    pub fn open(workload: &Workload, base: &Path, progress: &dyn Progress) -> Result<Self, Error> {
        let build = PatternBuild { params: &workload.keys, seed: workload.seed, base };
        let source = (workload.pattern.build)(&build)?;
        let rows = source.rows()?;
        let shape = workload.traffic.and_then(|t| t.build);
        let has_requests = shape.is_some() || source.has_requests() || !workload.hot.is_empty();
        let mut input = Input { source, rows, traffic: None, has_requests, hot: Vec::new() };
        let hot_share: f64 = workload.hot.iter().map(|h| h.share).sum();
        let (total, rest) = match shape {
            Some(_) => {
                let total = match workload.requests {
                    Some(total) => total,
                    // The shape shares out anew what the rows of the file have together.
                    None if input.source.has_requests() => input.sum_requests(progress)?,
                    None => {
                        return Err(Error::invalid("`requests`, their total, is missing")
                            .help("give it, e.g. requests = 1_000_000")
                            .field("shape"));
                    }
                };
                let hot: u64 = workload.hot.iter().map(|h| share_of(total, h.share)).sum();
                (total, total.saturating_sub(hot))
            }
            // The rows keep their counts; the hot keys come on top, so that each has its share.
            None if !workload.hot.is_empty() => {
                let rest = input.sum_requests(progress)?;
                let total = rest as f64 / (1.0 - hot_share);
                if total >= 18_446_744_073_709_551_615.0 {
                    return Err(Error::invalid(
                        "the hot keys' shares lead to more requests than fit in 64 bits",
                    )
                    .help("lower the shares")
                    .field("hot"));
                }
                (total as u64, rest)
            }
            None => (0, 0),
        };
        for hot in &workload.hot {
            let kind = input.source.kind();
            input.hot.push(HotRow::new(hot, kind, share_of(total, hot.share))?);
        }
        if let Some(build) = shape {
            input.traffic = Some(build(&TrafficBuild {
                params: &workload.traffic_params,
                rows,
                seed: workload.seed,
                requests: rest,
            })?);
        }
        Ok(input)
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

/// round(total × share), exact for shares that a double holds exactly.
fn share_of(total: u64, share: f64) -> u64 {
    libm::round(total as f64 * share) as u64
}
