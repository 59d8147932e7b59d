//! Reachable residues: nodes that the keys never reach, or hardly.

use super::profile::gcd;
use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent, runs};
use crate::error::Error;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "residues",
    summary: "nodes that no key reaches: steps with a common factor, low bits that restart",
    check,
};

/// How far from the number of nodes another one is looked for.
const REACH: usize = 16;

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let base = context.base;
    let step = context.profile.integers.as_ref().map_or(0, |integers| integers.step);
    let common = gcd(step, base.nodes as u64);
    let distinct = context.profile.distinct.number;
    let expected = base.expected_used(distinct);
    if !base.leaves_idle(distinct) || context.repeats() || !context.is_uneven() {
        return Ok(None);
    }
    let mut evidence = vec![
        format!("nodes reached: {} of {} ({})", base.used, base.nodes, runs(&base.reached)),
        format!("an ideal hash would reach {expected:.1}"),
        format!("largest load: {:.2} × the mean", base.max_over_mean),
    ];
    if step > 1 && common > 1 {
        evidence.push(format!(
            "all keys are a multiple of {step} apart, gcd({step}, {}) = {common}: {} residues can be reached",
            base.nodes,
            base.nodes as u64 / common
        ));
    }
    let mut ladders = Vec::new();
    if step > 1 {
        ladders.push(context.try_to(
            format!("key / {step}"),
            Transform::Divide(step),
            &[],
            None,
        )?);
    }
    // Another modulus: odd, since low bits restart at powers of two, and coprime to the step.
    let mut ladder = Vec::new();
    let coprime = |n: &usize| n % 2 == 1 && gcd(step, *n as u64) <= 1 && *n > 1;
    for distance in 1..=REACH {
        for n in [base.nodes + distance, base.nodes.saturating_sub(distance)] {
            if coprime(&n) {
                let what = format!("{n} nodes instead of {}", base.nodes);
                ladder.extend(context.try_to(what, Transform::Keep, &[], Some(n))?);
            }
        }
    }
    ladders.push(ladder);
    ladders.push(super::hash::others(context)?);
    Ok(Some(Draft {
        severity: Severity::Error,
        what: format!(
            "the keys reach {} of {} nodes: {} idle",
            base.used,
            base.nodes,
            percent(1.0 - base.used as f64 / base.nodes as f64)
        ),
        evidence,
        ladders,
        shows: Shows::Fixes,
        advice: None,
    }))
}
