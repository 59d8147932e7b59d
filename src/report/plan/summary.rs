//! What a person reads of a plan: all paths side by side, then each cell step by step.

use super::blocks::{Block, Grid};
use super::failures::failure_lines;
use super::lists::moves_blocks;
use super::parts;
use crate::analysis::plan::{CellPlan, ChangePlan, NodePlan, StepPlan};
use crate::record::{ByLoad, Pair};
use crate::report::number::{fixed, grouped, percent};

/// What is shown.
#[derive(Debug, Clone, Copy, Default)]
pub struct View {
    /// Begin with the scenario's title.
    pub title: bool,
    /// Only this step in full.
    pub step: Option<usize>,
}

/// More cells than this are shown side by side only.
const MOST_CELLS: usize = 6;
/// Of more steps than this only the worst is shown in full.
const MOST_STEPS: usize = 3;
/// Most rows of a table of nodes.
const MOST_NODES: usize = 64;
/// Most rows of the table of pairs.
const MOST_PAIRS: usize = 20;

/// The blocks of a plan.
pub fn blocks(plan: &ChangePlan, view: &View) -> Vec<Block> {
    let mut blocks = Vec::new();
    if view.title {
        blocks.push(Block::Title(plan.title.trim().to_string()));
    }
    let able: Vec<&CellPlan> = plan.cells.iter().filter(|c| !c.steps.is_empty()).collect();
    if !able.is_empty() {
        blocks.push(Block::Table(side_by_side(&able, &parts::loads(plan))));
    }
    let cannot = plan.cells.iter().filter_map(|cell| {
        cell.unsupported.as_ref().map(|reason| format!("unsupported: {}: {reason}", cell.id))
    });
    let cannot: Vec<String> = cannot.collect();
    if !cannot.is_empty() {
        blocks.push(Block::Lines(cannot));
    }
    if able.len() > MOST_CELLS {
        let text = format!("{} cells: --cell ID shows one step by step", able.len());
        blocks.push(Block::Text(text));
        return blocks;
    }
    for cell in able {
        blocks.extend(cell_blocks(cell, view));
    }
    blocks
}

/// One row per cell and load: the whole path.
fn side_by_side(cells: &[&CellPlan], loads: &[String]) -> Grid {
    let mut grid = Grid::new(&[
        "cell",
        "load",
        "#moved",
        "#moved %",
        "#least %",
        "#excess %",
        "#between\nsurvivors %",
        "#more than\nonce %",
        "#most\nmoves",
        "#worst step:\nmoved %",
    ]);
    for cell in cells {
        let mut first = true;
        for load in loads {
            let Some(t) = cell.totals.get(load) else { continue };
            let name = if first { cell.id.clone() } else { String::new() };
            first = false;
            grid.rows.push(vec![
                name,
                load.clone(),
                grouped(t.along.moved),
                percent(t.along.share_moved, 2),
                percent(t.least_share, 2),
                percent(t.excess_share, 2),
                percent(t.between_survivors_share, 2),
                percent(t.along.more_than_once_share, 2),
                t.along.most_moves.to_string(),
                format!("{}: {}", t.worst_step, percent(t.worst_share, 2)),
            ]);
        }
    }
    grid
}

fn cell_blocks(cell: &CellPlan, view: &View) -> Vec<Block> {
    let nodes = |step: Option<&StepPlan>, of: fn(&StepPlan) -> usize| step.map_or(0, of);
    let first = nodes(cell.steps.first(), |s| s.nodes_before);
    let last = nodes(cell.steps.last(), |s| s.nodes_after);
    let mut blocks = vec![Block::Heading(format!("{}: {first} → {last} nodes", cell.id))];
    if cell.steps.len() > 1 {
        blocks.push(Block::Table(steps_table(cell)));
    }
    let worst = cell.totals.get("keys").or_else(|| cell.totals.values().next());
    let worst = worst.map(|totals| totals.worst_step);
    let many = cell.steps.len() > MOST_STEPS;
    let shown = |step: &&StepPlan| match view.step {
        Some(wanted) => step.step == wanted,
        None => !many || Some(step.step) == worst,
    };
    if many && view.step.is_none() {
        let text = "The step at which most moves; --step K shows another in full.";
        blocks.push(Block::Text(text.into()));
    }
    for step in cell.steps.iter().filter(shown) {
        blocks.extend(step_blocks(step));
    }
    blocks
}

fn steps_table(cell: &CellPlan) -> Grid {
    let mut grid = Grid::new(&[
        "step",
        "nodes",
        "load",
        "#moved",
        "#moved %",
        "#so far %",
        "#least %",
        "#excess %",
        "#between\nsurvivors %",
        "#max/mean",
    ]);
    for step in &cell.steps {
        for (i, (load, t)) in step.totals.iter().enumerate() {
            let (mut name, mut nodes) = (String::new(), String::new());
            if i == 0 {
                name = format!("{} {}", step.step, step.change);
                nodes = format!("{} → {}", step.nodes_before, step.nodes_after);
            }
            grid.rows.push(vec![
                name,
                nodes,
                load.clone(),
                grouped(t.moved),
                percent(t.share_moved, 2),
                percent(t.share_moved_so_far, 2),
                percent(t.least_share, 2),
                percent(t.excess_share, 2),
                percent(t.between_survivors_share, 2),
                t.max_over_mean_after.map_or(String::new(), |x| fixed(x, 3)),
            ]);
        }
    }
    grid
}

fn step_blocks(step: &StepPlan) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(format!("step {}: {}", step.step, step.change))];
    if let Some(failure) = &step.failure {
        blocks.push(Block::Lines(failure_lines(step, failure)));
    }
    blocks.push(Block::Table(nodes_table(step)));
    if step.nodes.len() > MOST_NODES {
        let more = step.nodes.len() - MOST_NODES;
        let text = format!(
            "{} more nodes, which give and receive less: --format csv --part nodes",
            grouped(more as u64)
        );
        blocks.push(Block::Text(text));
    }
    let fills = fills_lines(step);
    if !fills.is_empty() {
        blocks.push(Block::Lines(fills));
    }
    blocks.extend(pairs_blocks(step));
    if let Some(moves) = &step.moves {
        blocks.extend(moves_blocks(moves));
    }
    blocks
}

fn nodes_table(step: &StepPlan) -> Grid {
    let mut heads = vec!["node".to_string(), String::new()];
    let loads: Vec<&String> = step.totals.keys().collect();
    for load in &loads {
        let parts = ["gives", "receives", "net", "after", "capacity", "full %"];
        heads.extend(parts.map(|part| format!("#{load}\n{part}")));
    }
    let mut grid = Grid::new(&heads);
    for node in busiest(step) {
        let role = if node.role == "stays" { "" } else { &node.role };
        let mut row = vec![node.node.clone(), role.to_string()];
        for &load in &loads {
            let amount = |n: Option<&u64>| n.map_or(String::new(), |n| grouped(*n));
            row.extend([amount(node.gives.get(load)), amount(node.receives.get(load))]);
            row.push(node.net.get(load).map_or(String::new(), |n| signed(*n)));
            row.extend([amount(node.after.get(load)), amount(node.capacity.get(load))]);
            row.push(match node.utilisation.get(load) {
                None => String::new(),
                Some(None) => "over".into(),
                Some(Some(used)) => percent(*used, 1),
            });
        }
        grid.rows.push(row);
    }
    grid.filled()
}

/// The nodes that are shown, in their order: of many those that come or go or move most.
fn busiest(step: &StepPlan) -> Vec<&NodePlan> {
    let load = step.totals.keys().next();
    let amount = |node: &NodePlan| {
        let of = |amounts: &ByLoad<u64>| load.and_then(|l| amounts.get(l)).copied().unwrap_or(0);
        (node.role != "stays", of(&node.gives).max(of(&node.receives)))
    };
    let mut order: Vec<usize> = (0..step.nodes.len()).collect();
    // Stable: of equals the first in the cluster's order.
    order.sort_by_key(|&i| std::cmp::Reverse(amount(&step.nodes[i])));
    order.truncate(MOST_NODES);
    order.sort_unstable();
    order.into_iter().map(|i| &step.nodes[i]).collect()
}

/// With its sign: `+12,000`, `−3`.
fn signed(n: i64) -> String {
    match n {
        0 => "0".into(),
        1.. => format!("+{}", grouped(n.unsigned_abs())),
        _ => format!("−{}", grouped(n.unsigned_abs())),
    }
}

fn fills_lines(step: &StepPlan) -> Vec<String> {
    let line = |(load, full): (&String, &crate::analysis::plan::Fullest)| {
        let node = &full.node;
        match (full.utilisation, full.growth_until_full) {
            (None, _) => format!("{node} can bear no {load} and has some"),
            (Some(used), Some(growth)) if used > 1.0 => format!(
                "{node} is over: {} % of the {load} it can bear; all {load} would have to shrink to {} %",
                percent(used, 1),
                percent(growth, 1)
            ),
            (Some(used), Some(growth)) => format!(
                "{node} fills first: {} % of the {load} it can bear; full when all {load} grow by {} %",
                percent(used, 1),
                percent(growth - 1.0, 1)
            ),
            (Some(_), None) => format!("no node that states a capacity has {load}"),
        }
    };
    step.fills_first.iter().map(line).collect()
}

fn pairs_blocks(step: &StepPlan) -> Vec<Block> {
    let Some(pairs) = &step.pairs else {
        return vec![Block::Text("Too many pairs of nodes to list.".into())];
    };
    if pairs.is_empty() {
        return vec![Block::Text("Nothing moves.".into())];
    }
    let loads: Vec<&String> = step.totals.keys().collect();
    let mut heads = vec!["from".to_string(), "to".to_string()];
    heads.extend(loads.iter().flat_map(|load| [format!("#{load}"), format!("#% of {load}")]));
    let mut grid = Grid::new(&heads);
    let counted = |pair: &Pair| loads.first().map_or(0, |load| pair.loads[*load]);
    let mut sorted: Vec<&Pair> = pairs.iter().collect();
    if step.pairing.is_none() {
        // Stable: of equals the first in the cluster's order.
        sorted.sort_by_key(|pair| std::cmp::Reverse(counted(pair)));
    }
    for pair in sorted.iter().take(MOST_PAIRS) {
        let mut row = vec![pair.from.clone(), pair.to.clone()];
        for &load in &loads {
            let (amount, total) = (pair.loads[load], step.totals[load].total);
            let share = if total == 0 { 0.0 } else { amount as f64 / total as f64 };
            row.extend([grouped(amount), percent(share, 3)]);
        }
        grid.rows.push(row);
    }
    let what = match &step.pairing {
        Some(_) => {
            "Pairing list: each old node splits into itself and its own new nodes, and nothing else moves."
        }
        None if pairs.len() > MOST_PAIRS => "The largest pairs:",
        None => "From → to:",
    };
    let mut blocks = vec![Block::Text(what.into()), Block::Table(grid)];
    if pairs.len() > MOST_PAIRS {
        let text = format!("{} pairs: --format csv --part pairs", pairs.len());
        blocks.push(Block::Text(text));
    }
    blocks
}
