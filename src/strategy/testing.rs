//! What the tests of several strategies build and measure alike.

use std::path::Path;

use super::numbered::Numbering;
use super::{Build, Placement, Slot, StrategyInfo};
use crate::cluster::{Change, ChangeKind, Cluster, Node, NodeId};
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::keys::{Key, KeyBatch, KeyKind};
use crate::params::{Params, Value};

/// Deviations that a mean or a count may be off by: once in 1.7 million for a normal variable.
pub const SIGMAS: f64 = 5.0;

/// A text as a parameter.
pub fn text(value: &str) -> Value {
    Value::Text(value.to_string())
}

/// Nodes `db0` on of these weights, in a cluster with ids to spare for added ones.
pub fn weighted(weights: &[f64]) -> Cluster {
    let mut cluster = Cluster::numbered(weights.len(), "db{i}");
    for (node, &weight) in cluster.nodes.iter_mut().zip(weights) {
        node.weight = weight;
    }
    cluster.ids += 20;
    cluster
}

/// `n` equal nodes.
pub fn equal(n: usize) -> Cluster {
    weighted(&vec![1.0; n])
}

/// The cluster with these ids in this order; weights 1.
pub fn members(ids: &[u32]) -> Cluster {
    let nodes = ids.iter().map(|&id| Node::named(id, &format!("db{id}"))).collect();
    Cluster { nodes, ids: 20_000, ..Cluster::default() }
}

/// Calls with a build of text keys, or of integers.
pub fn with_build<T>(
    info: &StrategyInfo,
    cluster: &Cluster,
    keys: KeyKind,
    given: &[(&str, Value)],
    f: impl FnOnce(&Build<'_>) -> T,
) -> T {
    let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let params = Params::from_pairs(info.params, given).expect("the test's parameters fit");
    f(&Build { cluster, params: &params, keys, replicas: 1, base: Path::new(".") })
}

/// Builds for text keys.
pub fn try_built(
    info: &StrategyInfo,
    cluster: &Cluster,
    given: &[(&str, Value)],
) -> Result<Box<dyn Placement>, Error> {
    with_build(info, cluster, KeyKind::Text, given, |build| info.place(build))
}

/// Builds for text keys what must build.
pub fn built(
    info: &StrategyInfo,
    cluster: &Cluster,
    given: &[(&str, Value)],
) -> Box<dyn Placement> {
    try_built(info, cluster, given).unwrap_or_else(|e| panic!("{}: {e}", info.name))
}

/// The placement after a change that leads to `after`.
pub fn evolved(
    info: &StrategyInfo,
    before: &dyn Placement,
    kind: ChangeKind,
    after: &Cluster,
    given: &[(&str, Value)],
) -> Result<Box<dyn Placement>, Error> {
    let change = Change { kind, text: String::new() };
    with_build(info, after, KeyKind::Text, given, |build| {
        before.evolve(&change, build).unwrap_or_else(|| info.place(build))
    })
}

/// A node joins.
pub fn add(id: u32) -> ChangeKind {
    ChangeKind::Add(vec![NodeId(id)])
}

/// A node leaves.
pub fn remove(id: u32) -> ChangeKind {
    ChangeKind::Remove(vec![NodeId(id)])
}

/// Where `user:0` on live.
pub fn answers(placement: &dyn Placement, keys: u64) -> Vec<Slot> {
    let mut batch = KeyBatch::new(KeyKind::Text);
    (0..keys).for_each(|i| batch.push(&Key::Text(&format!("user:{i}"))));
    crate::keys::Digester::new(placement.columns()).compute(&mut batch);
    let mut out = vec![Slot::MISROUTED; keys as usize];
    placement.place(&batch, &mut out);
    out
}

/// Of 3000 requests that stay open each goes to the first node in its `order`, by key and digest, that has
/// room, where every cap is computed by division; some meet full nodes. Weights are whole tenths.
pub fn check_bounded<I: Iterator<Item = Slot>>(
    info: &StrategyInfo,
    weights: &[f64],
    thousandths: u128,
    given: &[(&str, Value)],
    order: impl Fn(&KeyBatch, u64) -> I,
) {
    let factor = ("factor", Value::Float(thousandths as f64 / 1000.0));
    let given: Vec<_> = given.iter().cloned().chain([factor]).collect();
    let placement = built(info, &weighted(weights), &given);
    let whole: Vec<u128> = weights.iter().map(|w| libm::round(w * 10.0) as u128).collect();
    let total: u128 = whole.iter().sum();
    let mut session = placement.session().unwrap();
    let mut loads = vec![0u128; weights.len()];
    let mut passed = 0;
    for m in 1..=3000u128 {
        let key = format!("user:{}", m * m % 97);
        let batch = KeyBatch::single(&Key::Text(&key), placement.columns());
        let digest = batch.digests(&placement.columns()[0])[0];
        let has_room = |slot: &Slot| {
            let id = slot.0 as usize;
            loads[id] < (thousandths * m * whole[id]).div_ceil(1000 * total)
        };
        let want = order(&batch, digest).find(has_room).unwrap();
        loads[want.0 as usize] += 1;
        passed += usize::from(Some(want) != order(&batch, digest).next());
        assert_eq!(session.route(&[digest]), want, "request {m}");
    }
    assert!(passed > 100, "hot keys fill their nodes");
    let none = built(info, &weighted(&[0.0, 0.0]), &[]);
    assert_eq!(none.session().unwrap().route(&[7]), Slot::ABSENT, "no nodes, no place");
}

/// The mean of numbers drawn for random digests is `want`, to within [`SIGMAS`] standard errors.
pub fn assert_mean(what: &str, draws: impl Iterator<Item = f64>, want: f64) {
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for x in draws {
        count += 1.0;
        sum += x;
        squares += x * x;
    }
    let mean = sum / count;
    // A variance that came out as 0 by chance must not make the bound 0.
    let variance = (squares / count - mean * mean).max(1.0 / count);
    let bound = SIGMAS * libm::sqrt(variance / count);
    assert!(
        (mean - want).abs() <= bound,
        "{what}: mean {mean:.5}, expected {want:.5} ± {bound:.5}"
    );
}

/// Every count is that of its probability, to within [`SIGMAS`] deviations of a binomial count.
pub fn assert_shares(what: &str, counts: &[u64], shares: &[f64]) {
    let total = counts.iter().sum::<u64>() as f64;
    for (i, (&count, &share)) in counts.iter().zip(shares).enumerate() {
        let bound = SIGMAS * libm::sqrt(total * share * (1.0 - share)) + 1.0;
        let off = (count as f64 - total * share).abs();
        assert!(off <= bound, "{what}: {i} has {count} of {total}, share {share:.5}");
    }
}

/// What every numbering must do: a position below n; of n + 1 positions the same or the new one;
/// equal shares.
pub fn check_numbering<N: Numbering>() {
    let position = |digest, n| N::walk(digest, 64, n).0;
    for digest in (1..400).map(fmix64).chain([0, 1, u64::MAX, 1 << 63]) {
        let mut before = 0;
        for n in 1..700 {
            let now = position(digest, n);
            assert!(
                now == before || now == n - 1,
                "{digest:#x}: {before} of {}, {now} of {n}",
                n - 1
            );
            before = now;
        }
        for n in [65_535, 65_536, 65_537, 1_000_000, i32::MAX as u32] {
            assert!(position(digest, n) < n);
        }
    }
    for n in [2, 3, 5, 8, 9, 11, 16, 23, 33, 48, 64, 65, 100, 129] {
        let mut counts = vec![0; n as usize];
        (0..100_000).for_each(|i| counts[position(fmix64(i + 7), n) as usize] += 1);
        assert_shares(&format!("of {n}"), &counts, &vec![1.0 / f64::from(n); n as usize]);
    }
}

/// The mean number of steps among n positions is `want`.
pub fn check_steps<N: Numbering>(n: u32, want: f64) {
    let steps = (0..100_000).map(|i| f64::from(N::walk(fmix64(i + 3), 64, n).1));
    assert_mean(&format!("steps among {n}"), steps, want);
}
