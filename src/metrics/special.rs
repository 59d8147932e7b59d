//! Distribution functions: chi-square, normal, beta. Over `libm` only, so that
//! every platform prints the same digits.
//!
//! Sources: the series and continued fractions of NIST DLMF 8.7, 8.9, 8.17 (<https://dlmf.nist.gov>)
//! with modified Lentz iteration (W. Press et al., Numerical Recipes, section 5.2); the prefactors in
//! the saddle-point form of C. Loader, "Fast and accurate computation of binomial probabilities",
//! 2000, without which a shape of 10^5 would lose five digits. Relative error below 1e-11 for shapes
//! up to 10^6 (tested against statrs and against values computed to 30 digits).

use std::f64::consts::PI;

/// Terms at which a series or fraction is given up; shapes of 10^8 stay below it.
const MAX_TERMS: usize = 1_000_000;
/// Relative size of a term that no longer matters.
const NEGLIGIBLE: f64 = 1e-17;
/// Stands for zero in the continued fractions.
const TINY: f64 = 1e-300;

/// P(X > x) for X chi-square with `dof` ≥ 1 degrees of freedom; 1 for x ≤ 0.
pub fn chi_square_sf(x: f64, dof: u64) -> f64 {
    assert!(dof > 0, "chi-square needs a degree of freedom");
    gamma_q(dof as f64 / 2.0, x / 2.0)
}

/// P(X ≤ x) for X chi-square with `dof` ≥ 1 degrees of freedom: exact in the lower tail, where
/// 1 − [`chi_square_sf`] would be 0.
pub fn chi_square_cdf(x: f64, dof: u64) -> f64 {
    assert!(dof > 0, "chi-square needs a degree of freedom");
    gamma_p(dof as f64 / 2.0, x / 2.0)
}

/// Φ(z): P(Z ≤ z) for a standard normal Z.
pub fn normal_cdf(z: f64) -> f64 {
    libm::erfc(-z / std::f64::consts::SQRT_2) / 2.0
}

/// φ(z): the density of a standard normal.
pub fn normal_pdf(z: f64) -> f64 {
    libm::exp(-z * z / 2.0) / libm::sqrt(2.0 * PI)
}

/// ln Γ(x) for x > 0.
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Regularised lower incomplete gamma function P(a, x) for a > 0.
pub fn gamma_p(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x < a + 1.0 {
        gamma_series(a, x)
    } else {
        1.0 - gamma_fraction(a, x)
    }
}

/// Regularised upper incomplete gamma function Q(a, x) = 1 − P(a, x) for a > 0.
pub fn gamma_q(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        1.0
    } else if x < a + 1.0 {
        1.0 - gamma_series(a, x)
    } else {
        gamma_fraction(a, x)
    }
}

/// P(a, x) by DLMF 8.7.1: x^a e^−x / Γ(a+1) · Σ x^n / ((a+1) … (a+n)).
fn gamma_series(a: f64, x: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 1..MAX_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < sum * NEGLIGIBLE {
            break;
        }
    }
    (gamma_prefactor(a, x) / a * sum).min(1.0)
}

/// Q(a, x) by the continued fraction DLMF 8.9.2.
fn gamma_fraction(a: f64, x: f64) -> f64 {
    if x == f64::INFINITY {
        return 0.0;
    }
    let mut b = x + 1.0 - a;
    let mut lentz = Lentz::new(b);
    for n in 1..MAX_TERMS {
        let n = n as f64;
        b += 2.0;
        if lentz.step(-n * (n - a), b) {
            break;
        }
    }
    gamma_prefactor(a, x) / lentz.value
}

/// P(X = n) for X Poisson with this mean.
pub fn poisson_pmf(n: u64, mean: f64) -> f64 {
    if mean <= 0.0 {
        return if n == 0 { 1.0 } else { 0.0 };
    }
    if n == 0 { libm::exp(-mean) } else { gamma_prefactor(n as f64, mean) / n as f64 }
}

/// x^a e^−x / Γ(a).
fn gamma_prefactor(a: f64, x: f64) -> f64 {
    // With Γ(a) = √(2π/a) (a/e)^a Γ*(a) this is √(a/2π) e^−deviance / Γ*(a).
    libm::sqrt(a / (2.0 * PI)) * libm::exp(-deviance(x, a) - ln_gamma_star(a))
}

/// Regularised incomplete beta function I_x(a, b) for a, b > 0 and 0 ≤ x ≤ 1.
pub fn beta_i(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else if x < (a + 1.0) / (a + b + 2.0) {
        beta_fraction(a, b, x)
    } else {
        1.0 - beta_fraction(b, a, 1.0 - x)
    }
}

/// I_x(a, b) by the continued fraction DLMF 8.17.22.
fn beta_fraction(a: f64, b: f64, x: f64) -> f64 {
    let mut lentz = Lentz::new(1.0);
    for m in 0..MAX_TERMS {
        let m = m as f64;
        if m > 0.0 {
            lentz.step(m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)), 1.0);
        }
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        if lentz.step(odd, 1.0) {
            break;
        }
    }
    beta_prefactor(a, b, x) / a / lentz.value
}

/// x^a (1−x)^b / B(a, b).
fn beta_prefactor(a: f64, b: f64, x: f64) -> f64 {
    let n = a + b;
    let stars = ln_gamma_star(n) - ln_gamma_star(a) - ln_gamma_star(b);
    libm::sqrt(a * b / (2.0 * PI * n))
        * libm::exp(stars - deviance(x * n, a) - deviance((1.0 - x) * n, b))
}

/// x − a − a·ln(x/a): how far x is from a, in units of the log-likelihood.
fn deviance(x: f64, a: f64) -> f64 {
    let relative = (x - a) / a;
    // Near a the logarithm of 1 + u keeps the digits, far from it that of the quotient.
    let log = if libm::fabs(relative) < 0.5 { libm::log1p(relative) } else { libm::log(x / a) };
    a * (relative - log)
}

/// ln Γ*(a), the correction to Stirling's formula: ln Γ(a) = (a − ½) ln a − a + ½ ln 2π + ln Γ*(a).
fn ln_gamma_star(a: f64) -> f64 {
    if a < 16.0 {
        return ln_gamma(a) - ((a - 0.5) * libm::log(a) - a + 0.5 * libm::log(2.0 * PI));
    }
    // DLMF 5.11.1; the first omitted term is below 1e-17 from a = 16 on.
    let r = 1.0 / (a * a);
    (1.0 / 12.0
        - r * (1.0 / 360.0
            - r * (1.0 / 1260.0
                - r * (1.0 / 1680.0 - r * (1.0 / 1188.0 - r * (691.0 / 360_360.0))))))
        / a
}

/// A continued fraction b₀ + a₁/(b₁ + a₂/(b₂ + …)) by the modified method of Lentz.
struct Lentz {
    value: f64,
    c: f64,
    d: f64,
}

impl Lentz {
    fn new(b0: f64) -> Self {
        let value = if b0 == 0.0 { TINY } else { b0 };
        Lentz { value, c: value, d: 0.0 }
    }

    /// Takes in the next a and b; whether the value has settled.
    fn step(&mut self, a: f64, b: f64) -> bool {
        let nonzero = |x: f64| if libm::fabs(x) < TINY { TINY } else { x };
        self.d = 1.0 / nonzero(b + a * self.d);
        self.c = nonzero(b + a / self.c);
        let factor = self.c * self.d;
        self.value *= factor;
        libm::fabs(factor - 1.0) < f64::EPSILON
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{Beta, Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal};

    #[track_caller]
    fn close(have: f64, want: f64, relative: f64, what: &str) {
        let error = (have - want).abs() / want.abs().max(f64::MIN_POSITIVE);
        assert!(have == want || error <= relative, "{what}: {have:e} for {want:e} ({error:e})");
    }

    /// Oracle: statrs, whose own prefactor loses digits as the shape grows.
    #[test]
    fn chi_square_agrees_with_statrs() {
        for dof in [1u64, 2, 3, 7, 15, 99, 255, 1023, 10_000, 100_000] {
            let oracle = ChiSquared::new(dof as f64).unwrap();
            let sd = (2.0 * dof as f64).sqrt();
            let tolerance = 1e-10_f64.max(1e-14 * dof as f64);
            for z in [-8.0, -5.0, -2.0, -1.0, -0.1, 0.0, 0.1, 0.7, 1.5, 3.0, 6.0, 10.0, 20.0, 40.0]
            {
                let x = dof as f64 + z * sd;
                if x <= 0.0 {
                    continue;
                }
                let what = format!("dof {dof}, x {x}");
                let (lower, upper) = (oracle.cdf(x), oracle.sf(x));
                // A tail below 1e-290 is where exp(−x) itself leaves the normal numbers.
                if lower > 1e-290 {
                    close(chi_square_cdf(x, dof), lower, tolerance, &what);
                }
                if upper > 1e-290 {
                    close(chi_square_sf(x, dof), upper, tolerance, &what);
                }
            }
        }
    }

    /// Upper and lower tails computed to 60 digits with mpmath (`gammainc`, and the series for the
    /// large shapes), of which 13 are kept.
    #[test]
    fn chi_square_agrees_with_long_arithmetic() {
        let rows = [
            (1, 0.001, 0.974_772_879_37, 0.025_227_120_630_04),
            (1, 100.0, 1.523_970_604_832e-23, 1.0),
            (15, 3.0, 0.999_597_801_447_4, 0.000_402_198_552_649_2),
            (15, 60.0, 2.522_085_078_696e-7, 0.999_999_747_791_5),
            (255, 100.0, 1.0, 3.841_747_756_963e-20),
            (255, 400.0, 1.660_002_524_412e-8, 0.999_999_983_4),
            (1023, 1023.0, 0.494_120_089_867_3, 0.505_879_910_132_7),
            (1023, 1300.0, 7.602_268_193_83e-9, 0.999_999_992_397_7),
            (100_000, 100_000.0, 0.499_405_291_895_2, 0.500_594_708_104_8),
            (100_000, 98_000.0, 0.999_996_615_245_8, 3.384_754_228_079e-6),
            (100_000, 102_500.0, 1.463_562_599_837e-8, 0.999_999_985_364_4),
            (100_000, 105_000.0, 1.895_078_718_741e-28, 1.0),
            (1_000_000, 1_005_000.0, 0.000_207_678_009_467, 0.999_792_321_990_5),
        ];
        for (dof, x, upper, lower) in rows {
            close(chi_square_sf(x, dof), upper, 1e-11, &format!("above {x}, dof {dof}"));
            close(chi_square_cdf(x, dof), lower, 1e-11, &format!("below {x}, dof {dof}"));
        }
    }

    #[test]
    fn tails_end_where_they_should() {
        for dof in [1, 15, 100_000] {
            assert_eq!(chi_square_sf(0.0, dof), 1.0);
            assert_eq!(chi_square_sf(-1.0, dof), 1.0);
            assert_eq!(chi_square_cdf(0.0, dof), 0.0);
            assert_eq!(chi_square_sf(f64::INFINITY, dof), 0.0);
            assert_eq!(chi_square_sf(1e12, dof), 0.0);
            assert_eq!(chi_square_sf(f64::MAX, dof), 0.0);
        }
        // With 2 degrees of freedom it is e^(−x/2).
        for x in [1e-300, 1e-12, 0.5, 3.0, 60.0, 1400.0] {
            close(chi_square_sf(x, 2), (-x / 2.0).exp(), 1e-13, "dof 2");
        }
        close(chi_square_cdf(1e-12, 2), 5e-13, 1e-11, "tiny x");
        close(chi_square_cdf(1e-300, 2), 5e-301, 1e-13, "tiniest x");
    }

    #[test]
    fn the_normal_agrees_with_statrs() {
        let oracle = Normal::new(0.0, 1.0).unwrap();
        for i in -80..=80 {
            let z = f64::from(i) / 10.0;
            close(normal_cdf(z), oracle.cdf(z), 1e-10, &format!("z {z}"));
        }
        close(normal_cdf(-1.959_963_984_540_054), 0.025, 1e-14, "2.5 %");
        close(normal_pdf(0.0), 0.398_942_280_401_432_7, 1e-15, "density");
    }

    #[test]
    fn poisson_agrees_with_statrs() {
        use statrs::distribution::{Discrete, Poisson};
        for mean in [0.3, 4.0, 62_500.0] {
            let oracle = Poisson::new(mean).unwrap();
            for n in [0u64, 1, 5, 62_000, 62_500, 64_000] {
                let (have, want) = (poisson_pmf(n, mean), oracle.pmf(n));
                if want > 1e-290 {
                    close(have, want, 1e-9, &format!("{n} of {mean}"));
                }
            }
        }
        assert_eq!((poisson_pmf(0, 0.0), poisson_pmf(1, 0.0)), (1.0, 0.0));
    }

    #[test]
    fn ln_gamma_agrees_with_factorials() {
        let mut factorial = 1.0f64;
        for n in 1..=20 {
            close(ln_gamma(f64::from(n)), factorial.ln(), 1e-14, &format!("Γ({n})"));
            factorial *= f64::from(n);
        }
        close(ln_gamma(0.5), PI.sqrt().ln(), 1e-14, "Γ(½)");
    }

    #[test]
    fn stirling_joins_the_direct_formula() {
        for a in [16.0f64, 17.5, 30.0] {
            let direct = ln_gamma(a) - ((a - 0.5) * a.ln() - a + 0.5 * (2.0 * PI).ln());
            assert!((ln_gamma_star(a) - direct).abs() < 2e-14, "a = {a}");
        }
    }

    #[test]
    fn beta_agrees_with_statrs() {
        for a in [0.5, 1.0, 3.0, 20.0, 400.0, 5000.0] {
            for b in [0.5, 1.0, 7.0, 100.0, 5000.0] {
                let oracle = Beta::new(a, b).unwrap();
                let (mean, sd) = (a / (a + b), (a * b).sqrt() / (a + b) / (a + b + 1.0).sqrt());
                for z in [-5.0, -2.0, -0.5, 0.0, 0.5, 2.0, 5.0] {
                    let x = mean + z * sd;
                    if x > 0.0 && x < 1.0 {
                        close(beta_i(a, b, x), oracle.cdf(x), 1e-9, &format!("I_{x}({a}, {b})"));
                    }
                }
            }
        }
        // I_x(1, b) = 1 − (1−x)^b and I_x(a, 1) = x^a.
        close(beta_i(3.0, 1.0, 0.3), 0.027, 1e-14, "x³");
        close(beta_i(1.0, 4.0, 0.5), 0.9375, 1e-14, "1 − (1−x)⁴");
    }

    #[test]
    fn beta_is_a_sum_of_binomials() {
        // P(X ≥ k) for X binomial(n, p) is I_p(k, n − k + 1).
        for (n, k, p) in [(10u64, 3u64, 0.2), (1000, 270, 0.25), (100_000, 12, 1e-4)] {
            let want = Binomial::new(p, n).unwrap().sf(k - 1);
            close(beta_i(k as f64, (n - k + 1) as f64, p), want, 1e-9, &format!("{n} over {k}"));
        }
    }
}
