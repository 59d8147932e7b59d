//! What integration tests read of a record.

use shardlab::record::{CellRecord, Record};

/// The cell of that id.
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
