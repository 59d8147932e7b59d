//! What to move in a change plan, as a person reads it: runs of buckets, the largest arcs.

use super::blocks::{Block, Grid};
use crate::analysis::plan::moves::{Moves, Run};
use crate::report::number::{grouped, percent};

/// Most rows of the table of runs of buckets.
const MOST_RUNS: usize = 20;
/// Most rows of the table of arcs.
const MOST_ARCS: usize = 10;

/// What becomes of so many buckets or arcs.
fn verb(count: u64, lost: bool) -> &'static str {
    match (lost, count) {
        (true, 1) => "loses its node",
        (true, _) => "lose their node",
        (false, 1) => "moves",
        (false, _) => "move",
    }
}

/// The buckets or arcs that move at a step, as many as a person reads.
pub(super) fn moves_blocks(moves: &Moves) -> Vec<Block> {
    match moves {
        Moves::Buckets { of, runs } => {
            let moved: u64 = runs.iter().map(Run::buckets).sum();
            let verb = verb(moved, moves.are_lost());
            let text = format!("{} of {} buckets {verb}", grouped(moved), grouped(*of));
            if runs.is_empty() {
                return vec![Block::Text(format!("{text}."))];
            }
            let mut grid = Grid::new(&["buckets", "#how many", "from", "to"]);
            for run in runs.iter().take(MOST_RUNS) {
                let range = match run.first == run.last {
                    true => run.first.to_string(),
                    false => format!("{}–{}", run.first, run.last),
                };
                let (from, to) = (run.from.clone(), run.to.clone());
                grid.rows.push(vec![range, grouped(run.buckets()), from, to]);
            }
            let mut blocks = vec![Block::Text(format!("{text}:")), Block::Table(grid)];
            if runs.len() > MOST_RUNS {
                let text = format!("{} runs: --format csv --part buckets", runs.len());
                blocks.push(Block::Text(text));
            }
            blocks
        }
        Moves::Arcs { bits, arcs } => {
            let share: f64 = arcs.iter().map(|arc| arc.share).sum();
            let (n, share) = (grouped(arcs.len() as u64), percent(share, 2));
            let what = if arcs.len() == 1 { "arc" } else { "arcs" };
            let verb = verb(arcs.len() as u64, moves.are_lost());
            let text = format!("{n} {what} {verb}, {share} % of the digest space (2^{bits})");
            if arcs.is_empty() {
                return vec![Block::Text(format!("{text}."))];
            }
            let mut largest: Vec<_> = arcs.iter().collect();
            largest.sort_by(|a, b| b.share.total_cmp(&a.share));
            let mut grid = Grid::new(&["#first digest", "#last digest", "#share %", "from", "to"]);
            let digits = (*bits as usize).div_ceil(4);
            for arc in largest.iter().take(MOST_ARCS) {
                let hex = |digest: u64| format!("{digest:#0width$x}", width = digits + 2);
                let (from, to) = (arc.from.clone(), arc.to.clone());
                let row = vec![hex(arc.start), hex(arc.end), percent(arc.share, 4), from, to];
                grid.rows.push(row);
            }
            let more = if arcs.len() > MOST_ARCS { "; the largest" } else { "" };
            let mut blocks = vec![Block::Text(format!("{text}{more}:")), Block::Table(grid)];
            if arcs.len() > MOST_ARCS {
                blocks.push(Block::Text("All of them: --format csv --part arcs".into()));
            }
            blocks
        }
    }
}
