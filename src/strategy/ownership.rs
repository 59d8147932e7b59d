//! What follows from exact ownership: shares per node, and the difference of two placements.

use super::{Ownership, Slot};

impl Ownership {
    /// Share of the digest space by tally row: the nodes by id, then the outcomes. Arc lengths are
    /// summed as integers, so the shares do not depend on any order.
    pub fn shares(&self, ids: usize) -> Vec<f64> {
        let mut lengths = vec![0u128; ids + Slot::OUTCOMES];
        match self {
            Ownership::Segments { segments, .. } => {
                let mut start = 0u128;
                for &(end, slot) in segments {
                    let next = u128::from(end) + 1;
                    lengths[slot.index(ids)] += next - start;
                    start = next;
                }
            }
            Ownership::Buckets(owners) => {
                owners.iter().for_each(|slot| lengths[slot.index(ids)] += 1);
            }
        }
        let total = self.space() as f64;
        lengths.into_iter().map(|length| length as f64 / total).collect()
    }

    /// Share of the space whose owner differs; None when the two divide different spaces.
    pub fn share_moved(&self, other: &Ownership) -> Option<f64> {
        if self.space() != other.space() {
            return None;
        }
        let moved: u128 = match (self, other) {
            (Ownership::Segments { segments: a, .. }, Ownership::Segments { segments: b, .. }) => {
                let (mut i, mut j, mut start, mut moved) = (0, 0, 0u128, 0u128);
                while i < a.len() && j < b.len() {
                    let end = a[i].0.min(b[j].0);
                    let next = u128::from(end) + 1;
                    if a[i].1 != b[j].1 {
                        moved += next - start;
                    }
                    start = next;
                    i += usize::from(a[i].0 == end);
                    j += usize::from(b[j].0 == end);
                }
                moved
            }
            (Ownership::Buckets(a), Ownership::Buckets(b)) => {
                a.iter().zip(b).filter(|(a, b)| a != b).count() as u128
            }
            _ => return None,
        };
        Some(moved as f64 / self.space() as f64)
    }

    /// Number of digests, or of buckets.
    fn space(&self) -> u128 {
        match self {
            Ownership::Segments { bits, .. } => 1 << bits,
            Ownership::Buckets(owners) => owners.len() as u128,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_movement_of_a_worked_example() {
        // Article C's circle in 360 steps of a space of 2^16: A ends at 30°, B at 60°, the rest is A's.
        let unit = 65_536 / 360;
        let before = Ownership::Segments { bits: 16, segments: vec![(65_535, Slot(0))] };
        let segments = vec![(30 * unit - 1, Slot(0)), (60 * unit - 1, Slot(1)), (65_535, Slot(0))];
        let after = Ownership::Segments { bits: 16, segments };
        let expected = (30 * unit) as f64 / 65_536.0;
        assert_eq!(after.shares(2)[1], expected);
        assert_eq!(before.share_moved(&after), Some(expected));
        assert_eq!(after.share_moved(&after), Some(0.0));
    }

    #[test]
    fn buckets_count_alike_and_unequal_spaces_do_not_compare() {
        let a = Ownership::Buckets(vec![Slot(0), Slot(0), Slot(1), Slot::ABSENT]);
        let b = Ownership::Buckets(vec![Slot(0), Slot(1), Slot(1), Slot(1)]);
        assert_eq!(a.shares(2), [0.5, 0.25, 0.0, 0.0, 0.25]);
        assert_eq!(a.share_moved(&b), Some(0.5));
        assert_eq!(a.share_moved(&Ownership::Buckets(vec![Slot(0)])), None);
    }
}
