//! `hash-type map-based`: an array in which servers take turns.

use super::{BASE, MAX_WEIGHT, VERSION, column};
use crate::error::Error;
use crate::preset::entries::{Entries, check_entries};
use crate::preset::round_robin;
use crate::preset::servers::{is_not_empty, whole_weights};
use crate::preset::{Answer, PresetInfo};
use crate::strategy::{Build, Placement, StrategyInfo};

/// `hash-type map-based`.
pub static MAP: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "haproxy_hash.csv",
        name: "haproxy-map",
        title: "HAProxy map-based",
        summary: "HAProxy `hash-type map-based`, its default: hash mod total weight into a map",
        build: map,
        ..BASE
    },
    family: "modulo",
    version: VERSION,
    rule: "weights are divided by their greatest common divisor; smooth weighted round robin over one \
           period fills the map; a key's hash mod the map's length is its entry. Weights from 0 to 256; \
           an empty key goes round robin and is refused here",
    answer: Answer::Server,
};

pub(super) fn map(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let mut weights = whole_weights(build, 0, MAX_WEIGHT)?;
    let common = weights.iter().fold(0, |a, &b| gcd(a, b)).max(1);
    weights.iter_mut().for_each(|weight| *weight /= common);
    let total: u64 = weights.iter().sum();
    check_entries(total)?;
    round_robin::check_turns(total, weights.len())?;
    let turns = round_robin::turns(&weights, total as usize);
    Ok(Box::new(Entries::new(build, column(build, false)?, turns).accepting(is_not_empty)))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
