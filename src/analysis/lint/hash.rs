//! A hash function that shows the structure of the keys: distinct keys that lie unevenly beyond chance.

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
    let Some(of_keys) = context.of_keys.filter(|_| placed) else { return Ok(None) };
    if of_keys.chance >= super::trial::LEVEL {
        return Ok(None);
    }
    let uneven = of_keys.max_over_mean > context.tolerated;
    let others = others(context)?;
    // What other rules explain better, they tell: idle nodes are `residues`.
    if base.used < base.nodes && context.is_uneven() {
        return Ok(None);
    }
    // The largest of n normal deviations: what independent keys would show at most, once in a thousand.
    let mut z = 3.0;
    while (1.0 - normal_cdf(z)) * base.nodes as f64 > super::trial::LEVEL {
        z += 0.01;
    }
    let noise = z * libm::sqrt(base.nodes as f64 / of_keys.keys.max(1) as f64);
    let repeat = of_keys.keys < base.keys;
    let (what, loads) = if repeat {
        (
            "the distinct keys, each counted once, lie beyond chance on the nodes",
            "most distinct keys",
        )
    } else {
        ("the nodes' loads are beyond chance though the keys are all different", "largest load")
    };
    // Smaller ones are a matter of rounding.
    let chance = match of_keys.chance {
        tiny if tiny < 1e-99 => "below 1e-99".to_string(),
        chance => format!("at most {chance:.1e}"),
    };
    Ok(Some(Draft {
        severity: if uneven { Severity::Error } else { Severity::Note },
        what: what.into(),
        evidence: vec![
            format!("{loads}: {:.4} × the mean", of_keys.max_over_mean),
            format!("independent keys stay below about {:.4}", 1.0 + noise),
            format!("the chance that independent keys leave a node so far off: {chance}"),
        ],
        ladders: vec![others],
        shows: Shows::Fixes,
        advice: (!uneven).then(|| {
            format!("within the tolerated {} × the mean: nothing has to be done", context.tolerated)
        }),
    }))
}
