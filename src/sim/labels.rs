//! Label sets: what a trial varies, and the placements that a cell has under one of them.

use std::path::Path;
use std::sync::Arc;

use super::plan::{build_of, evolve, lead};
use crate::cluster::{ChangeKind, OnFail};
use crate::error::Error;
use crate::hash::Seed;
use crate::keys::KeyKind;
use crate::params::Value;
use crate::rng::{Purpose, Stream, derive};
use crate::scenario::{Cell, Step};
use crate::strategy::Placement;

/// What varies from trial to trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Varies {
    /// The names of the nodes; the label template stays.
    Names,
    /// The seed of the key's hash function.
    Seed,
}

/// One label set.
#[derive(Debug, Clone)]
pub enum LabelSet {
    /// Node names by id.
    Names(Vec<Arc<str>>),
    /// A hash seed.
    Seed(u64),
}

/// What a cell varies in its trials; an error tells why nothing can.
pub fn varies(cell: &Cell) -> Result<Varies, String> {
    let step = &cell.steps[0];
    if step.strategy.caps.names {
        return Ok(Varies::Names);
    }
    if step.params.get("hasher").is_none() || step.params.get("hash-seed").is_none() {
        return Err(format!("{} has neither labels nor a hash seed to vary", step.strategy.name));
    }
    match step.params.hasher().seed {
        Seed::Fixed => Err(format!(
            "{} has no labels, and {} takes no seed to vary",
            step.strategy.name,
            step.params.hasher().name
        )),
        Seed::Bits32 | Seed::Bits64 => Ok(Varies::Seed),
    }
}

impl LabelSet {
    /// The label set of trial `t`: the same in every cell and at every step.
    pub fn drawn(varies: Varies, seed: u64, t: u64, ids: usize) -> Self {
        match varies {
            Varies::Names => {
                let mut stream = Stream::new(seed, Purpose::Trials, t);
                LabelSet::Names(
                    (0..ids).map(|_| format!("{:016x}", stream.next_u64()).into()).collect(),
                )
            }
            Varies::Seed => LabelSet::Seed(derive(seed, t)),
        }
    }

    /// Names from a template with `{try}` and `{i}`.
    pub fn from_template(template: &str, number: u64, ids: usize) -> Self {
        let template = template.replace("{try}", &number.to_string());
        LabelSet::Names((0..ids).map(|i| template.replace("{i}", &i.to_string()).into()).collect())
    }

    fn apply(&self, step: &Step) -> Step {
        let mut step = step.clone();
        match self {
            LabelSet::Names(names) => {
                step.cluster = std::sync::Arc::new(step.cluster.renamed(names))
            }
            LabelSet::Seed(seed) => {
                // As many bits as the hasher takes and the parameter holds.
                let seed = match step.params.hasher().seed {
                    Seed::Bits32 => (seed >> 1) & u64::from(u32::MAX),
                    Seed::Fixed | Seed::Bits64 => seed >> 1,
                };
                step.params.set("hash-seed", Value::Int(seed as i64));
            }
        }
        step
    }
}

/// The placements of a cell's steps 0 to `last` under a label set.
pub fn placements(
    cell: &Cell,
    labels: &LabelSet,
    last: usize,
    keys: KeyKind,
    base: &Path,
) -> Result<Vec<Arc<dyn Placement>>, Error> {
    let mut placements: Vec<Arc<dyn Placement>> = Vec::with_capacity(last + 1);
    for step in &cell.steps[..=last] {
        let step = labels.apply(step);
        let build = build_of(cell, &step, keys, base);
        let unavailable = step
            .change
            .as_ref()
            .is_some_and(|c| matches!(c.kind, ChangeKind::Fail(_, OnFail::Unavailable)));
        let next = match placements.last() {
            Some(before) if unavailable => before.clone(),
            Some(before) => match lead(before, &step, &build) {
                Some(led) => led?,
                None => match evolve(before.as_ref(), &step, &build) {
                    Some(evolved) => Arc::from(evolved?),
                    None => Arc::from(step.strategy.place(&build)?),
                },
            },
            None => Arc::from(step.strategy.place(&build)?),
        };
        placements.push(next);
    }
    Ok(placements)
}
