//! Few keys: empty nodes and keys that meet.

use super::{Answer, FormInfo, keys, nodes, whole};
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
    params: &[keys("keys", "number of keys"), keys("nodes", "number of nodes, or of digests")],
    positional: 2,
    formula: "P(two meet) = 1 − Π (1 − i/n), i < K; expected pairs = K(K−1) ÷ 2n",
    source: "R. von Mises, 1939",
    answer: birthday,
};

fn birthday(params: &Params) -> Result<Answer, Error> {
    let (k, n) = (params.int("keys") as f64, params.int("nodes") as f64);
    let mut answer = Answer::default();
    answer.push(
        "P(at least two keys meet)",
        1.0 - all_different(k, n),
        Unit::Number,
        format!("1 − Π (1 − i/{n}), i < {k}"),
    );
    answer.push(
        "pairs of keys that meet, expected",
        k * (k - 1.0) / 2.0 / n,
        Unit::Number,
        format!("{k}·({k}−1) ÷ (2·{n})"),
    );
    let half = apart(k, 0.5);
    answer.push(
        "nodes that keep them apart as likely as not",
        half,
        Unit::Count,
        "least n with Π ≥ ½",
    );
    answer.push(
        "nodes that keep them apart in 95 of 100 cases",
        apart(k, 0.95),
        Unit::Count,
        "least n with Π ≥ 0.95",
    );
    Ok(answer)
}

/// Π (1 − i/n) for i < k: the chance that k keys have k different nodes. By terms up to ten million keys,
/// beyond by its limit, whose relative error is below k³/6n².
pub(crate) fn all_different(k: f64, n: f64) -> f64 {
    if k > n {
        return 0.0;
    }
    const MOST_TERMS: f64 = 1e7;
    if k > MOST_TERMS {
        return libm::exp(-k * (k - 1.0) / 2.0 / n);
    }
    let mut ln = 0.0;
    for i in 1..k as u64 {
        ln += libm::log1p(-(i as f64) / n);
        if ln < -745.0 {
            return 0.0;
        }
    }
    libm::exp(ln)
}

/// The least number of nodes that keeps k keys apart with probability p.
pub(crate) fn apart(k: f64, p: f64) -> f64 {
    let (mut low, mut high) = (k - 1.0, k.max(2.0));
    if k <= 1.0 {
        return 1.0;
    }
    while all_different(k, high) < p {
        low = high;
        high *= 2.0;
    }
    while high - low > 1.0 && high < 1e15 {
        let middle = libm::floor((low + high) / 2.0);
        if all_different(k, middle) < p { low = middle } else { high = middle }
    }
    high
}
