//! Uniform traffic: every row takes the same, to within one request.

use super::cumulative::Lines;
use super::rank::RANK;
use super::ranked;
use super::{Traffic, TrafficBuild, TrafficInfo};
use crate::error::Error;

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "uniform",
    summary: "every row takes the same number of requests, to within one",
    source: "the baseline that the other shapes are compared with",
    params: &[RANK],
    reads_counts: false,
    build: Some(build),
};

fn build(build: &TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error> {
    ranked::build(build, Lines::one(build.rows))
}

#[cfg(test)]
mod tests {
    use super::super::ranked::tests::counts;
    use super::*;
    use crate::params::Value;

    #[test]
    fn rows_differ_by_at_most_one_request() {
        for (rows, requests) in [(7, 100), (1000, 999), (1000, 1_000_000_007), (3, 1 << 62)] {
            let counts = counts(&INFO, &[], rows, requests, 5);
            let (least, most) = (counts.iter().min().unwrap(), counts.iter().max().unwrap());
            assert!(most - least <= 1, "{rows} rows, {requests} requests: {least} to {most}");
            assert_eq!(counts.iter().sum::<u64>(), requests);
        }
    }

    #[test]
    fn in_key_order_the_remainder_is_spread_evenly() {
        let key_order = [("rank", Value::Text("key-order".into()))];
        // round(r · 10/4) for r = 1 … 4 is 3, 5, 8, 10 (halves go up).
        assert_eq!(counts(&INFO, &key_order, 4, 10, 0), [3, 2, 3, 2]);
    }
}
