//! What the tests of all key patterns share.

use std::path::Path;

use super::{Access, CHUNK_ROWS, KeyBatch, KeySource, PatternBuild, PatternInfo, Want};
use crate::error::Error;
use crate::params::{Params, Value};

/// Parameters by name, in any order.
pub(super) type Given = Vec<(&'static str, Value)>;

fn try_source(info: &PatternInfo, given: Given) -> Result<Box<dyn KeySource>, Error> {
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    let params = Params::from_pairs(info.params, given)?;
    (info.build)(&PatternBuild { params: &params, seed: 1, base: Path::new(".") })
}

/// A source under seed 1.
pub(super) fn source(info: &PatternInfo, given: Given) -> Box<dyn KeySource> {
    try_source(info, given).expect("parameters are right")
}

/// The error of wrong parameters.
pub(super) fn error(info: &PatternInfo, given: Given) -> Error {
    try_source(info, given).expect_err("parameters are wrong")
}

/// Texts of a chunk's first rows, read in pieces of these sizes; text and typed value must agree.
fn read(source: &dyn KeySource, chunk: u64, pieces: &[usize]) -> Vec<String> {
    let Access::AnyOrder(generate) = source.access() else { panic!("not a generated pattern") };
    let mut cursor = generate.open(chunk, Want { text: true });
    let mut batch = KeyBatch::new(source.kind());
    let mut texts = Vec::new();
    for &rows in pieces {
        batch.clear(0);
        cursor.fill(rows, &mut batch);
        assert_eq!((batch.len(), batch.text.len()), (rows, rows));
        for i in 0..rows {
            let text = batch.key(i).to_string();
            assert_eq!(text.as_bytes(), batch.text.get(i));
            texts.push(text);
        }
    }
    texts
}

/// The first integer keys of a chunk.
pub(super) fn integers(source: &dyn KeySource, chunk: u64, rows: usize) -> Vec<u64> {
    let Access::AnyOrder(generate) = source.access() else { panic!("not a generated pattern") };
    let mut batch = KeyBatch::new(source.kind());
    generate.open(chunk, Want { text: false }).fill(rows, &mut batch);
    batch.ints
}

/// The first keys as texts.
pub(super) fn first(info: &PatternInfo, given: Given, rows: usize) -> Vec<String> {
    read(&*source(info, given), 0, &[rows])
}

/// The first three chunks' keys as texts.
pub(super) fn three_chunks(source: &dyn KeySource) -> Vec<String> {
    (0..3).flat_map(|chunk| read(source, chunk, &[CHUNK_ROWS as usize])).collect()
}

/// A chunk reads the same in one piece and in pieces of odd sizes, whichever chunk was opened before;
/// typed values can be had without texts.
pub(super) fn assert_laws(info: &PatternInfo, given: Given) {
    let source = source(info, given);
    let pieces = [1, 3, 1021, 1024, 17, 333, 2049];
    let rows = pieces.iter().sum();
    for chunk in [2, 0, 1, 7] {
        let whole = read(&*source, chunk, &[rows]);
        assert_eq!(read(&*source, chunk, &pieces), whole, "chunk {chunk}");
        let Access::AnyOrder(generate) = source.access() else { panic!("not generated") };
        let mut batch = KeyBatch::new(source.kind());
        generate.open(chunk, Want { text: false }).fill(rows, &mut batch);
        let typed: Vec<String> = (0..rows).map(|i| batch.key(i).to_string()).collect();
        assert_eq!(typed, whole, "without texts, chunk {chunk}");
    }
}
