//! Builds placements of a fixture, whole or deliberately broken, and asks them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock, Mutex};

use shardlab::cluster::{Change, ChangeKind, Cluster, Node};
use shardlab::error::{Error, ErrorKind};
use shardlab::keys::{BATCH_ROWS, Digester, Key, KeyBatch, KeyKind};
use shardlab::params::Params;
use shardlab::strategy::{self, Build, Placement, Slot, StrategyInfo};

use crate::broken::{Broken, Fault};
use crate::facts::Fixture;
use crate::table::TABLE;

/// Where the files of fixtures lie.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data");

/// A fixture under one hasher, perhaps with a fault.
pub struct Subject {
    pub fixture: Fixture,
    pub name: String,
    pub info: &'static StrategyInfo,
    params: Params,
    fault: Option<Fault>,
    members: fn(usize) -> Cluster,
}

/// All rows of the table under all their hashers.
pub fn all() -> Vec<Subject> {
    let subject = |row: &Fixture| -> Vec<Subject> {
        let none = [None];
        let hashers: Vec<Option<&str>> = row.hashers.iter().copied().map(Some).collect();
        let hashers = if hashers.is_empty() { &none[..] } else { &hashers[..] };
        hashers.iter().map(|hasher| Subject::new(*row, *hasher, None)).collect()
    };
    TABLE.iter().flat_map(subject).collect()
}

impl Subject {
    pub fn new(fixture: Fixture, hasher: Option<&str>, fault: Option<Fault>) -> Self {
        let info = strategy::find(fixture.strategy).expect("the table names a strategy");
        let mut given: Vec<_> =
            fixture.given.iter().map(|(name, given)| (name.to_string(), given.value())).collect();
        if let Some(hasher) = hasher {
            given.push(("hasher".into(), shardlab::params::Value::Text(hasher.into())));
        }
        let params = Params::from_pairs(info.params, given).expect("the table's parameters fit");
        let words: Vec<String> = params.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let name = format!("{} ({})", info.name, words.join(" "));
        Subject { fixture, name, info, params, fault, members: cluster }
    }

    /// A preset with its defaults, on servers with addresses; None where it needs more than those.
    pub fn preset(
        fixture: Fixture,
        info: &'static StrategyInfo,
        fault: Option<Fault>,
    ) -> Option<Self> {
        let given = fixture.given.iter().map(|(name, given)| (name.to_string(), given.value()));
        let params = Params::from_pairs(info.params, given.collect()).ok()?;
        let words: Vec<String> = params.iter().map(|(k, v)| format!("{k}={v}")).collect();
        let name = format!("{} ({}) on {:?} keys", info.name, words.join(" "), fixture.keys.kind);
        let subject = Subject { fixture, name, info, params, fault, members: servers };
        match subject.try_build(&servers(8), 1) {
            Err(error) if error.kind == ErrorKind::Unsupported => None,
            built => {
                built.unwrap_or_else(|error| panic!("{}: {error}", subject.name));
                Some(subject)
            }
        }
    }

    /// A broken copy of a strategy's row of defaults.
    pub fn broken(strategy: &str, fault: Fault) -> Self {
        let row = TABLE.iter().find(|f| f.strategy == strategy && f.default).expect("in the table");
        Subject::new(*row, row.hashers.first().copied(), Some(fault))
    }

    fn with<T>(&self, cluster: &Cluster, replicas: usize, f: impl FnOnce(&Build<'_>) -> T) -> T {
        f(&Build {
            cluster,
            params: &self.params,
            keys: self.fixture.keys.kind,
            replicas,
            base: Path::new(DATA),
        })
    }

    pub fn try_build(
        &self,
        cluster: &Cluster,
        replicas: usize,
    ) -> Result<Box<dyn Placement>, Error> {
        let seen = match self.fault {
            Some(fault) => fault.cluster(cluster),
            None => cluster.clone(),
        };
        let inner = self.with(&seen, replicas, |build| self.info.place(build))?;
        Ok(match self.fault {
            Some(fault) => Box::new(Broken::new(inner, fault, cluster)),
            None => inner,
        })
    }

    pub fn build(&self, cluster: &Cluster) -> Box<dyn Placement> {
        self.try_build(cluster, 1).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// The placement after the cluster became `after`: evolved, or built anew.
    pub fn try_evolve(
        &self,
        before: &dyn Placement,
        kind: ChangeKind,
        after: &Cluster,
    ) -> Result<Box<dyn Placement>, Error> {
        let change = Change { kind, text: String::new() };
        let evolve = |build: &Build<'_>| {
            self.info.check(build)?;
            before.evolve(&change, build).transpose()
        };
        match self.with(after, 1, evolve)? {
            Some(evolved) => Ok(evolved),
            None => self.try_build(after, 1),
        }
    }

    pub fn evolve(
        &self,
        before: &dyn Placement,
        kind: ChangeKind,
        after: &Cluster,
    ) -> Box<dyn Placement> {
        self.try_evolve(before, kind, after).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// `rows` keys with the columns that this strategy reads; each set is made once.
    pub fn sample(&self, rows: usize) -> Arc<Vec<KeyBatch>> {
        static MADE: LazyLock<Mutex<BTreeMap<String, Arc<Vec<KeyBatch>>>>> =
            LazyLock::new(Mutex::default);
        let columns = self.build(&(self.members)(8)).columns().to_vec();
        let keys = self.fixture.keys;
        let name = format!("{rows} {:?} {} {columns:?}", keys.kind, (keys.text)(99));
        let mut made = MADE.lock().expect("no test panics while it holds the lock");
        let make = || {
            let mut digester = Digester::new(&columns);
            let rows: Vec<u64> = (0..rows as u64).collect();
            let batch = |rows: &[u64]| {
                let mut batch = KeyBatch::new(keys.kind);
                rows.iter().for_each(|&row| push(&mut batch, keys.kind, &(keys.text)(row)));
                digester.compute(&mut batch);
                batch
            };
            Arc::new(rows.chunks(BATCH_ROWS).map(batch).collect())
        };
        Arc::clone(made.entry(name).or_insert_with(make))
    }

    /// Where the keys live, or where their requests go when the strategy has sessions.
    pub fn answers(&self, placement: &dyn Placement, sample: &[KeyBatch]) -> Vec<Slot> {
        let Some(mut session) = placement.session() else { return place(placement, sample, 1) };
        let columns = placement.columns();
        let mut answers = Vec::new();
        for batch in sample {
            for row in 0..batch.len() {
                let digests: Vec<u64> = columns.iter().map(|c| batch.digests(c)[row]).collect();
                answers.push(session.route(&digests));
            }
        }
        answers
    }
}

/// All slots of the sample, key-major.
pub fn place(placement: &dyn Placement, sample: &[KeyBatch], replicas: usize) -> Vec<Slot> {
    let mut answers = Vec::new();
    for batch in sample {
        let mut out = vec![Slot(7_777_777); batch.len() * replicas];
        placement.place(batch, &mut out);
        answers.extend(out);
    }
    answers
}

fn push(batch: &mut KeyBatch, kind: KeyKind, text: &str) {
    batch.push(&match kind {
        KeyKind::Text => Key::Text(text),
        KeyKind::Bytes => Key::Bytes(text.as_bytes()),
        KeyKind::I64 => Key::I64(text.parse().expect("an integer")),
        KeyKind::U64 => Key::U64(text.parse().expect("an integer")),
        KeyKind::Uuid => Key::Uuid(u128::from_str_radix(text, 16).expect("hex")),
    });
}

/// `n` nodes of 12 ids: those that a change adds have ids too.
pub fn cluster(n: usize) -> Cluster {
    Cluster { ids: 12, ..Cluster::numbered(n, "db{i}") }
}

/// The same with the addresses that presets read.
pub fn servers(n: usize) -> Cluster {
    let mut cluster = cluster(n);
    cluster.nodes.iter_mut().for_each(address);
    cluster
}

/// Gives a node the address that goes with its id.
pub fn address(node: &mut Node) {
    node.host = Some(format!("10.0.0.{}", node.id.0 + 1).into());
    node.port = Some(11211);
}

/// Eight nodes of weights from 0 to 4.
pub fn weighted() -> Cluster {
    let mut cluster = cluster(8);
    for (i, node) in cluster.nodes.iter_mut().enumerate() {
        node.weight = [1.0, 2.0, 3.0, 4.0, 0.5, 1.0, 0.0, 1.5][i];
    }
    cluster
}

/// The cluster with a node added at the end.
pub fn with(cluster: &Cluster, id: u32) -> Cluster {
    let mut cluster = cluster.clone();
    cluster.nodes.push(Node::named(id, &format!("db{id}")));
    cluster
}

/// The cluster without a node.
pub fn without(cluster: &Cluster, id: u32) -> Cluster {
    let mut cluster = cluster.clone();
    cluster.nodes.retain(|n| n.id.0 != id);
    cluster
}
