//! Buckets and table entries: whole cells are dealt out, and the fullest node has ⌈B/n⌉ of them. Counting.

use super::{Found, Knob, Method, Need, Range, impossible, with};
use crate::error::Error;

/// `buckets`
pub static BUCKETS: Knob = Knob { param: "buckets", size: buckets, steps };

/// `table-size`
pub static TABLE_SIZE: Knob = Knob { param: "table-size", size: table_size, steps };

fn steps(_nodes: u64, _cells: u64) -> (f64, &'static str) {
    (1.0, "look-up in a table")
}

fn buckets(need: &Need<'_>, range: Range) -> Result<Found, Error> {
    size(need, range, "buckets", |_| true)
}

fn table_size(need: &Need<'_>, range: Range) -> Result<Found, Error> {
    size(need, range, "table-size", is_prime)
}

fn size(
    need: &Need<'_>,
    range: Range,
    param: &'static str,
    allowed: impl Fn(u64) -> bool,
) -> Result<Found, Error> {
    let fits = |cells: u64| {
        // The largest number of nodes is the hardest most often: it is asked first.
        (need.nodes..=need.grow_to).rev().all(|n| {
            let fullest = cells.div_ceil(n) as f64 * n as f64 / cells as f64;
            fullest <= need.max_over_mean * (1.0 + 1e-12)
        })
    };
    let with_keys = |cells: u64| {
        need.keys.is_none()
            || [need.nodes, need.grow_to].iter().all(|&nodes| {
                let params = with(need, param, cells);
                need.law(&params, nodes).is_ok_and(|(law, fair)| {
                    law.bounds(&fair, need.load(), need.max_over_mean)[0] >= need.confidence
                })
            })
    };
    // With more than n ÷ (x − 1) cells one cell more or less is within the bound.
    let enough = libm::ceil(need.grow_to as f64 / (need.max_over_mean - 1.0));
    let first = range.min.max(need.grow_to);
    let last = range.max.min((enough as u64).saturating_mul(2).saturating_add(1000));
    let mut value = (first..=last).find(|&cells| fits(cells) && allowed(cells));
    // What the keys' own noise needs beyond that is looked for in doublings.
    while let Some(cells) = value.filter(|&cells| !with_keys(cells)) {
        let from = cells.saturating_mul(2);
        value = (from..=range.max).take(100_000).find(|&cells| fits(cells) && allowed(cells));
    }
    let value = value.ok_or_else(|| {
        let (min, max) = (range.min, range.max);
        impossible(
            need,
            format!("not with {param} from {min} to {max}; about {enough} would be needed"),
        )
    })?;
    Ok(Found { value, method: Method::Exact })
}

/// By trial division: table sizes are below ten million.
fn is_prime(n: u64) -> bool {
    n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
