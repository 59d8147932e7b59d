//! Strategies that move the least, and how near to it maglev comes.

use super::movement::least;
use super::ring::ONE_RING;
use super::simulate::{first, members, moved, moved_over_names};
use super::{Answer, Chance, FormInfo, nodes, whole};
use crate::analysis::peak::Law;
use crate::analysis::peak::trials::peaks;
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::special::beta_i;
use crate::metrics::theory::cv_owned_ring;
use crate::params::{Default, Param, Params, Type, Value};
use crate::report::number::fixed;

const BEFORE: Param = nodes("before", "number of nodes before");
const AFTER: Param = nodes("after", "number of nodes after");
const VNODES: Param = Param::new(
    "vnodes",
    Type::Int { min: 1, max: 1_000_000 },
    Default::Int(160),
    "virtual nodes a node",
);

/// `ring n m`
pub static RING: FormInfo = FormInfo {
    name: "ring",
    summary: "share of the keys that move when a ring of n nodes gets m, and how even it is then",
    params: &[BEFORE, AFTER, VNODES],
    positional: 2,
    formula: "E[moved] = |m − n| ÷ max(n,m), with standard deviation √(q(1−q) ÷ (max(n,m)·v + 1)); excess 0",
    source: "D. Karger et al., 1997, https://doi.org/10.1145/258533.258660; arcs of random points are Dirichlet",
    answer: ring,
};

/// Most points of a ring that is simulated.
const MAX_POINTS: u64 = 200_000;

fn ring(params: &Params) -> Result<Answer, Error> {
    let (n, m, v) = (whole(params, "before"), whole(params, "after"), whole(params, "vnodes"));
    let most = n.max(m);
    let q = n.abs_diff(m) as f64 / most as f64;
    let sd = libm::sqrt(q * (1.0 - q) / (most as f64 * v as f64 + 1.0));
    let mut answer = Answer::default();
    answer.push("moved, expected", q, Unit::Share, format!("|{m} − {n}| ÷ {most}"));
    if most * v <= MAX_POINTS {
        let vnodes = [("vnodes", Value::Int(v as i64))];
        let (value, within, of) =
            moved_over_names("ring", &vnodes, &first(n, most), &first(m, most))?;
        answer.check(value, within.max(1e-9), of);
    }
    if let Some(chance) = arcs(n.abs_diff(m) as f64 * v as f64, most as f64 * v as f64, sd) {
        answer.chance(chance);
    }
    answer.push("its standard deviation over names", sd, Unit::Share, "√(q(1−q) ÷ (max·v + 1))");
    answer.aside();
    answer.push(
        "moved between nodes that stay",
        0.0,
        Unit::Share,
        "only arcs of new or old points change",
    );
    answer.aside();
    for (when, nodes) in [("before", n), ("after", m)] {
        let cv = cv_owned_ring(nodes, v);
        answer.push(
            format!("cv of owned shares {when}"),
            cv,
            Unit::Share,
            format!("√(({nodes}−1) ÷ ({nodes}·{v}+1))"),
        );
    }
    let fair = vec![1.0 / m as f64; m as usize];
    let law = Law::Points(vec![v as f64; m as usize]);
    let tops = peaks(&law, &fair, None, [0.5, 0.95]);
    for (what, peak) in ["median", "95th percentile"].into_iter().zip(tops) {
        let how = "largest of n beta shares";
        answer.push(format!("max over mean after, {what}"), peak, Unit::Ratio, how);
    }
    Ok(answer)
}

/// What some arcs of random points hold together: beta, of the points before them and of the others. None:
/// all of them, or none.
fn arcs(some: f64, all: f64, sd: f64) -> Option<Chance> {
    if sd <= 0.0 {
        return None;
    }
    let quantile = |p: f64| {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if beta_i(some, all - some, middle) < p { low = middle } else { high = middle }
        }
        high
    };
    Some(Chance { sd, low: quantile(0.025), high: quantile(0.975), of: ONE_RING })
}

/// `jump n m`
pub static JUMP: FormInfo = FormInfo {
    name: "jump",
    summary: "share of the keys that move when jump hash goes from n to m nodes, and its look-up steps",
    params: &[BEFORE, AFTER],
    positional: 2,
    formula: "moved = |m − n| ÷ max(n,m), all of it to or from the last numbers; Hₘ steps on average",
    source: "J. Lamping and E. Veach, 2014, https://arxiv.org/abs/1406.2294",
    answer: jump,
};

fn jump(params: &Params) -> Result<Answer, Error> {
    let mut answer = minimal("jump", params)?;
    let m = whole(params, "after");
    let steps: f64 = (1..=m).map(|i| 1.0 / i as f64).sum();
    answer.push("steps of a look-up after, mean", steps, Unit::Number, format!("H_{m} = Σ 1/i"));
    answer.note(
        "Numbers can only be added and removed at the end: see `explain remove` for the middle.",
    );
    Ok(answer)
}

/// `rendezvous n m`
pub static RENDEZVOUS: FormInfo = FormInfo {
    name: "rendezvous",
    summary: "share of the keys that move when rendezvous hashing goes from n to m nodes",
    params: &[BEFORE, AFTER],
    positional: 2,
    formula: "moved = |m − n| ÷ max(n,m); a look-up computes m scores",
    source: "D. Thaler and C. Ravishankar, 1998, https://doi.org/10.1109/90.663936",
    answer: rendezvous,
};

fn rendezvous(params: &Params) -> Result<Answer, Error> {
    let mut answer = minimal("rendezvous", params)?;
    let m = whole(params, "after");
    answer.push("scores of a look-up after", m as f64, Unit::Count, "one a node");
    Ok(answer)
}

/// The least, checked on the strategy.
fn minimal(name: &str, params: &Params) -> Result<Answer, Error> {
    let (n, m) = (whole(params, "before"), whole(params, "after"));
    let most = n.max(m);
    let mut answer = Answer::default();
    let share = n.abs_diff(m) as f64 / most as f64;
    answer.push("moved", share, Unit::Share, format!("|{m} − {n}| ÷ {most}"));
    if most <= 500 {
        let (value, within, of) = moved(name, &[], &first(n, most), &first(m, most))?;
        answer.check(value, within, of);
    }
    answer.push(
        "moved between nodes that stay",
        0.0,
        Unit::Share,
        "a key moves only to a new node, or off a lost one",
    );
    answer.aside();
    Ok(answer)
}

/// `maglev n`
pub static MAGLEV: FormInfo = FormInfo {
    name: "maglev",
    summary: "entries a node in maglev's table of M, and what one of n nodes' leaving moves beyond its share",
    params: &[
        nodes("nodes", "number of nodes"),
        Param::new(
            "table-size",
            Type::Int { min: 3, max: 10_000_019 },
            Default::Int(65_537),
            "entries of the table, a prime",
        ),
    ],
    positional: 2,
    formula: "⌊M/n⌋ or ⌈M/n⌉ entries a node; moved = 1/n and an excess that grows with n/M, measured on the table itself",
    source: "D. Eisenbud et al., NSDI 2016, section 3.4; the excess is the curve of which \"about double\" is a point",
    answer: maglev,
};

fn maglev(params: &Params) -> Result<Answer, Error> {
    let (n, size) = (whole(params, "nodes"), whole(params, "table-size"));
    if n < 2 || n > size {
        return Err(Error::invalid(format!("{n} nodes for a table of {size} entries"))
            .help("at least 2 nodes, and no more than entries"));
    }
    let given = [("table-size", Value::Int(size as i64))];
    let mut answer = Answer::default();
    // The middle node leaves.
    let without = members((0..n as u32).filter(|&i| u64::from(i) != n / 2), n as usize);
    let (share, ..) = moved("maglev", &given, &first(n, n), &without)?;
    let least = 1.0 / n as f64;
    answer.push(
        "moved when one node leaves",
        share,
        Unit::Share,
        format!("measured: node{} leaves the table that shardlab's maglev fills", n / 2),
    );
    answer.push("least that any strategy moves", least, Unit::Share, "1/n");
    answer.aside();
    answer.push("moved over the least", share / least, Unit::Ratio, "grows with n/M");
    answer.push("entries a node", size as f64 / n as f64, Unit::Number, format!("{size} ÷ {n}"));
    let ceiling = libm::ceil(size as f64 / n as f64);
    answer.push(
        "max over mean of entries",
        ceiling * n as f64 / size as f64,
        Unit::Ratio,
        "⌈M/n⌉ ÷ (M/n)",
    );
    Ok(answer)
}

/// `buckets n m`
pub static BUCKETS: FormInfo = FormInfo {
    name: "buckets",
    summary: "what moves, and how even it is, with B fixed buckets (slots, logical tables) on n then m nodes",
    params: &[
        BEFORE,
        AFTER,
        Param::new(
            "buckets",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Int(1024),
            "number of buckets, fixed for good",
        ),
    ],
    positional: 2,
    formula: "moved ≈ 1 − n/m of the buckets, the fewest; max over mean = ⌈B/m⌉ ÷ (B/m); key → bucket never changes",
    source: "Redis Cluster's 16384 slots, Couchbase's vBuckets; counting",
    answer: buckets,
};

fn buckets(params: &Params) -> Result<Answer, Error> {
    let (n, m, b) = (whole(params, "before"), whole(params, "after"), whole(params, "buckets"));
    // The first B mod n nodes have one more; a change moves what they have too much.
    let quota =
        |nodes: u64, i: u64| if i < nodes { b / nodes + u64::from(i < b % nodes) } else { 0 };
    let moved: u64 = (0..n.max(m)).map(|i| quota(n, i).saturating_sub(quota(m, i))).sum();
    let mut answer = Answer::default();
    answer.push("moved", moved as f64 / b as f64, Unit::Share, format!("{moved} of {b} buckets"));
    answer.push(
        "buckets that move",
        moved as f64,
        Unit::Count,
        "what nodes have beyond their part",
    );
    least(&mut answer, n, m);
    let g = super::gcd(n, m);
    answer.push(
        "hash mod nodes would move",
        crate::metrics::theory::modulo_moved(n, m),
        Unit::Share,
        format!("1 − {g} ÷ {}", n.max(m)),
    );
    answer.aside();
    for (when, nodes) in [("before", n), ("after", m)] {
        let fullest = quota(nodes, 0) as f64 * nodes as f64 / b as f64;
        answer.push(
            format!("max over mean of buckets {when}"),
            fullest,
            Unit::Ratio,
            format!("{} ÷ {}", quota(nodes, 0), fixed(b as f64 / nodes as f64, 2)),
        );
    }
    if m > b || n > b {
        answer.note(format!("Nodes beyond {b} stay empty: a bucket cannot be cut."));
    }
    Ok(answer)
}
