//! `shardlab size` from outside.

use std::fs;

use crate::command::{answer, run, texts};

#[test]
fn vnodes_for_a_bound_now_and_after_growth() {
    let args = [
        "size",
        "--strategy",
        "ring",
        "--nodes",
        "16",
        "--grow-to",
        "64",
        "--max-over-mean",
        "1.1",
        "--confidence",
        "0.95",
    ];
    let (code, out, err) = answer(&args);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("vnodes = ") && out.contains("union bound"), "{out}");
    let (_, json, _) = answer(&[&args[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let size = &json["sizes"][0];
    let (value, least) =
        (size["value"].as_u64().unwrap(), size["least-possible"].as_u64().unwrap());
    assert!(value - least <= 10 && (900..1200).contains(&value), "{json}");
    assert_eq!(size["from"], "theory");
    assert_eq!(size["steps"][1]["points"].as_u64().unwrap(), 64 * value);
}

#[test]
fn several_strategies_stand_side_by_side() {
    let args = [
        "size",
        "--strategy",
        "ring,bucket-table,maglev,jump,bounded-ring",
        "--nodes",
        "10",
        "--max-over-mean",
        "1.2",
    ];
    let (code, out, err) = answer(&args);
    assert_eq!(code, 0, "{err}");
    for want in [
        "vnodes = ",
        "buckets = 10",
        "table-size = ",
        "nothing to set",
        "bounded-ring: there is no law",
    ] {
        assert!(out.contains(want), "{want}: {out}");
    }
    let (_, csv, _) = answer(&[&args[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 1 + 4, "{csv}");
    let (_, markdown, _) = answer(&[&args[..], &["--format", "markdown"]].concat());
    assert!(markdown.contains("| strategy | set | nodes |"), "{markdown}");
}

#[test]
fn keys_for_a_noise() {
    let (code, out, _) =
        answer(&["size", "--nodes", "16", "--noise-below", "0.01", "--format", "csv"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("nodes,keys-for-cv,keys-for-max-over-mean\n16,150000,11"), "{out}");
    let in_percent = ["--noise-below", "1%", "--confidence", "95%", "--format", "csv"];
    let (code, same, err) = answer(&[&["size", "--nodes", "16"], &in_percent[..]].concat());
    assert_eq!((code, same), (0, out), "{err}");
}

#[test]
fn nodes_that_keep_keys_apart_by_list_and_by_file() {
    let ids = "11ddd915-9d42-4bd3-83dd-1e922087720a,f605b122-034f-4f4d-8fe4-eadddfaa4905";
    let tail = ["--strategy", "modulo", "--hasher", "fnv1a-64"];
    let (code, by_list, err) = answer(&[&["size", "--keys-apart", ids], &tail[..]].concat());
    assert_eq!(code, 0, "{err}");
    assert!(by_list.contains("2 keys are first all apart on 5 nodes"), "{by_list}");
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("ids.txt"), ids.replace(',', "\n")).unwrap();
    let output = run(temp.path(), &[&["size", "--keys-apart", "ids.txt"], &tail[..]].concat());
    assert_eq!(texts(&output).1, by_list);
}

#[test]
fn wrong_questions_exit_with_2() {
    for (args, want) in [
        (
            &["size", "--nodes", "16", "--max-over-mean", "1.1", "--strategy", "bounded-ring"]
                as &[&str],
            "no law",
        ),
        (&["size"] as &[&str], "--max-over-mean"),
        (&["size", "--max-over-mean", "1.1"], "--nodes"),
        (&["size", "--nodes", "16", "--max-over-mean", "1"], "above 1"),
        (&["size", "--nodes", "16", "--max-over-mean", "-2"], "above 1"),
        (&["size", "--nodes", "16", "--max-over-mean", "nan"], "above 1"),
        (
            &["size", "--nodes", "16", "--max-over-mean", "1.1", "--confidence", "1"],
            "between 0 and 1",
        ),
        (&["size", "--nodes", "1", "--max-over-mean", "1.1"], "2 to 10000 nodes"),
        (&["size", "--nodes", "1g", "--max-over-mean", "1.1"], "2 to 10000 nodes"),
        (&["size", "--nodes", "16", "--grow-to", "8", "--max-over-mean", "1.1"], "larger number"),
        (
            &["size", "--nodes", "16", "--max-over-mean", "1.1", "--noise-below", "0.1"],
            "cannot be used",
        ),
        (&["size", "--nodes", "16", "--max-over-mean", "1.0000001"], "the most that are allowed"),
        (&["size", "--nodes", "16", "--max-over-mean", "1.1", "--keys", "100"], "keys are needed"),
        (&["size", "--nodes", "16", "--max-over-mean", "1.1", "--strategy", "rnig"], "`ring`"),
        (
            &["size", "--nodes", "16", "--max-over-mean", "1.1", "--strategy", "range"],
            "`mode` is missing",
        ),
        (&["size", "--nodes", "16", "--noise-below", "0"], "noise below 0"),
        (&["size", "--keys-apart", "a"], "1 key(s)"),
        (&["size", "--keys-apart", "a,b,a", "--strategy", "modulo"], "given twice"),
    ] {
        let (code, out, err) = answer(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
}
