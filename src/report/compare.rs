//! The comparison of two records as table, CSV, JSON and Markdown.

use serde_json::{Value as Json, json};

use super::listing::{Listing, csv};
use super::number::{NONE, fixed, grouped, percent, shortest};
use crate::analysis::compare::{Comparison, Difference};

/// Differences that the listing shows; CSV and JSON have all.
const SHOWN: usize = 40;

/// For reading: facts, the largest differences, what only one of the two has. `names` are those of A and
/// B as the person gave them.
pub fn listing(found: &Comparison, names: [&str; 2]) -> Listing {
    let (differ, beyond) = (found.differences.len(), found.beyond());
    let mut listing = Listing::new(
        format!(
            "{} of {} values in {} cells differ, {} beyond the tolerance",
            grouped(differ as u64),
            grouped(found.compared),
            grouped(found.cells as u64),
            if beyond == 0 { "none".to_string() } else { grouped(beyond as u64) },
        ),
        &[
            ("cell", false),
            ("step", true),
            ("metric", false),
            ("A", true),
            ("B", true),
            ("B − A", true),
            ("%", true),
            ("", false),
        ],
    );
    listing.above.push(format!("A is {}, B is {}", names[0], names[1]));
    for fact in &found.facts {
        listing.above.push(format!("{}: A {}, B {}", fact.what, fact.a, fact.b));
    }
    listing.rows = found.differences.iter().take(SHOWN).map(row).collect();
    if differ > SHOWN {
        let rest = grouped((differ - SHOWN) as u64);
        listing.below.push(format!("{rest} smaller differences; --format csv has all"));
    }
    for (side, (cells, steps)) in ["A", "B"].iter().zip(found.only.iter().zip(&found.only_steps)) {
        for cell in cells {
            listing.below.push(format!("only in {side}: {cell}"));
        }
        for (cell, step) in steps {
            listing.below.push(format!("only in {side}: step {step} of {cell}"));
        }
    }
    listing
}

fn row(difference: &Difference) -> Vec<String> {
    let value = |x: Option<f64>| x.map_or(NONE.to_string(), digits);
    let signed = |x: f64, text: String| if x > 0.0 { format!("+{text}") } else { text };
    vec![
        difference.cell.clone(),
        difference.step.to_string(),
        difference.metric.clone(),
        value(difference.a),
        value(difference.b),
        difference.absolute().map_or(NONE.into(), |x| signed(x, digits(x))),
        difference.relative().map_or(NONE.into(), |x| signed(x, percent(x, 2))),
        if difference.within { "within" } else { "beyond" }.into(),
    ]
}

/// A value with six significant digits, whole numbers whole.
fn digits(x: f64) -> String {
    let size = libm::fabs(x);
    if libm::trunc(x) == x && size < 1e15 {
        let text = grouped(size as u64);
        if x < 0.0 { format!("-{text}") } else { text }
    } else if size >= 1e-4 {
        let before = libm::floor(libm::log10(size)).max(0.0) as usize;
        fixed(x, 6usize.saturating_sub(before + 1).max(1))
    } else {
        format!("{x:.3e}")
    }
}

/// One row a difference, all of them.
pub fn rows(found: &Comparison) -> Vec<u8> {
    let header = ["cell", "step", "metric", "a", "b", "absolute", "relative", "within"];
    let value = |x: Option<f64>| x.map_or(String::new(), shortest);
    let rows: Vec<Vec<String>> = found
        .differences
        .iter()
        .map(|d| {
            let numbers = [d.a, d.b, d.absolute(), d.relative()].map(value);
            let mut row = vec![d.cell.clone(), d.step.to_string(), d.metric.clone()];
            row.extend(numbers);
            row.push(d.within.to_string());
            row
        })
        .collect();
    csv(&header, &rows)
}

/// Everything.
pub fn json(found: &Comparison, names: [&str; 2]) -> Json {
    let differences: Vec<Json> = found
        .differences
        .iter()
        .map(|d| {
            json!({
                "cell": d.cell, "step": d.step, "metric": d.metric, "a": d.a, "b": d.b,
                "absolute": d.absolute(), "relative": d.relative(), "within": d.within,
            })
        })
        .collect();
    let facts: Vec<Json> = found
        .facts
        .iter()
        .map(|f| json!({ "what": f.what, "a": f.a, "b": f.b, "is-result": f.is_result }))
        .collect();
    let steps = |side: usize| -> Vec<Json> {
        let steps = found.only_steps[side].iter();
        steps.map(|(cell, step)| json!({ "cell": cell, "step": step })).collect()
    };
    json!({
        "a": names[0],
        "b": names[1],
        "holds": found.holds(),
        "cells": found.cells,
        "compared": found.compared,
        "beyond": found.beyond(),
        "facts": facts,
        "only-a": { "cells": found.only[0], "steps": steps(0) },
        "only-b": { "cells": found.only[1], "steps": steps(1) },
        "differences": differences,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_six_digits() {
        let shown = [320.0, -1234567.0, 1.234_567_89, 0.083_123_456, 123.456_789, 3.2e-12];
        let shown: Vec<String> = shown.map(digits).into();
        assert_eq!(shown, ["320", "-1,234,567", "1.23457", "0.08312", "123.457", "3.200e-12"]);
    }
}
