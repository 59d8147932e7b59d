//! A few values that come again and again, such as a gender, a country or an order state.
//!
//! Idea: every row draws one of the values by its weight.
//! Source: the classic wrong choice of shard key: three values fill at most three shards.
//! Cost: one number of the stream a key, about 9 ns.
//! Choices: values of weight 0 never come. How many values come is counted exactly where that is
//! cheap: when all keys lie in the first chunk, or all values come there.

use super::counts::{COUNT, count};
use super::cumulative::Cumulative;
use super::{
    Access, CHUNK_ROWS, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo,
    Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::rng::{Purpose, Stream};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "low-cardinality",
    summary: "a few values that come again and again",
    source: "shard keys such as gender, country, state",
    params: &[
        COUNT,
        Param::new(
            "values",
            Type::List(&Type::Text),
            Default::Absent,
            "the values, all different; male, female and unknown when absent",
        ),
        Param::new(
            "weights",
            Type::List(&Type::Float { min: 0.0, max: 1e15 }),
            Default::Absent,
            "how often each value comes, relative to the others; all equal when absent",
        ),
    ],
    build,
};

/// Values when the scenario gives none.
const DEFAULT_VALUES: [&str; 3] = ["male", "female", "unknown"];

/// Most values; with more, the cardinality is no longer low.
const MAX_VALUES: usize = 65_536;

/// Longest value in bytes, so that the texts of a chunk fit into the 4 GiB of an arena.
const MAX_LEN: usize = 1024;

#[derive(Debug)]
struct LowCardinality {
    count: u64,
    seed: u64,
    values: Vec<String>,
    shares: Cumulative,
    /// Values of a weight above zero.
    possible: u64,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let values = values(build.params)?;
    let weights = weights(build.params, &values)?;
    Ok(Box::new(LowCardinality {
        count: count(build),
        seed: build.seed,
        values,
        shares: Cumulative::new(&weights),
        possible: weights.iter().filter(|&&w| w > 0.0).count() as u64,
    }))
}

fn values(params: &Params) -> Result<Vec<String>, Error> {
    let wrong = |message: String| Err(Error::invalid(message).field("values"));
    let Some(items) = params.list("values") else {
        return Ok(DEFAULT_VALUES.map(String::from).to_vec());
    };
    if items.is_empty() || items.len() > MAX_VALUES {
        return wrong(format!("`values` has {} items; allowed: 1 to {MAX_VALUES}", items.len()));
    }
    let values: Vec<String> = items.iter().map(Value::to_string).collect();
    let mut sorted: Vec<&str> = values.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return wrong(format!("`values` holds \"{}\" twice; raise its weight instead", pair[0]));
    }
    if let Some(long) = values.iter().find(|v| v.len() > MAX_LEN) {
        return wrong(format!("a value has {} bytes; allowed: up to {MAX_LEN}", long.len()));
    }
    Ok(values)
}

fn weights(params: &Params, values: &[String]) -> Result<Vec<f64>, Error> {
    let wrong = |message: String| Err(Error::invalid(message).field("weights"));
    let Some(items) = params.list("weights") else { return Ok(vec![1.0; values.len()]) };
    if items.len() != values.len() {
        return wrong(format!("`weights` has {} items for {} values", items.len(), values.len()));
    }
    let weights: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
    if weights.iter().all(|&w| w == 0.0) {
        return wrong("`weights` are all 0; at least one must be above 0".into());
    }
    Ok(weights)
}

impl KeySource for LowCardinality {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn distinct(&self) -> Option<u64> {
        let mut stream = Stream::new(self.seed, Purpose::Keys, 0);
        let mut seen = vec![false; self.values.len()];
        for _ in 0..self.count.min(CHUNK_ROWS) {
            seen[self.shares.pick(stream.next_u64())] = true;
        }
        let seen = seen.iter().filter(|&&s| s).count() as u64;
        (self.count <= CHUNK_ROWS || seen == self.possible).then_some(seen)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for LowCardinality {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        Box::new(Walk { source: self, stream: Stream::new(self.seed, Purpose::Keys, chunk) })
    }
}

struct Walk<'a> {
    source: &'a LowCardinality,
    stream: Stream,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        for _ in 0..rows {
            let value = self.source.shares.pick(self.stream.next_u64());
            batch.text.push(self.source.values[value].as_bytes());
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Given, assert_laws, error, first, source};
    use super::*;
    use crate::params::Value::{Float, Int, List, Text};

    fn given(values: &[&str], weights: &[f64]) -> Given {
        vec![
            ("values", List(values.iter().map(|v| Text(v.to_string())).collect())),
            ("weights", List(weights.iter().map(|&w| Float(w)).collect())),
        ]
    }

    #[test]
    fn values_are_stable() {
        assert_eq!(first(&INFO, vec![], 4), ["male", "unknown", "female", "female"]);
        assert_eq!(first(&INFO, given(&["a", "b", "c"], &[0.0, 2.0, 0.0]), 2), ["b", "b"]);
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![]);
    }

    #[test]
    fn weights_are_respected() {
        let keys = first(&INFO, given(&["a", "b"], &[3.0, 1.0]), 40_000);
        let b = keys.iter().filter(|k| *k == "b").count() as f64;
        // The standard deviation is 87: five of them are left with probability 6e-7.
        assert!(libm::fabs(b - 10_000.0) < 435.0, "{b}");
    }

    #[test]
    fn distinct_is_exact_or_untold() {
        let with = |count: i64, weights: &[f64]| {
            let mut given = given(&["a", "b", "c"], weights);
            given.push(("count", Int(count)));
            source(&INFO, given).distinct()
        };
        assert_eq!(with(1, &[1.0, 1.0, 1.0]), Some(1));
        assert_eq!(with(1_000_000, &[1.0, 1.0, 1.0]), Some(3));
        assert_eq!(with(1_000_000, &[1.0, 0.0, 1.0]), Some(2));
        assert_eq!(with(1_000_000, &[1e15, 1e-3, 1.0]), None);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let empty = vec![("values", List(vec![]))];
        assert_eq!(error(&INFO, empty).field, Some("values"));
        assert_eq!(error(&INFO, given(&["a", "a"], &[1.0, 1.0])).field, Some("values"));
        assert_eq!(error(&INFO, given(&["a", "b"], &[1.0])).field, Some("weights"));
        assert_eq!(error(&INFO, given(&["a", "b"], &[0.0, 0.0])).field, Some("weights"));
        assert_eq!(error(&INFO, given(&["a", "b"], &[1.0, -1.0])).field, Some("weights"));
        assert_eq!(error(&INFO, given(&["a", "b"], &[1.0, f64::NAN])).field, Some("weights"));
    }
}
