//! How much of a knob keeps max over mean below a bound.

use super::{Found, Method, Need, Steps, cost, impossible, knob, with};
use crate::analysis::peak::Law;
use crate::analysis::peak::trials::peaks;
use crate::cluster::Cluster;
use crate::error::Error;
use crate::params::Params;

/// Most nodes.
pub const MAX_NODES: u64 = 10_000;

/// The size that a strategy needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Sizing {
    /// Name of the strategy.
    pub strategy: &'static str,
    /// The parameter; empty where there is none to choose.
    pub param: &'static str,
    /// Its value, and where it comes from.
    pub found: Found,
    /// What it gives now, and after growth.
    pub steps: Vec<Step>,
}

/// What a size gives on a number of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// Nodes.
    pub nodes: u64,
    /// P(max over mean ≤ bound): lower and upper bound. None: from trials only.
    pub p: Option<[f64; 2]>,
    /// Max over mean: median and 95th percentile, where known.
    pub peak: Option<[f64; 2]>,
    /// Points, entries or buckets: what a build has to make.
    pub points: u64,
    /// Bytes of the table.
    pub heap_bytes: u64,
    /// Steps of a look-up.
    pub lookup: Option<(f64, &'static str)>,
    /// Its order, as the strategy states it.
    pub lookup_order: &'static str,
}

impl Need<'_> {
    /// Keys as a number; infinite where only shares count.
    pub fn load(&self) -> f64 {
        self.keys.map_or(f64::INFINITY, |k| k as f64)
    }

    /// The law on so many nodes with these parameters.
    pub(super) fn law(&self, params: &Params, nodes: u64) -> Result<(Law, Vec<f64>), Error> {
        let cluster = Cluster::numbered(nodes as usize, "node{i}");
        let law = Law::of(self.strategy, params, &cluster)?;
        Ok((law, cluster.fair_shares()))
    }

    /// Errors: numbers that make no question.
    fn check(&self) -> Result<(), Error> {
        let wrong = |message: String, help: &str| Err(Error::invalid(message).help(help));
        if self.nodes < 2 || self.grow_to > MAX_NODES {
            let given = format!("{} nodes that grow to {}", self.nodes, self.grow_to);
            return wrong(given, "allowed: 2 to 10000 nodes; one node is always even");
        }
        if self.grow_to < self.nodes {
            let given = format!("{} nodes that grow to {}", self.nodes, self.grow_to);
            return wrong(given, "--grow-to is the larger number");
        }
        let (x, p) = (self.max_over_mean, self.confidence);
        if x.is_nan() || x <= 1.0 || x > 1e6 {
            let given = format!("max over mean {x}");
            return wrong(
                given,
                "allowed: a number above 1, e.g. 1.1: at 1 all nodes hold exactly the mean",
            );
        }
        if p.is_nan() || p <= 0.0 || p >= 1.0 {
            let given = format!("confidence {p}");
            return wrong(given, "allowed: a number between 0 and 1, e.g. 0.95");
        }
        if self.keys == Some(0) {
            return wrong("0 keys".into(), "allowed: 1 and more, e.g. --keys 1m");
        }
        Ok(())
    }
}

/// Sizes one strategy.
///
/// Errors: a question that makes no sense, or that no value can meet.
pub fn size(need: &Need<'_>) -> Result<Sizing, Error> {
    need.check()?;
    if need.strategy.caps.sessions {
        // Open requests decide: the law says why it has none.
        need.law(need.params, need.nodes)?;
    }
    if let Some(keys) = need.keys {
        enough_keys(need, keys)?;
    }
    let (param, found, steps): (_, _, Option<Steps>) = match knob(need.strategy) {
        Some((knob, range)) => (knob.param, (knob.size)(need, range)?, Some(knob.steps)),
        None => {
            check_fixed(need)?;
            ("", Found { value: 0, method: Method::Fixed }, None)
        }
    };
    let params =
        if param.is_empty() { need.params.clone() } else { with(need, param, found.value) };
    let mut counts = vec![need.nodes];
    counts.extend((need.grow_to > need.nodes).then_some(need.grow_to));
    let mut rows = Vec::new();
    for nodes in counts {
        let (points, heap_bytes) = cost(need.strategy, &params, nodes)?;
        let law = need.law(&params, nodes).ok();
        let load = need.load();
        let bounds = |(law, fair): &(Law, Vec<f64>)| law.bounds(fair, load, need.max_over_mean);
        let peak = |(law, fair): &(Law, Vec<f64>)| peaks(law, fair, need.keys, [0.5, 0.95]);
        rows.push(Step {
            nodes,
            p: law.as_ref().map(bounds),
            peak: law.as_ref().map(peak),
            points,
            heap_bytes,
            lookup: steps.map(|steps| steps(nodes, found.value)),
            lookup_order: need.strategy.cost.lookup,
        });
    }
    Ok(Sizing { strategy: need.strategy.name, param, found, steps: rows })
}

/// Whether so many keys leave room for the bound at all, under fair shares.
fn enough_keys(need: &Need<'_>, keys: u64) -> Result<(), Error> {
    let fair = vec![1.0 / need.grow_to as f64; need.grow_to as usize];
    let law = Law::Fixed(fair.clone());
    let most = law.bounds(&fair, keys as f64, need.max_over_mean)[1];
    if most >= need.confidence {
        return Ok(());
    }
    let least = super::noise::keys_for_peak(need.grow_to, need.max_over_mean, need.confidence);
    let enough = least.map_or("no number of keys is enough".into(), |k| {
        format!("at least {k} keys are needed on {} nodes", need.grow_to)
    });
    Err(impossible(
        need,
        format!(
            "{keys} keys stray further than that even under fair shares (P ≤ {most:.3}); {enough}"
        ),
    ))
}

/// A strategy without a knob meets the need or does not.
fn check_fixed(need: &Need<'_>) -> Result<(), Error> {
    for nodes in [need.nodes, need.grow_to] {
        let (law, fair) = need.law(need.params, nodes)?;
        let [low, _] = law.bounds(&fair, need.load(), need.max_over_mean);
        if low < need.confidence {
            return Err(impossible(
                need,
                format!(
                    "it has no parameter to change that, and P(max over mean ≤ bound) is {low:.3} on {nodes} nodes"
                ),
            ));
        }
    }
    Ok(())
}
