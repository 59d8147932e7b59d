//! A ring whose points a system computes in a way of its own.

use crate::cluster::Node;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::strategy::ring::points::Points;
use crate::strategy::ring::width::Width;
use crate::strategy::support::{digest_step, hex, mean_steps, step};
use crate::strategy::{Build, Explanation, Ownership, Placement, Slot};

/// Most points of one ring, which bounds its memory to a few hundred megabytes.
pub const MAX_POINTS: usize = 20_000_000;

/// Which point a digest belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Successor {
    /// The first at or after it, going round.
    AtOrAfter,
    /// The first after it, going round.
    After,
    /// The nearest on either side, going round; of two as near the one before it.
    Nearest,
}

impl Successor {
    fn shown(self) -> &'static str {
        match self {
            Successor::AtOrAfter => "first point at or after it, going round",
            Successor::After => "first point after it, going round",
            Successor::Nearest => "nearest point on either side, going round",
        }
    }
}

/// Which keys a system takes, where it refuses some.
pub type Accepts = fn(&[u8]) -> bool;

/// A ring of given points.
#[derive(Debug)]
pub struct PointRing {
    column: [ColumnSpec; 1],
    table: Width,
    successor: Successor,
    accepts: Option<Accepts>,
    /// Whether the digests of keys may fall anywhere.
    even: bool,
    nodes: Vec<Node>,
}

impl PointRing {
    /// A ring of the points of each node, in the order that decides ties: of equal points the
    /// earliest in the list wins. Points have the width of the column.
    ///
    /// # Errors
    /// Too many points.
    pub fn new(
        build: &Build<'_>,
        column: ColumnSpec,
        successor: Successor,
        points: impl IntoIterator<Item = (Slot, Vec<u64>)>,
    ) -> Result<Self, Error> {
        let mut all = Points { digests: Vec::new(), runs: Vec::new() };
        for (slot, points) in points {
            if all.digests.len() + points.len() > MAX_POINTS {
                return Err(too_many_points());
            }
            all.runs.push((slot, points.len() as u32));
            all.digests.extend(points);
        }
        let table = Width::new(column.bits(), &all);
        let nodes = build.cluster.nodes.clone();
        Ok(PointRing { column: [column], table, successor, accepts: None, even: true, nodes })
    }

    /// The same ring of a system that refuses some keys; which, goes by their text.
    #[must_use]
    pub fn accepting(self, accepts: Accepts) -> Self {
        PointRing { accepts: Some(accepts), ..self }
    }

    /// The same ring for keys whose digests lie in part of the space only: who owns how much of it
    /// says nothing about them.
    #[must_use]
    pub fn uneven(self, uneven: bool) -> Self {
        PointRing { even: !uneven, ..self }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.table.is_empty()
    }

    /// The owner of a point.
    #[inline]
    pub fn owner(&self, at: usize) -> Slot {
        self.table.owner(at)
    }

    /// The point that a digest belongs to; the ring must have some.
    #[inline]
    pub fn find(&self, digest: u64) -> usize {
        match self.successor {
            Successor::AtOrAfter => self.table.find(digest),
            // Past the last digest comes the first.
            Successor::After => self.table.find(if digest < self.last() { digest + 1 } else { 0 }),
            Successor::Nearest => {
                let next = self.table.find(digest);
                let before = if next == 0 { self.table.len() } else { next } - 1;
                let since = digest.wrapping_sub(self.table.point(before)) & self.last();
                let until = self.table.point(next).wrapping_sub(digest) & self.last();
                if since <= until { before } else { next }
            }
        }
    }

    /// The last digest.
    #[inline]
    fn last(&self) -> u64 {
        u64::MAX >> (64 - self.column[0].bits())
    }

    /// Which digests belong to whom.
    fn arcs(&self) -> Vec<(u64, Slot)> {
        match self.successor {
            Successor::AtOrAfter => self.table.segments(),
            Successor::After => self.segments_after(),
            Successor::Nearest => self.segments_nearest(),
        }
    }

    /// The segments where a point itself belongs to what follows it.
    fn segments_after(&self) -> Vec<(u64, Slot)> {
        let mut segments = Segments::default();
        for at in 0..self.table.len() {
            if let Some(end) = self.table.point(at).checked_sub(1) {
                segments.push(end, self.table.owner(at));
            }
        }
        segments.push(self.last(), self.table.owner(0));
        segments.0
    }

    /// The segments where a point owns half of either gap. Of equal points the first owns what lies
    /// before, the last what lies after.
    fn segments_nearest(&self) -> Vec<(u64, Slot)> {
        let (len, last) = (self.table.len(), self.last());
        let mut segments = Segments::default();
        if len == 0 {
            return vec![(last, Slot::ABSENT)];
        }
        let (first, highest) = (self.table.point(0), self.table.point(len - 1));
        // The gap that goes round, from the last point to the first.
        let half = first.wrapping_sub(highest).wrapping_sub(1) & last;
        let half = half / 2 + half % 2;
        let round = if half > last - highest {
            segments.push(half - (last - highest) - 1, self.table.owner(len - 1));
            last
        } else {
            highest + half
        };
        for at in 0..len {
            let point = self.table.point(at);
            segments.push(point, self.table.owner(at));
            let end =
                if at + 1 < len { point + (self.table.point(at + 1) - point) / 2 } else { round };
            segments.push(end, self.table.owner(at));
        }
        segments.push(last, self.table.owner(0));
        segments.0
    }
}

/// Segments in ascending order; one that ends where its predecessor does is empty and left out.
#[derive(Default)]
struct Segments(Vec<(u64, Slot)>);

impl Segments {
    fn push(&mut self, end: u64, owner: Slot) {
        if self.0.last().is_none_or(|(before, _)| *before < end) {
            self.0.push((end, owner));
        }
    }
}

/// Refuses a ring that would not fit in memory; to be called before its points are computed.
pub fn check_points(points: f64) -> Result<(), Error> {
    if points <= MAX_POINTS as f64 { Ok(()) } else { Err(too_many_points()) }
}

fn too_many_points() -> Error {
    Error::invalid(format!("the ring would have more than {MAX_POINTS} points"))
        .help("take fewer nodes, smaller weights or fewer points a node")
}

impl Placement for PointRing {
    fn columns(&self) -> &[ColumnSpec] {
        &self.column
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.column[0]);
        match self.successor {
            Successor::AtOrAfter => self.table.place(digests, out),
            _ if self.is_empty() => out.fill(Slot::ABSENT),
            _ => {
                for (slot, &digest) in out.iter_mut().zip(digests) {
                    *slot = self.owner(self.find(digest));
                }
            }
        }
        refuse(batch, self.accepts, out);
    }

    fn segments(&self) -> Option<Vec<(u64, Slot)>> {
        self.accepts.is_none().then(|| self.arcs())
    }

    fn ownership(&self) -> Option<Ownership> {
        let bits = self.column[0].bits();
        self.even.then(|| Ownership::Segments { bits, segments: self.arcs() })
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.column);
        let column = &self.column[0];
        let digest = batch.digests(column)[0];
        let mut steps = vec![digest_step(column, key, digest)];
        let mut out = [Slot::ABSENT];
        self.place(&batch, &mut out);
        if out[0] == Slot::REFUSED {
            steps.push(step("the system refuses the key", ""));
        } else if !self.table.is_empty() {
            let at = self.find(digest);
            let what = self.successor.shown();
            let point = hex(self.table.point(at), column.bits());
            steps.push(step(what, format!("number {at} of {}: {point}", self.table.len())));
            if let Some(node) = self.nodes.iter().find(|n| Slot::from(n.id) == out[0]) {
                steps.push(step("its server", &node.name));
            }
        }
        Explanation { steps, slot: out[0] }
    }

    fn heap_bytes(&self) -> u64 {
        self.table.heap_bytes()
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(mean_steps(&self.column[0], |digest| 1 + self.table.steps_bucketed(digest)))
    }

    fn points(&self) -> u64 {
        self.table.len() as u64
    }
}

/// Marks the keys that a system refuses.
pub fn refuse(batch: &KeyBatch, accepts: Option<Accepts>, out: &mut [Slot]) {
    let Some(accepts) = accepts else { return };
    for (slot, text) in out.iter_mut().zip(batch.text.iter()) {
        if !accepts(text) {
            *slot = Slot::REFUSED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::hash::{self, mix::fmix64};
    use crate::keys::KeyKind;
    use crate::params::Params;

    /// The owner of a digest of 16 bits by looking at every point.
    fn oracle(points: &[(u64, Slot)], successor: Successor, digest: u64) -> Slot {
        let round = |from: u64, to: u64| to.wrapping_sub(from) & 0xffff;
        let ahead = |from: u64| points.iter().min_by_key(|p| round(from, p.0)).unwrap();
        match successor {
            Successor::AtOrAfter => ahead(digest).1,
            Successor::After => ahead((digest + 1) & 0xffff).1,
            Successor::Nearest => {
                let behind = points.iter().min_by_key(|p| round(p.0, digest)).unwrap();
                let next = ahead(digest);
                let is_before = round(behind.0, digest) <= round(digest, next.0);
                if is_before { behind.1 } else { next.1 }
            }
        }
    }

    #[test]
    fn every_digest_belongs_to_whom_the_rule_says() {
        let column = ColumnSpec::whole(hash::find("crc16-xmodem").unwrap());
        let cluster = Cluster::numbered(3, "db{i}");
        let params = Params::default();
        let (keys, base) = (KeyKind::Text, std::path::Path::new("."));
        let build = Build { cluster: &cluster, params: &params, keys, replicas: 1, base };
        let rings: [&[u64]; 5] =
            [&[7], &[0, 0xffff], &[0xffff, 3], &[5, 6, 9, 13, 14], &[0x8000, 0xfff0, 0xfff1, 2]];
        let random: Vec<u64> = (0..40).map(|i| fmix64(i) & 0xffff).collect();
        for points in rings.into_iter().chain([&random[..]]) {
            // Dealt out to three nodes; the points of each come together.
            let of = |node: usize| -> Vec<u64> {
                points.iter().skip(node).step_by(3).copied().collect()
            };
            let runs = [0, 1, 2].map(|node| (Slot(node as u32), of(node)));
            let pairs: Vec<(u64, Slot)> = (runs.iter())
                .flat_map(|(slot, points)| points.iter().map(|&point| (point, *slot)))
                .collect();
            for successor in [Successor::AtOrAfter, Successor::After, Successor::Nearest] {
                let ring = PointRing::new(&build, column.clone(), successor, runs.clone()).unwrap();
                let segments = ring.arcs();
                assert!(segments.is_sorted_by(|a, b| a.0 < b.0), "{successor:?} {points:?}");
                assert_eq!(segments.last().unwrap().0, 0xffff, "{successor:?} {points:?}");
                for digest in 0..=0xffff {
                    let want = oracle(&pairs, successor, digest);
                    assert_eq!(ring.owner(ring.find(digest)), want, "{successor:?} {digest:#x}");
                    let at = segments.partition_point(|(end, _)| *end < digest);
                    assert_eq!(segments[at].1, want, "{successor:?} {points:?} {digest:#x}");
                }
            }
        }
    }
}
