//! The shipped scenarios hold what a reader is promised: a question, an analysis whose figures come
//! from the record, expectations that name their theory. They run here on few keys, for structure;
//! their numbers at full size are what CI compares with `reports/`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use shardlab::record::Record;
use shardlab::report::prose;
use shardlab::scenario::{Overrides, Scenario, load};
use shardlab::sim::{Options, Silent, run};

/// Every shipped scenario, how many cells it has, and which of them its strategy cannot do: by hand.
const SHIPPED: &[(&str, usize, &[&str])] = &[
    ("blast-radius", 30, &[]),
    ("expand-3-to-100", 16, &[]),
    ("expand-8-to-16", 32, &[]),
    ("hasher-swapped", 2, &[]),
    ("hot-celebrity", 60, &[]),
    ("hot-families", 6, &[]),
    ("hot-feedback", 12, &[]),
    ("hot-moving", 6, &[]),
    (
        "hot-remedies",
        22,
        &[
            "ring/murmur3-32/remedy=reassign",
            "ring/murmur3-32/remedy=split buckets, reassign",
            "bucket-table/murmur3-32/remedy=bounded-load",
            "bucket-table/murmur3-32/remedy=more-vnodes",
        ],
    ),
    (
        "hot-tenant",
        12,
        &[
            "modulo/murmur3-32/cluster.nodes=4/remedy=reassign",
            "modulo/murmur3-32/cluster.nodes=6/remedy=reassign",
        ],
    ),
    ("migration-40-minutes", 6, &[]),
    ("migration-8-hours-to-27-minutes", 8, &[]),
    ("migration-behind-the-copy", 8, &[]),
    ("migration-first-success", 8, &[]),
    ("migration-old-node-dies", 24, &[]),
    ("migration-stale-maps", 2, &[]),
    ("migration-with-replicas", 12, &[]),
    ("npm-downloads", 20, &[]),
    ("npm-migration", 4, &[]),
    ("plan-8-to-16", 25, &[]),
    ("range-queries", 8, &[]),
    ("vnodes-27-to-9", 66, &[]),
    ("weights-2-to-1", 7, &["modulo/murmur3-32", "jump/murmur3-32"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("scenarios")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    files.sort();
    files
}

fn shipped(path: &Path, keys: Option<u64>) -> Scenario {
    let overrides = Overrides { keys, ..Overrides::default() };
    load(path, &overrides)
        .unwrap_or_else(|errors| panic!("{}", shardlab::scenario::render(&errors, false)))
}

/// The scenario on few keys, with few label sets: every part of it runs, none of it for long.
fn small(path: &Path) -> Record {
    let mut scenario = shipped(path, Some(100_000));
    if let Some(trials) = &mut scenario.trials {
        (trials.count, trials.keys) = (3, 500);
    }
    for event in &mut scenario.events {
        event.count = 20;
    }
    for search in &mut scenario.searches {
        // The first template that the search finds at full length.
        (search.from, search.to) = (72_638, 72_639);
    }
    run(&scenario, Options { threads: Some(2), ..Options::default() }, &Silent)
        .unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_list_is_complete() {
    let names: Vec<String> =
        files().iter().map(|f| f.file_stem().unwrap().to_str().unwrap().to_string()).collect();
    let listed: Vec<&str> = SHIPPED.iter().map(|s| s.0).collect();
    assert_eq!(names, listed);
}

#[test]
fn each_asks_answers_and_expects() {
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let scenario = shipped(&path, None);
        let name = &scenario.name;
        assert!(text.starts_with("#:schema ../schema/scenario.json\n"), "{name}: first line");
        assert!(scenario.question.ends_with('?'), "{name}: `{}`", scenario.question);
        assert!(scenario.analysis.matches(". ").count() >= 3, "{name}: too short an analysis");
        let figures = ["|movement.", "|keys.", "|requests.", "|timeline.", "|control.", "|price."];
        assert!(figures.iter().any(|figure| scenario.analysis.contains(figure)), "{name}");
        assert!(scenario.analysis.contains("Conclude: "), "{name}: no conclusion");
        assert!(scenario.expects.len() >= 2, "{name}: {} expectations", scenario.expects.len());
        for expect in &scenario.expects {
            assert!(expect.because.len() > 20, "{name}: {} has no reason", expect.metric);
        }
        assert!(!scenario.charts.is_empty(), "{name}: no [[chart]]");
    }
}

#[test]
fn each_runs_and_its_analysis_is_filled_from_the_record() {
    for (path, (name, cells, unsupported)) in files().iter().zip(SHIPPED) {
        let record = small(path);
        assert_eq!(record.cells.len(), *cells, "{name}");
        let cannot: Vec<&str> = record
            .cells
            .iter()
            .filter(|cell| cell.unsupported.is_some())
            .map(|cell| cell.id.as_str())
            .collect();
        assert_eq!(cannot, *unsupported, "{name}");
        let filled = prose::fill(&record.scenario.analysis, &record);
        let filled = filled.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(!filled.contains('|') && !filled.contains("NaN"), "{name}: {filled}");
        for expect in &record.expect {
            assert!(expect.measured.is_some(), "{name}: {} matches nothing", expect.text);
        }
        let charts = shardlab::charts::draw_all(&record);
        let stems: BTreeSet<&String> = charts.iter().map(|(stem, _)| stem).collect();
        assert_eq!(stems.len(), charts.len());
        assert!(charts.len() >= record.charts.len(), "{name}: a chart shows nothing");
        for (stem, svg) in &charts {
            assert!(!svg.contains("not drawn"), "{name}: {stem}");
        }
    }
}

/// Public reports: each case has its issue in the title, a question, an analysis, and expectations that
/// hold. They are small enough to run as they are.
#[test]
fn every_case_of_a_public_report_holds() {
    let folder = std::fs::read_dir(root().join("scenarios/cases")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    paths.sort();
    assert!(paths.len() >= 37, "{} cases", paths.len());
    for path in paths {
        let mut scenario = shipped(&path, None);
        let name = scenario.name.clone();
        assert!(scenario.question.ends_with('?') && scenario.analysis.len() > 80, "{name}");
        assert!(scenario.expects.len() + scenario.events.len() >= 1, "{name} expects nothing");
        for event in &mut scenario.events {
            event.count = 500;
        }
        let options = Options { threads: Some(2), ..Options::default() };
        let record = run(&scenario, options, &Silent).unwrap_or_else(|e| panic!("{name}: {e}"));
        prose::fill(&record.scenario.analysis, &record).unwrap_or_else(|e| panic!("{name}: {e}"));
        for expect in &record.expect {
            assert!(expect.pass, "{name}: {} measured {:?}", expect.text, expect.measured);
        }
    }
}

/// A report is of the scenario as it stands: cheap to check here, byte for byte in CI.
#[test]
fn each_has_a_report_of_its_text() {
    for path in files() {
        let scenario = shipped(&path, None);
        let report = root().join("reports").join(&scenario.name).join("record.json");
        let bytes = std::fs::read(&report).unwrap_or_else(|e| panic!("{}: {e}", report.display()));
        let record: Record = serde_json::from_slice(&bytes).unwrap();
        let stale = format!("{} is stale: run the scenario anew", report.display());
        assert_eq!(record.scenario.sha256, scenario.sha256, "{stale}");
        assert!(record.expect.iter().all(|e| e.pass), "{}", report.display());
        let rows: BTreeSet<u64> = record.cells.iter().map(|c| c.workload.rows).collect();
        assert!(rows.iter().all(|rows| *rows >= 20_000), "{stale}: {rows:?} rows");
    }
}
