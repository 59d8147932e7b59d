//! `shardlab advise` from outside: answers, forms, files, threads, what is refused.

use std::fs;
use std::path::Path;

use crate::command::{run, texts};

const SMALL: &str = "title = \"Small\"\nseed = 7\n[cluster]\nnodes = 4\nname = \"db{i}\"\n\
                     [keys]\npattern = \"sequential\"\ncount = 4000\n";
const THREE: &str = "[[strategy]]\nkind = \"modulo\"\n[[strategy]]\nkind = \"jump\"\n\
                     [[strategy]]\nkind = \"ring\"\nvnodes = [1, 160]\n";

fn advise(dir: &Path, text: &str, args: &[&str]) -> (i32, String, String) {
    fs::write(dir.join("a.toml"), text).unwrap();
    texts(&run(dir, &[&["advise", "a.toml", "--quiet"], args].concat()))
}

fn refused(needs: &str, says: &[&str]) {
    let temp = tempfile::tempdir().unwrap();
    let (code, out, err) = advise(temp.path(), &format!("{SMALL}{needs}"), &[]);
    assert_eq!((code, out.as_str()), (2, ""), "{needs}: {err}");
    for part in says {
        assert!(err.contains(part), "{needs}: `{part}` is not in\n{err}");
    }
    assert!(err.contains("a.toml:"), "{needs}: no place in\n{err}");
}

#[test]
fn the_same_advice_in_every_form_on_any_number_of_threads() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}[needs]\ngrowth = [6]\nmax-over-mean = 1.2\n");
    for format in ["table", "markdown", "csv", "json"] {
        let on = |threads| advise(temp.path(), &text, &["--format", format, "--threads", threads]);
        let (code, one, err) = on("1");
        assert_eq!(code, 0, "{format}: {err}");
        assert_eq!(one, on("3").1, "{format}");
        assert!(one.contains("jump/xxh3-64"), "{format}: {one}");
    }
    let files = |threads: &str| {
        let (code, ..) = advise(temp.path(), &text, &["--threads", threads, "--out", threads]);
        assert_eq!(code, 0);
        let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(temp.path().join(threads))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .map(|path| {
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (name, fs::read(&path).unwrap())
            })
            .collect();
        files.sort();
        files
    };
    let (one, three) = (files("1"), files("3"));
    assert!(one == three, "files differ between 1 and 3 threads");
    let names: Vec<&str> = one.iter().map(|(name, _)| name.as_str()).collect();
    for name in ["advice.csv", "advice.json", "advice.md", "pareto.svg", "record.json"] {
        assert!(names.contains(&name), "{names:?}");
    }
}

#[test]
fn csv_and_json_hold_every_candidate_and_every_reason() {
    let temp = tempfile::tempdir().unwrap();
    let text =
        format!("{SMALL}{THREE}[needs]\ngrowth = [5]\nexcess-moved = 0.1\nmax-over-mean = 1.4\n");
    let (code, csv, _) = advise(temp.path(), &text, &["--format", "csv"]);
    assert_eq!(code, 0);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let at = |name: &str| header.iter().position(|head| head == name).unwrap();
    let of = |candidate: &str, column: &str| {
        let row = rows.iter().find(|row| &row[at("candidate")] == candidate).unwrap();
        row[at(column)].to_string()
    };
    assert_eq!(rows.len(), 4);
    assert_eq!(of("jump/murmur3-32", "rank"), "1");
    assert_eq!(of("modulo/murmur3-32", "rank"), "");
    assert!(of("modulo/murmur3-32", "ruled-out").starts_with("excess-moved: moves "));
    assert!(of("ring/murmur3-32/vnodes=1", "ruled-out").starts_with("max-over-mean: "));
    let (_, json, _) = advise(temp.path(), &text, &["--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["schema"], "shardlab.advice/1");
    assert_eq!(json["candidates"][0]["rank"], 1);
    let out = &json["candidates"][3]["ruled-out"][0];
    assert!(out["evidence"] == "measured" && out["measured"].as_f64() > out["allowed"].as_f64());
}

#[test]
fn a_scenario_without_needs_or_strategies_gets_every_strategy() {
    let temp = tempfile::tempdir().unwrap();
    let (code, out, err) = advise(temp.path(), SMALL, &["--keys", "1000"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("First stands ") && out.contains("Not tried"), "{out}");
    assert!(out.contains("movement is not compared"), "{out}");
    // `run` still wants to be told.
    let (code, _, err) = texts(&run(temp.path(), &["run", "a.toml"]));
    assert_eq!(code, 2);
    assert!(err.contains("no strategy"), "{err}");
}

#[test]
fn run_and_check_see_the_candidates_of_a_scenario_with_needs() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}[needs]\ngrowth = [5]\n");
    fs::write(temp.path().join("a.toml"), text).unwrap();
    let (code, out, err) = texts(&run(temp.path(), &["check", "a.toml"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("maglev/xxh3-64/table-size=65537"), "{out}");
    let args = ["run", "a.toml", "--format", "csv", "--out", "o", "--keys", "500"];
    let (code, out, err) = texts(&run(temp.path(), &args));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("jump/xxh3-64"), "{out}");
}

#[test]
fn needs_that_nothing_meets_say_so_and_exit_with_1() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}{THREE}[needs]\nmax-over-mean = 1.0\nmay-spill = true\n");
    let (code, out, _) = advise(temp.path(), &text, &[]);
    assert_eq!(code, 1);
    assert!(out.contains("None of 4 candidates meets every need."), "{out}");
    assert!(out.contains("Most are ruled out by max-over-mean: 4 of 4."), "{out}");
    assert!(out.contains("Without max-over-mean there would be 4 left"), "{out}");
    // Contradictory: hashed neighbours are not found, and there is nothing else.
    let text = format!("{SMALL}{THREE}[needs]\nrange-queries = true\nmax-over-mean = 1.0\n");
    let (code, out, _) = advise(temp.path(), &text, &["--format", "markdown"]);
    assert_eq!(code, 1);
    assert!(out.contains("Every candidate misses at least two needs"), "{out}");
    let (code, out, _) = advise(temp.path(), &text, &["--out", "o", "--format", "json"]);
    assert_eq!(code, 1);
    assert!(out.contains("\"rank\": null"), "{out}");
    assert!(!temp.path().join("o/pareto.svg").exists(), "there is no front to draw");
}

#[test]
fn wrong_needs_are_refused_with_their_place() {
    refused("[needs]\nmax-over-mean = -1\n", &["`max-over-mean`", "-1"]);
    refused("[needs]\nmax-over-mean = 0.9\n", &["0.9", "1"]);
    refused("[needs]\nexcess-moved = -0.1\n", &["`excess-moved`"]);
    refused("[needs]\ntable-bytes = \"64k\"\n", &["`table-bytes`"]);
    refused("[needs]\nmax-over-men = 1.1\n", &["max-over-men", "did you mean `max-over-mean`?"]);
    refused("[needs]\nrange-queries = \"yes\"\n", &["`range-queries`"]);
    refused(
        "[needs]\nmatch = \"libmemcached-ketamas\"\n",
        &["unknown preset", "did you mean `libmemcached-ketama`?"],
    );
    refused("[needs]\ngrowth = [0]\n", &["`growth`"]);
    refused("[needs]\ngrowth = [3]\n", &["`growth` goes from 4 nodes to 3", "remove"]);
    refused("[needs]\ngrowth = [6, 6]\n", &["goes from 6 nodes to 6"]);
    refused("[needs]\ngrowth = []\n", &["`growth` is an empty list"]);
    refused("[needs]\ngrowth = [5]\n[[change]]\nadd = 1\n", &["both `growth` and `[[change]]`"]);
    refused("[needs]\nzones = true\n", &["`zones` is about the copies"]);
    refused("[[needs]]\n", &["`needs`", "[needs]"]);
    refused("[needs]\n[[strategy]]\nkind = \"rign\"\n", &["did you mean `ring`?"]);
}

#[test]
fn copies_lie_in_zones_only_where_nodes_have_some() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("replicas = 2\n{SMALL}[needs]\nzones = true\n");
    let (code, _, err) = advise(temp.path(), &text, &[]);
    assert_eq!(code, 2);
    assert!(err.contains("no node has a zone"), "{err}");
}

#[test]
fn a_system_that_cannot_be_built_cannot_be_matched() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("{SMALL}[needs]\nmatch = \"guava-consistent-hash\"\n")
        .replace("count = 4000", "count = 4000\nprefix = \"k\"");
    let (code, _, err) = advise(temp.path(), &text, &[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("guava-consistent-hash, which must be matched, cannot be built"), "{err}");
}

#[test]
fn copies_in_zones_are_measured() {
    let temp = tempfile::tempdir().unwrap();
    let nodes: String = (0..6)
        .map(|i| format!("[[cluster.node]]\nname = \"n{i}\"\nzone = \"z{}\"\n", i % 3))
        .collect();
    let text = format!(
        "title = \"Zones\"\nreplicas = 3\n[cluster]\n{nodes}[keys]\npattern = \"uuid-v4\"\ncount = 2000\n\
         [[strategy]]\nkind = \"ring\"\nname = \"by node\"\n\
         [[strategy]]\nkind = \"ring\"\nname = \"by zone\"\nspread = \"zone\"\n\
         [[strategy]]\nkind = \"jump\"\n[needs]\nzones = true\n"
    );
    let (code, out, err) = advise(temp.path(), &text, &[]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("1 of 3 candidates meet"), "{out}");
    assert!(out.contains("First stands by zone"), "{out}");
    assert!(out.contains("copies in one zone together"), "{out}");
    assert!(out.contains("jump names one node for a key"), "{out}");
}

#[test]
fn an_expectation_that_fails_fails_the_advice() {
    let temp = tempfile::tempdir().unwrap();
    let expect = "[[expect]]\nmetric = \"keys.max-over-mean\"\nmax = 0.5\nbecause = \"never\"\n";
    let (code, out, err) = advise(temp.path(), &format!("{SMALL}{THREE}[needs]\n{expect}"), &[]);
    assert_eq!(code, 1, "{out}");
    assert!(err.contains("keys.max-over-mean"), "{err}");
}
