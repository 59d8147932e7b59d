//! Columns of a table as shard keys: cardinality, the largest value's share, the skew to expect, the queries
//! that one shard can answer.
//!
//! The rule of the ranking: first the columns whose predicted max over mean (the median over hash seeds)
//! stays within what is tolerated; among them, and among the others, by the share of queries that one shard
//! answers, where a query mix is given; then by predicted max over mean; then by distinct values; then by
//! name.

use std::cmp::Ordering;

use serde::Deserialize;

use crate::analysis::distinct::{Count, Distinct, fingerprint};
use crate::analysis::heavy::{Frequent, Heavy};
use crate::analysis::lint::trial::{Measure, Trial, measure};
use crate::analysis::rows::each_batch;
use crate::error::Error;
use crate::rng::{Purpose, Stream};
use crate::sim::Progress;
use crate::sim::input::Input;

/// A column to rank.
#[derive(Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its values.
    pub input: Input,
    /// The routing of its values.
    pub routing: Trial,
}

/// A kind of query: which columns it knows, and how often it comes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// The columns whose values it gives.
    pub columns: Vec<String>,
    /// Its part of all queries; parts need not sum to 1.
    pub share: f64,
    /// What it is.
    #[serde(default)]
    pub name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Queries {
    query: Vec<Query>,
}

/// Reads a query mix from TOML: `[[query]] columns = […] share = …`.
///
/// # Errors
/// TOML that is none or has other fields; no query; a share that is no positive number; a column that the
/// table does not have.
pub fn parse_queries(text: &str, shown: &str, columns: &[String]) -> Result<Vec<Query>, Error> {
    let wrong = |what: String| Error::data(format!("`{shown}`: {what}"));
    let Queries { query } = toml::from_str(text).map_err(|cause| {
        wrong(cause.to_string().trim_end().to_string())
            .help("write one table a query: [[query]], columns = [\"user_id\"], share = 0.7")
    })?;
    if query.is_empty() {
        return Err(wrong("has no [[query]]".into()));
    }
    for (number, query) in query.iter().enumerate() {
        let place = format!("query {}", number + 1);
        if !(query.share.is_finite() && query.share > 0.0) {
            return Err(wrong(format!("{place}: `share` is {}", query.share))
                .help("allowed: a number above 0"));
        }
        for column in &query.columns {
            if !columns.contains(column) {
                let mut error =
                    Error::unknown("column", column, columns.iter().map(String::as_str));
                error.message = format!("`{shown}`: {place}: the table has no column `{column}`");
                error.kind = crate::error::ErrorKind::Data;
                return Err(error);
            }
        }
    }
    Ok(query)
}

/// What a column is as a shard key.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Name.
    pub name: String,
    /// Rows.
    pub rows: u64,
    /// Distinct values.
    pub distinct: Count,
    /// Empty values.
    pub empty: u64,
    /// The most frequent value.
    pub top: Option<Frequent>,
    /// Max over mean over random hash functions: median and 95th percentile.
    pub predicted: [f64; 2],
    /// The same under the routing at hand, and what else was counted.
    pub measured: Measure,
    /// Share of the queries that one shard answers.
    pub one_shard: Option<f64>,
    /// Whether the predicted median is within what is tolerated.
    pub is_even: bool,
}

/// Ranks columns, the best first.
///
/// # Errors
/// A fault of the table; an interrupt.
pub fn rank(
    candidates: &[Candidate],
    queries: Option<&[Query]>,
    tolerated: f64,
    progress: &dyn Progress,
) -> Result<Vec<Ranked>, Error> {
    let mut ranked = Vec::new();
    for candidate in candidates {
        ranked.push(column(candidate, queries, tolerated, progress)?);
    }
    ranked.sort_by(better);
    Ok(ranked)
}

/// The rule of the ranking.
fn better(a: &Ranked, b: &Ranked) -> Ordering {
    let share = |r: &Ranked| r.one_shard.unwrap_or(0.0);
    b.is_even
        .cmp(&a.is_even)
        .then(share(b).total_cmp(&share(a)))
        .then(a.predicted[0].total_cmp(&b.predicted[0]))
        .then(b.distinct.number.cmp(&a.distinct.number))
        .then(a.name.cmp(&b.name))
}

fn column(
    candidate: &Candidate,
    queries: Option<&[Query]>,
    tolerated: f64,
    progress: &dyn Progress,
) -> Result<Ranked, Error> {
    let Candidate { name, input, routing } = candidate;
    let (mut distinct, mut heavy, mut rows, mut empty) =
        (Distinct::default(), Heavy::default(), 0, 0);
    each_batch(input.source.as_ref(), input.rows, |batch| {
        for row in 0..batch.len() {
            rows += 1;
            let print = fingerprint(batch, row);
            distinct.add(print);
            heavy.add(print, || batch.key(row).to_string());
            empty += u64::from(batch.text.get(row).is_empty());
        }
    })?;
    let distinct = distinct.count();
    let measured = measure(std::slice::from_ref(routing), input, progress)?.remove(0);
    let predicted = predict(&heavy, rows, distinct.number, measured.nodes);
    let one_shard = queries.map(|queries| {
        let all: f64 = queries.iter().map(|q| q.share).sum();
        let hit = queries
            .iter()
            .filter(|q| name.split('+').all(|part| q.columns.iter().any(|c| c == part)));
        hit.map(|q| q.share).sum::<f64>() / all
    });
    Ok(Ranked {
        name: name.clone(),
        rows,
        distinct,
        empty,
        top: heavy.top(1).into_iter().next(),
        predicted,
        measured,
        one_shard,
        is_even: predicted[0] <= tolerated,
    })
}

/// Most values that are thrown in all trials together.
const MOST_THROWS: u64 = 20_000_000;

/// Max over mean over random hash functions: median and 95th percentile. Every value is thrown on a node;
/// what the counters could not hold is spread as many small values are, with the noise of their number.
fn predict(heavy: &Heavy, rows: u64, distinct: u64, nodes: usize) -> [f64; 2] {
    if rows == 0 || nodes < 2 {
        return [1.0; 2];
    }
    let counts = heavy.counts();
    let counted: u64 = counts.iter().sum();
    let rest = rows.saturating_sub(counted) as f64;
    let small = distinct.saturating_sub(counts.len() as u64).max(1) as f64;
    let (mean, each) = (rest / nodes as f64, rest / small);
    let noise = libm::sqrt(mean * each);
    let throws = counts.len() as u64 + if rest > 0.0 { nodes as u64 } else { 0 };
    let trials = (MOST_THROWS / throws.max(1)).clamp(20, 1000);
    let mut found: Vec<f64> = (0..trials)
        .map(|trial| {
            let mut stream = Stream::new(1, Purpose::TrialKeys, trial);
            let mut loads = vec![0.0f64; nodes];
            counts.iter().for_each(|&n| loads[stream.below(nodes as u64) as usize] += n as f64);
            if rest > 0.0 {
                loads.iter_mut().for_each(|load| *load += mean + noise * normal(&mut stream));
            }
            loads.iter().copied().fold(0.0, f64::max) * nodes as f64 / rows as f64
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let at = |p: f64| found[((libm::ceil(p * found.len() as f64) as usize).max(1)) - 1];
    [at(0.5), at(0.95)]
}

/// A standard normal number (G. Box and M. Muller, 1958, <https://doi.org/10.1214/aoms/1177706645>).
fn normal(stream: &mut Stream) -> f64 {
    let radius = libm::sqrt(-2.0 * libm::log(1.0 - stream.unit()));
    radius * libm::cos(2.0 * std::f64::consts::PI * stream.unit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::fmix64;

    fn heavy(counts: &[u64]) -> Heavy {
        let mut heavy = Heavy::default();
        for (value, &count) in counts.iter().enumerate() {
            (0..count).for_each(|_| heavy.add(fmix64(value as u64 + 1), || value.to_string()));
        }
        heavy
    }

    #[test]
    fn few_values_are_predicted_as_their_throws_fall() {
        // Two equal values on two nodes: together with probability 1/2, so the 95th percentile is 2.
        let [median, high] = predict(&heavy(&[500, 500]), 1000, 2, 2);
        assert!(median == 1.0 || median == 2.0);
        assert_eq!(high, 2.0);
        // One value of 60 % on 10 nodes has at least 6 times the mean.
        let [median, _] = predict(&heavy(&[600, 400]), 1000, 2, 10);
        assert!((6.0..=10.0).contains(&median));
    }

    #[test]
    fn many_values_are_predicted_as_the_balls_in_bins_that_they_are() {
        // 10 000 values once each on 10 nodes: 1000 a node, σ 3 %, the largest of ten about 1.54 σ above.
        let [median, high] = predict(&heavy(&vec![1; 10_000]), 10_000, 10_000, 10);
        assert!((1.03..1.07).contains(&median), "{median}");
        assert!((1.06..1.12).contains(&high), "{high}");
        // Beyond the counters the rest has the noise of its values: 200 000 values of one row.
        let [median, _] = predict(&heavy(&vec![1; 200_000]), 200_000, 200_000, 10);
        assert!((1.005..1.02).contains(&median), "{median}");
    }

    #[test]
    fn a_query_mix_is_checked() {
        let columns = ["user".to_string(), "city".to_string()];
        let parse = |text: &str| parse_queries(text, "q.toml", &columns);
        let good = parse("[[query]]\ncolumns = [\"user\"]\nshare = 0.7\n").unwrap();
        assert_eq!(good[0].columns, ["user"]);
        for (text, want) in [
            ("", "missing field"),
            ("query = []", "has no [[query]]"),
            ("[[query]]\ncolumns = [\"user\"]\nshare = 0\n", "`share` is 0"),
            ("[[query]]\ncolumns = [\"user\"]\nshare = -1.5\n", "`share` is -1.5"),
            ("[[query]]\ncolumns = [\"usr\"]\nshare = 1\n", "no column `usr`"),
            ("[[query]]\ncolumns = [\"user\"]\nshares = 1\n", "unknown field"),
            ("[[query]\n", "`q.toml`"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.to_string().contains(want), "{text}: {error}");
        }
    }
}
