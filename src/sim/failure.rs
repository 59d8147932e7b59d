//! What a failure does: the keys that lose their node, and who takes them.

use super::plan::PlannedCell;
use super::tally::{CellTally, LoadTally, alive};
use crate::cluster::{ChangeKind, NodeId, OnFail};
use crate::record::{FailureRecord, Lost};

/// The record of a failure at that step; None if the change is none. `names` by tally row.
pub fn failure(
    planned: &PlannedCell<'_>,
    tally: &CellTally,
    step: usize,
    names: &[String],
) -> Option<FailureRecord> {
    let change = planned.cell.steps[step].change.as_ref()?;
    let ChangeKind::Fail(failed, on_fail) = &change.kind else { return None };
    let survivors = survivors(planned, step, failed);
    let loads = tally.loads.iter().enumerate().map(|(i, load)| {
        let at = |step: usize| &tally.steps[step].loads[i];
        (load.name().to_string(), lost(at(step - 1), at(step), failed, &survivors, names))
    });
    Some(FailureRecord {
        failed: failed.iter().map(|id| names[id.0 as usize].clone()).collect(),
        on_fail: match on_fail {
            OnFail::Reroute => "reroute",
            OnFail::Unavailable => "unavailable",
        }
        .into(),
        loads: loads.collect(),
        cascade: None,
    })
}

/// Rows of the nodes that are up before and after.
fn survivors(planned: &PlannedCell<'_>, step: usize, failed: &[NodeId]) -> Vec<usize> {
    let (was, is) = (alive(planned, step - 1), alive(planned, step));
    let survives = |&row: &usize| was[row] && is[row] && !failed.contains(&NodeId(row as u32));
    (0..was.len()).filter(survives).collect()
}

fn lost(
    before: &LoadTally,
    after: &LoadTally,
    failed: &[NodeId],
    survivors: &[usize],
    names: &[String],
) -> Lost {
    let total: u128 = before.at.iter().map(|&n| u128::from(n)).sum();
    let lost: u64 = failed.iter().map(|id| before.at[id.0 as usize]).sum();
    let gain = |&row: &usize| after.at[row].saturating_sub(before.at[row]);
    // Of equal gains the first node's counts.
    let heir = survivors.iter().copied().rev().max_by_key(|row| gain(row));
    let heir = heir.filter(|row| gain(row) > 0);
    let heir_gain = heir.map_or(0, |row| gain(&row));
    let held = heir.map_or(0, |row| before.at[row]);
    Lost {
        lost,
        lost_share: if total == 0 { 0.0 } else { lost as f64 / total as f64 },
        heirs: heirs(after, failed, survivors),
        largest_heir: heir.map(|row| names[row].clone()),
        heir_gain,
        heir_gain_share: (held > 0).then(|| heir_gain as f64 / held as f64),
    }
}

/// Survivors that receive something of the nodes that fail.
fn heirs(after: &LoadTally, failed: &[NodeId], survivors: &[usize]) -> Option<u64> {
    let (pairs, sums) = (&after.moved.pairs, &after.moved.sums);
    let rows = after.at.len();
    let receives = |&&row: &&usize| {
        if pairs.is_empty() {
            sums.receives[row] > 0
        } else {
            failed.iter().any(|id| pairs[id.0 as usize * rows + row] > 0)
        }
    };
    // Without pairs, what a survivor receives may come from another survivor.
    if pairs.is_empty() && sums.between_survivors > 0 {
        return None;
    }
    Some(survivors.iter().filter(receives).count() as u64)
}
