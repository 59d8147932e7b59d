//! Keys until sampling noise is small.

use super::least;
use crate::analysis::peak::Law;
use crate::error::Error;

/// Keys that are enough on a number of nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Noise {
    /// Nodes.
    pub nodes: u64,
    /// Keys from which √((n−1)/K) is at most the bound.
    pub keys_for_cv: u64,
    /// Keys from which max over mean is at most 1 + bound with the confidence; None: beyond 10^15.
    pub keys_for_peak: Option<u64>,
}

/// Most keys that are looked at.
const MOST: u64 = 1_000_000_000_000_000;

/// Keys until cv, and the fullest node, stray by at most `bound` on `nodes` nodes.
///
/// Errors: a bound or a number of nodes that makes no question.
pub fn noise(nodes: u64, bound: f64, confidence: f64) -> Result<Noise, Error> {
    if !(2..=super::peak::MAX_NODES).contains(&nodes) {
        return Err(Error::invalid(format!("{nodes} nodes"))
            .help("allowed: 2 to 10000 nodes; on one node there is no noise"));
    }
    if bound.is_nan() || !(1e-6..=10.0).contains(&bound) {
        return Err(Error::invalid(format!("noise below {bound}"))
            .help("allowed: a number from 0.000001 to 10, e.g. 0.01 for one per cent"));
    }
    if confidence.is_nan() || confidence <= 0.0 || confidence >= 1.0 {
        return Err(Error::invalid(format!("confidence {confidence}"))
            .help("allowed: a number between 0 and 1, e.g. 0.95"));
    }
    let keys_for_cv = libm::ceil((nodes as f64 - 1.0) / (bound * bound) - 1e-6) as u64;
    let keys_for_peak = keys_for_peak(nodes, 1.0 + bound, confidence);
    Ok(Noise { nodes, keys_for_cv, keys_for_peak })
}

/// Keys from which max over mean stays below `x` with probability `p`, by the lower bound of theory. The
/// last digits saw, since keys are whole: three digits are given, rounded up.
pub(super) fn keys_for_peak(nodes: u64, x: f64, p: f64) -> Option<u64> {
    let fair = vec![1.0 / nodes as f64; nodes as usize];
    let law = Law::Fixed(fair.clone());
    let keys = least(1, MOST, |k| law.bounds(&fair, k as f64, x)[0] >= p)?;
    let unit = 10u64.pow(keys.max(1).ilog10().saturating_sub(2));
    Some(keys.div_ceil(unit) * unit)
}
