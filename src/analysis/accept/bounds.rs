//! The ends of the key space: no panic, a node that exists, every other outcome stated.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Check, GroupInfo, Suite, outcome_name};
use crate::analysis::disagree::Side;
use crate::error::{Error, ErrorKind};
use crate::keys::{Key, KeyBatch, KeyKind, MAX_KEY};
use crate::sim::Progress;
use crate::strategy::{Slot, place_one};

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "bounds",
    question: "Do the smallest, largest, negative, empty, long and non-ASCII keys get a node?",
    run,
};

/// A type of keys as the suite calls it, with the keys at its ends: what each is, and the key.
struct Ends {
    name: &'static str,
    kind: KeyKind,
    keys: Vec<(String, OwnKey)>,
}

/// A key that owns its text.
enum OwnKey {
    Text(String),
    I64(i64),
    U64(u64),
}

impl OwnKey {
    fn key(&self) -> Key<'_> {
        match self {
            OwnKey::Text(text) => Key::Text(text),
            OwnKey::I64(i) => Key::I64(*i),
            OwnKey::U64(u) => Key::U64(*u),
        }
    }
}

fn ends() -> [Ends; 3] {
    let int = |i: i64| (i.to_string(), OwnKey::I64(i));
    let around = |n: i64| [n - 1, n, n + 1];
    let mut integers = vec![i64::MIN, i64::MIN + 1];
    integers.extend(around(i64::from(i32::MIN)));
    integers.extend([-65_537, -256, -2, -1, 0, 1, 2, 255]);
    integers.extend(around(i64::from(i32::MAX)));
    integers.extend(around(1 << 32));
    integers.extend(around(1 << 53));
    integers.extend([i64::MAX - 1, i64::MAX]);
    let uint = |u: u64| (u.to_string(), OwnKey::U64(u));
    let unsigned = [0, 1, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, u64::MAX - 1, u64::MAX];
    let text = |what: &str, text: &str| (what.to_string(), OwnKey::Text(text.to_string()));
    let texts = vec![
        text("empty", ""),
        text("one space", " "),
        text("`0`", "0"),
        text("`-1`", "-1"),
        text("smallest 64-bit integer as text", &i64::MIN.to_string()),
        text("largest 64-bit integer as text", &u64::MAX.to_string()),
        text("one NUL", "\0"),
        text("63 bytes", &"k".repeat(63)),
        text("64 bytes", &"k".repeat(64)),
        text("65 bytes", &"k".repeat(65)),
        text(&format!("{MAX_KEY} bytes"), &"k".repeat(MAX_KEY)),
        text("two-byte UTF-8", "é"),
        text("the same as letter and accent", "e\u{301}"),
        text("Chinese", "订单号20250115"),
        text("four-byte UTF-8", "🔑"),
        text("right-to-left", "مفتاح"),
        text("largest code point", "\u{10ffff}"),
        text("line break", "a\nb"),
        text("empty hash tag", "{}"),
        text("open hash tag", "{a"),
    ];
    [
        Ends { name: "text", kind: KeyKind::Text, keys: texts },
        Ends { name: "int", kind: KeyKind::I64, keys: integers.into_iter().map(int).collect() },
        Ends { name: "uint", kind: KeyKind::U64, keys: unsigned.map(uint).into() },
    ]
}

/// The keys at the ends by type, as texts; those of up to `longest` bytes.
pub(super) fn end_keys(longest: usize) -> Vec<(KeyKind, Vec<String>)> {
    let texts = |ends: Ends| {
        let texts = ends.keys.iter().map(|(_, key)| key.key().to_string());
        texts.filter(|text| text.len() <= longest).collect()
    };
    ends().into_iter().map(|ends| (ends.kind, texts(ends))).collect()
}

fn run(suite: &Suite<'_>, _progress: &dyn Progress) -> Result<Vec<Check>, Error> {
    ends().into_iter().map(|ends| check(suite, &ends)).collect()
}

fn check(suite: &Suite<'_>, ends: &Ends) -> Result<Check, Error> {
    let what = format!("{} keys at the ends", ends.name);
    let side = match (suite.place)(ends.kind) {
        Ok(side) => side,
        Err(error) if error.kind == ErrorKind::Unsupported => {
            return Ok(Check::skipped(INFO.name, what, error.message));
        }
        Err(error) => return Err(error),
    };
    let mut faults = 0;
    let mut details = Vec::new();
    for (name, key) in &ends.keys {
        let found = catch_unwind(AssertUnwindSafe(|| place(&side, suite.replicas, &key.key())));
        let problem = match found {
            Err(_) => Some("panics".to_string()),
            Ok(slot) => problem(suite, &side, slot, name, &mut details),
        };
        if let Some(problem) = problem {
            faults += 1;
            details.push(format!("{name}: {problem}"));
        }
    }
    let mut check = Check::faults(INFO.name, what, ends.keys.len() as u64, faults);
    check.details = details;
    Ok(check)
}

fn place(side: &Side<'_>, replicas: usize, key: &Key<'_>) -> Slot {
    let placement = side.placement.as_ref();
    let slot = if let Some(mut session) = placement.session() {
        let batch = KeyBatch::single(key, placement.columns());
        let digests: Vec<u64> =
            placement.columns().iter().map(|column| batch.digests(column)[0]).collect();
        session.route(&digests)
    } else if replicas > 1 {
        let batch = KeyBatch::single(key, placement.columns());
        let mut out = vec![Slot::ABSENT; replicas];
        placement.place(&batch, &mut out);
        out[0]
    } else {
        place_one(placement, key)
    };
    let down = slot.node().is_some_and(|node| side.cluster.down.contains(&node));
    if down { Slot::ABSENT } else { slot }
}

/// What is wrong with where a key ended; an outcome that is allowed is told all the same.
fn problem(
    suite: &Suite<'_>,
    side: &Side<'_>,
    slot: Slot,
    name: &str,
    details: &mut Vec<String>,
) -> Option<String> {
    match slot.node() {
        Some(node) if side.cluster.node(node).is_some() => None,
        Some(node) => Some(format!("is on node number {}, which does not exist", node.0)),
        None if suite.limits.allowed.contains(&slot) => {
            details.push(format!("{name}: {}, allowed", outcome_name(slot)));
            None
        }
        None => Some(format!("{}, not allowed", outcome_name(slot))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_all_there_once() {
        for ends in ends() {
            let mut texts: Vec<String> =
                ends.keys.iter().map(|(_, key)| key.key().to_string()).collect();
            let count = texts.len();
            texts.sort();
            texts.dedup();
            assert_eq!(texts.len(), count, "{} repeat", ends.name);
        }
        let [texts, ints, uints] = ends();
        let has =
            |ends: &Ends, text: &str| ends.keys.iter().any(|(_, k)| k.key().to_string() == text);
        assert!(has(&texts, "") && has(&texts, &"k".repeat(64)) && has(&texts, "🔑"));
        assert!(has(&ints, &i64::MIN.to_string()) && has(&ints, &i64::MAX.to_string()));
        assert!(has(&ints, "-1") && has(&uints, &u64::MAX.to_string()));
    }
}
