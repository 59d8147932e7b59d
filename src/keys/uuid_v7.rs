//! UUIDs that begin with the time, version 7.
//!
//! Idea: 48 bits of milliseconds since 1970, then random bits, so that ids made later sort later.
//! Source: RFC 9562, section 5.7 (<https://www.rfc-editor.org/rfc/rfc9562#section-5.7>); the counter after its
//! section 6.2, method 1.
//! Cost: two numbers of the stream a key, about 13 ns; the text, when wanted, about 5 ns more.
//! Choices: ids come evenly, `rate` of them a millisecond. With `rand-a = "counter"` the twelve bits after
//! the version count the ids of the millisecond from 0 and wrap at 4096. All keys count as distinct: two
//! of one millisecond are equal with probability 2⁻⁶² or less.

use super::counts::{COUNT, count, first_row};
use super::uuid_v4::push_texts;
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::rng::{Purpose, Stream};

/// Largest time of 48 bits.
const MAX_MS: i64 = (1 << 48) - 1;

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "uuid-v7",
    summary: "UUIDs that begin with the time in milliseconds, version 7",
    source: "RFC 9562, section 5.7",
    params: &[
        COUNT,
        Param::new(
            "start-ms",
            Type::Int { min: 0, max: MAX_MS },
            // 2025-01-15 00:00 UTC.
            Default::Int(1_736_899_200_000),
            "time of the first id, in milliseconds since 1970",
        ),
        Param::new(
            "rate",
            Type::Int { min: 1, max: 1_000_000_000 },
            Default::Int(1),
            "ids in a millisecond",
        ),
        Param::new(
            "rand-a",
            Type::Choice(&["random", "counter"]),
            Default::Text("random"),
            "the twelve bits after the version: random, or the number of the id in its millisecond",
        ),
    ],
    build,
};

#[derive(Debug)]
struct UuidV7 {
    count: u64,
    seed: u64,
    start_ms: u64,
    rate: u64,
    counter: bool,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let source = UuidV7 {
        count: count(build),
        seed: build.seed,
        start_ms: p.int("start-ms") as u64,
        rate: p.int("rate") as u64,
        counter: p.text("rand-a") == "counter",
    };
    let last = source.start_ms + (source.count - 1) / source.rate;
    if last > MAX_MS as u64 {
        return Err(Error::invalid(format!(
            "the last of {} ids leaves 48 bits of time",
            source.count
        ))
        .help("raise `rate`, lower `count` or begin earlier")
        .field("start-ms"));
    }
    Ok(Box::new(source))
}

impl KeySource for UuidV7 {
    fn kind(&self) -> KeyKind {
        KeyKind::Uuid
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

impl Generate for UuidV7 {
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_> {
        let stream = Stream::new(self.seed, Purpose::Keys, chunk);
        Box::new(Walk { source: self, row: first_row(chunk), stream, want })
    }
}

struct Walk<'a> {
    source: &'a UuidV7,
    row: u64,
    stream: Stream,
    want: Want,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let &UuidV7 { start_ms, rate, counter, .. } = self.source;
        let from = batch.uuids.len();
        let row = self.row;
        batch.uuids.extend((row..row + rows as u64).map(|row| {
            let high = u128::from(self.stream.next_u64());
            let random = high << 64 | u128::from(self.stream.next_u64());
            let number = counter.then_some(row % rate);
            stamp(start_ms + row / rate, number, random)
        }));
        self.row += rows as u64;
        if self.want.text {
            push_texts(batch, from);
        }
        batch.grow(rows);
    }
}

/// Time, version 7, variant 10; where a number is given it takes the twelve bits of rand_a.
fn stamp(ms: u64, number: Option<u64>, random: u128) -> u128 {
    let rest = random & ((1 << 76) - 1) & !(0b11 << 62);
    let id = u128::from(ms) << 80 | 7 << 76 | 0b10 << 62 | rest;
    match number {
        Some(number) => id & !(0xfff << 64) | u128::from(number & 0xfff) << 64,
        None => id,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_laws, error, first};
    use super::*;
    use crate::params::Value::{Int, Text};

    /// The example of RFC 9562, appendix A.6: 2022-02-22 19:22:22 UTC, rand_a 0xcc3, rand_b
    /// 0x18c4dc0c0c07398f.
    #[test]
    fn the_example_of_the_standard() {
        let random = 0x0cc3_u128 << 64 | 0x18c4_dc0c_0c07_398f;
        let id = stamp(1_645_557_742_000, None, random);
        assert_eq!(id, 0x017f_22e2_79b0_7cc3_98c4_dc0c_0c07_398f);
        assert_eq!(stamp(1_645_557_742_000, Some(0xcc3), random ^ 0xfff << 64), id);
    }

    #[test]
    fn ids_sort_by_time_and_count_within_it() {
        let given = vec![("rate", Int(10)), ("rand-a", Text("counter".into()))];
        let keys = first(&INFO, given, 1000);
        assert!(keys.is_sorted());
        assert_eq!(&keys[0][..19], "01946742-8400-7000-");
        assert_eq!(&keys[19][..18], "01946742-8401-7009");
    }

    #[test]
    fn laws_hold_with_a_counter_too() {
        assert_laws(&INFO, vec![("rand-a", Text("counter".into())), ("rate", Int(7))]);
    }

    #[test]
    fn time_must_fit() {
        assert_eq!(error(&INFO, vec![("start-ms", Int(MAX_MS))]).field, Some("start-ms"));
    }
}
