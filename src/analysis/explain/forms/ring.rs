//! Rings: points that depend on the number of nodes, how even they are, and points that collide.

use super::{Answer, Chance, FormInfo, nodes, whole, written};
use crate::analysis::peak::{Law, trials};
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::theory::cv_owned_ring;
use crate::params::{Default, Param, Params, Type};
use crate::rng::{Purpose, Stream};

/// `points n m`
pub static POINTS: FormInfo = FormInfo {
    name: "points",
    summary: "what moves on a ring whose nodes share a fixed total of points, as Envoy's and ketama's do",
    params: &[
        nodes("before", "number of nodes before"),
        nodes("after", "number of nodes after"),
        Param::new(
            "total",
            Type::Int { min: 1, max: 10_000_000 },
            Default::Int(1024),
            "points of all nodes together, at least: ⌈total/n⌉ each",
        ),
    ],
    positional: 2,
    formula: "moved = (points of nodes that come or go + points that nodes which stay gain or lose · (N−1)/N) ÷ points of \
              both rings, N the larger number of nodes",
    source: "a point that is on one ring only parts an arc off another node's, of its own node once in N (derived); \
             Envoy: minimum_ring_size",
    answer: points,
};

/// What is drawn where points are random.
pub(super) const ONE_RING: &str = "one ring";

/// Rings that are drawn for the check.
const DRAWS: u64 = 40;

fn points(params: &Params) -> Result<Answer, Error> {
    let (n, m, total) = (whole(params, "before"), whole(params, "after"), whole(params, "total"));
    // A join is a departure seen backwards.
    let (many, few) = (n.max(m), n.min(m));
    let (at_many, at_few) = (total.div_ceil(many), total.div_ceil(few));
    // Of the nodes that come or go; and of those that stay, which have more points when they are few.
    let others = (many - few) * at_many;
    let stayers = few * (at_few - at_many);
    let union = many * at_many + stayers;
    let moved = (others as f64 + stayers as f64 * (many as f64 - 1.0) / many as f64) / union as f64;
    let mut answer = Answer::default();
    let how = format!("({others} + {stayers}·{}/{many}) ÷ {union}", many - 1);
    answer.push("moved", moved, Unit::Share, how);
    if union <= 200_000 && many > few {
        let (mean, sd) = drawn(many, few, at_many, at_few);
        let error = sd / libm::sqrt(DRAWS as f64);
        answer.check(mean, 5.0 * error, format!("mean of {DRAWS} rings of random points"));
        answer.chance(Chance::normal(moved, sd, ONE_RING));
    }
    super::movement::least(&mut answer, n, m);
    let share = (many - few) as f64 / many as f64;
    answer.push(
        "moved among the keys of nodes that stay",
        (moved - share) / (1.0 - share),
        Unit::Share,
        "(moved − least) ÷ (1 − least)",
    );
    answer.push(
        "points a node before",
        total.div_ceil(n) as f64,
        Unit::Count,
        format!("⌈{total}/{n}⌉"),
    );
    answer.push(
        "points a node after",
        total.div_ceil(m) as f64,
        Unit::Count,
        format!("⌈{total}/{m}⌉"),
    );
    answer.note("With a fixed number of points a node nothing moves between nodes that stay.");
    Ok(answer)
}

/// A point of one ring or both.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    at: u64,
    node: u64,
    in_many: bool,
    in_few: bool,
}

/// Share that moves between rings of random points: its mean and standard deviation.
fn drawn(many: u64, few: u64, at_many: u64, at_few: u64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for t in 0..DRAWS {
        let mut stream = Stream::new(2, Purpose::Chance, t);
        let mut all: Vec<Point> = Vec::new();
        for node in 0..many {
            let (old, new) = (at_many, if node < few { at_few } else { 0 });
            for i in 0..old.max(new) {
                let at = stream.next_u64();
                all.push(Point { at, node, in_many: i < old, in_few: i < new });
            }
        }
        all.sort_unstable();
        let owner_after = |pick: fn(&Point) -> bool| {
            let mut owner = all.iter().find(|p| pick(p)).map_or(0, |p| p.node);
            let mut owners: Vec<u64> = all
                .iter()
                .rev()
                .map(|p| {
                    if pick(p) {
                        owner = p.node;
                    }
                    owner
                })
                .collect();
            owners.reverse();
            owners
        };
        let (before, after) = (owner_after(|p| p.in_many), owner_after(|p| p.in_few));
        let mut moved = 0.0;
        let mut last = all[all.len() - 1].at;
        for (i, point) in all.iter().enumerate() {
            if before[i] != after[i] {
                moved += point.at.wrapping_sub(last) as f64 / 18_446_744_073_709_551_616.0;
            }
            last = point.at;
        }
        sum += moved;
        squares += moved * moved;
    }
    let n = DRAWS as f64;
    let mean = sum / n;
    (mean, libm::sqrt((squares / n - mean * mean).max(0.0) * n / (n - 1.0)))
}

/// `vnodes n v`
pub static VNODES: FormInfo = FormInfo {
    name: "vnodes",
    summary: "how even a ring of n nodes with v virtual nodes each is: cv, and max over mean",
    params: &[
        nodes("nodes", "number of nodes"),
        Param::new(
            "vnodes",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Required,
            "virtual nodes a node",
        ),
    ],
    positional: 2,
    formula: "√E[cv²] = √((n−1) ÷ (n·v+1)); P(max share ≤ x) from n beta(v, (n−1)v) shares; v = 1: E[max] = Hₙ ÷ n",
    source: "H. David and H. Nagaraja, Order Statistics, 2003, section 6.4; K. Joag-Dev and F. Proschan, 1983, for the bounds",
    answer: vnodes,
};

fn vnodes(params: &Params) -> Result<Answer, Error> {
    let (n, v) = (whole(params, "nodes"), whole(params, "vnodes"));
    let fair = vec![1.0 / n as f64; n as usize];
    let law = Law::Points(vec![v as f64; n as usize]);
    const TRIALS: u32 = 2000;
    let mut answer = Answer::default();
    answer.push(
        "cv of owned shares",
        cv_owned_ring(n, v),
        Unit::Share,
        format!("√(({n}−1) ÷ ({n}·{v}+1))"),
    );
    let simulated = (n <= 10_000).then(|| trials::spreads(&law, &fair, None, TRIALS, 3));
    let of = format!("{TRIALS} random rings");
    if let Some(drawn) = &simulated {
        let mean = drawn.iter().map(|s| s.cv_squared).sum::<f64>() / f64::from(TRIALS);
        let mean4 =
            drawn.iter().map(|s| s.cv_squared * s.cv_squared).sum::<f64>() / f64::from(TRIALS);
        let error = libm::sqrt((mean4 - mean * mean).max(0.0) / f64::from(TRIALS));
        let root = libm::sqrt(mean);
        answer.check(root, 5.0 * error / (2.0 * root).max(1e-9) + 1e-9, &of);
        let cvs = drawn.iter().map(|s| libm::sqrt(s.cv_squared)).collect();
        answer.chance(Chance::drawn(cvs, ONE_RING));
    }
    if n == 1 {
        return Ok(answer);
    }
    let tops: Vec<f64> = simulated.iter().flatten().map(|spread| spread.max_over_mean).collect();
    if let Some(mean) = mean_peak(n, v, &tops) {
        answer.push("max over mean, expected", mean.0, Unit::Ratio, mean.1);
    }
    let peaks = trials::peaks(&law, &fair, None, [0.5, 0.95]);
    for (what, peak) in ["median", "95th percentile"].into_iter().zip(peaks) {
        let how = "largest of n beta shares";
        answer.push(format!("max over mean, {what}"), peak, Unit::Ratio, how);
    }
    for over in [1.05, 1.1, 1.25, 1.5] {
        let [low, high] = law.bounds(&fair, f64::INFINITY, over);
        let below = tops.iter().filter(|&&top| top <= over).count();
        // The bounds meet where the probability is high; below that the draws are closer.
        let p = if tops.is_empty() { high } else { below as f64 / tops.len() as f64 };
        let p = p.clamp(low, high);
        let how = format!("by theory between {low:.4} and {high:.4}");
        answer.push(format!("P(max over mean ≤ {over})"), p, Unit::Number, how);
    }
    Ok(answer)
}

/// E[max over mean]: exact for one point a node, from trials otherwise.
fn mean_peak(n: u64, v: u64, tops: &[f64]) -> Option<(f64, String)> {
    if v == 1 {
        let harmonic = (1..=n).map(|i| 1.0 / i as f64).sum();
        return Some((harmonic, format!("H_{n} = Σ 1/i")));
    }
    let mean = tops.iter().sum::<f64>() / tops.len() as f64;
    (!tops.is_empty()).then(|| (mean, format!("mean of {} random rings", tops.len())))
}

/// `collisions p`
pub static COLLISIONS: FormInfo = FormInfo {
    name: "collisions",
    summary: "points that fall on the same place of a ring, where a map keeps only one of their nodes",
    params: &[
        super::many("points", "points of all nodes together", 1e20),
        Param::new(
            "bits",
            Type::Int { min: 8, max: 128 },
            Default::Int(32),
            "width of the ring's digests",
        ),
    ],
    positional: 2,
    formula: "P(any) = 1 − Π (1 − i ÷ 2^b); expected pairs = p(p−1) ÷ 2^(b+1)",
    source: "birthday problem: R. von Mises, 1939",
    answer: collisions,
};

fn collisions(params: &Params) -> Result<Answer, Error> {
    let (points, bits) = (super::whole_float(params, "points")?, params.int("bits") as i32);
    let given = written(points);
    let space = libm::pow(2.0, f64::from(bits));
    let pairs = points * (points - 1.0) / 2.0 / space;
    let mut answer = Answer::default();
    let any = super::few::meet(points, space);
    answer.push(
        "P(at least two points in one place)",
        any,
        Unit::Number,
        format!("1 − Π (1 − i ÷ 2^{bits}), i < {given}"),
    );
    answer.push(
        "pairs of points in one place, expected",
        pairs,
        Unit::Number,
        format!("{given}·({given}−1) ÷ 2^{}", bits + 1),
    );
    let half = libm::sqrt(2.0 * std::f64::consts::LN_2 * space);
    answer.push(
        "points at which a collision is as likely as not",
        libm::ceil(half),
        Unit::Count,
        "√(2 ln 2 · 2^b)",
    );
    answer.push(
        "share of its points that a collision costs a node's owner",
        1.0 / points,
        Unit::Share,
        "one arc of all, which the later owner keeps",
    );
    answer.note("Who wins depends on the order of insertion: two routers that insert in another order disagree on that arc.");
    Ok(answer)
}
