//! `count`: how many keys a generated pattern has.

use super::{CHUNK_ROWS, PatternBuild};
use crate::params::{Default, Param, Type};

/// Most keys of a generated pattern: a year of replay at 30 000 keys a second.
const MAX_COUNT: i64 = 1_000_000_000_000;

/// The parameter `count`, which every generated pattern has.
pub(super) const COUNT: Param = Param::new(
    "count",
    Type::Int { min: 1, max: MAX_COUNT },
    Default::Int(1_000_000),
    "number of keys",
);

/// The checked `count`.
pub(super) fn count(build: &PatternBuild<'_>) -> u64 {
    build.params.int(COUNT.name) as u64
}

/// First row of a chunk.
pub(super) fn first_row(chunk: u64) -> u64 {
    chunk * CHUNK_ROWS
}
