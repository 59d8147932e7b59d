//! Prose with figures from the record: fills the placeholders of a scenario's `analysis`.
//!
//! A placeholder is braces around parts between bars; braces without a bar are plain text.
//!
//! - `{CELL|STEP|METRIC|FORMAT}`: a number of a cell's step by its dotted name, e.g.
//!   `{ring/murmur3-32/vnodes=160|0|keys.max-deviation|%}`; STEP may be `last`.
//! - `{event:NAME|p|FORMAT}`, also `hits`, `trials`, `low` and `high` (the 99 % interval);
//!   `NAME@AXIS=VALUE` picks one of several events of that name.
//! - `{search:NAME|hits|FORMAT}`, also `tries`, `from`, `to`; `{search:NAME|found}` is the first
//!   template found. `@AXIS=VALUE` as for events.
//!
//! FORMAT is `%` (a share in per cent, one decimal; `%3`: three), `x` (a ratio, two decimals; `x3`),
//! `n` (a whole number in groups of three) or `raw` (the shortest text of the number).

use serde_json::{Map, Value as Json};

use super::number::{fixed, grouped, percent, probability_percent, shortest};
use crate::error::Error;
use crate::metrics;
use crate::record::Record;

/// Fills in every placeholder, or says which one has no value and why.
pub fn fill(analysis: &str, record: &Record) -> Result<String, Error> {
    let (text, mut errors) = fill_or_mark(analysis, record);
    if errors.is_empty() { Ok(text) } else { Err(errors.remove(0)) }
}

/// Fills in what it can and leaves the rest as `(?)`, with one error for each: an analysis is
/// written for the scenario as it ships, and `--set` may take its cells away.
pub fn fill_or_mark(analysis: &str, record: &Record) -> (String, Vec<Error>) {
    let (mut out, mut errors) = (String::with_capacity(analysis.len()), Vec::new());
    let mut rest = analysis;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        rest = &rest[open..];
        match placeholder(rest) {
            Some(inner) => {
                match value(inner, record) {
                    Ok(text) => out.push_str(&text),
                    Err(error) => {
                        out.push_str("(?)");
                        errors.push(error);
                    }
                }
                rest = &rest[inner.len() + 2..];
            }
            None => {
                out.push('{');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    (out, errors)
}

/// What the placeholders of a scenario may name.
#[derive(Debug)]
pub struct Named<'a> {
    /// Ids of the cells, each with its last step.
    pub cells: Vec<(&'a str, usize)>,
    /// Names of the events.
    pub events: Vec<&'a str>,
    /// Names of the searches.
    pub searches: Vec<&'a str>,
    /// Names of the queries.
    pub queries: Vec<&'a str>,
}

/// What can be found wrong with placeholders without a record.
pub fn check(analysis: &str, named: &Named<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    let mut rest = analysis;
    while let Some(open) = rest.find('{') {
        rest = &rest[open..];
        let inner = placeholder(rest);
        if let Some(inner) = inner {
            errors.extend(check_one(inner, named).err().map(|error| in_placeholder(inner, error)));
        }
        rest = &rest[inner.map_or(1, |inner| inner.len() + 2)..];
    }
    errors
}

fn check_one(inner: &str, named: &Named<'_>) -> Result<(), Error> {
    let known = |what: &str, name: &str, all: &[&str]| {
        let title = name.rsplit_once('@').map_or(name, |(title, _)| title);
        let there = all.iter().any(|have| *have == name || *have == title);
        if there { Ok(()) } else { Err(Error::unknown(what, name, all.iter().copied())) }
    };
    match parts(inner)? {
        Part::Event { name, field, format } => {
            known("event", name, &named.events)?;
            one_of(field, EVENT_FIELDS)?;
            formatted(0.0, format).map(|_| ())
        }
        Part::Search { name, field, format } => {
            known("search", name, &named.searches)?;
            match (field, format) {
                ("found", None) => Ok(()),
                (_, Some(format)) => {
                    one_of(field, SEARCH_FIELDS)?;
                    formatted(0.0, format).map(|_| ())
                }
                _ => Err(search_parts()),
            }
        }
        Part::Step { cell, step, metric, format } => {
            let found = named.cells.iter().find(|(id, _)| *id == cell);
            let (_, last) = found.ok_or_else(|| {
                Error::unknown("cell", cell, named.cells.iter().map(|(id, _)| *id))
            })?;
            if step != "last" && step.parse().ok().is_none_or(|step: usize| step > *last) {
                return Err(
                    Error::invalid(format!("no step `{step}`")).help(format!("steps: 0 to {last}"))
                );
            }
            if let Some(query) = metrics::find(metric)?.query() {
                known("query", query, &named.queries)?;
            }
            formatted(0.0, format).map(|_| ())
        }
    }
}

const EVENT_FIELDS: &[&str] = &["p", "hits", "trials", "low", "high"];
const SEARCH_FIELDS: &[&str] = &["hits", "tries", "from", "to"];

fn one_of(field: &str, allowed: &[&str]) -> Result<(), Error> {
    let there = allowed.contains(&field);
    if there { Ok(()) } else { Err(Error::unknown("field", field, allowed.iter().copied())) }
}

/// A placeholder taken apart.
enum Part<'a> {
    Event { name: &'a str, field: &'a str, format: &'a str },
    Search { name: &'a str, field: &'a str, format: Option<&'a str> },
    Step { cell: &'a str, step: &'a str, metric: &'a str, format: &'a str },
}

fn parts(inner: &str) -> Result<Part<'_>, Error> {
    let parts: Vec<&str> = inner.split('|').map(str::trim).collect();
    let named = parts[0].split_once(':');
    match (named, parts.as_slice()) {
        (Some(("event", name)), [_, field, format]) => Ok(Part::Event { name, field, format }),
        (Some(("search", name)), [_, field]) => Ok(Part::Search { name, field, format: None }),
        (Some(("search", name)), [_, field, format]) => {
            Ok(Part::Search { name, field, format: Some(format) })
        }
        (Some(("search", _)), _) => Err(search_parts()),
        (_, [cell, step, metric, format]) => Ok(Part::Step { cell, step, metric, format }),
        _ => Err(Error::invalid("has the wrong number of parts")
            .help("write {CELL|STEP|METRIC|FORMAT} or {event:NAME|p|FORMAT}")),
    }
}

fn search_parts() -> Error {
    Error::invalid("has the wrong parts").help("write {search:NAME|found} or {search:NAME|hits|n}")
}

fn in_placeholder(inner: &str, error: Error) -> Error {
    Error { message: format!("placeholder `{{{inner}}}`: {}", error.message), ..error }
}

/// What stands between the braces at the start of `text`, if it is a placeholder. Inner braces, as
/// in a label template of a cell's id, are part of it.
fn placeholder(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (i, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => {
                let inner = &text[1..i];
                return inner.contains('|').then_some(inner);
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn value(inner: &str, record: &Record) -> Result<String, Error> {
    let text = parts(inner).and_then(|part| match part {
        Part::Event { name, field, format } => event_value(record, name, field, format),
        Part::Search { name, field, format } => search_value(record, name, field, format),
        Part::Step { cell, step, metric, format } => step_value(record, cell, step, metric, format),
    });
    text.map_err(|error| in_placeholder(inner, error))
}

fn step_value(
    record: &Record,
    cell: &str,
    step: &str,
    metric: &str,
    format: &str,
) -> Result<String, Error> {
    let ids = || record.cells.iter().map(|c| c.id.as_str());
    let found = record.cells.iter().find(|c| c.id == cell);
    let cell = found.ok_or_else(|| Error::unknown("cell", cell, ids()))?;
    let last = cell.steps.last().map(|s| s.step);
    let number = if step == "last" { last } else { step.parse().ok() };
    let step = cell.steps.iter().find(|s| Some(s.step) == number).ok_or_else(|| {
        let allowed = last.map_or("the cell has none".into(), |last| format!("0 to {last}"));
        Error::invalid(format!("no step `{step}`")).help(format!("steps: {allowed}"))
    })?;
    let value = metrics::value(step, cell, metric).ok_or_else(|| {
        Error::invalid(format!("step {} has no `{metric}`", step.step))
            .help("`shardlab list metrics` shows the names")
    })?;
    formatted(value, format)
}

/// The event or search that `NAME` or `NAME@AXIS=VALUE` picks; the first if several match.
fn named<'a, T>(
    all: &'a [T],
    name: &str,
    what: &str,
    facts: impl Fn(&T) -> (&str, &Map<String, Json>),
) -> Result<&'a T, Error> {
    let (title, at) = match name.rsplit_once('@') {
        Some((title, at)) => (title, at.split_once('=')),
        None => (name, None),
    };
    let found = all.iter().find(|item| {
        let (have, axes) = facts(item);
        have == title
            && at.is_none_or(|(axis, want)| {
                axes.get(axis).is_some_and(|have| super::results::text(have) == want)
            })
    });
    found.ok_or_else(|| Error::unknown(what, name, all.iter().map(|item| facts(item).0)))
}

fn event_value(record: &Record, name: &str, field: &str, format: &str) -> Result<String, Error> {
    let event = named(&record.events, name, "event", |e| (e.name.as_str(), &e.at))?;
    let value = match field {
        "p" => event.p,
        "hits" => event.hits as f64,
        "trials" => event.trials as f64,
        "low" => event.interval_99[0],
        "high" => event.interval_99[1],
        other => return Err(Error::unknown("field", other, EVENT_FIELDS.iter().copied())),
    };
    formatted(value, format)
}

fn search_value(
    record: &Record,
    name: &str,
    field: &str,
    format: Option<&str>,
) -> Result<String, Error> {
    let search = named(&record.searches, name, "search", |s| (s.name.as_str(), &s.at))?;
    let (value, format) = match (field, format) {
        ("found", None) => {
            let first = search.found.first().cloned();
            return first.ok_or_else(|| Error::invalid("the search found nothing"));
        }
        ("hits", Some(format)) => (search.hits, format),
        ("tries", Some(format)) => (search.tries, format),
        ("from", Some(format)) => (search.range[0], format),
        ("to", Some(format)) => (search.range[1].saturating_sub(1), format),
        _ => return Err(search_parts()),
    };
    formatted(value as f64, format)
}

fn formatted(value: f64, format: &str) -> Result<String, Error> {
    let digits = |rest: &str, usual: usize| match rest {
        "" => Some(usual),
        rest => rest.parse().ok().filter(|d| *d <= 12),
    };
    let text = if let Some(rest) = format.strip_prefix('%') {
        // One decimal would make nothing of a rare event.
        if rest.is_empty() && value > 0.0 && value < 0.01 {
            Some(format!("{} %", probability_percent(value)))
        } else {
            digits(rest, 1).map(|d| format!("{} %", percent(value, d)))
        }
    } else if let Some(rest) = format.strip_prefix('x') {
        digits(rest, 2).map(|d| fixed(value, d))
    } else {
        match format {
            "n" if value >= 0.0 => Some(grouped(libm::round(value) as u64)),
            "raw" => Some(shortest(value)),
            _ => None,
        }
    };
    text.ok_or_else(|| {
        Error::invalid(format!("`{format}` is no format for {value}"))
            .help("allowed: %, %3 (per cent), x, x3 (ratio), n (whole number), raw")
    })
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn fill(text: &str) -> Result<String, Error> {
        super::fill(text, &sample::record())
    }

    #[test]
    fn figures_come_from_the_record() {
        let cell = "ring/murmur3-32/vnodes=8";
        for (placeholder, want) in [
            (format!("{{{cell}|1|movement.keys.share-moved|%}}"), "32.0 %"),
            (format!("{{{cell}|last|movement.keys.share-moved|%3}}"), "32.000 %"),
            (format!("{{{cell}|0|keys.max-over-mean|x}}"), "1.20"),
            (format!("{{{cell}|0|keys.max-over-mean|raw}}"), "1.2"),
            ("{event:both at once|p|%3}".into(), "0.012 %"),
            ("{event:both at once@hasher=md5|hits|n}".into(), "12"),
            ("{search:names that do it|tries|n}".into(), "10,000"),
            ("{search:names that do it|found}".into(), "db77-{i}"),
        ] {
            let text = fill(&format!("a {placeholder} b")).unwrap();
            assert_eq!(text, format!("a {want} b"), "{placeholder}");
        }
    }

    #[test]
    fn braces_without_bars_are_text() {
        let text = "labels `{node}#{i}` and a lone { brace";
        assert_eq!(fill(text).unwrap(), text);
    }

    #[test]
    fn an_unknown_part_is_an_error_that_names_it() {
        for (text, part) in [
            ("{rnig|0|keys.cv|x}", "unknown cell `rnig`"),
            ("{ring/murmur3-32/vnodes=8|7|keys.cv|x}", "no step `7`"),
            ("{ring/murmur3-32/vnodes=8|0|keys.cvv|x}", "no `keys.cvv`"),
            ("{ring/murmur3-32/vnodes=8|0|keys.cv|y}", "`y` is no format"),
            ("{event:both at once@hasher=md4|p|%}", "unknown event"),
            ("{a|b}", "wrong number of parts"),
        ] {
            let error = fill(text).unwrap_err();
            assert!(error.message.contains(part), "{text}: {error}");
        }
        let (text, errors) = fill_or_mark("x {a|b} y", &sample::record());
        assert_eq!((text.as_str(), errors.len()), ("x (?) y", 1));
    }
}
