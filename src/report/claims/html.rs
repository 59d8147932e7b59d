//! The ledger as one page of HTML that needs nothing else: no script, no font, no file beside it.

use std::fmt::Write as _;

use super::{COLUMNS, counts, draw, rows};
use crate::analysis::claims::record::{Entry, LedgerRecord, PartRecord, ReadingRecord};
use crate::analysis::claims::words;
use crate::charts::escape;
use crate::report::number::NONE;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --soft: #8882; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1.5rem; max-width: 76rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin: 0; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .87rem; margin: .7rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .6rem; text-align: left; vertical-align: top; }
th { background: var(--soft); } .n { text-align: right; white-space: nowrap; }
section { border-top: 2px solid var(--line); margin-top: 1.6rem; padding-top: .9rem; }
.v { border-radius: .6rem; color: #fff; font-size: .8rem; padding: .1rem .5rem; white-space: nowrap; }
.reproduced { background: #00694d; } .reproduced-under { background: #8a5a00; }
.refuted { background: #a33200; } .not-a-placement-claim { background: #555; }
.soft { opacity: .8; } svg { background: #fff; height: auto; max-width: 100%; }
";

/// The whole page.
pub fn write(ledger: &LedgerRecord) -> Vec<u8> {
    let mut out =
        String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'\">\n",
    );
    let _ =
        write!(out, "<title>The claims ledger</title>\n<style>{STYLE}</style>\n</head>\n<body>\n");
    let _ = writeln!(out, "<h1>The claims ledger</h1>\n<p>{}.</p>", escape(&counts(ledger)));
    let table: Vec<Vec<String>> = ledger.claims.iter().flat_map(rows).collect();
    summary(&mut out, &table);
    let mut drawn: Vec<String> = Vec::new();
    for entry in &ledger.claims {
        section(&mut out, entry, &mut drawn);
    }
    let _ = writeln!(out, "<p class=\"soft\">shardlab {}</p>\n</body>\n</html>", ledger.shardlab);
    out.into_bytes()
}

/// The summary; ids lead to their claims.
fn summary(out: &mut String, rows: &[Vec<String>]) {
    out.push_str("<div class=\"wide\">\n<table>\n<tr>");
    for (i, head) in COLUMNS.into_iter().enumerate() {
        let class = if (2..COLUMNS.len() - 1).contains(&i) { " class=\"n\"" } else { "" };
        let _ = write!(out, "<th{class}>{}</th>", escape(head));
    }
    out.push_str("</tr>\n");
    for row in rows {
        let last = row.len() - 1;
        let claim = row[0].split('.').next().unwrap_or_default();
        let _ = write!(out, "<tr><td><a href=\"#{}\">{}</a></td>", escape(claim), escape(&row[0]));
        let _ = write!(out, "<td>{}</td>", escape(&row[1]));
        for text in &row[2..last] {
            let _ = write!(out, "<td class=\"n\">{}</td>", escape(text));
        }
        let _ = writeln!(out, "<td>{}</td></tr>", badge(&row[last]));
    }
    out.push_str("</table>\n</div>\n");
}

fn badge(verdict: &str) -> String {
    format!("<span class=\"v {0}\">{0}</span>", escape(verdict))
}

fn section(out: &mut String, entry: &Entry, drawn: &mut Vec<String>) {
    let _ = writeln!(
        out,
        "<section id=\"{0}\">\n<h2>{0} {1}</h2>\n<p>{2}</p>",
        escape(&entry.id),
        badge(entry.verdict.name()),
        escape(&entry.claim)
    );
    for (name, text) in [("Parameters: ", &entry.parameters), ("", &entry.note)] {
        if !text.is_empty() {
            let _ = writeln!(out, "<p class=\"soft\">{name}{}</p>", escape(text));
        }
    }
    out.push_str("<ul>\n");
    for part in &entry.parts {
        let verdict = badge(part.verdict.name());
        let (says, why) = (escape(&part.part), escape(&part.why));
        let aside = if part.aside { " beside the verdict" } else { "" };
        let _ =
            writeln!(out, "<li>{says} {verdict}{aside}<br><span class=\"soft\">{why}</span></li>");
    }
    out.push_str("</ul>\n");
    let readings = entry.parts.iter().flat_map(|p| p.readings.iter().map(|r| reading(p, r)));
    let readings: Vec<Vec<String>> = readings.collect();
    let header =
        ["part", "reading", "claimed", "measured", "theory", "p2.5–p97.5", "P", "verdict", "from"];
    table(out, &header.map(String::from), &readings);
    if !entry.beside.is_empty() {
        out.push_str("<ul class=\"soft\">\n");
        for beside in &entry.beside {
            let _ = writeln!(out, "<li>{}: {}</li>", escape(&beside.figure), escape(&beside.shown));
        }
        out.push_str("</ul>\n");
    }
    for grid in &entry.grids {
        let _ = writeln!(out, "<h3>{}</h3>", escape(&grid.title));
        table(out, &grid.header, &grid.rows);
        let _ = writeln!(out, "<p class=\"soft\">{}</p>", escape(&grid.note));
    }
    for (stem, svg) in draw(entry) {
        // A chart that several claims share stands with the first of them.
        if !drawn.contains(&stem) {
            let _ = writeln!(out, "<figure>\n{}\n</figure>", svg.trim());
            drawn.push(stem);
        }
    }
    out.push_str("</section>\n");
}

fn reading(part: &PartRecord, reading: &ReadingRecord) -> Vec<String> {
    let figure = &reading.figure;
    let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.into());
    let spread = figure.spread.as_ref();
    let theory = figure.theory.as_ref();
    vec![
        part.part.clone(),
        reading.reading.clone(),
        or_none(reading.claimed.clone()),
        figure.shown.clone(),
        or_none(theory.map(|t| format!("{} {}: {}", t.kind, t.shown, t.formula))),
        or_none(spread.map(|s| words::range(s.p2_5, s.p97_5, figure.style))),
        or_none(
            reading
                .probability
                .as_ref()
                .map(|p| words::probability(p, spread.map_or("", |s| s.over))),
        ),
        or_none(reading.verdict.map(|v| v.name().to_string())),
        format!("{}; {}", figure.metric, figure.from),
    ]
}

fn table(out: &mut String, header: &[String], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    out.push_str("<div class=\"wide\">\n<table>\n<tr>");
    for head in header {
        let _ = write!(out, "<th>{}</th>", escape(head));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for text in row {
            let _ = write!(out, "<td>{}</td>", escape(text));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n</div>\n");
}
