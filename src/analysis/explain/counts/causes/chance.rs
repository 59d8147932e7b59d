//! Chance: too few keys, too few points of a ring, or whole slots.
//!
//! All are the same model, the strategy's own law. Where two are at work, each counts for its part of
//! the expected variance: the score of a cause with part r is less by ln(1/r).

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Plan, Proposal};
use crate::analysis::peak::Law;
use crate::report::number::{fixed, grouped, percent};

/// A part of the variance below this is no cause.
const LEAST_PART: f64 = 0.01;

/// Too few points.
pub static FEW_VNODES: CauseInfo = CauseInfo {
    name: "few-vnodes",
    title: "chance: too few virtual nodes",
    check: "the shares that the nodes own (record.json: owned-share) show the same spread without any keys",
    propose: few_vnodes,
};

/// Shares that the strategy rounds.
pub static ROUNDED: CauseInfo = CauseInfo {
    name: "rounded-shares",
    title: "the strategy rounds: whole slots, buckets or entries a node",
    check: "the shares that the nodes own (record.json: owned-share) show the same spread without any keys",
    propose: rounded,
};

/// Too few keys.
pub static FEW_KEYS: CauseInfo = CauseInfo {
    name: "few-keys",
    title: "chance: too few keys",
    check: "the spread shrinks with the root of the number of keys",
    propose: few_keys,
};

fn few_vnodes(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    let Law::Points(points) = &case.law else { return vec![] };
    let n = case.nodes();
    let vnodes = points.iter().sum::<f64>() / n as f64;
    let formula = format!("√((n−1) ÷ (n·v+1)) with n = {n}, v = {}", fixed(vnodes, 0));
    let evidence = vec![format!(
        "{formula} gives a cv of {}; measured {}",
        fixed(libm::sqrt(chance.placement), 4),
        fixed(chance.cv, 4)
    )];
    part(
        case,
        chance,
        chance.placement,
        evidence,
        Box::new(move |case| remedy::more_vnodes(case, vnodes)),
    )
}

fn rounded(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    if case.law.points().is_finite() || chance.placement <= 0.0 {
        return vec![];
    }
    let evidence = vec![format!(
        "parts of whole units give a cv of {}; measured {}",
        fixed(libm::sqrt(chance.placement), 4),
        fixed(chance.cv, 4)
    )];
    part(case, chance, chance.placement, evidence, Box::new(remedy::equal_parts))
}

fn few_keys(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    let Some(keys) = case.seen.keys else { return vec![] };
    let formula = format!("√((n−1) ÷ K) with n = {}, K = {}", case.nodes(), grouped(keys));
    let sampling = libm::sqrt(chance.sampling);
    let evidence = vec![format!(
        "{formula} gives a cv of {}; measured {}",
        fixed(sampling, 4),
        fixed(chance.cv, 4)
    )];
    part(
        case,
        chance,
        chance.sampling,
        evidence,
        Box::new(move |case| remedy::more_keys(case, keys)),
    )
}

/// The law itself, less what the other part of the variance takes.
fn part(
    case: &Case<'_>,
    chance: &Chance,
    variance: f64,
    mut evidence: Vec<String>,
    plan: Plan,
) -> Vec<Proposal> {
    let share = variance / (chance.placement + chance.sampling);
    let strict = case.fit_strict(&case.expected, -libm::log(share));
    let Some(fit) = strict.filter(|_| share >= LEAST_PART) else { return vec![] };
    if share < 0.999 {
        evidence.push(format!("{} % of the variance that chance makes", percent(share, 0)));
    }
    vec![Proposal { shares: case.expected.clone(), fit, evidence, plan }]
}
