//! Tables checked against declared parameters: unknown fields, types, ranges, what is missing; and
//! the axes of the sweep that their lists span.

use super::fields::MAX_CELLS;
use super::fields::ROOT;
use super::tree::{Data, Item, Table};
use crate::error::{Error, Place};
use crate::params::{Default, Param, Params, Type, Value};

/// A closed table: its scalar fields and the tables within it.
#[derive(Debug)]
pub struct TableSpec {
    /// How messages and the schema call it.
    pub name: &'static str,
    /// What it is for; one sentence without a full stop.
    pub doc: &'static str,
    /// Scalar fields.
    pub params: &'static [Param],
    /// Scalar fields that a list sweeps over.
    pub sweeps: &'static [&'static str],
    /// Fields that hold tables.
    pub nested: &'static [Nested],
}

/// A field that holds something other than a scalar.
#[derive(Debug)]
pub struct Nested {
    /// Its name.
    pub name: &'static str,
    /// What it is for; one sentence without a full stop.
    pub doc: &'static str,
    /// What it holds.
    pub holds: Holds,
}

/// What a [`Nested`] field holds.
#[derive(Debug)]
pub enum Holds {
    /// One table.
    Table(&'static TableSpec),
    /// A list of tables.
    Tables(&'static TableSpec),
    /// Names of the user's own and a value of this type for each.
    Map(&'static Type),
    /// Names of the user's own and any scalar for each.
    Any,
    /// A name or a list of names.
    Names,
    /// A number of nodes, a name, a table, or a list of names and tables.
    Nodes(&'static TableSpec),
    /// A table of an open set, told apart by this field; or a list of such tables.
    Open {
        /// `keys`, `traffic`, `strategy` or `chart`.
        set: &'static str,
        /// Whether it is a list of tables.
        list: bool,
    },
}

/// A field and the values that it takes in turn.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Name of the field.
    pub name: &'static str,
    /// Its values, at least one.
    pub values: Vec<Value>,
    /// Whether the scenario gives a list.
    pub swept: bool,
}

/// Checks one field; None when it is wrong and reported.
pub fn axis(
    param: &'static Param,
    item: &Item,
    may_sweep: bool,
    errors: &mut Vec<Error>,
) -> Option<Axis> {
    let items = match &item.data {
        Data::List(items) if may_sweep && sweeps(param, items) => items,
        _ => {
            let value = check(param, item, errors)?;
            return Some(Axis { name: param.name, values: vec![value], swept: false });
        }
    };
    if items.is_empty() {
        errors.push(
            Error::invalid(format!("`{}` is an empty list", param.name))
                .help("give the values to sweep over, or one value")
                .at(item.place.clone()),
        );
        return None;
    }
    if items.len() > MAX_CELLS {
        let count = format!("{} values on one axis and so too many", items.len());
        errors.push(too_many_cells(&count, MAX_CELLS, item.place.clone()));
        return None;
    }
    let mut values = Vec::new();
    let mut sound = true;
    for item in items {
        match check(param, item, errors) {
            Some(value) if values.contains(&value) => {
                errors.push(
                    Error::invalid(format!("`{}` has the value {value} twice", param.name))
                        .help("two equal cells cannot be told apart: leave one out")
                        .at(item.place.clone()),
                );
                sound = false;
            }
            Some(value) => values.push(value),
            None => sound = false,
        }
    }
    sound.then_some(Axis { name: param.name, values, swept: true })
}

/// Whether a list is a sweep; a list of a list parameter sweeps only when it holds lists.
fn sweeps(param: &Param, items: &[Item]) -> bool {
    match param.ty {
        Type::List(_) => items.first().is_some_and(|item| matches!(item.data, Data::List(_))),
        _ => true,
    }
}

/// Checks one value against a parameter; None when it is wrong and reported.
pub fn check(param: &'static Param, item: &Item, errors: &mut Vec<Error>) -> Option<Value> {
    match param.check(typed(&param.ty, item)) {
        Ok(value) => Some(value),
        Err(error) => {
            errors.push(error.at(item.place.clone()));
            None
        }
    }
}

/// The value as the type reads it: what comes from the command line has no quotes.
fn typed(ty: &Type, item: &Item) -> Value {
    match (ty, &item.raw, item.value()) {
        (Type::Int { .. }, Some(raw), value) => count(raw).map_or(value, Value::Int),
        (_, _, value @ (Value::Text(_) | Value::List(_) | Value::Table(_))) => value,
        (
            Type::Text
            | Type::Key
            | Type::Name
            | Type::Choice(_)
            | Type::Hasher
            | Type::View
            | Type::Label(_)
            | Type::File
            | Type::Duration,
            Some(raw),
            _,
        ) => Value::Text(raw.clone()),
        (_, _, value) => value,
    }
}

/// A count such as `250`, `10_000`, `1e7`, `5k`, `2.5m`, `1g`.
pub fn count(text: &str) -> Option<i64> {
    let text = text.trim().replace('_', "");
    let (digits, factor) = match text.chars().last()? {
        'k' | 'K' => (&text[..text.len() - 1], 1e3),
        'm' | 'M' => (&text[..text.len() - 1], 1e6),
        'g' | 'G' => (&text[..text.len() - 1], 1e9),
        _ => (text.as_str(), 1.0),
    };
    if factor == 1.0
        && let Ok(whole) = digits.parse()
    {
        return Some(whole);
    }
    let number: f64 = digits.parse().ok()?;
    let value = number * factor;
    // Beyond 2^53 a float no longer holds every whole number.
    let whole = value.is_finite() && libm::trunc(value) == value && libm::fabs(value) <= 9e15;
    whole.then_some(value as i64)
}

/// Reports the fields of a table that nothing declares.
pub fn refuse_unknown(table: &Table, what: &str, known: &[&str], errors: &mut Vec<Error>) {
    for entry in &table.entries {
        if !known.contains(&entry.key.as_str()) {
            let mut error = Error::unknown("field", &entry.key, known.iter().copied());
            error.message += &format!(" in {what}");
            errors.push(error.at(entry.key_place.clone()));
        }
    }
}

/// The error for a required field that is not there.
pub fn missing(param: &Param, table: &Table, what: &str) -> Error {
    Error::invalid(format!("`{}` is missing in {what}", param.name))
        .help(format!("`{}`: {}; allowed: {}", param.name, param.doc, param.ty.describe()))
        .at(table.place.clone())
}

/// Checks a closed table. None when a field is wrong or missing; everything wrong is reported.
pub fn closed(table: &Table, spec: &'static TableSpec, errors: &mut Vec<Error>) -> Option<Params> {
    let axes = closed_axes(table, spec, errors)?;
    let pairs = axes.into_iter().map(|mut axis| (axis.name.to_string(), axis.values.remove(0)));
    Params::from_pairs(spec.params, pairs.collect())
        .map_err(|error| errors.push(table.locate(error)))
        .ok()
}

/// Checks a closed table whose fields may sweep; only the fields that are given.
pub fn closed_axes(
    table: &Table,
    spec: &'static TableSpec,
    errors: &mut Vec<Error>,
) -> Option<Vec<Axis>> {
    let before = errors.len();
    let known: Vec<&str> =
        spec.params.iter().map(|p| p.name).chain(spec.nested.iter().map(|n| n.name)).collect();
    refuse_unknown(table, spec.name, &known, errors);
    let axes = declared_axes(table, spec.params, |name| spec.sweeps.contains(&name), errors);
    for param in spec.params {
        if param.default == Default::Required && table.get(param.name).is_none() {
            errors.push(missing(param, table, spec.name));
        }
    }
    (errors.len() == before).then_some(axes)
}

/// The axes of the declared fields that a table gives, in file order.
pub fn declared_axes(
    table: &Table,
    declared: &'static [Param],
    sweeps: impl Fn(&str) -> bool,
    errors: &mut Vec<Error>,
) -> Vec<Axis> {
    let mut axes = Vec::new();
    for entry in &table.entries {
        if let Some(param) = declared.iter().find(|p| p.name == entry.key) {
            axes.extend(axis(param, &entry.item, sweeps(param.name), errors));
        }
    }
    axes
}

/// The table that a field holds; anything else is reported.
pub fn as_table<'a>(item: &'a Item, name: &str, errors: &mut Vec<Error>) -> Option<&'a Table> {
    match &item.data {
        Data::Table(table) => Some(table),
        _ => {
            let help = match ROOT.nested.iter().any(|nested| nested.name == name) {
                true => format!("write one table, `[{name}]`"),
                false => "write a table, e.g. { name = value }".to_string(),
            };
            let error = Error::invalid(format!("`{name}` is {}", item.kind()));
            errors.push(error.help(help).at(item.place.clone()));
            None
        }
    }
}

/// The tables that a field holds; anything else is reported.
pub fn as_tables<'a>(item: &'a Item, name: &str, errors: &mut Vec<Error>) -> Vec<&'a Table> {
    match &item.data {
        Data::List(items) => items.iter().filter_map(|item| as_table(item, name, errors)).collect(),
        _ => {
            errors.push(
                Error::invalid(format!("`{name}` is {}, not a list of tables", item.kind()))
                    .help(format!("write `[[{name}]]`"))
                    .at(item.place.clone()),
            );
            Vec::new()
        }
    }
}

/// All combinations of the values of some axes, as indices, the last axis varying fastest; None when
/// there are more than `limit`.
pub fn product(axes: &[Axis], limit: usize) -> Option<Vec<Vec<usize>>> {
    let total = axes.iter().try_fold(1usize, |n, axis| n.checked_mul(axis.values.len()))?;
    if total > limit {
        return None;
    }
    let mut all = vec![Vec::new()];
    for axis in axes {
        all = all
            .iter()
            .flat_map(|chosen: &Vec<usize>| {
                (0..axis.values.len()).map(|i| [chosen.as_slice(), &[i]].concat())
            })
            .collect();
    }
    Some(all)
}

/// The error for a sweep that is too large.
pub fn too_many_cells(count: &str, limit: usize, place: Place) -> Error {
    Error::invalid(format!("the sweep has {count} cells"))
        .help(format!("at most {limit}: shorten a list, or split the scenario"))
        .at(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_carry_a_suffix() {
        assert_eq!(count("10m"), Some(10_000_000));
        assert_eq!(count("2.5k"), Some(2500));
        assert_eq!(count("1_000"), Some(1000));
        assert_eq!(count("1e7"), Some(10_000_000));
        assert_eq!(count("9223372036854775807"), Some(i64::MAX));
        for wrong in ["", "m", "1.5", "ten", "1kk", "inf", "1e300"] {
            assert_eq!(count(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_last_axis_varies_fastest() {
        let axis =
            |n: i64| Axis { name: "x", values: (0..n).map(Value::Int).collect(), swept: true };
        assert_eq!(product(&[axis(2), axis(2)], 4).unwrap(), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!(product(&[], 1).unwrap(), [[0usize; 0]]);
        assert!(product(&[axis(1000), axis(1000), axis(1000)], 10_000).is_none());
    }
}
