//! What a probe reads: any metric of the record, or one of a few quantities that speak of single nodes;
//! and which of them can be read from a label set too.

use crate::error::Error;
use crate::metrics::chi_square::chi_square;
use crate::metrics::{self, Metric, Unit};
use crate::params::Value;
use crate::record::CellRecord;
use crate::record::StepRecord;
use crate::scenario::Cell;
use crate::sim::sampler::Outcome;

/// Reads a special quantity at a step of a cell; the last argument is what `needs` names.
type Read = fn(&StepRecord, &CellRecord, Option<&Value>) -> Option<f64>;

/// A quantity beside the record's metrics.
#[derive(Debug)]
pub struct Special {
    /// Its name where a metric's could stand.
    pub name: &'static str,
    /// The field that it needs beside its name.
    pub needs: Option<&'static str>,
    /// What it counts.
    pub unit: Unit,
    /// What it is; no full stop.
    pub doc: &'static str,
    read: Read,
}

/// All of them.
pub static SPECIALS: &[Special] = &[
    Special {
        name: "node-share",
        needs: Some("node"),
        unit: Unit::Share,
        doc: "share of the placed keys that one node holds",
        read: |step, _, node| {
            let node = text(node)?;
            let keys = |n: &crate::record::NodeRecord| n.loads.get("keys").copied().unwrap_or(0);
            let placed: u64 = step.per_node.iter().map(keys).sum();
            let mine = step.per_node.iter().find(|n| n.node == node).map(keys)?;
            Some(mine as f64 / placed as f64)
        },
    },
    Special {
        name: "busy-nodes",
        needs: None,
        unit: Unit::Count,
        doc: "nodes that hold any key",
        read: |step, _, _| Some(busy(step).count() as f64),
    },
    Special {
        name: "only-busy-node",
        needs: None,
        unit: Unit::Count,
        doc: "position in the cluster, from 0, of the one node that holds all keys",
        read: |step, _, _| {
            let mut busy = busy(step);
            busy.next().filter(|_| busy.next().is_none()).map(|at| at as f64)
        },
    },
    Special {
        name: "offset-share",
        needs: Some("offset"),
        unit: Unit::Share,
        doc: "share of what moved that went from a node to the one so many positions after it",
        read: |step, cell, offset| {
            let offset = offset?.as_f64()? as usize;
            let movement = step.movement.as_ref()?;
            let before = cell.steps.get(step.step.checked_sub(1)?)?;
            let at =
                |step: &StepRecord, name: &str| step.per_node.iter().position(|n| n.node == name);
            let keys = |pair: &crate::record::Pair| pair.loads.get("keys").copied().unwrap_or(0);
            let kept = movement.pairs.as_ref()?.iter().filter(|pair| {
                at(before, &pair.from).is_some_and(|from| at(step, &pair.to) == Some(from + offset))
            });
            let (kept, moved): (u64, _) = (kept.map(keys).sum(), movement.loads.get("keys")?.moved);
            (moved > 0).then(|| kept as f64 / moved as f64)
        },
    },
];

fn text(value: Option<&Value>) -> Option<&str> {
    match value {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn busy(step: &StepRecord) -> impl Iterator<Item = usize> {
    let has = |n: &crate::record::NodeRecord| n.loads.get("keys").is_some_and(|&keys| keys > 0);
    step.per_node.iter().enumerate().filter(move |(_, n)| has(n)).map(|(at, _)| at)
}

/// The metric of a name that was found when the claim was read.
fn metric(name: &str) -> Metric<'_> {
    metrics::find(name).expect("found when the claim was read")
}

/// What a probe reads.
#[derive(Debug, Clone)]
pub enum Quantity {
    /// A metric of the record, by its dotted name.
    Metric(String),
    /// One of [`SPECIALS`], and what it needs.
    Special(&'static Special, Option<Value>),
}

impl Quantity {
    /// The quantity of that name; `field` gives the fields that it may need.
    pub fn find(name: &str, field: impl Fn(&str) -> Option<Value>) -> Result<Self, Error> {
        let Some(special) = SPECIALS.iter().find(|s| s.name == name) else {
            let specials: Vec<&str> = SPECIALS.iter().map(|s| s.name).collect();
            return metrics::find(name).map(|_| Quantity::Metric(name.into())).map_err(|error| {
                error.help(format!("or {}", specials.join(", "))).field("metric")
            });
        };
        let needed = special.needs.map(|name| {
            field(name).ok_or_else(|| {
                Error::invalid(format!("{} needs `{name}`", special.name))
                    .help(format!("{}: {}", special.name, special.doc))
                    .field("metric")
            })
        });
        Ok(Quantity::Special(special, needed.transpose()?))
    }

    /// Its dotted name.
    pub fn name(&self) -> String {
        match self {
            Quantity::Metric(name) => name.clone(),
            Quantity::Special(special, None) => special.name.to_string(),
            Quantity::Special(special, Some(value)) => format!("{} of {value}", special.name),
        }
    }

    /// What it counts.
    pub fn unit(&self) -> Unit {
        match self {
            Quantity::Metric(name) => metric(name).info.unit,
            Quantity::Special(special, _) => special.unit,
        }
    }

    /// Its value in the record.
    pub fn read(&self, step: &StepRecord, cell: &CellRecord) -> Option<f64> {
        match self {
            Quantity::Metric(name) => metric(name).value(step, cell),
            Quantity::Special(special, value) => (special.read)(step, cell, value.as_ref()),
        }
    }

    /// How it is read from a label set; None where it cannot be.
    pub fn sampled(&self) -> Option<Sampled> {
        let (family, stat) = match self {
            Quantity::Metric(name) => (name.clone(), metric(name).info.name),
            Quantity::Special(special, _) => (String::new(), special.name),
        };
        // Sampled keys stand for `keys` and exact shares for `owned`; no other load is drawn.
        let has = |load: &&str| family.split('.').any(|word| word == *load);
        let undrawn = metrics::LOADS.iter().filter(|load| **load != "keys").any(has);
        if undrawn || family.starts_with("trials.") {
            return None;
        }
        let found = SAMPLED.iter().find(|s| s.stat == stat)?;
        Some(Sampled { of: found.of, on_ownership_only: family.starts_with("owned.") })
    }

    /// What it needs.
    pub fn argument(&self) -> Option<&Value> {
        match self {
            Quantity::Metric(_) => None,
            Quantity::Special(_, value) => value.as_ref(),
        }
    }
}

/// A step of a cell under one label set.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Which step.
    pub step: usize,
    /// What the label set gives, by step.
    pub outcomes: &'a [Outcome],
    /// What the quantity needs.
    pub argument: Option<&'a Value>,
}

impl Drawn<'_> {
    fn now(&self) -> &Outcome {
        &self.outcomes[self.step]
    }
}

/// Reads a quantity from a label set; NaN where it is not defined.
#[derive(Debug, Clone, Copy)]
pub struct Sampled {
    /// The reader.
    pub of: fn(&Drawn<'_>) -> f64,
    /// Whether it speaks of exact shares, so that placed keys do not answer it.
    pub on_ownership_only: bool,
}

/// A statistic that label sets give.
struct Statistic {
    stat: &'static str,
    of: fn(&Drawn<'_>) -> f64,
}

static SAMPLED: &[Statistic] = &[
    Statistic { stat: "max-over-mean", of: |d| d.now().spread.max_over_mean },
    Statistic { stat: "min-over-mean", of: |d| d.now().spread.min_over_mean },
    Statistic { stat: "max-deviation", of: |d| d.now().spread.max_deviation },
    Statistic { stat: "cv", of: |d| libm::sqrt(d.now().spread.cv_squared) },
    Statistic { stat: "share-moved", of: |d| d.now().moved.unwrap_or(f64::NAN) },
    Statistic {
        stat: "shared-points",
        of: |d| d.now().shared_points.map_or(f64::NAN, |points| points as f64),
    },
    Statistic {
        // What the nodes gain is what they receive, where no node both gives and receives.
        stat: "largest-inheritor-share",
        of: |d| {
            let Some(before) = d.step.checked_sub(1) else { return f64::NAN };
            let gains = d.now().shares.iter().zip(&d.outcomes[before].shares).map(|(a, b)| a - b);
            gains.fold(0.0, f64::max) / d.now().moved.unwrap_or(f64::NAN)
        },
    },
    Statistic {
        stat: "node-share",
        of: |d| {
            let nodes = &d.cell.steps[d.step].cluster.nodes;
            let node = nodes.iter().find(|n| Some(&*n.name) == text(d.argument));
            node.map_or(f64::NAN, |n| d.now().shares[n.id.0 as usize])
        },
    },
    Statistic {
        stat: "p-fair",
        of: |d| {
            let fair = d.cell.steps[d.step].fair_shares();
            let test = d.now().counts.as_ref().and_then(|counts| chi_square(counts, &fair));
            test.map_or(f64::NAN, |test| test.p)
        },
    },
];

/// What a reading makes of the values of its probes.
#[derive(Debug)]
pub struct Transform {
    /// Its name.
    pub name: &'static str,
    /// Whether it needs a second probe (`with`).
    pub two: bool,
    /// What it gives; no full stop.
    pub doc: &'static str,
    /// From the first value, the second (NaN without one) and the number of nodes.
    pub of: fn(f64, f64, f64) -> f64,
}

/// All of them, the one that changes nothing first.
pub static TRANSFORMS: &[Transform] = &[
    Transform { name: "value", two: false, doc: "the value itself", of: |a, _, _| a },
    Transform { name: "minus-one", two: false, doc: "the value − 1", of: |a, _, _| a - 1.0 },
    Transform { name: "one-minus", two: false, doc: "1 − the value", of: |a, _, _| 1.0 - a },
    Transform {
        name: "share-of-all",
        two: false,
        doc: "a multiple of the fair load as a share of all load: the value ÷ nodes",
        of: |a, _, n| a / n,
    },
    Transform {
        name: "to-each-other",
        two: false,
        doc: "a node's share as a multiple of the mean share of the others",
        of: |a, _, n| a / (1.0 - a) * (n - 1.0),
    },
    Transform { name: "ratio", two: true, doc: "the value ÷ that of `with`", of: |a, b, _| a / b },
    Transform {
        name: "difference",
        two: true,
        doc: "the value − that of `with`",
        of: |a, b, _| a - b,
    },
    Transform {
        name: "product",
        two: true,
        doc: "the value × that of `with`",
        of: |a, b, _| a * b,
    },
    Transform {
        name: "largest-to-others",
        two: false,
        doc: "the largest node's multiple of the fair load as one of the mean of the others",
        of: |a, _, n| a * (n - 1.0) / (n - a),
    },
];

/// The transform of that name, or an error that suggests the nearest one.
pub fn transform(name: &str) -> Result<&'static Transform, Error> {
    TRANSFORMS.iter().find(|t| t.name == name).ok_or_else(|| {
        Error::unknown("formula", name, TRANSFORMS.iter().map(|t| t.name)).field("formula")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(name: &str) -> Quantity {
        Quantity::find(name, |_| Some(Value::Text("db1".into()))).unwrap()
    }

    #[test]
    fn metrics_and_specials_are_found_by_name() {
        assert_eq!(find("keys.max-deviation").name(), "keys.max-deviation");
        assert_eq!(find("node-share").name(), "node-share of db1");
        assert!(Quantity::find("node-share", |_| None).unwrap_err().message.contains("`node`"));
        assert!(Quantity::find("keys.max-devation", |_| None).unwrap_err().help.len() > 1);
    }

    #[test]
    fn only_keys_and_shares_can_be_drawn() {
        assert!(find("keys.max-deviation").sampled().is_some());
        assert!(find("owned.cv").sampled().unwrap().on_ownership_only);
        assert!(find("movement.keys.share-moved").sampled().is_some());
        assert!(find("node-share").sampled().is_some());
        for none in
            ["requests.max-over-mean", "points", "busy-nodes", "movement.requests.share-moved"]
        {
            assert!(find(none).sampled().is_none(), "{none}");
        }
    }

    #[test]
    fn transforms_by_hand() {
        let of = |name: &str, a: f64, b: f64, n: f64| (transform(name).unwrap().of)(a, b, n);
        assert_eq!(of("share-of-all", 4.0, f64::NAN, 16.0), 0.25);
        assert_eq!(of("to-each-other", 0.2, f64::NAN, 9.0), 2.0);
        // Three nodes; the largest has half of all, 1.5 times fair, twice a quarter.
        assert_eq!(of("largest-to-others", 1.5, f64::NAN, 3.0), 2.0);
        assert_eq!(of("ratio", 3.0, 2.0, 1.0), 1.5);
        assert_eq!(of("difference", 3.0, 2.0, 1.0), 1.0);
        assert!(transform("rato").unwrap_err().help[0].contains("ratio"));
    }
}
