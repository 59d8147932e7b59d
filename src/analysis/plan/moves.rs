//! What to move, known without keys: buckets of a table, or arcs of a ring.

use serde::Serialize;

use crate::cluster::Cluster;
use crate::sim::assemble::OUTCOME_NAMES;
use crate::strategy::{Ownership, Slot};

/// What changes its owner between two steps.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Moves {
    /// Buckets, in order.
    Buckets {
        /// Buckets in all.
        of: u64,
        /// Neighbours that go the same way together.
        runs: Vec<Run>,
    },
    /// Arcs of the digest space, in order.
    Arcs {
        /// Width of the digest space.
        bits: u32,
        /// Neighbours that go the same way are one.
        arcs: Vec<Arc>,
    },
}

impl Moves {
    /// Whether all of them go to nobody: their node is gone, and nothing is routed anew.
    pub fn are_lost(&self) -> bool {
        let nobody = OUTCOME_NAMES[Slot::ABSENT.index(0)];
        match self {
            Moves::Buckets { runs, .. } => !runs.is_empty() && runs.iter().all(|r| r.to == nobody),
            Moves::Arcs { arcs, .. } => !arcs.is_empty() && arcs.iter().all(|a| a.to == nobody),
        }
    }
}

/// Consecutive buckets with the same owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Run {
    /// First bucket.
    pub first: u64,
    /// Last bucket.
    pub last: u64,
    /// Owner before.
    pub from: String,
    /// Owner after.
    pub to: String,
}

impl Run {
    /// How many buckets it has.
    pub fn buckets(&self) -> u64 {
        self.last - self.first + 1
    }
}

/// A stretch of the digest space.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Arc {
    /// First digest.
    pub start: u64,
    /// Last digest.
    pub end: u64,
    /// Its share of the space.
    pub share: f64,
    /// Owner before.
    pub from: String,
    /// Owner after.
    pub to: String,
}

/// An owner map and the cluster that it speaks of.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// Who owns what.
    pub ownership: &'a Ownership,
    /// Its members; keys of those that are down are absent.
    pub cluster: &'a Cluster,
}

impl Side<'_> {
    fn slot(&self, slot: Slot) -> Slot {
        match slot.node() {
            Some(id) if self.cluster.down.contains(&id) => Slot::ABSENT,
            _ => slot,
        }
    }
}

/// What moves between two steps; None where they do not divide the same space. `names` are those of the
/// tally's rows: nodes by id, then the outcomes.
pub fn between(before: Side<'_>, after: Side<'_>, names: &[String]) -> Option<Moves> {
    let ids = after.cluster.ids;
    let name = |slot: Slot| names[slot.index(ids)].clone();
    match (before.ownership, after.ownership) {
        (Ownership::Buckets(a), Ownership::Buckets(b)) if a.len() == b.len() => {
            let mut runs: Vec<Run> = Vec::new();
            let mut last = (Slot::ABSENT, Slot::ABSENT);
            for (bucket, (&a, &b)) in (0u64..).zip(a.iter().zip(b)) {
                let pair = (before.slot(a), after.slot(b));
                if pair.0 == pair.1 {
                    continue;
                }
                match runs.last_mut() {
                    Some(run) if run.last + 1 == bucket && last == pair => run.last = bucket,
                    _ => {
                        let (from, to) = (name(pair.0), name(pair.1));
                        runs.push(Run { first: bucket, last: bucket, from, to });
                    }
                }
                last = pair;
            }
            Some(Moves::Buckets { of: a.len() as u64, runs })
        }
        (
            Ownership::Segments { bits, segments: a },
            Ownership::Segments { bits: other, segments: b },
        ) if bits == other => {
            let mut arcs: Vec<Arc> = Vec::new();
            let mut last = (Slot::ABSENT, Slot::ABSENT);
            let space = libm::exp2(f64::from(*bits));
            for (start, end, a, b) in overlay(a, b) {
                let pair = (before.slot(a), after.slot(b));
                if pair.0 == pair.1 {
                    continue;
                }
                match arcs.last_mut() {
                    Some(arc) if start > 0 && arc.end == start - 1 && last == pair => arc.end = end,
                    _ => {
                        let (from, to) = (name(pair.0), name(pair.1));
                        arcs.push(Arc { start, end, share: 0.0, from, to });
                    }
                }
                last = pair;
            }
            for arc in &mut arcs {
                arc.share = (u128::from(arc.end - arc.start) + 1) as f64 / space;
            }
            Some(Moves::Arcs { bits: *bits, arcs })
        }
        _ => None,
    }
}

/// Both divisions laid over each other: first digest, last digest, owner in each.
fn overlay(a: &[(u64, Slot)], b: &[(u64, Slot)]) -> Vec<(u64, u64, Slot, Slot)> {
    let (mut i, mut j, mut start) = (0, 0, 0u64);
    let mut parts = Vec::with_capacity(a.len() + b.len());
    while i < a.len() && j < b.len() {
        let end = a[i].0.min(b[j].0);
        parts.push((start, end, a[i].1, b[j].1));
        i += usize::from(a[i].0 == end);
        j += usize::from(b[j].0 == end);
        // The last segment may end at the last digest of all.
        start = end.wrapping_add(1);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::NodeId;
    use crate::rng::{Purpose, Stream};

    fn names() -> Vec<String> {
        let mut names: Vec<String> = (0..4).map(|i| format!("db{i}")).collect();
        names.extend(OUTCOME_NAMES.map(String::from));
        names
    }

    fn random_segments(rng: &mut Stream, bits: u32) -> Vec<(u64, Slot)> {
        let last = (1u64 << bits) - 1;
        let mut ends: Vec<u64> = (0..rng.below(8)).map(|_| rng.below(last)).collect();
        ends.push(last);
        ends.sort_unstable();
        ends.dedup();
        ends.into_iter().map(|end| (end, Slot(rng.below(4) as u32))).collect()
    }

    #[test]
    fn arcs_agree_with_looking_at_every_digest() {
        let cluster = Cluster::numbered(4, "db{i}");
        let mut rng = Stream::new(3, Purpose::Keys, 0);
        for _ in 0..200 {
            let [a, b] = [0; 2].map(|_| random_segments(&mut rng, 8));
            let owner = |segments: &[(u64, Slot)], digest: u64| {
                segments.iter().find(|(end, _)| digest <= *end).unwrap().1
            };
            let whole = |segments: &[(u64, Slot)]| Ownership::Segments {
                bits: 8,
                segments: segments.to_vec(),
            };
            let (before, after) = (whole(&a), whole(&b));
            let side = |ownership| Side { ownership, cluster: &cluster };
            let Some(Moves::Arcs { arcs, .. }) = between(side(&before), side(&after), &names())
            else {
                panic!("arcs")
            };
            for digest in 0..256 {
                let (from, to) = (owner(&a, digest), owner(&b, digest));
                let arc = arcs.iter().find(|arc| (arc.start..=arc.end).contains(&digest));
                let want = (from != to).then(|| (format!("db{}", from.0), format!("db{}", to.0)));
                assert_eq!(arc.map(|arc| (arc.from.clone(), arc.to.clone())), want);
            }
            let moved: f64 = arcs.iter().map(|arc| arc.share).sum();
            assert_eq!(Some(moved), before.share_moved(&after), "in 256ths: exact");
            let mergeable = |pair: &[Arc]| {
                pair[0].end + 1 == pair[1].start
                    && (&pair[0].from, &pair[0].to) == (&pair[1].from, &pair[1].to)
            };
            assert!(!arcs.windows(2).any(mergeable));
        }
    }

    #[test]
    fn the_last_arc_of_64_bits_ends_at_the_last_digest() {
        let cluster = Cluster::numbered(4, "db{i}");
        let whole = |slot| Ownership::Segments { bits: 64, segments: vec![(u64::MAX, Slot(slot))] };
        let (before, after) = (whole(0), whole(1));
        let side = |ownership| Side { ownership, cluster: &cluster };
        let moves = between(side(&before), side(&after), &names()).unwrap();
        let arc = Arc { start: 0, end: u64::MAX, share: 1.0, from: "db0".into(), to: "db1".into() };
        assert_eq!(moves, Moves::Arcs { bits: 64, arcs: vec![arc] });
    }

    #[test]
    fn buckets_come_in_runs_and_those_of_a_node_that_is_down_are_absent() {
        let slots = |owners: &[u32]| Ownership::Buckets(owners.iter().map(|&o| Slot(o)).collect());
        let (before, after) = (slots(&[0, 0, 0, 1, 1, 2]), slots(&[0, 3, 3, 3, 3, 2]));
        let up = Cluster::numbered(4, "db{i}");
        let down = Cluster { down: vec![NodeId(2)], ..up.clone() };
        let moves = between(
            Side { ownership: &before, cluster: &up },
            Side { ownership: &after, cluster: &down },
            &names(),
        );
        let run = |first, last, from: &str, to: &str| Run {
            first,
            last,
            from: from.into(),
            to: to.into(),
        };
        let runs =
            vec![run(1, 2, "db0", "db3"), run(3, 4, "db1", "db3"), run(5, 5, "db2", "(absent)")];
        assert_eq!(moves, Some(Moves::Buckets { of: 6, runs: runs.clone() }));
        // Only where all of them go to nobody is nothing moved.
        assert!(!moves.unwrap().are_lost());
        assert!(Moves::Buckets { of: 6, runs: vec![runs[2].clone()] }.are_lost());
        assert!(!Moves::Buckets { of: 6, runs: Vec::new() }.are_lost());
        let other = Ownership::Buckets(vec![Slot(0)]);
        let side = |ownership| Side { ownership, cluster: &up };
        assert_eq!(between(side(&before), side(&other), &names()), None);
    }
}
