//! Trials: the band that a cell's skew and movement show over label sets.

use std::path::Path;

use super::Progress;
use super::input::Input;
use super::plan::PlannedCell;
use super::sampler::{Outcome, Sampler};
use crate::error::Error;
use crate::metrics::bands::band;
use crate::metrics::spread::Spread;
use crate::record::{TrialStep, TrialsRecord};
use crate::scenario::Trials;
use crate::strategy::Placement;

/// What one label set gives at one step.
type Summary = (Spread, Option<f64>);

/// The trials of one cell, and beside them what the scenario's own labels give.
pub fn trials(
    planned: &PlannedCell<'_>,
    own: &[&dyn Placement],
    trials: &Trials,
    input: &Input,
    base: &Path,
    progress: &dyn Progress,
) -> Result<TrialsRecord, Error> {
    let cell = planned.cell;
    let sampler = match Sampler::new(cell, own, trials.keys, input, base)? {
        Ok(sampler) => sampler,
        Err(reason) => return Ok(none(reason)),
    };
    progress.begin("trying label sets", u64::from(trials.count));
    let read = |outcomes: &[Outcome]| -> Vec<Summary> {
        outcomes.iter().map(|o| (o.spread, o.moved)).collect()
    };
    let mine = read(&sampler.measure(own));
    let outcomes = sampler.draw(0..u64::from(trials.count), progress, read)?;
    Ok(TrialsRecord {
        count: trials.count,
        on: sampler.on().into(),
        reason: None,
        steps: (0..cell.steps.len()).map(|step| summary(step, &outcomes, &mine[step])).collect(),
    })
}

fn none(reason: String) -> TrialsRecord {
    TrialsRecord { count: 0, on: "none".into(), reason: Some(reason), steps: Vec::new() }
}

fn summary(step: usize, outcomes: &[Vec<Summary>], own: &Summary) -> TrialStep {
    let of = |get: &dyn Fn(&Summary) -> f64| {
        let mut values: Vec<f64> = outcomes.iter().map(|steps| get(&steps[step])).collect();
        band(&mut values, Some(get(own)))
    };
    TrialStep {
        step,
        max_over_mean: of(&|(spread, _)| spread.max_over_mean),
        min_over_mean: of(&|(spread, _)| spread.min_over_mean),
        max_deviation: of(&|(spread, _)| spread.max_deviation),
        cv_squared: of(&|(spread, _)| spread.cv_squared),
        share_moved: own.1.map(|_| of(&|(_, moved)| moved.unwrap_or(0.0))),
    }
}
