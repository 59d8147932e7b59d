//! Made-up records for tests: the shapes of the shipped scenarios, values from closed forms and a
//! seeded stream.

use std::collections::BTreeMap;

use serde_json::json;

use super::theory;
use crate::record::*;
use crate::rng::{Purpose, Stream};

/// A record without cells.
pub fn empty(name: &str, title: &str, question: &str) -> Record {
    Record {
        schema: SCHEMA.into(),
        shardlab: "0.1.0".into(),
        scenario: ScenarioRecord {
            name: name.into(),
            title: title.into(),
            question: question.into(),
            analysis: String::new(),
            sha256: String::new(),
            data: Vec::new(),
        },
        seed: 20_260_101,
        cells: Vec::new(),
        events: Vec::new(),
        searches: Vec::new(),
        expect: Vec::new(),
        charts: Vec::new(),
    }
}

/// A cell without steps.
pub fn cell(
    strategy: &str,
    hasher: &str,
    path: &str,
    more: &[(&str, serde_json::Value)],
) -> CellRecord {
    let mut at = serde_json::Map::new();
    at.insert("strategy".into(), json!(strategy));
    at.insert("hasher".into(), json!(hasher));
    at.insert("path".into(), json!(path));
    let mut id = format!("{strategy}/{hasher}/{path}");
    for (name, value) in more {
        at.insert((*name).into(), value.clone());
        id.push_str(&format!("/{name}={value}"));
    }
    CellRecord {
        id,
        strategy: strategy.into(),
        preset: None,
        hasher: Some(hasher.into()),
        label: None,
        at,
        unsupported: None,
        workload: WorkloadRecord::default(),
        steps: Vec::new(),
        trials: None,
        control: None,
        price: None,
    }
}

/// A step of `nodes` nodes with a balance per load.
pub fn step(number: usize, nodes: usize, balance: &[(&str, Balance)]) -> StepRecord {
    StepRecord {
        step: number,
        change: (number > 0).then(|| "add = 1".into()),
        nodes,
        points: 0,
        heap_bytes: 0,
        shared_points: None,
        lookup_steps: None,
        totals: BTreeMap::new(),
        outcomes: Outcomes::default(),
        per_node: Vec::new(),
        balance: balance.iter().map(|(l, b)| ((*l).to_string(), *b)).collect(),
        copies: None,
        queries: None,
        theory: Theory::default(),
        movement: None,
        timeline: None,
        failure: None,
        phases: None,
        spill: None,
    }
}

/// A balance with these extremes.
pub fn balance(max_over_mean: f64, min_over_mean: f64) -> Balance {
    let max_deviation = (max_over_mean - 1.0).max(1.0 - min_over_mean);
    Balance {
        max_over_mean,
        min_over_mean,
        max_deviation,
        cv: max_deviation / 2.0,
        gini: max_deviation / 3.0,
        p99_over_mean: max_over_mean,
        chi_square_fair: None,
        p_fair: None,
        chi_square_owned: None,
        p_owned: None,
        dof: None,
    }
}

fn band(middle: f64) -> Band {
    Band {
        p2_5: middle * 0.6,
        p5: middle * 0.68,
        p50: middle,
        p95: middle * 1.5,
        p97_5: middle * 1.6,
        mean: middle * 1.02,
        own_percentile: Some(0.41),
    }
}

/// Rings of 16 nodes with vnode counts, a band for the first hasher.
pub fn vnodes(hashers: &[&str], counts: &[f64]) -> Record {
    let mut record = empty(
        "vnodes-27-to-9",
        "Virtual nodes: from 27 % to 9 %",
        "How many virtual nodes keep 16 databases within 9 % of even?",
    );
    let mut rng = Stream::new(1, Purpose::Keys, 0);
    for (h, hasher) in hashers.iter().enumerate() {
        for &v in counts {
            let cv = libm::sqrt(15.0 / (16.0 * v + 1.0));
            let middle = cv * theory::largest_either_way(16);
            let measured = middle * (0.75 + 0.5 * rng.unit());
            let whole = json!(v as u64);
            let mut cell =
                cell("ring", hasher, "main", &[("vnodes", whole), ("label", json!("{node}#{i}"))]);
            let balance = balance(1.0 + measured, (1.0 - measured * 0.8).max(0.01));
            let mut step = step(0, 16, &[("owned", balance), ("keys", balance)]);
            step.theory.cv_owned = Some(cv);
            step.theory.cv_sampling = Some(0.002);
            cell.steps.push(step);
            if h == 0 {
                let at = TrialStep {
                    step: 0,
                    max_over_mean: band(1.0 + middle),
                    min_over_mean: band(0.9),
                    max_deviation: band(middle),
                    cv_squared: band(cv * cv),
                    share_moved: None,
                };
                cell.trials = Some(TrialsRecord {
                    count: 1000,
                    on: "ownership".into(),
                    reason: None,
                    steps: vec![at],
                });
            }
            record.cells.push(cell);
        }
    }
    record
}

/// Movement along paths of node counts for strategies with (name, movement as a multiple of the least, floor).
pub fn expansion(strategies: &[(&str, f64)], paths: &[(&str, &[usize])]) -> Record {
    let mut record = empty(
        "expand-8-to-16",
        "Expanding 8 databases to 16",
        "What moves when 8 databases become 16, one by one or at once?",
    );
    let mut rng = Stream::new(2, Purpose::Keys, 0);
    for (name, factor) in strategies {
        for (path, counts) in paths {
            let mut cell = cell(name, "murmur3-32", path, &[]);
            for (i, pair) in
                std::iter::once(&[counts[0], counts[0]][..]).chain(counts.windows(2)).enumerate()
            {
                let least = 1.0 - pair[0] as f64 / pair[1] as f64;
                let share = (least * factor * (0.98 + 0.04 * rng.unit())).min(0.95);
                let mut step = step(i, pair[1], &[("keys", balance(1.2, 0.8))]);
                if i > 0 {
                    let moved = Moved {
                        moved: (share * 1e6) as u64,
                        share_moved: share,
                        minimum_share: least,
                        minimum_actual_share: least,
                        excess_share: share - least,
                        between_survivors_share: 0.0,
                        largest_inheritor_share: 0.1,
                    };
                    step.movement = Some(MovementRecord {
                        verb: "moved".into(),
                        loads: [("keys".to_string(), moved)].into(),
                        per_node: Vec::new(),
                        pairs: None,
                        from_start: None,
                        along_path: None,
                    });
                }
                cell.steps.push(step);
            }
            record.cells.push(cell);
        }
    }
    record
}

/// Cells with loads per node, uneven in requests.
pub fn loads(strategies: &[&str], nodes: usize, name: &str) -> Record {
    let mut record = empty("npm-downloads", "A month of npm downloads", "What do averages hide?");
    let mut rng = Stream::new(3, Purpose::Keys, 0);
    for strategy in strategies {
        let mut cell = cell(strategy, "xxh3-64", "main", &[]);
        cell.workload.hottest_share = Some(0.046);
        let mut step = step(0, nodes, &[]);
        for i in 0..nodes {
            let keys = 10_000 + rng.below(1500);
            let requests = 500_000 + rng.below(500_000) * if i == 3 { 2 } else { 1 };
            step.per_node.push(NodeRecord {
                node: format!("{name}{i}"),
                weight: 1.0,
                loads: [("keys".to_string(), keys), ("requests".to_string(), requests)].into(),
                owned_share: None,
                capacity: BTreeMap::new(),
            });
        }
        step.theory.hot_key_floor = Some(0.046 * nodes as f64);
        let requests = balance(1.6 + rng.unit() * 0.5, 0.5);
        step.balance =
            [("keys".to_string(), balance(1.09, 0.9)), ("requests".to_string(), requests)].into();
        cell.steps.push(step);
        record.cells.push(cell);
    }
    record
}

/// Migrations of many small buckets, a cell per mode; the new node dies in some.
pub fn migrations(buckets: usize, long: &str) -> Record {
    use crate::timeline::*;
    let mut record = empty("migration", "Buckets go to a new node", "How long does it take?");
    for (i, mode) in Mode::ALL.into_iter().enumerate() {
        let unit = |bucket: usize| UnitPlan {
            name: format!("bucket {bucket} {long}").trim_end().to_string(),
            from: bucket % 3,
            to: bucket.is_multiple_of(2).then_some(3),
            rows: 500 + 10 * bucket as u64,
            requests: 1 + bucket as u64 % 5,
        };
        let job = Job {
            nodes: (0..4).map(|n| format!("{long}db{n}")).collect(),
            units: (0..buckets).map(unit).collect(),
            watch: Vec::new(),
            unit: "bucket",
            settings: Settings {
                mode,
                tick_ms: 1000,
                start: 30,
                horizon: 50_000,
                concurrency: 3,
                limits: Limits { overall: Some(100_000), ..Limits::default() },
                reads: 900_000,
                writes: 90_000,
                inserts: PPM / 2,
                verify: Verify::On(None),
                cutover: 2,
                keep_old: 60,
                clean_up: 5,
                failover: 20,
                replicas: 1,
                version_check: false,
                second_lag: 1,
                second_fails: 0,
                faults: (i % 2 == 1)
                    .then_some(Fault { at: 90, until: None, kind: FaultKind::Dies(3) })
                    .into_iter()
                    .collect(),
                seed: 1,
            },
        };
        let mut cell =
            cell("bucket-table", "md5", "main", &[("migration.mode", json!(mode.name()))]);
        let mut step = step(1, 4, &[]);
        step.timeline = Some(run(&job));
        cell.steps.push(step);
        record.cells.push(cell);
    }
    record
}
