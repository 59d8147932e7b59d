//! `shardlab claims` on the command line.

use std::fs;

use crate::command::{run, texts};

#[test]
fn a_claim_is_told_in_full_wherever_one_stands() {
    let temp = tempfile::tempdir().unwrap();
    let (code, out, err) = texts(&run(temp.path(), &["claims", "a2"]));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("A2  reproduced\n"), "{out}");
    for line in ["claimed     9", "measured    9", "exact       9  (key mod n, key = 9, n = 16)"] {
        assert!(out.contains(line), "{line} in {out}");
    }
    // Nothing is left to chance: no chart and no folder.
    assert!(fs::read_dir(temp.path()).unwrap().next().is_none());
}

#[test]
fn every_form_holds_the_claim() {
    let temp = tempfile::tempdir().unwrap();
    let form = |format: &str| texts(&run(temp.path(), &["claims", "E3", "--format", format])).1;
    let json: serde_json::Value = serde_json::from_str(&form("json")).unwrap();
    assert_eq!(json["schema"], "shardlab.claims/1");
    assert_eq!(json["claims"][0]["verdict"], "refuted");
    assert_eq!(json["claims"][0]["parts"][1]["readings"][0]["measured"], 0.5);
    let csv = form("csv");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(reader.records().map(|r| r.unwrap()).filter(|r| &r[0] == "E3").count(), 4);
    assert!(form("markdown").contains("\n## E3: refuted\n"));
    let html = form("html");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"));
    assert!(html.contains("<section id=\"E3\">") && !html.contains("<script"));
}

#[test]
fn texts_of_a_ledger_are_escaped() {
    let temp = tempfile::tempdir().unwrap();
    let text = "article = \"X\"\ntitle = \"<b>&\"\n[setup.s]\ncluster = { nodes = 4 }\n\
        keys = { pattern = \"sequential\", count = 1000 }\n\
        strategy = [{ kind = \"modulo\", hasher = \"identity\" }]\n\
        [[claim]]\nid = \"X1\"\nsays = \"<script>alert('x')</script> | a \\\"b\\\"\"\n\
        [[claim.part]]\nsays = \"<i>\"\n[[claim.part.reading]]\nas = \"<u>\"\nsetup = \"s\"\n\
        metric = \"keys.max-over-mean\"\nclaimed = \"< 2\"\n";
    fs::write(temp.path().join("x.toml"), text).unwrap();
    let args = ["claims", "--file", "x.toml", "--out", "led", "--quiet"];
    let (code, out, err) = texts(&run(temp.path(), &args));
    assert_eq!((code, out.as_str(), err.as_str()), (0, "", ""));
    let html = fs::read_to_string(temp.path().join("led/ledger.html")).unwrap();
    assert!(html.contains("&lt;script&gt;alert(") && !html.contains("<script"), "{html}");
    assert!(!html.contains("<i>") && !html.contains("<u>"));
    assert_eq!(open_elements(&html), Vec::<String>::new());
    let markdown = fs::read_to_string(temp.path().join("led/ledger.md")).unwrap();
    assert!(markdown.contains("## X1: reproduced"), "{markdown}");
}

/// Elements that a page opens and never closes, or closes in the wrong order.
fn open_elements(html: &str) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for tag in html.split('<').skip(1) {
        let tag = tag.split('>').next().unwrap();
        let name = tag.trim_start_matches('/').split([' ', '/', '\n']).next().unwrap();
        if tag.starts_with('!') || tag.ends_with('/') || ["meta", "br"].contains(&name) {
            continue;
        }
        match tag.strip_prefix('/') {
            None => open.push(name.to_string()),
            Some(_) if open.last().is_some_and(|last| last == name) => drop(open.pop()),
            Some(_) => open.push(format!("/{name}")),
        }
    }
    open
}

#[test]
fn what_is_wrong_is_said_with_the_nearest_and_exit_code_2() {
    let temp = tempfile::tempdir().unwrap();
    let (code, out, err) = texts(&run(temp.path(), &["claims", "A55"]));
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("unknown claim `A55`") && err.contains("did you mean `A5`?"), "{err}");
    let (code, _, err) = texts(&run(temp.path(), &["claims", "A2", "--format", "tabel"]));
    assert!(code == 2 && err.contains("did you mean `table`?"), "{err}");
    fs::write(temp.path().join("bad.toml"), "article = \"X\"\ntitel = \"t\"\n").unwrap();
    let (code, _, err) = texts(&run(temp.path(), &["claims", "--file", "bad.toml"]));
    assert!(code == 2 && err.contains("bad.toml:2:1") && err.contains("`title`"), "{err}");
    let (code, _, err) = texts(&run(temp.path(), &["claims", "--file", "none.toml"]));
    assert!(code == 2 && err.contains("none.toml"), "{err}");
    fs::write(temp.path().join("led"), "a file").unwrap();
    let (code, _, err) = texts(&run(temp.path(), &["claims", "A2", "--out", "led"]));
    assert!(code == 2 && err.contains("is a file"), "{err}");
}
