//! The claims ledger: every claim has an entry, the committed verdicts are the right ones, and a verdict
//! follows from what the engine measures.

use std::collections::BTreeMap;
use std::path::Path;

use shardlab::analysis::claims::verdict::Verdict;
use shardlab::analysis::claims::{ledger::Article, measure, parse, record::Entry};
use shardlab::sim::{Options, Silent};

/// How many claims each article makes.
const ARTICLES: [(&str, usize); 5] = [("A", 15), ("B", 16), ("C", 10), ("D", 6), ("E", 11)];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn shipped() -> Vec<Article> {
    ARTICLES
        .iter()
        .map(|(letter, _)| {
            let name = format!("scenarios/claims/{}.toml", letter.to_lowercase());
            let text = std::fs::read_to_string(root().join(&name)).unwrap();
            parse(&text, &name, &root().join("scenarios/claims")).unwrap_or_else(|errors| {
                panic!("{}", errors.iter().map(|e| format!("{e}\n")).collect::<String>())
            })
        })
        .collect()
}

#[test]
fn every_claim_has_an_entry() {
    let articles = shipped();
    let have: Vec<&str> =
        articles.iter().flat_map(|a| &a.claims).map(|claim| claim.id.as_str()).collect();
    let mut want: Vec<String> = Vec::new();
    for (letter, claims) in ARTICLES {
        want.extend((1..=claims).map(|i| format!("{letter}{i}")));
    }
    assert_eq!(have, want);
    for (article, (letter, _)) in articles.iter().zip(ARTICLES) {
        assert_eq!(article.letter, letter);
        for setup in &article.setups {
            let used = |f: &shardlab::analysis::claims::ledger::Figure| {
                let probes = std::iter::once(&f.first).chain(&f.second);
                probes.map(|p| p.setup).any(|at| article.setups[at].name == setup.name)
            };
            let claims = &article.claims;
            let by_reading = claims.iter().flat_map(|c| &c.parts).flat_map(|p| &p.readings);
            let by_grid = claims.iter().flat_map(|c| &c.grids).flat_map(|g| &g.columns);
            let by_beside = claims.iter().flat_map(|c| &c.beside).any(|b| match &b.source {
                shardlab::analysis::claims::ledger::Source::Figure(figure) => used(figure),
                shardlab::analysis::claims::ledger::Source::Event(at, _) => {
                    article.setups[*at].name == setup.name
                }
            });
            assert!(
                by_beside
                    || by_reading.map(|r| &r.figure).any(used)
                    || by_grid.map(|c| c.setup).any(|at| article.setups[at].name == setup.name),
                "{letter}: nothing reads set-up {}",
                setup.name
            );
        }
    }
}

/// What the ledger must say, by hand: id and the verdicts on the claim and on its parts.
const VERDICTS: &[(&str, &str, &str)] = &[
    ("A1", "refuted", "refuted reproduced reproduced"),
    ("A2", "reproduced", "reproduced reproduced reproduced reproduced"),
    ("A3", "reproduced", "reproduced reproduced"),
    ("A4", "reproduced-under", "reproduced-under refuted"),
    ("A5", "reproduced-under", "reproduced-under reproduced-under"),
    ("A6", "reproduced", "reproduced"),
    ("A7", "refuted", "refuted refuted"),
    ("A8", "refuted", "refuted"),
    ("A9", "refuted", "reproduced reproduced refuted"),
    ("A10", "reproduced", "reproduced"),
    ("A15", "reproduced-under", "reproduced-under reproduced-under"),
    ("B1", "reproduced", "reproduced reproduced"),
    ("B3", "reproduced", "reproduced reproduced reproduced reproduced"),
    ("B7", "reproduced-under", "reproduced-under"),
    ("B9", "reproduced-under", "reproduced-under"),
    ("B15", "reproduced", "reproduced reproduced"),
    ("B16", "reproduced", "reproduced reproduced reproduced"),
    ("C1", "refuted", "refuted refuted refuted"),
    ("C3", "not-a-placement-claim", "not-a-placement-claim"),
    ("C6", "reproduced", "reproduced reproduced"),
    ("C7", "refuted", "refuted reproduced"),
    ("C9", "refuted", "refuted reproduced"),
    ("C10", "reproduced-under", "reproduced-under reproduced-under"),
    ("D1", "reproduced", "reproduced reproduced"),
    ("D4", "reproduced-under", "reproduced-under"),
    ("D5", "reproduced-under", "reproduced reproduced-under"),
    ("E3", "refuted", "reproduced refuted"),
    ("E4", "refuted", "refuted"),
    ("E5", "reproduced", "reproduced"),
    ("E8", "not-a-placement-claim", "not-a-placement-claim"),
];

#[test]
fn the_committed_ledger_says_what_it_must() {
    let text = std::fs::read_to_string(root().join("reports/claims/ledger.json")).unwrap();
    let ledger: serde_json::Value = serde_json::from_str(&text).unwrap();
    let claims = ledger["claims"].as_array().unwrap();
    let entries: BTreeMap<&str, &serde_json::Value> =
        claims.iter().map(|claim| (claim["id"].as_str().unwrap(), claim)).collect();
    let shipped = shipped();
    assert_eq!(entries.len(), shipped.iter().map(|a| a.claims.len()).sum::<usize>());
    for (id, verdict, parts) in VERDICTS {
        let entry = entries[id];
        assert_eq!(entry["verdict"], *verdict, "{id}");
        let have: Vec<&str> = entry["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|part| part["verdict"].as_str().unwrap())
            .collect();
        assert_eq!(have.join(" "), *parts, "{id}");
    }
    // The pair A4 + A5 in one set of names: 62 of 100 000, as the shipped scenario finds.
    let pair = &entries["A5"]["beside"][0]["probability"];
    assert_eq!((&pair["hits"], &pair["trials"]), (&62.into(), &100_000.into()));
}

/// A claims file of one article with one set-up and one claim.
fn article(setup: &str, reading: &str) -> String {
    format!(
        "article = \"X\"\ntitle = \"t\"\n[setup.s]\n{setup}\n[[claim]]\nid = \"X1\"\nsays = \"s\"\n\
         [[claim.part]]\nsays = \"p\"\n[[claim.part.reading]]\nas = \"r\"\nsetup = \"s\"\n{reading}\n"
    )
}

fn judged(setup: &str, reading: &str) -> Entry {
    let text = article(setup, reading);
    let article = parse(&text, "x.toml", Path::new(".")).unwrap_or_else(|e| panic!("{e:?}"));
    let ledger = measure(&[article], &[], Options::default(), &Silent).unwrap();
    ledger.claims.into_iter().next().unwrap()
}

fn growth(strategy: &str, from: u32, to: u32) -> String {
    format!(
        "cluster = {{ nodes = {from} }}\nkeys = {{ pattern = \"sequential\", count = 120_000 }}\n\
         strategy = [{strategy}]\nchange = [{{ add = {} }}]\ntrials = {{ count = 200, keys = 5000 }}",
        to - from
    )
}

const RING: &str = "{ kind = \"ring\", hasher = \"murmur3-32\", vnodes = 40 }";
const MODULO: &str = "{ kind = \"modulo\", hasher = \"murmur3-32\" }";
const RAW: &str = "{ kind = \"modulo\", hasher = \"identity\" }";

fn moved(claimed: &str) -> String {
    format!("step = 1\nmetric = \"movement.keys.share-moved\"\nclaimed = \"{claimed}\"")
}

/// Claims about movement that are true and false, on exact counts, on hash seeds and on node names.
#[test]
fn false_claims_are_refuted_and_true_ones_are_not() {
    use Verdict::{Refuted, Reproduced};
    for (strategy, from, to, claimed, want) in [
        (RAW, 8, 12, "66.7 %", Reproduced),
        (RAW, 8, 12, "95 %", Refuted),
        (RAW, 8, 16, "50 %", Reproduced),
        (RAW, 8, 16, "100 %", Refuted),
        (RAW, 3, 100, "99.0 %", Reproduced),
        (RAW, 3, 100, "98.7 %", Refuted),
        (MODULO, 8, 12, "67 %", Reproduced),
        (MODULO, 8, 12, "95 %", Refuted),
        (RING, 8, 12, "33 %", Reproduced),
        (RING, 8, 12, "12.9 %", Refuted),
        (RING, 3, 100, "97 %", Reproduced),
        (RING, 3, 100, "3.2 %", Refuted),
        (RING, 16, 17, "1/16", Reproduced),
        (RING, 16, 17, "1/2", Refuted),
    ] {
        let entry = judged(&growth(strategy, from, to), &moved(claimed));
        assert_eq!(entry.verdict, want, "{strategy} {from} → {to} {claimed}: {}", entry.why);
    }
}

/// The canary: the same claim on another engine's number has another verdict.
#[test]
fn a_verdict_changes_with_what_is_measured() {
    let claim = moved("50 %");
    assert_eq!(judged(&growth(RAW, 8, 16), &claim).verdict, Verdict::Reproduced);
    assert_eq!(judged(&growth(RAW, 8, 15), &claim).verdict, Verdict::Refuted);
    // A bound by its probability: nearly always, sometimes, never.
    let ring = |vnodes: u32| {
        format!(
            "cluster = {{ nodes = 4 }}\nkeys = {{ pattern = \"sequential\", count = 1000 }}\n\
             strategy = [{{ kind = \"ring\", hasher = \"murmur3-32\", vnodes = {vnodes} }}]"
        )
    };
    let bound = "metric = \"owned.max-deviation\"\nclaimed = \"< 50 %\"";
    for (vnodes, want) in
        [(60, Verdict::Reproduced), (4, Verdict::ReproducedUnder), (1, Verdict::ReproducedUnder)]
    {
        let entry = judged(&ring(vnodes), bound);
        assert_eq!(entry.verdict, want, "{vnodes}: {}", entry.why);
        let p = entry.parts[0].readings[0].probability.clone().unwrap();
        assert!(p.trials >= 10_000 && entry.why.contains("99 % interval"), "{}", entry.why);
    }
    let tight = "metric = \"owned.max-deviation\"\nclaimed = \"< 1 %\"";
    assert_eq!(judged(&ring(4), tight).verdict, Verdict::Refuted);
}

/// A migration, as the simulation of time has it: the verdict follows from what the copy takes, a duration is
/// judged as one, and a condition that is not stated reproduces nothing outright.
#[test]
fn a_duration_is_judged_on_the_timeline() {
    let setup = |limit: u32| {
        format!(
            "cluster = {{ nodes = 1 }}\nkeys = {{ pattern = \"sequential\", count = 10_000 }}\n\
             strategy = [{{ kind = \"bucket-table\", buckets = 2, hasher = \"identity\" }}]\n\
             change = [{{ add = 1 }}]\n\
             migration = {{ rows = 1_200_000, unit = \"bucket\", mode = \"copy-only\", \
             copy-limit = \"{limit} rows/s\", verify = false }}"
        )
    };
    // One of two buckets, 600 000 rows, is 10 minutes at 1000 a second and 20 at 500.
    let reading = |claimed: &str| {
        format!("step = 1\nmetric = \"timeline.migrated-seconds\"\nclaimed = \"{claimed}\"")
    };
    for (limit, claimed, want) in [
        (1000, "10 min", Verdict::Reproduced),
        (500, "10 min", Verdict::Refuted),
        (500, "20 min", Verdict::Reproduced),
        (1000, "< 9 min", Verdict::Refuted),
        (1000, "> 0.1 h", Verdict::Reproduced),
    ] {
        let entry = judged(&setup(limit), &reading(claimed));
        assert_eq!(entry.verdict, want, "{limit} {claimed}: {}", entry.why);
    }
    let unstated = |claimed: &str| {
        judged(&setup(1000), &format!("{}\nunstated = true", reading(claimed))).verdict
    };
    assert_eq!(unstated("10 min"), Verdict::ReproducedUnder);
    assert_eq!(unstated("11 min"), Verdict::Refuted);
}

#[test]
fn near_a_limit_more_label_sets_are_drawn() {
    // Two nodes of one point each: the share is uniform, so that the deviation |2s − 1| is below x with
    // probability x: at 0.5 ten thousand do not tell on which side of one half it lies.
    let setup = "cluster = { nodes = 2 }\nkeys = { pattern = \"sequential\", count = 100 }\n\
                 strategy = [{ kind = \"ring\", hasher = \"murmur3-32\", vnodes = 1 }]";
    let at = |claimed: &str| {
        let reading = format!("metric = \"owned.max-deviation\"\nclaimed = \"{claimed}\"");
        judged(setup, &reading).parts[0].readings[0].probability.clone().unwrap()
    };
    let clear = at("< 90 %");
    assert_eq!(clear.trials, 10_000);
    assert!((clear.p - 0.9).abs() < 0.015, "{clear:?}");
    let close = at("< 50 %");
    assert!(close.trials > 10_000, "{close:?}");
    assert!(close.interval_99[0] < 0.5 && 0.49 < close.interval_99[1], "{close:?}");
}

#[test]
fn what_is_wrong_in_a_claims_file_has_its_place() {
    let setup = growth(RAW, 8, 16);
    let error = |text: &str| {
        let errors = parse(text, "x.toml", Path::new(".")).unwrap_err();
        errors.iter().map(|e| format!("{e}\n")).collect::<String>()
    };
    for (reading, want) in [
        ("metric = \"keys.max-devation\"\nclaimed = \"1 %\"", "did you mean `keys.max-deviation`?"),
        ("metric = \"keys.cv\"\nclaimed = \"about 9 %\"", "`claimed` is \"about 9 %\""),
        ("metric = \"keys.cv\"", "nothing is claimed"),
        ("metric = \"node-share\"\nclaimed = \"1 %\"", "node-share needs `node`"),
        ("metric = \"keys.cv\"\nclaimed = \"1 %\"\nformula = \"ratio\"", "takes a second probe"),
        (
            "metric = \"keys.cv\"\nclaimed = \"1 %\"\nwhere = { vnodes = 3 }",
            "unknown axis `vnodes`",
        ),
        ("metric = \"keys.cv\"\nclaimed = \"1 %\"\nstep = 2", "`step` is 2"),
        (
            "metric = \"keys.cv\"\nclaimed = \"1 %\"\ntheory = { name = \"modulo-moved\", args = [8] }",
            "modulo-moved takes 2 positive numbers: n, m",
        ),
        ("metric = \"keys.cv\"\nclaimed = \"1 %\"\nsetp = \"s\"", "unknown field `setp`"),
    ] {
        let text = error(&article(&setup, reading));
        assert!(text.contains(want) && text.contains("x.toml:"), "{reading}: {text}");
    }
    // A fault of a set-up is found by the scenario reader, in its line of the claims file.
    let text = error(&article(&setup.replace("sequential", "sequentiel"), &moved("1 %")));
    assert!(text.starts_with("x.toml:5:"), "{text}");
    let two =
        format!("{0}{1}", article(&setup, &moved("1 %")), "[[claim]]\nid = \"X1\"\nsays = \"s\"\n");
    assert!(error(&two).contains("has no part"));
}
