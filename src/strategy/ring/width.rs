//! A table of points of whichever width the digests and the ring's size ask for.

use super::points::Points;
use super::table::Table;
use crate::strategy::Slot;
use crate::strategy::spread::Domains;

/// The points by the bits of a digest and of what is stored beside it.
#[derive(Debug)]
pub enum Width {
    /// Digests of up to 32 bits; at most 65 535 points and node ids.
    D32S16(Table<u32, u16>),
    /// Digests of up to 32 bits.
    D32S32(Table<u32, u32>),
    /// Digests of up to 64 bits; at most 65 535 points and node ids.
    D64S16(Table<u64, u16>),
    /// Digests of up to 64 bits.
    D64S32(Table<u64, u32>),
}

/// Applies an expression to the table of any width.
macro_rules! table {
    ($width:expr, $table:ident => $body:expr) => {
        match $width {
            Width::D32S16($table) => $body,
            Width::D32S32($table) => $body,
            Width::D64S16($table) => $body,
            Width::D64S32($table) => $body,
        }
    };
}

impl Width {
    /// The narrowest table for points of `bits` bits; of equal points the earlier wins.
    pub fn new(bits: u32, Points { digests, runs }: &Points) -> Self {
        match (bits <= 32, Table::<u64, u16>::fits(digests, runs)) {
            (true, true) => Width::D32S16(Table::new(bits, digests, runs)),
            (true, false) => Width::D32S32(Table::new(bits, digests, runs)),
            (false, true) => Width::D64S16(Table::new(bits, digests, runs)),
            (false, false) => Width::D64S32(Table::new(bits, digests, runs)),
        }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        table!(self, table => table.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The digest at point `at`.
    pub fn point(&self, at: usize) -> u64 {
        table!(self, table => table.point(at))
    }

    /// The owner of point `at`; of point `len()`, which is the first again, too; ABSENT when empty.
    #[inline]
    pub fn owner(&self, at: usize) -> Slot {
        table!(self, table => table.owner(at))
    }

    /// The first point at or after a digest, going round.
    #[inline]
    pub fn find(&self, digest: u64) -> usize {
        let at = table!(self, table => table.find_bucketed(digest));
        if at == self.len() { 0 } else { at }
    }

    /// The same by binary search.
    pub fn find_sorted(&self, digest: u64) -> usize {
        let at = table!(self, table => table.find_sorted(digest));
        if at == self.len() { 0 } else { at }
    }

    /// How many points lie below each digest.
    pub fn below(&self, digests: &[u64], out: &mut [u32]) {
        table!(self, table => table.below(digests, out));
    }

    /// Points that the index compares with a digest: those of its bucket up to the first not below it.
    pub fn steps_bucketed(&self, digest: u64) -> u64 {
        table!(self, table => table.steps_bucketed(digest))
    }

    /// The first owner of each digest.
    pub fn place(&self, digests: &[u64], out: &mut [Slot]) {
        table!(self, table => table.place_bucketed(digests, out));
    }

    /// The same by binary search.
    pub fn place_sorted(&self, digests: &[u64], out: &mut [Slot]) {
        table!(self, table => {
            for (slot, &digest) in out.iter_mut().zip(digests) {
                *slot = table.owner(table.find_sorted(digest));
            }
        });
    }

    /// The owners that hold the copies of a key whose first point is `from`.
    pub fn walk(&self, from: usize, domains: &Domains, out: &mut [Slot]) {
        table!(self, table => domains.choose(table.owners_from(from), out));
    }

    /// Which digests belong to whom: (last digest, owner) in ascending order, ends distinct.
    pub fn segments(&self) -> Vec<(u64, Slot)> {
        table!(self, table => table.segments())
    }

    /// Points, owners, and the entries of the index.
    pub fn heap_bytes(&self) -> u64 {
        table!(self, table => table.heap_bytes())
    }
}
