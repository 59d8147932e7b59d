//! The text that `redis-cli CLUSTER SLOTS` prints: ranges of slots with their master and its replicas.
//!
//! On a terminal `redis-cli` numbers the elements of nested arrays (`1) 1) (integer) 0`); into a file or
//! a pipe it prints them bare, one a line, an empty array as an empty line
//! (<https://redis.io/docs/latest/commands/cluster-slots/>; `cliFormatReplyTTY` and
//! `cliFormatReplyRaw` of `redis-cli.c`, 7.0). Both are read, and written as they were read.

use std::collections::BTreeMap;
use std::ops::Range;

use super::slots::{Slots, made_up_id, ranges, replicas_note};
use super::source::{Line, Source};
use super::{Content, MapFormat, State, node_at};
use crate::error::Error;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "redis-slots",
    summary: "what `redis-cli CLUSTER SLOTS` prints, on a terminal or into a file",
    detect: |source| is_numbered(source) || is_bare(source),
    read,
    write,
};

/// A server of a range: host, port, id, then names and values of its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Server {
    host: String,
    port: String,
    id: String,
    more: Vec<String>,
}

impl Server {
    fn name(&self) -> String {
        match self.host.is_empty() {
            true => format!("node-{}", self.id.get(..8).unwrap_or(&self.id)),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// A range with its servers, the master first.
struct Entry {
    first: String,
    last: String,
    span: Range<usize>,
    servers: Vec<Server>,
}

fn is_numbered(source: &Source) -> bool {
    source
        .lines()
        .next()
        .is_some_and(|line| line.text.split_whitespace().take(3).eq(["1)", "1)", "(integer)"]))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

fn is_bare(source: &Source) -> bool {
    let mut lines = source.lines().map(|line| line.text);
    let [first, second, host, port] = [(); 4].map(|()| lines.next().unwrap_or_default());
    is_number(first) && is_number(second) && !is_number(host) && is_number(port)
}

fn entries(source: &Source) -> Result<Vec<Entry>, Error> {
    if is_numbered(source) { numbered(source) } else { bare(source) }
}

/// Leading `3) ` marks of a line: column and number of each, and what stands after them.
fn marks(line: Line<'_>) -> (Vec<(usize, usize)>, &str) {
    let mut marks = Vec::new();
    let mut rest = line.text;
    loop {
        let blanks = rest.len() - rest.trim_start().len();
        let inner = &rest[blanks..];
        let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
        match (inner[..digits].parse(), inner[digits..].strip_prefix(") ")) {
            (Ok(number), Some(after)) => {
                marks.push((line.text.len() - inner.len(), number));
                rest = after;
            }
            _ => return (marks, inner),
        }
    }
}

/// A value as a terminal shows it.
fn shown(value: &str) -> Option<String> {
    if let Some(number) = value.strip_prefix("(integer) ") {
        return Some(number.to_string());
    }
    match value {
        "(empty array)" | "(empty list or set)" | "(nil)" | "(null)" => return Some(String::new()),
        _ => {}
    }
    let inner = value.strip_prefix('"')?.strip_suffix('"')?;
    Some(inner.replace("\\\"", "\"").replace("\\\\", "\\"))
}

fn numbered(source: &Source) -> Result<Vec<Entry>, Error> {
    let mut entries: Vec<Entry> = Vec::new();
    // The numbers on the way to the element at hand, with their columns.
    let mut path: Vec<(usize, usize)> = Vec::new();
    for line in source.all_lines().filter(|line| !line.text.trim().is_empty()) {
        let wrong = || {
            let help = "save what `redis-cli CLUSTER SLOTS` prints as it is, from its first line to its last";
            source.error(line.whole(), "this line is none of CLUSTER SLOTS", help)
        };
        let (marks, value) = marks(line);
        let value = shown(value).ok_or_else(wrong)?;
        for mark in marks {
            while path.last().is_some_and(|(column, _)| *column >= mark.0) {
                path.pop();
            }
            path.push(mark);
        }
        let numbers: Vec<usize> = path.iter().map(|(_, number)| *number).collect();
        if let [entry, 1] = numbers[..] {
            if entry != entries.len() + 1 {
                return Err(wrong());
            }
            let span = line.whole();
            entries.push(Entry { first: value, last: String::new(), span, servers: Vec::new() });
            continue;
        }
        let entry = entries.last_mut().ok_or_else(wrong)?;
        match numbers[..] {
            [_, 2] => entry.last = value,
            [_, server, 1] if server == entry.servers.len() + 3 => {
                let (port, id, more) = (String::new(), String::new(), Vec::new());
                entry.servers.push(Server { host: value, port, id, more });
            }
            [_, server, field] if server == entry.servers.len() + 2 => {
                let server = entry.servers.last_mut().ok_or_else(wrong)?;
                match field {
                    2 => server.port = value,
                    3 => server.id = value,
                    _ => {}
                }
            }
            [_, _, 4, _] => entry.servers.last_mut().ok_or_else(wrong)?.more.push(value),
            _ => return Err(wrong()),
        }
    }
    Ok(entries)
}

fn bare(source: &Source) -> Result<Vec<Entry>, Error> {
    let lines: Vec<Line<'_>> = source.all_lines().collect();
    let at = |i: usize| lines.get(i).map(|line| line.text);
    let mut entries: Vec<Entry> = Vec::new();
    let mut i = 0;
    while let Some(line) = lines.get(i) {
        let next_is_number = at(i + 1).is_some_and(is_number);
        if line.text.is_empty() {
            // An empty array of metadata, or the end of the text.
            i += 1;
        } else if is_number(line.text) && next_is_number {
            let (first, last) = (line.text.to_string(), lines[i + 1].text.to_string());
            entries.push(Entry { first, last, span: line.whole(), servers: Vec::new() });
            i += 2;
        } else if let (Some(entry), true, Some(id)) =
            (entries.last_mut(), next_is_number, at(i + 2).filter(|id| id.len() == 40))
        {
            let (host, port) = (line.text.to_string(), lines[i + 1].text.to_string());
            entry.servers.push(Server { host, port, id: id.to_string(), more: Vec::new() });
            i += 3;
        } else if let (Some(server), Some(value)) =
            (entries.last_mut().and_then(|entry| entry.servers.last_mut()), at(i + 1))
        {
            server.more.extend([line.text.to_string(), value.to_string()]);
            i += 2;
        } else {
            return Err(source.error(
                line.whole(),
                "this line is none of CLUSTER SLOTS",
                "a range is its first and its last slot, then host, port and id of each server, one a line",
            ));
        }
    }
    Ok(entries)
}

fn read(source: &Source) -> Result<Content, Error> {
    let mut content = Content::default();
    let mut slots = Slots::new(source);
    let mut numbers: BTreeMap<String, u32> = BTreeMap::new();
    let mut replicas: Vec<String> = Vec::new();
    for entry in entries(source)? {
        let Some(master) = entry.servers.first() else {
            let what = format!("the range {}-{} has no server", entry.first, entry.last);
            return Err(source.error(entry.span, what, "a range has a master at least"));
        };
        let name = master.name();
        source.check_name(&name, entry.span.clone())?;
        let index = *numbers.entry(name.clone()).or_insert_with(|| {
            content.nodes.push(node_at(content.nodes.len() as u32, &name));
            content.nodes.len() as u32 - 1
        });
        slots.claim(&entry.first, &entry.last, index, entry.span)?;
        for replica in entry.servers[1..].iter().map(Server::name) {
            if !replicas.contains(&replica) {
                replicas.push(replica);
            }
        }
    }
    if !replicas.is_empty() {
        content.notes.push(replicas_note(replicas.len()));
    }
    content.owners = Some(slots.owners()?);
    Ok(content)
}

/// Ranges in the order of their slots, each with the servers that its master had.
fn write(source: &Source, state: &State<'_>) -> Result<String, Error> {
    let mut known: BTreeMap<String, Vec<Server>> = BTreeMap::new();
    for entry in entries(source)? {
        if let Some(master) = entry.servers.first() {
            known.entry(master.name()).or_insert(entry.servers);
        }
    }
    let owners = state.owners.unwrap_or_default();
    let mut all: Vec<((usize, usize), u32)> = Vec::new();
    for index in 0..state.nodes.len() as u32 {
        let own = (0..owners.len()).filter(|&slot| owners[slot] == index);
        all.extend(ranges(own).into_iter().map(|range| (range, index)));
    }
    all.sort_unstable();
    let servers = |index: u32| {
        let name = &*state.nodes[index as usize].name;
        known.get(name).cloned().unwrap_or_else(|| {
            let (host, port) = name.rsplit_once(':').unwrap_or((name, "0"));
            let (host, port) = (host.to_string(), port.to_string());
            vec![Server { host, port, id: made_up_id(name), more: Vec::new() }]
        })
    };
    let reply: Vec<Reply> = all
        .into_iter()
        .map(|((first, last), index)| {
            let mut items = vec![Reply::Int(first.to_string()), Reply::Int(last.to_string())];
            items.extend(servers(index).into_iter().map(|server| {
                Reply::Array(vec![
                    Reply::Text(server.host),
                    Reply::Int(server.port),
                    Reply::Text(server.id),
                    Reply::Array(server.more.into_iter().map(Reply::Text).collect()),
                ])
            }));
            Reply::Array(items)
        })
        .collect();
    let reply = Reply::Array(reply);
    Ok(if is_numbered(source) { reply.numbered("") } else { reply.bare() + "\n" })
}

/// A reply of the server.
enum Reply {
    Int(String),
    Text(String),
    Array(Vec<Reply>),
}

impl Reply {
    /// As on a terminal; `prefix` stands before every element but the first.
    fn numbered(&self, prefix: &str) -> String {
        match self {
            Reply::Int(number) => format!("(integer) {number}\n"),
            Reply::Text(text) => {
                format!("\"{}\"\n", text.replace('\\', "\\\\").replace('"', "\\\""))
            }
            Reply::Array(items) if items.is_empty() => "(empty array)\n".into(),
            Reply::Array(items) => {
                let width = items.len().to_string().len();
                let inner = format!("{prefix}{}", " ".repeat(width + 2));
                let each = items.iter().enumerate().map(|(i, item)| {
                    let before = if i == 0 { "" } else { prefix };
                    format!("{before}{:>width$}) {}", i + 1, item.numbered(&inner))
                });
                each.collect()
            }
        }
    }

    /// As into a file.
    fn bare(&self) -> String {
        match self {
            Reply::Int(text) | Reply::Text(text) => text.clone(),
            Reply::Array(items) => items.iter().map(Reply::bare).collect::<Vec<_>>().join("\n"),
        }
    }
}
