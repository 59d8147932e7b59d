//! A closed form's answer: value, formula, check, source.

use serde_json::{Map, Value as Json, json};

use super::number::{fixed, grouped, percent, probability, probability_percent, shortest};
use super::sheet::{self, Sheet};
use crate::analysis::explain::forms::{Answer, Chance, Claim, FormInfo, Quantity, Verdict};
use crate::metrics::Unit;
use crate::params::Params;

/// For the terminal.
pub fn table(form: &FormInfo, answer: &Answer) -> String {
    sheet::table(&[answer_sheet(form, answer)])
}

/// For a page or an issue.
pub fn markdown(form: &FormInfo, answer: &Answer) -> String {
    sheet::markdown(&[answer_sheet(form, answer)])
}

/// The quantities, for other programs.
pub fn csv(answer: &Answer) -> String {
    let header = ["quantity", "value", "unit", "how", "simulated", "within", "simulated-by"];
    let rows: Vec<Vec<String>> = answer
        .quantities
        .iter()
        .map(|q| {
            let [value, within, of] = match &q.check {
                Some(check) => [shortest(check.value), shortest(check.within), check.of.clone()],
                None => [String::new(), String::new(), String::new()],
            };
            let unit = q.unit.word().to_string();
            vec![q.what.clone(), shortest(q.value), unit, q.how.clone(), value, within, of]
        })
        .collect();
    sheet::csv(&header, &rows)
}

/// Everything, for other programs.
pub fn json(form: &FormInfo, params: &Params, answer: &Answer) -> Json {
    let quantities: Vec<Json> = answer
        .quantities
        .iter()
        .map(|q| {
            let check = q.check.as_ref().map(|check| {
                json!({
                    "value": check.value, "within": check.within, "of": check.of,
                    "agrees": libm::fabs(check.value - q.value) <= check.within,
                })
            });
            json!({ "quantity": q.what, "value": q.value, "unit": q.unit.word(), "how": q.how, "simulated": check })
        })
        .collect();
    let given: Map<String, Json> =
        params.iter().map(|(k, v)| (k.to_string(), v.to_json())).collect();
    let claim = answer.claim.as_ref().map(|claim| {
        json!({
            "text": claim.text, "value": claim.value, "within": claim.half,
            "verdict": claim.verdict.name(), "right": claim.verdict == Verdict::Right,
            "value-of": claim.lines, "would-be": claim.would_be,
        })
    });
    json!({
        "form": form.name, "given": given, "quantities": quantities, "formula": form.formula,
        "source": form.source, "notes": answer.notes, "claim": claim,
    })
}

fn answer_sheet(form: &FormInfo, answer: &Answer) -> Sheet {
    let columns =
        [("", false), ("value", true), ("how", false), ("simulated", true), ("on", false)];
    let mut sheet = Sheet::new("", &columns);
    for q in &answer.quantities {
        let [simulated, of] = match &q.check {
            Some(check) => {
                let agrees = libm::fabs(check.value - q.value) <= check.within;
                let mark = if agrees { "" } else { " (differs)" };
                [format!("{}{mark}", shown(check.value, q.unit)), check.of.clone()]
            }
            None => [String::new(), String::new()],
        };
        sheet.rows.push(vec![q.what.clone(), shown(q.value, q.unit), q.how.clone(), simulated, of]);
    }
    if let Some(claim) = &answer.claim {
        sheet.below.push(judged(claim, &answer.quantities[0]));
    }
    sheet.below.extend(answer.notes.iter().cloned());
    sheet.below.push(format!("Formula: {}", form.formula));
    sheet.below.push(format!("Source:  {}", form.source));
    sheet
}

/// The judgement of a claim about the first quantity.
fn judged(claim: &Claim, first: &Quantity) -> String {
    let Claim { text, read_as, lines, .. } = claim;
    let read = read_as.as_ref().map_or(text.clone(), |read| format!("{text} (= {read})"));
    let is = format!("{} = {}", first.what, precise(claim, first));
    let lines = lines.join(", and ");
    let mut said = match (claim.verdict, &first.chance) {
        (Verdict::Right, _) => format!("{read} is right: {is}."),
        (Verdict::Possible, Some(chance)) => {
            let Chance { sd, of, .. } = chance;
            let off = fixed(libm::fabs(claim.value - first.value) / sd, 1);
            let sd = shown(*sd, first.unit);
            format!(
                "{read} is not the expectation ({is}), but within what {of} shows: {off} sd of {sd} off."
            )
        }
        (Verdict::OtherLine, _) => return format!("{text} is not {is}; it is {lines}."),
        _ => format!("{read} is wrong: {is}."),
    };
    if !lines.is_empty() {
        said += &format!(" {text} is the value of: {lines}.");
    }
    if claim.right_in_percent {
        said += &format!(" {text}% would be right.");
    }
    if let Some(would) = &claim.would_be {
        said += &format!(" {text} would be {would}.");
    }
    said
}

/// The value, with all its digits where those that are shown would make a wrong claim look right.
fn precise(claim: &Claim, first: &Quantity) -> String {
    let digits = match first.unit {
        Unit::Share | Unit::Number => 1e4,
        Unit::Ratio => 1e3,
        Unit::Count | Unit::Bytes => 1e2,
    };
    let text = shown(first.value, first.unit);
    let rounded = libm::floor(first.value * digits + 0.5) / digits;
    let looks_right = libm::fabs(rounded - claim.value) <= claim.half + 1e-9;
    if claim.verdict == Verdict::Right || !looks_right {
        return text;
    }
    format!("{text}, exactly {}", shortest(first.value))
}

/// A value in its unit.
pub fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Share if value > 0.0 && value < 0.001 => format!("{} %", probability_percent(value)),
        Unit::Share => format!("{} %", percent(value, 2)),
        Unit::Ratio => fixed(value, 3),
        // A double has no more digits.
        Unit::Count | Unit::Bytes if value >= 1e16 => format!("{value:.5e}"),
        Unit::Count | Unit::Bytes if value == libm::floor(value) && value >= 0.0 => {
            grouped(value as u64)
        }
        Unit::Count | Unit::Bytes if value >= 100.0 => grouped(libm::floor(value + 0.5) as u64),
        Unit::Count | Unit::Bytes => fixed(value, 2),
        Unit::Number if (0.0..=1.0).contains(&value) && value < 0.005 => probability(value),
        Unit::Number => fixed(value, 4),
    }
}
