//! A table of texts with lines around it: what the commands that answer one question print.

use std::fmt::Write as _;

use super::markdown::pipe_table;
use super::table::plain;

/// A table of texts, a heading above it and notes below.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listing {
    /// The heading, one sentence.
    pub title: String,
    /// Lines between heading and table.
    pub above: Vec<String>,
    /// Heads of the columns, each with whether it holds numbers.
    pub header: Vec<(String, bool)>,
    /// The rows, as many texts each as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Lines below the table.
    pub below: Vec<String>,
}

impl Listing {
    /// A listing with these columns: name, and whether it holds numbers.
    pub fn new(title: impl Into<String>, header: &[(&str, bool)]) -> Self {
        let header = header.iter().map(|(name, numeric)| ((*name).to_string(), *numeric));
        Listing { title: title.into(), header: header.collect(), ..Listing::default() }
    }

    /// For the terminal.
    pub fn table(&self) -> String {
        let mut out = String::new();
        for line in std::iter::once(&self.title).chain(&self.above).filter(|l| !l.is_empty()) {
            let _ = writeln!(out, "{line}");
        }
        if !self.rows.is_empty() {
            let numeric: Vec<bool> = self.header.iter().map(|(_, numeric)| *numeric).collect();
            let heads = self.header.iter().map(|(name, _)| name.as_str()).collect();
            let mut table = plain(heads, &numeric);
            for row in &self.rows {
                table.add_row(row);
            }
            let _ = writeln!(out, "{}", table.trim_fmt());
        }
        for line in &self.below {
            let _ = writeln!(out, "{line}");
        }
        out
    }

    /// For a page or an issue.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        if !self.title.is_empty() {
            let _ = writeln!(out, "## {}\n", self.title);
        }
        for line in self.above.iter().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(out, "{}\n", line.trim());
        }
        if !self.rows.is_empty() {
            let heads: Vec<&str> = self.header.iter().map(|(name, _)| name.as_str()).collect();
            let numeric: Vec<bool> = self.header.iter().map(|(_, numeric)| *numeric).collect();
            let _ = writeln!(out, "{}", pipe_table(&heads, &numeric, &self.rows));
        }
        for line in self.below.iter().filter(|line| !line.trim().is_empty()) {
            let _ = writeln!(out, "- {}", line.trim());
        }
        out
    }
}

/// A value as JSON for people and programs.
pub fn json(value: &serde_json::Value) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(value).expect("JSON values are JSON");
    text.push('\n');
    text.into_bytes()
}

/// Rows as CSV with a header.
pub fn csv(header: &[&str], rows: &[Vec<String>]) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(header).expect("writing to memory");
    rows.iter().for_each(|row| out.write_record(row).expect("writing to memory"));
    out.into_inner().expect("writing to memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_reads_from_heading_to_notes() {
        let mut listing = Listing::new("Two", &[("what", false), ("n", true)]);
        listing.above.push("of them".into());
        listing.rows.push(vec!["a|b".into(), "1".into()]);
        listing.below.push("that is all".into());
        let table = listing.table();
        assert!(table.starts_with("Two\nof them\n"), "{table}");
        assert!(table.ends_with("that is all\n") && table.contains("a|b"), "{table}");
        let markdown = listing.markdown();
        assert!(markdown.starts_with("## Two\n\nof them\n\n| what | n |"), "{markdown}");
        assert!(markdown.contains("a\\|b") && markdown.ends_with("- that is all\n"), "{markdown}");
    }

    #[test]
    fn csv_quotes_what_it_must() {
        assert_eq!(csv(&["a", "b"], &[vec!["1,2".into(), "".into()]]), b"a,b\n\"1,2\",\n");
    }
}
