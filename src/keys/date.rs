//! Dates and times as keys, such as `20250115` or `2025-01-15 08:30:00`.
//!
//! Idea: rows lie over a stretch of days, evenly in order or at random; the key is the day, or the second.
//! Source: none in particular; tables that are sharded by the day or the time of creation.
//! Cost: about 30 ns a key.
//! Choices: the calendar is the proleptic Gregorian one and ends at 9999-12-31; days have 86 400 seconds.
//! With `spread = "even"` row r of K falls at r ÷ K of the stretch. Keys repeat where there are more rows
//! than days (or seconds).

use super::calendar::{LAST_DAY, civil_from_days, parse_date};
use super::counts::{COUNT, count, first_row};
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::rng::{Purpose, Stream};

/// Seconds of a day.
const DAY_S: u64 = 86_400;

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "date",
    summary: "dates, or times to the second, over a stretch of days",
    source: "tables that are sharded by the day or the time of creation",
    params: &[
        COUNT,
        Param::new("date", Type::Text, Default::Text("20250101"), "first day, as yyyymmdd"),
        Param::new(
            "days",
            Type::Int { min: 1, max: LAST_DAY + 1 },
            Default::Int(365),
            "number of days that the rows lie over",
        ),
        Param::new(
            "format",
            Type::Choice(&["yyyymmdd", "yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"]),
            Default::Text("yyyymmdd"),
            "how the key is written; the last form is the time to the second",
        ),
        Param::new(
            "spread",
            Type::Choice(&["even", "random"]),
            Default::Text("even"),
            "whether rows come in order and evenly spaced, or at random",
        ),
    ],
    build,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Digits,
    Hyphens,
    Seconds,
}

#[derive(Debug)]
struct Date {
    count: u64,
    seed: u64,
    /// Days since 1970-01-01.
    first_day: i64,
    /// Days or seconds that a key can be.
    units: u64,
    format: Format,
    random: bool,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let first_day = parse_date(p.text("date"))?;
    let days = p.int("days");
    if first_day + days - 1 > LAST_DAY {
        return Err(Error::invalid(format!("{days} days from {} end after 9999", p.text("date")))
            .help("lower `days` or begin earlier")
            .field("days"));
    }
    let format = match p.text("format") {
        "yyyymmdd" => Format::Digits,
        "yyyy-mm-dd" => Format::Hyphens,
        _ => Format::Seconds,
    };
    let units = days as u64 * if format == Format::Seconds { DAY_S } else { 1 };
    let random = p.text("spread") == "random";
    Ok(Box::new(Date { count: count(build), seed: build.seed, first_day, units, format, random }))
}

impl Date {
    /// Appends the key of a day or second, counted from the first.
    fn write(&self, unit: u64, out: &mut Vec<u8>) {
        let (day, second) = match self.format {
            Format::Seconds => (unit / DAY_S, unit % DAY_S),
            _ => (unit, 0),
        };
        let (year, month, day) = civil_from_days(self.first_day + day as i64);
        let hyphen = self.format != Format::Digits;
        pair(year as u64 / 100, out);
        pair(year as u64 % 100, out);
        for part in [month as u64, day as u64] {
            if hyphen {
                out.push(b'-');
            }
            pair(part, out);
        }
        if self.format == Format::Seconds {
            let parts = [second / 3600, second / 60 % 60, second % 60];
            for (sign, part) in [b' ', b':', b':'].into_iter().zip(parts) {
                out.push(sign);
                pair(part, out);
            }
        }
    }
}

/// Two digits.
fn pair(n: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + (n / 10) as u8, b'0' + (n % 10) as u8]);
}

impl KeySource for Date {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    /// Known where rows are evenly spaced.
    fn distinct(&self) -> Option<u64> {
        (!self.random).then(|| self.count.min(self.units))
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Date {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        let stream = Stream::new(self.seed, Purpose::Keys, chunk);
        Box::new(Walk { source: self, row: first_row(chunk), stream })
    }
}

struct Walk<'a> {
    source: &'a Date,
    row: u64,
    stream: Stream,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let source = self.source;
        for row in self.row..self.row + rows as u64 {
            let unit = match source.random {
                true => self.stream.below(source.units),
                false => {
                    (u128::from(row) * u128::from(source.units) / u128::from(source.count)) as u64
                }
            };
            source.write(unit, batch.text.arena());
            batch.text.end();
        }
        self.row += rows as u64;
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Given, assert_laws, error, first, source};
    use super::*;
    use crate::params::Value::{Int, Text};

    fn given(count: i64, days: i64, format: &str) -> Given {
        vec![
            ("count", Int(count)),
            ("date", Text("20240228".into())),
            ("days", Int(days)),
            ("format", Text(format.into())),
        ]
    }

    #[test]
    fn rows_lie_evenly_over_the_calendar() {
        let keys = first(&INFO, given(6, 3, "yyyymmdd"), 6);
        assert_eq!(keys, ["20240228", "20240228", "20240229", "20240229", "20240301", "20240301"]);
        assert_eq!(first(&INFO, given(2, 2, "yyyy-mm-dd"), 2), ["2024-02-28", "2024-02-29"]);
        let times = first(&INFO, given(3, 1, "yyyy-mm-dd hh:mm:ss"), 3);
        assert_eq!(times, ["2024-02-28 00:00:00", "2024-02-28 08:00:00", "2024-02-28 16:00:00"]);
    }

    #[test]
    fn distinct_keys_are_days_or_seconds() {
        let distinct = |given: Given| source(&INFO, given).distinct();
        assert_eq!(distinct(given(1000, 30, "yyyymmdd")), Some(30));
        assert_eq!(distinct(given(1000, 30, "yyyy-mm-dd hh:mm:ss")), Some(1000));
        let mut random = given(1000, 30, "yyyymmdd");
        random.push(("spread", Text("random".into())));
        assert_eq!(distinct(random), None);
    }

    #[test]
    fn random_days_are_even() {
        let mut given = given(40_000, 10, "yyyymmdd");
        given.push(("spread", Text("random".into())));
        let mut counts = std::collections::BTreeMap::new();
        for key in first(&INFO, given, 40_000) {
            *counts.entry(key).or_insert(0u32) += 1;
        }
        assert_eq!(counts.len(), 10);
        // Chi-square with 9 degrees of freedom: above 45 with probability 1e-6.
        let chi: f64 = counts.values().map(|&c| (f64::from(c) - 4e3).powi(2) / 4e3).sum();
        assert!(chi < 45.0, "{counts:?}");
    }

    #[test]
    fn laws_hold_for_times_at_random() {
        let mut given = given(1_000_000, 30, "yyyy-mm-dd hh:mm:ss");
        given.push(("spread", Text("random".into())));
        assert_laws(&INFO, given);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(error(&INFO, vec![("date", Text("20250229".into()))]).field, Some("date"));
        let late = vec![("date", Text("99991231".into())), ("days", Int(2))];
        assert_eq!(error(&INFO, late).field, Some("days"));
    }
}
