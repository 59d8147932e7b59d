//! `shardlab disagree` against counts that are known in advance.

use std::fs;
use std::path::Path;

use crate::command::{run, texts};

const RAW_IDS: &str = "title = \"ids\"\n[keys]\npattern = \"sequential\"\ncount = 12000\n\
    [[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n";

fn disagree(dir: &Path, args: &[&str]) -> (i32, String, String) {
    texts(&run(dir, &[&["disagree"], args].concat()))
}

/// Writes scenarios of raw ids over these nodes.
fn folder(lists: &[(&str, &[&str])]) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    for (file, names) in lists {
        let nodes: Vec<String> = names.iter().map(|n| format!("{{ name = \"{n}\" }}")).collect();
        let text = format!("{RAW_IDS}[cluster]\nnode = [{}]\n", nodes.join(", "));
        fs::write(temp.path().join(file), text).unwrap();
    }
    temp
}

#[test]
fn a_turned_list_differs_where_a_position_changed() {
    // Of four positions two are swapped: exactly half of the ids.
    let temp = folder(&[("a.toml", &["a", "b", "c", "d"]), ("b.toml", &["a", "c", "b", "d"])]);
    let (code, out, err) = disagree(temp.path(), &["a.toml", "b.toml", "--format", "csv"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, "first,second,keys,requests\nb,c,3000,3000\nc,b,3000,3000\n");
    let (_, out, _) = disagree(temp.path(), &["a.toml", "b.toml"]);
    assert!(out.starts_with("6,000 of 12,000 keys differ: 50.0000 %"), "{out}");
    assert!(out.contains("e.g. 1: b or c"), "{out}");
}

#[test]
fn servers_under_other_names_are_the_same_by_address() {
    // Modulo goes by position, so that names alone make no difference; two swapped of four do.
    let temp = folder(&[("a.toml", &[]), ("b.toml", &[])]);
    let write = |file: &str, servers: &str| {
        let path = temp.path().join(file);
        fs::write(path.with_extension("list"), servers).unwrap();
        let list = file.replace("toml", "list");
        fs::write(path, format!("{RAW_IDS}[cluster]\nservers = \"{list}\"\n")).unwrap();
    };
    write("a.toml", "a=10.0.0.1:80\nb=10.0.0.2:80\nc=10.0.0.3:80\nd=10.0.0.4:80\n");
    write("b.toml", "10.0.0.1:80\n10.0.0.3:80\n10.0.0.2:80\nd=10.0.0.4:80\n");
    let (code, out, err) = disagree(temp.path(), &["a.toml", "b.toml", "--format", "csv"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(out, "first,second,keys,requests\nb,c,3000,3000\nc,b,3000,3000\n");
    let (_, out, _) = disagree(temp.path(), &["a.toml", "b.toml"]);
    assert!(
        out.contains("the same by address: a = 10.0.0.1:80, b = 10.0.0.2:80, c = 10.0.0.3:80"),
        "{out}"
    );
    assert!(!out.contains("only in"), "{out}");
    // Another port is another server, and of two servers of one address it could be either.
    write("b.toml", "10.0.0.1:81\n10.0.0.2:80\nc=10.0.0.3:80\nd=10.0.0.4:80\n");
    write("a.toml", "a=10.0.0.1:80\nb=10.0.0.2:80\nc=10.0.0.3:80\nd=10.0.0.2:80\n");
    let (_, out, _) = disagree(temp.path(), &["a.toml", "b.toml"]);
    assert!(out.contains("only in the first, a at step 0: a\n"), "{out}");
    assert!(out.contains("only in the second, b at step 0: 10.0.0.1:81\n"), "{out}");
}

#[test]
fn a_node_that_one_step_alone_has_is_named_with_side_and_step() {
    let temp = tempfile::tempdir().unwrap();
    let text = format!("{RAW_IDS}[cluster]\nnodes = 3\n[[change]]\nadd = 1\n");
    fs::write(temp.path().join("a.toml"), text).unwrap();
    let (code, out, err) = disagree(temp.path(), &["a.toml", "a.toml", "--step2", "1"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("\nonly in the second, a at step 1: "), "{out}");
    assert!(!out.contains("only in the first"), "{out}");
    let (_, out, _) = disagree(temp.path(), &["a.toml", "a.toml", "--step", "1"]);
    assert!(out.contains("\nonly in the first, a at step 1: "), "{out}");
}

#[test]
fn the_same_router_never_differs() {
    let temp = folder(&[("a.toml", &["a", "b", "c"])]);
    let (_, out, _) = disagree(temp.path(), &["a.toml", "a.toml", "--keys", "500"]);
    assert_eq!(out, "0 of 500 keys differ: 0.0000 %\n");
}

#[test]
fn other_numbers_of_nodes_differ_by_the_law_of_remainders() {
    // 3 against 4 positions: min/lcm = 3/12 of the ids agree.
    let temp = folder(&[("a.toml", &["a", "b", "c"]), ("b.toml", &["a", "b", "c", "d"])]);
    let (_, out, _) = disagree(temp.path(), &["a.toml", "b.toml", "--format", "json"]);
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["differ"]["keys"], 9000);
    assert_eq!(found["differ"]["share-of-keys"], 0.75);
    assert_eq!(found["only-first"], serde_json::json!([]));
    assert_eq!(found["only-second"], serde_json::json!(["d"]));
    let pairs = found["pairs"].as_array().unwrap();
    assert_eq!(pairs.iter().map(|p| p["keys"].as_u64().unwrap()).sum::<u64>(), 9000);
}

#[test]
fn steps_of_one_scenario_are_compared_during_a_roll() {
    let temp = folder(&[("a.toml", &["a", "b", "c"])]);
    let path = temp.path().join("a.toml");
    let text = fs::read_to_string(&path).unwrap() + "[[change]]\nadd = { name = \"d\" }\n";
    fs::write(&path, text).unwrap();
    let args = ["a.toml", "a.toml", "--step2", "1"];
    let (code, out, err) = disagree(temp.path(), &args);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("9,000 of 12,000 keys differ"), "{out}");
    let (code, _, err) = disagree(temp.path(), &["a.toml", "a.toml", "--step", "2"]);
    assert_eq!(code, 2);
    assert!(err.contains("has no step 2") && err.contains("0 to 1"), "{err}");
}

#[test]
fn what_has_no_answer_for_a_key_alone_is_refused() {
    let temp = folder(&[("a.toml", &["a", "b", "c"])]);
    let bounded = "title = \"b\"\n[cluster]\nnodes = 3\n[keys]\npattern = \"sequential\"\ncount = 10\n\
        [[strategy]]\nkind = \"bounded-ring\"\nhasher = \"murmur3-32\"\n";
    fs::write(temp.path().join("b.toml"), bounded).unwrap();
    let (code, out, err) = disagree(temp.path(), &["a.toml", "b.toml"]);
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("requests that are open"), "{err}");
}
