//! A table of servers that a digest indexes by its remainder.

use crate::cluster::Node;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::preset::points::{Accepts, refuse};
use crate::strategy::remainder::Remainder;
use crate::strategy::support::{digest_step, step};
use crate::strategy::{Build, Explanation, Ownership, Placement, Slot};

/// Most entries of one table: 80 MB.
pub const MAX_ENTRIES: u64 = 20_000_000;

/// digest mod entries → server.
#[derive(Debug)]
pub struct Entries {
    column: [ColumnSpec; 1],
    table: Vec<Slot>,
    by: Remainder,
    accepts: Option<Accepts>,
    nodes: Vec<Node>,
}

impl Entries {
    /// The table whose entries are the positions of nodes in the cluster.
    pub fn new(build: &Build<'_>, column: ColumnSpec, positions: Vec<usize>) -> Self {
        let nodes = build.cluster.nodes.clone();
        let mut table: Vec<Slot> = positions.into_iter().map(|at| nodes[at].id.into()).collect();
        if table.is_empty() {
            table.push(Slot::ABSENT);
        }
        let by = Remainder::new(table.len() as u32);
        Entries { column: [column], table, by, accepts: None, nodes }
    }

    /// The table in which every server stands as often as it weighs, one after the other. Where keys
    /// have `digests` different digests only, from 0 up, the table lists the server of each of them.
    ///
    /// # Errors
    /// Too many entries.
    pub fn by_weight(
        build: &Build<'_>,
        column: ColumnSpec,
        weights: &[u64],
        digests: Option<u32>,
    ) -> Result<Self, Error> {
        let total: u64 = weights.iter().sum();
        let length = digests.map_or(total, u64::from);
        check_entries(length)?;
        let mut ends = Vec::with_capacity(weights.len());
        for weight in weights {
            ends.push(ends.last().unwrap_or(&0) + weight);
        }
        let owner = |digest: u64| ends.partition_point(|&end| end <= digest % total);
        let positions = if total == 0 { Vec::new() } else { (0..length).map(owner).collect() };
        Ok(Self::new(build, column, positions))
    }

    /// The same table of a system that refuses some keys; which, goes by their text.
    #[must_use]
    pub fn accepting(self, accepts: Accepts) -> Self {
        Entries { accepts: Some(accepts), ..self }
    }

    /// The server of a digest.
    #[inline]
    pub fn of(&self, digest: u64) -> Slot {
        self.table[self.by.of(digest) as usize]
    }
}

/// Refuses a table that would not fit in memory; to be called before it is filled.
pub fn check_entries(entries: u64) -> Result<(), Error> {
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    Err(Error::invalid(format!("the table would have {entries} entries"))
        .help(format!("at most {MAX_ENTRIES}: take fewer nodes or smaller weights")))
}

impl Placement for Entries {
    fn columns(&self) -> &[ColumnSpec] {
        &self.column
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.column[0])) {
            *slot = self.of(digest);
        }
        refuse(batch, self.accepts, out);
    }

    fn ownership(&self) -> Option<Ownership> {
        Some(Ownership::Buckets(self.table.clone()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.column);
        let digest = batch.digests(&self.column[0])[0];
        let mut steps = vec![digest_step(&self.column[0], key, digest)];
        let mut out = [Slot::ABSENT];
        self.place(&batch, &mut out);
        if out[0] == Slot::REFUSED {
            steps.push(step("the system refuses the key", ""));
        } else {
            steps.push(step(format!("remainder by {}", self.by.divisor()), self.by.of(digest)));
            if let Some(node) = self.nodes.iter().find(|n| Slot::from(n.id) == out[0]) {
                steps.push(step("the server there", &node.name));
            }
        }
        Explanation { steps, slot: out[0] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.table.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.table.len() as u64
    }
}
