//! Mobile phone numbers, such as `13812345678`: an operator's prefix and random digits.
//!
//! Idea: a prefix is drawn by its weight, the digits after it are uniform. Prefixes belong to operators of
//! unequal size, so that ranges by prefix are unequal too.
//! Source: the eleven-digit numbers of China, whose first three digits name the network (ITU-T E.164 national
//! numbering plan of China, <https://www.itu.int/oth/T020200002B/en>).
//! Cost: two numbers of the stream a key, about 20 ns.
//! Choices: by default twenty prefixes of three operators with 58, 19 and 23 % of the subscribers, round
//! figures of ours, spread evenly over each operator's prefixes. Numbers repeat now and then; how many are
//! distinct is not told.

use super::counts::{COUNT, count};
use super::cumulative::Cumulative;
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::rng::{Purpose, Stream};

/// Prefixes of three operators and what they have of the subscribers, in per cent.
const OPERATORS: [(&[&str], f64); 3] = [
    (&["134", "135", "136", "137", "138", "139", "150", "151", "158", "188"], 58.0),
    (&["130", "131", "132", "155", "156", "186"], 19.0),
    (&["133", "153", "180", "189"], 23.0),
];

/// Most prefixes.
const MAX_PREFIXES: usize = 10_000;

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "phone",
    summary: "mobile phone numbers: weighted operator prefixes and random digits",
    source: "numbering plan of China, https://www.itu.int/oth/T020200002B/en",
    params: &[
        COUNT,
        Param::new(
            "prefixes",
            Type::List(&Type::Text),
            Default::Absent,
            "the prefixes, all different digits; twenty of three operators when absent",
        ),
        Param::new(
            "weights",
            Type::List(&Type::Float { min: 0.0, max: 1e15 }),
            Default::Absent,
            "how often each prefix comes, relative to the others; all equal when absent",
        ),
        Param::new(
            "digits",
            Type::Int { min: 1, max: 18 },
            Default::Int(8),
            "digits after the prefix",
        ),
    ],
    build,
};

#[derive(Debug)]
struct Phone {
    count: u64,
    seed: u64,
    prefixes: Vec<String>,
    shares: Cumulative,
    digits: usize,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let (prefixes, weights) = prefixes(build.params)?;
    Ok(Box::new(Phone {
        count: count(build),
        seed: build.seed,
        prefixes,
        shares: Cumulative::new(&weights),
        digits: build.params.int("digits") as usize,
    }))
}

/// The prefixes and their weights.
fn prefixes(params: &Params) -> Result<(Vec<String>, Vec<f64>), Error> {
    let Some(given) = params.list("prefixes") else {
        if params.list("weights").is_some() {
            return Err(Error::invalid("`weights` are given without `prefixes`")
                .help("give both, or neither")
                .field("weights"));
        }
        let all = OPERATORS.iter().flat_map(|(prefixes, share)| {
            prefixes.iter().map(move |p| (p.to_string(), share / prefixes.len() as f64))
        });
        return Ok(all.unzip());
    };
    let wrong = |message: String| {
        Err(Error::invalid(message)
            .help("allowed: prefixes of 1 to 15 digits, all different, e.g. [\"138\", \"139\"]")
            .field("prefixes"))
    };
    if given.is_empty() || given.len() > MAX_PREFIXES {
        return wrong(format!("`prefixes` has {} items; at most {MAX_PREFIXES}", given.len()));
    }
    let prefixes: Vec<String> = given.iter().map(Value::to_string).collect();
    for (i, prefix) in prefixes.iter().enumerate() {
        let digits = prefix.bytes().all(|b| b.is_ascii_digit());
        if !digits || !(1..=15).contains(&prefix.len()) || prefixes[..i].contains(prefix) {
            return wrong(format!("`prefixes` holds \"{prefix}\""));
        }
    }
    let weights = match params.list("weights") {
        None => vec![1.0; prefixes.len()],
        Some(weights) => weights.iter().filter_map(Value::as_f64).collect(),
    };
    if weights.len() != prefixes.len() || weights.iter().all(|&w| w == 0.0) {
        return Err(Error::invalid(format!(
            "`weights` has {} items for {} prefixes, or is 0 throughout",
            weights.len(),
            prefixes.len()
        ))
        .help("give one weight for each prefix, at least one of them above 0")
        .field("weights"));
    }
    Ok((prefixes, weights))
}

impl KeySource for Phone {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Phone {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        Box::new(Walk { source: self, stream: Stream::new(self.seed, Purpose::Keys, chunk) })
    }
}

struct Walk<'a> {
    source: &'a Phone,
    stream: Stream,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let source = self.source;
        let numbers = 10u64.pow(source.digits as u32);
        for _ in 0..rows {
            let prefix = &source.prefixes[source.shares.pick(self.stream.next_u64())];
            let mut number = self.stream.below(numbers);
            let arena = batch.text.arena();
            arena.extend_from_slice(prefix.as_bytes());
            let at = arena.len();
            arena.resize(at + source.digits, b'0');
            for slot in arena[at..].iter_mut().rev() {
                *slot = b'0' + (number % 10) as u8;
                number /= 10;
            }
            batch.text.end();
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Given, assert_laws, error, first};
    use super::*;
    use crate::params::Value::{Float, Int, List, Text};

    fn given(prefixes: &[&str], weights: &[f64]) -> Given {
        vec![
            ("prefixes", List(prefixes.iter().map(|p| Text(p.to_string())).collect())),
            ("weights", List(weights.iter().map(|&w| Float(w)).collect())),
        ]
    }

    #[test]
    fn numbers_have_a_prefix_and_eleven_digits() {
        let keys = first(&INFO, vec![], 1000);
        for key in &keys {
            assert_eq!(key.len(), 11);
            assert!(OPERATORS.iter().any(|(prefixes, _)| prefixes.contains(&&key[..3])), "{key}");
        }
        let mut more = given(&["7"], &[1.0]);
        more.push(("digits", Int(2)));
        assert!(first(&INFO, more, 50).iter().all(|key| key.len() == 3 && key.starts_with('7')));
    }

    #[test]
    fn operators_have_their_shares() {
        let rows = 40_000;
        let keys = first(&INFO, vec![], rows);
        for (prefixes, share) in OPERATORS {
            let count = keys.iter().filter(|key| prefixes.contains(&&key[..3])).count() as f64;
            let p = share / 100.0;
            // Five standard deviations: beyond them with probability 6e-7.
            let within = 5.0 * (p * (1.0 - p) * rows as f64).sqrt();
            assert!((count - p * rows as f64).abs() < within, "{count} for {share} %");
        }
    }

    #[test]
    fn laws_hold_with_prefixes_of_unequal_length() {
        assert_laws(&INFO, given(&["1", "25", "386"], &[1.0, 0.0, 2.5]));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for prefixes in [&[][..], &["1", "1"], &["x"], &[""]] {
            let weights = vec![1.0; prefixes.len()];
            assert_eq!(error(&INFO, given(prefixes, &weights)).field, Some("prefixes"));
        }
        assert_eq!(error(&INFO, given(&["1", "2"], &[1.0])).field, Some("weights"));
        assert_eq!(error(&INFO, given(&["1"], &[0.0])).field, Some("weights"));
        let alone = vec![("weights", List(vec![Float(1.0)]))];
        assert_eq!(error(&INFO, alone).field, Some("weights"));
    }
}
