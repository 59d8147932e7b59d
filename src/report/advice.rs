//! Advice as bytes: text, Markdown, JSON and CSV.

use super::number::{NONE, bytes, fixed, percent, shortest};
use super::sheet::{self, Sheet};
use crate::analysis::advise::front::Cost;
use crate::analysis::advise::measures::Measures;
use crate::analysis::advise::{Advice, Candidate, Evidence};

/// Name of the file that holds the whole advice.
pub const JSON_FILE: &str = "advice.json";
/// Name of the file for reading.
pub const MARKDOWN_FILE: &str = "advice.md";
/// Name of the file with a row for each candidate.
pub const CSV_FILE: &str = "advice.csv";

/// Rows of a table on a terminal; pages and files have all.
const SHOWN: usize = 24;

/// The files of an advice: name and bytes.
pub fn files(advice: &Advice) -> Vec<(String, Vec<u8>)> {
    vec![
        (JSON_FILE.to_string(), json(advice)),
        (MARKDOWN_FILE.to_string(), markdown(advice).into_bytes()),
        (CSV_FILE.to_string(), csv(advice).into_bytes()),
    ]
}

/// Whether an advice writes a file of that name.
pub fn is_file(name: &str) -> bool {
    [JSON_FILE, MARKDOWN_FILE, CSV_FILE].contains(&name)
}

/// The whole advice as JSON.
pub fn json(advice: &Advice) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(advice).expect("advice has only JSON values");
    bytes.push(b'\n');
    bytes
}

/// For the terminal.
pub fn text(advice: &Advice) -> String {
    let mut sheets = sheets(advice);
    for sheet in &mut sheets {
        let more = sheet.rows.len().saturating_sub(SHOWN);
        if more > 0 {
            sheet.rows.truncate(SHOWN);
            sheet
                .below
                .insert(0, format!("… and {more} more: --format markdown, csv or json, or --out"));
        }
    }
    sheet::table(&sheets)
}

/// For a page or an issue.
pub fn markdown(advice: &Advice) -> String {
    sheet::markdown(&sheets(advice))
}

fn sheets(advice: &Advice) -> Vec<Sheet> {
    let left: Vec<&Candidate> = advice.candidates.iter().filter(|c| c.rank.is_some()).collect();
    let mut sheets = vec![ranking(advice, &left)];
    if left.len() < advice.candidates.len() {
        sheets.push(ruled_out(advice));
        sheets.push(needs(advice));
    }
    if !advice.not_tried.is_empty() {
        let mut sheet = Sheet::new("Not tried", &[("strategy", false), ("why", false)]);
        let rows = advice.not_tried.iter().map(|n| vec![n.strategy.clone(), n.reason.clone()]);
        sheet.rows.extend(rows);
        sheet.below.push("A [[strategy]] table with what it needs makes one a candidate.".into());
        sheets.push(sheet);
    }
    sheets
}

/// Those left, the best first.
fn ranking(advice: &Advice, left: &[&Candidate]) -> Sheet {
    let asked = left.iter().any(|c| c.measures.is_some_and(|m| m.nodes_asked.is_some()));
    let mut columns = vec![
        ("", true),
        ("candidate", false),
        ("front", false),
        ("beaten\nby", true),
        ("cost\n%", true),
        ("max/mean", true),
        ("max/mean\n95 %", true),
        ("moved\n%", true),
        ("beyond\nleast %", true),
        ("look-up\nsteps", true),
        ("tables", true),
    ];
    if asked {
        columns.push(("nodes asked\nby a range", true));
    }
    let mut sheet = Sheet::new(format!("Advice: {}", advice.title), &columns);
    sheet.above.push(format!("measured on: {}", advice.setting));
    for need in advice.needs.iter().filter(|need| !is_given(&need.need)) {
        sheet.above.push(format!("needed: {}", need.text));
    }
    let (count, all) = (left.len(), advice.candidates.len());
    match left.first().and_then(|best| Some((best, best.measures?))) {
        Some((best, measures)) => {
            let front = left.iter().filter(|candidate| candidate.front).count();
            sheet.above.push(format!(
                "{count} of {all} candidates meet every need; {front} on the front."
            ));
            let name = &best.candidate;
            sheet
                .above
                .push(format!("First stands {name}: {}.", in_words(&measures, advice.changes)));
        }
        None => sheet.above.extend(impossible(advice)),
    }
    for candidate in left {
        let Some(measures) = candidate.measures else { continue };
        let by = candidate.dominated_by.as_ref();
        let beater = left.iter().find(|other| Some(&other.candidate) == by).and_then(|o| o.rank);
        sheet.rows.push(row(candidate, &measures, beater, advice.changes, asked));
    }
    if !left.is_empty() {
        sheet.below.extend(rules(advice));
    }
    sheet
}

/// Whether it is no need that somebody states.
fn is_given(need: &str) -> bool {
    crate::analysis::advise::judge::ALWAYS.contains(&need)
}

/// What a person says of a candidate.
fn in_words(measures: &Measures, changes: bool) -> String {
    let of = if measures.load == "keys" { "load" } else { "share of the requests" };
    let own =
        format!("the fullest node carries {} × its fair {of}", fixed(measures.max_over_mean, 2));
    let skew = match measures.p95.map(|p95| (p95, fixed(p95, 2))) {
        None => own,
        Some((_, shown)) if measures.load != "keys" => {
            format!("{own} (of the keys, 95 of 100 draws stay below {shown} ×)")
        }
        Some((p95, shown)) if p95 + 0.005 < measures.max_over_mean => {
            format!("{own}, unluckily: 95 of 100 draws stay below {shown} ×")
        }
        Some((_, shown)) => format!("{own}, and 95 of 100 draws stay below {shown} ×"),
    };
    let moved = match (changes, measures.excess < 0.0005) {
        (false, _) => String::new(),
        (true, true) => ", only what must move does".into(),
        (true, false) => {
            format!(", {} % of the keys move beyond the least", percent(measures.excess, 1))
        }
    };
    let steps = measures
        .lookup_steps
        .map_or(String::new(), |steps| format!(", a look-up takes {} steps", fixed(steps, 1)));
    format!("{skew}{moved}{steps}, the tables take {}", bytes(measures.table_bytes))
}

/// Nothing is left: what stands in the way.
fn impossible(advice: &Advice) -> Vec<String> {
    let count = advice.candidates.len();
    let mut lines = vec![format!("None of {count} candidates meets every need.")];
    let mut hard: Vec<_> = advice.needs.iter().filter(|need| need.rules_out > 0).collect();
    hard.sort_by_key(|need| std::cmp::Reverse((need.alone, need.rules_out)));
    if let Some(most) = advice.needs.iter().max_by_key(|need| need.rules_out) {
        lines.push(format!("Most are ruled out by {}: {} of {count}.", most.need, most.rules_out));
    }
    match hard.first().filter(|need| need.alone > 0) {
        Some(need) => lines.push(format!(
            "Without {} there would be {} left{}.",
            need.need,
            need.alone,
            need.nearest.map_or(String::new(), |x| {
                format!("; the nearest of them measures {}", figure(&need.need, x))
            })
        )),
        None => lines.push(
            "Every candidate misses at least two needs: no single one can be dropped to leave some.".into(),
        ),
    }
    let others: Vec<&str> = advice.not_tried.iter().map(|n| n.strategy.as_str()).collect();
    if !others.is_empty() {
        lines.push(format!(
            "Not tried, since they need settings: {}. Give a [[strategy]] table and `candidates = \"all\"`.",
            others.join(", ")
        ));
    }
    lines
}

/// A figure as the need is stated.
fn figure(need: &str, x: f64) -> String {
    match need {
        "table-bytes" => format!("{} bytes", fixed(x, 0)),
        "lookup-steps" => format!("{} steps", fixed(x, 1)),
        "range-queries" => format!("{} nodes", fixed(x, 1)),
        "max-over-mean" => format!("{} ×", fixed(x, 3)),
        _ => format!("{} %", percent(x, 2)),
    }
}

fn row(
    candidate: &Candidate,
    measures: &Measures,
    beater: Option<usize>,
    changes: bool,
    asked: bool,
) -> Vec<String> {
    let moved = |share| if changes { percent(share, 1) } else { NONE.into() };
    let maybe = |x: Option<f64>, digits| x.map_or(NONE.into(), |x| fixed(x, digits));
    let mut row = vec![
        candidate.rank.map_or(String::new(), |rank| rank.to_string()),
        candidate.candidate.clone(),
        if candidate.front { "●".into() } else { String::new() },
        beater.map_or(String::new(), |rank| rank.to_string()),
        fixed(cost(measures), 1),
        fixed(measures.max_over_mean, 2),
        maybe(measures.p95, 2),
        moved(measures.moved),
        moved(measures.excess),
        maybe(measures.lookup_steps, 1),
        bytes(measures.table_bytes),
    ];
    if asked {
        row.push(maybe(measures.nodes_asked, 1));
    }
    row
}

/// Spare capacity and excess movement in per cent, as they are compared.
fn cost(measures: &Measures) -> f64 {
    let cost = Cost::of(measures);
    (10.0 * cost.skew as f64 + cost.excess as f64 - 1000.0) / 10.0
}

/// How the order came about.
fn rules(advice: &Advice) -> Vec<String> {
    let mut rules = vec![
        "cost: what the fullest node carries beyond its fair share (the larger of the two columns) plus the \
         keys moved beyond the least, in % of the load. The least cost stands first; then the fewest steps, \
         then the smallest tables."
            .to_string(),
        "front ●: nothing else that is left is at least as good in skew, movement, steps and bytes and \
         better in one of them, each compared as shown; else the best that beats it so."
            .to_string(),
        "max/mean is measured with the scenario's names and keys, of requests where there is traffic; of the \
         keys, 95 % of other names and keys stay below the next column (by the law of shares, or trials). \
         The worst of all steps and paths."
            .to_string(),
    ];
    if !advice.changes {
        rules.push(
            "The scenario states no change, so movement is not compared: give `growth` in [needs], or a \
             [[change]]."
                .into(),
        );
    }
    rules
}

/// Those ruled out and why.
fn ruled_out(advice: &Advice) -> Sheet {
    let columns = [("candidate", false), ("need", false), ("why", false), ("from", false)];
    let mut sheet = Sheet::new("Ruled out", &columns);
    let out: Vec<&Candidate> = advice.candidates.iter().filter(|c| c.rank.is_none()).collect();
    // Settings of one strategy that fail alike stand in one row.
    let alike = |a: &&Candidate, b: &&Candidate| {
        let reasons =
            |c: &Candidate| c.ruled_out.iter().map(|r| r.text.clone()).collect::<Vec<_>>();
        (&a.strategy, &a.preset, reasons(a)) == (&b.strategy, &b.preset, reasons(b))
    };
    for group in out.chunk_by(alike) {
        let more = match group.len() {
            1 => String::new(),
            n => format!(" and {} more of it", n - 1),
        };
        for (i, reason) in group[0].ruled_out.iter().enumerate() {
            sheet.rows.push(vec![
                if i == 0 { group[0].candidate.clone() + &more } else { String::new() },
                reason.need.into(),
                reason.text.clone(),
                evidence(reason.evidence).into(),
            ]);
        }
    }
    sheet
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Declared => "declared",
        Evidence::Measured => "measured",
    }
}

/// What each need rules out.
fn needs(advice: &Advice) -> Sheet {
    let columns = [
        ("need", false),
        ("which is", false),
        ("rules out", true),
        ("by itself\nalone", true),
        ("nearest\nof these", true),
    ];
    let mut sheet = Sheet::new("What each need rules out", &columns);
    sheet.rows.extend(advice.needs.iter().map(|need| {
        vec![
            need.need.clone(),
            need.text.clone(),
            need.rules_out.to_string(),
            need.alone.to_string(),
            need.nearest.map_or(NONE.into(), |x| figure(&need.need, x)),
        ]
    }));
    sheet.below.push(
        "By itself alone: candidates that miss nothing else, and so are left when the need is dropped.".into(),
    );
    sheet
}

/// One row for each candidate, those left first.
pub fn csv(advice: &Advice) -> String {
    let header = [
        "rank",
        "candidate",
        "strategy",
        "preset",
        "front",
        "dominated-by",
        "max-over-mean",
        "p95",
        "moved-share",
        "excess-share",
        "lookup-steps",
        "table-bytes",
        "nodes-asked",
        "differs-share",
        "homeless-share",
        "ruled-out",
    ];
    let rows = advice.candidates.iter().map(|c| {
        let of = |read: fn(&Measures) -> Option<f64>| {
            c.measures.as_ref().and_then(read).map_or(String::new(), shortest)
        };
        let reasons: Vec<String> =
            c.ruled_out.iter().map(|reason| format!("{}: {}", reason.need, reason.text)).collect();
        vec![
            c.rank.map_or(String::new(), |rank| rank.to_string()),
            c.candidate.clone(),
            c.strategy.clone(),
            c.preset.clone().unwrap_or_default(),
            c.front.to_string(),
            c.dominated_by.clone().unwrap_or_default(),
            of(|m| Some(m.max_over_mean)),
            of(|m| m.p95),
            of(|m| Some(m.moved)),
            of(|m| Some(m.excess)),
            of(|m| m.lookup_steps),
            c.measures.map_or(String::new(), |m| m.table_bytes.to_string()),
            of(|m| m.nodes_asked),
            of(|m| m.differs),
            of(|m| Some(m.homeless)),
            reasons.join("; "),
        ]
    });
    sheet::csv(&header, &rows.collect::<Vec<_>>())
}
