//! Closed forms: what should move, what can be even, what must collide. Each prints its value, formula and
//! source, and is checked by simulation where that is cheap.
//!
//! [`ALL`] is the one list; the arguments, help and `explain --list` come from it. To add a form: its `INFO`
//! in the file it belongs to (or a new one), and a line in the list.

mod balance;
mod copies;
mod few;
mod hot;
mod minimal;
mod movement;
mod ring;
mod sequence;
mod simulate;
mod two_level;
mod weights;

use crate::error::Error;
use crate::metrics::Unit;
use crate::params::{Default, Param, Params, Type};

/// A closed form: static facts and a function of its parameters.
#[derive(Debug)]
pub struct FormInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
    /// How many of them are positional, from the first on; the others are options.
    pub positional: usize,
    /// The formula in words and signs.
    pub formula: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Computes it.
    ///
    /// Errors: parameters that do not go together.
    pub answer: fn(&Params) -> Result<Answer, Error>,
}

/// All forms, in the order of lists.
pub static ALL: &[&FormInfo] = &[
    &movement::MODULO,
    &movement::DOUBLING,
    &movement::RANGE,
    &minimal::RING,
    &minimal::JUMP,
    &minimal::RENDEZVOUS,
    &minimal::MAGLEV,
    &minimal::BUCKETS,
    &movement::REMOVE,
    &ring::POINTS,
    &ring::VNODES,
    &ring::COLLISIONS,
    &balance::SAMPLING,
    &balance::SPREAD,
    &balance::POWER,
    &balance::SIGN,
    &hot::HOT_KEY,
    &hot::BOUNDED,
    &hot::SUFFIXES,
    &few::OCCUPANCY,
    &few::BIRTHDAY,
    &sequence::SNOWFLAKE,
    &sequence::TAILS,
    &two_level::CELLS,
    &two_level::SAME_HASH,
    &weights::KETAMA,
    &weights::REWEIGHT,
    &copies::REPLICAS,
    &copies::VIEWS,
];

/// The form of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static FormInfo, Error> {
    ALL.iter()
        .copied()
        .find(|f| f.name == name)
        .ok_or_else(|| Error::unknown("form", name, ALL.iter().map(|f| f.name)))
}

/// One number of an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// What it is.
    pub what: String,
    /// Its value.
    pub value: f64,
    /// What it counts.
    pub unit: Unit,
    /// How it follows, with the numbers put in.
    pub how: String,
    /// The check by simulation.
    pub check: Option<Check>,
}

/// A simulated value beside a computed one.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// What came out.
    pub value: f64,
    /// Of what.
    pub of: String,
    /// How far the two may lie apart: five standard errors, or 0 where every case was counted.
    pub within: f64,
}

/// A number that somebody gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// As it was given.
    pub text: String,
    /// As the first quantity's unit reads it.
    pub value: f64,
    /// Whether it is the value, to the digits given.
    pub right: bool,
    /// Of what the number would be right, where that is known.
    pub would_be: Option<String>,
}

/// What a form gives.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// Its numbers; the first is the one that was asked for.
    pub quantities: Vec<Quantity>,
    /// What to know about them.
    pub notes: Vec<String>,
    /// A claim that was compared.
    pub claim: Option<Claim>,
    /// Of what another value of the first quantity would be right.
    would_be: Option<fn(f64, f64) -> Option<String>>,
}

impl std::default::Default for Quantity {
    fn default() -> Self {
        Quantity {
            what: String::new(),
            value: 0.0,
            unit: Unit::Number,
            how: String::new(),
            check: None,
        }
    }
}

impl Answer {
    /// Adds a number.
    fn push(&mut self, what: impl Into<String>, value: f64, unit: Unit, how: impl Into<String>) {
        let (what, how) = (what.into(), how.into());
        self.quantities.push(Quantity { what, value, unit, how, check: None });
    }

    /// Adds the check of the number that was added last.
    fn check(&mut self, value: f64, within: f64, of: impl Into<String>) {
        let last = self.quantities.last_mut().expect("a number comes first");
        last.check = Some(Check { value, within, of: of.into() });
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// Compares the first number with what somebody claims: `83%`, `0.83`, `1.25`. It is right if it is the
    /// value rounded to the digits given.
    ///
    /// Errors: the text is no number.
    pub fn compare(&mut self, text: &str) -> Result<(), Error> {
        let first = self.quantities.first().expect("every form gives a number");
        let trimmed = text.trim();
        let (digits, percent) = match trimmed.strip_suffix('%') {
            Some(digits) => (digits.trim_end(), true),
            None => (trimmed, false),
        };
        let number: f64 = digits.parse().ok().filter(|x: &f64| x.is_finite()).ok_or_else(|| {
            Error::invalid(format!("claimed value `{text}` is not a number"))
                .help("write e.g. --claimed 83%, --claimed 0.83 or --claimed 1.25")
        })?;
        // A share above 1 can only be meant in per cent.
        let percent = percent || (first.unit == Unit::Share && number > 1.0);
        let decimals = digits.split_once('.').map_or(0, |(_, after)| after.len()) as i32;
        let scale = if percent { 0.01 } else { 1.0 };
        let value = number * scale;
        let half = 0.5 * libm::pow(10.0, f64::from(-decimals)) * scale;
        let right = libm::fabs(first.value - value) <= half * (1.0 + 1e-9);
        let would_be = self.would_be.filter(|_| !right).and_then(|f| f(value, half));
        self.claim = Some(Claim { text: text.into(), value, right, would_be });
        Ok(())
    }
}

/// P(an ideal hash puts `keys` keys on as many of `nodes` nodes).
pub fn all_apart(keys: f64, nodes: f64) -> f64 {
    few::all_different(keys, nodes)
}

/// The least number of nodes on which an ideal hash keeps `keys` keys apart with probability `p`.
pub fn nodes_apart(keys: f64, p: f64) -> f64 {
    few::apart(keys, p)
}

/// Most nodes of a form.
pub const MAX_NODES: i64 = 100_000;

/// A number of nodes.
const fn nodes(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Int { min: 1, max: MAX_NODES }, Default::Required, doc)
}

/// A number of keys.
const fn keys(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Int { min: 1, max: 1_000_000_000_000_000 }, Default::Required, doc)
}

/// A whole number of things that is above zero.
fn whole(params: &Params, name: &str) -> u64 {
    params.int(name) as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
