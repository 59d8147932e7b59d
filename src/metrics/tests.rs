//! Every metric is found by its name and reads what the record holds.

use super::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// A cell of two steps in which every number is a different one.
fn cell() -> (CellRecord, Json) {
    let mut counter = 0;
    let mut numbers = |names: &[&str]| -> Json {
        let pairs = names.iter().map(|name| {
            counter += 1;
            ((*name).to_string(), json!(counter))
        });
        Json::Object(pairs.collect())
    };
    let balance = [
        "max-over-mean",
        "min-over-mean",
        "max-deviation",
        "cv",
        "gini",
        "p99-over-mean",
        "chi-square-fair",
        "p-fair",
        "chi-square-owned",
        "p-owned",
        "dof",
    ];
    let moved = [
        "moved",
        "share-moved",
        "minimum-share",
        "minimum-actual-share",
        "excess-share",
        "between-survivors-share",
        "largest-inheritor-share",
    ];
    let band = ["p2.5", "p5", "p50", "p95", "p97.5", "mean", "own-percentile"];
    let theory = ["cv-owned", "cv-sampling", "hot-key-floor", "share-moved"];
    let mut step =
        numbers(&["step", "nodes", "points", "heap-bytes", "shared-points", "lookup-steps"]);
    step["step"] = json!(2);
    step["change"] = json!("add db16");
    step["totals"] = numbers(&["keys", "requests", "bytes"]);
    step["outcomes"] = numbers(&["misrouted", "refused", "absent"]);
    step["per-node"] = json!([]);
    step["theory"] = numbers(&theory);
    step["balance"]["keys"] = numbers(&balance);
    // Only keys are tested by chi-square.
    let spread = &balance[..6];
    for load in ["requests", "bytes", "owned"] {
        step["balance"][load] = numbers(spread);
    }
    let copies: Vec<&str> = copies::FAMILY.metrics.iter().map(|m| m.name).collect();
    step["copies"] = numbers(&copies);
    step["copies"]["per-node"] = json!([]);
    step["copies"]["balance"] = numbers(spread);
    let queries: Vec<&str> = queries::FAMILY.metrics.iter().map(|m| m.name).collect();
    step["queries"] = numbers(&queries);
    step["queries"]["each"] = json!([]);
    for (name, family) in [("phases", &hot::PHASES), ("spill", &hot::SPILL)] {
        let stats: Vec<&str> = family.metrics.iter().map(|m| m.name).collect();
        step[name] = numbers(&stats);
    }
    step["phases"]["peak-phase"] = json!("sale");
    step["phases"]["each"] = json!([]);
    let price: Vec<&str> = hot::PRICE.metrics.iter().map(|m| m.name).collect();
    let price = numbers(&price);
    let control = ["rounds", "start", "end", "best", "best-round", "late-span", "moved-total"];
    let mut control = numbers(&control);
    control["load"] = json!("requests");
    control["verdict"] = json!("converges");
    step["movement"] = json!({ "verb": "moved", "per-node": [], "pairs": null });
    for load in ["keys", "requests", "bytes"] {
        step["movement"][load] = numbers(&moved);
        step["movement"]["from-start"][load] = numbers(&moved);
    }
    let along = [
        "moved",
        "share-moved",
        "ever",
        "ever-share",
        "more-than-once",
        "more-than-once-share",
        "most-moves",
    ];
    let lost = ["lost", "lost-share", "heirs", "heir-gain", "heir-gain-share"];
    step["failure"] = json!({ "failed": [], "on-fail": "reroute" });
    for load in ["keys", "requests", "bytes"] {
        step["movement"]["along-path"][load] = numbers(&along);
        step["failure"][load] = numbers(&lost);
        step["failure"][load]["largest-heir"] = json!(null);
    }
    step["failure"]["cascade"] = numbers(&["waves", "failed", "nodes-left"]);
    step["failure"]["cascade"]["ends"] = json!("stable");
    step["failure"]["cascade"]["over-before"] = json!([]);
    step["failure"]["cascade"]["wave"] = json!([]);
    let mut trials = json!({ "step": 2 });
    let banded = ["max-over-mean", "min-over-mean", "max-deviation", "cv-squared"];
    for stat in banded.iter().chain(&["share-moved"]) {
        trials[*stat] = numbers(&band);
    }
    let cell = json!({
        "id": "ring", "strategy": "ring", "preset": null, "hasher": null, "label": null,
        "at": {}, "unsupported": null,
        "workload": {
            "pattern": "sequential", "traffic": null, "rows": 1, "distinct": 1,
            "hottest-share": null,
        },
        "steps": [step],
        "control": control,
        "price": price,
        "trials": { "count": 1, "on": "ownership", "reason": null, "steps": [trials] },
    });
    (serde_json::from_value(cell.clone()).unwrap(), cell)
}

/// Numbers of the record by the name that the documentation of names gives them.
fn leaves(at: &str, json: &Json, out: &mut Vec<(String, f64)>) {
    match json {
        Json::Object(map) => {
            for (key, value) in map {
                let name = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
                leaves(&name, value, out);
            }
        }
        Json::Number(n) => out.push((at.to_string(), n.as_f64().unwrap())),
        _ => {}
    }
}

#[test]
fn every_number_of_a_step_has_its_name() {
    let (cell, json) = cell();
    let step = &json["steps"][0];
    let mut want = Vec::new();
    leaves("", step, &mut want);
    leaves("trials", &json["trials"]["steps"][0], &mut want);
    leaves("control", &json["control"], &mut want);
    leaves("price", &json["price"], &mut want);
    want.retain(|(name, _)| name != "step" && name != "trials.step");
    let verdicts = ["converges", "diverges", "oscillates"];
    want.extend(verdicts.iter().zip([1.0, 0.0, 0.0]).map(|(v, is)| (format!("control.{v}"), is)));
    let hot = 4 + 4 + 7 + verdicts.len() + 11;
    assert_eq!(
        want.len(),
        5 + 3 + 3 + 4 + 11 + 4 * 6 + 14 + 11 + 6 * 7 + 5 * 7 + 3 * 7 + 3 * 5 + 3 + hot
    );
    for (path, number) in &want {
        let name = path.replace("copies.balance", "copies").replace("balance.", "");
        let name = name.replace("queries.", "query.");
        let metric = find(&name).unwrap_or_else(|_| panic!("{path} has no name"));
        assert_eq!(metric.value(&cell.steps[0], &cell), Some(*number), "{name}");
        assert_eq!(value(&cell.steps[0], &cell, &name), Some(*number), "{name}");
    }
    // And no name reads anything but those; all are there but for the loads `reads`, `writes`.
    let read: Vec<String> =
        all().filter(|m| m.value(&cell.steps[0], &cell).is_some()).map(|m| m.name()).collect();
    assert_eq!(read.len(), want.len());
    let unread: Vec<String> = names().into_iter().filter(|n| !read.contains(n)).collect();
    // No migration is simulated here: `timeline.rs` reads its own. How full nodes are is derived
    // from their loads and capacities.
    let elsewhere = |n: &String| {
        n.contains("reads")
            || n.contains("writes")
            || n.starts_with("timeline.")
            || n.starts_with("capacity.")
    };
    assert!(unread.iter().all(elsewhere), "{unread:?}");
}

#[test]
fn a_metric_of_one_query_bears_its_name() {
    let (mut cell, _) = cell();
    let queries = cell.steps[0].queries.as_mut().unwrap();
    let figures = crate::record::QueryFigures { nodes_asked: 77.0, ..queries.all };
    queries.each.push(crate::record::QueryRecord {
        query: "v1.2 orders".into(),
        kind: "range".into(),
        queries: 1,
        share: 1.0,
        answered: "scatter".into(),
        figures,
        nodes: None,
    });
    let name = "query.v1.2 orders.nodes-asked";
    assert_eq!(find(name).unwrap().name(), name);
    assert_eq!(find(name).unwrap().query(), Some("v1.2 orders"));
    assert_eq!(value(&cell.steps[0], &cell, name), Some(77.0));
    assert_eq!(value(&cell.steps[0], &cell, "query.others.nodes-asked"), None);
    assert!(find("query.v1.2 orders.nodes-askd").is_err());
    assert!(find("query..nodes-asked").is_err());
}

#[test]
fn names_are_unique_and_found() {
    let names = names();
    let unique: BTreeSet<&String> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    for name in &names {
        assert_eq!(find(name).unwrap().name(), *name);
    }
}

#[test]
fn unknown_names_suggest_the_nearest() {
    let error = find("keys.max-over-men").unwrap_err();
    assert_eq!(error.message, "unknown metric `keys.max-over-men`");
    assert_eq!(error.help[0], "did you mean `keys.max-over-mean`?");
    assert!(error.help.iter().any(|h| h.starts_with("theory.STAT: cv-owned, ")), "{error}");
    for wrong in ["", ".", "keys", "STAT", "LOAD.STAT", "keys.max-over-mean.p50", "keys.moved"] {
        assert!(find(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn at_step_one_the_start_is_the_step_before() {
    let (mut cell, _) = cell();
    cell.steps[0].movement.as_mut().unwrap().from_start = None;
    let read = |name| value(&cell.steps[0], &cell, name);
    let name = "movement.from-start.keys.share-moved";
    assert!(read(name).is_some());
    assert_eq!(read(name), read("movement.keys.share-moved"));
    cell.steps[0].movement = None;
    assert_eq!(value(&cell.steps[0], &cell, name), None);
}

#[test]
fn every_metric_says_what_it_is() {
    for family in ALL {
        for metric in family.metrics {
            assert!(!metric.doc.is_empty() && !metric.doc.ends_with('.'), "{}", metric.name);
            assert!(!metric.range.is_empty(), "{}", metric.name);
        }
    }
}
