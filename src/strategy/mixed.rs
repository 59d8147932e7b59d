//! Mixed: ranges of numbers and a hash, one within the other.
//!
//! # Idea
//! Ranges let old data rest and new nodes take only new keys, but all of today's load falls on the last
//! range. A hash within each range spreads that load over the nodes of its group (`hash-in-range`). The
//! other way round (`range-in-hash`) a hash spreads keys over groups, and within a group a node holds a
//! range, so that a scan asks one node a group.
//!
//! # Source
//! Composite partitioning, range-hash and hash-range, in Oracle Database,
//! <https://docs.oracle.com/en/database/oracle/oracle-database/19/vldbg/partition-concepts.html>.
//!
//! # Cost
//! Look-up O(log ranges). Change: a list of n. Bytes: 16 a bound, 4 a node.
//!
//! # Choices made where the source is silent
//! - R − 1 bounds make R ranges, each bound the first number of the next range. A key's number is the
//!   integer itself, or `digits` of its text; a key without a number is ABSENT.
//! - `hash-in-range`: of n nodes range r has those from ⌊r·n/R⌋ to ⌊(r + 1)·n/R⌋ − 1, and the digest modulo
//!   their number says which. `range-in-hash`: the first R·⌊n/R⌋ nodes make ⌊n/R⌋ groups, the digest modulo
//!   that number says which, and range r is its r-th node; what is left over holds nothing.
//! - Fewer nodes than ranges is unsupported. Groups are formed anew after every change of the list.
//! - Shares follow the numbers of the keys, so there are no weights and no ownership.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::range::number::Number;
use super::support::{digest_step, halvings, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyRange};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW, Value};

static ANY_INT: Type = Type::Int { min: i64::MIN, max: i64::MAX };

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "mixed",
    title: "Range and hash",
    summary: "ranges of numbers with a hash within each, or a hash with ranges within each group",
    source: "Composite partitioning in Oracle Database, https://docs.oracle.com/en/database/oracle/oracle-database/19/vldbg/partition-concepts.html",
    checked: "groups and ranges written out by hand",
    caps: Caps::NONE,
    movement: Movement::Full,
    history: History::Free,
    order: Order::Dependent,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "mode",
            Type::Choice(&["hash-in-range", "range-in-hash"]),
            Default::Text("hash-in-range"),
            "which of the two divides the nodes into groups: the range or the hash",
        ),
        Param::new(
            "bounds",
            Type::List(&ANY_INT),
            Default::Required,
            "ascending bounds, each the first number of the next range",
        ),
        Param::new(
            "digits",
            Type::Text,
            Default::Absent,
            "where the number stands in a text key: `FROM..TO`, bytes counted from 0, TO excluded",
        ),
    ],
    cost: Cost { lookup: "O(log ranges)", change: "O(n)", bytes: "16 · ranges + 4 n" },
    build: |build| Ok(Box::new(Mixed::new(build)?)),
};

/// What divides the nodes into groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Groups {
    ByRange,
    ByHash,
}

#[derive(Debug)]
struct Mixed {
    columns: [ColumnSpec; 1],
    number: Number,
    bounds: Vec<i128>,
    groups: Groups,
    nodes: Vec<Slot>,
}

impl Mixed {
    fn new(build: &Build<'_>) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let number = Number::of(build.keys, build.params)?.ok_or_else(|| {
            Error::unsupported("text keys without `digits`")
                .help("say where the number stands, e.g. digits = \"2..10\"")
                .field("digits")
        })?;
        let bounds: Vec<i128> = build
            .params
            .list("bounds")
            .expect("required")
            .iter()
            .map(|value| match value {
                Value::Int(bound) => i128::from(*bound),
                other => unreachable!("a list of integers holds {other:?}"),
            })
            .collect();
        if !bounds.is_sorted_by(|a, b| a < b) {
            return Err(Error::invalid("`bounds` are not ascending")
                .help("each bound must be above the one before it")
                .field("bounds"));
        }
        let nodes: Vec<Slot> = build.cluster.nodes.iter().map(|n| n.id.into()).collect();
        let ranges = bounds.len() + 1;
        if nodes.len() < ranges {
            let n = nodes.len();
            return Err(Error::unsupported(format!("{ranges} ranges, but only {n} nodes"))
                .help("give fewer bounds, so that every range has a node")
                .field("bounds"));
        }
        let groups = match build.params.text("mode") {
            "hash-in-range" => Groups::ByRange,
            "range-in-hash" => Groups::ByHash,
            other => unreachable!("`{other}` is not among the choices of `mode`"),
        };
        Ok(Mixed { columns: [column], number, bounds, groups, nodes })
    }

    /// The range of row `i`.
    #[inline]
    fn range(&self, batch: &KeyBatch, i: usize) -> Option<usize> {
        let number = self.number.get(batch, i)?;
        Some(self.bounds.partition_point(|bound| *bound <= number))
    }

    /// First node and number of nodes of the group of a range or, by hash, of a digest; and which of them
    /// it is.
    #[inline]
    fn member(&self, range: usize, digest: u64) -> (usize, usize, usize) {
        let (n, ranges) = (self.nodes.len(), self.bounds.len() + 1);
        match self.groups {
            Groups::ByRange => {
                let first = range * n / ranges;
                let size = (range + 1) * n / ranges - first;
                (first, size, (digest % size as u64) as usize)
            }
            Groups::ByHash => {
                let group = (digest % (n / ranges) as u64) as usize;
                (group * ranges, ranges, range)
            }
        }
    }
}

impl Placement for Mixed {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        for (i, (slot, &digest)) in out.iter_mut().zip(digests).enumerate() {
            *slot = self.range(batch, i).map_or(Slot::ABSENT, |range| {
                let (first, _, at) = self.member(range, digest);
                self.nodes[first + at]
            });
        }
    }

    /// The groups of the ranges, or a node for each range in every group.
    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        let Some((first, last)) = self.number.span(range) else { return Some(Vec::new()) };
        let at = |x| self.bounds.partition_point(|bound| *bound <= x);
        let (first, last) = (at(first), at(last));
        let (n, ranges) = (self.nodes.len(), self.bounds.len() + 1);
        Some(match self.groups {
            Groups::ByRange => self.nodes[first * n / ranges..(last + 1) * n / ranges].to_vec(),
            Groups::ByHash => {
                let groups = self.nodes.chunks_exact(ranges);
                groups.flat_map(|group| group[first..=last].iter().copied()).collect()
            }
        })
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let digest = batch.digests(&self.columns[0])[0];
        let number = self.number.get(&batch, 0).map_or("none".to_string(), |x| x.to_string());
        let mut steps =
            vec![step(self.number.describe(), number), digest_step(&self.columns[0], key, digest)];
        let Some(range) = self.range(&batch, 0) else {
            return Explanation { steps, slot: Slot::ABSENT };
        };
        let (first, size, at) = self.member(range, digest);
        steps.push(step(format!("range, of {}", self.bounds.len() + 1), range));
        steps.push(step("group", format!("nodes {first} to {}", first + size - 1)));
        steps.push(step("member of the group", at));
        Explanation { steps, slot: self.nodes[first + at] }
    }

    fn heap_bytes(&self) -> u64 {
        (16 * self.bounds.len() + 4 * self.nodes.len()) as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(halvings(self.bounds.len() + 1) + 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{equal, text, with_build};
    use super::*;
    use crate::keys::KeyKind;
    use crate::strategy::place_one;

    fn placed(
        nodes: usize,
        mode: &str,
        bounds: &[i64],
        digits: Option<&str>,
    ) -> Result<Mixed, Error> {
        let list = Value::List(bounds.iter().map(|b| Value::Int(*b)).collect());
        let mut given = vec![("mode", text(mode)), ("bounds", list)];
        given.extend(digits.map(|d| ("digits", text(d))));
        let kind = if digits.is_some() { KeyKind::Text } else { KeyKind::I64 };
        with_build(&INFO, &equal(nodes), kind, &given, Mixed::new)
    }

    #[test]
    fn groups_are_those_written_out_by_hand() {
        // Eight nodes, three ranges: groups 0-1, 2-4, 5-7.
        let mixed = placed(8, "hash-in-range", &[0, 100], None).unwrap();
        let groups: Vec<_> = (0..3).map(|r| (mixed.member(r, 0).0, mixed.member(r, 0).1)).collect();
        assert_eq!(groups, [(0, 2), (2, 3), (5, 3)]);
        assert_eq!(mixed.member(1, 11), (2, 3, 2));
        // Two groups of three, the last two nodes hold nothing.
        let mixed = placed(8, "range-in-hash", &[0, 100], None).unwrap();
        assert_eq!([mixed.member(0, 4), mixed.member(2, 7)], [(0, 3, 0), (3, 3, 2)]);
    }

    #[test]
    fn keys_go_to_the_group_of_their_range_or_digest() {
        for mode in ["hash-in-range", "range-in-hash"] {
            let mixed = placed(6, mode, &[-5, 100], None).unwrap();
            let mut met = [0; 6];
            for i in -300..300 {
                let key = Key::I64(i);
                let digest = KeyBatch::single(&key, &mixed.columns).digests(&mixed.columns[0])[0];
                let range = if i < -5 {
                    0
                } else if i < 100 {
                    1
                } else {
                    2
                };
                let want = match mode {
                    "hash-in-range" => 2 * range + (digest % 2) as u32,
                    _ => 3 * (digest % 2) as u32 + range,
                };
                assert_eq!(place_one(&mixed, &key), Slot(want), "{mode} {i}");
                met[want as usize] += 1;
            }
            assert!(met.iter().all(|m| *m > 20), "{met:?}");
        }
    }

    #[test]
    fn texts_need_digits_and_ranges_nodes() {
        let mixed = placed(4, "hash-in-range", &[50], Some("2..4")).unwrap();
        assert!(place_one(&mixed, &Key::Text("NO49")).0 < 2);
        assert!((2..4).contains(&place_one(&mixed, &Key::Text("NO50")).0));
        assert_eq!(place_one(&mixed, &Key::Text("NOx0")), Slot::ABSENT);
        assert_eq!(placed(1, "hash-in-range", &[50], None).unwrap_err().field, Some("bounds"));
        assert_eq!(placed(4, "hash-in-range", &[5, 5], None).unwrap_err().field, Some("bounds"));
        let list = Value::List(vec![Value::Int(1)]);
        let given = [("bounds", list)];
        let error = with_build(&INFO, &equal(4), KeyKind::Text, &given, Mixed::new).unwrap_err();
        assert_eq!(error.field, Some("digits"));
    }
}
