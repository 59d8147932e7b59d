//! Medians of the largest of several normal deviations.

/// Median of the largest |z| of n standard normal numbers: (2Φ(z) − 1)ⁿ = ½.
pub fn largest_either_way(n: usize) -> f64 {
    // 2Φ(z) − 1 = erf(z ÷ √2)
    solve(n, |z| libm::erf(z * std::f64::consts::FRAC_1_SQRT_2))
}

/// Median of the largest z of n standard normal numbers, not below 0: Φ(z)ⁿ = ½.
pub fn largest(n: usize) -> f64 {
    solve(n, |z| 0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2))
}

/// The z from 0 to 10 at which the rising function is ½^(1/n), by halving.
fn solve(n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let aim = libm::pow(0.5, 1.0 / n as f64);
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if f(middle) < aim {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_deviation_has_the_quartiles_of_the_normal_law() {
        assert!((largest_either_way(1) - 0.674_489_750_196_082).abs() < 1e-12);
        assert!(largest(1).abs() < 1e-12);
        // Φ(z)^16 = ½ at Φ(z) = 0.957603: z = 1.7235 (standard tables).
        assert!((largest(16) - 1.7235).abs() < 1e-3);
    }
}
