//! `nodes.csv`: one row per cell, step and node, with loads, owned share, gives and receives.

use std::collections::BTreeMap;

use super::number::shortest;
use super::{ReportInfo, Written};
use crate::record::{ByLoad, Record, StepRecord};

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "nodes",
    extension: "csv",
    summary: "one row per cell, step and node: loads, owned share, what it gave and received",
    file: "nodes.csv",
    written: Written::Always,
    write,
};

/// The loads of any step of the record, in alphabetical order.
pub(super) fn loads(record: &Record) -> Vec<&str> {
    let steps = record.cells.iter().flat_map(|c| &c.steps);
    let mut loads: Vec<&str> = steps.flat_map(|s| s.totals.keys()).map(String::as_str).collect();
    loads.sort_unstable();
    loads.dedup();
    loads
}

/// One text per load, empty where it is missing.
pub(super) fn amounts(loads: &[&str], have: Option<&ByLoad<u64>>) -> Vec<String> {
    let amount = |load: &&str| have.and_then(|h| h.get(*load)).map(u64::to_string);
    loads.iter().map(|load| amount(load).unwrap_or_default()).collect()
}

fn write(record: &Record) -> Vec<u8> {
    let loads = loads(record);
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut header: Vec<String> = ["id", "step", "node", "weight"].map(String::from).into();
    header.extend(loads.iter().map(ToString::to_string));
    header.push("owned-share".into());
    for part in ["gives", "receives"] {
        header.extend(loads.iter().map(|load| format!("{part}.{load}")));
    }
    out.write_record(&header).expect("writing to memory");
    for cell in &record.cells {
        for step in &cell.steps {
            for row in rows(step, &loads) {
                let mut cells = vec![cell.id.clone(), step.step.to_string()];
                cells.extend(row);
                out.write_record(&cells).expect("writing to memory");
            }
        }
    }
    out.into_inner().expect("writing to memory")
}

/// The live nodes in the cluster's order, then those that only gave, then the outcomes.
fn rows(step: &StepRecord, loads: &[&str]) -> Vec<Vec<String>> {
    let moves = step.movement.as_ref().map_or(&[][..], |m| &m.per_node);
    let by_name: BTreeMap<&str, _> = moves.iter().map(|m| (m.node.as_str(), m)).collect();
    let mut rows = Vec::new();
    let mut push = |name: &str, weight: String, have: Option<&ByLoad<u64>>, owned: Option<f64>| {
        let moved = by_name.get(name);
        let mut row = vec![name.to_string(), weight];
        row.extend(amounts(loads, have));
        row.push(owned.map_or_else(String::new, shortest));
        row.extend(amounts(loads, moved.map(|m| &m.gives)));
        row.extend(amounts(loads, moved.map(|m| &m.receives)));
        rows.push(row);
    };
    for node in &step.per_node {
        push(&node.node, shortest(node.weight), Some(&node.loads), node.owned_share);
    }
    let outcomes = step.outcomes;
    let outcomes = [
        ("(misrouted)", outcomes.misrouted),
        ("(refused)", outcomes.refused),
        ("(absent)", outcomes.absent),
    ];
    let is_outcome = |name: &str| outcomes.iter().any(|(outcome, _)| *outcome == name);
    for moved in moves.iter().filter(|m| !is_outcome(&m.node)) {
        if step.per_node.iter().all(|n| n.node != moved.node) {
            push(&moved.node, String::new(), None, None);
        }
    }
    let counted = if step.totals.contains_key("keys") { "keys" } else { "requests" };
    for (name, count) in outcomes {
        if count > 0 || moves.iter().any(|m| m.node == name) {
            push(name, String::new(), Some(&ByLoad::from([(counted.to_string(), count)])), None);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_of_a_step_stand_in_order_with_what_they_moved() {
        let record = super::super::sample::record();
        let text = String::from_utf8(write(&record)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "id,step,node,weight,keys,owned-share,gives.keys,receives.keys");
        assert_eq!(lines[1], "ring/murmur3-32/vnodes=8,0,db0,1.0,600,0.61,,");
        assert_eq!(lines[3], "ring/murmur3-32/vnodes=8,1,db0,1.0,400,0.41,200,0");
        let steps = record.cells.iter().flat_map(|c| &c.steps);
        assert_eq!(lines.len(), 1 + steps.map(|s| s.per_node.len()).sum::<usize>());
    }

    #[test]
    fn an_outcome_is_a_row_of_its_own() {
        let mut record = super::super::sample::record();
        record.cells[0].steps[0].outcomes.misrouted = 7;
        let text = String::from_utf8(write(&record)).unwrap();
        assert!(text.contains("vnodes=8,0,(misrouted),,7,,,\n"), "{text}");
    }
}
