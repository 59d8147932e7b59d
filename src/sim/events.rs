//! Joint events of one label set, and searches for a node-name template under which one happens.

use std::path::Path;

use rayon::prelude::*;

use super::Progress;
use super::labels::{LabelSet, Varies, placements, varies};
use super::sampler::owned_spread;
use crate::error::{Error, ErrorKind};
use crate::keys::KeyKind;
use crate::metrics::interval::clopper_pearson;
use crate::params::Value;
use crate::record::{EventRecord, SearchRecord};
use crate::scenario::{Cell, Condition, Event, Scenario, Search};

/// How many found templates a record keeps.
const KEEP: usize = 5;

/// Label sets between two looks at the interrupt flag.
const STRIDE: u64 = 64;

/// One cell per condition: the cells that differ only on the axes that the conditions name.
struct Group<'a> {
    at: Vec<(String, Value)>,
    checks: Vec<(&'a Cell, &'a Condition)>,
}

/// Counts in how many label sets the event happens, once for every combination of the axes that its
/// conditions leave open.
pub fn event(
    event: &Event,
    scenario: &Scenario,
    able: &[&Cell],
    keys: KeyKind,
    progress: &dyn Progress,
) -> Result<Vec<EventRecord>, Error> {
    let mut records = Vec::new();
    for group in groups(&event.name, &event.all, able)? {
        progress.begin(&event.name, u64::from(event.count));
        let (seed, ids) = (group.checks[0].0.seed, group.ids());
        let hits = count(0..u64::from(event.count), progress, |t| {
            let labels = LabelSet::drawn(Varies::Names, seed, t, ids);
            group.holds(&labels, keys, &scenario.base)
        })?;
        let (trials, hits) = (u64::from(event.count), hits.len() as u64);
        records.push(EventRecord {
            name: event.name.clone(),
            at: group.at_json(),
            trials,
            hits,
            p: hits as f64 / trials as f64,
            interval_99: clopper_pearson(hits, trials, 0.99),
        });
    }
    Ok(records)
}

/// Tries every number of the search's range in its template.
pub fn search(
    search: &Search,
    scenario: &Scenario,
    able: &[&Cell],
    keys: KeyKind,
    progress: &dyn Progress,
) -> Result<Vec<SearchRecord>, Error> {
    let mut records = Vec::new();
    for group in groups(&search.name, &search.all, able)? {
        progress.begin(&search.name, search.to - search.from);
        let ids = group.ids();
        let hits = count(search.from..search.to, progress, |number| {
            let labels = LabelSet::from_template(&search.template, number, ids);
            group.holds(&labels, keys, &scenario.base)
        })?;
        let found = hits.iter().take(KEEP);
        records.push(SearchRecord {
            name: search.name.clone(),
            at: group.at_json(),
            template: search.template.clone(),
            range: [search.from, search.to],
            tries: search.to - search.from,
            hits: hits.len() as u64,
            found: found.map(|n| search.template.replace("{try}", &n.to_string())).collect(),
        });
    }
    Ok(records)
}

/// The numbers for which `holds`, in order.
fn count(
    numbers: std::ops::Range<u64>,
    progress: &dyn Progress,
    holds: impl Fn(u64) -> Result<bool, Error> + Sync,
) -> Result<Vec<u64>, Error> {
    let strides = (numbers.end - numbers.start).div_ceil(STRIDE);
    let found: Vec<Vec<u64>> = (0..strides)
        .into_par_iter()
        .map(|stride| {
            if progress.interrupted() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            let from = numbers.start + stride * STRIDE;
            let to = numbers.end.min(from + STRIDE);
            let mut hits = Vec::new();
            for number in from..to {
                if holds(number)? {
                    hits.push(number);
                }
            }
            progress.advance(to - from);
            Ok(hits)
        })
        .collect::<Result<_, _>>()?;
    Ok(found.into_iter().flatten().collect())
}

/// Groups the cells by the axes that no condition names. The node names are what varies, so
/// `cluster.name` does not tell cells apart.
fn groups<'a>(
    name: &str,
    all: &'a [Condition],
    able: &[&'a Cell],
) -> Result<Vec<Group<'a>>, Error> {
    let named = |axis: &str| all.iter().any(|c| c.filter.iter().any(|(a, _)| a == axis));
    let open = |cell: &Cell| -> Vec<(String, Value)> {
        let axes = cell.at.0.iter().filter(|(axis, _)| axis != "cluster.name" && !named(axis));
        axes.cloned().collect()
    };
    let mut groups: Vec<Group<'a>> = Vec::new();
    for cell in able.iter().filter(|cell| cell.at.matches(&all[0].filter)) {
        let at = open(cell);
        if groups.iter().any(|group| group.at == at) {
            continue;
        }
        let mut checks = Vec::new();
        for condition in all {
            let mut matching = able
                .iter()
                .filter(|c| c.at.matches(&condition.filter) && open(c) == at)
                .collect::<Vec<_>>();
            matching.dedup_by_key(|c| without_name(c));
            match matching[..] {
                [] => {}
                [cell] => checks.push((*cell, condition)),
                [a, b, ..] => {
                    return Err(Error::invalid(format!(
                        "a condition of `{name}` matches several cells, {} and {} among them",
                        a.id, b.id
                    ))
                    .help("name more axes in its `where`"));
                }
            }
        }
        if checks.len() == all.len() {
            // Small placements first: most label sets fail there already.
            checks.sort_by_key(|(cell, _)| {
                cell.steps[0].params.get("vnodes").map(|_| cell.steps[0].params.int("vnodes"))
            });
            groups.push(Group { at, checks });
        }
    }
    if groups.is_empty() {
        return Err(Error::invalid(format!("no cells match all conditions of `{name}`"))
            .help("its cells must place by node names and know exact ownership, as `ring` does"));
    }
    Ok(groups)
}

fn without_name(cell: &Cell) -> Vec<(String, Value)> {
    cell.at.0.iter().filter(|(axis, _)| axis != "cluster.name").cloned().collect()
}

impl Group<'_> {
    fn ids(&self) -> usize {
        self.checks.iter().map(|(cell, _)| cell.steps[0].cluster.ids).max().unwrap_or(0)
    }

    fn holds(&self, labels: &LabelSet, keys: KeyKind, base: &Path) -> Result<bool, Error> {
        for (cell, condition) in &self.checks {
            let chain = placements(cell, labels, condition.step, keys, base)?;
            let owners = chain[condition.step].ownership().expect("only cells that know it");
            let value = owned_spread(cell, condition.step, &owners).get(&condition.metric);
            let value = value.expect("checked when the scenario was read");
            if condition.min.is_some_and(|min| value < min)
                || condition.max.is_some_and(|max| value > max)
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_json(&self) -> serde_json::Map<String, serde_json::Value> {
        self.at.iter().map(|(axis, value)| (axis.clone(), value.to_json())).collect()
    }
}

/// Whether a cell's ownership follows from node names, so that it can take part in events.
pub fn can_take_part(cell: &Cell) -> bool {
    varies(cell) == Ok(Varies::Names)
}
