//! Strategies: families of placement algorithms.
//!
//! A strategy is static facts ([`StrategyInfo`]) and a `build` that makes a [`Placement`] for one
//! cluster. To add one: a file in the order header, INFO, struct, build, trait impl, helpers, tests,
//! and two lines here; the contract tests then run over it.

pub mod anchor;
pub mod auto_split;
pub mod binomial;
pub mod bound;
pub mod bounded_forward;
pub mod bounded_rendezvous;
pub mod bounded_ring;
pub mod bucket_table;
pub mod crush;
pub mod dx;
pub mod embedded_id;
pub mod fixed_ring;
pub mod flip;
pub mod hash_range;
pub mod isolated;
pub mod jump;
pub mod jumpback;
pub mod lookup_table;
pub mod maglev;
pub mod memento;
pub mod mixed;
pub mod modulo;
pub mod multi_probe;
pub mod numbered;
mod ownership;
pub mod positions;
pub mod power;
pub mod quota;
pub mod rack_aware;
pub mod range;
pub mod redis_slots;
pub mod remainder;
pub mod rendezvous;
pub mod ring;
pub mod roster;
pub mod spread;
pub mod straw2;
pub mod support;
pub mod table;
pub mod two_level;

use std::fmt::Debug;

use crate::cluster::{Change, Cluster, NodeId};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind, KeyRange};
use crate::params::{Param, Params};
use crate::preset;

/// Where a key lives: a node, or one of the reserved outcomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Slot(pub u32);

impl Slot {
    /// A negative or out-of-range shard number.
    pub const MISROUTED: Slot = Slot(u32::MAX);
    /// The system would refuse the key.
    pub const REFUSED: Slot = Slot(u32::MAX - 1);
    /// No range covers the key, its id cannot be parsed, or no live node is left.
    pub const ABSENT: Slot = Slot(u32::MAX - 2);
    /// Number of reserved outcomes.
    pub const OUTCOMES: usize = 3;

    /// The node, unless it is an outcome.
    #[inline]
    pub fn node(self) -> Option<NodeId> {
        (self.0 < u32::MAX - 2).then_some(NodeId(self.0))
    }

    /// Index into a tally of `ids` nodes followed by the outcomes misrouted, refused, absent.
    #[inline]
    pub fn index(self, ids: usize) -> usize {
        if (self.0 as usize) < ids { self.0 as usize } else { ids + (u32::MAX - self.0) as usize }
    }
}

impl From<NodeId> for Slot {
    fn from(id: NodeId) -> Self {
        Slot(id.0)
    }
}

/// Whether and how a strategy honours weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weights {
    /// Unequal weights are unsupported.
    Equal,
    /// Any weight, exactly in expectation.
    Exact,
    /// Any weight, rounded to a stated grain (points, table entries, buckets).
    Rounded,
    /// Weights do not apply: the scenario fixes what each node owns.
    Fixed,
}

/// What a strategy can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Unequal weights.
    pub weights: Weights,
    /// Whether it can name R distinct nodes for a key.
    pub replicas: bool,
    /// Whether the answer depends on the names of the nodes (and so varies over label sets).
    pub names: bool,
    /// Whether the answer depends on open requests; such strategies give a [`Session`].
    pub sessions: bool,
    /// Whether it needs integer keys.
    pub integer_keys: bool,
    /// Whether placement goes by the order of the nodes, so that `on-remove` applies.
    pub positional: bool,
}

impl Caps {
    /// Nothing beyond equal nodes by number: what a strategy's own facts start from.
    pub const NONE: Caps = Caps {
        weights: Weights::Equal,
        replicas: false,
        names: false,
        sessions: false,
        integer_keys: false,
        positional: false,
    };
}

/// How much moves when the cluster changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// Only keys of the nodes that change: to an added node, from a removed one.
    Minimal,
    /// Somewhat more, within a stated bound.
    Bounded,
    /// Up to everything.
    Full,
}

/// Whether a placement depends on how the cluster came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// No: the same cluster always gives the same placement.
    Free,
    /// Yes.
    Dependent,
}

/// Whether a placement depends on the order of the node list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// No.
    Free,
    /// Yes.
    Dependent,
}

/// Orders of growth, as the README table shows them.
#[derive(Debug, Clone, Copy)]
pub struct Cost {
    /// Of a look-up.
    pub lookup: &'static str,
    /// Of building the table after a change.
    pub change: &'static str,
    /// Of memory.
    pub bytes: &'static str,
}

/// Static facts of a strategy.
#[derive(Debug)]
pub struct StrategyInfo {
    /// Name in `[[strategy]] kind = "…"`.
    pub name: &'static str,
    /// Name in charts and tables.
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Authors, year, DOI or URL.
    pub source: &'static str,
    /// What its answers are checked against; of a preset the files of recorded outputs in
    /// `tests/vectors`, and columns of them that are not modelled.
    pub checked: &'static str,
    /// What it can do.
    pub caps: Caps,
    /// How much moves.
    pub movement: Movement,
    /// Whether history matters.
    pub history: History,
    /// Whether node order matters.
    pub order: Order,
    /// Declared parameters.
    pub params: &'static [Param],
    /// Costs.
    pub cost: Cost,
    /// Builds a placement.
    pub build: fn(&Build<'_>) -> Result<Box<dyn Placement>, Error>,
}

impl StrategyInfo {
    /// Builds a placement, once it is clear that the strategy can do what is asked.
    ///
    /// Errors: unsupported, with the reason; or a parameter that is wrong.
    pub fn place(&self, build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
        self.check(build)?;
        let placement = (self.build)(build)?;
        placement.columns().iter().try_for_each(|spec| spec.fits(build.keys))?;
        Ok(placement)
    }

    /// Whether the strategy can do what is asked of it by its own [`Caps`]; if not, why.
    pub fn check(&self, build: &Build<'_>) -> Result<(), Error> {
        let name = self.name;
        if self.caps.integer_keys && !build.keys.is_integer() {
            let kind = build.keys;
            return Err(Error::unsupported(format!(
                "{name} needs integer keys, this pattern gives {kind} keys"
            )));
        }
        if build.replicas > 1 && !self.caps.replicas {
            let asked = build.replicas;
            return Err(Error::unsupported(format!(
                "{name} names one node for a key, {asked} replicas are asked for"
            )));
        }
        if self.caps.weights == Weights::Equal && !build.cluster.is_unweighted() {
            return Err(Error::unsupported(format!(
                "{name} gives every node the same share: it has no weights"
            )));
        }
        Ok(())
    }
}

/// What a placement is built from.
#[derive(Debug, Clone, Copy)]
pub struct Build<'a> {
    /// The members, in order.
    pub cluster: &'a Cluster,
    /// Checked parameters of the strategy.
    pub params: &'a Params,
    /// Type of the keys.
    pub keys: KeyKind,
    /// Nodes per key, at least 1.
    pub replicas: usize,
    /// The folder that relative paths start from.
    pub base: &'a std::path::Path,
}

/// Exact ownership of the digest space.
#[derive(Debug, Clone, PartialEq)]
pub enum Ownership {
    /// Sorted segments over 0 ..= 2^bits − 1: (last digest of the segment, owner). The last segment
    /// ends at the last digest. Of what lies beyond the last point of a ring, the wrap-around
    /// segment carries the first owner again.
    Segments {
        /// Width of the digest space.
        bits: u32,
        /// Ends and owners.
        segments: Vec<(u64, Slot)>,
    },
    /// Owner of each of a number of equally likely buckets.
    Buckets(Vec<Slot>),
}

/// One line of the way from a key to its node.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainStep {
    /// What is computed, e.g. `murmur3-32("user:42")`.
    pub what: String,
    /// What comes out, e.g. `0x1f2e3d4c`.
    pub value: String,
}

/// The way from a key to its node in words and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// In the order in which the strategy takes them.
    pub steps: Vec<ExplainStep>,
    /// Where it ends.
    pub slot: Slot,
}

/// Where the keys live: a strategy built for one cluster.
pub trait Placement: Debug + Send + Sync {
    /// The digest columns it reads; shared between cells.
    fn columns(&self) -> &[ColumnSpec];

    /// Places every key of the batch: `out` is keys × replicas, key-major.
    fn place(&self, batch: &KeyBatch, out: &mut [Slot]);

    /// The placement after a change, when it depends on this one. None: build anew from the cluster.
    fn evolve(
        &self,
        _change: &Change,
        _after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        None
    }

    /// For strategies whose answer depends on open requests.
    fn session(&self) -> Option<Box<dyn Session>> {
        None
    }

    /// Where the digest in its one column alone decides a key's primary, whatever else the key is:
    /// the segments of that column, as in [`Ownership::Segments`]. Cells that have them are counted
    /// by segment, without a look-up for each key.
    fn segments(&self) -> Option<Vec<(u64, Slot)>> {
        None
    }

    /// Exact ownership, where it can be known without keys.
    fn ownership(&self) -> Option<Ownership> {
        let bits = self.columns().first()?.bits();
        self.segments().map(|segments| Ownership::Segments { bits, segments })
    }

    /// Where the keys of a range can live, as far as the order of the keys says so: every slot that one
    /// of them has is among these, in any order, none twice. None: the range says nothing, as behind a
    /// hash.
    fn owners(&self, _range: &KeyRange) -> Option<Vec<Slot>> {
        None
    }

    /// The owner of each bucket, where keys keep their bucket whatever becomes of the cluster: the
    /// middle layer of two-step placement.
    fn bucket_owners(&self) -> Option<&[Slot]> {
        None
    }

    /// The bucket of every key of the batch; only for placements that have [`Self::bucket_owners`].
    fn place_buckets(&self, _batch: &KeyBatch, _out: &mut [u32]) {
        unreachable!("asked only of placements that have buckets")
    }

    /// The way from key to node.
    fn explain(&self, key: &Key<'_>) -> Explanation;

    /// Table entries × stated entry size: no capacity, no pointers, the same on every platform.
    fn heap_bytes(&self) -> u64;

    /// Points on the ring, entries of the table, or buckets; 0 where there are none.
    fn points(&self) -> u64 {
        0
    }

    /// Points that lie on another point and so own nothing; None where there are no points of a ring.
    fn shared_points(&self) -> Option<u64> {
        None
    }

    /// Mean number of steps of a look-up, over evenly spread digests: points, entries or nodes that it
    /// reads, turns of the formula where there is no table; a digest is no step. Of strategies whose
    /// answer depends on open requests, the steps to a key's home. None where nobody counts them.
    fn lookup_steps(&self) -> Option<f64> {
        None
    }
}

/// Routes requests one at a time; each stays open.
pub trait Session: Send {
    /// Where the next request goes; `digests` holds one digest per column, in their order.
    fn route(&mut self, digests: &[u64]) -> Slot;
}

/// Two are the same when their names are.
impl PartialEq for StrategyInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All strategies, in the order of legends and lists.
pub static ALL: &[&StrategyInfo] = &[
    &modulo::INFO,
    &ring::INFO,
    &jump::INFO,
    &rendezvous::INFO,
    &maglev::INFO,
    &bucket_table::INFO,
    &bounded_ring::INFO,
    &redis_slots::INFO,
    &range::INFO,
    &embedded_id::INFO,
    &table::INFO,
    &multi_probe::INFO,
    &jumpback::INFO,
    &flip::INFO,
    &power::INFO,
    &binomial::INFO,
    &anchor::INFO,
    &dx::INFO,
    &memento::INFO,
    &hash_range::INFO,
    &auto_split::INFO,
    &fixed_ring::INFO,
    &straw2::INFO,
    &bounded_rendezvous::INFO,
    &bounded_forward::INFO,
    &two_level::INFO,
    &mixed::INFO,
    &lookup_table::INFO,
    &rack_aware::INFO,
];

/// The strategy of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static StrategyInfo, Error> {
    ALL.iter().copied().find(|s| s.name == name).ok_or_else(|| {
        let mut error = Error::unknown("strategy", name, ALL.iter().map(|s| s.name));
        if preset::ALL.iter().any(|p| p.strategy.name == name) {
            let hint = format!("`{name}` is a preset: `preset = \"{name}\"` or `--preset {name}`");
            error.help.insert(0, hint);
        }
        error
    })
}

/// Places one key: for `explain`, `route` and tests.
pub fn place_one(placement: &dyn Placement, key: &Key<'_>) -> Slot {
    let batch = KeyBatch::single(key, placement.columns());
    let mut out = vec![Slot::ABSENT; 1];
    placement.place(&batch, &mut out);
    out[0]
}

/// Where the keys of a range can live, as a router finds out: from the order of the keys, or from the
/// one digest that they have when hashers see only what all of them begin with. None: it must ask
/// every node.
pub fn owners_of(placement: &dyn Placement, range: &KeyRange) -> Option<Vec<Slot>> {
    if let Some(owners) = placement.owners(range) {
        return Some(owners);
    }
    let prefix = range.common_prefix();
    // A range may part a character.
    let prefix = match std::str::from_utf8(prefix) {
        Ok(prefix) => prefix,
        Err(error) => std::str::from_utf8(&prefix[..error.valid_up_to()]).expect("valid up to it"),
    };
    let columns = placement.columns();
    let fixed = columns.iter().all(|column| column.view.is_fixed_by(prefix.as_bytes()));
    (fixed && !columns.is_empty()).then(|| vec![place_one(placement, &Key::Text(prefix))])
}

/// Slots without repetition, in order.
fn distinct(slots: impl IntoIterator<Item = Slot>) -> Vec<Slot> {
    let mut slots: Vec<Slot> = slots.into_iter().collect();
    slots.sort_unstable();
    slots.dedup();
    slots
}

#[cfg(test)]
mod testing;
