//! How likely counts are when nodes should have given shares.
//!
//! Counts of K independent keys are multinomial. Where the shares themselves stray (arcs of a ring cut by
//! A points) or keys come in groups, they are Dirichlet-multinomial with precision A, whose variance is
//! (K + A)/(1 + A) times as large (J. Mosimann, 1962, <https://doi.org/10.1093/biomet/49.1-2.65>). One
//! family so serves chance, rings and groups, and A = ∞ is the multinomial.

use super::Case;
use crate::metrics::special::ln_gamma;

/// How far counts stray from the shares of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stray {
    /// As the strategy's own law says.
    Law,
    /// As this precision says, fitted to the counts.
    Precision(f64),
}

/// A model fitted to the counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// ln P(counts | model) less the penalty.
    pub score: f64,
    /// How far counts stray.
    pub stray: Stray,
}

/// Least precision that is fitted: below it a single node holds everything.
const LEAST: f64 = 1e-3;

/// ln P(counts | shares, precision): Dirichlet-multinomial, or multinomial for an infinite precision.
/// −∞ where a node without a share holds keys.
pub fn ln_likelihood(counts: &[u64], shares: &[f64], precision: f64) -> f64 {
    let total: u64 = counts.iter().sum();
    let mut sum = ln_gamma(total as f64 + 1.0);
    if precision.is_finite() {
        sum -= rising(precision, total as f64);
    }
    for (&count, &share) in counts.iter().zip(shares) {
        if count == 0 {
            continue;
        }
        if share <= 0.0 {
            return f64::NEG_INFINITY;
        }
        let count = count as f64;
        sum += count * libm::log(share) - ln_gamma(count + 1.0);
        if precision.is_finite() {
            sum += rising(precision * share, count);
        }
    }
    sum
}

/// ln Γ(a + x) − ln Γ(a) − x ln a for a > 0, x ≥ 0, without the cancellation that large a would bring.
fn rising(a: f64, x: f64) -> f64 {
    if a < 50.0 {
        return ln_gamma(a + x) - ln_gamma(a) - x * libm::log(a);
    }
    // Stirling's series to 1/(12 a): the next term is below 3e-8.
    (a + x - 0.5) * libm::log1p(x / a) - x + (1.0 / (a + x) - 1.0 / a) / 12.0
}

impl Case<'_> {
    /// Cost of one share fitted to the counts.
    pub fn share_penalty(&self) -> f64 {
        match self.seen.keys {
            Some(keys) => 0.5 * libm::log(keys.max(2) as f64),
            None => self.spread_penalty(),
        }
    }

    /// Cost of a fitted precision, which n nodes inform.
    pub fn spread_penalty(&self) -> f64 {
        0.5 * libm::log(self.nodes() as f64)
    }

    /// The model of these shares, with the law's own precision or a fitted one, whichever scores better.
    /// Amounts without keys always need a fitted one.
    pub fn fit(&self, shares: &[f64], penalty: f64) -> Fit {
        let fitted = self.fit_spread(shares, penalty);
        let strict = self.fit_strict(shares, penalty);
        match strict {
            Some(strict) if strict.score >= fitted.score => strict,
            _ => fitted,
        }
    }

    /// The model with the law's own precision; None for amounts without keys.
    pub fn fit_strict(&self, shares: &[f64], penalty: f64) -> Option<Fit> {
        self.seen.keys?;
        let score = ln_likelihood(&self.counts, shares, self.law.points()) - penalty;
        Some(Fit { score, stray: Stray::Law })
    }

    /// The model with the precision that makes the counts likeliest, up to the law's own.
    pub fn fit_spread(&self, shares: &[f64], penalty: f64) -> Fit {
        let at = |ln_a: f64| ln_likelihood(&self.counts, shares, libm::exp(ln_a));
        let most = (self.total as f64 * 1e3).min(self.law.points());
        let (mut low, mut high) = (libm::log(LEAST), libm::log(most));
        const GOLDEN: f64 = 0.618_033_988_749_894_8;
        // Golden section: the likelihood has one maximum in ln A.
        let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (mut at_a, mut at_b) = (at(a), at(b));
        for _ in 0..60 {
            if at_a < at_b {
                (low, a, at_a) = (a, b, at_b);
                b = low + GOLDEN * (high - low);
                at_b = at(b);
            } else {
                (high, b, at_b) = (b, a, at_a);
                a = high - GOLDEN * (high - low);
                at_a = at(a);
            }
        }
        let (ln_a, best) = if at_a > at_b { (a, at_a) } else { (b, at_b) };
        let score = best - penalty - self.spread_penalty();
        Fit { score, stray: Stray::Precision(libm::exp(ln_a)) }
    }

    /// How many times further the counts stray from these shares than the law lets them: the root of
    /// chi-square over its degrees of freedom. None where that is not known.
    pub fn times_chance(&self, shares: &[f64]) -> Option<f64> {
        let keys = self.seen.keys? as f64;
        let factor = keys * super::super::super::peak::dispersion(self.law.points(), keys);
        let (mut sum, mut nodes) = (0.0, 0.0);
        for (&count, &share) in self.counts.iter().zip(shares).filter(|(_, s)| **s > 0.0) {
            let expected = share * keys;
            let off = count as f64 - expected;
            sum += off * off / expected;
            nodes += 1.0;
        }
        (nodes > 1.0).then(|| libm::sqrt(sum / (nodes - 1.0) / factor))
    }

    /// The number of independent keys (equal groups of keys) that would stray as far from these shares:
    /// (n − 1) ÷ Σ (s − q)²/q. Infinite where nothing strays.
    pub fn effective_keys(&self, shares: &[f64]) -> f64 {
        let total = self.total as f64;
        let (mut sum, mut nodes) = (0.0, 0.0);
        for (&count, &share) in self.counts.iter().zip(shares).filter(|(_, s)| **s > 0.0) {
            let off = count as f64 / total - share;
            sum += off * off / share;
            nodes += 1.0;
        }
        if sum > 0.0 { (nodes - 1.0) / sum } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(have: f64, want: f64, within: f64) {
        assert!((have - want).abs() <= within, "{have} for {want}");
    }

    #[test]
    fn multinomial_by_hand() {
        // 3 keys as 2, 1 on two equal nodes: 3/8.
        close(ln_likelihood(&[2, 1], &[0.5, 0.5], f64::INFINITY), (3.0f64 / 8.0).ln(), 1e-12);
        assert_eq!(ln_likelihood(&[2, 1], &[1.0, 0.0], f64::INFINITY), f64::NEG_INFINITY);
        assert_eq!(ln_likelihood(&[3, 0], &[1.0, 0.0], f64::INFINITY), 0.0);
    }

    #[test]
    fn one_point_a_node_makes_every_count_equally_likely() {
        // Two arcs, one point each: the share is uniform, and so is the count: 1/(K+1).
        for count in [0, 3, 10] {
            close(ln_likelihood(&[count, 10 - count], &[0.5; 2], 2.0), (1.0f64 / 11.0).ln(), 1e-12);
        }
        // With many points it becomes the multinomial.
        let exact = ln_likelihood(&[70, 30], &[0.5; 2], f64::INFINITY);
        close(ln_likelihood(&[70, 30], &[0.5; 2], 1e12), exact, 1e-6);
    }

    #[test]
    fn the_two_ways_of_the_rising_factorial_agree() {
        for (a, x) in [(50.0, 1.0), (80.0, 1e3), (60.0, 1e7)] {
            let plain = ln_gamma(a + x) - ln_gamma(a) - x * f64::ln(a);
            close(rising(a, x), plain, 1e-7 * plain.abs().max(1.0));
        }
    }
}
