//! `shardlab accept` from outside: verdicts, forms, frozen routing versions.

use std::fs;
use std::path::Path;

use crate::command::{run, texts};

const FEW: [&str; 6] = ["--uniformity-keys", "100k", "--subset-keys", "20k", "--uniformity", "5%"];

fn accept(dir: &Path, args: &[&str]) -> (i32, String, String) {
    texts(&run(dir, &[&["accept"], args, &FEW[..]].concat()))
}

const GOOD: [&str; 6] = ["--strategy", "modulo", "--hasher", "murmur3-32", "--nodes", "8"];

#[test]
fn a_good_routing_passes_in_every_form() {
    let temp = tempfile::tempdir().unwrap();
    let good = |format: &str| {
        let args = [&GOOD[..], &["--subset", "10%", "--format", format]].concat();
        let (code, out, err) = accept(temp.path(), &args);
        assert_eq!(code, 0, "{format}: {out}{err}");
        out
    };
    let table = good("table");
    assert!(table.contains("checks pass") && table.contains("hot-prefix"), "{table}");
    let found: serde_json::Value = serde_json::from_str(&good("json")).unwrap();
    assert_eq!(found["passes"], true);
    assert_eq!(found["setup"]["hasher"], "murmur3-32");
    let uniformity = &found["checks"][0];
    assert!(uniformity["ideal-passes"]["p"].as_f64().unwrap() > 0.99);
    assert!(uniformity["chi-square"]["p"].as_f64().unwrap() > 0.0);
    let csv = good("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert!(reader.records().map(Result::unwrap).all(|row| &row[5] != "fail"));
    assert!(good("markdown").contains("| uniformity |"));
    let junit = good("junit");
    assert!(junit.starts_with("<?xml") && junit.contains("failures=\"0\""), "{junit}");
    assert_eq!(junit.matches("<testcase ").count(), junit.matches("</testcase>").count());
}

#[test]
fn an_uneven_routing_fails_with_1() {
    let temp = tempfile::tempdir().unwrap();
    let ring = ["--strategy", "ring", "--vnodes", "4", "--nodes", "8", "--only", "uniformity"];
    let (code, out, _) = accept(temp.path(), &ring);
    assert_eq!(code, 1);
    assert!(out.contains("FAIL") && out.contains("on the shares that the nodes own"), "{out}");
    // The test asks about the hash, not about the ring's own unevenness.
    let (code, out, _) = accept(temp.path(), &[&ring[..], &["--judge", "chi-square"]].concat());
    assert_eq!(code, 0, "{out}");
    let raw = ["--strategy", "modulo", "--hasher", "identity", "--param", "sign=remainder"];
    let (code, out, _) =
        accept(temp.path(), &[&raw[..], &["--nodes", "3", "--format", "junit"]].concat());
    assert_eq!(code, 1);
    assert!(out.contains("<failure message="), "{out}");
}

#[test]
fn keys_of_a_file_have_their_commonest_prefixes() {
    let temp = tempfile::tempdir().unwrap();
    let rows: String = (0..40_000)
        .map(|i| if i % 4 == 0 { format!("web-{i:09},1\n") } else { format!("app-{i:09},1\n") })
        .collect();
    fs::write(temp.path().join("k.csv"), format!("order,n\n{rows}")).unwrap();
    let args = ["--keys", "k.csv", "--column", "order", "--subset", "10%", "--format", "json"];
    let (code, out, err) = accept(temp.path(), &[&GOOD[..], &args].concat());
    assert_eq!(code, 0, "{out}{err}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    let of = |group: &str| {
        let checks = found["checks"].as_array().unwrap();
        checks.iter().find(|c| c["group"] == group).unwrap().clone()
    };
    assert_eq!(of("uniformity")["keys"], 40_000);
    assert_eq!(of("subset")["keys"], 30_000);
    assert!(of("subset")["what"].as_str().unwrap().contains("\"app-\""));
}

#[test]
fn rows_that_repeat_are_told_and_the_hash_is_not_blamed() {
    let temp = tempfile::tempdir().unwrap();
    let rows: String = (0..20_000)
        .map(|i| if i % 10 < 3 { "celebrity\n".into() } else { format!("user:{i}\n") })
        .collect();
    fs::write(temp.path().join("hot.txt"), rows).unwrap();
    let args = ["--keys", "hot.txt", "--only", "uniformity,hot-prefix"];
    let (code, out, err) = accept(temp.path(), &[&GOOD[..], &args].concat());
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.contains("uniformity: keys repeat: 30 % of the rows are one key"), "{out}");
    assert!(out.contains("hot-prefix: keys repeat: all rows are one key"), "{out}");
    assert!(out.contains("at least 140 % off, no hash can pass"), "{out}");
    assert!(out.lines().all(|line| line.chars().count() < 120 || !line.contains('─')), "{out}");
    let (_, out, _) = accept(temp.path(), &[&GOOD[..], &args, &["--format", "json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    for check in found["checks"].as_array().unwrap() {
        assert_eq!(check["ideal-passes"]["p"], 0.0, "{check}");
    }
    assert!(found["checks"][0]["chi-square"]["p"].as_f64().unwrap() > 0.001, "{out}");
    // Ids without a sign, as `route` reads them.
    let ids: String = (0..2000u64).map(|i| format!("{}\n", (1 << 63) + i)).collect();
    fs::write(temp.path().join("ids.txt"), ids).unwrap();
    let args =
        ["--keys", "ids.txt", "--type", "uint", "--only", "uniformity", "--uniformity", "25%"];
    let (code, out, err) = texts(&run(temp.path(), &[&["accept"], &GOOD[..], &args].concat()));
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_frozen_routing_fails_when_the_algorithm_changes() {
    let temp = tempfile::tempdir().unwrap();
    let frozen = ["--freeze", "v1.csv", "--freeze-keys", "200"];
    let (code, out, err) = accept(temp.path(), &[&GOOD[..], &frozen].concat());
    assert_eq!((code, out.as_str()), (0, ""), "{err}");
    assert!(err.contains("keys with their nodes are in `v1.csv`"), "{err}");
    let text = fs::read_to_string(temp.path().join("v1.csv")).unwrap();
    assert!(text.starts_with("# shardlab.frozen/1\n# shardlab: "), "{text}");
    assert!(text.contains("\n# hasher: murmur3-32\n"), "{text}");
    // A promise is not written over.
    let (code, _, err) = accept(temp.path(), &[&GOOD[..], &frozen].concat());
    assert_eq!(code, 2);
    assert!(err.contains("is there already"), "{err}");
    let check = ["--frozen", "v1.csv", "--only", "frozen"];
    let (code, out, _) = accept(temp.path(), &[&GOOD[..], &check].concat());
    assert_eq!(code, 0, "{out}");
    let other = ["--strategy", "modulo", "--hasher", "md5", "--nodes", "8"];
    let (code, out, _) = accept(temp.path(), &[&other[..], &check].concat());
    assert_eq!(code, 1);
    assert!(out.contains("set-up: hasher was murmur3-32, is md5"), "{out}");
    assert!(out.contains("keys live elsewhere: ") && out.contains("→ node"), "{out}");
    fs::write(temp.path().join("bad.csv"), text.replace("text,", "txt,")).unwrap();
    let (code, _, err) = accept(temp.path(), &[&GOOD[..], &["--frozen", "none.csv"]].concat());
    assert_eq!(code, 2);
    assert!(err.contains("none.csv") && err.contains("accept --freeze FILE writes one"), "{err}");
    let bad = ["--frozen", "bad.csv"];
    let (code, _, err) = accept(temp.path(), &[&GOOD[..], &bad].concat());
    assert_eq!(code, 2);
    assert!(err.contains("unknown type `txt`") && err.contains("line "), "{err}");
}

#[test]
fn a_gate_that_tests_nothing_is_closed() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("k.txt"), "a\nb\nc\n").unwrap();
    let frozen = ["--freeze", "v1.csv", "--freeze-keys", "50"];
    assert_eq!(accept(temp.path(), &[&GOOD[..], &frozen].concat()).0, 0);
    for (args, want) in [
        (&["--only", "frozen"] as &[&str], "give --frozen FILE"),
        (&["--only", "stability,frozen", "--format", "junit"], "give --frozen FILE"),
        (&["--frozen", "v1.csv", "--only", "bounds"], "--only bounds,frozen"),
        (&["--keys", "k.txt", "--prefix", "zzz", "--only", "subset"], "keys like \"zzz\"…"),
        (&["--keys", "k.txt", "--hot-prefix", "zzz"], "give --prefix or --hot-prefix"),
        (&["--level", "2", "--judge", "chi-square"], "above 0 and below 1"),
        (&["--level", "0"], "above 0 and below 1"),
        (&["--level=-1"], "above 0 and below 1"),
    ] {
        let (code, out, err) = accept(temp.path(), &[&GOOD[..], args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
    // Three keys are too few to judge: nothing was tried, and that is no pass in any form.
    let few = [&GOOD[..], &["--keys", "k.txt", "--only", "uniformity"]].concat();
    let (code, out, err) = accept(temp.path(), &few);
    assert_eq!(code, 1, "{out}{err}");
    assert!(out.starts_with("0 of 1 checks pass, 1 not tried: that is no pass"), "{out}");
    let (code, out, _) = accept(temp.path(), &[&few[..], &["--format", "json"]].concat());
    assert!(code == 1 && out.contains("\"passes\": false"), "{out}");
}

#[test]
fn partitions_are_nodes_and_what_cannot_be_tried_exits_with_2() {
    let temp = tempfile::tempdir().unwrap();
    let kafka = ["--preset", "kafka", "--param", "partitions=12", "--subset", "15%"];
    let (code, out, err) = accept(temp.path(), &kafka);
    assert_eq!(code, 0, "{out}{err}");
    for (args, want) in [
        (&["--strategy", "ring"] as &[&str], "no cluster is given"),
        (&["--strategy", "ring", "--nodes", "3", "--only", "uniform"], "`uniformity`"),
        (&["--strategy", "ring", "--nodes", "3", "--hasher", "md6"], "hasher"),
        (&["--strategy", "ring", "--nodes", "3", "--keys", "no.csv"], "no.csv"),
        (&["--strategy", "ring", "--nodes", "3", "--subset=-1"], "no share"),
        (&["--strategy", "ring", "--nodes", "3", "--hot-keys", "0"], "0 keys"),
        (&["--strategy", "ring", "--nodes", "3", "--own-keys"], "--scenario"),
        (&["--strategy", "ring", "--nodes", "3", "--step", "1"], "--scenario"),
        (
            &["--strategy", "ring", "--nodes", "3", "--vnodes", "3", "--param", "vnodes=4"],
            "given twice",
        ),
    ] {
        let (code, out, err) = accept(temp.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
}
