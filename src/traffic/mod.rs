//! Traffic: how many requests each row takes. Expected counts, not draws.
//!
//! A shape is a monotone cumulative share `C` over ranks ([`cumulative`]); the row of rank r takes
//! round(C(r)·R) − round(C(r−1)·R) requests, which sum to R exactly. Which row has which rank is a
//! keyed bijection of the row number ([`rank`]). Neither grows with the number of rows.
//!
//! To add a shape: a file with its `INFO`, a cumulative share and a `build` that hands it to
//! [`ranked::Ranked`], and two lines here.

pub mod cumulative;
pub mod file;
pub mod hotspot;
pub mod none;
pub mod rank;
pub mod ranked;
pub mod uniform;
pub mod zipf;

use std::fmt::Debug;

use crate::error::Error;
use crate::keys::KeyBatch;
use crate::params::{Param, Params};

/// What a traffic shape is built from.
#[derive(Debug)]
pub struct TrafficBuild<'a> {
    /// Checked parameters.
    pub params: &'a Params,
    /// Rows of the key source.
    pub rows: u64,
    /// The scenario's seed.
    pub seed: u64,
    /// Requests to share out among the rows: the shape's total less what named hot keys take.
    pub requests: u64,
}

/// Gives the rows of a batch their requests.
pub trait Traffic: Debug + Send + Sync {
    /// Fills `batch.requests` (overwriting it) for the rows from `batch.first_row` on.
    fn fill(&self, batch: &mut KeyBatch);
}

/// Builds a shape for a number of rows.
pub type BuildTraffic = fn(&TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error>;

/// A traffic shape: static facts and a `build`.
#[derive(Debug)]
pub struct TrafficInfo {
    /// Name in `[traffic] shape = "…"`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Authors, year, DOI or URL.
    pub source: &'static str,
    /// Declared parameters (`requests` and `hot` belong to every shape and are not among them).
    pub params: &'static [Param],
    /// Whether it takes the requests that the rows of the key source carry, and so needs a source
    /// that has them.
    pub reads_counts: bool,
    /// Builds it. None: the shape shares nothing out. The rows have the requests of the source
    /// (`reads_counts`) or one request each.
    pub build: Option<BuildTraffic>,
}

/// Two are the same when their names are.
impl PartialEq for TrafficInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All traffic shapes, in the order in which lists show them.
pub static ALL: &[&TrafficInfo] =
    &[&none::INFO, &uniform::INFO, &zipf::INFO, &hotspot::INFO, &file::INFO];

/// The shape of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static TrafficInfo, Error> {
    ALL.iter()
        .copied()
        .find(|t| t.name == name)
        .ok_or_else(|| Error::unknown("traffic shape", name, ALL.iter().map(|t| t.name)))
}
