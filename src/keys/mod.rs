//! Keys: what they are, how they come in batches, and the patterns that generate them.
//!
//! A [`KeySource`] gives rows in chunks of [`CHUNK_ROWS`]; the replay walks a chunk in batches. A
//! batch is columnar: typed values, texts in one arena, loads, and the digest columns that the cells
//! of the run share, each computed once.

pub mod batch;
pub mod date;
pub mod file;
pub mod format;
pub mod ipv4;
pub mod joined;
pub mod latin1;
pub mod low_cardinality;
pub mod order_number;
pub mod parse;
pub mod phone;
pub mod range;
pub mod sequential;
pub mod short_string;
pub mod snowflake;
pub mod tenant;
pub mod uuid_v4;
pub mod uuid_v7;
pub mod view;

mod calendar;
mod counts;
mod cumulative;
#[cfg(test)]
mod laws;
mod numbered;
#[cfg(test)]
mod testing;

use std::fmt::Debug;

pub use batch::{ByteColumn, ColumnSpec, Digester, Key, KeyBatch, KeyKind};
pub use range::KeyRange;

use crate::error::Error;
use crate::params::{Param, Params};

/// Rows of a chunk. Fixed for good: it fixes the random streams of the patterns.
pub const CHUNK_ROWS: u64 = 65_536;

/// Rows of a batch: a whole chunk. A sweep walks many tables of some hundred kilobytes; each is fetched
/// into the cache once a batch, so a long batch shares that cost among many keys, while the batch's own
/// columns are read in sequence, which costs little wherever they lie. Measured over 21 rings of 16 000
/// points: 1024 rows take six times as long as 65 536, and one ring alone is as fast with either.
pub const BATCH_ROWS: usize = CHUNK_ROWS as usize;

/// Longest key in bytes that is read from a file or from stdin.
pub const MAX_KEY: usize = 65_535;

/// Bytes of text after which a batch that is read ends early: 65 536 of the longest keys would take
/// 4 GiB. Where a batch ends changes no result.
pub const MAX_BATCH_TEXT: usize = 32 << 20;

/// What the readers of a batch need of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Want {
    /// Whether the default text form of the keys is needed.
    pub text: bool,
}

/// A stream of rows.
pub trait KeySource: Debug + Send + Sync {
    /// The type of every key.
    fn kind(&self) -> KeyKind;

    /// Whether rows carry `requests` of their own.
    fn has_requests(&self) -> bool {
        false
    }

    /// Whether rows carry `bytes` of their own.
    fn has_bytes(&self) -> bool {
        false
    }

    /// How many rows there are; a file is read once for this.
    fn rows(&self) -> Result<u64, Error>;

    /// How many distinct keys there are, where that is known.
    fn distinct(&self) -> Option<u64> {
        None
    }

    /// The data file behind the rows with its fingerprint, for which it is read once; None for
    /// generated keys.
    fn data(&self) -> Result<Option<file::DataFile>, Error> {
        Ok(None)
    }

    /// How the rows can be had.
    fn access(&self) -> Access<'_>;
}

/// The two ways to read a source.
pub enum Access<'a> {
    /// Generated rows: any chunk, in any order, by any thread.
    AnyOrder(&'a dyn Generate),
    /// Rows of a file: in order, by one reader.
    InOrder(&'a dyn OpenRows),
}

/// A source whose chunks can be generated in any order.
pub trait Generate: Sync {
    /// Starts chunk `chunk`, which holds rows `chunk × CHUNK_ROWS` on.
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_>;
}

/// Walks one chunk.
pub trait Cursor {
    /// Appends the next `rows` rows to the (cleared) batch: text if it was wanted, typed values.
    /// Never asked for more rows than the chunk has.
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch);
}

/// A source that is read in order.
pub trait OpenRows: Sync {
    /// Starts at the first row.
    fn open(&self) -> Result<Box<dyn RowReader + '_>, Error>;
}

/// Reads a file's rows in order.
pub trait RowReader: Send {
    /// Appends up to `rows` rows to the (cleared) batch: fewer where their texts reach
    /// [`MAX_BATCH_TEXT`], none only at the end.
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error>;
}

/// What a key pattern is built from.
#[derive(Debug)]
pub struct PatternBuild<'a> {
    /// Checked parameters.
    pub params: &'a Params,
    /// The scenario's seed.
    pub seed: u64,
    /// The folder that relative paths start from.
    pub base: &'a std::path::Path,
}

/// A key pattern: static facts and a `build`.
#[derive(Debug)]
pub struct PatternInfo {
    /// Name in `[keys] pattern = "…"`.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Who uses it, or where the layout comes from.
    pub source: &'static str,
    /// Declared parameters.
    pub params: &'static [Param],
    /// Builds a source.
    pub build: fn(&PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error>,
}

/// Two are the same when their names are.
impl PartialEq for PatternInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All key patterns, in the order in which lists show them.
pub static ALL: &[&PatternInfo] = &[
    &sequential::INFO,
    &order_number::INFO,
    &snowflake::INFO,
    &uuid_v4::INFO,
    &tenant::INFO,
    &short_string::INFO,
    &low_cardinality::INFO,
    &file::INFO,
    &uuid_v7::INFO,
    &phone::INFO,
    &date::INFO,
    &ipv4::INFO,
];

/// The pattern of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static PatternInfo, Error> {
    ALL.iter()
        .copied()
        .find(|p| p.name == name)
        .ok_or_else(|| Error::unknown("key pattern", name, ALL.iter().map(|p| p.name)))
}
