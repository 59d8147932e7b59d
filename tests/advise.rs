//! The shipped scenarios with needs: what is left of each, by hand, and that their reports are theirs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use shardlab::analysis::advise::{Advice, advise, matching};
use shardlab::scenario::{Overrides, Scenario, load};
use shardlab::sim::{Options, Silent, run};

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::fs::read_dir(root.join("scenarios/advise")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn shipped(path: &Path) -> Scenario {
    load(path, &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", shardlab::scenario::render(&errors, false)))
}

fn advice(name: &str) -> Advice {
    let path = files().into_iter().find(|path| path.file_stem().unwrap() == name).unwrap();
    let mut scenario = shipped(&path);
    // Where names play a part, few sets of them do for what is asked here.
    scenario.trials.as_mut().unwrap().count = 10;
    let options = Options { threads: Some(2), ..Options::default() };
    let record = run(&scenario, options, &Silent).unwrap_or_else(|e| panic!("{e}"));
    let differs = match scenario.needs.as_ref().and_then(|needs| needs.matches.as_deref()) {
        Some(name) => matching::shares(&scenario, name, &Silent).unwrap(),
        None => Vec::new(),
    };
    advise(&scenario, &record, &differs)
}

/// Strategies or presets of which some setting is left.
fn left(advice: &Advice) -> BTreeSet<&str> {
    let left = advice.candidates.iter().filter(|candidate| candidate.rank.is_some());
    left.map(|c| c.preset.as_deref().unwrap_or(&c.strategy)).collect()
}

/// The needs that all settings of a strategy miss.
fn misses(advice: &Advice, strategy: &str) -> BTreeSet<&'static str> {
    let these = advice.candidates.iter().filter(|c| c.strategy == strategy && c.preset.is_none());
    let reasons = these.map(|c| c.ruled_out.iter().map(|reason| reason.need).collect());
    reasons.reduce(|a: BTreeSet<_>, b| a.intersection(&b).copied().collect()).unwrap()
}

#[test]
fn each_asks_a_question_and_has_a_report() {
    let reports = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/advise");
    assert_eq!(files().len(), std::fs::read_dir(&reports).unwrap().count());
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("#:schema ../../schema/scenario.json\n# "), "{}", path.display());
        let scenario = shipped(&path);
        assert!(scenario.question.ends_with('?') && scenario.needs.is_some(), "{}", scenario.name);
        let report = std::fs::read_to_string(reports.join(format!("{}.md", scenario.name)));
        let report = report.unwrap_or_else(|e| panic!("{}: {e}", scenario.name));
        assert!(report.starts_with(&format!("## Advice: {}\n", scenario.title)), "{report}");
    }
}

#[test]
fn a_cache_of_unequal_servers_takes_what_knows_weights() {
    let advice = advice("cache-8-to-12");
    // Without weights, whatever else they do well.
    for strategy in ["modulo", "jump", "jumpback", "anchor", "multi-probe"] {
        assert_eq!(misses(&advice, strategy), BTreeSet::from(["cluster"]), "{strategy}");
    }
    let left = left(&advice);
    for strategy in ["ring", "rendezvous", "straw2", "bucket-table", "maglev"] {
        assert!(left.contains(strategy), "{strategy}: {left:?}");
    }
}

#[test]
fn ranges_are_answered_by_what_keeps_the_order_of_keys() {
    let advice = advice("time-series");
    assert_eq!(left(&advice), BTreeSet::from(["range"]));
    for strategy in ["ring", "jump", "rendezvous", "maglev", "bucket-table", "hash-range"] {
        assert!(misses(&advice, strategy).contains("range-queries"), "{strategy}");
    }
    // Ranges within or around a hash are found too, but a group that grows takes hash mod n of all its keys.
    assert_eq!(misses(&advice, "mixed"), BTreeSet::from(["excess-moved"]));
    for candidate in advice.candidates.iter().filter(|c| c.rank.is_some()) {
        assert!(candidate.measures.unwrap().nodes_asked.unwrap() < 2.0);
    }
}

#[test]
fn few_tenants_are_uneven_whatever_places_them() {
    let advice = advice("few-tenants");
    assert_eq!(misses(&advice, "modulo"), BTreeSet::from(["excess-moved"]));
    for candidate in advice.candidates.iter().filter(|c| c.rank.is_some()) {
        // Forty tenants a node: 1 + 2.6 ÷ √40 by chance alone.
        assert!((1.3..=1.5).contains(&candidate.measures.unwrap().skew()), "{candidate:?}");
    }
}

#[test]
fn clients_of_ketama_agree_or_differ_by_chance() {
    let advice = advice("match-ketama");
    // By the recorded vectors of each: 160 points of MD5, named host:port-i.
    let ketama = [
        "libketama",
        "libmemcached-ketama-weighted",
        "npm-hashring",
        "spymemcached",
        "uhashring-ketama",
    ];
    assert_eq!(left(&advice), BTreeSet::from(ketama));
    // Another hash of keys or other points: of six nodes every sixth key is the same by chance.
    for candidate in advice.candidates.iter().filter(|c| c.strategy == "jump") {
        let differs = candidate.measures.and_then(|m| m.differs).unwrap_or(1.0);
        assert!((0.8..=1.0).contains(&differs), "{candidate:?}");
    }
}
