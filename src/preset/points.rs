//! A ring whose points a system computes in a way of its own.

use crate::cluster::Node;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::strategy::ring::points::Points;
use crate::strategy::ring::width::Width;
use crate::strategy::support::{digest_step, hex, step};
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
        Ok(PointRing { column: [column], table, successor, accepts: None, nodes })
    }

    /// The same ring of a system that refuses some keys; which, goes by their text.
    #[must_use]
    pub fn accepting(self, accepts: Accepts) -> Self {
        PointRing { accepts: Some(accepts), ..self }
    }

    /// The segments where a point itself belongs to what follows it; `last` is the last digest.
    fn segments_after(&self, last: u64) -> Vec<(u64, Slot)> {
        let mut segments: Vec<(u64, Slot)> = Vec::with_capacity(self.table.len() + 1);
        for at in 0..self.table.len() {
            let Some(end) = self.table.point(at).checked_sub(1) else { continue };
            if segments.last().is_none_or(|(before, _)| *before != end) {
                segments.push((end, self.table.owner(at)));
            }
        }
        segments.push((last, self.table.owner(0)));
        segments
    }

    /// The point that a digest belongs to.
    fn point(&self, digest: u64) -> usize {
        self.table.find(self.from(digest).unwrap_or(0))
    }

    /// Where to look for the first point at or after; None past the end of the digests.
    fn from(&self, digest: u64) -> Option<u64> {
        match self.successor {
            Successor::AtOrAfter => Some(digest),
            Successor::After => {
                let last = u64::MAX >> (64 - self.column[0].bits());
                (digest < last).then(|| digest + 1)
            }
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
            Successor::After => {
                for (slot, &digest) in out.iter_mut().zip(digests) {
                    *slot = self.table.owner(self.point(digest));
                }
            }
        }
        refuse(batch, self.accepts, out);
    }

    fn ownership(&self) -> Option<Ownership> {
        let bits = self.column[0].bits();
        let segments = match self.successor {
            Successor::AtOrAfter => self.table.segments(),
            Successor::After => self.segments_after(u64::MAX >> (64 - bits)),
        };
        Some(Ownership::Segments { bits, segments })
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
            let at = self.point(digest);
            let what = match self.successor {
                Successor::AtOrAfter => "first point at or after it, going round",
                Successor::After => "first point after it, going round",
            };
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
