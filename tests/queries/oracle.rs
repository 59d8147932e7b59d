//! The oracle: every key by itself, in the obvious way.

use std::collections::{BTreeMap, BTreeSet};

use shardlab::cluster::NodeId;
use shardlab::keys::{Access, CHUNK_ROWS, Key, KeyBatch, Want};
use shardlab::record::{QueryFigures, QueryRecord, Record};
use shardlab::rng::{Purpose, Stream};
use shardlab::scenario::{Cell, QueryForm, Scenario};
use shardlab::sim::{Silent, input::Input, plan::Plan};
use shardlab::strategy::{Placement, Slot, place_one};

use crate::common::{run_on, scenario};

/// A key as the oracle orders it: integers as integers, others by the bytes of their text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    Number(i128),
    Text(String),
}

impl Plain {
    fn of(key: &Key<'_>) -> Self {
        match key {
            Key::I64(i) => Plain::Number(i128::from(*i)),
            Key::U64(u) => Plain::Number(i128::from(*u)),
            other => Plain::Text(other.to_string()),
        }
    }

    /// What a scenario writes, of the same kind as `like`.
    fn read(text: &str, like: &Plain) -> Self {
        match like {
            Plain::Number(_) => Plain::Number(text.parse().unwrap()),
            Plain::Text(_) => Plain::Text(text.into()),
        }
    }
}

/// All rows of the scenario, hot keys last.
fn rows(scenario: &Scenario) -> (KeyBatch, Vec<Plain>) {
    let workload = &scenario.cells[0].workload;
    let input = Input::open(workload, &scenario.base, &Silent).unwrap();
    let Access::AnyOrder(source) = input.source.access() else { panic!("generated keys") };
    let mut all = KeyBatch::new(input.source.kind());
    for first in (0..input.rows).step_by(CHUNK_ROWS as usize) {
        let rows = CHUNK_ROWS.min(input.rows - first) as usize;
        let mut batch = KeyBatch::new(all.kind());
        source.open(first / CHUNK_ROWS, Want { text: true }).fill(rows, &mut batch);
        all.extend_from(&batch, 0..rows);
    }
    input.hot.iter().for_each(|hot| all.push(&hot.key()));
    let plain = (0..all.len()).map(|row| Plain::of(&all.key(row))).collect();
    (all, plain)
}

/// Whether a key answers a query.
type Test<'a> = Box<dyn Fn(&Plain) -> bool + 'a>;

/// What keys must pass: one test for each query of a table, the drawn ones drawn anew.
fn tests<'a>(form: &'a QueryForm, keys: &'a [Plain], seed: u64, table: usize) -> Vec<Test<'a>> {
    let mut stream = Stream::new(seed, Purpose::Queries, table as u64);
    let mut draw = || keys[stream.below(keys.len() as u64) as usize].clone();
    let begins = |prefix: String| -> Test<'static> {
        Box::new(move |key| matches!(key, Plain::Text(text) if text.starts_with(&prefix)))
    };
    match form.clone() {
        QueryForm::Range { from, to } => {
            let end = |end: Option<String>| end.map(|text| Plain::read(&text, &keys[0]));
            let (from, to) = (end(from), end(to));
            vec![Box::new(move |key| {
                from.as_ref().is_none_or(|from| from <= key)
                    && to.as_ref().is_none_or(|to| key < to)
            })]
        }
        QueryForm::Prefix(prefix) => vec![begins(prefix)],
        QueryForm::List(list) => {
            let list: Vec<Plain> = list.iter().map(|text| Plain::read(text, &keys[0])).collect();
            vec![Box::new(move |key| list.contains(key))]
        }
        QueryForm::Ranges { count, width } => {
            let distinct: BTreeSet<Plain> = keys.iter().cloned().collect();
            let range = |start: Plain| -> Test<'static> {
                let held: BTreeSet<Plain> = distinct.range(start..).take(width).cloned().collect();
                Box::new(move |key| held.contains(key))
            };
            (0..count).map(|_| range(draw())).collect()
        }
        QueryForm::Prefixes { count, width } => (0..count)
            .map(|_| match draw() {
                Plain::Text(text) => begins(text.chars().take(width).collect()),
                Plain::Number(n) => panic!("{n} has no prefix"),
            })
            .collect(),
        QueryForm::Lists { count, width } => (0..count)
            .map(|_| -> Test<'static> {
                let list: Vec<Plain> = (0..width).map(|_| draw()).collect();
                Box::new(move |key| list.contains(key))
            })
            .collect(),
    }
}

/// Where every row lives at a step.
fn slots(scenario: &Scenario, cell: &Cell, step: usize, keys: &KeyBatch) -> Vec<Slot> {
    let plan = Plan::new(&[cell], keys.kind(), &scenario.base).unwrap();
    let routed = &plan.routed[plan.cells[0].steps.as_ref().unwrap()[step]];
    let down: &[NodeId] = &routed.down;
    let up = |slot: Slot| match slot.node() {
        Some(node) if down.contains(&node) => Slot::ABSENT,
        _ => slot,
    };
    let mut placed = BTreeMap::new();
    (0..keys.len())
        .map(|row| {
            let key = keys.key(row);
            let mut place = || up(primary(routed.placement.as_ref(), &key, cell.replicas));
            *placed.entry(key.to_string()).or_insert_with(&mut place)
        })
        .collect()
}

fn primary(placement: &dyn Placement, key: &Key<'_>, replicas: usize) -> Slot {
    if replicas == 1 {
        return place_one(placement, key);
    }
    let mut out = vec![Slot::ABSENT; replicas];
    placement.place(&KeyBatch::single(key, placement.columns()), &mut out);
    out[0]
}

fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / values.len() as f64).sqrt())
}

fn close(a: f64, b: f64, what: &str) {
    assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{what}: {a}, by the oracle {b}");
}

/// Holds every number of every query against the oracle.
pub fn check(text: &str) -> Record {
    let scenario = scenario(text);
    let record = run_on(&scenario, 2);
    for threads in [1, 7] {
        assert_eq!(run_on(&scenario, threads), record, "on {threads} threads");
    }
    let (keys, plain) = rows(&scenario);
    let seed = scenario.cells[0].workload.seed;
    let matched: Vec<Vec<Vec<usize>>> = scenario
        .queries
        .iter()
        .enumerate()
        .map(|(table, query)| {
            let tests = tests(&query.form, &plain, seed, table);
            let rows = |test: &dyn Fn(&Plain) -> bool| -> Vec<usize> {
                (0..plain.len()).filter(|&row| test(&plain[row])).collect()
            };
            tests.iter().map(|test| rows(test)).collect()
        })
        .collect();
    for (cell, found) in scenario.cells.iter().zip(&record.cells) {
        assert_eq!(found.unsupported, None, "{}", found.id);
        for (number, step) in found.steps.iter().enumerate() {
            let slots = slots(&scenario, cell, number, &keys);
            let queries = step.queries.as_ref().unwrap_or_else(|| panic!("{}", found.id));
            for (query, matched) in queries.each.iter().zip(&matched) {
                let what = format!("{} step {number}: {}", found.id, query.query);
                check_one(query, matched, &slots, step.nodes, &what);
            }
            let share: f64 = queries.each.iter().map(|query| query.share).sum();
            close(share, 1.0, "shares");
            let mean = |get: fn(&QueryFigures) -> f64| {
                queries.each.iter().map(|q| q.share * get(&q.figures)).sum::<f64>()
            };
            close(queries.all.keys, mean(|f| f.keys), "keys of all");
            close(queries.all.nodes_asked, mean(|f| f.nodes_asked), "asked of all");
        }
    }
    record
}

fn check_one(query: &QueryRecord, matched: &[Vec<usize>], slots: &[Slot], live: usize, what: &str) {
    assert_eq!(query.queries, matched.len() as u64, "{what}");
    let per = |get: &dyn Fn(&[usize]) -> f64| -> Vec<f64> {
        matched.iter().map(|rows| get(rows)).collect()
    };
    let nodes = |rows: &[usize]| -> BTreeMap<Slot, u64> {
        let mut nodes = BTreeMap::new();
        for &row in rows.iter().filter(|&&row| slots[row].node().is_some()) {
            *nodes.entry(slots[row]).or_default() += 1;
        }
        nodes
    };
    let figures = &query.figures;
    let keys = mean_and_sd(&per(&|rows| rows.len() as f64));
    close(figures.keys, keys.0, &format!("{what}: keys"));
    close(figures.keys_sd, keys.1, &format!("{what}: keys-sd"));
    let missing =
        per(&|rows| rows.iter().filter(|&&row| slots[row].node().is_none()).count() as f64);
    close(figures.keys_missing, mean_and_sd(&missing).0, &format!("{what}: missing"));
    let touched = per(&|rows| nodes(rows).len() as f64);
    close(figures.nodes_touched, mean_and_sd(&touched).0, &format!("{what}: touched"));
    close(figures.nodes_touched_sd, mean_and_sd(&touched).1, &format!("{what}: touched-sd"));
    let most = touched.iter().copied().fold(0.0, f64::max);
    assert_eq!(figures.nodes_touched_max as f64, most, "{what}: touched-max");
    let busiest: Vec<f64> = matched
        .iter()
        .filter(|rows| !rows.is_empty())
        .map(|rows| nodes(rows).values().copied().max().unwrap_or(0) as f64 / rows.len() as f64)
        .collect();
    match figures.busiest_node_share {
        Some(share) => close(share, mean_and_sd(&busiest).0, &format!("{what}: busiest")),
        None => assert!(busiest.is_empty(), "{what}"),
    }
    assert!(figures.nodes_asked >= figures.nodes_touched, "{what}: a node is not asked");
    assert!(figures.nodes_asked_max as usize <= live, "{what}");
    match query.answered.as_str() {
        "scatter" => assert_eq!(
            (figures.nodes_asked, figures.nodes_asked_sd, figures.scatter_share),
            (live as f64, 0.0, 1.0),
            "{what}"
        ),
        "mixed" => assert!(figures.scatter_share > 0.0 && figures.scatter_share < 1.0, "{what}"),
        _ => assert_eq!(figures.scatter_share, 0.0, "{what}"),
    }
    let Some(listed) = &query.nodes else { return };
    let nodes = nodes(&matched[0]);
    for node in listed {
        assert!(node.asked || node.keys == 0, "{what}: {} holds a match unasked", node.node);
    }
    let held: Vec<u64> = listed.iter().map(|node| node.keys).filter(|keys| *keys > 0).collect();
    let (mut a, mut b) = (held, nodes.values().copied().collect::<Vec<_>>());
    a.sort_unstable();
    b.sort_unstable();
    assert_eq!(a, b, "{what}: keys by node");
    let asked = listed.iter().filter(|node| node.asked).count();
    assert_eq!(asked as f64, figures.nodes_asked, "{what}");
}
