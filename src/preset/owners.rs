//! Which node has which partition.

use crate::cluster::{Change, Cluster};
use crate::error::Error;
use crate::strategy::quota::{self, Layout};
use crate::strategy::{Build, Slot};

/// Most partitions of one table.
const MAX_TABLE: u32 = 1_000_000;

/// Partition → node.
#[derive(Debug, Clone)]
pub enum Owners {
    /// Partition i is node i; a change renumbers.
    Nodes(Vec<Slot>),
    /// A table that outlives changes.
    Table(Vec<Slot>),
    /// Nobody: what is asked for is the number itself, below this. It stands in the slot.
    Numbers(u32),
}

impl Owners {
    /// A partition for each node. Without nodes, an error that names `param`, which would say how many
    /// there are.
    pub fn nodes(build: &Build<'_>, param: &str) -> Result<Self, Error> {
        let nodes = &build.cluster.nodes;
        if nodes.is_empty() {
            return Err(Error::invalid(format!("the number of {param} is not given"))
                .help(format!("give `{param}`, or a cluster with a node for each")));
        }
        Ok(Owners::Nodes(nodes.iter().map(|n| n.id.into()).collect()))
    }

    /// So many partitions, dealt out in turn; without nodes, their numbers.
    pub fn dealt(build: &Build<'_>, partitions: u32, param: &'static str) -> Result<Self, Error> {
        if build.cluster.nodes.is_empty() {
            return Ok(Owners::Numbers(partitions));
        }
        if partitions > MAX_TABLE {
            return Err(Error::invalid(format!("{partitions} {param}"))
                .help(format!("at most {MAX_TABLE} can be dealt out to nodes"))
                .field(param));
        }
        quota::allot(partitions, build.cluster, Layout::RoundRobin).map(Owners::Table)
    }

    /// The table that `first` gives for a cluster without a past; without nodes, the numbers.
    pub fn table(
        build: &Build<'_>,
        partitions: u32,
        first: impl FnOnce(&Cluster) -> Result<Vec<Slot>, Error>,
    ) -> Result<Self, Error> {
        if build.cluster.nodes.is_empty() {
            return Ok(Owners::Numbers(partitions));
        }
        first(build.cluster).map(Owners::Table)
    }

    /// How many partitions there are.
    pub fn count(&self) -> u32 {
        match self {
            Owners::Nodes(owners) | Owners::Table(owners) => owners.len() as u32,
            Owners::Numbers(count) => *count,
        }
    }

    /// The node of a partition; what is no number of a partition is misrouted.
    #[inline]
    pub fn of(&self, partition: u32) -> Slot {
        match self {
            Owners::Nodes(owners) | Owners::Table(owners) => {
                owners.get(partition as usize).copied().unwrap_or(Slot::MISROUTED)
            }
            Owners::Numbers(count) if partition < *count => Slot(partition),
            Owners::Numbers(_) => Slot::MISROUTED,
        }
    }

    /// The table after a change, with the fewest partitions moved. None: build anew.
    pub fn evolve(&self, change: &Change, after: &Build<'_>) -> Option<Result<Self, Error>> {
        let Owners::Table(owners) = self else { return None };
        Some(quota::evolve(owners, change, after.cluster)?.map(Owners::Table))
    }

    /// The node of each partition, where partitions outlive changes.
    pub fn dealt_out(&self) -> Option<&[Slot]> {
        match self {
            Owners::Table(owners) => Some(owners),
            Owners::Nodes(_) | Owners::Numbers(_) => None,
        }
    }

    /// Entries of the table.
    pub fn entries(&self) -> u64 {
        match self {
            Owners::Nodes(owners) | Owners::Table(owners) => owners.len() as u64,
            Owners::Numbers(_) => 0,
        }
    }
}
