//! Queries over many keys against an oracle that looks at every key, one by one.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{run_on, scenario};
use shardlab::cluster::NodeId;
use shardlab::keys::{Access, CHUNK_ROWS, Key, KeyBatch, Want};
use shardlab::record::{QueryFigures, QueryRecord, Record};
use shardlab::rng::{Purpose, Stream};
use shardlab::scenario::{Cell, QueryForm, Scenario};
use shardlab::sim::{Silent, input::Input, plan::Plan};
use shardlab::strategy::{Slot, place_one};

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

fn primary(placement: &dyn shardlab::strategy::Placement, key: &Key<'_>, replicas: usize) -> Slot {
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
fn check(text: &str) -> Record {
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

fn each<'a>(record: &'a Record, cell: &str, step: usize, query: &str) -> &'a QueryRecord {
    let cell = record.cells.iter().find(|c| c.id == cell).unwrap_or_else(|| {
        panic!("{cell} is none of {:?}", record.cells.iter().map(|c| &c.id).collect::<Vec<_>>())
    });
    let queries = cell.steps[step].queries.as_ref().unwrap();
    queries.each.iter().find(|q| q.query == query).unwrap_or_else(|| panic!("no {query}"))
}

const TEXTS: &str = r#"
title = "texts"
seed = 7
[cluster]
nodes = 6
[keys]
pattern = "order-number"
prefix = "NO"
date = "20250101"
per-day = 40
count = 7000
[[strategy]]
kind = "range"
mode = "month"
first-month = "202501"
[[strategy]]
kind = "range"
mode = "bounds"
name = "by text"
text-bounds = ["NO20250115", "NO202503", "NO20250320001", "NO9"]
[[strategy]]
kind = "range"
mode = "chunks"
name = "by chunk"
digits = "2..10"
from = 20250101
to = 20250400
chunks = 30
[[strategy]]
kind = "mixed"
mode = ["hash-in-range", "range-in-hash"]
digits = "2..10"
bounds = [20250201, 20250315]
[[strategy]]
kind = "ring"
[[strategy]]
kind = "jump"
view = "slice:0..10"
name = "by day"
[[strategy]]
kind = "maglev"
[[change]]
add = 1
[[change]]
fail = ["node1"]
on-fail = "unavailable"
[[query]]
prefix = "NO20250115"
[[query]]
prefix = "NO202502"
share = 3
[[query]]
prefix = "X"
[[query]]
name = "weeks"
from = "NO20250110"
to = "NO20250317"
[[query]]
from = "NO202504"
[[query]]
to = "NO20250102"
[[query]]
name = "list"
keys = ["NO20250115001", "NO20250115001", "NO20250301040", "none"]
[[query]]
kind = "range"
count = 30
width = 25
[[query]]
kind = "prefix"
count = 20
width = 11
[[query]]
kind = "list"
count = 20
width = 4
"#;

#[test]
fn texts_agree_with_the_oracle_at_every_step() {
    let record = check(TEXTS);
    let asked =
        |cell: &str, step, query: &str| each(&record, cell, step, query).figures.nodes_asked;
    assert_eq!(asked("range", 0, "prefix NO20250115"), 1.0);
    assert_eq!(asked("by text", 0, "prefix NO20250115"), 1.0);
    // January, February and March of six nodes.
    assert_eq!(asked("range", 0, "weeks"), 3.0);
    assert_eq!(asked("by day/murmur3-32", 0, "prefix NO20250115"), 1.0);
    assert_eq!(asked("ring/murmur3-32", 0, "prefix NO20250115"), 6.0);
    // One node of seven is down.
    assert_eq!(asked("ring/murmur3-32", 2, "prefix X"), 6.0);
    // February is on the node that is down.
    let february = each(&record, "range", 2, "prefix NO202502");
    assert_eq!((february.figures.nodes_asked, february.figures.keys_missing), (0.0, 1120.0));
    let list = each(&record, "range", 0, "list");
    assert_eq!((list.answered.as_str(), list.figures.keys), ("keys", 2.0));
    let drawn = each(&record, "range", 0, "30 ranges of 25 keys");
    assert_eq!((drawn.figures.keys, drawn.figures.keys_sd), (25.0, 0.0));
    assert_eq!(each(&record, "range", 0, "prefix NO202502").share, 3.0 / 12.0);
}

#[test]
fn integers_with_copies_and_hot_keys_agree_with_the_oracle() {
    let text = r#"
        title = "integers"
        seed = 3
        replicas = 2
        [cluster]
        nodes = 5
        [keys]
        pattern = "sequential"
        start = -1000
        step = 3
        count = 70_000
        [traffic]
        shape = "zipf"
        requests = 1_000_000
        [[traffic.hot]]
        key = -999
        share = 0.1
        [[strategy]]
        kind = "ring"
        [[strategy]]
        kind = "rendezvous"
        [[query]]
        from = -1000
        to = -990
        [[query]]
        name = "all"
        from = "-9223372036854775808"
        to = 18446744073709551616
        [[query]]
        keys = [-999, -1000, 5]
        [[query]]
        kind = "range"
        count = 12
        width = 300
    "#;
    // Beyond 64 bits, TOML has no whole number: as a text it is one.
    let record = check(&text.replace("18446744073709551616", "\"18446744073709551616\""));
    let of = |query| each(&record, "ring/murmur3-32", 0, query).figures;
    assert_eq!(of("-1000 .. -990").keys, 5.0);
    assert_eq!(of("all").keys, 70_001.0);
    // 5 = -1000 + 3 · 335 is a key, -999 only the hot one.
    assert_eq!(of("3 keys").keys, 3.0);
}

#[test]
fn integers_by_range_agree_with_the_oracle() {
    let record = check(
        r#"
        title = "ids"
        [cluster]
        nodes = 4
        [keys]
        pattern = "sequential"
        start = -1000
        count = 5000
        [[strategy]]
        kind = "range"
        mode = "bounds"
        bounds = [-10, 500, 3000]
        [[strategy]]
        kind = "range"
        name = "chunks"
        mode = "chunks"
        from = 0
        to = 3500
        chunks = 7
        [[strategy]]
        kind = "embedded-id"
        shift = 4
        bits = 2
        [[strategy]]
        kind = "modulo"
        hasher = "identity"
        [[query]]
        from = -1000
        to = -10
        [[query]]
        from = -11
        to = 501
        [[query]]
        from = 3
        to = 9
        [[query]]
        to = -999
        [[query]]
        from = 3999
        [[query]]
        kind = "range"
        count = 40
        width = 10
    "#,
    );
    let asked = |cell: &str, query| each(&record, cell, 0, query).figures.nodes_asked;
    assert_eq!(asked("range", "-1000 .. -10"), 1.0);
    assert_eq!(asked("range", "-11 .. 501"), 3.0);
    assert_eq!(asked("chunks", "-1000 .. -10"), 0.0);
    assert_eq!(asked("embedded-id", "3 .. 9"), 1.0);
    assert_eq!(asked("modulo/identity", "3 .. 9"), 4.0);
}

#[test]
fn keys_that_repeat_uuids_and_hash_tags_agree_with_the_oracle() {
    let strategies = r#"
        [[strategy]]
        kind = "ring"
        [[strategy]]
        preset = "redis-cluster"
    "#;
    let keys = |pattern: &str, queries: &str| {
        format!(
            "title = \"k\"\n[cluster]\nnodes = 5\n[keys]\n{pattern}\ncount = 4000\n{strategies}{queries}"
        )
    };
    let drawn = "[[query]]\nkind = \"range\"\ncount = 9\nwidth = 3\n\
                 [[query]]\nkind = \"prefix\"\ncount = 9\nwidth = 2\n\
                 [[query]]\nkind = \"list\"\ncount = 9\nwidth = 3\n";
    check(&keys("pattern = \"low-cardinality\"", drawn));
    let uuids = format!("{drawn}[[query]]\nprefix = \"0a\"\n[[query]]\nfrom = \"f\"\n");
    let record = check(&keys("pattern = \"uuid-v4\"", &uuids));
    let begin = each(&record, "ring/murmur3-32", 0, "prefix 0a").figures.keys;
    // 4000 / 256 = 15.6; more than five times that has probability below 1e-9.
    assert!(begin > 0.0 && begin < 80.0, "{begin}");
    let tags = "[[query]]\nprefix = \"{t1}:\"\n[[query]]\nprefix = \"{t1\"\n";
    let record = check(&keys("pattern = \"sequential\"\nprefix = \"{t1}:\"", tags));
    let tagged = each(&record, "redis-cluster", 0, "prefix {t1}:");
    assert_eq!((tagged.answered.as_str(), tagged.figures.nodes_asked), ("owners", 1.0));
    assert_eq!(each(&record, "redis-cluster", 0, "prefix {t1").answered, "scatter");
}

#[test]
fn where_keys_have_no_place_of_their_own_there_are_no_queries() {
    let text = r#"
        title = "open requests"
        [cluster]
        nodes = 4
        [keys]
        pattern = "sequential"
        count = 1000
        [[strategy]]
        kind = "bounded-ring"
        [[query]]
        from = 1
        to = 5
    "#;
    let record = run_on(&scenario(text), 2);
    assert_eq!(record.cells[0].steps[0].queries, None);
}

#[test]
fn draws_follow_the_seed() {
    let run = |seed: u64| {
        let text = TEXTS.replace("seed = 7", &format!("seed = {seed}"));
        let record = run_on(&scenario(&text), 2);
        each(&record, "ring/murmur3-32", 0, "20 lists of 4 keys").figures
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

#[test]
fn expectations_can_name_one_query() {
    let expect = |metric: &str, max: f64| {
        let text = format!("{TEXTS}[[expect]]\nmetric = \"{metric}\"\nmax = {max}\nstep = 0\n");
        run_on(&scenario(&text), 2).expect[0].clone()
    };
    assert!(expect("query.weeks.nodes-asked", 6.0).pass);
    let failed = expect("query.weeks.nodes-asked", 5.0);
    assert_eq!((failed.pass, failed.measured), (false, Some(6.0)));
    assert!(!expect("query.scatter-share", 0.1).pass);
}
