//! A bucket map as CSV: the columns `bucket` and `node`, a row for each bucket, in any order.

use super::node_csv::{Sheet, has_columns};
use super::source::Source;
use super::{Content, MapFormat, State};
use crate::error::Error;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "bucket-csv",
    summary: "a CSV whose first line names its columns, bucket and node among them",
    detect: |source| has_columns(source, &["bucket", "node"]),
    read,
    write,
};

fn read(source: &Source) -> Result<Content, Error> {
    let sheet = Sheet::read(source)?;
    let (bucket_at, name_at) = (sheet.needed(source, "bucket")?, sheet.needed(source, "node")?);
    let mut buckets = super::bucket_json::Buckets::new(source);
    for (at, row) in &sheet.rows {
        buckets.claim(&row[bucket_at], &row[name_at], *at..at + 1)?;
    }
    buckets.content()
}

fn write(_: &Source, state: &State<'_>) -> Result<String, Error> {
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(["bucket", "node"]).expect("writing to memory");
    for (bucket, owner) in state.owners.unwrap_or_default().iter().enumerate() {
        let row = [&bucket.to_string(), &*state.nodes[*owner as usize].name];
        out.write_record(row).expect("writing to memory");
    }
    let bytes = out.into_inner().expect("writing to memory");
    Ok(String::from_utf8(bytes).expect("texts are UTF-8"))
}
