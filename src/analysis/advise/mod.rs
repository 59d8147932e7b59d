//! Which strategy to take: the candidates of a scenario with `[needs]`, measured, held against the needs,
//! and ranked.
//!
//! Nothing is run here. The candidates are cells of an ordinary scenario, and [`measures`] reads its
//! record; only how many keys a router sends elsewhere than the system to match ([`matching`]) is counted
//! anew. [`judge`] rules out what misses a need, each time with a fact that the strategy declares or a
//! figure that was measured. [`front`] ranks what is left.
//!
//! The rule of the ranking: a candidate costs the spare capacity that its fullest node must have (max over
//! mean − 1) and the keys that it moves beyond the least, both as shares of the load and so added up; the
//! smaller sum stands first, then fewer steps of a look-up, then fewer bytes. Figures are compared as they
//! are shown (skew to 0.01, movement to 0.1 %, steps to 0.1), so that chance in the last digit decides
//! nothing. What is at least as good in all four and better in one dominates, and never stands below.

pub mod front;
pub mod judge;
pub mod matching;
pub mod measures;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::record::Record;
use crate::scenario::{Needs, Scenario};
use front::{Cost, rank};
use measures::{Measures, groups};

/// Name of the schema.
pub const SCHEMA: &str = "shardlab.advice/1";

/// The advice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Advice {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of shardlab.
    pub shardlab: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// What was measured on: nodes along the paths, keys.
    pub setting: String,
    /// What it needs.
    pub needs: Vec<Need>,
    /// Whether some path has a change, so that movement could be measured.
    pub changes: bool,
    /// Whether the candidates are shardlab's own list, not (only) the scenario's tables.
    pub own_list: bool,
    /// The candidates that meet every need, the best first; then those ruled out, the nearest first: fewest
    /// needs missed, then the smallest share sent elsewhere than the system to match, then their order.
    pub candidates: Vec<Candidate>,
    /// Strategies that were not tried.
    pub not_tried: Vec<NotTried>,
}

/// One need and what it rules out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Need {
    /// Its name in `[needs]`; `cluster` and `every key` hold always.
    pub need: String,
    /// In words.
    pub text: String,
    /// Candidates that miss it.
    pub rules_out: usize,
    /// Candidates that miss nothing else: they are left if it is dropped.
    pub alone: usize,
    /// The nearest figure of those that miss nothing else, where it is a matter of figures.
    pub nearest: Option<f64>,
}

/// A strategy with its settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Candidate {
    /// Its id in the record, without what is not its own.
    pub candidate: String,
    /// The strategy's family.
    pub strategy: String,
    /// The real system, if it is one.
    pub preset: Option<String>,
    /// Place among those left, from 1; None: ruled out.
    pub rank: Option<usize>,
    /// Whether nothing that is left dominates it; false for what is ruled out.
    pub front: bool,
    /// The best of what dominates it.
    pub dominated_by: Option<String>,
    /// What was measured; None where nothing could be built.
    pub measures: Option<Measures>,
    /// Why it is ruled out.
    pub ruled_out: Vec<Reason>,
}

/// Why a candidate is ruled out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Reason {
    /// The need that it misses.
    pub need: &'static str,
    /// What tells so.
    pub evidence: Evidence,
    /// In words, with the figures.
    pub text: String,
    /// The figure, if one was measured.
    pub measured: Option<f64>,
    /// What the need allows.
    pub allowed: Option<f64>,
}

/// What tells that a need is missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// A fact of the strategy.
    Declared,
    /// A figure of the record.
    Measured,
}

/// A strategy that was not tried.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct NotTried {
    /// Its name.
    pub strategy: String,
    /// Why.
    pub reason: String,
}

/// What follows for the scenario's needs from its record; `differs` holds by cell the largest share of
/// keys that it sends elsewhere than the system to match.
pub fn advise(scenario: &Scenario, record: &Record, differs: &[Option<f64>]) -> Advice {
    let none = Needs::default();
    let needs = scenario.needs.as_ref().unwrap_or(&none);
    let groups = groups(scenario);
    let mut candidates: Vec<Candidate> = Vec::new();
    for (name, cells) in &groups {
        let measures = measures::of(scenario, record, cells, differs);
        let ruled_out = judge::judge(needs, scenario, record, cells, measures.as_ref());
        let first = &record.cells[cells[0]];
        candidates.push(Candidate {
            candidate: name.clone(),
            strategy: first.strategy.clone(),
            preset: first.preset.clone(),
            rank: None,
            front: false,
            dominated_by: None,
            measures,
            ruled_out,
        });
    }
    let stated = stated(needs, scenario, &candidates);
    let (left, out): (Vec<_>, Vec<_>) =
        candidates.into_iter().partition(|candidate| candidate.ruled_out.is_empty());
    let mut candidates = ranked(left);
    let mut out = out;
    let differs = |c: &Candidate| c.measures.and_then(|m| m.differs).unwrap_or(1.0);
    out.sort_by(|a, b| {
        let nearer = a.ruled_out.len().cmp(&b.ruled_out.len());
        nearer.then(differs(a).total_cmp(&differs(b)))
    });
    candidates.extend(out);
    let not_tried = needs.not_tried.iter();
    Advice {
        schema: SCHEMA.into(),
        shardlab: env!("CARGO_PKG_VERSION").into(),
        scenario: scenario.name.clone(),
        title: scenario.title.clone(),
        setting: setting(scenario, record),
        needs: stated,
        changes: scenario.cells.iter().any(|cell| cell.steps.len() > 1),
        own_list: needs.filled,
        candidates,
        not_tried: not_tried
            .map(|(name, reason)| NotTried { strategy: name.to_string(), reason: reason.clone() })
            .collect(),
    }
}

/// Nodes along each path, and keys.
fn setting(scenario: &Scenario, record: &Record) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut add = |part: String| {
        if !parts.contains(&part) {
            parts.push(part);
        }
    };
    for cell in &scenario.cells {
        let mut path = String::new();
        for step in &cell.steps {
            let cluster = &step.cluster;
            let live = cluster.nodes.len() - cluster.down.len();
            let weights = if cluster.is_unweighted() { "" } else { " unequal" };
            let arrow = if path.is_empty() { "" } else { " → " };
            path += &format!("{arrow}{live}{weights}");
        }
        add(format!("{path} node{}", if path == "1" { "" } else { "s" }));
    }
    for cell in &record.cells {
        let rows = crate::report::number::grouped(cell.workload.rows);
        let traffic = cell.workload.traffic.as_ref();
        let traffic = traffic.map_or(String::new(), |shape| format!(", {shape} traffic"));
        add(format!("{rows} keys ({}{traffic})", cell.workload.pattern));
    }
    const SHOWN: usize = 8;
    let more = parts.len().saturating_sub(SHOWN);
    parts.truncate(SHOWN);
    parts.join("; ") + &if more > 0 { format!("; {more} more") } else { String::new() }
}

/// Those left, the best first, with their places.
fn ranked(mut left: Vec<Candidate>) -> Vec<Candidate> {
    let cost = |candidate: &Candidate| Cost::of(candidate.measures.as_ref().expect("it was built"));
    let costs: Vec<Cost> = left.iter().map(cost).collect();
    let ranking = rank(&costs);
    let names: Vec<String> = left.iter().map(|candidate| candidate.candidate.clone()).collect();
    for (place, one) in ranking.iter().enumerate() {
        let candidate = &mut left[one.index];
        candidate.rank = Some(place + 1);
        candidate.front = one.dominated_by.is_none();
        candidate.dominated_by = one.dominated_by.map(|other| names[other].clone());
    }
    left.sort_by_key(|candidate| candidate.rank);
    left
}

/// The needs in words, and what each rules out.
fn stated(needs: &Needs, scenario: &Scenario, candidates: &[Candidate]) -> Vec<Need> {
    let texts = judge::texts(needs, scenario).into_iter();
    let of = |(need, text): (&'static str, String)| {
        let misses = |c: &&Candidate| c.ruled_out.iter().any(|reason| reason.need == need);
        let only = |c: &&Candidate| c.ruled_out.iter().all(|reason| reason.need == need);
        let missing: Vec<&Candidate> = candidates.iter().filter(misses).collect();
        let alone: Vec<&&Candidate> = missing.iter().filter(|c| only(c)).collect();
        // Of a need that is missed in several ways the worst figure counts.
        let worst = |c: &Candidate| {
            let figures = c.ruled_out.iter().map(|reason| reason.measured);
            figures.collect::<Option<Vec<f64>>>()?.into_iter().reduce(f64::max)
        };
        Need {
            need: need.into(),
            text,
            rules_out: missing.len(),
            alone: alone.len(),
            nearest: alone.iter().filter_map(|c| worst(c)).reduce(f64::min),
        }
    };
    // What holds always is worth a line only where it rules something out.
    let worth = |need: &Need| !judge::ALWAYS.contains(&need.need.as_str()) || need.rules_out > 0;
    texts.map(of).filter(worth).collect()
}
