//! From counts to the record: whom each query asks at a step, and who answers.

use super::{Asked, Matcher, Parts, QuerySet};
use crate::cluster::Cluster;
use crate::keys::{Digester, KeyBatch};
use crate::record::{Queries, QueryFigures, QueryNode, QueryRecord};
use crate::sim::plan::Routed;
use crate::sim::replay::place;
use crate::strategy::{Slot, owners_of};

/// Most nodes of a query that the record lists.
const RECORD_NODES: usize = 1024;

/// How the router knew whom to ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    Owners,
    Keys,
    Scatter,
}

impl Answered {
    fn name(self) -> &'static str {
        match self {
            Answered::Owners => "owners",
            Answered::Keys => "keys",
            Answered::Scatter => "scatter",
        }
    }
}

/// One query at one step, by live node in the cluster's order.
struct Outcome {
    answered: Answered,
    asked: Vec<bool>,
    keys: Vec<u64>,
    missing: u64,
}

/// What the queries take at one step.
pub struct StepQueries<'a> {
    /// The queries.
    pub set: &'a QuerySet,
    /// Rows by point, over all threads.
    pub matcher: &'a Matcher,
    /// Rows by segment and row of the tally.
    pub counts: &'a [u64],
    /// The placement.
    pub routed: &'a Routed,
    /// The cluster.
    pub cluster: &'a Cluster,
    /// Ids of its live nodes, in order.
    pub live: &'a [usize],
}

impl StepQueries<'_> {
    /// The record; None without queries.
    pub fn record(&self) -> Option<Queries> {
        if self.set.is_empty() {
            return None;
        }
        let upto = self.sums();
        let listed = self.listed();
        let mut each = Vec::new();
        for asked in &self.set.asked {
            let outcomes = self.outcomes(asked, &upto, &listed);
            let nodes = match outcomes.as_slice() {
                [one] if !asked.drawn && self.live.len() <= RECORD_NODES => Some(self.nodes(one)),
                _ => None,
            };
            each.push(QueryRecord {
                query: asked.name.clone(),
                kind: asked.kind.into(),
                queries: outcomes.len() as u64,
                share: asked.share,
                answered: answered(&outcomes).into(),
                figures: figures(&outcomes),
                nodes,
            });
        }
        Some(Queries { all: together(&each), each })
    }

    fn rows(&self) -> usize {
        self.cluster.ids + Slot::OUTCOMES
    }

    /// Rows by node in all segments before each, so that a range is the difference of two.
    fn sums(&self) -> Vec<u64> {
        let rows = self.rows();
        let mut sums = vec![0; rows + self.counts.len()];
        for (at, count) in self.counts.iter().enumerate() {
            sums[rows + at] = sums[at] + count;
        }
        sums
    }

    /// Where the listed keys live.
    fn listed(&self) -> Vec<Slot> {
        let Some(listed) = &self.set.listed else { return Vec::new() };
        let placement = self.routed.placement.as_ref();
        let mut batch: KeyBatch = listed.clone();
        Digester::new(placement.columns()).compute(&mut batch);
        let mut slots = Vec::new();
        place(placement, &self.routed.down, self.routed.replicas, &batch, &mut slots);
        slots.into_iter().step_by(self.routed.replicas).collect()
    }

    fn outcomes(&self, asked: &Asked, upto: &[u64], listed: &[Slot]) -> Vec<Outcome> {
        match &asked.parts {
            Parts::Ranges(ranges) => ranges.clone().map(|at| self.range(at, upto)).collect(),
            Parts::Lists(lists) => lists.iter().map(|rows| self.list(rows, listed)).collect(),
        }
    }

    fn range(&self, at: usize, upto: &[u64]) -> Outcome {
        let rows = self.rows();
        let (first, end) = self.set.spans[at];
        let count = |row: usize| upto[end * rows + row] - upto[first * rows + row];
        let keys = self.live.iter().map(|&id| count(id)).collect();
        let owners = owners_of(self.routed.placement.as_ref(), &self.set.ranges[at]);
        Outcome {
            answered: if owners.is_some() { Answered::Owners } else { Answered::Scatter },
            asked: match &owners {
                Some(owners) => self.among(owners.iter().copied()),
                None => vec![true; self.live.len()],
            },
            keys,
            missing: (self.cluster.ids..rows).map(count).sum(),
        }
    }

    fn list(&self, rows: &std::ops::Range<usize>, listed: &[Slot]) -> Outcome {
        // A key that is listed twice is asked for once.
        let mut points: Vec<(usize, Slot)> =
            rows.clone().map(|row| (self.set.point_of[row], listed[row])).collect();
        points.sort_unstable();
        points.dedup();
        let mut at = vec![0; self.rows()];
        for (point, slot) in &points {
            at[slot.index(self.cluster.ids)] += self.matcher.at_points[*point];
        }
        Outcome {
            answered: Answered::Keys,
            asked: self.among(points.iter().map(|(_, slot)| *slot)),
            keys: self.live.iter().map(|&id| at[id]).collect(),
            missing: at[self.cluster.ids..].iter().sum(),
        }
    }

    /// Which live nodes are among the slots.
    fn among(&self, slots: impl Iterator<Item = Slot>) -> Vec<bool> {
        let mut there = vec![false; self.rows()];
        slots.for_each(|slot| there[slot.index(self.cluster.ids)] = true);
        self.live.iter().map(|&id| there[id]).collect()
    }

    fn nodes(&self, outcome: &Outcome) -> Vec<QueryNode> {
        let up = self.cluster.nodes.iter().filter(|node| !self.cluster.down.contains(&node.id));
        up.zip(outcome.asked.iter().zip(&outcome.keys))
            .filter(|(_, (asked, keys))| **asked || **keys > 0)
            .map(|(node, (&asked, &keys))| QueryNode { node: node.name.to_string(), asked, keys })
            .collect()
    }
}

fn answered(outcomes: &[Outcome]) -> &'static str {
    let first = outcomes[0].answered;
    match outcomes.iter().all(|outcome| outcome.answered == first) {
        true => first.name(),
        false => "mixed",
    }
}

/// Mean, standard deviation and most of whole numbers.
fn spread(values: impl Iterator<Item = u64> + Clone) -> (f64, f64, u64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().map(u128::from).sum::<u128>() as f64 / count;
    let off = |x: u64| (x as f64 - mean) * (x as f64 - mean);
    let squares: f64 = values.clone().map(off).sum();
    (mean, libm::sqrt(squares / count), values.max().unwrap_or(0))
}

/// Figures over the queries of one table.
fn figures(outcomes: &[Outcome]) -> QueryFigures {
    let matching = |o: &Outcome| o.keys.iter().sum::<u64>() + o.missing;
    let touched = |o: &Outcome| o.keys.iter().filter(|keys| **keys > 0).count() as u64;
    let asked = |o: &Outcome| o.asked.iter().filter(|asked| **asked).count() as u64;
    let keys = spread(outcomes.iter().map(matching));
    let missing = spread(outcomes.iter().map(|o| o.missing));
    let touched = spread(outcomes.iter().map(touched));
    let asked = spread(outcomes.iter().map(asked));
    let scatter = spread(outcomes.iter().map(|o| u64::from(o.answered == Answered::Scatter)));
    let busiest: Vec<f64> = outcomes
        .iter()
        .filter(|outcome| matching(outcome) > 0)
        .map(|o| o.keys.iter().copied().max().unwrap_or(0) as f64 / matching(o) as f64)
        .collect();
    QueryFigures {
        keys: keys.0,
        keys_sd: keys.1,
        keys_missing: missing.0,
        nodes_touched: touched.0,
        nodes_touched_sd: touched.1,
        nodes_touched_max: touched.2,
        nodes_asked: asked.0,
        nodes_asked_sd: asked.1,
        nodes_asked_max: asked.2,
        scatter_share: scatter.0,
        busiest_node_share: (!busiest.is_empty())
            .then(|| busiest.iter().sum::<f64>() / busiest.len() as f64),
    }
}

/// Figures over all queries: each table counts with its share.
fn together(each: &[QueryRecord]) -> QueryFigures {
    let mean = |get: fn(&QueryFigures) -> f64| -> f64 {
        each.iter().map(|query| query.share * get(&query.figures)).sum()
    };
    // Spread within the tables, and between their means.
    let sd = |get: fn(&QueryFigures) -> (f64, f64)| {
        let all: f64 = each.iter().map(|query| query.share * get(&query.figures).0).sum();
        let variance = |query: &QueryRecord| {
            let (mean, sd) = get(&query.figures);
            query.share * (sd * sd + (mean - all) * (mean - all))
        };
        libm::sqrt(each.iter().map(variance).sum())
    };
    let most = |get: fn(&QueryFigures) -> u64| {
        each.iter().map(|query| get(&query.figures)).max().unwrap_or(0)
    };
    let busiest: Vec<(f64, f64)> =
        each.iter().filter_map(|q| Some((q.share, q.figures.busiest_node_share?))).collect();
    let matching: f64 = busiest.iter().map(|(share, _)| share).sum();
    QueryFigures {
        keys: mean(|f| f.keys),
        keys_sd: sd(|f| (f.keys, f.keys_sd)),
        keys_missing: mean(|f| f.keys_missing),
        nodes_touched: mean(|f| f.nodes_touched),
        nodes_touched_sd: sd(|f| (f.nodes_touched, f.nodes_touched_sd)),
        nodes_touched_max: most(|f| f.nodes_touched_max),
        nodes_asked: mean(|f| f.nodes_asked),
        nodes_asked_sd: sd(|f| (f.nodes_asked, f.nodes_asked_sd)),
        nodes_asked_max: most(|f| f.nodes_asked_max),
        scatter_share: mean(|f| f.scatter_share),
        busiest_node_share: (matching > 0.0)
            .then(|| busiest.iter().map(|(share, busy)| share * busy).sum::<f64>() / matching),
    }
}
