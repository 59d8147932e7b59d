//! What moves under remainders, ranges and numbers by position.

use super::simulate::{first, members, moved};
use super::{Answer, FormInfo, gcd, nodes, whole};
use crate::error::Error;
use crate::metrics::Unit;
use crate::metrics::theory::{jump_removal_moved, modulo_moved};
use crate::params::{Default, Param, Params, Type};

const BEFORE: super::Param = nodes("before", "number of nodes before");
const AFTER: super::Param = nodes("after", "number of nodes after");

/// `modulo n m`
pub static MODULO: FormInfo = FormInfo {
    name: "modulo",
    summary: "share of the keys that move when hash mod n becomes hash mod m",
    params: &[BEFORE, AFTER],
    positional: 2,
    formula: "moved = 1 − min(n,m) ÷ lcm(n,m) = 1 − gcd(n,m) ÷ max(n,m)",
    source: "Chinese remainder theorem: of lcm(n,m) consecutive residues min(n,m) agree",
    answer: modulo,
};

fn modulo(params: &Params) -> Result<Answer, Error> {
    let (n, m) = (whole(params, "before"), whole(params, "after"));
    let (g, most) = (gcd(n, m), n.max(m));
    let share = modulo_moved(n, m);
    let mut answer = Answer { would_be: Some(grown_by_one), ..Answer::default() };
    answer.push("moved", share, Unit::Share, format!("1 − {g} ÷ {most}"));
    let period = n / g * m;
    if period <= 10_000_000 {
        let count = (0..period).filter(|x| x % n != x % m).count();
        let of = format!("all {period} residues of a period, counted");
        answer.check(count as f64 / period as f64, 1e-12, of);
    }
    answer.push("kept", 1.0 - share, Unit::Share, format!("{g} ÷ {most}"));
    answer.aside();
    least(&mut answer, n, m);
    if n != m && (most.is_multiple_of(n.min(m))) {
        let times = most / n.min(m);
        answer.note(format!(
            "A multiple: each of the {} small shards pairs with {times} of the {most}, and with no other.",
            n.min(m)
        ));
    }
    Ok(answer)
}

/// The n → n + 1 of which a share of moved keys would be right: 1 − 1/(n+1).
fn grown_by_one(claimed: f64, half: f64) -> Option<String> {
    if !(0.0..1.0).contains(&claimed) {
        return None;
    }
    let m = libm::floor(1.0 / (1.0 - claimed) + 0.5);
    let is = m >= 2.0 && libm::fabs(1.0 - 1.0 / m - claimed) <= half * (1.0 + 1e-9);
    is.then(|| format!("modulo {} → {m}", m - 1.0))
}

/// What any strategy has to move.
pub(super) fn least(answer: &mut Answer, n: u64, m: u64) {
    let most = n.max(m);
    answer.push(
        "least that any strategy moves",
        n.abs_diff(m) as f64 / most as f64,
        Unit::Share,
        format!("|{m} − {n}| ÷ {most}"),
    );
    answer.aside();
}

/// `doubling n`
pub static DOUBLING: FormInfo = FormInfo {
    name: "doubling",
    summary: "what moves, and between whom, when modulo grows to a multiple of its nodes",
    params: &[
        BEFORE,
        Param::new(
            "times",
            Type::Int { min: 2, max: 1000 },
            Default::Int(2),
            "how many times as many",
        ),
    ],
    positional: 2,
    formula: "moved = 1 − 1/t; old shard i feeds i + n, i + 2n, … i + (t−1)n and nobody else",
    source: "x mod t·n ≡ x mod n (mod n): common practice, e.g. ShardingSphere and MySQL expansions",
    answer: doubling,
};

fn doubling(params: &Params) -> Result<Answer, Error> {
    let (n, times) = (whole(params, "before"), whole(params, "times"));
    let mut answer = Answer::default();
    let share = 1.0 - 1.0 / times as f64;
    answer.push("moved", share, Unit::Share, format!("1 − 1/{times}"));
    if n * times <= 10_000_000 {
        let count = (0..n * times).filter(|x| x % n != x % (n * times)).count();
        answer.check(count as f64 / (n * times) as f64, 1e-12, "all residues of a period, counted");
    }
    answer.push("nodes after", (n * times) as f64, Unit::Count, format!("{times} · {n}"));
    answer.push("new shards that an old one feeds", times as f64 - 1.0, Unit::Count, "t − 1");
    answer.push(
        "pairs of shards between which keys move",
        (n * (times - 1)) as f64,
        Unit::Count,
        format!("{n} · ({times} − 1)"),
    );
    let last = n * (times - 1) + n - 1;
    answer.note(format!(
        "0 → {n} …, {} → … {last}: a new shard can start as a copy of its old one.",
        n - 1
    ));
    Ok(answer)
}

/// `range n m`
pub static RANGE: FormInfo = FormInfo {
    name: "range",
    summary: "share of the keys that move when n equal ranges of the hash become m",
    params: &[BEFORE, AFTER],
    positional: 2,
    formula: "kept = Σᵢ |[i/n, (i+1)/n] ∩ [i/m, (i+1)/m]|; n → n + 1 moves exactly ½",
    source: "the bound between i and i + 1 moves from (i+1)/n to (i+1)/m; D. Karger et al., 1997, against which \
             consistent hashing is set",
    answer: range,
};

fn range(params: &Params) -> Result<Answer, Error> {
    let (n, m) = (whole(params, "before"), whole(params, "after"));
    // In units of 1/(n·m): range i before is i·m to (i+1)·m, after i·n to (i+1)·n.
    let kept: u128 = (0..u128::from(n.min(m)))
        .map(|i| {
            let (n, m) = (u128::from(n), u128::from(m));
            ((i + 1) * n.min(m)).saturating_sub(i * n.max(m))
        })
        .sum();
    let share = 1.0 - kept as f64 / (n as f64 * m as f64);
    let mut answer = Answer::default();
    answer.push("moved", share, Unit::Share, format!("1 − {kept} ÷ ({n}·{m})"));
    if n.max(m) <= 5000 {
        let (value, within, of) =
            moved("hash-range", &[], &first(n, n.max(m)), &first(m, n.max(m)))?;
        answer.check(value, within, of);
    }
    least(&mut answer, n, m);
    Ok(answer)
}

/// `remove n i`
pub static REMOVE: FormInfo = FormInfo {
    name: "remove",
    summary: "share of the keys that move when the node at position i leaves a numbered list and the gap closes",
    params: &[
        Param::new(
            "nodes",
            Type::Int { min: 2, max: super::MAX_NODES },
            Default::Required,
            "number of nodes before",
        ),
        Param::new(
            "position",
            Type::Int { min: 0, max: super::MAX_NODES },
            Default::Required,
            "position of the node, from 0",
        ),
    ],
    positional: 2,
    formula: "jump: moved = 1 − i/n − 1/(n(n−1)) for i ≤ n − 2, 1/n for the last; modulo: 1 − 1/n",
    source: "keys of later positions take the next name; keys of the last position fall on all (derived; J. Lamping \
             and E. Veach, 2014, say that only the last bucket can be removed)",
    answer: remove,
};

fn remove(params: &Params) -> Result<Answer, Error> {
    let (n, i) = (whole(params, "nodes"), whole(params, "position"));
    if i >= n {
        return Err(Error::invalid(format!("position {i} of {n} nodes"))
            .help(format!("positions: 0 to {}", n - 1)));
    }
    let share = jump_removal_moved(n, i);
    let how = if i == n - 1 {
        format!("1 ÷ {n}")
    } else {
        format!("1 − {i} ÷ {n} − 1 ÷ ({n}·{})", n - 1)
    };
    let mut answer = Answer::default();
    answer.push("moved under jump, gap closed", share, Unit::Share, how);
    let before = first(n, n);
    let without = members((0..n as u32).filter(|&j| u64::from(j) != i), n as usize);
    if n <= 5000 {
        let (value, within, of) = moved("jump", &[], &before, &without)?;
        answer.check(value, within, of);
    }
    answer.push(
        "moved under modulo, gap closed",
        1.0 - 1.0 / n as f64,
        Unit::Share,
        "of n(n−1) residues n − 1 keep their name",
    );
    if n <= 5000 {
        let (value, within, of) = moved("modulo", &[], &before, &without)?;
        answer.check(value, within, of);
    }
    answer.push("moved when the place is filled again", 1.0 / n as f64, Unit::Share, "1/n");
    answer.push("least that any strategy moves", 1.0 / n as f64, Unit::Share, "1/n");
    answer.aside();
    answer
        .note("Two thirds are cold where a third of the list stands before the node that leaves.");
    Ok(answer)
}
