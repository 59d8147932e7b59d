//! A small record for the tests of the reports: a ring that grows from two nodes to three, and a
//! strategy that cannot do it.

use std::collections::BTreeMap;

use serde_json::json;

use crate::record::*;

fn balance(max: f64, min: f64) -> Balance {
    Balance {
        max_over_mean: max,
        min_over_mean: min,
        max_deviation: (max - 1.0).max(1.0 - min),
        cv: 0.2,
        gini: 0.1,
        p99_over_mean: max,
        chi_square_fair: Some(40.0),
        p_fair: Some(2.5e-10),
        chi_square_owned: Some(0.4),
        p_owned: Some(0.53),
        dof: Some(1),
    }
}

fn keys(amount: u64) -> ByLoad<u64> {
    BTreeMap::from([("keys".to_string(), amount)])
}

fn node(name: &str, amount: u64, owned: f64) -> NodeRecord {
    NodeRecord {
        node: name.into(),
        weight: 1.0,
        loads: keys(amount),
        owned_share: Some(owned),
        capacity: ByLoad::new(),
    }
}

fn step(number: usize, nodes: Vec<NodeRecord>, balance: Balance) -> StepRecord {
    StepRecord {
        step: number,
        change: None,
        nodes: nodes.len(),
        points: 8 * nodes.len() as u64,
        heap_bytes: 64 * nodes.len() as u64,
        shared_points: None,
        lookup_steps: None,
        totals: keys(1000),
        outcomes: Outcomes::default(),
        per_node: nodes,
        balance: BTreeMap::from([("keys".to_string(), balance)]),
        copies: None,
        queries: None,
        theory: Theory { cv_owned: Some(0.3), cv_sampling: Some(0.04), ..Theory::default() },
        movement: None,
        timeline: None,
        failure: None,
        phases: None,
        spill: None,
    }
}

fn movement() -> MovementRecord {
    let moved = Moved {
        moved: 320,
        share_moved: 0.32,
        minimum_share: 1.0 / 3.0,
        minimum_actual_share: 0.32,
        excess_share: 0.0,
        between_survivors_share: 0.0,
        largest_inheritor_share: 1.0,
    };
    let side = |name: &str, gives, receives| NodeMoved {
        node: name.into(),
        gives: keys(gives),
        receives: keys(receives),
    };
    let pair =
        |from: &str, amount| Pair { from: from.into(), to: "db2".into(), loads: keys(amount) };
    MovementRecord {
        verb: "moved".into(),
        loads: BTreeMap::from([("keys".to_string(), moved)]),
        per_node: vec![side("db0", 200, 0), side("db1", 120, 0), side("db2", 0, 320)],
        pairs: Some(vec![pair("db0", 200), pair("db1", 120)]),
        from_start: None,
        along_path: None,
    }
}

fn cell(id: &str, strategy: &str) -> CellRecord {
    CellRecord {
        id: id.into(),
        strategy: strategy.into(),
        preset: None,
        hasher: Some("murmur3-32".into()),
        label: None,
        at: serde_json::Map::from_iter([
            ("strategy".to_string(), json!(strategy)),
            ("preset".to_string(), json!(null)),
            ("path".to_string(), json!("main")),
        ]),
        unsupported: None,
        workload: WorkloadRecord {
            pattern: "sequential".into(),
            rows: 1000,
            distinct: Some(1000),
            ..WorkloadRecord::default()
        },
        steps: Vec::new(),
        trials: None,
        control: None,
        price: None,
    }
}

/// The record.
pub fn record() -> Record {
    let mut ring = cell("ring/murmur3-32/vnodes=8", "ring");
    ring.at.insert("vnodes".into(), json!(8));
    let first = vec![node("db0", 600, 0.61), node("db1", 400, 0.39)];
    let second = vec![node("db0", 400, 0.41), node("db1", 280, 0.28), node("db2", 320, 0.31)];
    ring.steps = vec![step(0, first, balance(1.2, 0.8)), step(1, second, balance(1.2, 0.84))];
    ring.steps[1].change = Some("add db2".into());
    ring.steps[1].movement = Some(movement());
    let mut range = cell("range", "range");
    range.unsupported = Some("ranges are fixed: a node cannot be added".into());
    Record {
        schema: SCHEMA.into(),
        shardlab: "0.1.0".into(),
        scenario: ScenarioRecord {
            name: "sample".into(),
            title: "A sample".into(),
            question: "Does it render?".into(),
            analysis: "The ring moves {ring/murmur3-32/vnodes=8|1|movement.keys.share-moved|%}."
                .into(),
            sha256: "00".into(),
            data: Vec::new(),
        },
        seed: 1,
        cells: vec![ring, range],
        events: vec![EventRecord {
            name: "both at once".into(),
            at: serde_json::Map::from_iter([
                ("strategy".to_string(), json!("ring")),
                ("hasher".to_string(), json!("md5")),
            ]),
            trials: 100_000,
            hits: 12,
            p: 0.000_12,
            interval_99: [0.000_05, 0.000_24],
        }],
        searches: vec![SearchRecord {
            name: "names that do it".into(),
            at: serde_json::Map::new(),
            template: "db{try}-{i}".into(),
            range: [0, 10_000],
            tries: 10_000,
            hits: 1,
            found: vec!["db77-{i}".into()],
        }],
        expect: vec![
            ExpectRecord {
                text: "keys.max-over-mean at most 1.25".into(),
                pass: true,
                measured: Some(1.2),
                cell: "ring/murmur3-32/vnodes=8".into(),
                step: 0,
                because: "three sigma of theory".into(),
            },
            ExpectRecord {
                text: "movement.keys.share-moved at most 0.3".into(),
                pass: false,
                measured: Some(0.32),
                cell: "ring/murmur3-32/vnodes=8".into(),
                step: 1,
                because: "a third".into(),
            },
        ],
        charts: Vec::new(),
    }
}

/// The same with a migration: the one that `tests/timeline/hand.rs` computes by hand, and a watched key.
pub fn migration() -> Record {
    use crate::timeline::*;
    let job = Job {
        nodes: vec!["a".into(), "b".into()],
        units: vec![UnitPlan {
            name: "a → b".into(),
            from: 0,
            to: Some(1),
            rows: 100,
            requests: 1,
        }],
        watch: vec![WatchPlan { key: "user:1".into(), unit: 0, writes: 1, present: true }],
        unit: "shard",
        settings: Settings {
            mode: Mode::Redirect,
            tick_ms: 1000,
            start: 0,
            horizon: 1000,
            concurrency: 1,
            limits: Limits { overall: Some(10_000), ..Limits::default() },
            reads: 3000,
            writes: 2000,
            inserts: PPM,
            verify: Verify::Off,
            cutover: 2,
            keep_old: 5,
            clean_up: 1,
            failover: 4,
            replicas: 1,
            version_check: false,
            second_lag: 3,
            second_fails: 0,
            faults: Vec::new(),
            seed: 1,
        },
    };
    let mut record = record();
    record.cells[0].steps[1].timeline = Some(run(&job));
    record
}
