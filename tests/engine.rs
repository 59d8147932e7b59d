//! Facts that follow from arithmetic or theory alone, read from the record of a run.

mod common;
#[path = "common/read.rs"]
mod read;

use common::{run_on, scenario};
use read::{cell, value};
use shardlab::record::{CellRecord, Record, StepRecord};

fn record(text: &str) -> Record {
    run_on(&scenario(text), 2)
}

/// Every step of every cell.
fn steps(record: &Record) -> impl Iterator<Item = (&CellRecord, &StepRecord)> {
    record.cells.iter().flat_map(|cell| cell.steps.iter().map(move |step| (cell, step)))
}

const EXPAND: &str = r#"
title = "expand"
[cluster]
nodes = 8
[keys]
pattern = "sequential"
type = "integer"
count = 240_000
[[strategy]]
kind = "modulo"
hasher = "identity"
[[strategy]]
kind = "modulo"
hasher = "murmur3-32"
[[strategy]]
kind = "ring"
vnodes = [1, 160]
[[strategy]]
kind = "jump"
[[strategy]]
kind = "rendezvous"
[[strategy]]
kind = "maglev"
[[strategy]]
kind = "bucket-table"
[[path]]
name = "12"
change = [{ add = 4 }]
[[path]]
name = "16"
change = [{ add = 8 }]
"#;

#[test]
fn raw_modulo_moves_exactly_what_arithmetic_says() {
    let record = record(EXPAND);
    let moved = |id: &str| value(cell(&record, id), 1, "movement.keys.share-moved");
    assert_eq!(moved("modulo/identity/path=12"), 2.0 / 3.0);
    assert_eq!(moved("modulo/identity/path=16"), 0.5);
    // Hashed keys: a binomial share with p = 2/3 or 1/2, within 4 σ (false alarm 6e-5 each).
    for (path, p) in [("12", 2.0 / 3.0), ("16", 0.5f64)] {
        let sigma = (p * (1.0 - p) / 240_000.0).sqrt();
        let share = moved(&format!("modulo/murmur3-32/path={path}"));
        assert!((share - p).abs() < 4.0 * sigma, "{path}: {share}");
    }
}

#[test]
fn three_to_a_hundred_moves_99_percent_under_raw_modulo() {
    let text = EXPAND
        .replace("nodes = 8", "nodes = 3")
        .replace("{ add = 4 }", "{ add = 97 }")
        .replace("240_000", "300_000");
    let record = record(&text);
    let moved = value(cell(&record, "modulo/identity/path=12"), 1, "movement.keys.share-moved");
    assert_eq!(moved, 0.99);
}

#[test]
fn added_nodes_take_keys_from_others_and_nothing_else_moves() {
    let record = record(EXPAND);
    let mut seen = 0;
    for (cell, step) in steps(&record).filter(|(_, step)| step.step == 1) {
        if !["ring", "jump", "rendezvous", "bucket-table"].contains(&cell.strategy.as_str()) {
            continue;
        }
        let moved = &step.movement.as_ref().unwrap().loads["keys"];
        assert_eq!(moved.between_survivors_share, 0.0, "{}", cell.id);
        assert_eq!(moved.excess_share, 0.0, "{}", cell.id);
        assert!(moved.moved > 0);
        seen += 1;
    }
    assert_eq!(seen, 10);
    // The same check must go red for a strategy that reshuffles.
    let modulo = cell(&record, "modulo/murmur3-32/path=12");
    let moved = &modulo.steps[1].movement.as_ref().unwrap().loads["keys"];
    assert!(moved.excess_share > 0.3 && moved.between_survivors_share > 0.3);
}

/// Negative keys under plain remainders, ids without a number, a node that is down: every outcome.
const OUTCOMES: &str = r#"
title = "outcomes"
[cluster]
nodes = 5
[keys]
pattern = "sequential"
type = "integer"
start = -1000
count = 5000
[traffic]
shape = "zipf"
exponent = 1.0
requests = 1_000_000
[[strategy]]
kind = "modulo"
hasher = "identity"
sign = ["remainder", "abs", "floor"]
[[strategy]]
kind = "ring"
[[path]]
name = "dies"
change = [{ fail = ["node3"], on-fail = "unavailable" }, { add = 1 }]
"#;

#[test]
fn every_key_is_placed_or_has_an_outcome() {
    for text in [EXPAND, OUTCOMES] {
        let record = record(text);
        for (cell, step) in steps(&record) {
            let placed: u64 = step.per_node.iter().map(|node| node.loads["keys"]).sum();
            let outcomes = step.outcomes;
            let total = placed + outcomes.misrouted + outcomes.refused + outcomes.absent;
            assert_eq!(total, step.totals["keys"], "{} step {}", cell.id, step.step);
            assert_eq!(total, cell.workload.rows);
            if let Some(movement) = &step.movement {
                let gives: u64 = movement.per_node.iter().map(|n| n.gives["keys"]).sum();
                let receives: u64 = movement.per_node.iter().map(|n| n.receives["keys"]).sum();
                let pairs: u64 =
                    movement.pairs.as_ref().unwrap().iter().map(|p| p.loads["keys"]).sum();
                assert_eq!((gives, receives, pairs), (movement.loads["keys"].moved, gives, gives));
            }
        }
    }
}

#[test]
fn negative_remainders_are_misrouted_and_dead_nodes_absent() {
    let record = record(OUTCOMES);
    let remainder = cell(&record, "modulo/identity/sign=remainder");
    // −1000 … −1 without the multiples of 5 are negative remainders.
    assert_eq!(remainder.steps[0].outcomes.misrouted, 800);
    assert_eq!(cell(&record, "modulo/identity/sign=floor").steps[0].outcomes.misrouted, 0);
    let ring = cell(&record, "ring/murmur3-32");
    let lost = ring.steps[0].per_node[3].loads["keys"];
    assert_eq!(ring.steps[1].outcomes.absent, lost);
    assert_eq!(ring.steps[1].movement.as_ref().unwrap().verb, "lost");
    assert_eq!(ring.steps[1].nodes, 4);
}

#[test]
fn expected_requests_sum_to_the_total_with_hot_keys() {
    let text = OUTCOMES.replace(
        "[[strategy]]\nkind = \"modulo\"",
        "[[traffic.hot]]\nkey = \"77\"\nshare = 0.1\n[[strategy]]\nkind = \"modulo\"",
    );
    let record = record(&text);
    for (cell, step) in steps(&record) {
        assert_eq!(step.totals["requests"], 1_000_000, "{}", cell.id);
        assert_eq!(step.totals["keys"], 5001);
        assert!(value(cell, 0, "theory.hot-key-floor") >= 0.5);
    }
}

#[test]
fn owned_shares_spread_as_theory_says() {
    let record = record(
        r#"
title = "owned"
[cluster]
nodes = 16
[keys]
pattern = "sequential"
count = 1000
[[strategy]]
kind = "ring"
vnodes = 160
hasher = ["murmur3-32", "xxh3-64"]
[trials]
count = 1000
"#,
    );
    for cell in &record.cells {
        let mean = cell.trials.as_ref().unwrap().steps[0].cv_squared.mean;
        let expected = 15.0 / (16.0 * 160.0 + 1.0);
        // cv² of 16 nearly normal shares: relative σ √(2/15) a trial, so 1.2 % for the mean of 1000;
        // 4 σ: false alarm 6e-5.
        let sigma = expected * (2.0f64 / 15.0 / 1000.0).sqrt();
        assert!((mean - expected).abs() < 4.0 * sigma, "{}: {mean}", cell.id);
        assert!((value(cell, 0, "theory.cv-owned").powi(2) - 0.005857).abs() < 1e-6);
    }
}

#[test]
fn bounded_load_keeps_its_cap_at_every_step() {
    let record = record(
        r#"
title = "bounded"
[cluster]
nodes = 7
[keys]
pattern = "sequential"
count = 1000
[traffic]
shape = "zipf"
exponent = 1.2
requests = 30_000
[[strategy]]
kind = "bounded-ring"
factor = [1.1, 1.5]
[[strategy]]
kind = "ring"
[[change]]
add = 1
"#,
    );
    let mut bounded = 0;
    for (cell, step) in steps(&record) {
        let max = step.per_node.iter().map(|n| n.loads["requests"]).max().unwrap();
        if cell.strategy == "bounded-ring" {
            let factor = cell.at["factor"].as_f64().unwrap();
            let cap = (factor * 30_000.0 / step.nodes as f64).ceil() as u64;
            assert!(max <= cap, "{}: {max} > {cap}", cell.id);
            assert_eq!(step.totals["requests"], 30_000);
            bounded += 1;
        } else {
            // The canary: without a bound the hottest node is far above either cap.
            assert!(max as f64 > 1.5 * 30_000.0 / 7.0, "{max}");
        }
    }
    assert_eq!(bounded, 4);
}

#[test]
fn replicas_live_on_distinct_nodes() {
    let record = record(
        r#"
title = "replicas"
replicas = 3
[cluster]
nodes = [2, 9]
[keys]
pattern = "uuid-v4"
count = 20_000
[[strategy]]
kind = "ring"
[[strategy]]
kind = "rendezvous"
[[strategy]]
kind = "jump"
"#,
    );
    let copies = |id: &str| cell(&record, id).steps[0].copies.clone().unwrap();
    for strategy in ["ring/murmur3-32", "rendezvous/murmur3-32"] {
        assert_eq!(copies(&format!("{strategy}/cluster.nodes=9")).short_keys, 0);
        assert_eq!(copies(&format!("{strategy}/cluster.nodes=2")).short_keys, 20_000);
        let all: u64 = copies(&format!("{strategy}/cluster.nodes=9")).per_node.iter().sum();
        assert_eq!(all, 60_000);
    }
    assert!(cell(&record, "jump/murmur3-32/cluster.nodes=9").unsupported.is_some());
}

#[test]
fn the_same_bytes_on_any_number_of_threads() {
    // 55 chunks, so that several threads finish them in any order.
    let text = OUTCOMES.replace("count = 5000", "count = 3_600_000");
    let scenario = scenario(&text);
    let bytes = |threads| serde_json::to_vec(&run_on(&scenario, threads)).unwrap();
    let one = bytes(1);
    assert_eq!(one, bytes(2));
    assert_eq!(one, bytes(7));
    assert_eq!(one, bytes(7));
}

#[test]
fn paths_that_end_alike_place_alike() {
    let record =
        record(&EXPAND.replace(
            "{ add = 8 }",
            "{ add = 4 }, { add = 4 }, { remove = [\"node8\", \"node15\"] }",
        ));
    let ring = cell(&record, "ring/murmur3-32/vnodes=160/path=16");
    assert_eq!(ring.steps[3].nodes, 14);
    let start = &ring.steps[3].movement.as_ref().unwrap().from_start.as_ref().unwrap()["keys"];
    assert_eq!(start.excess_share, 0.0);
    assert_eq!(start.between_survivors_share, 0.0);
}

/// Nine nodes in three zones.
const ZONES: &str = r#"
title = "zones"
replicas = [2, 3]
[cluster]
node = [
    { name = "a", zone = "z1" }, { name = "b", zone = "z1" }, { name = "c", zone = "z1" },
    { name = "d", zone = "z2" }, { name = "e", zone = "z2" }, { name = "f", zone = "z2" },
    { name = "g", zone = "z3" }, { name = "h", zone = "z3" }, { name = "i", zone = "z3" },
]
[keys]
pattern = "sequential"
count = 60000
[[strategy]]
kind = ["ring", "rendezvous"]
spread = ["node", "zone"]
"#;

#[test]
fn copies_spread_over_zones_survive_one_and_are_read_within_it() {
    let record = record(ZONES);
    for (cell, step) in steps(&record) {
        let copies = step.copies.as_ref().unwrap();
        let zoned = cell.at["spread"] == "zone";
        assert_eq!(copies.short_keys, 0, "{}", cell.id);
        // Three nodes in each of three zones: 27 pairs, and 27 triples, across zones; 36 and 84 in all.
        let all = if copies.replicas == 2 { 36 } else { 84 };
        let sets = if zoned { 27 } else { all };
        assert_eq!(copies.node_sets, Some(sets), "{}", cell.id);
        assert_eq!(copies.loss_replicas, Some(sets as f64 / all as f64), "{}", cell.id);
        assert_eq!(copies.heirs_least, Some(if zoned { 6 } else { 8 }), "{}", cell.id);
        // Each client's zone holds 2 of 3 primaries less; of three copies in three zones it holds one.
        let primary = copies.cross_zone_primary.unwrap();
        assert!((primary - 2.0 / 3.0).abs() < 1e-12, "{}", cell.id);
        let crossing = copies.cross_zone_share.unwrap();
        let short = copies.short_zones_share.unwrap();
        match (zoned, copies.replicas) {
            (true, 3) => assert_eq!((short, crossing), (0.0, 0.0), "{}", cell.id),
            (true, _) => assert!(short == 0.0 && (crossing - 1.0 / 3.0).abs() < 1e-12),
            (false, _) => assert!(short > 0.2 && crossing > 0.2, "{}", cell.id),
        }
    }
    assert_eq!(record.cells.len(), 8);
}
