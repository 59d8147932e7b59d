//! Wrong input on the command line: what a person is told, and where the fault is placed.

use std::fs;

#[path = "common/command.rs"]
mod command;

use command::{SCENARIO, answer, piped, run, texts};

/// Runs a scenario with data files beside it; it must be refused and nothing written. Gives stderr.
fn refused(scenario: &str, files: &[(&str, &str)]) -> String {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), scenario).unwrap();
    for (name, text) in files {
        fs::write(dir.join(name), text).unwrap();
    }
    let (code, out, err) = texts(&run(dir, &["run", "s.toml"]));
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(!dir.join("reports").exists());
    let (code, out, checked) = texts(&run(dir, &["check", "s.toml"]));
    assert_eq!((code, out.as_str(), checked), (2, "", err.clone()), "check finds what run finds");
    err
}

#[test]
fn what_only_building_or_reading_shows_has_its_place_too() {
    let keys = "pattern = \"sequential\"\ncount = 1000";
    let strategy = "kind = \"jump\"\nhasher = \"murmur3-32\"";
    let plain = SCENARIO.replace("analysis", "# analysis").replace("[[change]]\nadd = 1\n", "");
    let with_keys = |text: &str| plain.replace(keys, text);
    let with_strategy = |text: &str| plain.replace(strategy, text);
    let csv = "key,n\na,1\nb,2\nc,x\n";
    let file = "file = \"k.csv\"\nrequests = \"n\"";
    let table = "kind = \"table\"\nfile = \"t.csv\"";
    for (scenario, files, wanted) in [
        (
            with_keys(file),
            &[("k.csv", csv)] as &[_],
            &["s.toml:10:8", "`k.csv`, row 3 (line 4), column `n`: `x` is no whole number"]
                as &[_],
        ),
        (
            with_keys(file),
            &[("k.csv", &csv[..11])],
            &["s.toml:10:8", "`k.csv`, row 2 (line 3): has 1 field, the header has 2 fields"],
        ),
        (
            with_keys(file).replace("file = \"k", "file = \"none"),
            &[],
            &["s.toml:10:8", "cannot read `none.csv", "a relative path starts from the scenario"],
        ),
        (
            with_strategy(table),
            &[("t.csv", "bucket,node\n0,node0\n1,node1,2\n")],
            &["s.toml:15:8", "`t.csv`, row 2 (line 3): the row has 3 fields, the header has 2"],
        ),
        (with_strategy(table), &[], &["s.toml:15:8", "cannot read `t.csv`"]),
        (
            with_strategy("kind = \"range\"\nmode = \"bounds\"\nbounds = []"),
            &[],
            &["s.toml:16:10", "`bounds` is an empty list"],
        ),
        (
            with_strategy("kind = \"embedded-id\"\nshift = 60\nbits = 13"),
            &[],
            &["s.toml:16:8", "beyond the 64 bits of a key", "at most 4 bits"],
        ),
        (
            with_strategy("kind = \"bounded-ring\"").replace("count = 1000", "count = 20_000_000"),
            &[],
            &["s.toml:13:1", "20000000 requests are more than", "at most 10000000"],
        ),
    ] {
        let err = refused(&scenario, files);
        for part in wanted {
            assert!(err.contains(part), "`{part}` is missing: {err}");
        }
        assert_eq!(
            err.lines().filter(|line| line.starts_with("error")).count(),
            1,
            "one message: {err}"
        );
    }
}

#[test]
fn a_shape_without_requests_shares_out_those_of_the_file() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let file = "file = \"k.csv\"\nrequests = \"n\"\n[traffic]\nshape = \"uniform\"";
    let text = SCENARIO.replace("pattern = \"sequential\"\ncount = 1000", file);
    fs::write(dir.join("s.toml"), text).unwrap();
    fs::write(dir.join("k.csv"), "key,n\na,1\nb,2\nc,39\n").unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "s.toml", "--format", "json"]));
    assert_eq!(code, 0, "{err}");
    let record: serde_json::Value = serde_json::from_str(&out).unwrap();
    let total = &record["cells"][0]["steps"][0]["totals"]["requests"];
    assert_eq!(total, 42, "{out}");
}

#[test]
fn a_missing_scenario_is_answered_with_those_that_are_there() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let (_, _, err) = texts(&run(dir, &["run", "s.toml"]));
    assert!(err.contains("shardlab quick --strategy ring --toml"), "{err}");
    fs::create_dir(dir.join("lab")).unwrap();
    for name in ["ring-vnodes.toml", "expand.toml", "notes.txt"] {
        fs::write(dir.join("lab").join(name), SCENARIO).unwrap();
    }
    for command in ["run", "check"] {
        let (code, _, err) = texts(&run(dir, &[command, "lab/ring-vnode.toml"]));
        assert_eq!(code, 2);
        assert!(err.contains("did you mean `ring-vnodes.toml`?"), "{err}");
        assert!(err.contains("scenarios in `lab`: expand.toml, ring-vnodes.toml\n"), "{err}");
    }
    let (_, _, err) = texts(&run(dir, &["run", "lab"]));
    assert!(err.contains("scenarios in `lab`: expand.toml, ring-vnodes.toml\n"), "{err}");
}

#[test]
fn a_wrong_number_is_answered_with_what_is_allowed() {
    for args in [
        &["run", "s.toml", "--threads", "x"] as &[&str],
        &["run", "s.toml", "--threads", "0"],
        &["run", "s.toml", "--seed", "x"],
        &["quick", "--strategy", "ring", "--seed", "-1"],
        &["quick", "--strategy", "ring", "--zipf", "steep"],
        &["quick", "--strategy", "ring", "--keys", "x"],
        &["hash", "--hasher", "md5", "--seed", "1.5", "x"],
        &["route", "--scenario", "s.toml", "--step", "last", "x"],
    ] {
        let (code, out, err) = answer(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains("; write "), "{args:?}: {err}");
        assert!(!err.contains("digit") && !err.contains("literal"), "{args:?}: {err}");
    }
}

#[test]
fn a_strategy_that_is_asked_for_as_a_preset_is_shown_its_place() {
    for (args, hint) in [
        (["route", "--preset", "maglev", "--servers", "a,b", "x"], "`--strategy maglev`"),
        (["route", "--strategy", "kafka", "--servers", "a,b", "x"], "`--preset kafka`"),
    ] {
        let (code, out, err) = answer(&args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(hint), "{args:?}: {err}");
    }
    let (_, _, err) = answer(&["route", "--preset", "ketama", "--servers", "a,b", "x"]);
    assert!(err.contains("`libmemcached-ketama`") && err.contains("`twemproxy-ketama`"), "{err}");
    let (_, _, err) = answer(&["route", "--preset", "postgres-hash", "--servers", "a,b", "x"]);
    assert!(!err.contains("Text"), "{err}");
}

#[test]
fn an_empty_line_is_the_empty_key_and_a_line_without_end_is_refused() {
    let route = ["route", "--strategy", "jump", "--nodes", "8"];
    let (code, out, err) = piped(&route, "a\n\nb\n");
    assert_eq!(code, 0, "{err}");
    let keys: Vec<&str> = out
        .lines()
        .filter(|l| !l.starts_with(' '))
        .map(|l| l.split_once(" → ").unwrap().0)
        .collect();
    assert_eq!(keys, ["a", "\"\"", "b"]);
    let (_, out, _) = piped(&["hash", "--hasher", "crc32"], "\n");
    assert_eq!(out, "\"\"  0  00000000\n");
    let (code, _, err) =
        piped(&["hash", "--hasher", "crc32"], &("ok\n".to_string() + &"x".repeat(70_000)));
    assert_eq!(code, 2);
    assert!(err.contains("key 2: `xxx") && err.contains("has more than 65535 bytes"), "{err}");
}

#[test]
fn colour_follows_the_option_in_usage_errors_and_help() {
    for args in [&["run"] as &[&str], &["--help"], &["run", "--threads", "x", "s.toml"]] {
        for (when, painted) in [("always", true), ("never", false)] {
            let (_, out, err) = answer(&[args, &["--color", when]].concat());
            assert_eq!((out + &err).contains('\x1b'), painted, "{args:?} --color {when}");
        }
    }
}

#[test]
fn a_wrong_migration_is_placed_and_says_what_to_do() {
    let fault = |text: &str| format!("copy-limit = \"5 rows/s\"\n[[migration.fault]]\n{text}\n");
    for (migration, wanted) in [
        ("copy-limit = \"0 rows/s\"\n".to_string(), ["s.toml:20:14", "nothing would ever be done"]),
        ("copy-limit = 0\n".to_string(), ["s.toml:20:14", "a rate per second above 0"]),
        ("copy-limit = \"5 rows\"\n".to_string(), ["s.toml:20:14", "not a rate per second"]),
        ("writes = \"0/s\"\ncopy-limit = 5\n".to_string(), ["s.toml:20:10", "such as 8000/s"]),
        (
            "copy-limit = \"0.001 rows/s\"\ntick = \"100ms\"\n".to_string(),
            ["s.toml:20:14", "less than a row in 1000 ticks"],
        ),
        ("writes = 10\n".to_string(), ["s.toml:19:1", "give at least one of copy-limit"]),
        ("copy-limit = \"5 MB/s\"\n".to_string(), ["s.toml:20:14", "give the bytes of all rows"]),
        ("copy-limit = 5\nkeep-old = \"soon\"\n".to_string(), ["s.toml:21:12", "40m, 8h"]),
        ("copy-limit = 5\ntick = \"0s\"\n".to_string(), ["s.toml:21:8", "time would stand still"]),
        (
            "copy-limit = 5\nunit = \"bucket\"\n".to_string(),
            ["s.toml:21:8", "the strategy has no buckets that outlive this change"],
        ),
        (
            "copy-limit = 5\nunit = \"arc\"\n".to_string(),
            ["s.toml:21:8", "every strategy has unit = \"shard\""],
        ),
        (
            "copy-limit = 5\nmode = \"redirct\"\n".to_string(),
            ["s.toml:21:8", "did you mean `redirect`?"],
        ),
        (
            "copy-limit = 5\nwatch = [\"k\"]\nmodes = 1\n".to_string(),
            ["s.toml:22:1", "did you mean `mode`?"],
        ),
        (
            fault("kind = \"dies\"\nnode = \"node9\"\nat = \"1m\""),
            ["s.toml:23:8", "did you mean `node0`?"],
        ),
        (
            format!("start = \"2m\"\n{}", fault("kind = \"restarts\"\nat = \"1m\"")),
            ["s.toml:24:6", "before the start of the migration at 2m"],
        ),
        (fault("kind = \"restarts\"\nat = \"-1m\""), ["s.toml:23:6", "which is negative"]),
        (fault("kind = \"dies\"\nat = \"1m\""), ["s.toml:21:1", "`node` is missing"]),
        (
            fault("kind = \"dies\"\nnode = \"node1\"\nat = \"1m\"\nshare = 0.5"),
            ["s.toml:25:1", "`share` does not belong to a fault of kind dies"],
        ),
        (
            fault("kind = \"stale-clients\"\nshare = 0.5\nat = \"5m\"\nuntil = \"4m\""),
            ["s.toml:25:9", "the fault ends before it begins"],
        ),
        (
            fault(
                &["kind = \"drops-rows\"\nshare = 0.5\nat = \"5m\"\nuntil = \"9m\""; 2]
                    .join("\n[[migration.fault]]\n"),
            ),
            ["s.toml:29:6", "two faults of kind drops-rows overlap"],
        ),
        (
            fault("kind = \"restarts\"\nat = \"8d\""),
            ["s.toml:23:6", "the simulation ends after 7d at the latest"],
        ),
        (
            fault(
                &["kind = \"dies\"\nnode = \"node1\"\nat = \"5m\""; 2]
                    .join("\n[[migration.fault]]\n"),
            ),
            ["s.toml:27:8", "node1 dies 2 times, and there is 1 copy of its rows"],
        ),
        (
            "copy-limit = 5\nwatch = [\"a\", \"b\", \"a\"]\n".to_string(),
            ["s.toml:21:9", "`a` is watched twice"],
        ),
        (
            "copy-limit = 5\nrows = 9_223_372_036_854_775_807\n".to_string(),
            ["s.toml:21:8", "1000000000000000"],
        ),
        ("copy-limit = 5\ncutover = \"-2s\"\n".to_string(), ["s.toml:21:11", "which is negative"]),
        (
            fault("kind = \"restarts\"\nat = \"1m\"\ncase = \"bad\""),
            ["s.toml:24:8", "give [migration] e.g. case = [\"no fault\", \"bad\"]"],
        ),
    ] {
        let err = refused(&format!("{SCENARIO}[migration]\n{migration}"), &[]);
        for part in wanted {
            assert!(err.contains(part), "{migration}\n{part} is missing:\n{err}");
        }
    }
    let still = SCENARIO.replace("[[change]]\nadd = 1\n", "").replace("analysis", "# analysis");
    let err = refused(&format!("{still}[migration]\ncopy-limit = 5\n"), &[]);
    assert!(err.contains("nothing to migrate: no path has a change"), "{err}");
}
