//! Positions: what a positional strategy computes instead of a node, and which node stands at each.
//!
//! Modulo and jump give a number below n. Which node that is depends on the list, and what becomes
//! of the list when a node leaves is the operator's choice, `on-remove`.

use super::{Build, Slot};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// `on-remove`: what becomes of a removed node's position.
pub const ON_REMOVE: Param = Param::new(
    "on-remove",
    Type::Choice(&["shift", "refuse", "swap-last", "replace"]),
    Default::Text("shift"),
    "a removed node's position: `shift` closes the gap, `swap-last` gives it to the last node, \
     `replace` keeps it open (its keys are absent) for the next added node, `refuse` forbids removal",
);

/// What becomes of a removed node's position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRemove {
    /// Later nodes move down by one: the order of the cluster.
    Shift,
    /// Removal is unsupported.
    Refuse,
    /// The last node takes the position.
    SwapLast,
    /// The position stays open until an added node fills it.
    Replace,
}

impl OnRemove {
    fn of(build: &Build<'_>) -> Self {
        match build.params.text("on-remove") {
            "shift" => OnRemove::Shift,
            "refuse" => OnRemove::Refuse,
            "swap-last" => OnRemove::SwapLast,
            "replace" => OnRemove::Replace,
            other => unreachable!("`{other}` is not among the choices of `on-remove`"),
        }
    }
}

/// Position → node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Positions(Vec<Slot>);

impl Positions {
    /// The nodes at their places in the cluster's order.
    pub fn new(build: &Build<'_>) -> Self {
        Positions(build.cluster.nodes.iter().map(|n| n.id.into()).collect())
    }

    /// The node at each position; ABSENT where the position is open.
    pub fn slots(&self) -> &[Slot] {
        &self.0
    }

    /// Number of positions, open ones included.
    pub fn len(&self) -> u32 {
        self.0.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The positions after a change to the cluster `after`. None: they follow from its order alone.
    ///
    /// What changed is read off the members. Several nodes that leave at once are taken in the order
    /// of their positions; several that join take open positions from the lowest up, then new ones.
    /// A node that fails as `unavailable` is still a member and keeps its position.
    ///
    /// # Errors
    /// `Unsupported` when a node left and `on-remove` is `refuse`.
    pub fn after(&self, after: &Build<'_>) -> Option<Result<Self, Error>> {
        let on_remove = OnRemove::of(after);
        let nodes = &after.cluster.nodes;
        let is_member = |slot: &Slot| nodes.iter().any(|n| Slot::from(n.id) == *slot);
        let mut slots = self.0.clone();
        match on_remove {
            OnRemove::Shift => return None,
            OnRemove::Refuse => {
                let left = slots.iter().filter(|s| **s != Slot::ABSENT && !is_member(s)).count();
                return (left > 0).then(|| {
                    Err(Error::unsupported(
                        "a node was removed and `on-remove` is `refuse`: the numbering has no gaps",
                    ))
                });
            }
            OnRemove::SwapLast => {
                let mut at = 0;
                while at < slots.len() {
                    if is_member(&slots[at]) {
                        at += 1;
                    } else {
                        slots.swap_remove(at);
                    }
                }
            }
            OnRemove::Replace => {
                for slot in slots.iter_mut().filter(|s| !is_member(s)) {
                    *slot = Slot::ABSENT;
                }
            }
        }
        let joined: Vec<Slot> =
            nodes.iter().map(|n| Slot::from(n.id)).filter(|s| !self.0.contains(s)).collect();
        let mut joined = joined.into_iter();
        for open in slots.iter_mut().filter(|s| **s == Slot::ABSENT) {
            *open = joined.next().unwrap_or(Slot::ABSENT);
        }
        slots.extend(joined);
        Some(Ok(Positions(slots)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Node};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use std::path::Path;

    static DECLARED: &[Param] = &[ON_REMOVE];

    /// The positions of nodes `before` after the members became `after`.
    fn evolve(on_remove: &str, before: &[u32], after: &[u32]) -> Option<Result<Vec<u32>, Error>> {
        let given = vec![("on-remove".to_string(), Value::Text(on_remove.to_string()))];
        let params = Params::from_pairs(DECLARED, given).unwrap();
        let nodes = after.iter().map(|&i| Node::named(i, &format!("db{i}"))).collect();
        let cluster = Cluster { nodes, ids: 100, ..Cluster::default() };
        let build = Build {
            cluster: &cluster,
            params: &params,
            keys: KeyKind::Text,
            replicas: 1,
            base: Path::new(""),
        };
        let before = Positions(before.iter().map(|&i| Slot(i)).collect());
        before.after(&build).map(|r| r.map(|p| p.0.iter().map(|s| s.0).collect()))
    }

    const OPEN: u32 = Slot::ABSENT.0;

    #[test]
    fn shift_follows_the_cluster() {
        assert!(evolve("shift", &[0, 1, 2], &[0, 2]).is_none());
    }

    #[test]
    fn refuse_allows_additions_only() {
        assert!(evolve("refuse", &[0, 1], &[0, 1, 2]).is_none());
        let error = evolve("refuse", &[0, 1, 2], &[0, 2]).unwrap().unwrap_err();
        assert_eq!(error.kind, crate::error::ErrorKind::Unsupported);
    }

    #[test]
    fn swap_last_fills_the_gap_with_the_last() {
        let after = |before: &[u32], after: &[u32]| evolve("swap-last", before, after).unwrap();
        assert_eq!(after(&[0, 1, 2, 3], &[0, 2, 3]).unwrap(), [0, 3, 2]);
        assert_eq!(after(&[0, 3, 2], &[0, 2, 3, 1]).unwrap(), [0, 3, 2, 1]);
        // 0 leaves: [3, 1, 2]; 3 leaves: [2, 1].
        assert_eq!(after(&[0, 1, 2, 3], &[1, 2]).unwrap(), [2, 1]);
        assert_eq!(after(&[0, 1, 2, 3], &[0, 1, 2]).unwrap(), [0, 1, 2]);
    }

    #[test]
    fn replace_keeps_the_gap_for_the_next() {
        let after = |before: &[u32], after: &[u32]| evolve("replace", before, after).unwrap();
        assert_eq!(after(&[0, 1, 2], &[0, 2]).unwrap(), [0, OPEN, 2]);
        assert_eq!(after(&[0, OPEN, 2], &[0, 2, 7]).unwrap(), [0, 7, 2]);
        assert_eq!(after(&[0, OPEN, 2], &[0, 2, 7, 8]).unwrap(), [0, 7, 2, 8]);
        assert_eq!(after(&[0, 1, 2], &[0, 2, 7]).unwrap(), [0, 7, 2]);
    }
}
