//! Findings about keys, and the ranking of columns, as text, CSV, JSON and Markdown.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::listing::{Listing, csv};
use super::markdown::pipe_table;
use super::number::{NONE, fixed, grouped, percent, shortest};
use super::table::plain;
use crate::analysis::accept::frozen::kind_name;
use crate::analysis::distinct::Count;
use crate::analysis::lint::trial::Measure;
use crate::analysis::lint::{Finding, Fix, Lint, Severity, Shows};
use crate::analysis::shard_key::Ranked;

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// A number of distinct values; an estimate says so.
fn distinct(count: Count) -> String {
    if count.exact {
        grouped(count.number)
    } else {
        format!("about {} (± {} %)", grouped(count.number), percent(count.relative_error, 2))
    }
}

/// The keys and how they lie, in two lines. `keys` and `routing` are what they are called.
fn heading(found: &Lint, keys: &str, routing: &str) -> [String; 2] {
    let Lint { profile, base, .. } = found;
    let kind = kind_name(profile.kind);
    [
        format!(
            "{keys}: {} keys ({kind}), {} distinct",
            grouped(profile.rows),
            distinct(profile.distinct)
        ),
        format!(
            "{routing}: {} of {} nodes have keys, the largest {} × the mean{}{}",
            grouped(base.used as u64),
            grouped(base.nodes as u64),
            fixed(base.max_over_mean, 3),
            outcomes(base),
            if found.is_fine { ": fine" } else { ": not fine" },
        ),
    ]
}

fn outcomes(measure: &Measure) -> String {
    let names = ["misrouted", "refused", "absent"];
    let told = names.iter().zip(&measure.outcomes).filter(|(_, keys)| **keys > 0);
    told.map(|(name, keys)| format!(", {} {name}", grouped(*keys))).collect()
}

const HEADER: [(&str, bool); 5] =
    [("", false), ("nodes used", true), ("max/mean", true), ("elsewhere %", true), ("", false)];

fn tried(finding: &Finding) -> Vec<Vec<String>> {
    let smallest = finding.smallest().map(|fix| &fix.measure.what);
    let row = |fix: &Fix| {
        let Measure { what, used, nodes, max_over_mean, moved, .. } = &fix.measure;
        let verdict = match finding.shows {
            Shows::Consequences => "",
            Shows::Fixes if Some(what) == smallest => "mends it: the smallest that does",
            Shows::Fixes if fix.mends => "mends it",
            Shows::Fixes => "does not mend it",
        };
        vec![
            format!("{what}{}", outcomes(&fix.measure)),
            format!("{} of {}", grouped(*used as u64), grouped(*nodes as u64)),
            fixed(*max_over_mean, 3),
            moved.map_or(NONE.into(), |moved| percent(moved, 2)),
            verdict.into(),
        ]
    };
    finding.tried.iter().map(row).collect()
}

fn title(finding: &Finding) -> &'static str {
    match finding.shows {
        Shows::Fixes => "tried",
        Shows::Consequences => "what happens",
    }
}

/// For reading.
pub fn text(found: &Lint, keys: &str, routing: &str) -> String {
    let mut out = heading(found, keys, routing).join("\n") + "\n";
    for finding in &found.findings {
        let _ = writeln!(out, "\n{} {}: {}", word(finding.severity), finding.rule, finding.what);
        finding.evidence.iter().for_each(|line| {
            let _ = writeln!(out, "    {line}");
        });
        if !finding.tried.is_empty() {
            let mut header: Vec<&str> = HEADER.iter().map(|(name, _)| *name).collect();
            header[0] = title(finding);
            let mut table = plain(header, &HEADER.map(|(_, numeric)| numeric));
            tried(finding).iter().for_each(|row| {
                table.add_row(row);
            });
            table.trim_fmt().lines().for_each(|line| {
                let _ = writeln!(out, "    {line}");
            });
        }
        if let Some(advice) = &finding.advice {
            let _ = writeln!(out, "    → {advice}");
        }
    }
    let _ = writeln!(out, "\n{}", summary(found));
    out
}

fn summary(found: &Lint) -> String {
    let count = |severity| found.findings.iter().filter(|f| f.severity == severity).count();
    let several = |n: usize, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
    [
        several(count(Severity::Error), "error"),
        several(count(Severity::Warning), "warning"),
        several(count(Severity::Note), "note"),
    ]
    .join(", ")
}

/// For a page or an issue.
pub fn markdown(found: &Lint, keys: &str, routing: &str) -> String {
    let mut out = format!("## {}\n\n", summary(found));
    heading(found, keys, routing).iter().for_each(|line| {
        let _ = writeln!(out, "{line}\n");
    });
    for finding in &found.findings {
        let _ =
            writeln!(out, "### {} {}: {}\n", word(finding.severity), finding.rule, finding.what);
        finding.evidence.iter().chain(&finding.advice).for_each(|line| {
            let _ = writeln!(out, "- {line}");
        });
        if !finding.tried.is_empty() {
            let mut header: Vec<&str> = HEADER.iter().map(|(name, _)| *name).collect();
            header[0] = title(finding);
            let numeric = HEADER.map(|(_, numeric)| numeric);
            let _ = writeln!(out, "\n{}", pipe_table(&header, &numeric, &tried(finding)));
        } else {
            out.push('\n');
        }
    }
    out
}

/// One row a change that was tried; a finding without any has one of its own.
pub fn rows(found: &Lint) -> Vec<u8> {
    let header = [
        "rule",
        "severity",
        "what",
        "evidence",
        "tried",
        "shows",
        "nodes",
        "used",
        "max-over-mean",
        "elsewhere",
        "misrouted",
        "mends",
        "smallest",
        "advice",
    ];
    let mut rows = Vec::new();
    for finding in &found.findings {
        let smallest = finding.smallest().map(|fix| &fix.measure.what);
        let start = [
            finding.rule.to_string(),
            word(finding.severity).to_string(),
            finding.what.clone(),
            finding.evidence.join("; "),
        ];
        let advice = finding.advice.clone().unwrap_or_default();
        if finding.tried.is_empty() {
            let mut row = start.to_vec();
            row.resize(header.len() - 1, String::new());
            row.push(advice);
            rows.push(row);
            continue;
        }
        for fix in &finding.tried {
            let measure = &fix.measure;
            let mut row = start.to_vec();
            row.extend([
                measure.what.clone(),
                title(finding).to_string(),
                measure.nodes.to_string(),
                measure.used.to_string(),
                shortest(measure.max_over_mean),
                measure.moved.map_or(String::new(), shortest),
                measure.outcomes[0].to_string(),
                fix.mends.to_string(),
                (Some(&measure.what) == smallest).to_string(),
                advice.clone(),
            ]);
            rows.push(row);
        }
    }
    csv(&header, &rows)
}

fn measure(measure: &Measure) -> Json {
    json!({
        "what": measure.what, "keys": measure.keys, "nodes": measure.nodes, "used": measure.used,
        "max-over-mean": measure.max_over_mean, "elsewhere": measure.moved, "chance": measure.chance,
        "misrouted": measure.outcomes[0], "refused": measure.outcomes[1], "absent": measure.outcomes[2],
    })
}

fn count(count: Count) -> Json {
    json!({ "number": count.number, "exact": count.exact, "relative-error": count.relative_error })
}

/// Everything.
pub fn json(found: &Lint, keys: &str, routing: &str) -> Json {
    let findings: Vec<Json> = found
        .findings
        .iter()
        .map(|finding| {
            let tried: Vec<Json> = finding
                .tried
                .iter()
                .map(|fix| {
                    let mut json = measure(&fix.measure);
                    json["mends"] = fix.mends.into();
                    json
                })
                .collect();
            json!({
                "rule": finding.rule, "severity": word(finding.severity), "what": finding.what,
                "evidence": finding.evidence, "shows": title(finding), "tried": tried,
                "smallest": finding.smallest().map(|fix| &fix.measure.what),
                "advice": finding.advice,
            })
        })
        .collect();
    json!({
        "keys": keys, "routing": routing, "rows": found.profile.rows,
        "distinct": count(found.profile.distinct), "base": measure(&found.base),
        "is-fine": found.is_fine, "passes": found.passes(), "findings": findings,
    })
}

/// The ranking, for reading.
pub fn ranking(ranked: &[Ranked], table: &str, routing: &str, tolerated: f64) -> Listing {
    let has_mix = ranked.iter().any(|r| r.one_shard.is_some());
    let mut header = vec![
        ("rank", true),
        ("column", false),
        ("distinct", true),
        ("largest\nvalue %", true),
        ("empty %", true),
        ("predicted max/mean:\nmedian (p95)", true),
        ("measured\nmax/mean", true),
        ("nodes\nused", true),
    ];
    if has_mix {
        header.push(("queries on\none shard %", true));
    }
    header.push(("", false));
    let mut listing = Listing::new(format!("{table}: its columns as shard keys"), &header);
    listing.above.push(routing.to_string());
    for (rank, column) in ranked.iter().enumerate() {
        let of_rows = |n: u64| percent(n as f64 / column.rows.max(1) as f64, 2);
        let top = column.top.as_ref().map_or(NONE.into(), |top| {
            let about = if top.least == top.most { "" } else { "≥ " };
            format!("{about}{}", of_rows(top.least))
        });
        let [median, high] = column.predicted.map(|x| fixed(x, 3));
        let mut row = vec![
            (rank + 1).to_string(),
            column.name.clone(),
            distinct(column.distinct),
            top,
            of_rows(column.empty),
            format!("{median} ({high})"),
            fixed(column.measured.max_over_mean, 3),
            format!("{} of {}", column.measured.used, column.measured.nodes),
        ];
        if has_mix {
            row.push(column.one_shard.map_or(NONE.into(), |share| percent(share, 1)));
        }
        row.push(if column.is_even { "" } else { "too uneven" }.into());
        listing.rows.push(row);
    }
    listing.below.push(format!(
        "rank: first those with a predicted max/mean up to {tolerated}; then{} the least predicted max/mean; \
         then the most distinct values",
        if has_mix { " the most queries on one shard; then" } else { "" }
    ));
    listing.below.push(
        "predicted: over random hash functions; whether a value ever changes no count can tell"
            .into(),
    );
    listing
}

/// The ranking as CSV.
pub fn ranking_rows(ranked: &[Ranked]) -> Vec<u8> {
    let header = [
        "rank",
        "column",
        "rows",
        "distinct",
        "distinct-exact",
        "largest-value",
        "largest-value-share",
        "empty",
        "predicted-p50",
        "predicted-p95",
        "max-over-mean",
        "nodes-used",
        "nodes",
        "queries-on-one-shard",
        "is-even",
    ];
    let rows: Vec<Vec<String>> = ranked
        .iter()
        .enumerate()
        .map(|(rank, c)| {
            let share = |n: u64| shortest(n as f64 / c.rows.max(1) as f64);
            vec![
                (rank + 1).to_string(),
                c.name.clone(),
                c.rows.to_string(),
                c.distinct.number.to_string(),
                c.distinct.exact.to_string(),
                c.top.as_ref().map_or(String::new(), |top| top.text.clone()),
                c.top.as_ref().map_or(String::new(), |top| share(top.least)),
                c.empty.to_string(),
                shortest(c.predicted[0]),
                shortest(c.predicted[1]),
                shortest(c.measured.max_over_mean),
                c.measured.used.to_string(),
                c.measured.nodes.to_string(),
                c.one_shard.map_or(String::new(), shortest),
                c.is_even.to_string(),
            ]
        })
        .collect();
    csv(&header, &rows)
}

/// The ranking as JSON.
pub fn ranking_json(ranked: &[Ranked], table: &str, routing: &str) -> Json {
    let columns: Vec<Json> = ranked
        .iter()
        .map(|c| {
            let top = c.top.as_ref().map(
                |top| json!({ "value": top.text, "rows-least": top.least, "rows-most": top.most }),
            );
            json!({
                "column": c.name, "rows": c.rows, "distinct": count(c.distinct), "top": top,
                "empty": c.empty, "predicted": { "p50": c.predicted[0], "p95": c.predicted[1] },
                "measured": measure(&c.measured), "queries-on-one-shard": c.one_shard,
                "is-even": c.is_even,
            })
        })
        .collect();
    json!({ "table": table, "routing": routing, "columns": columns })
}
