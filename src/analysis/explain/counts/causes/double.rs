//! A node that counts twice, or half, or not at all: started twice in a list, behind a range that was split
//! once more or less, down, or not yet serving.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, normalised, rest};
use crate::report::number::fixed;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "double-or-idle-node",
    title: "a node that is listed twice, has half a range, or takes no part",
    check: "print the routing table (or the server list) and count what each node owns",
    propose,
};

/// What a node may count for in place of 1, and in which words.
const FACTORS: [(f64, &str); 3] =
    [(2.0, "a node that is there twice"), (0.5, "a node with half a share"), (0.0, "an idle node")];

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let choices = libm::log((FACTORS.len() * case.nodes()) as f64);
    let proposal = |&(factor, words): &(f64, &str)| {
        let node = case.extreme(factor > 1.0);
        let mut parts = case.expected.clone();
        parts[node] *= factor;
        let shares = normalised(parts);
        let fit = case.fit(&shares, choices);
        let have = case.counts[node] as f64 / case.total as f64 / case.fair[node];
        let want = shares[node] / case.fair[node];
        let name = &case.seen.names[node];
        let mut evidence = vec![format!(
            "{words} has {} of the mean; {name} has {}",
            fixed(want, 3),
            fixed(have, 3)
        )];
        evidence.extend(rest(case, fit, &shares));
        Proposal { shares, fit, evidence, plan: Box::new(remedy::equal_parts) }
    };
    FACTORS.iter().map(proposal).collect()
}
