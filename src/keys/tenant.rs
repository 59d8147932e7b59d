//! Objects of tenants of very different sizes: `tenant17:object123456`.
//!
//! Idea: tenant t (from 0, largest first) owns a share of the objects in proportion to (t+1)^−exponent;
//! object numbers are row numbers.
//! Source: multi-tenant stores; sizes after Zipf's law.
//! Cost: about 30 ns a key; 8 bytes a tenant.
//! Choices: shares are expected counts, not draws. Row r reads a cumulative fixed-point table at the
//! golden-ratio sequence r·2⁶⁴/φ + offset(seed), whose first N values fill every interval in proportion
//! to its length up to about log N rows (Knuth, TAOCP 3, section 6.4: Fibonacci hashing), so every prefix
//! of the rows has the tenants' shares and any chunk can be had in any order.

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
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let exponent = build.params.float("exponent");
    let weights: Vec<f64> =
        (1..=build.params.int("tenants")).map(|rank| libm::pow(rank as f64, -exponent)).collect();
    Ok(Box::new(Tenant {
        count: count(build),
        prefix: checked_prefix(build.params.text("prefix"))?,
        sizes: Cumulative::new(&weights),
        offset: derive(build.seed, 0),
    }))
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

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Tenant {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        Box::new(Walk { source: self, row: first_row(chunk) })
    }
}

struct Walk<'a> {
    source: &'a Tenant,
    row: u64,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        for _ in 0..rows {
            let number = self.row.wrapping_mul(GOLDEN).wrapping_add(self.source.offset);
            let arena = batch.text.arena();
            arena.extend_from_slice(&self.source.prefix);
            push_u64(self.source.sizes.pick(number) as u64, arena);
            arena.extend_from_slice(b":object");
            push_u64(self.row, arena);
            batch.text.end();
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
    fn a_long_prefix_is_refused() {
        let long = vec![("prefix", Text("x".repeat(1025)))];
        assert_eq!(error(&INFO, long).field, Some("prefix"));
    }
}
