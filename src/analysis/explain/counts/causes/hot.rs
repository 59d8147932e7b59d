//! Hot keys: one key, or one tenant, has a share of the load of its own.
//!
//! Model: the fullest nodes hold something beyond their share; the others lie as the strategy says. Up to
//! three such nodes, less than half of all.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, rest};
use crate::report::number::percent;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "hot-key",
    title: "a hot key or one large tenant",
    check: "list the keys of the fullest node by load: the largest should have the share shown",
    propose,
};

/// Most nodes with a hot key.
const MOST: usize = 3;

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let total = case.total as f64;
    let over = |i: usize| case.counts[i] as f64 / case.expected[i].max(f64::MIN_POSITIVE);
    let mut order: Vec<usize> =
        (0..case.counts.len()).filter(|&i| case.expected[i] > 0.0).collect();
    order.sort_by(|&a, &b| over(b).total_cmp(&over(a)).then(a.cmp(&b)));
    let most = MOST.min((order.len() - 1) / 2).max(1);
    let mut proposals = Vec::new();
    for hot in 1..=most {
        let (hot, others) = order.split_at(hot);
        let kept: u64 = others.iter().map(|&i| case.counts[i]).sum();
        let share: f64 = others.iter().map(|&i| case.expected[i]).sum();
        // What is left of the load once the hot keys are taken out, if the others are fair.
        let even = kept as f64 / total / share;
        let extra: Vec<f64> =
            hot.iter().map(|&i| case.counts[i] as f64 / total - even * case.expected[i]).collect();
        if even > 1.0 || extra.iter().any(|&f| f <= 0.0) {
            break;
        }
        let mut shares: Vec<f64> = case.expected.iter().map(|q| q * even).collect();
        hot.iter().zip(&extra).for_each(|(&i, f)| shares[i] += f);
        let penalty = hot.len() as f64 * case.share_penalty() + ln_choose(order.len(), hot.len());
        let fit = case.fit(&shares, penalty);
        let mut evidence: Vec<String> = hot
            .iter()
            .zip(&extra)
            .map(|(&i, &f)| {
                let name = &case.seen.names[i];
                format!("{name} holds {} % of all load beyond its part of the rest", percent(f, 1))
            })
            .collect();
        evidence.extend(rest(case, fit, &shares));
        let (all, alone) =
            (shares.clone(), if hot.len() == 1 { extra.first().copied() } else { None });
        let plan = Box::new(move |case: &Case<'_>| remedy::hot(case, &all, alone));
        proposals.push(Proposal { shares, fit, evidence, plan });
    }
    proposals
}
