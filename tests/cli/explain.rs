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
    let (_, marked, _) = piped(&["explain", "counts"], "\u{feff}10\n20\n15\n");
    assert_eq!(by_arguments, marked);
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
    assert!(out.contains("0.75 (= 75 %) is right"), "{out}");
}

#[test]
fn a_claim_is_told_how_it_was_read_and_what_else_it_may_be() {
    for (args, code, want) in [
        (
            &["modulo", "2", "3", "--claimed", "1"] as &[&str],
            1,
            "1 (= 100 %) is wrong: moved = 66.67 %.",
        ),
        (&["power-of-two", "12", "--claimed", "2"], 1, "2 is wrong: max over mean = 1.500."),
        (
            &["jump", "100", "101", "--claimed", "0.99"],
            1,
            "0.99 (= 99 %) is wrong: moved = 0.99 %. 0.99% would be right.",
        ),
        (&["jump", "100", "101", "--claimed", "1.0"], 1, "1.0 (= 100 %) is wrong: moved = 0.99 %."),
        (
            &["vnodes", "10", "100", "--claimed", "10%"],
            0,
            "10% is not the expectation (cv of owned shares = 9.48 %), but within what one ring shows: 0.2 sd of ",
        ),
        (
            &["hot-key", "20%", "10", "--claimed", "2.8"],
            0,
            "2.8 is not max over mean, at least = 2.000; it is max over mean where the rest is even.",
        ),
        (
            &["modulo", "4", "5", "--claimed", "20%"],
            1,
            "20% is wrong: moved = 80.00 %. 20% is the value of: kept, and least that any strategy moves.",
        ),
        (&["modulo", "3", "4", "--claimed", "75.001%"], 1, "75.001% is wrong: moved = 75.00 %."),
        (
            &["modulo", "30000", "30001", "--claimed", "100.000%"],
            1,
            "100.000% is wrong: moved = 100.00 %, exactly 0.99996",
        ),
    ] {
        let (have, out, err) = answer(&[&["explain"], args].concat());
        assert_eq!(have, code, "{args:?}: {out}{err}");
        assert!(out.contains(want), "{args:?}: {out}");
    }
    let (_, out, _) =
        answer(&["explain", "vnodes", "10", "100", "--claimed", "10%", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(json["claim"]["verdict"], "possible");
    assert_eq!(json["claim"]["right"], false);
    let (_, help, _) = answer(&["explain", "ring", "--help"]);
    assert!(help.contains("Not the expectation, but possible"), "{help}");
}

#[test]
fn numbers_may_be_powers_and_more_than_a_word_holds() {
    let (code, out, err) = answer(&["explain", "birthday", "5e9", "2^64"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("0.4922") && out.contains("1 − Π (1 − i/2^64), i < 5000000000"), "{out}");
    let (_, out, _) = answer(&["explain", "birthday", "1e12", "2^122"]);
    assert!(out.contains("9.74786e24") && !out.contains("18,446,744"), "{out}");
    let (_, out, _) = answer(&["explain", "birthday", "10m", "1g"]);
    assert!(out.contains("974,786,193,165,8"), "{out}");
    let (code, _, err) = answer(&["explain", "birthday", "1.5", "10"]);
    assert_eq!(code, 2);
    assert!(err.contains("`keys` is 1.5"), "{err}");
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
        (&["explain", "spread", "2", "1000", "3"], "max 3 on 2 nodes"),
        (&["explain", "hot-key", "120%", "4"], "`share`"),
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
