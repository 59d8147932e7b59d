//! Recorded outputs of real systems, for the tests of presets.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::find;
use crate::cluster::{Cluster, Node};
use crate::error::Error;
use crate::keys::{Digester, Key, KeyBatch, KeyKind};
use crate::params::Params;
use crate::strategy::{Build, Placement, Session, Slot};

fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file)
}

/// A file of keys and what a system gave for them, a column for each mode and server list.
pub struct Vectors {
    file: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    tested: RefCell<BTreeSet<String>>,
}

impl Vectors {
    /// Reads a file, which has so many rows.
    pub fn read(file: &str, rows: usize) -> Self {
        let mut reader = csv::Reader::from_path(path(file)).expect("a file of vectors");
        let header = reader.headers().unwrap().iter().map(String::from).collect();
        let lines = reader.records().map(|r| r.unwrap().iter().map(String::from).collect());
        let vectors = Vectors {
            file: file.into(),
            header,
            rows: lines.collect(),
            tested: RefCell::default(),
        };
        assert_eq!(vectors.rows.len(), rows, "{file} has another number of rows");
        vectors
    }

    /// A file of JSON.
    pub fn json(file: &str) -> serde_json::Value {
        let text = std::fs::read_to_string(path(file)).expect("a file of vectors");
        serde_json::from_str(&text).expect("JSON")
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.header
    }

    /// The cells of a column, which counts as tested from now on.
    pub fn column(&self, name: &str) -> Vec<&str> {
        let at = self.header.iter().position(|h| h == name);
        let at = at.unwrap_or_else(|| panic!("{} has no column {name}", self.file));
        self.tested.borrow_mut().insert(name.into());
        self.rows.iter().map(|row| row[at].as_str()).collect()
    }

    /// The rows, so many, whose cell in `column` is `value`: keys of one type, say.
    pub fn only(&self, column: &str, value: &str, rows: usize) -> Self {
        let at = self.header.iter().position(|h| h == column).expect("a column of that name");
        let rows_of_value: Vec<_> = self.rows.iter().filter(|r| r[at] == value).cloned().collect();
        let file = format!("{} ({column} {value})", self.file);
        assert_eq!(rows_of_value.len(), rows, "{file} has another number of rows");
        let tested = RefCell::new(BTreeSet::from([column.to_string()]));
        Vectors { file, header: self.header.clone(), rows: rows_of_value, tested }
    }

    /// The same rows without those whose cell in `column` is empty.
    pub fn given(&self, column: &str) -> Self {
        let at = self.header.iter().position(|h| h == column).expect("a column of that name");
        let rows = self.rows.iter().filter(|r| !r[at].is_empty()).cloned().collect();
        let tested = RefCell::default();
        Vectors { file: self.file.clone(), header: self.header.clone(), rows, tested }
    }

    /// Says that a column was tested: its cells chose the rows.
    pub fn tested(&self, column: &str) {
        self.column(column);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The keys of a column: `…hex` holds bytes, others what `kind` says.
    pub fn keys(&self, column: &str, kind: KeyKind) -> KeyBatch {
        let mut batch = KeyBatch::new(kind);
        for cell in self.column(column) {
            match kind {
                KeyKind::Text => batch.push(&Key::Text(cell)),
                KeyKind::Bytes => batch.push(&Key::Bytes(&bytes(cell))),
                KeyKind::I64 => batch.push(&Key::I64(cell.parse().unwrap())),
                KeyKind::U64 => batch.push(&Key::U64(cell.parse().unwrap())),
                KeyKind::Uuid => {
                    let digits = cell.replace('-', "");
                    batch.push(&Key::Uuid(u128::from_str_radix(&digits, 16).unwrap()));
                }
            }
        }
        batch
    }

    /// A preset gives for every key what the column holds; `shown` is how the file writes a slot.
    pub fn check(
        &self,
        column: &str,
        keys: &KeyBatch,
        case: &Case<'_>,
        shown: impl Fn(Slot) -> String,
    ) {
        let placement = case.build(keys.kind());
        let got = place(placement.as_ref(), keys);
        for (row, (want, slot)) in self.column(column).iter().zip(got).enumerate() {
            let key = keys.key(row);
            assert_eq!(shown(slot), *want, "{} {column}: key {key} (row {row})", self.file);
        }
    }

    /// The first digest column of a preset holds for every key what the column holds.
    pub fn check_digests(
        &self,
        column: &str,
        keys: &KeyBatch,
        case: &Case<'_>,
        shown: impl Fn(u64) -> String,
    ) {
        let placement = case.build(keys.kind());
        let mut keys = keys.clone();
        Digester::new(placement.columns()).compute(&mut keys);
        let digests = keys.digests(&placement.columns()[0]);
        for (row, (want, digest)) in self.column(column).iter().zip(digests).enumerate() {
            let key = keys.key(row);
            assert_eq!(shown(*digest), *want, "{} {column}: key {key} (row {row})", self.file);
        }
    }

    /// Where a preset places the keys.
    pub fn place(&self, keys: &KeyBatch, case: &Case<'_>) -> Vec<Slot> {
        place(case.build(keys.kind()).as_ref(), keys)
    }

    /// Sessions, row after row in the order of the file: a new one wherever the columns `of` change. `case`
    /// says of their values which preset, parameters and servers they mean. Gives the number of rows.
    pub fn check_sessions<'a>(
        &'a self,
        of: &[&str],
        case: impl Fn(&[&str]) -> (&'static str, Vec<(&'static str, String)>, &'a [Node]),
    ) -> usize {
        let of: Vec<Vec<&str>> = of.iter().map(|column| self.column(column)).collect();
        let (steps, want) = (self.column("step"), self.column("server"));
        let keys = self.keys("key", KeyKind::Text);
        let mut open: Option<Open<'_>> = None;
        for row in 0..keys.len() {
            let values: Vec<&str> = of.iter().map(|column| column[row]).collect();
            if open.as_ref().is_none_or(|(before, ..)| *before != values) {
                assert_eq!(steps[row], "0", "{} row {row}", self.file);
                let (preset, params, servers) = case(&values);
                let params: Vec<(&str, &str)> =
                    params.iter().map(|(k, v)| (*k, v.as_str())).collect();
                let placement = Case { preset, params: &params, servers }.build(KeyKind::Text);
                let session = placement.session().expect("a preset with sessions");
                open = Some((values, placement, session, servers));
            }
            let (values, placement, session, servers) = open.as_mut().unwrap();
            let batch = KeyBatch::single(&keys.key(row), placement.columns());
            let digests: Vec<u64> =
                placement.columns().iter().map(|column| batch.digests(column)[0]).collect();
            let got = numbers(servers)(session.route(&digests));
            assert_eq!(got, want[row], "{} {values:?} step {}", self.file, steps[row]);
        }
        keys.len()
    }

    /// Every column was tested or is among those that are not modelled.
    pub fn finish(&self, not_modelled: &[&str]) {
        let tested = self.tested.borrow();
        for column in &self.header {
            let listed = not_modelled.contains(&column.as_str());
            assert!(
                tested.contains(column) != listed,
                "{} {column}: {}",
                self.file,
                if listed { "tested, and listed as not modelled" } else { "not tested" }
            );
        }
    }
}

/// A session under way: the values that it is for, and what it runs on.
type Open<'a> = (Vec<&'a str>, Box<dyn Placement>, Box<dyn Session>, &'a [Node]);

/// Places all keys of a batch.
pub fn place(placement: &dyn Placement, keys: &KeyBatch) -> Vec<Slot> {
    let mut keys = keys.clone();
    Digester::new(placement.columns()).compute(&mut keys);
    let mut out = vec![Slot::ABSENT; keys.len()];
    placement.place(&keys, &mut out);
    out
}

/// Bytes in hexadecimal.
pub fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).unwrap()).collect()
}

/// A preset with its parameters and servers; without servers it gives numbers of partitions.
pub struct Case<'a> {
    /// Name of the preset.
    pub preset: &'a str,
    /// Its parameters, as text.
    pub params: &'a [(&'a str, &'a str)],
    /// The servers in order.
    pub servers: &'a [Node],
}

impl Case<'_> {
    /// Builds it for keys of a kind.
    pub fn build(&self, keys: KeyKind) -> Box<dyn Placement> {
        self.try_build(keys).unwrap()
    }

    /// Builds it for keys of a kind, if that can be.
    pub fn try_build(&self, keys: KeyKind) -> Result<Box<dyn Placement>, Error> {
        let info = find(self.preset).unwrap();
        let given =
            self.params.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect::<Vec<_>>();
        let given = crate::cli::args::values(info.params, &given);
        let params = Params::from_pairs(info.params, given).unwrap();
        let ids = self.servers.len();
        let cluster = Cluster { nodes: self.servers.to_vec(), ids, ..Cluster::default() };
        let base = Path::new(".");
        info.place(&Build { cluster: &cluster, params: &params, keys, replicas: 1, base })
    }
}

/// A digest as a signed 32-bit number.
pub fn signed(digest: u64) -> String {
    (digest as u32 as i32).to_string()
}

/// Server lists by name.
pub struct Servers(BTreeMap<String, Vec<Node>>);

impl Servers {
    /// Reads a file of lists in whichever form the system writes its servers.
    pub fn read(file: &str) -> Self {
        let text = std::fs::read_to_string(path(file)).expect("a file of server lists");
        let lists: BTreeMap<String, Vec<String>> = serde_json::from_str(&text).unwrap();
        let nodes = |list: Vec<String>| {
            list.iter().enumerate().map(|(i, text)| server(i as u32, text)).collect()
        };
        Servers(lists.into_iter().map(|(name, list)| (name, nodes(list))).collect())
    }

    /// The list of that name.
    pub fn get(&self, name: &str) -> &[Node] {
        self.0.get(name).unwrap_or_else(|| panic!("no server list {name}"))
    }
}

/// `host:port`, `host:port weight=2`, `host:port:2`, `host:port:2 alias`, `host:port hash_key=alias`
/// or `server s1 id 4 weight 10`.
fn server(id: u32, text: &str) -> Node {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap();
    if first == "server" {
        let mut node = Node::named(id, words.next().unwrap());
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            match name {
                "id" => node.server_id = Some(value.parse().unwrap()),
                "weight" => node.weight = value.parse().unwrap(),
                other => panic!("{text}: {other}"),
            }
        }
        return node;
    }
    let parts: Vec<&str> = first.split(':').collect();
    let mut node = Node::named(id, &parts[..parts.len().min(2)].join(":"));
    node.host = Some(parts[0].into());
    node.port = parts.get(1).map(|port| port.parse().unwrap());
    if let Some(weight) = parts.get(2) {
        node.weight = weight.parse().unwrap();
    }
    for word in words {
        match word.split_once('=') {
            Some(("weight", weight)) => node.weight = weight.parse().unwrap(),
            Some(("hash_key", alias)) => node.name = alias.into(),
            Some(other) => panic!("{text}: {other:?}"),
            None => node.name = word.into(),
        }
    }
    node
}

/// The port of a server.
pub fn port(servers: &[Node]) -> impl Fn(Slot) -> String {
    |slot| {
        let port = slot.node().and_then(|id| servers[id.0 as usize].port);
        port.map_or(format!("{slot:?}"), |port| port.to_string())
    }
}

/// The number of a server: of its name if it has no address, of its port where all share an address,
/// else the last part of its address.
pub fn numbers(servers: &[Node]) -> impl Fn(Slot) -> String {
    |slot| {
        let Some(id) = slot.node() else { return format!("{slot:?}") };
        let node = &servers[id.0 as usize];
        match (&node.host, node.port) {
            (Some(host), Some(port)) if &**host == "127.0.0.1" => (port % 100).to_string(),
            (Some(host), _) => host.rsplit('.').next().unwrap().into(),
            (None, _) => node.name.trim_start_matches(char::is_alphabetic).into(),
        }
    }
}

/// The number of a partition.
pub fn number(slot: Slot) -> String {
    slot.node().map_or(format!("{slot:?}"), |id| id.0.to_string())
}
