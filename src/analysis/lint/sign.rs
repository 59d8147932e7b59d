//! Signs: negative keys or digests whose remainder is negative, and clients that treat the sign otherwise.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent};
use crate::error::Error;
use crate::params::Value;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "sign",
    summary: "negative keys or digests: negative shards, and clients that treat the sign otherwise",
    check,
};

/// The readings of a sign, the usual mend first.
const READINGS: [(&str, &str); 5] = [
    ("floor", "floorMod (Python's %)"),
    ("mask", "without the sign bit (& 0x7fffffff)"),
    ("unsigned", "the bits as an unsigned number"),
    ("abs", "Math.abs, then %"),
    ("remainder", "% of C, Java, Go"),
];

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let base = context.base;
    let misrouted = base.outcomes[0];
    let setup = context.setup;
    if !setup.has("sign") {
        return Ok((misrouted > 0).then(|| Draft {
            severity: Severity::Error,
            what: format!("{misrouted} keys are sent to a shard that does not exist"),
            evidence: vec![percent(misrouted as f64 / base.keys.max(1) as f64) + " of the keys"],
            ladders: Vec::new(),
            shows: Shows::Fixes,
            advice: Some("`shardlab route` shows the way of single keys".into()),
        }));
    }
    let params = &setup.step.params;
    let (hasher, now) = (params.hasher(), params.text("sign"));
    let negative_keys = context.profile.integers.as_ref().map_or(0, |i| i.negative);
    let raw = hasher.input == crate::hash::Input::Integer;
    if misrouted == 0 && !(hasher.signed || (raw && negative_keys > 0)) {
        return Ok(None);
    }
    let mut ladders = Vec::new();
    for (sign, words) in READINGS.iter().filter(|(sign, _)| *sign != now) {
        let set = [("sign", Value::Text((*sign).to_string()))];
        let what = format!("sign = {sign}: {words}");
        ladders.push(context.try_to(what, Transform::Keep, &set, None)?);
    }
    let mut evidence = vec![format!("now: sign = {now}")];
    if negative_keys > 0 {
        let share = negative_keys as f64 / context.profile.rows.max(1) as f64;
        evidence.push(format!("{negative_keys} keys are negative ({})", percent(share)));
    }
    if hasher.signed {
        evidence.push(format!("{} gives signed digests: half of them are negative", hasher.name));
    }
    if misrouted > 0 {
        let share = misrouted as f64 / base.keys.max(1) as f64;
        evidence.push(format!("{misrouted} keys get a negative shard ({})", percent(share)));
    }
    let harms = misrouted > 0;
    Ok(Some(Draft {
        severity: if harms { Severity::Error } else { Severity::Warning },
        what: if harms {
            "negative remainders lead to shards that do not exist".into()
        } else {
            "clients in other languages treat the sign otherwise and miss these keys".into()
        },
        evidence,
        ladders,
        shows: if harms { Shows::Fixes } else { Shows::Consequences },
        advice: Some(
            "changing the reading moves keys: choose it before the first row is written".into(),
        ),
    }))
}
