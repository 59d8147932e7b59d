//! Numbered: the placement of strategies that are one formula, from a digest and a number of nodes to
//! a position. Which node stands there is the business of [`super::positions`].

use std::fmt::Debug;
use std::marker::PhantomData;

use super::positions::{ON_REMOVE, Positions};
use super::support::{digest_step, mean_steps, step};
use super::{Build, Caps, Explanation, Ownership, Placement, Slot};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::Input;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{HASH_SEED, HASHER, Param, VIEW};

/// What a numbering takes.
pub const PARAMS: &[Param] = &[HASHER, HASH_SEED, VIEW, ON_REMOVE];

/// What a numbering can do.
pub const CAPS: Caps = Caps { positional: true, ..Caps::NONE };

/// A formula from digests to positions.
pub trait Numbering: Debug + Send + Sync + 'static {
    /// What a step is, for explanations.
    const STEPS: &'static str;

    /// The position below `n`, which is not 0, of a digest of `bits` bits; and the steps taken.
    fn walk(digest: u64, bits: u32, n: u32) -> (u32, u32);

    /// Exact ownership, given the nodes at the positions: equal parts of all digests for a walk that
    /// draws from the digest. Integers that are not hashed need not be spread over all of them.
    fn ownership(column: &ColumnSpec, slots: &[Slot]) -> Option<Ownership> {
        (column.hasher.input != Input::Integer).then(|| Ownership::Buckets(slots.to_vec()))
    }
}

/// A numbering over the positions of one cluster.
#[derive(Debug)]
pub struct Numbered<N> {
    columns: [ColumnSpec; 1],
    positions: Positions,
    numbering: PhantomData<N>,
}

impl<N: Numbering> Numbered<N> {
    /// Builds it for the cluster's order.
    ///
    /// # Errors
    /// `Unsupported` when the hasher does not fit the keys.
    pub fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
        Self::at(build, Positions::new(build))
    }

    fn at(build: &Build<'_>, positions: Positions) -> Result<Box<dyn Placement>, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        Ok(Box::new(Numbered::<N> { columns: [column], positions, numbering: PhantomData }))
    }
}

impl<N: Numbering> Placement for Numbered<N> {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        if self.positions.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        let (slots, n) = (self.positions.slots(), self.positions.len());
        let bits = self.columns[0].bits();
        for (slot, &digest) in out.iter_mut().zip(batch.digests(&self.columns[0])) {
            *slot = slots[N::walk(digest, bits, n).0 as usize];
        }
    }

    fn evolve(
        &self,
        _change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let positions = self.positions.after(after)?;
        Some(positions.and_then(|positions| Self::at(after, positions)))
    }

    fn ownership(&self) -> Option<Ownership> {
        if self.positions.is_empty() {
            return None;
        }
        N::ownership(&self.columns[0], self.positions.slots())
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let digest = KeyBatch::single(key, &self.columns).digests(&self.columns[0])[0];
        let mut steps = vec![digest_step(&self.columns[0], key, digest)];
        if self.positions.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let n = self.positions.len();
        let (position, taken) = N::walk(digest, self.columns[0].bits(), n);
        steps.push(step(N::STEPS, taken));
        steps.push(step(format!("position below {n}"), position));
        Explanation { steps, slot: self.positions.slots()[position as usize] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * u64::from(self.positions.len())
    }

    fn lookup_steps(&self) -> Option<f64> {
        if self.positions.is_empty() {
            return None;
        }
        let (n, bits) = (self.positions.len(), self.columns[0].bits());
        Some(mean_steps(&self.columns[0], |digest| u64::from(N::walk(digest, bits, n).1)))
    }
}
