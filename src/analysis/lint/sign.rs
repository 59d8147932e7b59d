//! Signs: negative keys or digests whose remainder is negative, and clients that treat the sign otherwise.

use super::trial::Setup;
use super::{Context, Draft, Finding, RuleInfo, Severity, Shows, Transform, percent};
use crate::analysis::rows::each_batch;
use crate::error::Error;
use crate::hash::Input as Reads;
use crate::keys::{ColumnSpec, Digester, KeyBatch, KeySource};
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

/// How many digests have their highest bit set: of a hash function that is read as signed, or of integers
/// that are divided as they are. None where the routing has no choice of sign, or nobody sees one.
///
/// # Errors
/// A fault of a key file.
pub fn negative(
    setup: Setup<'_>,
    source: &dyn KeySource,
    rows: u64,
    columns: &[ColumnSpec],
) -> Result<Option<u64>, Error> {
    let seen = |column: &&ColumnSpec| column.hasher.signed || column.hasher.input == Reads::Integer;
    let Some(column) = columns.first().filter(|_| setup.has("sign")).filter(seen) else {
        return Ok(None);
    };
    let top = column.bits() - 1;
    let (mut negative, mut digester) = (0, Digester::new(std::slice::from_ref(column)));
    let mut keys = KeyBatch::new(source.kind());
    each_batch(source, rows, |batch: &KeyBatch| {
        keys.clear(batch.first_row);
        (0..batch.len()).for_each(|row| keys.push(&batch.key(row)));
        digester.compute(&mut keys);
        let set = keys.digests(column).iter().filter(|digest| **digest >> top & 1 == 1);
        negative += set.count() as u64;
    })?;
    Ok(Some(negative))
}

/// Whether a reading of the sign changes anything for these keys, or a shard does not exist.
pub fn matters(finding: &Finding) -> bool {
    let elsewhere = |fix: &super::Fix| fix.measure.moved.is_none_or(|moved| moved > 0.0);
    finding.severity == Severity::Error || finding.tried.iter().any(elsewhere)
}

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
    let negative = context.negative.unwrap_or(0);
    // Without a negative digest every reading gives the same number.
    if misrouted == 0 && negative == 0 {
        return Ok(None);
    }
    let mut ladders = Vec::new();
    for (sign, words) in READINGS.iter().filter(|(sign, _)| *sign != now) {
        let set = [("sign", Value::Text((*sign).to_string()))];
        let what = format!("sign = {sign}: {words}");
        ladders.push(context.try_to(what, Transform::Keep, &set, None)?);
    }
    let mut evidence = vec![format!("now: sign = {now}")];
    let rows = context.profile.rows;
    let share = |part: u64| percent(part as f64 / rows.max(1) as f64);
    if negative_keys > 0 {
        evidence.push(format!("{negative_keys} keys are negative ({})", share(negative_keys)));
    }
    if hasher.signed {
        evidence.push(format!(
            "{} gives signed digests: {negative} of {rows} are negative ({})",
            hasher.name,
            share(negative)
        ));
    } else if negative > negative_keys {
        evidence.push(format!(
            "{negative} of {rows} keys are from 2^63 on ({}): negative to who reads 64 bits with a sign",
            share(negative)
        ));
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
