//! Families of keys, hot keys in parts, reads and writes, phases, caches, and remedies: counts that follow
//! from arithmetic alone, and what a person is told about scenarios that cannot be.

mod common;
#[path = "hot/errors.rs"]
mod errors;
#[path = "common/read.rs"]
mod read;

use std::path::Path;

use common::{run_on, scenario};
use read::{cell, value};
use shardlab::record::{CellRecord, Record};

fn record(text: &str) -> Record {
    run_on(&scenario(text), 2)
}

fn total(cell: &CellRecord, load: &str) -> u64 {
    cell.steps[0].totals[load]
}

const FAMILIES: &str = r#"
title = "families"
[cluster]
nodes = 3
[[keys]]
family = "order"
pattern = "snowflake"
stream = "ids"
calls = 2
call = 1
rate = 0.5
count = 70_000
[[keys]]
family = "item"
pattern = "snowflake"
stream = "ids"
calls = 2
call = 2
rate = 0.5
count = 70_000
[[keys]]
family = "user"
pattern = "sequential"
prefix = "user:"
count = 10_000
[traffic]
shape = "zipf"
requests = 1_000_000
write-share = 0.25
[[traffic.hot]]
key = "user:celebrity"
family = "user"
share = 0.1
split = { parts = 4, read = "one" }
[[strategy]]
kind = "modulo"
hasher = "murmur3-32"
[[strategy]]
kind = "ring"
vnodes = 10
[[strategy]]
kind = "bounded-ring"
vnodes = 10
[[change]]
add = 1
[[change]]
remove = ["node0"]
"#;

#[test]
fn the_families_sum_to_all_of_them() {
    let record = record(FAMILIES);
    for strategy in ["modulo/murmur3-32", "ring/murmur3-32"] {
        let of = |family: &str| cell(&record, &format!("{strategy}/family={family}"));
        let all = of("all");
        assert_eq!(all.workload.rows, 150_004);
        for (at, step) in all.steps.iter().enumerate() {
            let families = ["order", "item", "user"].map(|family| &of(family).steps[at]);
            for (load, sum) in &step.totals {
                assert_eq!(families.iter().map(|f| f.totals[load]).sum::<u64>(), *sum, "{load}");
            }
            for (i, node) in step.per_node.iter().enumerate() {
                for (load, sum) in &node.loads {
                    let parts = families.iter().map(|f| f.per_node[i].loads[load]);
                    assert_eq!(parts.sum::<u64>(), *sum, "{load} of {} at step {at}", node.node);
                }
            }
            if let Some(movement) = &step.movement {
                for (load, moved) in &movement.loads {
                    let parts =
                        families.iter().map(|f| f.movement.as_ref().unwrap().loads[load].moved);
                    assert_eq!(parts.sum::<u64>(), moved.moved, "{load} at step {at}");
                }
            }
        }
        assert_eq!(total(all, "requests"), 1_000_000);
        assert_eq!(total(all, "reads") + total(all, "writes"), 1_000_000);
        // A tenth to the hot key, the rest by rows: 7 to 7 to 1.
        assert_eq!(total(of("order"), "requests"), 420_000);
        assert_eq!(total(of("user"), "requests"), 160_000);
    }
    let together = cell(&record, "bounded-ring/murmur3-32/family=all");
    let reason = together.unsupported.as_deref().expect("sessions have no sum");
    assert!(reason.starts_with("the open requests of several families"), "{reason}");
    assert!(cell(&record, "bounded-ring/murmur3-32/family=user").unsupported.is_none());
}

#[test]
fn orders_and_items_of_one_generator_are_even_and_odd() {
    let text = FAMILIES.replace("nodes = 3", "nodes = 2").replace("murmur3-32", "identity");
    let text = text.split("[[keys]]\nfamily = \"user\"").next().unwrap().to_string()
        + "[[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n";
    let record = record(&text);
    let max = |family: &str| {
        value(cell(&record, &format!("modulo/identity/family={family}")), 0, "keys.max-over-mean")
    };
    assert_eq!([max("order"), max("item"), max("all")], [2.0, 2.0, 1.0]);
}

const SPLIT: &str = r#"
title = "split"
[cluster]
nodes = 16
[keys]
pattern = "sequential"
prefix = "account:"
count = 50_000
[traffic]
shape = "uniform"
requests = 10_000_000
write-share = 0.2
[[traffic.hot]]
key = "user:9527"
share = 0.1
split = { parts = [1, 100], read = ["all", "one"] }
[[strategy]]
kind = "rendezvous"
"#;

#[test]
fn a_split_key_costs_the_work_that_the_design_states() {
    let record = record(SPLIT);
    let of = |parts: u32, read: &str| {
        let axes = format!("traffic.hot.split.parts={parts}/traffic.hot.split.read={read}");
        cell(&record, &format!("rendezvous/murmur3-32/{axes}"))
    };
    // R = 10^7, f = 0.1, a fifth writes: the hot key has 800 000 reads and 200 000 writes.
    for read in ["all", "one"] {
        assert_eq!(of(1, read).workload.rows, 50_001);
        assert_eq!(of(100, read).workload.rows, 50_100);
        assert_eq!(total(of(100, read), "writes"), 2_000_000);
        assert_eq!(total(of(1, read), "requests"), 10_000_000);
    }
    assert_eq!(total(of(100, "one"), "reads"), 8_000_000);
    // (1 − f) + r·f of the reads.
    assert_eq!(total(of(100, "all"), "reads"), 7_200_000 + 100 * 800_000);
    // Before: the largest node has the whole key; after, the same parts for reads and writes.
    let largest = |cell: &CellRecord, load: &str| {
        cell.steps[0].per_node.iter().map(|node| node.loads[load]).max().unwrap()
    };
    let whole = of(1, "all");
    assert!(largest(whole, "reads") >= 800_000 && largest(whole, "writes") >= 200_000);
    // Read all: some node has at least ⌈100/16⌉ = 7 parts of 800 000 reads: more than before.
    assert!(largest(of(100, "all"), "reads") >= 7 * 800_000);
    // Each write goes to one part: no node has a fifth of the parts (P < 1e-4), and so none a fifth of
    // what the whole key brought beside a sixteenth of the rest.
    assert!(largest(of(100, "all"), "writes") < 40_000 + 130_000);
    assert_eq!(largest(of(100, "all"), "writes"), largest(of(100, "one"), "writes"));
}

#[test]
fn counts_of_a_file_divide_to_the_request_and_the_hottest_are_cached() {
    let text = |more: &str| {
        format!(
            r#"
title = "file"
[cluster]
nodes = 4
[keys]
file = "data/npm-downloads-20k.csv"
requests = "requests"
[traffic]
{more}
[[strategy]]
kind = "modulo"
hasher = "murmur3-32"
"#
        )
    };
    let plain = record(&text("shape = \"file\""));
    let all = total(&plain.cells[0], "requests");
    let divided = record(&text("write-share = 0.25"));
    let divided = &divided.cells[0];
    assert_eq!(total(divided, "requests"), all);
    assert_eq!(total(divided, "writes"), (all + 2) / 4);
    for (before, after) in plain.cells[0].steps[0].per_node.iter().zip(&divided.steps[0].per_node) {
        assert_eq!(before.loads["requests"], after.loads["requests"]);
        assert_eq!(after.loads["reads"] + after.loads["writes"], after.loads["requests"]);
    }
    // An oracle: sort the counts of the file.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/data/npm-downloads-20k.csv");
    let file = std::fs::read_to_string(file).unwrap();
    let mut counts: Vec<u64> =
        file.lines().skip(1).filter_map(|line| line.rsplit(',').next()?.parse().ok()).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let hits: u64 = counts[..50].iter().map(|&count| count.div_ceil(2)).sum();
    let cached = record(&text("cache = { keys = 50, hit = 0.5 }"));
    assert_eq!(total(&cached.cells[0], "requests"), all - hits);
}

#[test]
fn without_a_shape_every_row_is_one_read_or_one_write() {
    let text = r#"
title = "one each"
[cluster]
nodes = 2
[keys]
pattern = "sequential"
type = "integer"
count = 100_000
[traffic]
write-share = 0.5
[[strategy]]
kind = "modulo"
hasher = "identity"
"#;
    let record = record(text);
    let step = &record.cells[0].steps[0];
    assert_eq!((step.totals["reads"], step.totals["writes"]), (50_000, 50_000));
    for node in &step.per_node {
        assert_eq!(node.loads["requests"], 50_000);
        // Rows are dealt to reads and writes without regard to the key: five standard errors.
        assert!(node.loads["writes"].abs_diff(25_000) < 5 * 80, "{:?}", node.loads);
    }
}

#[test]
fn phases_sum_to_the_whole_and_results_are_the_same_on_any_threads() {
    let text = r#"
title = "phases"
[cluster]
nodes = 5
[keys]
pattern = "sequential"
prefix = "item:"
count = 200_000
[traffic]
shape = ["moving-hot-set", "flash-sale"]
requests = 7_000_003
hot-keys = 0.001
phases = 7
[[traffic.hot]]
key = "item:hot"
share = 0.05
[[strategy]]
kind = "ring"
[[strategy]]
kind = "jump"
[[change]]
add = 1
"#;
    let scenario = scenario(text);
    let one = run_on(&scenario, 1);
    assert_eq!(one, run_on(&scenario, 2));
    assert_eq!(one, run_on(&scenario, 7));
    for cell in &one.cells {
        for step in &cell.steps {
            let phases = step.phases.as_ref().expect("the traffic has phases");
            assert_eq!(phases.each.iter().map(|p| p.requests).sum::<u64>(), 7_000_003);
            for (i, node) in step.per_node.iter().enumerate() {
                let sum: u64 = phases.each.iter().map(|p| p.per_node[i]).sum();
                assert_eq!(sum, node.loads["requests"], "{}", cell.id);
            }
            assert!(phases.worst_max_over_mean >= phases.mean_max_over_mean);
            assert!(phases.mean_max_over_mean >= 1.0);
        }
    }
}

const REMEDIES: &str = r#"
title = "remedies"
[cluster]
nodes = 8
[keys]
pattern = "sequential"
prefix = "account:"
count = 20_000
[traffic]
shape = "uniform"
requests = 200_000
[[traffic.hot]]
key = "user:9527"
share = 0.3
[[strategy]]
kind = "bucket-table"
buckets = 64
[[strategy]]
kind = "ring"
vnodes = 50
[[remedy]]
kind = "split"
parts = 10
[[remedy]]
kind = "cache"
keys = 1
hit = 0.9
[[remedy]]
kind = "bounded-load"
[[remedy]]
kind = "isolate"
key = "user:9527"
[[remedy]]
kind = "more-vnodes"
times = 4
[[remedy]]
kind = "reassign"
[[remedy]]
kind = "reassign"
name = "fine"
split = 8
[[remedy]]
kind = "feedback"
rounds = 4
"#;

#[test]
fn remedies_and_their_prices_follow_from_counts() {
    let scenario = scenario(REMEDIES);
    let record = run_on(&scenario, 1);
    assert_eq!(record, run_on(&scenario, 7));
    let of = |name: &str| cell(&record, name);
    let bucket = |remedy: &str| of(&format!("bucket-table/murmur3-32/remedy={remedy}"));
    let ring = |remedy: &str| of(&format!("ring/murmur3-32/remedy={remedy}"));
    let price =
        |cell: &CellRecord, stat: &str| value(cell, cell.steps.len() - 1, &format!("price.{stat}"));
    // 0.7 + 10 · 0.3, and 1 − 0.9 · 0.3.
    assert_eq!(price(bucket("split"), "work"), 3.7);
    assert_eq!(price(bucket("split"), "read-fan-out"), 10.0);
    assert_eq!(price(ring("cache"), "work"), 0.73);
    assert_eq!(price(ring("none"), "largest"), 1.0);
    // One key moves, to one more node, and it is all that the node holds.
    let isolated = bucket("isolate");
    assert_eq!(isolated.steps[1].movement.as_ref().unwrap().loads["keys"].moved, 1);
    let own = isolated.steps[1].per_node.last().unwrap();
    assert_eq!(
        (own.node.as_str(), own.loads["requests"], own.loads["keys"]),
        ("isolated", 60_000, 1)
    );
    // The bound holds to the request, and what the hot key's home cannot take spills.
    let bounded = ring("bounded-load");
    assert!(value(bounded, 0, "requests.max-over-mean") <= 1.25 + 8.0 / 200_000.0);
    assert!(value(bounded, 0, "spill.share") >= 0.3 - 1.25 / 8.0 - 1e-4);
    assert_eq!(price(ring("more-vnodes"), "points"), 4.0);
    // Re-assignment: the table is as it was but for the buckets that moved, nothing is lost, and the
    // fewest keys moved that lead there.
    for remedy in ["reassign", "fine"] {
        let cell = bucket(remedy);
        let last = cell.steps.last().unwrap();
        assert_eq!(last.totals["requests"], 200_000);
        let moved = last.movement.as_ref().unwrap().loads["requests"];
        assert!(moved.excess_share < 0.01, "{remedy}: {moved:?}");
        let (before, after) = (
            value(cell, 0, "requests.max-over-mean"),
            value(cell, cell.steps.len() - 1, "requests.max-over-mean"),
        );
        assert!(after < before && after >= 0.3 * 8.0, "{before} to {after}");
        assert!(price(cell, "buckets-moved") > 0.0);
    }
    // Cutting buckets finer moves nothing by itself.
    assert_eq!(bucket("fine").steps[1].movement.as_ref().unwrap().loads["keys"].moved, 0);
    assert_eq!(bucket("feedback").control.as_ref().unwrap().rounds, 4);
    for (cell, why) in [
        (ring("reassign"), "ring has no buckets to re-assign"),
        (bucket("more-vnodes"), "bucket-table has no virtual nodes"),
        (
            bucket("bounded-load"),
            "bucket-table has no form with bounded load: those are of ring, rendezvous, forward",
        ),
    ] {
        assert_eq!(cell.unsupported.as_deref(), Some(why));
    }
}
