//! What scenarios span: cells, their order, ids and axes; paths; overrides.

use std::path::Path;

use proptest::prelude::*;
use shardlab::params::Value;
use shardlab::scenario::{self, Overrides, Scenario};

fn parse_with(text: &str, overrides: &Overrides) -> Scenario {
    scenario::parse(text, "s.toml", "s", Path::new("."), overrides)
        .unwrap_or_else(|errors| panic!("{}", scenario::render(&errors, false)))
}

fn parse(text: &str) -> Scenario {
    parse_with(text, &Overrides::default())
}

fn ids(scenario: &Scenario) -> Vec<&str> {
    scenario.cells.iter().map(|c| c.id.as_str()).collect()
}

/// The example of the design.
const DESIGN: &str = r#"#:schema ../schema/scenario.json
title    = "Virtual nodes: from 27 % to 9 %"
question = "How many virtual nodes keep 16 databases within 9 % of even?"
analysis = "Printed above the results."
seed     = 20260101

[cluster]
nodes = 16
name  = "db{i}"

[keys]
pattern = "order-number"
count   = 10_000_000
prefix  = "NO20250115"

[traffic]
shape = "zipf"
exponent = 1.1
requests = 1_000_000_000
[[traffic.hot]]
key = "user:9527"
share = 0.10

[[strategy]]
kind   = "ring"
vnodes = [1, 160]
hasher = ["murmur3-32", "md5", "xxh3-64"]
label  = "{node}#{i}"
[[strategy]]
kind   = "modulo"
hasher = "murmur3-32"
on-remove = "shift"

[[path]]
name   = "one by one"
change = [{ add = 1 }, { add = 1 }]
[[path]]
name   = "at once"
change = [{ add = [{ name = "db16", weight = 2 }, { name = "db17" }] }]

[trials]
count = 1000
[[trials.event]]
name = "27 % at 32 and under 9 % at 160"
count = 100_000
all = [{ where = { vnodes = 1 }, metric = "max-deviation", min = 0.265, max = 0.275 }, { where = { vnodes = 160 }, metric = "max-deviation", max = 0.09 }]

[[expect]]
metric = "keys.max-over-mean"
where  = { strategy = "ring", vnodes = 160 }
max    = 1.25
"#;

const SMALL: &str = "
[cluster]
nodes = 4
name = 'db{i}'
[keys]
pattern = 'sequential'
count = 100
[[strategy]]
kind = 'ring'
vnodes = 8
[[strategy]]
kind = 'jump'
";

#[test]
fn the_example_of_the_design_spans_its_cells_in_file_order() {
    let scenario = parse(DESIGN);
    let mut expected = Vec::new();
    for vnodes in ["1", "160"] {
        for hasher in ["murmur3-32", "md5", "xxh3-64"] {
            for path in ["one by one", "at once"] {
                expected.push(format!("ring/{hasher}/vnodes={vnodes}/path={path}"));
            }
        }
    }
    expected.push("modulo/murmur3-32/path=one by one".into());
    expected.push("modulo/murmur3-32/path=at once".into());
    assert_eq!(ids(&scenario), expected);

    let first = &scenario.cells[0];
    let axes: Vec<&str> = first.at.0.iter().map(|(axis, _)| axis.as_str()).collect();
    assert_eq!(axes[..3], ["strategy", "hasher", "path"]);
    assert_eq!(first.at.get("vnodes"), Some(&Value::Int(1)));
    assert_eq!(first.at.get("label"), Some(&Value::Text("{node}#{i}".into())));
    assert_eq!(scenario.cells[12].at.get("on-remove"), Some(&Value::Text("shift".into())));
    assert_eq!((first.seed, first.replicas, first.steps.len()), (20_260_101, 1, 3));
    assert_eq!(first.workload.requests, Some(1_000_000_000));
    assert_eq!(first.workload.hot[0].key, "user:9527");
    assert_eq!(scenario.trials.as_ref().map(|t| (t.count, t.keys)), Some((1000, 100_000)));
    assert_eq!((scenario.events.len(), scenario.expects.len()), (1, 1));
    assert_eq!(scenario.sha256.len(), 64);
    // One workload, shared.
    assert!(scenario.cells.iter().all(|c| std::sync::Arc::ptr_eq(&c.workload, &first.workload)));
}

#[test]
fn the_same_name_is_the_same_node_on_every_path() {
    let scenario = parse(DESIGN);
    let last = |cell: usize| scenario.cells[cell].steps.last().unwrap();
    let names = |cell: usize| -> Vec<(u32, String, f64)> {
        let nodes = &last(cell).cluster.nodes[15..];
        nodes.iter().map(|n| (n.id.0, n.name.to_string(), n.weight)).collect()
    };
    let node = |id: u32, weight| (id, format!("db{id}"), weight);
    assert_eq!(names(0), [node(15, 1.0), node(16, 1.0), node(17, 1.0)]);
    assert_eq!(names(1), [node(15, 1.0), node(16, 2.0), node(17, 1.0)]);
    assert_eq!(last(1).change.as_ref().unwrap().text, "add db16, db17");
    assert_eq!(scenario.cells[0].steps[0].cluster.ids, 18);
}

#[test]
fn swept_axes_of_other_tables_come_outside_and_into_ids() {
    let text =
        SMALL.replace("nodes = 4", "nodes = [4, 8]").replace("count = 100", "count = [1e2, 200]");
    let scenario = parse(&format!("seed = [1, 2]\n{text}"));
    assert_eq!(scenario.cells.len(), 2 * 2 * 2 * 2);
    assert_eq!(scenario.cells[0].id, "ring/murmur3-32/seed=1/cluster.nodes=4/keys.count=100");
    assert_eq!(scenario.cells[3].id, "jump/murmur3-32/seed=1/cluster.nodes=4/keys.count=200");
    assert_eq!(scenario.cells[15].id, "jump/murmur3-32/seed=2/cluster.nodes=8/keys.count=200");
    assert_eq!(scenario.cells[15].at.get("keys.count"), Some(&Value::Int(200)));
    assert_eq!(scenario.cells[15].at.get("replicas"), None);
}

#[test]
fn a_list_of_kinds_makes_each_with_the_fields_that_it_has() {
    let text =
        SMALL.replace("kind = 'ring'\nvnodes = 8", "kind = ['ring', 'maglev']\nvnodes = [8, 9]");
    assert_eq!(
        ids(&parse(&text)),
        [
            "ring/murmur3-32/vnodes=8",
            "ring/murmur3-32/vnodes=9",
            "maglev/murmur3-32",
            "jump/murmur3-32"
        ]
    );
}

#[test]
fn names_of_strategies_lead_ids_and_legends() {
    let text = SMALL.replace("kind = 'jump'", "kind = 'ring'\nvnodes = 9\nname = 'nine'");
    let scenario = parse(&text);
    assert_eq!(ids(&scenario), ["ring/murmur3-32", "nine/murmur3-32"]);
    assert_eq!(scenario.cells[1].label.as_deref(), Some("nine"));
    assert_eq!(scenario.cells[1].at.get("strategy"), Some(&Value::Text("ring".into())));
}

#[test]
fn set_and_switch_change_the_strategies_that_have_the_field() {
    let changes = "
[[change]]
set = { vnodes = 200 }
[[change]]
switch = { hasher = 'md5' }
[[change]]
switch = { kind = 'modulo' }
[[change]]
fail = 'db1'
on-fail = 'unavailable'
";
    let scenario = parse(&format!("{SMALL}{changes}"));
    let steps = |cell: usize| -> Vec<(&str, String, bool)> {
        let text = |s: &scenario::Step| s.params.text("hasher").to_string();
        scenario.cells[cell].steps.iter().map(|s| (s.strategy.name, text(s), s.rebuilt)).collect()
    };
    let step = |name, hasher: &str, rebuilt| (name, hasher.to_string(), rebuilt);
    assert_eq!(
        steps(0),
        [
            step("ring", "murmur3-32", false),
            step("ring", "murmur3-32", true),
            step("ring", "md5", true),
            step("modulo", "md5", true),
            step("modulo", "md5", false)
        ]
    );
    assert_eq!(steps(1)[1], step("jump", "murmur3-32", false));
    let texts: Vec<&str> =
        scenario.cells[0].steps[1..].iter().map(|s| &*s.change.as_ref().unwrap().text).collect();
    assert_eq!(
        texts,
        [
            "set vnodes = 200",
            "switch hasher = md5",
            "switch kind = modulo",
            "fail db1 (unavailable)"
        ]
    );
    assert_eq!(scenario.cells[0].steps[1].params.int("vnodes"), 200);
    assert_eq!(scenario.cells[0].at.get("vnodes"), Some(&Value::Int(8)));
}

#[test]
fn nodes_may_be_listed_with_all_they_have() {
    let listed = "
[[cluster.node]]
name = 'a'
weight = 2
zone = 'eu'
port = 6379
id = 7
capacity = { requests = 8000 }
[[cluster.node]]
name = 'b'
";
    let text =
        SMALL.replace("nodes = 4\n", "weight = 3\n").replace("[keys]", &format!("{listed}[keys]"));
    let scenario = parse(&format!("{text}[[change]]\nadd = 1\n"));
    let nodes = &scenario.cells[0].steps[1].cluster.nodes;
    assert_eq!((nodes[0].weight, nodes[1].weight, nodes[2].weight), (2.0, 3.0, 3.0));
    assert_eq!(
        (nodes[0].port, nodes[0].server_id, nodes[0].zone.as_deref()),
        (Some(6379), Some(7), Some("eu"))
    );
    assert_eq!(nodes[0].capacity.get("requests"), Some(&8000));
    assert_eq!(&*nodes[2].name, "db0");
}

#[test]
fn overrides_read_values_as_their_parameter_does() {
    let pair = |path: &str, value: &str| (path.to_string(), value.to_string());
    let overrides = Overrides {
        seed: Some(7),
        keys: Some(5000),
        set: vec![
            pair("cluster.name", "10m{i}"),
            pair("cluster.nodes", "1k"),
            pair("keys.prefix", "12"),
        ],
        sweep: vec![
            pair("vnodes", "1,1k"),
            pair("hasher", "murmur3-32,md5"),
            pair("replicas", "1,2"),
        ],
        ..Overrides::default()
    };
    let scenario = parse_with(SMALL, &overrides);
    assert_eq!(scenario.cells.len(), 2 * (4 + 2));
    assert_eq!(scenario.cells[0].seed, 7);
    assert_eq!(scenario.cells[3].id, "ring/md5/vnodes=1000/replicas=1");
    let cell = &scenario.cells[0];
    assert_eq!(cell.workload.keys.int("count"), 5000);
    assert_eq!(cell.workload.keys.text("prefix"), "12");
    assert_eq!(cell.steps[0].cluster.nodes.len(), 1000);
    assert_eq!(&*cell.steps[0].cluster.nodes[0].name, "10m0");
}

/// What all steps and cells would hold together is bounded, and refused before it is made.
#[test]
fn sizes_beyond_the_limits_are_refused() {
    let message = |nodes: usize, vnodes: usize, steps: usize| {
        let values: Vec<String> = (1..=vnodes).map(|v| v.to_string()).collect();
        let text = SMALL
            .replace("nodes = 4", &format!("nodes = {nodes}"))
            .replace("vnodes = 8", &format!("vnodes = [{}]", values.join(",")));
        let text = format!("{text}{}", "[[change]]\nset = { vnodes = 3 }\n".repeat(steps));
        match scenario::parse(&text, "s.toml", "s", Path::new("."), &Overrides::default()) {
            Ok(scenario) => format!("{} cells", scenario.cells.len()),
            Err(errors) => errors[0].message.clone(),
        }
    };
    assert_eq!(message(4, 1, 1000), "2 cells");
    assert_eq!(message(4, 1, 1001), "a path has 1001 changes");
    assert_eq!(message(4, 10_000, 0), "the sweep has 10001 cells");
    assert_eq!(message(4, 99, 999), "100 cells");
    assert_eq!(message(4, 100, 999), "the scenario has 101000 placements (cells × steps)");
    assert_eq!(
        message(1000, 99, 200),
        "the scenario has 20100000 node entries in all placements together"
    );
    assert_eq!(
        message(100_000, 1, 20),
        "the paths have too many nodes in all their steps together"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is done to a scenario's text, it is read or refused, never a panic.
    #[test]
    fn mutated_scenarios_never_panic(
        edits in prop::collection::vec((0usize..2000, 0usize..40, 0usize..PIECES.len()), 1..6),
    ) {
        let mut text = DESIGN.to_string();
        for (at, len, piece) in edits {
            let boundary = |text: &str, at: usize| (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap();
            let start = boundary(&text, at % (text.len() + 1));
            let end = boundary(&text, start + len).max(start);
            text.replace_range(start..end, PIECES[piece]);
        }
        if let Err(errors) = scenario::parse(&text, "s.toml", "s", Path::new("."), &Overrides::default()) {
            prop_assert!(!errors.is_empty());
            prop_assert!(scenario::render(&errors, true).contains("error"));
        }
    }
}

/// What mutations put in.
const PIECES: &[&str] = &[
    "",
    "\n",
    " = ",
    "[",
    "]",
    "{",
    "}",
    "[[",
    "]]",
    ",",
    "\"",
    "'",
    "0",
    "-1",
    "1e308",
    "nan",
    "inf",
    "true",
    "9223372036854775807",
    "[]",
    "{}",
    "[1, [2]]",
    "{i}",
    "ü",
    "\u{1F600}",
    "\r\n",
    "\0",
    ".",
    "a.b",
    "#",
    "[[strategy]]\n",
    "[keys]\n",
    "kind = \"jump\"\n",
    "remove = \"db0\"",
    "fail = [\"db1\"]",
    "reweight = { db0 = 0 }",
    "set = { vnodes = 3 }",
    "switch = { kind = \"range\" }",
    "add = 100000",
    "1979-05-27",
];
