//! `shardlab explain` from outside.

use crate::command::{answer, piped};

#[test]
fn loads_come_as_arguments_as_a_file_and_from_stdin_alike() {
    let (code, by_arguments, err) = answer(&["explain", "counts", "10", "20", "15"]);
    assert_eq!(code, 0, "{err}");
    let (_, by_stdin, _) = piped(&["explain", "counts"], "10\n20\n15\n");
    let (_, by_file, _) = piped(&["explain", "counts", "--file", "-"], "count\n10\n20\n15\n");
    assert_eq!(by_arguments, by_stdin);
    assert_eq!(by_arguments, by_file);
    let (_, named, _) = piped(&["explain", "counts"], "node,count\na,10\nb,20\nc,15\n");
    assert!(named.contains("max/mean 1.333 (b)"), "{named}");
}

#[test]
fn a_diagnosis_has_four_forms() {
    let args = |format| ["explain", "counts", "1999", "0", "0", "--format", format];
    let (_, table, _) = answer(&args("table"));
    assert!(table.contains("Is it chance?") && table.contains("upstream-filter"), "{table}");
    let (_, markdown, _) = answer(&args("markdown"));
    assert!(markdown.contains("\n| rank | cause |"), "{markdown}");
    let (_, csv, _) = answer(&args("csv"));
    assert!(
        csv.starts_with("rank,cause,fits,log10-fit,evidence,remedy,peak-median,peak-p95\n1,"),
        "{csv}"
    );
    let (_, json, _) = answer(&args("json"));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["chance"]["verdict"], "excluded");
    assert_eq!(json["causes"][0]["cause"], "upstream-filter");
    assert_eq!(json["causes"][0]["rank"], 1);
}

#[test]
fn the_strategy_decides_what_chance_explains() {
    let verdict = |vnodes| {
        let args = [
            "explain",
            "counts",
            "28.4",
            "38.6",
            "32.9",
            "--keys",
            "1m",
            "--strategy",
            "ring",
            "--vnodes",
            vnodes,
            "--format",
            "json",
        ];
        let (code, json, err) = answer(&args);
        assert_eq!(code, 0, "{err}");
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        json["chance"]["verdict"].as_str().unwrap().to_string()
    };
    assert_eq!(verdict("16"), "explained");
    assert_eq!(verdict("100000"), "excluded");
}

#[test]
fn a_claim_is_right_or_the_exit_code_is_1() {
    let (code, out, _) = answer(&["explain", "modulo", "3", "4", "--claimed", "83%"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("83% is wrong: moved = 75.00 %. 83% would be modulo 5 → 6."), "{out}");
    let (code, out, _) = answer(&["explain", "modulo", "3", "4", "--claimed", "0.75"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("0.75 is right"), "{out}");
}

#[test]
fn every_form_is_listed_and_has_help_with_its_source() {
    let (code, list, _) = answer(&["explain", "--list"]);
    assert_eq!(code, 0);
    for form in shardlab::analysis::explain::forms::ALL {
        assert!(list.lines().any(|line| line.starts_with(form.name)), "{}: {list}", form.name);
        assert!(list.contains(form.formula), "{list}");
        let (code, help, _) = answer(&["explain", form.name, "--help"]);
        assert_eq!(code, 0);
        assert!(help.contains("Source: "), "{help}");
    }
}

#[test]
fn forms_print_value_formula_check_and_source() {
    let (code, out, err) =
        answer(&["explain", "ring", "8", "9", "--vnodes", "40", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["quantities"][0]["value"].as_f64().unwrap(), 1.0 / 9.0);
    assert_eq!(json["quantities"][0]["simulated"]["agrees"], true);
    assert_eq!(json["given"]["vnodes"], 40);
    let (_, out, _) = answer(&["explain", "cells", "32", "32", "--format", "csv"]);
    assert!(out.starts_with("quantity,value,unit,how,simulated,within,simulated-by\ncells that keys reach,32.0,count,"), "{out}");
}

#[test]
fn wrong_loads_and_questions_exit_with_2() {
    for (args, want) in [
        (&["explain", "counts", "5", "-3"] as &[&str], "negative"),
        (&["explain", "counts", "0", "0", "0"], "all loads are 0"),
        (&["explain", "counts", "7"], "no balance to explain"),
        (&["explain", "counts", "1", "x"], "count `x` is not a number"),
        (&["explain", "counts", "1", "inf"], "is not a number"),
        (&["explain", "counts", "1e300", "1"], "load 1e300"),
        (&["explain", "counts", "1", "2", "--weights", "0,0"], "weight"),
        (&["explain", "counts", "1", "2", "--weights", "1"], "1 weights for 2 nodes"),
        (&["explain", "counts", "1", "2", "--strategy", "rnig"], "`ring`"),
        (&["explain", "counts", "1", "2", "--strategy", "range"], ""),
        (&["explain", "counts", "1", "2", "--strategy", "modulo", "--vnodes", "3"], "`vnodes`"),
        (&["explain", "counts", "--file", "missing.csv"], "missing.csv"),
        (&["explain", "counts", "1", "2", "--keys", "0"], "0 keys"),
        (&["explain", "modulo", "0", "4"], "`before`"),
        (&["explain", "modulo", "3", "x"], "`after`"),
        (&["explain", "modulo", "3", "100000000000"], "`after`"),
        (&["explain", "remove", "4", "4"], "position 4 of 4"),
        (&["explain", "modulo", "3", "4", "--claimed", "most"], "claimed value `most`"),
        (&["explain", "reweight", "1,1", "1"], "2 weights before, 1 after"),
        (&["explain", "modlo", "3", "4"], "modulo"),
        (&["explain"], "Usage"),
    ] {
        let (code, out, err) = answer(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
    let (code, _, err) = piped(&["explain", "counts"], "hello\nworld\n");
    assert_eq!(code, 2);
    assert!(err.contains("count `world` is not a number"), "{err}");
    let (code, _, err) = piped(&["explain", "counts"], "");
    assert_eq!(code, 2);
    assert!(err.contains("`stdin` holds no loads"), "{err}");
}
