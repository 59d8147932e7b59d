//! Contracts on what a change of the cluster moves, and on what it leaves behind.

use shardlab::cluster::{ChangeKind, Cluster, NodeId};
use shardlab::error::ErrorKind;
use shardlab::strategy::{History, Movement, Placement, Slot, Weights};

use crate::broken::Fault;
use crate::facts::{Gains, Restore};
use crate::subject::{self, Subject, cluster, weighted, with, without};
use crate::{KEYS, ensure, hold, hold_where, notice};

/// What moved between two lists of answers: in all, and other than to or from one node.
fn moves(before: &[Slot], after: &[Slot], other_than: impl Fn(Slot, Slot) -> bool) -> [usize; 2] {
    let moved = || before.iter().zip(after).filter(|(b, a)| b != a);
    [moved().count(), moved().filter(|(b, a)| other_than(**b, **a)).count()]
}

/// Movement by the table's measure: `share` is the least that must move.
fn movement([moved, needless]: [usize; 2], share: f64) -> Movement {
    match (moved, needless) {
        (_, 0) => Movement::Minimal,
        (moved, _) if moved as f64 <= 3.0 * share * KEYS as f64 => Movement::Bounded,
        _ => Movement::Full,
    }
}

fn expect_movement(got: Movement, want: Movement, moves: [usize; 2]) -> Result<(), String> {
    ensure(got == want, || format!("movement is {got:?}, not {want:?}: {moves:?} of {KEYS}"))
}

fn add(id: u32) -> ChangeKind {
    ChangeKind::Add(vec![NodeId(id)])
}

fn remove(id: u32) -> ChangeKind {
    ChangeKind::Remove(vec![NodeId(id)])
}

/// The clusters that changes start from: with unequal weights too, where the strategy knows them.
fn starts(subject: &Subject) -> Vec<Cluster> {
    match subject.fixture.facts.weights {
        Weights::Exact | Weights::Rounded => vec![cluster(8), weighted()],
        Weights::Equal | Weights::Fixed => vec![cluster(8)],
    }
}

/// An added node takes what the table says, and other keys move as it says.
fn adds(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for before in starts(subject) {
        let mut after = with(&before, 8);
        if !before.is_unweighted() {
            after.nodes[8].weight = 2.0;
        }
        let old = subject.build(&before);
        let new = subject.evolve(old.as_ref(), add(8), &after);
        let old = subject.answers(old.as_ref(), &sample);
        let new = subject.answers(new.as_ref(), &sample);
        let gains = subject.fixture.facts.gains;
        ensure(new.contains(&Slot(8)) == (gains != Gains::Nothing), || match gains {
            Gains::Nothing => "the new node gets keys".into(),
            _ => "the new node gets nothing".into(),
        })?;
        for (from, _) in old.iter().zip(&new).filter(|(_, to)| **to == Slot(8)) {
            let source = match gains {
                Gains::Outcome(outcome) => *from == outcome,
                _ => from.node().is_some(),
            };
            ensure(source, || format!("the new node takes a key from {from:?}"))?;
        }
        let moves = moves(&old, &new, |_, to| to != Slot(8));
        let share = after.nodes[8].weight / after.total_weight();
        expect_movement(movement(moves, share), subject.fixture.facts.add, moves)?;
    }
    Ok(())
}

#[test]
fn added_nodes_take_keys_as_the_table_says() {
    hold(adds, |_| true);
    notice(adds, "ring", Fault::Reshuffles);
    notice(adds, "ring", Fault::ReshufflesMost);
    notice(adds, "maglev", Fault::ReshufflesMost);
}

/// A removed node's keys go where the table says, and other keys move as it says.
fn removals(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    for before in starts(subject) {
        let after = without(&before, 1);
        let old = subject.build(&before);
        let new = subject
            .try_evolve(old.as_ref(), remove(1), &after)
            .map_err(|e| format!("removal fails: {e}"))?;
        let old = subject.answers(old.as_ref(), &sample);
        let new = subject.answers(new.as_ref(), &sample);
        ensure(old.contains(&Slot(1)), || "the removed node had no keys".into())?;
        ensure(!new.contains(&Slot(1)), || "the removed node keeps keys".into())?;
        for (_, to) in old.iter().zip(&new).filter(|(from, _)| **from == Slot(1)) {
            let target = match subject.fixture.facts.orphans {
                Some(outcome) => *to == outcome,
                None => to.node().is_some(),
            };
            ensure(target, || format!("a key of the removed node ends at {to:?}"))?;
        }
        let moves = moves(&old, &new, |from, _| from != Slot(1));
        let share = before.nodes[1].weight / before.total_weight();
        expect_movement(movement(moves, share), subject.fixture.facts.remove, moves)?;
    }
    Ok(())
}

#[test]
fn removed_nodes_give_keys_as_the_table_says() {
    hold(removals, |s| s.fixture.facts.removable);
    notice(removals, "ring", Fault::Reshuffles);
    notice(removals, "ring", Fault::Sleeps);
    for subject in subject::all().iter().filter(|s| !s.fixture.facts.removable) {
        let before = subject.build(&cluster(8));
        let error = subject
            .try_evolve(before.as_ref(), remove(1), &without(&cluster(8), 1))
            .expect_err("removal is unsupported");
        assert_eq!(error.kind, ErrorKind::Unsupported, "{}: {error}", subject.name);
    }
}

/// The placement after changes is that of the cluster they lead to.
fn history_free(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let start = cluster(8);
    let first = subject.build(&start);
    let change =
        |from: &dyn Placement, kind: ChangeKind, to: &Cluster| subject.evolve(from, kind, to);

    let grown = change(first.as_ref(), add(9), &with(&start, 9));
    let back = change(grown.as_ref(), remove(9), &start);
    let same = subject.answers(first.as_ref(), &sample) == subject.answers(back.as_ref(), &sample);
    ensure(same, || "adding a node and removing it again leaves a trace".into())?;

    let gone = without(&start, 1);
    let shrunk = change(first.as_ref(), remove(1), &gone);
    let rejoined = with(&gone, 1);
    let evolved = change(shrunk.as_ref(), add(1), &rejoined);
    let fresh = subject.build(&rejoined);
    let same =
        subject.answers(fresh.as_ref(), &sample) == subject.answers(evolved.as_ref(), &sample);
    ensure(same, || "the placement differs from a fresh one of the same cluster".into())
}

#[test]
fn history_matters_only_where_the_table_says() {
    hold_where(history_free, |s| {
        let facts = s.fixture.facts;
        facts.removable.then_some(facts.history == History::Free)
    });
    notice(history_free, "ring", Fault::Sleeps);
}

/// A node that was removed and added again has its keys back as the table says.
fn restored(subject: &Subject) -> Result<(), String> {
    let sample = subject.sample(KEYS);
    let start = cluster(8);
    let first = subject.build(&start);
    let gone = without(&start, 1);
    let shrunk = subject.evolve(first.as_ref(), remove(1), &gone);
    let first = subject.answers(first.as_ref(), &sample);
    let [in_place, at_the_end] = [start, with(&gone, 1)].map(|rejoined| {
        let again = subject.evolve(shrunk.as_ref(), add(1), &rejoined);
        subject.answers(again.as_ref(), &sample) == first
    });
    let got = match (in_place, at_the_end) {
        (true, true) => Restore::Always,
        (true, false) => Restore::InPlace,
        (false, false) => Restore::Never,
        (false, true) => return Err("restored at the end of the list only".into()),
    };
    let want = subject.fixture.facts.restore;
    ensure(got == want, || format!("restored: {got:?}, not {want:?}"))
}

#[test]
fn a_node_that_comes_back_has_its_keys_as_the_table_says() {
    hold_where(restored, |s| s.fixture.facts.removable.then_some(true));
    notice(restored, "ring", Fault::Sleeps);
}
