//! Which of the keys that migrations follow are among the keys at all.

use std::collections::BTreeSet;

use super::super::hot_rows::{HotRow, named};
use super::super::scan::scan;
use super::super::{Progress, input::Input, plan::Plan};
use crate::error::Error;
use crate::hash;
use crate::keys::{ColumnSpec, Key};

/// The followed keys that are there, as text. A pass over all rows where some are followed.
pub fn present(
    input: &Input,
    plan: &Plan<'_>,
    progress: &dyn Progress,
) -> Result<BTreeSet<String>, Error> {
    let migrations = plan.cells.iter().filter_map(|cell| cell.cell.migration.as_ref());
    let followed: BTreeSet<String> = migrations
        .flat_map(|migration| migration.params.list("watch").unwrap_or_default())
        .map(ToString::to_string)
        .collect();
    if followed.is_empty() {
        return Ok(followed);
    }
    let kind = input.source.kind();
    let keys: Vec<HotRow> =
        followed.iter().map(|key| named(key, kind)).collect::<Result<_, _>>()?;
    // A column, so that patterns write their keys out.
    let columns = [ColumnSpec::whole(hash::find("xxh3-64")?)];
    progress.begin("looking for watched keys", input.rows);
    let states = scan(input, &columns, progress, BTreeSet::new, |found, batch| {
        for row in 0..batch.len() {
            let key = batch.key(row);
            found.extend((0..keys.len()).filter(|&i| same(&key, &keys[i].key())));
        }
    })?;
    let found: BTreeSet<usize> = states.into_iter().flatten().collect();
    Ok(followed
        .into_iter()
        .enumerate()
        .filter(|(i, _)| found.contains(i))
        .map(|(_, k)| k)
        .collect())
}

/// Whether two keys are the same; one that a scenario names is text where the keys are bytes.
fn same(key: &Key<'_>, wanted: &Key<'_>) -> bool {
    match (key, wanted) {
        (Key::Bytes(bytes), Key::Text(text)) => *bytes == text.as_bytes(),
        _ => key == wanted,
    }
}
