//! A hash function that shows the structure of the keys: uneven beyond chance though every key is another.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform};
use crate::error::Error;
use crate::metrics::special::normal_cdf;
use crate::params::Value;

use super::trial::Trial;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "hash",
    summary: "counts that no ideal hash gives: the hash function, or a raw key, shows the keys' structure",
    check,
};

/// Hash functions to try instead, the most usual first.
const OTHERS: [&str; 4] = ["murmur3-32", "xxh3-64", "md5", "siphash-2-4"];

/// The keys under other hash functions, where the strategy takes one.
pub fn others(context: &Context<'_>) -> Result<Vec<Trial>, Error> {
    let mut ladder = Vec::new();
    if context.setup.has("hasher") {
        let now = context.setup.step.params.text_opt("hasher");
        for name in OTHERS.iter().filter(|name| Some(**name) != now) {
            let set = [("hasher", Value::Text((*name).to_string()))];
            let what = format!("hasher {name}");
            ladder.extend(context.try_to(what, Transform::Keep, &set, None)?);
        }
    }
    Ok(ladder)
}

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let base = context.base;
    let placed = base.outcomes[0] == 0 && base.outcomes[2] == 0;
    if context.repeats() || !placed || base.chance >= super::trial::LEVEL {
        return Ok(None);
    }
    let uneven = context.is_uneven();
    let others = others(context)?;
    // What other rules explain better, they tell: idle nodes are `residues`.
    if base.used < base.nodes && uneven {
        return Ok(None);
    }
    // The largest of n normal deviations: what independent keys would show at most, once in a thousand.
    let mut z = 3.0;
    while (1.0 - normal_cdf(z)) * base.nodes as f64 > super::trial::LEVEL {
        z += 0.01;
    }
    let noise = z * libm::sqrt(base.nodes as f64 / base.keys.max(1) as f64);
    Ok(Some(Draft {
        severity: if uneven { Severity::Error } else { Severity::Note },
        what: "the nodes' loads are beyond chance though the keys are all different".into(),
        evidence: vec![
            format!("largest load: {:.4} × the mean", base.max_over_mean),
            format!("independent keys stay below about {:.4}", 1.0 + noise),
            format!(
                "the chance that independent keys leave a node so far off: at most {:.1e}",
                base.chance
            ),
        ],
        ladders: vec![others],
        shows: Shows::Fixes,
        advice: (!uneven).then(|| {
            format!("within the tolerated {} × the mean: nothing has to be done", context.tolerated)
        }),
    }))
}
