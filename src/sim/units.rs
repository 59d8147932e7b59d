//! The units of a migration: what moves as a whole between two placements, and how many keys and
//! requests each has, counted in one pass over the rows. Of a key's copies the first counts, as for
//! movement; keys that no node has are nobody's rows.

use super::Progress;
use super::input::Input;
use super::plan::{Plan, Routed};
use super::replay::place;
use super::scan::scan;
use crate::error::Error;
use crate::keys::KeyBatch;
use crate::strategy::{Ownership, Placement, Slot};

/// Most units, those that stay counted by node.
const MOST_UNITS: usize = 1 << 20;

/// What is moved as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum UnitKind {
    /// A bucket of a two-step placement.
    Bucket,
    /// An arc of the digest space with one owner before and one after.
    Arc,
    /// All that goes from one node to another.
    Shard,
}

impl UnitKind {
    /// The kind of that name; only for names that the scenario's check has let through.
    pub fn named(name: &str) -> Self {
        match name {
            "bucket" => UnitKind::Bucket,
            "arc" => UnitKind::Arc,
            _ => UnitKind::Shard,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            UnitKind::Bucket => "bucket",
            UnitKind::Arc => "arc",
            UnitKind::Shard => "shard",
        }
    }
}

/// Two placements and what moves between them.
#[derive(Debug)]
pub struct Division {
    /// Index of the placement before, in [`Plan::routed`].
    pub before: usize,
    /// Index of the placement after.
    pub after: usize,
    /// What is moved as a whole.
    pub kind: UnitKind,
    /// One more than the largest node id.
    ids: usize,
    /// Last digest of each arc; empty for other kinds.
    ends: Vec<u64>,
    /// Owner before and after of each bucket or arc; empty for shards.
    owners: Vec<(Slot, Slot)>,
}

/// Keys and requests of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Rows.
    pub keys: u64,
    /// Requests.
    pub requests: u64,
}

/// A part of a division with its counts. Parts that stay are one for each node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// What it is called.
    pub name: String,
    /// Node before.
    pub from: usize,
    /// Node after.
    pub to: usize,
    /// What is in it.
    pub count: Count,
}

impl Division {
    /// Divides what lies between two placements.
    ///
    /// Errors: the strategy does not have such units; too many of them.
    pub fn new(
        plan: &Plan<'_>,
        (before, after): (usize, usize),
        kind: UnitKind,
        ids: usize,
    ) -> Result<Self, Error> {
        let [b, a] = [before, after].map(|routed| plan.routed[routed].placement.as_ref());
        if a.session().is_some() {
            return Err(Error::invalid("keys of a strategy with open requests have no home")
                .help("nothing can be migrated: leave out [migration] or the strategy"));
        }
        let (ends, owners) = match kind {
            UnitKind::Shard => (Vec::new(), Vec::new()),
            UnitKind::Bucket => (Vec::new(), buckets(b, a).ok_or_else(|| lacks(kind))?),
            UnitKind::Arc => arcs(b, a).ok_or_else(|| lacks(kind))?,
        };
        let parts = if kind == UnitKind::Shard { ids * ids } else { owners.len() };
        if parts > MOST_UNITS {
            return Err(Error::invalid(format!("the migration has {parts} {}s", kind.name()))
                .help(format!("at most {MOST_UNITS}: take another unit or fewer nodes"))
                .field("unit"));
        }
        Ok(Division { before, after, kind, ids, ends, owners })
    }

    /// Buckets or arcs that move; None for shards, which only the keys tell.
    pub fn moving(&self) -> Option<usize> {
        let moves = |(before, after): &&(Slot, Slot)| before != after;
        (self.kind != UnitKind::Shard).then(|| self.owners.iter().filter(moves).count())
    }

    fn slots(&self) -> usize {
        if self.kind == UnitKind::Shard { self.ids * self.ids } else { self.owners.len() }
    }

    /// The number of the part that a key lies in, given where it is placed.
    fn part(&self, from: usize, to: usize, bucket: u32, digest: u64) -> usize {
        match self.kind {
            UnitKind::Shard => from * self.ids + to,
            UnitKind::Bucket => bucket as usize,
            UnitKind::Arc => self.ends.partition_point(|&end| end < digest),
        }
    }

    /// The parts with their counts: for each node what stays on it, then what moves, in order.
    pub fn parts(&self, counts: &[Count]) -> Vec<Part> {
        let mut rest = vec![Count::default(); self.ids];
        let mut moving = Vec::new();
        for (i, &count) in counts.iter().enumerate() {
            let (from, to) = match self.kind {
                UnitKind::Shard => (i / self.ids, i % self.ids),
                _ => match (self.owners[i].0.node(), self.owners[i].1.node()) {
                    (Some(from), Some(to)) => (from.0 as usize, to.0 as usize),
                    _ => continue,
                },
            };
            if from == to {
                rest[from].keys += count.keys;
                rest[from].requests += count.requests;
            } else if self.kind != UnitKind::Shard || count != Count::default() {
                let name = match self.kind {
                    UnitKind::Shard => String::new(),
                    kind => format!("{} {i}", kind.name()),
                };
                moving.push(Part { name, from, to, count });
            }
        }
        let stays = |(node, count)| Part { name: String::new(), from: node, to: node, count };
        rest.into_iter().enumerate().map(stays).chain(moving).collect()
    }

    /// The index in [`Division::parts`] of the part that one key lies in.
    pub fn part_of(&self, plan: &Plan<'_>, batch: &KeyBatch) -> Option<(usize, usize, usize)> {
        let mut buffers = Buffers::default();
        buffers.fill(self, plan, batch);
        let (from, to) = buffers.nodes(0)?;
        Some((
            from,
            to,
            self.part(from, to, buffers.bucket(0), buffers.digest(self, plan, batch, 0)),
        ))
    }
}

fn lacks(kind: UnitKind) -> Error {
    let (what, who) = match kind {
        UnitKind::Bucket => (
            "the strategy has no buckets that outlive this change",
            "bucket-table, redis-slots, table and presets with fixed partitions have",
        ),
        _ => (
            "the strategy has no arcs that are comparable before and after this change",
            "ring and other strategies that cut the digest space into segments have",
        ),
    };
    Error::invalid(format!("`unit` is \"{}\", but {what}", kind.name()))
        .help(format!("{who}; every strategy has unit = \"shard\""))
        .field("unit")
}

/// Owners of buckets before and after, if both placements have the same buckets.
fn buckets(before: &dyn Placement, after: &dyn Placement) -> Option<Vec<(Slot, Slot)>> {
    let (b, a) = (before.bucket_owners()?, after.bucket_owners()?);
    let same = b.len() == a.len() && before.columns() == after.columns();
    same.then(|| b.iter().copied().zip(a.iter().copied()).collect())
}

/// Ends and owners of arcs.
type Arcs = (Vec<u64>, Vec<(Slot, Slot)>);

/// The digest space cut wherever the owner before or after changes.
fn arcs(before: &dyn Placement, after: &dyn Placement) -> Option<Arcs> {
    let (
        Ownership::Segments { bits: bits_b, segments: b },
        Ownership::Segments { bits, segments: a },
    ) = (before.ownership()?, after.ownership()?)
    else {
        return None;
    };
    if bits != bits_b || before.columns() != after.columns() || before.columns().len() != 1 {
        return None;
    }
    let (mut i, mut j) = (0, 0);
    let mut arcs = Arcs::default();
    while i < b.len() && j < a.len() {
        let end = b[i].0.min(a[j].0);
        let owners = (b[i].1, a[j].1);
        i += usize::from(b[i].0 == end);
        j += usize::from(a[j].0 == end);
        // Neighbours with the same owners are one arc.
        if arcs.1.last() == Some(&owners) {
            *arcs.0.last_mut().expect("ends go with owners") = end;
        } else {
            arcs.0.push(end);
            arcs.1.push(owners);
        }
    }
    Some(arcs)
}

/// One thread's slots of a batch.
#[derive(Debug, Default)]
struct Buffers {
    before: Vec<Slot>,
    after: Vec<Slot>,
    buckets: Vec<u32>,
    replicas: usize,
}

impl Buffers {
    fn fill(&mut self, division: &Division, plan: &Plan<'_>, batch: &KeyBatch) {
        let put = |routed: &Routed, slots: &mut Vec<Slot>| {
            place(routed.placement.as_ref(), &routed.down, routed.replicas, batch, slots);
        };
        let before = &plan.routed[division.before];
        put(before, &mut self.before);
        put(&plan.routed[division.after], &mut self.after);
        self.replicas = before.replicas;
        if division.kind == UnitKind::Bucket {
            self.buckets.resize(batch.len(), 0);
            before.placement.place_buckets(batch, &mut self.buckets);
        }
    }

    /// The nodes of a key before and after; None if it has none.
    fn nodes(&self, row: usize) -> Option<(usize, usize)> {
        let at = row * self.replicas;
        let (from, to) = (self.before[at].node()?, self.after[at].node()?);
        Some((from.0 as usize, to.0 as usize))
    }

    fn bucket(&self, row: usize) -> u32 {
        self.buckets.get(row).copied().unwrap_or(0)
    }

    fn digest(&self, division: &Division, plan: &Plan<'_>, batch: &KeyBatch, row: usize) -> u64 {
        match division.kind {
            UnitKind::Arc => {
                batch.digests(&plan.routed[division.before].placement.columns()[0])[row]
            }
            _ => 0,
        }
    }
}

/// Counts the keys and requests of every part of every division, in one pass.
pub fn count(
    input: &Input,
    plan: &Plan<'_>,
    divisions: &[Division],
    progress: &dyn Progress,
) -> Result<Vec<Vec<Count>>, Error> {
    let new = || {
        let counts: Vec<Vec<Count>> =
            divisions.iter().map(|d| vec![Count::default(); d.slots()]).collect();
        (counts, Buffers::default())
    };
    progress.begin("counting units", input.rows);
    let states = scan(input, &plan.columns(), progress, new, |(counts, buffers), batch| {
        for (division, counts) in divisions.iter().zip(counts) {
            buffers.fill(division, plan, batch);
            for row in 0..batch.len() {
                let Some((from, to)) = buffers.nodes(row) else { continue };
                let digest = buffers.digest(division, plan, batch, row);
                let count = &mut counts[division.part(from, to, buffers.bucket(row), digest)];
                count.keys += 1;
                count.requests += batch.requests.get(row).copied().unwrap_or(1);
            }
        }
    })?;
    let mut states = states.into_iter().map(|(counts, _)| counts);
    let mut sum = states.next().expect("a pool has at least one thread");
    for counts in states {
        for (sum, more) in sum.iter_mut().flatten().zip(counts.iter().flatten()) {
            sum.keys += more.keys;
            sum.requests += more.requests;
        }
    }
    Ok(sum)
}
