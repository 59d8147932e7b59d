//! Objects of tenants of very different sizes: `tenant17:object123456`.
//!
//! Idea: tenant t (from 0, largest first) owns a share of the objects in proportion to (t+1)^−exponent;
//! object numbers are row numbers.
//! Source: multi-tenant stores; sizes after Zipf's law.
//! Cost: about 30 ns a key; 8 bytes a tenant.
//! Choices: shares are expected counts, not draws. Row r reads a cumulative fixed-point table at the
//! golden-ratio sequence r·2⁶⁴/φ + offset(seed), whose first N values fill every interval in proportion
//! to its length up to about log N rows (Knuth, TAOCP 3, section 6.4: Fibonacci hashing), so every prefix
//! of the rows has the tenants' shares and any chunk can be had in any order. Bytes are shared out
//! the same way: the k-th of n objects of tenant 0 has round(k·B/n) − round((k−1)·B/n) of its B bytes, and
//! so have the others of the rest; how many rows before a chunk are tenant 0's, a floor sum tells.

use super::counts::{COUNT, count, first_row};
use super::cumulative::Cumulative;
use super::format::push_u64;
use super::sequential::checked_prefix;
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::rng::derive;

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "tenant",
    summary: "objects of tenants whose sizes follow a power law: tenant{t}:object{o}",
    source: "multi-tenant stores; Zipf's law",
    params: &[
        COUNT,
        Param::new(
            "tenants",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Int(1000),
            "number of tenants",
        ),
        Param::new(
            "exponent",
            Type::Float { min: 0.0, max: 10.0 },
            Default::Float(1.0),
            "tenant t, from 0, has a size in proportion to (t+1)^-exponent; 0: all equal",
        ),
        Param::new(
            "prefix",
            Type::Text,
            Default::Text("tenant"),
            "what stands before the tenant's number",
        ),
        Param::new(
            "bytes",
            Type::Int { min: 1, max: i64::MAX },
            Default::Absent,
            "bytes of all objects together; the load `bytes` is there when it is given",
        ),
        Param::new(
            "big-share",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Absent,
            "share of the bytes that tenant 0 has; in proportion to its objects when absent",
        ),
    ],
    build,
};

/// 2⁶⁴/φ, rounded to odd: the step of the golden-ratio sequence.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

#[derive(Debug)]
struct Tenant {
    count: u64,
    prefix: Vec<u8>,
    sizes: Cumulative,
    offset: u64,
    bytes: Option<Bytes>,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let exponent = build.params.float("exponent");
    let weights: Vec<f64> =
        (1..=build.params.int("tenants")).map(|rank| libm::pow(rank as f64, -exponent)).collect();
    let mut source = Tenant {
        count: count(build),
        prefix: checked_prefix(build.params.text("prefix"))?,
        sizes: Cumulative::new(&weights),
        offset: derive(build.seed, 0),
        bytes: None,
    };
    source.bytes = bytes(build, &source)?;
    Ok(Box::new(source))
}

/// What the objects weigh, if the scenario says so.
fn bytes(build: &PatternBuild<'_>, source: &Tenant) -> Result<Option<Bytes>, Error> {
    let share = build.params.get("big-share").map(|_| build.params.float("big-share"));
    if build.params.get("bytes").is_none() {
        return match share {
            None => Ok(None),
            Some(share) => Err(Error::invalid(format!("`big-share` is {share}, but of no bytes"))
                .help("give `bytes`, those of all objects together")
                .field("big-share")),
        };
    }
    let total = build.params.int("bytes") as u64;
    let big_rows = source.big_rows(source.count);
    let other_rows = source.count - big_rows;
    let share = share.unwrap_or(big_rows as f64 / source.count as f64);
    if (big_rows == 0 && share > 0.0) || (other_rows == 0 && share < 1.0) {
        return Err(Error::invalid(format!(
            "`big-share` is {share}, but tenant 0 has {big_rows} of {} objects",
            source.count
        ))
        .help("bytes need objects: raise `count`, or change `tenants` or `exponent`")
        .field("big-share"));
    }
    let big = libm::round(total as f64 * share).min(total as f64) as u64;
    Ok(Some(Bytes { big: (big, big_rows), others: (total - big, other_rows) }))
}

/// Bytes and objects of tenant 0 and of all others.
#[derive(Debug, Clone, Copy)]
struct Bytes {
    big: (u64, u64),
    others: (u64, u64),
}

/// Bytes of object `k`, from 0, of `objects` that have `bytes` together.
fn object_bytes((bytes, objects): (u64, u64), k: u64) -> u64 {
    let upto = |k: u64| {
        let half = u128::from(objects) / 2;
        (u128::from(bytes) * u128::from(k) + half) / u128::from(objects.max(1))
    };
    (upto(k + 1) - upto(k)) as u64
}

/// Σ ⌊(a·i + b) / m⌋ over i from 0 to n − 1, wrapping at 2^128 (the Euclid-like descent of the AtCoder
/// Library's `floor_sum_unsigned`, <https://github.com/atcoder/ac-library>).
fn floor_sum(mut n: u128, mut m: u128, mut a: u128, mut b: u128) -> u128 {
    let mut sum = 0u128;
    loop {
        if a >= m {
            // n·(n−1) is even, so that halving before multiplying is exact.
            let pairs = if n.is_multiple_of(2) {
                (n / 2).wrapping_mul(n.wrapping_sub(1))
            } else {
                n * (n.wrapping_sub(1) / 2)
            };
            sum = sum.wrapping_add(pairs.wrapping_mul(a / m));
            a %= m;
        }
        if b >= m {
            sum = sum.wrapping_add(n.wrapping_mul(b / m));
            b %= m;
        }
        let top = a * n + b;
        if top < m {
            return sum;
        }
        (n, b) = (top / m, top % m);
        (m, a) = (a, m);
    }
}

impl KeySource for Tenant {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.count)
    }

    fn has_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Tenant {
    /// How many of the first `rows` rows are tenant 0's: those whose number is below the end of its
    /// interval. ⌊(x + 2⁶⁴ − end) / 2⁶⁴⌋ is 1 for a number x from the end on and 0 below it, and x is
    /// a·i + b less whole multiples of 2⁶⁴.
    fn big_rows(&self, rows: u64) -> u64 {
        let Some(end) = self.sizes.first_end() else { return rows };
        let (n, m, a, b) = (rows.into(), 1u128 << 64, GOLDEN.into(), u128::from(self.offset));
        let beyond =
            floor_sum(n, m, a, b + m - u128::from(end)).wrapping_sub(floor_sum(n, m, a, b));
        rows - beyond as u64
    }
}

impl Generate for Tenant {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        let row = first_row(chunk);
        let big = if self.bytes.is_some() { self.big_rows(row) } else { 0 };
        Box::new(Walk { source: self, row, big })
    }
}

struct Walk<'a> {
    source: &'a Tenant,
    row: u64,
    /// Rows of tenant 0 before this one, where objects have bytes.
    big: u64,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        for _ in 0..rows {
            let number = self.row.wrapping_mul(GOLDEN).wrapping_add(self.source.offset);
            let arena = batch.text.arena();
            arena.extend_from_slice(&self.source.prefix);
            let tenant = self.source.sizes.pick(number) as u64;
            push_u64(tenant, arena);
            arena.extend_from_slice(b":object");
            push_u64(self.row, arena);
            batch.text.end();
            if let Some(bytes) = self.source.bytes {
                batch.bytes.push(if tenant == 0 {
                    object_bytes(bytes.big, self.big)
                } else {
                    object_bytes(bytes.others, self.row - self.big)
                });
                self.big += u64::from(tenant == 0);
            }
            self.row += 1;
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_laws, error, first, source, three_chunks};
    use super::*;
    use crate::params::Value::{Float, Int, Text};

    #[test]
    fn values_are_stable() {
        assert_eq!(
            first(&INFO, vec![], 4),
            ["tenant34:object0", "tenant1:object1", "tenant205:object2", "tenant11:object3"]
        );
        let one = vec![("tenants", Int(1)), ("prefix", Text("t".into()))];
        assert_eq!(first(&INFO, one, 2), ["t0:object0", "t0:object1"]);
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![]);
    }

    #[test]
    fn tenants_have_their_shares_to_a_few_rows() {
        let given =
            vec![("tenants", Int(20)), ("exponent", Float(0.8)), ("count", Int(3 * 65_536))];
        let source = source(&INFO, given);
        let mut counts = [0u32; 20];
        for key in three_chunks(&*source) {
            let (tenant, _) = key["tenant".len()..].split_once(":object").expect("a separator");
            counts[tenant.parse::<usize>().expect("a number")] += 1;
        }
        let weights: Vec<f64> = (1..=20).map(|rank| libm::pow(f64::from(rank), -0.8)).collect();
        let total: f64 = weights.iter().sum();
        for (have, weight) in counts.iter().zip(weights) {
            let want = weight / total * 3.0 * 65_536.0;
            assert!(libm::fabs(f64::from(*have) - want) < 8.0, "{have} for {want}");
        }
        assert_eq!(source.distinct(), Some(3 * 65_536));
    }

    #[test]
    fn floor_sums_agree_with_addition() {
        for (n, m, a, b) in
            [(5u128, 7u128, 3u128, 2u128), (100, 64, 61, 0), (33, 10, 99, 12), (0, 5, 1, 1)]
        {
            let want: u128 = (0..n).map(|i| (a * i + b) / m).sum();
            assert_eq!(floor_sum(n, m, a, b), want, "{n} {m} {a} {b}");
        }
    }

    #[test]
    fn the_big_tenant_has_its_share_of_the_bytes_to_the_byte() {
        let total = 35_200_000_007u64;
        let given = vec![
            ("tenants", Int(300)),
            ("exponent", Float(0.0)),
            ("count", Int(3 * 65_536)),
            ("bytes", Int(total as i64)),
            ("big-share", Float(0.36)),
        ];
        let source = source(&INFO, given);
        assert!(source.has_bytes());
        let Access::AnyOrder(generate) = source.access() else { panic!("generated") };
        let (mut big, mut others) = (0u64, 0u64);
        // Out of order: a chunk knows what lies before it.
        for chunk in [2, 0, 1] {
            let mut batch = KeyBatch::new(KeyKind::Text);
            generate.open(chunk, Want { text: true }).fill(65_536, &mut batch);
            for (text, bytes) in batch.text.iter().zip(&batch.bytes) {
                *if text.starts_with(b"tenant0:") { &mut big } else { &mut others } += bytes;
            }
        }
        assert_eq!(big, libm::round(total as f64 * 0.36) as u64);
        assert_eq!(big + others, total);
        assert_eq!(error(&INFO, vec![("big-share", Float(0.3))]).field, Some("big-share"));
        let one = vec![("tenants", Int(1)), ("bytes", Int(9)), ("big-share", Float(0.3))];
        assert_eq!(error(&INFO, one).field, Some("big-share"));
    }

    #[test]
    fn a_long_prefix_is_refused() {
        let long = vec![("prefix", Text("x".repeat(1025)))];
        assert_eq!(error(&INFO, long).field, Some("prefix"));
    }
}
