//! Residues that no key reaches: ids whose step shares a factor with the number of nodes, a sequence that
//! restarts, a text read as a number. Some nodes stay empty, and the set of the others has a shape.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, normalised, rest};
use crate::metrics::special::gamma_p;
use crate::report::number::{fixed, probability};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "unreachable-residues",
    title: "residues that no key has: some nodes cannot be reached",
    check: "take the keys modulo the number of nodes yourself, and modulo its factors; look at the low bits",
    propose,
};

/// A set of nodes that keys reach.
struct Set {
    reached: Vec<bool>,
    /// Cost of having chosen it.
    choices: f64,
    words: String,
}

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let used: Vec<usize> = (0..case.counts.len()).filter(|&i| case.counts[i] > 0).collect();
    let n = case.counts.len();
    if used.len() == n {
        return vec![];
    }
    let mut proposals: Vec<Proposal> = Vec::new();
    for set in sets(n, &used) {
        let keep = |i: usize| if set.reached[i] { case.expected[i] } else { 0.0 };
        let shares = normalised((0..n).map(keep).collect());
        let fit = case.fit(&shares, set.choices);
        let mut evidence = vec![set.words, empties(case, used.len())];
        evidence.extend(rest(case, fit, &shares));
        let plan = Box::new(remedy::reach_all);
        proposals.push(Proposal { shares, fit, evidence, plan });
    }
    proposals.extend(sequence(case, &used));
    proposals
}

/// The shapes that the used nodes can have, narrowest last.
fn sets(n: usize, used: &[usize]) -> Vec<Set> {
    let (first, last) = (used[0], used[used.len() - 1]);
    let mut sets = vec![Set {
        reached: (0..n).map(|i| used.contains(&i)).collect(),
        choices: ln_choose(n, used.len()),
        words: format!("{} of {n} nodes hold everything", used.len()),
    }];
    let run = last - first + 1;
    if run < n {
        sets.push(Set {
            reached: (0..n).map(|i| (first..=last).contains(&i)).collect(),
            choices: if first == 0 { libm::log(n as f64) } else { 2.0 * libm::log(n as f64) },
            words: format!("numbers {first} to {last} of {n} hold everything"),
        });
    }
    let step = used.iter().fold(n, |g, &i| gcd(g, i - first));
    if step > 1 {
        // The sum of the proper divisors is about the number of (step, residue) pairs.
        let pairs: usize = (2..=n).filter(|&g| n.is_multiple_of(g)).sum();
        sets.push(Set {
            reached: (0..n).map(|i| i % step == first % step).collect(),
            choices: libm::log(pairs as f64),
            words: format!("all keys have numbers ≡ {} mod {step}, a factor of {n}", first % step),
        });
    }
    sets
}

/// A sequence that restarts: number s is used when a unit of time has more than s ids, so shares fall
/// like P(Poisson(λ) > s).
fn sequence(case: &Case<'_>, used: &[usize]) -> Option<Proposal> {
    let n = case.counts.len();
    let last = used[used.len() - 1];
    if used[0] != 0 || last + 1 >= n || used.len() < 2 {
        return None;
    }
    // Mean ids of a time that has any, λ ÷ (1 − e^−λ), over the fullest number.
    let full = *case.counts.iter().max()?;
    let mean = case.total as f64 / full as f64;
    let rate = rate_of(mean);
    // P(X > s) = P(s+1, λ).
    let shares = normalised((0..n).map(|s| gamma_p(s as f64 + 1.0, rate)).collect());
    let penalty = case.share_penalty() + libm::log(n as f64);
    let fit = case.fit(&shares, penalty);
    let mut evidence = vec![
        format!("numbers 0 to {last} of {n}, falling: a sequence that restarts"),
        format!("about {} ids between two restarts", fixed(rate, 1)),
        empties(case, used.len()),
    ];
    evidence.extend(rest(case, fit, &shares));
    Some(Proposal { shares, fit, evidence, plan: Box::new(remedy::reach_all) })
}

/// λ with λ ÷ (1 − e^−λ) = mean.
fn rate_of(mean: f64) -> f64 {
    let (mut low, mut high) = (1e-9, mean + 1.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if middle / -libm::expm1(-middle) < mean { low = middle } else { high = middle }
    }
    high
}

/// How unlikely so many empty nodes are.
fn empties(case: &Case<'_>, used: usize) -> String {
    let empty = case.counts.len() - used;
    let expected: f64 = match case.seen.keys {
        Some(keys) => {
            let miss = |q: f64| libm::exp(keys as f64 * libm::log1p(-q));
            case.expected.iter().filter(|q| **q > 0.0).map(|&q| miss(q)).sum()
        }
        None => return format!("{empty} nodes are empty"),
    };
    let text = if expected < 0.005 { probability(expected) } else { fixed(expected, 2) };
    format!("{empty} nodes are empty, where chance leaves {text}")
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}
