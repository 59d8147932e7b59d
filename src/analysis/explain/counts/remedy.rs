//! What each remedy would give: the max over mean to expect after it.
//!
//! Predictions are quantiles of the law after the remedy ([`peaks`]): the median, and the value that
//! stays unbroken in 95 of 100 cases.

use super::Case;
use crate::analysis::peak::Law;
use crate::analysis::peak::trials::peaks;
use crate::report::number::{fixed, grouped};

/// Something to do, and what it would give.
#[derive(Debug, Clone, PartialEq)]
pub struct Remedy {
    /// What to do.
    pub what: String,
    /// Max over mean to expect: median and 95th percentile. None: this depends on what is not known.
    pub peak: Option<[f64; 2]>,
}

/// The share of the load of the fullest node under a law, over its fair one.
fn peak(case: &Case<'_>, law: &Law, keys: f64) -> Option<[f64; 2]> {
    let keys = keys.is_finite().then_some(keys as u64);
    Some(peaks(law, &case.fair, keys, [0.5, 0.95]))
}

fn remedy(what: impl Into<String>, peak: Option<[f64; 2]>) -> Remedy {
    Remedy { what: what.into(), peak }
}

/// Fair shares, whatever the strategy: rendezvous, jump, a bucket table.
fn fair(case: &Case<'_>) -> Law {
    Law::Fixed(case.fair.clone())
}

/// An amount as a person says it: two digits beyond a thousand.
pub fn amount(x: f64) -> String {
    if !x.is_finite() {
        return "infinitely many".into();
    }
    if x < 100.0 {
        return fixed(x, 1);
    }
    let digits = libm::floor(libm::log10(x)) as i32 - 1;
    let unit = if digits > 0 { libm::pow(10.0, f64::from(digits)) } else { 1.0 };
    grouped((libm::floor(x / unit + 0.5) * unit) as u64)
}

/// More points, or shares that need none.
pub fn more_vnodes(case: &Case<'_>, vnodes: f64) -> Vec<Remedy> {
    let scaled = |times: f64| {
        let Law::Points(points) = &case.law else { return case.law.clone() };
        Law::Points(points.iter().map(|p| p * times).collect())
    };
    let mut remedies: Vec<Remedy> = [4.0, 16.0]
        .map(|times| {
            let what = format!("{} virtual nodes a node", fixed(vnodes * times, 0));
            remedy(what, peak(case, &scaled(times), case.keys()))
        })
        .into();
    remedies.push(remedy(
        "rendezvous, jump, maglev or a bucket table: fair shares, only the keys' own noise",
        peak(case, &fair(case), case.keys()),
    ));
    remedies
}

/// More keys, or keys placed by hand.
pub fn more_keys(case: &Case<'_>, keys: u64) -> Vec<Remedy> {
    let n = case.nodes() as f64;
    let dealt = libm::ceil(keys as f64 / n) * n / keys as f64;
    let mut remedies = vec![remedy(
        format!("ten times as many keys ({})", grouped(keys.saturating_mul(10))),
        peak(case, &case.law, keys as f64 * 10.0),
    )];
    if matches!(case.law, Law::Points(_)) || keys as f64 / n < 1000.0 {
        remedies.push(remedy(
            "an assignment table, filled in turn instead of by hash",
            Some([dealt, dealt]),
        ));
    }
    remedies
}

/// Labels or a hash that scatter.
pub fn better_labels(case: &Case<'_>) -> Vec<Remedy> {
    vec![
        remedy(
            "the same points from a hash that scatters them (murmur3, xxh64, md5)",
            peak(case, &case.law, case.keys()),
        ),
        remedy(
            "rendezvous, jump, maglev or a bucket table: no points at all",
            peak(case, &fair(case), case.keys()),
        ),
    ]
}

/// Keys that go alone, or more groups.
pub fn ungroup(case: &Case<'_>, groups: f64) -> Vec<Remedy> {
    let mut remedies = Vec::new();
    if case.seen.keys.is_some() {
        remedies.push(remedy(
            "hash the whole key instead of the group's name",
            peak(case, &case.law, case.keys()),
        ));
    }
    if groups.is_finite() {
        let four = libm::floor(groups * 4.0 + 0.5).max(1.0);
        let keys = four.min(case.keys());
        remedies.push(remedy(
            format!("four times as many groups ({})", amount(four)),
            peak(case, &case.law, keys),
        ));
    }
    remedies
}

/// The hot key apart, or in parts; `alone` is its share where there is only one.
pub fn hot(case: &Case<'_>, shares: &[f64], alone: Option<f64>) -> Vec<Remedy> {
    let rest = peak(case, &case.law, case.keys());
    let taken_out =
        "take it out (a node or a cache of its own): the others then lie as the law says";
    let mut remedies = vec![remedy(taken_out, rest)];
    if let Some(f) = alone {
        let n = case.nodes();
        for parts in [2, 2 * n] {
            // Parts fall on nodes by hash like keys: at worst one node gets the parts of chance's peak.
            let law = Law::Fixed(case.fair.clone());
            let parts_on_one = peaks(&law, &case.fair, Some(parts as u64), [0.5, 0.95]);
            let spread = parts_on_one.map(|over| 1.0 - f + f * over);
            remedies.push(remedy(format!("split its writes into {parts} parts"), Some(spread)));
        }
    }
    let most = (0..shares.len()).filter(|&i| case.fair[i] > 0.0);
    let floor = most.map(|i| shares[i] / case.fair[i]).fold(0.0, f64::max);
    remedies.push(remedy(
        "more nodes or virtual nodes do not help: the key stays whole",
        Some([floor; 2]),
    ));
    remedies
}

/// The same share for everybody.
pub fn equal_parts(case: &Case<'_>) -> Vec<Remedy> {
    vec![remedy(
        "parts in proportion to the weights (points × 10, or an exact strategy: rendezvous)",
        peak(case, &fair(case), case.keys()),
    )]
}

/// A number of nodes that halves reach.
pub fn next_power(case: &Case<'_>, below: usize) -> Vec<Remedy> {
    let even = |n: usize| {
        let fair = vec![1.0 / n as f64; n];
        let law = Law::Fixed(fair.clone());
        Some(peaks(&law, &fair, case.seen.keys, [0.5, 0.95]))
    };
    vec![
        remedy(format!("{} nodes, the next power of two", 2 * below), even(2 * below)),
        remedy(format!("{below} nodes, the one before"), even(below)),
        remedy(
            "many buckets (e.g. 1024) dealt out to the nodes",
            peak(case, &fair(case), case.keys()),
        ),
    ]
}

/// More whole units, or as many as nodes divide.
pub fn more_units(case: &Case<'_>, units: u64) -> Vec<Remedy> {
    let n = case.counts.len() as u64;
    let round = |units: u64| {
        let most = units.div_ceil(n) as f64 * n as f64 / units as f64;
        Some([most, most])
    };
    let whole = units.div_ceil(n) * n;
    vec![
        remedy(format!("{whole} units, a multiple of the nodes"), round(whole)),
        remedy(format!("sixteen times as many units ({})", grouped(units * 16)), round(units * 16)),
    ]
}

/// A key of more values; `most` is the share of the fullest node.
pub fn more_values(case: &Case<'_>, most: f64) -> Vec<Remedy> {
    let floor = most * case.nodes() as f64;
    vec![
        remedy(
            "shard by a column, or by columns together, with many more values",
            peak(case, &case.law, case.keys()),
        ),
        remedy(
            "another hash or seed does not help while the fullest node holds one value",
            Some([floor; 2]),
        ),
    ]
}

/// Every residue in use.
pub fn reach_all(case: &Case<'_>) -> Vec<Remedy> {
    let even = peak(case, &fair(case), case.keys());
    vec![
        remedy("hash the id before the remainder is taken", even),
        remedy(
            "drop the low bits that do not vary (id >> 12, id >> 22), or a modulus coprime to the step",
            even,
        ),
    ]
}

/// Two levels that do not share a hash.
pub fn reseed(case: &Case<'_>) -> Vec<Remedy> {
    vec![remedy(
        "another seed, hash or other bits (x ÷ m) at one of the two levels",
        peak(case, &case.law, case.keys()),
    )]
}
