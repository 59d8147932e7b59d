//! The parts of a plan as tables of plain values, everything in them.

use super::super::number::shortest;
use crate::analysis::plan::moves::Moves;
use crate::analysis::plan::{CellPlan, ChangePlan, StepPlan};
use crate::error::Error;
use crate::record::ByLoad;

/// A part of a plan.
#[derive(Debug)]
pub struct Part {
    /// Name in `--part`.
    pub name: &'static str,
    /// One sentence without a full stop.
    pub summary: &'static str,
    /// Name of its file.
    pub file: &'static str,
    /// Its rows.
    pub rows: fn(&ChangePlan) -> Sheet,
}

/// A table of plain values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sheet {
    /// Names of the columns.
    pub header: Vec<String>,
    /// The rows, as many values each.
    pub rows: Vec<Vec<String>>,
}

impl Sheet {
    fn new(header: &[&str]) -> Self {
        Sheet { header: header.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    /// As CSV with a header.
    pub fn csv(&self) -> Vec<u8> {
        let mut out = csv::Writer::from_writer(Vec::new());
        for row in std::iter::once(&self.header).chain(&self.rows) {
            out.write_record(row).expect("writing to memory");
        }
        out.into_inner().expect("writing to memory")
    }
}

/// All parts.
pub static ALL: &[&Part] = &[
    &Part {
        name: "paths",
        summary: "one row per cell and load: the whole path",
        file: "plan-paths.csv",
        rows: paths,
    },
    &Part {
        name: "steps",
        summary: "one row per cell, step and load",
        file: "plan-steps.csv",
        rows: steps,
    },
    &Part {
        name: "nodes",
        summary: "one row per cell, step and node: gives, receives, net, capacity, utilisation",
        file: "plan-nodes.csv",
        rows: nodes,
    },
    &Part {
        name: "pairs",
        summary: "one row per cell, step, giver and receiver",
        file: "plan-pairs.csv",
        rows: pairs,
    },
    &Part {
        name: "pairing",
        summary: "one row per cell, step, old node and new node that it splits into",
        file: "plan-pairing.csv",
        rows: pairing,
    },
    &Part {
        name: "buckets",
        summary: "one row per cell, step and bucket that moves",
        file: "plan-buckets.csv",
        rows: buckets,
    },
    &Part {
        name: "arcs",
        summary: "one row per cell, step and arc of the digest space that moves",
        file: "plan-arcs.csv",
        rows: arcs,
    },
    &Part {
        name: "waves",
        summary: "one row per cell, step and node that fails of overload after a failure",
        file: "plan-waves.csv",
        rows: waves,
    },
];

/// The part of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static Part, Error> {
    ALL.iter()
        .copied()
        .find(|part| part.name == name)
        .ok_or_else(|| Error::unknown("part", name, ALL.iter().map(|part| part.name)))
}

/// Every step with its cell.
fn all(plan: &ChangePlan) -> impl Iterator<Item = (&CellPlan, &StepPlan)> {
    plan.cells.iter().flat_map(|cell| cell.steps.iter().map(move |step| (cell, step)))
}

/// The loads of a plan, keys first.
pub fn loads(plan: &ChangePlan) -> Vec<String> {
    let mut loads: Vec<String> =
        all(plan).flat_map(|(_, step)| step.totals.keys()).cloned().collect();
    loads.sort_by_key(|load| (load != "keys", load != "requests", load.clone()));
    loads.dedup();
    loads
}

fn option(value: Option<f64>) -> String {
    value.map_or_else(String::new, shortest)
}

fn paths(plan: &ChangePlan) -> Sheet {
    let mut sheet = Sheet::new(&[
        "id",
        "path",
        "steps",
        "load",
        "total",
        "moved",
        "share-moved",
        "ever",
        "ever-share",
        "more-than-once",
        "more-than-once-share",
        "most-moves",
        "elsewhere-share",
        "least-share",
        "excess-share",
        "between-survivors-share",
        "worst-step",
        "worst-share",
    ]);
    for cell in &plan.cells {
        for (load, t) in &cell.totals {
            let (id, path, steps) = (cell.id.clone(), cell.path.clone(), cell.steps.len());
            let mut row = vec![id, path, steps.to_string(), load.clone(), t.total.to_string()];
            row.extend([t.along.moved.to_string(), shortest(t.along.share_moved)]);
            row.extend([t.along.ever.to_string(), shortest(t.along.ever_share)]);
            row.push(t.along.more_than_once.to_string());
            row.push(shortest(t.along.more_than_once_share));
            row.push(t.along.most_moves.to_string());
            let shares =
                [t.elsewhere_share, t.least_share, t.excess_share, t.between_survivors_share];
            row.extend(shares.map(shortest));
            row.extend([t.worst_step.to_string(), shortest(t.worst_share)]);
            sheet.rows.push(row);
        }
    }
    sheet
}

fn steps(plan: &ChangePlan) -> Sheet {
    let mut sheet = Sheet::new(&[
        "id",
        "step",
        "change",
        "nodes-before",
        "nodes-after",
        "load",
        "total",
        "moved",
        "share-moved",
        "share-moved-so-far",
        "least-share",
        "excess-share",
        "between-survivors-share",
        "max-over-mean-before",
        "max-over-mean-after",
    ]);
    for (cell, step) in all(plan) {
        for (load, t) in &step.totals {
            let mut row = vec![cell.id.clone(), step.step.to_string(), step.change.clone()];
            row.extend([step.nodes_before.to_string(), step.nodes_after.to_string()]);
            row.extend([load.clone(), t.total.to_string(), t.moved.to_string()]);
            row.extend([t.share_moved, t.share_moved_so_far].map(shortest));
            let shares = [t.least_share, t.excess_share, t.between_survivors_share];
            row.extend(shares.map(shortest));
            row.extend([option(t.max_over_mean_before), option(t.max_over_mean_after)]);
            sheet.rows.push(row);
        }
    }
    sheet
}

fn nodes(plan: &ChangePlan) -> Sheet {
    let loads = loads(plan);
    let mut sheet = Sheet::new(&["id", "step", "node", "role"]);
    for part in ["gives", "receives", "net", "after", "capacity", "utilisation"] {
        sheet.header.extend(loads.iter().map(|load| format!("{part}.{load}")));
    }
    fn texts<T: ToString>(loads: &[String], amounts: &ByLoad<T>) -> Vec<String> {
        let text = |load: &String| amounts.get(load).map_or_else(String::new, T::to_string);
        loads.iter().map(text).collect()
    }
    for (cell, step) in all(plan) {
        for node in &step.nodes {
            let mut row = vec![cell.id.clone(), step.step.to_string()];
            row.extend([node.node.clone(), node.role.clone()]);
            row.extend(texts(&loads, &node.gives));
            row.extend(texts(&loads, &node.receives));
            row.extend(texts(&loads, &node.net));
            row.extend(texts(&loads, &node.after));
            row.extend(texts(&loads, &node.capacity));
            let used = |load: &String| option(node.utilisation.get(load).copied().flatten());
            row.extend(loads.iter().map(used));
            sheet.rows.push(row);
        }
    }
    sheet
}

fn pairs(plan: &ChangePlan) -> Sheet {
    let loads = loads(plan);
    let mut sheet = Sheet::new(&["id", "step", "change", "from", "to"]);
    sheet.header.extend(loads.iter().cloned());
    for (cell, step) in all(plan) {
        for pair in step.pairs.iter().flatten() {
            let mut row = vec![cell.id.clone(), step.step.to_string(), step.change.clone()];
            row.extend([pair.from.clone(), pair.to.clone()]);
            let amount = |load| pair.loads.get(load).map_or_else(String::new, u64::to_string);
            row.extend(loads.iter().map(amount));
            sheet.rows.push(row);
        }
    }
    sheet
}

fn pairing(plan: &ChangePlan) -> Sheet {
    let mut sheet = Sheet::new(&["id", "step", "node", "splits-into"]);
    for (cell, step) in all(plan) {
        for pairing in step.pairing.iter().flatten() {
            for new in &pairing.splits_into {
                let (id, step) = (cell.id.clone(), step.step.to_string());
                sheet.rows.push(vec![id, step, pairing.node.clone(), new.clone()]);
            }
        }
    }
    sheet
}

fn buckets(plan: &ChangePlan) -> Sheet {
    let mut sheet = Sheet::new(&["id", "step", "bucket", "from", "to"]);
    for (cell, step) in all(plan) {
        let Some(Moves::Buckets { runs, .. }) = &step.moves else { continue };
        for run in runs {
            for bucket in run.first..=run.last {
                let (id, step) = (cell.id.clone(), step.step.to_string());
                let bucket = bucket.to_string();
                sheet.rows.push(vec![id, step, bucket, run.from.clone(), run.to.clone()]);
            }
        }
    }
    sheet
}

fn arcs(plan: &ChangePlan) -> Sheet {
    let mut sheet = Sheet::new(&["id", "step", "start", "end", "share", "from", "to"]);
    for (cell, step) in all(plan) {
        let Some(Moves::Arcs { arcs, .. }) = &step.moves else { continue };
        for arc in arcs {
            let (id, step) = (cell.id.clone(), step.step.to_string());
            let (start, end) = (arc.start.to_string(), arc.end.to_string());
            let (from, to) = (arc.from.clone(), arc.to.clone());
            sheet.rows.push(vec![id, step, start, end, shortest(arc.share), from, to]);
        }
    }
    sheet
}

fn waves(plan: &ChangePlan) -> Sheet {
    let mut sheet =
        Sheet::new(&["id", "step", "wave", "node", "load", "has", "capacity", "nodes-left"]);
    for (cell, step) in all(plan) {
        let Some(cascade) = step.failure.as_ref().and_then(|f| f.cascade.as_ref()) else {
            continue;
        };
        for (number, wave) in cascade.wave.iter().enumerate() {
            for over in &wave.failed {
                let (id, step) = (cell.id.clone(), step.step.to_string());
                let mut row = vec![id, step, (number + 1).to_string(), over.node.clone()];
                row.extend([over.load.clone(), over.has.to_string(), over.capacity.to_string()]);
                row.push(wave.nodes_left.to_string());
                sheet.rows.push(row);
            }
        }
    }
    sheet
}
