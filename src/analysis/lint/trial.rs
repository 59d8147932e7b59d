//! Trying a change on all keys: another view of them, another parameter, another number of nodes.

use std::path::Path;
use std::sync::Arc;

use crate::analysis::disagree::Side;
use crate::analysis::distinct::fingerprint;
use crate::analysis::lint::profile::integer;
use crate::cluster::Cluster;
use crate::error::Error;
use crate::keys::{Digester, Key, KeyBatch, KeyKind};
use crate::metrics::balance::balance;
use crate::metrics::special::{gamma_p, gamma_q};
use crate::params::{Params, Value};
use crate::scenario::Step;
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::replay::place;
use crate::sim::scan::scan;
use crate::strategy::{Build, Placement, Slot};

/// Probability below which an uneven node is not chance: one wrong alarm in a thousand.
pub const LEVEL: f64 = 1e-3;

/// What is done to a key before it is routed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// Nothing.
    Keep,
    /// An integer's low bits are dropped.
    Shift(u32),
    /// An integer is divided, rounding down.
    Divide(u64),
    /// A text becomes the integer that it is; what is none is left out.
    AsInteger,
    /// A text that is an integer is written as integers are.
    Canonical,
    /// An integer goes through a double, as in JavaScript and in many JSON readers.
    ThroughDouble,
    /// The row's number is appended: the key together with a unique column.
    WithRow,
    /// The row's number modulo a number of parts is appended to one value.
    Salt {
        /// The value's fingerprint.
        value: u64,
        /// How many parts.
        parts: u64,
    },
}

impl Transform {
    /// The type of keys that it gives.
    pub fn kind(&self, from: KeyKind) -> KeyKind {
        match self {
            Transform::AsInteger => KeyKind::I64,
            Transform::Canonical | Transform::WithRow | Transform::Salt { .. } => KeyKind::Text,
            _ => from,
        }
    }

    /// Fills `out` with what becomes of the batch's keys, and `rows` with the row of each.
    fn apply(&self, batch: &KeyBatch, out: &mut KeyBatch, rows: &mut Vec<usize>) {
        out.clear(batch.first_row);
        rows.clear();
        for row in 0..batch.len() {
            let key = batch.key(row);
            let mut push = |key: &Key<'_>| {
                out.push(key);
                rows.push(row);
            };
            match (self, key) {
                (Transform::Shift(bits), Key::I64(n)) => push(&Key::I64(n >> bits)),
                (Transform::Shift(bits), Key::U64(n)) => push(&Key::U64(n >> bits)),
                (Transform::Divide(by), Key::I64(n)) => {
                    push(&Key::I64(n.div_euclid(*by as i64)));
                }
                (Transform::Divide(by), Key::U64(n)) => push(&Key::U64(n / by)),
                (Transform::ThroughDouble, Key::I64(n)) => push(&Key::I64(n as f64 as i64)),
                (Transform::ThroughDouble, Key::U64(n)) => push(&Key::U64(n as f64 as u64)),
                (Transform::ThroughDouble, Key::Text(text)) => match integer(text.as_bytes()) {
                    Some(n) => push(&Key::Text(&(n as f64 as i128).to_string())),
                    None => push(&Key::Text(text)),
                },
                (Transform::AsInteger, Key::Text(text)) => {
                    if let Some(n) = integer(text.as_bytes()).and_then(|n| i64::try_from(n).ok()) {
                        push(&Key::I64(n));
                    }
                }
                (Transform::AsInteger, Key::U64(n)) => push(&Key::I64(n as i64)),
                (Transform::Canonical, key) => {
                    let text = key.to_string();
                    let text = integer(text.as_bytes()).map_or(text, |n| n.to_string());
                    push(&Key::Text(&text));
                }
                (Transform::WithRow, key) => {
                    let number = batch.first_row + row as u64;
                    push(&Key::Text(&format!("{key}:{number}")));
                }
                (Transform::Salt { value, parts }, key) => {
                    if fingerprint(batch, row) == *value {
                        let part = (batch.first_row + row as u64) % parts;
                        push(&Key::Text(&format!("{key}:{part}")));
                    } else {
                        push(&Key::Text(&key.to_string()));
                    }
                }
                (_, key) => push(&key),
            }
        }
    }
}

/// A routing that is to be tried with other parameters, node counts and types of keys.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// Strategy, parameters, cluster.
    pub step: &'a Step,
    /// The folder that relative paths start from.
    pub base: &'a Path,
}

/// One way to route the keys.
#[derive(Debug, Clone)]
pub struct Trial {
    /// What is changed, as advice: `id >> 12`.
    pub what: String,
    transform: Transform,
    kind: KeyKind,
    cluster: Arc<Cluster>,
    placement: Arc<dyn Placement>,
}

impl Setup<'_> {
    /// A way to route `from` keys: transformed, with these parameters set, over so many nodes.
    ///
    /// # Errors
    /// What the strategy cannot do, or a parameter that it does not have.
    pub fn trial(
        &self,
        what: impl Into<String>,
        from: KeyKind,
        transform: Transform,
        set: &[(&str, Value)],
        nodes: Option<usize>,
    ) -> Result<Trial, Error> {
        let Step { strategy, params, cluster, .. } = self.step;
        let kind = transform.kind(from);
        // A system that numbers partitions has as many as there are nodes to be.
        let mut set = set.to_vec();
        if let Some(n) = nodes.filter(|_| params.get("partitions").is_some()) {
            set.push(("partitions", Value::Int(n as i64)));
        }
        let params = if set.is_empty() {
            params.clone()
        } else {
            let kept = params.iter().filter(|(name, _)| set.iter().all(|(new, _)| new != name));
            // A seed of the old hash function may be none of the new one.
            let kept = kept.filter(|(name, _)| {
                *name != "hash-seed" || set.iter().all(|(new, _)| *new != "hasher")
            });
            let mut given: Vec<(String, Value)> =
                kept.map(|(name, value)| (name.to_string(), value.clone())).collect();
            given.extend(set.iter().map(|(name, value)| ((*name).to_string(), value.clone())));
            Params::from_pairs(strategy.params, given)?
        };
        let cluster = match nodes {
            Some(n) => Arc::new(Cluster::numbered(n, "node{i}")),
            None => cluster.clone(),
        };
        let build =
            Build { cluster: &cluster, params: &params, keys: kind, replicas: 1, base: self.base };
        let placement: Arc<dyn Placement> = strategy.place(&build)?.into();
        if placement.session().is_some() {
            return Err(Error::unsupported(format!(
                "`{}` places a key by the requests that are open: its keys are not at fault for who is full",
                strategy.name
            )));
        }
        Ok(Trial { what: what.into(), transform, kind, cluster, placement })
    }

    /// Whether the strategy has a parameter.
    pub fn has(&self, param: &str) -> bool {
        self.step.strategy.params.iter().any(|p| p.name == param)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.step.cluster.nodes.len()
    }
}

impl Trial {
    /// The digest columns that the placement reads.
    pub fn columns(&self) -> &[crate::keys::ColumnSpec] {
        self.placement.columns()
    }
}

/// How the keys came to lie.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// What was tried.
    pub what: String,
    /// Keys.
    pub keys: u64,
    /// Nodes.
    pub nodes: usize,
    /// Nodes with at least one key.
    pub used: usize,
    /// Largest load ÷ fair load.
    pub max_over_mean: f64,
    /// Keys without a node: misrouted, refused, absent.
    pub outcomes: [u64; Slot::OUTCOMES],
    /// Share of the keys on another node than without the change; None where the nodes are others.
    pub moved: Option<f64>,
    /// The chance that independent keys leave some node this far from its share (at most; by Bonferroni).
    pub chance: f64,
    /// Numbers of the nodes with keys, in the cluster's order.
    pub reached: Vec<usize>,
    /// The share of the keys that each node may hope for, of sum 1: owned where that is known, else fair.
    pub shares: Vec<f64>,
}

/// How distinct keys lie, each counted once, however often it comes: what a hash makes of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfKeys {
    /// Distinct keys.
    pub keys: u64,
    /// Most keys of a node ÷ its fair number.
    pub max_over_mean: f64,
    /// The chance that independent keys leave some node this far from its share (at most; by Bonferroni).
    pub chance: f64,
}

impl Measure {
    /// Whether the keys, so many distinct ones, lie as well as they can: no node is off by more than chance
    /// explains or than is tolerated, none is idle that need not be, and every key has a node.
    pub fn is_fine(&self, tolerated: f64, distinct: u64) -> bool {
        let placed = self.outcomes[0] == 0 && self.outcomes[2] == 0;
        let even = self.chance >= LEVEL || self.max_over_mean <= tolerated;
        placed && even && !self.leaves_idle(distinct)
    }

    /// How many nodes so many distinct keys reach on average under an ideal hash.
    pub fn expected_used(&self, distinct: u64) -> f64 {
        self.shares.iter().map(|share| 1.0 - libm::pow(1.0 - share, distinct as f64)).sum()
    }

    /// Whether more nodes are idle than chance leaves so with an ideal hash: chance leaves one or two; more
    /// than three, or than a twentieth of those expected, it does not.
    pub fn leaves_idle(&self, distinct: u64) -> bool {
        let expected = self.expected_used(distinct);
        let short = expected - self.used as f64;
        let all = self.shares.iter().filter(|share| **share > 0.0).count() as f64;
        short > 3.0_f64.max(0.05 * expected) || (short >= 0.9 && expected > all - 0.1)
    }
}

struct Counts {
    digester: Digester,
    keys: KeyBatch,
    rows: Vec<usize>,
    slots: Vec<Slot>,
    at: Vec<u64>,
    moved: u64,
}

/// Routes all rows by every trial, in one pass; the first is what the others are compared with.
///
/// # Errors
/// A fault of a key file; an interrupt.
pub fn measure(
    trials: &[Trial],
    input: &Input,
    progress: &dyn Progress,
) -> Result<Vec<Measure>, Error> {
    progress.begin("trying changes", input.rows);
    let kind = input.source.kind();
    let new = || {
        let counts = |trial: &Trial| Counts {
            digester: Digester::new(trial.placement.columns()),
            keys: KeyBatch::new(trial.kind),
            rows: Vec::new(),
            slots: Vec::new(),
            at: vec![0; trial.cluster.ids + Slot::OUTCOMES],
            moved: 0,
        };
        (trials.iter().map(counts).collect::<Vec<_>>(), vec![Slot::ABSENT; 0])
    };
    let visit = |(all, first): &mut (Vec<Counts>, Vec<Slot>), batch: &KeyBatch| {
        debug_assert_eq!(batch.kind(), kind);
        for (i, (trial, counts)) in trials.iter().zip(all.iter_mut()).enumerate() {
            trial.transform.apply(batch, &mut counts.keys, &mut counts.rows);
            counts.digester.compute(&mut counts.keys);
            let placement = trial.placement.as_ref();
            place(placement, &trial.cluster.down, 1, &counts.keys, &mut counts.slots);
            if i == 0 {
                first.clear();
                first.resize(batch.len(), Slot::ABSENT);
                counts.rows.iter().zip(&counts.slots).for_each(|(&row, &slot)| first[row] = slot);
            }
            let ids = trial.cluster.ids;
            for (&row, &slot) in counts.rows.iter().zip(&counts.slots) {
                counts.at[slot.index(ids)] += 1;
                counts.moved += u64::from(first[row] != slot);
            }
        }
    };
    let parts = scan(input, &[], progress, new, visit)?;
    let same = |trial: &Trial| trial.cluster.nodes == trials[0].cluster.nodes;
    Ok(trials
        .iter()
        .enumerate()
        .map(|(i, trial)| {
            let mut at = vec![0u64; trial.cluster.ids + Slot::OUTCOMES];
            let mut moved = 0;
            for (part, _) in &parts {
                at.iter_mut().zip(&part[i].at).for_each(|(sum, n)| *sum += n);
                moved += part[i].moved;
            }
            let measure = measured(trial, &at);
            let keys = measure.keys.max(1) as f64;
            Measure { moved: same(trial).then(|| moved as f64 / keys), ..measure }
        })
        .collect())
}

fn measured(trial: &Trial, at: &[u64]) -> Measure {
    let ids = trial.cluster.ids;
    let counts: Vec<u64> = trial.live().iter().map(|&id| at[id]).collect();
    let fair = trial.pick(&trial.cluster.fair_shares());
    let owned = trial.placement.ownership().map(|o| trial.pick(&o.shares(ids)));
    let shares = owned.unwrap_or_else(|| fair.clone());
    let whole: f64 = shares.iter().sum();
    let reached: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
    Measure {
        what: trial.what.clone(),
        keys: at.iter().sum(),
        nodes: counts.len(),
        used: reached.len(),
        max_over_mean: balance(&counts, &fair).max_over_mean,
        outcomes: [at[ids], at[ids + 1], at[ids + 2]],
        moved: None,
        chance: chance(&counts, &shares),
        reached,
        shares: shares.iter().map(|share| share / whole).collect(),
    }
}

impl Trial {
    /// Ids of the live nodes, in the cluster's order.
    fn live(&self) -> Vec<usize> {
        let up = self.cluster.nodes.iter().filter(|node| !self.cluster.down.contains(&node.id));
        up.map(|node| node.id.0 as usize).collect()
    }

    /// The shares of the live nodes.
    fn pick(&self, shares: &[f64]) -> Vec<f64> {
        self.live().iter().map(|&id| shares[id]).collect()
    }

    /// As a router of keys.
    pub fn side(&self) -> Side<'_> {
        Side { cluster: &self.cluster, placement: self.placement.clone() }
    }
}

impl OfKeys {
    /// Of distinct keys that lie so on the live nodes, whose shares `measure` has.
    pub fn new(trial: &Trial, counts: &[u64], measure: &Measure) -> Self {
        let fair = trial.pick(&trial.cluster.fair_shares());
        OfKeys {
            keys: counts.iter().sum(),
            max_over_mean: balance(counts, &fair).max_over_mean,
            chance: chance(counts, &measure.shares),
        }
    }
}

/// The chance that independent keys leave some node as far from its share as the farthest one is: twice
/// the number of nodes times the least tail of a Poisson count, which is at most 1.
fn chance(counts: &[u64], shares: &[f64]) -> f64 {
    let keys: u64 = counts.iter().sum();
    let whole: f64 = shares.iter().sum();
    let least = counts
        .iter()
        .zip(shares)
        .map(|(&count, share)| {
            let mean = keys as f64 * share / whole;
            if mean <= 0.0 {
                return if count > 0 { 0.0 } else { 1.0 };
            }
            // P(X ≥ n) = P(n, mean) and P(X ≤ n) = Q(n + 1, mean) of the incomplete gamma functions.
            let above = if count == 0 { 1.0 } else { gamma_p(count as f64, mean) };
            above.min(gamma_q(count as f64 + 1.0, mean))
        })
        .fold(1.0, f64::min);
    (2.0 * counts.len() as f64 * least).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn chance_alone_is_rarely_called_uneven() {
        // Each of 300 sets of ideal counts is below 0.01 with at most that probability: more than 12 are,
        // once in 40 000 runs.
        let mut stream = Stream::new(4, Purpose::Keys, 0);
        let mut low = 0;
        for _ in 0..300 {
            let mut counts = [0u64; 32];
            (0..3200).for_each(|_| counts[stream.below(32) as usize] += 1);
            low += u32::from(chance(&counts, &[1.0 / 32.0; 32]) < 0.01);
        }
        assert!(low <= 12, "{low} of 300");
        assert!(chance(&[200, 100, 100, 100], &[0.25; 4]) < LEVEL);
        assert_eq!(chance(&[1, 0], &[0.0, 1.0]), 0.0, "a node without a share has a key");
        assert_eq!(chance(&[0, 0], &[0.5, 0.5]), 1.0);
    }

    #[test]
    fn keys_are_transformed_as_programs_do() {
        let run = |transform: Transform, kind: KeyKind, keys: &[Key<'_>]| {
            let mut batch = KeyBatch::new(kind);
            keys.iter().for_each(|key| batch.push(key));
            let mut out = KeyBatch::new(transform.kind(kind));
            let mut rows = Vec::new();
            transform.apply(&batch, &mut out, &mut rows);
            (0..out.len()).map(|i| out.key(i).to_string()).collect::<Vec<_>>().join(" ")
        };
        let big = (1i64 << 53) + 1;
        assert_eq!(run(Transform::Shift(2), KeyKind::I64, &[Key::I64(-5), Key::I64(9)]), "-2 2");
        assert_eq!(run(Transform::Divide(3), KeyKind::I64, &[Key::I64(-5), Key::I64(9)]), "-2 3");
        assert_eq!(
            run(Transform::ThroughDouble, KeyKind::I64, &[Key::I64(big)]),
            (big - 1).to_string()
        );
        assert_eq!(
            run(
                Transform::ThroughDouble,
                KeyKind::Text,
                &[Key::Text("9007199254740993"), Key::Text("x")]
            ),
            "9007199254740992 x"
        );
        assert_eq!(
            run(Transform::AsInteger, KeyKind::Text, &[Key::Text("007"), Key::Text("x")]),
            "7"
        );
        let salt = Transform::Salt { value: crate::analysis::distinct::of_bytes(b"a"), parts: 2 };
        let keys = [Key::Text("a"), Key::Text("ab"), Key::Text("a"), Key::Text("b")];
        assert_eq!(run(salt, KeyKind::Text, &keys), "a:0 ab a:0 b");
        assert_eq!(run(Transform::WithRow, KeyKind::Text, &keys[..2]), "a:0 ab:1");
    }
}
