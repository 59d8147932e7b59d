//! Numbers in sequence, as integers or as texts such as `user:42`.
//!
//! Idea: row r has the number start + r × step.
//! Source: auto-increment columns; the `user:{n}` keys of cache tutorials and load generators.
//! Cost: about 2 ns a key for texts with steps below 100, 1 ns for integers without texts.
//! Choices: integers unless a prefix is given; `type = "text"` alone takes the prefix `user:`.
//! Negative numbers have their sign before the padding zeros, which do not count it.

use super::counts::{COUNT, count, first_row};
use super::numbered::NumberedText;
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// Longest prefix of a generated key, in bytes.
pub(super) const MAX_PREFIX: usize = 1024;

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "sequential",
    summary: "numbers in sequence, as integers or as texts with a prefix",
    source: "auto-increment columns; user:{n} keys of caches",
    params: &[
        COUNT,
        Param::new(
            "start",
            Type::Int { min: i64::MIN, max: i64::MAX },
            Default::Int(0),
            "number of the first key",
        ),
        Param::new(
            "step",
            Type::Int { min: i64::MIN, max: i64::MAX },
            Default::Int(1),
            "difference of neighbouring keys, not 0",
        ),
        Param::new(
            "type",
            Type::Choice(&["integer", "text"]),
            Default::Absent,
            "type of the keys: text when a prefix is given, otherwise integer",
        ),
        Param::new(
            "prefix",
            Type::Text,
            Default::Absent,
            "what stands before the number of a text key; `user:` when only the type is given",
        ),
        Param::new(
            "digits",
            Type::Int { min: 0, max: 20 },
            Default::Int(0),
            "least number of digits of a text key, filled with zeros",
        ),
    ],
    build,
};

#[derive(Debug)]
struct Sequential {
    count: u64,
    start: i64,
    step: i64,
    /// None: integer keys.
    prefix: Option<Vec<u8>>,
    digits: usize,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let source = Sequential {
        count: count(build),
        start: p.int("start"),
        step: p.int("step"),
        prefix: prefix(build)?,
        digits: p.int("digits") as usize,
    };
    if source.step == 0 {
        return Err(Error::invalid("`step` is 0: every key would be the same")
            .help("allowed: any other whole number")
            .field("step"));
    }
    if source.digits > 0 && source.prefix.is_none() {
        return Err(Error::invalid(format!(
            "`digits` is {}, but the keys are integers",
            source.digits
        ))
        .help("give a prefix (it may be empty) or `type = \"text\"` for keys with padding zeros")
        .field("digits"));
    }
    let last = i128::from(source.start) + i128::from(source.step) * i128::from(source.count - 1);
    if i64::try_from(last).is_err() {
        return Err(Error::invalid(format!(
            "the last of {} keys would be {last}: `start` {} and `step` {} lead beyond 64 bits",
            source.count, source.start, source.step
        ))
        .help(format!("allowed: last keys from {} to {}", i64::MIN, i64::MAX))
        .field(if source.step.unsigned_abs() > 1 { "step" } else { "start" }));
    }
    Ok(Box::new(source))
}

/// The prefix of text keys, or None for integers.
fn prefix(build: &PatternBuild<'_>) -> Result<Option<Vec<u8>>, Error> {
    let p = build.params;
    match (p.text_opt("type"), p.text_opt("prefix")) {
        (Some("integer"), Some(prefix)) => {
            Err(Error::invalid(format!("`prefix` is \"{prefix}\", but `type` is \"integer\""))
                .help("leave one of them out")
                .field("prefix"))
        }
        (_, Some(prefix)) => Ok(Some(checked_prefix(prefix)?)),
        (Some("text"), None) => Ok(Some(b"user:".to_vec())),
        _ => Ok(None),
    }
}

/// A prefix that is not too long.
pub(super) fn checked_prefix(prefix: &str) -> Result<Vec<u8>, Error> {
    if prefix.len() > MAX_PREFIX {
        return Err(Error::invalid(format!("`prefix` has {} bytes", prefix.len()))
            .help(format!("allowed: up to {MAX_PREFIX} bytes"))
            .field("prefix"));
    }
    Ok(prefix.as_bytes().to_vec())
}

impl KeySource for Sequential {
    fn kind(&self) -> KeyKind {
        if self.prefix.is_some() { KeyKind::Text } else { KeyKind::I64 }
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Sequential {
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_> {
        // Exact for every row that exists: the last number was checked to fit.
        let next = self.start.wrapping_add(self.step.wrapping_mul(first_row(chunk) as i64));
        let head = self.prefix.as_deref();
        let text = (head.is_some() || want.text)
            .then(|| NumberedText::new(head.unwrap_or_default(), self.digits, next, self.step));
        Box::new(Walk { source: self, next, text })
    }
}

struct Walk<'a> {
    source: &'a Sequential,
    next: i64,
    text: Option<NumberedText>,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        if let Some(text) = &mut self.text {
            text.fill(rows, &mut batch.text);
        }
        if self.source.prefix.is_none() {
            let (next, step) = (self.next, self.source.step);
            let number = |i| next.wrapping_add(step.wrapping_mul(i)) as u64;
            batch.ints.extend((0..rows as i64).map(number));
            self.next = number(rows as i64) as i64;
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_laws, error, first, source};
    use super::*;
    use crate::params::Value::{Int, Text};

    #[test]
    fn values_are_stable() {
        assert_eq!(first(&INFO, vec![], 3), ["0", "1", "2"]);
        let numbers = vec![("start", Int(-5)), ("step", Int(4))];
        assert_eq!(first(&INFO, numbers, 3), ["-5", "-1", "3"]);
        assert_eq!(first(&INFO, vec![("type", Text("text".into()))], 2), ["user:0", "user:1"]);
        let padded = vec![("prefix", Text("k".into())), ("digits", Int(3)), ("start", Int(9))];
        assert_eq!(first(&INFO, padded, 2), ["k009", "k010"]);
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![("start", Int(-70_000)), ("step", Int(3))]);
        assert_laws(&INFO, vec![("prefix", Text("user:".into()))]);
        assert_eq!(source(&INFO, vec![("count", Int(77))]).distinct(), Some(77));
    }

    #[test]
    fn text_of_integers_is_written_only_if_wanted() {
        let source = source(&INFO, vec![]);
        let Access::AnyOrder(generate) = source.access() else { panic!("generated") };
        let mut batch = KeyBatch::new(KeyKind::I64);
        generate.open(1, Want { text: false }).fill(5, &mut batch);
        assert!(batch.text.is_empty());
        assert_eq!((batch.len(), batch.ints[0]), (5, 65_536));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(error(&INFO, vec![("step", Int(0))]).field, Some("step"));
        let beyond = vec![("start", Int(i64::MAX)), ("count", Int(2))];
        assert_eq!(error(&INFO, beyond).field, Some("start"));
        let exact = vec![("start", Int(i64::MAX - 1)), ("count", Int(2))];
        assert_eq!(first(&INFO, exact, 2)[1], i64::MAX.to_string());
        assert_eq!(error(&INFO, vec![("step", Int(i64::MIN))]).field, Some("step"));
        let both = vec![("type", Text("integer".into())), ("prefix", Text("a".into()))];
        assert_eq!(error(&INFO, both).field, Some("prefix"));
        assert_eq!(error(&INFO, vec![("digits", Int(4))]).field, Some("digits"));
    }
}
