//! The contracts of presets over random clusters and random sequences of changes. What must hold is what
//! a preset's own facts say; that they are those of the real system is tested beside it, on recorded
//! outputs. What the facts exclude must fail on some walk.

use std::collections::BTreeMap;

use shardlab::cluster::{ChangeKind, Cluster, Node, NodeId};
use shardlab::hash::mix::fmix64;
use shardlab::keys::KeyKind;
use shardlab::params::Default;
use shardlab::preset;
use shardlab::rng::{Purpose, Stream};
use shardlab::strategy::{
    History, Movement, Order, Ownership, Placement, Slot, StrategyInfo, Weights, place_one,
};

use crate::broken::Fault;
use crate::facts::{Facts, Fixture, Gains, Given, Keys, Restore};
use crate::subject::{Subject, address, place};
use crate::{SIGMAS, ensure, owned};

/// Random clusters, each changed at random some times.
const WALKS: u64 = 3;
/// Changes of a walk.
const CHANGES: usize = 5;
/// Keys that are followed.
const KEYS: usize = 4000;
/// Keys for shares.
const MANY_KEYS: usize = 20_000;

const TEXTS: Keys = Keys { kind: KeyKind::Text, text: |i| format!("{:016x}", fmix64(i)) };
/// Clients, of whose addresses nginx-ip-hash reads three bytes.
const CLIENTS: Keys = Keys {
    kind: KeyKind::Text,
    text: |i| {
        let [a, b, c, d, ..] = fmix64(i).to_be_bytes();
        format!("{}.{b}.{c}.{d}", a % 223 + 1)
    },
};
const INTEGERS: Keys = Keys { kind: KeyKind::I64, text: |i| (fmix64(i) as i64).to_string() };
const UUIDS: Keys =
    Keys { kind: KeyKind::Uuid, text: |i| format!("{:016x}{:016x}", fmix64(i), fmix64(!i)) };

/// The cluster at each step of a walk, and the change that led there.
type Walk = Vec<(Option<ChangeKind>, Cluster)>;

/// A contract of a walk: Err says what breaks it.
type Contract = fn(&Subject, &Walk) -> Result<(), String>;

/// What a preset says of itself.
fn facts(info: &StrategyInfo) -> Facts {
    Facts {
        add: info.movement,
        gains: Gains::Keys,
        remove: info.movement,
        removable: true,
        orphans: None,
        restore: Restore::InPlace,
        history: info.history,
        order: info.order,
        weights: info.caps.weights,
        names: info.caps.names,
        replicas: info.caps.replicas,
        sessions: info.caps.sessions,
        ownership: false,
        outcomes: true,
        random: false,
        to_the_entry: false,
        least: 1,
    }
}

fn subject(
    info: &'static StrategyInfo,
    given: &'static [(&'static str, Given)],
    keys: Keys,
    fault: Option<Fault>,
) -> Option<Subject> {
    let (strategy, facts) = (info.name, facts(info));
    let row = Fixture { strategy, given, hashers: &[], keys, default: true, facts };
    Subject::preset(row, info, fault)
}

/// A number of partitions for systems that have as many as nodes unless told otherwise: then nodes only
/// hand partitions on, and which of them do depends on the past.
const DEALT: [&[(&str, Given)]; 2] =
    [&[("partitions", Given::Int(24))], &[("parallelism", Given::Int(24))]];

/// Every preset with each kind of keys that it takes; its facts hold for all its parameters together.
fn all() -> Vec<Subject> {
    let mut subjects = Vec::new();
    for preset in preset::ALL {
        let info = &preset.strategy;
        let texts = if info.name == "nginx-ip-hash" { CLIENTS } else { TEXTS };
        let before = subjects.len();
        let kinds = [texts, INTEGERS, UUIDS];
        subjects.extend(kinds.into_iter().filter_map(|keys| subject(info, &[], keys, None)));
        let is_free =
            |name| info.params.iter().any(|p| p.name == name && p.default == Default::Absent);
        for given in DEALT.into_iter().filter(|given| is_free(given[0].0)) {
            let kinds = [texts, INTEGERS].into_iter();
            subjects.extend(kinds.filter_map(|keys| subject(info, given, keys, None)));
        }
        assert!(subjects.len() > before, "{} takes no kind of key", info.name);
    }
    subjects
}

/// A random cluster and what random joins and departures make of it; nodes that left may come back.
fn walk(seed: u64, weights: bool) -> Walk {
    let mut stream = Stream::new(seed, Purpose::Trials, 0);
    let node = |id: u32| {
        let mut node = Node::named(id, &format!("db{id}"));
        address(&mut node);
        if weights {
            node.weight = f64::from(1 + (fmix64(u64::from(id) ^ seed << 8) % 20) as u32);
        }
        node
    };
    let mut ids: Vec<u32> = (0..12).collect();
    stream.shuffle(&mut ids);
    let start = 2 + stream.below(7) as usize;
    let nodes = ids[..start].iter().map(|&id| node(id)).collect();
    let mut cluster = Cluster { nodes, ids: 12, ..Cluster::default() };
    let mut steps: Walk = vec![(None, cluster.clone())];
    for _ in 0..CHANGES {
        let absent: Vec<u32> = (0..12).filter(|id| cluster.node(NodeId(*id)).is_none()).collect();
        let joins = !absent.is_empty() && (cluster.nodes.len() < 3 || stream.below(2) == 0);
        let kind = if joins {
            let id = absent[stream.below(absent.len() as u64) as usize];
            cluster.nodes.push(node(id));
            ChangeKind::Add(vec![NodeId(id)])
        } else {
            let at = stream.below(cluster.nodes.len() as u64) as usize;
            ChangeKind::Remove(vec![cluster.nodes.remove(at).id])
        };
        steps.push((Some(kind), cluster.clone()));
    }
    steps
}

/// All walks that a preset can take: with weights too, where it knows them.
fn walks(subject: &Subject) -> Vec<(String, Walk)> {
    let weighted: &[bool] = match subject.info.caps.weights {
        Weights::Exact | Weights::Rounded => &[false, true],
        Weights::Equal | Weights::Fixed => &[false],
    };
    let seeds = (0..WALKS).flat_map(|seed| weighted.iter().map(move |&weights| (seed, weights)));
    let told = |(seed, weights)| {
        let what = if weights { "with weights" } else { "without weights" };
        (format!("walk {seed} {what}"), walk(seed, weights))
    };
    seeds.map(told).collect()
}

/// The placement of each step, each from the one before.
fn evolved(subject: &Subject, walk: &Walk) -> Result<Vec<Box<dyn Placement>>, String> {
    let mut placements: Vec<Box<dyn Placement>> = Vec::new();
    for (change, cluster) in walk {
        let next = match (change, placements.last()) {
            (Some(kind), Some(before)) => {
                subject.try_evolve(before.as_ref(), kind.clone(), cluster)
            }
            _ => subject.try_build(cluster, 1),
        };
        placements.push(next.map_err(|error| error.to_string())?);
    }
    Ok(placements)
}

/// The contract holds on every walk of those presets for which it is required, and fails on some walk of
/// each of the others; None: not judged.
fn hold(contract: Contract, required: impl Fn(&StrategyInfo) -> Option<bool>) {
    let mut excluded: BTreeMap<&str, bool> = BTreeMap::new();
    for subject in all() {
        let Some(required) = required(subject.info) else { continue };
        let broken = walks(&subject).into_iter().find_map(|(name, walk)| {
            contract(&subject, &walk).err().map(|why| format!("{name}: {why}"))
        });
        match (required, broken) {
            (true, Some(why)) => panic!("{}: {why}", subject.name),
            (true, None) => {}
            // A system may do for one kind of keys what it does not for another.
            (false, broken) => *excluded.entry(subject.info.name).or_default() |= broken.is_some(),
        }
    }
    let passing: Vec<&str> =
        excluded.iter().filter(|(_, fails)| !**fails).map(|(name, _)| *name).collect();
    assert!(passing.is_empty(), "hold, and their facts say they must not: {passing:?}");
}

/// A broken copy of a preset breaks the contract.
fn notice(contract: Contract, preset: &str, fault: Fault) {
    let info = preset::find(preset).expect("a preset");
    let subject = subject(info, &[], TEXTS, Some(fault)).expect("it takes texts");
    let passes = walks(&subject).iter().all(|(_, walk)| contract(&subject, walk).is_ok());
    assert!(!passes, "{preset} with {fault:?} passes");
}

/// Every key lives on a member of the cluster of its step or ends in an outcome.
fn on_members(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for (placement, (_, cluster)) in evolved(subject, walk)?.iter().zip(walk) {
        for slot in subject.answers(placement.as_ref(), &sample) {
            let member = slot.node().is_none_or(|id| cluster.node(id).is_some());
            ensure(member, || format!("{slot:?} is no member of {} nodes", cluster.nodes.len()))?;
        }
    }
    Ok(())
}

#[test]
fn keys_of_presets_live_on_members_after_any_changes() {
    hold(on_members, |_| Some(true));
    notice(on_members, "libketama", Fault::OutOfRange);
    notice(on_members, "libketama", Fault::Sleeps);
}

/// The same changes lead to the same answers, however often one asks.
fn repeatable(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for (one, other) in evolved(subject, walk)?.iter().zip(evolved(subject, walk)?) {
        let first = subject.answers(one.as_ref(), &sample);
        ensure(first == subject.answers(one.as_ref(), &sample), || "asked again".into())?;
        ensure(first == subject.answers(other.as_ref(), &sample), || "built again".into())?;
    }
    Ok(())
}

#[test]
fn answers_of_presets_are_deterministic_after_any_changes() {
    hold(repeatable, |_| Some(true));
    notice(repeatable, "libketama", Fault::Flaky);
}

/// A batch, a single key and an explanation give the same answer.
fn ways_agree(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for placement in evolved(subject, walk)? {
        let slots = place(placement.as_ref(), &sample, 1);
        for row in (0..KEYS).step_by(240) {
            let key = sample[0].key(row);
            let one = place_one(placement.as_ref(), &key);
            ensure(one == slots[row], || format!("{key}: {one:?}, in a batch {:?}", slots[row]))?;
            let told = placement.explain(&key);
            ensure(told.slot == one, || format!("{key}: {one:?}, explained {:?}", told.slot))?;
            ensure(!told.steps.is_empty(), || format!("{key}: nothing is explained"))?;
        }
    }
    Ok(())
}

#[test]
fn batches_single_keys_and_explanations_of_presets_agree_after_any_changes() {
    hold(ways_agree, |_| Some(true));
    notice(ways_agree, "libketama", Fault::SingleDiffers);
    notice(ways_agree, "libketama", Fault::ExplainsWrong);
}

/// A change moves keys only to nodes that join and from nodes that leave; which of the two is judged is
/// `wanted`.
fn minimal(subject: &Subject, walk: &Walk, wanted: fn(&ChangeKind) -> bool) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let placements = evolved(subject, walk)?;
    let answers: Vec<Vec<Slot>> =
        placements.iter().map(|p| subject.answers(p.as_ref(), &sample)).collect();
    for (pair, (change, _)) in answers.windows(2).zip(&walk[1..]) {
        let Some(kind) = change.as_ref().filter(|kind| wanted(kind)) else { continue };
        let needless = pair[0].iter().zip(&pair[1]).find(|(from, to)| {
            from != to
                && match kind {
                    ChangeKind::Add(ids) => to.node() != Some(ids[0]),
                    ChangeKind::Remove(ids) => from.node() != Some(ids[0]),
                    _ => unreachable!("walks only add and remove"),
                }
        });
        ensure(needless.is_none(), || format!("{kind:?} moves a key as in {needless:?}"))?;
    }
    Ok(())
}

/// CRUSH moves more than the minimum only through the failure domains of a map file, which fixes its
/// devices: flat, it is like straw2.
fn judged(info: &StrategyInfo) -> bool {
    info.name != "crush"
}

fn adds_minimal(subject: &Subject, walk: &Walk) -> Result<(), String> {
    minimal(subject, walk, |kind| matches!(kind, ChangeKind::Add(_)))
}

fn removes_minimal(subject: &Subject, walk: &Walk) -> Result<(), String> {
    minimal(subject, walk, |kind| matches!(kind, ChangeKind::Remove(_)))
}

#[test]
fn joining_nodes_alone_take_keys_where_a_preset_says_so() {
    hold(adds_minimal, |info| judged(info).then_some(info.movement == Movement::Minimal));
    notice(adds_minimal, "libketama", Fault::Reshuffles);
}

#[test]
fn leaving_nodes_alone_give_keys_where_a_preset_says_so() {
    // Where places in a list are what counts, those behind a gap move up.
    let minimal = |info: &StrategyInfo| info.movement == Movement::Minimal && !info.caps.positional;
    hold(removes_minimal, |info| judged(info).then_some(minimal(info)));
    notice(removes_minimal, "libketama", Fault::Reshuffles);
}

/// What changes lead to is the placement of the cluster that they lead to: a cluster that comes back has
/// its keys back.
fn history_free(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for (placement, (_, cluster)) in evolved(subject, walk)?.iter().zip(walk) {
        let fresh = subject.try_build(cluster, 1).map_err(|error| error.to_string())?;
        let same = subject.answers(placement.as_ref(), &sample)
            == subject.answers(fresh.as_ref(), &sample);
        ensure(same, || format!("{} nodes remember how they came about", cluster.nodes.len()))?;
    }
    // And all the way back.
    let mut back = walk.clone();
    for (at, (change, _)) in walk.iter().enumerate().skip(1).rev() {
        let undone = match change {
            Some(ChangeKind::Add(ids)) => ChangeKind::Remove(ids.clone()),
            Some(ChangeKind::Remove(ids)) => ChangeKind::Add(ids.clone()),
            _ => unreachable!("walks only add and remove"),
        };
        back.push((Some(undone), walk[at - 1].1.clone()));
    }
    let placements = evolved(subject, &back)?;
    let [first, last] = [placements.first(), placements.last()]
        .map(|placement| subject.answers(placement.expect("a walk has steps").as_ref(), &sample));
    ensure(first == last, || "the first cluster does not get its keys back".into())
}

#[test]
fn the_past_matters_only_where_a_preset_says_so() {
    hold(history_free, |info| Some(info.history == History::Free));
    notice(history_free, "libketama", Fault::Sleeps);
}

/// The order of the servers does not matter.
fn order_free(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for (at, (_, cluster)) in walk.iter().enumerate() {
        let mut other = cluster.clone();
        Stream::new(at as u64, Purpose::Trials, 1).shuffle(&mut other.nodes);
        other.nodes.rotate_left(1);
        let [one, other] = [cluster, &other].map(|cluster| {
            let placement = subject.try_build(cluster, 1).map_err(|error| error.to_string())?;
            Ok::<_, String>(subject.answers(placement.as_ref(), &sample))
        });
        ensure(one? == other?, || "another order, other answers".into())?;
    }
    Ok(())
}

#[test]
fn the_order_of_servers_matters_only_where_a_preset_says_so() {
    hold(order_free, |info| Some(info.order == Order::Free));
    notice(order_free, "libketama", Fault::FollowsOrder);
}

/// Keys fall where the ownership says, where there is one: segments to the digest, shares to within the
/// sampling.
fn ownership_holds(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(MANY_KEYS);
    for placement in evolved(subject, walk)?.iter().step_by(2) {
        let Some(ownership) = placement.ownership() else { continue };
        let slots = place(placement.as_ref(), &sample, 1);
        if let Ownership::Segments { segments, .. } = &ownership {
            let column = &placement.columns()[0];
            let digests = sample.iter().flat_map(|batch| batch.digests(column));
            for (digest, slot) in digests.zip(&slots).filter(|(_, slot)| slot.node().is_some()) {
                let at = segments.partition_point(|(end, _)| end < digest);
                ensure(segments[at].1 == *slot, || format!("{digest:#x} is not {slot:?}'s"))?;
            }
        }
        let keys = slots.len() as f64;
        for (id, share) in owned(&ownership).into_iter().enumerate() {
            let got = slots.iter().filter(|slot| slot.index(12) == id).count() as f64 / keys;
            let bound = SIGMAS * (share * (1.0 - share) / keys).sqrt() + 1e-9;
            ensure((got - share).abs() <= bound, || {
                format!("node {id} owns {share:.4} and has {got:.4}, off by over {bound:.4}")
            })?;
        }
    }
    Ok(())
}

#[test]
fn ownership_of_presets_is_where_keys_live_after_any_changes() {
    hold(ownership_holds, |_| Some(true));
    notice(ownership_holds, "libketama", Fault::SwapsShares);
}

/// No node holds a key of a range that a router would not ask.
fn owners_hold(subject: &Subject, walk: &Walk) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for placement in evolved(subject, walk)?.iter().step_by(2) {
        let slots = place(placement.as_ref(), &sample, 1);
        for range in crate::ranges(&sample[0]) {
            crate::owners_include(placement.as_ref(), &sample[0], &slots, &range)?;
        }
    }
    Ok(())
}

#[test]
fn owners_of_ranges_hold_all_of_them_for_presets_too() {
    hold(owners_hold, |_| Some(true));
}
