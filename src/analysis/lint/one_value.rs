//! One value's share: a value so frequent that its node is overloaded, whatever the hash.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent};
use crate::error::Error;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "one-value",
    summary: "a value so frequent that its node is overloaded, whatever the hash",
    check,
};

/// Most parts that a value is split in.
const MOST_PARTS: u64 = 1 << 12;

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let (profile, base) = (context.profile, context.base);
    let Some(top) = &profile.top else { return Ok(None) };
    let share = top.least as f64 / profile.rows.max(1) as f64;
    let floor = share * base.nodes as f64;
    if top.least < 2 || floor <= context.tolerated || base.nodes < 2 {
        return Ok(None);
    }
    let mut ladder = Vec::new();
    let mut parts = 2;
    while parts <= MOST_PARTS {
        let salt = Transform::Salt { value: top.fingerprint, parts };
        ladder.extend(context.try_to(format!("that value in {parts} parts"), salt, &[], None)?);
        parts *= 2;
    }
    let exact = if top.least == top.most { "" } else { "at least " };
    let few = profile.distinct.exact && profile.distinct.number < 10 * base.nodes as u64;
    Ok(Some(Draft {
        severity: Severity::Error,
        what: format!("the value {:?} holds {exact}{} of the rows", top.text, percent(share)),
        evidence: vec![
            format!("its node has at least {floor:.2} × the mean, under every hash"),
            format!("largest load: {:.2} × the mean", base.max_over_mean),
        ],
        // Of a few values each is heavy: splitting one does not help.
        ladders: if few { Vec::new() } else { vec![ladder] },
        shows: Shows::Fixes,
        advice: (!few).then(|| "a read of the split value asks all its parts".into()),
    }))
}
