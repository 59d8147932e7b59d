//! Arguments that several subcommands share, and how their texts are read.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use crate::params::{Param, Type, Value};
use crate::scenario::Overrides;

/// Forms of a small result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// For reading
    Table,
    /// Everything, for other programs
    Json,
    /// The rows, for other programs
    Csv,
    /// For a page or an issue
    Markdown,
}

/// What the command line changes in a scenario.
#[derive(Debug, Clone, Args)]
pub struct OverrideArgs {
    /// Seed of all random streams, in place of the scenario's
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<i64>,
    /// Number of keys (of a file: rows read), e.g. 50_000, 5k, 10m
    #[arg(long, value_name = "N", value_parser = count)]
    pub keys: Option<u64>,
    /// Set a field: a dotted path (cluster.nodes=32) or the bare name of a strategy field (vnodes=160)
    #[arg(long, value_name = "K=V", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// Sweep a field over several values, e.g. vnodes=1,10,100
    #[arg(long, value_name = "K=V,V", value_parser = pair)]
    pub sweep: Vec<(String, String)>,
}

impl OverrideArgs {
    /// As the scenario reader takes them.
    pub fn into_overrides(self) -> Overrides {
        Overrides {
            seed: self.seed,
            keys: self.keys,
            set: self.set,
            sweep: self.sweep,
            needs: false,
        }
    }
}

/// The forms of an answer that is a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For reading
    Table,
    /// Everything
    Json,
    /// For other programs, with a header
    Csv,
    /// For a page or an issue
    Markdown,
}

/// Reads a share, as a number or in per cent: `0.02`, `2%`.
pub fn share(text: &str) -> Result<f64, String> {
    let wrong = || format!("`{text}` is no share; write a number from 0, e.g. 0.02 or 2%");
    let (number, scale) = match text.trim().strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    if number.is_finite() && number >= 0.0 { Ok(number / scale) } else { Err(wrong()) }
}

/// Reads a level of significance: a probability that is neither 0 nor 1, as a number or in per cent.
pub fn level(text: &str) -> Result<f64, String> {
    let inside = share(text).ok().filter(|level| *level > 0.0 && *level < 1.0);
    inside.ok_or_else(|| {
        format!("`{text}` is no level; write a number above 0 and below 1, e.g. 0.001 or 0.1%")
    })
}

/// Reads a ratio to the mean: a number from 1.
pub fn ratio(text: &str) -> Result<f64, String> {
    let number = text.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x >= 1.0);
    number.ok_or_else(|| format!("`{text}` is no ratio; write a number from 1, e.g. 1.25"))
}

/// Reads a whole number within bounds. `what` is what the message calls it, `example` an argument that
/// is right.
fn whole<N: FromStr + PartialOrd + Display>(
    text: &str,
    what: &str,
    bounds: RangeInclusive<N>,
    example: &str,
) -> Result<N, String> {
    text.replace('_', "").parse().ok().filter(|n| bounds.contains(n)).ok_or_else(|| {
        let (least, most) = (bounds.start(), bounds.end());
        format!(
            "`{text}` is no {what}; write a whole number from {least} to {most}, e.g. {example}"
        )
    })
}

/// Reads the seed of a scenario; a negative one is refused where the scenario is checked.
fn seed(text: &str) -> Result<i64, String> {
    match text.parse() {
        Ok(negative @ i64::MIN..0) => Ok(negative),
        _ => whole(text, "seed", 0..=i64::MAX, "--seed 42"),
    }
}

/// Reads the seed of `quick`.
pub fn short_seed(text: &str) -> Result<u32, String> {
    whole(text, "seed", 0..=u32::MAX, "--seed 42")
}

/// Reads the seed of a hash function.
pub fn hash_seed(text: &str) -> Result<u64, String> {
    whole(text, "seed", 0..=u64::MAX, "--seed 42")
}

/// Reads a number of threads.
pub fn threads(text: &str) -> Result<u16, String> {
    whole(text, "number of threads", 1..=1024, "--threads 4")
}

/// Reads the number of a step.
pub fn step(text: &str) -> Result<usize, String> {
    whole(text, "step", 0..=1000, "--step 1")
}

/// Reads the exponent of a Zipf law; its range is checked with the scenario.
pub fn exponent(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| format!("`{text}` is no exponent; write a number, e.g. --zipf 1.1"))
}

/// Reads a count: digits, `_` between them, and `k`, `m` or `g` for thousands, millions, billions.
/// A fraction is fine where a whole number comes out: `2.5m`.
pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no count; write 1000000, 1_000_000, 1000k, 1m or 0.5g");
    let lower = text.trim().to_ascii_lowercase();
    let (number, zeros) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 3usize),
        Some(b'm') => (&lower[..lower.len() - 1], 6),
        Some(b'g' | b'b') => (&lower[..lower.len() - 1], 9),
        _ => (lower.as_str(), 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let whole = whole.replace('_', "");
    let fraction = fraction.trim_end_matches('0');
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(&whole) || !digits(fraction) || fraction.len() > zeros {
        return Err(wrong());
    }
    let all = format!("{whole}{fraction}{}", "0".repeat(zeros - fraction.len()));
    all.parse().map_err(|_| format!("`{text}` is too large; at most {}", u64::MAX))
}

/// Reads a power of whole numbers, `2^64`, if it is one that can be held.
fn power(text: &str) -> Option<f64> {
    let (base, exponent) = text.trim().split_once('^')?;
    let (base, exponent) = (base.parse::<u32>().ok()?, exponent.parse::<u16>().ok()?);
    Some(libm::pow(f64::from(base), f64::from(exponent))).filter(|x| x.is_finite())
}

/// Reads `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_string(), value.trim().to_string()))
        }
        _ => Err(format!("`{text}` is no NAME=VALUE; write e.g. vnodes=160")),
    }
}

/// Reads an argument's text as a value of a parameter; whether it is allowed is checked later.
pub fn value(ty: &Type, text: &str) -> Value {
    let as_text = || Value::Text(text.to_string());
    let number = || {
        let digits = text.replace('_', "");
        let whole = digits.parse().map(Value::Int).ok();
        whole.or_else(|| digits.parse().map(Value::Float).ok()).unwrap_or_else(as_text)
    };
    match ty {
        Type::Bool => text.parse().map_or_else(|_| as_text(), Value::Bool),
        Type::Int { .. } => match count(text) {
            Ok(n) if n <= i64::MAX as u64 => Value::Int(n as i64),
            _ => number(),
        },
        // What is 1 at most is a share.
        Type::Float { max, .. } if *max <= 1.0 && text.ends_with('%') => {
            share(text).map_or_else(|_| as_text(), Value::Float)
        }
        Type::Float { .. } => match (number(), power(text)) {
            (Value::Text(_), Some(x)) => Value::Float(x),
            (Value::Text(_), None) => {
                count(text).map_or_else(|_| as_text(), |n| Value::Float(n as f64))
            }
            (read, _) => read,
        },
        Type::Weight => number(),
        Type::List(item) => {
            let text = text.trim_start_matches('[').trim_end_matches(']');
            let items = text.split(',').map(str::trim).filter(|t| !t.is_empty());
            Value::List(items.map(|t| value(item, t.trim_matches('"'))).collect())
        }
        _ => as_text(),
    }
}

/// `--param NAME=VALUE` texts as values of the declared parameters. Unknown names stay texts, for
/// the check that refuses them.
pub fn values(declared: &'static [Param], given: &[(String, String)]) -> Vec<(String, Value)> {
    let read = |(name, text): &(String, String)| {
        let ty = declared.iter().find(|p| p.name == name).map_or(Type::Text, |p| p.ty);
        (name.clone(), value(&ty, text))
    };
    given.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_exact_or_refused() {
        for (text, want) in [
            ("0", 0),
            ("1_000", 1000),
            ("5k", 5000),
            ("10m", 10_000_000),
            ("10M", 10_000_000),
            ("2.5m", 2_500_000),
            ("1.50k", 1500),
            ("1b", 1_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(count(text), Ok(want), "{text}");
        }
        for text in ["", "k", "-1", "1.5", "1.2345k", "1e6", "ten", "1 000", "18446744073709551616"]
        {
            assert!(count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn whole_numbers_are_within_bounds_or_refused_with_an_example() {
        assert_eq!(seed("-1"), Ok(-1));
        assert_eq!(seed("20_260_101"), Ok(20_260_101));
        assert_eq!(threads("1024"), Ok(1024));
        assert_eq!(
            threads("x").unwrap_err(),
            "`x` is no number of threads; write a whole number from 1 to 1024, e.g. --threads 4"
        );
        for error in [
            seed("9223372036854775808").unwrap_err(),
            short_seed("-1").unwrap_err(),
            hash_seed("1.5").unwrap_err(),
            threads("0").unwrap_err(),
            threads("1025").unwrap_err(),
            step("").unwrap_err(),
            exponent("steep").unwrap_err(),
        ] {
            assert!(error.contains("; write a ") && error.contains(", e.g. --"), "{error}");
        }
    }

    #[test]
    fn a_level_lies_between_0_and_1() {
        assert_eq!((level("0.001"), level("5%")), (Ok(0.001), Ok(0.05)));
        for text in ["0", "1", "2", "100%", "-0.1", "nan", "x", ""] {
            let error = level(text).unwrap_err();
            assert!(error.ends_with("above 0 and below 1, e.g. 0.001 or 0.1%"), "{error}");
        }
    }

    #[test]
    fn values_follow_the_declared_type() {
        let int = Type::Int { min: 0, max: i64::MAX };
        assert_eq!(value(&int, "5k"), Value::Int(5000));
        assert_eq!(value(&int, "-3"), Value::Int(-3));
        assert_eq!(value(&int, "x"), Value::Text("x".into()));
        assert_eq!(value(&Type::Text, "12"), Value::Text("12".into()));
        assert_eq!(value(&Type::Float { min: 0.0, max: 9.0 }, "1.25"), Value::Float(1.25));
        let large = Type::Float { min: 0.0, max: 1e40 };
        assert_eq!(value(&large, "2^64"), Value::Float(18_446_744_073_709_551_616.0));
        assert_eq!(value(&large, "1.5k"), Value::Float(1500.0));
        assert_eq!(value(&large, "20%"), Value::Text("20%".into()));
        for text in ["2^", "^2", "2^-1", "-2^3", "9^9999", "1.5^2"] {
            assert_eq!(value(&large, text), Value::Text(text.into()), "{text}");
        }
        let share = Type::Float { min: 0.0, max: 1.0 };
        assert_eq!(value(&share, "20%"), Value::Float(0.2));
        assert_eq!(value(&share, "0.2"), Value::Float(0.2));
        assert_eq!(value(&share, "-1%"), Value::Text("-1%".into()));
        let list = Value::List(vec![Value::Text("a".into()), Value::Text("b".into())]);
        assert_eq!(value(&Type::List(&Type::Text), "[\"a\", b]"), list);
    }
}
