//! What can be said of a strategy in `table.rs`: fixtures, their keys, and the facts that must hold.

use shardlab::hash::mix::fmix64;
use shardlab::keys::KeyKind;
use shardlab::params::Value;
use shardlab::strategy::{History, Movement, Order, Slot, Weights};

/// One strategy under one choice of parameters.
#[derive(Debug, Clone, Copy)]
pub struct Fixture {
    pub strategy: &'static str,
    /// Parameters given, but for `hasher`.
    pub given: &'static [(&'static str, Given)],
    /// Hashers to try; none for strategies without.
    pub hashers: &'static [&'static str],
    /// The keys.
    pub keys: Keys,
    /// Whether the row must agree with the strategy's own facts. Where parameters without a default
    /// decide how it behaves there are several such rows, and its facts are the weakest of them.
    pub default: bool,
    pub facts: Facts,
}

/// A parameter's value that a static can hold.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    Int(i64),
    Text(&'static str),
    Ints(&'static [i64]),
    Texts(&'static [&'static str]),
}

impl Given {
    pub fn value(self) -> Value {
        match self {
            Given::Int(i) => Value::Int(i),
            Given::Text(t) => Value::Text(t.to_string()),
            Given::Ints(list) => Value::List(list.iter().map(|i| Value::Int(*i)).collect()),
            Given::Texts(list) => {
                Value::List(list.iter().map(|t| Value::Text(t.to_string())).collect())
            }
        }
    }
}

/// Where the keys come from.
#[derive(Debug, Clone, Copy)]
pub struct Keys {
    pub kind: KeyKind,
    /// Text of key `i`; integers in decimal.
    pub text: fn(u64) -> String,
}

pub const USERS: Keys = Keys { kind: KeyKind::Text, text: |i| format!("user:{i}") };
/// Both signs, not spread over the 64 bits.
pub const IDS: Keys = Keys { kind: KeyKind::I64, text: |i| (i as i64 - 1000).to_string() };

/// Hexadecimal digits, spread over all of them.
pub const HEX: Keys = Keys { kind: KeyKind::Text, text: |i| format!("{:016x}", fmix64(i)) };
/// A hash tag, then what is not hashed.
pub const TAGGED: Keys =
    Keys { kind: KeyKind::Text, text: |i| format!("{{user{:x}}}:x", fmix64(i)) };
/// Spread over 0 to a million.
pub const NUMBERS: Keys =
    Keys { kind: KeyKind::I64, text: |i| (fmix64(i) % 1_000_000).to_string() };
/// Six digits behind a prefix; one key in eleven has a letter among them.
pub const DIGITS: Keys = Keys {
    kind: KeyKind::Text,
    text: |i| {
        let letter = if i % 11 == 10 { "x" } else { "0" };
        format!("NO{letter}{:05}", fmix64(i) % 100_000)
    },
};
/// Order numbers of six years, 2025 on.
pub const SIX_YEARS: Keys = Keys { kind: KeyKind::Text, text: |i| order_number(i, 72) };
/// Order numbers of 2025.
pub const ONE_YEAR: Keys = Keys { kind: KeyKind::Text, text: |i| order_number(i, 12) };
/// Order numbers of the shards 0 to 9, and every eleventh of none.
pub const SHARDED: Keys = Keys {
    kind: KeyKind::Text,
    text: |i| match i % 11 {
        10 => format!("NO_x_20250115{i:06}"),
        shard => format!("NO_{shard}_20250115{i:06}"),
    },
};
/// Ids with one of the shards 0 to 9 in the 13 bits from bit 10 on.
pub const SHARD_BITS: Keys =
    Keys { kind: KeyKind::U64, text: |i| ((i << 23) | ((i % 10) << 10) | (i % 1024)).to_string() };

/// An order number of the 15th of one of so many months.
fn order_number(i: u64, months: u64) -> String {
    let month = i % months;
    format!("NO{}{:02}15{i:06}", 2025 + month / 12, month % 12 + 1)
}

/// What an added node takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gains {
    /// Keys of other nodes.
    Keys,
    /// Only keys that ended in this outcome before.
    Outcome(Slot),
    /// Nothing.
    Nothing,
}

/// Whether a node that was removed and added again has the keys that it had, and nobody else's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Restore {
    /// Wherever in the list it comes back.
    Always,
    /// Only at its old position in the list.
    InPlace,
    Never,
}

/// What must hold.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Minimal: an added node gains, nothing else moves. Bounded: something else moves, but all in
    /// all at most three times the new node's share. Full: more than that.
    pub add: Movement,
    pub gains: Gains,
    /// The same for the removal of the second of eight nodes.
    pub remove: Movement,
    /// Whether a node can be removed at all; if not, the change is unsupported.
    pub removable: bool,
    /// The outcome in which the keys of a removed node end; None: they go to other nodes.
    pub orphans: Option<Slot>,
    pub restore: Restore,
    pub history: History,
    pub order: Order,
    /// Equal: unequal weights are unsupported. Fixed: they change nothing.
    pub weights: Weights,
    /// Whether the names of the nodes matter.
    pub names: bool,
    pub replicas: bool,
    pub sessions: bool,
    /// Whether exact ownership is given.
    pub ownership: bool,
    /// Whether some keys end in an outcome instead of a node.
    pub outcomes: bool,
    /// Whether labels and keys fall as if at random, so that shares are judged.
    pub random: bool,
    /// Whether shares follow the weights to within one entry of the table.
    pub to_the_entry: bool,
    /// Fewest nodes for which it can be built.
    pub least: usize,
}
