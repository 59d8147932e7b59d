//! What is wrong with keys for a routing, what shows it, and the smallest fix that mends it.
//!
//! One pass takes the keys' profile (bits, steps, signs, distinct and frequent values), one routes them as
//! they are; the rules look at both and propose changes; one more pass routes the keys by every change.
//! Nothing is claimed that was not measured. To add a rule: a file with its `INFO`, and two lines here.

mod bits;
mod cardinality;
mod double;
mod encoding;
mod hash;
pub mod levels;
mod one_value;
pub mod profile;
mod residues;
mod sign;
pub mod trial;
mod upstream;

use crate::analysis::repeats::repeats;
use crate::analysis::spread::Router;
use crate::error::{Error, ErrorKind};
use crate::keys::ColumnSpec;
use crate::sim::Progress;
use crate::sim::input::Input;
use levels::Levels;
use profile::{Profile, profile};
use trial::{Measure, OfKeys, Setup, Transform, Trial, measure};

/// A rule.
#[derive(Debug)]
pub struct RuleInfo {
    /// Name in results.
    pub name: &'static str,
    /// What it looks for, one sentence.
    pub summary: &'static str,
    /// Looks.
    check: fn(&Context<'_>) -> Result<Option<Draft>, Error>,
}

/// All rules, in the order in which findings are shown.
pub static ALL: &[&RuleInfo] = &[
    &residues::INFO,
    &bits::INFO,
    &hash::INFO,
    &sign::INFO,
    &cardinality::INFO,
    &one_value::INFO,
    &encoding::INFO,
    &double::INFO,
    &upstream::INFO,
];

/// Name of the findings about two levels, which come from [`levels`].
pub const LEVELS: &str = "two-levels";

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// It harms these keys under this routing: measured.
    Error,
    /// It harms as soon as something ordinary happens: another client, a JSON reader.
    Warning,
    /// Worth knowing.
    Note,
}

/// What to ask.
#[derive(Debug)]
pub struct Question<'a> {
    /// The keys.
    pub input: &'a Input,
    /// The routing.
    pub setup: Setup<'a>,
    /// Numbers of nodes and of slots, tables … within a node, where two levels come from one digest.
    pub levels: Option<[u64; 2]>,
    /// Max over mean that is good enough.
    pub tolerated: f64,
}

/// What the rules see.
struct Context<'a> {
    profile: &'a Profile,
    setup: Setup<'a>,
    /// The digests that the routing reads.
    columns: &'a [ColumnSpec],
    /// The keys as they are.
    base: &'a Measure,
    /// The distinct keys, each once; None where it is not known how often which comes.
    of_keys: Option<OfKeys>,
    /// Digests whose highest bit is set, where that is a sign to somebody.
    negative: Option<u64>,
    /// What an upstream hash left, if anything shows.
    filter: Option<&'a upstream::Filter>,
    tolerated: f64,
}

impl Context<'_> {
    /// Whether the keys lie badly as they are.
    fn is_uneven(&self) -> bool {
        !self.base.is_fine(self.tolerated, self.profile.distinct.number)
    }

    /// Whether keys come again and again, so that values rather than rows are spread.
    fn repeats(&self) -> bool {
        self.profile.distinct.number.saturating_mul(2) < self.profile.rows
    }

    /// A trial, if the strategy can do it.
    fn try_to(
        &self,
        what: impl Into<String>,
        transform: Transform,
        set: &[(&str, crate::params::Value)],
        nodes: Option<usize>,
    ) -> Result<Vec<Trial>, Error> {
        match self.setup.trial(what, self.profile.kind, transform, set, nodes) {
            Ok(trial) => Ok(vec![trial]),
            Err(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Invalid) => {
                Ok(Vec::new())
            }
            Err(error) => Err(error),
        }
    }
}

/// What a rule found, before its fixes are measured.
struct Draft {
    severity: Severity,
    what: String,
    evidence: Vec<String>,
    /// Each ladder gives one fix: the first step that mends it, else the best one.
    ladders: Vec<Vec<Trial>>,
    /// What the trials show: fixes, or what would happen.
    shows: Shows,
    /// Advice that needs no measuring.
    advice: Option<String>,
}

/// What trials of a finding are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Ways to mend it.
    Fixes,
    /// What becomes of the keys when it happens.
    Consequences,
}

/// A change, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Fix {
    /// How the keys lie with it.
    pub measure: Measure,
    /// Whether that mends it.
    pub mends: bool,
}

/// A finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, one sentence.
    pub what: String,
    /// What shows it.
    pub evidence: Vec<String>,
    /// What the trials are.
    pub shows: Shows,
    /// Changes that were tried, the smallest first.
    pub tried: Vec<Fix>,
    /// Advice that needs no measuring.
    pub advice: Option<String>,
}

impl Finding {
    /// The smallest change that mends it.
    pub fn smallest(&self) -> Option<&Fix> {
        let fixes = (self.shows == Shows::Fixes).then_some(&self.tried)?;
        fixes.iter().find(|fix| fix.mends)
    }
}

/// What was found.
#[derive(Debug, Clone)]
pub struct Lint {
    /// Facts of the keys.
    pub profile: Profile,
    /// How the keys lie as they are.
    pub base: Measure,
    /// Whether that is as good as chance allows or as is tolerated.
    pub is_fine: bool,
    /// Findings, errors first.
    pub findings: Vec<Finding>,
    /// The two levels, where they were asked for.
    pub levels: Option<Levels>,
}

impl Lint {
    /// Whether nothing harms these keys under this routing.
    pub fn passes(&self) -> bool {
        self.findings.iter().all(|finding| finding.severity != Severity::Error)
    }
}

/// Lints keys.
///
/// # Errors
/// The routing cannot take the keys; a fault of a key file; an interrupt.
pub fn lint(question: &Question<'_>, progress: &dyn Progress) -> Result<Lint, Error> {
    let Question { input, setup, tolerated, .. } = *question;
    let kind = input.source.kind();
    let unchanged = setup.trial("as they are", kind, Transform::Keep, &[], None)?;
    progress.begin("reading keys", input.rows);
    let profile = profile(input.source.as_ref(), input.rows)?;
    let base = measure(std::slice::from_ref(&unchanged), input, progress)?.remove(0);
    let columns = unchanged.columns();
    let filter = upstream::look(input.source.as_ref(), input.rows, columns)?;
    let filter = filter.as_ref();
    let of_keys = of_keys(&profile, &base, &unchanged, input, progress)?;
    let negative = sign::negative(setup, input.source.as_ref(), input.rows, columns)?;
    let context = Context {
        profile: &profile,
        setup,
        columns,
        base: &base,
        of_keys,
        negative,
        filter,
        tolerated,
    };
    let mut drafts = Vec::new();
    for rule in ALL {
        if let Some(draft) = (rule.check)(&context)? {
            drafts.push((rule.name, draft));
        }
    }
    let mut trials = vec![unchanged.clone()];
    trials.extend(drafts.iter().flat_map(|(_, draft)| draft.ladders.iter().flatten().cloned()));
    let is_fine = |measure: &Measure| measure.is_fine(tolerated, profile.distinct.number);
    let mut measures = measure(&trials, input, progress)?.into_iter().skip(1);
    let mut findings: Vec<Finding> = drafts
        .into_iter()
        .map(|(rule, draft)| {
            let tried = draft
                .ladders
                .iter()
                .filter(|ladder| !ladder.is_empty())
                .map(|ladder| pick(measures.by_ref().take(ladder.len()).collect(), is_fine))
                .collect();
            let Draft { severity, what, evidence, shows, advice, .. } = draft;
            Finding { rule, severity, what, evidence, shows, tried, advice }
        })
        // That a client reads signs otherwise is no news where every reading gives the same node.
        .filter(|finding: &Finding| finding.rule != sign::INFO.name || sign::matters(finding))
        .collect();
    let levels = match question.levels {
        Some(numbers) => Some(levels::levels(numbers, &trials[0], input, progress)?),
        None => None,
    };
    findings.extend(levels.iter().filter_map(Levels::finding));
    findings.sort_by_key(|finding| finding.severity);
    let is_fine = is_fine(&base);
    Ok(Lint { profile, base, is_fine, findings, levels })
}

/// How the distinct keys lie, each counted once. Where keys repeat, that takes another pass.
fn of_keys(
    profile: &Profile,
    base: &Measure,
    unchanged: &Trial,
    input: &Input,
    progress: &dyn Progress,
) -> Result<Option<OfKeys>, Error> {
    if profile.distinct.is_all(profile.rows) {
        let &Measure { keys, max_over_mean, chance, .. } = base;
        return Ok(Some(OfKeys { keys, max_over_mean, chance }));
    }
    if !profile.distinct.exact {
        return Ok(None);
    }
    let side = unchanged.side();
    let counts = repeats(Router { side: &side, replicas: 1 }, input, None, progress)?.counts;
    Ok(Some(OfKeys::new(unchanged, &counts, base)))
}

/// The first step of a ladder that mends it, else the best.
fn pick(ladder: Vec<Measure>, is_fine: impl Fn(&Measure) -> bool) -> Fix {
    let first = ladder.iter().position(is_fine);
    let best = || {
        let least = |a: &(usize, &Measure), b: &(usize, &Measure)| {
            a.1.max_over_mean.total_cmp(&b.1.max_over_mean)
        };
        ladder.iter().enumerate().min_by(least).map_or(0, |(i, _)| i)
    };
    let (at, mends) = first.map_or_else(|| (best(), false), |at| (at, true));
    Fix { measure: ladder.into_iter().nth(at).expect("a ladder has a step"), mends }
}

/// Numbers in runs: `0–4, 7`.
fn runs(numbers: &[usize]) -> String {
    const SHOWN: usize = 8;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match runs.last_mut() {
            Some((_, end)) if *end + 1 == n => *end = n,
            _ => runs.push((n, n)),
        }
    }
    let text = |(from, to): &(usize, usize)| {
        if from == to { from.to_string() } else { format!("{from}–{to}") }
    };
    let more = if runs.len() > SHOWN { " …" } else { "" };
    format!("{}{more}", runs.iter().take(SHOWN).map(text).collect::<Vec<_>>().join(", "))
}

/// A share in per cent, as evidence shows it.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    format!("{} %", text.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests;
