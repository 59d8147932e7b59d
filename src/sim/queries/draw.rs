//! Draws queries from the keys of a workload.
//!
//! Which rows are drawn is a function of the seed and the number of rows. One pass fetches their keys;
//! another finds where drawn ranges end. The keys kept are those of the queries, however many rows
//! there are.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::Error;
use crate::keys::range::Position;
use crate::keys::{Key, KeyBatch, KeyKind, KeyRange};
use crate::rng::{Purpose, Stream};
use crate::scenario::{Query, QueryForm};
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::scan::scan;

/// What one table drew.
pub enum Drawn {
    /// Ranges and prefixes.
    Ranges(Vec<KeyRange>),
    /// Lists.
    Lists(Vec<KeyBatch>),
}

/// The queries of every table that draws some, in their order.
pub fn draw(
    queries: &[Query],
    input: &Input,
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Drawn>, Error> {
    let drawn: Vec<(usize, &Query)> =
        queries.iter().enumerate().filter(|(_, query)| query.form.is_drawn()).collect();
    if drawn.is_empty() {
        return Ok(Vec::new());
    }
    if input.all_rows() == 0 {
        return Err(Error::data("there are no keys to draw queries from"));
    }
    let rows: Vec<Vec<u64>> = drawn
        .iter()
        .map(|(table, query)| {
            let mut stream = Stream::new(seed, Purpose::Queries, *table as u64);
            (0..query.form.keys_drawn()).map(|_| stream.below(input.all_rows())).collect()
        })
        .collect();
    let keys = fetch(rows.iter().flatten(), input, progress)?;
    let key = |row: &u64| keys[row].key(0);
    let mut all = Vec::with_capacity(drawn.len());
    for ((_, query), rows) in drawn.iter().zip(&rows) {
        all.push(match &query.form {
            QueryForm::Ranges { width, .. } => {
                let starts = rows.iter().map(|row| Position::of(&keys[row], 0)).collect();
                Drawn::Ranges(ranges(starts, *width, input, progress)?)
            }
            QueryForm::Prefixes { width, .. } => {
                Drawn::Ranges(rows.iter().map(|row| beginning(&key(row), *width)).collect())
            }
            QueryForm::Lists { width, .. } => {
                let list = |rows: &[u64]| {
                    let mut list = KeyBatch::new(input.source.kind());
                    rows.iter().for_each(|row| list.push(&key(row)));
                    list
                };
                Drawn::Lists(rows.chunks(*width).map(list).collect())
            }
            given => unreachable!("{given} is not drawn"),
        });
    }
    Ok(all)
}

/// The keys of some rows, each a batch of one.
fn fetch<'a>(
    rows: impl Iterator<Item = &'a u64>,
    input: &Input,
    progress: &dyn Progress,
) -> Result<BTreeMap<u64, KeyBatch>, Error> {
    let wanted: BTreeSet<u64> = rows.copied().collect();
    progress.begin("drawing queries", input.rows);
    let states = scan(input, &[], progress, BTreeMap::new, |found, batch: &KeyBatch| {
        let first = batch.first_row;
        for &row in wanted.range(first..first + batch.len() as u64) {
            let mut one = KeyBatch::new(batch.kind());
            one.push(&batch.key((row - first) as usize));
            found.insert(row, one);
        }
    })?;
    Ok(states.into_iter().flatten().collect())
}

/// The keys that begin as this one does, by its first characters.
fn beginning(key: &Key<'_>, width: usize) -> KeyRange {
    let text = key.to_string();
    let prefix: String = text.chars().take(width).collect();
    match key {
        Key::Uuid(_) => KeyRange::prefix(KeyKind::Uuid, &prefix).expect("a UUID begins as itself"),
        Key::Bytes(bytes) => KeyRange::beginning_with(&bytes[..width.min(bytes.len())]),
        _ => KeyRange::beginning_with(prefix.as_bytes()),
    }
}

/// The ranges of `width` distinct keys from each start on; of fewer where the order of the keys ends.
fn ranges(
    starts: Vec<Position>,
    width: usize,
    input: &Input,
    progress: &dyn Progress,
) -> Result<Vec<KeyRange>, Error> {
    let mut sorted = starts.clone();
    sorted.sort_unstable();
    sorted.dedup();
    progress.begin("drawing ranges", input.rows);
    let new = || Ends { width, next: vec![BTreeSet::new(); sorted.len()] };
    let states = scan(input, &[], progress, new, |ends: &mut Ends, batch: &KeyBatch| {
        for row in 0..batch.len() {
            let upto = sorted.partition_point(|start| start.cmp_row(batch, row).is_le());
            // The farther below a start lies, the sooner its range is full: the first that has no use
            // for the key ends the walk.
            for at in (0..upto).rev() {
                if ends.is_full_below(at, batch, row) {
                    break;
                }
                ends.add(at, Position::of(batch, row));
            }
        }
    })?;
    let mut ends = states.into_iter();
    let mut all = ends.next().expect("a pool has at least one thread");
    for other in ends {
        for (at, keys) in other.next.into_iter().enumerate() {
            keys.into_iter().for_each(|key| all.add(at, key));
        }
    }
    let range = |start: Position| {
        let at = sorted.binary_search(&start).expect("among the starts");
        let next = &all.next[at];
        let to = next.last().filter(|_| next.len() > width).cloned();
        KeyRange { from: Some(start), to }
    };
    Ok(starts.into_iter().map(range).collect())
}

/// The least keys from each start on: those of its range, and the one after.
struct Ends {
    width: usize,
    next: Vec<BTreeSet<Position>>,
}

impl Ends {
    /// Whether a start has enough keys below or at that row's.
    fn is_full_below(&self, at: usize, batch: &KeyBatch, row: usize) -> bool {
        let next = &self.next[at];
        next.len() > self.width && next.last().is_some_and(|last| last.cmp_row(batch, row).is_le())
    }

    fn add(&mut self, at: usize, key: Position) {
        let next = &mut self.next[at];
        next.insert(key);
        if next.len() > self.width + 1 {
            next.pop_last();
        }
    }
}
