//! What a remedy costs and brings: a cell with one against the same cell without it, at their last steps.

use crate::cluster::{Change, ChangeKind};
use crate::error::Error;
use crate::record::{ByLoad, CellRecord, Price, StepRecord};
use crate::scenario::{Cell, NO_REMEDY, REMEDY_AXIS, SplitReads};

/// An error if a rule in front of a strategy found no key: it isolates nothing.
pub fn check_rules(cells: &[Cell], records: &[CellRecord]) -> Result<(), Error> {
    for (cell, record) in cells.iter().zip(records) {
        for (step, found) in cell.steps.iter().zip(&record.steps) {
            let Some(Change { kind: ChangeKind::Isolate(rule), .. }) = &step.change else {
                continue;
            };
            let name = step.cluster.node(rule.node).map(|node| &node.name);
            let own =
                found.per_node.iter().find(|node| Some(node.node.as_str()) == name.map(|n| &**n));
            if own.is_some_and(|node| node.loads.get("keys") == Some(&0)) {
                let (field, what) = match rule.whole {
                    true => ("key", "is"),
                    false => ("prefix", "begins with"),
                };
                return Err(cell.locate(
                    Error::invalid(format!(
                        "no key {what} `{}`: there is nothing to isolate",
                        rule.text
                    ))
                    .help("name a key, or a beginning of keys, that the scenario has")
                    .field(field),
                ));
            }
        }
    }
    Ok(())
}

/// Adds prices to all cells with a remedy, and to those without one what they are compared with.
pub fn add(cells: &[Cell], records: &mut [CellRecord]) {
    let mut plain: Option<usize> = None;
    for at in 0..records.len() {
        let Some(remedy) = cells[at].at.get(REMEDY_AXIS) else { continue };
        // Every star begins with the cell as it is.
        if remedy.to_string() == NO_REMEDY {
            plain = Some(at);
        }
        let Some(plain) = plain else { continue };
        if let (Some(before), Some(after)) = (records[plain].steps.last(), records[at].steps.last())
        {
            let price = price(&cells[at], &records[at], before, after);
            records[at].price = Some(price);
        }
    }
}

fn price(cell: &Cell, record: &CellRecord, before: &StepRecord, after: &StepRecord) -> Price {
    let ratio = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) if b > 0.0 => Some(a / b),
        _ => None,
    };
    let total = |step: &StepRecord| main_load(&step.totals);
    let largest = |step: &StepRecord| {
        step.per_node.iter().filter_map(|node| main_load(&node.loads)).reduce(f64::max)
    };
    let points = |step: &StepRecord| Some(step.points as f64).filter(|points| *points > 0.0);
    let hot = cell.workload.hot.iter().filter_map(|hot| hot.split);
    let fan_out = hot.filter(|split| split.reads == SplitReads::All).map(|split| split.parts).max();
    // Against the last step that the cell shares with the plain one.
    let moved = after.movement.as_ref().filter(|_| record.steps.len() > before.step + 1);
    let own_steps = record.steps.iter().skip(before.step + 1);
    let moved_total: f64 = own_steps
        .filter_map(|step| Some(step.movement.as_ref()?.loads.get("keys")?.share_moved))
        .sum();
    let cache = cell.workload.cache;
    let reassigns =
        cell.control.as_ref().filter(|c| matches!(c.rule, crate::scenario::Rule::Reassign { .. }));
    Price {
        work: ratio(total(after), total(before)),
        largest: ratio(largest(after), largest(before)),
        others_max_over_mean: others(cell, after),
        extra_nodes: after.nodes as f64 - before.nodes as f64,
        points: ratio(points(after), points(before)),
        moved: moved.and_then(|movement| {
            let all = movement.from_start.as_ref().filter(|_| before.step == 0);
            Some(all.unwrap_or(&movement.loads).get("keys")?.share_moved)
        }),
        moved_total: moved.map(|_| moved_total),
        buckets_moved: reassigns.map(|control| control.moved as f64),
        spill: after.spill.map(|spill| spill.share),
        cache_entries: cache.map(|cache| cache.keys as f64 * cache.instances as f64),
        read_fan_out: fan_out.map(|parts| parts as f64),
    }
}

/// The load that prices are about: requests where there are some, else bytes, else keys.
fn main_load(loads: &ByLoad<u64>) -> Option<f64> {
    let names = ["requests", "bytes", "keys"];
    names.iter().find_map(|name| loads.get(*name)).map(|&load| load as f64)
}

/// Max over mean with the busiest node left out: how even the neighbours are.
fn others(cell: &Cell, step: &StepRecord) -> Option<f64> {
    let at = &cell.steps[step.step];
    let fair = at.fair_shares();
    let live = at.cluster.nodes.iter().filter(|node| !at.cluster.down.contains(&node.id));
    let mut nodes: Vec<(f64, f64)> = live
        .zip(&step.per_node)
        .filter_map(|(node, load)| Some((main_load(&load.loads)?, fair[node.id.0 as usize])))
        .filter(|(_, fair)| *fair > 0.0)
        .collect();
    nodes.sort_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    nodes.pop()?;
    let (load, fair) = nodes.iter().fold((0.0, 0.0), |(l, f), node| (l + node.0, f + node.1));
    let highest = nodes.last().map(|node| node.0 / node.1)?;
    (load > 0.0).then(|| highest / (load / fair))
}
