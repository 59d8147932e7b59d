//! Roster: the placement of strategies that give every node a bucket when it comes, take the bucket back
//! when it goes, and remember the order of both.

use std::fmt::Debug;

use super::support::{digest_step, mean_steps, step, turnover};
use super::{Build, Caps, Explanation, Placement, Slot};
use crate::cluster::{Change, NodeId};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};

/// What a roster can do.
pub const CAPS: Caps = Caps::NONE;

/// Most buckets: 64 MiB of tables.
const MAX_CAPACITY: i64 = 1 << 22;

/// `capacity`: how many buckets there can ever be.
pub const CAPACITY: Param = Param::new(
    "capacity",
    Type::Int { min: 1, max: MAX_CAPACITY },
    Default::Absent,
    "most nodes that there can ever be; twice the nodes of the first cluster if not given",
);

/// The `capacity` given, or twice the number of nodes.
pub fn capacity(build: &Build<'_>) -> u32 {
    let nodes = build.cluster.nodes.len() as u32;
    build.params.get("capacity").map_or((2 * nodes).max(2), |_| build.params.int("capacity") as u32)
}

/// Numbered buckets, of which some work.
pub trait Buckets: Clone + Debug + Send + Sync + 'static {
    /// What a step is, for explanations.
    const STEPS: &'static str;

    /// The working bucket of a digest and the steps taken; some bucket works.
    fn walk(&self, digest: u64) -> (u32, u32);

    /// Steps of a look-up; those of the walk, unless it makes more than it counts.
    fn steps(&self, digest: u64) -> u64 {
        u64::from(self.walk(digest).1)
    }

    /// A bucket begins to work: its number. None: there is none left.
    fn add(&mut self) -> Option<u32>;

    /// A working bucket ends to work.
    fn remove(&mut self, bucket: u32);

    /// Buckets that there can be without growing.
    fn capacity(&self) -> u32;

    /// Table entries × entry size.
    fn heap_bytes(&self) -> u64;
}

/// Buckets and who has which.
#[derive(Debug, Clone)]
pub struct Roster<B> {
    columns: [ColumnSpec; 1],
    buckets: B,
    /// By bucket; ABSENT where none works.
    slots: Vec<Slot>,
    working: usize,
}

impl<B: Buckets> Roster<B> {
    /// Gives every node of the cluster a bucket, in its order; `empty` holds none that works.
    ///
    /// # Errors
    /// `Unsupported` for more nodes than buckets, or a hasher that does not fit the keys.
    pub fn build(build: &Build<'_>, empty: B) -> Result<Box<dyn Placement>, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let mut roster =
            Roster { columns: [column], buckets: empty, slots: Vec::new(), working: 0 };
        build.cluster.nodes.iter().try_for_each(|node| roster.join(node.id))?;
        Ok(Box::new(roster))
    }

    fn join(&mut self, id: NodeId) -> Result<(), Error> {
        let Some(bucket) = self.buckets.add() else {
            let capacity = self.buckets.capacity();
            return Err(Error::unsupported(format!(
                "one node more than the {capacity} that `capacity` allows"
            ))
            .help("give a larger `capacity`: it is fixed for good")
            .field("capacity"));
        };
        let bucket = bucket as usize;
        if self.slots.len() <= bucket {
            self.slots.resize(bucket + 1, Slot::ABSENT);
        }
        self.slots[bucket] = id.into();
        self.working += 1;
        Ok(())
    }

    fn leave(&mut self, id: NodeId) {
        if let Some(bucket) = self.slots.iter().position(|slot| *slot == Slot::from(id)) {
            self.buckets.remove(bucket as u32);
            self.slots[bucket] = Slot::ABSENT;
            self.working -= 1;
        }
    }
}

impl<B: Buckets> Placement for Roster<B> {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        if self.working == 0 {
            return out.fill(Slot::ABSENT);
        }
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = self.slots[self.buckets.walk(digest).0 as usize];
        }
    }

    fn evolve(
        &self,
        change: &Change,
        _after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let turnover = turnover(change)?;
        let mut roster = self.clone();
        turnover.left.iter().for_each(|id| roster.leave(*id));
        let joined = turnover.joined.iter().try_for_each(|id| roster.join(*id));
        Some(joined.map(|()| Box::new(roster) as Box<dyn Placement>))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.working == 0 {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let (bucket, taken) = self.buckets.walk(digest);
        steps.push(step(B::STEPS, taken));
        steps.push(step(format!("bucket, of {} that work", self.working), bucket));
        Explanation { steps, slot: self.slots[bucket as usize] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.slots.len() as u64 + self.buckets.heap_bytes()
    }

    fn lookup_steps(&self) -> Option<f64> {
        if self.working == 0 {
            return None;
        }
        Some(mean_steps(&self.columns[0], |digest| self.buckets.steps(digest)))
    }

    fn points(&self) -> u64 {
        u64::from(self.buckets.capacity())
    }
}

/// A walk over snapshots, for tests: what anchor and memento mean without their tables.
#[cfg(test)]
pub mod oracle {
    use super::Buckets;
    use crate::hash::mix::{fmix64, splitmix64};

    /// The working buckets; and of each removed one its number, the working ones before its removal, and
    /// those left by it, where the last had taken its place.
    #[derive(Debug, Clone)]
    pub struct Snapshots {
        /// In the order of their places.
        pub working: Vec<u32>,
        /// In the order of their removals.
        pub removed: Vec<(u32, Vec<u32>, Vec<u32>)>,
    }

    impl Snapshots {
        /// So many buckets, all working.
        pub fn full(buckets: u32) -> Self {
            Snapshots { working: (0..buckets).collect(), removed: Vec::new() }
        }

        /// A bucket ends to work.
        pub fn remove(&mut self, bucket: u32) {
            let before = self.working.clone();
            let at = before.iter().position(|b| *b == bucket).unwrap();
            self.working.swap_remove(at);
            self.removed.push((bucket, before, self.working.clone()));
        }

        /// The bucket removed last works again.
        pub fn restore(&mut self) -> u32 {
            let (bucket, before, _) = self.removed.pop().unwrap();
            self.working = before;
            bucket
        }

        /// From a first bucket through what was left by each removal.
        pub fn walk(&self, digest: u64, first: u32) -> u32 {
            let mut at = first;
            while let Some((_, _, left)) = self.removed.iter().find(|r| r.0 == at) {
                let number = splitmix64(digest, 2 + u64::from(at));
                at = left[((u128::from(number) * left.len() as u128) >> 64) as usize];
            }
            at
        }
    }

    /// H_a − H_w: the mean number of removed buckets that a key meets when w of a work.
    pub fn harmonic(w: u32, a: u32) -> f64 {
        (w + 1..=a).map(|i| 1.0 / f64::from(i)).sum()
    }

    /// Removes and adds at random, but leaves those removed that are; after each change the buckets are
    /// asked for the same digests.
    pub fn check<B: Buckets>(mut buckets: B, mut snapshots: Snapshots, first: impl Fn(u64) -> u32) {
        let stay = snapshots.removed.len();
        for turn in 0..120 {
            let number = fmix64(turn + 1000);
            if !number.is_multiple_of(3) && snapshots.working.len() > 1 {
                let at = (number >> 8) as usize % snapshots.working.len();
                let bucket = snapshots.working[at];
                buckets.remove(bucket);
                snapshots.remove(bucket);
            } else if snapshots.removed.len() > stay {
                assert_eq!(buckets.add(), Some(snapshots.restore()));
            }
            for digest in (0..300).map(fmix64) {
                let want = snapshots.walk(digest, first(digest));
                assert_eq!(buckets.walk(digest).0, want, "turn {turn}, {digest:#x}");
            }
        }
    }
}
