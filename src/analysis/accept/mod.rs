//! The acceptance suite of a routing: is it even, stable, and at ease with the ends of its key space?
//!
//! The groups are those of a suite from the field: a million consecutive order numbers, two runs, one
//! channel's prefix, a hot prefix, the smallest and largest keys. Each threshold on the largest deviation
//! stands beside the chance that an ideal hash passes it, since a threshold that luck decides is no test;
//! the chi-square test is the sound one. To add a group: a file with its `INFO`, and two lines here.

mod bounds;
pub mod frozen;
mod hot_prefix;
mod stability;
mod subset;
mod uniformity;

use std::fmt;

use crate::analysis::disagree::Side;
use crate::analysis::lint::percent;
use crate::analysis::repeats::{Drawn, Repeats};
use crate::analysis::spread::{Router, Spread, spread};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::metrics::chi_square::ChiSquare;
use crate::metrics::ideal::{Chance, ideal_on};
use crate::report::number::grouped;
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::strategy::Slot;

/// A group of checks.
#[derive(Debug)]
pub struct GroupInfo {
    /// Name in `--only` and in results.
    pub name: &'static str,
    /// What it asks, one sentence.
    pub question: &'static str,
    /// Runs it.
    run: fn(&Suite<'_>, &dyn Progress) -> Result<Vec<Check>, Error>,
}

/// All groups, in the order in which they run.
pub static ALL: &[&GroupInfo] = &[
    &uniformity::INFO,
    &stability::INFO,
    &subset::INFO,
    &hot_prefix::INFO,
    &bounds::INFO,
    &frozen::INFO,
];

/// The group of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static GroupInfo, Error> {
    ALL.iter()
        .copied()
        .find(|g| g.name == name)
        .ok_or_else(|| Error::unknown("group", name, ALL.iter().map(|g| g.name)))
}

/// The keys of a group.
#[derive(Debug)]
pub struct Keys {
    /// What they are, e.g. `1,000,000 order numbers from NO2025011500000001 on`.
    pub what: String,
    /// Where they come from.
    pub input: Input,
    /// Only keys whose text begins so.
    pub prefix: Option<String>,
}

/// What decides about a spread of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judge {
    /// The largest deviation stays within the threshold.
    Threshold,
    /// The chi-square test does not reject at the level.
    ChiSquare,
    /// Both.
    Both,
}

/// What must hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Largest deviation of the uniformity group.
    pub uniformity: f64,
    /// Largest deviation of the subset.
    pub subset: f64,
    /// Largest deviation of the hot prefix.
    pub hot_prefix: f64,
    /// Probability at which the chi-square test rejects an ideal hash.
    pub level: f64,
    /// What decides.
    pub judge: Judge,
    /// Outcomes that a key may have instead of a node, as [`Slot`]s.
    pub allowed: Vec<Slot>,
}

/// A function from the type of keys to the router for them.
pub type Place<'a> = dyn Fn(KeyKind) -> Result<Side<'a>, Error> + 'a;

/// A routing with the keys to try it on.
pub struct Suite<'a> {
    /// Builds the router for keys of a type.
    pub place: &'a Place<'a>,
    /// Nodes a key; the first one is judged.
    pub replicas: usize,
    /// Keys of the uniformity group, on which stability is tried as well.
    pub uniformity: Keys,
    /// One channel's keys.
    pub subset: Keys,
    /// Keys that differ only at their end.
    pub hot_prefix: Keys,
    /// What must hold.
    pub limits: Limits,
    /// Keys whose nodes were frozen.
    pub frozen: Option<frozen::Frozen>,
    /// What the routing is made of, name and value, to compare with what was frozen.
    pub setup: Vec<(String, String)>,
}

impl fmt::Debug for Suite<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Suite").field("limits", &self.limits).finish_non_exhaustive()
    }
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It holds.
    Pass,
    /// It does not.
    Fail,
    /// It could not be tried; the details say why.
    Skipped,
}

/// What was measured, and the most that it may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measured {
    /// Largest deviation from fair load.
    Deviation {
        /// Measured.
        value: f64,
        /// Allowed.
        most: f64,
    },
    /// Keys at fault; none are allowed.
    Faults(u64),
    /// Nothing.
    None,
}

/// One check of a group.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// The group.
    pub group: &'static str,
    /// What is tried, on which keys.
    pub what: String,
    /// How many keys.
    pub keys: u64,
    /// What was measured against what is allowed.
    pub measured: Measured,
    /// How it came out.
    pub outcome: Outcome,
    /// The chance that an ideal hash with fair shares passes the threshold.
    pub ideal: Option<Chance>,
    /// The same on the shares that the nodes own, where these are known and not fair.
    pub ideal_owned: Option<Chance>,
    /// The chi-square test.
    pub chi_square: Option<ChiSquare>,
    /// Whether it is against owned shares rather than fair ones.
    pub against_owned: bool,
    /// What else is worth knowing, one sentence each.
    pub details: Vec<String>,
}

impl Check {
    /// A check of faults: none may be left.
    fn faults(group: &'static str, what: String, keys: u64, faults: u64) -> Self {
        Check {
            group,
            what,
            keys,
            measured: Measured::Faults(faults),
            outcome: if faults == 0 { Outcome::Pass } else { Outcome::Fail },
            ideal: Some(Chance { p: 1.0, exact: true }),
            ideal_owned: None,
            chi_square: None,
            against_owned: false,
            details: Vec::new(),
        }
    }

    /// A check that cannot be tried.
    fn skipped(group: &'static str, what: String, why: String) -> Self {
        let nothing = Check::faults(group, what, 0, 0);
        Check {
            measured: Measured::None,
            outcome: Outcome::Skipped,
            ideal: None,
            details: vec![why],
            ..nothing
        }
    }
}

/// What the suite found.
#[derive(Debug, Clone, PartialEq)]
pub struct Acceptance {
    /// The checks, by group.
    pub checks: Vec<Check>,
}

impl Acceptance {
    /// Whether no check failed, and some check was tried: a gate that tests nothing is closed.
    pub fn passes(&self) -> bool {
        self.checks.iter().all(|check| check.outcome != Outcome::Fail) && self.is_tried()
    }

    /// Whether any check could be tried.
    pub fn is_tried(&self) -> bool {
        self.checks.iter().any(|check| check.outcome != Outcome::Skipped)
    }
}

/// Keys a node below which a spread is not judged.
const LEAST_KEYS: u64 = 5;

/// Runs the groups.
///
/// # Errors
/// The routing cannot take the keys; a group without a key; a fault of a key file; an interrupt.
pub fn accept(
    suite: &Suite<'_>,
    groups: &[&GroupInfo],
    progress: &dyn Progress,
) -> Result<Acceptance, Error> {
    let mut checks = Vec::new();
    for group in groups {
        checks.extend((group.run)(suite, progress)?);
    }
    Ok(Acceptance { checks })
}

/// The name of an outcome, as reports show it.
pub fn outcome_name(slot: Slot) -> &'static str {
    const SLOTS: [Slot; Slot::OUTCOMES] = [Slot::MISROUTED, Slot::REFUSED, Slot::ABSENT];
    let at = SLOTS.iter().position(|have| *have == slot).expect("one of the outcomes");
    ["misrouted", "refused", "absent"][at]
}

impl Suite<'_> {
    /// A check of how the keys spread: the deviation, what an ideal hash would do, the chi-square test.
    fn even(
        &self,
        group: &'static str,
        keys: &Keys,
        most: f64,
        progress: &dyn Progress,
    ) -> Result<Vec<Check>, Error> {
        let side = (self.place)(keys.input.source.kind())?;
        let router = Router { side: &side, replicas: self.replicas };
        let prefix = keys.prefix.as_deref().map(str::as_bytes);
        let found = spread(router, &keys.input, prefix, progress)?;
        if found.keys() == 0 {
            let error = Error::invalid(format!("{group}: no key is there ({})", keys.what));
            return Err(match &keys.prefix {
                Some(_) => {
                    error.help("give --prefix or --hot-prefix the first characters of some keys")
                }
                None => error.help("give keys to test"),
            });
        }
        Ok(vec![self.judge(group, &keys.what, &found, most, router.has_session())])
    }

    fn judge(
        &self,
        group: &'static str,
        what: &str,
        found: &Spread,
        most: f64,
        is_session: bool,
    ) -> Check {
        let placed = found.placed();
        let value = found.balance().max_deviation;
        let chi_square = if is_session { None } else { found.chi_square() };
        let mut details = Vec::new();
        let unplaced = self.unplaced(found, &mut details);
        let within = value <= most && placed > 0;
        // So few keys say nothing about a hash: a hundred of one prefix on a hundred nodes.
        let too_few = found.keys() < LEAST_KEYS * found.counts.len() as u64;
        let likely = chi_square.map(|test| test.p >= self.limits.level);
        let outcome = match (self.limits.judge, likely) {
            _ if unplaced => Outcome::Fail,
            _ if too_few => Outcome::Skipped,
            (Judge::Threshold, _) if within => Outcome::Pass,
            (Judge::Threshold, _) => Outcome::Fail,
            (Judge::Both, _) if !within => Outcome::Fail,
            (_, Some(true)) => Outcome::Pass,
            (_, Some(false)) => Outcome::Fail,
            (_, None) => Outcome::Skipped,
        };
        if too_few {
            details.push(format!("fewer than {LEAST_KEYS} keys a node: too few to judge"));
        } else if chi_square.is_none() {
            details.push(no_test(found, is_session));
        }
        if placed == 0 {
            details.push("no key reached a node".into());
        }
        if let Some(repeats) = &found.repeats {
            details.push(repeated(found, repeats, most));
        }
        let mut drawn: Vec<Drawn> = Vec::new();
        let mut ideal = |owned: &[f64]| {
            if placed == 0 {
                return None;
            }
            let Some(repeats) = &found.repeats else {
                // A session places rows one by one; of distinct keys rows are keys.
                let rows_are_keys = is_session || found.is_distinct();
                return rows_are_keys.then(|| ideal_on(owned, &found.fair, placed, most));
            };
            drawn.push(repeats.ideal(owned, &found.fair, most));
            drawn.last().map(|drawn| drawn.chance)
        };
        let fair = ideal(&found.fair);
        // Shares that are fair but for rounding change nothing.
        let unfair = |owned: &&Vec<f64>| {
            owned.iter().zip(&found.fair).any(|(o, f)| libm::fabs(o - f) > 1e-6 * f)
        };
        let ideal_owned = found.owned.as_ref().filter(unfair).and_then(|owned| ideal(owned));
        let errors = drawn.iter().filter_map(|d| Some((d.error()?, d.draws)));
        if let Some((error, draws)) = errors.max_by(|a, b| a.0.total_cmp(&b.0)) {
            details.push(format!(
                "an ideal hash passes: from {} draws, with a standard error of {} at most",
                grouped(draws),
                percent(error)
            ));
        }
        Check {
            group,
            what: what.to_string(),
            keys: found.keys(),
            measured: Measured::Deviation { value, most },
            outcome,
            ideal: fair,
            ideal_owned,
            chi_square,
            against_owned: found.owned.is_some(),
            details,
        }
    }

    /// Tells of keys without a node; whether there are any that must not be.
    fn unplaced(&self, found: &Spread, details: &mut Vec<String>) -> bool {
        let mut at_fault = found.strange > 0;
        if found.strange > 0 {
            details
                .push(format!("{} keys on a node that the cluster does not have", found.strange));
        }
        for (slot, &keys) in
            [Slot::MISROUTED, Slot::REFUSED, Slot::ABSENT].into_iter().zip(&found.outcomes)
        {
            if keys > 0 {
                let allowed = self.limits.allowed.contains(&slot);
                at_fault |= !allowed;
                let word = if allowed { "allowed" } else { "not allowed" };
                details.push(format!("{keys} keys {}, {word}", outcome_name(slot)));
            }
        }
        at_fault
    }
}

/// That keys repeat, how often the most frequent one comes, and what follows from that.
fn repeated(found: &Spread, repeats: &Repeats, most: f64) -> String {
    let (rows, keys) = (repeats.rows(), repeats.keys());
    let top = percent(repeats.most() as f64 / rows.max(1) as f64);
    let said = match keys {
        1 => "all rows are one key".to_string(),
        _ => format!(
            "{top} of the rows are one key, {} of {} are distinct",
            grouped(keys),
            grouped(rows)
        ),
    };
    let owned = found.owned.as_deref().unwrap_or(&found.fair);
    let forced = repeats.least_deviation(owned, &found.fair);
    if forced > most {
        let off = percent(forced);
        return format!("keys repeat: {said}: its node is at least {off} off, no hash can pass");
    }
    format!(
        "keys repeat: {said}: chance and chi-square are those of the distinct keys, with their rows"
    )
}

/// Why there is no chi-square test.
fn no_test(found: &Spread, is_session: bool) -> String {
    if is_session {
        "no chi-square test: open requests steer where a key goes, so the counts are not chance's"
            .into()
    } else if found.distinct_counts().is_none() {
        format!(
            "keys repeat, about {} of {} are distinct, too many to count how often each comes: no chance of \
             an ideal hash, no chi-square test",
            grouped(found.distinct.number),
            grouped(found.keys())
        )
    } else if found.counts.len() < 2 {
        "no chi-square test: there is one node".into()
    } else {
        "no chi-square test: fewer than 5 distinct keys are expected on some node, or a node without a share \
         has keys"
            .into()
    }
}

#[cfg(test)]
mod tests;
