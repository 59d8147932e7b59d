//! Ways to find the first point at or after a digest, and how many steps each takes.

use super::width::Width;
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::params::{Default, Param, Params, Type, Value};
use crate::strategy::Slot;

/// `lookup` of the strategies on a ring: the answers are the same.
pub const EXACT: Param = Param::new(
    "lookup",
    Type::Choice(&["bucketed", "sorted"]),
    Default::Text("bucketed"),
    "by an index over the top bits or by binary search; the answers are the same",
);

/// `lookup` of the plain ring: more ways than what others need.
pub const ANY: Param = Param::new(
    "lookup",
    Type::Choice(&["bucketed", "sorted", "skip-list", "slot-table"]),
    Default::Text("bucketed"),
    "by an index over the top bits, by binary search or by a skip list, with the same answers; or by a \
     table of equal slots, with rounded ones",
);

/// `slots` of the plain ring; refused where no slot table would have them.
pub const SLOTS: Param = Param::new(
    "slots",
    Type::Int { min: 1, max: 1 << 24 },
    Default::Absent,
    "slots of lookup = \"slot-table\", which alone takes them; absent: 1024",
);

/// Slots of a slot table unless it says otherwise.
const DEFAULT_SLOTS: u32 = 1024;

/// How a key's point is found.
#[derive(Debug)]
pub enum Lookup {
    /// By an index over the top bits.
    Bucketed,
    /// By binary search.
    Sorted,
    /// By a skip list; the same answers.
    SkipList(SkipList),
    /// By a table of equal slots, each of which has one owner: rounded answers.
    SlotTable(SlotTable),
}

impl Lookup {
    /// What `lookup`, and `slots` where the strategy has it, ask for on a ring of digests of so many bits.
    ///
    /// Errors: `slots` without a slot table; more slots than digests.
    pub fn new(params: &Params, table: &Width, bits: u32) -> Result<Self, Error> {
        let slots = match params.get("slots") {
            Some(Value::Int(slots)) => Some(*slots as u32),
            _ => None,
        };
        let lookup = params.text("lookup");
        if let Some(slots) = slots.filter(|_| lookup != "slot-table") {
            let message = format!("`slots` is {slots}, but `lookup` is \"{lookup}\"");
            return Err(Error::invalid(message)
                .help(
                    "only lookup = \"slot-table\" has slots: leave `slots` out, or give the \
                     slot table a [[strategy]] of its own",
                )
                .field("slots"));
        }
        Ok(match lookup {
            "bucketed" => Lookup::Bucketed,
            "sorted" => Lookup::Sorted,
            "skip-list" => Lookup::SkipList(SkipList::new(table)),
            "slot-table" => {
                let slots = slots.unwrap_or(DEFAULT_SLOTS);
                if u64::from(slots) > u64::MAX >> (64 - bits) {
                    let message = format!("`slots` is {slots} for digests of {bits} bits");
                    return Err(Error::invalid(message)
                        .help("give fewer slots than there are digests")
                        .field("slots"));
                }
                Lookup::SlotTable(SlotTable::new(table, bits, slots))
            }
            other => unreachable!("`{other}` is not among the choices of `lookup`"),
        })
    }

    /// Number of points, table entries or list nodes that a look-up of the digest reads. A binary search
    /// is counted by the textbook, whatever the standard library does.
    pub fn steps(&self, table: &Width, digest: u64) -> u64 {
        match self {
            // The start of the bucket, then the points up to the one sought.
            Lookup::Bucketed => 1 + table.steps_bucketed(digest),
            Lookup::Sorted => steps_binary(table, digest),
            Lookup::SkipList(list) => list.search(digest).1,
            Lookup::SlotTable(_) => 1,
        }
    }

    /// Bytes of what it needs beside the points.
    pub fn heap_bytes(&self) -> u64 {
        match self {
            Lookup::Bucketed | Lookup::Sorted => 0,
            Lookup::SkipList(list) => list.heap_bytes(),
            Lookup::SlotTable(slots) => slots.owners.len() as u64 * 4,
        }
    }
}

/// Comparisons of a binary search for the first point not below the digest.
fn steps_binary(table: &Width, digest: u64) -> u64 {
    let (mut low, mut high, mut steps) = (0, table.len(), 0);
    while low < high {
        let middle = low + (high - low) / 2;
        steps += 1;
        if table.point(middle) < digest {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    steps
}

/// A skip list over the sorted points (W. Pugh, 1990, <https://doi.org/10.1145/78973.78977>): each level
/// holds about half of the level below it. Whether a point rises is a coin that its digest tosses, so that
/// the same ring has the same list.
#[derive(Debug)]
pub struct SkipList {
    /// From the level of all points up.
    levels: Vec<Level>,
}

#[derive(Debug, Default)]
struct Level {
    digests: Vec<u64>,
    /// Position of each in the level below.
    below: Vec<u32>,
}

impl SkipList {
    /// The list of a ring's points.
    pub fn new(table: &Width) -> Self {
        let mut levels = vec![Level::default()];
        for at in 0..table.len() {
            let digest = table.point(at);
            // The number of the point tosses too: equal points rise apart.
            let height = fmix64(digest ^ (at as u64).rotate_left(40)).trailing_ones() as usize;
            let mut below = at as u32;
            for level in 0..=height {
                if levels.len() == level {
                    levels.push(Level::default());
                }
                levels[level].digests.push(digest);
                levels[level].below.push(below);
                below = levels[level].digests.len() as u32 - 1;
            }
        }
        SkipList { levels }
    }

    /// The first point not below the digest (their number if there is none), and the comparisons made.
    pub fn search(&self, digest: u64) -> (usize, u64) {
        let (mut at, mut steps) = (0, 0);
        for (height, level) in self.levels.iter().enumerate().rev() {
            while let Some(&point) = level.digests.get(at) {
                steps += 1;
                if point >= digest {
                    break;
                }
                at += 1;
            }
            if height > 0 {
                // Down at the last point below the digest, to the one after it.
                at = at.checked_sub(1).map_or(0, |last| level.below[last] as usize + 1);
            }
        }
        (at, steps)
    }

    fn heap_bytes(&self) -> u64 {
        self.levels.iter().map(|level| level.digests.len() as u64 * 12).sum()
    }
}

/// A table of equal slots of the digest space; each slot belongs as a whole to the owner of its first
/// digest.
#[derive(Debug)]
pub struct SlotTable {
    bits: u32,
    owners: Vec<Slot>,
}

impl SlotTable {
    /// The table of a ring over digests of so many bits.
    pub fn new(table: &Width, bits: u32, slots: u32) -> Self {
        let mut new = SlotTable { bits, owners: vec![Slot::ABSENT; slots as usize] };
        for slot in 0..u64::from(slots) {
            new.owners[slot as usize] = table.owner(table.find_sorted(new.start(slot)));
        }
        new
    }

    /// The slot of a digest.
    #[inline]
    fn slot(&self, digest: u64) -> usize {
        ((u128::from(digest) * self.owners.len() as u128) >> self.bits) as usize
    }

    /// The first digest of a slot; of the number after the last, one more than the largest digest.
    fn start_wide(&self, slot: u64) -> u128 {
        (u128::from(slot) << self.bits).div_ceil(self.owners.len() as u128)
    }

    fn start(&self, slot: u64) -> u64 {
        self.start_wide(slot) as u64
    }

    /// The first digest of the digest's slot: where its owner is looked up.
    pub fn first(&self, digest: u64) -> u64 {
        self.start(self.slot(digest) as u64)
    }

    /// The owner of a digest.
    #[inline]
    pub fn owner(&self, digest: u64) -> Slot {
        self.owners[self.slot(digest)]
    }

    /// Which digests belong to whom, as the ring tells it.
    pub fn segments(&self) -> Vec<(u64, Slot)> {
        let mut segments: Vec<(u64, Slot)> = Vec::new();
        for (slot, &owner) in self.owners.iter().enumerate() {
            let end = (self.start_wide(slot as u64 + 1) - 1) as u64;
            match segments.last_mut() {
                Some(last) if last.1 == owner => last.0 = end,
                _ => segments.push((end, owner)),
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::ring::points::Points;

    fn table(digests: Vec<u64>, bits: u32) -> Width {
        let runs = vec![(Slot(0), digests.len() as u32)];
        Width::new(bits, &Points { digests, runs })
    }

    fn random(n: u64, bits: u32) -> Vec<u64> {
        (0..n).map(|i| fmix64(i + 9) >> (64 - bits)).collect()
    }

    #[test]
    fn a_skip_list_answers_as_a_search_of_all_points() {
        for (digests, bits) in [
            (random(1000, 32), 32),
            (random(300, 64), 64),
            (vec![7; 50], 32),
            (vec![0, u64::MAX, 5, 5], 64),
            (vec![], 32),
        ] {
            let table = table(digests.clone(), bits);
            let list = SkipList::new(&table);
            let top = u64::MAX >> (64 - bits);
            let near =
                digests.iter().flat_map(|&d| [d, d.saturating_sub(1), (d + u64::from(d < top))]);
            for digest in near.chain([0, top]).chain(random(200, bits)) {
                let want = (0..table.len()).find(|&at| table.point(at) >= digest);
                assert_eq!(list.search(digest).0, want.unwrap_or(table.len()), "{digest:#x}");
            }
        }
    }

    /// A search in n points takes about 2·log₂ n comparisons (Pugh, 1990), a binary search ⌊log₂ n⌋ + 1
    /// at most: both grow with n, and a list of any number of points takes more than one step.
    #[test]
    fn steps_grow_with_the_logarithm() {
        let mean = |n: u64, steps: &dyn Fn(&Width, u64) -> u64| {
            let table = table(random(n, 32), 32);
            let asked = random(2000, 32);
            asked.iter().map(|&d| steps(&table, d)).sum::<u64>() as f64 / 2000.0
        };
        for n in [1000, 16_000] {
            let log = (n as f64).log2();
            let list = mean(n, &|table, d| SkipList::new(table).search(d).1.min(1_000));
            assert!((1.2 * log..2.8 * log).contains(&list), "{n}: {list}");
            let binary = mean(n, &steps_binary);
            assert!((log - 1.0..=log + 1.0).contains(&binary), "{n}: {binary}");
        }
    }

    #[test]
    fn slots_cover_the_space_and_belong_to_the_owner_of_their_start() {
        let digests = random(100, 32);
        let runs = (0..10).map(|i| (Slot(i), 10)).collect();
        let table = Width::new(32, &Points { digests, runs });
        for slots in [1, 3, 1000, 1024] {
            let slot_table = SlotTable::new(&table, 32, slots);
            let segments = slot_table.segments();
            assert_eq!(segments.last().unwrap().0, u64::from(u32::MAX));
            for digest in random(500, 32).into_iter().chain([0, u64::from(u32::MAX)]) {
                let segment = segments.iter().find(|(end, _)| *end >= digest).unwrap();
                assert_eq!(slot_table.owner(digest), segment.1);
                let first = slot_table.first(digest);
                assert!(first <= digest && slot_table.first(first) == first);
                assert_eq!(slot_table.owner(digest), table.owner(table.find(first)));
            }
        }
    }
}
