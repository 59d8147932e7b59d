//! Diagnoses of loads that were reported in public, and of loads made by a known cause.

use super::chance::Verdict;
use super::*;
use crate::params::Value;
use crate::strategy;

/// Counts on nodes of equal weight.
pub fn seen(loads: &[f64]) -> Observation {
    let names = (0..loads.len()).map(|i| format!("node {i}")).collect();
    Observation::new(names, loads.to_vec(), vec![1.0; loads.len()], None).unwrap()
}

fn diagnosed<T>(
    seen: &Observation,
    strategy: &str,
    vnodes: Option<i64>,
    look: impl FnOnce(&Diagnosis<'_>) -> T,
) -> T {
    let info = strategy::find(strategy).unwrap();
    let given = vnodes.map(|v| ("vnodes".to_string(), Value::Int(v))).into_iter().collect();
    let params = Params::from_pairs(info.params, given).unwrap();
    look(&diagnose(seen, info, &params).unwrap())
}

/// Names of the causes of rank 1.
fn best(d: &Diagnosis<'_>) -> Vec<&'static str> {
    d.findings.iter().filter(|f| f.rank == 1).map(|f| f.cause.name).collect()
}

#[test]
fn elasticsearch_37197_is_no_chance_but_filtered_or_grouped_keys() {
    let loads = [
        414_182.0, 388_317.0, 362_089.0, 342_782.0, 324_263.0, 318_252.0, 304_890.0, 297_171.0,
        288_496.0,
    ];
    diagnosed(&seen(&loads), "modulo", None, |d| {
        assert!(d.chance.z.unwrap() > 100.0, "{:?}", d.chance);
        assert_eq!(d.chance.verdict, Verdict::Excluded);
        assert!((d.balance.max_over_mean - 1.226).abs() < 5e-4);
        assert!((d.balance.min_over_mean - 0.854).abs() < 5e-4);
        // The counts alone cannot tell these two apart.
        assert_eq!(best(d), ["upstream-filter", "grouped-keys"]);
    });
    // The first 2000 ids on three shards: one residue is left.
    diagnosed(&seen(&[1999.0, 0.0, 0.0]), "modulo", None, |d| {
        assert_eq!(best(d)[0], "upstream-filter", "{:?}", d.findings);
    });
}

#[test]
fn druid_1450_has_labels_that_do_not_scatter() {
    let loads = [309_436.0, 278_731.0, 74_299.0, 146_689.0, 190_845.0];
    diagnosed(&seen(&loads), "ring", Some(160), |d| {
        assert_eq!(d.chance.verdict, Verdict::Excluded);
        assert_eq!(best(d)[0], "hash-limited-labels", "{:?}", d.findings);
        assert!(d.findings[0].evidence[0].contains("160 points a node stray like"));
    });
}

#[test]
fn stargate_392_is_explained_by_sixteen_tokens() {
    let names = || (0..3).map(|i| i.to_string()).collect();
    for (vnodes, loads) in
        [(16, [28.4, 38.6, 32.9]), (128, [33.9, 35.5, 30.6]), (256, [33.7, 34.6, 31.7])]
    {
        let seen =
            Observation::new(names(), loads.to_vec(), vec![1.0; 3], Some(1_000_000)).unwrap();
        diagnosed(&seen, "ring", Some(vnodes), |d| {
            assert_eq!(d.chance.verdict, Verdict::Explained, "{vnodes}: {:?}", d.chance);
            assert_eq!(best(d)[0], "few-vnodes");
        });
    }
}

#[test]
fn mycat_2616_uses_eleven_of_256_shards() {
    let mut loads =
        vec![6616.0, 12994.0, 12420.0, 11509.0, 9559.0, 7650.0, 4740.0, 2470.0, 950.0, 246.0, 32.0];
    loads.resize(256, 0.0);
    diagnosed(&seen(&loads), "modulo", None, |d| {
        assert!((d.balance.max_over_mean - 48.1).abs() < 0.05, "{}", d.balance.max_over_mean);
        assert_eq!(best(d), ["unreachable-residues"]);
        let evidence = d.findings[0].evidence.join("; ");
        assert!(evidence.contains("0 to 10 of 256"), "{evidence}");
        // Hashed ids are even to the noise of 256 nodes: 3.6 standard errors of √(256/69186).
        let [_, p95] = d.findings[0].remedies[0].peak.unwrap();
        assert!(p95 < 1.0 + 3.7 * (256.0f64 / 69_186.0).sqrt(), "{p95}");
    });
}

#[test]
fn citus_7600_has_one_tenant_of_36_per_cent() {
    let seen = Observation::new(
        (0..4).map(|i| format!("worker {i}")).collect(),
        vec![18.3, 5.6, 5.8, 5.5],
        vec![1.0; 4],
        None,
    )
    .unwrap();
    diagnosed(&seen, "modulo", None, |d| {
        assert_eq!(d.chance.verdict, Verdict::Unknown, "amounts have no known number of keys");
        assert_eq!(best(d), ["hot-key"], "{:#?}", d.findings);
        let evidence = &d.findings[0].evidence[0];
        assert!(evidence.starts_with("worker 0 holds 36.0 %"), "{evidence}");
    });
}

#[test]
fn ties_of_few_keys_are_chance() {
    for (loads, strategy) in
        [(&[0.0, 2.0][..], "modulo"), (&[0.0, 0.0, 2.0], "modulo"), (&[3.0, 2.0, 5.0, 0.0], "jump")]
    {
        diagnosed(&seen(loads), strategy, None, |d| {
            assert_eq!(d.chance.verdict, Verdict::Explained);
        });
    }
}

#[test]
fn ids_of_step_two_leave_the_odd_nodes_empty() {
    diagnosed(&seen(&[2500.0, 0.0, 2500.0, 0.0, 2500.0, 0.0, 2500.0, 0.0]), "modulo", None, |d| {
        let names = best(d);
        assert!(names.contains(&"unreachable-residues") || names.contains(&"upstream-filter"));
        assert!(d.findings[0].evidence[0].contains("0 mod 2"), "{:?}", d.findings[0]);
    });
}

#[test]
fn halves_of_halves_and_folded_bits_are_recognised() {
    // Ten consumers of Pulsar: 8192 × 6 and 4096 × 4 of 65 536 slots, with 655 360 keys.
    let mut loads = vec![81_920.0; 6];
    loads.extend([40_960.0; 4]);
    loads[0] += 137.0;
    loads[7] -= 137.0;
    diagnosed(&seen(&loads), "modulo", None, |d| assert_eq!(best(d), ["no-power-of-two"]));
    // Linear hashing on 6 nodes: numbers 0, 1, 4, 5 are small.
    let loads = [1000.0, 1033.0, 1985.0, 2030.0, 981.0, 1004.0];
    diagnosed(&seen(&loads), "modulo", None, |d| {
        assert_eq!(best(d), ["no-power-of-two"]);
        assert!(d.findings[0].evidence[0].contains("by number"));
    });
}

#[test]
fn katran_35_ignores_the_weights() {
    let seen = Observation::new(
        vec!["a".into(), "b".into()],
        vec![50_123.0, 49_877.0],
        vec![1.0, 10.0],
        None,
    )
    .unwrap();
    diagnosed(&seen, "rendezvous", None, |d| {
        assert_eq!(best(d), ["weights-rounded"]);
        assert!(d.findings[0].evidence[0].starts_with("every weight counts as 1"));
    });
}

#[test]
fn a_node_listed_twice_and_one_hot_key_are_told_apart() {
    let twice = [20_011.0, 10_080.0, 9_941.0, 9_987.0, 10_033.0];
    diagnosed(&seen(&twice), "rendezvous", None, |d| assert_eq!(best(d), ["double-or-idle-node"]));
    let hot = [13_411.0, 10_080.0, 9_941.0, 9_987.0, 10_033.0];
    diagnosed(&seen(&hot), "rendezvous", None, |d| {
        assert_eq!(best(d), ["hot-key"]);
        let share = (13_411.0 - 10_010.25) / 53_452.0 * 100.0;
        let evidence = &d.findings[0].evidence[0];
        assert!(evidence.contains(&format!("{share:.1} %")), "{evidence}");
    });
}

#[test]
fn the_ring_of_the_names_given_is_recognised() {
    // go-redis#1299: CRC-32 rings of six nodes, 100 points each, shares of 1 M keys as recomputed.
    let shares = [15.83, 15.42, 20.24, 19.90, 14.07, 14.54];
    let seen = Observation {
        named: true,
        ..Observation::new(
            (1..=6).map(|i| i.to_string()).collect(),
            shares.to_vec(),
            vec![1.0; 6],
            Some(20_000),
        )
        .unwrap()
    };
    let info = strategy::find("ring").unwrap();
    let given = [
        ("vnodes", Value::Int(100)),
        ("hasher", Value::Text("crc32".into())),
        ("label", Value::Text("{i}{node}".into())),
    ];
    let given = given.map(|(k, v)| (k.to_string(), v)).into();
    let params = Params::from_pairs(info.params, given).unwrap();
    let d = diagnose(&seen, info, &params).unwrap();
    assert_eq!(best(&d), ["owned-shares"], "{:#?}", d.findings);
    assert!(d.findings[0].evidence[0].starts_with("3 owns 20.24 %"), "{:?}", d.findings[0]);
    assert!((d.findings[0].left.unwrap() - 0.0).abs() < 1.0, "{:?}", d.findings[0].left);
}

/// Counts made by a known model get that cause first: 20 data sets each, at least 17 right.
#[test]
fn causes_that_made_the_counts_are_found() {
    use crate::analysis::peak::draws::multinomial;
    use crate::rng::{Purpose, Stream};
    let models: [(&str, Vec<f64>); 4] = [
        ("few-keys", vec![0.125; 8]),
        ("hot-key", [0.3].into_iter().chain([0.1; 7]).collect()),
        ("no-power-of-two", [1.0, 1.0, 2.0, 2.0, 1.0, 1.0].map(|x| x / 8.0).to_vec()),
        (
            "unreachable-residues",
            [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0].map(|x| x / 5.0).to_vec(),
        ),
    ];
    for (at, (want, shares)) in models.into_iter().enumerate() {
        let mut right = 0;
        for t in 0..20 {
            let mut stream = Stream::new(77 + at as u64, Purpose::Chance, t);
            let mut counts = Vec::new();
            multinomial(&mut stream, 20_000, &shares, &mut counts);
            let loads: Vec<f64> = counts.iter().map(|&c| c as f64).collect();
            right += u32::from(diagnosed(&seen(&loads), "jump", None, |d| best(d)[0] == want));
        }
        assert!(right >= 17, "{want}: {right} of 20");
    }
}

#[test]
fn shards_that_do_not_divide_show_as_whole_units() {
    // Ten shards of 100,000 keys on four nodes, and the last two digits of a million ids on sixteen.
    let shards = [300_021.0, 299_912.0, 200_050.0, 200_111.0];
    let mut digits = vec![70_000.0; 4];
    digits.extend([60_000.0; 12]);
    digits[2] += 180.0;
    digits[9] -= 211.0;
    for (loads, evidence) in [
        (&shards[..], "10 units on 4 nodes: 2 hold 3, 2 hold 2"),
        (&digits, "100 units on 16 nodes: 4 hold 7, 12 hold 6"),
    ] {
        diagnosed(&seen(loads), "modulo", None, |d| {
            assert_eq!(best(d), ["whole-units"], "{:#?}", d.findings);
            assert_eq!(d.findings[0].evidence[0], evidence);
        });
    }
}

#[test]
fn three_values_on_sixteen_nodes_cannot_be_reseeded_even() {
    let mut loads = [0.0; 16];
    (loads[2], loads[7], loads[11]) = (482_111.0, 15_222.0, 503_001.0);
    diagnosed(&seen(&loads), "modulo", None, |d| {
        assert_eq!(best(d), ["few-values"], "{:#?}", d.findings);
        let floor = d.findings[0].remedies[1].peak.unwrap()[0];
        assert!((floor - 16.0 * 503_001.0 / 1_000_334.0).abs() < 1e-9, "{floor}");
    });
}

#[test]
fn too_even_counts_are_not_called_chance() {
    let hashed = [
        62_637.0, 62_633.0, 62_482.0, 62_079.0, 62_185.0, 62_495.0, 62_487.0, 62_318.0, 62_313.0,
        62_476.0, 62_779.0, 62_828.0, 62_361.0, 62_955.0, 62_369.0, 62_603.0,
    ];
    diagnosed(&seen(&hashed), "ring", Some(160), |d| {
        assert_eq!(d.chance.verdict, Verdict::TooEven);
        assert_eq!(best(d), ["fair-shares"], "{:#?}", d.findings);
        assert!(d.findings.iter().all(|f| !(f.fits && f.cause.is_chance())), "{:#?}", d.findings);
    });
    diagnosed(&seen(&[100.0, 101.0, 99.0, 100.0]), "modulo", None, |d| {
        assert_eq!((d.chance.verdict, best(d)), (Verdict::TooEven, vec!["dealt-out"]));
        assert!(d.findings.iter().all(|f| !(f.fits && f.cause.is_chance())), "{:#?}", d.findings);
    });
}

#[test]
fn rounded_slots_are_a_cause_of_their_own() {
    let info = strategy::find("bucket-table").unwrap();
    let given = vec![("buckets".to_string(), Value::Int(10))];
    let params = Params::from_pairs(info.params, given).unwrap();
    let seen = seen(&[3_000_210.0, 2_999_120.0, 2_000_501.0, 2_001_112.0]);
    let d = diagnose(&seen, info, &params).unwrap();
    assert_eq!((d.chance.verdict, best(&d)), (Verdict::Explained, vec!["rounded-shares"]));
}

#[test]
fn the_smaller_p_value_counts_double() {
    // 60 and 40 of 100 keys: p = 0.0455 of chi-square, and of the fullest node alone P(X ≥ 60) twice, 0.0569.
    diagnosed(&seen(&[60.0, 40.0]), "modulo", None, |d| {
        let (p, both) = (d.chance.p.unwrap(), d.chance.p_both.unwrap());
        assert!((p - 0.0455).abs() < 1e-4 && (both - 2.0 * p).abs() < 1e-12, "{:?}", d.chance);
        assert!((d.chance.p_peak.unwrap() - 0.0569).abs() < 1e-4, "{:?}", d.chance);
        let text = crate::report::diagnosis::table(d);
        assert!(
            text.contains("p = 0.0569; the smaller of the two counts double: p = 0.0910"),
            "{text}"
        );
    });
}
