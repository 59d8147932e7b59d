use std::path::Path;
use std::sync::Arc;

use super::*;
use crate::cluster::Cluster;
use crate::keys::{
    self, Access, Key, KeyBatch, KeyKind, KeySource, OpenRows, PatternBuild, RowReader,
};
use crate::params::{Params, Value};
use crate::scenario::Step;
use crate::sim::Silent;
use crate::strategy;

/// Keys from a list.
#[derive(Debug)]
struct Listed(Vec<i64>);

impl KeySource for Listed {
    fn kind(&self) -> KeyKind {
        KeyKind::I64
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.0.len() as u64)
    }

    fn access(&self) -> Access<'_> {
        Access::InOrder(self)
    }
}

impl OpenRows for Listed {
    fn open(&self) -> Result<Box<dyn RowReader + '_>, Error> {
        Ok(Box::new(self.0.iter()))
    }
}

impl RowReader for std::slice::Iter<'_, i64> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        self.take(rows).for_each(|n| batch.push(&Key::I64(*n)));
        Ok(())
    }
}

fn input(source: Box<dyn KeySource>) -> Input {
    let rows = source.rows().unwrap();
    Input::of_keys(source, rows)
}

fn listed(keys: impl IntoIterator<Item = i64>) -> Input {
    input(Box::new(Listed(keys.into_iter().collect())))
}

fn pattern(name: &str, given: &[(&str, Value)]) -> Input {
    let pattern = keys::find(name).unwrap();
    let given = given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
    let params = Params::from_pairs(pattern.params, given).unwrap();
    let build = PatternBuild { params: &params, seed: 1, base: Path::new(".") };
    input((pattern.build)(&build).unwrap())
}

fn text(value: &str) -> Value {
    Value::Text(value.into())
}

fn step(name: &str, nodes: usize, given: &[(&str, &str)]) -> Step {
    let strategy = strategy::find(name).unwrap();
    let given = given.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let params = Params::from_pairs(strategy.params, given).unwrap();
    let cluster = Arc::new(Cluster::numbered(nodes, "node{i}"));
    Step { change: None, cluster, strategy, params, rebuilt: false, fair: None }
}

fn ask(input: &Input, step: &Step, levels: Option<[u64; 2]>) -> Lint {
    let setup = Setup { step, base: Path::new(".") };
    lint(&Question { input, setup, levels, tolerated: 1.25 }, &Silent).unwrap()
}

fn finding<'a>(found: &'a Lint, rule: &str) -> &'a Finding {
    let names: Vec<&str> = found.findings.iter().map(|f| f.rule).collect();
    found.findings.iter().find(|f| f.rule == rule).unwrap_or_else(|| panic!("no {rule}: {names:?}"))
}

fn raw(nodes: usize) -> Step {
    step("modulo", nodes, &[("hasher", "identity")])
}

/// MyCat-Server#2616: the counts of the report, as ids whose sequence restarts every millisecond.
#[test]
fn snowflakes_modulo_256_fill_11_shards() {
    const REPORTED: [i64; 11] = [6616, 12994, 12420, 11509, 9559, 7650, 4740, 2470, 950, 246, 32];
    assert_eq!(REPORTED.iter().sum::<i64>(), 69_186);
    let ids = REPORTED.iter().enumerate().flat_map(|(sequence, &count)| {
        (0..count).map(move |ms| (1_000_000 + ms) << 22 | sequence as i64)
    });
    let found = ask(&listed(ids), &raw(256), None);
    assert_eq!((found.base.used, found.base.nodes), (11, 256));
    assert!((found.base.max_over_mean - 12_994.0 * 256.0 / 69_186.0).abs() < 1e-9);
    assert!(!found.passes());
    let residues = finding(&found, "residues");
    assert!(residues.evidence[0].contains("11 of 256 (0–10)"), "{residues:?}");
    // Bits 0 to 3 vary, those up to 21 do not; only the milliseconds are left by a shift of 22.
    let bits = finding(&found, "dead-bits");
    assert!(bits.evidence[0].contains("4–15"), "{bits:?}");
    let shift = bits.smallest().unwrap();
    assert_eq!(shift.measure.what, "key >> 22");
    assert!(shift.measure.max_over_mean < 1.0 + 3.0 * (256.0f64 / 69_186.0).sqrt());
    // An odd modulus and a hash mend it as well.
    assert!(residues.tried.iter().any(|f| f.mends && f.measure.what.contains("nodes instead of")));
    let hashed = residues.tried.iter().find(|f| f.measure.what == "hasher murmur3-32").unwrap();
    assert!(hashed.mends && hashed.measure.used == 256);
}

/// ShardingSphere's generator at a low rate: the start alternates between 0 and 1.
#[test]
fn vibrating_snowflakes_reach_two_residues_of_any_power_of_two() {
    let ids = pattern(
        "snowflake",
        &[
            ("count", Value::Int(20_000)),
            ("rate", Value::Float(0.01)),
            ("arrivals", text("even")),
            ("sequence", text("vibrate")),
        ],
    );
    for nodes in [4, 8, 16, 32] {
        let found = ask(&ids, &raw(nodes), None);
        assert_eq!(found.base.used, 2, "{nodes} nodes");
        assert!((found.base.max_over_mean - nodes as f64 / 2.0).abs() < 0.02 * nodes as f64);
        let residues = finding(&found, "residues");
        let modulus = residues.tried.iter().find(|f| f.measure.what.contains("instead")).unwrap();
        assert!(modulus.mends && modulus.measure.nodes % 2 == 1, "{modulus:?}");
    }
}

/// ClickHouse#2503: eight hexadecimal characters read as an integer, low byte first.
#[test]
fn text_read_as_an_integer_reaches_16_of_32() {
    let id = |n: u64| {
        let text = format!("{:08X}", crate::hash::mix::fmix64(n) as u32);
        i64::from_le_bytes(text.as_bytes().try_into().unwrap())
    };
    for (nodes, used) in [(8, 8), (16, 10), (32, 16), (64, 16)] {
        let found = ask(&listed((0..20_000).map(id)), &raw(nodes), None);
        assert_eq!(found.base.used, used, "{nodes} nodes");
        if nodes == 32 {
            assert_eq!(runs(&found.base.reached), "1–6, 16–25");
            assert!(finding(&found, "residues").smallest().is_some());
        }
    }
}

/// Database x mod 32 and table x mod 32; the quotient instead; the last four digits of an id.
#[test]
fn two_remainders_of_one_number_reach_their_least_common_multiple() {
    let ids = |count| pattern("sequential", &[("count", Value::Int(count))]);
    let found = ask(&ids(100_000), &raw(32), Some([32, 32]));
    let levels = found.levels.as_ref().unwrap();
    assert_eq!((levels.same.reached, levels.same.cells()), (32, 1024));
    assert_eq!(finding(&found, LEVELS).severity, Severity::Error);
    assert_eq!(levels.fixes[0].reached, 1024);
    assert!(finding(&found, LEVELS).advice.as_ref().unwrap().contains("quotient"));
    // 4 and 8: 8 of 32.
    let found = ask(&ids(10_000), &raw(4), Some([4, 8]));
    assert_eq!(found.levels.as_ref().unwrap().same.reached, 8);
    // The last 4 digits, 0 to 9999: with the quotient 784 cells hold 10 and 240 hold 9.
    let found = ask(&ids(10_000), &raw(32), Some([32, 32]));
    let quotient = &found.levels.as_ref().unwrap().fixes[0];
    assert_eq!((quotient.reached, quotient.most, quotient.least), (1024, 10, 9));
    assert!((quotient.max_over_mean - 10.0 / (10_000.0 / 1024.0)).abs() < 1e-12);
    assert!(
        (quotient.most, quotient.least) == (10, 9)
            && 784 * quotient.most + 240 * quotient.least == 10_000
    );
}

/// risingwave#5579: node by hash mod 16, slot by the same hash mod 1024.
#[test]
fn one_hash_at_two_levels_reaches_one_in_gcd() {
    let keys = pattern("sequential", &[("count", Value::Int(200_000)), ("prefix", text("k:"))]);
    let hashed = step("modulo", 16, &[("hasher", "murmur3-32")]);
    let found = ask(&keys, &hashed, Some([16, 1024]));
    let levels = found.levels.as_ref().unwrap();
    assert_eq!((levels.same.reached, levels.same.slots_of_a_node), (1024, 64));
    // A second seed gives what an ideal hash would: 200 000 keys in 16 384 cells.
    let seed = levels.fixes.iter().find(|fix| fix.what.starts_with("seed")).unwrap();
    assert!(seed.reached as f64 > 0.999 * levels.ideal, "{seed:?}");
    // An odd number of nodes reaches every slot.
    let found = ask(&keys, &hashed, Some([15, 1024]));
    assert!(found.findings.iter().all(|f| f.rule != LEVELS));
    assert!(found.levels.unwrap().same.slots_of_a_node > 1000);
}

#[test]
fn a_step_with_a_common_factor_leaves_nodes_idle() {
    let ids = listed((0..50_000).map(|i| 7 + 16 * i));
    let found = ask(&ids, &raw(24), None);
    assert_eq!(found.base.used, 3, "gcd(16, 24) = 8");
    let residues = finding(&found, "residues");
    assert!(residues.evidence.iter().any(|e| e.contains("gcd(16, 24) = 8: 3")), "{residues:?}");
    let first = residues.smallest().unwrap();
    assert_eq!((first.measure.what.as_str(), first.measure.used), ("key / 16", 24));
}

#[test]
fn good_keys_under_a_good_hash_have_no_error() {
    let orders = pattern(
        "order-number",
        &[
            ("count", Value::Int(200_000)),
            ("prefix", text("NO20250115")),
            ("digits", Value::Int(8)),
        ],
    );
    for strategy in [
        step("modulo", 16, &[("hasher", "murmur3-32")]),
        step("ring", 16, &[("hasher", "xxh3-64")]),
        step("jump", 16, &[("hasher", "xxh3-64")]),
    ] {
        let found = ask(&orders, &strategy, None);
        assert!(found.passes() && found.is_fine, "{:#?}", found.findings);
    }
    // Raw consecutive numbers are as even as can be.
    let found = ask(&pattern("sequential", &[("count", Value::Int(64_000))]), &raw(64), None);
    assert!(found.passes() && found.base.max_over_mean == 1.0, "{:#?}", found.findings);
}

#[test]
fn gender_and_status_are_no_shard_keys() {
    let gender = pattern("low-cardinality", &[("count", Value::Int(30_000))]);
    let hashed = step("modulo", 16, &[("hasher", "murmur3-32")]);
    let found = ask(&gender, &hashed, None);
    let few = finding(&found, "cardinality");
    assert_eq!(
        (few.severity, few.what.as_str()),
        (Severity::Error, "3 distinct values for 16 nodes")
    );
    assert!(few.smallest().unwrap().measure.max_over_mean < 1.1, "with an id it spreads");
    // One state holds 90 % of the rows, beside 2000 others.
    let status = listed((0..40_000).map(|i| if i % 10 > 0 { 1 } else { 2 + i / 10 % 2000 }));
    let found = ask(&status, &hashed, None);
    let one = finding(&found, "one-value");
    assert!(one.what.starts_with("the value \"1\" holds 90 %"), "{one:?}");
    assert!(one.evidence[0].contains("at least 14.40 ×"), "{one:?}");
    let salted = &one.tried[0];
    assert!(salted.measure.max_over_mean < 1.6, "{salted:?}");
    assert!(found.findings.iter().all(|f| f.rule != "residues"), "repeats are not residues");
}

#[test]
fn ids_beyond_53_bits_lose_their_low_bits() {
    let start = 1i64 << 53;
    let ids = pattern("sequential", &[("count", Value::Int(10_000)), ("start", Value::Int(start))]);
    let found = ask(&ids, &raw(8), None);
    let double = finding(&found, "53-bits");
    assert_eq!(double.severity, Severity::Warning);
    // 2^53 itself is none beyond; every odd number becomes an even neighbour.
    assert_eq!(double.what, "99.99 % of the keys lie beyond 2^53");
    assert_eq!(double.evidence[0], "as doubles 50 % of the keys become another number");
    assert_eq!(double.evidence[1], "of 10000 distinct keys 5001 are left");
    let after = &double.tried[0].measure;
    assert_eq!(after.moved, Some(0.5));
    // Ties go to even: … 0, 4, 4, 4 …: multiples of 2 only.
    assert_eq!(after.used, 4);
    let small = pattern("sequential", &[("count", Value::Int(1000))]);
    assert!(ask(&small, &raw(8), None).findings.iter().all(|f| f.rule != "53-bits"));
}

#[test]
fn negative_keys_get_negative_shards_until_the_remainder_is_floored() {
    let ids = listed(-3000..3000);
    let signed = step("modulo", 3, &[("hasher", "identity"), ("sign", "remainder")]);
    let found = ask(&ids, &signed, None);
    // Of −3000 … −1 the multiples of 3 are on shard 0, the others on none.
    assert_eq!(found.base.outcomes[0], 2000);
    let sign = finding(&found, "sign");
    assert_eq!(sign.severity, Severity::Error);
    assert!(sign.smallest().unwrap().measure.what.starts_with("sign = floor"));
    // With floor they are in place, and a Java client misses a third.
    let floored = step("modulo", 3, &[("hasher", "identity"), ("sign", "floor")]);
    let found = ask(&ids, &floored, None);
    let sign = finding(&found, "sign");
    assert_eq!((sign.severity, sign.shows), (Severity::Warning, Shows::Consequences));
    let java = sign.tried.iter().find(|f| f.measure.what.starts_with("sign = remainder")).unwrap();
    assert!((java.measure.moved.unwrap() - 1.0 / 3.0).abs() < 1e-3);
}

#[test]
fn zeros_in_front_make_two_keys_of_one_number() {
    let padded = pattern(
        "sequential",
        &[("count", Value::Int(20_000)), ("prefix", text("")), ("digits", Value::Int(8))],
    );
    let found = ask(&padded, &step("modulo", 10, &[("hasher", "murmur3-32")]), None);
    let encoding = finding(&found, "text-or-number");
    assert_eq!(encoding.severity, Severity::Warning);
    // Unrelated digests agree on a tenth of the keys.
    for tried in &encoding.tried {
        let moved = tried.measure.moved.unwrap();
        assert!((moved - 0.9).abs() < 0.02, "{tried:?}");
    }
    assert_eq!(encoding.tried.len(), 3);
}

#[test]
fn a_weak_hash_shows_the_structure_of_keys() {
    let keys = pattern(
        "sequential",
        &[("count", Value::Int(60_000)), ("prefix", text("user:")), ("digits", Value::Int(6))],
    );
    let found = ask(&keys, &step("modulo", 11, &[("hasher", "java-string")]), None);
    let good = ask(&keys, &step("modulo", 11, &[("hasher", "xxh3-64")]), None);
    assert!(good.findings.iter().all(|f| f.rule != "hash"));
    assert!(found.base.chance >= trial::LEVEL || found.findings.iter().any(|f| f.rule == "hash"));
}

#[test]
fn a_heavy_value_is_not_taken_for_a_fault_of_the_hash() {
    let hashed = step("modulo", 8, &[("hasher", "murmur3-32")]);
    // Seven rows of ten have keys of their own, so that most are distinct; the others share one.
    let hot = |i: i64| if i % 10 < 3 { -1 } else { i };
    let found = ask(&listed((0..40_000).map(hot)), &hashed, None);
    assert!(found.profile.distinct.number * 2 > found.profile.rows);
    let rules: Vec<&str> = found.findings.iter().map(|f| f.rule).collect();
    assert!(rules.contains(&"one-value") && !rules.contains(&"hash"), "{rules:?}");
    // Nor does it skew bits that a fix could drop.
    let found = ask(&listed((0..40_000).map(hot)), &raw(8), None);
    assert!(found.findings.iter().all(|f| f.rule != "dead-bits"), "{:#?}", found.findings);
}

#[test]
fn a_hash_that_shows_structure_is_told_of_repeated_keys_by_the_distinct_ones() {
    // Every second key ends in 0, the others in any digit; each comes three times.
    let key = |i: i64| if i % 2 == 0 { 10 * i } else { 10 * i + i / 2 % 10 };
    let rows = |times: i64| listed((0..6000).flat_map(move |i| (0..times).map(move |_| key(i))));
    let (once, thrice) = (ask(&rows(1), &raw(10), None), ask(&rows(3), &raw(10), None));
    let (one, three) = (finding(&once, "hash"), finding(&thrice, "hash"));
    assert!(one.what.contains("though the keys are all different"), "{one:?}");
    assert!(three.what.starts_with("the distinct keys, each counted once"), "{three:?}");
    // 3000 and 300 of 6000 keys on node 0: the same either way.
    assert_eq!(one.evidence[0], "largest load: 5.5000 × the mean");
    assert_eq!(three.evidence[0], "most distinct keys: 5.5000 × the mean");
    assert_eq!(one.evidence[1..], three.evidence[1..]);
    // Good hashes are not blamed because keys repeat: 6000 keys thrice, by rows beyond chance.
    let hashed = step("modulo", 10, &[("hasher", "xxh3-64")]);
    let few = listed((0..200).flat_map(|i| (0..100).map(move |_| i)));
    let found = ask(&few, &hashed, None);
    assert!(found.base.chance < trial::LEVEL, "rows alone would be called uneven");
    assert!(found.findings.iter().all(|f| f.rule != "hash"), "{:#?}", found.findings);
}

#[test]
fn signs_are_told_only_where_a_reading_differs() {
    let input = |prefix: &str, digits: i64| {
        let count = ("count", Value::Int(5000));
        let (prefix, digits) = (("prefix", text(prefix)), ("digits", Value::Int(digits)));
        pattern("sequential", &[count, prefix, digits])
    };
    let java = |nodes| step("modulo", nodes, &[("hasher", "java-string")]);
    let has_sign = |found: &Lint| found.findings.iter().any(|f| f.rule == "sign");
    // Up to four characters the sum stays below 2^31: no digest is negative, all readings agree.
    let short = ask(&input("", 4), &java(7), None);
    assert!(!has_sign(&short), "{:#?}", short.findings);
    // Longer texts wrap; how many are negative is measured.
    let ids = || (1..=5000i64).map(|n| n * 982_451_653);
    let found = ask(&listed(ids()), &java(7), None);
    let first = finding(&found, "sign").evidence.iter().find(|e| e.contains("signed digests"));
    let hash = (crate::hash::find("java-string").unwrap().build)(0, crate::hash::Half::High);
    let digest = |n: &i64| hash.hash(n.to_string().as_bytes()) as u32 as i32;
    let negative = ids().filter(|n| digest(n) < 0).count();
    assert!(negative > 0);
    let want = format!("java-string gives signed digests: {negative} of 5000 are negative");
    assert!(first.unwrap().starts_with(&want), "{first:?} for {want}");
    // On one node every reading gives that node.
    assert!(!has_sign(&ask(&listed(ids()), &java(1), None)));
}

#[test]
fn a_change_that_leaves_nodes_idle_does_not_mend() {
    // Multiples of 100 on 10 nodes: a shift by 4 reaches 8 of them, the largest 1.25 times the mean.
    let found = ask(&listed((0..1000).map(|i| 100 * i)), &raw(10), None);
    let bits = finding(&found, "dead-bits");
    for fix in &bits.tried {
        assert!(!fix.mends || fix.measure.used == 10, "{fix:?}");
    }
    let step = finding(&found, "residues").smallest().unwrap();
    assert_eq!((step.measure.what.as_str(), step.measure.used), ("key / 100", 10));
    // Few keys leave nodes idle as a matter of course.
    let measure = |used: usize| trial::Measure { used, ..found.base.clone() };
    assert!((measure(10).expected_used(7) - 10.0 * (1.0 - 0.9f64.powi(7))).abs() < 1e-9);
    assert!(!measure(4).leaves_idle(7) && measure(8).leaves_idle(1000));
}

/// Keys whose hash mod m is of some residues, as the file of one shard holds them.
fn filtered(hasher: &str, keep: impl Fn(u64) -> bool, count: usize) -> Input {
    let hash = (crate::hash::find(hasher).unwrap().build)(0, crate::hash::Half::High);
    let keys = (0..).filter(|n: &i64| keep(hash.hash(n.to_string().as_bytes())));
    listed(keys.take(count))
}

#[test]
fn what_an_upstream_hash_has_filtered_is_told_with_its_modulus() {
    for (hasher, modulus) in
        [("crc32", 16u64), ("md5", 8), ("murmur3-32", 10), ("fnv1a-32", 32), ("xxh64", 200)]
    {
        let keys = filtered(hasher, |x| x % modulus == 5, 400);
        let routing = step("modulo", 16, &[("hasher", "siphash-2-4")]);
        let found = ask(&keys, &routing, None);
        let upstream = finding(&found, "upstream-filter");
        // Another hash at the second level: nothing is harmed.
        assert_eq!(upstream.severity, Severity::Warning);
        let want = format!("{hasher} mod {modulus}: 1 of {modulus} residues (5)");
        assert_eq!(upstream.evidence[0], want);
    }
    // Three shards of ten share a file.
    let keys = filtered("crc32", |x| [1, 4, 7].contains(&(x % 10)), 400);
    let found = ask(&keys, &step("modulo", 16, &[("hasher", "xxh3-64")]), None);
    let upstream = finding(&found, "upstream-filter");
    assert_eq!(upstream.evidence[0], "crc32 mod 10: 3 of 10 residues (1, 4, 7)");
    // As Java writes it: the remainder of a signed hash, floored; and its absolute value.
    let hash = (crate::hash::find("java-string").unwrap().build)(0, crate::hash::Half::High);
    let of = |n: &i64| i64::from(hash.hash(n.to_string().as_bytes()) as u32 as i32);
    let floored = (1i64..).map(|n| n * 982_451_653).filter(|n| of(n).rem_euclid(6) == 2);
    let floored = listed(floored.take(400));
    let found = ask(&floored, &step("modulo", 16, &[("hasher", "xxh3-64")]), None);
    let upstream = finding(&found, "upstream-filter");
    assert_eq!(upstream.evidence[0], "java-string, signed, mod 6: 1 of 6 residues (2)");
}

#[test]
fn the_same_hash_at_the_second_level_is_an_error_and_a_seed_mends_it() {
    let keys = filtered("murmur3-32", |x| x % 4 == 1, 4000);
    let found = ask(&keys, &step("modulo", 8, &[("hasher", "murmur3-32")]), None);
    assert_eq!(found.base.used, 2, "1 and 5");
    let upstream = finding(&found, "upstream-filter");
    assert_eq!(upstream.severity, Severity::Error);
    assert!(upstream.evidence[3].contains("gcd(4, 8 nodes) = 4 classes, of which 1 can"));
    let smallest = upstream.smallest().unwrap();
    assert_eq!((smallest.measure.what.as_str(), smallest.measure.used), ("hash-seed 1", 8));
    // Of a hash without a seed another hash is the fix.
    let keys = filtered("crc32", |x| x % 4 == 1, 4000);
    let found = ask(&keys, &step("modulo", 8, &[("hasher", "crc32")]), None);
    let smallest = finding(&found, "upstream-filter").smallest().unwrap().clone();
    assert_eq!(smallest.measure.what, "hasher murmur3-32");
}

#[test]
fn keys_that_nobody_filtered_are_not_called_so() {
    let hashed = step("modulo", 16, &[("hasher", "murmur3-32")]);
    for pattern_info in keys::ALL.iter().filter(|p| p.name != "file") {
        let count = [("count", Value::Int(20_000))];
        if pattern_info.params.iter().any(|p| p.name == "count") {
            let found = ask(&pattern(pattern_info.name, &count), &hashed, None);
            let rules: Vec<_> = found.findings.iter().map(|f| (f.rule, &f.evidence)).collect();
            assert!(
                rules.iter().all(|r| r.0 != "upstream-filter"),
                "{}: {rules:?}",
                pattern_info.name
            );
        }
    }
    // Few keys leave residues empty as a matter of course.
    for count in [1, 2, 3, 5, 10, 40] {
        let keys = listed((0..count).map(|n| crate::hash::mix::fmix64(n) as i64));
        let found = ask(&keys, &hashed, None);
        assert!(found.findings.iter().all(|f| f.rule != "upstream-filter"), "{count} keys");
    }
}

#[test]
fn runs_of_numbers_are_short() {
    assert_eq!(runs(&[0, 1, 2, 5, 7, 8]), "0–2, 5, 7–8");
    assert_eq!(runs(&[]), "");
    assert!(runs(&(0..40).map(|i| 2 * i).collect::<Vec<_>>()).ends_with('…'));
}
