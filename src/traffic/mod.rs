//! Traffic: how many requests each row takes. Expected counts, not draws.
//!
//! A shape is a monotone cumulative share `C` over ranks ([`cumulative`]); the row of rank r takes
//! round(C(r)·R) − round(C(r−1)·R) requests, which sum to R exactly. Which row has which rank is a
//! keyed bijection of the row number ([`rank`]). Neither grows with the number of rows. Requests divide
//! into reads and writes, and a cache in front may answer some of them ([`divide`]). Shapes that change
//! with time have phases ([`phased`]).
//!
//! To add a shape: a file with its `INFO`, a cumulative share and a `build` that hands it to
//! [`ranked::Ranked`], and two lines here.

pub mod cumulative;
pub mod divide;
pub mod file;
pub mod flash_sale;
pub mod hotspot;
pub mod moving_hot_set;
pub mod none;
pub mod phased;
pub mod rank;
pub mod ranked;
pub mod uniform;
pub mod zipf;

use std::fmt::Debug;

use self::divide::Divide;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::params::{Param, Params};

/// Requests of a named hot key with that share of `total`: round(total × share), exact for shares that a
/// double holds exactly.
pub fn hot_requests(total: u64, share: f64) -> u64 {
    libm::round(total as f64 * share) as u64
}

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
    /// How the requests divide.
    pub divide: Divide,
}

/// A stretch of time in which the traffic keeps its shape.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// What it is called.
    pub name: String,
    /// Share of the whole time.
    pub time: f64,
    /// Requests that the rows take in it.
    pub requests: u64,
}

/// Gives the rows of a batch their requests.
pub trait Traffic: Debug + Send + Sync {
    /// Fills `batch.requests` (overwriting it) for the rows from `batch.first_row` on; `reads` and
    /// `writes` where they are told apart, and `phases` where it has some.
    fn fill(&self, batch: &mut KeyBatch);

    /// The phases, in their order; none where the traffic does not change with time.
    fn phases(&self) -> &[Phase] {
        &[]
    }
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
pub static ALL: &[&TrafficInfo] = &[
    &none::INFO,
    &uniform::INFO,
    &zipf::INFO,
    &hotspot::INFO,
    &file::INFO,
    &flash_sale::INFO,
    &moving_hot_set::INFO,
];

/// The shape of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static TrafficInfo, Error> {
    ALL.iter()
        .copied()
        .find(|t| t.name == name)
        .ok_or_else(|| Error::unknown("traffic shape", name, ALL.iter().map(|t| t.name)))
}
