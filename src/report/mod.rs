//! Reports: a record as bytes, nothing measured anew.
//!
//! A report is a pure function of the [`Record`]. To add one: a file with its `INFO`, and two lines
//! here; `--format`, `list reports` and `run` then know it. Beside the reports stand the parts they
//! share ([`grid`], [`number`], [`prose`]), [`several`] records in one document, the atomic
//! [`publish`], the claims ledger ([`claims`]), and the [`catalog`] of all open
//! sets, from which `list` and the README's tables ([`readme`]) come.

pub mod accept;
pub mod advice;
pub mod answer;
pub mod catalog;
pub mod claims;
pub mod compare;
pub mod diagnosis;
pub mod grid;
pub mod json;
pub mod junit;
pub mod lint;
pub mod listing;
pub mod markdown;
pub mod movement;
pub mod nodes;
pub mod number;
pub mod plan;
pub mod prose;
pub mod publish;
pub mod queries;
pub mod readme;
mod remedies;
pub mod results;
pub mod several;
pub mod sheet;
pub mod sizing;
pub mod table;
pub mod timeline;

use crate::error::Error;
use crate::record::Record;

/// When a run writes a report's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// Every run writes it.
    Always,
    /// Only when pairs are asked for (`--pairs`).
    WithPairs,
    /// Only when the scenario has queries.
    WithQueries,
    /// Never: it is for the terminal.
    Never,
}

/// A report: static facts and a function from record to bytes.
#[derive(Debug)]
pub struct ReportInfo {
    /// Name in `--format`.
    pub name: &'static str,
    /// Extension of its files, without the dot.
    pub extension: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Name of the file in a run's folder.
    pub file: &'static str,
    /// When a run writes it.
    pub written: Written,
    /// Renders it.
    pub write: fn(&Record) -> Vec<u8>,
}

/// All reports, in the order in which lists show them.
pub static ALL: &[&ReportInfo] = &[
    &table::INFO,
    &json::INFO,
    &results::INFO,
    &markdown::INFO,
    &nodes::INFO,
    &movement::INFO,
    &queries::INFO,
    &timeline::INFO,
];

/// The report of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static ReportInfo, Error> {
    ALL.iter()
        .copied()
        .find(|r| r.name == name)
        .ok_or_else(|| Error::unknown("format", name, ALL.iter().map(|r| r.name)))
}

/// The files that a run writes: name and bytes. Charts are not among them.
pub fn files(record: &Record, pairs: bool) -> Vec<(String, Vec<u8>)> {
    ALL.iter()
        .filter(|r| match r.written {
            Written::Always => true,
            Written::WithPairs => pairs,
            Written::WithQueries => queries::has_any(record),
            Written::Never => false,
        })
        .map(|r| (r.file.to_string(), (r.write)(record)))
        .collect()
}

#[cfg(test)]
pub(crate) mod sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_report_renders_a_record_and_its_name_is_found() {
        let record = sample::record();
        for report in ALL {
            assert!(!(report.write)(&record).is_empty(), "{} is empty", report.name);
            assert_eq!(find(report.name).unwrap().name, report.name);
            assert!(report.file.ends_with(report.extension), "{}", report.file);
        }
        assert!(find("tabel").unwrap_err().help[0].contains("`table`"));
    }

    #[test]
    fn pairs_are_written_only_when_asked_for() {
        let record = sample::record();
        let names =
            |pairs| files(&record, pairs).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(false), ["record.json", "results.csv", "nodes.csv"]);
        assert_eq!(names(true), ["record.json", "results.csv", "nodes.csv", "movement.csv"]);
    }
}
