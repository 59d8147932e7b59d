//! How even counts can be: sampling, a reported spread, powers of two, signs.

use super::{Answer, Chance, FormInfo, keys, nodes, whole};
use crate::analysis::peak::{Law, trials};
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::ideal::ideal_passes;
use crate::metrics::special::normal_cdf;
use crate::metrics::theory::cv_sampling;
use crate::params::{Default, Param, Params, Type};
use crate::report::number::fixed;

/// `sampling n K`
pub static SAMPLING: FormInfo = FormInfo {
    name: "sampling",
    summary: "how even an ideal hash spreads K keys over n nodes: the noise that no strategy avoids",
    params: &[nodes("nodes", "number of nodes"), keys("keys", "number of keys")],
    positional: 2,
    formula: "cv = √((n−1) ÷ K); max over mean from n binomial counts",
    source: "multinomial counts; bounds by K. Joag-Dev and F. Proschan, 1983",
    answer: sampling,
};

fn sampling(params: &Params) -> Result<Answer, Error> {
    let (n, k) = (whole(params, "nodes"), whole(params, "keys"));
    let fair = vec![1.0 / n as f64; n as usize];
    let law = Law::Fixed(fair.clone());
    let mut answer = Answer::default();
    answer.push("cv", cv_sampling(n, k), Unit::Share, format!("√(({n}−1) ÷ {k})"));
    if n > 1 && n <= 10_000 {
        const TRIALS: u32 = 1000;
        let drawn = trials::spreads(&law, &fair, Some(k), TRIALS, 4);
        let mean = drawn.iter().map(|s| s.cv_squared).sum::<f64>() / f64::from(TRIALS);
        let square =
            drawn.iter().map(|s| s.cv_squared * s.cv_squared).sum::<f64>() / f64::from(TRIALS);
        let error = libm::sqrt((square - mean * mean).max(0.0) / f64::from(TRIALS));
        let root = libm::sqrt(mean);
        answer.check(root, 5.0 * error / (2.0 * root) + 1e-9, format!("{TRIALS} draws"));
        let cvs = drawn.iter().map(|s| libm::sqrt(s.cv_squared)).collect();
        answer.chance(Chance::drawn(cvs, "one set of keys"));
    }
    let tops = trials::peaks(&law, &fair, Some(k), [0.5, 0.95]);
    for (what, peak) in ["median", "95th percentile"].into_iter().zip(tops) {
        let how = "largest of n binomial counts";
        answer.push(format!("max over mean, {what}"), peak, Unit::Ratio, how);
    }
    for x in [0.01, 0.03, 0.1] {
        let p = ideal_passes(&fair, k, x);
        answer.push(
            format!("P(largest deviation ≤ {} %)", fixed(x * 100.0, 0)),
            p,
            Unit::Number,
            "B. Levin, 1981: what a threshold lets an ideal hash pass",
        );
    }
    Ok(answer)
}

/// `spread n K max min`
pub static SPREAD: FormInfo = FormInfo {
    name: "spread",
    summary: "whether chance explains the fullest and emptiest of n nodes, and how many independent keys would",
    params: &[
        nodes("nodes", "number of nodes"),
        keys("keys", "number of keys"),
        Param::new(
            "max",
            Type::Float { min: 1.0, max: 1e6 },
            Default::Required,
            "load of the fullest node over the mean, e.g. 1.105",
        ),
        Param::new(
            "min",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Absent,
            "load of the emptiest node over the mean, e.g. 0.925",
        ),
    ],
    positional: 4,
    formula: "z = (max − 1) ÷ √((n−1)/K); groups = (n−1) ÷ s², s = range ÷ E[range of n normals]",
    source: "multinomial counts; L. Tippett, 1925, https://doi.org/10.2307/2332087, for the range",
    answer: spread,
};

/// So many times as many groups are no longer about as many as there are keys.
const AS_MANY: f64 = 2.0;

fn spread(params: &Params) -> Result<Answer, Error> {
    let (n, k) = (whole(params, "nodes"), whole(params, "keys"));
    if n < 2 {
        return Err(Error::invalid("one node has no spread").help("at least 2 nodes"));
    }
    let (max, min) = (params.float("max"), params.get("min").and_then(|v| v.as_f64()));
    if max > n as f64 {
        return Err(Error::invalid(format!("max {max} on {n} nodes")).help(format!(
            "allowed: up to {n}, a node that has everything; max is the load of the fullest node over the mean, not a count"
        )));
    }
    let sd = cv_sampling(n, k);
    let mut answer = Answer::default();
    answer.push(
        "z of the fullest node",
        (max - 1.0) / sd,
        Unit::Number,
        format!("({max} − 1) ÷ {sd:.3e}"),
    );
    answer.push(
        "standard deviation of a node by chance",
        sd,
        Unit::Share,
        format!("√(({n}−1) ÷ {k})"),
    );
    let fair = vec![1.0 / n as f64; n as usize];
    let law = Law::Fixed(fair.clone());
    let below = law.bounds(&fair, k as f64, max - 0.5 * n as f64 / k as f64)[0];
    answer.push(
        "P(a node that full by chance), at most",
        1.0 - below,
        Unit::Number,
        "union bound over binomial counts",
    );
    let s = match min {
        Some(min) => (max - min) / expected_range(n),
        None => (max - 1.0) / (expected_range(n) / 2.0),
    };
    if s <= 0.0 {
        answer.note("No spread at all: loads are more even than chance makes them.");
        return Ok(answer);
    }
    let from = if min.is_some() { "range" } else { "maximum" };
    let groups = (n as f64 - 1.0) / (s * s);
    answer.push(
        "independent keys (equal groups) that would spread so far",
        groups,
        Unit::Count,
        format!("({n} − 1) ÷ {s:.4}², s from the {from} of {n} normals"),
    );
    answer.push("keys a group", k as f64 / groups, Unit::Count, "K ÷ groups");
    if groups < k as f64 / 10.0 {
        answer.note("Keys go in groups (hash tags, tenants), or something upstream has chosen among them: count the distinct values of what is hashed.");
    } else if groups > k as f64 * AS_MANY {
        answer.note(
            "That is more than there are keys: loads are at least as even as chance makes them.",
        );
    } else {
        answer.note("That is about as many as there are keys: chance explains it.");
    }
    Ok(answer)
}

/// E[max − min] of n standard normals: ∫ 1 − Φⁿ − (1−Φ)ⁿ, by Simpson's rule. 3.0775 for 10.
fn expected_range(n: u64) -> f64 {
    let value = |x: f64| {
        let (p, n) = (normal_cdf(x), n as f64);
        1.0 - libm::pow(p, n) - libm::pow(1.0 - p, n)
    };
    const STEPS: usize = 4000;
    let width = 20.0 / STEPS as f64;
    let sum: f64 = (0..=STEPS)
        .map(|i| {
            let weight = if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i as u8 % 2)) };
            weight * value(-10.0 + width * i as f64)
        })
        .sum();
    sum * width / 3.0
}

/// `power-of-two n`
pub static POWER: FormInfo = FormInfo {
    name: "power-of-two",
    summary: "how uneven n parts are when they split in halves or fold low bits (linear hashing, stable modulo)",
    params: &[nodes("nodes", "number of parts: nodes, placement groups, consumers")],
    positional: 1,
    formula: "n = 2^k + r: 2r small parts and 2^k − r double ones; max over mean = n ÷ 2^k",
    source: "W. Litwin, 1980, linear hashing; Ceph: pg_num; Pulsar: auto-split ranges",
    answer: power,
};

fn power(params: &Params) -> Result<Answer, Error> {
    let n = whole(params, "nodes");
    let half = 1u64 << n.ilog2();
    let beyond = n - half;
    let mut answer = Answer::default();
    let max = if beyond == 0 { 1.0 } else { n as f64 / half as f64 };
    answer.push("max over mean", max, Unit::Ratio, format!("{n} ÷ {half}"));
    // Linear hashing, counted: residue mod 2^(k+1), folded if there is no such part.
    let folded = |x: u64| if x < n { x } else { x - half };
    let mut counts = vec![0u64; n as usize];
    (0..2 * half).for_each(|x| counts[folded(x) as usize] += 1);
    let most = counts.iter().max().copied().unwrap_or(0);
    answer.check(
        most as f64 * n as f64 / (2 * half) as f64,
        1e-12,
        format!("all {} low bits, counted", 2 * half),
    );
    answer.push(
        "double parts",
        (half - beyond) as f64 * f64::from(u8::from(beyond > 0)),
        Unit::Count,
        format!("{half} − {beyond}"),
    );
    answer.push(
        "small parts",
        if beyond == 0 { n as f64 } else { 2.0 * beyond as f64 },
        Unit::Count,
        format!("2 · {beyond}"),
    );
    answer.push(
        "min over mean",
        if beyond == 0 { 1.0 } else { n as f64 / (2 * half) as f64 },
        Unit::Ratio,
        format!("{n} ÷ {}", 2 * half),
    );
    Ok(answer)
}

/// `sign n`
pub static SIGN: FormInfo = FormInfo {
    name: "sign",
    summary: "share of the keys on which two clients differ that read a 32-bit hash's sign bit differently",
    params: &[nodes("nodes", "number of partitions")],
    positional: 1,
    formula: "masked against unsigned: ½ unless n divides 2^31; abs against floorMod: ½(1 − gcd(n,2)/n)",
    source: "Kafka, librdkafka and ShardingSphere clients: counting over all 2^32 digests",
    answer: sign,
};

fn sign(params: &Params) -> Result<Answer, Error> {
    let n = whole(params, "nodes");
    let left = (1u64 << 31) % n;
    let mut answer = Answer::default();
    let masked = if left == 0 { 0.0 } else { 0.5 };
    answer.push(
        "masked (h & 0x7fffffff) against unsigned remainder",
        masked,
        Unit::Share,
        format!("2^31 mod {n} = {left}; keys with the top bit set differ unless that is 0"),
    );
    let step = 65_521;
    let sample = |differ: &dyn Fn(u32) -> bool| {
        let digests = (0..u64::from(u32::MAX)).step_by(step).map(|h| h as u32);
        let (mut hits, mut all) = (0u64, 0u64);
        for h in digests {
            all += 1;
            hits += u64::from(differ(h));
        }
        (hits as f64 / all as f64, super::simulate::error(0.5, all), format!("{all} digests"))
    };
    let (value, within, of) = sample(&|h| u64::from(h & 0x7fff_ffff) % n != u64::from(h) % n);
    answer.check(value, within, of);
    let (value, within, of) = sample(&|h| {
        let signed = i64::from(h as i32);
        signed.abs() % n as i64 != signed.rem_euclid(n as i64)
    });
    let same = if n.is_multiple_of(2) { 2.0 } else { 1.0 };
    answer.push(
        "abs(h) mod n against floorMod",
        0.5 * (1.0 - (same / n as f64).min(1.0)),
        Unit::Share,
        "negative digests differ, but for residues 0 and n/2",
    );
    answer.check(value, within, of);
    answer.push(
        "abs of the smallest digest, mod n",
        -(left as f64),
        Unit::Number,
        "abs(−2^31) stays negative: −(2^31 mod n)",
    );
    if left != 0 {
        answer.note("A negative remainder is no partition: that key fails, or lands at the end of an array.");
    }
    Ok(answer)
}
