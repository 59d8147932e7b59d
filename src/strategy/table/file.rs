//! Reads the CSV files of strategy `table`.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::cluster::Cluster;
use crate::error::{Error, ErrorKind};
use crate::strategy::quota::MAX_BUCKETS;
use crate::text_file;

/// Largest file that is read: 64 bytes for each of the most rows.
const MAX_BYTES: u64 = 64 * MAX_BUCKETS as u64;

/// A row of a range file as it stands there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RangeRow {
    /// Row number, counted from 1 without the header.
    pub number: u64,
    /// First key of the range; empty: no bound.
    pub from: String,
    /// First key after the range; empty: no bound.
    pub to: String,
    /// Index into the names.
    pub name: u32,
}

/// Names in the order of their first row, and what the rows hold.
pub(super) type Named<T> = (Vec<Arc<str>>, Vec<T>);

/// Index into the names of each bucket. Buckets must be 0 … rows − 1, each once.
pub(super) fn buckets(path: &Path, shown: &str, cluster: &Cluster) -> Result<Named<u32>, Error> {
    let mut rows: Vec<(u64, u64, u32)> = Vec::new();
    let names = read(path, shown, cluster, ["bucket"], |number, [bucket], name| {
        let bucket: u64 = bucket.parse().map_err(|_| {
            Error::data(format!("`{shown}`, row {number}: `bucket` is \"{bucket}\""))
                .help("allowed: a whole number from 0")
        })?;
        rows.push((bucket, number, name));
        Ok(())
    })?;
    rows.sort_unstable();
    for (want, pair) in (0u64..).zip(rows.windows(2)) {
        if pair[0].0 == pair[1].0 {
            let [(bucket, first, _), (_, second, _)] = pair else { unreachable!("a pair") };
            return Err(Error::data(format!(
                "`{shown}`, rows {first} and {second}: bucket {bucket} stands twice"
            ))
            .help("each bucket has one node"));
        }
        if pair[0].0 != want {
            break;
        }
    }
    if let Some((want, _)) = (0u64..).zip(&rows).find(|(want, row)| row.0 != *want) {
        return Err(Error::data(format!("`{shown}`: bucket {want} is missing")).help(format!(
            "{} rows must hold the buckets 0 to {}",
            rows.len(),
            rows.len() - 1
        )));
    }
    Ok((names, rows.into_iter().map(|row| row.2).collect()))
}

/// The rows of a range file in their order.
pub(super) fn ranges(
    path: &Path,
    shown: &str,
    cluster: &Cluster,
) -> Result<Named<RangeRow>, Error> {
    let mut rows = Vec::new();
    let names = read(path, shown, cluster, ["from", "to"], |number, [from, to], name| {
        rows.push(RangeRow { number, from: from.to_string(), to: to.to_string(), name });
        Ok(())
    })?;
    Ok((names, rows))
}

/// Walks the rows: calls `row` with the row's number, the fields of `columns` and the index of its
/// node's name; returns the names.
fn read<const N: usize>(
    path: &Path,
    shown: &str,
    cluster: &Cluster,
    columns: [&str; N],
    mut row: impl FnMut(u64, [&str; N], u32) -> Result<(), Error>,
) -> Result<Vec<Arc<str>>, Error> {
    let text = text_file::read(path, shown, MAX_BYTES).map_err(|error| match error.kind {
        ErrorKind::Io => error.help(format!("looked for {}", path.display())),
        _ => error,
    })?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
    let header = reader.headers().map_err(|error| ragged(shown, 0, &error))?.clone();
    let column = |name: &str| {
        header.iter().position(|h| h == name).ok_or_else(|| {
            let have: Vec<&str> = header.iter().collect();
            Error::data(format!("`{shown}` has no column `{name}`"))
                .help(format!("its columns: {}", have.join(", ")))
                .help(format!("it needs a header with: {}, node", columns.join(", ")))
        })
    };
    let mut at = [0; N];
    for (at, name) in at.iter_mut().zip(columns) {
        *at = column(name)?;
    }
    let node_at = column("node")?;

    let known: BTreeMap<&str, Arc<str>> =
        cluster.nodes.iter().map(|n| (&*n.name, n.name.clone())).collect();
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut indices: BTreeMap<Arc<str>, u32> = BTreeMap::new();
    let mut record = csv::StringRecord::new();
    let mut number = 0u64;
    while reader.read_record(&mut record).map_err(|e| ragged(shown, number + 1, &e))? {
        number += 1;
        if number > MAX_BUCKETS as u64 {
            return Err(Error::data(format!("`{shown}` has more than {MAX_BUCKETS} rows"))
                .help("give fewer buckets or ranges"));
        }
        let Some(name) = known.get(&record[node_at]) else {
            let what = format!("node in `{shown}`, row {number}:");
            let names = cluster.nodes.iter().map(|n| &*n.name);
            return Err(unknown_node(&what, &record[node_at], names));
        };
        let index = *indices.entry(name.clone()).or_insert_with(|| {
            names.push(name.clone());
            names.len() as u32 - 1
        });
        row(number, at.map(|at| &record[at]), index)?;
    }
    if number == 0 {
        return Err(Error::data(format!("`{shown}` has no rows"))
            .help(format!("give at least one row of {}, node", columns.join(", "))));
    }
    Ok(names)
}

/// An unknown name as a fault of the data, with at most 20 of the known names.
fn unknown_node<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Error {
    let known: Vec<&str> = known.collect();
    let mut error = Error::unknown(what, name, known.iter().copied());
    error.kind = crate::error::ErrorKind::Data;
    if known.len() > 20 {
        error.help.pop();
        error = error.help(format!("known: {}, … ({} nodes)", known[..20].join(", "), known.len()));
    }
    error.help("the nodes of step 0 are known; a node that joins later owns nothing here")
}

/// The error when a record cannot be read: a row that has not as many fields as the header.
fn ragged(shown: &str, number: u64, error: &csv::Error) -> Error {
    let csv::ErrorKind::UnequalLengths { pos, expected_len, len } = error.kind() else {
        return Error::data(format!("`{shown}`, row {number}: {error}"));
    };
    let line = pos.as_ref().map_or(0, |pos| pos.line());
    Error::data(format!(
        "`{shown}`, row {number} (line {line}): the row has {len} fields, the header has {expected_len}"
    ))
    .help("write a field that holds a comma, a quote or a line break in double quotes")
    .help("a quote that is left open swallows the fields and rows after it")
}
