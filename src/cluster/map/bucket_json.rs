//! A bucket map as JSON: a list of nodes by bucket, `["db0", "db0", "db1"]`, or an object from bucket to
//! node, `{"0": "db0", "1": "db0", "2": "db1"}`.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::source::Source;
use super::{Content, MapFormat, State, ketama, node_at};
use crate::error::Error;
use crate::strategy::quota::MAX_BUCKETS;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "bucket-json",
    summary: "a JSON list of nodes by bucket, or an object from bucket to node",
    // A list of servers may begin with a bracket, too: `[2001:db8::1]:11211 600`.
    detect: |source| source.text().trim_start().starts_with(['{', '[']) && !ketama::begins(source),
    read,
    write,
};

/// Pairs of bucket and node in the order of the text; an object that names a bucket twice keeps both.
struct Pairs(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of node names, or an object from bucket to node name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(name) = list.next_element()? {
                    pairs.push((pairs.len().to_string(), name));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

fn read(source: &Source) -> Result<Content, Error> {
    let Pairs(pairs) = serde_json::from_str(source.text()).map_err(|error| {
        let start = source.all_lines().nth(error.line().saturating_sub(1)).map_or(0, |l| l.start);
        let at = (start + error.column().saturating_sub(1)).min(source.text().len());
        let message = error.to_string();
        // The place stands before the message already.
        let what = message.split(" at line ").next().unwrap_or(&message).to_string();
        let help = "write [\"db0\", \"db1\", …] or {\"0\": \"db0\", \"1\": \"db1\", …}";
        source.error(at..at, format!("not a bucket map: {what}"), help)
    })?;
    let list = source.text().trim_start().starts_with('[');
    let mut buckets = Buckets::new(source);
    // Pairs come in the order of the text, so each key is looked for after the one before.
    let mut after = 0;
    for (bucket, node) in pairs {
        let span = if list { 0..0 } else { find_key(source.text(), &bucket, after) };
        after = span.end.max(after);
        buckets.claim(&bucket, &node, span)?;
    }
    buckets.content()
}

/// Where a key stands in the text of an object after a byte.
fn find_key(text: &str, key: &str, after: usize) -> Range<usize> {
    let quoted = format!("\"{key}\"");
    let mut at = after;
    while let Some(found) = text[at..].find(&quoted) {
        let end = at + found + quoted.len();
        if text[end..].trim_start().starts_with(':') {
            return at + found..end;
        }
        at = end;
    }
    0..0
}

/// Buckets claimed so far: 0 … n−1 must be there, each once.
pub(super) struct Buckets<'a> {
    source: &'a Source,
    /// By bucket the node and where it is claimed.
    claimed: BTreeMap<u64, (u32, usize)>,
    names: BTreeMap<String, u32>,
    content: Content,
}

impl<'a> Buckets<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        let content = Content::default();
        Buckets { source, claimed: BTreeMap::new(), names: BTreeMap::new(), content }
    }

    /// Gives a bucket to a node.
    pub(super) fn claim(
        &mut self,
        bucket: &str,
        node: &str,
        span: Range<usize>,
    ) -> Result<(), Error> {
        let most = MAX_BUCKETS as u64;
        let number: u64 = bucket.parse().ok().filter(|b| *b < most).ok_or_else(|| {
            let help = format!("buckets are whole numbers from 0 to {}", most - 1);
            self.source.error(span.clone(), format!("`{bucket}` is no bucket"), help)
        })?;
        self.source.check_name(node, span.clone())?;
        let index = match self.names.get(node) {
            Some(&index) => index,
            None => {
                let index = self.content.nodes.len() as u32;
                self.content.nodes.push(node_at(index, node));
                self.names.insert(node.to_string(), index);
                index
            }
        };
        if let Some((_, earlier)) = self.claimed.insert(number, (index, span.start)) {
            let line = self.source.line_number(earlier);
            let what = format!("bucket {number} stands twice, first in line {line}");
            return Err(self.source.error(span, what, "each bucket has one node"));
        }
        Ok(())
    }

    /// What was claimed, once all of it is.
    pub(super) fn content(mut self) -> Result<Content, Error> {
        let count = self.claimed.len() as u64;
        if count == 0 {
            return Err(self.source.whole("the map has no buckets", "give at least one"));
        }
        if let Some((missing, _)) =
            (0u64..).zip(self.claimed.keys()).find(|(want, have)| want != *have)
        {
            let help = format!("{count} buckets must be 0 to {}: each has a node", count - 1);
            return Err(self.source.whole(format!("bucket {missing} is missing"), help));
        }
        self.content.owners = Some(self.claimed.into_values().map(|(node, _)| node).collect());
        Ok(self.content)
    }
}

fn write(source: &Source, state: &State<'_>) -> Result<String, Error> {
    let quoted = |text: &str| serde_json::to_string(text).expect("a text is JSON");
    let owners = state.owners.unwrap_or_default();
    let name = |owner: u32| quoted(&state.nodes[owner as usize].name);
    let list = source.text().trim_start().starts_with('[');
    let lines: Vec<String> = owners
        .iter()
        .enumerate()
        .map(|(bucket, &owner)| match list {
            true => format!("  {}", name(owner)),
            false => format!("  \"{bucket}\": {}", name(owner)),
        })
        .collect();
    let (open, close) = if list { ('[', ']') } else { ('{', '}') };
    Ok(format!("{open}\n{}\n{close}\n", lines.join(",\n")))
}
