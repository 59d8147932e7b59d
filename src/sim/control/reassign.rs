//! Re-assignment of buckets by their measured load.

use super::Walk;
use crate::cluster::{ChangeKind, Cluster, NodeId};
use crate::error::Error;
use crate::scenario::Step;
use crate::sim::plan::build_of;
use crate::strategy::Slot;

/// Most buckets whose load is measured: each stands as a node of its own.
const MAX_BUCKETS: u64 = 1 << 20;

/// What was measured of every bucket.
#[derive(Debug, Clone)]
struct Buckets {
    loads: Vec<u64>,
    /// Where its keys live; ABSENT for a bucket without keys.
    owners: Vec<Slot>,
}

/// Goes through the stand-ins: the finer table, if there is one, and the table with new owners.
pub(super) fn run(walk: &mut Walk<'_>, stand_ins: &[Step], moves: u64) -> Result<(), Error> {
    let finest = stand_ins.last().expect("a re-assignment has a step");
    let name = finest.strategy.name;
    let none = || Error::unsupported(format!("{name} has no buckets to re-assign"));
    let Buckets { loads, owners } = measure(walk, finest)?.ok_or_else(none)?;
    let fair = finest.fair_shares();
    let ids = |owners: &[Slot]| -> Vec<NodeId> {
        // A bucket without keys stays with whom it is: nothing can tell.
        let first = finest.cluster.nodes[0].id;
        owners.iter().map(|owner| owner.node().unwrap_or(first)).collect()
    };
    let before = ids(&owners);
    let after = greedy(&loads, &owners, &fair, moves);
    let moved = after.iter().zip(&owners).filter(|(a, b)| a != b).count();
    for (i, stand_in) in stand_ins.iter().enumerate() {
        let last = i + 1 == stand_ins.len();
        let mut step = stand_in.clone();
        if let Some(change) = &mut step.change {
            change.kind = ChangeKind::Assign(if last { ids(&after) } else { before.clone() });
            if last {
                change.text = format!("re-assign {moved} of {} buckets", owners.len());
            }
        }
        walk.push(step)?;
    }
    if let Some(control) = &mut walk.cell.control {
        control.moved = moved as u64;
    }
    Ok(())
}

/// Load and owner of every bucket; None where the strategy has none. A cluster with a node for every
/// bucket tells which bucket a key is in.
fn measure(walk: &Walk<'_>, finest: &Step) -> Result<Option<Buckets>, Error> {
    let kind = walk.input.source.kind();
    let table = finest.strategy.place(&build_of(&walk.cell, finest, kind, walk.base))?;
    let count = table.points();
    if count == 0 || count > MAX_BUCKETS {
        return Ok(None);
    }
    let unchanged = finest.cluster.nodes[0].id;
    let change = crate::cluster::Change {
        kind: ChangeKind::Assign(vec![unchanged; count as usize]),
        text: String::new(),
    };
    let build = build_of(&walk.cell, finest, kind, walk.base);
    if table.evolve(&change, &build).is_none() {
        return Ok(None);
    }
    let numbered = Cluster::numbered(count as usize, "bucket{i}");
    let step = Step { cluster: numbered.into(), ..finest.clone() };
    let by_bucket = step.strategy.place(&build_of(&walk.cell, &step, kind, walk.base))?;
    let empty =
        || Buckets { loads: vec![0; count as usize], owners: vec![Slot::ABSENT; count as usize] };
    let placements = [by_bucket.as_ref(), walk.placement.as_ref()];
    let states = walk.measure(&placements, empty, |buckets, slots, amount| {
        let bucket = slots[0].0 as usize;
        if let (Some(load), Some(_)) = (buckets.loads.get_mut(bucket), slots[1].node()) {
            *load = load.saturating_add(amount);
            buckets.owners[bucket] = slots[1];
        }
    })?;
    let mut sum = empty();
    for state in states {
        for (bucket, (load, owner)) in state.loads.iter().zip(&state.owners).enumerate() {
            sum.loads[bucket] = sum.loads[bucket].saturating_add(*load);
            if owner.node().is_some() {
                sum.owners[bucket] = *owner;
            }
        }
    }
    Ok(Some(sum))
}

/// Gives buckets of the node with the highest load ÷ fair load to the one with the lowest, each time the
/// largest that leaves the giver no lower than the receiver. Where there is none, the one that leaves the
/// higher of the two lowest, while that is below what the highest was: so a bucket that is itself the load
/// stays where it is, unless the receiver has less beside it. Ties go to the lower id or number.
fn greedy(loads: &[u64], owners: &[Slot], fair: &[f64], moves: u64) -> Vec<Slot> {
    let mut owners = owners.to_vec();
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); fair.len()];
    let mut sums = vec![0.0; fair.len()];
    for (bucket, owner) in owners.iter().enumerate() {
        if let Some(NodeId(id)) = owner.node() {
            held[id as usize].push(bucket);
            sums[id as usize] += loads[bucket] as f64;
        }
    }
    let able: Vec<usize> = (0..fair.len()).filter(|&id| fair[id] > 0.0).collect();
    let mut left = moves.min(owners.len() as u64 * 4);
    while left > 0 {
        left -= 1;
        let ratio = |id: usize| sums[id] / fair[id];
        let first = |better: &dyn Fn(f64, f64) -> bool| {
            able.iter().copied().reduce(|a, b| if better(ratio(b), ratio(a)) { b } else { a })
        };
        let (Some(high), Some(low)) = (first(&|a, b| a > b), first(&|a, b| a < b)) else { break };
        let after = |bucket: usize| {
            let load = loads[bucket] as f64;
            ((sums[high] - load) / fair[high], (sums[low] + load) / fair[low])
        };
        let buckets =
            || held[high].iter().copied().enumerate().filter(|(_, bucket)| loads[*bucket] > 0);
        let gentle = buckets()
            .filter(|(_, bucket)| after(*bucket).1 <= after(*bucket).0)
            .max_by(|a, b| loads[a.1].cmp(&loads[b.1]).then(b.1.cmp(&a.1)));
        let higher = |bucket: usize| after(bucket).0.max(after(bucket).1);
        let any = || {
            let best =
                buckets().min_by(|a, b| higher(a.1).total_cmp(&higher(b.1)).then(a.1.cmp(&b.1)));
            best.filter(|(_, bucket)| higher(*bucket) < ratio(high))
        };
        let Some((at, bucket)) = gentle.or_else(any) else { break };
        held[high].swap_remove(at);
        held[low].push(bucket);
        sums[high] -= loads[bucket] as f64;
        sums[low] += loads[bucket] as f64;
        owners[bucket] = Slot(low as u32);
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(ids: &[u32]) -> Vec<Slot> {
        ids.iter().map(|&id| Slot(id)).collect()
    }

    #[test]
    fn the_best_bucket_goes_to_the_idlest_node() {
        // Node 0 has 8 + 3 + 1, node 1 has 2: three away leave 9 and 5, eight would leave 4 and 10.
        let after = greedy(&[8, 3, 1, 2], &slots(&[0, 0, 0, 1]), &[0.5, 0.5], 1);
        assert_eq!(after, slots(&[0, 1, 0, 1]));
        // Then one more: 8 and 6. Then nothing helps: the hot bucket alone is 8.
        let after = greedy(&[8, 3, 1, 2], &slots(&[0, 0, 0, 1]), &[0.5, 0.5], u64::MAX);
        assert_eq!(after, slots(&[0, 1, 1, 1]));
    }

    #[test]
    fn a_node_that_holds_one_hot_bucket_is_left_alone_and_weights_count() {
        let owners = slots(&[0, 1, 1]);
        assert_eq!(greedy(&[100, 1, 1], &owners, &[0.5, 0.5], 9), owners);
        // Node 1 should carry three times as much.
        let after = greedy(&[4, 4, 4, 4], &slots(&[0, 0, 1, 1]), &[0.25, 0.75], 9);
        assert_eq!(after.iter().filter(|slot| **slot == Slot(1)).count(), 3);
    }
}
