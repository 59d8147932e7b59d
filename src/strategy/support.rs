//! What several strategies hash and explain alike.

use super::ExplainStep;
use crate::cluster::{Change, ChangeKind, NodeId, OnFail};
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::hash::{Input, KeyHash};
use crate::keys::view::View;
use crate::keys::{ColumnSpec, Key};

/// The column's hash function for the names or labels of nodes.
pub fn label_hash(strategy: &str, column: &ColumnSpec) -> Result<Box<dyn KeyHash>, Error> {
    if column.hasher.input == Input::Integer {
        return Err(Error::unsupported(format!(
            "{strategy} hashes the names of nodes, hasher `{}` takes integers only",
            column.hasher.name
        )));
    }
    Ok((column.hasher.build)(column.seed, column.half))
}

/// A digest in words, e.g. `murmur3-32("user:42")`: what is hashed where that can be read, else how it
/// comes from the key.
pub fn column_text(column: &ColumnSpec, key: &Key<'_>) -> String {
    let (name, view) = (column.hasher.name, column.view);
    let seed = if column.seed == 0 { String::new() } else { format!(", seed {}", column.seed) };
    let shown = match key {
        Key::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    let (mut whole, mut seen) = (Vec::new(), Vec::new());
    View::whole().write(key, &mut whole);
    view.write(key, &mut seen);
    match std::str::from_utf8(&seen) {
        _ if seen == whole => format!("{name}({shown}{seed})"),
        Ok(seen) if matches!(key, Key::Text(_)) && !seen.chars().any(char::is_control) => {
            format!("{name}({seen:?}{seed}), {view:?} of the key")
        }
        _ => format!("{name}({view:?} of {shown}{seed})"),
    }
}

/// The first line of an explanation: the digest of the key.
pub fn digest_step(column: &ColumnSpec, key: &Key<'_>, digest: u64) -> ExplainStep {
    ExplainStep { what: column_text(column, key), value: hex(digest, column.bits()) }
}

/// A digest in hexadecimal, as wide as it is.
pub fn hex(digest: u64, bits: u32) -> String {
    format!("{digest:#0width$x}", width = bits as usize / 4 + 2)
}

/// Digests over which the mean number of steps of a look-up is taken.
const COUNTED: u64 = 4096;

/// Mean number of steps over evenly spread digests of the column's width.
pub fn mean_steps(column: &ColumnSpec, steps: impl Fn(u64) -> u64) -> f64 {
    let shift = 64 - column.bits();
    let counted = (1..=COUNTED).map(|i| steps(fmix64(i) >> shift));
    counted.sum::<u64>() as f64 / COUNTED as f64
}

/// Comparisons of a binary search that tells apart so many ranges, at most.
pub fn halvings(ranges: usize) -> f64 {
    f64::from(ranges.max(1).next_power_of_two().ilog2()).max(1.0)
}

/// A line of an explanation.
pub fn step(what: impl Into<String>, value: impl ToString) -> ExplainStep {
    ExplainStep { what: what.into(), value: value.to_string() }
}

/// Who leaves and who joins by a change, in the order in which it names them.
#[derive(Debug, Default, PartialEq)]
pub struct Turnover {
    /// Removed, or failed with their keys taken over by others.
    pub left: Vec<NodeId>,
    /// Added.
    pub joined: Vec<NodeId>,
}

/// The turnover of a change; None when it changes the strategy, which is then built anew. A node that
/// fails as `unavailable` stays.
pub fn turnover(change: &Change) -> Option<Turnover> {
    Some(match &change.kind {
        ChangeKind::Add(ids) => Turnover { joined: ids.clone(), ..Turnover::default() },
        ChangeKind::Remove(ids) | ChangeKind::Fail(ids, OnFail::Reroute) => {
            Turnover { left: ids.clone(), ..Turnover::default() }
        }
        ChangeKind::Fail(_, OnFail::Unavailable) | ChangeKind::Reweight(_) => Turnover::default(),
        ChangeKind::Set(_) | ChangeKind::Switch(_) => return None,
        // Only buckets have owners; a rule in front changes nothing behind it.
        ChangeKind::Assign(_) | ChangeKind::Isolate(_) => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{self, Half};

    #[test]
    fn a_digest_says_what_is_hashed() {
        let told = |hasher: &str, view: &str, seed, key: Key<'_>| {
            let (hasher, view) = (hash::find(hasher).unwrap(), View::parse(view).unwrap());
            column_text(&ColumnSpec { hasher, view, seed, half: Half::High }, &key)
        };
        let user = Key::Text("user:42");
        assert_eq!(told("md5", "whole", 0, user), "md5(\"user:42\")");
        assert_eq!(told("md5", "whole", 0, Key::I64(-42)), "md5(-42)");
        // Texts are seen whole by what is for integers, and by a tag that is not there.
        assert_eq!(told("kafka-murmur2", "i64-be", 0, user), "kafka-murmur2(\"user:42\")");
        assert_eq!(told("md5", "hash-tag", 0, user), "md5(\"user:42\")");
        let tagged = Key::Text("{a}:1");
        assert_eq!(told("md5", "hash-tag", 0, tagged), "md5(\"a\"), hash-tag of the key");
        assert_eq!(
            told("xxh64", "slice:0..4", 7, user),
            "xxh64(\"user\", seed 7), slice:0..4 of the key"
        );
        assert_eq!(told("md5", "utf16le", 0, user), "md5(utf16le of \"user:42\")");
        assert_eq!(told("md5", "i64-be", 0, Key::I64(42)), "md5(i64-be of 42)");
    }
}
