//! Zipf: the row of rank r (from 1) takes requests in proportion to r^−s.
//!
//! The sums of the first ranks are added up term by term; those beyond come from the Euler–Maclaurin
//! formula, so that 10^12 rows cost what 10^5 cost.

use super::cumulative::{HEAD, Table};
use super::rank::RANK;
use super::ranked;
use super::{Traffic, TrafficBuild, TrafficInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "zipf",
    summary: "the row of rank r takes requests in proportion to 1 / r^exponent",
    source: "G. K. Zipf, Human Behavior and the Principle of Least Effort, 1949; Breslau et al., \
             1999, https://doi.org/10.1109/INFCOM.1999.749260 (web requests: 0.64 to 0.83)",
    params: &[
        Param::new(
            "exponent",
            Type::Float { min: 0.0, max: 10.0 },
            Default::Float(1.0),
            "skew: 0 is uniform, web and cache traffic lies between 0.6 and 1.2",
        ),
        RANK,
    ],
    reads_counts: false,
    build: Some(build),
};

fn build(build: &TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error> {
    let exponent = build.params.float("exponent");
    ranked::build(build, table(build.rows, exponent))
}

/// The cumulative shares of `rows` ranks.
fn table(rows: u64, exponent: f64) -> Table {
    Table::new(rows, |ranks| {
        let sums = Harmonic::new(exponent, rows.min(HEAD));
        let total = sums.upto(rows);
        ranks.iter().map(|&r| sums.upto(r) / total).collect()
    })
}

/// Partial sums H(r) = Σ k^−s over k from 1 to r.
#[derive(Debug)]
struct Harmonic {
    exponent: f64,
    /// H(0) … H(m).
    head: Vec<f64>,
}

impl Harmonic {
    /// Adds up the first `m` terms. Error of the sums: below 2^−51 of their value (compensated).
    fn new(exponent: f64, m: u64) -> Self {
        let mut head = Vec::with_capacity(m as usize + 1);
        let (mut sum, mut lost) = (0.0, 0.0);
        head.push(0.0);
        for k in 1..=m {
            // Kahan: `lost` is what the last addition rounded away.
            let term = libm::pow(k as f64, -exponent) - lost;
            let next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            head.push(sum);
        }
        Harmonic { exponent, head }
    }

    /// H(r), for any r.
    fn upto(&self, r: u64) -> f64 {
        match self.head.get(r as usize) {
            Some(&sum) if r < self.head.len() as u64 => sum,
            _ => self.head[self.head.len() - 1] + self.beyond_head(r as f64),
        }
    }

    /// H(r) − H(m) by Euler–Maclaurin: the integral of x^−s from m to r, half the difference of the
    /// ends, and a twelfth of the difference of the slopes. The next term is below
    /// s³ ÷ (720 m³) of the last summand, 4e-14 at m = 2^15 and s = 10.
    fn beyond_head(&self, r: f64) -> f64 {
        let s = self.exponent;
        let m = (self.head.len() - 1) as f64;
        let at_m = libm::pow(m, -s);
        let at_r = libm::pow(r, -s);
        // m^(1−s) · ((r/m)^(1−s) − 1) ÷ (1−s), without cancellation near s = 1.
        let log = libm::log(r / m);
        let exponent = (1.0 - s) * log;
        let integral =
            m * at_m * if exponent == 0.0 { log } else { libm::expm1(exponent) / (1.0 - s) };
        integral + (at_r - at_m) / 2.0 + s * (at_m / m - at_r / r) / 12.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::cumulative::{Cumulative, ONE};
    use super::super::ranked::tests::counts;
    use super::*;
    use crate::params::Value;
    use proptest::prelude::*;

    fn exponent(s: f64) -> [(&'static str, Value); 2] {
        [("exponent", Value::Float(s)), ("rank", Value::Text("key-order".into()))]
    }

    /// Σ k^−s from 1 to r, smallest terms first.
    fn slow_sum(r: u64, s: f64) -> f64 {
        (1..=r).rev().map(|k| (k as f64).powf(-s)).sum()
    }

    #[test]
    fn a_few_rows_by_hand() {
        // H(4) = 25/12: the shares of 2500 requests are 1200, 600, 400, 300.
        assert_eq!(counts(&INFO, &exponent(1.0), 4, 2500, 0), [1200, 600, 400, 300]);
        // 1 + 1/4 + 1/9 = 49/36.
        assert_eq!(counts(&INFO, &exponent(2.0), 3, 4900, 0), [3600, 900, 400]);
        assert_eq!(counts(&INFO, &exponent(0.0), 4, 8, 0), [2, 2, 2, 2]);
    }

    #[test]
    fn top_ranks_agree_with_direct_summation() {
        for s in [0.0, 0.3, 0.99, 1.0, 1.000_000_1, 1.1, 2.0, 10.0] {
            for rows in [1, 10, 1000, 32_768, 32_769, 100_000] {
                let table = table(rows, s);
                let total = slow_sum(rows, s);
                // All of them lie on anchors, where the table is exact.
                for top in [1, 2, 10, 100, 5000, 32_768, 40_960, 65_536, 81_920, rows] {
                    if top > rows {
                        continue;
                    }
                    let have = table.around(top - 1).1 as f64 / ONE as f64;
                    let want = slow_sum(top, s) / total;
                    assert!(
                        (have - want).abs() < 1e-12,
                        "s = {s}, top {top} of {rows}: {have} for {want}"
                    );
                }
            }
        }
    }

    #[test]
    fn sums_beyond_the_head_agree_with_direct_summation() {
        for s in [0.0, 0.5, 1.0 - 1e-9, 1.0, 1.0 + 1e-9, 1.5, 3.0, 10.0] {
            let sums = Harmonic::new(s, 1000);
            for r in [1000, 1001, 5000, 50_000] {
                let (have, want) = (sums.upto(r), slow_sum(r, s));
                assert!((have / want - 1.0).abs() < 1e-13, "s = {s}, H({r}) = {have} for {want}");
            }
        }
    }

    #[test]
    fn a_million_million_rows_cost_nothing() {
        // H(n) = ln n + γ + 1/(2n) − …
        let have = Harmonic::new(1.0, HEAD).upto(1_000_000_000_000);
        let want = 12.0 * 10f64.ln() + 0.577_215_664_901_532_9 + 5e-13;
        assert!((have - want).abs() < 1e-12, "{have} for {want}");
        // ζ(2) − 1/n.
        let have = Harmonic::new(2.0, HEAD).upto(1_000_000_000_000);
        assert!((have - (std::f64::consts::PI.powi(2) / 6.0 - 1e-12)).abs() < 1e-14, "{have}");
    }

    #[test]
    fn ranks_between_anchors_are_as_close_as_the_table_says() {
        let (rows, s) = (1_000_000u64, 1.1);
        let table = table(rows, s);
        let total = Harmonic::new(s, HEAD).upto(rows);
        for rank in (HEAD..rows).step_by(997) {
            let (before, upto) = table.around(rank);
            let have = (upto - before) as f64 / ONE as f64;
            let want = ((rank + 1) as f64).powf(-s) / total;
            assert!((have / want - 1.0).abs() < s / 8192.0, "rank {rank}: {have} for {want}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn requests_sum_exactly(
            rows in 1u64..2000, requests in 0u64..=1 << 62, s in 0.0..=10.0, seed: u64,
        ) {
            let params = [("exponent", Value::Float(s))];
            let mut counts = counts(&INFO, &params, rows, requests, seed);
            prop_assert_eq!(counts.iter().map(|&c| u128::from(c)).sum::<u128>(), requests.into());
            counts.sort_unstable();
            let in_order = super::super::ranked::tests::counts(
                &INFO, &exponent(s), rows, requests, seed,
            );
            let mut sorted = in_order.clone();
            sorted.sort_unstable();
            prop_assert_eq!(counts, sorted);
        }
    }

    #[test]
    fn requests_sum_exactly_beyond_the_head() {
        for (rows, requests, s) in [(70_001, 1 << 62, 0.7), (150_000, 1_000_000_007, 1.1)] {
            for params in [&exponent(s)[..], &exponent(s)[..1]] {
                let counts = counts(&INFO, params, rows, requests, 9);
                assert_eq!(counts.iter().sum::<u64>(), requests, "{rows} rows, s = {s}");
            }
        }
    }

    #[test]
    fn values_are_stable() {
        let params = [("exponent", Value::Float(1.1))];
        assert_eq!(
            counts(&INFO, &params, 100_000, 1_000_000_000, 20_260_101)[..6],
            [718, 3186, 431, 448, 3598, 2522]
        );
        let shares = [0, 9, 999, 99_999].map(|rank| table(1_000_000, 1.1).around(rank).1);
        // The first is ONE ÷ H(10^6) with H ≈ ζ(1.1) − 10 · 10^−0.6 = 8.07.
        assert_eq!(
            shares,
            [
                1_142_558_193_439_385_728,
                3_062_233_262_155_643_904,
                6_367_278_779_684_404_224,
                8_480_263_872_650_574_848
            ]
        );
    }
}
