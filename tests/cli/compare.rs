//! `shardlab compare` on records that runs have written.

use std::fs;
use std::path::Path;

use crate::command::{SCENARIO, run, texts};

fn compare(dir: &Path, args: &[&str]) -> (i32, String, String) {
    texts(&run(dir, &[&["compare"], args].concat()))
}

/// Runs the scenario with other settings into a folder.
fn record(dir: &Path, out: &str, more: &[&str]) {
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let args = [&["run", "s.toml", "--quiet", "--out", out], more].concat();
    let (code, _, err) = texts(&run(dir, &args));
    assert_eq!(code, 0, "{err}");
}

#[test]
fn equal_records_exit_with_0_and_others_with_1() {
    let temp = tempfile::tempdir().unwrap();
    record(temp.path(), "a", &[]);
    record(temp.path(), "b", &["--threads", "2"]);
    record(temp.path(), "c", &["--keys", "2000"]);
    let (code, out, err) = compare(temp.path(), &["a", "b/record.json"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("0 of ") && out.contains("in 1 cells differ"), "{out}");
    // Twice as many keys: the shares agree within some per cent, the counts do not.
    let (code, out, _) = compare(temp.path(), &["a", "c", "--format", "json"]);
    assert_eq!(code, 1);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["holds"], false);
    let differences = found["differences"].as_array().unwrap();
    let totals = differences.iter().find(|d| d["metric"] == "totals.keys").unwrap();
    assert_eq!((&totals["a"], &totals["b"]), (&1000.0.into(), &2000.0.into()));
    assert_eq!(totals["relative"], 0.5);
    let metric = ["--metric", "keys.max-over-mean"];
    let (code, out, _) =
        compare(temp.path(), &[&["a", "c", "--tolerance", "20%"], &metric[..]].concat());
    assert_eq!(code, 0, "{out}");
    let (code, out, _) =
        compare(temp.path(), &[&["a", "c", "--format", "csv"], &metric[..]].concat());
    assert_eq!(code, 1);
    assert!(out.starts_with("cell,step,metric,a,b,absolute,relative,within\n"), "{out}");
    assert_eq!(out.lines().count(), 3, "{out}");
}

#[test]
fn what_cannot_be_compared_exits_with_2() {
    let temp = tempfile::tempdir().unwrap();
    record(temp.path(), "a", &[]);
    fs::write(temp.path().join("no.json"), "{}").unwrap();
    fs::create_dir(temp.path().join("empty")).unwrap();
    for (args, want) in [
        (&["a", "no.json"] as &[&str], "is not a record"),
        (&["a", "empty"], "cannot read"),
        (&["a", "s.toml"], "is not JSON"),
        (&["a", "a", "--metric", "keys.cvv"], "`keys.cv`"),
        (&["a", "a", "--metric", "trials.*"], "no cell of either record"),
        (&["a", "a", "--tolerance", "much"], "is no share"),
    ] {
        let (code, out, err) = compare(temp.path(), args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
}
