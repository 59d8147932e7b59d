//! What differs between two records: by cell, step and metric.
//!
//! Cells are the same when their `at` is: the same values on the same axes. Beside the metrics, the loads
//! of every node are compared, since two placements can be equally uneven and yet not the same.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::error::Error;
use crate::metrics::{self, Metric};
use crate::record::{CellRecord, Record, SCHEMA, StepRecord};

/// How much two values may differ.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tolerance {
    /// As a share of the larger of the two, in magnitude.
    pub relative: f64,
    /// In the metric's own unit; what differs by less is within the tolerance whatever its share.
    pub absolute: f64,
}

/// What to compare.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection(Vec<String>);

impl Selection {
    /// Metrics by name; a `*` stands for any characters. None: all.
    ///
    /// # Errors
    /// A name without `*` that is no metric.
    pub fn new(patterns: &[String]) -> Result<Self, Error> {
        for pattern in patterns.iter().filter(|p| !p.contains('*') && !p.starts_with(NODE)) {
            metrics::find(pattern).map_err(|error| {
                error.help("`*` stands for any characters, e.g. movement.*; loads of nodes are node.NAME.LOAD")
            })?;
        }
        Ok(Selection(patterns.to_vec()))
    }

    fn takes(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| matches(pattern, name))
    }
}

/// How the names of a node's loads begin: `node.db0.keys`.
const NODE: &str = "node.";

/// Whether a name fits a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or("");
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut last = None;
    for part in parts {
        if let Some(before) = last.replace(part) {
            match rest.find(before) {
                Some(at) => rest = &rest[at + before.len()..],
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

/// One value that is not the same in both records.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// Id of the cell in A.
    pub cell: String,
    /// Number of the step.
    pub step: usize,
    /// Dotted name of the metric, or `node.NAME.LOAD`.
    pub metric: String,
    /// The value in A, if it has one.
    pub a: Option<f64>,
    /// The value in B, if it has one.
    pub b: Option<f64>,
    /// Whether it is within the tolerance.
    pub within: bool,
}

impl Difference {
    /// B − A, where both have a value.
    pub fn absolute(&self) -> Option<f64> {
        Some(self.b? - self.a?)
    }

    /// (B − A) as a share of the larger of the two in magnitude: from −2 to 2, ±1 where one is 0.
    pub fn relative(&self) -> Option<f64> {
        let (a, b) = (self.a?, self.b?);
        let scale = libm::fabs(a).max(libm::fabs(b));
        Some(if scale == 0.0 { 0.0 } else { (b - a) / scale })
    }

    /// Larger first: what only one record has, then by share, then by amount.
    fn by_size(&self, other: &Self) -> Ordering {
        let size = |d: &Self| {
            let share = d.relative().map_or(f64::INFINITY, libm::fabs);
            (share, d.absolute().map_or(f64::INFINITY, libm::fabs))
        };
        let ((share, amount), (other_share, other_amount)) = (size(self), size(other));
        other_share.total_cmp(&share).then(other_amount.total_cmp(&amount))
    }
}

/// What differs between two records.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// Values that were compared.
    pub compared: u64,
    /// Cells that both records have.
    pub cells: usize,
    /// What differs, the largest share first; what is within the tolerance among it.
    pub differences: Vec<Difference>,
    /// Facts that are no numbers: scenario, seed, what is unsupported, expectations.
    pub facts: Vec<Fact>,
    /// Ids of cells that only A or only B has.
    pub only: [Vec<String>; 2],
    /// Steps that only A or only B has: cell and step.
    pub only_steps: [Vec<(String, usize)>; 2],
}

/// A fact that is not the same in both records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub what: String,
    /// In A.
    pub a: String,
    /// In B.
    pub b: String,
    /// Whether it is a result: a different result fails the comparison, different input explains it.
    pub is_result: bool,
}

impl Comparison {
    /// Differences beyond the tolerance.
    pub fn beyond(&self) -> usize {
        self.differences.iter().filter(|d| !d.within).count()
    }

    /// Whether the two have the same cells and results, up to the tolerance.
    pub fn holds(&self) -> bool {
        self.beyond() == 0
            && self.only.iter().all(Vec::is_empty)
            && self.only_steps.iter().all(Vec::is_empty)
            && self.facts.iter().all(|fact| !fact.is_result)
    }
}

/// Reads a record from its JSON.
///
/// # Errors
/// The text is no JSON, no record, or a record of another schema version.
pub fn parse(text: &str, shown: &str) -> Result<Record, Error> {
    let wrong = |what: String| {
        Error::data(format!("`{shown}` {what}"))
            .help("give a record.json that `shardlab run` wrote, or its folder")
    };
    let json: Json =
        serde_json::from_str(text).map_err(|cause| wrong(format!("is not JSON: {cause}")))?;
    match json.get("schema").and_then(Json::as_str) {
        None => return Err(wrong("is not a record: it has no `schema`".into())),
        Some(SCHEMA) => {}
        Some(other) => {
            return Err(wrong(format!("has the schema `{other}`, this version reads `{SCHEMA}`"))
                .help("run its scenario again with this version"));
        }
    }
    serde_json::from_value(json).map_err(|cause| wrong(format!("is not a whole record: {cause}")))
}

/// Compares two records.
pub fn compare(a: &Record, b: &Record, take: &Selection, tolerance: Tolerance) -> Comparison {
    let mut found = Comparison::default();
    facts(a, b, &mut found);
    let metrics: Vec<(String, Metric)> =
        metrics::all().map(|m| (m.name(), m)).filter(|(name, _)| take.takes(name)).collect();
    let by_at: BTreeMap<String, &CellRecord> =
        b.cells.iter().map(|cell| (place(&cell.at), cell)).collect();
    let mut seen = Vec::new();
    for cell in &a.cells {
        let at = place(&cell.at);
        let Some(other) = by_at.get(&at) else {
            found.only[0].push(cell.id.clone());
            continue;
        };
        seen.push(at);
        found.cells += 1;
        cells(cell, other, &metrics, take, tolerance, &mut found);
    }
    let is_new = |cell: &&CellRecord| !seen.contains(&place(&cell.at));
    found.only[1].extend(b.cells.iter().filter(is_new).map(|cell| cell.id.clone()));
    // Stable: equal sizes stay in the order of cells, steps and metrics.
    found.differences.sort_by(Difference::by_size);
    found
}

/// Where a cell lies, in a form that does not depend on the order of its axes.
fn place(at: &Map<String, Json>) -> String {
    let sorted: BTreeMap<&String, &Json> = at.iter().collect();
    serde_json::to_string(&sorted).expect("JSON values are JSON")
}

fn facts(a: &Record, b: &Record, found: &mut Comparison) {
    let mut fact = |what: &str, a: String, b: String, is_result| {
        if a != b {
            found.facts.push(Fact { what: what.into(), a, b, is_result });
        }
    };
    fact("shardlab", a.shardlab.clone(), b.shardlab.clone(), false);
    let short = |sha256: &str| sha256.chars().take(12).collect::<String>();
    let name = |r: &Record| format!("{} (sha256 {}…)", r.scenario.name, short(&r.scenario.sha256));
    fact("scenario", name(a), name(b), false);
    fact("seed", a.seed.to_string(), b.seed.to_string(), false);
    let data = |r: &Record| {
        let files = r.scenario.data.iter();
        files.map(|d| format!("{} ({}…)", d.file, short(&d.sha256))).collect::<Vec<_>>().join(", ")
    };
    fact("data files", data(a), data(b), false);
    let expectations = |r: &Record| {
        let passed = r.expect.iter().map(|e| (e.text.clone(), e.pass));
        passed.collect::<BTreeMap<String, bool>>()
    };
    let (of_a, of_b) = (expectations(a), expectations(b));
    let word = |pass: &bool| if *pass { "holds" } else { "fails" }.to_string();
    for (text, pass) in &of_a {
        if let Some(other) = of_b.get(text) {
            fact(&format!("expectation `{text}`"), word(pass), word(other), true);
        }
    }
}

fn cells(
    a: &CellRecord,
    b: &CellRecord,
    metrics: &[(String, Metric)],
    take: &Selection,
    tolerance: Tolerance,
    found: &mut Comparison,
) {
    let able = |cell: &CellRecord| match &cell.unsupported {
        None => "supported".to_string(),
        Some(reason) => format!("unsupported: {reason}"),
    };
    if able(a) != able(b) {
        let what = format!("cell {}", a.id);
        found.facts.push(Fact { what, a: able(a), b: able(b), is_result: true });
    }
    let has = |cell: &CellRecord, step: usize| cell.steps.iter().any(|s| s.step == step);
    for (side, one, other) in [(0, a, b), (1, b, a)] {
        let missing = one.steps.iter().filter(|s| !has(other, s.step));
        found.only_steps[side].extend(missing.map(|s| (a.id.clone(), s.step)));
    }
    for step in &a.steps {
        let Some(other) = b.steps.iter().find(|s| s.step == step.step) else { continue };
        let mut put = |metric: &str, a_value: Option<f64>, b_value: Option<f64>| {
            if a_value.is_none() && b_value.is_none() {
                return;
            }
            found.compared += 1;
            if a_value == b_value {
                return;
            }
            let (cell, metric) = (a.id.clone(), metric.to_string());
            let mut difference =
                Difference { cell, step: step.step, metric, a: a_value, b: b_value, within: false };
            difference.within = is_within(&difference, tolerance);
            found.differences.push(difference);
        };
        for (name, metric) in metrics {
            // At step 1 the start is the step before: the same number under a second name.
            if step.step == 1 && name.starts_with("movement.from-start.") {
                continue;
            }
            put(name, metric.value(step, a), metric.value(other, b));
        }
        for ((node, load), [in_a, in_b]) in node_loads(step, other) {
            let name = format!("{NODE}{node}.{load}");
            if take.takes(&name) {
                put(&name, in_a, in_b);
            }
        }
    }
}

fn is_within(difference: &Difference, tolerance: Tolerance) -> bool {
    match (difference.absolute(), difference.relative()) {
        (Some(absolute), Some(relative)) => {
            libm::fabs(relative) <= tolerance.relative || libm::fabs(absolute) <= tolerance.absolute
        }
        _ => false,
    }
}

/// The loads of every node of either step, by node and load.
fn node_loads<'a>(
    a: &'a StepRecord,
    b: &'a StepRecord,
) -> BTreeMap<(&'a str, &'a str), [Option<f64>; 2]> {
    let mut loads: BTreeMap<(&str, &str), [Option<f64>; 2]> = BTreeMap::new();
    for (side, step) in [a, b].into_iter().enumerate() {
        for node in &step.per_node {
            for (load, amount) in &node.loads {
                loads.entry((&node.node, load)).or_default()[side] = Some(*amount as f64);
            }
        }
    }
    loads
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    fn differ(a: &Record, b: &Record, metrics: &[&str], tolerance: Tolerance) -> Comparison {
        let metrics: Vec<String> = metrics.iter().map(ToString::to_string).collect();
        compare(a, b, &Selection::new(&metrics).unwrap(), tolerance)
    }

    #[test]
    fn a_record_does_not_differ_from_itself() {
        let record = sample::record();
        let found = differ(&record, &record, &[], Tolerance::default());
        assert!(found.holds() && found.differences.is_empty(), "{found:?}");
        assert_eq!(found.cells, record.cells.len());
        assert!(found.compared > 50, "only {} values were compared", found.compared);
    }

    #[test]
    fn what_differs_is_found_with_its_size_and_the_tolerance_decides() {
        let a = sample::record();
        let mut b = a.clone();
        let step = &mut b.cells[0].steps[1];
        step.balance.get_mut("keys").unwrap().max_over_mean = 1.26;
        step.movement.as_mut().unwrap().loads.get_mut("keys").unwrap().moved = 400;
        let was = a.cells[0].steps[1].balance["keys"].max_over_mean;
        let found = differ(&a, &b, &[], Tolerance::default());
        assert_eq!((found.differences.len(), found.beyond(), found.holds()), (2, 2, false));
        // 320 → 400 is a fifth of the larger, and stands first.
        let first = &found.differences[0];
        assert_eq!((first.metric.as_str(), first.step), ("movement.keys.moved", 1));
        assert_eq!((first.absolute(), first.relative()), (Some(80.0), Some(0.2)));
        assert_eq!(found.differences[1].absolute(), Some(1.26 - was));
        let loose = Tolerance { relative: 0.2, absolute: 0.0 };
        assert!(differ(&a, &b, &[], loose).holds());
        let tight = Tolerance { relative: 0.199, absolute: 0.0 };
        assert_eq!(differ(&a, &b, &[], tight).beyond(), 1);
        let absolute = Tolerance { relative: 0.0, absolute: 0.1 };
        assert_eq!(differ(&a, &b, &[], absolute).beyond(), 1);
        // A selection leaves the rest out.
        let found = differ(&a, &b, &["keys.*"], Tolerance::default());
        assert_eq!(found.differences.len(), 1);
        assert!(differ(&a, &b, &["owned.*", "node.*"], Tolerance::default()).holds());
    }

    #[test]
    fn equal_balance_on_other_nodes_is_a_difference() {
        let a = sample::record();
        let mut b = a.clone();
        let nodes = &mut b.cells[0].steps[0].per_node;
        let loads = [nodes[0].loads.clone(), nodes[1].loads.clone()];
        assert_ne!(loads[0], loads[1]);
        [nodes[1].loads, nodes[0].loads] = loads;
        let found = differ(&a, &b, &[], Tolerance::default());
        let metrics: Vec<&str> = found.differences.iter().map(|d| d.metric.as_str()).collect();
        assert_eq!(metrics, ["node.db0.keys", "node.db1.keys"]);
    }

    #[test]
    fn cells_match_by_their_place_and_not_by_their_order() {
        let a = sample::record();
        let mut b = a.clone();
        b.cells.reverse();
        b.cells[0].id = "renamed".into();
        assert!(differ(&a, &b, &[], Tolerance::default()).holds());
        b.cells[1].at.insert("vnodes".into(), 9.into());
        let found = differ(&a, &b, &[], Tolerance::default());
        assert_eq!(found.only, [vec![a.cells[0].id.clone()], vec![b.cells[1].id.clone()]]);
        assert!(!found.holds());
        b.cells[1] = a.cells[0].clone();
        b.cells[1].steps.pop();
        let found = differ(&a, &b, &[], Tolerance::default());
        assert_eq!(found.only_steps[0], [(a.cells[0].id.clone(), 1)]);
    }

    #[test]
    fn a_value_that_only_one_has_is_beyond_any_tolerance() {
        let a = sample::record();
        let mut b = a.clone();
        b.cells[0].steps[0].theory.cv_owned = None;
        let found = differ(&a, &b, &[], Tolerance { relative: 2.0, absolute: 1e9 });
        assert_eq!(found.beyond(), 1);
        assert_eq!((found.differences[0].a, found.differences[0].b), (Some(0.3), None));
    }

    #[test]
    fn input_explains_and_results_fail() {
        let a = sample::record();
        let mut b = a.clone();
        b.seed += 1;
        b.scenario.sha256 = "ff".repeat(32);
        let found = differ(&a, &b, &[], Tolerance::default());
        assert_eq!((found.facts.len(), found.holds()), (2, true));
        b.expect[0].pass = !b.expect[0].pass;
        assert!(!differ(&a, &b, &[], Tolerance::default()).holds());
    }

    #[test]
    fn what_is_no_record_is_refused() {
        let record = serde_json::to_string(&sample::record()).unwrap();
        assert_eq!(parse(&record, "r").unwrap(), sample::record());
        let other = record.replace("shardlab.record/1", "shardlab.record/2");
        for (text, want) in [
            ("{", "is not JSON"),
            ("{}", "is not a record"),
            ("[1]", "is not a record"),
            (other.as_str(), "has the schema `shardlab.record/2`"),
            ("{\"schema\": \"shardlab.record/1\"}", "is not a whole record"),
        ] {
            let error = parse(text, "r").unwrap_err();
            assert!(error.message.contains(want), "{error}");
        }
    }

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, want) in [
            ("keys.cv", "keys.cv", true),
            ("keys.cv", "keys.cv2", false),
            ("*", "keys.cv", true),
            ("keys.*", "keys.cv", true),
            ("keys.*", "owned.cv", false),
            ("*.cv", "keys.cv", true),
            ("*.cv", "keys.cv.p5", false),
            ("a*b*c", "axbxxc", true),
            ("a*b*c", "acb", false),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), want, "{pattern} {name}");
        }
        assert!(Selection::new(&["keys.cvv".into()]).is_err());
        assert!(Selection::new(&["node.db0.keys".into(), "trials.*".into()]).is_ok());
    }
}
