//! Balance: how evenly a load lies on the live nodes, relative to fair load.
//!
//! Everything is computed from the ratios load ÷ fair load, so that weights need no special case;
//! fair load = placed total × the node's share of the weights. Nodes whose fair share is 0 have no
//! ratio and are left out; their load still counts in the total. Where nothing is placed, or no
//! node has a fair share, every statistic is 0.

use super::bands::nearest_rank;
use super::{Family, MetricInfo, Point, Unit};
use crate::error::Error;
use crate::record::Balance;

/// How a load is spread.
pub static FAMILY: Family = Family {
    name: "balance",
    forms: &["LOAD.STAT", "owned.STAT", "copies.STAT"],
    metrics: &[
        MetricInfo {
            name: "max-over-mean",
            unit: Unit::Ratio,
            range: "0 and more; 1 is even",
            doc: "largest load ÷ fair load: peak to average",
            formula: "max lᵢ ÷ fᵢ, fᵢ = Σl · wᵢ ÷ Σw",
            source: "",
            read: |p| Some(p.balance()?.max_over_mean),
        },
        MetricInfo {
            name: "min-over-mean",
            unit: Unit::Ratio,
            range: "0 to 1; 1 is even",
            doc: "smallest load ÷ fair load",
            formula: "min lᵢ ÷ fᵢ",
            source: "",
            read: |p| Some(p.balance()?.min_over_mean),
        },
        MetricInfo {
            name: "max-deviation",
            unit: Unit::Share,
            range: "0 and more; 0 is even",
            doc: "largest deviation from fair load either way, as a share of fair load",
            formula: "max |lᵢ ÷ fᵢ − 1|",
            source: "",
            read: |p| Some(p.balance()?.max_deviation),
        },
        MetricInfo {
            name: "cv",
            unit: Unit::Share,
            range: "0 and more; 0 is even",
            doc: "standard deviation of load ÷ fair load, divided by n",
            formula: "√(Σ (rᵢ − r̄)² ÷ n), rᵢ = lᵢ ÷ fᵢ",
            source: "",
            read: |p| Some(p.balance()?.cv),
        },
        MetricInfo {
            name: "gini",
            unit: Unit::Number,
            range: "0 to 1; 0 is even",
            doc: "Gini coefficient of load ÷ fair load",
            formula: "Σᵢ Σⱼ |rᵢ − rⱼ| ÷ (2 n Σ r)",
            source: "C. Gini, Variabilità e mutabilità, 1912",
            read: |p| Some(p.balance()?.gini),
        },
        MetricInfo {
            name: "p99-over-mean",
            unit: Unit::Ratio,
            range: "0 and more; 1 is even",
            doc: "99th percentile of load ÷ fair load",
            formula: "the ⌈0.99 n⌉-th smallest rᵢ",
            source: "",
            read: |p| Some(p.balance()?.p99_over_mean),
        },
    ],
};

/// The form of the metrics that keys alone have.
pub const KEYS_FORM: &str = "keys.STAT";

/// Whether the keys lie as an ideal hash would lay them.
pub static CHI_SQUARES: Family = Family {
    name: "chi-square",
    forms: &[KEYS_FORM],
    metrics: &[
        MetricInfo {
            name: "chi-square-fair",
            unit: Unit::Number,
            range: "0 and more; about dof for an ideal hash on equal shares",
            doc: "chi-square of the keys against fair load; keys only",
            formula: "Σ (kᵢ − fᵢ)² ÷ fᵢ",
            source: "K. Pearson, 1900, https://doi.org/10.1080/14786440009463897",
            read: |p| p.balance()?.chi_square_fair,
        },
        MetricInfo {
            name: "p-fair",
            unit: Unit::Number,
            range: "0 to 1; near 0 is too uneven, near 1 too even",
            doc: "probability that an ideal hash on fair shares gives a larger chi-square",
            formula: "Q(dof/2, χ²/2)",
            source: "K. Pearson, 1900, https://doi.org/10.1080/14786440009463897",
            read: |p| p.balance()?.p_fair,
        },
        MetricInfo {
            name: "chi-square-owned",
            unit: Unit::Number,
            range: "0 and more; about dof for an ideal hash",
            doc: "chi-square of the keys against owned share × keys: tests hasher and keys alone",
            formula: "Σ (kᵢ − oᵢ·K)² ÷ (oᵢ·K)",
            source: "K. Pearson, 1900, https://doi.org/10.1080/14786440009463897",
            read: |p| p.balance()?.chi_square_owned,
        },
        MetricInfo {
            name: "p-owned",
            unit: Unit::Number,
            range: "0 to 1; near 0 is too uneven, near 1 too even",
            doc: "probability that an ideal hash on the owned shares gives a larger chi-square",
            formula: "Q(dof/2, χ²/2)",
            source: "K. Pearson, 1900, https://doi.org/10.1080/14786440009463897",
            read: |p| p.balance()?.p_owned,
        },
        MetricInfo {
            name: "dof",
            unit: Unit::Count,
            range: "1 and more",
            doc: "degrees of freedom of both chi-squares",
            formula: "tested nodes − 1",
            source: "",
            read: |p| Some(p.balance()?.dof? as f64),
        },
    ],
};

impl<'a> Point<'a> {
    fn balance(&self) -> Option<&'a Balance> {
        match self.form {
            "copies.STAT" => Some(&self.step.copies.as_ref()?.balance),
            KEYS_FORM => self.step.balance.get("keys"),
            "owned.STAT" => self.step.balance.get("owned"),
            _ => self.step.balance.get(self.load),
        }
    }
}

/// A statistic of a balance.
pub type Statistic = fn(&Balance) -> f64;

/// Statistics that conditions of trials may name: those that owned shares have.
static STATISTICS: &[(&str, Statistic)] = &[
    ("max-over-mean", |b| b.max_over_mean),
    ("min-over-mean", |b| b.min_over_mean),
    ("max-deviation", |b| b.max_deviation),
    ("cv", |b| b.cv),
    ("gini", |b| b.gini),
    ("p99-over-mean", |b| b.p99_over_mean),
];

/// The statistic of that bare name, or an error that suggests the nearest one.
pub fn statistic(name: &str) -> Result<Statistic, Error> {
    STATISTICS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, read)| *read)
        .ok_or_else(|| Error::unknown("statistic", name, STATISTICS.iter().map(|(n, _)| *n)))
}

/// Balance of integer loads on the live nodes; `fair` holds their shares of the weights and sums
/// to 1. The chi-square fields are None: see [`Balance::test_keys`].
pub fn balance(loads: &[u64], fair: &[f64]) -> Balance {
    let total: u128 = loads.iter().map(|&load| u128::from(load)).sum();
    of_ratios(loads.iter().map(|&load| load as f64), total as f64, fair)
}

/// Balance of the owned shares of the live nodes. They need not sum to 1: part of the space may
/// belong to no live node.
pub fn balance_of_shares(owned: &[f64], fair: &[f64]) -> Balance {
    of_ratios(owned.iter().copied(), owned.iter().sum(), fair)
}

fn of_ratios(loads: impl ExactSizeIterator<Item = f64>, total: f64, fair: &[f64]) -> Balance {
    assert_eq!(loads.len(), fair.len(), "one fair share per node");
    let mut ratios: Vec<f64> = loads
        .zip(fair)
        .filter(|(_, share)| **share > 0.0)
        .map(|(load, share)| load / (total * share))
        .collect();
    if ratios.is_empty() || total == 0.0 {
        ratios = vec![0.0];
        return summarise(&ratios, 0.0);
    }
    ratios.sort_unstable_by(f64::total_cmp);
    let max_deviation = (ratios[ratios.len() - 1] - 1.0).max(1.0 - ratios[0]);
    summarise(&ratios, max_deviation)
}

/// The statistics of at least one ratio in ascending order.
fn summarise(sorted: &[f64], max_deviation: f64) -> Balance {
    let n = sorted.len() as f64;
    let sum: f64 = sorted.iter().sum();
    let mean = sum / n;
    let squares: f64 = sorted.iter().map(|r| (r - mean) * (r - mean)).sum();
    // Σᵢ Σⱼ |rᵢ − rⱼ| = 2 Σᵢ (2i − n − 1) rᵢ over the sorted ratios, i from 1.
    let spread: f64 = sorted.iter().enumerate().map(|(i, r)| (2.0 * i as f64 + 1.0 - n) * r).sum();
    Balance {
        max_over_mean: sorted[sorted.len() - 1],
        min_over_mean: sorted[0],
        max_deviation,
        cv: libm::sqrt(squares / n),
        gini: if sum > 0.0 { (spread / (n * sum)).max(0.0) } else { 0.0 },
        p99_over_mean: nearest_rank(sorted, 990),
        chi_square_fair: None,
        p_fair: None,
        chi_square_owned: None,
        p_owned: None,
        dof: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[track_caller]
    fn close(have: f64, want: f64) {
        assert!((have - want).abs() < 1e-12, "{have} for {want}");
    }

    #[test]
    fn four_nodes_by_hand() {
        let b = balance(&[10, 20, 30, 40], &[0.25; 4]);
        // Ratios 0.4, 0.8, 1.2, 1.6: variance (0.36 + 0.04 + 0.04 + 0.36) / 4 = 0.2.
        close(b.max_over_mean, 1.6);
        close(b.min_over_mean, 0.4);
        close(b.max_deviation, 0.6);
        close(b.cv, 0.2f64.sqrt());
        // (−3·0.4 − 0.8 + 1.2 + 3·1.6) / (4 · 4) = 0.25.
        close(b.gini, 0.25);
        close(b.p99_over_mean, 1.6);
        assert_eq!((b.chi_square_fair, b.p_owned, b.dof), (None, None, None));
    }

    #[test]
    fn loads_in_proportion_to_weights_are_even() {
        let b = balance(&[100, 200, 100], &[0.25, 0.5, 0.25]);
        assert_eq!([b.max_over_mean, b.min_over_mean], [1.0; 2]);
        assert_eq!([b.max_deviation, b.cv, b.gini], [0.0; 3]);
        // The same loads on equal nodes: ratios 0.75, 1.5, 0.75.
        let b = balance(&[100, 200, 100], &[1.0 / 3.0; 3]);
        close(b.max_over_mean, 1.5);
        close(b.max_deviation, 0.5);
        close(b.cv, 0.125f64.sqrt());
    }

    #[test]
    fn the_smallest_node_can_be_the_farthest_from_fair() {
        let b = balance(&[0, 10, 10, 10], &[0.25; 4]);
        close(b.max_deviation, 1.0);
        close(b.max_over_mean, 4.0 / 3.0);
    }

    #[test]
    fn nothing_placed_is_all_zero_and_weightless_nodes_have_no_ratio() {
        for b in [balance(&[0, 0], &[0.5, 0.5]), balance(&[], &[]), balance(&[7], &[0.0])] {
            assert_eq!([b.max_over_mean, b.min_over_mean, b.max_deviation], [0.0; 3]);
            assert_eq!([b.cv, b.gini, b.p99_over_mean], [0.0; 3]);
        }
        let b = balance(&[50, 0, 50], &[0.5, 0.0, 0.5]);
        assert_eq!([b.max_over_mean, b.min_over_mean], [1.0; 2]);
    }

    #[test]
    fn huge_loads_do_not_overflow() {
        let b = balance(&[u64::MAX, u64::MAX, 0], &[1.0 / 3.0; 3]);
        close(b.max_over_mean, 1.5);
    }

    #[test]
    fn shares_are_measured_against_what_live_nodes_own() {
        let b = balance_of_shares(&[0.1, 0.3], &[0.5, 0.5]);
        close(b.max_over_mean, 1.5);
        close(b.min_over_mean, 0.5);
        let b = balance_of_shares(&[0.25; 4], &[0.25; 4]);
        assert_eq!([b.max_over_mean, b.cv], [1.0, 0.0]);
    }

    #[test]
    fn statistics_agree_with_the_obvious_formulas() {
        let mut stream = Stream::new(3, Purpose::Keys, 0);
        for n in [1usize, 2, 3, 16, 99, 100, 101, 250] {
            let loads: Vec<u64> = (0..n).map(|_| stream.below(1000) + 1).collect();
            let weights: Vec<f64> = (0..n).map(|_| 1.0 + stream.below(3) as f64).collect();
            let fair: Vec<f64> = weights.iter().map(|w| w / weights.iter().sum::<f64>()).collect();
            let b = balance(&loads, &fair);
            let total: u64 = loads.iter().sum();
            let r: Vec<f64> = (0..n).map(|i| loads[i] as f64 / (total as f64 * fair[i])).collect();
            let n = n as f64;
            let sum: f64 = r.iter().sum();
            let pairs: f64 = r.iter().flat_map(|a| r.iter().map(move |b| (a - b).abs())).sum();
            close(b.gini, pairs / (2.0 * n * sum));
            let mean_square = r.iter().map(|x| x * x).sum::<f64>() / n;
            assert!((b.cv.powi(2) - (mean_square - (sum / n).powi(2))).abs() < 1e-11);
            close(b.max_deviation, r.iter().map(|x| (x - 1.0).abs()).fold(0.0, f64::max));
            let at_or_below = |x: f64| r.iter().filter(|&&y| y <= x).count() as f64;
            let p99 = r.iter().copied().filter(|&x| at_or_below(x) * 100.0 >= 99.0 * n);
            close(b.p99_over_mean, p99.fold(f64::INFINITY, f64::min));
        }
    }

    #[test]
    fn statistics_of_trials_have_the_names_of_metrics() {
        let b = balance(&[1, 2, 5], &[1.0 / 3.0; 3]);
        for (name, _) in STATISTICS {
            assert!(FAMILY.metrics.iter().any(|m| m.name == *name), "{name}");
        }
        assert_eq!(statistic("cv").unwrap()(&b), b.cv);
        assert_eq!(statistic("max-deviaton").unwrap_err().help[0], "did you mean `max-deviation`?");
    }
}
