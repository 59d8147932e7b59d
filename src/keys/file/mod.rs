//! Keys from a file: CSV, newline-separated text (both also gzipped) or Parquet.
//!
//! Idea: one reader walks the file in order; rows may carry `requests` and `bytes` of their own.
//! Source: RFC 4180 (CSV), RFC 1952 (gzip), <https://parquet.apache.org/docs/file-format/> (Parquet).
//! Cost: flat memory; see each format's file.
//! Choices: gzip is recognised by its first two bytes, not by the name. Blank lines are no rows. An
//! integer key has its decimal form as its text (`007` is the key 7). The file is opened, its columns
//! are looked up and its first row is read when the source is built, so that most mistakes show before
//! a run begins.

mod csv;
mod input;
#[cfg(feature = "parquet")]
mod parquet;
mod sink;
mod text;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::{
    Access, BATCH_ROWS, KeyBatch, KeyKind, KeySource, OpenRows, PatternBuild, PatternInfo,
    RowReader,
};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};

/// The pattern. A scenario writes `file = "…"` instead of `pattern = "file"`.
pub static INFO: PatternInfo = PatternInfo {
    name: "file",
    summary: "keys from a CSV or text file, or Parquet in builds with `--features parquet`, with requests and bytes if it has them",
    source: "your own data",
    params: &[
        Param::new("file", Type::File, Default::Required, "file to read, relative to the scenario"),
        Param::new(
            "format",
            Type::Choice(&["auto", "csv", "text", "parquet"]),
            Default::Text("auto"),
            "format of the file: auto goes by its extension; CSV and text may be gzipped",
        ),
        Param::new(
            "key",
            Type::Text,
            Default::Text("key"),
            "column of the keys; text files have none",
        ),
        Param::new("requests", Type::Text, Default::Absent, "column of each row's requests"),
        Param::new("bytes", Type::Text, Default::Absent, "column of each row's bytes"),
        Param::new(
            "type",
            Type::Choice(&["text", "integer", "unsigned"]),
            Default::Text("text"),
            "type of the keys: text, or integers of 64 bits with a sign or without one",
        ),
        Param::new(
            "limit",
            Type::Int { min: 1, max: i64::MAX },
            Default::Absent,
            "read only so many rows from the start; all when absent",
        ),
    ],
    build,
};

/// The name of a type of keys in the parameter `type`; None for what no file holds.
pub fn type_name(kind: KeyKind) -> Option<&'static str> {
    match kind {
        KeyKind::Text => Some("text"),
        KeyKind::I64 => Some("integer"),
        KeyKind::U64 => Some("unsigned"),
        KeyKind::Bytes | KeyKind::Uuid => None,
    }
}

/// A data file that a run has read, for its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataFile {
    /// Path as the scenario gives it.
    pub file: String,
    /// SHA-256 of all its bytes, in hex.
    pub sha256: String,
    /// Rows that the scenario reads.
    pub rows: u64,
}

/// Format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Csv,
    Text,
    Parquet,
}

/// What to read, checked.
#[derive(Debug)]
struct Spec {
    /// Path as the scenario gives it, for messages.
    name: String,
    path: PathBuf,
    format: Format,
    key: String,
    requests: Option<String>,
    bytes: Option<String>,
    /// Text, or integers with a sign or without one.
    kind: KeyKind,
    /// Most rows to read.
    limit: u64,
}

#[derive(Debug)]
struct FileSource {
    spec: Spec,
    rows: OnceLock<Result<u64, Error>>,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let source = FileSource { spec: spec(build.params, build.base)?, rows: OnceLock::new() };
    // Finds missing files and columns, empty files and a bad first row now.
    source.open()?.read(1, &mut KeyBatch::new(source.kind()))?;
    Ok(Box::new(source))
}

fn spec(params: &Params, base: &Path) -> Result<Spec, Error> {
    let name = params.text("file").to_string();
    let column = |name| params.text_opt(name).map(String::from);
    let spec = Spec {
        path: base.join(&name),
        format: match params.text("format") {
            "csv" => Format::Csv,
            "text" => Format::Text,
            "parquet" => Format::Parquet,
            _ => format_of(&name)?,
        },
        name,
        key: params.text("key").to_string(),
        requests: column("requests"),
        bytes: column("bytes"),
        kind: match params.text("type") {
            "integer" => KeyKind::I64,
            "unsigned" => KeyKind::U64,
            _ => KeyKind::Text,
        },
        limit: params.get("limit").map_or(u64::MAX, |_| params.int("limit") as u64),
    };
    if spec.format == Format::Text {
        for (field, column) in [("requests", &spec.requests), ("bytes", &spec.bytes)] {
            if let Some(column) = column {
                return Err(Error::invalid(format!(
                    "`{field}` is \"{column}\", but the text file `{}` has no columns",
                    spec.name
                ))
                .help("leave it out, or give a CSV or Parquet file")
                .field(field));
            }
        }
    }
    Ok(spec)
}

/// The names of the columns of a file, in its order; a text file has one, the key.
///
/// # Errors
/// The file cannot be read or is empty; a format that this build does not read.
pub fn columns(params: &Params, base: &Path) -> Result<Vec<String>, Error> {
    let spec = spec(params, base)?;
    match spec.format {
        Format::Csv => csv::columns(&spec),
        Format::Text => Ok(vec!["key".into()]),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::columns(&spec),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => Err(no_parquet(&spec)),
    }
}

/// The error of a build that does not read Parquet.
#[cfg(not(feature = "parquet"))]
fn no_parquet(spec: &Spec) -> Error {
    let name = &spec.name;
    Error::invalid(format!("`{name}` is a Parquet file, which this build does not read"))
        .help("build with --features parquet")
        .field("file")
}

/// The format that a file's extension tells.
fn format_of(name: &str) -> Result<Format, Error> {
    let lower = name.to_ascii_lowercase();
    let bare = lower.strip_suffix(".gz").unwrap_or(&lower);
    match bare.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "csv" => Ok(Format::Csv),
        "txt" => Ok(Format::Text),
        "parquet" if bare == lower => Ok(Format::Parquet),
        _ => Err(Error::invalid(format!("`{name}` has no extension that tells its format"))
            .help("known: .csv, .csv.gz, .txt, .txt.gz, .parquet")
            .help("or give format = \"csv\", \"text\" or \"parquet\"")
            .field("file")),
    }
}

impl KeySource for FileSource {
    fn kind(&self) -> KeyKind {
        self.spec.kind
    }

    fn has_requests(&self) -> bool {
        self.spec.requests.is_some()
    }

    fn has_bytes(&self) -> bool {
        self.spec.bytes.is_some()
    }

    fn rows(&self) -> Result<u64, Error> {
        self.rows.get_or_init(|| self.count_rows()).clone()
    }

    fn data(&self) -> Result<Option<DataFile>, Error> {
        let sha256 = input::sha256(&self.spec)?;
        Ok(Some(DataFile { file: self.spec.name.clone(), sha256, rows: self.rows()? }))
    }

    fn access(&self) -> Access<'_> {
        Access::InOrder(self)
    }
}

impl OpenRows for FileSource {
    fn open(&self) -> Result<Box<dyn RowReader + '_>, Error> {
        match self.spec.format {
            Format::Csv => Ok(Box::new(csv::CsvRows::open(&self.spec)?)),
            Format::Text => Ok(Box::new(text::TextRows::open(&self.spec)?)),
            #[cfg(feature = "parquet")]
            Format::Parquet => Ok(Box::new(parquet::ParquetRows::open(&self.spec)?)),
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => Err(no_parquet(&self.spec)),
        }
    }
}

impl FileSource {
    /// Reads every row, so that whatever is wrong with one shows here.
    fn count_rows(&self) -> Result<u64, Error> {
        let mut reader = self.open()?;
        let mut batch = KeyBatch::new(self.kind());
        let mut rows = 0;
        loop {
            batch.clear(rows);
            reader.read(BATCH_ROWS, &mut batch)?;
            if batch.is_empty() {
                return Ok(rows);
            }
            rows += batch.len() as u64;
        }
    }
}

#[cfg(test)]
mod tests;
