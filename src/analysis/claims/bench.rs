//! Measures what the claims of an article ask for: runs its set-ups, each at most once, and draws label
//! sets of its cells, as many as the verdicts need.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;

use super::ledger::{Article, Figure, Probe};
use super::quantity::{Drawn, Quantity};
use crate::error::Error;
use crate::record::{CellRecord, Record};
use crate::scenario::Cell;
use crate::sim::input::Input;
use crate::sim::labels::Varies;
use crate::sim::plan::Plan;
use crate::sim::sampler::Sampler;
use crate::sim::{self, Options, Progress};
use crate::strategy::Placement;

/// What is read from a label set of a cell: step and quantity.
type Wanted<'a> = (usize, &'a Quantity);

/// The label sets of one cell.
struct Draws<'a> {
    varies: Varies,
    on: &'static str,
    wanted: Vec<Wanted<'a>>,
    /// By trial, as many values as are wanted.
    rows: Vec<Vec<f64>>,
}

/// Values of a figure over label sets.
#[derive(Debug, Clone)]
pub struct Sample {
    /// What varies.
    pub varies: Varies,
    /// `ownership` or `keys`.
    pub on: &'static str,
    /// One a label set.
    pub values: Vec<f64>,
}

/// The set-ups of an article, and what has been measured in them.
pub struct Bench<'a> {
    article: &'a Article,
    progress: &'a dyn Progress,
    records: Vec<OnceCell<Record>>,
    /// By set-up and cell; None: nothing varies there, or nothing that is asked for can be drawn.
    draws: RefCell<BTreeMap<(usize, usize), Option<Draws<'a>>>>,
}

impl<'a> Bench<'a> {
    /// A bench on which nothing has been measured.
    pub fn new(article: &'a Article, progress: &'a dyn Progress) -> Self {
        let records = article.setups.iter().map(|_| OnceCell::new()).collect();
        Bench { article, progress, records, draws: RefCell::default() }
    }

    /// The record of a set-up.
    pub fn record(&self, setup: usize) -> Result<&Record, Error> {
        if let Some(record) = self.records[setup].get() {
            return Ok(record);
        }
        let record =
            sim::run_here(&self.article.setups[setup].scenario, Options::default(), self.progress)?;
        Ok(self.records[setup].get_or_init(|| record))
    }

    /// What a figure is under the set-up's own labels; NaN where a cell does not have it.
    pub fn value(&self, figure: &Figure) -> Result<f64, Error> {
        let first = self.read(&figure.first)?;
        let second = figure.second.as_ref().map_or(Ok(f64::NAN), |probe| self.read(probe))?;
        Ok((figure.transform.of)(first, second, self.nodes(&figure.first)))
    }

    fn read(&self, probe: &Probe) -> Result<f64, Error> {
        let record = self.record(probe.setup)?;
        let of =
            |&cell: &usize| -> f64 { value_of(&record.cells[cell], probe).unwrap_or(f64::NAN) };
        Ok(probe.over.of(probe.cells.iter().map(of)))
    }

    /// Live nodes where a probe reads.
    fn nodes(&self, probe: &Probe) -> f64 {
        let cell = &self.article.setups[probe.setup].scenario.cells[probe.cells[0]];
        let cluster = &cell.steps[probe.step].cluster;
        (cluster.nodes.len() - cluster.down.len()) as f64
    }

    /// The figure over `trials` label sets, the same in every cell; None where chance plays no part in
    /// it, or none that can be drawn.
    pub fn sample(&self, figure: &Figure, trials: u64) -> Result<Option<Sample>, Error> {
        let Some(first) = self.drawn(&figure.first, trials)? else { return Ok(None) };
        let second = match &figure.second {
            None => None,
            Some(probe) => match self.drawn(probe, trials)? {
                None => return Ok(None),
                second => second,
            },
        };
        let nodes = self.nodes(&figure.first);
        let values = first.values.iter().enumerate().map(|(t, &a)| {
            let b = second.as_ref().map_or(f64::NAN, |second| second.values[t]);
            (figure.transform.of)(a, b, nodes)
        });
        Ok(Some(Sample { values: values.collect(), ..first }))
    }

    fn drawn(&self, probe: &Probe, trials: u64) -> Result<Option<Sample>, Error> {
        let mut all = Vec::new();
        for &cell in &probe.cells {
            let wanted = (probe.step, &probe.quantity);
            match self.cell(probe.setup, cell, wanted, trials)? {
                Some(sample) => all.push(sample),
                None => return Ok(None),
            }
        }
        let values = (0..trials as usize).map(|t| probe.over.of(all.iter().map(|s| s.values[t])));
        let values: Vec<f64> = values.collect();
        let sound = values.iter().all(|x| x.is_finite());
        Ok(all.into_iter().next().filter(|_| sound).map(|first| Sample { values, ..first }))
    }

    fn cell(
        &self,
        setup: usize,
        cell: usize,
        wanted: (usize, &Quantity),
        trials: u64,
    ) -> Result<Option<Sample>, Error> {
        // What no label set gives needs none, whatever others read from this cell.
        if wanted.1.sampled().is_none() {
            return Ok(None);
        }
        let mut draws = self.draws.borrow_mut();
        let draws = draws.entry((setup, cell)).or_insert(None);
        let have = draws.as_ref().map_or(0, |d| d.rows.len() as u64);
        if have < trials {
            let scenario = &self.article.setups[setup].scenario;
            let drawn =
                draw(&scenario.cells[cell], self, setup, have..trials, &self.wanted(setup, cell))?;
            match (drawn, draws.as_mut()) {
                (None, _) => return Ok(None),
                (Some(new), None) => *draws = Some(new),
                (Some(new), Some(old)) => old.rows.extend(new.rows),
            }
        }
        let Some(draws) = draws else { return Ok(None) };
        let name = |(step, quantity): &(usize, &Quantity)| (*step, quantity.name());
        let Some(at) = draws.wanted.iter().position(|w| name(w) == name(&wanted)) else {
            return Ok(None);
        };
        let exact_only = wanted.1.sampled().is_some_and(|s| s.on_ownership_only);
        if exact_only && draws.on != "ownership" {
            return Ok(None);
        }
        let values = draws.rows[..trials as usize].iter().map(|row| row[at]).collect();
        Ok(Some(Sample { varies: draws.varies, on: draws.on, values }))
    }

    /// Everything that some reading of the article takes from label sets of a cell.
    fn wanted(&self, setup: usize, cell: usize) -> Vec<Wanted<'a>> {
        let article: &'a Article = self.article;
        let parts = article.claims.iter().flat_map(|claim| &claim.parts);
        let readings = parts.flat_map(|part| &part.readings).map(|reading| &reading.figure);
        let probes = readings.flat_map(|f| std::iter::once(&f.first).chain(&f.second));
        let mut wanted: Vec<Wanted<'a>> = Vec::new();
        for probe in probes.filter(|p| p.setup == setup && p.cells.contains(&cell)) {
            let same = |w: &Wanted<'_>| w.0 == probe.step && w.1.name() == probe.quantity.name();
            if probe.quantity.sampled().is_some() && !wanted.iter().any(same) {
                wanted.push((probe.step, &probe.quantity));
            }
        }
        wanted
    }
}

/// The value of a probe in one cell.
fn value_of(cell: &CellRecord, probe: &Probe) -> Option<f64> {
    probe.quantity.read(cell.steps.get(probe.step)?, cell)
}

/// Draws label sets of a cell; None where nothing varies.
fn draw<'a>(
    cell: &Cell,
    bench: &Bench<'a>,
    setup: usize,
    trials: std::ops::Range<u64>,
    wanted: &[Wanted<'a>],
) -> Result<Option<Draws<'a>>, Error> {
    let setup = &bench.article.setups[setup];
    if wanted.is_empty() {
        return Ok(None);
    }
    let base = &setup.scenario.base;
    let input = Input::open(&cell.workload, base, bench.progress)
        .map_err(|error| setup.scenario.locate(error))?;
    let plan = Plan::new(&[cell], input.source.kind(), base)?;
    let Ok(steps) = &plan.cells[0].steps else { return Ok(None) };
    let own: Vec<&dyn Placement> =
        steps.iter().map(|&routed| plan.routed[routed].placement.as_ref()).collect();
    let sampler = match Sampler::new(cell, &own, setup.trials.keys, &input, base)? {
        Ok(sampler) => sampler,
        Err(_) => return Ok(None),
    };
    let all_exact = wanted.iter().all(|w| w.1.sampled().is_some_and(|s| s.on_ownership_only));
    if all_exact && sampler.on() != "ownership" {
        return Ok(None);
    }
    bench.progress.begin(&format!("{}: trying label sets", setup.name), trials.end - trials.start);
    let read = |outcomes: &[crate::sim::sampler::Outcome]| -> Vec<f64> {
        wanted
            .iter()
            .map(|&(step, quantity)| {
                let drawn = Drawn { cell, step, outcomes, argument: quantity.argument() };
                quantity.sampled().map_or(f64::NAN, |sampled| (sampled.of)(&drawn))
            })
            .collect()
    };
    let rows = sampler.draw(trials, bench.progress, read)?;
    let (varies, on) = (sampler.varies(), sampler.on());
    Ok(Some(Draws { varies, on, wanted: wanted.to_vec(), rows }))
}
