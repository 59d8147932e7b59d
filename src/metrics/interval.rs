//! The confidence interval of a probability that trials have estimated.

use super::special::beta_i;

/// The exact confidence interval of a probability after `hits` in `n` ≥ 1 independent trials: each
/// end leaves (1 − confidence)/2 beyond it (C. Clopper and E. Pearson, 1934,
/// <https://doi.org/10.1093/biomet/26.4.404>).
pub fn clopper_pearson(hits: u64, n: u64, confidence: f64) -> [f64; 2] {
    assert!(hits <= n && n > 0, "{hits} hits in {n} trials");
    let tail = (1.0 - confidence) / 2.0;
    let (k, misses) = (hits as f64, (n - hits) as f64);
    let low = if hits == 0 { 0.0 } else { bisect(|p| beta_i(k, misses + 1.0, p) < tail) };
    let high = if hits == n { 1.0 } else { bisect(|p| beta_i(misses, k + 1.0, 1.0 - p) > tail) };
    [low, high]
}

/// The point in [0, 1] at which `below` turns from true to false, to the last bit.
fn bisect(below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // From 1 down to the smallest probability of note, 2^−200, and 53 bits of it.
    for _ in 0..253 {
        let middle = (low + high) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Binomial, DiscreteCDF};

    #[track_caller]
    fn close(have: f64, want: f64, relative: f64, what: &str) {
        assert!((have / want - 1.0).abs() <= relative, "{what}: {have:e} for {want:e}");
    }

    #[test]
    fn clopper_pearson_by_hand() {
        // No hit: 1 − 0.005^(1/n). One trial, one hit: from 0.005.
        let [low, high] = clopper_pearson(0, 100_000, 0.99);
        assert_eq!(low, 0.0);
        close(high, 1.0 - 0.005f64.powf(1e-5), 1e-10, "no hit");
        let [low, high] = clopper_pearson(1, 1, 0.99);
        close(low, 0.005, 1e-12, "one of one");
        assert_eq!(high, 1.0);
        // 5 of 10 at 95 %: 0.1871 to 0.8129 (standard tables).
        let [low, high] = clopper_pearson(5, 10, 0.95);
        assert!((low - 0.1871).abs() < 5e-5 && (high - 0.8129).abs() < 5e-5, "{low} {high}");
    }

    #[test]
    fn clopper_pearson_ends_leave_half_the_rest_beyond_them() {
        for (hits, n) in [(1, 100_000), (27, 100_000), (500, 1000), (99_999, 100_000), (3, 7)] {
            let [low, high] = clopper_pearson(hits, n, 0.99);
            let at_least = Binomial::new(low, n).unwrap().sf(hits - 1);
            close(at_least, 0.005, 1e-7, &format!("{hits} of {n} from {low}"));
            let at_most = Binomial::new(high, n).unwrap().cdf(hits);
            close(at_most, 0.005, 1e-7, &format!("{hits} of {n} to {high}"));
            let share = hits as f64 / n as f64;
            assert!(low < share && share < high);
        }
    }
}
