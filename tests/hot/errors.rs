//! What a person is told about hot keys, families and remedies that cannot be.

use std::path::Path;

use shardlab::scenario::{Overrides, parse, render};

use super::{FAMILIES, REMEDIES, SPLIT};

/// The messages about a scenario that is wrong, as a terminal shows them.
fn complaint(text: &str) -> String {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    match parse(text, "test.toml", "test", &base, &Overrides::default()) {
        Ok(_) => panic!("nothing wrong was found in:\n{text}"),
        Err(errors) => render(&errors, false),
    }
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let split = |from: &str, to: &str| complaint(&SPLIT.replace(from, to));
    let remedies = |from: &str, to: &str| complaint(&REMEDIES.replacen(from, to, 1));
    let families = |from: &str, to: &str| complaint(&FAMILIES.replacen(from, to, 1));
    let more = |more: &str| complaint(&format!("{SPLIT}{more}"));
    let cases = [
        (split("[1, 100]", "0"), "`parts` is 0", "from 1 to 10000"),
        (split("[1, 100]", "10_001"), "`parts` is 10001", "from 1 to 10000"),
        (split("\"one\"", "\"some\""), "`read` is \"some\"", "all, one"),
        (split("prefix = \"account:\"\n", ""), "is not a whole number", "test.toml:13"),
        (split("prefix = \"account:\"\n", "").replace("user:9527", ""), "hot key", "whole number"),
        (split("share = 0.1\n", "share = [0.1, 1.0]\n"), "`share` is 1", "less than 1"),
        (split("write-share = 0.2", "write-share = 1.2"), "`write-share` is 1.2", "from 0 to 1"),
        (more("[[traffic.hot]]\nkey = \"user:1\"\nshare = 0.95\n"), "sum to 1.05", "below 1"),
        (
            more("[[traffic.hot]]\nkey = \"user:9527\"\nshare = 0.1\n"),
            "is named twice",
            "leave one out",
        ),
        (remedies("key = \"user:9527\"\nshare", "key = \"user:9527\"\nshard"), "shard", "share"),
        (
            remedies("kind = \"cache\"", "kind = \"cash\""),
            "unknown remedy `cash`",
            "did you mean `cache`",
        ),
        (
            remedies("kind = \"isolate\"\nkey = \"user:9527\"", "kind = \"isolate\""),
            "needs either `key` or `prefix`",
            "tenant0:",
        ),
        (remedies("parts = 10", "key = \"user:1\""), "unknown hot key `user:1`", "user:9527"),
        (
            remedies("name = \"fine\"\n", ""),
            "two remedies are called `reassign`",
            "name of its own",
        ),
        (
            remedies("rounds = 4", "load = \"bytes\""),
            "no key carries the load `bytes`",
            "keys, requests",
        ),
        (
            families("family = \"item\"", "family = \"order\""),
            "two families are called `order`",
            "own name",
        ),
        (
            families("family = \"item\"", "family = \"all\""),
            "a family is called `all`",
            "choose another",
        ),
        (families("family = \"item\"\n", ""), "`family` is missing", "name of the family"),
        (
            families("family = \"user\"\nshare = 0.1", "share = 0.1"),
            "names no family",
            "order, item, user",
        ),
        (
            families("family = \"user\"\nshare = 0.1", "family = \"usr\"\nshare = 0.1"),
            "unknown family `usr`",
            "did you mean `user`",
        ),
        (families("calls = 2", "calls = [1, 2]"), "is a list", "do not sweep"),
        (
            families("count = 70_000", "count = 70_000\nshare = 0.5"),
            "has no `share`",
            "for every family",
        ),
        (
            complaint(&format!("{FAMILIES}[[remedy]]\nkind = \"split\"\n")),
            "remedies and several families",
            "one family at a time",
        ),
    ];
    for (have, message, help) in &cases {
        assert!(
            have.contains(message) && have.contains(help),
            "wanted `{message}`, `{help}`:\n{have}"
        );
    }
    let no_traffic = r#"
[cluster]
nodes = 2
[keys]
pattern = "sequential"
[[strategy]]
kind = "jump"
[[remedy]]
kind = "cache"
"#;
    assert!(complaint(no_traffic).contains("no requests to answer"));
    let no_key = no_traffic.replace("cache", "split");
    assert!(complaint(&no_key).contains("there is no hot key to split"));
    let no_remedy = no_traffic.split("[[remedy]]").next().unwrap().to_string()
        + "[[expect]]\nmetric = \"price.work\"\nmax = 1\n";
    assert!(complaint(&no_remedy).contains("there are no remedies"));
    // Whether a key is there only the keys can tell.
    let run = |text: &str| {
        let scenario = super::scenario(text);
        let options = shardlab::sim::Options { threads: Some(1), ..Default::default() };
        let error = shardlab::sim::run(&scenario, options, &shardlab::sim::Silent).unwrap_err();
        render(&[error], false)
    };
    let nothing = REMEDIES
        .replace("kind = \"isolate\"\nkey = \"user:9527\"", "kind = \"isolate\"\nprefix = \"usr\"");
    let have = run(&nothing);
    assert!(have.contains("no key begins with `usr`: there is nothing to isolate"), "{have}");
    assert!(have.contains("prefix = \"usr\""), "{have}");
    let number = no_traffic.replace("kind = \"cache\"", "kind = \"isolate\"\nkey = \"nope\"");
    assert!(run(&number).contains("the keys are whole numbers, and `nope` is none"));
}
