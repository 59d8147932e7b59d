//! The command line from outside: exit codes, messages, streams.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;

#[path = "cli/accept.rs"]
mod accept;
#[path = "cli/advise.rs"]
mod advise;
#[path = "cli/claims.rs"]
mod claims;
#[path = "common/command.rs"]
mod command;
#[path = "cli/compare.rs"]
mod compare;
#[path = "cli/disagree.rs"]
mod disagree;
#[path = "cli/explain.rs"]
mod explain;
#[path = "cli/lint_keys.rs"]
mod lint_keys;
#[path = "cli/plan.rs"]
mod plan;
#[path = "cli/size.rs"]
mod size;

use command::{SCENARIO, answer, piped, run, shardlab, texts};

fn with_expectation(max: &str) -> String {
    format!(
        "{SCENARIO}\n[[expect]]\nmetric = \"movement.keys.share-moved\"\nmax = {max}\nbecause = \"a test\"\n"
    )
}

#[test]
fn every_subcommand_has_help_with_a_sentence() {
    let (code, help, _) = answer(&["--help"]);
    assert_eq!(code, 0);
    for info in shardlab::cli::ALL {
        assert!(help.contains(&format!("  {:<12} {}", info.name, info.summary)), "{help}");
        let (code, help, _) = answer(&[info.name, "--help"]);
        assert_eq!(code, 0, "{}", info.name);
        assert!(help.starts_with(info.summary), "{help}");
    }
}

#[test]
fn wrong_usage_exits_with_2_and_writes_nothing_to_stdout() {
    for args in [
        &["frobnicate"] as &[&str],
        &["run"],
        &["run", "missing.toml"],
        &["run", "missing.toml", "--keys", "ten"],
        &["run", "missing.toml", "--threads", "0"],
        &["run", "missing.toml", "--format", "tabel"],
        &["quick", "--strategy", "rnig"],
        &["hash", "--hasher", "md4", "x"],
        &["hash", "--hasher", "md5", "--seed", "1", "x"],
        &["hash", "--hasher", "md5", "--view", "wohle", "x"],
        &["route", "--strategy", "ring", "x"],
        &["route", "--strategy", "ring", "--nodes", "0", "x"],
        &["route", "--strategy", "ring", "--nodes", "1g", "x"],
        &["route", "--strategy", "ring", "--nodes", "3", "--param", "vnodes=0", "x"],
        &["route", "--strategy", "ring", "--nodes", "3", "--param", "vnode=1", "x"],
        &["route", "--strategy", "ring", "--nodes", "3", "--keys", "int", "x"],
        &["route", "--strategy", "ring", "--servers", "nosuch.txt", "x"],
        &["route", "--strategy", "ring", "--servers", "no/such", "x"],
        &["route", "--strategy", "ring", "--nodes", "3", "--param", "hash-seed=5g", "x"],
        &["list", "hasher"],
        &["list", "hashers", "md4"],
        &["check", "missing.toml"],
        &["plan"],
        &["plan", "missing.toml"],
        &["plan", "missing.toml", "--format", "tabel"],
    ] {
        let (code, out, err) = answer(args);
        assert_eq!(code, 2, "{args:?}: {err}");
        assert_eq!(out, "", "{args:?}");
        assert!(err.starts_with("error"), "{args:?}: {err}");
    }
}

#[test]
fn a_misspelt_name_gets_the_nearest_one() {
    for (args, want) in [
        (&["quick", "--strategy", "rnig"] as &[&str], "`ring`"),
        (&["hash", "--hasher", "mumur3-32", "x"], "`murmur3-32`"),
        (&["list", "strategy"], "`strategies`"),
        (&["route", "--strategy", "ring", "--nodes", "3", "--param", "vnode=1", "x"], "`vnodes`"),
    ] {
        let (_, _, err) = answer(args);
        assert!(err.contains(want), "{args:?}: {err}");
    }
}

#[test]
fn digests_are_the_known_ones() {
    // The check values of the CRC catalogue, RFC 1321, and Java's "hello".hashCode().
    for (hasher, key, decimal, hex) in [
        ("crc32", "123456789", "3421780262", "cbf43926"),
        ("crc16-xmodem", "123456789", "12739", "31c3"),
        ("md5", "", "281949768489412648962353822266799178366", "d41d8cd98f00b204e9800998ecf8427e"),
        ("java-string", "hello", "99162322", "05e918d2"),
        ("java-string", "zzzzzz", "-685785664", "d71fbdc0"),
    ] {
        let (code, out, err) = answer(&["hash", "--hasher", hasher, "--format", "csv", key]);
        assert_eq!(code, 0, "{err}");
        let digest = if hex.len() == 32 { hex } else { decimal };
        assert_eq!(out, format!("key,digest\n{key},{digest}\n"), "{hasher}");
    }
}

#[test]
fn keys_come_from_stdin_in_order_and_quoted() {
    let (_, out, _) = piped(&["hash", "--hasher", "crc32", "--format", "csv"], "a,b\r\n\nz");
    // A byte order mark is no part of the first key, and may be one of a later one.
    for args in [
        &["hash", "--hasher", "crc32"] as &[&str],
        &["route", "--strategy", "modulo", "--nodes", "3"],
    ] {
        let (_, plain, _) = piped(args, "a\n\u{feff}b\n");
        let (_, marked, err) = piped(args, "\u{feff}a\n\u{feff}b\n");
        assert_eq!(plain, marked, "{args:?}: {err}");
        assert!(plain.contains('\u{feff}'), "{plain:?}");
    }
    let keys: Vec<&str> = out.lines().map(|l| l.rsplitn(2, ',').last().unwrap()).collect();
    assert_eq!(keys, ["key", "\"a,b\"", "", "z"]);
    let args = ["route", "--strategy", "jump", "--nodes", "8", "--format", "csv"];
    let many: String = (0..5000).map(|i| format!("user:{i}\n")).collect();
    let (code, out, err) = piped(&args, &many);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("key,digest,node\nuser:0,"), "{out}");
    assert_eq!(out.lines().count(), 5001);
    assert!(out.lines().nth(4321).unwrap().starts_with("user:4320,"));
    let (code, _, err) = piped(&["hash", "--hasher", "identity"], "1\n2\nx\n");
    assert_eq!(code, 2);
    assert!(err.contains("key 3: `x` is not a signed 64-bit integer"), "{err}");
}

#[test]
fn a_route_is_explained_and_one_server_gets_everything() {
    let (code, out, err) = answer(&["route", "--strategy", "ring", "--servers", "only", "user:42"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("user:42 → only\n    murmur3-32(\"user:42\")"), "{out}");
}

#[test]
fn lists_hold_every_item_in_both_forms() {
    for kind in shardlab::report::catalog::ALL {
        let (code, text, _) = answer(&["list", kind.name]);
        assert_eq!(code, 0);
        let (_, json, _) = answer(&["list", kind.name, "--format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let entries = (kind.entries)();
        assert_eq!(json.as_array().unwrap().len(), entries.len());
        for (entry, json) in entries.iter().zip(json.as_array().unwrap()) {
            assert!(text.lines().any(|l| l.starts_with(&entry.name)), "{}: {text}", entry.name);
            assert_eq!(json["name"], entry.name);
        }
    }
    let (_, kinds, _) = answer(&["list"]);
    assert_eq!(kinds.lines().count(), shardlab::report::catalog::ALL.len());
}

#[test]
fn schema_and_completions_are_printed() {
    let (code, schema, _) = answer(&["schema"]);
    assert_eq!(code, 0);
    assert!(serde_json::from_str::<serde_json::Value>(&schema).unwrap().is_object());
    let (code, script, _) = answer(&["completions", "bash"]);
    assert_eq!(code, 0);
    assert!(script.contains("--strategy"));
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let (code, page, _) = answer(&["man"]);
    assert_eq!(code, 0);
    assert!(page.contains(".TH shardlab 1") && page.contains("lint\\-keys"), "{page}");
    let (_, page, _) = answer(&["man", "explain", "modulo"]);
    assert!(page.contains(".TH shardlab-explain-modulo 1") && page.contains("claimed"), "{page}");
    let (code, page, err) = answer(&["man", "explain", "moduli"]);
    assert_eq!((code, page.as_str()), (2, ""));
    assert!(err.contains("did you mean `modulo`?"), "{err}");
}

#[test]
fn colour_is_only_used_when_asked_for() {
    let (_, _, plain) = answer(&["list", "hasher"]);
    assert!(!plain.contains('\x1b'), "{plain:?}");
    let (_, _, painted) = answer(&["list", "hasher", "--color", "always"]);
    assert!(painted.contains('\x1b'), "{painted:?}");
}

#[test]
fn a_closed_pipe_ends_in_silence() {
    let temp = tempfile::tempdir().unwrap();
    let many: String = (0..200_000).map(|i| format!("user:{i}\n")).collect();
    fs::write(temp.path().join("keys"), many).unwrap();
    let mut child = shardlab(temp.path())
        .args(["hash", "--hasher", "crc32"])
        .stdin(fs::File::open(temp.path().join("keys")).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 4];
    let mut out = child.stdout.take().unwrap();
    out.read_exact(&mut first).unwrap();
    drop(out);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn a_run_prints_and_writes_and_its_exit_code_follows_the_expectations() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), with_expectation("0.5")).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "s.toml", "--timings", "--pairs"]));
    assert_eq!(code, 0, "{err}");
    for part in
        ["Three and one more", "What moves?", "It moves 2", "jump/murmur3-32", "1 of 1 hold"]
    {
        assert!(out.contains(part), "`{part}` is missing: {out}");
    }
    for file in ["record.json", "results.csv", "nodes.csv", "movement.csv", "timings.json"] {
        assert!(dir.join("reports/s").join(file).is_file(), "{file}");
    }
    let svgs = |dir: &Path| {
        let names = fs::read_dir(dir).unwrap().map(|e| e.unwrap().file_name());
        names.filter(|n| n.to_string_lossy().ends_with(".svg")).count()
    };
    assert!(svgs(&dir.join("reports/s")) > 0);
    // A second run that fails its expectation still writes; the files not asked for are gone.
    fs::write(dir.join("s.toml"), with_expectation("0.1")).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "s.toml", "--quiet"]));
    assert_eq!((code, out.as_str()), (1, ""), "{err}");
    assert!(err.starts_with("FAIL"), "{err}");
    assert!(!dir.join("reports/s/timings.json").exists());
    assert!(!dir.join("reports/s/movement.csv").exists());
    let record = fs::read_to_string(dir.join("reports/s/record.json")).unwrap();
    assert!(record.contains("\"pass\": false"));
}

#[test]
fn formats_other_than_the_table_are_alone_on_stdout() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "s.toml", "--format", "json", "--out", "o"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, fs::read_to_string(dir.join("o/record.json")).unwrap());
    let quick = ["quick", "--strategy", "jump", "--nodes", "3", "--keys", "1k", "--format", "csv"];
    let (code, out, err) = texts(&run(dir, &quick));
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("id,"), "{out}");
    assert!(err.contains("kind = \"jump\""), "{err}");
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    for threads in ["1", "7"] {
        let args = ["run", "s.toml", "--keys", "200k", "--threads", threads, "--out", threads];
        let (code, _, err) = texts(&run(dir, &args));
        assert_eq!(code, 0, "{err}");
    }
    for entry in fs::read_dir(dir.join("1")).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |folder: &str| fs::read(dir.join(folder).join(&name)).unwrap();
        assert!(read("1") == read("7"), "{name:?} differs");
    }
}

#[test]
fn quick_prints_a_scenario_that_runs_to_the_same_table() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    let args = ["quick", "--strategy", "jump,ring", "--nodes", "4", "--keys", "2k", "--add", "1"];
    let (code, out, err) = texts(&run(dir, &args));
    assert_eq!(code, 0, "{err}");
    let (_, toml, _) = texts(&run(dir, &[&args[..], &["--toml"]].concat()));
    let table = out.strip_prefix(&toml).expect("the scenario comes first").trim_start();
    assert!(fs::read_dir(dir).unwrap().next().is_none(), "quick writes no files");
    fs::write(dir.join("quick.toml"), &toml).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "quick.toml"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, table);
}

#[test]
fn an_unwritable_folder_is_found_before_the_run() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    fs::write(dir.join("file"), "mine").unwrap();
    for out in ["file", "file/inner"] {
        let (code, stdout, err) = texts(&run(dir, &["run", "s.toml", "--out", out]));
        assert_eq!((code, stdout.as_str()), (2, ""), "{err}");
        assert!(err.contains(&format!("cannot write to the folder `{out}`")), "{err}");
    }
    assert_eq!(fs::read_to_string(dir.join("file")).unwrap(), "mine");
}

#[test]
fn a_wrong_scenario_leaves_the_earlier_result() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    assert_eq!(run(dir, &["run", "s.toml"]).status.code(), Some(0));
    let before = fs::read(dir.join("reports/s/record.json")).unwrap();
    fs::write(dir.join("s.toml"), SCENARIO.replace("nodes = 3", "nodse = 3")).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "s.toml"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("nodse") && err.contains("s.toml:7:1"), "{err}");
    assert!(before == fs::read(dir.join("reports/s/record.json")).unwrap());
}

#[test]
fn two_scenarios_get_a_folder_each_or_are_refused() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::create_dir(dir.join("other")).unwrap();
    for name in ["a.toml", "b.toml", "other/a.toml"] {
        fs::write(dir.join(name), SCENARIO).unwrap();
    }
    let (code, _, err) = texts(&run(dir, &["run", "a.toml", "b.toml", "--out", "o"]));
    assert_eq!(code, 0, "{err}");
    assert!(dir.join("o/a/record.json").is_file() && dir.join("o/b/record.json").is_file());
    let (code, _, err) = texts(&run(dir, &["run", "a.toml", "other/a.toml"]));
    assert_eq!(code, 2);
    assert!(err.contains("would both write to `reports/a`"), "{err}");
}

#[test]
fn check_shows_cells_and_cost_and_runs_nothing() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let (code, out, err) = texts(&run(dir, &["check", "s.toml", "--keys", "10m"]));
    assert_eq!(code, 0, "{err}");
    for part in ["jump/murmur3-32", "3 → 4", "10,000,000 rows", "20,000,000 look-ups"] {
        assert!(out.contains(part), "`{part}` is missing: {out}");
    }
    assert!(!dir.join("reports").exists());
}

#[test]
fn a_route_by_scenario_shows_what_moves() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let keys: Vec<String> = (0..1000).map(|i: u32| i.to_string()).collect();
    let mut args = vec!["route", "--scenario", "s.toml", "--step", "1", "--format", "csv"];
    args.extend(keys.iter().map(String::as_str));
    let (code, out, err) = texts(&run(dir, &args));
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("key,digest,node,before,moves\n"), "{out}");
    // Jump moves keys only to the new node, and about a quarter: 250 ± 4 standard deviations of 13.7.
    let moved: Vec<&str> = out.lines().filter(|l| l.ends_with(",yes")).collect();
    assert!((195..=305).contains(&moved.len()), "{} moved", moved.len());
    let nodes: Vec<&str> = moved.iter().map(|l| l.split(',').nth(2).unwrap()).collect();
    assert!(nodes.iter().all(|n| *n == nodes[0]), "{nodes:?}");
}

#[test]
fn several_scenarios_are_one_document() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("a.toml"), SCENARIO).unwrap();
    fs::write(dir.join("b.toml"), with_expectation("0.1")).unwrap();
    let (code, out, err) = texts(&run(dir, &["run", "a.toml", "b.toml", "--format", "json"]));
    assert_eq!(code, 1, "{err}");
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let names: Vec<&str> =
        json.as_array().unwrap().iter().map(|r| r["scenario"]["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(err.contains("FAIL"), "{err}");
    let (_, out, _) = texts(&run(dir, &["run", "a.toml", "b.toml", "--format", "csv"]));
    assert!(out.starts_with("scenario,id,"), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains(",id,")).count(), 1, "{out}");
    assert_eq!(out.lines().filter(|line| line.starts_with("b,")).count(), 2, "{out}");
}

#[test]
fn files_of_an_earlier_run_go_with_a_note() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path();
    fs::write(dir.join("s.toml"), SCENARIO).unwrap();
    let (_, _, err) = texts(&run(dir, &["run", "s.toml", "--pairs", "--timings"]));
    assert!(!err.contains("removed"), "{err}");
    let (_, _, err) = texts(&run(dir, &["run", "s.toml"]));
    assert!(
        err.contains("removed there, of an earlier run: movement.csv, timings.json\n"),
        "{err}"
    );
}
