//! Auto-split: ranges of the digest space; a node that joins takes half of the largest, one that leaves
//! gives its range to a neighbour.
//!
//! # Idea
//! Every node has one contiguous range. A join touches one other node only, and so does a departure: the
//! cheapest change there is. The price is balance: ranges differ by a factor of two between two doublings
//! of the cluster, and a departure doubles its neighbour's load.
//!
//! # Source
//! Region splits of Apache HBase, <https://hbase.apache.org/book.html#arch.region.splits>; the same by
//! largest zone in S. Ratnasamy et al., "A Scalable Content-Addressable Network", SIGCOMM 2001, doi
//! 10.1145/383059.383072.
//!
//! # Cost
//! Look-up O(log n). Change O(n). Bytes: 12 a node.
//!
//! # Choices made where the source is silent
//! - The first cluster has equal ranges, in its order (a table that is split in advance).
//! - The largest range is the one with most digests, of equal ones the lowest; it keeps its lower half and
//!   the smaller half of an odd number, the new node gets the upper one.
//! - A departing node's range goes to the one below it; the lowest range goes to the one above it.
//! - Splitting goes by size, not by load: keys are hashed, so that size is load.
//! - A join for which no range has two digests is unsupported. A change of the strategy builds anew.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::support::{digest_step, halvings, hex, step, turnover};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
};
use crate::cluster::{Change, NodeId};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "auto-split",
    title: "Auto-split ranges",
    summary: "a joining node takes half of the largest range of digests, a leaving one's neighbour takes over",
    source: "Apache HBase, https://hbase.apache.org/book.html#arch.region.splits; \
             Ratnasamy et al. (2001), doi 10.1145/383059.383072",
    checked: "a worked example; the ranges after random changes: they cover every digest once, one a node",
    caps: Caps::NONE,
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[HASHER, HASH_SEED, VIEW],
    cost: Cost { lookup: "O(log n)", change: "O(n)", bytes: "12 n" },
    build: |build| Ok(Box::new(AutoSplit::new(build)?)),
};

#[derive(Debug, Clone)]
struct AutoSplit {
    columns: [ColumnSpec; 1],
    /// The last digest of each range, ascending.
    ends: Vec<u64>,
    owners: Vec<Slot>,
}

impl AutoSplit {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let (n, digests) = (build.cluster.nodes.len() as u128, 1u128 << column.bits());
        if n > digests {
            return Err(no_room(&column));
        }
        let end = |i: u128| (((i + 1) * digests).div_ceil(n.max(1)) - 1) as u64;
        Ok(AutoSplit {
            ends: (0..n).map(end).collect(),
            owners: build.cluster.nodes.iter().map(|node| node.id.into()).collect(),
            columns: [column],
        })
    }

    /// Digests of a range, less one.
    fn span(&self, at: usize) -> u64 {
        self.ends[at] - self.first(at)
    }

    fn first(&self, at: usize) -> u64 {
        if at == 0 { 0 } else { self.ends[at - 1] + 1 }
    }

    /// The range of a digest; there are ranges.
    #[inline]
    fn find(&self, digest: u64) -> usize {
        self.ends.partition_point(|end| *end < digest)
    }

    fn join(&mut self, id: NodeId) -> Result<(), Error> {
        let largest =
            |best: usize, at: usize| if self.span(at) > self.span(best) { at } else { best };
        let Some(at) = (0..self.ends.len()).reduce(largest) else {
            self.ends.push(u64::MAX >> (64 - self.columns[0].bits()));
            self.owners.push(id.into());
            return Ok(());
        };
        let span = self.span(at);
        if span == 0 {
            return Err(no_room(&self.columns[0]));
        }
        // Of s + 1 digests ⌊(s + 1) / 2⌋ stay.
        let last = self.first(at) + span.div_ceil(2) - 1;
        self.ends.insert(at, last);
        self.owners.insert(at + 1, id.into());
        Ok(())
    }

    fn leave(&mut self, id: NodeId) {
        let Some(at) = self.owners.iter().position(|slot| *slot == Slot::from(id)) else { return };
        self.owners.remove(at);
        // Its end goes to the range below; the lowest range's digests go to the one above.
        self.ends.remove(at.saturating_sub(1));
    }
}

fn no_room(column: &ColumnSpec) -> Error {
    let name = column.hasher.name;
    Error::unsupported(format!("hasher `{name}` has too few digests for a range for every node"))
        .help("take a wider hasher")
        .field("hasher")
}

impl Placement for AutoSplit {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        if self.owners.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = self.owners[self.find(digest)];
        }
    }

    fn evolve(
        &self,
        change: &Change,
        _after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let turnover = turnover(change)?;
        let mut ranges = self.clone();
        turnover.left.iter().for_each(|id| ranges.leave(*id));
        let joined = turnover.joined.iter().try_for_each(|id| ranges.join(*id));
        Some(joined.map(|()| Box::new(ranges) as Box<dyn Placement>))
    }

    fn segments(&self) -> Option<Vec<(u64, Slot)>> {
        let segments = self.ends.iter().copied().zip(self.owners.iter().copied()).collect();
        (!self.ends.is_empty()).then_some(segments)
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.owners.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let (at, bits) = (self.find(digest), self.columns[0].bits());
        let bounds = format!("{} to {}", hex(self.first(at), bits), hex(self.ends[at], bits));
        steps.push(step(format!("range {at} of {}", self.ends.len()), bounds));
        Explanation { steps, slot: self.owners[at] }
    }

    /// End and owner.
    fn heap_bytes(&self) -> u64 {
        12 * self.ends.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(halvings(self.ends.len()))
    }

    fn points(&self) -> u64 {
        self.ends.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{add, built, equal, evolved, members, remove, text};
    use super::*;
    use crate::error::ErrorKind;
    use crate::hash::mix::fmix64;

    fn segments(placement: &dyn Placement) -> Vec<(u64, u32)> {
        let segments = placement.segments().unwrap();
        segments.into_iter().map(|(end, slot)| (end, slot.0)).collect()
    }

    #[test]
    fn a_worked_example() {
        let given = [("hasher", text("crc16-xmodem"))];
        let start = built(&INFO, &equal(2), &given);
        assert_eq!(segments(&*start), [(0x7fff, 0), (0xffff, 1)]);
        let three = evolved(&INFO, &*start, add(2), &equal(3), &given).unwrap();
        assert_eq!(segments(&*three), [(0x3fff, 0), (0x7fff, 2), (0xffff, 1)]);
        let four = evolved(&INFO, &*three, add(3), &equal(4), &given).unwrap();
        assert_eq!(segments(&*four), [(0x3fff, 0), (0x7fff, 2), (0xbfff, 1), (0xffff, 3)]);
        let gone = evolved(&INFO, &*four, remove(1), &members(&[0, 2, 3]), &given).unwrap();
        assert_eq!(segments(&*gone), [(0x3fff, 0), (0xbfff, 2), (0xffff, 3)]);
        let gone = evolved(&INFO, &*gone, remove(0), &members(&[2, 3]), &given).unwrap();
        assert_eq!(segments(&*gone), [(0xbfff, 2), (0xffff, 3)]);
        let one = evolved(&INFO, &*gone, remove(3), &members(&[2]), &given).unwrap();
        assert_eq!(segments(&*one), [(0xffff, 2)]);
    }

    #[test]
    fn any_changes_leave_one_range_a_node() {
        let mut placement = built(&INFO, &equal(5), &[]);
        let mut ids: Vec<u32> = (0..5).collect();
        for turn in 0..300u64 {
            let number = fmix64(turn);
            let kind = if number.is_multiple_of(2) || ids.len() < 2 {
                let id = 100 + turn as u32;
                ids.push(id);
                add(id)
            } else {
                remove(ids.remove((number >> 8) as usize % ids.len()))
            };
            placement = evolved(&INFO, &*placement, kind, &members(&ids), &[]).unwrap();
            let segments = segments(&*placement);
            assert!(segments.is_sorted_by(|a, b| a.0 < b.0));
            assert_eq!(segments.last().unwrap().0, u64::from(u32::MAX));
            let mut owners: Vec<u32> = segments.iter().map(|s| s.1).collect();
            owners.sort_unstable();
            let mut want = ids.clone();
            want.sort_unstable();
            assert_eq!(owners, want);
        }
    }

    #[test]
    fn no_range_is_split_below_one_digest() {
        let given = [("hasher", text("crc16-xmodem"))];
        let full = built(&INFO, &equal(65_536), &given);
        let error = evolved(&INFO, &*full, add(65_537), &equal(65_538), &given).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
    }
}
