//! Every form against values worked out elsewhere, and against its own simulation.

use super::*;
use crate::params::Value;

pub(super) fn ask(name: &str, given: &[(&str, Value)]) -> Answer {
    let form = find(name).unwrap();
    let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let params = Params::from_pairs(form.params, given).unwrap();
    (form.answer)(&params).unwrap_or_else(|e| panic!("{name}: {e}"))
}

pub(super) fn int(x: i64) -> Value {
    Value::Int(x)
}

#[track_caller]
fn close(have: f64, want: f64, within: f64) {
    assert!((have - want).abs() <= within, "{have} for {want}");
}

/// The value of the first quantity whose text begins like this.
#[track_caller]
fn value(answer: &Answer, what: &str) -> f64 {
    let found = answer.quantities.iter().find(|q| q.what.starts_with(what));
    found.unwrap_or_else(|| panic!("no {what} in {answer:?}")).value
}

#[test]
fn names_are_unique_and_every_form_says_what_it_is() {
    for (i, form) in ALL.iter().enumerate() {
        assert!(ALL[i + 1..].iter().all(|other| other.name != form.name), "{}", form.name);
        assert!(
            !form.formula.is_empty() && !form.source.is_empty() && !form.summary.ends_with('.')
        );
        assert!(form.positional <= form.params.len(), "{}", form.name);
        assert_eq!(find(form.name).unwrap().name, form.name);
    }
    assert!(find("modlo").unwrap_err().help[0].contains("`modulo`"));
}

#[test]
fn movement_of_remainders_and_ranges() {
    let grow = |n, m| [("before", int(n)), ("after", int(m))];
    for (n, m, want) in [
        (3, 4, 0.75),
        (4, 5, 0.8),
        (5, 6, 5.0 / 6.0),
        (10, 128, 1.0 - 2.0 / 128.0),
        (16, 32, 0.5),
        (64, 256, 0.75),
        (8, 12, 2.0 / 3.0),
    ] {
        close(value(&ask("modulo", &grow(n, m)), "moved"), want, 1e-12);
    }
    for n in [1, 3, 16] {
        close(value(&ask("range", &grow(n, n + 1)), "moved"), 0.5, 1e-12);
    }
    close(value(&ask("doubling", &[("before", int(32))]), "moved"), 0.5, 1e-12);
    close(value(&ask("buckets", &grow(4, 5)), "moved"), 204.0 / 1024.0, 1e-12);
    // 35 → 39 masters: 10.3 % of the 16384 slots; 24 → 48: half.
    let slots =
        |n, m| ask("buckets", &[("before", int(n)), ("after", int(m)), ("buckets", int(16_384))]);
    close(value(&slots(35, 39), "moved"), 0.103, 5e-4);
    close(value(&slots(24, 48), "moved"), 0.5, 2e-3);
}

#[test]
fn a_node_taken_from_the_middle() {
    for (n, i, want) in [
        (4, 1, 0.667),
        (30, 10, 0.666),
        (30, 20, 0.332),
        (12, 8, 0.326),
        (10, 0, 0.989),
        (10, 5, 0.489),
        (10, 9, 0.1),
    ] {
        let answer = ask("remove", &[("nodes", int(n)), ("position", int(i))]);
        close(value(&answer, "moved under jump"), want, 6e-4);
    }
}

#[test]
fn envoys_ring_of_a_fixed_total() {
    let answer = ask("points", &[("before", int(3)), ("after", int(2))]);
    close(value(&answer, "moved"), 0.416, 5e-4);
    close(value(&answer, "moved among"), 0.124, 5e-4);
    assert_eq!(value(&answer, "points a node before"), 342.0);
}

#[test]
fn rings_and_their_points() {
    let ring = |n, v| ask("vnodes", &[("nodes", int(n)), ("vnodes", int(v))]);
    for (n, v, cv, max) in [(5, 160, 0.07, 1.09), (10, 100, 0.095, 1.16), (300, 128, 0.088, 1.28)] {
        let answer = ring(n, v);
        close(value(&answer, "cv of"), cv, 1e-3);
        close(value(&answer, "max over mean, expected"), max, 0.01);
    }
    close(value(&ring(100, 1), "max over mean, expected"), 5.187, 1e-3);
    let half = ask("collisions", &[("points", int(77_163))]);
    close(value(&half, "P(at least"), 0.5, 1e-4);
    close(value(&half, "points at which"), 77_163.0, 1.0);
}

#[test]
fn few_keys() {
    let few = |k, n| ask("occupancy", &[("keys", int(k)), ("nodes", int(n))]);
    close(value(&few(10, 4), "P(at least"), 0.219, 5e-4);
    close(value(&few(3, 5), "empty nodes"), 5.0 * 0.8f64.powi(3), 1e-12);
    close(value(&few(400, 128), "empty nodes"), 5.6, 0.05);
    let meet = |k, n| value(&ask("birthday", &[("keys", int(k)), ("nodes", int(n))]), "P(at");
    close(meet(2, 2), 0.5, 1e-12);
    close(meet(2, 3), 1.0 / 3.0, 1e-12);
    close(meet(23, 365), 0.5073, 1e-4);
    assert_eq!(meet(5, 4), 1.0);
    // Values by ln Γ in 80 digits.
    let large = |k: f64, n: f64| {
        let given = [("keys", Value::Float(k)), ("nodes", Value::Float(n))];
        value(&ask("birthday", &given), "P(at")
    };
    for (k, n, want) in [
        (20_000.0, 1e8, 0.864_669_228_315_471),
        (3e7, 1e15, 0.362_371_841_683_130_98),
        (5e9, 2f64.powi(64), 0.492_179_051_811_252_77),
        (1e10, 2f64.powi(64), 0.933_496_814_581_169_4),
        (1e6, 2f64.powi(122), 9.403_945_402_623_493e-26),
        (20_000.0, 1e6, 1.0),
    ] {
        assert!((large(k, n) / want - 1.0).abs() < 1e-12, "{k} {n}: {} for {want}", large(k, n));
    }
    assert_eq!(
        value(
            &ask("birthday", &[("keys", int(23)), ("nodes", int(400))]),
            "nodes that keep them apart as"
        ),
        373.0
    );
    for (k, half, surely) in [
        (23.0, 373.0, 4940.0),
        (1e5, 7_213_436_403.0, 97_477_687_279.0),
        (1e7, 72_134_748_164_307.0, 974_786_193_165_889.0),
        (1e12, 721_347_520_444_093_689_492_852.0, 9_747_862_873_102_430_144_738_533.0),
    ] {
        let answer = ask("birthday", &[("keys", Value::Float(k)), ("nodes", int(400))]);
        for (what, want) in [("as likely as not", half), ("in 95 of 100 cases", surely)] {
            let have = value(&answer, &format!("nodes that keep them apart {what}"));
            // Exact where it is said to be.
            let within = if want < 1e13 { 0.0 } else { 1e-14 * want };
            close(have, want, within);
        }
    }
    let collide = |points: f64, bits| {
        value(&ask("collisions", &[("points", Value::Float(points)), ("bits", int(bits))]), "P(at")
    };
    close(collide(5e9, 64), 0.492_179_051_811_252_77, 1e-12);
    close(collide(1e6, 122) / 9.403_945_402_623_493e-26, 1.0, 1e-12);
}

#[test]
fn halves_of_things_and_impossible_loads_are_refused() {
    let refused = |name: &str, given: &[(&str, Value)]| {
        let form = find(name).unwrap();
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(form.params, given).unwrap();
        (form.answer)(&params).unwrap_err().message
    };
    let float = Value::Float;
    assert_eq!(refused("birthday", &[("keys", float(1.5)), ("nodes", int(9))]), "`keys` is 1.5");
    assert_eq!(refused("collisions", &[("points", float(2.5))]), "`points` is 2.5");
    let spread = |max| [("nodes", int(2)), ("keys", int(1000)), ("max", float(max))];
    assert_eq!(refused("spread", &spread(3.0)), "max 3 on 2 nodes");
    assert_eq!(ask("spread", &spread(2.0)).quantities.len(), 5);
}

#[test]
fn large_numbers_are_written_short() {
    let all = [1.0, 1e15, 2f64.powi(53), 2f64.powi(64), 2f64.powi(122), 1e20].map(written);
    assert_eq!(all, ["1", "1000000000000000", "2^53", "2^64", "2^122", "1e20"]);
}

#[test]
fn notes_say_what_the_numbers_allow() {
    let spread = |max: f64, min: f64| {
        let given = [
            ("nodes", int(4)),
            ("keys", int(100)),
            ("max", Value::Float(max)),
            ("min", Value::Float(min)),
        ];
        ask("spread", &given).notes.join(" ")
    };
    assert!(spread(1.08, 0.96).contains("more than there are keys"), "{}", spread(1.08, 0.96));
    assert!(spread(1.2, 0.85).contains("about as many"), "{}", spread(1.2, 0.85));
    assert!(spread(2.9, 0.1).contains("go in groups"), "{}", spread(2.9, 0.1));
    assert!(spread(1.0, 1.0).contains("No spread at all"), "{}", spread(1.0, 1.0));
    let replicas = |n| ask("replicas", &[("nodes", int(n))]).notes.join(" ");
    assert!(replicas(3).contains("make all different"), "{}", replicas(3));
    let two = replicas(2);
    assert!(!two.contains("make all different") && two.contains("give 2."), "{two}");
}

#[test]
fn points_are_told_by_the_nodes_that_have_them() {
    // Four nodes have 256 points each, three 342: 86 more on each of those that stay.
    for (n, m) in [(3, 4), (4, 3)] {
        let answer = ask("points", &[("before", int(n)), ("after", int(m))]);
        assert_eq!(answer.quantities[0].how, "(256 + 258·3/4) ÷ 1282");
        close(value(&answer, "moved"), 449.5 / 1282.0, 1e-12);
    }
    let formula = find("points").unwrap().formula;
    assert!(formula.contains("nodes which stay gain or lose · (N−1)/N"), "{formula}");
}

#[test]
fn hot_keys_and_bounds() {
    let hot = ask("hot-key", &[("share", Value::Float(0.1)), ("nodes", int(16))]);
    close(value(&hot, "max over mean, at least"), 1.6, 1e-12);
    close(value(&hot, "max over mean where"), 2.5, 1e-12);
    let bound = ask(
        "bounded",
        &[("nodes", int(10)), ("factor", Value::Float(1.25)), ("share", Value::Float(0.5))],
    );
    assert_eq!(value(&bound, "nodes that"), 4.0);
    close(value(&bound, "its requests"), 0.75, 1e-12);
    assert_eq!(
        value(
            &ask("suffixes", &[("rate", Value::Float(3500.0)), ("limit", Value::Float(1000.0))]),
            "parts"
        ),
        4.0
    );
}

#[test]
fn low_bits_of_snowflakes() {
    for (rate, want) in [(10.0, 0.995), (100.0, 0.952), (1000.0, 0.632), (5000.0, 0.199)] {
        let answer = ask("snowflake", &[("rate", Value::Float(rate)), ("nodes", int(1024))]);
        close(value(&answer, "ids with sequence 0"), want, 5e-4);
    }
    // Vibration 1 at a low rate: two residues, half each.
    let answer =
        ask("snowflake", &[("rate", Value::Float(1.0)), ("nodes", int(32)), ("vibration", int(1))]);
    assert_eq!(value(&answer, "residues mod 32"), 2.0);
    close(value(&answer, "max over mean"), 16.0, 0.01);
    assert_eq!(
        value(
            &ask("snowflake", &[("rate", Value::Float(1.0)), ("nodes", int(257))]),
            "residues mod 1 "
        ),
        1.0
    );
}

#[test]
fn tails_cells_and_the_same_hash_twice() {
    let answer = ask("tails", &[("values", int(10_000)), ("nodes", int(1024))]);
    assert_eq!(value(&answer, "shards with one value more"), 784.0);
    close(value(&answer, "max over min"), 10.0 / 9.0, 1e-12);
    let cells =
        |a, b| value(&ask("cells", &[("databases", int(a)), ("tables", int(b))]), "cells that");
    assert_eq!((cells(32, 32), cells(4, 8)), (32.0, 8.0));
    let slots =
        |n, m| value(&ask("same-hash", &[("nodes", int(n)), ("slots", int(m))]), "slots in");
    assert_eq!((slots(16, 1024), slots(15, 1024)), (64.0, 1024.0));
}

#[test]
fn weights_in_whole_points() {
    let list = |w: &[f64]| Value::List(w.iter().map(|&x| Value::Float(x)).collect());
    let answer = ask("ketama-weights", &[("weights", list(&[100.0, 9900.0]))]);
    assert_eq!(value(&answer, "share of node 0"), 0.0);
    close(value(&answer, "share below"), 0.0125, 1e-12);
    // Seven equal nodes: 39 digests instead of 40, as node-hashring has them in doubles.
    let answer = ask("ketama-weights", &[("weights", list(&[1.0; 7]))]);
    assert_eq!(value(&answer, "points in all"), 7.0 * 39.0 * 4.0);
    assert_eq!(answer.notes.len(), 1);
    let short: Vec<usize> = (1..=100)
        .filter(|&n| {
            let answer = ask("ketama-weights", &[("weights", list(&vec![1.0; n]))]);
            value(&answer, "points in all") < 160.0 * n as f64
        })
        .collect();
    assert_eq!(short, [7, 14, 28, 49, 56, 98]);
    let answer = ask("reweight", &[("before", list(&[1.0; 3])), ("after", list(&[2.0, 3.0, 3.0]))]);
    close(value(&answer, "least"), 1.0 / 12.0, 1e-12);
}

#[test]
fn copies_views_powers_and_signs() {
    let copies = ask("replicas", &[("nodes", int(6))]);
    for (what, want) in [("P(on 1", 0.028), ("P(on 2", 0.417), ("P(on 3", 0.556)] {
        close(value(&copies, what), want, 5e-4);
    }
    close(value(&ask("views", &[("nodes", int(10))]), "keys on which they agree"), 0.1, 1e-12);
    let ten = ask("power-of-two", &[("nodes", int(10))]);
    assert_eq!(
        (value(&ten, "max over"), value(&ten, "double"), value(&ten, "small")),
        (1.25, 6.0, 4.0)
    );
    close(value(&ask("sign", &[("nodes", int(32))]), "masked"), 0.0, 0.0);
    close(value(&ask("sign", &[("nodes", int(12))]), "masked"), 0.5, 0.0);
}

#[test]
fn a_reported_spread() {
    // redis#14087: ten masters, 1.54 G keys, +10.5 % and −7.5 %.
    let given = [
        ("nodes", int(10)),
        ("keys", int(1_543_901_950)),
        ("max", Value::Float(1.105)),
        ("min", Value::Float(0.925)),
    ];
    let answer = ask("spread", &given);
    close(value(&answer, "z of"), 1375.0, 1.0);
    close(value(&answer, "standard deviation"), 0.000_076, 1e-6);
    close(value(&answer, "independent keys"), 2630.0, 15.0);
}

/// Every check that a form carries agrees with it, at the inputs of its help and at some others.
#[test]
fn forms_agree_with_their_simulations() {
    let float = Value::Float;
    let list = |w: &[f64]| Value::List(w.iter().map(|&x| Value::Float(x)).collect());
    let inputs: Vec<(&str, Vec<(&str, Value)>)> = vec![
        ("modulo", vec![("before", int(12)), ("after", int(18))]),
        ("doubling", vec![("before", int(5)), ("times", int(3))]),
        ("range", vec![("before", int(5)), ("after", int(9))]),
        ("ring", vec![("before", int(5)), ("after", int(4)), ("vnodes", int(20))]),
        ("jump", vec![("before", int(7)), ("after", int(9))]),
        ("rendezvous", vec![("before", int(9)), ("after", int(7))]),
        ("maglev", vec![("nodes", int(10)), ("table-size", int(1021))]),
        ("remove", vec![("nodes", int(9)), ("position", int(3))]),
        ("points", vec![("before", int(3)), ("after", int(4))]),
        ("vnodes", vec![("nodes", int(6)), ("vnodes", int(40))]),
        ("sampling", vec![("nodes", int(8)), ("keys", int(5000))]),
        ("power-of-two", vec![("nodes", int(13))]),
        ("sign", vec![("nodes", int(10))]),
        ("hot-key", vec![("share", float(0.2)), ("nodes", int(8)), ("parts", int(4))]),
        ("occupancy", vec![("keys", int(12)), ("nodes", int(6))]),
        ("cells", vec![("databases", int(12)), ("tables", int(8))]),
        ("same-hash", vec![("nodes", int(12)), ("slots", int(64))]),
        ("ketama-weights", vec![("weights", list(&[1.0, 2.0]))]),
        ("replicas", vec![("nodes", int(5)), ("copies", int(4))]),
    ];
    let mut checks = 0;
    for (name, given) in inputs {
        for q in ask(name, &given).quantities {
            let Some(check) = q.check else { continue };
            checks += 1;
            assert!(
                (check.value - q.value).abs() <= check.within,
                "{name}: {} {}: {check:?}",
                q.what,
                q.value
            );
        }
    }
    assert!(checks >= 18, "{checks}");
}
