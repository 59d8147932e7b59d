//! Hot spot: a share of the rows takes a share of the requests; both groups are even within.

use super::cumulative::Lines;
use super::rank::RANK;
use super::ranked;
use super::{Traffic, TrafficBuild, TrafficInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "hotspot",
    summary: "a share of the rows, the hot ones, takes a share of the requests",
    source: "HotspotIntegerGenerator of YCSB: Cooper et al., 2010, \
             https://doi.org/10.1145/1807128.1807152",
    params: &[
        // 20 % of the keys, 80 % of the requests are YCSB's defaults.
        Param::new(
            "hot-keys",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.2),
            "share of the rows that is hot, above 0; at least one row is",
        ),
        Param::new(
            "hot-requests",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.8),
            "share of the requests that the hot rows take together",
        ),
        RANK,
    ],
    reads_counts: false,
    build: Some(build),
};

fn build(build: &TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error> {
    let keys = build.params.float("hot-keys");
    if keys <= 0.0 {
        return Err(Error::invalid(format!("`hot-keys` is {keys}"))
            .help("allowed: above 0, at most 1")
            .help("for rows that are all alike take shape = \"uniform\"")
            .field("hot-keys"));
    }
    let hot = libm::round(keys * build.rows as f64) as u64;
    let share = build.params.float("hot-requests");
    ranked::build(build, Lines::two(build.rows, hot.max(1), share))
}

#[cfg(test)]
mod tests {
    use super::super::divide::Divide;
    use super::super::ranked::tests::counts;
    use super::*;
    use crate::params::{Params, Value};

    #[test]
    fn the_hot_rows_take_their_share() {
        let params = [("hot-keys", Value::Float(0.01)), ("hot-requests", Value::Float(0.5))];
        let mut counts = counts(&INFO, &params, 1000, 1_000_000, 3);
        counts.sort_unstable();
        assert_eq!(counts[990..], [50_000; 10]);
        // 500 000 among 990 rows: 505 or 506 each.
        assert!(counts[..990].iter().all(|&c| c == 505 || c == 506), "{:?}", &counts[..990]);
        assert_eq!(counts.iter().sum::<u64>(), 1_000_000);
    }

    #[test]
    fn the_ends_of_both_shares_are_allowed() {
        let with = |x: f64, y: f64| {
            let params = [("hot-keys", Value::Float(x)), ("hot-requests", Value::Float(y))];
            let mut counts = counts(&INFO, &params, 10, 1000, 3);
            counts.sort_unstable();
            counts
        };
        assert_eq!(with(0.2, 1.0), [0, 0, 0, 0, 0, 0, 0, 0, 500, 500]);
        assert_eq!(with(0.2, 0.0), [0, 0, 125, 125, 125, 125, 125, 125, 125, 125]);
        assert_eq!(with(1.0, 0.3), [100; 10]);
        assert_eq!(with(1e-9, 0.1), [100; 10], "one row is hot at least");
    }

    #[test]
    fn no_hot_rows_is_an_error_that_names_the_parameter() {
        let params =
            Params::from_pairs(INFO.params, vec![("hot-keys".into(), Value::Float(0.0))]).unwrap();
        let error = build(&TrafficBuild {
            params: &params,
            rows: 10,
            seed: 1,
            requests: 1,
            divide: Divide::default(),
        });
        assert_eq!(error.unwrap_err().field, Some("hot-keys"));
    }
}
