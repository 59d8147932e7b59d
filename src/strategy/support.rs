//! What several strategies hash and explain alike.

use super::ExplainStep;
use crate::cluster::{Change, ChangeKind, NodeId, OnFail};
use crate::error::Error;
use crate::hash::{Input, KeyHash};
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

/// The first line of an explanation: the digest of the key.
pub fn digest_step(column: &ColumnSpec, key: &Key<'_>, digest: u64) -> ExplainStep {
    let view =
        if column.view.is_whole() { String::new() } else { format!("{:?} of ", column.view) };
    let seed = if column.seed == 0 { String::new() } else { format!(", seed {}", column.seed) };
    let key = match key {
        Key::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    };
    ExplainStep {
        what: format!("{}({view}{key}{seed})", column.hasher.name),
        value: hex(digest, column.bits()),
    }
}

/// A digest in hexadecimal, as wide as it is.
pub fn hex(digest: u64, bits: u32) -> String {
    format!("{digest:#0width$x}", width = bits as usize / 4 + 2)
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
