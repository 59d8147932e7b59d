//! What holds for every preset, whatever system it models. That each agrees with its system is tested
//! beside it, on recorded outputs; what changes of the cluster do stands in `contracts/presets.rs`.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use shardlab::cluster::{Cluster, Node};
use shardlab::error::ErrorKind;
use shardlab::hash::mix::fmix64;
use shardlab::keys::{Digester, Key, KeyBatch, KeyKind};
use shardlab::params::Params;
use shardlab::preset::{self, Answer, PresetInfo};
use shardlab::strategy::{Build, Placement, Slot, Weights};

fn cluster(n: u32) -> Cluster {
    let node = |i: u32| {
        let mut node = Node::named(i, &format!("10.0.0.{}:11211", i + 1));
        node.host = Some(format!("10.0.0.{}", i + 1).into());
        node.port = Some(11211);
        node
    };
    Cluster { nodes: (0..n).map(node).collect(), ids: n as usize, ..Cluster::default() }
}

/// The preset with its defaults; None where it needs what a plain cluster has not.
fn build(preset: &PresetInfo, cluster: &Cluster, keys: KeyKind) -> Option<Box<dyn Placement>> {
    let params = Params::from_pairs(preset.strategy.params, Vec::new()).ok()?;
    let base = Path::new(".");
    let build = Build { cluster, params: &params, keys, replicas: 1, base };
    match preset.strategy.place(&build) {
        Ok(placement) => Some(placement),
        Err(error) if error.kind == ErrorKind::Unsupported => None,
        Err(error) => panic!("{preset:?}: {error}"),
    }
}

/// Keys of a kind that the preset takes.
fn keys(preset: &PresetInfo, kind: KeyKind, count: u64) -> KeyBatch {
    // Its keys are clients' addresses, of which the first three bytes count.
    let addresses = preset.strategy.name == "nginx-ip-hash";
    let mut batch = KeyBatch::new(kind);
    for i in 0..count {
        match kind {
            // Most are small, as ids are; systems that do not hash integers need the others.
            KeyKind::I64 if i % 3 == 0 => batch.push(&Key::I64(fmix64(i) as i64)),
            KeyKind::Text if addresses => {
                batch.push(&Key::Text(&format!("10.{}.{}.7", i / 256, i % 256)));
            }
            KeyKind::I64 => batch.push(&Key::I64(i as i64 * 7919 - 300)),
            KeyKind::Uuid => batch.push(&Key::Uuid(u128::from(i) << 64 | 0x1234_5678_9abc_def0)),
            _ => batch.push(&Key::Text(&format!("user:{i}"))),
        }
    }
    batch
}

fn place(placement: &dyn Placement, batch: &KeyBatch) -> Vec<Slot> {
    let mut batch = batch.clone();
    Digester::new(placement.columns()).compute(&mut batch);
    let mut out = vec![Slot::ABSENT; batch.len()];
    placement.place(&batch, &mut out);
    out
}

/// Calls `check` for every preset with the kinds of keys that it takes.
fn each(check: impl Fn(&PresetInfo, KeyKind, &dyn Placement, &KeyBatch)) {
    for preset in preset::ALL {
        let mut kinds = 0;
        for kind in [KeyKind::Text, KeyKind::I64, KeyKind::Uuid] {
            let Some(placement) = build(preset, &cluster(8), kind) else { continue };
            check(preset, kind, placement.as_ref(), &keys(preset, kind, 2000));
            kinds += 1;
        }
        assert!(kinds > 0, "{preset:?} takes no kind of key by default");
    }
}

#[test]
fn keys_live_on_nodes_of_the_cluster() {
    // By name of the preset: a system may leave nodes empty for keys of one kind (MariaDB does).
    let used = RefCell::new(BTreeMap::<&str, BTreeSet<Slot>>::new());
    each(|preset, kind, placement, batch| {
        let slots = place(placement, batch);
        let placed = slots.iter().filter(|s| s.node().is_some_and(|id| id.0 < 8)).count();
        let outcomes = slots.iter().filter(|s| s.node().is_none()).count();
        assert_eq!(placed + outcomes, slots.len(), "{preset:?} {kind:?}");
        assert!(placed * 2 > slots.len(), "{preset:?} {kind:?}: only {placed} placed");
        used.borrow_mut().entry(preset.strategy.name).or_default().extend(slots);
    });
    for (preset, slots) in used.into_inner() {
        for node in 0..8 {
            assert!(slots.contains(&Slot(node)), "{preset}: node {node} has no key of any kind");
        }
    }
}

#[test]
fn systems_without_weights_refuse_them_and_others_honour_them() {
    for preset in preset::ALL {
        let mut weighted = cluster(4);
        weighted.nodes[2].weight = 5.0;
        let Some(_) = build(preset, &cluster(4), KeyKind::Text) else { continue };
        let placement = build(preset, &weighted, KeyKind::Text);
        assert_eq!(
            placement.is_none(),
            preset.strategy.caps.weights == Weights::Equal,
            "{preset:?}"
        );
        let heavy = |placement: &dyn Placement| {
            let slots = place(placement, &keys(preset, KeyKind::Text, 20_000));
            slots.iter().filter(|s| **s == Slot(2)).count()
        };
        if let Some(placement) = placement
            && preset.strategy.caps.weights != Weights::Fixed
        {
            let (more, fair) = (heavy(placement.as_ref()), 20_000 / 4);
            assert!(more > fair * 3 / 2, "{preset:?}: {more} keys at weight 5 of 8");
        }
    }
}

#[test]
fn partitions_have_numbers_without_nodes() {
    for preset in preset::ALL.iter().filter(|p| p.answer == Answer::Partition) {
        let none = Cluster::default();
        let given = vec![("partitions".to_string(), shardlab::params::Value::Int(12))];
        let Ok(params) = Params::from_pairs(preset.strategy.params, given) else { continue };
        let mut used = BTreeSet::new();
        for kind in [KeyKind::Text, KeyKind::I64, KeyKind::Uuid] {
            let base = Path::new(".");
            let build = Build { cluster: &none, params: &params, keys: kind, replicas: 1, base };
            let Ok(placement) = preset.strategy.place(&build) else { continue };
            let slots = place(placement.as_ref(), &keys(preset, kind, 2000));
            assert!(slots.iter().all(|s| s.node().is_none_or(|id| id.0 < 12)), "{preset:?}");
            used.extend(slots);
        }
        for number in 0..12 {
            assert!(used.contains(&Slot(number)), "{preset:?}: {number} is unused");
        }
    }
}

#[test]
fn those_with_sessions_give_them_and_start_where_an_idle_system_does() {
    for preset in preset::ALL {
        let Some(placement) = build(preset, &cluster(8), KeyKind::Text) else { continue };
        assert_eq!(placement.session().is_some(), preset.strategy.caps.sessions, "{preset:?}");
        let Some(_) = placement.session() else { continue };
        let mut batch = keys(preset, KeyKind::Text, 200);
        let slots = place(placement.as_ref(), &batch);
        Digester::new(placement.columns()).compute(&mut batch);
        for (row, slot) in slots.iter().enumerate() {
            let column = |spec| batch.digests(spec)[row];
            let digests: Vec<u64> = placement.columns().iter().map(column).collect();
            let mut session = placement.session().unwrap();
            assert_eq!(session.route(&digests), *slot, "{preset:?} row {row}");
            // A hundred of one key do not all stay there.
            let all_there = (0..100).all(|_| session.route(&digests) == *slot);
            assert!(!all_there, "{preset:?} row {row}");
        }
    }
}

#[test]
fn servers_without_weights_of_their_kind_are_refused_with_the_reason() {
    for preset in preset::ALL.iter().filter(|p| p.answer == Answer::Server) {
        let mut fractional = cluster(4);
        fractional.nodes[2].weight = 1.5;
        let params = Params::from_pairs(preset.strategy.params, Vec::new()).unwrap();
        let (kind, base) = (KeyKind::Text, Path::new("."));
        let build = Build { cluster: &fractional, params: &params, keys: kind, replicas: 1, base };
        match preset.strategy.place(&build) {
            // Weights that the system takes in fractions, or takes and does not use.
            Ok(_) if preset.strategy.name == "crush" => {}
            Ok(_) => assert_eq!(preset.strategy.caps.weights, Weights::Fixed, "{preset:?}"),
            Err(error) => assert_eq!(error.kind, ErrorKind::Unsupported, "{preset:?}: {error}"),
        }
    }
}

#[test]
fn clusters_of_none_and_of_one_are_no_special_case() {
    for preset in preset::ALL.iter().filter(|p| p.answer == Answer::Server) {
        let batch = keys(preset, KeyKind::Text, 500);
        let one = build(preset, &cluster(1), KeyKind::Text).unwrap();
        let slots = place(one.as_ref(), &batch);
        assert!(slots.iter().all(|s| *s == Slot(0) || *s == Slot::REFUSED), "{preset:?}");
        let params = Params::from_pairs(preset.strategy.params, Vec::new()).unwrap();
        let (none, base) = (cluster(0), Path::new("."));
        let keys = KeyKind::Text;
        let none = Build { cluster: &none, params: &params, keys, replicas: 1, base };
        let none = match preset.strategy.place(&none) {
            Ok(none) => none,
            // A table of shares has nothing to deal out to.
            Err(error) => {
                let says = ["no nodes", "no OSDs"].iter().any(|what| error.message.contains(what));
                assert!(says, "{preset:?}: {error}");
                continue;
            }
        };
        let slots = place(none.as_ref(), &batch);
        assert!(slots.iter().all(|s| *s == Slot::ABSENT || *s == Slot::REFUSED), "{preset:?}");
        if let Some(mut session) = none.session() {
            assert_eq!(session.route(&[7]), Slot::ABSENT, "{preset:?}");
        }
    }
}
