//! A number that somebody gives, held against what a form says.
//!
//! A claim is right if the value rounds to it. How far it may be rounded follows from the way it is written:
//!
//! * With decimals, in per cent or for whole things: half a unit of the last digit.
//! * 0 is none at all, and 1 without decimals is all (or even, or certain): neither is a rounded number.
//! * Another whole number of a factor or plain number: half a unit, but at most [`OF_EXCESS`] of what it is
//!   beyond 1, so that 2 is no rounded 1.5.

use super::{Answer, Quantity};
use crate::error::Error;
use crate::metrics::Unit;
use crate::quantity::Decimal;
use crate::report::number::fixed;

/// Part of what a whole factor is beyond 1 by which it may be off.
const OF_EXCESS: f64 = 0.1;

/// Digits from which a claim is taken for the value of another line: 0.2 or 1 would be many a line's.
const TELLING: usize = 2;

/// What one draw of a random quantity shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Chance {
    /// Its standard deviation.
    pub sd: f64,
    /// 2.5th percentile.
    pub low: f64,
    /// 97.5th percentile.
    pub high: f64,
    /// What is drawn, e.g. `one ring`.
    pub of: &'static str,
}

impl Chance {
    /// Of a quantity that is about normal, from 0 up.
    pub(super) fn normal(mean: f64, sd: f64, of: &'static str) -> Self {
        let reach = 1.96 * sd;
        Chance { sd, low: (mean - reach).max(0.0), high: mean + reach, of }
    }

    /// Of a quantity of which there are draws, at least one.
    pub(super) fn drawn(mut values: Vec<f64>, of: &'static str) -> Self {
        values.sort_by(f64::total_cmp);
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>();
        let at = |p: f64| values[(libm::floor(p * n) as usize).min(values.len() - 1)];
        Chance { sd: libm::sqrt(squares / (n - 1.0).max(1.0)), low: at(0.025), high: at(0.975), of }
    }
}

/// What becomes of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is the first quantity.
    Right,
    /// It is not the expectation, but one draw shows it as well.
    Possible,
    /// It is the value of another line that answers the question too.
    OtherLine,
    /// None of these.
    Wrong,
}

impl Verdict {
    /// Its name for other programs.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::Possible => "possible",
            Verdict::OtherLine => "other-line",
            Verdict::Wrong => "wrong",
        }
    }
}

/// A number that somebody gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// As it was given.
    pub text: String,
    /// How a share was read that was given without `%`: `99 %`.
    pub read_as: Option<String>,
    /// As the first quantity's unit reads it.
    pub value: f64,
    /// How far the quantity may be off.
    pub half: f64,
    /// What becomes of it.
    pub verdict: Verdict,
    /// Other lines whose value it is.
    pub lines: Vec<String>,
    /// Whether it would be right in per cent.
    pub right_in_percent: bool,
    /// Of what the number would be right, where that is known.
    pub would_be: Option<String>,
}

/// A claimed number in a quantity's unit.
#[derive(Debug, Clone, Copy)]
struct Reading {
    value: f64,
    half: f64,
}

impl Reading {
    fn new(number: &Decimal, percent: bool, unit: Unit) -> Self {
        let scale = if percent { 0.01 } else { 1.0 };
        let whole_things = matches!(unit, Unit::Count | Unit::Bytes);
        let half = if number.last >= 0 && number.value == 0.0 {
            0.0
        } else if number.last < 0 || percent || whole_things {
            number.half()
        } else {
            number.half().min(OF_EXCESS * (libm::fabs(number.value) - 1.0).max(0.0))
        };
        Reading { value: number.value * scale, half: half * scale }
    }

    /// Whether the value rounds to it. The slack is for values that were computed from the same decimal.
    fn meets(self, value: f64) -> bool {
        libm::fabs(value - self.value) <= self.half * (1.0 + 1e-9) + 1e-12 * libm::fabs(self.value)
    }
}

/// Whether a number is in per cent: by its sign, or as a share above 1, which can mean nothing else.
fn in_percent(number: &Decimal, sign: bool, q: &Quantity) -> bool {
    sign || (q.unit == Unit::Share && number.value > 1.0 && q.value <= 1.0)
}

impl Answer {
    /// Compares the first number with what somebody claims: `83%`, `0.83`, `1.25`, `8.3e-1`.
    ///
    /// Errors: the text is no number.
    pub fn compare(&mut self, text: &str) -> Result<(), Error> {
        let first = self.quantities.first().expect("every form gives a number");
        let trimmed = text.trim();
        let (digits, sign) = match trimmed.strip_suffix('%') {
            Some(digits) => (digits, true),
            None => (trimmed, false),
        };
        let number = Decimal::parse(digits).ok_or_else(|| {
            Error::invalid(format!("claimed value `{text}` is not a number"))
                .help("write e.g. --claimed 83%, --claimed 0.83 or --claimed 1.25")
        })?;
        let percent = in_percent(&number, sign, first);
        let reading = Reading::new(&number, percent, first.unit);
        let Reading { value, half } = reading;
        let right = reading.meets(first.value);
        let equal: Vec<&Quantity> = self.quantities[1..]
            .iter()
            .filter(|_| !right && number.digits >= TELLING)
            .filter(|q| Reading::new(&number, in_percent(&number, sign, q), q.unit).meets(q.value))
            .collect();
        let within = |c: &Chance| value + half >= c.low && value - half <= c.high;
        let verdict = if right {
            Verdict::Right
        } else if first.chance.as_ref().is_some_and(within) {
            Verdict::Possible
        } else if equal.iter().any(|q| !q.aside) {
            Verdict::OtherLine
        } else {
            Verdict::Wrong
        };
        let wrong = verdict == Verdict::Wrong;
        // The point stands two places further left in per cent.
        let decimals = (-number.last - if percent { 0 } else { 2 }).clamp(0, 20) as usize;
        let read_as = (first.unit == Unit::Share && !sign)
            .then(|| format!("{} %", fixed(value * 100.0, decimals)));
        let claim = Claim {
            text: trimmed.into(),
            read_as,
            value,
            half,
            verdict,
            lines: equal.iter().map(|q| q.what.clone()).collect(),
            right_in_percent: wrong
                && !percent
                && first.unit == Unit::Share
                && Reading::new(&number, true, first.unit).meets(first.value),
            would_be: self.would_be.filter(|_| wrong).and_then(|f| f(value, half)),
        };
        self.claim = Some(claim);
        Ok(())
    }
}
