//! Failures, cascades and repeated moves against arithmetic: raw numbers over whole periods, closed
//! forms, and the laws that hold for every strategy.

mod common;

use common::{run_on, scenario};
use shardlab::analysis::plan::{ChangePlan, plan};
use shardlab::metrics;
use shardlab::record::{CascadeRecord, CellRecord, Record};

/// Raw numbers over nodes, with what may follow.
fn raw(nodes: &str, rest: &str) -> Record {
    record(nodes, "[[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n", rest)
}

fn record(cluster: &str, strategies: &str, rest: &str) -> Record {
    let text = format!(
        "title = \"t\"\n[cluster]\n{cluster}\n[keys]\npattern = \"sequential\"\ntype = \"integer\"\ncount = 12_000\nstart = 0\n{strategies}\n{rest}\n"
    );
    let mut scenario = scenario(&text);
    // Repeated moves are counted where the scenario asks for them; here every test does.
    scenario.analysis = "{x|1|movement.along-path.keys.ever|n}".into();
    run_on(&scenario, 2)
}

fn value(cell: &CellRecord, step: usize, metric: &str) -> f64 {
    metrics::value(&cell.steps[step], cell, metric)
        .unwrap_or_else(|| panic!("{} has no {metric} at step {step}", cell.id))
}

fn cascade(record: &Record) -> &CascadeRecord {
    record.cells[0].steps[1].failure.as_ref().unwrap().cascade.as_ref().unwrap()
}

#[test]
fn what_a_failure_takes_and_who_inherits_is_counted_exactly() {
    // h mod 3 = 0 is lost, 4000 of 12 000; of these h mod 2 decides between the two that are left.
    let record = raw("nodes = 3\nname = \"db{i}\"", "[[change]]\nfail = [\"db0\"]");
    let cell = &record.cells[0];
    assert_eq!(value(cell, 1, "failure.keys.lost"), 4000.0);
    assert_eq!(value(cell, 1, "failure.keys.lost-share"), 1.0 / 3.0);
    assert_eq!(value(cell, 1, "failure.keys.heirs"), 2.0);
    assert_eq!(value(cell, 1, "failure.keys.heir-gain"), 2000.0);
    assert_eq!(value(cell, 1, "failure.keys.heir-gain-share"), 0.5);
    // Of the others a third of all moves between survivors: 1 − 1/3 in all.
    assert_eq!(value(cell, 1, "movement.keys.share-moved"), 2.0 / 3.0);
    let failure = cell.steps[1].failure.as_ref().unwrap();
    assert_eq!(
        (failure.failed.as_slice(), &*failure.on_fail),
        (&["db0".to_string()][..], "reroute")
    );
    assert_eq!(failure.loads["keys"].largest_heir.as_deref(), Some("db1"));
    assert_eq!(failure.cascade, None, "no capacity is stated");
}

#[test]
fn an_unavailable_node_has_no_heirs_and_starts_no_cascade() {
    let cluster = "nodes = 3\nname = \"db{i}\"\ncapacity = { keys = 100 }";
    let record = raw(cluster, "[[change]]\nfail = [\"db0\"]\non-fail = \"unavailable\"");
    let cell = &record.cells[0];
    assert_eq!(value(cell, 1, "failure.keys.lost"), 4000.0);
    assert_eq!(value(cell, 1, "failure.keys.heirs"), 0.0);
    assert_eq!(value(cell, 1, "failure.keys.heir-gain"), 0.0);
    assert_eq!(value(cell, 1, "outcomes.absent"), 4000.0);
    assert_eq!(cell.steps[1].failure.as_ref().unwrap().cascade, None);
    assert_eq!(value(cell, 1, "capacity.keys.over"), 2.0);
    // Each of three nodes has 4000 and takes 100; then one takes none, and what it had is nobody's.
    assert_eq!(value(cell, 0, "capacity.keys.throttled-share"), 3.0 * 3900.0 / 12_000.0);
    assert_eq!(value(cell, 1, "capacity.keys.throttled-share"), 2.0 * 3900.0 / 12_000.0);
}

#[test]
fn a_cascade_is_followed_wave_by_wave() {
    let nodes = |capacities: [u64; 4]| {
        let node =
            |(i, c)| format!("[[cluster.node]]\nname = \"db{i}\"\ncapacity = {{ keys = {c} }}");
        let nodes: Vec<String> = capacities.into_iter().enumerate().map(node).collect();
        nodes.join("\n")
    };
    let run = |capacities| {
        let text = format!("name = \"db{{i}}\"\n{}", nodes(capacities));
        raw(&text, "[[change]]\nfail = [\"db3\"]")
    };
    // 3000 each, 4000 once db3 is gone: db0 is over, then 6000 each: db1 is over, then 12 000 for db2.
    let record = run([3999, 5999, 12_000, 1]);
    let found = cascade(&record);
    assert_eq!((found.waves, found.failed, found.nodes_left), (2, 2, 1));
    assert_eq!(found.ends, "stable");
    assert_eq!(found.over_before, ["db3"]);
    let waves: Vec<_> = found
        .wave
        .iter()
        .map(|w| (w.failed[0].node.as_str(), w.failed[0].has, w.failed[0].capacity, w.nodes_left))
        .collect();
    assert_eq!(waves, [("db0", 4000, 3999, 2), ("db1", 6000, 5999, 1)]);
    let found = run([3999, 5999, 11_999, 1]);
    let found = cascade(&found);
    assert_eq!((found.waves, found.nodes_left, found.ends.as_str()), (3, 0, "all down"));
    // Exactly at capacity is not above it.
    let found = run([4000, 4000, 4000, 4000]);
    let found = cascade(&found);
    assert_eq!((found.waves, found.nodes_left), (0, 3));
    assert!(found.over_before.is_empty());
}

#[test]
fn headroom_is_a_multiple_of_the_fair_load_at_the_start() {
    for (headroom, waves) in [(1.5, 0.0), (1.4999, 1.0)] {
        let cluster = format!("nodes = 3\nname = \"db{{i}}\"\nheadroom = {{ keys = {headroom} }}");
        let record = raw(&cluster, "[[change]]\nfail = [\"db1\"]");
        let cell = &record.cells[0];
        assert_eq!(value(cell, 1, "failure.cascade.waves"), waves, "{headroom}");
        let capacity = cell.steps[0].per_node[0].capacity["keys"];
        assert_eq!(capacity, (headroom * 4000.0) as u64);
        assert_eq!(value(cell, 0, "capacity.keys.fullest"), 4000.0 / capacity as f64);
    }
}

#[test]
fn a_node_keeps_its_own_capacity_and_joining_ones_have_the_cluster_s() {
    let cluster = "name = \"db{i}\"\ncapacity = { keys = 5000 }\nheadroom = { bytes = 2.0 }\n\
        [[cluster.node]]\nname = \"db0\"\ncapacity = { keys = 70 }\n\
        [[cluster.node]]\nname = \"db1\"\nheadroom = { keys = 0.5 }";
    let record = raw(
        cluster,
        "[[change]]\nadd = 1\n[[change]]\nadd = [\"x\", { name = \"y\", capacity = { keys = 8 } }]",
    );
    let last = record.cells[0].steps.last().unwrap();
    let capacities: Vec<u64> = last.per_node.iter().map(|n| n.capacity["keys"]).collect();
    assert_eq!(capacities, [70, 3000, 5000, 5000, 8]);
}

#[test]
fn a_ring_of_one_point_a_node_has_one_heir_and_many_points_have_many() {
    for nodes in [3, 8, 21] {
        let strategies = "[[strategy]]\nkind = \"ring\"\nvnodes = [1, 200]";
        let cluster = format!("nodes = {nodes}\nname = \"db{{i}}\"");
        let record = record(&cluster, strategies, "[[change]]\nfail = [\"db2\"]");
        let heirs = |cell: usize| value(&record.cells[cell], 1, "failure.keys.heirs");
        assert_eq!(heirs(0), 1.0, "{nodes}");
        assert_eq!(heirs(1), f64::from(nodes - 1), "{nodes}");
        for cell in &record.cells {
            assert_eq!(value(cell, 1, "movement.keys.between-survivors-share"), 0.0);
            let (lost, moved) = ("failure.keys.lost", "movement.keys.moved");
            assert_eq!(value(cell, 1, lost), value(cell, 1, moved));
        }
    }
}

#[test]
fn closing_the_gap_moves_what_the_formula_says() {
    // Index i of n leaves and the ones after it move up: 1 − i/n − 1/(n(n − 1)), the last one 1/n.
    for (n, i) in [(4u32, 1u32), (12, 8), (30, 10), (30, 20), (10, 0), (10, 5), (10, 9)] {
        let cluster = format!("nodes = {n}\nname = \"db{{i}}\"");
        let strategy = "[[strategy]]\nkind = \"jump\"\nhasher = \"xxh3-64\"";
        let record = record(&cluster, strategy, &format!("[[change]]\nfail = [\"db{i}\"]"));
        let (size, at) = (f64::from(n), f64::from(i));
        let want = match i == n - 1 {
            true => 1.0 / size,
            false => 1.0 - at / size - 1.0 / (size * (size - 1.0)),
        };
        let got = value(&record.cells[0], 1, "movement.keys.share-moved");
        // Five standard errors of 12 000 keys.
        let sigma = (want * (1.0 - want) / 12_000.0).sqrt();
        assert!((got - want).abs() <= 5.0 * sigma, "{n} {i}: {got} for {want}");
    }
}

/// Node of a raw number on 3, 4 and 5 nodes in turn.
fn residues(key: u64) -> [u64; 3] {
    [key % 3, key % 4, key % 5]
}

#[test]
fn keys_that_move_again_are_those_whose_residues_differ_again() {
    let record = raw("nodes = 3\nname = \"db{i}\"", "[[change]]\nadd = 1\n[[change]]\nadd = 1");
    let cell = &record.cells[0];
    let moves = |key: u64, steps: usize| {
        let at = residues(key);
        (1..=steps).filter(|&s| at[s] != at[s - 1]).count()
    };
    for step in [1, 2] {
        let count = |least: usize| (0..12_000).filter(|&k| moves(k, step) >= least).count() as f64;
        assert_eq!(value(cell, step, "movement.along-path.keys.ever"), count(1));
        assert_eq!(value(cell, step, "movement.along-path.keys.more-than-once"), count(2));
        assert_eq!(value(cell, step, "movement.along-path.keys.most-moves"), step as f64);
        let sum: usize = (0..12_000).map(|k| moves(k, step)).sum();
        assert_eq!(value(cell, step, "movement.along-path.keys.moved"), sum as f64);
    }
}

#[test]
fn nothing_is_counted_that_nobody_asks_for() {
    let text = "title = \"t\"\n[cluster]\nnodes = 3\n[keys]\npattern = \"sequential\"\ncount = 100\n[[strategy]]\nkind = \"jump\"\n[[change]]\nadd = 1\n";
    let record = run_on(&scenario(text), 1);
    assert!(record.cells[0].steps[1].movement.as_ref().unwrap().along_path.is_none());
    let asks = format!(
        "{text}[[expect]]\nmetric = \"movement.along-path.keys.more-than-once\"\nmax = 0\nbecause = \"one step moves no key twice\"\n"
    );
    let record = run_on(&scenario(&asks), 1);
    assert!(record.expect[0].pass && record.expect[0].measured == Some(0.0));
}

fn planned(record: &Record) -> ChangePlan {
    plan(record, Vec::new())
}

#[test]
fn doubling_pairs_each_shard_with_its_own_and_nothing_else_does() {
    let strategies = "[[strategy]]\nkind = \"modulo\"\nhasher = [\"identity\", \"xxh3-64\"]\n\
        [[strategy]]\nkind = \"ring\"\n[[strategy]]\nkind = \"jump\"\n";
    let paths = "[[path]]\nname = \"double\"\nchange = [{ add = 4 }]\n\
        [[path]]\nname = \"triple\"\nchange = [{ add = 8 }]\n\
        [[path]]\nname = \"one more\"\nchange = [{ add = 1 }]\n";
    let record = record("nodes = 4\nname = \"ds_{i}\"", strategies, paths);
    for cell in &planned(&record).cells {
        let pairing = &cell.steps[0].pairing;
        let times = match cell.path.as_str() {
            "double" => 2,
            "triple" => 3,
            _ => 0,
        };
        if !cell.id.starts_with("modulo") || times == 0 {
            assert_eq!(*pairing, None, "{}", cell.id);
            continue;
        }
        let pairing = pairing.as_ref().unwrap_or_else(|| panic!("{}", cell.id));
        assert_eq!(pairing.len(), 4);
        for (i, pair) in pairing.iter().enumerate() {
            assert_eq!(pair.node, format!("ds_{i}"));
            let want: Vec<String> = (1..times).map(|k| format!("ds_{}", i + 4 * k)).collect();
            assert_eq!(pair.splits_into, want);
        }
    }
}

#[test]
fn totals_of_a_plan_add_up_whatever_the_strategy() {
    let strategies = "[[strategy]]\nkind = [\"modulo\", \"ring\", \"jump\", \"rendezvous\", \"maglev\", \"bucket-table\", \"redis-slots\"]\n";
    let path = "[[change]]\nadd = 2\n[[change]]\nremove = [\"db1\"]\n[[change]]\nfail = [\"db2\"]\n[[change]]\nadd = [\"db1\"]\n";
    let record = record("nodes = 5\nname = \"db{i}\"", strategies, path);
    for cell in &planned(&record).cells {
        let t = &cell.totals["keys"];
        let steps: u64 = cell.steps.iter().map(|s| s.totals["keys"].moved).sum();
        assert_eq!(t.along.moved, steps, "{}", cell.id);
        assert!(t.along.more_than_once <= t.along.ever && t.along.ever <= t.total);
        assert!(t.along.moved >= t.along.ever + t.along.more_than_once, "{}", cell.id);
        assert!(t.along.most_moves <= 4 && t.excess_share > -1e-12);
        for step in &cell.steps {
            let net: i64 = step.nodes.iter().map(|n| n.net["keys"]).sum();
            assert_eq!(net, 0, "{}", cell.id);
            let gives: u64 = step.nodes.iter().map(|n| n.gives["keys"]).sum();
            let pairs: u64 = step.pairs.as_ref().unwrap().iter().map(|p| p.loads["keys"]).sum();
            assert_eq!((gives, pairs), (step.totals["keys"].moved, step.totals["keys"].moved));
        }
        let roles = |step: usize| -> Vec<&str> {
            cell.steps[step]
                .nodes
                .iter()
                .map(|n| n.role.as_str())
                .filter(|r| *r != "stays")
                .collect()
        };
        assert_eq!(
            [roles(0), roles(1), roles(3)],
            [vec!["joins"; 2], vec!["leaves"], vec!["joins"]]
        );
    }
}

#[test]
fn failures_and_repeats_are_the_same_on_any_number_of_threads() {
    let text = "title = \"t\"\nanalysis = \"{x|1|movement.along-path.keys.ever|n}\"\n[cluster]\nnodes = 9\nname = \"db{i}\"\nheadroom = { requests = 1.3 }\n[keys]\npattern = \"sequential\"\ncount = 400_000\n[traffic]\nshape = \"zipf\"\nrequests = 5_000_000\n[[strategy]]\nkind = [\"ring\", \"modulo\", \"rendezvous\"]\n[[change]]\nadd = 2\n[[change]]\nfail = [\"db3\", \"db4\"]\n";
    // The placeholder names no cell of the scenario, which only matters where it is filled in.
    let mut scenario = scenario(&text.replace("analysis = ", "question = "));
    scenario.analysis = "{x|1|movement.along-path.keys.ever|n}".into();
    let one = run_on(&scenario, 1);
    assert!(one.cells[0].steps[2].failure.as_ref().unwrap().cascade.is_some());
    for threads in [2, 7] {
        assert_eq!(run_on(&scenario, threads), one, "{threads} threads");
    }
}
