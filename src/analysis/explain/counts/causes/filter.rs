//! Keys that an upstream hash has filtered: what arrives has a residue, or a range of the hash, in common,
//! because the level before chose by the same hash. Also keys that a generator correlates with the number.
//!
//! Models: nodes whose numbers agree modulo a factor g of n share a class, and classes differ; or, where
//! no factor shows, shares that differ as if by chance but too far. A class that is one node proves nothing
//! unless it is the only one.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, rest};
use crate::analysis::peak::Law;
use crate::report::number::{fixed, percent};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "upstream-filter",
    title: "keys that an upstream hash has filtered, or that are correlated with this one",
    check: "take a sample of the keys of one node and count their hash modulo what the level before divides \
            by (and modulo 2, 3, 4 …): filtered keys leave residues out; another seed at one level heals it",
    propose,
};

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let n = case.counts.len();
    let mut proposals: Vec<Proposal> =
        (2..=n).filter(|&g| n.is_multiple_of(g)).filter_map(|g| classes(case, g)).collect();
    let ringed = matches!(case.law, Law::Points(_));
    if !ringed {
        proposals.push(no_factor(case));
    }
    proposals
}

/// Classes modulo g, each with a share of its own. With g = n a class is a node: only worth it where no
/// other is reached.
fn classes(case: &Case<'_>, g: usize) -> Option<Proposal> {
    let n = case.counts.len();
    let mut counts = vec![0u64; g];
    let mut expected = vec![0.0; g];
    for i in 0..n {
        counts[i % g] += case.counts[i];
        expected[i % g] += case.expected[i];
    }
    let reached = counts.iter().filter(|&&c| c > 0).count();
    if g == n && reached > 1 {
        return None;
    }
    let total = case.total as f64;
    let share = |i: usize| {
        let class = counts[i % g] as f64 / total;
        if class > 0.0 { class * case.expected[i] / expected[i % g] } else { 0.0 }
    };
    let shares: Vec<f64> = (0..n).map(share).collect();
    let penalty = (reached - 1) as f64 * case.share_penalty() + ln_choose(g, reached);
    let fit = case.fit(&shares, penalty);
    let (most, least) = (counts.iter().max()?, counts.iter().min()?);
    let class = counts.iter().position(|c| c == most)?;
    let words = if reached == 1 {
        format!("every key has a number ≡ {class} mod {g}")
    } else {
        format!(
            "numbers mod {g}: the fullest class ({class}) has {} % of the keys, the least {} %",
            percent(*most as f64 / total, 1),
            percent(*least as f64 / total, 1)
        )
    };
    let mut evidence = vec![words];
    evidence.extend(rest(case, fit, &shares));
    Some(Proposal { shares, fit, evidence, plan: Box::new(remedy::reseed) })
}

/// No factor of n shows: the filter was by another modulus or by a range of the hash.
fn no_factor(case: &Case<'_>) -> Proposal {
    let fit = case.fit_spread(&case.expected, 0.0);
    let n = case.counts.len();
    let factors: Vec<String> =
        (2..n).filter(|&g| n.is_multiple_of(g)).map(|g| g.to_string()).collect();
    let none = if factors.is_empty() {
        format!("{n} is prime: no class of residues can show")
    } else {
        format!("classes modulo {} do not explain it", factors.join(", "))
    };
    let mut evidence = vec![none];
    if let Some(times) = case.times_chance(&case.expected) {
        evidence.push(format!("counts stray {} times as far as independent keys", fixed(times, 1)));
    }
    if case.seen.is_sorted() {
        evidence.push(
            "loads stand in falling order: give them in the nodes' order to see residues".into(),
        );
    }
    Proposal { shares: case.expected.clone(), fit, evidence, plan: Box::new(remedy::reseed) }
}
