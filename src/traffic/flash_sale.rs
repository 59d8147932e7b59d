//! Flash sale: for a window of time a few rows take most of the requests, and there are more of them.

use super::cumulative::Lines;
use super::phased::{self, Part};
use super::rank::RANK;
use super::{Traffic, TrafficBuild, TrafficInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "flash-sale",
    summary: "three phases: even traffic, a window in which a few rows take most of a surge, even again",
    source: "sales that begin on the minute; flash crowds: Jung, Krishnamurthy & Rabinovich, 2002, \
             https://doi.org/10.1145/511446.511485",
    params: &[
        Param::new(
            "sale-keys",
            Type::Int { min: 1, max: 1_000_000_000_000 },
            Default::Int(100),
            "number of rows on sale",
        ),
        Param::new(
            "sale-requests",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.8),
            "share of the window's requests that the rows on sale take together",
        ),
        Param::new(
            "start",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.5),
            "when the window opens, as a share of the whole time",
        ),
        Param::new(
            "window",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.05),
            "length of the window as a share of the whole time, above 0",
        ),
        Param::new(
            "surge",
            Type::Float { min: 1.0, max: 1e6 },
            Default::Float(10.0),
            "requests per time within the window, times those outside",
        ),
        RANK,
    ],
    reads_counts: false,
    build: Some(build),
};

fn build(build: &TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error> {
    let p = build.params;
    let (start, window, surge) = (p.float("start"), p.float("window"), p.float("surge"));
    if window <= 0.0 || start + window > 1.0 {
        return Err(Error::invalid(format!(
            "the window is {window} of the time long and opens at {start}"
        ))
        .help("allowed: a `window` above 0 that ends within the time: start + window at most 1")
        .field("window"));
    }
    let keys = p.int("sale-keys") as u64;
    if keys > build.rows {
        return Err(Error::invalid(format!(
            "{keys} rows are on sale, but there are {}",
            build.rows
        ))
        .help("lower `sale-keys`, or raise the number of keys")
        .field("sale-keys"));
    }
    let even = |name: &str, time: f64| Part {
        name: name.into(),
        time,
        weight: time,
        start: 0,
        lines: Lines::one(build.rows),
    };
    let sale = Part {
        name: "sale".into(),
        time: window,
        weight: window * surge,
        start: 0,
        lines: Lines::two(build.rows, keys, p.float("sale-requests")),
    };
    let mut parts = vec![even("before", start), sale, even("after", 1.0 - start - window)];
    parts.retain(|part| part.time > 0.0);
    phased::build(build, parts)
}

#[cfg(test)]
mod tests {
    use super::super::moving_hot_set::tests::columns;
    use super::*;
    use crate::params::Value;

    #[test]
    fn the_rows_on_sale_take_their_share_of_the_surge() {
        let params = [
            ("sale-keys", Value::Int(2)),
            ("start", Value::Float(0.5)),
            ("window", Value::Float(0.1)),
            ("surge", Value::Float(9.0)),
            ("sale-requests", Value::Float(0.8)),
            ("rank", Value::Text("key-order".into())),
        ];
        // 0.5 + 0.9 + 0.4 = 1.8 parts: of 1800 requests 500, 900 and 400.
        let (phases, requests) = columns(&INFO, &params, 10, 1800);
        assert_eq!(phases[0], [50; 10]);
        // 80 % of 900 on two rows, 20 % on eight: 22.5 each.
        assert_eq!(phases[1][..2], [360, 360]);
        assert_eq!(phases[1][2..].iter().sum::<u64>(), 180);
        assert_eq!(phases[2], [40; 10]);
        assert_eq!(requests[0], 450);
        assert_eq!(requests.iter().sum::<u64>(), 1800);
    }

    #[test]
    fn a_window_at_the_start_leaves_two_phases_and_one_past_the_end_is_refused() {
        let with = |start: f64, window: f64| {
            [("start", Value::Float(start)), ("window", Value::Float(window))]
        };
        assert_eq!(columns(&INFO, &with(0.0, 0.25), 1000, 1000).0.len(), 2);
        for (start, window) in [(0.9, 0.2), (0.5, 0.0)] {
            let params = with(start, window).map(|(k, v)| (k.to_string(), v)).to_vec();
            let params = crate::params::Params::from_pairs(INFO.params, params).unwrap();
            let divide = super::super::divide::Divide::default();
            let error =
                build(&TrafficBuild { params: &params, rows: 1000, seed: 1, requests: 9, divide });
            assert_eq!(error.unwrap_err().field, Some("window"));
        }
    }
}
