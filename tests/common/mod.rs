//! What several integration tests need: scenarios from text, runs, look-ups in a record.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;

use shardlab::record::{CellRecord, Record, StepRecord};
use shardlab::scenario::{Overrides, Scenario, parse};
use shardlab::sim::{Options, Silent, run};

pub fn scenario(text: &str) -> Scenario {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    parse(text, "test.toml", "test", &base, &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", shardlab::scenario::render(&errors, false)))
}

pub fn run_on(scenario: &Scenario, threads: usize) -> Record {
    run(scenario, Options { threads: Some(threads) }, &Silent).unwrap_or_else(|e| panic!("{e}"))
}

pub fn record(text: &str) -> Record {
    run_on(&scenario(text), 2)
}

pub fn cell<'a>(record: &'a Record, id: &str) -> &'a CellRecord {
    record.cells.iter().find(|cell| cell.id == id).unwrap_or_else(|| {
        let ids: Vec<&str> = record.cells.iter().map(|cell| cell.id.as_str()).collect();
        panic!("no cell {id}; there are {ids:#?}")
    })
}

/// The value of a metric at a step of a cell.
pub fn value(cell: &CellRecord, step: usize, metric: &str) -> f64 {
    shardlab::metrics::value(&cell.steps[step], cell, metric)
        .unwrap_or_else(|| panic!("{} has no {metric} at step {step}", cell.id))
}

/// Every step of every cell.
pub fn steps(record: &Record) -> impl Iterator<Item = (&CellRecord, &StepRecord)> {
    record.cells.iter().flat_map(|cell| cell.steps.iter().map(move |step| (cell, step)))
}
