//! Low cardinality: too few distinct values for the nodes, whatever the hash.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform};
use crate::error::Error;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "cardinality",
    summary: "too few distinct values for the nodes, whatever the hash",
    check,
};

/// Distinct values a node below which a column of repeated values is told of: their number alone makes
/// the loads vary by a tenth.
const FEW: u64 = 100;

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let (profile, base) = (context.profile, context.base);
    let (distinct, nodes) = (profile.distinct.number, base.nodes as u64);
    let few = profile.distinct.exact && distinct < FEW.saturating_mul(nodes);
    if !few || !context.repeats() || base.nodes < 2 {
        return Ok(None);
    }
    let n = nodes as f64;
    let occupied = n * (1.0 - libm::pow(1.0 - 1.0 / n, distinct as f64));
    let best = distinct.div_ceil(nodes) as f64 * n / distinct as f64;
    let uneven = context.is_uneven();
    let with_row = context.try_to(
        "the key together with a unique column, as key:id",
        Transform::WithRow,
        &[],
        None,
    )?;
    Ok(Some(Draft {
        severity: match uneven {
            true => Severity::Error,
            false => Severity::Note,
        },
        what: format!("{distinct} distinct values for {nodes} nodes"),
        evidence: vec![
            format!("nodes with keys: {} of {nodes}; an ideal hash reaches {occupied:.1}", base.used),
            format!("equal values, dealt out by hand, would reach {best:.2} × the mean at best"),
            format!("largest load: {:.2} × the mean", base.max_over_mean),
        ],
        ladders: if uneven { vec![with_row] } else { Vec::new() },
        shows: Shows::Fixes,
        advice: Some(
            "choose another column (--columns ranks those of a table); a key with an id in it no longer \
             keeps equal values together"
                .into(),
        ),
    }))
}
