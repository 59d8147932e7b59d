//! Points of a ring: from the bounds of theory where these are sharp, else from trials.

use super::{Found, Knob, Method, Need, Range, impossible, least, with};
use crate::analysis::peak::trials;
use crate::error::Error;
use crate::metrics::interval::clopper_pearson;

/// `vnodes`
pub static VNODES: Knob = Knob { param: "vnodes", size: vnodes, steps: vnodes_steps };

/// `points`
pub static POINTS: Knob = Knob { param: "points", size: points, steps: points_steps };

/// From this confidence on the two bounds of theory lie within 0.005.
const SHARP: f64 = 0.9;

/// Seed of the trials.
const SEED: u64 = 20_260_101;

fn vnodes(need: &Need<'_>, range: Range) -> Result<Found, Error> {
    size(need, "vnodes", range)
}

fn points(need: &Need<'_>, range: Range) -> Result<Found, Error> {
    size(need, "points", Range { min: range.min.max(need.grow_to), ..range })
}

fn vnodes_steps(nodes: u64, value: u64) -> (f64, &'static str) {
    points_steps(nodes, nodes.saturating_mul(value))
}

fn points_steps(_nodes: u64, points: u64) -> (f64, &'static str) {
    (libm::ceil(libm::log2(points.max(1) as f64)), "comparisons of a binary search")
}

fn size(need: &Need<'_>, param: &'static str, range: Range) -> Result<Found, Error> {
    let too_many = || {
        let most = range.max;
        impossible(need, format!("not with {most} {param}, the most that are allowed"))
    };
    // The fullest of more nodes is fuller: growth decides, but the start is looked at as well.
    let bounds = |value: u64| -> [f64; 2] {
        let params = with(need, param, value);
        let at = |nodes| match need.law(&params, nodes) {
            Ok((law, fair)) => law.bounds(&fair, need.load(), need.max_over_mean),
            Err(_) => [0.0, 0.0],
        };
        let (now, then) = (at(need.nodes), at(need.grow_to));
        [now[0].min(then[0]), now[1].min(then[1])]
    };
    let possible = least(range.min, range.max, |v| bounds(v)[1] >= need.confidence);
    let possible = possible.ok_or_else(too_many)?;
    if need.keys.is_none() && need.confidence >= SHARP {
        let sure = least(possible, range.max, |v| bounds(v)[0] >= need.confidence);
        let value = sure.ok_or_else(too_many)?;
        return Ok(Found { value, method: Method::Theory { least: possible } });
    }
    let count = draws(need.grow_to);
    // A start well below what the product of the nodes' probabilities, which is too high, finds possible.
    let from = (possible / 2).max(range.min);
    let interval = |value: u64| {
        let params = with(need, param, value);
        let at = |nodes| {
            let (law, fair) = need.law(&params, nodes).ok()?;
            let drawn = trials::spreads(&law, &fair, need.keys, count, SEED);
            let x = need.max_over_mean * (1.0 + 1e-12);
            let hits = drawn.iter().filter(|spread| spread.max_over_mean <= x).count();
            Some(clopper_pearson(hits as u64, u64::from(count), 0.99))
        };
        let worst = |a: [f64; 2], b: [f64; 2]| if a[0] <= b[0] { a } else { b };
        match (at(need.nodes), at(need.grow_to)) {
            (Some(now), Some(then)) => worst(now, then),
            _ => [0.0, 0.0],
        }
    };
    let low = least(from, range.max, |v| interval(v)[1] >= need.confidence).ok_or_else(too_many)?;
    let value =
        least(low, range.max, |v| interval(v)[0] >= need.confidence).ok_or_else(too_many)?;
    let interval = interval(value);
    Ok(Found { value, method: Method::Trials { count, least: low, interval } })
}

/// Draws of each value: 10 000, fewer for many nodes.
pub(super) fn draws(nodes: u64) -> u32 {
    (4_000_000 / nodes.max(1)).clamp(500, 10_000) as u32
}
