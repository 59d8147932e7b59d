//! Table: an explicit map from buckets or ranges to nodes, read from a file.
//!
//! # Idea
//! Operations decide who owns what and write it down. Nothing is computed; nothing moves unless the
//! file says so.
//!
//! # Source
//! Directory-based sharding, e.g. vindexes with a look-up table of Vitess
//! (<https://vitess.io/docs/reference/features/vindexes/>) and the chunk map of MongoDB's config servers.
//!
//! # Cost
//! Look-up O(1) by bucket, O(log rows) by range. Change O(rows). Bytes: 4 a bucket; 36 a range of
//! numbers; 4 and the bounds' bytes a range of texts.
//!
//! # Choices made where the source is silent
//! * The file is a CSV with a header: `bucket,node` (hash mod number of rows) or `from,to,node` (half-open;
//!   an empty `from` or `to` has no bound on that side). Further columns are ignored, rows stand in any order.
//! * Buckets must be 0 … n−1, each once. Ranges must not overlap; keys in no range are ABSENT.
//! * Every name must be a node of step 0. The map stays as it is on a change: keys of a node that left are
//!   ABSENT, a node that joins gets nothing, and one that comes back owns what it owned.
//! * The file fixes what each node owns, so weights do not apply. Names are only looked up; where trials
//!   rename nodes the file would not fit, so the strategy does not count as one that depends on names.
//!
//! # Checked against
//! What `INFO.checked` says.

mod file;
mod ranges;

use std::sync::Arc;

use crate::cluster::{Change, ChangeKind, Cluster, OnFail};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind, KeyRange};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};
use crate::strategy::bucket_table::{enough_digests, equally_likely};
use crate::strategy::support::{column_text, halvings};
use crate::strategy::{
    Build, Caps, Cost, ExplainStep, Explanation, History, Movement, Order, Ownership, Placement,
    Slot, StrategyInfo, Weights, distinct,
};
use ranges::Ranges;

/// Table.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "table",
    title: "Table",
    summary: "an explicit map from buckets or ranges to nodes, read from a CSV file",
    source: "directory-based sharding, e.g. https://vitess.io/docs/reference/features/vindexes/",
    checked: "linear scans over the rows",
    caps: Caps { weights: Weights::Fixed, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "by",
            Type::Choice(&["bucket", "range"]),
            Default::Text("bucket"),
            "what the file maps: buckets of the hash, or ranges of the key itself",
        ),
        Param::new(
            "file",
            Type::File,
            Default::Required,
            "CSV file with the columns bucket,node or from,to,node",
        ),
    ],
    cost: Cost {
        lookup: "O(1) or O(log rows)", change: "O(rows)", bytes: "4 · rows or 36 · rows"
    },
    build,
};

/// What the file maps.
#[derive(Debug, Clone)]
enum Map {
    /// Bucket = digest mod number of rows.
    Buckets([ColumnSpec; 1]),
    /// Ranges of the key itself.
    Ranges(Ranges),
}

/// The rows and who owns them at this step.
#[derive(Debug, Clone)]
struct Table {
    map: Map,
    /// Names that the file uses.
    names: Vec<Arc<str>>,
    /// Index into `names` for each row: bucket, or range in ascending order.
    rows: Vec<u32>,
    /// The same resolved; ABSENT where the node is not a member now.
    owners: Vec<Slot>,
}

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let given = build.params.text("file");
    let path = build.base.join(given);
    let of_file = |error: Error| error.field("file");
    let (map, names, rows) = match build.params.text("by") {
        "range" => {
            let integer = match build.keys {
                KeyKind::Text | KeyKind::Bytes => false,
                KeyKind::I64 | KeyKind::U64 => true,
                KeyKind::Uuid => {
                    return Err(Error::unsupported("ranges compare integers or texts, not UUIDs")
                        .help("take by = \"bucket\", or a key pattern with integer or text keys"));
                }
            };
            let (names, rows) = file::ranges(&path, given, build.cluster).map_err(of_file)?;
            let (ranges, rows) = Ranges::new(rows, integer, given).map_err(of_file)?;
            (Map::Ranges(ranges), names, rows)
        }
        _ => {
            let column = build.params.column();
            column.fits(build.keys)?;
            let (names, rows) = file::buckets(&path, given, build.cluster).map_err(of_file)?;
            enough_digests(&column, rows.len() as u64)?;
            (Map::Buckets([column]), names, rows)
        }
    };
    let owners = resolve(&names, &rows, build.cluster);
    Ok(Box::new(Table { map, names, rows, owners }))
}

/// The member of each row's name, or ABSENT.
fn resolve(names: &[Arc<str>], rows: &[u32], cluster: &Cluster) -> Vec<Slot> {
    let slot = |name: &Arc<str>| {
        let node = cluster.nodes.iter().find(|n| n.name == *name);
        node.map_or(Slot::ABSENT, |n| n.id.into())
    };
    let slots: Vec<Slot> = names.iter().map(slot).collect();
    rows.iter().map(|&row| slots[row as usize]).collect()
}

impl Placement for Table {
    fn columns(&self) -> &[ColumnSpec] {
        match &self.map {
            Map::Buckets(columns) => columns,
            Map::Ranges(_) => &[],
        }
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        match &self.map {
            Map::Buckets([column]) => {
                let buckets = self.owners.len() as u64;
                for (out, digest) in out.iter_mut().zip(batch.digests(column)) {
                    *out = self.owners[(digest % buckets) as usize];
                }
            }
            Map::Ranges(ranges) => {
                for (i, out) in out.iter_mut().enumerate() {
                    *out = ranges.find(batch, i).map_or(Slot::ABSENT, |row| self.owners[row]);
                }
            }
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let owners = match &change.kind {
            ChangeKind::Set(_) | ChangeKind::Switch(_) | ChangeKind::Assign(_) => return None,
            ChangeKind::Fail(_, OnFail::Unavailable) => self.owners.clone(),
            _ => resolve(&self.names, &self.rows, after.cluster),
        };
        Some(Ok(Box::new(Table { owners, ..self.clone() })))
    }

    fn ownership(&self) -> Option<Ownership> {
        match &self.map {
            Map::Buckets([column]) => equally_likely(column, self.owners.len() as u64)
                .then(|| Ownership::Buckets(self.owners.clone())),
            Map::Ranges(_) => None,
        }
    }

    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        let Map::Ranges(ranges) = &self.map else { return None };
        Some(distinct(self.owners[ranges.within(range)?].iter().copied()))
    }

    fn bucket_owners(&self) -> Option<&[Slot]> {
        matches!(self.map, Map::Buckets(_)).then_some(&self.owners)
    }

    fn place_buckets(&self, batch: &KeyBatch, out: &mut [u32]) {
        let Map::Buckets([column]) = &self.map else {
            unreachable!("asked only of placements that have buckets")
        };
        let buckets = self.owners.len() as u64;
        for (out, &digest) in out.iter_mut().zip(batch.digests(column)) {
            *out = (digest % buckets) as u32;
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, self.columns());
        let (mut steps, row) = match &self.map {
            Map::Buckets([column]) => {
                let digest = batch.digests(column)[0];
                let buckets = self.owners.len() as u64;
                let row = (digest % buckets) as usize;
                let steps = vec![
                    ExplainStep { what: column_text(column, key), value: digest.to_string() },
                    ExplainStep {
                        what: format!("digest mod {buckets}"),
                        value: format!("bucket {row}"),
                    },
                ];
                (steps, Some(row))
            }
            Map::Ranges(ranges) => {
                let row = ranges.find(&batch, 0);
                let value = row.map_or("in no range".to_string(), |row| ranges.show(row));
                (vec![ExplainStep { what: "range of the key".to_string(), value }], row)
            }
        };
        if let Some(row) = row {
            let name = &self.names[self.rows[row] as usize];
            let gone = if self.owners[row] == Slot::ABSENT { ", which has left" } else { "" };
            steps.push(ExplainStep {
                what: "node by the table".to_string(),
                value: format!("{name}{gone}"),
            });
        }
        Explanation { steps, slot: row.map_or(Slot::ABSENT, |row| self.owners[row]) }
    }

    fn heap_bytes(&self) -> u64 {
        let bounds = match &self.map {
            Map::Buckets(_) => 0,
            Map::Ranges(ranges) => ranges.heap_bytes(),
        };
        4 * self.owners.len() as u64 + bounds
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(match &self.map {
            Map::Buckets(_) => 1.0,
            Map::Ranges(_) => halvings(self.rows.len()),
        })
    }

    fn points(&self) -> u64 {
        self.owners.len() as u64
    }
}

#[cfg(test)]
mod tests;
