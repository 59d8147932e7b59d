//! Small results of other commands than `run`: tables with a sentence above and lines below, in the forms
//! that `--format` offers.

use std::fmt::Write as _;

use super::markdown::pipe_table;
use super::table::plain;

/// A table and what is said about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sheet {
    /// Its title; empty for none.
    pub title: String,
    /// Lines above the table.
    pub above: Vec<String>,
    /// Heads of the columns; no columns: only lines.
    pub header: Vec<&'static str>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
    /// The rows, as many texts each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Lines below the table.
    pub below: Vec<String>,
}

impl Sheet {
    /// A sheet with these columns, each with whether it holds numbers.
    pub fn new(title: impl Into<String>, columns: &[(&'static str, bool)]) -> Self {
        Sheet {
            title: title.into(),
            header: columns.iter().map(|c| c.0).collect(),
            numeric: columns.iter().map(|c| c.1).collect(),
            ..Sheet::default()
        }
    }
}

/// For the terminal.
pub fn table(sheets: &[Sheet]) -> String {
    let mut out = String::new();
    for (i, sheet) in sheets.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if !sheet.title.is_empty() {
            let _ = writeln!(out, "{}", sheet.title);
        }
        for line in &sheet.above {
            let _ = writeln!(out, "{line}");
        }
        if !sheet.rows.is_empty() {
            let mut table = plain(sheet.header.clone(), &sheet.numeric);
            sheet.rows.iter().for_each(|row| {
                table.add_row(row);
            });
            let _ = writeln!(out, "{}", table.trim_fmt());
        }
        for line in &sheet.below {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

/// For a page or an issue.
pub fn markdown(sheets: &[Sheet]) -> String {
    let mut out = String::new();
    for (i, sheet) in sheets.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        if !sheet.title.is_empty() {
            let _ = writeln!(out, "## {}\n", sheet.title);
        }
        for line in &sheet.above {
            let _ = writeln!(out, "{}\n", line.trim());
        }
        if !sheet.rows.is_empty() {
            out.push_str(&pipe_table(&sheet.header, &sheet.numeric, &sheet.rows));
        }
        if !sheet.below.is_empty() {
            out.push('\n');
        }
        for line in &sheet.below {
            let _ = writeln!(out, "- {}", line.trim());
        }
    }
    out
}

/// A table for other programs: heads in kebab case, fields quoted where they must be.
pub fn csv(header: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(header).expect("writing to memory does not fail");
    for row in rows {
        out.write_record(row).expect("as many fields as heads");
    }
    let bytes = out.into_inner().expect("writing to memory does not fail");
    String::from_utf8(bytes).expect("texts are UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_in_three_forms() {
        let mut sheet = Sheet::new("what", &[("a", false), ("b", true)]);
        sheet.above.push("first".into());
        sheet.rows.push(vec!["x, \"y\"".into(), "1".into()]);
        sheet.below.push("last".into());
        let text = table(std::slice::from_ref(&sheet));
        assert!(text.starts_with("what\nfirst\n") && text.ends_with("last\n"), "{text}");
        let text = markdown(std::slice::from_ref(&sheet));
        assert_eq!(
            text,
            "## what\n\nfirst\n\n| a | b |\n| --- | ---: |\n| x, \"y\" | 1 |\n\n- last\n"
        );
        assert_eq!(csv(&["a", "b"], &sheet.rows), "a,b\n\"x, \"\"y\"\"\",1\n");
    }
}
