//! Ids in sequence: what their low bits reach.

use super::{Answer, FormInfo, keys, nodes, whole};
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::special::gamma_p;
use crate::params::{Default, Param, Params, Type};
use crate::report::number::fixed;

/// `snowflake rate n`
pub static SNOWFLAKE: FormInfo = FormInfo {
    name: "snowflake",
    summary: "what id mod n reaches when snowflake ids restart their sequence every millisecond",
    params: &[
        Param::new(
            "rate",
            Type::Float { min: 1e-3, max: 1e7 },
            Default::Required,
            "ids a worker gives in a second",
        ),
        nodes("nodes", "number of shards"),
        Param::new(
            "vibration",
            Type::Int { min: 0, max: 4095 },
            Default::Int(0),
            "largest start of the sequence, where it alternates 0 … v",
        ),
    ],
    positional: 2,
    formula: "share with sequence 0 = (1 − e^−r)/r at r ids a millisecond; mod 2^k sees the low bits only, odd n the time too",
    source: "Poisson arrivals (derived); layout of Twitter's Snowflake, 2010: 41 bits time, 10 worker, 12 sequence",
    answer: snowflake,
};

fn snowflake(params: &Params) -> Result<Answer, Error> {
    let (rate, n) = (params.float("rate") / 1000.0, whole(params, "nodes"));
    let vibration = whole(params, "vibration");
    let zero = -libm::expm1(-rate) / rate;
    let mut answer = Answer::default();
    answer.push(
        "ids with sequence 0 (of a restart)",
        zero,
        Unit::Share,
        format!("(1 − e^−r) ÷ r, r = {rate}"),
    );
    // Residues mod the power of two in n: the 12 bits of the sequence, and above them worker and time.
    let bits = n.trailing_zeros().min(12);
    let low = 1usize << bits;
    let mut shares = vec![0.0; low];
    for s in 0..4096u64 {
        // P(a millisecond has more than s ids) ÷ r.
        let share = gamma_p(s as f64 + 1.0, rate) / rate;
        for start in 0..=vibration {
            shares[((start + s) % low as u64) as usize] += share / (vibration + 1) as f64;
        }
    }
    let most = shares.iter().fold(0.0f64, |m, &s| m.max(s));
    let used = shares.iter().filter(|&&s| s > 0.01 / low as f64).count();
    answer.push(
        format!("residues mod {low} in use"),
        used as f64,
        Unit::Count,
        "those with more than a hundredth of a fair share",
    );
    answer.push(
        format!("share of the fullest residue mod {low}"),
        most,
        Unit::Share,
        "sum over the sequence numbers that it has",
    );
    answer.push("max over mean", most * low as f64, Unit::Ratio, format!("share · {low}"));
    if low as u64 != n {
        answer.note(format!(
            "{n} = {low} · {}: the odd factor spreads by the time, the power of two does not.",
            n / low as u64
        ));
    }
    answer.note(format!(
        "id >> 22 mod n, an odd n, a sequence that carries on or a hash first: 1 each. About {} ids a millisecond.",
        fixed(rate, 3)
    ));
    Ok(answer)
}

/// `tails values n`
pub static TAILS: FormInfo = FormInfo {
    name: "tails",
    summary: "how even a fixed set of values 0 … v−1 (the last digits of an id) can lie on n shards",
    params: &[
        keys("values", "number of values, e.g. 10000 for the last four digits"),
        nodes("nodes", "number of shards or cells"),
    ],
    positional: 2,
    formula: "v mod n shards have ⌈v/n⌉ values, the others ⌊v/n⌋; shards beyond v stay empty",
    source: "division with remainder",
    answer: tails,
};

fn tails(params: &Params) -> Result<Answer, Error> {
    let (v, n) = (whole(params, "values"), whole(params, "nodes"));
    let (low, more) = (v / n, v % n);
    let high = low + u64::from(more > 0);
    let mut answer = Answer::default();
    answer.push(
        "max over min",
        if low == 0 { f64::INFINITY } else { high as f64 / low as f64 },
        Unit::Ratio,
        format!("{high} ÷ {low}"),
    );
    answer.push("shards with one value more", more as f64, Unit::Count, format!("{v} mod {n}"));
    answer.push("values of those", high as f64, Unit::Count, format!("⌈{v} ÷ {n}⌉"));
    answer.push("shards with the fewer", (n - more) as f64, Unit::Count, format!("{n} − {more}"));
    answer.push("values of those", low as f64, Unit::Count, format!("⌊{v} ÷ {n}⌋"));
    answer.push("max over mean", high as f64 * n as f64 / v as f64, Unit::Ratio, "⌈v/n⌉ ÷ (v/n)");
    if v < n {
        answer.note(format!("{} shards stay empty for good.", n - v));
    }
    Ok(answer)
}
