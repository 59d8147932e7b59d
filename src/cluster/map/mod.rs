//! Maps of real clusters: what `[cluster] from = "file"` reads and `plan --write-map` writes.
//!
//! A map names the nodes, and where the system has a middle layer (slots, buckets) also who owns what.
//! The formats are those that systems print or that people keep; [`ALL`] is their list. To add one: a
//! file with its `INFO`, and two lines here.

mod bucket_csv;
mod bucket_json;
mod ketama;
mod node_csv;
mod redis_nodes;
mod redis_slots;
mod slots;
mod source;

use std::path::Path;
use std::sync::Arc;

use super::Node;
use crate::error::Error;
use crate::strategy::Slot;
use crate::text_file;
use source::Source;

/// Largest file that is read.
const MAX_BYTES: u64 = 256 << 20;

/// Who owns each bucket, as an index into the nodes of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketMap {
    /// By bucket.
    pub owners: Vec<u32>,
}

impl BucketMap {
    /// The owner of each bucket as a placement has it; ids of a map's nodes are their indices.
    pub fn slots(&self) -> Vec<Slot> {
        self.owners.iter().map(|&owner| Slot(owner)).collect()
    }
}

/// A format of maps: static facts and how it is read and written.
pub struct MapFormat {
    /// Name in `format = "…"`.
    pub name: &'static str,
    /// One sentence without a full stop.
    pub summary: &'static str,
    /// Whether a text looks like it; the first of [`ALL`] that says so reads it.
    detect: fn(&Source) -> bool,
    /// Reads it.
    read: fn(&Source) -> Result<Content, Error>,
    /// Writes another state of the cluster as the text that was read is written.
    write: fn(&Source, &State<'_>) -> Result<String, Error>,
}

impl std::fmt::Debug for MapFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All formats, in the order in which they are tried.
pub static ALL: &[&MapFormat] = &[
    &redis_nodes::INFO,
    &redis_slots::INFO,
    &bucket_json::INFO,
    &bucket_csv::INFO,
    &node_csv::INFO,
    &ketama::INFO,
];

/// What a text holds.
#[derive(Debug, Clone, Default, PartialEq)]
struct Content {
    /// The nodes, ids in their order.
    nodes: Vec<Node>,
    /// Index into the nodes by bucket; None where the format has no buckets.
    owners: Option<Vec<u32>>,
    /// What a person should know of how it was read.
    notes: Vec<String>,
}

/// A state of the cluster to be written.
#[derive(Debug, Clone, Copy)]
pub struct State<'a> {
    /// The members, in order.
    pub nodes: &'a [Node],
    /// Index into them by bucket, where there are buckets.
    pub owners: Option<&'a [u32]>,
}

/// A map as it was read.
#[derive(Debug, Clone)]
pub struct ClusterMap {
    /// Its format.
    pub format: &'static MapFormat,
    /// The nodes, ids in their order.
    pub nodes: Vec<Node>,
    /// Who owns what, where the format says it.
    pub buckets: Option<Arc<BucketMap>>,
    /// What a person should know of how it was read.
    pub notes: Vec<String>,
    source: Source,
}

impl ClusterMap {
    /// Another state of the cluster, in the same format.
    ///
    /// Errors: the format cannot hold the state, e.g. weights that are no whole numbers.
    pub fn write(&self, state: &State<'_>) -> Result<String, Error> {
        (self.format.write)(&self.source, state)
    }
}

/// Reads a map. `file` is the name that errors show; without a format the text decides.
///
/// Errors: no format reads it; or what is wrong with it, with line and column.
pub fn read(path: &Path, file: &str, format: Option<&str>) -> Result<ClusterMap, Error> {
    let text = text_file::read(path, file, MAX_BYTES)?;
    parse(&text, file, format)
}

/// The same of a text.
pub fn parse(text: &str, file: &str, format: Option<&str>) -> Result<ClusterMap, Error> {
    let source = Source::new(file, text.trim_start_matches('\u{feff}'));
    let format = match format {
        Some(name) => find(name)?,
        None => detect(&source)?,
    };
    let content = (format.read)(&source)?;
    check_nodes(&source, &content.nodes)?;
    Ok(ClusterMap {
        format,
        nodes: content.nodes,
        buckets: content.owners.map(|owners| Arc::new(BucketMap { owners })),
        notes: content.notes,
        source,
    })
}

/// The format of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static MapFormat, Error> {
    ALL.iter()
        .copied()
        .find(|format| format.name == name)
        .ok_or_else(|| Error::unknown("format", name, ALL.iter().map(|f| f.name)))
}

fn detect(source: &Source) -> Result<&'static MapFormat, Error> {
    if source.lines().next().is_none() {
        return Err(source.whole("the file is empty", "give a map of a cluster"));
    }
    ALL.iter().copied().find(|format| (format.detect)(source)).ok_or_else(|| {
        let error = source.first("no known format of a cluster's map begins like this");
        let known = ALL.iter().map(|format| format!("{}: {}", format.name, format.summary));
        known
            .fold(error, Error::help)
            .help("name the format with `format = \"…\"` if it is one of these")
    })
}

/// At least one node, and one of some weight.
fn check_nodes(source: &Source, nodes: &[Node]) -> Result<(), Error> {
    if nodes.is_empty() {
        return Err(source.whole("no node in this map", "a cluster needs at least one"));
    }
    if nodes.iter().all(|node| node.weight == 0.0) {
        return Err(source.whole("all weights are 0", "give at least one node a weight above 0"));
    }
    Ok(())
}

/// A node from the way its address is written: `host:port`, the host in brackets where it holds colons.
fn node_at(id: u32, name: &str) -> Node {
    let mut node = Node::named(id, name);
    if let Some((host, port)) = name.rsplit_once(':')
        && let Ok(port) = port.parse()
        && !host.is_empty()
    {
        node.host = Some(host.trim_start_matches('[').trim_end_matches(']').into());
        node.port = Some(port);
    }
    node
}

#[cfg(test)]
mod tests;
