//! `shardlab check`: validates scenarios, shows the cells and what a run will cost; runs nothing.

use std::io::Write;
use std::path::PathBuf;

use clap::{ArgMatches, Args};

use super::args::OverrideArgs;
use super::placements::source;
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::Error;
use crate::report::number::{bytes, grouped};
use crate::report::table::plain;
use crate::scenario::{self, Cell, Scenario};
use crate::sim::{self, migrate::Divisions, plan::Plan};
use crate::strategy::Placement;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "check",
    summary: "Validate scenarios, show their cells and what a run will cost; run nothing",
    examples: "Example:\n  shardlab check scenarios/*.toml",
    augment: CheckArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct CheckArgs {
    /// Scenario files
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: CheckArgs = read(matches);
    let overrides = args.overrides.into_overrides();
    let mut errors = Vec::new();
    for (i, path) in args.scenarios.iter().enumerate() {
        let checked = scenario::load(path, &overrides);
        match checked.and_then(|s| cost(&s).map(|cost| (s, cost)).map_err(|e| vec![e])) {
            Ok((scenario, cost)) => {
                if i > 0 {
                    writeln!(ui.out())?;
                }
                show(&scenario, &cost, ui)?;
            }
            Err(more) => errors.extend(more),
        }
    }
    if errors.is_empty() { Ok(Exit::Done) } else { Err(errors.into()) }
}

/// What a run of a scenario takes.
struct Cost {
    /// One row per supported cell.
    cells: Vec<Vec<String>>,
    /// Cell and reason.
    unsupported: Vec<(String, String)>,
    passes: Vec<Pass>,
    table_bytes: u64,
    migrations: Vec<Migrations>,
}

/// Migrations that a run simulates.
struct Migrations {
    unit: &'static str,
    count: usize,
    /// Most units that move in one of them, where that is known without keys.
    moving: Option<usize>,
}

/// One pass over the keys of a workload.
struct Pass {
    pattern: &'static str,
    rows: u64,
    columns: usize,
    placements: usize,
}

fn cost(scenario: &Scenario) -> Result<Cost, Error> {
    let mut cost = Cost {
        cells: vec![],
        unsupported: vec![],
        passes: vec![],
        table_bytes: 0,
        migrations: vec![],
    };
    for (workload, members) in sim::workloads(scenario) {
        // Several families together: their rows are those of the families.
        let own = workload.families.first().unwrap_or(workload);
        let keys = source(own, &scenario.base)?;
        let rows = keys.rows().map_err(|error| scenario.locate(error))?;
        let rows = rows + workload.hot.iter().map(|hot| hot.parts()).sum::<u64>();
        let cells: Vec<&Cell> = members.iter().map(|&i| &scenario.cells[i]).collect();
        let plan = Plan::new(&cells, keys.kind(), &scenario.base)?;
        sim::session::check_size(workload, rows, &plan)?;
        cost.add_migrations(&sim::migrate::divide(&plan, keys.kind(), rows)?);
        for planned in &plan.cells {
            match &planned.steps {
                Ok(steps) => {
                    let placed = steps.iter().map(|&i| plan.routed[i].placement.as_ref()).collect();
                    cost.cells.push(cell_row(planned.cell, placed));
                }
                Err(reason) => {
                    cost.unsupported.push((planned.cell.id.clone(), reason.clone()));
                }
            }
        }
        if !workload.families.is_empty() {
            continue;
        }
        cost.table_bytes += plan.routed.iter().map(|r| r.placement.heap_bytes()).sum::<u64>();
        cost.passes.push(Pass {
            pattern: workload.pattern.name,
            rows,
            columns: plan.columns().len(),
            placements: plan.routed.len(),
        });
    }
    Ok(cost)
}

impl Cost {
    fn add_migrations(&mut self, divisions: &Divisions) {
        for division in divisions.steps.iter().flatten().flatten() {
            let division = &divisions.all[*division];
            let unit = division.kind.name();
            match self.migrations.iter_mut().find(|m| m.unit == unit) {
                Some(known) => {
                    known.count += 1;
                    known.moving = known.moving.max(division.moving());
                }
                None => {
                    let moving = division.moving();
                    self.migrations.push(Migrations { unit, count: 1, moving });
                }
            }
        }
    }
}

fn cell_row(cell: &Cell, placed: Vec<&dyn Placement>) -> Vec<String> {
    let nodes: Vec<usize> = cell.steps.iter().map(|s| s.cluster.nodes.len()).collect();
    let points: Vec<u64> = placed.iter().map(|p| p.points()).collect();
    let heap = placed.iter().map(|p| p.heap_bytes()).max().unwrap_or(0);
    vec![
        cell.id.clone(),
        (cell.steps.len() - 1).to_string(),
        span(&nodes, |n| n.to_string()),
        span(&points, |p| grouped(*p)),
        bytes(heap),
    ]
}

/// First and last of a list, or the one value that all have.
fn span<T: PartialEq>(items: &[T], text: impl Fn(&T) -> String) -> String {
    match items {
        [] => String::new(),
        [first, .., last] if first != last => format!("{} → {}", text(first), text(last)),
        [first, ..] => text(first),
    }
}

fn show(scenario: &Scenario, cost: &Cost, ui: &mut Ui) -> Result<(), Failure> {
    let out = ui.out();
    writeln!(out, "{}: {}", scenario.name, scenario.title)?;
    if !cost.cells.is_empty() {
        let numeric = [false, true, true, true, true];
        let mut table = plain(vec!["cell", "changes", "nodes", "points", "tables"], &numeric);
        table.add_rows(cost.cells.iter().map(|row| row.iter().map(String::as_str)));
        writeln!(out, "{}", table.trim_fmt())?;
    }
    for (id, reason) in &cost.unsupported {
        writeln!(out, "unsupported: {id}: {reason}")?;
    }
    let cells = scenario.cells.len();
    writeln!(out, "cells       {cells}, of them {} unsupported", cost.unsupported.len())?;
    for pass in &cost.passes {
        writeln!(
            out,
            "pass        {} rows of {} keys, {} digest columns, {} placements: {} look-ups",
            grouped(pass.rows),
            pass.pattern,
            pass.columns,
            pass.placements,
            grouped(pass.rows.saturating_mul(pass.placements as u64)),
        )?;
    }
    for Migrations { unit, count, moving } in &cost.migrations {
        let moving = match moving {
            Some(most) => format!("up to {} {unit}s move", grouped(*most as u64)),
            None => "which shards move the keys will tell".to_string(),
        };
        writeln!(out, "migrations  {} by {unit}, {moving}", grouped(*count as u64))?;
    }
    if let Some(trials) = &scenario.trials {
        let steps: u64 = cost.passes.iter().map(|p| p.placements as u64).sum();
        let count = u64::from(trials.count);
        writeln!(
            out,
            "trials      {} label sets of {steps} placements: {} builds",
            grouped(count),
            grouped(count.saturating_mul(steps)),
        )?;
    }
    for event in &scenario.events {
        let count = grouped(u64::from(event.count));
        writeln!(out, "event       {count} label sets: {}", event.name)?;
    }
    for search in &scenario.searches {
        let tries = grouped(search.to.saturating_sub(search.from));
        writeln!(out, "search      {tries} label sets: {}", search.name)?;
    }
    for query in &scenario.queries {
        let form = query.form.to_string();
        let name = if form == query.name { "" } else { &format!("{}: ", query.name) };
        writeln!(out, "query       {name}{form}")?;
    }
    writeln!(out, "expects     {}", scenario.expects.len())?;
    writeln!(
        out,
        "tables      {} in memory, whatever the number of keys",
        bytes(cost.table_bytes)
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_shows_one_value_or_both_ends() {
        assert_eq!(span(&[8, 8], |n| n.to_string()), "8");
        assert_eq!(span(&[8, 9, 16], |n| n.to_string()), "8 → 16");
    }
}
