//! Embedded id: the shard's number is part of the key.
//!
//! # Idea
//! Whoever creates a key writes the number of its shard into it (`NO_3_20250115001`), so that routing
//! needs no hash and no table: the number is parsed and looked up. Keys never move, and for the same
//! reason a number can never be given to another node.
//!
//! # Source
//! *Sharding & IDs at Instagram*, Instagram Engineering, 2012,
//! <https://instagram-engineering.com/sharding-ids-at-instagram-1cf5a71e5a5c> (13 bits from bit 10 on:
//! `shift = 10, bits = 13`); *Sharding Pinterest*, M. Martin, 2015. As text it is common in order numbers.
//!
//! # Cost
//! Look-up O(length of the key). Change O(nodes). Bytes: 4 a number given out.
//!
//! # Choices made where the source is silent
//! * Nodes are numbered from `base` in the order of step 0; nodes that join later get the next numbers.
//! * A node that leaves keeps its number: its ids point at a gap and are MISROUTED, they do not silently
//!   go to a neighbour. If it joins again, its number is good again.
//! * A number without a node, also a negative one, is MISROUTED. No number (no such field, no digits)
//!   is ABSENT.
//! * The ids say who owns what, so weights do not apply.
//!
//! # Checked against
//! What `INFO.checked` says.

use crate::cluster::{Change, ChangeKind, Cluster, NodeId, OnFail};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind, KeyRange};
use crate::params::{Default, Param, Type};
use crate::strategy::{
    Build, Caps, Cost, ExplainStep, Explanation, History, Movement, Order, Placement, Slot,
    StrategyInfo, Weights, distinct,
};

/// Embedded id.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "embedded-id",
    title: "Embedded id",
    summary: "the shard's number is parsed from the key itself",
    source: "Sharding & IDs at Instagram, 2012, https://instagram-engineering.com/sharding-ids-at-instagram-1cf5a71e5a5c",
    checked: "hand-written ids; shifts and masks in u128",
    caps: Caps { weights: Weights::Fixed, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[
        Param::new(
            "separator",
            Type::Text,
            Default::Text("_"),
            "what separates the fields of a text key",
        ),
        Param::new(
            "field",
            Type::Int { min: 0, max: 1000 },
            Default::Int(1),
            "which field of a text key is the number, counted from 0",
        ),
        Param::new(
            "base",
            Type::Int { min: 0, max: u32::MAX as i64 },
            Default::Int(0),
            "number of the first node",
        ),
        Param::new(
            "shift",
            Type::Int { min: 0, max: 63 },
            Default::Absent,
            "lowest bit of the number in an integer key; must be given for those",
        ),
        Param::new(
            "bits",
            Type::Int { min: 1, max: 64 },
            Default::Absent,
            "how many bits of an integer key are the number; all above `shift` if not given",
        ),
    ],
    cost: Cost { lookup: "O(key length)", change: "O(nodes)", bytes: "4 · numbers" },
    build,
};

/// Where the number stands in a key.
#[derive(Debug, Clone)]
enum Field {
    /// Between separators of a text.
    Text { separator: Vec<u8>, field: usize },
    /// In the bits of an integer.
    Bits { shift: u32, mask: u64 },
}

/// Numbers and their nodes.
#[derive(Debug, Clone)]
struct EmbeddedId {
    field: Field,
    /// Number of `numbers[0]`.
    base: u64,
    /// Node that a number was given to, for good.
    numbers: Vec<NodeId>,
    /// The same, MISROUTED where the node is not a member now.
    slots: Vec<Slot>,
}

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let params = build.params;
    let field = match build.keys {
        KeyKind::Text | KeyKind::Bytes => {
            let separator = params.text("separator").as_bytes().to_vec();
            if separator.is_empty() {
                return Err(Error::invalid("`separator` is empty")
                    .help("give the text between the fields of a key, e.g. \"_\"")
                    .field("separator"));
            }
            Field::Text { separator, field: params.int("field") as usize }
        }
        KeyKind::I64 | KeyKind::U64 => {
            let Some(_) = params.get("shift") else {
                return Err(Error::unsupported("integer keys without `shift`")
                    .help("say where the number stands, e.g. shift = 10, bits = 13")
                    .field("shift"));
            };
            let shift = params.int("shift") as u32;
            let bits = params.get("bits").map_or(64 - shift, |_| params.int("bits") as u32);
            if shift + bits > 64 {
                return Err(Error::invalid(format!(
                    "`shift` is {shift} and `bits` is {bits}: that is beyond the 64 bits of a key"
                ))
                .help(format!("allowed: at most {} bits from bit {shift} on", 64 - shift))
                .field("bits"));
            }
            Field::Bits { shift, mask: u64::MAX >> (64 - bits) }
        }
        KeyKind::Uuid => {
            return Err(Error::unsupported("a UUID holds no shard number")
                .help("take a key pattern with text or integer keys"));
        }
    };
    let numbers: Vec<NodeId> = build.cluster.nodes.iter().map(|n| n.id).collect();
    let slots = numbers.iter().map(|id| (*id).into()).collect();
    Ok(Box::new(EmbeddedId { field, base: params.int("base") as u64, numbers, slots }))
}

/// The number of row `i`; None if there is none. Numbers that fit no table come out as `u64::MAX`.
#[inline]
fn number(field: &Field, batch: &KeyBatch, i: usize) -> Option<u64> {
    match (field, batch.kind()) {
        (Field::Bits { shift, mask }, KeyKind::I64 | KeyKind::U64) => {
            Some((batch.ints[i] >> shift) & mask)
        }
        (Field::Text { separator, field }, KeyKind::Text | KeyKind::Bytes) => {
            parse(nth_field(batch.text.get(i), separator, *field)?)
        }
        _ => None,
    }
}

/// Field `n` of a text; None if it has fewer.
#[inline]
fn nth_field<'a>(text: &'a [u8], separator: &[u8], n: usize) -> Option<&'a [u8]> {
    let find = |text: &[u8]| match separator {
        [byte] => text.iter().position(|b| b == byte),
        _ => text.windows(separator.len()).position(|w| w == separator),
    };
    let mut rest = text;
    for _ in 0..n {
        rest = &rest[find(rest)? + separator.len()..];
    }
    Some(&rest[..find(rest).unwrap_or(rest.len())])
}

/// Decimal digits, perhaps after a minus. Negative and too large numbers come out as `u64::MAX`.
#[inline]
fn parse(text: &[u8]) -> Option<u64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let value =
        digits.iter().fold(0u64, |n, b| n.saturating_mul(10).saturating_add(u64::from(b - b'0')));
    Some(if negative && value > 0 { u64::MAX } else { value })
}

impl EmbeddedId {
    #[inline]
    fn owner(&self, number: u64) -> Slot {
        let position = number.checked_sub(self.base).and_then(|n| usize::try_from(n).ok());
        position.and_then(|n| self.slots.get(n)).copied().unwrap_or(Slot::MISROUTED)
    }

    /// The numbers in a cluster that has changed: newcomers get the next ones.
    fn renumbered(&self, cluster: &Cluster) -> Self {
        let mut numbers = self.numbers.clone();
        for node in &cluster.nodes {
            if !numbers.contains(&node.id) {
                numbers.push(node.id);
            }
        }
        let mut member = vec![false; cluster.ids];
        cluster.nodes.iter().for_each(|n| member[n.id.0 as usize] = true);
        let slot = |id: &NodeId| match member.get(id.0 as usize) {
            Some(true) => Slot::from(*id),
            _ => Slot::MISROUTED,
        };
        let slots = numbers.iter().map(slot).collect();
        EmbeddedId { numbers, slots, ..self.clone() }
    }
}

impl Placement for EmbeddedId {
    fn columns(&self) -> &[ColumnSpec] {
        &[]
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = number(&self.field, batch, i).map_or(Slot::ABSENT, |n| self.owner(n));
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        match &change.kind {
            ChangeKind::Set(_) | ChangeKind::Switch(_) | ChangeKind::Assign(_) => None,
            ChangeKind::Fail(_, OnFail::Unavailable) => Some(Ok(Box::new(self.clone()))),
            _ => Some(Ok(Box::new(self.renumbered(after.cluster)))),
        }
    }

    /// The number that all keys begin with, or the numbers in the bits between two integers.
    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        match &self.field {
            Field::Text { separator, field } => {
                let prefix = range.common_prefix();
                // Complete only when the next field has begun.
                nth_field(prefix, separator, field + 1)?;
                let number = nth_field(prefix, separator, *field).and_then(parse);
                Some(vec![number.map_or(Slot::ABSENT, |number| self.owner(number))])
            }
            Field::Bits { shift, mask } => {
                let (from, to) = range.numbers()?;
                let (first, last) = (from >> shift, (to - 1) >> shift);
                if last - first > i128::from(*mask) || last - first > self.slots.len() as i128 {
                    return Some(distinct(self.slots.iter().copied().chain([Slot::MISROUTED])));
                }
                let owner = |x: i128| self.owner((x as u64) & mask);
                Some(distinct((first..=last).map(owner)))
            }
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let what = match &self.field {
            Field::Text { separator, field } => {
                let separator = String::from_utf8_lossy(separator);
                format!("field {field} of the key, separated by \"{separator}\"")
            }
            Field::Bits { shift, mask } => {
                format!("(key >> {shift}) & {mask:#x}")
            }
        };
        let Some(number) = number(&self.field, &KeyBatch::single(key, &[]), 0) else {
            let steps = vec![ExplainStep { what, value: "no number".to_string() }];
            return Explanation { steps, slot: Slot::ABSENT };
        };
        let slot = self.owner(number);
        let shown = match number {
            u64::MAX => "a number below 0 or beyond any node".to_string(),
            number => format!("number {number}"),
        };
        let mut steps = vec![ExplainStep { what, value: shown }];
        if slot == Slot::MISROUTED {
            let (first, end) = (self.base, self.base + self.slots.len() as u64);
            let in_range = (first..end).contains(&number);
            let value = if in_range { "its node has left" } else { "no such number" };
            let what = format!("numbers given out: {first} .. {end}");
            steps.push(ExplainStep { what, value: value.to_string() });
        }
        Explanation { steps, slot }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.slots.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Node;
    use crate::error::ErrorKind;
    use crate::params::{Params, Value};
    use crate::strategy::place_one;

    fn with<T>(
        cluster: &Cluster,
        keys: KeyKind,
        given: &[(&str, Value)],
        run: impl FnOnce(&Build<'_>) -> T,
    ) -> T {
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let base = std::path::Path::new(".");
        run(&Build { cluster, params: &params, keys, replicas: 1, base })
    }

    fn check(placement: &dyn Placement, key: Key<'_>, slot: Slot) {
        assert_eq!(place_one(placement, &key), slot, "{key}");
        assert_eq!(placement.explain(&key).slot, slot, "{key}");
    }

    #[test]
    fn numbers_are_parsed_from_texts() {
        let cluster = Cluster::numbered(8, "db{i}");
        let placement = with(&cluster, KeyKind::Text, &[], build).unwrap();
        for (key, slot) in [
            ("NO_3_20250115001", Slot(3)),
            ("NO_0_", Slot(0)),
            ("_007", Slot(7)),
            ("NO_-0_1", Slot(0)),
            ("NO_8_1", Slot::MISROUTED),
            ("NO_-1_1", Slot::MISROUTED),
            ("NO_99999999999999999999999999_1", Slot::MISROUTED),
            ("NO_18446744073709551616_1", Slot::MISROUTED),
            ("NO", Slot::ABSENT),
            ("", Slot::ABSENT),
            ("NO__1", Slot::ABSENT),
            ("NO_x3_1", Slot::ABSENT),
            ("NO_-_1", Slot::ABSENT),
            ("NO_+3_1", Slot::ABSENT),
        ] {
            check(&*placement, Key::Text(key), slot);
        }
        let given = [
            ("separator", Value::Text("::".into())),
            ("field", Value::Int(0)),
            ("base", Value::Int(1)),
        ];
        let placement = with(&cluster, KeyKind::Text, &given, build).unwrap();
        check(&*placement, Key::Text("1::x"), Slot(0));
        check(&*placement, Key::Text("8"), Slot(7));
        check(&*placement, Key::Text("0::x"), Slot::MISROUTED);
        check(&*placement, Key::Text("1:x"), Slot::ABSENT);
    }

    #[test]
    fn numbers_are_cut_from_the_bits_of_integers() {
        let cluster = Cluster::numbered(8, "db{i}");
        let given = [("shift", Value::Int(10)), ("bits", Value::Int(13))];
        let placement = with(&cluster, KeyKind::I64, &given, build).unwrap();
        for id in [0u64, 5 << 10, (1341 << 23) | (7 << 10) | 1023, u64::MAX, 8 << 10] {
            let number = (u128::from(id) / 1024) % 8192;
            let slot = if number < 8 { Slot(number as u32) } else { Slot::MISROUTED };
            check(&*placement, Key::U64(id), slot);
            check(&*placement, Key::I64(id as i64), slot);
        }
        check(&*placement, Key::Text("5"), Slot::ABSENT);
        for bits in [None, Some(("bits", Value::Int(1)))] {
            let given: Vec<_> = std::iter::once(("shift", Value::Int(63))).chain(bits).collect();
            let placement = with(&cluster, KeyKind::I64, &given, build).unwrap();
            check(&*placement, Key::I64(-1), Slot(1));
        }
        let given = [("shift", Value::Int(60)), ("bits", Value::Int(5))];
        let error = with(&cluster, KeyKind::I64, &given, build).unwrap_err();
        assert_eq!(
            (error.field, &*error.help[0]),
            (Some("bits"), "allowed: at most 4 bits from bit 60 on")
        );
    }

    #[test]
    fn a_removed_node_leaves_a_gap_and_newcomers_get_the_next_numbers() {
        let mut cluster = Cluster::numbered(3, "db{i}");
        cluster.ids = 4;
        let start = with(&cluster, KeyKind::Text, &[], build).unwrap();
        let ids = |p: &dyn Placement| {
            ["a_0", "a_1", "a_2", "a_3", "a_4"].map(|key| place_one(p, &Key::Text(key)))
        };
        let step = |p: &dyn Placement, cluster: &Cluster, kind| {
            let change = Change { kind, text: String::new() };
            with(cluster, KeyKind::Text, &[], |b| p.evolve(&change, b)).unwrap().unwrap()
        };
        let gone = Slot::MISROUTED;
        let left = cluster.nodes.remove(0);
        let after = step(&*start, &cluster, ChangeKind::Remove(vec![NodeId(0)]));
        assert_eq!(ids(&*after), [gone, Slot(1), Slot(2), gone, gone]);
        assert_eq!(after.explain(&Key::Text("a_0")).steps[1].value, "its node has left");
        assert_eq!(after.explain(&Key::Text("a_3")).steps[1].value, "no such number");

        cluster.nodes.push(Node::named(3, "db3"));
        let after = step(&*after, &cluster, ChangeKind::Add(vec![NodeId(3)]));
        assert_eq!(ids(&*after), [gone, Slot(1), Slot(2), Slot(3), gone]);

        cluster.nodes.push(left);
        let after = step(&*after, &cluster, ChangeKind::Add(vec![NodeId(0)]));
        assert_eq!(ids(&*after), [Slot(0), Slot(1), Slot(2), Slot(3), gone]);
    }

    #[test]
    fn what_it_cannot_do_is_refused() {
        let cluster = Cluster::numbered(3, "db{i}");
        let error = |kind, given: &[(&str, Value)]| with(&cluster, kind, given, build).unwrap_err();
        assert_eq!(error(KeyKind::I64, &[]).kind, ErrorKind::Unsupported);
        assert_eq!(error(KeyKind::Uuid, &[]).kind, ErrorKind::Unsupported);
        let empty = error(KeyKind::Text, &[("separator", Value::Text(String::new()))]);
        assert_eq!((empty.kind, empty.field), (ErrorKind::Invalid, Some("separator")));
    }
}
