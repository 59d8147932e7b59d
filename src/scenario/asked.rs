//! Whether the cells can answer what the scenario asks of them: metrics of expectations, parameters
//! of charts, placeholders of the analysis.

use std::collections::BTreeSet;

use super::tree::Table;
use super::{Cell, Event, REMEDY_AXIS, Search};
use crate::cluster::{Change, ChangeKind};
use crate::error::Error;
use crate::metrics::Metric;
use crate::params::{Params, Value};
use crate::report::prose;

/// Refuses a metric that none of the cells that match `filter` can have at that step; `queries` are the
/// names of the scenario's.
pub fn metric(
    metric: &Metric<'_>,
    filter: &[(String, Value)],
    step: Option<usize>,
    cells: &[Cell],
    has_trials: bool,
    queries: &[&str],
) -> Result<(), Error> {
    let cells: Vec<&Cell> = cells.iter().filter(|c| c.at.matches(filter)).collect();
    let name = metric.name();
    let refuse = |why: &str, help: &str| {
        Err(Error::invalid(format!("no cell that matches has `{name}`: {why}")).help(help))
    };
    if metric.needs_trials() && !has_trials {
        return refuse("there is no band", "give `[trials]` with a `count`");
    }
    if metric.needs_remedy() && cells.iter().all(|c| c.at.get(REMEDY_AXIS).is_none()) {
        return refuse("there are no remedies", "give a `[[remedy]]` with a `kind`");
    }
    if metric.needs_replicas() && cells.iter().all(|c| c.replicas < 2) {
        return refuse("every key is on one node", "give `replicas` of at least 2");
    }
    if metric.needs_queries() && queries.is_empty() {
        return refuse("there are no queries", "give a `[[query]]`");
    }
    if let Some(query) = metric.query().filter(|query| !queries.contains(query)) {
        return Err(Error::unknown("query", query, queries.iter().copied()));
    }
    if metric.needs_migration() && cells.iter().all(|c| c.migration.is_none()) {
        return refuse("no migration is simulated", "give a [migration] table");
    }
    if metric.needs_change() && cells.iter().all(|c| c.steps.len() < 2) {
        return refuse("no path has a change", "give a `[[change]]`");
    }
    if metric.needs_change() && step == Some(0) {
        return refuse("nothing moves at step 0", "give a `step` from 1, or leave it out");
    }
    let failing = |change: &Change| matches!(change.kind, ChangeKind::Fail(..));
    let mut steps = cells.iter().flat_map(|c| &c.steps);
    if metric.needs_failure() && !steps.any(|s| s.change.as_ref().is_some_and(failing)) {
        return refuse("no node fails", "give a change `fail = [\"…\"]`");
    }
    let mut nodes = cells.iter().flat_map(|c| c.steps.iter().flat_map(|s| &s.cluster.nodes));
    if metric.needs_capacity() && nodes.all(|n| n.capacity.is_empty() && n.headroom.is_empty()) {
        return refuse(
            "no node has a capacity",
            "give `capacity = { requests = 8000 }` or `headroom = { requests = 1.5 }` to [cluster]",
        );
    }
    match metric.load() {
        None => Ok(()),
        Some(load) if cells.iter().any(|c| c.workload.loads().contains(&load)) => Ok(()),
        Some("requests") => refuse(
            "there are no requests",
            "give `[traffic]`, or `requests` of a key file: the column that has them",
        ),
        Some("bytes") => refuse("there are no bytes", "give `bytes` of a key file: their column"),
        Some("reads") => refuse(
            "reads are not told from writes",
            "give `write-share` in [traffic], the share of the requests that are writes",
        ),
        Some("writes") => refuse(
            "no request is a write",
            "give `write-share` in [traffic], the share of the requests that are writes",
        ),
        Some(_) => refuse("no key carries this load", "loads: keys, requests, bytes"),
    }
}

/// Refuses parameters of a chart that name an axis, a value, a path, a load or a step that no cell has.
pub fn chart(params: &Params, cells: &[Cell]) -> Result<(), Error> {
    for (name, value) in params.iter() {
        let known: BTreeSet<String> = match name {
            "axis" => numbers(cells),
            "path" => cells.iter().map(|c| c.path.clone()).collect(),
            "load" => {
                let loads = cells.iter().flat_map(|c| c.workload.loads());
                loads.map(str::to_string).chain(["owned".to_string()]).collect()
            }
            "where" | "band" => {
                conditions(name, value, cells)?;
                continue;
            }
            "step" => {
                let last = cells.iter().map(|c| c.steps.len() - 1).max().unwrap_or(0);
                match value {
                    Value::Int(step) if *step > last as i64 => {
                        return Err(Error::invalid(format!("`step` is {step}"))
                            .help(format!("the last step of the cells is {last}"))
                            .field(name));
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        let given = value.to_string();
        if !known.contains(&given) {
            return Err(Error::unknown(name, &given, known.iter().map(String::as_str)).field(name));
        }
    }
    Ok(())
}

/// Axes on which cells have numbers.
fn numbers(cells: &[Cell]) -> BTreeSet<String> {
    let axes = cells.iter().flat_map(|c| &c.at.0).filter(|(_, value)| value.as_f64().is_some());
    axes.map(|(axis, _)| axis.clone()).collect()
}

/// Texts `axis=value` that at least one cell meets together.
fn conditions(field: &'static str, value: &Value, cells: &[Cell]) -> Result<(), Error> {
    let Value::List(texts) = value else { return Ok(()) };
    let mut left: Vec<&Cell> = cells.iter().collect();
    for text in texts {
        let text = text.to_string();
        let Some((axis, wanted)) = text.split_once('=') else { continue };
        let (axis, wanted) = (axis.trim(), wanted.trim());
        let have: Vec<&Value> = cells.iter().filter_map(|c| c.at.get(axis)).collect();
        if have.is_empty() {
            let axes: BTreeSet<&str> =
                cells.iter().flat_map(|c| c.at.0.iter().map(|(axis, _)| axis.as_str())).collect();
            return Err(Error::unknown("axis", axis, axes).field(field));
        }
        if !have.iter().any(|value| is(value, wanted)) {
            let have: BTreeSet<String> = have.iter().map(|value| value.to_string()).collect();
            let mut error = Error::unknown("value", wanted, have.iter().map(String::as_str));
            error.message = format!("no cell has `{axis}` = {wanted}");
            return Err(error.field(field));
        }
        left.retain(|c| c.at.get(axis).is_some_and(|value| is(value, wanted)));
    }
    if left.is_empty() {
        return Err(Error::invalid(format!("no cell matches `{field}`"))
            .help("each value occurs, but never together with the others")
            .field(field));
    }
    Ok(())
}

/// Whether a value is what a text says; numbers compare as numbers.
fn is(value: &Value, text: &str) -> bool {
    value.to_string() == text || value.as_f64().is_some_and(|x| text.parse() == Ok(x))
}

/// Reports placeholders of `analysis` that nothing can fill.
pub fn analysis(
    root: &Table,
    cells: &[Cell],
    events: &[Event],
    searches: &[Search],
    queries: &[&str],
    errors: &mut Vec<Error>,
) {
    let Some(item) = root.get("analysis") else { return };
    let named = prose::Named {
        cells: cells.iter().map(|c| (c.id.as_str(), c.steps.len() - 1)).collect(),
        events: events.iter().map(|e| e.name.as_str()).collect(),
        searches: searches.iter().map(|s| s.name.as_str()).collect(),
        queries: queries.to_vec(),
    };
    let found = prose::check(&item.value().to_string(), &named);
    errors.extend(found.into_iter().map(|error| error.at(item.place.clone())));
}
