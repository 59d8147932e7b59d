//! Moving hot set: in every phase a share of the rows is hot, and from phase to phase it drifts on.

use super::cumulative::Lines;
use super::phased::{self, Part};
use super::rank::RANK;
use super::{Traffic, TrafficBuild, TrafficInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};

/// Most phases: a batch has a column of requests for each.
const MAX_PHASES: i64 = 64;

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "moving-hot-set",
    summary: "phases of equal length, in each of which a share of the rows is hot; the hot set drifts from phase to phase",
    source: "the shifting hot set of caching traces; hotspot of YCSB: Cooper et al., 2010, \
             https://doi.org/10.1145/1807128.1807152, with a set that moves",
    params: &[
        Param::new(
            "hot-keys",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.001),
            "share of the rows that is hot in a phase, above 0; at least one row is",
        ),
        Param::new(
            "hot-requests",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(0.8),
            "share of a phase's requests that its hot rows take together",
        ),
        Param::new(
            "phases",
            Type::Int { min: 1, max: MAX_PHASES },
            Default::Int(24),
            "number of phases, all equally long",
        ),
        Param::new(
            "drift",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Float(1.0),
            "share of the hot rows that the next phase replaces by others: 0 stands still, 1 takes new ones",
        ),
        RANK,
    ],
    reads_counts: false,
    build: Some(build),
};

fn build(build: &TrafficBuild<'_>) -> Result<Box<dyn Traffic>, Error> {
    let p = build.params;
    let keys = p.float("hot-keys");
    if keys <= 0.0 {
        return Err(Error::invalid(format!("`hot-keys` is {keys}"))
            .help("allowed: above 0, at most 1")
            .help("for rows that are all alike take shape = \"uniform\"")
            .field("hot-keys"));
    }
    let hot = (libm::round(keys * build.rows as f64) as u64).max(1);
    let (phases, share) = (p.int("phases") as u64, p.float("hot-requests"));
    // At least one row moves on, if any is to.
    let drift = p.float("drift");
    let step = if drift > 0.0 { (libm::round(drift * hot as f64) as u64).max(1) } else { 0 };
    let part = |phase: u64| Part {
        name: (phase + 1).to_string(),
        time: 1.0 / phases as f64,
        weight: 1.0,
        start: (u128::from(phase) * u128::from(step) % u128::from(build.rows.max(1))) as u64,
        lines: Lines::two(build.rows, hot, share),
    };
    phased::build(build, (0..phases).map(part).collect())
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::divide::Divide;
    use super::*;
    use crate::keys::{Key, KeyBatch, KeyKind};
    use crate::params::{Params, Value};

    /// Requests by phase and in all, filled in batches of uneven length.
    pub(in crate::traffic) fn columns(
        info: &'static TrafficInfo,
        params: &[(&str, Value)],
        rows: u64,
        requests: u64,
    ) -> (Vec<Vec<u64>>, Vec<u64>) {
        let given = params.iter().map(|(k, v)| ((*k).to_string(), v.clone())).collect();
        let params = Params::from_pairs(info.params, given).unwrap();
        let divide = Divide::new(0.3, true);
        let build = TrafficBuild { params: &params, rows, seed: 3, requests, divide };
        let traffic = info.build.unwrap()(&build).unwrap();
        let mut phases = vec![Vec::new(); traffic.phases().len()];
        let mut all = Vec::new();
        let mut batch = KeyBatch::new(KeyKind::U64);
        while (all.len() as u64) < rows {
            batch.clear(all.len() as u64);
            for row in 0..97.min(rows - batch.first_row) {
                batch.push(&Key::U64(row));
            }
            traffic.fill(&mut batch);
            phases.iter_mut().zip(&batch.phases).for_each(|(all, more)| all.extend(more));
            all.extend_from_slice(&batch.requests);
            for i in 0..batch.len() {
                assert_eq!(batch.reads[i] + batch.writes[i], batch.requests[i]);
                assert_eq!(batch.phases.iter().map(|p| p[i]).sum::<u64>(), batch.requests[i]);
            }
        }
        for (phase, column) in traffic.phases().iter().zip(&phases) {
            assert_eq!(column.iter().sum::<u64>(), phase.requests);
        }
        let time: f64 = traffic.phases().iter().map(|p| p.time).sum();
        assert!(libm::fabs(time - 1.0) < 1e-12);
        (phases, all)
    }

    #[test]
    fn the_hot_set_moves_on_and_comes_round() {
        let params = [
            ("hot-keys", Value::Float(0.2)),
            ("hot-requests", Value::Float(0.5)),
            ("phases", Value::Int(6)),
            ("rank", Value::Text("key-order".into())),
        ];
        // Two of ten rows are hot with 25 each; eight share the other 50 of a phase's 100.
        let (phases, all) = columns(&INFO, &params, 10, 600);
        for (p, column) in phases.iter().enumerate() {
            let hot: Vec<usize> = (0..10).filter(|&row| column[row] == 25).collect();
            let start = 2 * p % 10;
            assert_eq!(hot, [start, start + 1], "phase {p}");
        }
        assert_eq!(all.iter().sum::<u64>(), 600);
    }

    #[test]
    fn half_of_the_set_stays_at_half_the_drift_and_all_at_none() {
        let starts = |drift: f64| {
            let params = [
                ("hot-keys", Value::Float(0.004)),
                ("hot-requests", Value::Float(1.0)),
                ("phases", Value::Int(2)),
                ("drift", Value::Float(drift)),
            ];
            let (phases, _) = columns(&INFO, &params, 1000, 8000);
            let hot = |p: usize| (0..1000).filter(|&row| phases[p][row] > 0).collect::<Vec<_>>();
            let (first, second) = (hot(0), hot(1));
            assert_eq!((first.len(), second.len()), (4, 4));
            first.iter().filter(|row| second.contains(row)).count()
        };
        assert_eq!([starts(0.0), starts(0.5), starts(1.0)], [4, 2, 0]);
    }
}
