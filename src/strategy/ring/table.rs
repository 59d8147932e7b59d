//! The sorted points of a ring with an index over their top bits.
//!
//! A digest's top bits name a bucket, the bucket says how many points lie before it, and from there
//! the points below the digest are counted, four at a time without a branch. With half a point to
//! one point a bucket four are nearly always enough; points that crowd into few buckets cost a binary
//! search within the bucket and no more. The same buckets sort the points when the ring is built.
//!
//! A look-up is three dependent reads: start, points, owner. Keys go through them a block at a time,
//! so that the reads of many keys overlap; and the tables are as narrow as the ring allows, since a
//! sweep walks through many rings for each batch and the cache holds but a few.

use std::fmt::Debug;

use crate::strategy::Slot;

/// A point as it is stored: no wider than the digests.
pub trait Point: Copy + Ord + Debug + Send + Sync + 'static {
    /// Stored size in bytes.
    const BYTES: u64;
    /// Above or equal to all others.
    const MAX: Self;
    /// The point at a digest, which fits.
    fn from_digest(digest: u64) -> Self;
    /// The digest at the point.
    fn digest(self) -> u64;
}

impl Point for u32 {
    const BYTES: u64 = 4;
    const MAX: Self = u32::MAX;
    #[inline(always)]
    fn from_digest(digest: u64) -> Self {
        digest as u32
    }
    #[inline(always)]
    fn digest(self) -> u64 {
        u64::from(self)
    }
}

impl Point for u64 {
    const BYTES: u64 = 8;
    const MAX: Self = u64::MAX;
    #[inline(always)]
    fn from_digest(digest: u64) -> Self {
        digest
    }
    #[inline(always)]
    fn digest(self) -> u64 {
        self
    }
}

/// A number of points or an owner as it is stored.
pub trait Small: Copy + Debug + Send + Sync + 'static {
    /// Stored size in bytes.
    const BYTES: u64;
    /// The largest number that can be stored.
    const MAX: u32;
    /// Stores a number, which fits.
    fn store(number: u32) -> Self;
    /// The number stored.
    fn load(self) -> u32;
}

impl Small for u16 {
    const BYTES: u64 = 2;
    const MAX: u32 = u16::MAX as u32;
    #[inline(always)]
    fn store(number: u32) -> Self {
        number as u16
    }
    #[inline(always)]
    fn load(self) -> u32 {
        u32::from(self)
    }
}

impl Small for u32 {
    const BYTES: u64 = 4;
    const MAX: u32 = u32::MAX;
    #[inline(always)]
    fn store(number: u32) -> Self {
        number
    }
    #[inline(always)]
    fn load(self) -> u32 {
        self
    }
}

/// Points counted at once from a bucket's start.
const WINDOW: usize = 4;

/// Buckets with more points than this are sorted by the standard library.
const INSERTION_SORT_MAX: usize = 16;

/// Keys that are looked up together: their intermediate results stay in the first cache.
const BLOCK: usize = 64;

/// Points in ascending order, of equal ones the winner first, and their owners.
#[derive(Debug)]
pub struct Table<P, S> {
    bits: u32,
    /// The points, then `WINDOW` times the largest value so that a window never ends early.
    points: Vec<P>,
    /// The owner of each point, then the first one's again: beyond the last point is the first.
    owners: Vec<S>,
    /// Points below each bucket; one more entry than buckets.
    starts: Vec<S>,
    /// Digest bits below those that name a bucket.
    shift: u32,
}

impl<P: Point, S: Small> Table<P, S> {
    /// Whether a table of these points can store their number and owners.
    pub fn fits(digests: &[u64], runs: &[(Slot, u32)]) -> bool {
        // An empty table has one owner, the outcome ABSENT.
        let owners = if digests.is_empty() { Slot::ABSENT.0 } else { 0 };
        let owners = runs.iter().map(|(owner, _)| owner.0).fold(owners, u32::max);
        owners <= S::MAX && digests.len() <= S::MAX as usize
    }

    /// Sorts the points at `digests` (of `bits` bits); of equal ones the earlier wins. `runs` says
    /// which owner has how many of them, in order, each owner once.
    pub fn new(bits: u32, digests: &[u64], runs: &[(Slot, u32)]) -> Self {
        let index_bits = digests.len().max(2).next_power_of_two().ilog2().min(bits);
        let shift = bits - index_bits;
        let buckets = 1usize << index_bits;
        let bucket = |digest: u64| (digest >> shift) as usize;

        // Counts are kept one entry later than the starts that they become, so that the scatter
        // below turns the start of bucket b into its end, which is the start of b + 1.
        let mut starts = vec![0u32; buckets + 2];
        for &digest in digests {
            starts[bucket(digest) + 2] += 1;
        }
        let mut sum = 0;
        for start in &mut starts[2..] {
            sum += *start;
            *start = sum;
        }
        let mut points = vec![P::MAX; digests.len() + WINDOW];
        let mut owners = vec![Slot::ABSENT; digests.len() + 1];
        let mut rest = digests;
        for &(owner, count) in runs {
            let (run, others) = rest.split_at(count as usize);
            rest = others;
            for &digest in run {
                let at = &mut starts[bucket(digest) + 1];
                points[*at as usize] = P::from_digest(digest);
                owners[*at as usize] = owner;
                *at += 1;
            }
        }
        starts.truncate(buckets + 1);
        for pair in starts.windows(2) {
            let range = pair[0] as usize..pair[1] as usize;
            if range.len() > 1 {
                sort_bucket(&mut points[range.clone()], &mut owners[range]);
            }
        }
        let len = digests.len();
        owners[len] = owners[0];
        let owners = owners.iter().map(|owner| S::store(owner.0)).collect();
        let starts = starts.iter().map(|&start| S::store(start)).collect();
        Table { bits, points, owners, starts, shift }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.owners.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The digest at point `at`.
    pub fn point(&self, at: usize) -> u64 {
        self.points()[at].digest()
    }

    /// The points in order.
    pub fn points(&self) -> &[P] {
        &self.points[..self.len()]
    }

    /// The owner of point `at`; of point `len()`, which is the first again, too.
    #[inline(always)]
    pub fn owner(&self, at: usize) -> Slot {
        Slot(self.owners[at].load())
    }

    /// Points from the start of a digest's bucket up to and with the first not below it: at least one.
    pub fn steps_bucketed(&self, digest: u64) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let start = self.start(digest);
        (self.find_from(start, digest) - start) as u64 + 1
    }

    /// The first owner of each digest, by the index.
    pub fn place_bucketed(&self, digests: &[u64], out: &mut [Slot]) {
        let mut found = [0u32; BLOCK];
        for (digests, out) in digests.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            self.below(digests, &mut found[..digests.len()]);
            for (slot, &at) in out.iter_mut().zip(&found) {
                *slot = self.owner(at as usize);
            }
        }
    }

    /// How many points lie below each digest, by the index.
    pub fn below(&self, digests: &[u64], out: &mut [u32]) {
        for (digests, out) in digests.chunks(BLOCK).zip(out.chunks_mut(BLOCK)) {
            for (at, &digest) in out.iter_mut().zip(digests) {
                *at = self.start(digest) as u32;
            }
            for (at, &digest) in out.iter_mut().zip(digests) {
                *at = self.find_from(*at as usize, digest) as u32;
            }
        }
    }

    /// Points below the bucket of a digest.
    #[inline(always)]
    fn start(&self, digest: u64) -> usize {
        self.starts[(digest >> self.shift) as usize].load() as usize
    }

    /// The first point at or beyond the digest, by the index; `len()` when it wraps.
    #[inline(always)]
    pub fn find_bucketed(&self, digest: u64) -> usize {
        self.find_from(self.start(digest), digest)
    }

    /// The same from the start of the digest's bucket.
    #[inline(always)]
    fn find_from(&self, start: usize, digest: u64) -> usize {
        let wanted = P::from_digest(digest);
        let window = self.points[start..].first_chunk::<WINDOW>().expect("padded by a window");
        let below: usize = window.iter().map(|p| usize::from(*p < wanted)).sum();
        if below == WINDOW { self.find_crowded(start + WINDOW, digest) } else { start + below }
    }

    /// The same when the whole window lies below the digest.
    #[cold]
    #[inline(never)]
    fn find_crowded(&self, from: usize, digest: u64) -> usize {
        let end = self.starts[(digest >> self.shift) as usize + 1].load() as usize;
        let wanted = P::from_digest(digest);
        from + self.points[from..end].partition_point(|p| *p < wanted)
    }

    /// The same by binary search over all points.
    #[inline]
    pub fn find_sorted(&self, digest: u64) -> usize {
        let wanted = P::from_digest(digest);
        self.points().partition_point(|p| *p < wanted)
    }

    /// The owners of all points from point `from` on, going round once.
    pub fn owners_from(&self, from: usize) -> impl Iterator<Item = Slot> + Clone {
        (from..self.len()).chain(0..from.min(self.len())).map(|at| self.owner(at))
    }

    /// Which digests belong to whom: (last digest, owner) in ascending order, ends distinct.
    pub fn segments(&self) -> Vec<(u64, Slot)> {
        let last = u64::MAX >> (64 - self.bits);
        let mut segments: Vec<(u64, Slot)> = Vec::with_capacity(self.len() + 1);
        for (at, point) in self.points().iter().enumerate() {
            // Of equal points the first owns what lies before, the others nothing.
            if segments.last().is_none_or(|(end, _)| *end != point.digest()) {
                segments.push((point.digest(), self.owner(at)));
            }
        }
        if segments.last().is_none_or(|(end, _)| *end != last) {
            segments.push((last, self.owner(0)));
        }
        segments
    }

    /// Points, owners, and the entries of the index.
    pub fn heap_bytes(&self) -> u64 {
        self.len() as u64 * (P::BYTES + S::BYTES) + self.starts.len() as u64 * S::BYTES
    }
}

/// Sorts by point and keeps the order of equal ones.
fn sort_bucket<P: Point>(points: &mut [P], owners: &mut [Slot]) {
    if points.len() > INSERTION_SORT_MAX {
        let mut pairs: Vec<(P, Slot)> =
            points.iter().copied().zip(owners.iter().copied()).collect();
        pairs.sort_by_key(|(point, _)| *point);
        for (i, (point, owner)) in pairs.into_iter().enumerate() {
            (points[i], owners[i]) = (point, owner);
        }
        return;
    }
    for i in 1..points.len() {
        let mut at = i;
        while at > 0 && points[at - 1] > points[at] {
            points.swap(at - 1, at);
            owners.swap(at - 1, at);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::fmix64;

    /// The owner of a digest by reading all points: the least at or beyond it, else the least of all;
    /// of equal ones the first in the list.
    fn oracle(points: &[(u64, Slot)], digest: u64) -> Slot {
        let least = |points: &mut dyn Iterator<Item = &(u64, Slot)>| {
            points.fold(None, |best: Option<(u64, Slot)>, p| match best {
                Some(b) if b.0 <= p.0 => Some(b),
                _ => Some(*p),
            })
        };
        least(&mut points.iter().filter(|p| p.0 >= digest))
            .or_else(|| least(&mut points.iter()))
            .map_or(Slot::ABSENT, |p| p.1)
    }

    fn check<P: Point, S: Small>(bits: u32, digests: &[u64]) {
        // Seven owners in runs of unequal length.
        let mut runs = Vec::new();
        let mut left = digests.len();
        for i in 0.. {
            let count = if i == 6 { left } else { (left / 3).min(left) };
            runs.push((Slot(i), count as u32));
            left -= count;
            if i == 6 {
                break;
            }
        }
        let owners = runs.iter().flat_map(|&(o, c)| std::iter::repeat_n(o, c as usize));
        let pairs: Vec<(u64, Slot)> = digests.iter().copied().zip(owners).collect();
        let table = Table::<P, S>::new(bits, digests, &runs);
        assert!(table.points().is_sorted());
        let top = u64::MAX >> (64 - bits);
        let near = digests
            .iter()
            .take(60)
            .flat_map(|&d| [d.saturating_sub(1), d, d.saturating_add(1).min(top)]);
        let random = (0..100).map(|i| fmix64(i + 77) & top);
        let segments = table.segments();
        let asked: Vec<u64> = near.chain(random).chain([0, top]).collect();
        let mut placed = vec![Slot::MISROUTED; asked.len()];
        table.place_bucketed(&asked, &mut placed);
        for (&digest, &slot) in asked.iter().zip(&placed) {
            assert_eq!(slot, oracle(&pairs, digest), "{digest:#x}");
            let at = table.find_bucketed(digest);
            assert_eq!(at, table.find_sorted(digest), "{digest:#x}");
            assert_eq!(table.owner(at), oracle(&pairs, digest), "{digest:#x}");
            let segment = segments.iter().find(|(end, _)| *end >= digest).unwrap();
            assert_eq!(segment.1, table.owner(at), "{digest:#x}");
        }
        assert!(segments.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(segments.last().unwrap().0, top);
    }

    fn check_both<P: Point>(bits: u32, digests: &[u64]) {
        check::<P, u32>(bits, digests);
        if !digests.is_empty() {
            check::<P, u16>(bits, digests);
        }
    }

    #[test]
    fn narrow_tables_hold_what_fits() {
        let fits = |digests: &[u64], owner| {
            Table::<u32, u16>::fits(digests, &[(Slot(owner), digests.len() as u32)])
        };
        assert!(fits(&[1], 65_535) && !fits(&[1], 65_536));
        assert!(fits(&vec![1; 65_535], 0) && !fits(&vec![1; 65_536], 0));
        assert!(!fits(&[], 0), "an empty ring's owner is an outcome");
        assert!(Table::<u32, u32>::fits(&[], &[]));
    }

    #[test]
    fn every_digest_finds_the_first_point_at_or_beyond_it() {
        for n in [0, 1, 2, 3, 7, 64, 1000] {
            let digests: Vec<u64> = (0..n).map(fmix64).collect();
            check_both::<u64>(64, &digests);
            let narrow: Vec<u64> = digests.iter().map(|d| d >> 32).collect();
            check_both::<u32>(32, &narrow);
            let tiny: Vec<u64> = digests.iter().map(|d| d >> 48).collect();
            check_both::<u32>(16, &tiny);
        }
    }

    #[test]
    fn crowded_and_equal_points_are_found_too() {
        // All within one bucket, downwards; many of them equal; at both ends of the space.
        check_both::<u32>(32, &(0..1000).map(|i| 0x8000_0000 + (999 - i) / 3).collect::<Vec<_>>());
        check_both::<u64>(64, &(0..1000).map(|i| u64::MAX - i / 2).collect::<Vec<_>>());
        check_both::<u32>(32, &[0, 0, 0, 0, 0, 0]);
        check_both::<u32>(32, &[u32::MAX.into(); 9]);
        check_both::<u32>(16, &[0xffff, 0, 0xffff, 0, 5]);
    }

    #[test]
    fn a_crowded_ring_is_built_and_read_in_reasonable_time() {
        // Quadratic sorting or scanning of 200 000 points in one bucket would take minutes.
        let digests: Vec<u64> = (0..200_000).map(|i| 0x4000_0000 + (199_999 - i)).collect();
        let table = Table::<u32, u32>::new(32, &digests, &[(Slot(0), 200_000)]);
        for i in 0..200_000 {
            assert_eq!(table.find_bucketed(0x4000_0000 + i), i as usize);
        }
    }

    #[test]
    fn owners_come_clockwise_and_once_round() {
        let runs = [(Slot(5), 2), (Slot(6), 1), (Slot(7), 1)];
        let table = Table::<u32, u32>::new(32, &[10, 20, 30, 15], &runs);
        let owners = |digest| -> Vec<u32> {
            table.owners_from(table.find_sorted(digest)).map(|slot| slot.0).collect()
        };
        assert_eq!(owners(16), [5, 6, 5, 7]);
        assert_eq!(owners(31), [5, 7, 5, 6]);
    }

    #[test]
    fn heap_bytes_follow_the_formula() {
        let digests: Vec<u64> = (0..1000).map(|i| fmix64(i) >> 32).collect();
        let table = Table::<u32, u32>::new(32, &digests, &[(Slot(0), 1000)]);
        assert_eq!(table.heap_bytes(), 1000 * 8 + (1024 + 1) * 4);
        let table = Table::<u32, u16>::new(32, &digests, &[(Slot(0), 1000)]);
        assert_eq!(table.heap_bytes(), 1000 * 6 + (1024 + 1) * 2);
    }
}
