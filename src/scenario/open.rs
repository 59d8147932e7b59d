//! Tables of open sets: a strategy, a key pattern, a traffic shape. Which fields such a table may
//! hold, the item itself declares.

use super::fields::MAX_CELLS;
use super::table::{self, Axis};
use super::tree::{Data, Table};
use crate::error::Error;
use crate::keys::PatternInfo;
use crate::params::{Default, Param, Params, Value};
use crate::remedy::RemedyInfo;
use crate::strategy::StrategyInfo;
use crate::traffic::TrafficInfo;

/// An item of an open set.
pub trait OpenItem: 'static {
    /// Its name in the scenario.
    fn name(&self) -> &'static str;
    /// The fields that it declares.
    fn params(&self) -> &'static [Param];
}

macro_rules! open_items {
    ($($info:ty),*) => {$(
        impl OpenItem for $info {
            fn name(&self) -> &'static str {
                self.name
            }
            fn params(&self) -> &'static [Param] {
                self.params
            }
        }
    )*};
}
open_items!(StrategyInfo, PatternInfo, TrafficInfo, RemedyInfo);

/// What kind of table it is.
#[derive(Debug)]
pub struct OpenSpec<I: 'static> {
    /// How messages call it, e.g. `[keys]`.
    pub name: &'static str,
    /// The fields that name the item, of which a table has one; a list of names makes each in turn.
    pub tags: &'static [Tag<I>],
    /// Fields of every item, the tag among them.
    pub common: &'static [Param],
    /// Which common fields a list sweeps over.
    pub common_sweeps: &'static [&'static str],
    /// Fields that hold tables and are read elsewhere.
    pub nested: &'static [&'static str],
}

/// A field that names an item.
#[derive(Debug)]
pub struct Tag<I: 'static> {
    /// The field.
    pub name: &'static str,
    /// Finds an item by name.
    pub find: fn(&str) -> Result<&'static I, Error>,
}

impl<I> OpenSpec<I> {
    fn is_tag(&self, field: &str) -> bool {
        self.tags.iter().any(|tag| tag.name == field)
    }

    /// The tags in words: `kind` or `preset`.
    fn tag_names(&self) -> String {
        let names: Vec<String> = self.tags.iter().map(|t| format!("`{}`", t.name)).collect();
        names.join(" or ")
    }
}

/// One combination of the values that a table gives.
#[derive(Debug)]
pub struct Variant<I: 'static> {
    /// The item.
    pub info: &'static I,
    /// Its own fields.
    pub params: Params,
    /// The common fields that are given, the tag excepted.
    pub common: Vec<(&'static str, Value)>,
    /// The swept fields and their values here, in file order; the tag first, where it is swept.
    pub swept: Vec<(&'static str, Value)>,
}

// Derived, it would ask items to be `Clone`, of which it holds references.
impl<I> Clone for Variant<I> {
    fn clone(&self) -> Self {
        let Variant { info, params, common, swept } = self;
        let (params, common, swept) = (params.clone(), common.clone(), swept.clone());
        Variant { info, params, common, swept }
    }
}

/// All combinations that a table spans: items in their order, for each the product of its fields in
/// file order. A field must be declared by at least one of the items; those that lack it do without.
/// None: something is wrong and reported.
pub fn variants<I: OpenItem>(
    table: &Table,
    spec: &OpenSpec<I>,
    absent: Option<&'static I>,
    errors: &mut Vec<Error>,
) -> Option<Vec<Variant<I>>> {
    let before = errors.len();
    let Named { items, tag, swept } = items(table, spec, absent, errors)?;
    let mut known: Vec<&str> = spec.common.iter().map(|p| p.name).collect();
    known.extend(spec.nested);
    for param in items.iter().flat_map(|item| item.params()) {
        if !known.contains(&param.name) {
            known.push(param.name);
        }
    }
    let names: Vec<&str> = items.iter().map(|item| item.name()).collect();
    let what = format!("{} of {tag} {}", spec.name, names.join(", "));
    table::refuse_unknown(table, &what, &known, errors);

    let mut variants = Vec::new();
    for item in &items {
        let axes = axes(table, spec, item.params(), errors);
        for param in item.params() {
            if param.default == Default::Required && table.get(param.name).is_none() {
                errors.push(table::missing(param, table, &what));
            }
        }
        if errors.len() == before {
            variants.extend(combine(*item, &axes, swept.then_some(tag), table, errors)?);
        }
    }
    (errors.len() == before).then_some(variants)
}

/// What a table's tag says.
struct Named<I: 'static> {
    items: Vec<&'static I>,
    tag: &'static str,
    /// Whether it is a list.
    swept: bool,
}

/// The items that the tag names.
fn items<I: OpenItem>(
    table: &Table,
    spec: &OpenSpec<I>,
    absent: Option<&'static I>,
    errors: &mut Vec<Error>,
) -> Option<Named<I>> {
    let mut given = spec.tags.iter().filter(|tag| table.get(tag.name).is_some());
    let Some(tag) = given.next() else {
        let first = &spec.tags[0];
        let Some(absent) = absent else {
            let error = Error::invalid(format!("{} is missing in {}", spec.tag_names(), spec.name));
            // The error for a name that does not exist lists those that do.
            let known = (first.find)("").err().and_then(|e| e.help.last().cloned());
            let error = known.into_iter().fold(error, Error::help);
            errors.push(error.at(table.place.clone()));
            return None;
        };
        return Some(Named { items: vec![absent], tag: first.name, swept: false });
    };
    if let Some(second) = given.next() {
        let error = Error::invalid(format!("{} has both {}", spec.name, spec.tag_names()))
            .help("give one of them: for both, write two tables");
        errors.push(error.at(table.place_of(second.name)));
        return None;
    }
    let item = table.get(tag.name).expect("it was just seen");
    let before = errors.len();
    let mut items: Vec<&'static I> = Vec::new();
    for one in item.one_or_many() {
        let found = match one.data {
            Data::Scalar(Value::Text(ref name)) => (tag.find)(name),
            _ => Err(Error::invalid(format!("`{}` is {}", tag.name, one.kind()))
                .help("allowed: a name, or a list of names")),
        };
        match found {
            Ok(info) if items.iter().any(|i| i.name() == info.name()) => errors.push(
                Error::invalid(format!("`{}` names {} twice", tag.name, info.name()))
                    .at(one.place.clone()),
            ),
            Ok(info) => items.push(info),
            Err(error) => errors.push(error.at(one.place.clone())),
        }
    }
    if items.is_empty() && errors.len() == before {
        let error = Error::invalid(format!("`{}` is an empty list", tag.name));
        errors.push(error.help("give a name").at(item.place.clone()));
    }
    let swept = matches!(item.data, Data::List(_));
    (errors.len() == before).then_some(Named { items, tag: tag.name, swept })
}

fn axes<I: OpenItem>(
    table: &Table,
    spec: &OpenSpec<I>,
    own: &'static [Param],
    errors: &mut Vec<Error>,
) -> Vec<(bool, Axis)> {
    let mut axes = Vec::new();
    for entry in table.entries.iter().filter(|e| !spec.is_tag(&e.key)) {
        // Several items may declare the same field: a fault in it is reported once.
        let mut faults = Vec::new();
        if let Some(param) = own.iter().find(|p| p.name == entry.key) {
            axes.extend(table::axis(param, &entry.item, true, &mut faults).map(|a| (true, a)));
        } else if let Some(param) = spec.common.iter().find(|p| p.name == entry.key) {
            let sweep = spec.common_sweeps.contains(&param.name);
            axes.extend(table::axis(param, &entry.item, sweep, &mut faults).map(|a| (false, a)));
        }
        for fault in faults {
            let same = |e: &Error| {
                e.message == fault.message
                    && e.place.as_ref().map(|p| &p.span) == fault.place.as_ref().map(|p| &p.span)
            };
            if !errors.iter().any(same) {
                errors.push(fault);
            }
        }
    }
    axes
}

fn combine<I: OpenItem>(
    info: &'static I,
    axes: &[(bool, Axis)],
    tag: Option<&'static str>,
    table: &Table,
    errors: &mut Vec<Error>,
) -> Option<Vec<Variant<I>>> {
    let plain: Vec<Axis> = axes.iter().map(|(_, axis)| axis.clone()).collect();
    let Some(combinations) = table::product(&plain, MAX_CELLS) else {
        errors.push(table::too_many_cells("too many", MAX_CELLS, table.place.clone()));
        return None;
    };
    let mut variants = Vec::new();
    for chosen in combinations {
        let mut own = Vec::new();
        let mut common = Vec::new();
        let mut swept: Vec<_> =
            tag.map(|tag| (tag, Value::Text(info.name().into()))).into_iter().collect();
        for ((is_own, axis), &i) in axes.iter().zip(&chosen) {
            let value = axis.values[i].clone();
            if axis.swept {
                swept.push((axis.name, value.clone()));
            }
            if *is_own {
                own.push((axis.name.to_string(), value));
            } else {
                common.push((axis.name, value));
            }
        }
        match Params::from_pairs(info.params(), own) {
            Ok(params) => variants.push(Variant { info, params, common, swept }),
            Err(error) => {
                errors.push(table.locate(error));
                return None;
            }
        }
    }
    Some(variants)
}
