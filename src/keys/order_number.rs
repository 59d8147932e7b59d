//! Order numbers: a channel prefix, a date and a number in sequence, such as `NO20250115001`.
//!
//! Idea: key r is `{prefix}{date}{sequence}`, the sequence padded with zeros to `digits`. With
//! `per-day` the date goes to the next calendar day after that many orders and the sequence starts
//! again. With `embed` the shard number stands in the key: `{prefix}_{sequence % embed}_{date}{sequence}`.
//! Source: order numbers of shops; shard numbers in ids after Instagram, 2012
//! (<https://instagram-engineering.com/sharding-ids-at-instagram-1cf5a71e5a5c>).
//! Cost: about 2 ns a key, 30 ns with `embed`.
//! Choices: a sequence that outgrows its digits gets longer (999, 1000); the calendar is the
//! proleptic Gregorian one and ends at 9999-12-31.

use super::calendar::{LAST_DAY, civil_from_days, parse_date};
use super::counts::{COUNT, count, first_row};
use super::format::push_u64;
use super::numbered::NumberedText;
use super::sequential::checked_prefix;
use super::{
    Access, ByteColumn, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo,
    Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "order-number",
    summary: "order numbers: prefix, date and a padded number in sequence, with the shard inside if asked",
    source: "order numbers of shops; embedded shard: Instagram, 2012",
    params: &[
        COUNT,
        Param::new(
            "prefix",
            Type::Text,
            Default::Text("NO"),
            "what every order number begins with",
        ),
        Param::new(
            "date",
            Type::Text,
            Default::Absent,
            "date of the first order as yyyymmdd; no date when absent",
        ),
        Param::new(
            "per-day",
            Type::Int { min: 0, max: i64::MAX },
            Default::Int(0),
            "orders after which the next day begins and the sequence starts again; 0: never",
        ),
        Param::new(
            "start",
            Type::Int { min: 0, max: i64::MAX },
            Default::Int(1),
            "first number of the sequence",
        ),
        Param::new(
            "digits",
            Type::Int { min: 1, max: 19 },
            Default::Int(3),
            "least number of digits of the sequence, filled with zeros",
        ),
        Param::new(
            "embed",
            Type::Int { min: 1, max: 1_000_000_000 },
            Default::Absent,
            "number of shards: the key holds sequence % embed",
        ),
    ],
    build,
};

#[derive(Debug)]
struct OrderNumber {
    count: u64,
    prefix: Vec<u8>,
    /// Days since 1970-01-01 of the first order.
    first_day: Option<i64>,
    /// Orders of a day; u64::MAX: one day takes all.
    per_day: u64,
    start: i64,
    digits: usize,
    embed: Option<u64>,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let first_day = p.text_opt("date").map(parse_date).transpose()?;
    let per_day = p.int("per-day") as u64;
    if per_day > 0 && first_day.is_none() {
        return Err(Error::invalid(format!("`per-day` is {per_day}, but there is no date"))
            .help("give `date`, e.g. \"20250115\"")
            .field("per-day"));
    }
    let source = OrderNumber {
        count: count(build),
        prefix: checked_prefix(p.text("prefix"))?,
        first_day,
        per_day: if per_day == 0 { u64::MAX } else { per_day },
        start: p.int("start"),
        digits: p.int("digits") as usize,
        embed: p.get("embed").map(|_| p.int("embed") as u64),
    };
    let in_a_day = source.per_day.min(source.count);
    if source.start.checked_add_unsigned(in_a_day - 1).is_none() {
        return Err(Error::invalid(format!(
            "`start` is {}: the sequence leaves 64 bits",
            source.start
        ))
        .help(format!("allowed: at most {} for {in_a_day} keys", i64::MAX as u64 - (in_a_day - 1)))
        .field("start"));
    }
    let days = (source.count - 1) / source.per_day;
    if source.first_day.is_some_and(|first| first + days as i64 > LAST_DAY) {
        return Err(Error::invalid(format!(
            "the last of {} orders falls after the year 9999",
            source.count
        ))
        .help("raise `per-day`, lower `count` or begin earlier")
        .field("per-day"));
    }
    Ok(Box::new(source))
}

impl OrderNumber {
    /// What stands between prefix (or shard) and sequence on a row's day.
    fn date(&self, row: u64) -> String {
        match self.first_day {
            None => String::new(),
            Some(first) => {
                let (year, month, day) = civil_from_days(first + (row / self.per_day) as i64);
                format!("{year:04}{month:02}{day:02}")
            }
        }
    }

    fn sequence(&self, row: u64) -> i64 {
        self.start + (row % self.per_day) as i64
    }

    /// Rows from `row` on that are of the same day.
    fn left_of_day(&self, row: u64) -> u64 {
        self.per_day - row % self.per_day
    }
}

impl KeySource for OrderNumber {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    /// All: a day never has the same number twice, and dates have a fixed width.
    fn distinct(&self) -> Option<u64> {
        Some(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for OrderNumber {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        let row = first_row(chunk);
        match self.embed {
            None => Box::new(Plain { days: Days::new(self, &self.prefix, row) }),
            Some(shards) => Box::new(Embedded {
                days: Days::new(self, b"_", row),
                shards,
                tails: ByteColumn::default(),
            }),
        }
    }
}

/// The texts head, date, sequence from a row on.
struct Days<'a> {
    source: &'a OrderNumber,
    head: &'a [u8],
    row: u64,
    text: NumberedText,
}

impl<'a> Days<'a> {
    fn new(source: &'a OrderNumber, head: &'a [u8], row: u64) -> Self {
        Days { source, head, row, text: Self::day(source, head, row) }
    }

    /// The texts of a row's day.
    fn day(source: &OrderNumber, head: &[u8], row: u64) -> NumberedText {
        let head = [head, source.date(row).as_bytes()].concat();
        NumberedText::new(&head, source.digits, source.sequence(row), 1)
    }

    fn fill(&mut self, rows: usize, out: &mut ByteColumn) {
        let mut left = rows as u64;
        while left > 0 {
            let run = left.min(self.source.left_of_day(self.row));
            self.text.fill(run as usize, out);
            self.row += run;
            left -= run;
            if self.row.is_multiple_of(self.source.per_day) && self.row < self.source.count {
                self.text = Self::day(self.source, self.head, self.row);
            }
        }
    }
}

struct Plain<'a> {
    days: Days<'a>,
}

impl Cursor for Plain<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        self.days.fill(rows, &mut batch.text);
        batch.grow(rows);
    }
}

struct Embedded<'a> {
    days: Days<'a>,
    shards: u64,
    /// What follows the shards: `_{date}{sequence}`.
    tails: ByteColumn,
}

impl Cursor for Embedded<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let source = self.days.source;
        let first = self.days.row;
        self.tails.clear();
        self.days.fill(rows, &mut self.tails);
        let (mut shard, mut left_of_day) = (0, 0);
        for (row, tail) in (first..).zip(self.tails.iter()) {
            // Divisions only where a day begins: two a row would cost as much as all the rest.
            if left_of_day == 0 {
                shard = source.sequence(row) as u64 % self.shards;
                left_of_day = source.left_of_day(row);
            }
            let arena = batch.text.arena();
            arena.extend_from_slice(&source.prefix);
            arena.push(b'_');
            push_u64(shard, arena);
            arena.extend_from_slice(tail);
            batch.text.end();
            shard = if shard + 1 == self.shards { 0 } else { shard + 1 };
            left_of_day -= 1;
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::calendar::days_from_civil;
    use super::super::testing::{Given, assert_laws, error, first, source};
    use super::*;
    use crate::params::Value::{Int, Text};

    fn dated(date: &str, more: Given) -> Given {
        let mut given = vec![("date", Text(date.into()))];
        given.extend(more);
        given
    }

    #[test]
    fn values_are_stable() {
        assert_eq!(first(&INFO, vec![], 2), ["NO001", "NO002"]);
        let prefix = vec![("prefix", Text("NO20250115".into()))];
        assert_eq!(first(&INFO, prefix, 2), ["NO20250115001", "NO20250115002"]);
        let embedded = dated("20250115", vec![("embed", Int(8))]);
        assert_eq!(first(&INFO, embedded, 2), ["NO_1_20250115001", "NO_2_20250115002"]);
        let undated = vec![("embed", Int(8)), ("start", Int(998))];
        assert_eq!(first(&INFO, undated, 3), ["NO_6_998", "NO_7_999", "NO_0_1000"]);
    }

    #[test]
    fn days_roll_over_the_calendar() {
        let two_a_day = dated("20240228", vec![("per-day", Int(2))]);
        let want = ["NO20240228001", "NO20240228002", "NO20240229001", "NO20240229002"];
        let rows = first(&INFO, two_a_day, 7);
        assert_eq!(rows[..4], want);
        assert_eq!(rows[4..], ["NO20240301001", "NO20240301002", "NO20240302001"]);
        let embedded = dated("20231231", vec![("per-day", Int(1)), ("embed", Int(2))]);
        assert_eq!(first(&INFO, embedded, 2), ["NO_1_20231231001", "NO_1_20240101001"]);
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![]);
        assert_laws(&INFO, dated("20250115", vec![("per-day", Int(1000))]));
        assert_laws(&INFO, dated("20250115", vec![("per-day", Int(7)), ("embed", Int(16))]));
        assert_eq!(source(&INFO, vec![("count", Int(9))]).distinct(), Some(9));
    }

    #[test]
    fn the_calendar_is_right_day_by_day() {
        let mut days = days_from_civil(1, 1, 1);
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        for year in 1..=9999 {
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
            for (month, length) in (1..).zip(lengths) {
                for day in [1, length] {
                    assert_eq!(days_from_civil(year, month, day), days + day - 1);
                    assert_eq!(civil_from_days(days + day - 1), (year, month, day));
                }
                days += length;
            }
        }
        assert_eq!(days - 1, LAST_DAY);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for date in ["2025011", "20250229", "20251301", "20250100", "2025-1-1", "２０２５"] {
            assert_eq!(error(&INFO, dated(date, vec![])).field, Some("date"), "{date}");
        }
        assert_eq!(error(&INFO, vec![("per-day", Int(5))]).field, Some("per-day"));
        assert_eq!(error(&INFO, vec![("start", Int(i64::MAX))]).field, Some("start"));
        let late = dated("99991231", vec![("per-day", Int(1)), ("count", Int(2))]);
        assert_eq!(error(&INFO, late).field, Some("per-day"));
    }
}
