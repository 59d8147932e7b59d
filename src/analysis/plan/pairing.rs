//! Doubling: whether each old node splits into itself and its own new ones.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::record::{MovementRecord, StepRecord};

/// An old node and the new ones that take from it alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Pairing {
    /// The old node.
    pub node: String,
    /// The new nodes that it splits into, itself not among them.
    pub splits_into: Vec<String>,
}

/// The pairing list of a step that makes `n` nodes a multiple of `n` without one leaving, if the node
/// at place `i` gives only to nodes at `i + n`, `i + 2n` …; None if it is no such step, or if some node
/// gives elsewhere.
pub(super) fn pairing(
    before: &StepRecord,
    after: &StepRecord,
    movement: &MovementRecord,
) -> Option<Vec<Pairing>> {
    let (old, new) = (&before.per_node, &after.per_node);
    let n = old.len();
    let multiplied = n > 0 && new.len() > n && new.len().is_multiple_of(n);
    let kept = old.iter().zip(new).all(|(a, b)| a.node == b.node);
    if !multiplied || !kept {
        return None;
    }
    let places: BTreeMap<&str, usize> =
        new.iter().enumerate().map(|(i, node)| (node.node.as_str(), i)).collect();
    let pairs = movement.pairs.as_ref()?;
    let paired = pairs.iter().all(|pair| {
        let at = |name: &str| places.get(name).copied();
        match (at(&pair.from), at(&pair.to)) {
            (Some(from), Some(to)) => from < n && to >= n && to % n == from,
            _ => false,
        }
    });
    let splits = |i: usize| new.iter().skip(n + i).step_by(n).map(|node| node.node.clone());
    paired.then(|| {
        let each = old.iter().enumerate();
        each.map(|(i, node)| Pairing { node: node.node.clone(), splits_into: splits(i).collect() })
            .collect()
    })
}
