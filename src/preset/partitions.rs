//! Systems that number partitions: digest → partition by the system's rule, partition → node by a
//! table.

use std::fmt;

use super::owners::Owners;
use super::points::{Accepts, refuse};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::{self, Half};
use crate::keys::view::View;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind};
use crate::params::{Default, Param, Type};
use crate::strategy::support::{digest_step, step};
use crate::strategy::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
};

/// `partitions`: how many there are.
pub const PARTITIONS: Param = Param::new(
    "partitions",
    Type::Int { min: 1, max: i32::MAX as i64 },
    Default::Absent,
    "number of partitions, dealt out to the nodes in turn; a change moves the fewest. Absent: as \
     many as there are nodes, partition i on node i, and a change renumbers them",
);

/// `partitions` of a system that has a number of its own.
pub const fn usually(number: i64, largest: i64) -> Param {
    Param::new(
        "partitions",
        Type::Int { min: 1, max: largest },
        Default::Int(number),
        "number of partitions, dealt out to the nodes in turn; a change moves the fewest",
    )
}

/// `type` of integer keys.
pub const INTEGER_TYPE: Param = Param::new(
    "type",
    Type::Choice(&["bigint", "int"]),
    Default::Text("bigint"),
    "type of integer keys: `bigint` has 64 bits, `int` 32; what does not fit is refused",
);

/// `type` of integer keys in Java.
pub const JAVA_INTEGER: Param = Param::new(
    "type",
    Type::Choice(&["long", "int"]),
    Default::Text("long"),
    "type of integer keys: `long` (Long) or `int` (Integer); what does not fit is refused",
);

/// Which integer keys fit the type that `type` names.
pub fn fitting(build: &Build<'_>) -> AcceptsIntegers {
    if build.params.text("type") == "int" { fits_i32 } else { fits_i64 }
}

/// Keys that are Java strings, longs or ints.
pub const JAVA_KINDS: &[KeyKind] = &[KeyKind::Text, KeyKind::I64, KeyKind::U64];

/// The number of partitions that a preset is asked for: its parameter, or one a node.
pub fn count(build: &Build<'_>) -> u32 {
    let asked = build.params.get("partitions").map(|_| build.params.int("partitions") as u32);
    asked.unwrap_or(build.cluster.nodes.len() as u32)
}

/// Facts of a system whose client numbers the partitions, and whose operator says how many there are.
pub const fn numbered(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    source: &'static str,
    params: &'static [Param],
    build: fn(&Build<'_>) -> Result<Box<dyn Placement>, Error>,
) -> StrategyInfo {
    StrategyInfo {
        name,
        title,
        summary,
        source,
        // Every preset says so itself.
        checked: "",
        caps: Caps { positional: true, ..Caps::NONE },
        movement: Movement::Full,
        history: History::Dependent,
        order: Order::Dependent,
        params,
        cost: Cost { lookup: "O(1)", change: "O(partitions)", bytes: "4 · partitions" },
        build,
    }
}

/// Facts of a system that moves whole partitions of a fixed number between its members.
pub const fn dealt(info: StrategyInfo) -> StrategyInfo {
    let caps = Caps { positional: false, ..info.caps };
    StrategyInfo { caps, movement: Movement::Minimal, ..info }
}

/// A column of a hasher under a seed over a view.
pub fn column(hasher: &str, view: &str, seed: u64) -> Result<ColumnSpec, Error> {
    Ok(ColumnSpec { view: View::parse(view)?, hasher: hash::find(hasher)?, seed, half: Half::High })
}

/// Refuses a kind of keys that the system, as far as it was recorded, does not take.
pub fn takes(build: &Build<'_>, kinds: &[KeyKind], why: &str) -> Result<(), Error> {
    if kinds.contains(&build.keys) {
        return Ok(());
    }
    let kind = build.keys;
    Err(Error::unsupported(format!("it does not take {kind} keys: {why}")))
}

/// Whether an integer key has a signed 32-bit value.
pub fn fits_i32(key: i128) -> bool {
    i32::try_from(key).is_ok()
}

/// Whether an integer key has a signed 64-bit value.
pub fn fits_i64(key: i128) -> bool {
    i64::try_from(key).is_ok()
}

/// Java's `Math.floorMod(h, n)`.
#[inline]
pub fn floor_mod(h: i32, n: u32) -> u32 {
    i64::from(h).rem_euclid(n.into()) as u32
}

/// Which integer keys a system takes, where it refuses some.
pub type AcceptsIntegers = fn(i128) -> bool;

/// A numbering of partitions by `number`, which takes one digest a column; what is no number of a
/// partition (negative, say) it gives as [`NONE`], and the key is misrouted.
pub struct Partitioned<const N: usize, F> {
    columns: [ColumnSpec; N],
    number: F,
    owners: Owners,
    accepts: Option<Accepts>,
    accepts_integers: Option<AcceptsIntegers>,
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
        let owners = match build.params.get("partitions") {
            Some(_) => Owners::dealt(build, count(build), "partitions")?,
            None => Owners::nodes(build, "partitions")?,
        };
        Ok(Self::with(owners, columns, number))
    }

    /// Partitions with these owners.
    pub fn with(owners: Owners, columns: [ColumnSpec; N], number: F) -> Self {
        Partitioned { columns, number, owners, accepts: None, accepts_integers: None }
    }

    /// The same numbering of a system that refuses some texts.
    #[must_use]
    pub fn accepting(self, accepts: Accepts) -> Self {
        Partitioned { accepts: Some(accepts), ..self }
    }

    /// The same numbering of a system that refuses some integers.
    #[must_use]
    pub fn accepting_integers(self, accepts: AcceptsIntegers) -> Self {
        Partitioned { accepts_integers: Some(accepts), ..self }
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
        if batch.kind().is_integer() {
            refuse_integers(batch, self.accepts_integers, out);
        } else {
            refuse(batch, self.accepts, out);
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        Some(self.owners.evolve(change, after)?.map(|owners| {
            Box::new(Partitioned {
                columns: self.columns.clone(),
                number: self.number.clone(),
                owners,
                accepts: self.accepts,
                accepts_integers: self.accepts_integers,
            }) as Box<dyn Placement>
        }))
    }

    fn bucket_owners(&self) -> Option<&[Slot]> {
        self.owners.dealt_out()
    }

    fn place_buckets(&self, batch: &KeyBatch, out: &mut [u32]) {
        let columns = self.columns.each_ref().map(|column| batch.digests(column));
        for (row, out) in out.iter_mut().enumerate() {
            *out = (self.number)(columns.map(|digests| digests[row]));
        }
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
            steps.push(step(format!("partition of {}", self.owners.count()), shown));
        }
        Explanation { steps, slot: out[0] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.entries()
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.owners.entries()
    }
}

/// Marks the integer keys that a system refuses.
fn refuse_integers(batch: &KeyBatch, accepts: Option<AcceptsIntegers>, out: &mut [Slot]) {
    let Some(accepts) = accepts else { return };
    let signed = batch.kind() == KeyKind::I64;
    for (slot, &bits) in out.iter_mut().zip(&batch.ints) {
        let key = if signed { i128::from(bits as i64) } else { i128::from(bits) };
        if !accepts(key) {
            *slot = Slot::REFUSED;
        }
    }
}
