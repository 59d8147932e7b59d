//! Whole units: shards, slots, last digits or buckets of equal load, of which some nodes have one more than
//! the others, because their number does not divide by that of the nodes.
//!
//! Model: r of n nodes have q + 1 units and the others q. q comes from the counts, and costs
//! what a fitted share does.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, normalised, rest};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "whole-units",
    title: "whole shards, slots or digits: their number does not divide by that of the nodes",
    check: "count the units (shards, partitions, slots, values of a digit) that each node has",
    propose,
};

/// Fewest and most units a node that are looked for. One beside two is the shape of double nodes and of
/// halved ranges, which are asked for themselves; beyond the most a unit is lost in the noise.
const UNITS: std::ops::RangeInclusive<f64> = 2.0..=1000.0;

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let n = case.counts.len();
    let equal = case.fair.windows(2).all(|pair| pair[0] == pair[1]);
    if case.nodes() != n || !equal {
        return vec![];
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| case.counts[b].cmp(&case.counts[a]).then(a.cmp(&b)));
    let mut heavy = 0;
    let mut best: Option<Proposal> = None;
    for r in 1..n {
        heavy += case.counts[order[r - 1]];
        // The means of both sorts tell how many units a node has.
        let more = heavy as f64 / r as f64;
        let less = (case.total - heavy) as f64 / (n - r) as f64;
        let units = libm::floor(less / (more - less) + 0.5);
        if !UNITS.contains(&units) {
            continue;
        }
        let proposal = model(case, &order[..r], units as u64);
        if best.as_ref().is_none_or(|b| proposal.fit.score > b.fit.score) {
            best = Some(proposal);
        }
    }
    best.into_iter().collect()
}

fn model(case: &Case<'_>, heavy: &[usize], units: u64) -> Proposal {
    let (n, r) = (case.counts.len(), heavy.len());
    let mut parts = vec![units as f64; n];
    heavy.iter().for_each(|&i| parts[i] += 1.0);
    let shares = normalised(parts);
    let choices = ln_choose(n, r) + case.share_penalty();
    let fit = case.fit(&shares, choices);
    let all = units * n as u64 + r as u64;
    let mut evidence =
        vec![format!("{all} units on {n} nodes: {r} hold {}, {} hold {units}", units + 1, n - r)];
    evidence.extend(rest(case, fit, &shares));
    Proposal { shares, fit, evidence, plan: Box::new(move |case| remedy::more_units(case, all)) }
}
