//! How many of a fixed number of buckets each node holds, and which buckets move when that changes.
//!
//! Shared by the strategies of two steps (key → bucket → node): bucket-table, redis-slots and the
//! chunks of range. A node's *ideal* is buckets × weight ÷ total weight. A first allocation goes by
//! the largest remainder: everyone gets the whole part of the ideal, and what is left goes one each
//! to the largest fractions, ties in cluster order (A. Hamilton, 1792; M. Balinski, H. Young, *Fair
//! Representation*, 1982). A later one moves the fewest buckets:
//! what is left over goes first to nodes that hold more than the whole part of their ideal already;
//! when nodes only join, no older node receives; when nodes only leave, no survivor gives.

use crate::cluster::{Change, ChangeKind, Cluster, NodeId, OnFail};
use crate::error::Error;
use crate::strategy::{Placement, Slot};

/// Largest number of buckets of any table: 16 MiB of owners.
pub const MAX_BUCKETS: i64 = 1 << 22;

/// In which order a first allocation deals the buckets out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Each node's buckets are consecutive, nodes in cluster order.
    Contiguous,
    /// One bucket each in cluster order, round after round, until the quotas are full.
    RoundRobin,
}

/// One node's part in an allocation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Share {
    /// buckets × weight ÷ total weight
    ideal: f64,
    /// Buckets held before.
    held: u32,
    /// Least and most that it may hold afterwards.
    least: u32,
    most: u32,
}

/// Owners of `buckets` buckets in a cluster without a past. Fails if the cluster has no nodes or no
/// usable weights.
pub fn allot(buckets: u32, cluster: &Cluster, layout: Layout) -> Result<Vec<Slot>, Error> {
    let shares = shares(buckets, cluster, &vec![0; cluster.nodes.len()], &ChangeKind::Add(vec![]))?;
    let mut left = quotas(buckets, &shares);
    let slots: Vec<Slot> = cluster.nodes.iter().map(|n| n.id.into()).collect();
    let mut owners = Vec::with_capacity(buckets as usize);
    match layout {
        Layout::Contiguous => {
            for (slot, quota) in slots.iter().zip(&left) {
                owners.extend(std::iter::repeat_n(*slot, *quota as usize));
            }
        }
        Layout::RoundRobin => {
            let mut members: Vec<usize> = (0..slots.len()).collect();
            while owners.len() < buckets as usize {
                members.retain(|&i| left[i] > 0);
                for &i in &members {
                    left[i] -= 1;
                    owners.push(slots[i]);
                }
            }
        }
    }
    Ok(owners)
}

/// Owners after a change, with the fewest buckets moved. None if the change is to the strategy, so
/// that its table is built anew. `after` is the cluster after the change.
pub fn evolve(
    owners: &[Slot],
    change: &Change,
    after: &Cluster,
) -> Option<Result<Vec<Slot>, Error>> {
    match &change.kind {
        ChangeKind::Set(_) | ChangeKind::Switch(_) => return None,
        // Routing stays as it is; the engine shows the node's keys as absent.
        ChangeKind::Fail(_, OnFail::Unavailable) => return Some(Ok(owners.to_vec())),
        // Owners that are not known yet: those of before.
        ChangeKind::Assign(given) if given.is_empty() => return Some(Ok(owners.to_vec())),
        ChangeKind::Assign(given) => {
            assert_eq!(given.len(), owners.len(), "one owner a bucket");
            return Some(Ok(given.iter().map(|&id| id.into()).collect()));
        }
        _ => {}
    }
    let buckets = owners.len() as u32;
    let held = holdings(owners, after);
    Some(
        shares(buckets, after, &held, &change.kind)
            .map(|shares| reassign(owners, after, &quotas(buckets, &shares))),
    )
}

/// What `place` makes of the owners after a change, as [`Placement::evolve`] wants it.
pub fn evolved<P: Placement + 'static>(
    owners: &[Slot],
    change: &Change,
    after: &Cluster,
    place: impl FnOnce(Vec<Slot>) -> P,
) -> Option<Result<Box<dyn Placement>, Error>> {
    let owners = evolve(owners, change, after)?;
    Some(owners.map(|owners| Box::new(place(owners)) as Box<dyn Placement>))
}

/// Buckets held by each member, in cluster order; buckets of others are not counted.
fn holdings(owners: &[Slot], cluster: &Cluster) -> Vec<u32> {
    let mut by_id = vec![0u32; cluster.ids];
    for owner in owners {
        if let Some(count) = by_id.get_mut(owner.0 as usize) {
            *count += 1;
        }
    }
    cluster.nodes.iter().map(|n| by_id[n.id.0 as usize]).collect()
}

/// The ideals and the bounds that the kind of change sets.
fn shares(
    buckets: u32,
    cluster: &Cluster,
    held: &[u32],
    change: &ChangeKind,
) -> Result<Vec<Share>, Error> {
    let scale = f64::from(buckets);
    let total = cluster.total_weight();
    if cluster.nodes.is_empty() {
        return Err(Error::invalid("the cluster has no nodes").help("give at least one node"));
    }
    if !(total > 0.0 && (total * scale).is_finite()) {
        return Err(Error::invalid(format!("the weights add up to {total}"))
            .help("give at least one node a weight above 0, and none more than 1e300"));
    }
    // The first allocation counts as a change in which every node joins.
    let first = held.iter().all(|&h| h == 0);
    let joins = |id: NodeId| first || matches!(change, ChangeKind::Add(ids) if ids.contains(&id));
    let bounds = |id: NodeId, held: u32| match change {
        ChangeKind::Add(_) if !joins(id) => (0, held),
        ChangeKind::Remove(_) | ChangeKind::Fail(..) => (held, buckets),
        _ => (0, buckets),
    };
    let share = |(node, &held): (&crate::cluster::Node, &u32)| {
        let (least, most) = bounds(node.id, held);
        // A node of weight 0 never receives; it gives all unless its bounds forbid it.
        let most = if node.weight == 0.0 { least } else { most };
        Share { ideal: node.weight * scale / total, held, least, most }
    };
    Ok(cluster.nodes.iter().zip(held).map(share).collect())
}

/// Buckets of each node, adding up to `buckets`.
fn quotas(buckets: u32, shares: &[Share]) -> Vec<u32> {
    let whole = |s: &Share| libm::floor(s.ideal) as u32;
    let mut quota: Vec<u32> = shares.iter().map(|s| whole(s).clamp(s.least, s.most)).collect();
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let mut sum: u64 = quota.iter().map(|&q| u64::from(q)).sum();
    while sum != u64::from(buckets) {
        let missing = sum < u64::from(buckets);
        // How far below its ideal a node is; and whether a bucket more would stay where it is.
        let below = |i: usize| shares[i].ideal - f64::from(quota[i]);
        let keeps = |i: usize| quota[i] < shares[i].held && below(i) > 0.0;
        let mut able: Vec<usize> = std::mem::take(&mut order);
        if missing {
            able.retain(|&i| quota[i] < shares[i].most);
            able.sort_by(|&a, &b| {
                keeps(b).cmp(&keeps(a)).then(below(b).total_cmp(&below(a))).then(a.cmp(&b))
            });
        } else {
            able.retain(|&i| quota[i] > shares[i].least);
            able.sort_by(|&a, &b| below(a).total_cmp(&below(b)).then(b.cmp(&a)));
        }
        assert!(
            !able.is_empty(),
            "the bounds of {shares:?} leave no way to hold {buckets} buckets"
        );
        let step = u64::from(buckets).abs_diff(sum).min(able.len() as u64);
        for &i in &able[..step as usize] {
            quota[i] = if missing { quota[i] + 1 } else { quota[i] - 1 };
        }
        sum = if missing { sum + step } else { sum - step };
        order = able;
    }
    quota
}

/// Gives every member its quota (in cluster order): nodes above it give their highest buckets, nodes
/// that left give all, and the members below it take what was given, in cluster order.
fn reassign(owners: &[Slot], cluster: &Cluster, quotas: &[u32]) -> Vec<Slot> {
    let mut left = vec![0u32; cluster.ids];
    for (node, &quota) in cluster.nodes.iter().zip(quotas) {
        left[node.id.0 as usize] = quota;
    }
    let mut owners = owners.to_vec();
    let mut given = Vec::new();
    for (bucket, owner) in owners.iter().enumerate() {
        match left.get_mut(owner.0 as usize) {
            Some(left) if *left > 0 => *left -= 1,
            _ => given.push(bucket),
        }
    }
    let mut given = given.into_iter();
    for node in &cluster.nodes {
        for bucket in given.by_ref().take(left[node.id.0 as usize] as usize) {
            owners[bucket] = node.id.into();
        }
    }
    assert!(given.next().is_none(), "quotas add up to the number of buckets");
    owners
}

#[cfg(test)]
#[path = "quota_tests.rs"]
mod tests;
