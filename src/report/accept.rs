//! The acceptance suite as table, CSV, JSON, Markdown and JUnit XML.

use serde_json::{Value as Json, json};

use super::junit::{self, Case, Verdict};
use super::listing::{Listing, csv};
use super::number::{NONE, fixed, grouped, percent, probability, probability_percent, shortest};
use crate::analysis::accept::{Acceptance, Check, Measured, Outcome};
use crate::metrics::ideal::Chance;

/// For reading. `setup` says what was tried.
pub fn listing(found: &Acceptance, setup: &str) -> Listing {
    let count = |outcome| found.checks.iter().filter(|c| c.outcome == outcome).count();
    let (passed, failed, skipped) =
        (count(Outcome::Pass), count(Outcome::Fail), count(Outcome::Skipped));
    let mut title = format!("{passed} of {} checks pass", found.checks.len());
    if failed > 0 {
        title.push_str(&format!(", {failed} fail"));
    }
    if skipped > 0 {
        title.push_str(&format!(", {skipped} not tried"));
    }
    if !found.is_tried() {
        title.push_str(": that is no pass");
    }
    let mut listing = Listing::new(
        title,
        &[
            ("group", false),
            ("what", false),
            ("keys", true),
            ("measured", true),
            ("allowed", true),
            ("", false),
            ("ideal\npasses %", true),
            ("chi²\n(dof)", true),
            ("p", true),
        ],
    );
    listing.above.push(setup.to_string());
    let mut above = "";
    for check in &found.checks {
        let group = if check.group == above { "" } else { check.group };
        above = check.group;
        listing.rows.push(row(check, group));
        let about = match check.outcome {
            Outcome::Skipped => format!("{}, {}", check.group, check.what),
            _ => check.group.to_string(),
        };
        listing.below.extend(check.details.iter().map(|detail| format!("{about}: {detail}")));
    }
    if found.checks.iter().any(|check| check.ideal.is_some()) {
        let owned = found.checks.iter().any(|check| check.ideal_owned.is_some());
        listing.below.push(match owned {
            true => "ideal passes: the chance that an ideal hash passes, with fair shares (in parentheses: on the shares that the nodes own)",
            false => "ideal passes: the chance that an ideal hash passes",
        }.into());
    }
    if found.checks.iter().any(|check| check.chi_square.is_some() && check.against_owned) {
        listing.below.push("chi²: against owned share × keys".into());
    }
    listing
}

fn row(check: &Check, group: &str) -> Vec<String> {
    let (measured, allowed) = measured(check);
    let ideal = match (check.ideal, check.ideal_owned) {
        (Some(ideal), Some(owned)) => format!("{} ({})", chance(ideal), chance(owned)),
        (Some(ideal), None) => chance(ideal),
        _ => NONE.into(),
    };
    let test = check.chi_square;
    vec![
        group.to_string(),
        check.what.clone(),
        grouped(check.keys),
        measured,
        allowed,
        mark(check.outcome).into(),
        ideal,
        test.map_or(NONE.into(), |t| format!("{} ({})", fixed(t.statistic, 1), grouped(t.dof))),
        test.map_or(NONE.into(), |t| probability(t.p)),
    ]
}

fn mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "ok",
        Outcome::Fail => "FAIL",
        Outcome::Skipped => "not tried",
    }
}

fn chance(chance: Chance) -> String {
    let about = if chance.exact { "" } else { "about " };
    // Nobody waits for one run in a billion.
    if chance.p < 1e-9 {
        return "0.0".into();
    }
    format!("{about}{}", probability_percent(chance.p))
}

/// What was measured and what is allowed, in words.
fn measured(check: &Check) -> (String, String) {
    match check.measured {
        Measured::Deviation { value, most } => {
            (format!("{} % off", percent(value, 3)), format!("{} %", trimmed(most * 100.0)))
        }
        Measured::Faults(faults) => (format!("{} at fault", grouped(faults)), "0".into()),
        Measured::None => (NONE.into(), NONE.into()),
    }
}

/// Up to four decimals, without zeros at the end.
fn trimmed(x: f64) -> String {
    let text = fixed(x, 4);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// One row a check.
pub fn rows(found: &Acceptance) -> Vec<u8> {
    let header = [
        "group",
        "what",
        "keys",
        "measured",
        "threshold",
        "result",
        "ideal-passes",
        "ideal-passes-exact",
        "ideal-passes-owned",
        "chi-square",
        "dof",
        "p",
        "against",
        "details",
    ];
    let number = |x: Option<f64>| x.map_or(String::new(), shortest);
    let rows: Vec<Vec<String>> = found
        .checks
        .iter()
        .map(|check| {
            let (measured, threshold) = numbers(check.measured);
            vec![
                check.group.into(),
                check.what.clone(),
                check.keys.to_string(),
                number(measured),
                number(threshold),
                result(check.outcome).into(),
                number(check.ideal.map(|c| c.p)),
                check.ideal.map_or(String::new(), |c| c.exact.to_string()),
                number(check.ideal_owned.map(|c| c.p)),
                number(check.chi_square.map(|t| t.statistic)),
                check.chi_square.map_or(String::new(), |t| t.dof.to_string()),
                number(check.chi_square.map(|t| t.p)),
                check.chi_square.map_or(String::new(), |_| against(check).into()),
                check.details.join("; "),
            ]
        })
        .collect();
    csv(&header, &rows)
}

fn numbers(measured: Measured) -> (Option<f64>, Option<f64>) {
    match measured {
        Measured::Deviation { value, most } => (Some(value), Some(most)),
        Measured::Faults(faults) => (Some(faults as f64), Some(0.0)),
        Measured::None => (None, None),
    }
}

fn result(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Skipped => "skipped",
    }
}

fn against(check: &Check) -> &'static str {
    if check.against_owned { "owned" } else { "fair" }
}

/// Everything.
pub fn json(found: &Acceptance, setup: &[(String, String)]) -> Json {
    let chance = |c: Option<Chance>| c.map(|c| json!({ "p": c.p, "exact": c.exact }));
    let checks: Vec<Json> = found
        .checks
        .iter()
        .map(|check| {
            let (measured, threshold) = numbers(check.measured);
            let test = check.chi_square.map(|t| {
                json!({ "statistic": t.statistic, "dof": t.dof, "p": t.p, "against": against(check) })
            });
            json!({
                "group": check.group, "what": check.what, "keys": check.keys, "measured": measured,
                "threshold": threshold, "result": result(check.outcome),
                "ideal-passes": chance(check.ideal), "ideal-passes-owned": chance(check.ideal_owned),
                "chi-square": test, "details": check.details,
            })
        })
        .collect();
    let setup: serde_json::Map<String, Json> =
        setup.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    json!({ "passes": found.passes(), "setup": setup, "checks": checks })
}

/// For CI systems: a suite a group, a case a check.
pub fn junit(found: &Acceptance) -> String {
    let mut suites: Vec<junit::Suite> = Vec::new();
    for check in &found.checks {
        let (measured, allowed) = measured(check);
        let why = || {
            let mut why = format!("{measured}, allowed: {allowed}");
            if let Some(test) = check.chi_square {
                why.push_str(&format!("; chi-square p {}", probability(test.p)));
            }
            why
        };
        let verdict = match check.outcome {
            Outcome::Pass => Verdict::Passed,
            Outcome::Fail => Verdict::Failed(why()),
            Outcome::Skipped => Verdict::Skipped(check.details.join("; ")),
        };
        let mut output = vec![why()];
        output.extend(check.ideal.map(|c| format!("an ideal hash passes with {} %", chance(c))));
        output.extend(check.details.iter().cloned());
        let case = Case { name: check.what.clone(), verdict, output };
        match suites.last_mut().filter(|suite| suite.name == check.group) {
            Some(suite) => suite.cases.push(case),
            None => suites.push(junit::Suite { name: check.group.into(), cases: vec![case] }),
        }
    }
    junit::document("shardlab accept", &suites)
}
