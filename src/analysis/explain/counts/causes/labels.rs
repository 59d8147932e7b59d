//! Hash-limited labels: the points of a ring lie in patterns, and more of them do not help.
//!
//! Model: a ring with fewer points than it has, as many as would stray like this.

use super::super::Case;
use super::super::chance::Chance;
use super::super::fit::Stray;
use super::super::remedy;
use super::{CauseInfo, Proposal};
use crate::analysis::peak::Law;
use crate::report::number::fixed;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "hash-limited-labels",
    title: "labels that the hash does not scatter: more points than they are worth",
    check: "raise the virtual nodes tenfold: a cv that does not fall by √10 is the labels' (crc32, fnv1a \
            and java-string of labels that differ in a number); if counts do not follow the owned shares, \
            it is the keys",
    propose,
};

fn propose(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    let Law::Points(points) = &case.law else { return vec![] };
    let fit = case.fit_spread(&case.expected, 0.0);
    let Stray::Precision(worth) = fit.stray else { return vec![] };
    let stated: f64 = points.iter().sum();
    if worth >= 0.9 * stated {
        return vec![];
    }
    let n = case.nodes() as f64;
    let mut evidence = vec![format!(
        "{} points a node stray like {} random ones",
        fixed(stated / n, 0),
        fixed(worth / n, if worth < 10.0 * n { 1 } else { 0 })
    )];
    evidence.push(format!(
        "cv {} where a random ring shows {}",
        fixed(chance.cv, 4),
        fixed(chance.cv_expected(), 4)
    ));
    let remedies = remedy::better_labels(case);
    vec![Proposal { shares: case.expected.clone(), fit, evidence, remedies }]
}
