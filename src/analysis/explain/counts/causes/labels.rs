//! Hash-limited labels: the points of a ring lie in patterns, and more of them do not help.
//!
//! Models: a ring with fewer points than it has, as many as would stray like this; and, where the nodes'
//! own names are given, the very ring that they make.

use std::path::Path;

use super::super::Case;
use super::super::chance::Chance;
use super::super::fit::{Fit, Stray, ln_likelihood};
use super::super::remedy;
use super::{CauseInfo, Proposal};
use crate::analysis::peak::Law;
use crate::keys::KeyKind;
use crate::report::number::{fixed, percent};
use crate::strategy::Build;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "hash-limited-labels",
    title: "labels that the hash does not scatter: more points than they are worth",
    check: "raise the virtual nodes tenfold: a cv that does not fall by √10 is the labels' (crc32, fnv1a \
            and java-string of labels that differ in a number); if counts do not follow the owned shares, \
            it is the keys",
    propose,
};

/// The ring of these names.
pub static OWNED: CauseInfo = CauseInfo {
    name: "owned-shares",
    title: "the names of these nodes: the table that they make owns just these shares",
    check: "give the real hasher and label template (--param hasher=…, --param label=…); other names, or \
            more points, give other shares",
    propose: owned,
};

/// The shares of the placement that these names make; only where names matter and are known.
fn owned(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    if !case.seen.named || !case.strategy.caps.names || case.seen.keys.is_none() {
        return vec![];
    }
    let cluster = case.seen.cluster();
    let build = Build {
        cluster: &cluster,
        params: case.params,
        keys: KeyKind::Text,
        replicas: 1,
        base: Path::new("."),
    };
    let ownership = case.strategy.place(&build).ok().and_then(|placement| placement.ownership());
    let Some(mut shares) = ownership.map(|owned| owned.shares(cluster.ids)) else { return vec![] };
    shares.truncate(case.fair.len());
    // Keys sample known arcs: no spread of the law is left.
    let score = ln_likelihood(&case.counts, &shares, f64::INFINITY);
    let most = case.extreme(true);
    let evidence = vec![format!(
        "{} owns {} % of what is hashed, and holds {} % of the keys",
        case.seen.names[most],
        percent(shares[most], 2),
        percent(case.counts[most] as f64 / case.total as f64, 2)
    )];
    vec![Proposal {
        shares,
        fit: Fit { score, stray: Stray::Law },
        evidence,
        plan: Box::new(remedy::better_labels),
    }]
}

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
    vec![Proposal {
        shares: case.expected.clone(),
        fit,
        evidence,
        plan: Box::new(remedy::better_labels),
    }]
}
