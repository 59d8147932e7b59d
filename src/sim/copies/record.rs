//! What copies of keys protect from, and what they cost: sets of nodes, heirs, zones.
//!
//! Sets of nodes that hold a key are the copysets of A. Cidon et al., "Copysets: Reducing the
//! Frequency of Data Loss in Cloud Storage", USENIX ATC 2013.

use std::collections::BTreeSet;

use super::CopyTally;
use crate::metrics::balance::balance;
use crate::record::Copies;
use crate::strategy::Slot;

/// The record of a step's copies. `live` holds ids of live nodes, `fair` their fair shares.
pub fn copies(tally: &CopyTally, replicas: usize, live: &[usize], fair: &[f64]) -> Copies {
    let per_node: Vec<u64> = live.iter().map(|&id| tally.at[id]).collect();
    let share = |part: u64| if tally.keys == 0 { 0.0 } else { part as f64 / tally.keys as f64 };
    let sets = tally.sets.as_ref();
    let heirs = heirs(tally, live);
    let zones = (tally.zones() > 0 && !tally.reads.is_empty()).then(|| zones(tally, live, fair));
    Copies {
        replicas,
        short_keys: tally.short_keys,
        short_share: share(tally.short_keys),
        short_zones_share: (tally.zones() > 0).then(|| share(tally.short_zones)),
        node_sets: sets.map(|sets| sets.len() as u64),
        loss_two: loss_two(tally, live.len()),
        loss_replicas: (tally.short_keys == 0)
            .then(|| Some(sets?.len() as f64 / choose(live.len(), replicas)?))
            .flatten(),
        same_set: sets.map(|sets| sets.values().map(|&c| share(c) * share(c)).sum()),
        overlap_nodes: per_node.iter().map(|&c| share(c) * share(c)).sum(),
        heirs_least: heirs.map(|(least, _)| least),
        heir_share_max: heirs.map(|(_, share)| share),
        cross_zone_share: zones.as_ref().map(|z| z.crossing),
        cross_zone_primary: zones.as_ref().map(|z| z.crossing_primary),
        zone_reads_max_over_mean: zones.as_ref().map(|z| z.max_over_mean),
        balance: balance(&per_node, fair),
        per_node,
    }
}

/// n over k; None when k > n.
fn choose(n: usize, k: usize) -> Option<f64> {
    (k <= n).then(|| (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product())
}

/// Share of the pairs of live nodes that hold all copies of some key between them.
fn loss_two(tally: &CopyTally, live: usize) -> Option<f64> {
    let (sets, pairs) = (tally.sets.as_ref()?, choose(live, 2)?);
    let alone: BTreeSet<u32> = sets.keys().filter(|s| s.len() == 1).map(|s| s[0]).collect();
    let two = sets.keys().filter(|s| s.len() == 2);
    let two = two.filter(|s| !alone.contains(&s[0]) && !alone.contains(&s[1])).count();
    // A node that holds some key alone is fatal in every pair: all pairs but those of the others.
    let others = choose(live - alone.len(), 2).unwrap_or(0.0);
    Some((pairs - others + two as f64) / pairs)
}

/// Fewest heirs of a primary that has keys, and the largest share that one heir takes.
fn heirs(tally: &CopyTally, live: &[usize]) -> Option<(u64, f64)> {
    let ids = tally.at.len() - Slot::OUTCOMES;
    let of = |id: usize| {
        let seconds = tally.heirs.get(id * ids..(id + 1) * ids)?;
        let total: u64 = seconds.iter().sum();
        let count = seconds.iter().filter(|&&n| n > 0).count() as u64;
        let largest = seconds.iter().copied().max().unwrap_or(0);
        (total > 0).then(|| (count, largest as f64 / total as f64))
    };
    live.iter().filter_map(|&id| of(id)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

struct Zones {
    crossing: f64,
    crossing_primary: f64,
    max_over_mean: f64,
}

fn zones(tally: &CopyTally, live: &[usize], fair: &[f64]) -> Zones {
    let ids = tally.at.len() - Slot::OUTCOMES;
    let mut clients = vec![0.0; tally.zones()];
    for (&id, share) in live.iter().zip(fair) {
        clients[tally.zone(id)] += share;
    }
    let keys: f64 = tally.reads[..ids].iter().map(|&n| n as f64).sum();
    let mut load = vec![0.0; live.len()];
    let (mut crossing, mut crossing_primary) = (0.0, 0.0);
    for (zone, share) in clients.iter().enumerate() {
        let reads = &tally.reads[zone * ids..(zone + 1) * ids];
        for (&id, load) in live.iter().zip(&mut load) {
            let amount = share * reads[id] as f64 / keys;
            *load += amount;
            if tally.zone(id) != zone {
                crossing += amount;
                crossing_primary += share * tally.primaries[id] as f64 / keys;
            }
        }
    }
    let over = load.iter().zip(fair).filter(|(_, fair)| **fair > 0.0).map(|(l, f)| l / f);
    Zones { crossing, crossing_primary, max_over_mean: over.fold(0.0, f64::max) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places keys by hand: nodes 0 to 3 in zones 0, 0, 1, 1.
    fn tally(placed: &[[u32; 2]]) -> CopyTally {
        let mut tally = CopyTally::empty(4, 2, vec![0, 0, 1, 1], 2);
        let slots: Vec<Slot> = placed.iter().flatten().map(|&id| Slot(id)).collect();
        tally.count(&slots);
        tally
    }

    const NONE: u32 = Slot::ABSENT.0;
    const LIVE: [usize; 4] = [0, 1, 2, 3];
    const FAIR: [f64; 4] = [0.25; 4];

    #[test]
    fn a_few_keys_by_hand() {
        let record = copies(&tally(&[[0, 2], [2, 0], [0, 1], [3, 1]]), 2, &LIVE, &FAIR);
        assert_eq!(record.per_node, [3, 2, 2, 1]);
        assert_eq!((record.short_keys, record.short_zones_share), (0, Some(0.25)));
        // {0, 2} twice, {0, 1}, {1, 3}: three of six pairs.
        assert_eq!(record.node_sets, Some(3));
        assert_eq!((record.loss_two, record.loss_replicas), (Some(0.5), Some(0.5)));
        assert_eq!(record.same_set, Some((4.0 + 1.0 + 1.0) / 16.0));
        assert_eq!(record.overlap_nodes, (9.0 + 4.0 + 4.0 + 1.0) / 16.0);
        // Node 0 has heirs 2 and 1, the others one each.
        assert_eq!((record.heirs_least, record.heir_share_max), (Some(1), Some(1.0)));
        // Half of the clients are in each zone. Only the key on {0, 1} makes those of zone 1 cross.
        assert_eq!(record.cross_zone_share, Some(0.125));
        assert_eq!(record.cross_zone_primary, Some(0.5));
        // Zone 0 reads 0, 0, 0, 1; zone 1 reads 2, 2, 0, 3: node 0 has 4 of 8.
        assert_eq!(record.zone_reads_max_over_mean, Some(2.0));
    }

    #[test]
    fn a_node_that_holds_a_key_alone_is_fatal_in_every_pair() {
        let record = copies(&tally(&[[0, NONE], [0, 1], [2, 3]]), 2, &LIVE, &FAIR);
        assert_eq!(record.short_keys, 1);
        // {0, x} for three x, and {2, 3}.
        assert_eq!((record.loss_two, record.loss_replicas), (Some(4.0 / 6.0), None));
    }

    #[test]
    fn keys_without_copies_are_short_and_nothing_else() {
        let record = copies(&tally(&[[NONE, NONE]]), 2, &LIVE, &FAIR);
        assert_eq!((record.short_keys, record.node_sets), (1, Some(0)));
        assert_eq!((record.heirs_least, record.loss_two), (None, Some(0.0)));
    }

    #[test]
    fn merging_gives_the_same_as_counting_at_once() {
        let all = [[0, 2], [2, 0], [0, 1], [3, 1], [1, NONE]];
        let mut merged = tally(&all[..2]);
        merged.merge(&tally(&all[2..]));
        assert_eq!(copies(&merged, 2, &LIVE, &FAIR), copies(&tally(&all), 2, &LIVE, &FAIR));
    }
}
