//! Wrong scenarios and exactly what a person is told about each: the message, the place, the help.
//!
//! Every case is one edit of the scenario below; what it must say stands in
//! `golden/scenario_errors.txt`, in the same order. After a change of the wording, read the fresh text
//! that the failing test writes, and copy it over.

use std::path::Path;

use shardlab::scenario::{self, Overrides};
use shardlab::{charts, hash, keys, strategy, traffic};

const SCENARIO: &str = r#"#:schema ../schema/scenario.json
title = "Virtual nodes"
seed = 20260101

[cluster]
nodes = 2
name = "db{i}"

[keys]
pattern = "order-number"
count = 1_000

[traffic]
shape = "zipf"
exponent = 1.1
requests = 1_000_000
[[traffic.hot]]
key = "user:9527"
share = 0.10

[[strategy]]
kind = "ring"
vnodes = [32, 160]
hasher = ["murmur3-32", "md5"]
label = "{node}#{i}"
[[strategy]]
kind = "jump"

[[path]]
name = "one by one"
change = [{ add = 1 }, { add = 1 }]
[[path]]
name = "at once"
change = [{ add = [{ name = "db16", weight = 2 }, { name = "db17" }] }]

[trials]
count = 100
[[trials.event]]
name = "both"
count = 1000
all = [
  { where = { vnodes = 32 }, metric = "max-deviation", min = 0.265, max = 0.275 },
  { where = { vnodes = 160 }, metric = "max-deviation", max = 0.09 },
]

[[expect]]
metric = "keys.max-over-mean"
where = { strategy = "ring", vnodes = 160 }
max = 1.5
"#;

/// Name of the case, what to replace in [`SCENARIO`], and by what.
const CASES: &[(&str, &str, &str)] = &[
    ("syntax", "nodes = 2", "nodes = = 16"),
    ("two syntax errors", "seed = 20260101", "seed = \ntitle = [1"),
    ("a date", "seed = 20260101", "seed = 2026-01-01"),
    ("a whole number too large", "seed = 20260101", "seed = 99999999999999999999"),
    ("unknown table", "[trials]", "[trails]"),
    ("unknown field of a closed table", "nodes = 2", "noes = 16\nnodes = 2"),
    ("unknown field of a strategy", "vnodes = [32, 160]", "vnode = [32, 160]"),
    ("unknown strategy", "kind = \"jump\"", "kind = \"jumpp\""),
    ("missing kind", "kind = \"jump\"", "name = \"jump\""),
    ("unknown hasher in a list", "\"md5\"]", "\"md6\"]"),
    ("unknown pattern", "pattern = \"order-number\"", "pattern = \"order-numbers\""),
    ("unknown shape", "shape = \"zipf\"", "shape = \"zip\""),
    ("zero nodes", "nodes = 2", "nodes = 0"),
    ("zero nodes in a sweep", "nodes = 2", "nodes = [8, 0]"),
    ("too many nodes", "nodes = 2", "nodes = 100_001"),
    ("no nodes", "nodes = 2\n", ""),
    ("two ways to give nodes", "nodes = 2", "nodes = 2\nnode = [{ name = \"a\" }]"),
    ("an empty list of nodes", "nodes = 2", "node = []"),
    ("negative weight", "nodes = 2", "node = [{ name = \"a\", weight = -1 }]"),
    ("NaN weight", "nodes = 2", "node = [{ name = \"a\", weight = nan }]"),
    ("infinite weight", "nodes = 2", "node = [{ name = \"a\", weight = inf }]"),
    ("all weights zero", "nodes = 2", "nodes = 2\nweight = 0"),
    (
        "duplicate node names",
        "nodes = 2",
        "node = [{ name = \"a\" }, { name = \"b\" }, { name = \"a\" }]",
    ),
    ("names without a number", "name = \"db{i}\"", "name = \"db\""),
    ("unknown placeholder", "name = \"db{i}\"", "name = \"db{n}\""),
    ("a missing server list", "nodes = 2", "servers = \"no-such-file\""),
    ("wrong type", "count = 1_000", "count = \"many\""),
    ("not a whole number", "count = 1_000", "count = 1.5"),
    ("a seed that a hasher of the sweep ignores", "vnodes = [32, 160]", "hash-seed = [0, 7]"),
    (
        "a seed that a hasher would cut",
        "kind = \"jump\"",
        "kind = \"jump\"\nhash-seed = 4_294_967_296",
    ),
    (
        "a seed that a hasher switched to ignores",
        "{ add = 1 }, { add = 1 }",
        "{ set = { hash-seed = 7 } }, { switch = { kind = \"jump\", hasher = \"md5\" } }",
    ),
    ("an empty sweep", "vnodes = [32, 160]", "vnodes = []"),
    ("a value twice", "vnodes = [32, 160]", "vnodes = [32, 160, 32]"),
    ("a sweep where none is allowed", "count = 100\n", "count = [100, 200]\n"),
    ("a shape's fields without a shape", "shape = \"zipf\"\n", ""),
    ("a misspelt shape", "shape = \"zipf\"", "shap = \"zipf\""),
    (
        "requests of a shape that shares out none",
        "shape = \"zipf\"\nexponent = 1.1",
        "shape = \"none\"",
    ),
    ("requests missing", "requests = 1_000_000\n", ""),
    ("counts of a file that is none", "shape = \"zipf\"\nexponent = 1.1", "shape = \"file\""),
    (
        "hot shares of one",
        "share = 0.10",
        "share = 0.10\n[[traffic.hot]]\nkey = \"b\"\nshare = 0.95",
    ),
    ("hot share of zero", "share = 0.10", "share = 0.0"),
    (
        "hot key of the wrong type",
        "pattern = \"order-number\"",
        "pattern = \"sequential\"\ntype = \"integer\"",
    ),
    ("a builder's error", "count = 1_000", "count = 1_000\ndate = \"2025-13-01\""),
    ("a table where a list belongs", "[[expect]]", "[expect]"),
    ("a list where a table belongs", "[keys]", "[[keys]]"),
    ("equal ids", "kind = \"jump\"", "kind = \"jump\"\n[[strategy]]\nkind = \"jump\""),
    ("removing a stranger", "{ add = 1 }, { add = 1 }", "{ add = 1 }, { remove = \"db17\" }"),
    (
        "removing the last node",
        "{ add = 1 }, { add = 1 }",
        "{ remove = \"db0\" }, { remove = \"db1\" }",
    ),
    (
        "failing all nodes",
        "{ add = 1 }, ",
        "{ fail = [\"db0\", \"db1\"], on-fail = \"unavailable\" }, ",
    ),
    ("change and path", "[trials]", "[[change]]\nadd = 1\n[trials]"),
    ("two verbs", "change = [{ add = 1 }, ", "change = [{ add = 1, remove = \"db1\" }, "),
    ("no verb", "change = [{ add = 1 }, ", "change = [{}, "),
    ("adding a member", "{ name = \"db17\" }", "{ name = \"db1\" }"),
    ("removing a node twice", "{ add = 1 }, { add = 1 }", "{ remove = [\"db0\", \"db0\"] }"),
    ("failing a node twice", "{ add = 1 }, { add = 1 }", "{ fail = [\"db0\", \"db0\"] }"),
    ("adding a node twice", "{ add = 1 }, { add = 1 }", "{ add = [\"a\", \"a\"] }"),
    ("an unknown load", "nodes = 2", "node = [{ name = \"a\", capacity = { request = 5 } }]"),
    ("a weight of 300 digits", "nodes = 2", "nodes = 2\nweight = 1e300"),
    ("a weight next to nothing", "nodes = 2", "nodes = 2\nweight = 1e-300"),
    ("a new weight next to nothing", "{ add = 1 }, ", "{ reweight = { db0 = 1e-9 } }, "),
    ("a node's name of two lines", "nodes = 2", "node = [{ name = \"a\\nb\" }]"),
    ("a template of two lines", "name = \"db{i}\"", "name = \"db\\n{i}\""),
    ("a new node's name that rings", "{ add = 1 }, { add = 1 }", "{ add = \"db\\u0007\" }"),
    ("removing what rings", "{ add = 1 }, { add = 1 }", "{ remove = \"db\\u0007\" }"),
    ("a strategy with an empty name", "kind = \"jump\"", "kind = \"jump\"\nname = \"\""),
    ("adding nothing", "{ add = 1 }, { add = 1 }", "{ add = 0 }"),
    ("an unknown on-fail", "{ add = 1 }, ", "{ fail = \"db1\", on-fail = \"panic\" }, "),
    ("on-fail without fail", "{ add = 1 }, ", "{ add = 1, on-fail = \"reroute\" }, "),
    ("weights that sum to zero", "{ add = 1 }, ", "{ reweight = { db0 = 0, db1 = 0 } }, "),
    ("setting what no strategy has", "{ add = 1 }, ", "{ set = { vnode = 3 } }, "),
    ("setting a wrong value", "{ add = 1 }, ", "{ set = { vnodes = 0 } }, "),
    ("switching to nothing known", "{ add = 1 }, ", "{ switch = { kind = \"junp\" } }, "),
    ("two paths of one name", "name = \"at once\"", "name = \"one by one\""),
    ("too many cells", "vnodes = [32, 160]", "vnodes = [32, 160]\nhash-seed = [MANY]"),
    ("where with an unknown axis", "vnodes = 160 }\nmax", "vnode = 160 }\nmax"),
    ("where with a value that no cell has", "vnodes = 160 }\nmax", "vnodes = 21 }\nmax"),
    (
        "where that never holds together",
        "strategy = \"ring\", vnodes = 160 }\nmax",
        "strategy = \"jump\", vnodes = 160 }\nmax",
    ),
    ("an unknown metric", "keys.max-over-mean", "keys.max-over-men"),
    ("no bound", "max = 1.5", "because = \"theory\""),
    ("bounds the wrong way round", "max = 1.5", "max = 1.5\nmin = 2"),
    ("a step that no cell has", "max = 1.5", "max = 1.5\nstep = 9"),
    ("an unknown statistic", "metric = \"max-deviation\", max", "metric = \"max-deviaton\", max"),
    (
        "an event without conditions",
        "metric = \"max-deviation\", max = 0.09 },\n]",
        "metric = \"max-deviation\", max = 0.09 },\n]\n[[trials.event]]\nname = \"all\"\ncount = 1\nall = []",
    ),
    (
        "a search that goes nowhere",
        "[[expect]]",
        "[[search]]\nname = \"s\"\ntemplate = \"db-{i}\"\nfrom = 5\nto = 5\nall = [{ metric = \"cv\", max = 1 }]\n[[expect]]",
    ),
    (
        "a search of too many tries",
        "[[expect]]",
        "[[search]]\nname = \"s\"\ntemplate = \"db-{try}-{i}\"\nto = 100_000_001\nall = [{ metric = \"cv\", max = 1 }]\n[[expect]]",
    ),
    ("movement at step 0", "keys.max-over-mean\"", "movement.keys.moved\"\nstep = 0"),
    ("bytes that no key has", "keys.max-over-mean", "bytes.max-over-mean"),
    ("copies without replicas", "keys.max-over-mean", "copies.cv"),
    ("a chi-square of owned shares", "keys.max-over-mean", "owned.chi-square-fair"),
    (
        "a band that is not drawn",
        "[trials]\ncount = 100\n",
        "[[expect]]\nmetric = \"trials.cv-squared.p50\"\nmax = 1\n[trials]\n",
    ),
    (
        "placeholders that nothing fills",
        "seed = 20260101",
        "analysis = \"{rnig|0|keys.cv|x} {jump/murmur3-32/path=at once|2|keys.cv|x} {jump/murmur3-32/path=at once|1|keys.cvv|x} {jump/murmur3-32/path=at once|1|keys.cv|y} {event:bth|p|%} {event:both|q|%} {search:s|found} {a|b} {plain}\"",
    ),
    (
        "a chart of an unknown axis",
        "[[expect]]",
        "[[chart]]\nkind = \"skew-by-axis\"\naxis = \"vnode\"\n[[expect]]",
    ),
    (
        "a chart of an unknown path",
        "[[expect]]",
        "[[chart]]\nkind = \"movement-by-step\"\npath = \"atonce\"\n[[expect]]",
    ),
    (
        "a chart of an unknown load",
        "[[expect]]",
        "[[chart]]\nkind = \"movement-by-step\"\nload = \"bytes\"\n[[expect]]",
    ),
    (
        "a chart of an unknown value",
        "[[expect]]",
        "[[chart]]\nkind = \"skew-by-axis\"\nwhere = [\"hasher=md6\"]\n[[expect]]",
    ),
    ("an unknown chart", "[[expect]]", "[[chart]]\nkind = \"pie\"\n[[expect]]"),
    ("a query that asks for nothing", "[trials]", "[[query]]\nshare = 2\n\n[trials]"),
    ("a query that asks twice", "[trials]", "[[query]]\nprefix = \"NO\"\nto = \"NO2\"\n\n[trials]"),
    ("an unknown field of a query", "[trials]", "[[query]]\nprefx = \"NO\"\n\n[trials]"),
    ("a range from above to", "[trials]", "[[query]]\nfrom = \"NO2\"\nto = \"NO1\"\n\n[trials]"),
    ("an empty range", "[trials]", "[[query]]\nfrom = \"NO1\"\nto = \"NO1\"\n\n[trials]"),
    ("an empty prefix", "[trials]", "[[query]]\nprefix = \"\"\n\n[trials]"),
    ("an empty list of keys", "[trials]", "[[query]]\nkeys = []\n\n[trials]"),
    (
        "count for a query that is given",
        "[trials]",
        "[[query]]\nprefix = \"NO\"\ncount = 3\n\n[trials]",
    ),
    (
        "drawn queries without a width",
        "[trials]",
        "[[query]]\nkind = \"range\"\ncount = 3\n\n[trials]",
    ),
    (
        "an unknown kind of drawn query",
        "[trials]",
        "[[query]]\nkind = \"ranges\"\ncount = 3\nwidth = 3\n\n[trials]",
    ),
    (
        "too many keys in drawn queries",
        "[trials]",
        "[[query]]\nkind = \"list\"\ncount = 1000\nwidth = 1000\n\n[trials]",
    ),
    ("a share of none", "[trials]", "[[query]]\nprefix = \"NO\"\nshare = 0\n\n[trials]"),
    (
        "two queries of one name",
        "[trials]",
        "[[query]]\nprefix = \"NO\"\n[[query]]\nname = \"prefix NO\"\nto = \"NO\"\n\n[trials]",
    ),
    ("one query as a table", "[trials]", "[query]\nprefix = \"NO\"\n\n[trials]"),
    (
        "a prefix of integer keys",
        "pattern = \"order-number\"\ncount = 1_000",
        "pattern = \"sequential\"\ncount = 1_000\n[[query]]\nprefix = \"NO\"",
    ),
    (
        "a range of texts over integer keys",
        "pattern = \"order-number\"\ncount = 1_000",
        "pattern = \"sequential\"\ncount = 1_000\n[[query]]\nfrom = \"a\"",
    ),
    (
        "drawn prefixes of integer keys",
        "pattern = \"order-number\"\ncount = 1_000",
        "pattern = \"sequential\"\ncount = 1_000\n[[query]]\nkind = \"prefix\"\ncount = 1\nwidth = 1",
    ),
    (
        "listed texts among integer keys",
        "pattern = \"order-number\"\ncount = 1_000",
        "pattern = \"sequential\"\ncount = 1_000\n[[query]]\nkeys = [1, \"x\"]",
    ),
    ("a metric of queries without one", "keys.max-over-mean", "query.nodes-asked"),
    (
        "a metric of an unknown query",
        "[[expect]]\nmetric = \"keys.max-over-mean",
        "[[query]]\nname = \"day\"\nprefix = \"NO\"\n[[expect]]\nmetric = \"query.dya.nodes-asked",
    ),
];

fn rendered(text: &str, overrides: &Overrides) -> String {
    let errors = scenario::parse(text, "s.toml", "s", Path::new("."), overrides)
        .expect_err("the scenario is wrong");
    let mut text = scenario::render(&errors, false);
    // What is in an open set is not the concern of this test.
    let sets: [(&str, Vec<&str>); 5] = [
        ("charts", charts::ALL.iter().map(|i| i.name).collect()),
        ("strategies", strategy::ALL.iter().map(|i| i.name).collect()),
        ("hashers", hash::ALL.iter().map(|i| i.name).collect()),
        ("patterns", keys::ALL.iter().map(|i| i.name).collect()),
        ("shapes", traffic::ALL.iter().map(|i| i.name).collect()),
    ];
    for (what, names) in sets {
        text = text.replace(&names.join(", "), &format!("<all {what}>"));
    }
    text
}

#[test]
fn every_wrong_scenario_gets_its_message() {
    let many: Vec<String> = (0..10_001).map(|i| i.to_string()).collect();
    let mut fresh = String::new();
    for (name, from, to) in CASES {
        assert!(SCENARIO.contains(from), "{name}: `{from}` is not in the scenario");
        let text = SCENARIO.replacen(from, &to.replace("MANY", &many.join(",")), 1);
        fresh += &format!("## {name}\n{}\n", rendered(&text, &Overrides::default()));
    }
    compare("scenario_errors.txt", &fresh);
}

#[test]
fn every_wrong_override_gets_its_message() {
    let set = |path: &str, value: &str| Overrides {
        set: vec![(path.into(), value.into())],
        ..Overrides::default()
    };
    let sweep = |path: &str, values: &str| Overrides {
        sweep: vec![(path.into(), values.into())],
        ..Overrides::default()
    };
    let cases = [
        Overrides { seed: Some(-1), ..Overrides::default() },
        Overrides { keys: Some(u64::MAX), ..Overrides::default() },
        set("cluster.nodes", "0"),
        set("cluster.nodes", "ten"),
        set("cluster.nods", "4"),
        set("vnode", "160"),
        set("cluser.nodes", "8"),
        set("trials.event.count", "8"),
        set("hasher", "md6"),
        sweep("vnodes", "1,10,0"),
        sweep("cluster.nodes", ""),
        sweep("keys.count", "1k,1000"),
    ];
    let fresh: String =
        cases.iter().map(|o| format!("## {o:?}\n{}\n", rendered(SCENARIO, o))).collect();
    compare("override_errors.txt", &fresh);
}

fn compare(golden: &str, fresh: &str) {
    let path = format!("{}/tests/golden/{golden}", env!("CARGO_MANIFEST_DIR"));
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if committed != fresh {
        let written = format!("{}/{golden}", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&written, fresh).unwrap();
        let differs = committed.lines().zip(fresh.lines()).position(|(a, b)| a != b);
        panic!("{path} differs from {written} at line {differs:?} (from 0)");
    }
}

#[test]
fn the_scenario_itself_is_right() {
    let parsed = scenario::parse(SCENARIO, "s.toml", "s", Path::new("."), &Overrides::default());
    assert_eq!(parsed.map(|s| s.cells.len()).map_err(|e| scenario::render(&e, false)), Ok(10));
}
