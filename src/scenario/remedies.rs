//! `[[remedy]]`: every cell as it is, and once more with each remedy.

use std::sync::Arc;

use super::cells::Keys;
use super::fields::{MAX_CELLS, REMEDY_COMMON};
use super::open::{self, OpenSpec, Tag};
use super::table;
use super::tree::Table;
use super::{At, Cell};
use crate::error::{Error, ErrorKind};
use crate::params::{Params, Value};
use crate::remedy::{self, RemedyInfo};

/// The axis that tells remedies apart.
pub const AXIS: &str = "remedy";

/// The value of the axis for a cell as it is.
pub const NONE: &str = "none";

static REMEDY: OpenSpec<RemedyInfo> = OpenSpec {
    name: "[[remedy]]",
    tags: &[Tag { name: "kind", find: remedy::find }],
    common: REMEDY_COMMON,
    common_sweeps: &[],
    nested: &[],
};

/// One remedy with its parameters.
#[derive(Debug)]
pub struct Remedy<'a> {
    /// What the axis calls it.
    name: String,
    info: &'static RemedyInfo,
    params: Params,
    table: &'a Table,
}

/// All remedies. None: something is wrong and reported.
pub fn read<'a>(
    root: &'a Table,
    keys: Option<&Keys>,
    errors: &mut Vec<Error>,
) -> Option<Vec<Remedy<'a>>> {
    let Some(item) = root.get(AXIS) else { return Some(Vec::new()) };
    let before = errors.len();
    if let Some(Keys::Families(_)) = keys {
        errors.push(
            Error::invalid("the scenario has remedies and several families of keys")
                .help("try remedies on one family at a time, in a scenario of its own")
                .at(item.place.clone()),
        );
    }
    let mut remedies: Vec<Remedy<'_>> = Vec::new();
    for table in table::as_tables(item, AXIS, errors) {
        let Some(variants) = open::variants(table, &REMEDY, None, errors) else { continue };
        for variant in variants {
            let given = variant.common.iter().find(|(name, _)| *name == "name");
            let mut name = given.map_or(variant.info.name.to_string(), |(_, v)| v.to_string());
            for (axis, value) in variant.swept.iter().filter(|(axis, _)| *axis != "kind") {
                name += &format!(" {axis}={value}");
            }
            if name == NONE || remedies.iter().any(|r| r.name == name) {
                let what = if name == NONE { "a remedy is" } else { "two remedies are" };
                errors.push(
                    Error::invalid(format!("{what} called `{name}`"))
                        .help("give each a name of its own: `name = \"…\"`")
                        .at(table.place_of("name")),
                );
            }
            remedies.push(Remedy { name, info: variant.info, params: variant.params, table });
        }
    }
    (errors.len() == before).then_some(remedies)
}

/// Every cell as it is and with each remedy. None: something is wrong and reported.
pub fn expand(
    cells: Vec<Cell>,
    remedies: &[Remedy<'_>],
    root: &Table,
    errors: &mut Vec<Error>,
) -> Option<Vec<Cell>> {
    if remedies.is_empty() {
        return Some(cells);
    }
    let count = cells.len().saturating_mul(remedies.len() + 1);
    if count > MAX_CELLS {
        let place = root.get(AXIS).map_or(&root.place, |item| &item.place);
        errors.push(table::too_many_cells(&count.to_string(), MAX_CELLS, place.clone()));
        return None;
    }
    let mut all = Vec::with_capacity(count);
    for cell in &cells {
        all.push(named(cell.clone(), cell, NONE));
        for remedy in remedies {
            match (remedy.info.apply)(&remedy.params, cell) {
                Ok(mut with) => {
                    // What is wrong with it from here on is wrong with the remedy.
                    with.places = Arc::new(super::cells::places(remedy.table));
                    all.push(named(with, cell, &remedy.name));
                }
                Err(error) if error.kind == ErrorKind::Unsupported => {
                    let impossible = Some(error.message);
                    all.push(named(Cell { impossible, ..cell.clone() }, cell, &remedy.name));
                }
                Err(error) => {
                    errors.push(remedy.table.locate(error));
                    return None;
                }
            }
        }
    }
    Some(all)
}

/// The cell with the remedy's name on its axis and at the end of its id.
fn named(mut cell: Cell, plain: &Cell, remedy: &str) -> Cell {
    let mut at = plain.at.0.clone();
    at.push((AXIS.into(), Value::Text(remedy.into())));
    cell.at = At(at);
    cell.id = format!("{}/{AXIS}={remedy}", plain.id);
    cell
}
