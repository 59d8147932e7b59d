//! From nodes to digests of labels: how many points a node has, and where they fall.

use std::cmp::Reverse;

use crate::cluster::label::Label;
use crate::cluster::{Cluster, Node};
use crate::error::Error;
use crate::hash::KeyHash;
use crate::keys::ByteColumn;
use crate::keys::format::push_u64;
use crate::strategy::Slot;

/// Most points of a ring: half a gigabyte of 64-bit points, owners and index.
pub const MAX_POINTS: u64 = 50_000_000;

/// Labels hashed at once: their bytes stay in the first cache level.
const BATCH: u64 = 1024;

/// Who has a point that labels of two nodes share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tie {
    /// The node whose name comes first in byte order.
    Name,
    /// The node that comes first in the cluster.
    First,
    /// The node that comes last in the cluster.
    Last,
}

/// The digests of all labels in the order in which ties are won, and how many each owner has.
#[derive(Debug, Default)]
pub struct Points {
    /// One a label.
    pub digests: Vec<u64>,
    /// (owner, number of digests), in order.
    pub runs: Vec<(Slot, u32)>,
}

/// Points of each node in the cluster's order: `vnodes` × weight, halves rounded up, at least one
/// unless the weight is 0.
///
/// # Errors
/// `Invalid` beyond [`MAX_POINTS`], before anything is allocated for them.
pub fn counts(cluster: &Cluster, vnodes: u32) -> Result<Vec<u32>, Error> {
    let count = |node: &Node| match node.weight {
        0.0 => 0.0,
        weight => libm::floor(f64::from(vnodes) * weight + 0.5).max(1.0),
    };
    // A sum of whole numbers below 2⁵³, or far beyond the limit: exact where it matters.
    let total: f64 = cluster.nodes.iter().map(count).sum();
    if total > MAX_POINTS as f64 {
        return Err(Error::invalid(format!(
            "{} nodes with {vnodes} vnodes per unit of weight make {total:.0} points",
            cluster.nodes.len()
        ))
        .help(format!(
            "a ring has at most {MAX_POINTS} points: use fewer vnodes or smaller weights"
        ))
        .field("vnodes"));
    }
    Ok(cluster.nodes.iter().map(|n| count(n) as u32).collect())
}

impl Points {
    /// Hashes the labels of all nodes.
    ///
    /// # Errors
    /// `Invalid` when the label cannot tell the points of a node, or two nodes, apart.
    pub fn hash(
        cluster: &Cluster,
        counts: &[u32],
        label: &Label,
        tie: Tie,
        hash: &dyn KeyHash,
    ) -> Result<Self, Error> {
        let mut order: Vec<usize> = (0..cluster.nodes.len()).filter(|&i| counts[i] > 0).collect();
        match tie {
            Tie::Name => order.sort_by(|&a, &b| cluster.nodes[a].name.cmp(&cluster.nodes[b].name)),
            Tie::First => {}
            Tie::Last => order.sort_by_key(|&i| Reverse(i)),
        }
        check_labels(cluster, counts, label, &order)?;

        let total = order.iter().map(|&i| counts[i] as usize).sum();
        let mut points = Points { digests: vec![0; total], runs: Vec::with_capacity(order.len()) };
        let mut writer = LabelWriter::default();
        let mut at = 0;
        for i in order {
            let node = &cluster.nodes[i];
            let count = u64::from(counts[i]);
            let mut first = 0;
            while first < count {
                let end = (first + BATCH).min(count);
                let labels = writer.write(label, node, first..end);
                hash.batch(labels, &mut points.digests[at..at + labels.len()]);
                at += labels.len();
                first = end;
            }
            points.runs.push((node.id.into(), counts[i]));
        }
        Ok(points)
    }
}

/// Labels that are all the same would put all points on one spot.
fn check_labels(
    cluster: &Cluster,
    counts: &[u32],
    label: &Label,
    order: &[usize],
) -> Result<(), Error> {
    if !label.has_index() && counts.iter().any(|&c| c > 1) {
        return Err(Error::invalid("the label has no {i}: all points of a node would be one")
            .help("add {i}, e.g. {node}#{i}, or set vnodes = 1")
            .field("label"));
    }
    let (mut one, mut other) = (Vec::new(), Vec::new());
    for pair in order.windows(2) {
        let (a, b) = (&cluster.nodes[pair[0]], &cluster.nodes[pair[1]]);
        label.write(a, 0, &mut one);
        label.write(b, 0, &mut other);
        if one == other {
            return Err(Error::invalid(format!(
                "nodes `{}` and `{}` have the same label `{}`",
                a.name,
                b.name,
                String::from_utf8_lossy(&one)
            ))
            .help("let the label tell nodes apart, by {node}, {id}, or {host} and {port}")
            .field("label"));
        }
    }
    Ok(())
}

/// Writes labels into one column, over and over.
#[derive(Debug, Default)]
struct LabelWriter {
    column: ByteColumn,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
}

impl LabelWriter {
    /// The labels of a node's points in `range`.
    fn write(&mut self, label: &Label, node: &Node, range: std::ops::Range<u64>) -> &ByteColumn {
        self.column.clear();
        if label.around_index(node, &mut self.prefix, &mut self.suffix) {
            for i in range {
                let arena = self.column.arena();
                arena.extend_from_slice(&self.prefix);
                push_u64(i, arena);
                arena.extend_from_slice(&self.suffix);
                self.column.end();
            }
        } else {
            let mut text = Vec::new();
            for i in range {
                label.write(node, i, &mut text);
                self.column.push(&text);
            }
        }
        &self.column
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::label::PLACEHOLDERS;

    fn weighted(weights: &[f64]) -> Cluster {
        let mut cluster = Cluster::numbered(weights.len(), "db{i}");
        for (node, &weight) in cluster.nodes.iter_mut().zip(weights) {
            node.weight = weight;
        }
        cluster
    }

    #[test]
    fn points_are_rounded_half_up_and_never_vanish() {
        let cluster = weighted(&[1.0, 2.0, 0.5, 0.0, 0.001, 0.25]);
        assert_eq!(counts(&cluster, 3).unwrap(), [3, 6, 2, 0, 1, 1]);
    }

    #[test]
    fn the_limit_holds_for_any_weight() {
        for weight in [1e6, 1e300, f64::MAX] {
            let error = counts(&weighted(&[weight, weight]), 100_000).unwrap_err();
            assert_eq!(error.field, Some("vnodes"));
            assert!(error.help[0].contains("50000000"), "{error}");
        }
        assert!(counts(&weighted(&[500.0]), 100_000).is_ok());
        assert!(counts(&weighted(&[500.0, 0.00001]), 100_000).is_err());
    }

    #[test]
    fn both_ways_of_writing_labels_agree() {
        let node = Node::named(3, "db3");
        let mut writer = LabelWriter::default();
        for template in
            ["{node}#{i}", "{i}-{node}", "{i}", "p{node}:{i}/x", "{node}{i}{i}", "{node}"]
        {
            let label = Label::parse(template, PLACEHOLDERS).unwrap();
            let column = writer.write(&label, &node, 98..103);
            assert_eq!(column.len(), 5);
            for (i, got) in (98..103).zip(column.iter()) {
                let mut text = Vec::new();
                label.write(&node, i, &mut text);
                assert_eq!(got, text, "{template}");
            }
        }
    }
}
