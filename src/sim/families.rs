//! Several families of keys together: the sum of what was counted of each.
//!
//! Every family is replayed once, as a workload of its own. All counts are sums over rows, so those of the
//! families add up to the counts of all rows; nothing is placed a second time.

use super::assemble;
use super::plan::{Plan, PlannedCell};
use super::queries::{Matcher, QuerySet};
use super::replay::Replayed;
use super::session::session_cells;
use super::tally::{CellTally, Load};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::record::{CellRecord, WorkloadRecord};
use crate::scenario::{Cell, FAMILY, Scenario, Workload};

/// Why strategies with open requests have no sum.
const NO_SESSIONS: &str = "the open requests of several families are not walked together: look at the families one by one";

/// What was counted of one family.
pub struct Family<'a> {
    /// Its cells, in the order of the scenario.
    pub members: &'a [usize],
    /// The type of its keys.
    pub kind: KeyKind,
    /// The counts of its cells.
    pub replayed: &'a Replayed,
}

/// One cell of each family of `workload`, whose own cells are `members`: those beside the first of them.
pub fn of(scenario: &Scenario, workload: &Workload, members: &[usize]) -> Vec<usize> {
    let whole = &scenario.cells[members[0]];
    let beside = |family: &Workload| {
        let same = |cell: &Cell| *cell.workload == *family && same_but_family(cell, whole);
        scenario.cells.iter().position(same).expect("every family has the cells of the whole")
    };
    workload.families.iter().map(|family| beside(family)).collect()
}

/// Whether two cells differ in their family alone, as far as their axes tell.
fn same_but_family(a: &Cell, b: &Cell) -> bool {
    let axes = |cell: &Cell| {
        cell.at.0.iter().filter(|(axis, _)| axis != FAMILY).cloned().collect::<Vec<_>>()
    };
    axes(a) == axes(b)
}

/// The records of the cells of all families together.
pub fn together(
    scenario: &Scenario,
    members: &[usize],
    families: &[Family<'_>],
    done: &[Option<CellRecord>],
    most_pairs: usize,
) -> Result<Vec<CellRecord>, Error> {
    let cells: Vec<&Cell> = members.iter().map(|&i| &scenario.cells[i]).collect();
    // The tables are the same for keys of any type; what a family's type forbids is seen below.
    let mut plan = Plan::new(&cells, families[0].kind, &scenario.base)?;
    plan.most_pairs = most_pairs;
    let sessions = session_cells(&plan);
    let matcher = Matcher::new(&QuerySet::default());
    let mut sum = Replayed { cells: Vec::new(), matcher, hottest: 0, requests: 0 };
    for family in families {
        sum.hottest = sum.hottest.max(family.replayed.hottest);
        sum.requests = sum
            .requests
            .checked_add(family.replayed.requests)
            .ok_or_else(super::input::too_many_requests)?;
    }
    for (i, session) in sessions.iter().enumerate() {
        let tallies: Option<Vec<&CellTally>> =
            families.iter().map(|family| family.replayed.cells[i].as_ref()).collect();
        let lacking = families.iter().find_map(|family| {
            done[family.members[i]].as_ref().and_then(|record| record.unsupported.clone())
        });
        if let Some(reason) = lacking.or_else(|| session.then(|| NO_SESSIONS.to_string())) {
            plan.cells[i] = PlannedCell { cell: plan.cells[i].cell, steps: Err(reason) };
        }
        let tallies = tallies.filter(|_| plan.cells[i].steps.is_ok());
        sum.cells.push(tallies.map(|all| add(&all)).transpose()?);
    }
    let facts: Vec<&WorkloadRecord> = families
        .iter()
        .filter_map(|family| done[family.members[0]].as_ref())
        .map(|record| &record.workload)
        .collect();
    let facts = assemble::together(&facts, &sum);
    let record = |(cell, tally): (&PlannedCell<'_>, &Option<CellTally>)| {
        assemble::cell(&plan, cell, tally.as_ref(), None, &facts)
    };
    Ok(plan.cells.iter().zip(&sum.cells).map(record).collect())
}

/// The sum of tallies, of the loads that all of them have.
fn add(all: &[&CellTally]) -> Result<CellTally, Error> {
    let mut parts: Vec<CellTally> = all.iter().map(|tally| (*tally).clone()).collect();
    for part in &mut parts {
        let shared =
            |load: &Load| load.is_whole() && all.iter().all(|tally| tally.loads.contains(load));
        let keep: Vec<bool> = part.loads.iter().map(shared).collect();
        let mut kept = keep.iter();
        part.loads.retain(|_| *kept.next().expect("one a load"));
        for step in &mut part.steps {
            let mut kept = keep.iter();
            step.loads.retain(|_| *kept.next().expect("one a load"));
        }
    }
    let amount = |part: &CellTally, load: usize| -> u128 {
        part.steps[0].loads[load].at.iter().map(|&n| u128::from(n)).sum()
    };
    for load in 0..parts[0].loads.len() {
        let sum: u128 = parts.iter().map(|part| amount(part, load)).sum();
        u64::try_from(sum).map_err(|_| super::input::too_many_requests())?;
    }
    let mut parts = parts.into_iter();
    let mut sum = parts.next().expect("at least one family");
    parts.for_each(|part| sum.merge(&part));
    Ok(sum)
}
