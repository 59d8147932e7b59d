//! More even than chance: keys dealt out in turn, or whole periods of numbers in sequence; or by another
//! strategy than the stated one, whose nodes do not own random parts.
//!
//! Models: every node has the floor or the ceiling of its share, which are equally likely to be whose; or,
//! where counts are too even for independent keys, a count within so many keys of its share; or independent
//! keys on fair shares.

use super::super::Case;
use super::super::chance::{Chance, EXCLUDED, Verdict};
use super::super::fit::{Fit, Stray, ln_likelihood};
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose};
use crate::metrics::special::gamma_p;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "dealt-out",
    title: "keys dealt out in turn: sequence numbers, round-robin",
    check: "keys in sequence under a remainder are even by construction; random keys would not be",
    propose,
};

/// Independent keys on fair shares, where the stated strategy's own shares are random.
pub static FAIR_SHARES: CauseInfo = CauseInfo {
    name: "fair-shares",
    title: "another routing than the stated one: its nodes own fair shares, as under modulo, jump or slots",
    check: "ask the client which strategy it really runs; route some keys by both and compare",
    propose: fair_shares,
};

fn fair_shares(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    let same = case.expected.iter().zip(&case.fair).all(|(q, w)| libm::fabs(q - w) < 1e-9);
    let strays = case.law.points().is_finite() || !same;
    if chance.verdict != Verdict::TooEven || case.seen.keys.is_none() || !strays {
        return vec![];
    }
    let score = ln_likelihood(&case.counts, &case.fair, f64::INFINITY);
    let evidence = vec![format!(
        "counts stray {} times as far as they must under {}",
        crate::report::number::fixed(chance.cv / chance.cv_expected(), 2),
        case.strategy.name
    )];
    vec![Proposal {
        shares: case.fair.clone(),
        fit: Fit { score, stray: Stray::Precision(f64::INFINITY) },
        evidence,
        plan: Box::new(|_| Vec::new()),
    }]
}

fn propose(case: &Case<'_>, chance: &Chance) -> Vec<Proposal> {
    if case.seen.keys.is_none() {
        return vec![];
    }
    exactly(case).or_else(|| nearly(case, chance)).into_iter().collect()
}

/// Counts within d keys of their shares: each of 2d + 1 equally likely, the last one fixed by the others.
fn nearly(case: &Case<'_>, chance: &Chance) -> Option<Proposal> {
    let total = case.total as f64;
    // Of independent keys on these shares, whatever the law.
    let dof = case.nodes() as f64 - 1.0;
    let strays = case.effective_keys(&case.expected);
    let chi_square = dof * total / strays;
    if chance.verdict != Verdict::TooEven || gamma_p(dof / 2.0, chi_square / 2.0) >= EXCLUDED {
        return None;
    }
    let off =
        case.counts.iter().zip(&case.expected).map(|(&c, q)| libm::fabs(c as f64 - q * total));
    let most = libm::ceil(off.fold(0.0, f64::max));
    let score = -dof * libm::log(2.0 * most + 1.0) - case.spread_penalty();
    let evidence = vec![format!(
        "no node is more than {} off its share, where independent keys stray by {}",
        remedy::amount(most),
        remedy::amount(libm::sqrt(total / case.nodes() as f64))
    )];
    Some(Proposal {
        shares: case.expected.clone(),
        fit: Fit { score, stray: Stray::Law },
        evidence,
        plan: Box::new(|_| Vec::new()),
    })
}

fn exactly(case: &Case<'_>) -> Option<Proposal> {
    let total = case.total as f64;
    let mut above = 0;
    for (&count, &share) in case.counts.iter().zip(&case.expected) {
        let exact = share * total;
        let (low, high) = (libm::floor(exact + 1e-9), libm::ceil(exact - 1e-9));
        if (count as f64) < low || count as f64 > high {
            return None;
        }
        above += usize::from(high > low && count as f64 == high);
    }
    let score = -ln_choose(case.nodes(), above);
    let shares = case.expected.clone();
    let evidence = vec!["no node is a whole key off its share".to_string()];
    let fit = Fit { score, stray: Stray::Law };
    Some(Proposal { shares, fit, evidence, plan: Box::new(|_| Vec::new()) })
}
