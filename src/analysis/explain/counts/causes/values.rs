//! Few distinct values: a key column with less values than nodes, or hardly more, leaves nodes empty and
//! gives the others what their values happen to weigh.
//!
//! Model: the nodes that hold anything, each with a share of its own.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, rest};
use crate::report::number::percent;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "few-values",
    title: "few distinct values of the key: nodes that no value falls on stay empty",
    check: "count the distinct values of the key and the rows of the largest",
    propose,
};

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let n = case.counts.len();
    let reached = case.counts.iter().filter(|&&c| c > 0).count();
    if reached == n || reached < 2 {
        return vec![];
    }
    let total = case.total as f64;
    let shares: Vec<f64> = case.counts.iter().map(|&c| c as f64 / total).collect();
    let penalty = (reached - 1) as f64 * case.share_penalty() + ln_choose(n, reached);
    let fit = case.fit(&shares, penalty);
    let most = shares.iter().copied().fold(0.0, f64::max);
    let mut evidence = vec![format!(
        "{reached} of {n} nodes hold everything, the fullest {} %: {reached} values at least",
        percent(most, 1)
    )];
    evidence.extend(rest(case, fit, &shares));
    let plan = Box::new(move |case: &Case<'_>| remedy::more_values(case, most));
    vec![Proposal { shares, fit, evidence, plan }]
}
