//! Nodes and their weights as CSV: a header with `node`, and `weight`, `zone` or `rack` where there are
//! any.

use super::source::Source;
use super::{Content, MapFormat, State, node_at};
use crate::cluster::is_weight;
use crate::error::Error;
use crate::params::Type;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "node-csv",
    summary: "a CSV whose first line names its columns: node, weight (and zone, rack)",
    detect: |source| has_columns(source, &["node"]),
    read,
    write,
};

/// Whether the first line is a header with these columns.
pub(super) fn has_columns(source: &Source, wanted: &[&str]) -> bool {
    let Some(line) = source.lines().next() else { return false };
    let columns: Vec<&str> = line.text.split(',').map(|c| c.trim().trim_matches('"')).collect();
    wanted.iter().all(|name| columns.contains(name))
}

/// A CSV with a header, read row by row with the place of each.
pub(super) struct Sheet {
    header: csv::StringRecord,
    /// Rows with the number of their first byte.
    pub rows: Vec<(usize, csv::StringRecord)>,
}

impl Sheet {
    pub(super) fn read(source: &Source) -> Result<Self, Error> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_reader(source.text().as_bytes());
        let wrong = |error: csv::Error| {
            let at = error.position().map_or(0, |position| position.byte() as usize);
            let help = "each row has as many fields as the header; write a field that holds a comma in double quotes";
            let what = match error.kind() {
                csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                    let fields = if *len == 1 { "field" } else { "fields" };
                    format!("this row has {len} {fields}, the header has {expected_len}")
                }
                _ => format!("this row cannot be read: {error}"),
            };
            source.error(at..at, what, help)
        };
        let header = reader.headers().map_err(wrong)?.clone();
        let mut rows = Vec::new();
        for row in reader.records() {
            let row = row.map_err(wrong)?;
            let at = row.position().map_or(0, |position| position.byte() as usize);
            rows.push((at, row));
        }
        Ok(Sheet { header, rows })
    }

    /// The column of that name.
    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|have| have == name)
    }

    /// The column of that name, or an error that tells which there are.
    pub(super) fn needed(&self, source: &Source, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| {
            let have: Vec<&str> = self.header.iter().collect();
            let help = format!("its columns: {}", have.join(", "));
            source.whole(format!("the map has no column `{name}`"), help)
        })
    }

    pub(super) fn columns(&self) -> impl Iterator<Item = &str> {
        self.header.iter()
    }
}

fn read(source: &Source) -> Result<Content, Error> {
    let sheet = Sheet::read(source)?;
    let name_at = sheet.needed(source, "node")?;
    let mut content = Content::default();
    for (at, row) in &sheet.rows {
        let span = *at..at + 1;
        let name = &row[name_at];
        source.check_name(name, span.clone())?;
        let mut node = node_at(content.nodes.len() as u32, name);
        let text = |column: &str| Some(&row[sheet.column(column)?]).filter(|t| !t.is_empty());
        if let Some(weight) = text("weight") {
            node.weight = weight.parse().ok().filter(|w| is_weight(*w)).ok_or_else(|| {
                let what = format!("the weight of {name} is \"{weight}\"");
                source.error(span.clone(), what, format!("allowed: {}", Type::Weight.describe()))
            })?;
        }
        node.zone = text("zone").map(Into::into);
        node.rack = text("rack").map(Into::into);
        if content.nodes.iter().any(|have| have.name == node.name) {
            let what = format!("node `{name}` stands twice");
            return Err(source.error(span, what, "leave one row out"));
        }
        content.nodes.push(node);
    }
    Ok(content)
}

/// The columns that were read in their order, with what they held of nodes that stay.
fn write(source: &Source, state: &State<'_>) -> Result<String, Error> {
    let sheet = Sheet::read(source)?;
    let name_at = sheet.needed(source, "node")?;
    let mut columns: Vec<&str> = sheet.columns().collect();
    if !columns.contains(&"weight") {
        columns.push("weight");
    }
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&columns).expect("writing to memory");
    for node in state.nodes {
        let row = sheet.rows.iter().map(|(_, row)| row).find(|row| row[name_at] == *node.name);
        let text = |(i, column): (usize, &&str)| match *column {
            "node" => node.name.to_string(),
            "weight" => node.weight.to_string(),
            "zone" => node.zone.as_deref().unwrap_or_default().to_string(),
            "rack" => node.rack.as_deref().unwrap_or_default().to_string(),
            _ => row.and_then(|row| row.get(i)).unwrap_or_default().to_string(),
        };
        out.write_record(columns.iter().enumerate().map(text)).expect("writing to memory");
    }
    let bytes = out.into_inner().expect("writing to memory");
    Ok(String::from_utf8(bytes).expect("texts are UTF-8"))
}
