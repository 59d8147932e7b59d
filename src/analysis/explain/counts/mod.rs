//! Why are the loads of these nodes uneven?
//!
//! A diagnosis compares models of the counts on one scale. Each model says which share every node should
//! have and how far counts stray from it ([`fit`]); its likelihood, less a penalty for what was fitted or
//! chosen to suit the data, is its score (the Bayesian information criterion: G. Schwarz, 1978,
//! <https://doi.org/10.1214/aos/1176344136>). Causes are ranked by score, and no cause is tied to an
//! input: [`causes::ALL`] are asked in turn, each with the same [`Case`].
//!
//! The parts: [`Observation`] is what was seen ([`input`] reads it), [`chance`] tests whether the law of
//! the strategy explains it, [`causes`] propose, [`remedy`] predicts.

pub mod causes;
pub mod chance;
pub mod fit;
pub mod input;
pub mod remedy;

use self::causes::Finding;
use self::chance::Chance;
use super::super::peak::Law;
use crate::cluster::{Cluster, Node};
use crate::error::Error;
use crate::metrics::balance::{balance, balance_of_shares};
use crate::params::Params;
use crate::record::Balance;
use crate::strategy::StrategyInfo;

/// Most nodes of a diagnosis.
pub const MAX_NODES: usize = 10_000;

/// Largest load of a node, and of all together: whole numbers below 2^53 are exact.
pub const MAX_LOAD: f64 = 9e15;

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Names of the nodes, in the order given.
    pub names: Vec<String>,
    /// Load of each: keys, or an amount.
    pub loads: Vec<f64>,
    /// Weight of each.
    pub weights: Vec<f64>,
    /// Whether the names are the nodes' own, rather than numbers given for want of names.
    pub named: bool,
    /// Number of keys behind the loads. None: amounts (bytes, per cent), of which that is not known.
    pub keys: Option<u64>,
}

impl Observation {
    /// Checks loads and weights. Whole loads are taken for counts of keys unless `keys` says how many
    /// keys they stand for.
    ///
    /// Errors: fewer than two nodes, negative or absurd numbers, nothing but zeros, a node of weight zero
    /// that holds something.
    pub fn new(
        names: Vec<String>,
        loads: Vec<f64>,
        weights: Vec<f64>,
        keys: Option<u64>,
    ) -> Result<Self, Error> {
        assert!(names.len() == loads.len() && loads.len() == weights.len(), "one of each per node");
        if loads.len() < 2 {
            let how = if loads.is_empty() { "no node" } else { "one node" };
            return Err(Error::data(format!("{how} is given: there is no balance to explain"))
                .help("give the loads of two nodes at least, e.g. 414182 388317 362089"));
        }
        if loads.len() > MAX_NODES {
            return Err(Error::data(format!("{} nodes are given", loads.len()))
                .help(format!("at most {MAX_NODES}")));
        }
        for ((name, &load), &weight) in names.iter().zip(&loads).zip(&weights) {
            check(name, "load", load)?;
            check(name, "weight", weight)?;
            if weight == 0.0 && load > 0.0 {
                return Err(Error::data(format!("{name} has weight 0 and load {load}"))
                    .help("a node of weight 0 should hold nothing; give its real weight"));
            }
        }
        if weights.iter().filter(|&&w| w > 0.0).count() < 2 {
            return Err(Error::data("fewer than two nodes have a weight above 0"));
        }
        let total: f64 = loads.iter().sum();
        if total <= 0.0 {
            return Err(Error::data("all loads are 0: there is nothing to explain")
                .help("give what each node holds, e.g. 414182 388317 362089"));
        }
        if total > MAX_LOAD {
            return Err(Error::data(format!("the loads sum to {total:e}"))
                .help(format!("at most {MAX_LOAD:e}: give them in a larger unit and --keys")));
        }
        if keys == Some(0) {
            return Err(Error::invalid("0 keys cannot lie on any node").help("--keys 1m"));
        }
        let whole = loads.iter().all(|&x| x == libm::floor(x));
        let keys = keys.or(whole.then_some(total as u64));
        Ok(Observation { names, loads, weights, named: false, keys })
    }

    /// Total load.
    pub fn total(&self) -> f64 {
        self.loads.iter().sum()
    }

    /// Observed shares.
    pub fn shares(&self) -> Vec<f64> {
        let total = self.total();
        self.loads.iter().map(|x| x / total).collect()
    }

    /// The nodes as a cluster, for strategies to be built on.
    pub fn cluster(&self) -> Cluster {
        let named = |(i, (name, &weight)): (usize, (&String, &f64))| Node {
            weight,
            ..Node::named(i as u32, name)
        };
        let nodes: Vec<Node> =
            self.names.iter().zip(&self.weights).enumerate().map(named).collect();
        Cluster { ids: nodes.len(), nodes, ..Cluster::default() }
    }

    /// Whether the loads stand in falling order, which the nodes' own order hardly ever gives.
    pub fn is_sorted(&self) -> bool {
        self.loads.len() >= 6 && self.loads.windows(2).all(|pair| pair[0] > pair[1])
    }
}

fn check(name: &str, what: &str, x: f64) -> Result<(), Error> {
    let wrong = match x {
        _ if x.is_nan() || x.is_infinite() => "is not a finite number",
        _ if x < 0.0 => "is negative",
        _ if x > MAX_LOAD => "is beyond all measure",
        _ => return Ok(()),
    };
    Err(Error::data(format!("{what} {} of {name} {wrong}", crate::params::number(x)))
        .help(format!("allowed: numbers from 0 to {MAX_LOAD:e}")))
}

/// What causes are asked about.
#[derive(Debug)]
pub struct Case<'a> {
    /// What was seen.
    pub seen: &'a Observation,
    /// The strategy that is said to place the keys.
    pub strategy: &'static StrategyInfo,
    /// Its parameters.
    pub params: &'a Params,
    /// Its law of shares.
    pub law: Law,
    /// Fair share of each node.
    pub fair: Vec<f64>,
    /// Share of each node that the law expects.
    pub expected: Vec<f64>,
    /// Whole counts, of which likelihoods are taken: keys, or millionths of an amount.
    pub counts: Vec<u64>,
    /// Their sum.
    pub total: u64,
}

/// Millionths that stand for an amount without keys.
const PARTS: f64 = 1e6;

impl<'a> Case<'a> {
    /// The case of an observation under a strategy.
    pub fn new(
        seen: &'a Observation,
        strategy: &'static StrategyInfo,
        params: &'a Params,
    ) -> Result<Self, Error> {
        let cluster = seen.cluster();
        let law = Law::of(strategy, params, &cluster)?;
        let sum = seen.total();
        let total = seen.keys.map_or(PARTS, |keys| keys as f64);
        let counts: Vec<u64> =
            seen.loads.iter().map(|x| libm::floor(x / sum * total + 0.5) as u64).collect();
        let total = counts.iter().sum();
        let (fair, expected) = (cluster.fair_shares(), law.shares());
        Ok(Case { seen, strategy, params, law, fair, expected, counts, total })
    }

    /// Number of nodes with a fair share.
    pub fn nodes(&self) -> usize {
        self.fair.iter().filter(|&&w| w > 0.0).count()
    }

    /// Keys as a number; infinite where they are not known.
    pub fn keys(&self) -> f64 {
        self.seen.keys.map_or(f64::INFINITY, |keys| keys as f64)
    }

    /// Statistics of the loads.
    pub fn balance(&self) -> Balance {
        match self.seen.keys {
            Some(_) => balance(&self.counts, &self.fair),
            None => balance_of_shares(&self.seen.shares(), &self.fair),
        }
    }

    /// Name and position of the node with the largest load over fair, or the smallest.
    pub fn extreme(&self, largest: bool) -> usize {
        let ratio = |i: usize| self.counts[i] as f64 / self.fair[i];
        let nodes = (0..self.fair.len()).filter(|&i| self.fair[i] > 0.0);
        let by = |a: &usize, b: &usize| ratio(*a).total_cmp(&ratio(*b)).then(b.cmp(a));
        if largest { nodes.max_by(by) } else { nodes.min_by(by) }.expect("two nodes at least")
    }
}

/// A whole diagnosis.
#[derive(Debug)]
pub struct Diagnosis<'a> {
    /// What was asked.
    pub case: Case<'a>,
    /// Statistics of the loads.
    pub balance: Balance,
    /// The test against chance.
    pub chance: Chance,
    /// Causes, the likeliest first.
    pub findings: Vec<Finding>,
}

/// Diagnoses an observation.
pub fn diagnose<'a>(
    seen: &'a Observation,
    strategy: &'static StrategyInfo,
    params: &'a Params,
) -> Result<Diagnosis<'a>, Error> {
    let case = Case::new(seen, strategy, params)?;
    let balance = case.balance();
    let chance = chance::test(&case);
    let findings = causes::ranked(&case, &chance);
    Ok(Diagnosis { case, balance, chance, findings })
}

#[cfg(test)]
mod tests;
