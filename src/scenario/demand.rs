//! What is asked of the nodes: keys and their traffic, checked.

use std::sync::Arc;

use crate::keys::PatternInfo;
use crate::params::Params;
use crate::traffic::TrafficInfo;

/// Keys and their traffic.
#[derive(Debug, Clone, PartialEq)]
pub struct Workload {
    /// The key pattern.
    pub pattern: &'static PatternInfo,
    /// Its parameters.
    pub keys: Params,
    /// The traffic shape, if the scenario has a `[traffic]` table.
    pub traffic: Option<&'static TrafficInfo>,
    /// Its parameters.
    pub traffic_params: Params,
    /// Requests in total, where the shape needs them.
    pub requests: Option<u64>,
    /// Named hot keys: extra rows after the last chunk.
    pub hot: Vec<HotKey>,
    /// Share of the requests that are writes; None: reads and writes are not told apart by it.
    pub write_share: Option<f64>,
    /// A cache in front of the nodes.
    pub cache: Option<Cache>,
    /// Seed of the keys and ranks.
    pub seed: u64,
    /// The family that the keys are, where the scenario has several.
    pub family: Option<Arc<str>>,
    /// Requests of all families together, which the hot keys have shares of; None: its own.
    pub whole: Option<u64>,
    /// The families of a workload that is all of them together; empty for one that has keys of its own.
    pub families: Vec<Arc<Workload>>,
}

impl Workload {
    /// The loads that its keys carry.
    pub fn loads(&self) -> Vec<&'static str> {
        if let Some(first) = self.families.first() {
            // Only what every family has can be summed.
            let mut loads = first.loads();
            loads.retain(|load| self.families.iter().all(|family| family.loads().contains(load)));
            return loads;
        }
        let requests = self.traffic.is_some_and(|t| t.build.is_some())
            || self.keys.get("requests").is_some()
            || !self.hot.is_empty()
            || self.cache.is_some()
            || self.reads();
        let all = [
            ("keys", true),
            ("requests", requests),
            ("bytes", self.keys.get("bytes").is_some()),
            ("reads", self.reads()),
            ("writes", self.writes()),
        ];
        all.into_iter().filter(|(_, there)| *there).map(|(load, _)| load).collect()
    }

    /// Whether reads are a load of their own: they are told from writes, or a split key treats them
    /// differently. With several families, where it is so for one of them.
    pub fn reads(&self) -> bool {
        let of_key = |hot: &HotKey| hot.split.is_some() || hot.write_share.is_some();
        self.write_share.is_some() || self.hot.iter().any(of_key)
    }

    /// Whether writes are a load of their own: some request is one.
    pub fn writes(&self) -> bool {
        let some = |share: Option<f64>| share.is_some_and(|share| share > 0.0);
        some(self.write_share) || self.hot.iter().any(|hot| some(hot.write_share))
    }
}

/// A named key that takes a share of all requests.
#[derive(Debug, Clone, PartialEq)]
pub struct HotKey {
    /// The key's text; an integer in decimal for integer patterns.
    pub key: String,
    /// Its share of all requests, between 0 and 1.
    pub share: f64,
    /// Share of its requests that are writes; None: that of all traffic.
    pub write_share: Option<f64>,
    /// How it is split.
    pub split: Option<Split>,
    /// The family that it belongs to, where there are several.
    pub family: Option<String>,
}

impl HotKey {
    /// How many rows it makes.
    pub fn parts(&self) -> u64 {
        self.split.map_or(1, |split| split.parts)
    }
}

/// A hot key in parts `key:0`, `key:1` …, of which a write takes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Split {
    /// Number of parts, at least 1; 1 leaves the key as it is.
    pub parts: u64,
    /// What a read does.
    pub reads: SplitReads,
}

/// How a split key is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplitReads {
    /// All parts are read and merged.
    All,
    /// Any one part answers.
    One,
}

/// A cache in front of the nodes: it answers reads of the hottest keys.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cache {
    /// How many keys it holds: the named hot keys, then the rows of the first ranks.
    pub keys: u64,
    /// Share of the reads of those keys that it answers, from 0 to 1.
    pub hit: f64,
    /// Clients that have a cache each.
    pub instances: u64,
}
