//! Metrics: what the numbers of a record are called, what they mean, and how they are computed.
//!
//! [`ALL`] holds the families of metrics; `list metrics`, the check of `[[expect]]` and every
//! look-up by dotted name come from it. A family has forms such as `movement.LOAD.STAT`, in which
//! `STAT` is the name of one of its metrics, `LOAD` one of [`LOADS`], `PERCENTILE` one of
//! [`bands::PERCENTILES`] and `NAME` the name of one of the scenario's queries.
//!
//! To add a metric: an entry in the family that it belongs to, or a new file with a family and two
//! lines here.

pub mod along_path;
pub mod balance;
pub mod bands;
pub mod capacity;
pub mod chi_square;
pub mod copies;
pub mod extremes;
pub mod facts;
pub mod failure;
pub mod formulas;
pub mod hot;
pub mod ideal;
pub mod interval;
pub mod movement;
pub mod multinomial;
pub mod queries;
pub mod special;
pub mod spread;
pub mod theory;
pub mod timeline;

use crate::error::Error;
use crate::record::{CellRecord, StepRecord};

/// The loads that a record may hold, in the order of lists.
pub const LOADS: &[&str] = &["keys", "requests", "bytes", "reads", "writes"];

/// What a number counts, and so how it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Whole things: keys, requests, nodes.
    Count,
    /// Bytes.
    Bytes,
    /// A fraction that is shown in per cent.
    Share,
    /// A multiple of the fair load.
    Ratio,
    /// A plain number.
    Number,
}

impl Unit {
    /// The unit in one word, for lists.
    pub fn word(self) -> &'static str {
        match self {
            Unit::Count => "count",
            Unit::Bytes => "bytes",
            Unit::Share => "share",
            Unit::Ratio => "ratio",
            Unit::Number => "number",
        }
    }
}

/// One metric.
#[derive(Debug)]
pub struct MetricInfo {
    /// Its name where the family's forms have `STAT`.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// The values that it can take.
    pub range: &'static str,
    /// What it is; no full stop.
    pub doc: &'static str,
    /// The formula, where there is one worth stating.
    pub formula: &'static str,
    /// Where it comes from, where it is not our own.
    pub source: &'static str,
    /// Reads it from the record. None: this step does not have it.
    pub read: fn(&Point<'_>) -> Option<f64>,
}

/// Metrics that are addressed alike.
#[derive(Debug)]
pub struct Family {
    /// What the family is called.
    pub name: &'static str,
    /// Ways to address a metric, with the placeholders `LOAD`, `STAT`, `PERCENTILE` and `NAME`.
    pub forms: &'static [&'static str],
    /// The metrics, in the order of lists.
    pub metrics: &'static [MetricInfo],
}

/// All families, in the order in which lists show them.
pub static ALL: &[&Family] = &[
    &balance::FAMILY,
    &balance::CHI_SQUARES,
    &movement::FAMILY,
    &theory::FAMILY,
    &bands::FAMILY,
    &facts::TOTALS,
    &facts::OUTCOMES,
    &copies::FAMILY,
    &queries::FAMILY,
    &facts::SIZES,
    &timeline::FAMILY,
    &along_path::FAMILY,
    &failure::FAMILY,
    &failure::CASCADE,
    &capacity::FAMILY,
    &hot::PHASES,
    &hot::SPILL,
    &hot::CONTROL,
    &hot::PRICE,
];

/// Where a metric is read, and what its name says beyond the metric itself.
#[derive(Debug, Clone, Copy)]
pub struct Point<'a> {
    /// The cell.
    pub cell: &'a CellRecord,
    /// The step, one of the cell's.
    pub step: &'a StepRecord,
    /// The form that the name has.
    pub form: &'static str,
    /// What stands for `LOAD`; empty if nothing does.
    pub load: &'a str,
    /// What stands for `PERCENTILE`; empty if nothing does.
    pub percentile: &'a str,
    /// What stands for `NAME`; empty if nothing does.
    pub query: &'a str,
}

/// A dotted name taken apart.
#[derive(Debug, Clone, Copy)]
pub struct Metric<'a> {
    /// The metric.
    pub info: &'static MetricInfo,
    form: &'static str,
    load: &'static str,
    percentile: &'static str,
    query: &'a str,
}

impl<'a> Metric<'a> {
    /// Its value at a step of a cell. None: the step does not have it.
    pub fn value(&self, step: &StepRecord, cell: &CellRecord) -> Option<f64> {
        let Metric { info, form, load, percentile, query } = *self;
        (info.read)(&Point { cell, step, form, load, percentile, query })
    }

    /// The load that it counts, if it counts one.
    pub fn load(&self) -> Option<&'static str> {
        match self.load {
            "" if self.form == balance::KEYS_FORM => Some("keys"),
            "" => None,
            load => Some(load),
        }
    }

    /// Whether only a step after a change has it.
    pub fn needs_change(&self) -> bool {
        self.form.starts_with("movement.")
            || self.info.name == "share-moved"
            || self.needs_migration()
            || self.needs_failure()
    }

    /// Whether only a cell with a migration has it.
    pub fn needs_migration(&self) -> bool {
        self.form.starts_with("timeline.")
    }

    /// Whether only a step at which a node fails has it.
    pub fn needs_failure(&self) -> bool {
        self.form.starts_with("failure.")
    }

    /// Whether only a cluster that states capacities has it.
    pub fn needs_capacity(&self) -> bool {
        self.form.starts_with("capacity.") || self.form.starts_with("failure.cascade.")
    }

    /// Whether only a cell with a band over label sets has it.
    pub fn needs_trials(&self) -> bool {
        self.form.starts_with("trials.")
    }

    /// Whether only a cell of a scenario with remedies has it.
    pub fn needs_remedy(&self) -> bool {
        self.form.starts_with("price.") || self.form.starts_with("control.")
    }

    /// Whether only a cell with replicas has it.
    pub fn needs_replicas(&self) -> bool {
        self.form.starts_with("copies.")
    }

    /// Whether only a scenario with queries has it.
    pub fn needs_queries(&self) -> bool {
        self.form.starts_with("query.")
    }

    /// The one query that it is about, if it is about one.
    pub fn query(&self) -> Option<&'a str> {
        (!self.query.is_empty()).then_some(self.query)
    }

    /// The dotted name.
    pub fn name(&self) -> String {
        let words = self.form.split('.').map(|word| match word {
            "LOAD" => self.load,
            "STAT" => self.info.name,
            "PERCENTILE" => self.percentile,
            "NAME" => self.query,
            word => word,
        });
        words.collect::<Vec<_>>().join(".")
    }
}

/// Every metric under every name that it can have, but for those of single queries.
pub fn all() -> impl Iterator<Item = Metric<'static>> {
    let or_none = |word: &'static str, form: &str, items: Vec<&'static str>| {
        if form.split('.').any(|w| w == word) { items } else { vec![""] }
    };
    let forms = ALL.iter().flat_map(|family| family.forms.iter().map(move |&form| (family, form)));
    forms.filter(|(_, form)| !form.contains("NAME")).flat_map(move |(family, form)| {
        let percentiles = bands::PERCENTILES.iter().map(|(name, _)| *name).collect();
        let percentiles = or_none("PERCENTILE", form, percentiles);
        let mut metrics = Vec::new();
        for load in or_none("LOAD", form, LOADS.to_vec()) {
            for info in family.metrics {
                for &percentile in &percentiles {
                    metrics.push(Metric { info, form, load, percentile, query: "" });
                }
            }
        }
        metrics
    })
}

/// Every name that an expectation can use, e.g. `keys.max-over-mean`.
pub fn names() -> Vec<String> {
    all().map(|metric| metric.name()).collect()
}

/// The metric of that dotted name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<Metric<'_>, Error> {
    all().find(|metric| metric.name() == name).or_else(|| queries::of_one(name)).ok_or_else(|| {
        let names = names();
        let mut error = Error::unknown("metric", name, names.iter().map(String::as_str));
        // The forms and their words instead of some hundreds of names.
        error.help.pop();
        for family in ALL {
            let stats: Vec<&str> = family.metrics.iter().map(|m| m.name).collect();
            error = error.help(format!("{}: {}", family.forms.join(", "), stats.join(", ")));
        }
        error
            .help(format!("LOAD is one of {}", LOADS.join(", ")))
            .help("NAME is the name of a [[query]]")
    })
}

/// The value of a dotted name at a step of a cell. None: there is no such metric, or not here;
/// [`find`] tells the two apart.
pub fn value(step: &StepRecord, cell: &CellRecord, metric: &str) -> Option<f64> {
    find(metric).ok()?.value(step, cell)
}

#[cfg(test)]
mod tests;
