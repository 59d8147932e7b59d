//! Text against number: the same key hashes differently as text, as bytes of an integer, in JSON quotes.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent};
use crate::error::Error;
use crate::hash::Input;
use crate::keys::KeyKind;
use crate::params::Value;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "text-or-number",
    summary: "the same key hashes differently as text, as the bytes of an integer, or in JSON quotes",
    check,
};

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let profile = context.profile;
    let setup = context.setup;
    let hashes_bytes = setup.has("hasher") && setup.step.params.hasher().input == Input::Bytes;
    if !hashes_bytes {
        return Ok(None);
    }
    let is_whole = setup.step.params.text_opt("view") == Some("whole");
    let mut ladders = Vec::new();
    if profile.uncanonical > 0 {
        let what = "the number's own decimal form (7 for 007)";
        ladders.push(context.try_to(what, Transform::Canonical, &[], None)?);
    }
    if is_whole && profile.integers.is_some() {
        let as_integer = match profile.kind {
            KeyKind::Text => Transform::AsInteger,
            _ => Transform::Keep,
        };
        for (view, words) in [("i64-be", "high"), ("i64-le", "low")] {
            let set = [("view", Value::Text(view.into()))];
            let what = format!("8 bytes, {words} byte first (view {view})");
            ladders.push(context.try_to(what, as_integer.clone(), &set, None)?);
        }
    } else if is_whole && profile.kind == KeyKind::Text {
        for (view, words) in [("json", "in JSON quotes"), ("utf16le", "as UTF-16")] {
            let set = [("view", Value::Text(view.into()))];
            let what = format!("{words} (view {view})");
            ladders.push(context.try_to(what, Transform::Keep, &set, None)?);
        }
    }
    if ladders.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let mut evidence = Vec::new();
    if profile.integers.is_some() && profile.kind == KeyKind::Text {
        evidence.push("every key is an integer written as text".into());
    }
    if profile.uncanonical > 0 {
        evidence.push(format!(
            "{} of the keys are not written as the number would be (zeros in front, spaces, +)",
            percent(profile.uncanonical as f64 / profile.rows.max(1) as f64)
        ));
    }
    let n = context.base.nodes as f64;
    evidence.push(format!("unrelated digests would send {} elsewhere", percent(1.0 - 1.0 / n)));
    let mixed = profile.uncanonical > 0;
    Ok(Some(Draft {
        severity: if mixed { Severity::Warning } else { Severity::Note },
        what: "a client that hashes the same keys in another form looks for them elsewhere".into(),
        evidence,
        ladders,
        shows: Shows::Consequences,
        advice: Some(
            "fix the bytes that are hashed in writing, and freeze them: shardlab accept --freeze"
                .into(),
        ),
    }))
}
