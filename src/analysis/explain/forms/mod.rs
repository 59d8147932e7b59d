//! Closed forms: what should move, what can be even, what must collide. Each prints its value, formula and
//! source, and is checked by simulation where that is cheap.
//!
//! [`ALL`] is the one list; the arguments, help and `explain --list` come from it. To add a form: its `INFO`
//! in the file it belongs to (or a new one), and a line in the list.

mod balance;
mod claim;
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

pub use claim::{Chance, Claim, Verdict};

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
    /// What one draw of it shows, where it is an expectation and the spread is known.
    pub chance: Option<Chance>,
    /// Whether the answer is only set against it (the least, the rest, a standard deviation): who claims
    /// this number for the answer is wrong.
    pub aside: bool,
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
            chance: None,
            aside: false,
        }
    }
}

impl Answer {
    /// Adds a number.
    fn push(&mut self, what: impl Into<String>, value: f64, unit: Unit, how: impl Into<String>) {
        let (what, how) = (what.into(), how.into());
        self.quantities.push(Quantity { what, value, unit, how, ..Quantity::default() });
    }

    /// Adds the check of the number that was added last.
    fn check(&mut self, value: f64, within: f64, of: impl Into<String>) {
        let last = self.quantities.last_mut().expect("a number comes first");
        last.check = Some(Check { value, within, of: of.into() });
    }

    /// States what one draw of the number that was added last shows.
    fn chance(&mut self, chance: Chance) {
        let last = self.quantities.last_mut().expect("a number comes first");
        last.chance = Some(chance);
    }

    /// Marks the number that was added last as no answer itself.
    fn aside(&mut self) {
        let last = self.quantities.last_mut().expect("a number comes first");
        last.aside = true;
    }

    fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// P(an ideal hash puts `keys` keys on as many of `nodes` nodes).
pub fn all_apart(keys: f64, nodes: f64) -> f64 {
    few::all_different(keys, nodes)
}

/// The least number of nodes on which an ideal hash makes two of `keys` keys meet with probability `q` at most.
pub fn nodes_apart(keys: f64, q: f64) -> f64 {
    few::apart(keys, q)
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

/// A number of things that may be beyond what a whole number holds, e.g. 2^64.
const fn many(name: &'static str, doc: &'static str, max: f64) -> Param {
    Param::new(name, Type::Float { min: 1.0, max }, Default::Required, doc)
}

/// The value of a parameter made by [`many`].
///
/// Errors: it has a fraction.
fn whole_float(params: &Params, name: &str) -> Result<f64, Error> {
    let x = params.float(name);
    if libm::floor(x) == x {
        return Ok(x);
    }
    Err(Error::invalid(format!("`{name}` is {x}"))
        .help("allowed: a whole number, e.g. 1000000, 1m, 1e9 or 2^64"))
}

/// A whole number as formulas show it: a power of two that no word holds as one, others with an exponent then.
fn written(x: f64) -> String {
    const WORD: f64 = 9_007_199_254_740_992.0;
    if x < WORD {
        return format!("{x:.0}");
    }
    let exponent = libm::log2(x);
    if exponent == libm::floor(exponent) && libm::exp2(exponent) == x {
        return format!("2^{exponent}");
    }
    format!("{x:e}")
}

/// A whole number of things that is above zero.
fn whole(params: &Params, name: &str) -> u64 {
    params.int(name) as u64
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod claim_tests;
#[cfg(test)]
mod tests;
