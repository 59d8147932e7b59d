//! The chi-square test of counts against expected shares.

use super::special::chi_square_sf;
use crate::record::Balance;

/// Expected counts below this make the chi-square distribution a bad approximation (W. Cochran,
/// 1954, <https://doi.org/10.2307/3001616>).
const LEAST_EXPECTED: f64 = 5.0;

/// The outcome of a chi-square test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChiSquare {
    /// Σ (count − expected)² ÷ expected.
    pub statistic: f64,
    /// P(an ideal hash gives a larger statistic). Near 0: too uneven. Near 1: too even, which
    /// random placement is not either; some hashers are on sequential keys.
    pub p: f64,
    /// Degrees of freedom: tested nodes − 1.
    pub dof: u64,
}

/// Tests counts of keys against shares (in proportion; they need not sum to 1). Nodes with neither
/// share nor keys are left out. None where fewer than two nodes are left, or an expected count is
/// below 5, a node with keys but no share among them.
pub fn chi_square(counts: &[u64], shares: &[f64]) -> Option<ChiSquare> {
    assert_eq!(counts.len(), shares.len(), "one share per node");
    let total: u64 = counts.iter().sum();
    let whole: f64 = shares.iter().sum();
    let (mut statistic, mut tested) = (0.0, 0u64);
    for (&count, &share) in counts.iter().zip(shares) {
        if count == 0 && share == 0.0 {
            continue;
        }
        let expected = total as f64 * (share / whole);
        if expected.is_nan() || expected < LEAST_EXPECTED {
            return None;
        }
        let difference = count as f64 - expected;
        statistic += difference * difference / expected;
        tested += 1;
    }
    let dof = tested.checked_sub(1).filter(|&dof| dof > 0)?;
    Some(ChiSquare { statistic, p: chi_square_sf(statistic, dof), dof })
}

impl Balance {
    /// Fills in the tests of keys on live nodes: against fair shares, and against owned shares where
    /// they are known. Call it for `keys` alone, and only where no row repeats.
    ///
    /// Both tests share one `dof`; should they differ (nodes of weight 0 that own something), the
    /// test against fair shares is left out, since it is not the one that judges the hash.
    pub fn test_keys(&mut self, counts: &[u64], fair: &[f64], owned: Option<&[f64]>) {
        let owned = owned.and_then(|owned| chi_square(counts, owned));
        let fair =
            chi_square(counts, fair).filter(|fair| owned.is_none_or(|owned| owned.dof == fair.dof));
        self.chi_square_fair = fair.map(|t| t.statistic);
        self.p_fair = fair.map(|t| t.p);
        self.chi_square_owned = owned.map(|t| t.statistic);
        self.p_owned = owned.map(|t| t.p);
        self.dof = owned.or(fair).map(|t| t.dof);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::balance::balance;
    use crate::rng::{Purpose, Stream};
    use statrs::distribution::{ChiSquared, ContinuousCDF};

    #[test]
    fn three_nodes_by_hand() {
        // Expected 10, 20, 30 of 60: 4/10 + 1/20 + 1/30 … with counts 12, 19, 29.
        let test = chi_square(&[12, 19, 29], &[1.0, 2.0, 3.0]).unwrap();
        let want = 0.4 + 0.05 + 1.0 / 30.0;
        assert!((test.statistic - want).abs() < 1e-14, "{test:?}");
        assert_eq!(test.dof, 2);
        // With 2 degrees of freedom p = e^(−x/2).
        assert!((test.p - (-want / 2.0).exp()).abs() < 1e-14, "{test:?}");
    }

    #[test]
    fn too_few_expected_keys_or_nodes_give_no_test() {
        assert!(chi_square(&[5, 5], &[0.5, 0.5]).is_some());
        assert_eq!(chi_square(&[4, 5], &[0.5, 0.5]), None);
        assert_eq!(chi_square(&[100], &[1.0]), None);
        assert_eq!(chi_square(&[], &[]), None);
        assert_eq!(chi_square(&[100, 0], &[1.0, 0.0]), None);
        assert_eq!(chi_square(&[50, 50, 1], &[0.5, 0.5, 0.0]), None, "keys where none may be");
        assert_eq!(chi_square(&[50, 50, 0], &[0.5, 0.5, 0.0]).unwrap().dof, 1);
        assert_eq!(chi_square(&[0, 0], &[0.0, 0.0]), None);
    }

    #[test]
    fn it_agrees_with_the_obvious_formula() {
        let mut stream = Stream::new(5, Purpose::Keys, 0);
        for n in [2usize, 16, 100] {
            let counts: Vec<u64> = (0..n).map(|_| 1000 + stream.below(100)).collect();
            let shares: Vec<f64> = (0..n).map(|_| 1.0 + stream.unit()).collect();
            let test = chi_square(&counts, &shares).unwrap();
            let (total, whole) = (counts.iter().sum::<u64>() as f64, shares.iter().sum::<f64>());
            let want: f64 = (0..n)
                .map(|i| (i, total * shares[i] / whole))
                .map(|(i, expected)| counts[i] as f64 * counts[i] as f64 / expected)
                .sum::<f64>()
                - total;
            assert!((test.statistic / want - 1.0).abs() < 1e-9, "{test:?} for {want}");
            let p = ChiSquared::new(n as f64 - 1.0).unwrap().sf(want);
            assert!((test.p - p).abs() < 1e-8, "{test:?} for {p}");
        }
    }

    /// p of ideal counts is uniform: over 200 draws the share below 0.1 lies within 0.1 ± 0.1 but
    /// for a probability of 1e-5.
    #[test]
    fn ideal_counts_give_uniform_p() {
        let mut stream = Stream::new(6, Purpose::Keys, 0);
        let (mut low, mut high) = (0, 0);
        for _ in 0..200 {
            let mut counts = [0u64; 8];
            (0..800).for_each(|_| counts[stream.below(8) as usize] += 1);
            let p = chi_square(&counts, &[0.125; 8]).unwrap().p;
            low += u32::from(p < 0.1);
            high += u32::from(p > 0.9);
        }
        assert!(low < 40 && high < 40 && low > 3 && high > 3, "{low} low, {high} high");
    }

    #[test]
    fn a_balance_holds_both_tests_or_says_none() {
        let (counts, fair) = ([60, 40], [0.5, 0.5]);
        let mut both = balance(&counts, &fair);
        both.test_keys(&counts, &fair, Some(&[0.6, 0.4]));
        assert_eq!((both.chi_square_fair, both.chi_square_owned), (Some(4.0), Some(0.0)));
        assert_eq!((both.p_owned, both.dof), (Some(1.0), Some(1)));
        let mut fair_only = balance(&counts, &fair);
        fair_only.test_keys(&counts, &fair, None);
        assert_eq!((fair_only.chi_square_owned, fair_only.dof), (None, Some(1)));
    }
}
