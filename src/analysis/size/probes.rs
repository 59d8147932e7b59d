//! Probes of multi-probe hashing: the exact shares of random points, in trials.
//!
//! A key asks at k random places and goes to the point that is nearest behind one of them. The distance to
//! it is above d with probability S(d)^k, where S(d) = Σ max(arc − d, 0); the node behind an arc of length g
//! gets ∫₀^g k·S(d)^(k−1) dd (derived from B. Appleton and M. O'Reilly, 2015,
//! <https://arxiv.org/abs/1505.00062>).

use super::{Found, Knob, Method, Need, Range, impossible, least};
use crate::analysis::peak::{Law, trials};
use crate::error::Error;
use crate::metrics::interval::clopper_pearson;

/// `probes`
pub static PROBES: Knob = Knob { param: "probes", size, steps };

const SEED: u64 = 20_260_101;

fn steps(_nodes: u64, probes: u64) -> (f64, &'static str) {
    (probes as f64, "searches, one a probe")
}

fn size(need: &Need<'_>, range: Range) -> Result<Found, Error> {
    if need.keys.is_some() {
        return Err(Error::unsupported("the noise of keys is not known for probes")
            .help("leave --keys out: the shares themselves are sized"));
    }
    let count = super::points::draws(need.grow_to);
    // The same arcs for every number of probes, so that more of them never look worse by chance.
    let arcs = |nodes: u64| {
        let law = Law::Points(vec![1.0; nodes as usize]);
        trials::trials(&law, None, count, SEED, |arcs| {
            let mut sorted = arcs.to_vec();
            sorted.sort_by(f64::total_cmp);
            sorted
        })
    };
    let drawn = [arcs(need.nodes), arcs(need.grow_to)];
    let interval = |probes: u64| {
        let intervals = drawn.iter().map(|rings| {
            let peak = |arcs: &&Vec<f64>| {
                largest_share(arcs, probes) * arcs.len() as f64 <= need.max_over_mean
            };
            let hits = rings.iter().filter(peak).count();
            clopper_pearson(hits as u64, u64::from(count), 0.99)
        });
        intervals.min_by(|a, b| a[0].total_cmp(&b[0])).expect("two numbers of nodes")
    };
    let too_many =
        || impossible(need, format!("not with {} probes, the most that are allowed", range.max));
    let low =
        least(range.min, range.max, |k| interval(k)[1] >= need.confidence).ok_or_else(too_many)?;
    let value =
        least(low, range.max, |k| interval(k)[0] >= need.confidence).ok_or_else(too_many)?;
    Ok(Found { value, method: Method::Trials { count, least: low, interval: interval(value) } })
}

/// Share of the node behind the longest arc, arcs in rising order.
pub(super) fn largest_share(arcs: &[f64], probes: u64) -> f64 {
    let k = probes as f64;
    let n = arcs.len();
    let (mut share, mut below) = (0.0, 0.0);
    // S at the level `below`: what of all arcs is longer.
    let mut rest: f64 = arcs.iter().sum();
    for (i, &arc) in arcs.iter().enumerate() {
        let longer = (n - i) as f64;
        let next = (rest - longer * (arc - below)).max(0.0);
        // ∫ k·S^(k−1) dd over the step, on which S falls with slope −longer.
        share += (libm::pow(rest, k) - libm::pow(next, k)) / longer;
        (rest, below) = (next, arc);
    }
    share
}
