//! 53 bits: integers that a double cannot hold, as JavaScript and many JSON readers make of ids.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent};
use crate::error::Error;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "53-bits",
    summary: "integers beyond 2^53, which become others as a double (JavaScript, JSON)",
    check,
};

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let profile = context.profile;
    let Some(integers) = profile.integers.as_ref().filter(|i| i.beyond_double > 0) else {
        return Ok(None);
    };
    let share = |part: u64| percent(part as f64 / profile.rows.max(1) as f64);
    let as_double =
        context.try_to("read as a double and written back", Transform::ThroughDouble, &[], None)?;
    let number = |count: crate::analysis::distinct::Count| {
        if count.exact { count.number.to_string() } else { format!("about {}", count.number) }
    };
    Ok(Some(Draft {
        severity: if integers.changed_by_double > 0 { Severity::Warning } else { Severity::Note },
        what: format!("{} of the keys lie beyond 2^53", share(integers.beyond_double)),
        evidence: vec![
            format!(
                "as doubles {} of the keys become another number",
                share(integers.changed_by_double)
            ),
            format!(
                "of {} distinct keys {} are left",
                number(profile.distinct),
                number(integers.distinct_as_double)
            ),
        ],
        ladders: vec![as_double],
        shows: Shows::Consequences,
        advice: Some("send the ids as strings, or keep them below 2^53".into()),
    }))
}
