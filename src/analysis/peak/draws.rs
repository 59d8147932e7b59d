//! Random draws beyond the uniform: what chance would do to counts and to shares of a ring.
//!
//! All are exact but for rounding, and need a number of steps that does not grow with the count.

use crate::rng::Stream;

/// A standard normal (G. Marsaglia's polar method, 1964; one of the pair is used).
pub fn normal(stream: &mut Stream) -> f64 {
    loop {
        let (u, v) = (2.0 * stream.unit() - 1.0, 2.0 * stream.unit() - 1.0);
        let s = u * u + v * v;
        if s > 0.0 && s < 1.0 {
            return u * libm::sqrt(-2.0 * libm::log(s) / s);
        }
    }
}

/// A gamma variate of scale 1 and shape `shape` > 0 (G. Marsaglia and W. Tsang, 2000,
/// <https://doi.org/10.1145/358407.358414>).
pub fn gamma(stream: &mut Stream, shape: f64) -> f64 {
    if shape < 1.0 {
        let power = libm::pow(1.0 - stream.unit(), 1.0 / shape);
        return gamma(stream, shape + 1.0) * power;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / libm::sqrt(9.0 * d);
    loop {
        let x = normal(stream);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        if libm::log(1.0 - stream.unit()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
            return d * v;
        }
    }
}

/// Shares of a circle that random points cut: node i has `points[i]` of them. Gamma variates over
/// their sum (a Dirichlet draw), so one number a node, however many points it has.
pub fn dirichlet(stream: &mut Stream, points: &[f64], shares: &mut Vec<f64>) {
    shares.clear();
    shares.extend(points.iter().map(|&p| if p > 0.0 { gamma(stream, p) } else { 0.0 }));
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
}

/// Successes in `n` trials of probability `p`: the median of the uniforms behind the trials is a beta
/// variate, which leaves half of them to look at (D. Relles, 1972,
/// <https://doi.org/10.1080/01621459.1972.10481259>).
pub fn binomial(stream: &mut Stream, mut n: u64, mut p: f64) -> u64 {
    /// Below this many, each trial is made.
    const FEW: u64 = 24;
    let mut successes = 0;
    while n > FEW {
        if p <= 0.0 {
            return successes;
        }
        if p >= 1.0 {
            return successes + n;
        }
        let middle = n / 2 + 1;
        let low = gamma(stream, middle as f64);
        let high = gamma(stream, (n + 1 - middle) as f64);
        let cut = low / (low + high);
        if cut <= p {
            // The `middle` smallest uniforms are all successes.
            successes += middle;
            n -= middle;
            p = (p - cut) / (1.0 - cut);
        } else {
            n = middle - 1;
            p /= cut;
        }
    }
    successes + (0..n).filter(|_| stream.unit() < p).count() as u64
}

/// Counts of `n` keys that fall on nodes with these shares (of sum 1), one binomial after the other.
pub fn multinomial(stream: &mut Stream, n: u64, shares: &[f64], counts: &mut Vec<u64>) {
    counts.clear();
    let (mut keys, mut rest) = (n, shares.iter().sum::<f64>());
    let last = shares.iter().rposition(|&s| s > 0.0).unwrap_or(0);
    for (i, &share) in shares.iter().enumerate() {
        let count = if i == last {
            keys
        } else if share > 0.0 {
            binomial(stream, keys, (share / rest).clamp(0.0, 1.0))
        } else {
            0
        };
        counts.push(count);
        keys -= count;
        rest = (rest - share).max(f64::MIN_POSITIVE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::chi_square::chi_square;
    use crate::metrics::special::{beta_i, gamma_p};
    use crate::rng::Purpose;

    fn stream(index: u64) -> Stream {
        Stream::new(3, Purpose::Chance, index)
    }

    /// Draws fall into ten classes of equal probability: chi-square with 9 degrees of freedom is above
    /// 39.3 once in 100 000.
    #[track_caller]
    fn fits(what: &str, cdf: impl Fn(f64) -> f64, mut draw: impl FnMut() -> f64) {
        let mut counts = [0u64; 10];
        (0..5000).for_each(|_| counts[((cdf(draw()) * 10.0) as usize).min(9)] += 1);
        let test = chi_square(&counts, &[0.1; 10]).unwrap();
        assert!(test.statistic < 39.3, "{what}: {counts:?}");
    }

    #[test]
    fn gammas_follow_their_distribution() {
        for (i, shape) in [0.3, 1.0, 2.5, 160.0].into_iter().enumerate() {
            let mut stream = stream(i as u64);
            fits(&format!("gamma {shape}"), |x| gamma_p(shape, x), || gamma(&mut stream, shape));
        }
    }

    #[test]
    fn shares_of_a_ring_are_beta() {
        let mut stream = stream(9);
        let mut shares = Vec::new();
        fits(
            "first of 3 nodes with 4 points each",
            |x| beta_i(4.0, 8.0, x),
            || {
                dirichlet(&mut stream, &[4.0; 3], &mut shares);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                shares[0]
            },
        );
    }

    /// Against the exact probabilities, by classes of one count each around the mean.
    #[test]
    fn binomials_follow_their_distribution() {
        for (index, n, p) in [(20, 10u64, 0.3), (21, 60, 0.5), (22, 1000, 0.004), (23, 400, 0.99)] {
            let mut stream = stream(index);
            let mut counts = vec![0u64; n as usize + 1];
            let draws = 5000;
            (0..draws).for_each(|_| counts[binomial(&mut stream, n, p) as usize] += 1);
            // P(X ≤ k) = I_{1−p}(n−k, k+1).
            let cdf = |k: u64| {
                if k >= n { 1.0 } else { beta_i((n - k) as f64, k as f64 + 1.0, 1.0 - p) }
            };
            let (mut have, mut want) = (vec![0u64], vec![0.0]);
            let mut below = 0.0;
            for k in 0..=n {
                *have.last_mut().unwrap() += counts[k as usize];
                *want.last_mut().unwrap() += cdf(k) - below;
                below = cdf(k);
                if *want.last().unwrap() * f64::from(draws) > 20.0 && 1.0 - below > 0.02 {
                    have.push(0);
                    want.push(0.0);
                }
            }
            let test = chi_square(&have, &want).unwrap();
            assert!(test.p > 1e-5, "{n} {p}: {test:?}");
        }
    }

    #[test]
    fn counts_sum_to_the_keys_and_leave_out_what_has_no_share() {
        let (mut stream, mut counts) = (stream(30), Vec::new());
        multinomial(&mut stream, 1_543_901_950, &[0.25, 0.0, 0.75, 0.0], &mut counts);
        assert_eq!(counts.iter().sum::<u64>(), 1_543_901_950);
        assert_eq!((counts[1], counts[3]), (0, 0));
        // 386 M ± 17 000: five standard deviations.
        assert!((counts[0] as f64 - 385_975_487.0).abs() < 86_000.0, "{counts:?}");
    }
}
