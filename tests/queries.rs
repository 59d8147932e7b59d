//! Queries over many keys against an oracle that looks at every key, one by one.

mod common;
#[path = "queries/oracle.rs"]
mod oracle;

use common::{run_on, scenario};
use oracle::check;
use shardlab::record::{QueryRecord, Record};

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
