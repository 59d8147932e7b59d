//! The summary as Markdown, with tables as GitHub shows them.

use std::fmt::Write as _;

use super::grid::{Steps, has_prices, summary};
use super::{ReportInfo, Written, prose, queries, table, timeline};
use crate::record::Record;

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "markdown",
    extension: "md",
    summary: "the summary for a page or an issue: a GitHub table of every step",
    file: "summary.md",
    written: Written::Never,
    write,
};

fn write(record: &Record) -> Vec<u8> {
    let mut out = String::new();
    let scenario = &record.scenario;
    let (analysis, _) = prose::fill_or_mark(&scenario.analysis, record);
    let _ = writeln!(out, "# {}\n", scenario.title.trim());
    for paragraph in [scenario.question.as_str(), &analysis] {
        if !paragraph.trim().is_empty() {
            let _ = writeln!(out, "{}\n", paragraph.trim());
        }
    }
    let steps = if has_prices(record) { Steps::Last } else { Steps::All };
    let grid = summary(record, steps);
    if !grid.shared.is_empty() {
        let shared: Vec<String> = grid.shared.iter().map(|(k, v)| format!("{k} {v}")).collect();
        let _ = writeln!(out, "In every row: {}.\n", shared.join(", "));
    }
    if !grid.rows.is_empty() {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        out.push_str(&pipe_table(&header, &grid.numeric, &grid.rows));
    }
    if let Some(grid) = queries::grid(record, Steps::All) {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let _ = writeln!(out, "\n{}\n", queries::TITLE);
        out.push_str(&pipe_table(&header, &grid.numeric, &grid.rows));
    }
    if let Some(grid) = timeline::summary(record) {
        let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
        let _ = writeln!(out, "\n## Migrations\n");
        out.push_str(&pipe_table(&header, &grid.numeric, &grid.rows));
    }
    for (title, lines) in table::sections(record) {
        let _ = writeln!(out, "\n## {}{}\n", title[..1].to_uppercase(), &title[1..]);
        for line in lines {
            let _ = writeln!(out, "- {}", line.trim());
        }
    }
    out.into_bytes()
}

/// A pipe table; line breaks in texts become spaces, pipes are escaped.
pub fn pipe_table(header: &[&str], numeric: &[bool], rows: &[Vec<String>]) -> String {
    let clean = |text: &str| text.replace('\n', " ").replace('|', "\\|");
    let line = |texts: Vec<String>| format!("| {} |\n", texts.join(" | "));
    let mut out = line(header.iter().map(|h| clean(h)).collect());
    let rule = |numeric: &bool| if *numeric { "---:" } else { "---" }.to_string();
    out.push_str(&line(numeric.iter().map(rule).collect()));
    for row in rows {
        out.push_str(&line(row.iter().map(|text| clean(text)).collect()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_row_has_as_many_cells_as_the_header() {
        let text = String::from_utf8(write(&sample::record())).unwrap();
        let table: Vec<&str> = text.lines().filter(|l| l.starts_with('|')).collect();
        assert_eq!(table.len(), 2 + 2, "{text}");
        let pipes = |line: &str| line.matches('|').count();
        assert!(table.iter().all(|line| pipes(line) == pipes(table[0])), "{text}");
        assert!(text.starts_with("# A sample\n\nDoes it render?\n\nThe ring moves 32.0 %.\n"));
        assert!(text.contains("\n## Expectations\n\n- ok    keys.max-over-mean"));
    }

    #[test]
    fn pipes_in_texts_do_not_break_the_table() {
        assert_eq!(
            pipe_table(&["a"], &[true], &[vec!["x|y\nz".into()]]),
            "| a |\n| ---: |\n| x\\|y z |\n"
        );
    }
}
