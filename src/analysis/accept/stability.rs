//! The same key on the same node: in a second run, on other numbers of threads, built anew, alone.

use super::{Check, GroupInfo, Keys, Suite};
use crate::analysis::disagree::Side;
use crate::analysis::rows::each_batch;
use crate::analysis::spread::{Router, on_threads};
use crate::error::Error;
use crate::sim::Progress;
use crate::sim::scan::scan;
use crate::strategy::{Slot, place_one};

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "stability",
    question: "Does every key get the same node again: in a second run, on any number of threads, alone?",
    run,
};

/// Keys whose nodes are compared: the first ones.
const MOST: u64 = 1_000_000;

/// Keys that are placed one by one.
const SINGLE: u64 = 10_000;

fn run(suite: &Suite<'_>, progress: &dyn Progress) -> Result<Vec<Check>, Error> {
    let keys = &suite.uniformity;
    let kind = keys.input.source.kind();
    let side = (suite.place)(kind)?;
    let router = Router { side: &side, replicas: suite.replicas };
    let session = router.has_session();
    let first = slots(router, keys, 1, progress)?;
    let rows = first.len() as u64;
    let check = |what: &str, other: &[Slot]| {
        let differ = first.iter().zip(other).filter(|(a, b)| a != b).count() as u64;
        let missing = first.len().abs_diff(other.len()) as u64;
        Check::faults(INFO.name, what.to_string(), rows, differ + missing)
    };
    let mut checks = vec![check("two runs", &slots(router, keys, 1, progress)?)];
    if session {
        checks[0].details.push(
            "open requests steer where a key goes: the runs replay the same order of requests"
                .into(),
        );
    } else {
        for threads in [2, 7] {
            let again = slots(router, keys, threads, progress)?;
            checks.push(check(&format!("1 and {threads} threads"), &again));
        }
    }
    let anew = (suite.place)(kind)?;
    let anew = Router { side: &anew, replicas: suite.replicas };
    checks.push(check("routing built anew", &slots(anew, keys, 1, progress)?));
    if !session && suite.replicas == 1 {
        checks.push(alone(&side, keys, &first)?);
    }
    if rows < keys.input.rows {
        checks[0].details.push(format!("the first {rows} keys"));
    }
    Ok(checks)
}

/// Where the first [`MOST`] rows live, in their order.
fn slots(
    router: Router<'_>,
    keys: &Keys,
    threads: usize,
    progress: &dyn Progress,
) -> Result<Vec<Slot>, Error> {
    progress.begin("comparing runs", keys.input.rows);
    let new = || (router.walk(), Vec::<(u64, Vec<Slot>)>::new());
    let parts = on_threads(threads, || {
        scan(&keys.input, router.columns(), progress, new, |(walk, parts), batch| {
            if batch.first_row < MOST {
                let slots = walk.place(batch);
                let rows = slots.len().min((MOST - batch.first_row) as usize);
                parts.push((batch.first_row, slots[..rows].to_vec()));
            }
        })
    })??;
    let mut parts: Vec<(u64, Vec<Slot>)> = parts.into_iter().flat_map(|(_, parts)| parts).collect();
    parts.sort_by_key(|(first, _)| *first);
    Ok(parts.into_iter().flat_map(|(_, slots)| slots).collect())
}

/// Key by key instead of in batches.
fn alone(side: &Side<'_>, keys: &Keys, first: &[Slot]) -> Result<Check, Error> {
    let mut row = 0;
    let mut differ = 0;
    each_batch(keys.input.source.as_ref(), SINGLE, |batch| {
        for i in 0..batch.len() {
            let slot = place_one(side.placement.as_ref(), &batch.key(i));
            let down = slot.node().is_some_and(|node| side.cluster.down.contains(&node));
            let slot = if down { Slot::ABSENT } else { slot };
            differ += u64::from(first.get(row) != Some(&slot));
            row += 1;
        }
    })?;
    Ok(Check::faults(INFO.name, "batch and single key".into(), row as u64, differ))
}
