//! Weights: what they become in whole points, and what a change of them moves.

use super::{Answer, FormInfo};
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::theory::minimum_share;
use crate::params::{Default, Param, Params, Type, Value};
use crate::report::number::percent;

const WEIGHT: Type = Type::Float { min: 0.0, max: 1e9 };
const WEIGHTS: Type = Type::List(&WEIGHT);

/// `ketama-weights w,w`
pub static KETAMA: FormInfo = FormInfo {
    name: "ketama-weights",
    summary: "points that ketama gives nodes of these weights, and the shares that they really have",
    params: &[
        Param::new("weights", WEIGHTS, Default::Required, "weight of each node, e.g. 100,9900"),
        Param::new(
            "digests",
            Type::Int { min: 1, max: 10_000 },
            Default::Int(40),
            "MD5 digests a node of average weight, four points each",
        ),
    ],
    positional: 1,
    formula: "points = 4·⌊w/W · 40 · n⌋; a share below 1/(40 n) gets none",
    source: "R. Jones, libketama, 2007; the division in double precision, as its ports do it",
    answer: ketama,
};

fn ketama(params: &Params) -> Result<Answer, Error> {
    let weights = numbers(params, "weights")?;
    let (n, digests) = (weights.len() as f64, params.int("digests") as f64);
    let sum: f64 = weights.iter().sum();
    let points: Vec<f64> =
        weights.iter().map(|w| 4.0 * libm::floor(w / sum * digests * n)).collect();
    let total: f64 = points.iter().sum();
    let mut answer = Answer::default();
    answer.push("points in all", total, Unit::Count, format!("Σ 4·⌊w/W · {digests} · {n}⌋"));
    if total <= 0.0 {
        return Err(
            Error::invalid("no node gets a point").help("give more even weights, or more digests")
        );
    }
    answer.push(
        "share below which a node gets nothing",
        1.0 / (digests * n),
        Unit::Share,
        format!("1 ÷ ({digests}·{n})"),
    );
    for (i, (w, p)) in weights.iter().zip(&points).enumerate().take(20) {
        answer.push(
            format!("share of node {i}, weight {w}"),
            p / total,
            Unit::Share,
            format!("{p} points; asked for {} %", percent(w / sum, 2)),
        );
    }
    let short = weights.iter().zip(&points);
    let short = short
        .filter(|(w, p)| **p + 1e-9 < 4.0 * libm::floor(*w * digests * n / sum + 1e-9))
        .count();
    if short > 0 {
        answer.note(format!("{short} node(s) lose four points to rounding of w/W in double precision: a client that multiplies first gives them those."));
    }
    Ok(answer)
}

fn numbers(params: &Params, name: &'static str) -> Result<Vec<f64>, Error> {
    let items = params.list(name).unwrap_or_default();
    let numbers: Vec<f64> = items.iter().filter_map(Value::as_f64).collect();
    if numbers.is_empty() || numbers.iter().sum::<f64>() <= 0.0 {
        return Err(Error::invalid(format!("`{name}` holds no weight above 0"))
            .help("give one weight a node, parted by commas: 1,1,2"));
    }
    Ok(numbers)
}

/// `reweight a,b c,d`
pub static REWEIGHT: FormInfo = FormInfo {
    name: "reweight",
    summary: "keys that must differ between two weightings of the same nodes: a change, or two clients",
    params: &[
        Param::new("before", WEIGHTS, Default::Required, "weights, e.g. 1,1,1"),
        Param::new("after", WEIGHTS, Default::Required, "weights of the same nodes, e.g. 2,3,3"),
    ],
    positional: 2,
    formula: "least = ½ Σ |wᵢ/W − w′ᵢ/W′|; rendezvous moves exactly that, a ring that keeps points about that",
    source: "half the L1 distance of the fair shares",
    answer: reweight,
};

fn reweight(params: &Params) -> Result<Answer, Error> {
    let (before, after) = (numbers(params, "before")?, numbers(params, "after")?);
    if before.len() != after.len() {
        return Err(Error::invalid(format!(
            "{} weights before, {} after",
            before.len(),
            after.len()
        ))
        .help("give the same nodes; weight 0 for one that is not there"));
    }
    let shares = |weights: &[f64]| {
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|w| w / sum).collect::<Vec<_>>()
    };
    let (a, b) = (shares(&before), shares(&after));
    let mut answer = Answer::default();
    answer.push(
        "least that differs",
        minimum_share(&a, &b),
        Unit::Share,
        "½ Σ |share before − after|",
    );
    for (i, (x, y)) in a.iter().zip(&b).enumerate().take(20) {
        answer.push(
            format!("share of node {i} after"),
            *y,
            Unit::Share,
            format!("before {} %", percent(*x, 2)),
        );
    }
    Ok(answer)
}
