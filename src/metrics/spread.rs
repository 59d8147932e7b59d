//! How far amounts spread around their fair values: the part of balance that trials compute often.

/// Statistics of load ÷ fair over the nodes with a fair load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Largest ratio.
    pub max_over_mean: f64,
    /// Smallest ratio.
    pub min_over_mean: f64,
    /// Largest |ratio − 1|.
    pub max_deviation: f64,
    /// Mean of (ratio − 1)², divided by n.
    pub cv_squared: f64,
}

impl Spread {
    /// From ratios of load to fair load; all zero for none.
    pub fn of(ratios: impl Iterator<Item = f64>) -> Self {
        let (mut n, mut max, mut min, mut squares) = (0u64, 0.0f64, f64::INFINITY, 0.0f64);
        for ratio in ratios {
            n += 1;
            max = max.max(ratio);
            min = min.min(ratio);
            squares += (ratio - 1.0) * (ratio - 1.0);
        }
        if n == 0 {
            return Spread {
                max_over_mean: 0.0,
                min_over_mean: 0.0,
                max_deviation: 0.0,
                cv_squared: 0.0,
            };
        }
        Spread {
            max_over_mean: max,
            min_over_mean: min,
            max_deviation: (max - 1.0).max(1.0 - min),
            cv_squared: squares / n as f64,
        }
    }

    /// Of shares against fair shares; nodes whose fair share is 0 do not count.
    pub fn of_shares(shares: &[f64], fair: &[f64]) -> Self {
        Self::of(shares.iter().zip(fair).filter(|(_, fair)| **fair > 0.0).map(|(s, f)| s / f))
    }

    /// The statistic of that name in a trial's condition.
    pub fn get(&self, metric: &str) -> Option<f64> {
        match metric {
            "max-over-mean" => Some(self.max_over_mean),
            "min-over-mean" => Some(self.min_over_mean),
            "max-deviation" => Some(self.max_deviation),
            "cv" => Some(libm::sqrt(self.cv_squared)),
            "cv-squared" => Some(self.cv_squared),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worked_example() {
        let spread = Spread::of_shares(&[0.5, 0.25, 0.25, 0.0], &[0.25, 0.25, 0.5, 0.0]);
        assert_eq!(spread.max_over_mean, 2.0);
        assert_eq!(spread.min_over_mean, 0.5);
        assert_eq!(spread.max_deviation, 1.0);
        assert_eq!(spread.cv_squared, (1.0 + 0.0 + 0.25) / 3.0);
    }
}
