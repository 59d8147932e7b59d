//! Sizes against tables and simulations.

use super::apart::apart;
use super::noise::noise;
use super::peak::size;
use super::*;
use crate::keys::{Key, KeyBatch};
use crate::strategy;

fn sized(
    strategy: &str,
    nodes: u64,
    grow_to: u64,
    x: f64,
    p: f64,
    keys: Option<u64>,
) -> Result<peak::Sizing, Error> {
    let info = strategy::find(strategy).unwrap();
    let params = Params::defaults(info.params).unwrap();
    size(&Need {
        strategy: info,
        params: &params,
        nodes,
        grow_to,
        max_over_mean: x,
        confidence: p,
        keys,
    })
}

#[test]
fn vnodes_come_from_theory_and_hold_in_trials() {
    let ring = sized("ring", 16, 16, 1.1, 0.95, None).unwrap();
    let Method::Theory { least } = ring.found.method else { panic!("{ring:?}") };
    let v = ring.found.value;
    // z of the largest of 16 at 95 %: 2.73; cv 0.1/2.73 needs 15/(16·0.00134) = 700 points, and beta shares
    // lean to the right.
    assert!((700..800).contains(&v) && v - least < 10, "{ring:?}");
    use crate::analysis::peak::{Law, trials};
    let fair = vec![1.0 / 16.0; 16];
    let holds = |v: u64| {
        let drawn = trials::spreads(&Law::Points(vec![v as f64; 16]), &fair, None, 20_000, 5);
        drawn.iter().filter(|s| s.max_over_mean <= 1.1).count() as f64 / 20_000.0
    };
    // 20 000 draws: standard error 0.0015.
    assert!((holds(v) - 0.95).abs() < 0.0062, "{}", holds(v));
    let grown = sized("ring", 16, 64, 1.1, 0.95, None).unwrap();
    assert!(grown.found.value > v);
    assert_eq!(grown.steps.iter().map(|s| s.nodes).collect::<Vec<_>>(), [16, 64]);
    assert!(grown.steps[0].p.unwrap()[0] > 0.95);
    assert_eq!(grown.steps[1].points, 64 * grown.found.value);
}

#[test]
fn low_confidence_and_keys_come_from_trials() {
    let half = sized("ring", 8, 8, 1.2, 0.5, None).unwrap();
    let Method::Trials { least, interval, .. } = half.found.method else { panic!("{half:?}") };
    assert!(least <= half.found.value && interval[0] >= 0.5 && interval[1] < 0.56, "{half:?}");
    let keys = sized("ring", 8, 8, 1.2, 0.9, Some(100_000)).unwrap();
    let bare = sized("ring", 8, 8, 1.2, 0.9, None).unwrap();
    assert!(keys.found.value > bare.found.value, "noise of keys needs more points");
    // Three keys a node can never be that even.
    let error = sized("ring", 8, 8, 1.2, 0.9, Some(24)).unwrap_err();
    assert!(error.message.contains("cannot keep max over mean below 1.2"), "{error}");
    assert!(error.help[0].contains("keys are needed on 8 nodes"), "{error}");
}

#[test]
fn cells_are_counted() {
    // 3 nodes to 1.1: ⌈B/3⌉·3/B ≤ 1.1 first at B = 3; for 3 and 4 nodes at 11: 4·3/11 and 3·4/11 are 1.091.
    assert_eq!(sized("bucket-table", 3, 3, 1.1, 0.95, None).unwrap().found.value, 3);
    assert_eq!(sized("bucket-table", 3, 4, 1.1, 0.95, None).unwrap().found.value, 11);
    let slow =
        (5u64..).find(|&b| (3..=5).all(|n| b.div_ceil(n) as f64 * n as f64 / b as f64 <= 1.05));
    let found = sized("bucket-table", 3, 5, 1.05, 0.95, None).unwrap().found;
    assert_eq!((Some(found.value), found.method), (slow, Method::Exact));
    let maglev = sized("maglev", 10, 10, 1.01, 0.95, None).unwrap();
    // The least prime B with ⌈B/10⌉·10/B ≤ 1.01: a remainder of 9 saves most.
    assert_eq!(maglev.found.value, 109, "{maglev:?}");
}

#[test]
fn probes_need_about_one_over_epsilon() {
    use super::probes::largest_share;
    // Two arcs, one probe: the longer arc itself.
    assert!((largest_share(&[0.25, 0.75], 1) - 0.75).abs() < 1e-12);
    // Two probes: ∫₀^0.75 2·S: 2·∫(1 − 2d) to ¼, then 2·∫(0.75 − d) to ¾.
    let want = 2.0 * (0.25 - 0.0625) + 0.25;
    assert!((largest_share(&[0.25, 0.75], 2) - want).abs() < 1e-12);
    let found = sized("multi-probe", 20, 20, 1.1, 0.95, None).unwrap();
    assert!((10..=40).contains(&found.found.value), "{found:?}");
    assert!(matches!(found.found.method, Method::Trials { .. }));
}

#[test]
fn fair_strategies_have_nothing_to_size() {
    let jump = sized("jump", 16, 64, 1.1, 0.95, None).unwrap();
    assert_eq!((jump.param, jump.found.method), ("", Method::Fixed));
    assert!(sized("jump", 16, 64, 1.01, 0.95, Some(10_000)).is_err());
    // 16384 slots on 64 masters are even; on 65 of 5000 they are not.
    assert!(sized("redis-slots", 64, 64, 1.001, 0.95, None).is_ok());
    assert!(sized("redis-slots", 300, 300, 1.001, 0.95, None).is_err());
}

#[test]
fn keys_for_a_noise() {
    let found = noise(16, 0.01, 0.95).unwrap();
    assert_eq!(found.keys_for_cv, 150_000);
    // z = 2.73 standard errors of √(16/K): 16·(2.73/0.01)² = 1.19 M.
    let peak = found.keys_for_peak.unwrap() as f64;
    assert!((peak / 1.15e6 - 1.0).abs() < 0.06, "{peak}");
    for (nodes, bound, p) in [(1, 0.1, 0.9), (16, 0.0, 0.9), (16, 0.1, 1.0), (16, f64::NAN, 0.9)] {
        assert!(noise(nodes, bound, p).is_err());
    }
}

#[test]
fn wrong_questions_are_refused() {
    for (n, m, x, p) in [
        (1, 4, 1.1, 0.9),
        (4, 3, 1.1, 0.9),
        (4, 4, 1.0, 0.9),
        (4, 4, f64::NAN, 0.9),
        (4, 4, 1.1, 1.0),
        (4, 20_000, 1.1, 0.9),
    ] {
        assert!(sized("ring", n, m, x, p, None).is_err(), "{n} {m} {x} {p}");
    }
    let error = sized("ring", 1000, 1000, 1.000_001, 0.95, None).unwrap_err();
    assert!(error.help[0].contains("the most that are allowed"), "{error}");
}

#[test]
fn argo_8960_needs_five_controllers_for_two_clusters() {
    let info = strategy::find("modulo").unwrap();
    let given = vec![("hasher".to_string(), Value::Text("fnv1a-64".into()))];
    let params = Params::from_pairs(info.params, given).unwrap();
    let mut batch = KeyBatch::new(KeyKind::Text);
    for id in ["11ddd915-9d42-4bd3-83dd-1e922087720a", "f605b122-034f-4f4d-8fe4-eadddfaa4905"] {
        batch.push(&Key::Text(id));
    }
    // mod 2: 1 and 1; mod 3: 0, 0; mod 4: 3, 3; mod 5: 3, 0.
    let found = apart(info, &params, &mut batch, 100).unwrap();
    assert_eq!((found.nodes, found.meet_at_start), (Some(5), 1));
    assert_eq!(found.places.iter().map(|p| p.1).collect::<Vec<_>>(), [Some(3), Some(0)]);
    assert_eq!(found.by_chance, 2.0);
    let again = apart(info, &params, &mut batch, 4).unwrap();
    assert_eq!(again.nodes, None);
    batch.push(&Key::Text("11ddd915-9d42-4bd3-83dd-1e922087720a"));
    assert!(apart(info, &params, &mut batch, 4).unwrap_err().message.contains("twice"));
}
