//! What the scenario asks of the cells: trials, events, searches, expectations, charts.

use std::collections::BTreeSet;

use super::fields::{CHART_COMMON, CONDITION, EVENT, EXPECT, MAX_TRIALS, SEARCH, TRIALS};
use super::tree::{Data, Item, Table};
use super::{Cell, ChartSpec, Condition, Event, Expect, Search, Trials, asked, table};
use crate::error::Error;
use crate::params::{Default, Params, Value, number};

/// How many values of an axis a message lists.
const LISTED_VALUES: usize = 12;

/// `[trials]` and its events. None: something is wrong and reported.
pub fn trials(
    root: &Table,
    cells: &[Cell],
    errors: &mut Vec<Error>,
) -> Option<(Option<Trials>, Vec<Event>)> {
    let Some(item) = root.get("trials") else { return Some((None, Vec::new())) };
    let before = errors.len();
    let table = table::as_table(item, "trials", errors)?;
    let params = table::closed(table, &TRIALS, errors);
    let mut events: Vec<Event> = Vec::new();
    let tables =
        table.get("event").map_or(Vec::new(), |e| table::as_tables(e, "trials.event", errors));
    for table in tables {
        let all = all(table, cells, errors);
        let Some(params) = table::closed(table, &EVENT, errors) else { continue };
        let name = params.text("name").to_string();
        if events.iter().any(|e| e.name == name) {
            errors.push(name_taken("events", &name, table));
        }
        events.push(Event { name, count: params.int("count") as u32, all });
    }
    // A band is drawn only when it is asked for: events alone have their own counts.
    let band = table.get("count").is_some() || table.get("keys").is_some();
    let trials = params.filter(|_| band).map(|params| Trials {
        count: params.int("count") as u32,
        keys: params.int("keys") as u64,
    });
    (errors.len() == before).then_some((trials, events))
}

/// `[[search]]`. None: something is wrong and reported.
pub fn searches(root: &Table, cells: &[Cell], errors: &mut Vec<Error>) -> Option<Vec<Search>> {
    let before = errors.len();
    let mut searches: Vec<Search> = Vec::new();
    let tables = root.get("search").map_or(Vec::new(), |s| table::as_tables(s, "search", errors));
    for table in tables {
        let all = all(table, cells, errors);
        let Some(params) = table::closed(table, &SEARCH, errors) else { continue };
        let (name, template) =
            (params.text("name").to_string(), params.text("template").to_string());
        if searches.iter().any(|s| s.name == name) {
            errors.push(name_taken("searches", &name, table));
        }
        if let Some(lacking) = ["{try}", "{i}"].into_iter().find(|p| !template.contains(p)) {
            errors.push(
                Error::invalid(format!("`template` has no `{lacking}`"))
                    .help("write e.g. \"db-{try}-{i}\": {try} counts the tries, {i} the nodes")
                    .at(table.place_of("template")),
            );
        }
        let (from, to) = (params.int("from") as u64, params.int("to") as u64);
        if to <= from {
            errors.push(
                Error::invalid(format!("the search goes from {from} to {to}"))
                    .help("`to` is the number after the last one tried: make it larger than `from`")
                    .at(table.place_of("to")),
            );
        } else if to - from > MAX_TRIALS as u64 {
            errors.push(
                Error::invalid(format!("the search has {} tries", to - from))
                    .help(format!("at most {MAX_TRIALS}: search a shorter range"))
                    .at(table.place_of("to")),
            );
        }
        searches.push(Search { name, template, from, to, all });
    }
    (errors.len() == before).then_some(searches)
}

/// `[[expect]]`, which may name `queries`. None: something is wrong and reported.
pub fn expects(
    root: &Table,
    cells: &[Cell],
    has_trials: bool,
    queries: &[&str],
    errors: &mut Vec<Error>,
) -> Option<Vec<Expect>> {
    let before = errors.len();
    let mut expects = Vec::new();
    let tables = root.get("expect").map_or(Vec::new(), |e| table::as_tables(e, "expect", errors));
    for table in tables {
        let filter = filter(table, cells, errors);
        let Some(params) = table::closed(table, &EXPECT, errors) else { continue };
        let metric = params.text("metric").to_string();
        let found = crate::metrics::find(&metric)
            .map_err(|error| errors.push(error.at(table.place_of("metric"))));
        let (min, max) = bounds(table, &params, errors);
        let step = params.get("step").map(|_| params.int("step") as usize);
        if let (Some(filter), Some(step)) = (&filter, step) {
            check_step(table, filter, step, cells, errors);
        }
        if let (Some(filter), Ok(metric)) = (&filter, &found)
            && let Err(error) = asked::metric(metric, filter, step, cells, has_trials, queries)
        {
            errors.push(error.at(table.place_of("metric")));
        }
        expects.push(Expect {
            metric,
            filter: filter.unwrap_or_default(),
            step,
            min,
            max,
            because: params.text_opt("because").unwrap_or("").to_string(),
        });
    }
    (errors.len() == before).then_some(expects)
}

/// `[[chart]]`, checked against the cells if they are given. None: something is wrong and reported.
pub fn charts(
    root: &Table,
    cells: Option<&[Cell]>,
    errors: &mut Vec<Error>,
) -> Option<Vec<ChartSpec>> {
    let before = errors.len();
    let mut charts = Vec::new();
    let tables = root.get("chart").map_or(Vec::new(), |c| table::as_tables(c, "chart", errors));
    for table in tables {
        let Some(item) = table.get("kind") else {
            errors.push(table::missing(&CHART_COMMON[0], table, "[[chart]]"));
            continue;
        };
        let kind = item.value().to_string();
        match crate::charts::find(&kind) {
            Err(error) => errors.push(error.at(item.place.clone())),
            Ok(info) => {
                let declared = info.params;
                let known: Vec<&str> =
                    declared.iter().chain(CHART_COMMON).map(|param| param.name).collect();
                let what = format!("[[chart]] of kind {kind}");
                table::refuse_unknown(table, &what, &known, errors);
                let axes = table::declared_axes(table, declared, |_| false, errors);
                for param in declared {
                    if param.default == Default::Required && table.get(param.name).is_none() {
                        errors.push(table::missing(param, table, &what));
                    }
                }
                if errors.len() > before {
                    continue;
                }
                let given = axes.into_iter().map(|mut a| (a.name.to_string(), a.values.remove(0)));
                let params = Params::from_pairs(declared, given.collect());
                let checked = |params: &Params| {
                    (info.check)(params)?;
                    cells.map_or(Ok(()), |cells| asked::chart(params, cells))
                };
                match params.and_then(|params| checked(&params).map(|()| params)) {
                    Ok(params) => charts.push(ChartSpec { kind, params }),
                    Err(error) => errors.push(table.locate(error)),
                }
            }
        }
    }
    (errors.len() == before).then_some(charts)
}

fn name_taken(what: &str, name: &str, table: &Table) -> Error {
    Error::invalid(format!("two {what} are called `{name}`"))
        .help("each needs its own name")
        .at(table.place_of("name"))
}

/// The conditions of an event or a search.
fn all(table: &Table, cells: &[Cell], errors: &mut Vec<Error>) -> Vec<Condition> {
    let tables = table.get("all").map_or(Vec::new(), |all| table::as_tables(all, "all", errors));
    if table.get("all").is_none_or(|all| matches!(&all.data, Data::List(items) if items.is_empty()))
    {
        errors.push(
            Error::invalid("no condition is given")
                .help("give e.g. `all = [{ metric = \"max-deviation\", max = 0.09 }]`")
                .at(table.place_of("all")),
        );
    }
    let condition = |table: &Table| {
        let filter = filter(table, cells, errors);
        let params = table::closed(table, &CONDITION, errors)?;
        let (min, max) = bounds(table, &params, errors);
        let (filter, step) = (filter?, params.int("step") as usize);
        check_step(table, &filter, step, cells, errors);
        Some(Condition { filter, metric: params.text("metric").to_string(), min, max, step })
    };
    tables.into_iter().filter_map(condition).collect()
}

fn bounds(table: &Table, params: &Params, errors: &mut Vec<Error>) -> (Option<f64>, Option<f64>) {
    let bound = |name| params.get(name).and_then(Value::as_f64);
    let (min, max) = (bound("min"), bound("max"));
    match (min, max) {
        (None, None) => errors.push(
            Error::invalid("neither `min` nor `max` is given")
                .help("give at least one bound")
                .at(table.place_of("metric")),
        ),
        (Some(min), Some(max)) if min > max => errors.push(
            Error::invalid(format!("`min` is {} and `max` is {}", number(min), number(max)))
                .help("nothing can hold: make `min` the smaller one")
                .at(table.place_of("min")),
        ),
        _ => {}
    }
    (min, max)
}

/// The axes that `where` names; no cell that matches is an error.
pub fn filter(
    table: &Table,
    cells: &[Cell],
    errors: &mut Vec<Error>,
) -> Option<Vec<(String, Value)>> {
    let Some(item) = table.get("where") else { return Some(Vec::new()) };
    let wanted = table::as_table(item, "where", errors)?;
    let before = errors.len();
    for entry in &wanted.entries {
        let have = values(&entry.key, cells);
        if have.is_empty() {
            let axes: BTreeSet<&str> =
                cells.iter().flat_map(|c| c.at.0.iter().map(|(axis, _)| axis.as_str())).collect();
            let error = Error::unknown("axis", &entry.key, axes);
            errors.push(error.at(entry.key_place.clone()));
        } else if !cells.iter().any(|c| c.at.matches(&[(entry.key.clone(), entry.item.value())])) {
            errors.push(no_such_value(&entry.key, &entry.item, &have));
        }
    }
    let pairs = wanted.pairs();
    if errors.len() == before && !cells.iter().any(|c| c.at.matches(&pairs)) {
        errors.push(
            Error::invalid("no cell matches `where`")
                .help("each value occurs, but never together with the others")
                .at(item.place.clone()),
        );
    }
    (errors.len() == before).then_some(pairs)
}

fn values(axis: &str, cells: &[Cell]) -> Vec<String> {
    let mut values = Vec::new();
    for value in cells.iter().filter_map(|c| c.at.get(axis)) {
        let shown = value.to_string();
        if values.len() <= LISTED_VALUES && !values.contains(&shown) {
            values.push(shown);
        }
    }
    values
}

fn no_such_value(axis: &str, item: &Item, have: &[String]) -> Error {
    let more = if have.len() > LISTED_VALUES { " …" } else { "" };
    let listed = have[..have.len().min(LISTED_VALUES)].join(", ");
    let wanted = item.value().to_string();
    Error::unknown("value", &wanted, have.iter().map(String::as_str))
        .at(item.place.clone())
        .also(format!("no cell has `{axis}` = {wanted}"), format!("values there: {listed}{more}"))
}

/// A step that no matching cell has is an error.
pub fn check_step(
    table: &Table,
    filter: &[(String, Value)],
    step: usize,
    cells: &[Cell],
    errors: &mut Vec<Error>,
) {
    let matching = cells.iter().filter(|c| c.at.matches(filter));
    let last = matching.map(|c| c.steps.len() - 1).max().unwrap_or(0);
    if step > last {
        errors.push(
            Error::invalid(format!("`step` is {step}"))
                .help(format!("the last step of the cells that match is {last}"))
                .at(table.place_of("step")),
        );
    }
}

/// Rewords an "unknown" error while it keeps the suggestion.
trait Also {
    fn also(self, message: String, known: String) -> Self;
}

impl Also for Error {
    fn also(mut self, message: String, known: String) -> Self {
        self.message = message;
        if let Some(last) = self.help.last_mut() {
            *last = known;
        }
        self
    }
}
