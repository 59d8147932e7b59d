//! A frozen routing version: keys and their nodes in a small file, and which of them now live elsewhere.
//!
//! The file is text: a version line, the set-up in comments, then CSV.
//!
//! ```text
//! # shardlab.frozen/1
//! # strategy: ring
//! # hasher: murmur3-32
//! type,key,node
//! text,NO2025011500000001,node3
//! ```

use std::sync::Mutex;

use super::bounds::end_keys;
use super::{Check, GroupInfo, Keys, Suite};
use crate::analysis::disagree::Side;
use crate::analysis::spread::begins_with;
use crate::error::{Error, ErrorKind};
use crate::keys::{Key, KeyBatch, KeyKind};
use crate::sim::Progress;
use crate::sim::assemble::OUTCOME_NAMES;
use crate::sim::scan::scan;
use crate::strategy::Slot;

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "frozen",
    question: "Do the keys of a frozen routing version still live where they did?",
    run,
};

/// First line of the file.
pub const VERSION: &str = "shardlab.frozen/1";

/// Header of the CSV part.
const HEADER: [&str; 3] = ["type", "key", "node"];

/// Most keys that a file may hold.
pub const MOST_KEYS: usize = 1_000_000;

/// Longest of the keys at the ends that is frozen, in bytes: the file stays small.
const LONGEST_KEY: usize = 256;

/// Keys that a check names when they have moved.
const SHOWN: usize = 20;

/// A key with its node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Type of the key.
    pub kind: KeyKind,
    /// Its text.
    pub key: String,
    /// Name of the node, or an outcome in parentheses.
    pub node: String,
}

/// What was frozen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frozen {
    /// What the routing was made of: name and value.
    pub setup: Vec<(String, String)>,
    /// Keys and their nodes.
    pub entries: Vec<Entry>,
}

/// Names of the types of keys in the file.
const KINDS: [(&str, KeyKind); 4] = [
    ("text", KeyKind::Text),
    ("int", KeyKind::I64),
    ("uint", KeyKind::U64),
    ("uuid", KeyKind::Uuid),
];

/// The name of a type of keys.
pub fn kind_name(kind: KeyKind) -> &'static str {
    KINDS.iter().find(|(_, have)| *have == kind).map_or("bytes", |(name, _)| name)
}

/// Reads the text of a file; `shown` is how messages name it.
///
/// # Errors
/// Another version, no keys, or a row that is wrong, with its line.
pub fn parse(text: &str, shown: &str) -> Result<Frozen, Error> {
    let wrong = |line: usize, what: String| Error::data(format!("`{shown}`, line {line}: {what}"));
    let mut frozen = Frozen::default();
    let mut start = 0;
    for (number, line) in text.lines().enumerate() {
        let Some(comment) = line.strip_prefix('#') else { break };
        start += 1;
        let comment = comment.strip_prefix(' ').unwrap_or(comment);
        if number == 0 && comment != VERSION {
            return Err(wrong(1, format!("the version is `{comment}`"))
                .help(format!("this version of shardlab reads `{VERSION}`")));
        }
        if let Some((name, value)) = comment.split_once(": ") {
            frozen.setup.push((name.to_string(), value.to_string()));
        }
    }
    if start == 0 {
        return Err(wrong(1, format!("does not begin with `# {VERSION}`"))
            .help("give a file that `shardlab accept --freeze` wrote"));
    }
    let body: String = text.split_inclusive('\n').skip(start).collect();
    let mut reader = csv::ReaderBuilder::new().from_reader(body.as_bytes());
    if reader.headers().map_err(|e| wrong(start + 1, e.to_string()))? != HEADER[..] {
        return Err(wrong(start + 1, format!("the header is not `{}`", HEADER.join(","))));
    }
    for row in reader.records() {
        let row = row.map_err(|e| {
            let line = e.position().map_or(0, |p| p.line() as usize);
            wrong(start + line, e.to_string())
        })?;
        let line = start + row.position().map_or(0, |p| p.line() as usize);
        let kind = KINDS.iter().find(|(name, _)| *name == &row[0]).ok_or_else(|| {
            let mut error = Error::unknown("type", &row[0], KINDS.iter().map(|(name, _)| *name));
            error.kind = ErrorKind::Data;
            error.message = format!("`{shown}`, line {line}: {}", error.message);
            error
        })?;
        let entry = Entry { kind: kind.1, key: row[1].to_string(), node: row[2].to_string() };
        if entry.push(&mut KeyBatch::new(entry.kind)).is_none() {
            return Err(wrong(line, format!("`{}` is no {}", entry.key, kind.0)));
        }
        if frozen.entries.len() == MOST_KEYS {
            return Err(wrong(line, format!("more than {MOST_KEYS} keys")));
        }
        frozen.entries.push(entry);
    }
    if frozen.entries.is_empty() {
        return Err(Error::data(format!("`{shown}` has no keys")));
    }
    Ok(frozen)
}

impl Entry {
    /// Appends the key to a batch of its kind; None if its text is none of that kind.
    fn push(&self, batch: &mut KeyBatch) -> Option<()> {
        match self.kind {
            KeyKind::Text | KeyKind::Bytes => batch.push(&Key::Text(&self.key)),
            KeyKind::I64 => batch.push(&Key::I64(self.key.parse().ok()?)),
            KeyKind::U64 => batch.push(&Key::U64(self.key.parse().ok()?)),
            KeyKind::Uuid => {
                let digits = self.key.replace('-', "");
                batch.push(&Key::Uuid(u128::from_str_radix(&digits, 16).ok()?));
            }
        }
        Some(())
    }
}

impl Frozen {
    /// The text of the file.
    pub fn to_text(&self) -> String {
        let mut text = format!("# {VERSION}\n");
        for (name, value) in &self.setup {
            text.push_str(&format!("# {name}: {}\n", value.replace(['\n', '\r'], " ")));
        }
        let mut out = csv::Writer::from_writer(Vec::new());
        out.write_record(HEADER).expect("writing to memory");
        for entry in &self.entries {
            let row = [kind_name(entry.kind), &entry.key, &entry.node];
            out.write_record(row).expect("writing to memory");
        }
        let rows = out.into_inner().expect("writing to memory");
        text.push_str(&String::from_utf8(rows).expect("keys and names are texts"));
        text
    }

    /// The chance that a change which moves this share of all keys moves none of the frozen ones.
    pub fn unseen(&self, share_moved: f64) -> f64 {
        libm::pow(1.0 - share_moved, self.entries.len() as f64)
    }
}

/// Freezes about `wanted` keys: those at the ends of every type that the routing takes, and of each of the
/// suite's groups of keys so many, evenly over their rows.
///
/// # Errors
/// The routing depends on open requests; a fault of a key file; an interrupt.
pub fn freeze(suite: &Suite<'_>, wanted: usize, progress: &dyn Progress) -> Result<Frozen, Error> {
    let mut entries = Vec::new();
    for (kind, keys) in end_keys(LONGEST_KEY) {
        match (suite.place)(kind) {
            Ok(_) => entries.extend(keys.into_iter().map(|key| unplaced(kind, key))),
            Err(error) if error.kind == ErrorKind::Unsupported => {}
            Err(error) => return Err(error),
        }
    }
    let groups = [&suite.uniformity, &suite.subset, &suite.hot_prefix];
    // Half of them consecutive, the rest of the prefixes.
    for (keys, share) in groups.into_iter().zip([2, 4, 4]) {
        entries.extend(sample(keys, (wanted / share).max(1) as u64, progress)?);
    }
    let mut seen = std::collections::BTreeSet::new();
    entries.retain(|entry| seen.insert((kind_name(entry.kind), entry.key.clone())));
    let nodes = route(suite, &entries)?;
    for (entry, node) in entries.iter_mut().zip(nodes) {
        entry.node = node.expect("only types that the routing takes are there");
    }
    Ok(Frozen { setup: suite.setup.clone(), entries })
}

fn unplaced(kind: KeyKind, key: String) -> Entry {
    Entry { kind, key, node: String::new() }
}

/// Every n-th row, about `wanted` of them.
fn sample(keys: &Keys, wanted: u64, progress: &dyn Progress) -> Result<Vec<Entry>, Error> {
    let every = (keys.input.rows / wanted).max(1);
    let kind = keys.input.source.kind();
    progress.begin("picking keys", keys.input.rows);
    let picked = Mutex::new(Vec::new());
    scan(
        &keys.input,
        &[],
        progress,
        || (),
        |(), batch| {
            let first = batch.first_row.next_multiple_of(every);
            let rows = (first..batch.first_row + batch.len() as u64).step_by(every as usize);
            let here: Vec<(u64, String)> = rows
                .map(|row| (row, (row - batch.first_row) as usize))
                .filter(|(_, at)| {
                    keys.prefix.as_deref().is_none_or(|p| begins_with(batch, *at, p.as_bytes()))
                })
                .map(|(row, at)| (row, batch.key(at).to_string()))
                .collect();
            picked.lock().expect("no worker panics").extend(here);
        },
    )?;
    let mut picked = picked.into_inner().expect("no worker panics");
    picked.sort();
    Ok(picked.into_iter().map(|(_, key)| unplaced(kind, key)).collect())
}

/// The names of the nodes of the keys; None where the routing does not take their type.
fn route(suite: &Suite<'_>, entries: &[Entry]) -> Result<Vec<Option<String>>, Error> {
    let mut nodes: Vec<Option<String>> = vec![None; entries.len()];
    for (_, kind) in KINDS {
        let rows: Vec<usize> = (0..entries.len()).filter(|&i| entries[i].kind == kind).collect();
        if rows.is_empty() {
            continue;
        }
        let side = match (suite.place)(kind) {
            Ok(side) => side,
            Err(error) if error.kind == ErrorKind::Unsupported => continue,
            Err(error) => return Err(error),
        };
        if side.placement.session().is_some() {
            return Err(Error::unsupported(
                "the routing places a key by the requests that are open: a key alone has no node to freeze",
            ));
        }
        let mut batch = KeyBatch::new(kind);
        rows.iter().for_each(|&i| entries[i].push(&mut batch).expect("checked when it was read"));
        crate::keys::Digester::new(side.placement.columns()).compute(&mut batch);
        let mut slots = Vec::new();
        let (placement, down) = (side.placement.as_ref(), &side.cluster.down);
        crate::sim::replay::place(placement, down, suite.replicas, &batch, &mut slots);
        for (at, &i) in rows.iter().enumerate() {
            nodes[i] = Some(name(&side, slots[at * suite.replicas]));
        }
    }
    Ok(nodes)
}

fn name(side: &Side<'_>, slot: Slot) -> String {
    match slot.node() {
        Some(id) => side.cluster.node(id).map_or_else(|| id.0.to_string(), |n| n.name.to_string()),
        None => OUTCOME_NAMES[slot.index(0)].to_string(),
    }
}

fn run(suite: &Suite<'_>, _progress: &dyn Progress) -> Result<Vec<Check>, Error> {
    let Some(frozen) = &suite.frozen else { return Ok(Vec::new()) };
    let nodes = route(suite, &frozen.entries)?;
    let mut moved = Vec::new();
    for (entry, node) in frozen.entries.iter().zip(&nodes) {
        if node.as_deref() != Some(entry.node.as_str()) {
            let now = node.as_deref().unwrap_or("refused: the routing does not take its type");
            let kind = kind_name(entry.kind);
            moved.push(format!("{kind} {:?}: {} → {now}", entry.key, entry.node));
        }
    }
    let keys = frozen.entries.len() as u64;
    let mut check = Check::faults(INFO.name, "frozen keys".into(), keys, moved.len() as u64);
    if !moved.is_empty() {
        let share = moved.len() as f64 / keys as f64 * 100.0;
        check.details.push(format!("{} of {keys} keys live elsewhere: {share:.1} %", moved.len()));
    }
    check.details.extend(setup_differences(&frozen.setup, &suite.setup));
    let more = moved.len().saturating_sub(SHOWN);
    check.details.extend(moved.into_iter().take(SHOWN));
    if more > 0 {
        check.details.push(format!("and {more} more"));
    }
    Ok(vec![check])
}

/// What the set-ups have different: the likely cause where keys live elsewhere.
fn setup_differences(was: &[(String, String)], is: &[(String, String)]) -> Vec<String> {
    let value = |setup: &[(String, String)], name: &str| {
        let found = setup.iter().find(|(have, _)| have == name);
        found.map_or("absent".to_string(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> = was.iter().chain(is).map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .map(|name| (name, value(was, name), value(is, name)))
        .filter(|(_, was, is)| was != is)
        .map(|(name, was, is)| format!("set-up: {name} was {was}, is {is}"))
        .collect()
}
