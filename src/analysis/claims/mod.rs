//! The claims ledger: which published numbers can be true.
//!
//! A claims file holds the claims of one article and the set-ups, which are scenarios, that test them:
//!
//! 1. `read`: TOML to a checked `ledger`; `fields` says what its tables may hold, `claimed` how a number
//!    is stated, `quantity` what a probe may read and what may be made of it.
//! 2. `bench`: runs the set-ups with [`crate::sim`] and draws label sets with its sampler.
//! 3. `verdict`: the rule, a pure function of numbers. `words` composes the line that says why.
//! 4. [`measure`] puts these together into a [`record::LedgerRecord`], which reports show.
//!
//! To add a claim: an entry in its article's file. A number that no metric gives: an entry in
//! [`quantity::SPECIALS`]; a closed form: one in [`crate::metrics::formulas::ALL`].

mod bench;
pub mod claimed;
mod fields;
pub mod ledger;
pub mod quantity;
mod read;
pub mod record;
pub mod verdict;
pub mod words;

pub use read::parse;

use bench::{Bench, Sample};
use claimed::Style;
use ledger::{Article, Beside, Claim, Figure, Grid, Part, Probe, Reading, Source};
use record::{
    BesideRecord, Entry, FigureRecord, GridRecord, LedgerRecord, PartRecord, Probability,
    ReadingRecord, SCHEMA, SpreadRecord, TheoryRecord, style_of,
};
use verdict::{Evidence, Verdict, capped, is_settled, judge, of_parts, of_readings};

use crate::error::Error;
use crate::metrics::bands::band;
use crate::metrics::interval::clopper_pearson;
use crate::params::Value;
use crate::record::Record;
use crate::sim::labels::Varies;
use crate::sim::{self, Options, Progress};

/// Label sets of a batch: the fewest that a bound is judged on.
const BATCH: u64 = 10_000;

/// Most label sets that a bound is judged on.
const MOST: u64 = 100_000;

/// Confidence of the interval of a probability.
const CONFIDENCE: f64 = 0.99;

/// Measures the claims of these ids; all when there are none. The ids must be of the articles.
pub fn measure(
    articles: &[Article],
    ids: &[String],
    options: Options,
    progress: &dyn Progress,
) -> Result<LedgerRecord, Error> {
    let claims = sim::on_threads(options, || {
        let mut entries = Vec::new();
        for article in articles {
            let bench = Bench::new(article, progress);
            for claim in article.claims.iter().filter(|c| ids.is_empty() || ids.contains(&c.id)) {
                entries.push(Judge { article, bench: &bench }.claim(claim)?);
            }
        }
        Ok::<_, Error>(entries)
    })??;
    Ok(LedgerRecord { schema: SCHEMA, shardlab: env!("CARGO_PKG_VERSION"), claims })
}

/// Holds the claims of an article against what its bench measures.
struct Judge<'a> {
    article: &'a Article,
    bench: &'a Bench<'a>,
}

impl Judge<'_> {
    fn claim(&self, claim: &Claim) -> Result<Entry, Error> {
        let parts: Vec<PartRecord> =
            claim.parts.iter().map(|part| self.part(part)).collect::<Result<_, Error>>()?;
        let judging = parts.iter().filter(|part| !part.aside);
        let verdict = of_parts(&judging.map(|part| part.verdict).collect::<Vec<_>>());
        let why: Vec<String> = match &parts[..] {
            [part] => vec![part.why.clone()],
            parts => parts.iter().map(|part| format!("{}: {}", part.part, part.why)).collect(),
        };
        Ok(Entry {
            id: claim.id.clone(),
            article: self.article.title.clone(),
            claim: claim.says.clone(),
            parameters: claim.parameters.clone(),
            note: claim.note.clone(),
            verdict,
            why: why.join("; "),
            parts,
            beside: claim.beside.iter().map(|b| self.beside(b)).collect::<Result<_, _>>()?,
            grids: claim.grids.iter().map(|g| self.grid(g)).collect::<Result<_, _>>()?,
            records: self.records(claim)?,
        })
    }

    fn part(&self, part: &Part) -> Result<PartRecord, Error> {
        let readings: Vec<ReadingRecord> =
            part.readings.iter().map(|reading| self.reading(reading)).collect::<Result<_, _>>()?;
        let verdicts: Vec<Verdict> = readings.iter().filter_map(|r| r.verdict).collect();
        let (verdict, why, decided_by) = match (&part.clock, of_readings(&verdicts)) {
            (None, Some((verdict, by))) => (verdict, words::part(&readings, by, verdict), Some(by)),
            (clock, _) => {
                let bounded: Vec<String> = readings
                    .iter()
                    .map(|reading| format!("{}: {}", reading.reading, reading.figure.shown))
                    .collect();
                let clock = clock.clone().unwrap_or_default();
                let why = match bounded.is_empty() {
                    true => clock,
                    false => format!("{clock}; what can be bounded: {}", bounded.join(", ")),
                };
                (Verdict::NotAPlacementClaim, why, None)
            }
        };
        let (says, clock) = (part.says.clone(), part.clock.clone());
        Ok(PartRecord { part: says, clock, aside: part.aside, verdict, why, decided_by, readings })
    }

    fn reading(&self, reading: &Reading) -> Result<ReadingRecord, Error> {
        let measured = self.bench.value(&reading.figure)?;
        let Some(claimed) = &reading.claimed else {
            let style = style(&reading.figure);
            let figure = self.figure(&reading.figure, measured, style, None);
            return Ok(ReadingRecord {
                reading: reading.words.clone(),
                unstated: reading.unstated,
                claimed: None,
                meets: None,
                why: figure.shown.clone(),
                figure,
                probability: None,
                verdict: None,
            });
        };
        let (sample, probability) = self.trials(reading, claimed)?;
        let mut figure = self.figure(&reading.figure, measured, claimed.style, sample);
        if let Some(theory) = &mut figure.theory
            && theory.kind == crate::metrics::formulas::Kind::Probability.word()
        {
            theory.shown = words::value(theory.value, Style::Percent);
        }
        let evidence = match &figure.spread {
            None => Evidence::Exact(measured),
            Some(spread) => Evidence::Chance {
                p2_5: spread.p2_5,
                p97_5: spread.p97_5,
                p: probability.as_ref().map_or(0.0, |p| p.p),
            },
        };
        let verdict = capped(judge(claimed, evidence), reading.unstated);
        let why = words::reading(
            claimed,
            measured,
            figure.spread.as_ref(),
            probability.as_ref(),
            verdict,
        );
        let end = |x: f64| x.is_finite().then_some(x);
        Ok(ReadingRecord {
            reading: reading.words.clone(),
            unstated: reading.unstated,
            claimed: Some(claimed.text.clone()),
            meets: Some([end(claimed.low), end(claimed.high)]),
            figure,
            probability,
            verdict: Some(verdict),
            why,
        })
    }

    /// The label sets that a reading needs: one batch for a point; for a bound batch after batch until
    /// the interval of its probability settles the verdict.
    fn trials(
        &self,
        reading: &Reading,
        claimed: &claimed::Claimed,
    ) -> Result<(Option<Sample>, Option<Probability>), Error> {
        if !claimed.is_bound() {
            let setup = &self.article.setups[reading.figure.first.setup];
            let count = u64::from(setup.trials.count);
            return Ok((self.bench.sample(&reading.figure, count)?, None));
        }
        let mut trials = BATCH;
        loop {
            let Some(sample) = self.bench.sample(&reading.figure, trials)? else {
                return Ok((None, None));
            };
            let hits = sample.values.iter().filter(|&&x| claimed.meets(x)).count() as u64;
            let probability = probability(hits, trials);
            if trials >= MOST || is_settled(probability.interval_99) {
                return Ok((Some(sample), Some(probability)));
            }
            trials += BATCH;
        }
    }

    fn figure(
        &self,
        figure: &Figure,
        measured: f64,
        style: Style,
        sample: Option<Sample>,
    ) -> FigureRecord {
        let theory = figure.theory.as_ref().map(|(formula, args)| {
            let of = |x: f64| match figure.transform.two {
                true => x,
                false => (figure.transform.of)(x, f64::NAN, args[0]),
            };
            let value = of(formula.value(args).expect("checked when the file was read"));
            TheoryRecord {
                kind: formula.kind.word(),
                value,
                shown: words::value(value, style),
                formula: formula.with(args),
            }
        });
        FigureRecord {
            measured: measured.is_finite().then_some(measured),
            shown: words::value(measured, style),
            style,
            metric: metric(figure),
            from: self.from(&figure.first),
            theory,
            spread: sample.map(spread),
        }
    }

    /// Where a probe reads, in words.
    fn from(&self, probe: &Probe) -> String {
        let setup = &self.article.setups[probe.setup];
        let cells: Vec<&str> =
            probe.cells.iter().map(|&i| setup.scenario.cells[i].id.as_str()).collect();
        let step = if probe.step > 0 { format!(", step {}", probe.step) } else { String::new() };
        match &cells[..] {
            [cell] => format!("{}: {cell}{step}", setup.name),
            cells => format!("{}: {} cells{step}", setup.name, cells.len()),
        }
    }

    fn beside(&self, beside: &Beside) -> Result<BesideRecord, Error> {
        let figure = beside.words.clone();
        match &beside.source {
            Source::Event(setup, name) => {
                let events = &self.bench.record(*setup)?.events;
                let event = events.iter().find(|event| event.name == *name);
                let p = event.map(|event| probability(event.hits, event.trials));
                let shown = p.as_ref().map_or("none".into(), |p| words::probability(p, NAMES));
                Ok(BesideRecord { figure, shown, value: None, probability: p })
            }
            Source::Figure(source) => {
                let value = self.bench.value(source)?;
                let record = self.figure(source, value, style(source), None);
                let theory = record.theory.as_ref();
                let theory = theory.map(|t| format!(" ({} {}: {})", t.kind, t.shown, t.formula));
                let shown = format!("{}{}", record.shown, theory.unwrap_or_default());
                Ok(BesideRecord { figure, shown, value: Some(record), probability: None })
            }
        }
    }

    fn grid(&self, grid: &Grid) -> Result<GridRecord, Error> {
        let mut names: Vec<Value> = Vec::new();
        for column in &grid.columns {
            for cell in &self.article.setups[column.setup].scenario.cells {
                match cell.at.get(&grid.rows) {
                    Some(value) if cell.at.matches(&column.filter) && !names.contains(value) => {
                        names.push(value.clone());
                    }
                    _ => {}
                }
            }
        }
        let mut rows: Vec<Vec<String>> = names.iter().map(|name| vec![name.to_string()]).collect();
        for column in &grid.columns {
            let cells = &self.article.setups[column.setup].scenario.cells;
            let record = self.bench.record(column.setup)?;
            for (name, row) in names.iter().zip(&mut rows) {
                let mut filter = column.filter.clone();
                filter.push((grid.rows.clone(), name.clone()));
                let value = cells.iter().position(|cell| cell.at.matches(&filter)).and_then(|at| {
                    let cell = &record.cells[at];
                    column.quantity.read(cell.steps.get(column.step)?, cell)
                });
                let style = style_of(column.quantity.unit());
                row.push(
                    value.map_or(crate::report::number::NONE.into(), |x| words::value(x, style)),
                );
            }
        }
        let heads = grid.columns.iter().map(|column| column.words.clone());
        let header = std::iter::once(grid.rows.clone()).chain(heads).collect();
        Ok(GridRecord { title: grid.title.clone(), note: grid.note.clone(), header, rows })
    }

    /// The records of the set-ups of a claim that ask for charts, in order of first use.
    fn records(&self, claim: &Claim) -> Result<Vec<Record>, Error> {
        let mut setups: Vec<usize> = Vec::new();
        let readings = claim.parts.iter().flat_map(|part| &part.readings);
        let beside = claim.beside.iter().map(|beside| match &beside.source {
            Source::Figure(figure) => figure.first.setup,
            Source::Event(setup, _) => *setup,
        });
        for setup in readings.map(|reading| reading.figure.first.setup).chain(beside) {
            let draws = !self.article.setups[setup].scenario.charts.is_empty();
            if draws && !setups.contains(&setup) {
                setups.push(setup);
            }
        }
        setups.into_iter().map(|setup| self.bench.record(setup).cloned()).collect()
    }
}

/// What varies from label set to label set, in words.
const NAMES: &str = "sets of node names";
const SEEDS: &str = "hash seeds";

fn spread(Sample { varies, on, mut values }: Sample) -> SpreadRecord {
    let band = band(&mut values, None);
    SpreadRecord {
        over: match varies {
            Varies::Names => NAMES,
            Varies::Seed => SEEDS,
        },
        on,
        trials: values.len() as u64,
        p2_5: band.p2_5,
        p5: band.p5,
        p50: band.p50,
        p95: band.p95,
        p97_5: band.p97_5,
        mean: band.mean,
    }
}

fn probability(hits: u64, trials: u64) -> Probability {
    let interval_99 = clopper_pearson(hits, trials, CONFIDENCE);
    Probability { hits, trials, p: hits as f64 / trials as f64, interval_99 }
}

/// The style of a figure that nothing is claimed of.
fn style(figure: &Figure) -> Style {
    match figure.transform.name {
        "ratio" => Style::Plain,
        "minus-one" | "share-of-all" => Style::Percent,
        _ => style_of(figure.first.quantity.unit()),
    }
}

/// The metric of a figure, and what is made of it.
fn metric(figure: &Figure) -> String {
    let name = figure.first.quantity.name();
    match (&figure.second, figure.transform.name) {
        (_, "value") => name,
        (Some(second), transform) => {
            format!("{transform} of {name} and {}", second.quantity.name())
        }
        (None, transform) => format!("{transform} of {name}"),
    }
}
