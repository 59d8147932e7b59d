//! Named hot keys as rows: whole, or in parts, with their reads and writes.

use crate::error::Error;
use crate::keys::{Key, KeyKind};
use crate::scenario::{HotKey, SplitReads};
use crate::traffic::Phase;
use crate::traffic::divide::Divide;

/// A named hot key, or a part of one, as an extra row.
#[derive(Debug, Clone)]
pub struct HotRow {
    text: String,
    integer: Option<(KeyKind, u64)>,
    /// Requests that reach its node.
    pub requests: u64,
    /// Reads among them.
    pub reads: u64,
    /// Writes among them.
    pub writes: u64,
    /// Its requests by phase of the traffic.
    pub phases: Vec<u64>,
}

impl HotRow {
    /// The key.
    pub fn key(&self) -> Key<'_> {
        match self.integer {
            Some((KeyKind::U64, bits)) => Key::U64(bits),
            Some((_, bits)) => Key::I64(bits as i64),
            None => Key::Text(&self.text),
        }
    }
}

/// What the rows of one hot key are made of.
#[derive(Debug, Clone, Copy)]
pub struct Demand {
    /// Its requests.
    pub requests: u64,
    /// Writes among them.
    pub writes: u64,
    /// How many of its rows are in the cache.
    pub cached: u64,
}

/// The rows of one hot key. Of r parts every part takes a writes' r-th, and an r-th of the reads or all
/// of them, as the key is read.
pub fn rows(
    hot: &HotKey,
    kind: KeyKind,
    demand: Demand,
    divide: &Divide,
    phases: &[Phase],
) -> Result<Vec<HotRow>, Error> {
    let is_text = matches!(kind, KeyKind::Text | KeyKind::Bytes);
    if hot.parts() > 1 && !is_text {
        return Err(unlike("hot key", &hot.key, "a text, as its parts are").field("hot"));
    }
    let integer = integer("hot key", &hot.key, kind)?;
    let reads = demand.requests - demand.writes;
    let parts = hot.parts();
    // The i-th of r even parts: the parts sum to the whole.
    let part = |whole: u64, i: u64| {
        let upto = |i: u64| u128::from(whole) * u128::from(i) / u128::from(parts);
        (upto(i + 1) - upto(i)) as u64
    };
    let all = hot.split.is_some_and(|split| split.reads == SplitReads::All);
    let row = |i: u64| {
        let reads = if all { reads } else { part(reads, i) };
        let reads = if i < demand.cached { divide.pass(reads) } else { reads };
        let writes = part(demand.writes, i);
        let text = if parts > 1 { format!("{}:{i}", hot.key) } else { hot.key.clone() };
        let requests = reads.saturating_add(writes);
        HotRow { text, integer, requests, reads, writes, phases: by_phase(requests, phases) }
    };
    Ok((0..parts).map(row).collect())
}

/// Requests by phase, in proportion to those of all rows.
fn by_phase(requests: u64, phases: &[Phase]) -> Vec<u64> {
    let total: u128 = phases.iter().map(|phase| u128::from(phase.requests)).sum();
    let (mut upto, mut before) = (0u128, 0u64);
    phases
        .iter()
        .map(|phase| {
            upto += u128::from(phase.requests);
            let share = u128::from(requests) * upto + total / 2;
            let cumulative = share.checked_div(total).unwrap_or(0) as u64;
            let portion = cumulative - before;
            before = cumulative;
            portion
        })
        .collect()
}

/// A key that the scenario names, as a row of this kind without requests.
pub fn named(key: &str, kind: KeyKind) -> Result<HotRow, Error> {
    let integer = integer("key", key, kind)?;
    let (requests, reads, writes, phases) = (0, 0, 0, Vec::new());
    Ok(HotRow { text: key.to_string(), integer, requests, reads, writes, phases })
}

fn integer(call: &str, key: &str, kind: KeyKind) -> Result<Option<(KeyKind, u64)>, Error> {
    let wrong = |what: &str| unlike(call, key, what);
    match kind {
        KeyKind::Text | KeyKind::Bytes => Ok(None),
        KeyKind::I64 => {
            let value: i64 = key.parse().map_err(|_| wrong("a 64-bit integer"))?;
            Ok(Some((kind, value as u64)))
        }
        KeyKind::U64 => Ok(Some((kind, key.parse().map_err(|_| wrong("a u64"))?))),
        KeyKind::Uuid => Err(wrong("a generated UUID")
            .help("named hot keys need a pattern with text or integer keys")),
    }
}

fn unlike(call: &str, key: &str, what: &str) -> Error {
    Error::invalid(format!("the {call} `{key}` is not {what}, as this pattern's keys are"))
        .help("name a key of the pattern's own type")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::Split;

    fn split(parts: u64, reads: SplitReads) -> Vec<HotRow> {
        let hot = HotKey {
            key: "user:9527".into(),
            share: 0.1,
            write_share: None,
            split: Some(Split { parts, reads }),
            family: None,
        };
        let demand = Demand { requests: 1000, writes: 103, cached: 0 };
        rows(&hot, KeyKind::Text, demand, &Divide::default(), &[]).unwrap()
    }

    #[test]
    fn all_parts_are_read_or_one_and_one_is_written() {
        for (reads, each, total) in [(SplitReads::All, 897, 100 * 897), (SplitReads::One, 8, 897)] {
            let rows = split(100, reads);
            assert_eq!(rows.len(), 100);
            assert_eq!(rows[7].key(), Key::Text("user:9527:7"));
            assert!(
                rows.iter()
                    .all(|row| row.reads.abs_diff(each) <= 1 && [1, 2].contains(&row.writes))
            );
            assert_eq!(rows.iter().map(|row| row.reads).sum::<u64>(), total);
            assert_eq!(rows.iter().map(|row| row.writes).sum::<u64>(), 103);
            assert!(rows.iter().all(|row| row.requests == row.reads + row.writes));
        }
        let whole = split(1, SplitReads::All);
        assert_eq!((whole.len(), whole[0].key()), (1, Key::Text("user:9527")));
        assert_eq!((whole[0].reads, whole[0].writes), (897, 103));
    }

    #[test]
    fn requests_follow_the_phases_and_sum() {
        let phase = |requests| Phase { name: String::new(), time: 0.5, requests };
        assert_eq!(by_phase(10, &[phase(1), phase(0), phase(2)]), [3, 0, 7]);
        assert_eq!(by_phase(7, &[phase(0), phase(0)]), [0, 0]);
    }
}
