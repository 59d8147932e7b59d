//! Bucket table: key → bucket by a fixed function, bucket → node by an explicit table.
//!
//! # Idea
//! The number of buckets is fixed for good, far above the number of nodes. A change of the cluster
//! re-assigns whole buckets, and only as many as the new shares need; keys never change bucket.
//!
//! # Source
//! Old practice under many names: virtual buckets (Couchbase, "vBuckets",
//! <https://docs.couchbase.com/server/current/learn/buckets-memory-and-storage/vbuckets.html>),
//! slots (Redis Cluster), pre-split shards; as a general scheme M. Stonebraker's fragments,
//! *The Case for Shared Nothing*, 1986.
//!
//! # Cost
//! Look-up O(1): one reduction and one load. Change O(buckets + n log n). Bytes: 4 a bucket.
//!
//! # Choices made where the source is silent
//! * Quotas by the largest remainder; a change moves the fewest buckets (`quota.rs`): whoever has too
//!   many gives the highest-numbered, receivers take in cluster order.
//! * `reduce = "multiply-shift"` takes ⌊digest × buckets ÷ 2^bits⌋, so that each bucket is a segment of
//!   the digest space; `modulo` is what most systems do.
//! * A cluster that was read from a map of buckets starts from that map; `layout` then does not apply.
//! * With more nodes than buckets some nodes own nothing; that is a result, not an error.
//! * More buckets than digests is unsupported, since some buckets could never be hit.
//!
//! # Checked against
//! What `INFO.checked` says.

use crate::cluster::{Change, Cluster};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};
use crate::strategy::quota::{self, Layout, MAX_BUCKETS};
use crate::strategy::support::column_text;
use crate::strategy::{
    Build, Caps, Cost, ExplainStep, Explanation, History, Movement, Order, Ownership, Placement,
    Slot, StrategyInfo, Weights,
};

/// Bucket table.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "bucket-table",
    title: "Bucket table",
    summary: "a fixed number of buckets by hash, and a table from bucket to node that moves the fewest buckets on a change",
    source: "vBuckets of Couchbase, slots of Redis Cluster; https://docs.couchbase.com/server/current/learn/buckets-memory-and-storage/vbuckets.html",
    checked: "half the L1 distance of the holdings at every step of random paths; a reduction in u128",
    caps: Caps { weights: Weights::Rounded, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "buckets",
            Type::Int { min: 1, max: MAX_BUCKETS },
            Default::Int(1024),
            "number of buckets, fixed for good",
        ),
        Param::new(
            "reduce",
            Type::Choice(&["modulo", "multiply-shift"]),
            Default::Text("modulo"),
            "how a digest becomes a bucket",
        ),
        Param::new(
            "layout",
            Type::Choice(&["contiguous", "round-robin"]),
            Default::Text("contiguous"),
            "how the first table deals the buckets out",
        ),
    ],
    cost: Cost { lookup: "O(1)", change: "O(buckets)", bytes: "4 · buckets" },
    build,
};

/// How a digest becomes a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reduce {
    /// digest mod 2^k
    Mask,
    /// digest mod buckets
    Modulo,
    /// ⌊digest × buckets ÷ 2^bits⌋
    MultiplyShift,
}

/// A table from bucket to node.
#[derive(Debug, Clone)]
struct BucketTable {
    columns: [ColumnSpec; 1],
    reduce: Reduce,
    /// Node of each bucket.
    owners: Vec<Slot>,
}

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let column = build.params.column();
    column.fits(build.keys)?;
    let buckets = build.params.int("buckets") as u32;
    let reduce = match build.params.text("reduce") {
        "multiply-shift" => Reduce::MultiplyShift,
        _ if buckets.is_power_of_two() => Reduce::Mask,
        _ => Reduce::Modulo,
    };
    let layout = match build.params.text("layout") {
        "round-robin" => Layout::RoundRobin,
        _ => Layout::Contiguous,
    };
    BucketTable::new(column, buckets, reduce, layout, build.cluster)
        .map(|table| Box::new(table) as Box<dyn Placement>)
}

impl BucketTable {
    fn new(
        column: ColumnSpec,
        buckets: u32,
        reduce: Reduce,
        layout: Layout,
        cluster: &Cluster,
    ) -> Result<Self, Error> {
        enough_digests(&column, u64::from(buckets))?;
        let owners = match &cluster.map {
            Some(map) if map.owners.len() == buckets as usize => map.slots(),
            Some(map) => {
                let have = map.owners.len();
                return Err(Error::invalid(format!(
                    "`buckets` is {buckets}, but the cluster's map has {have}"
                ))
                .help(format!("give buckets = {have}: the number of buckets is fixed for good"))
                .field("buckets"));
            }
            None => quota::allot(buckets, cluster, layout)?,
        };
        Ok(BucketTable { columns: [column], reduce, owners })
    }

    /// The bucket of one digest; `place` holds the same three formulas in three loops.
    fn bucket(&self, digest: u64) -> usize {
        let buckets = self.owners.len() as u64;
        match self.reduce {
            Reduce::Mask => (digest & (buckets - 1)) as usize,
            Reduce::Modulo => (digest % buckets) as usize,
            Reduce::MultiplyShift => multiply_shift(digest, buckets, self.columns[0].bits()),
        }
    }
}

/// ⌊digest × buckets ÷ 2^bits⌋, which is below `buckets` for every digest of that width.
#[inline]
fn multiply_shift(digest: u64, buckets: u64, bits: u32) -> usize {
    ((u128::from(digest) * u128::from(buckets)) >> bits) as usize
}

impl Placement for BucketTable {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        let owners = self.owners.as_slice();
        let buckets = owners.len() as u64;
        let bits = self.columns[0].bits();
        let each = out.iter_mut().zip(digests);
        match self.reduce {
            Reduce::Mask => each.for_each(|(o, d)| *o = owners[(d & (buckets - 1)) as usize]),
            // A 32-bit remainder takes half the time of a 64-bit one.
            Reduce::Modulo if bits <= 32 => {
                each.for_each(|(o, d)| *o = owners[(*d as u32 % buckets as u32) as usize]);
            }
            Reduce::Modulo => each.for_each(|(o, d)| *o = owners[(d % buckets) as usize]),
            Reduce::MultiplyShift => {
                each.for_each(|(o, d)| *o = owners[multiply_shift(*d, buckets, bits)]);
            }
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        quota::evolved(&self.owners, change, after.cluster, |owners| BucketTable {
            owners,
            ..self.clone()
        })
    }

    /// None where the digests are so few that buckets are not equally likely.
    fn ownership(&self) -> Option<Ownership> {
        let equal = equally_likely(&self.columns[0], self.owners.len() as u64);
        equal.then(|| Ownership::Buckets(self.owners.clone()))
    }

    fn bucket_owners(&self) -> Option<&[Slot]> {
        Some(&self.owners)
    }

    fn place_buckets(&self, batch: &KeyBatch, out: &mut [u32]) {
        for (out, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *out = self.bucket(digest) as u32;
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let bucket = self.bucket(digest);
        let (column, buckets) = (&self.columns[0], self.owners.len());
        let reduced = match self.reduce {
            Reduce::MultiplyShift => format!("digest × {buckets} ÷ 2^{}", column.bits()),
            Reduce::Mask | Reduce::Modulo => format!("digest mod {buckets}"),
        };
        Explanation {
            steps: vec![
                ExplainStep { what: column_text(column, key), value: digest.to_string() },
                ExplainStep { what: reduced, value: format!("bucket {bucket}") },
            ],
            slot: self.owners[bucket],
        }
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

/// Refuses more buckets than the column has digests: some could never be hit.
pub(super) fn enough_digests(column: &ColumnSpec, buckets: u64) -> Result<(), Error> {
    let digests = 1u128 << column.bits();
    if u128::from(buckets) <= digests {
        return Ok(());
    }
    let name = column.hasher.name;
    Err(Error::unsupported(format!(
        "{buckets} buckets, but hasher `{name}` gives only {digests} digests"
    ))
    .help("take fewer buckets or a wider hasher"))
}

/// Whether random digests hit all buckets equally often: exactly, or to 0.1 %, since bucket sizes
/// differ by one digest and there are 1024 digests a bucket or more.
pub(super) fn equally_likely(column: &ColumnSpec, buckets: u64) -> bool {
    let (digests, buckets) = (1u128 << column.bits(), u128::from(buckets));
    digests.is_multiple_of(buckets) || digests / buckets >= 1024
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{ChangeKind, Node, NodeId};
    use crate::error::ErrorKind;
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use crate::strategy::place_one;

    fn built(cluster: &Cluster, given: &[(&str, Value)]) -> Result<Box<dyn Placement>, Error> {
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let base = std::path::Path::new(".");
        build(&Build { cluster, params: &params, keys: KeyKind::Text, replicas: 1, base })
    }

    fn text(t: &str) -> Value {
        Value::Text(t.to_string())
    }

    fn owners(placement: &dyn Placement) -> Vec<Slot> {
        match placement.ownership() {
            Some(Ownership::Buckets(owners)) => owners,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn place_bucket_and_explain_agree_with_the_plain_formula() {
        let cluster = Cluster::numbered(7, "db{i}");
        for (hasher, bits) in [("murmur3-32", 32), ("xxh3-64", 64), ("crc16-xmodem", 16)] {
            for reduce in ["modulo", "multiply-shift"] {
                for buckets in [1u64, 64, 1000] {
                    let given = [
                        ("hasher", text(hasher)),
                        ("reduce", text(reduce)),
                        ("buckets", Value::Int(buckets as i64)),
                        ("layout", text("round-robin")),
                    ];
                    let table = built(&cluster, &given).unwrap();
                    assert_eq!(table.points(), buckets);
                    let mut seen = [false; 7];
                    for i in 0..200 {
                        let name = format!("user:{i}");
                        let key = Key::Text(&name);
                        let batch = KeyBatch::single(&key, table.columns());
                        let digest = u128::from(batch.digests(&table.columns()[0])[0]);
                        let bucket = match reduce {
                            "modulo" => digest % u128::from(buckets),
                            _ => digest * u128::from(buckets) / (1u128 << bits),
                        };
                        // Round robin over seven equal nodes.
                        let slot = place_one(&*table, &key);
                        assert_eq!(slot, Slot((bucket % 7) as u32), "{hasher} {reduce} {buckets}");
                        assert_eq!(table.explain(&key).slot, slot);
                        seen[slot.0 as usize] = true;
                    }
                    assert_eq!(seen.iter().all(|s| *s), buckets > 1);
                }
            }
        }
    }

    #[test]
    fn one_expansion_of_eight_by_128_moves_only_what_the_new_node_gets() {
        let mut cluster = Cluster::numbered(8, "db{i}");
        let before = built(&cluster, &[]).unwrap();
        cluster.nodes.push(Node::named(8, "db8"));
        cluster.ids = 9;
        let change = Change { kind: ChangeKind::Add(vec![NodeId(8)]), text: "add db8".into() };
        let params = Params::defaults(INFO.params).unwrap();
        let base = std::path::Path::new(".");
        let after =
            Build { cluster: &cluster, params: &params, keys: KeyKind::Text, replicas: 1, base };
        let evolved = before.evolve(&change, &after).unwrap().unwrap();
        let moved: Vec<Slot> = std::iter::zip(owners(&*before), owners(&*evolved))
            .filter(|(b, a)| b != a)
            .map(|(_, a)| a)
            .collect();
        assert_eq!(moved, [Slot(8); 113]);
        // A change to the strategy builds anew.
        let set = ChangeKind::Set(vec![("buckets".into(), Value::Int(512))]);
        assert!(before.evolve(&Change { kind: set, text: String::new() }, &after).is_none());
    }

    #[test]
    fn weights_are_honoured_to_the_bucket() {
        let mut cluster = Cluster::numbered(4, "db{i}");
        cluster.nodes[3].weight = 2.0;
        let table = built(&cluster, &[("buckets", Value::Int(1000))]).unwrap();
        let held = |i| owners(&*table).iter().filter(|o| **o == Slot(i)).count();
        assert_eq!([held(0), held(1), held(2), held(3)], [200, 200, 200, 400]);
    }

    #[test]
    fn what_it_cannot_do_is_unsupported() {
        let cluster = Cluster::numbered(4, "db{i}");
        let given = [("hasher", text("crc16-xmodem")), ("buckets", Value::Int(1 << 17))];
        let error = built(&cluster, &given).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
        assert!(error.message.contains("only 65536 digests"), "{error}");
        assert_eq!(
            built(&cluster, &[("hasher", text("identity"))]).unwrap_err().kind,
            ErrorKind::Unsupported
        );
        // 65.536 digests a bucket: some buckets are hit 1.5 % more often than others.
        let given = [("hasher", text("crc16-xmodem")), ("buckets", Value::Int(1000))];
        assert!(built(&cluster, &given).unwrap().ownership().is_none());
    }
}
