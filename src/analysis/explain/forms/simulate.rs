//! Checks of closed forms on the strategies themselves: place keys (or compare ownership) before and after.

use std::path::Path;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::keys::{Digester, Key, KeyBatch, KeyKind};
use crate::params::{Params, Value};
use crate::rng::{Purpose, Stream};
use crate::strategy::{self, Build, Placement, Slot};

/// Keys of a check.
pub const KEYS: u64 = 100_000;

/// Label sets of a check on a ring.
pub const LABEL_SETS: u64 = 30;

/// Builds a strategy of this name for text keys, with these parameters.
fn built(
    name: &str,
    given: &[(&str, Value)],
    cluster: &Cluster,
) -> Result<Box<dyn Placement>, Error> {
    let info = strategy::find(name)?;
    let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
    let params = Params::from_pairs(info.params, given)?;
    let build =
        Build { cluster, params: &params, keys: KeyKind::Text, replicas: 1, base: Path::new(".") };
    info.place(&build)
}

/// Nodes number `from` and on, by ids and names of a cluster of `ids` in all.
pub fn members(numbers: impl Iterator<Item = u32>, ids: usize) -> Cluster {
    let all = Cluster::numbered(ids, "node{i}");
    let nodes = numbers.map(|i| all.nodes[i as usize].clone()).collect();
    Cluster { nodes, ids, ..Cluster::default() }
}

/// The first `n` of `ids` nodes.
pub fn first(n: u64, ids: u64) -> Cluster {
    members(0..n as u32, ids as usize)
}

/// Share of [`KEYS`] text keys, or of the digest space where ownership is known, that another node holds
/// after the change; and five standard errors of it.
pub fn moved(
    name: &str,
    given: &[(&str, Value)],
    before: &Cluster,
    after: &Cluster,
) -> Result<(f64, f64, String), Error> {
    let (a, b) = (built(name, given, before)?, built(name, given, after)?);
    if let (Some(x), Some(y)) = (a.ownership(), b.ownership())
        && let Some(share) = x.share_moved(&y)
    {
        return Ok((share, 1e-6, format!("{name}, by owned shares")));
    }
    let (a, b) = (answers(a.as_ref()), answers(b.as_ref()));
    let share = a.iter().zip(&b).filter(|(x, y)| x != y).count() as f64 / KEYS as f64;
    Ok((share, error(share, KEYS), format!("{name}, {KEYS} keys")))
}

/// Mean share that moves over [`LABEL_SETS`] random sets of node names, with five standard errors.
pub fn moved_over_names(
    name: &str,
    given: &[(&str, Value)],
    before: &Cluster,
    after: &Cluster,
) -> Result<(f64, f64, String), Error> {
    let (mut sum, mut squares) = (0.0, 0.0);
    for t in 0..LABEL_SETS {
        let mut stream = Stream::new(1, Purpose::Chance, t);
        let ids = before.ids.max(after.ids);
        let names: Vec<std::sync::Arc<str>> =
            (0..ids).map(|_| format!("{:016x}", stream.next_u64()).into()).collect();
        let (share, ..) = moved(name, given, &before.renamed(&names), &after.renamed(&names))?;
        sum += share;
        squares += share * share;
    }
    let n = LABEL_SETS as f64;
    let mean = sum / n;
    let variance = (squares / n - mean * mean).max(0.0) / (n - 1.0);
    Ok((mean, 5.0 * libm::sqrt(variance), format!("{name}, mean of {LABEL_SETS} sets of names")))
}

/// Where `user:0` on live.
fn answers(placement: &dyn Placement) -> Vec<Slot> {
    const BATCH: u64 = 1000;
    let mut digester = Digester::new(placement.columns());
    let mut all = Vec::with_capacity(KEYS as usize);
    let mut out = vec![Slot::ABSENT; BATCH as usize];
    let mut batch = KeyBatch::new(KeyKind::Text);
    for start in (0..KEYS).step_by(BATCH as usize) {
        batch.clear(start);
        (start..start + BATCH).for_each(|i| batch.push(&Key::Text(&format!("user:{i}"))));
        digester.compute(&mut batch);
        placement.place(&batch, &mut out);
        all.extend_from_slice(&out);
    }
    all
}

/// Five standard errors of a share of `n` trials.
pub fn error(share: f64, n: u64) -> f64 {
    5.0 * libm::sqrt(share * (1.0 - share) / n as f64) + 1e-9
}
