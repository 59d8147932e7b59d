//! The contracts of strategies, asserted both ways: what the table says must hold holds, and what it
//! says must not hold really fails. For each contract a broken copy must be noticed.

#[path = "contracts/broken.rs"]
mod broken;
#[path = "contracts/changes.rs"]
mod changes;
#[path = "contracts/facts.rs"]
mod facts;
#[path = "contracts/presets.rs"]
mod presets;
#[path = "contracts/subject.rs"]
mod subject;
#[path = "contracts/table.rs"]
mod table;

use std::collections::BTreeSet;

use broken::Fault;
use facts::{Facts, Fixture};
use shardlab::error::ErrorKind;
use shardlab::keys::range::Position;
use shardlab::keys::{KeyBatch, KeyRange};
use shardlab::params::Params;
use shardlab::strategy::{self, History, Movement, Order, Ownership, Placement, Slot, Weights};
use subject::{Subject, cluster, place, weighted};
use table::TABLE;

/// Keys for contracts that hold key by key.
const KEYS: usize = 20_000;
/// Keys for contracts on shares.
const MANY_KEYS: usize = 200_000;
/// Shares may be off by so many standard deviations: once in 1.7 million for a node of an ideal hash.
const SIGMAS: f64 = 5.0;

/// A contract: Err says what breaks it.
type Contract = fn(&Subject) -> Result<(), String>;

/// The contract holds exactly for those subjects for which `required`; None: not judged.
fn hold_where(contract: Contract, required: impl Fn(&Subject) -> Option<bool>) {
    for subject in subject::all() {
        let Some(required) = required(&subject) else { continue };
        match (required, contract(&subject)) {
            (true, Err(broken)) => panic!("{}: {broken}", subject.name),
            (false, Ok(())) => panic!("{}: holds, the table says it must not", subject.name),
            _ => {}
        }
    }
}

fn hold(contract: Contract, required: impl Fn(&Subject) -> bool) {
    hold_where(contract, |subject| Some(required(subject)));
}

/// A broken copy of a strategy breaks the contract.
fn notice(contract: Contract, strategy: &str, fault: Fault) {
    assert!(
        contract(&Subject::broken(strategy, fault)).is_err(),
        "{strategy} with {fault:?} passes"
    );
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

/// The first of `ranking` that some row states.
fn weakest<T: PartialEq + Copy>(
    rows: &[&Fixture],
    fact: fn(&Facts) -> T,
    ranking: impl IntoIterator<Item = T>,
) -> T {
    let stated = |rank: &T| rows.iter().any(|row| fact(&row.facts) == *rank);
    ranking.into_iter().find(stated).expect("the ranking holds every value")
}

#[test]
fn the_table_and_the_strategies_agree() {
    let named: BTreeSet<&str> = TABLE.iter().map(|f| f.strategy).collect();
    let all: BTreeSet<&str> = strategy::ALL.iter().map(|s| s.name).collect();
    assert_eq!(named, all, "every strategy needs a row in tests/contracts/table.rs");
    assert_eq!(all.len(), strategy::ALL.len(), "names are distinct");
    for info in strategy::ALL {
        assert!(!info.checked.is_empty(), "{} does not say what it is checked against", info.name);
        let rows: Vec<_> = TABLE.iter().filter(|f| f.strategy == info.name && f.default).collect();
        assert!(!rows.is_empty(), "{}: no row of defaults", info.name);
        if Params::defaults(info.params).is_ok() {
            assert_eq!(rows.len(), 1, "{}: one row of defaults", info.name);
        }
        let add = weakest(&rows, |f| f.add, [Movement::Full, Movement::Bounded, Movement::Minimal]);
        assert_eq!(info.movement, add, "{}", info.name);
        let history = weakest(&rows, |f| f.history, [History::Dependent, History::Free]);
        assert_eq!(info.history, history, "{}", info.name);
        let order = weakest(&rows, |f| f.order, [Order::Dependent, Order::Free]);
        assert_eq!(info.order, order, "{}", info.name);
        let ranking = [Weights::Equal, Weights::Fixed, Weights::Rounded, Weights::Exact];
        let weights = weakest(&rows, |f| f.weights, ranking);
        assert_eq!(info.caps.weights, weights, "{}", info.name);
        let names = weakest(&rows, |f| f.names, [true, false]);
        assert_eq!(info.caps.names, names, "{}", info.name);
        let replicas = weakest(&rows, |f| f.replicas, [false, true]);
        assert_eq!(info.caps.replicas, replicas, "{}", info.name);
        let sessions = weakest(&rows, |f| f.sessions, [true, false]);
        assert_eq!(info.caps.sessions, sessions, "{}", info.name);
        let positional = info.params.iter().any(|p| p.name == "on-remove");
        assert_eq!(info.caps.positional, positional, "{}", info.name);
    }
}

/// Every key lives on a member of the cluster or ends in an outcome.
fn in_range(subject: &Subject) -> Result<(), String> {
    for n in [1, 2, 3, 8] {
        let cluster = cluster(n);
        let placement = match subject.try_build(&cluster, 1) {
            Ok(_) if n < subject.fixture.facts.least => {
                return Err(format!("built for {n} nodes, the table says it can't be"));
            }
            Err(error) if n < subject.fixture.facts.least => {
                let refused = [ErrorKind::Unsupported, ErrorKind::Data].contains(&error.kind);
                ensure(refused, || format!("{n} nodes: {error}"))?;
                continue;
            }
            built => built.map_err(|e| e.to_string())?,
        };
        for slot in subject.answers(placement.as_ref(), &subject.sample(KEYS)) {
            let member = slot.node().is_none_or(|id| cluster.node(id).is_some());
            ensure(member, || format!("{slot:?} is no member of {n}"))?;
        }
    }
    Ok(())
}

#[test]
fn every_key_lives_on_a_member_or_ends_in_an_outcome() {
    hold(in_range, |_| true);
    notice(in_range, "ring", Fault::OutOfRange);
}

/// Every key has a node.
fn total(subject: &Subject) -> Result<(), String> {
    let placement = subject.build(&cluster(8));
    let answers = subject.answers(placement.as_ref(), &subject.sample(KEYS));
    match answers.iter().position(|s| s.node().is_none()) {
        None => Ok(()),
        Some(key) => Err(format!("key {key} ends as {:?}", answers[key])),
    }
}

#[test]
fn every_key_has_a_node_unless_outcomes_are_expected() {
    hold(total, |s| !s.fixture.facts.outcomes);
}

/// Asked again, and built again, the answers are the same.
fn deterministic(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let placement = subject.build(&cluster(8));
    let first = subject.answers(placement.as_ref(), &sample);
    let again = subject.answers(placement.as_ref(), &sample);
    let anew = subject.answers(subject.build(&cluster(8)).as_ref(), &sample);
    ensure(first == again, || "another answer when asked again".into())?;
    ensure(first == anew, || "another answer when built anew".into())
}

#[test]
fn answers_are_deterministic() {
    hold(deterministic, |_| true);
    notice(deterministic, "ring", Fault::Flaky);
}

#[test]
fn look_ups_count_their_steps() {
    for subject in subject::all() {
        let steps = subject.build(&cluster(8)).lookup_steps();
        assert!(steps.is_some_and(|s| (1.0..1000.0).contains(&s)), "{}: {steps:?}", subject.name);
    }
}

/// The order of the node list does not matter.
fn order_free(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let start = cluster(8);
    let first = subject.answers(subject.build(&start).as_ref(), &sample);
    for turn in [1, 5] {
        let mut other = start.clone();
        other.nodes.rotate_left(turn);
        other.nodes.swap(2, 6);
        let answers = subject.answers(subject.build(&other).as_ref(), &sample);
        ensure(first == answers, || format!("another answer when rotated by {turn}"))?;
    }
    Ok(())
}

#[test]
fn node_order_matters_only_where_the_table_says() {
    hold(order_free, |s| s.fixture.facts.order == Order::Free);
    notice(order_free, "ring", Fault::FollowsOrder);
}

/// Other names, other answers.
fn goes_by_names(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let start = cluster(8);
    let names: Vec<_> = (0..start.ids).map(|i| format!("shard-{i}").into()).collect();
    let first = subject.answers(subject.build(&start).as_ref(), &sample);
    let other = subject.try_build(&start.renamed(&names), 1).map_err(|e| e.to_string())?;
    let other = subject.answers(other.as_ref(), &sample);
    ensure(first != other, || "the names do not matter".into())
}

#[test]
fn names_matter_exactly_where_the_table_says() {
    hold(goes_by_names, |s| s.fixture.facts.names);
    notice(goes_by_names, "ring", Fault::IgnoresNames);
}

/// Counts by id.
fn counts(answers: &[Slot]) -> Vec<f64> {
    let mut counts = vec![0.0; 12 + Slot::OUTCOMES];
    answers.iter().for_each(|slot| counts[slot.index(12)] += 1.0);
    counts
}

/// Shares follow the weights, to within the spread of the points (a share p on N random points has
/// variance p(1 − p)/(N + 1)) or to one entry of the table, and of the keys.
fn weights_respected(subject: &Subject) -> Result<(), String> {
    let cluster = weighted();
    let placement = subject.try_build(&cluster, 1).map_err(|e| e.to_string())?;
    let points = placement.points() as f64;
    let keys = MANY_KEYS as f64;
    let to_the_entry = subject.fixture.facts.to_the_entry;
    let by_points = points > 0.0 && !to_the_entry;
    let sampling = 1.0 / keys + if by_points { 1.0 / (points + 1.0) } else { 0.0 };
    let rounding = if to_the_entry { 1.0 / points } else { 0.0 };
    let answers = place(placement.as_ref(), &subject.sample(MANY_KEYS), 1);
    for (count, share) in counts(&answers).iter().zip(cluster.fair_shares()) {
        let bound = rounding + SIGMAS * (share * (1.0 - share) * sampling).sqrt();
        let off = (count / keys - share).abs();
        ensure(off <= bound, || format!("share {share:.4} is off by {off:.4}, over {bound:.4}"))?;
    }
    Ok(())
}

#[test]
fn weights_are_respected_where_the_table_says() {
    hold_where(weights_respected, |s| match s.fixture.facts.weights {
        Weights::Exact | Weights::Rounded => s.fixture.facts.random.then_some(true),
        Weights::Equal => Some(false),
        Weights::Fixed => None,
    });
    for strategy in ["ring", "rendezvous", "maglev", "bucket-table", "redis-slots"] {
        notice(weights_respected, strategy, Fault::IgnoresWeights);
    }
    for subject in subject::all() {
        if subject.fixture.facts.weights == Weights::Equal {
            let error = subject.try_build(&weighted(), 1).expect_err("it has no weights");
            assert_eq!(error.kind, ErrorKind::Unsupported, "{}: {error}", subject.name);
        }
    }
}

/// Weights change nothing.
fn weights_ignored(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let [equal, unequal] = [cluster(8), weighted()].map(|cluster| {
        let placement = subject.build(&cluster);
        subject.answers(placement.as_ref(), &sample)
    });
    ensure(equal == unequal, || "weights change where keys live".into())
}

#[test]
fn weights_change_nothing_where_the_scenario_fixes_the_shares() {
    hold_where(weights_ignored, |s| match s.fixture.facts.weights {
        Weights::Fixed => Some(true),
        Weights::Exact | Weights::Rounded => Some(false),
        Weights::Equal => None,
    });
}

/// A batch, a single key and an explanation give the same answer.
fn ways_agree(subject: &Subject) -> Result<(), String> {
    let placement = subject.build(&cluster(8));
    let sample = subject.sample(KEYS);
    let batch = &sample[0];
    let mut out = vec![Slot::ABSENT; batch.len()];
    placement.place(batch, &mut out);
    for row in (0..batch.len()).step_by(50) {
        let key = batch.key(row);
        let one = strategy::place_one(placement.as_ref(), &key);
        ensure(one == out[row], || format!("{key}: {one:?} alone, {:?} in a batch", out[row]))?;
        let told = placement.explain(&key);
        ensure(told.slot == one, || format!("{key}: {:?} explained, {one:?} placed", told.slot))?;
        ensure(!told.steps.is_empty(), || format!("{key}: nothing is explained"))?;
    }
    Ok(())
}

#[test]
fn batches_single_keys_and_explanations_agree() {
    hold(ways_agree, |_| true);
    notice(ways_agree, "ring", Fault::SingleDiffers);
    notice(ways_agree, "ring", Fault::ExplainsWrong);
}

/// The owned share of each node by id, outcomes last.
fn owned(ownership: &Ownership) -> Vec<f64> {
    let mut shares = vec![0.0; 12 + Slot::OUTCOMES];
    match ownership {
        Ownership::Buckets(slots) => {
            slots.iter().for_each(|slot| shares[slot.index(12)] += 1.0 / slots.len() as f64);
        }
        Ownership::Segments { bits, segments } => {
            let mut before = -1.0;
            for (end, slot) in segments {
                shares[slot.index(12)] += (*end as f64 - before) / 2f64.powi(*bits as i32);
                before = *end as f64;
            }
        }
    }
    shares
}

/// The keys fall where the ownership says: segments to the digest, shares to within the sampling.
fn ownership_holds(subject: &Subject) -> Result<(), String> {
    let placement = subject.build(&cluster(8));
    let ownership = placement.ownership().ok_or("no ownership is given")?;
    let sample = subject.sample(MANY_KEYS);
    let answers = place(placement.as_ref(), &sample, 1);
    let alone = placement.segments();
    ensure(alone.is_none_or(|alone| matches!(&ownership, Ownership::Segments { segments, .. } if *segments == alone)),
        || "a digest alone decides, but not as the ownership says".into())?;
    if let Ownership::Segments { segments, .. } = &ownership {
        let column = &placement.columns()[0];
        let digests = sample.iter().flat_map(|batch| batch.digests(column));
        for (digest, slot) in digests.zip(&answers) {
            let at = segments.partition_point(|(end, _)| end < digest);
            ensure(segments[at].1 == *slot, || format!("{digest:#x} is not {slot:?}'s"))?;
        }
    }
    if !subject.fixture.facts.random {
        return Ok(());
    }
    let keys = MANY_KEYS as f64;
    let shares = owned(&ownership);
    let sum: f64 = shares.iter().sum();
    ensure((sum - 1.0).abs() < 1e-9, || format!("the shares sum to {sum}"))?;
    for (count, share) in counts(&answers).iter().zip(shares) {
        let (off, bound) =
            ((count / keys - share).abs(), SIGMAS * (share * (1.0 - share) / keys).sqrt());
        ensure(off <= bound, || format!("share {share:.4} is off by {off:.5}, over {bound:.5}"))?;
    }
    Ok(())
}

#[test]
fn ownership_is_where_the_keys_live() {
    hold(ownership_holds, |s| s.fixture.facts.ownership);
    notice(ownership_holds, "ring", Fault::SwapsShares);
    notice(ownership_holds, "maglev", Fault::SwapsShares);
}

/// Ranges over keys of a batch: short and long ones, and prefixes of texts.
fn ranges(batch: &KeyBatch) -> Vec<KeyRange> {
    let mut places: Vec<Position> =
        (0..batch.len()).step_by(29).map(|row| Position::of(batch, row)).collect();
    places.sort_unstable();
    places.dedup();
    let between = |a: usize, b: usize| {
        let (from, to) = (places.get(a).cloned(), places.get(b).cloned());
        KeyRange { from, to }
    };
    let mut ranges = Vec::new();
    for at in (0..places.len()).step_by(5) {
        ranges.extend([between(at, at + 1), between(at, at + 40), between(places.len(), at)]);
        if let Position::Text(text) = &places[at] {
            for len in [1, 4, 8, 10, text.len() - 1, text.len()] {
                ranges.push(KeyRange::beginning_with(&text[..len.min(text.len())]));
            }
        }
    }
    ranges
}

/// Where a router says that it need not ask all nodes, those that it asks hold all that lies in the range.
fn owners_include(
    placement: &dyn Placement,
    batch: &KeyBatch,
    slots: &[Slot],
    range: &KeyRange,
) -> Result<(), String> {
    let Some(owners) = strategy::owners_of(placement, range) else { return Ok(()) };
    let distinct: BTreeSet<&Slot> = owners.iter().collect();
    ensure(distinct.len() == owners.len(), || format!("{range:?}: {owners:?} repeat"))?;
    for row in (0..batch.len()).filter(|&row| range.holds(batch, row)) {
        let slot = slots[row];
        let among = slot.node().is_none() || owners.contains(&slot);
        ensure(among, || format!("{}: {slot:?} is not among {owners:?}", batch.key(row)))?;
    }
    Ok(())
}

/// A router that asks the owners of a range misses none of its keys.
fn owners_hold(subject: &Subject) -> Result<(), String> {
    let placement = subject.build(&cluster(8));
    let sample = subject.sample(KEYS);
    let slots = place(placement.as_ref(), &sample, 1);
    let ranges = ranges(&sample[0]);
    ranges.iter().try_for_each(|r| owners_include(placement.as_ref(), &sample[0], &slots, r))
}

/// The order of the keys says where a range lives.
fn order_tells(subject: &Subject) -> Result<(), String> {
    let placement = subject.build(&cluster(8));
    let ranges = ranges(&subject.sample(KEYS)[0]);
    let told = ranges.iter().filter(|range| placement.owners(range).is_some()).count();
    ensure(told > 0, || "no range has owners".into())
}

#[test]
fn owners_of_ranges_hold_all_of_them() {
    hold(owners_hold, |_| true);
    notice(owners_hold, "range", Fault::ForgetsOwners);
    let by_order = |s: &Subject| match s.info.name {
        "range" | "mixed" | "embedded-id" => true,
        "table" => s.name.contains("by=range"),
        _ => false,
    };
    hold(order_tells, by_order);
}

/// Three replicas on three nodes, the first where a single one would be; of two nodes, two.
fn replicas_distinct(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let placement = subject.try_build(&cluster(8), 3).map_err(|e| e.to_string())?;
    let primaries = place(subject.build(&cluster(8)).as_ref(), &sample, 1);
    for (replicas, primary) in place(placement.as_ref(), &sample, 3).chunks(3).zip(primaries) {
        ensure(replicas[0] == primary, || "the first replica is not the primary".into())?;
        let distinct: BTreeSet<&Slot> = replicas.iter().collect();
        let nodes = replicas.iter().all(|s| s.node().is_some());
        ensure(distinct.len() == 3 && nodes, || format!("replicas on {replicas:?}"))?;
    }
    let few = subject.try_build(&cluster(2), 3).map_err(|e| e.to_string())?;
    for replicas in place(few.as_ref(), &sample, 3).chunks(3) {
        let full = replicas[2] == Slot::ABSENT && replicas[0] != replicas[1];
        ensure(full, || format!("of two nodes: {replicas:?}"))?;
    }
    Ok(())
}

#[test]
fn replicas_are_distinct_where_the_table_says() {
    hold(replicas_distinct, |s| s.fixture.facts.replicas);
    notice(replicas_distinct, "ring", Fault::RepeatsReplicas);
    for subject in subject::all().iter().filter(|s| !s.fixture.facts.replicas) {
        let error = subject.try_build(&cluster(8), 3).expect_err("it has no replicas");
        assert_eq!(error.kind, ErrorKind::Unsupported, "{}: {error}", subject.name);
    }
}

/// At every moment no node holds more than ⌈1.25·m·w/Σw⌉ requests (the default factor).
fn sessions_bounded(subject: &Subject) -> Result<(), String> {
    for cluster in [cluster(8), weighted()] {
        let placement = subject.try_build(&cluster, 1).map_err(|e| e.to_string())?;
        let mut session = placement.session().ok_or("no session is given")?;
        let total = cluster.total_weight();
        let mut loads = vec![0u64; cluster.ids];
        let (mut open, mut elsewhere) = (0u64, 0);
        for batch in subject.sample(KEYS).iter() {
            let mut homes = vec![Slot::ABSENT; batch.len()];
            placement.place(batch, &mut homes);
            let digests = batch.digests(&placement.columns()[0]);
            for (digest, home) in digests.iter().zip(homes) {
                let slot = session.route(&[*digest]);
                open += 1;
                elsewhere += usize::from(slot != home);
                let node = slot.node().and_then(|id| cluster.node(id)).ok_or("no member")?;
                loads[slot.0 as usize] += 1;
                // Weights are multiples of a half: ⌈(5/4)·m·2w / 2Σw⌉ in whole numbers.
                let (w, sum) = ((2.0 * node.weight) as u64, (2.0 * total) as u64);
                let cap = (5 * open * w).div_ceil(4 * sum);
                let load = loads[slot.0 as usize];
                ensure(load <= cap, || {
                    format!("{load} of {open} requests on {}, cap {cap}", node.name)
                })?;
            }
        }
        ensure(elsewhere > 0, || "no request ever met a full node".into())?;
    }
    Ok(())
}

#[test]
fn sessions_keep_their_bound() {
    hold(sessions_bounded, |s| s.fixture.facts.sessions);
    notice(sessions_bounded, "bounded-ring", Fault::Overloads);
}
