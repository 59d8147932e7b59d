//! Copies and views: nodes that meet by chance.

use super::{Answer, FormInfo, nodes, whole};
use crate::error::Error;
use crate::metrics::Unit;
use crate::params::{Default, Param, Params, Type};
use crate::rng::{Purpose, Stream};

/// `replicas n r`
pub static REPLICAS: FormInfo = FormInfo {
    name: "replicas",
    summary: "on how many different of n nodes r copies lie when each is placed by a hash of its own",
    params: &[
        nodes("nodes", "number of nodes"),
        Param::new("copies", Type::Int { min: 1, max: 20 }, Default::Int(3), "copies of a key"),
    ],
    positional: 2,
    formula: "P(j different) = S(r,j)·n!/(n−j)! ÷ n^r; three copies: 1/n², 3(n−1)/n², (n−1)(n−2)/n²",
    source: "W. Feller, vol. 1, II.5; walking on to the next different node gives r wherever there are r nodes",
    answer: replicas,
};

/// Draws of the check.
const DRAWS: u64 = 50_000;

fn replicas(params: &Params) -> Result<Answer, Error> {
    let (n, r) = (whole(params, "nodes"), whole(params, "copies") as usize);
    // P(j different after another copy).
    let mut p = vec![0.0; r + 1];
    p[0] = 1.0;
    for _ in 0..r {
        for j in (0..=r).rev() {
            let new = if j > 0 {
                p[j - 1] * (n as f64 - (j as f64 - 1.0)).max(0.0) / n as f64
            } else {
                0.0
            };
            p[j] = p[j] * (j as f64 / n as f64).min(1.0) + new;
        }
    }
    let mut stream = Stream::new(6, Purpose::Chance, 0);
    let mut counts = vec![0u64; r + 1];
    let mut drawn = Vec::new();
    for _ in 0..DRAWS {
        drawn.clear();
        drawn.extend((0..r).map(|_| stream.below(n)));
        drawn.sort_unstable();
        drawn.dedup();
        counts[drawn.len()] += 1;
    }
    let mut answer = Answer::default();
    for j in (1..=r).rev() {
        let how = if j == r { "Π (1 − i/n), i < r" } else { "S(r,j)·n!/(n−j)! ÷ n^r" };
        answer.push(format!("P(on {j} different nodes)"), p[j], Unit::Share, how);
        let within = super::simulate::error(p[j], DRAWS) + 2.0 / DRAWS as f64;
        answer.check(counts[j] as f64 / DRAWS as f64, within, format!("{DRAWS} draws"));
    }
    answer.note("A key whose copies lie on one node is lost with it.");
    if n >= r as u64 {
        answer.note(
            "The next different node on the ring, or the r highest scores, make all different.",
        );
    } else {
        answer.note(format!(
            "{r} copies cannot be on {r} different nodes of {n}: the next different node on the ring, or the highest \
             scores, give {n}."
        ));
    }
    Ok(answer)
}

/// `views n`
pub static VIEWS: FormInfo = FormInfo {
    name: "views",
    summary: "how often two routers agree that place alike but by unrelated points, seeds or orders",
    params: &[nodes("nodes", "number of nodes")],
    positional: 1,
    formula: "agree = 1/n; two lists in another order under modulo: the positions that are the same, ÷ n",
    source: "independent uniform owners: random ring points at restart, per-process hash seeds, ids with a timestamp",
    answer: views,
};

fn views(params: &Params) -> Result<Answer, Error> {
    let n = whole(params, "nodes") as f64;
    let mut answer = Answer::default();
    answer.push("keys on which they differ", 1.0 - 1.0 / n, Unit::Share, format!("1 − 1/{n}"));
    answer.push("keys on which they agree", 1.0 / n, Unit::Share, format!("1/{n}"));
    answer.aside();
    answer.push(
        "a cache behind m such routers stores a key, expected times at m → ∞",
        n,
        Unit::Count,
        "once on every node",
    );
    answer.note("On two nodes it looks \"50 % broken\", on ten like 90 % misses.");
    Ok(answer)
}
