use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::cluster::{Cluster, NodeId};
use crate::keys::{self, ColumnSpec, Key, KeyBatch, PatternBuild};
use crate::params::{Params, Value};
use crate::sim::Silent;
use crate::strategy::{self, Build, Explanation, Placement};

/// Keys of the pattern `sequential`, as texts with this prefix or as integers.
fn sequential(count: u64, prefix: Option<&str>) -> Keys {
    let mut given = vec![("count".to_string(), Value::Int(count as i64))];
    given.extend(prefix.map(|prefix| ("prefix".to_string(), Value::Text(prefix.into()))));
    let pattern = keys::find("sequential").unwrap();
    let params = Params::from_pairs(pattern.params, given).unwrap();
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    let input = Input::of_keys((pattern.build)(&build).unwrap(), count);
    Keys { what: format!("{count} keys"), input, prefix: None }
}

fn limits() -> Limits {
    Limits {
        uniformity: 0.05,
        subset: 0.1,
        hot_prefix: 0.5,
        level: 1e-6,
        judge: Judge::Threshold,
        allowed: Vec::new(),
    }
}

fn suite<'a>(place: &'a Place<'a>, prefix: Option<&str>) -> Suite<'a> {
    Suite {
        place,
        replicas: 1,
        uniformity: sequential(100_000, prefix),
        subset: sequential(20_000, prefix),
        hot_prefix: sequential(5000, prefix),
        limits: limits(),
        frozen: None,
        setup: vec![("strategy".into(), "test".into())],
    }
}

/// A strategy with these parameters over so many nodes.
struct Named {
    cluster: Cluster,
    strategy: &'static strategy::StrategyInfo,
    params: Params,
}

impl Named {
    fn new(name: &str, nodes: usize, given: &[(&str, Value)]) -> Self {
        let strategy = strategy::find(name).unwrap();
        let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        let params = Params::from_pairs(strategy.params, given).unwrap();
        Named { cluster: Cluster::numbered(nodes, "node{i}"), strategy, params }
    }

    fn hashed(name: &str, nodes: usize, hasher: &str) -> Self {
        Named::new(name, nodes, &[("hasher", Value::Text(hasher.into()))])
    }

    fn place(&self, keys: KeyKind) -> Result<Side<'_>, Error> {
        let (cluster, params) = (&self.cluster, &self.params);
        let build = Build { cluster, params, keys, replicas: 1, base: Path::new(".") };
        Ok(Side { cluster, placement: self.strategy.place(&build)?.into() })
    }
}

/// A placement that a test makes up: from the key and its murmur3-32 digest to a slot.
struct MadeUp<F> {
    columns: Vec<ColumnSpec>,
    rule: F,
}

impl<F> fmt::Debug for MadeUp<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MadeUp")
    }
}

impl<F: Fn(&Key<'_>, u64) -> Slot + Send + Sync> Placement for MadeUp<F> {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        for (row, slot) in out.iter_mut().enumerate() {
            *slot = (self.rule)(&batch.key(row), digests[row]);
        }
    }

    fn explain(&self, _key: &Key<'_>) -> Explanation {
        Explanation { steps: Vec::new(), slot: Slot::ABSENT }
    }

    fn heap_bytes(&self) -> u64 {
        0
    }
}

fn made_up(rule: impl Fn(&Key<'_>, u64) -> Slot + Send + Sync + 'static) -> Arc<dyn Placement> {
    let columns = vec![ColumnSpec::whole(crate::hash::find("murmur3-32").unwrap())];
    Arc::new(MadeUp { columns, rule })
}

fn run(suite: &Suite<'_>, groups: &[&str]) -> Acceptance {
    let groups: Vec<&GroupInfo> = groups.iter().map(|name| find(name).unwrap()).collect();
    accept(suite, &groups, &Silent).unwrap()
}

const EVEN: [&str; 3] = ["uniformity", "subset", "hot-prefix"];

#[test]
fn a_good_hash_passes_every_group() {
    let named = Named::hashed("modulo", 8, "xxh3-64");
    let place = |kind| named.place(kind);
    let suite = suite(&place, Some("order:"));
    let found = accept(&suite, ALL, &Silent).unwrap();
    assert!(found.passes(), "{found:#?}");
    let groups: Vec<&str> = found.checks.iter().map(|check| check.group).collect();
    for group in ALL.iter().filter(|group| group.name != "frozen") {
        assert!(groups.contains(&group.name), "{} is missing", group.name);
    }
    let first = &found.checks[0];
    assert!(first.ideal.unwrap().p > 0.99 && first.chi_square.unwrap().p > 1e-6);
}

#[test]
fn a_deliberately_uneven_hash_fails_by_threshold_and_by_test() {
    // One key in twenty of node 1 goes to node 0 instead: both are 5 % off, where chance makes 0.84 %.
    let cluster = Cluster::numbered(8, "node{i}");
    let placement = made_up(|_, digest| {
        let node = digest % 8;
        let stray = node == 1 && (digest >> 16).is_multiple_of(20);
        Slot(if stray { 0 } else { node as u32 })
    });
    let place = |_| Ok(Side { cluster: &cluster, placement: placement.clone() });
    let mut suite = suite(&place, Some("order:"));
    suite.limits.uniformity = 0.03;
    for judge in [Judge::Threshold, Judge::ChiSquare, Judge::Both] {
        suite.limits.judge = judge;
        let check = &run(&suite, &["uniformity"]).checks[0];
        assert_eq!(check.outcome, Outcome::Fail, "{judge:?}: {check:?}");
    }
    // The threshold alone would have let it pass at 10 %; the test does not.
    suite.limits.uniformity = 0.1;
    suite.limits.judge = Judge::Threshold;
    assert!(run(&suite, &["uniformity"]).passes());
    suite.limits.judge = Judge::ChiSquare;
    assert!(!run(&suite, &["uniformity"]).passes());
}

/// Canary of the stated chance: of 200 seeds of a good hash, as many pass as it says, but for four
/// standard errors (a wrong alarm once in 16 000).
#[test]
fn ideal_hashes_pass_as_often_as_is_stated() {
    let (mut passed, mut stated) = (0, 0.0);
    for seed in 0..200 {
        let hasher = ("hasher", Value::Text("xxh3-64".into()));
        let named = Named::new("modulo", 16, &[hasher, ("hash-seed", Value::Int(seed))]);
        let place = |kind| named.place(kind);
        let mut suite = suite(&place, Some("order:"));
        suite.limits.hot_prefix = 0.11;
        let check = run(&suite, &["hot-prefix"]).checks.remove(0);
        stated = check.ideal.unwrap().p;
        passed += u32::from(check.outcome == Outcome::Pass);
    }
    assert!((0.3..0.7).contains(&stated), "{stated}: the test has no power");
    let error = (stated * (1.0 - stated) / 200.0f64).sqrt();
    let share = f64::from(passed) / 200.0;
    assert!((share - stated).abs() < 4.0 * error, "{share} of the seeds pass, {stated} is stated");
}

#[test]
fn a_ring_is_tested_against_what_its_nodes_own() {
    let named = Named::hashed("ring", 8, "xxh3-64");
    let place = |kind| named.place(kind);
    let suite = suite(&place, Some("order:"));
    let check = &run(&suite, &["uniformity"]).checks[0];
    // 160 vnodes are uneven by some 8 %: the threshold fails, chance has no part in it, the hash is good.
    assert_eq!(check.outcome, Outcome::Fail);
    assert!(check.against_owned && check.chi_square.unwrap().p > 1e-6, "{check:?}");
    assert!(check.ideal.unwrap().p > 0.99 && check.ideal_owned.unwrap().p < 0.01, "{check:?}");
}

#[test]
fn a_weak_hash_clusters_on_a_hot_prefix() {
    // FNV-1 of keys that differ at their end: neighbours stay near each other on a ring's circle.
    let named = Named::hashed("ring", 8, "fnv1a-32");
    let place = |kind| named.place(kind);
    let suite = suite(&place, Some("NO20250115888"));
    let check = &run(&suite, &["hot-prefix"]).checks[0];
    assert!(check.chi_square.unwrap().p < 1e-9, "{check:?}");
}

#[test]
fn an_answer_that_changes_is_unstable() {
    let cluster = Cluster::numbered(4, "node{i}");
    let calls = AtomicU64::new(0);
    let placement = made_up(move |_, digest| {
        let call = calls.fetch_add(1, Ordering::Relaxed);
        // One key in 997 goes where chance leads.
        Slot(if call.is_multiple_of(997) { (call / 997 % 4) as u32 } else { (digest % 4) as u32 })
    });
    let place = |_| Ok(Side { cluster: &cluster, placement: placement.clone() });
    let found = run(&suite(&place, Some("order:")), &["stability"]);
    assert!(!found.passes(), "{found:#?}");
    let Measured::Faults(faults) = found.checks[0].measured else { panic!("{found:?}") };
    assert!((1..=200).contains(&faults), "{faults}");
}

#[test]
fn negative_shards_panics_and_unknown_nodes_fail_the_bounds() {
    let named = Named::new(
        "modulo",
        3,
        &[("hasher", Value::Text("identity".into())), ("sign", Value::Text("remainder".into()))],
    );
    let place = |kind| named.place(kind);
    let mut suite_ = suite(&place, None);
    let found = run(&suite_, &["bounds"]);
    let of = |found: &Acceptance, what: &str| {
        found.checks.iter().find(|c| c.what.starts_with(what)).unwrap().clone()
    };
    let ints = of(&found, "int");
    assert_eq!(ints.outcome, Outcome::Fail);
    assert!(ints.details.contains(&"-1: misrouted, not allowed".to_string()), "{ints:?}");
    assert_eq!(of(&found, "text").outcome, Outcome::Skipped, "identity takes integers");
    // −256, −2, −1, the smallest and those around −2³¹, but for the multiples of 3.
    let negative = [i64::MIN, i64::MIN + 1, -2_147_483_649, -2_147_483_648, -2_147_483_647]
        .into_iter()
        .chain([-65_537, -256, -2, -1]);
    let want = negative.filter(|n| n % 3 != 0).count() as u64;
    assert_eq!(ints.measured, Measured::Faults(want));
    suite_.limits.allowed = vec![Slot::MISROUTED];
    assert!(run(&suite_, &["bounds"]).passes());

    let cluster = Cluster::numbered(4, "node{i}");
    let placement = made_up(|key, digest| match key {
        Key::Text("") => panic!("an empty key"),
        Key::Text("🔑") => Slot::from(NodeId(4)),
        _ => Slot((digest % 4) as u32),
    });
    let place = |_| Ok(Side { cluster: &cluster, placement: placement.clone() });
    let found = run(&suite(&place, Some("order:")), &["bounds"]);
    let texts = of(&found, "text");
    assert_eq!(texts.measured, Measured::Faults(2));
    assert_eq!(texts.details[0], "empty: panics");
    assert!(texts.details[1].ends_with("is on node number 4, which does not exist"), "{texts:?}");
}

#[test]
fn raw_integers_pass_where_they_are_consecutive() {
    // 100 000 consecutive numbers over 8 nodes: exactly even, which no ideal hash would be.
    let named = Named::hashed("modulo", 8, "identity");
    let place = |kind| named.place(kind);
    let found = run(&suite(&place, None), &EVEN);
    assert!(found.passes());
    let check = &found.checks[0];
    assert_eq!(check.measured, Measured::Deviation { value: 0.0, most: 0.05 });
    assert_eq!(check.chi_square.unwrap().statistic, 0.0);
}

/// So many rows of values with these weights, which come again and again.
fn repeating(rows: u64, weights: &[f64]) -> Keys {
    let values = (0..weights.len()).map(|i| Value::Text(format!("v{i}"))).collect();
    let given = vec![
        ("count".to_string(), Value::Int(rows as i64)),
        ("values".to_string(), Value::List(values)),
        ("weights".to_string(), Value::List(weights.iter().map(|w| Value::Float(*w)).collect())),
    ];
    let pattern = keys::find("low-cardinality").unwrap();
    let params = Params::from_pairs(pattern.params, given).unwrap();
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    let input = Input::of_keys((pattern.build)(&build).unwrap(), rows);
    Keys { what: format!("{rows} rows"), input, prefix: None }
}

#[test]
fn of_repeated_keys_the_chance_is_that_of_the_keys() {
    let named = Named::hashed("modulo", 8, "xxh3-64");
    let place = |kind| named.place(kind);
    let mut suite = suite(&place, None);
    // One key has three rows of ten: its node has at least 2.4 times the mean.
    let mut weights = vec![0.7 / 7000.0; 7001];
    weights[0] = 0.3;
    suite.uniformity = repeating(50_000, &weights);
    suite.limits.uniformity = 0.3;
    // A single key.
    suite.hot_prefix = repeating(5000, &[1.0]);
    let found = run(&suite, &["uniformity", "hot-prefix"]);
    let [hot, single] = &found.checks[..] else { panic!("{found:?}") };
    assert_eq!(hot.ideal, Some(Chance { p: 0.0, exact: true }), "{hot:?}");
    let said = |check: &Check, what: &str| check.details.iter().any(|d| d.contains(what));
    assert!(said(hot, "of the rows are one key, ") && said(hot, "no hash can pass"), "{hot:?}");
    assert_eq!(single.ideal.unwrap().p, 0.0, "{single:?}");
    assert!(said(single, "all rows are one key: its node is at least 700 % off, no hash can pass"));
    assert!(
        single.chi_square.is_none() && said(single, "fewer than 5 distinct keys"),
        "{single:?}"
    );
    // The hash itself is in order, and is not blamed for the keys.
    assert!((0.001..0.999).contains(&hot.chi_square.unwrap().p), "{hot:?}");
}

/// Canary: of 200 seeds of a good hash as many pass as is stated, and p stays above a tenth for nine of ten,
/// but for four standard errors; rows would have stated 1, and p near 0.
#[test]
fn ideal_hashes_pass_on_repeated_keys_as_often_as_is_stated() {
    let mut weights = vec![1.0; 600];
    weights[..3].copy_from_slice(&[30.0, 20.0, 10.0]);
    let (mut passed, mut unlikely, mut stated) = (0, 0, 0.0);
    for seed in 0..200 {
        let hasher = ("hasher", Value::Text("xxh3-64".into()));
        let named = Named::new("modulo", 8, &[hasher, ("hash-seed", Value::Int(seed))]);
        let place = |kind| named.place(kind);
        let mut suite = suite(&place, None);
        suite.hot_prefix = repeating(20_000, &weights);
        suite.limits.hot_prefix = 0.35;
        let check = run(&suite, &["hot-prefix"]).checks.remove(0);
        stated = check.ideal.unwrap().p;
        passed += u32::from(check.outcome == Outcome::Pass);
        unlikely += u32::from(check.chi_square.unwrap().p < 0.1);
    }
    assert!((0.2..0.8).contains(&stated), "{stated}: the test has no power");
    let error = (stated * (1.0 - stated) / 200.0f64).sqrt();
    let share = f64::from(passed) / 200.0;
    assert!(
        (share - stated).abs() < 4.0 * error + 0.01,
        "{share} of the seeds pass, {stated} stated"
    );
    assert!((4..=37).contains(&unlikely), "{unlikely} of 200 below 0.1");
}

#[test]
fn a_group_without_a_key_is_an_error_and_one_that_is_not_tried_no_pass() {
    let named = Named::hashed("modulo", 8, "xxh3-64");
    let place = |kind| named.place(kind);
    let mut suite = suite(&place, Some("order:"));
    suite.subset.prefix = Some("zzz".into());
    let error = accept(&suite, &[find("subset").unwrap()], &Silent).unwrap_err();
    assert!(error.message.starts_with("subset: no key is there"), "{error}");
    suite.uniformity = sequential(3, Some("order:"));
    let found = run(&suite, &["uniformity"]);
    assert_eq!(found.checks[0].outcome, Outcome::Skipped);
    assert!(!found.passes() && !found.is_tried());
}

#[test]
fn a_frozen_version_shows_which_keys_moved() {
    let named = Named::hashed("jump", 8, "murmur3-32");
    let place = |kind| named.place(kind);
    let mut suite_ = suite(&place, Some("order:"));
    let frozen = frozen::freeze(&suite_, 400, &Silent).unwrap();
    let text = frozen.to_text();
    assert!(text.starts_with("# shardlab.frozen/1\n# strategy: test\ntype,key,node\n"), "{text}");
    assert_eq!(frozen::parse(&text, "f").unwrap(), frozen, "line breaks and NULs come back");
    assert!(frozen.entries.len() > 300, "{}", frozen.entries.len());
    suite_.frozen = Some(frozen.clone());
    assert!(run(&suite_, &["frozen"]).passes());
    // One node more: jump moves a ninth of the keys, all of them to the new node.
    let grown = Named::hashed("jump", 9, "murmur3-32");
    let place = |kind| grown.place(kind);
    let mut suite_ = suite(&place, Some("order:"));
    suite_.setup = vec![("strategy".into(), "other".into())];
    suite_.frozen = Some(frozen.clone());
    let check = run(&suite_, &["frozen"]).checks.remove(0);
    let Measured::Faults(moved) = check.measured else { panic!("{check:?}") };
    let share = moved as f64 / frozen.entries.len() as f64;
    assert!((share - 1.0 / 9.0).abs() < 0.07, "{share}");
    assert!(check.details[0].contains("keys live elsewhere"), "{check:?}");
    assert_eq!(check.details[1], "set-up: strategy was test, is other");
    assert!(check.details[2].ends_with("→ node8"), "{check:?}");
    // 1 − (8/9)^n: even a small change is seen.
    assert!(frozen.unseen(0.01) < 0.02);
}

#[test]
fn what_is_no_frozen_file_is_refused_with_its_line() {
    let head = "# shardlab.frozen/1\n# strategy: ring\n";
    for (text, want) in [
        ("", "line 1: does not begin"),
        ("type,key,node\n", "line 1: does not begin"),
        ("# shardlab.frozen/2\ntype,key,node\n", "line 1: the version is `shardlab.frozen/2`"),
        (&format!("{head}key,node\n"), "line 3: the header"),
        (&format!("{head}type,key,node\n"), "has no keys"),
        (&format!("{head}type,key,node\nint,x,node1\n"), "line 4: `x` is no int"),
        (&format!("{head}type,key,node\ntxt,x,node1\n"), "line 4: unknown type `txt`"),
        (&format!("{head}type,key,node\ntext,x\n"), "line 4"),
    ] {
        let error = frozen::parse(text, "f").unwrap_err();
        assert!(error.message.contains(want), "{text:?}: {error}");
    }
}
