//! Views: what a hasher sees of a key.
//!
//! A view is written as its name, with numbers after a colon where it takes them: `whole`,
//! `hash-tag`, `slice:0..4`. To add one: a function that writes the seen bytes, and its line in [`ALL`].

use std::fmt;

use super::{Key, latin1};
use crate::error::Error;
use crate::hash::java::java_long;
use crate::hash::java_string::java_string;
use crate::hash::postgres::fold_int8;

/// A view's static facts.
pub struct ViewInfo {
    /// Name in scenario files, before the colon.
    pub name: &'static str,
    /// How it is written, with its numbers if it takes any.
    pub syntax: &'static str,
    /// What the hasher sees.
    pub doc: &'static str,
    /// How many numbers follow the colon.
    pub numbers: usize,
    /// Appends what the hasher sees.
    pub write: fn(numbers: [u32; 2], key: &Key<'_>, out: &mut Vec<u8>),
    /// Whether it sees the same of every text that begins so.
    pub fixed_by: fn(numbers: [u32; 2], prefix: &[u8]) -> bool,
}

/// All views, in the order in which lists show them.
pub static ALL: &[ViewInfo] = &[
    ViewInfo {
        name: "whole",
        syntax: "whole",
        doc: "the key's text: integers in decimal, UUIDs hyphenated in lower case",
        numbers: 0,
        write: |_, key, out| write_whole(key, out),
        fixed_by: never,
    },
    ViewInfo {
        name: "hash-tag",
        syntax: "hash-tag",
        doc: "the bytes between the first `{` and the first `}` after it, if there are any; else the whole key (Redis Cluster)",
        numbers: 0,
        write: |_, key, out| {
            let start = out.len();
            write_whole(key, out);
            if let Some(tag) = hash_tag(&out[start..]) {
                out.copy_within(start + tag.start..start + tag.end, start);
                out.truncate(start + tag.len());
            }
        },
        fixed_by: |_, prefix| hash_tag(prefix).is_some(),
    },
    ViewInfo {
        name: "between",
        syntax: "between:OPEN..CLOSE",
        doc: "the bytes between the first byte OPEN and the first byte CLOSE after it, both given as numbers, if there are any; else the whole key (twemproxy; {} is between:123..125)",
        numbers: 2,
        write: |[open, close], key, out| {
            let start = out.len();
            write_whole(key, out);
            if let Some(tag) = between(&out[start..], open, close) {
                out.copy_within(start + tag.start..start + tag.end, start);
                out.truncate(start + tag.len());
            }
        },
        fixed_by: |[open, close], prefix| between(prefix, open, close).is_some(),
    },
    ViewInfo {
        name: "slice",
        syntax: "slice:FROM..TO",
        doc: "bytes FROM (from 0) up to but not including TO of the key's text, as far as it has them",
        numbers: 2,
        write: |[from, to], key, out| {
            let start = out.len();
            write_whole(key, out);
            let len = out.len() - start;
            let (from, to) = ((from as usize).min(len), (to as usize).min(len));
            out.copy_within(start + from..start + to, start);
            out.truncate(start + to - from);
        },
        fixed_by: |[_, to], prefix| prefix.len() >= to as usize,
    },
    ViewInfo {
        name: "utf16le",
        syntax: "utf16le",
        doc: "the key's text as UTF-16 units, low byte first",
        numbers: 0,
        write: |_, key, out| {
            for unit in key.to_string().encode_utf16() {
                out.extend_from_slice(&unit.to_le_bytes());
            }
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "i32-be",
        syntax: "i32-be",
        doc: "integers as 4 bytes, high byte first, of their low 32 bits; other keys whole",
        numbers: 0,
        write: |_, key, out| match int_bits(key) {
            Some(bits) => out.extend_from_slice(&(bits as u32).to_be_bytes()),
            None => write_whole(key, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "i32-le",
        syntax: "i32-le",
        doc: "integers as 4 bytes, low byte first, of their low 32 bits; other keys whole",
        numbers: 0,
        write: |_, key, out| match int_bits(key) {
            Some(bits) => out.extend_from_slice(&(bits as u32).to_le_bytes()),
            None => write_whole(key, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "i64-be",
        syntax: "i64-be",
        doc: "integers as 8 bytes, high byte first; other keys whole",
        numbers: 0,
        write: |_, key, out| match key {
            Key::I64(i) => out.extend_from_slice(&i.to_be_bytes()),
            Key::U64(u) => out.extend_from_slice(&u.to_be_bytes()),
            other => write_whole(other, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "i64-le",
        syntax: "i64-le",
        doc: "integers as 8 bytes, low byte first; other keys whole",
        numbers: 0,
        write: |_, key, out| match key {
            Key::I64(i) => out.extend_from_slice(&i.to_le_bytes()),
            Key::U64(u) => out.extend_from_slice(&u.to_le_bytes()),
            other => write_whole(other, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "uuid-bytes",
        syntax: "uuid-bytes",
        doc: "UUIDs as their 16 bytes; other keys whole",
        numbers: 0,
        write: |_, key, out| match key {
            Key::Uuid(u) => out.extend_from_slice(&u.to_be_bytes()),
            other => write_whole(other, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "json",
        syntax: "json",
        doc: "the key's text as a JSON string, quotes included; integers bare",
        numbers: 0,
        write: |_, key, out| match key {
            Key::I64(_) | Key::U64(_) => write_whole(key, out),
            other => {
                let text = serde_json::to_string(&other.to_string()).expect("a string is JSON");
                out.extend_from_slice(text.as_bytes());
            }
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "trimmed",
        syntax: "trimmed",
        doc: "the key's text without the spaces at its end (SQL collations that pad)",
        numbers: 0,
        write: |_, key, out| {
            let start = out.len();
            write_whole(key, out);
            while out.len() > start && out.last() == Some(&b' ') {
                out.pop();
            }
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "latin1",
        syntax: "latin1",
        doc: "the key's text as bytes of MySQL's latin1, which is Windows-1252; `?` for what that has not",
        numbers: 0,
        write: |_, key, out| {
            let start = out.len();
            write_whole(key, out);
            if let Ok(text) = std::str::from_utf8(&out[start..]) {
                let bytes: Vec<u8> =
                    text.chars().map(|c| latin1::byte(c).unwrap_or(b'?')).collect();
                out.truncate(start);
                out.extend_from_slice(&bytes);
            }
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "length-prefixed",
        syntax: "length-prefixed",
        doc: "the key's text after its length in bytes, which is 4 bytes, high byte first (strings in Hazelcast)",
        numbers: 0,
        write: |_, key, out| {
            let start = out.len();
            out.extend_from_slice(&[0; 4]);
            write_whole(key, out);
            let len = (out.len() - start - 4) as u32;
            out[start..start + 4].copy_from_slice(&len.to_be_bytes());
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "java-hash-code",
        syntax: "java-hash-code",
        doc: "the hashCode that Java gives the key as String, Long or UUID, as 4 bytes, low byte first (Flink)",
        numbers: 0,
        write: |_, key, out| out.extend_from_slice(&java_hash_code(key).to_le_bytes()),
        fixed_by: never,
    },
    ViewInfo {
        name: "postgres-int",
        syntax: "postgres-int",
        doc: "integers as the 4 bytes that PostgreSQL hashes, an int8's halves folded; other keys whole",
        numbers: 0,
        write: |_, key, out| match int_bits(key) {
            Some(bits) => out.extend_from_slice(&fold_int8(bits as i64).to_le_bytes()),
            None => write_whole(key, out),
        },
        fixed_by: never,
    },
    ViewInfo {
        name: "mongodb",
        syntax: "mongodb",
        doc: "what mongodb-hashed hashes: canonical type and value; integers as NumberLong, other keys' text as String",
        numbers: 0,
        write: |_, key, out| write_mongodb(key, out),
        fixed_by: never,
    },
    ViewInfo {
        name: "aerospike",
        syntax: "aerospike",
        doc: "what Aerospike hashes after the set's name: 1 and an integer's 8 bytes, high byte first; 3 and any other key's text",
        numbers: 0,
        write: |_, key, out| match int_bits(key) {
            Some(bits) => {
                out.push(1);
                out.extend_from_slice(&bits.to_be_bytes());
            }
            None => {
                out.push(3);
                write_whole(key, out);
            }
        },
        fixed_by: never,
    },
];

/// A view with its numbers.
#[derive(Clone, Copy)]
pub struct View {
    info: &'static ViewInfo,
    numbers: [u32; 2],
}

impl View {
    /// The whole key.
    pub fn whole() -> Self {
        View { info: &ALL[0], numbers: [0; 2] }
    }

    /// Parses the text form.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (name, tail) = text.split_once(':').unwrap_or((text, ""));
        let info = ALL
            .iter()
            .find(|v| v.name == name)
            .ok_or_else(|| Error::unknown("view", name, ALL.iter().map(|v| v.name)))?;
        let wrong = || Error::invalid("not a view").help(format!("write `{}`", info.syntax));
        let parts: Vec<&str> =
            if tail.is_empty() { Vec::new() } else { tail.split("..").collect() };
        if parts.len() != info.numbers {
            return Err(wrong());
        }
        let mut numbers = [0; 2];
        for (number, part) in numbers.iter_mut().zip(parts) {
            *number = part.parse().map_err(|_| wrong())?;
        }
        if info.syntax.ends_with("FROM..TO") && numbers[0] >= numbers[1] {
            return Err(wrong().help("TO must be larger than FROM"));
        }
        Ok(View { info, numbers })
    }

    /// Whether it is the whole key.
    pub fn is_whole(&self) -> bool {
        self.info.name == "whole"
    }

    /// Whether it sees the same of every text that begins so: all those keys have one digest.
    pub fn is_fixed_by(&self, prefix: &[u8]) -> bool {
        (self.info.fixed_by)(self.numbers, prefix)
    }

    /// Appends what the hasher sees.
    pub fn write(&self, key: &Key<'_>, out: &mut Vec<u8>) {
        (self.info.write)(self.numbers, key, out);
    }
}

impl PartialEq for View {
    fn eq(&self, other: &Self) -> bool {
        self.info.name == other.info.name && self.numbers == other.numbers
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.info.numbers {
            0 => f.write_str(self.info.name),
            _ => write!(f, "{}:{}..{}", self.info.name, self.numbers[0], self.numbers[1]),
        }
    }
}

/// Every view that sees the end of the key.
fn never(_numbers: [u32; 2], _prefix: &[u8]) -> bool {
    false
}

fn write_whole(key: &Key<'_>, out: &mut Vec<u8>) {
    match key {
        Key::Text(t) => out.extend_from_slice(t.as_bytes()),
        Key::Bytes(b) => out.extend_from_slice(b),
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
}

/// An integer key's 64 bits.
fn int_bits(key: &Key<'_>) -> Option<u64> {
    match key {
        Key::I64(i) => Some(*i as u64),
        Key::U64(u) => Some(*u),
        Key::Text(_) | Key::Bytes(_) | Key::Uuid(_) => None,
    }
}

/// `Long.hashCode`, `UUID.hashCode` (the same of both halves XORed) or `String.hashCode`.
fn java_hash_code(key: &Key<'_>) -> i32 {
    match key {
        Key::Text(t) => java_string(t.as_bytes()),
        Key::Bytes(b) => java_string(b),
        Key::I64(i) => java_long(*i),
        Key::U64(u) => java_long(*u as i64),
        Key::Uuid(u) => java_long((*u >> 64) as i64 ^ *u as i64),
    }
}

/// MongoDB's canonical type as 4 bytes, low byte first, and the value: a NumberLong's 8 bytes, or a
/// String's length with its final zero, its bytes and that zero. MongoDB's integers are signed: larger
/// ones become the largest, as its doubles do.
fn write_mongodb(key: &Key<'_>, out: &mut Vec<u8>) {
    let (number, string) = (10u32, 15u32);
    let value = match key {
        Key::I64(i) => Some(*i),
        Key::U64(u) => Some(i64::try_from(*u).unwrap_or(i64::MAX)),
        Key::Text(_) | Key::Bytes(_) | Key::Uuid(_) => None,
    };
    if let Some(value) = value {
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&value.to_le_bytes());
        return;
    }
    out.extend_from_slice(&string.to_le_bytes());
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    write_whole(key, out);
    out.push(0);
    let len = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
}

/// Redis Cluster's rule: first `{`, first `}` after it, something between.
fn hash_tag(key: &[u8]) -> Option<std::ops::Range<usize>> {
    between(key, b'{'.into(), b'}'.into())
}

/// What lies between the first byte `open` and the first `close` after it, unless that is nothing.
fn between(key: &[u8], open: u32, close: u32) -> Option<std::ops::Range<usize>> {
    let start = key.iter().position(|&b| u32::from(b) == open)? + 1;
    let end = start + key[start..].iter().position(|&b| u32::from(b) == close)?;
    (end > start).then_some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(view: &str, key: Key<'_>) -> Vec<u8> {
        let mut out = b"before".to_vec();
        View::parse(view).unwrap().write(&key, &mut out);
        out.split_off(6)
    }

    #[test]
    fn hash_tags_follow_the_rule_of_redis_cluster() {
        let tag = |key| String::from_utf8(seen("hash-tag", Key::Text(key))).unwrap();
        assert_eq!(tag("{user}:1"), "user");
        assert_eq!(tag("{}x"), "{}x");
        assert_eq!(tag("foo{}{bar}"), "foo{}{bar}");
        assert_eq!(tag("foo{{bar}}zap"), "{bar");
        assert_eq!(tag("}foo{bar}"), "bar");
        assert_eq!(tag("foo{bar"), "foo{bar");
    }

    #[test]
    fn what_a_prefix_fixes_no_ending_changes() {
        let prefixes = ["", "a", "ab{c", "ab{cd}", "{}", "{}{x}", "$a", "$a$", "abcdef", " "];
        let endings = ["", "}", "x", "y}", "$", " ", "}{z}", "a long one, longer than any slice"];
        let written = |v: &ViewInfo| match v.name {
            "between" => "between:36..36".to_string(),
            "slice" => "slice:2..4".to_string(),
            name => name.to_string(),
        };
        let mut fixed = 0;
        for view in ALL.iter().map(written) {
            for prefix in prefixes {
                let all: std::collections::BTreeSet<Vec<u8>> = endings
                    .iter()
                    .map(|end| seen(&view, Key::Text(&format!("{prefix}{end}"))))
                    .collect();
                let says = View::parse(&view).unwrap().is_fixed_by(prefix.as_bytes());
                assert_eq!(says, all.len() == 1, "{view} of {prefix}");
                fixed += u32::from(says);
            }
        }
        // A tag, a pair of dollars, four prefixes as long as the slice.
        assert_eq!(fixed, 6);
    }

    #[test]
    fn views_see_what_they_say() {
        assert_eq!(seen("slice:2..4", Key::Text("abcdef")), b"cd");
        assert_eq!(seen("slice:2..40", Key::Text("abc")), b"c");
        assert_eq!(seen("utf16le", Key::Text("aé")), [0x61, 0, 0xe9, 0]);
        assert_eq!(seen("i64-be", Key::I64(-2)), [255, 255, 255, 255, 255, 255, 255, 254]);
        assert_eq!(seen("json", Key::Text("a\"b")), br#""a\"b""#);
        assert_eq!(seen("whole", Key::I64(-42)), b"-42");
        assert_eq!(seen("i32-be", Key::I64(-2)), [255, 255, 255, 254]);
        assert_eq!(seen("i32-le", Key::U64(1 << 32 | 5)), [5, 0, 0, 0]);
        assert_eq!(seen("i32-le", Key::Text("5")), b"5");
        assert_eq!(seen("trimmed", Key::Text(" a  ")), b" a");
        assert_eq!(seen("trimmed", Key::Text("  ")), b"");
        assert_eq!(seen("latin1", Key::Text("é€–中")), [0xe9, 0x80, 0x96, b'?']);
        assert_eq!(seen("length-prefixed", Key::Text("é")), [0, 0, 0, 2, 0xc3, 0xa9]);
        assert_eq!(seen("java-hash-code", Key::Text("ab")), (97 * 31 + 98i32).to_le_bytes());
        assert_eq!(seen("java-hash-code", Key::I64(-1)), [0; 4]);
        assert_eq!(seen("java-hash-code", Key::Uuid(3 << 64 | 1)), [2, 0, 0, 0]);
        assert_eq!(seen("postgres-int", Key::I64(-20)), (-20i32).to_le_bytes());
        assert_eq!(seen("mongodb", Key::Text("a")), [15, 0, 0, 0, 2, 0, 0, 0, b'a', 0]);
        assert_eq!(seen("mongodb", Key::I64(1)), [10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(seen("aerospike", Key::I64(1)), [1, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!(seen("aerospike", Key::Text("1")), [3, b'1']);
        assert_eq!(seen("between:36..36", Key::Text("a$bc$d$")), b"bc");
        assert_eq!(seen("between:123..125", Key::Text("}a{b}c")), b"b");
        assert_eq!(seen("between:40..41", Key::Text("a()b(c)")), b"a()b(c)");
        assert!(View::parse("slice:4..2").is_err());
        assert!(View::parse("whole:1").is_err());
    }
}
