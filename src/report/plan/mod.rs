//! A change plan as bytes: text, Markdown, JSON, and one CSV table for each of its parts.
//!
//! [`summary`] says in blocks what a person reads first (with `failures` and `lists`); [`blocks`] renders
//! them for a terminal or for a page. [`parts`] holds everything, row by row.

pub mod blocks;
mod failures;
mod lists;
pub mod parts;
pub mod summary;

use crate::analysis::plan::ChangePlan;

/// Name of the file that holds the whole plan.
pub const JSON_FILE: &str = "plan.json";
/// Name of the file for reading.
pub const MARKDOWN_FILE: &str = "plan.md";

/// The whole plan as JSON.
pub fn json(plan: &ChangePlan) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(plan).expect("a plan has only JSON values");
    bytes.push(b'\n');
    bytes
}

/// The files of a plan: name and bytes. Parts without a row are left out.
pub fn files(plan: &ChangePlan) -> Vec<(String, Vec<u8>)> {
    let read = summary::View { title: true, ..summary::View::default() };
    let mut files = vec![
        (JSON_FILE.to_string(), json(plan)),
        (MARKDOWN_FILE.to_string(), blocks::markdown(&summary::blocks(plan, &read)).into_bytes()),
    ];
    for part in parts::ALL {
        let sheet = (part.rows)(plan);
        if !sheet.rows.is_empty() {
            files.push((part.file.to_string(), sheet.csv()));
        }
    }
    files
}

/// Whether a plan writes a file of that name.
pub fn is_file(name: &str) -> bool {
    name == JSON_FILE || name == MARKDOWN_FILE || parts::ALL.iter().any(|part| part.file == name)
}
