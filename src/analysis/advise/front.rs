//! The Pareto front over skew, movement, look-up and bytes, and the order of what is left.

use super::measures::Measures;

/// What a candidate costs, in the figures as they are shown; less is better in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost {
    /// Max over mean, in hundredths.
    pub skew: u64,
    /// Share moved beyond the least, in thousandths.
    pub excess: u64,
    /// Steps of a look-up, in tenths.
    pub steps: u64,
    /// Bytes of the tables.
    pub bytes: u64,
}

/// Steps that nobody counts: more than any that are counted.
const UNKNOWN: u64 = u64::MAX;

impl Cost {
    /// The costs of what was measured.
    pub fn of(measures: &Measures) -> Self {
        let round = |x: f64, parts: f64| libm::floor(x.max(0.0) * parts + 0.5) as u64;
        Cost {
            skew: round(measures.skew(), 100.0),
            excess: round(measures.excess, 1000.0),
            steps: measures.lookup_steps.map_or(UNKNOWN, |steps| round(steps, 10.0)),
            bytes: measures.table_bytes,
        }
    }

    fn each(&self) -> [u64; 4] {
        [self.skew, self.excess, self.steps, self.bytes]
    }

    /// Whether this is at least as good in everything and better in something.
    pub fn dominates(&self, other: &Cost) -> bool {
        self != other && self.each().iter().zip(other.each()).all(|(a, b)| *a <= b)
    }

    /// Spare capacity of the fullest node and keys moved beyond the least, in thousandths of the load;
    /// then steps and bytes.
    fn order(&self) -> (u64, u64, u64) {
        ((10 * self.skew).saturating_add(self.excess), self.steps, self.bytes)
    }
}

/// The place of one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Which it is.
    pub index: usize,
    /// The best of those that dominate it; None: it is on the front.
    pub dominated_by: Option<usize>,
}

/// The candidates, the best first; those of equal costs in their own order.
pub fn rank(costs: &[Cost]) -> Vec<Ranked> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&i| costs[i].order());
    // What dominates another stands before it, so the first one found is the best.
    let by = |i: usize| order.iter().copied().find(|&other| costs[other].dominates(&costs[i]));
    order.iter().map(|&index| Ranked { index, dominated_by: by(index) }).collect()
}
