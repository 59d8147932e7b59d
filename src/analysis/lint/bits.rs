//! Dead bits: low bits of integer keys that never vary or are skewed, which raw remainders read.

use super::{Context, Draft, RuleInfo, Severity, Shows, Transform, percent, runs};
use crate::error::Error;
use crate::keys::KeyKind;

/// The rule.
pub static INFO: RuleInfo = RuleInfo {
    name: "dead-bits",
    summary: "low bits of integer keys that never vary or are skewed",
    check,
};

/// A bit that is set in less or more than this of the rows is skewed.
const SKEWED: [f64; 2] = [0.45, 0.55];

/// Share of the rows of one value from which on that value alone may skew a bit.
const HEAVY: f64 = 0.05;

/// Rows below which a skew may be chance.
const LEAST_ROWS: u64 = 1000;

/// Most bits to drop.
const MOST_SHIFT: u32 = 40;

fn check(context: &Context<'_>) -> Result<Option<Draft>, Error> {
    let profile = context.profile;
    let Some(integers) = &profile.integers else { return Ok(None) };
    let is_integer = matches!(profile.kind, KeyKind::I64 | KeyKind::U64);
    if !is_integer || profile.rows < LEAST_ROWS || context.repeats() {
        return Ok(None);
    }
    let share = |bit: usize| integers.ones[bit] as f64 / profile.rows as f64;
    let varies = |bit: &usize| integers.ones[*bit] > 0 && integers.ones[*bit] < profile.rows;
    // The highest bits of small numbers are all alike, and nobody reads them.
    let Some(top) = (0..64).rev().find(varies) else { return Ok(None) };
    // Above the step's bits a sequence varies in full only where it is long: the lowest 16 count.
    let low: Vec<usize> = (0..top.min(16)).collect();
    let dead: Vec<usize> = low.iter().copied().filter(|bit| !varies(bit)).collect();
    let top_rows = profile.top.as_ref().map_or(0, |top| top.least);
    let heavy = top_rows as f64 >= HEAVY * profile.rows as f64;
    let skewed: Vec<usize> = low
        .iter()
        .copied()
        .filter(|bit| !heavy && varies(bit) && !(SKEWED[0]..=SKEWED[1]).contains(&share(*bit)))
        .collect();
    let uneven = context.is_uneven();
    // Of a sequence the upper bits are skewed as a matter of course: only what harms, or what touches
    // the lowest bits, is told.
    let touches = |bits: &[usize]| bits.first().is_some_and(|bit| *bit < 8);
    if !(touches(&dead) || touches(&skewed)) {
        return Ok(None);
    }
    let mut evidence = Vec::new();
    if !dead.is_empty() {
        evidence.push(format!("bits that never vary: {}", runs(&dead)));
    }
    if !skewed.is_empty() {
        let shares = skewed.iter().take(6).map(|&bit| format!("{bit}: {}", percent(share(bit))));
        let shares: Vec<String> = shares.collect();
        evidence.push(format!("bits that are skewed (share of ones): {}", shares.join(", ")));
    }
    let mut ladder = Vec::new();
    if uneven {
        for bits in 1..=MOST_SHIFT.min(top as u32) {
            let what = format!("key >> {bits}");
            ladder.extend(context.try_to(what, Transform::Shift(bits), &[], None)?);
        }
    }
    Ok(Some(Draft {
        severity: if uneven { Severity::Error } else { Severity::Note },
        what: format!(
            "the low bits of the keys carry little: {} of the lowest {} never vary, {} are skewed",
            dead.len(),
            low.len(),
            skewed.len()
        ),
        evidence,
        ladders: vec![ladder],
        shows: Shows::Fixes,
        advice: (!uneven)
            .then(|| "harmless here; a raw remainder (hasher identity) would read them".into()),
    }))
}
