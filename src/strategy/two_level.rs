//! Two-level: the number of a database and the number of a table in it, both from one digest.
//!
//! # Idea
//! Thirty-two databases of thirty-two tables look like 1024 cells. But if both numbers are remainders of
//! the same digest, database 5 only ever fills its table 5: of the 1024 cells lcm(32, 32) = 32 are
//! reachable. The table's number must come from what the database's number left over.
//!
//! # Source
//! Common practice with sharding middleware: Apache ShardingSphere, database and table sharding
//! strategies, <https://shardingsphere.apache.org/document/current/en/features/sharding/concept/>; the
//! defect follows from the Chinese remainder theorem.
//!
//! # Cost
//! Look-up O(1). Change O(cells). Bytes: 4 a cell.
//!
//! # Choices made where the source is silent
//! - x is the digest, D and T the numbers of databases and tables. `split = "quotient"`: database x mod D,
//!   table ⌊x/D⌋ mod T. `same`: x mod D and x mod T. `block`: table x mod T, database ⌊x/T⌋ mod D.
//! - A node holds cells. Cell database·T + table is dealt out in runs in node order, as in
//!   [`super::bucket_table`], and a change moves the fewest cells. So with D nodes every node is a
//!   database, with D·T nodes every node is one cell, which shows the cells that nothing reaches.
//! - Cells that cannot be reached count like others when they are dealt out: nobody knows.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::bucket_table::{enough_digests, equally_likely};
use super::quota::{self, Layout, MAX_BUCKETS};
use super::support::{digest_step, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Ownership, Placement, Slot,
    StrategyInfo, Weights,
};
use crate::cluster::Change;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "two-level",
    title: "Database × table",
    summary: "a database's and a table's number from one digest; when both are remainders of it most tables stay empty",
    source: "Apache ShardingSphere, https://shardingsphere.apache.org/document/current/en/features/sharding/concept/",
    checked: "counts of cells over whole periods of x, by division; the reachable cells",
    caps: Caps { weights: Weights::Rounded, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "databases",
            Type::Int { min: 1, max: 2048 },
            Default::Int(32),
            "number of databases",
        ),
        Param::new(
            "tables",
            Type::Int { min: 1, max: 2048 },
            Default::Int(32),
            "tables a database",
        ),
        Param::new(
            "split",
            Type::Choice(&["quotient", "same", "block"]),
            Default::Text("quotient"),
            "the two numbers from one digest x: `quotient` x mod D and (x / D) mod T, `same` x mod D and \
             x mod T, `block` (x / T) mod D and x mod T",
        ),
    ],
    cost: Cost { lookup: "O(1)", change: "O(cells)", bytes: "4 · cells" },
    build: |build| Ok(Box::new(TwoLevel::new(build)?)),
};

/// How one digest gives two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Split {
    Quotient,
    Same,
    Block,
}

#[derive(Debug, Clone)]
struct TwoLevel {
    columns: [ColumnSpec; 1],
    split: Split,
    databases: u64,
    tables: u64,
    /// By cell, database × tables + table.
    owners: Vec<Slot>,
}

impl TwoLevel {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let [databases, tables] = ["databases", "tables"].map(|n| build.params.int(n) as u64);
        let cells = databases * tables;
        // Each is at most 2048, so their product is at most the limit of any bucket table.
        assert!(cells <= MAX_BUCKETS as u64, "{cells} cells");
        enough_digests(&column, cells)?;
        let split = match build.params.text("split") {
            "quotient" => Split::Quotient,
            "same" => Split::Same,
            "block" => Split::Block,
            other => unreachable!("`{other}` is not among the choices of `split`"),
        };
        let owners = quota::allot(cells as u32, build.cluster, Layout::Contiguous)?;
        Ok(TwoLevel { columns: [column], split, databases, tables, owners })
    }

    /// Database and table.
    #[inline]
    fn numbers(&self, x: u64) -> (u64, u64) {
        let (databases, tables) = (self.databases, self.tables);
        match self.split {
            Split::Quotient => (x % databases, x / databases % tables),
            Split::Same => (x % databases, x % tables),
            Split::Block => (x / tables % databases, x % tables),
        }
    }

    #[inline]
    fn owner(&self, x: u64) -> Slot {
        let (database, table) = self.numbers(x);
        self.owners[(database * self.tables + table) as usize]
    }

    /// How many cells some digest reaches.
    fn reachable(&self) -> u64 {
        let (mut a, mut b) = (self.databases, self.tables);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        let cells = self.databases * self.tables;
        if self.split == Split::Same { cells / a } else { cells }
    }
}

impl Placement for TwoLevel {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = self.owner(digest);
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        quota::evolved(&self.owners, change, after.cluster, |owners| TwoLevel {
            owners,
            ..self.clone()
        })
    }

    /// Both numbers follow from the remainder by D·T: its values are the buckets, not the cells.
    fn ownership(&self) -> Option<Ownership> {
        let cells = self.owners.len() as u64;
        equally_likely(&self.columns[0], cells)
            .then(|| Ownership::Buckets((0..cells).map(|x| self.owner(x)).collect()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let (database, table) = self.numbers(digest);
        let reached = format!("{} of {} reachable", self.reachable(), self.owners.len());
        let steps = vec![
            digest_step(&self.columns[0], key, digest),
            step(format!("database, of {}", self.databases), database),
            step(format!("table, of {}", self.tables), table),
            step("cell", format!("{} ({reached})", database * self.tables + table)),
        ];
        Explanation { steps, slot: self.owner(digest) }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.owners.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{equal, text, with_build};
    use super::*;
    use crate::keys::KeyKind;
    use crate::params::Value;
    use std::collections::BTreeSet;

    fn placed(nodes: usize, databases: i64, tables: i64, split: &str) -> TwoLevel {
        let given = [
            ("databases", Value::Int(databases)),
            ("tables", Value::Int(tables)),
            ("split", text(split)),
        ];
        with_build(&INFO, &equal(nodes), KeyKind::Text, &given, |b| TwoLevel::new(b).unwrap())
    }

    #[test]
    fn one_remainder_twice_reaches_32_of_1024_cells() {
        let cells = |split| {
            let placement = placed(1024, 32, 32, split);
            let cells: BTreeSet<u32> = (0..4096).map(|x| placement.owner(x).0).collect();
            assert_eq!(cells.len() as u64, placement.reachable());
            cells
        };
        let want: BTreeSet<u32> = (0..32).map(|i| 33 * i).collect();
        assert_eq!(cells("same"), want);
        assert_eq!((cells("quotient").len(), cells("block").len()), (1024, 1024));
    }

    #[test]
    fn reachable_cells_are_those_of_a_whole_period() {
        for (databases, tables) in [(1, 1), (4, 6), (6, 4), (5, 7), (8, 32), (12, 18)] {
            for split in ["same", "quotient", "block"] {
                let placement = placed(1, databases, tables, split);
                let period = (databases * tables) as u64;
                let mut counts = vec![0; period as usize];
                for x in 0..3 * period {
                    let (database, table) = placement.numbers(x);
                    assert!(database < databases as u64 && table < tables as u64);
                    counts[(database * tables as u64 + table) as usize] += 1;
                }
                counts.retain(|c| *c > 0);
                assert_eq!(counts.len() as u64, placement.reachable());
                assert!(counts.iter().all(|c| *c == counts[0]), "{split} {databases} × {tables}");
            }
        }
    }

    #[test]
    fn nodes_as_databases_hold_equal_shares_whatever_the_split() {
        for split in ["same", "quotient", "block"] {
            let placement = placed(32, 32, 32, split);
            let shares = placement.ownership().unwrap().shares(52);
            assert_eq!(shares[..32], [1.0 / 32.0; 32], "{split}");
            for x in [0, 5, 31, 32, 1023, u64::MAX] {
                let database = placement.numbers(x).0 as u32;
                assert_eq!(placement.owner(x), Slot(database), "{split}");
            }
        }
    }
}
