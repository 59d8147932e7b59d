//! More even than chance: keys dealt out in turn, or whole periods of numbers in sequence.
//!
//! Model: every node has the floor or the ceiling of its share, which are equally likely to be whose.

use super::super::Case;
use super::super::chance::Chance;
use super::super::fit::{Fit, Stray};
use super::{CauseInfo, Proposal, ln_choose};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "dealt-out",
    title: "keys dealt out in turn: sequence numbers, round-robin",
    check: "keys in sequence under a remainder are even by construction; random keys would not be",
    propose,
};

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    if case.seen.keys.is_none() {
        return vec![];
    }
    let total = case.total as f64;
    let mut above = 0;
    for (&count, &share) in case.counts.iter().zip(&case.expected) {
        let exact = share * total;
        let (low, high) = (libm::floor(exact + 1e-9), libm::ceil(exact - 1e-9));
        if (count as f64) < low || count as f64 > high {
            return vec![];
        }
        above += usize::from(high > low && count as f64 == high);
    }
    let score = -ln_choose(case.nodes(), above);
    let shares = case.expected.clone();
    let evidence = vec!["no node is a whole key off its share".to_string()];
    vec![Proposal {
        shares,
        fit: Fit { score, stray: Stray::Law },
        evidence,
        plan: Box::new(|_| Vec::new()),
    }]
}
