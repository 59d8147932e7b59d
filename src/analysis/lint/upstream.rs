//! Keys that an upstream hash has filtered: the file of one shard, whose keys have a hash in common.
//!
//! A level that chose by `hash mod m` sends on keys with one residue, or a few. A second level that takes the
//! same hash again reaches only the nodes whose numbers agree with these residues.
//!
//! What is tested: common hash functions over whole keys, and the digests that the routing reads; each with
//! the readings of a sign that programs know; moduli up to [`MOST_CLASSES`] by the residues that some key
//! has, and up to [`MOST_STEP`] by the greatest common divisor of all differences, which finds a single
//! residue. That independent keys leave so many of m residues empty has a chance of at most
//! C(m, r) · (r/m)^K; it is multiplied by the number of tests (Bonferroni), so that keys that no hash has
//! filtered are called so in one file of a thousand at most. Half of the residues must be empty: of short
//! keys that count up, hash functions that are no more than sums show their form in less than that.

use std::collections::BTreeSet;

use super::profile::gcd;
use super::trial::LEVEL;
use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, runs};
use crate::analysis::distinct::fingerprint;
use crate::analysis::rows::each_batch;
use crate::error::Error;
use crate::hash::{self, Input as Reads, Seed};
use crate::keys::{ColumnSpec, Digester, KeyBatch, KeySource};
use crate::metrics::special::ln_gamma;
use crate::params::Value;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "upstream-filter",
    summary: "keys that an upstream hash has filtered: under a common hash function they share residues",
    check,
};

/// Hash functions that levels above choose by, the most usual first.
const USUAL: [&str; 18] = [
    "crc32",
    "murmur3-32",
    "md5",
    "md5-32be",
    "java-string",
    "fnv1a-32",
    "fnv1a-64",
    "fnv1-32",
    "xxh32",
    "xxh64",
    "xxh3-64",
    "murmur3-128",
    "kafka-murmur2",
    "murmur2-32",
    "crc16-xmodem",
    "crc32c",
    "djb2",
    "siphash-2-4",
];

/// Hash functions that multiply by a small number and add a byte. Modulo a factor of that number the last
/// letters alone decide, so that such moduli show the keys' form and not a filter.
const POLYNOMIAL: [(&str, u64); 5] = [
    ("java-string", 31),
    ("java-string-spread", 31),
    ("clickhouse-java-hash", 31),
    ("djb2", 33),
    ("sdbm", 65_599),
];

/// Distinct keys that are looked at, the first of the file: more do not change the answer.
const SAMPLE: usize = 1 << 14;

/// Largest modulus whose residues are counted one by one.
const MOST_CLASSES: u64 = 128;

/// Largest modulus of which a single residue is found.
const MOST_STEP: u64 = 1 << 16;

/// How a digest becomes the number that is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As it is.
    Unsigned,
    /// Two's complement, floorMod.
    Floor,
    /// Without the sign bit.
    Mask,
    /// `Math.abs`.
    Abs,
}

impl Reading {
    const ALL: [Reading; 4] = [Reading::Unsigned, Reading::Floor, Reading::Mask, Reading::Abs];

    /// In words, after the hash function's name.
    fn words(self) -> &'static str {
        match self {
            Reading::Unsigned => "",
            Reading::Floor => ", signed,",
            Reading::Mask => " without its sign bit",
            Reading::Abs => ", its absolute value,",
        }
    }

    /// The number of a digest of so many bits; a residue of it is taken by floorMod.
    fn number(self, digest: u64, bits: u32) -> i128 {
        let signed = ((digest << (64 - bits)) as i64 >> (64 - bits)) as i128;
        match self {
            Reading::Unsigned => digest.into(),
            Reading::Floor => signed,
            Reading::Mask => (digest & (u64::MAX >> (65 - bits))).into(),
            Reading::Abs => signed.abs(),
        }
    }
}

/// What keys have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Filter {
    /// The digests.
    pub column: ColumnSpec,
    reading: Reading,
    modulus: u64,
    /// The residues that some key has, ascending.
    residues: Vec<usize>,
    /// Distinct keys that were looked at.
    keys: usize,
    /// Logarithm of the chance, at most, that independent keys would show it in any test.
    ln_p: f64,
}

/// Looks at the first rows for what an upstream hash left; `read` are the digests that the routing reads.
///
/// # Errors
/// A fault of a key file.
pub fn look(
    source: &dyn KeySource,
    rows: u64,
    read: &[ColumnSpec],
) -> Result<Option<Filter>, Error> {
    let mut columns: Vec<ColumnSpec> = Vec::new();
    for name in USUAL {
        let column = ColumnSpec::whole(hash::find(name)?);
        let low = (column.hasher.bits > 64).then(|| column.low());
        columns.extend([Some(column), low].into_iter().flatten());
    }
    // Numbers that are divided as they are have no hash that could have filtered them.
    let hashed = read.iter().filter(|column| column.hasher.input == Reads::Bytes);
    for column in hashed {
        if !columns.contains(column) {
            columns.push(column.clone());
        }
    }
    let mut digests: Vec<Vec<u64>> = vec![Vec::new(); columns.len()];
    let mut seen: BTreeSet<u64> = BTreeSet::new();
    let mut digester = Digester::new(&columns);
    // Rows that repeat tell nothing new: of a few values so many rows are looked at, no more.
    let rows = rows.min(4 * SAMPLE as u64);
    each_batch(source, rows, |batch: &KeyBatch| {
        if seen.len() >= SAMPLE {
            return;
        }
        let mut fresh = KeyBatch::new(batch.kind());
        for row in 0..batch.len() {
            if seen.len() < SAMPLE && seen.insert(fingerprint(batch, row)) {
                fresh.push(&batch.key(row));
            }
        }
        digester.compute(&mut fresh);
        for (column, digests) in columns.iter().zip(&mut digests) {
            digests.extend(fresh.digests(column));
        }
    })?;
    Ok(of_digests(&columns, &digests))
}

/// The least likely of what the digests of some columns have in common, where it is no chance.
fn of_digests(columns: &[ColumnSpec], digests: &[Vec<u64>]) -> Option<Filter> {
    let readings = Reading::ALL.len() as f64;
    let tests = columns.len() as f64 * readings * (MOST_CLASSES + MOST_STEP) as f64;
    let mut best: Option<Filter> = None;
    for (column, digests) in columns.iter().zip(digests) {
        let name = column.hasher.name;
        let factor = POLYNOMIAL.iter().find(|(other, _)| *other == name).map_or(1, |(_, f)| *f);
        for reading in Reading::ALL {
            let bits = column.bits();
            let numbers = || digests.iter().map(|&digest| reading.number(digest, bits));
            let step = step(numbers());
            let steps = (2..=u128::from(MOST_STEP)).contains(&step).then_some(step as u64);
            for modulus in (2..=MOST_CLASSES).chain(steps).filter(|m| gcd(*m, factor) == 1) {
                let Some(residues) = residues(numbers(), modulus) else { continue };
                let ln_p = ln_chance(modulus, residues.len(), digests.len()) + libm::log(tests);
                let least = best.as_ref().map_or(libm::log(LEVEL), |best| best.ln_p);
                if ln_p < least {
                    let (column, keys) = (column.clone(), digests.len());
                    best = Some(Filter { column, reading, modulus, residues, keys, ln_p });
                }
            }
        }
    }
    best
}

/// Greatest common divisor of all differences; 0 without any, 1 as soon as it is known.
fn step(mut numbers: impl Iterator<Item = i128>) -> u128 {
    let Some(first) = numbers.next() else { return 0 };
    let mut step = 0u128;
    for number in numbers {
        let (mut a, mut b) = (step, (number - first).unsigned_abs());
        while b > 0 {
            (a, b) = (b, a % b);
        }
        step = a;
        if step == 1 {
            break;
        }
    }
    step
}

/// The residues that some number has; None as soon as they are more than half of all.
fn residues(numbers: impl Iterator<Item = i128>, modulus: u64) -> Option<Vec<usize>> {
    let mut has = vec![false; modulus as usize];
    let mut left = modulus / 2;
    for number in numbers {
        // 64 bits divide several times as fast as 128.
        let residue = match u64::try_from(number) {
            Ok(number) => number % modulus,
            Err(_) => number.rem_euclid(modulus.into()) as u64,
        };
        if !std::mem::replace(&mut has[residue as usize], true) {
            left = left.checked_sub(1)?;
        }
    }
    Some((0..has.len()).filter(|&residue| has[residue]).collect())
}

/// ln of C(m, r) · (r/m)^K, the chance at most that K independent keys have no more than r of m residues.
fn ln_chance(modulus: u64, reached: usize, keys: usize) -> f64 {
    let (m, r) = (modulus as f64, reached as f64);
    let choices = ln_gamma(m + 1.0) - ln_gamma(r + 1.0) - ln_gamma(m - r + 1.0);
    choices + keys as f64 * libm::log(r / m)
}

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let Some(filter) = context.filter else { return Ok(None) };
    let Filter { column, reading, modulus, residues, keys, ln_p } = filter;
    let hasher = column.hasher.name;
    let read = context.columns.contains(column);
    let uneven = context.is_uneven();
    let by = format!("{hasher}{} mod {modulus}", reading.words());
    let mut evidence = vec![
        format!("{by}: {} of {modulus} residues ({})", residues.len(), runs(residues)),
        format!(
            "the chance that {keys} independent keys show this under any hash and modulus tried: at most {}",
            chance(*ln_p)
        ),
        "reported below 0.001: at most one false alarm in a thousand files".into(),
    ];
    if read {
        let nodes = context.setup.nodes() as u64;
        let common = gcd(*modulus, nodes);
        evidence.push(match common {
            1 => format!("the routing reads the same digest; {modulus} and {nodes} nodes share no factor"),
            _ => format!(
                "the routing reads the same digest: gcd({modulus}, {nodes} nodes) = {common} classes, of which {} can be reached",
                residues.iter().map(|r| *r as u64 % common).collect::<BTreeSet<_>>().len()
            ),
        });
    }
    let harms = read && uneven;
    let mut ladders = Vec::new();
    if harms {
        if context.setup.has("hash-seed") && column.hasher.seed != Seed::Fixed {
            let seed = column.seed as i64 + 1;
            let set = [("hash-seed", Value::Int(seed))];
            ladders.push(context.try_to(
                format!("hash-seed {seed}"),
                Transform::Keep,
                &set,
                None,
            )?);
        }
        ladders.push(super::hash::others(context)?);
    }
    Ok(Some(Draft {
        severity: if harms { Severity::Error } else { Severity::Warning },
        what: format!("the keys look as if an upstream level had chosen them by {by}"),
        evidence,
        ladders,
        shows: Shows::Fixes,
        advice: (!harms).then(|| {
            format!(
                "harmless under this routing; a second level by {hasher} again would leave nodes idle: \
                 give it another hash function or another seed"
            )
        }),
    }))
}

/// A chance from its logarithm.
fn chance(ln_p: f64) -> String {
    let digits = ln_p / std::f64::consts::LN_10;
    if digits < -300.0 {
        return format!("1e{:.0}", libm::ceil(digits));
    }
    format!("{:.1e}", libm::exp(ln_p))
}
