//! Systems that number partitions: digest → partition by the system's rule, partition → node by a
//! table.

use std::fmt;

use super::points::{Accepts, refuse};
use crate::cluster::Change;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Params, Type};
use crate::strategy::quota::{self, Layout};
use crate::strategy::support::{digest_step, step};
use crate::strategy::{Build, Explanation, Placement, Slot};

/// Most partitions of one table.
const MAX_TABLE: u32 = 1_000_000;

/// `partitions`: how many there are.
pub const PARTITIONS: Param = Param::new(
    "partitions",
    Type::Int { min: 1, max: i32::MAX as i64 },
    Default::Absent,
    "number of partitions, dealt out to the nodes in turn; a change moves the fewest. Absent: as \
     many as there are nodes, partition i on node i, and a change renumbers them",
);

/// The number of partitions that a preset is asked for: its parameter, or one a node.
pub fn count(build: &Build<'_>) -> u32 {
    asked(build.params).unwrap_or(build.cluster.nodes.len() as u32)
}

fn asked(params: &Params) -> Option<u32> {
    params.get("partitions").map(|_| params.int("partitions") as u32)
}

/// Who has which partition.
#[derive(Debug, Clone)]
enum Owners {
    /// Partition i is node i; a change renumbers.
    Nodes(Vec<Slot>),
    /// A table that outlives changes.
    Table(Vec<Slot>),
    /// Nobody: what is asked for is the number itself. It stands in the slot.
    Numbers(u32),
}

impl Owners {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let nodes = &build.cluster.nodes;
        match asked(build.params) {
            None if nodes.is_empty() => {
                Err(Error::invalid("the number of partitions is not given")
                    .help("give `partitions`, or a cluster with a node for each"))
            }
            None => Ok(Owners::Nodes(nodes.iter().map(|n| n.id.into()).collect())),
            Some(partitions) if nodes.is_empty() => Ok(Owners::Numbers(partitions)),
            Some(partitions) if partitions > MAX_TABLE => {
                Err(Error::invalid(format!("{partitions} partitions"))
                    .help(format!("at most {MAX_TABLE} can be dealt out to nodes"))
                    .field("partitions"))
            }
            Some(partitions) => {
                quota::allot(partitions, build.cluster, Layout::RoundRobin).map(Owners::Table)
            }
        }
    }

    fn table(&self) -> &[Slot] {
        match self {
            Owners::Nodes(owners) | Owners::Table(owners) => owners,
            Owners::Numbers(_) => &[],
        }
    }

    #[inline]
    fn of(&self, partition: u32) -> Slot {
        match self {
            Owners::Nodes(owners) | Owners::Table(owners) => {
                owners.get(partition as usize).copied().unwrap_or(Slot::MISROUTED)
            }
            Owners::Numbers(count) if partition < *count => Slot(partition),
            Owners::Numbers(_) => Slot::MISROUTED,
        }
    }
}

/// A numbering of partitions by `number`, which takes one digest a column; what is no number of a
/// partition (negative, say) it gives as [`NONE`], and the key is misrouted.
pub struct Partitioned<const N: usize, F> {
    columns: [ColumnSpec; N],
    number: F,
    owners: Owners,
    accepts: Option<Accepts>,
}

/// No partition.
pub const NONE: u32 = u32::MAX;

impl<const N: usize, F> fmt::Debug for Partitioned<N, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partitioned").field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<const N: usize, F: Fn([u64; N]) -> u32 + Clone + Send + Sync + 'static> Partitioned<N, F> {
    /// Partitions 0 to [`count`]`(build)` − 1, numbered by `number`. In a cluster without nodes the
    /// slots are the numbers themselves.
    ///
    /// # Errors
    /// The number of partitions is unknown or too large for a table.
    pub fn new(build: &Build<'_>, columns: [ColumnSpec; N], number: F) -> Result<Self, Error> {
        Ok(Partitioned { columns, number, owners: Owners::new(build)?, accepts: None })
    }

    /// The same numbering of a system that refuses some keys; which, goes by their text.
    #[must_use]
    pub fn accepting(self, accepts: Accepts) -> Self {
        Partitioned { accepts: Some(accepts), ..self }
    }
}

impl<const N: usize, F> Placement for Partitioned<N, F>
where
    F: Fn([u64; N]) -> u32 + Clone + Send + Sync + 'static,
{
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let columns = self.columns.each_ref().map(|column| batch.digests(column));
        for (row, slot) in out.iter_mut().enumerate() {
            *slot = self.owners.of((self.number)(columns.map(|digests| digests[row])));
        }
        refuse(batch, self.accepts, out);
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let Owners::Table(owners) = &self.owners else { return None };
        Some(quota::evolve(owners, change, after.cluster)?.map(|owners| {
            Box::new(Partitioned {
                columns: self.columns.clone(),
                number: self.number.clone(),
                owners: Owners::Table(owners),
                accepts: self.accepts,
            }) as Box<dyn Placement>
        }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let digests = self.columns.each_ref().map(|column| batch.digests(column)[0]);
        let mut steps: Vec<_> =
            self.columns.iter().zip(digests).map(|(c, d)| digest_step(c, key, d)).collect();
        let mut out = [Slot::ABSENT];
        self.place(&batch, &mut out);
        if out[0] == Slot::REFUSED {
            steps.push(step("the system refuses the key", ""));
        } else {
            let partition = (self.number)(digests);
            let shown = if partition == NONE { "none".into() } else { partition.to_string() };
            steps.push(step("partition", shown));
        }
        Explanation { steps, slot: out[0] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.table().len() as u64
    }

    fn points(&self) -> u64 {
        self.owners.table().len() as u64
    }
}
