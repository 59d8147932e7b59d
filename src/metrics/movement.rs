//! Movement: what changed its node between two steps, and the least that could have.

use super::theory::minimum_share;
use super::{Family, MetricInfo, Point, Unit};
use crate::record::Moved;

/// What moves.
pub static FAMILY: Family = Family {
    name: "movement",
    forms: &["movement.LOAD.STAT", "movement.from-start.LOAD.STAT"],
    metrics: &[
        MetricInfo {
            name: "moved",
            unit: Unit::Count,
            range: "0 and more",
            doc: "amount whose node differs; outcomes count as nodes",
            formula: "Σ load of keys with node before ≠ node after",
            source: "",
            read: |p| Some(p.moved()?.moved as f64),
        },
        MetricInfo {
            name: "share-moved",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "its share of the total",
            formula: "moved ÷ total",
            source: "",
            read: |p| Some(p.moved()?.share_moved),
        },
        MetricInfo {
            name: "minimum-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "the least that any strategy must move to be fair after, having been fair before",
            formula: "½ Σ |fair share after − before|; |m−n| ÷ max(n,m) on equal nodes",
            source: "",
            read: |p| Some(p.moved()?.minimum_share),
        },
        MetricInfo {
            name: "minimum-actual-share",
            unit: Unit::Share,
            range: "0 to share-moved",
            doc: "the least that leads to the same loads",
            formula: "½ Σ |load after − before| ÷ total",
            source: "",
            read: |p| Some(p.moved()?.minimum_actual_share),
        },
        MetricInfo {
            name: "excess-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "what was moved beyond the least that leads to the same loads",
            formula: "share-moved − minimum-actual-share",
            source: "",
            read: |p| Some(p.moved()?.excess_share),
        },
        MetricInfo {
            name: "between-survivors-share",
            unit: Unit::Share,
            range: "0 to share-moved",
            doc: "share that moved between nodes alive both before and after",
            formula: "moved between survivors ÷ total",
            source: "",
            read: |p| Some(p.moved()?.between_survivors_share),
        },
        MetricInfo {
            name: "largest-inheritor-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of what moved that the node which received most got",
            formula: "max received ÷ moved",
            source: "",
            read: |p| Some(p.moved()?.largest_inheritor_share),
        },
    ],
};

impl<'a> Point<'a> {
    fn moved(&self) -> Option<&'a Moved> {
        let movement = self.step.movement.as_ref()?;
        match (self.form, &movement.from_start) {
            // At step 1 the step before is the start.
            ("movement.from-start.LOAD.STAT", Some(from_start)) => from_start.get(self.load),
            _ => movement.loads.get(self.load),
        }
    }
}

/// What movement of one load between two steps is computed from. Tables by node id hold one row for
/// each id; tables of loads hold the outcomes (misrouted, refused, absent) after them.
#[derive(Debug, Clone, Copy)]
pub struct Tally<'a> {
    /// Load of every row before.
    pub before: &'a [u64],
    /// Load of every row after; the same total.
    pub after: &'a [u64],
    /// Whether the node is a live member before, by id.
    pub alive_before: &'a [bool],
    /// Whether the node is a live member after, by id.
    pub alive_after: &'a [bool],
    /// Fair shares before, by id.
    pub fair_before: &'a [f64],
    /// Fair shares after, by id.
    pub fair_after: &'a [f64],
    /// Flows between rows.
    pub flows: &'a Flows,
}

/// How much moved between rows, from and to each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flows {
    /// Amount whose row differs.
    pub moved: u64,
    /// The part of it from and to a node alive both before and after.
    pub between_survivors: u64,
    /// What each row gave.
    pub gives: Vec<u64>,
    /// What each row received.
    pub receives: Vec<u64>,
}

impl Flows {
    /// Sums up (from, to, amount) over rows: node ids, then the outcomes. Pairs of a row with itself
    /// count for nothing; a pair may come more than once.
    pub fn from_pairs(
        pairs: impl IntoIterator<Item = (usize, usize, u64)>,
        rows: usize,
        alive_before: &[bool],
        alive_after: &[bool],
    ) -> Self {
        let survives = |row: usize| {
            alive_before.get(row) == Some(&true) && alive_after.get(row) == Some(&true)
        };
        let mut flows =
            Flows { moved: 0, between_survivors: 0, gives: vec![0; rows], receives: vec![0; rows] };
        for (from, to, amount) in pairs {
            if from == to {
                continue;
            }
            flows.moved += amount;
            flows.gives[from] += amount;
            flows.receives[to] += amount;
            if survives(from) && survives(to) {
                flows.between_survivors += amount;
            }
        }
        flows
    }
}

/// Movement of one load. All shares are 0 where the total is 0.
pub fn moved(tally: &Tally<'_>) -> Moved {
    let total = sum(tally.before);
    debug_assert_eq!(total, sum(tally.after), "a load is conserved");
    let share = |amount: u128, of: u128| if of == 0 { 0.0 } else { amount as f64 / of as f64 };
    // Half the L1 distance of two tables with the same total is what the gaining rows gain.
    let gained = |(&before, &after): (&u64, &u64)| u128::from(after.saturating_sub(before));
    let least: u128 = tally.before.iter().zip(tally.after).map(gained).sum();
    let flows = tally.flows;
    let moved = u128::from(flows.moved);
    let nodes = tally.alive_after.len().min(flows.receives.len());
    let largest = flows.receives[..nodes].iter().copied().max().unwrap_or(0);
    Moved {
        moved: flows.moved,
        share_moved: share(moved, total),
        minimum_share: minimum_share(tally.fair_before, tally.fair_after),
        minimum_actual_share: share(least, total),
        excess_share: share(moved.saturating_sub(least), total),
        between_survivors_share: share(flows.between_survivors.into(), total),
        largest_inheritor_share: share(largest.into(), moved),
    }
}

fn sum(loads: &[u64]) -> u128 {
    loads.iter().map(|&load| u128::from(load)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    /// Everything key by key: (row before, row after) of keys with a load each.
    fn measure(
        keys: &[(usize, usize, u64)],
        alive_before: &[bool],
        alive_after: &[bool],
    ) -> (Moved, Flows) {
        let rows = alive_before.len() + 3;
        let (mut before, mut after) = (vec![0; rows], vec![0; rows]);
        for &(from, to, load) in keys {
            before[from] += load;
            after[to] += load;
        }
        let fair = |alive: &[bool]| -> Vec<f64> {
            let n = alive.iter().filter(|&&a| a).count() as f64;
            alive.iter().map(|&a| if a { 1.0 / n } else { 0.0 }).collect()
        };
        let flows = Flows::from_pairs(keys.iter().copied(), rows, alive_before, alive_after);
        let moved = moved(&Tally {
            before: &before,
            after: &after,
            alive_before,
            alive_after,
            fair_before: &fair(alive_before),
            fair_after: &fair(alive_after),
            flows: &flows,
        });
        (moved, flows)
    }

    #[test]
    fn an_added_node_by_hand() {
        // Nodes 0 and 1 hold 6 and 4; node 2 joins and takes 2 and 1; 1 goes from 0 to 1.
        let keys = [(0, 0, 3), (0, 2, 2), (0, 1, 1), (1, 1, 3), (1, 2, 1)];
        let (m, flows) = measure(&keys, &[true, true, false], &[true, true, true]);
        assert_eq!(m.moved, 4);
        assert_eq!(m.share_moved, 0.4);
        // Fair: ½, ½ → ⅓ each.
        assert!((m.minimum_share - 1.0 / 3.0).abs() < 1e-15);
        // 6, 4, 0 → 3, 4, 3.
        assert_eq!(m.minimum_actual_share, 0.3);
        assert_eq!(m.excess_share, 0.1);
        assert_eq!(m.between_survivors_share, 0.1);
        assert_eq!(m.largest_inheritor_share, 0.75);
        assert_eq!(flows.gives, [3, 1, 0, 0, 0, 0]);
        assert_eq!(flows.receives, [0, 1, 3, 0, 0, 0]);
    }

    #[test]
    fn a_failed_node_whose_keys_are_absent_has_no_inheritor() {
        // Row 4 is `absent` with two ids: misrouted 2, refused 3, absent 4.
        let (m, _) = measure(&[(0, 0, 5), (1, 4, 5)], &[true, true], &[true, false]);
        assert_eq!((m.moved, m.share_moved, m.minimum_actual_share), (5, 0.5, 0.5));
        assert_eq!(
            [m.excess_share, m.between_survivors_share, m.largest_inheritor_share],
            [0.0; 3]
        );
    }

    #[test]
    fn nothing_moved_and_nothing_there_are_zero() {
        let (m, _) = measure(&[(0, 0, 5)], &[true], &[true]);
        assert_eq!((m.moved, m.share_moved, m.largest_inheritor_share), (0, 0.0, 0.0));
        let (m, _) = measure(&[], &[true], &[true]);
        assert_eq!((m.moved, m.share_moved, m.excess_share), (0, 0.0, 0.0));
    }

    #[test]
    fn it_agrees_with_the_obvious_formulas() {
        let mut stream = Stream::new(9, Purpose::Keys, 0);
        let (before, after) = ([true, true, true, false, false], [true, false, true, true, false]);
        for _ in 0..50 {
            let keys: Vec<(usize, usize, u64)> = (0..40)
                .map(|_| {
                    let (from, to) = (stream.below(8), stream.below(8));
                    (from as usize, to as usize, stream.below(100))
                })
                .collect();
            let (m, _) = measure(&keys, &before, &after);
            let total: u64 = keys.iter().map(|k| k.2).sum();
            let held = |row: usize, side: fn(&(usize, usize, u64)) -> usize| -> f64 {
                keys.iter().filter(|k| side(k) == row).map(|k| k.2 as f64).sum()
            };
            let distance: f64 = (0..8).map(|r| (held(r, |k| k.0) - held(r, |k| k.1)).abs()).sum();
            let moved: u64 = keys.iter().filter(|k| k.0 != k.1).map(|k| k.2).sum();
            let total = total as f64;
            assert_eq!(m.moved, moved);
            assert!((m.minimum_actual_share - distance / 2.0 / total).abs() < 1e-12);
            assert!((m.excess_share - (m.share_moved - m.minimum_actual_share)).abs() < 1e-12);
            assert!((m.minimum_share - 1.0 / 3.0).abs() < 1e-12);
            let both = |row: usize| row == 0 || row == 2;
            let stayed = keys.iter().filter(|k| k.0 != k.1 && both(k.0) && both(k.1));
            let between: u64 = stayed.map(|k| k.2).sum();
            assert!((m.between_survivors_share - between as f64 / total).abs() < 1e-12);
            let receives = |row| keys.iter().filter(move |k| k.0 != k.1 && k.1 == row).map(|k| k.2);
            let largest = (0..5).map(|row| receives(row).sum::<u64>()).max().unwrap();
            assert!((m.largest_inheritor_share - largest as f64 / moved as f64).abs() < 1e-12);
        }
    }
}
