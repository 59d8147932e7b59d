//! Few keys: empty nodes and keys that meet.

use super::{Answer, FormInfo, keys, many, nodes, whole, written};
use crate::error::Error;
use crate::metrics::Unit;
use crate::params::Params;
use crate::rng::{Purpose, Stream};

/// `occupancy K n`
pub static OCCUPANCY: FormInfo = FormInfo {
    name: "occupancy",
    summary: "how many of n nodes stay empty with K keys, and how likely any does",
    params: &[keys("keys", "number of keys"), nodes("nodes", "number of nodes")],
    positional: 2,
    formula: "E[empty] = n(1 − 1/n)^K; P(any empty) from the number of occupied nodes, key by key",
    source: "W. Feller, An Introduction to Probability Theory and Its Applications, vol. 1, II.11 and IV.2",
    answer: occupancy,
};

/// Keys × nodes up to which the distribution is computed.
const MAX_STEPS: u64 = 50_000_000;

/// Draws of a check.
const DRAWS: u64 = 20_000;

fn occupancy(params: &Params) -> Result<Answer, Error> {
    let (k, n) = (whole(params, "keys"), whole(params, "nodes"));
    let miss = libm::exp(k as f64 * libm::log1p(-1.0 / n as f64));
    let miss = if n == 1 { 0.0 } else { miss };
    let mut answer = Answer::default();
    let small = k.saturating_mul(n) <= MAX_STEPS;
    let any = if n > k {
        1.0
    } else if small {
        1.0 - occupied(k, n)[n as usize]
    } else {
        1.0 - libm::exp(-(n as f64) * miss)
    };
    let how = if n > k {
        "fewer keys than nodes".to_string()
    } else if small {
        format!("1 − P(all {n} occupied)")
    } else {
        "1 − e^−E[empty] (Poisson)".to_string()
    };
    answer.push("P(at least one node is empty)", any, Unit::Number, how);
    if k.saturating_mul(DRAWS) <= 20_000_000 && n <= 1000 {
        let mut stream = Stream::new(5, Purpose::Chance, 0);
        let mut hits = 0u64;
        let mut seen = vec![false; n as usize];
        for _ in 0..DRAWS {
            seen.fill(false);
            (0..k).for_each(|_| seen[stream.below(n) as usize] = true);
            hits += u64::from(seen.contains(&false));
        }
        let within = super::simulate::error(any, DRAWS) + 1.0 / DRAWS as f64;
        answer.check(hits as f64 / DRAWS as f64, within, format!("{DRAWS} draws"));
    }
    answer.push(
        "empty nodes, expected",
        n as f64 * miss,
        Unit::Number,
        format!("{n}·(1 − 1/{n})^{k}"),
    );
    answer.push("P(a given node is empty)", miss, Unit::Number, format!("(1 − 1/{n})^{k}"));
    answer.push("occupied nodes, expected", n as f64 * (1.0 - miss), Unit::Number, "n − E[empty]");
    Ok(answer)
}

/// P(j of n nodes are occupied) after k keys, for j = 0 … n.
fn occupied(k: u64, n: u64) -> Vec<f64> {
    let mut p = vec![0.0; n as usize + 1];
    p[0] = 1.0;
    for _ in 0..k {
        for j in (0..=n as usize).rev() {
            let stay = p[j] * j as f64 / n as f64;
            let from = if j > 0 { p[j - 1] * (n as usize - j + 1) as f64 / n as f64 } else { 0.0 };
            p[j] = stay + from;
        }
    }
    p
}

/// `birthday K n`
pub static BIRTHDAY: FormInfo = FormInfo {
    name: "birthday",
    summary: "how likely two of K keys share one of n nodes, and how many nodes keep them apart",
    params: &[
        many("keys", "number of keys", 1e20),
        many("nodes", "number of nodes, or of digests, e.g. 2^64", 1e40),
    ],
    positional: 2,
    formula: "P(two meet) = 1 − Π (1 − i/n), i < K; expected pairs = K(K−1) ÷ 2n",
    source: "R. von Mises, 1939",
    answer: birthday,
};

fn birthday(params: &Params) -> Result<Answer, Error> {
    let (k, n) = (super::whole_float(params, "keys")?, super::whole_float(params, "nodes")?);
    let mut answer = Answer::default();
    answer.push(
        "P(at least two keys meet)",
        meet(k, n),
        Unit::Number,
        format!("1 − Π (1 − i/{}), i < {}", written(n), written(k)),
    );
    answer.push(
        "pairs of keys that meet, expected",
        k * (k - 1.0) / 2.0 / n,
        Unit::Number,
        format!("{0}·({0}−1) ÷ (2·{1})", written(k), written(n)),
    );
    let nearly = |n: f64| if n < EXACT { "" } else { ", to about 15 digits" };
    let half = apart(k, 0.5);
    answer.push(
        "nodes that keep them apart as likely as not",
        half,
        Unit::Count,
        format!("least n with Π ≥ ½{}", nearly(half)),
    );
    let surely = apart(k, 0.05);
    answer.push(
        "nodes that keep them apart in 95 of 100 cases",
        surely,
        Unit::Count,
        format!("least n with Π ≥ 0.95{}", nearly(surely)),
    );
    Ok(answer)
}

/// Numbers of nodes up to which double precision tells [`apart`]'s answer from its neighbours.
const EXACT: f64 = 1e13;

/// The chance that two of k keys on n nodes meet.
pub(super) fn meet(k: f64, n: f64) -> f64 {
    -libm::expm1(ln_all_different(k, n))
}

/// Π (1 − i/n) for i < k: the chance that k keys have k different nodes.
pub(super) fn all_different(k: f64, n: f64) -> f64 {
    libm::exp(ln_all_different(k, n))
}

/// Its logarithm: term by term for few keys, by the Euler–Maclaurin sum for many. −∞ from e^−745 down.
fn ln_all_different(k: f64, n: f64) -> f64 {
    const MOST_TERMS: f64 = 10_000.0;
    const NOTHING: f64 = 745.0;
    // Each term is at most −i/n.
    if k > n || k * (k - 1.0) / 2.0 / n > NOTHING {
        return f64::NEG_INFINITY;
    }
    if k <= MOST_TERMS {
        return (1..k as u64).map(|i| libm::log1p(-(i as f64) / n)).sum();
    }
    // So many keys that are not sure to meet fill at most 15 % of the nodes, and the terms of
    // ∫ ln(1 − x/n) = −n Σ u^(j+1) ÷ j(j+1), u = (k−1)/n, fall fast and have one sign.
    let u = (k - 1.0) / n;
    let (mut integral, mut power) = (0.0, u);
    for j in 1..=40 {
        integral += power / f64::from(j * (j + 1));
        power *= u;
    }
    -(k - 1.0) * integral + 0.5 * libm::log1p(-u) - u / (1.0 - u) / (12.0 * n)
}

/// The least number of nodes on which k keys meet with probability q at most: exact up to [`EXACT`].
pub(super) fn apart(k: f64, q: f64) -> f64 {
    if k <= 1.0 {
        return 1.0;
    }
    // Logarithms still differ where the probabilities of neighbours are one double.
    let enough = libm::log1p(-q);
    let (mut low, mut high) = (k - 1.0, k.max(2.0));
    while ln_all_different(k, high) < enough {
        low = high;
        high *= 2.0;
    }
    loop {
        let middle = libm::floor(low + (high - low) / 2.0);
        // Beyond 2^53 two neighbours lie more than 1 apart.
        if middle <= low || middle >= high {
            return high;
        }
        if ln_all_different(k, middle) < enough { low = middle } else { high = middle }
    }
}
