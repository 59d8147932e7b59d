//! Causes of imbalance: each proposes models of the counts, and all are ranked on one scale.
//!
//! To add one: a file with its `INFO`, and two lines here. A cause knows no input; it looks for the shape
//! that it would leave in the counts, and says by which shares and with how much freedom it got there.
//! Causes that leave the same shape get the same score and share a rank: the counts alone cannot tell
//! them apart, and each says what would.

mod chance;
mod double;
mod even;
mod filter;
mod groups;
mod hot;
mod labels;
mod power;
mod units;
mod unreachable;
mod values;
mod weights;

use super::Case;
use super::chance::Chance;
use super::fit::{Fit, Stray};
use super::remedy::Remedy;

/// A cause: static facts and what it proposes.
pub struct CauseInfo {
    /// Kebab-case name.
    pub name: &'static str,
    /// What happened, in a few words.
    pub title: &'static str,
    /// How to tell it from causes that leave the same counts.
    pub check: &'static str,
    /// Its best models of the case; none where it does not apply.
    pub propose: fn(&Case<'_>, &Chance) -> Vec<Proposal>,
}

impl CauseInfo {
    /// Whether it is the strategy's own law at work, and nothing else.
    pub fn is_chance(&self) -> bool {
        [chance::FEW_VNODES.name, chance::ROUNDED.name, chance::FEW_KEYS.name].contains(&self.name)
    }
}

impl std::fmt::Debug for CauseInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All causes. Those that the counts cannot tell apart stand in this order.
pub static ALL: &[&CauseInfo] = &[
    &chance::FEW_VNODES,
    &chance::ROUNDED,
    &chance::FEW_KEYS,
    &labels::OWNED,
    &labels::INFO,
    &weights::INFO,
    &power::INFO,
    &units::INFO,
    &filter::INFO,
    &unreachable::INFO,
    &values::INFO,
    &double::INFO,
    &hot::INFO,
    &groups::INFO,
    &even::INFO,
    &even::FAIR_SHARES,
];

/// What would help, worked out only for causes that fit.
pub type Plan = Box<dyn Fn(&Case<'_>) -> Vec<Remedy>>;

/// A model of the counts that a cause proposes.
pub struct Proposal {
    /// Share of each node, of sum 1.
    pub shares: Vec<f64>,
    /// How well it fits.
    pub fit: Fit,
    /// What speaks for it, in numbers.
    pub evidence: Vec<String>,
    /// What would help, if it is the cause.
    pub plan: Plan,
}

/// A cause with its place in the ranking.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The cause.
    pub cause: &'static CauseInfo,
    /// Share of each node in its best model.
    pub shares: Vec<f64>,
    /// How well that fits.
    pub fit: Fit,
    /// What speaks for it, in numbers.
    pub evidence: Vec<String>,
    /// What would help, if it is the cause; empty where it does not fit.
    pub remedies: Vec<Remedy>,
    /// Rank, 1 for the likeliest; equal scores share one.
    pub rank: usize,
    /// log10 of how many times likelier the counts are than by chance alone.
    pub log10_fit: f64,
    /// Whether it is within a factor of 100 of the likeliest.
    pub fits: bool,
    /// How many times further than chance the counts stray from its shares; None where not known.
    pub left: Option<f64>,
}

/// Scores closer than this are the same: what is left of rounding.
const SAME: f64 = 1e-6;

/// ln of the factor within which a cause still fits.
const NEAR: f64 = 4.605_170_185_988_092;

/// All proposals, one a cause, ranked by score.
pub fn ranked(case: &Case<'_>, chance: &Chance) -> Vec<Finding> {
    let mut found: Vec<(&'static CauseInfo, Proposal)> = Vec::new();
    for cause in ALL {
        let best = (cause.propose)(case, chance)
            .into_iter()
            .filter(|p| p.fit.score.is_finite() && explains(case, p))
            .max_by(|a, b| a.fit.score.total_cmp(&b.fit.score));
        found.extend(best.map(|proposal| (*cause, proposal)));
    }
    // Stable: equal scores stay in the order of ALL.
    let rounded = |score: f64| libm::floor(score / SAME + 0.5);
    found.sort_by(|a, b| rounded(b.1.fit.score).total_cmp(&rounded(a.1.fit.score)));
    let baseline =
        case.fit_strict(&case.expected, 0.0).unwrap_or_else(|| case.fit(&case.expected, 0.0));
    let best = found.first().map_or(0.0, |(_, p)| p.fit.score);
    let mut findings: Vec<Finding> = Vec::new();
    for (i, (cause, proposal)) in found.into_iter().enumerate() {
        let Proposal { shares, fit, evidence, plan } = proposal;
        let tied = findings.last().filter(|f| rounded(f.fit.score) == rounded(fit.score));
        let fits = best - fit.score <= NEAR;
        findings.push(Finding {
            cause,
            rank: tied.map_or(i + 1, |f| f.rank),
            log10_fit: (fit.score - baseline.score) / std::f64::consts::LN_10,
            fits,
            left: match fit.stray {
                // What strays beyond the law is part of the model.
                Stray::Precision(_) => None,
                Stray::Law => case.times_chance(&shares),
            },
            shares,
            fit,
            evidence,
            remedies: if fits { plan(case) } else { Vec::new() },
        });
    }
    findings
}

/// A model with a fitted spread must leave less of it than the law's own shares do.
fn explains(case: &Case<'_>, proposal: &Proposal) -> bool {
    let same = proposal.shares == case.expected || proposal.fit.stray == Stray::Law;
    same || case.effective_keys(&proposal.shares) > case.effective_keys(&case.expected)
}

/// ln of n over k.
fn ln_choose(n: usize, k: usize) -> f64 {
    let g = |x: usize| crate::metrics::special::ln_gamma(x as f64 + 1.0);
    g(n) - g(k) - g(n - k)
}

/// Shares in proportion to these.
fn normalised(parts: Vec<f64>) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|p| p / sum).collect()
}

/// Names of nodes for a sentence: the first few.
fn names(case: &Case<'_>, nodes: &[usize]) -> String {
    const SHOWN: usize = 4;
    let shown: Vec<&str> = nodes.iter().take(SHOWN).map(|&i| case.seen.names[i].as_str()).collect();
    let more = nodes.len().saturating_sub(SHOWN);
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// What a fitted precision says beside the shares of a model.
fn rest(case: &Case<'_>, fit: Fit, shares: &[f64]) -> Option<String> {
    match fit.stray {
        Stray::Law => None,
        Stray::Precision(_) => {
            let groups = super::remedy::amount(case.effective_keys(shares));
            Some(format!("beyond that the counts stray like {groups} independent keys"))
        }
    }
}
