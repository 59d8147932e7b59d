//! From a scenario to units: every key lies in the unit that its placements say, and threads do not show.

use std::collections::BTreeMap;

use shardlab::record::Record;
use shardlab::report;
use shardlab::scenario::{Overrides, Scenario, parse};
use shardlab::sim::input::Input;
use shardlab::sim::plan::Plan;
use shardlab::sim::{Options, Silent, migrate, run, units};

fn scenario(strategy: &str, keys: u64, migration: &str) -> Scenario {
    let text = format!(
        "title = \"units\"\n[cluster]\nnodes = 5\n[keys]\npattern = \"sequential\"\nprefix = \"user:\"\n\
         count = {keys}\n[traffic]\nshape = \"zipf\"\nexponent = 1.1\nrequests = 9_000_000\n\
         [[strategy]]\n{strategy}\n[[change]]\nadd = 2\n[migration]\ncopy-limit = \"900 rows/s\"\n\
         writes = \"40/s\"\nreads = \"100/s\"\nkeep-old = \"30s\"\n{migration}"
    );
    parse(&text, "units.toml", "units", std::path::Path::new("."), &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", shardlab::scenario::render(&errors, false)))
}

fn record(scenario: &Scenario, threads: usize) -> Record {
    run(scenario, Options { threads: Some(threads), ..Options::default() }, &Silent).unwrap()
}

/// Keys and requests by (from, to), of units that move.
fn by_pair(scenario: &Scenario) -> BTreeMap<(String, String), (u64, u64)> {
    let cell = &scenario.cells[0];
    let input = Input::open(&cell.workload, &scenario.base, &Silent).unwrap();
    let plan = Plan::new(&[cell], input.source.kind(), &scenario.base).unwrap();
    let divisions = migrate::divide(&plan, input.source.kind(), input.all_rows()).unwrap();
    let counts = units::count(&input, &plan, &divisions.all, &Silent).unwrap();
    let name = |id: usize| {
        let nodes = &cell.steps[1].cluster.nodes;
        nodes.iter().find(|n| n.id.0 as usize == id).unwrap().name.to_string()
    };
    let mut pairs = BTreeMap::new();
    for part in divisions.all[0].parts(&counts[0]) {
        if part.from != part.to && part.count.keys > 0 {
            let sum: &mut (u64, u64) = pairs.entry((name(part.from), name(part.to))).or_default();
            sum.0 += part.count.keys;
            sum.1 += part.count.requests;
        }
    }
    pairs
}

/// What the replay counts from node to node is what the units hold, whatever they are.
#[test]
fn units_hold_what_the_replay_moves() {
    for (strategy, unit) in [
        ("kind = \"bucket-table\"\nbuckets = 100", "bucket"),
        ("kind = \"redis-slots\"", "bucket"),
        ("preset = \"redis-cluster\"", "bucket"),
        ("kind = \"ring\"\nvnodes = 20", "arc"),
        ("kind = \"ring\"\nvnodes = 20", "shard"),
        ("kind = \"hash-range\"", "arc"),
        ("kind = \"modulo\"", "shard"),
        ("kind = \"maglev\"", "shard"),
    ] {
        let scenario = scenario(strategy, 20_000, &format!("unit = \"{unit}\"\n"));
        let record = record(&scenario, 2);
        let step = &record.cells[0].steps[1];
        let moved = step.movement.as_ref().unwrap();
        let replayed: BTreeMap<(String, String), (u64, u64)> = moved
            .pairs
            .as_ref()
            .unwrap()
            .iter()
            .map(|p| ((p.from.clone(), p.to.clone()), (p.loads["keys"], p.loads["requests"])))
            .collect();
        assert_eq!(by_pair(&scenario), replayed, "{strategy} by {unit}");
        let timeline = step.timeline.as_ref().unwrap();
        assert_eq!(timeline.rows, 20_000, "{strategy} by {unit}");
        // Shared out unit by unit: every unit may be a row off.
        let rows = timeline.rows_moving.abs_diff(moved.loads["keys"].moved);
        assert!(rows <= timeline.units, "{strategy} by {unit}: {rows}");
        assert_eq!(timeline.rows_lost, 0, "{strategy} by {unit}");
        assert!(timeline.finished_seconds.is_some(), "{strategy} by {unit}");
    }
}

/// More than fifty chunks, so that threads get them in different orders.
#[test]
fn one_two_and_seven_threads_give_the_same_bytes() {
    let migration = "unit = \"bucket\"\nmode = [\"redirect\", \"double-write-first\"]\n\
        rows = 100_000\nwatch = [\"user:7\"]\n\
        [[migration.fault]]\nkind = \"stale-clients\"\nshare = 0.3\nat = \"5s\"\nuntil = \"4m\"\n";
    let scenario = scenario("kind = \"bucket-table\"\nbuckets = 64", 3_400_000, migration);
    let json = report::find("json").unwrap();
    let bytes = |threads| (json.write)(&record(&scenario, threads));
    let one = bytes(1);
    assert!(one == bytes(2) && one == bytes(7));
    assert!(String::from_utf8(one).unwrap().contains("\"key\": \"user:7\""));
}

#[test]
fn a_watched_key_that_is_none_of_the_keys_is_told_so() {
    let migration = "watch = [\"user:7\", \"user:70000\"]\n";
    let record = record(&scenario("kind = \"ring\"", 20_000, migration), 2);
    let watch = &record.cells[0].steps[1].timeline.as_ref().unwrap().watch;
    assert!(watch[0].events[0].what.starts_with("on "), "{:?}", watch[0]);
    let told = &watch[1].events[0].what;
    assert!(told.starts_with("none of the keys; one of this name would be on "), "{told}");
}
