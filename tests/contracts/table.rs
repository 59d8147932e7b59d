//! What every strategy must do, written by hand: not read from the strategies' own facts.
//!
//! To add a strategy: a row of its defaults (`default: true`), and further rows for parameters under
//! which it must behave differently.

use shardlab::strategy::{History, Movement, Order, Slot, Weights};

use crate::facts::{
    DIGITS, Facts, Fixture, Gains, Given, HEX, IDS, NUMBERS, ONE_YEAR, Restore, SHARD_BITS,
    SHARDED, SIX_YEARS, TAGGED, USERS,
};

/// A strategy with a table that hashes names: the most common kind.
const NAMED: Facts = Facts {
    add: Movement::Minimal,
    gains: Gains::Keys,
    remove: Movement::Minimal,
    removable: true,
    orphans: None,
    restore: Restore::Always,
    history: History::Free,
    order: Order::Free,
    weights: Weights::Rounded,
    names: true,
    replicas: false,
    sessions: false,
    ownership: true,
    outcomes: false,
    random: true,
    to_the_entry: false,
    least: 1,
};

/// A strategy that goes by position.
const POSITIONAL: Facts = Facts {
    order: Order::Dependent,
    remove: Movement::Full,
    restore: Restore::InPlace,
    weights: Weights::Equal,
    names: false,
    ..NAMED
};

/// A removed node's position stays open for it.
const REPLACE: Facts = Facts {
    remove: Movement::Minimal,
    orphans: Some(Slot::ABSENT),
    restore: Restore::Always,
    history: History::Dependent,
    ..POSITIONAL
};

/// Many buckets dealt out in node order, of which a change moves the fewest.
const BUCKETS: Facts = Facts {
    restore: Restore::Never,
    history: History::Dependent,
    order: Order::Dependent,
    names: false,
    to_the_entry: true,
    ..NAMED
};

/// Range i on the i-th node. The seven ranges of the fixtures leave the eighth node without keys.
const BOUNDS: Facts = Facts {
    gains: Gains::Nothing,
    weights: Weights::Fixed,
    ownership: false,
    random: false,
    least: 7,
    ..POSITIONAL
};

/// The month of an order number, going round the nodes.
const MONTHS: Facts = Facts { add: Movement::Full, gains: Gains::Keys, least: 1, ..BOUNDS };

/// The shard's number in the key.
const EMBEDDED: Facts = Facts {
    gains: Gains::Outcome(Slot::MISROUTED),
    remove: Movement::Minimal,
    orphans: Some(Slot::MISROUTED),
    restore: Restore::Always,
    history: History::Dependent,
    outcomes: true,
    least: 1,
    ..BOUNDS
};

/// A map from a file that names all eight nodes.
const WRITTEN: Facts = Facts {
    gains: Gains::Nothing,
    orphans: Some(Slot::ABSENT),
    weights: Weights::Fixed,
    names: false,
    least: 8,
    ..NAMED
};

/// A bucket for every node, kept from when it comes to when it goes.
const ROSTER: Facts = Facts {
    remove: Movement::Minimal,
    restore: Restore::Always,
    history: History::Dependent,
    ownership: false,
    ..POSITIONAL
};

/// Groups of nodes, formed anew after every change.
const MIXED: Facts =
    Facts { add: Movement::Full, ownership: false, random: false, least: 2, ..POSITIONAL };

const MODULO: Facts = Facts { add: Movement::Full, ..POSITIONAL };
const RING: Facts = Facts { replicas: true, ..NAMED };

/// Requests pass by nodes that are full.
const BOUNDED: Facts = Facts {
    add: Movement::Bounded,
    remove: Movement::Bounded,
    sessions: true,
    ownership: false,
    ..NAMED
};

const HASHED: &[&str] = &["murmur3-32", "xxh3-64", "md5"];

const DEFAULTS: Fixture =
    Fixture { strategy: "", given: &[], hashers: HASHED, keys: USERS, default: true, facts: NAMED };
const VARIANT: Fixture = Fixture { default: false, hashers: &["murmur3-32"], ..DEFAULTS };

/// A ring of 16 bits, where nodes share many points. CRC-16 spreads labels and keys by a pattern of its own.
const TIES: Fixture = Fixture {
    strategy: "ring",
    given: &[("vnodes", Given::Int(2000))],
    hashers: &["crc16-xmodem"],
    ..VARIANT
};
const SHARED_POINTS: Facts = Facts { random: false, ..RING };

/// Modes have no default: the strategy's own facts are the weakest over them.
const RANGE: Fixture = Fixture { strategy: "range", hashers: &[], keys: NUMBERS, ..DEFAULTS };
const SIX_BOUNDS: &[i64] = &[150_000, 300_000, 450_000, 600_000, 750_000, 900_000];
const SEVEN_BOUNDS: &[i64] = &[125_000, 250_000, 375_000, 500_000, 625_000, 750_000, 875_000];

pub const TABLE: &[Fixture] = &[
    Fixture { strategy: "modulo", facts: MODULO, ..DEFAULTS },
    Fixture {
        strategy: "modulo",
        given: &[("on-remove", Given::Text("replace"))],
        facts: Facts { add: Movement::Full, ..REPLACE },
        ..VARIANT
    },
    Fixture {
        strategy: "modulo",
        given: &[("on-remove", Given::Text("swap-last"))],
        facts: Facts { restore: Restore::Never, history: History::Dependent, ..MODULO },
        ..VARIANT
    },
    Fixture {
        strategy: "modulo",
        given: &[("on-remove", Given::Text("refuse"))],
        facts: Facts { removable: false, ..MODULO },
        ..VARIANT
    },
    Fixture {
        strategy: "modulo",
        given: &[("sign", Given::Text("remainder"))],
        hashers: HASHED,
        facts: Facts { outcomes: true, ..MODULO },
        ..VARIANT
    },
    Fixture {
        strategy: "modulo",
        given: &[("sign", Given::Text("floor"))],
        hashers: HASHED,
        facts: MODULO,
        ..VARIANT
    },
    Fixture {
        strategy: "modulo",
        hashers: &["identity"],
        keys: IDS,
        facts: Facts { ownership: false, ..MODULO },
        ..VARIANT
    },
    Fixture { strategy: "ring", facts: RING, ..DEFAULTS },
    Fixture {
        strategy: "ring",
        given: &[("lookup", Given::Text("sorted")), ("vnodes", Given::Int(1))],
        facts: RING,
        ..VARIANT
    },
    Fixture {
        strategy: "ring",
        given: &[("lookup", Given::Text("skip-list"))],
        facts: RING,
        ..VARIANT
    },
    Fixture {
        strategy: "ring",
        given: &[("lookup", Given::Text("slot-table"))],
        facts: RING,
        ..VARIANT
    },
    Fixture { facts: SHARED_POINTS, ..TIES },
    Fixture {
        given: &[("vnodes", Given::Int(2000)), ("tie", Given::Text("first"))],
        facts: Facts { order: Order::Dependent, restore: Restore::InPlace, ..SHARED_POINTS },
        ..TIES
    },
    Fixture {
        given: &[("vnodes", Given::Int(2000)), ("tie", Given::Text("last"))],
        facts: Facts { order: Order::Dependent, restore: Restore::InPlace, ..SHARED_POINTS },
        ..TIES
    },
    Fixture { strategy: "jump", facts: POSITIONAL, ..DEFAULTS },
    Fixture {
        strategy: "jump",
        given: &[("on-remove", Given::Text("replace"))],
        facts: REPLACE,
        ..VARIANT
    },
    Fixture {
        strategy: "jump",
        given: &[("on-remove", Given::Text("swap-last"))],
        facts: Facts {
            remove: Movement::Bounded,
            restore: Restore::Never,
            history: History::Dependent,
            ..POSITIONAL
        },
        ..VARIANT
    },
    Fixture {
        strategy: "rendezvous",
        facts: Facts { weights: Weights::Exact, replicas: true, ownership: false, ..NAMED },
        ..DEFAULTS
    },
    Fixture {
        strategy: "maglev",
        facts: Facts { add: Movement::Bounded, remove: Movement::Bounded, ..NAMED },
        ..DEFAULTS
    },
    Fixture { strategy: "bounded-ring", facts: BOUNDED, ..DEFAULTS },
    Fixture { strategy: "bucket-table", facts: BUCKETS, ..DEFAULTS },
    Fixture {
        strategy: "bucket-table",
        given: &[
            ("buckets", Given::Int(1000)),
            ("reduce", Given::Text("multiply-shift")),
            ("layout", Given::Text("round-robin")),
        ],
        facts: BUCKETS,
        ..VARIANT
    },
    Fixture { strategy: "redis-slots", hashers: &[], keys: TAGGED, facts: BUCKETS, ..DEFAULTS },
    Fixture {
        strategy: "redis-slots",
        given: &[("tag", Given::Text("whole"))],
        hashers: &[],
        keys: TAGGED,
        facts: BUCKETS,
        ..VARIANT
    },
    Fixture {
        given: &[("mode", Given::Text("bounds")), ("bounds", Given::Ints(SIX_BOUNDS))],
        facts: BOUNDS,
        ..RANGE
    },
    Fixture {
        given: &[("mode", Given::Text("bounds")), ("bounds", Given::Ints(SEVEN_BOUNDS))],
        facts: Facts { removable: false, least: 8, ..BOUNDS },
        default: false,
        ..RANGE
    },
    Fixture {
        given: &[
            ("mode", Given::Text("bounds")),
            ("text-bounds", Given::Texts(&["2", "4", "6", "8", "a", "c"])),
        ],
        keys: HEX,
        facts: BOUNDS,
        default: false,
        ..RANGE
    },
    Fixture {
        given: &[("mode", Given::Text("chunks")), ("to", Given::Int(1_000_000))],
        facts: Facts { ownership: false, ..BUCKETS },
        ..RANGE
    },
    Fixture {
        given: &[
            ("mode", Given::Text("chunks")),
            ("to", Given::Int(80_000)),
            ("chunks", Given::Int(160)),
            ("digits", Given::Text("2..8")),
        ],
        keys: DIGITS,
        facts: Facts { ownership: false, outcomes: true, random: false, ..BUCKETS },
        default: false,
        ..RANGE
    },
    Fixture {
        given: &[("mode", Given::Text("month")), ("first-month", Given::Text("202501"))],
        keys: SIX_YEARS,
        facts: MONTHS,
        ..RANGE
    },
    Fixture {
        given: &[
            ("mode", Given::Text("month")),
            ("first-month", Given::Text("202501")),
            ("assign", Given::Text("one-each")),
        ],
        keys: ONE_YEAR,
        facts: Facts {
            add: Movement::Minimal,
            gains: Gains::Outcome(Slot::ABSENT),
            outcomes: true,
            ..MONTHS
        },
        ..RANGE
    },
    Fixture { strategy: "embedded-id", hashers: &[], keys: SHARDED, facts: EMBEDDED, ..DEFAULTS },
    Fixture {
        strategy: "embedded-id",
        given: &[("shift", Given::Int(10)), ("bits", Given::Int(13))],
        hashers: &[],
        keys: SHARD_BITS,
        facts: EMBEDDED,
        ..VARIANT
    },
    Fixture {
        strategy: "table",
        given: &[("file", Given::Text("buckets.csv"))],
        facts: WRITTEN,
        ..DEFAULTS
    },
    Fixture {
        strategy: "table",
        given: &[("file", Given::Text("ranges.csv")), ("by", Given::Text("range"))],
        hashers: &[],
        keys: HEX,
        facts: Facts { ownership: false, outcomes: true, random: false, ..WRITTEN },
        ..VARIANT
    },
    Fixture { strategy: "jumpback", facts: POSITIONAL, ..DEFAULTS },
    Fixture { strategy: "flip", facts: POSITIONAL, ..DEFAULTS },
    Fixture { strategy: "power", facts: POSITIONAL, ..DEFAULTS },
    Fixture { strategy: "binomial", facts: POSITIONAL, ..DEFAULTS },
    Fixture {
        strategy: "jumpback",
        given: &[("on-remove", Given::Text("replace"))],
        facts: REPLACE,
        ..VARIANT
    },
    Fixture {
        strategy: "multi-probe",
        facts: Facts { weights: Weights::Equal, ownership: false, ..NAMED },
        ..DEFAULTS
    },
    Fixture { strategy: "hash-range", facts: MODULO, ..DEFAULTS },
    Fixture { strategy: "anchor", facts: ROSTER, ..DEFAULTS },
    Fixture { strategy: "dx", facts: ROSTER, ..DEFAULTS },
    Fixture { strategy: "memento", facts: ROSTER, ..DEFAULTS },
    Fixture { strategy: "auto-split", facts: Facts { ownership: true, ..ROSTER }, ..DEFAULTS },
    Fixture {
        strategy: "fixed-ring",
        facts: Facts { add: Movement::Bounded, remove: Movement::Bounded, ..RING },
        ..DEFAULTS
    },
    Fixture {
        strategy: "straw2",
        facts: Facts { names: false, ownership: false, ..RING },
        ..DEFAULTS
    },
    Fixture {
        strategy: "bounded-rendezvous",
        facts: Facts { weights: Weights::Exact, ..BOUNDED },
        ..DEFAULTS
    },
    Fixture { strategy: "bounded-forward", facts: BOUNDED, ..DEFAULTS },
    Fixture { strategy: "two-level", facts: BUCKETS, ..DEFAULTS },
    Fixture {
        strategy: "two-level",
        given: &[("split", Given::Text("same"))],
        facts: Facts { random: false, ..BUCKETS },
        ..VARIANT
    },
    Fixture {
        strategy: "two-level",
        given: &[
            ("split", Given::Text("block")),
            ("databases", Given::Int(24)),
            ("tables", Given::Int(10)),
        ],
        facts: BUCKETS,
        ..VARIANT
    },
    Fixture {
        strategy: "mixed",
        given: &[("bounds", Given::Ints(&[333_333, 666_667]))],
        keys: NUMBERS,
        facts: Facts { least: 3, ..MIXED },
        ..DEFAULTS
    },
    Fixture {
        strategy: "mixed",
        given: &[("bounds", Given::Ints(&[500_000])), ("mode", Given::Text("range-in-hash"))],
        keys: NUMBERS,
        facts: Facts { add: Movement::Minimal, gains: Gains::Nothing, ..MIXED },
        ..VARIANT
    },
    Fixture { strategy: "lookup-table", facts: BUCKETS, ..DEFAULTS },
    Fixture {
        strategy: "rack-aware",
        facts: Facts { weights: Weights::Exact, ..BOUNDED },
        ..DEFAULTS
    },
];
