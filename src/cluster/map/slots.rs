//! The slots of a Redis Cluster as maps state them: ranges that must cover 0 to 16383, each slot once.

use std::ops::Range;

use super::source::Source;
use crate::error::Error;
use crate::strategy::redis_slots::SLOTS;

/// Slots claimed so far.
pub struct Slots<'a> {
    source: &'a Source,
    /// By slot the node and where it is claimed.
    claimed: Vec<Option<(u32, usize)>>,
}

impl<'a> Slots<'a> {
    /// None claimed.
    pub fn new(source: &'a Source) -> Self {
        Slots { source, claimed: vec![None; SLOTS] }
    }

    /// Claims slots for a node; the texts are as the map has them.
    pub fn claim(
        &mut self,
        first: &str,
        last: &str,
        node: u32,
        span: Range<usize>,
    ) -> Result<(), Error> {
        let wrong = |text: &str| {
            self.source.error(
                span.clone(),
                format!("`{text}` is no slot"),
                format!("slots are whole numbers from 0 to {}", SLOTS - 1),
            )
        };
        let slot = |text: &str| {
            text.parse().ok().filter(|slot: &usize| *slot < SLOTS).ok_or_else(|| wrong(text))
        };
        let (first, last) = (slot(first)?, slot(last)?);
        if first > last {
            let what = format!("the range {first}-{last} runs backwards");
            return Err(self.source.error(span, what, "write the lower slot first"));
        }
        for slot in first..=last {
            if let Some((_, earlier)) = self.claimed[slot] {
                let line = self.source.line_number(earlier);
                return Err(self.source.error(
                    span,
                    format!("slot {slot} is claimed twice, first in line {line}"),
                    "two masters cannot own one slot: take the map of a node that sees the whole cluster, or mend the cluster with `redis-cli --cluster fix`",
                ));
            }
            self.claimed[slot] = Some((node, span.start));
        }
        Ok(())
    }

    /// The node of each slot, once all are claimed.
    pub fn owners(self) -> Result<Vec<u32>, Error> {
        let holes = ranges((0..SLOTS).filter(|&slot| self.claimed[slot].is_none()));
        if !holes.is_empty() {
            let shown: Vec<String> = holes.iter().take(5).map(|hole| range_text(*hole)).collect();
            let more = if holes.len() > 5 { ", …" } else { "" };
            let missing: usize = holes.iter().map(|(first, last)| last - first + 1).sum();
            let what = if missing == 1 { "slot belongs" } else { "slots belong" };
            let what = format!("{missing} {what} to no node: {}{more}", shown.join(", "));
            let help = "a cluster serves all 16384 slots: assign them with `redis-cli --cluster fix`, or take the map of a node that sees all masters";
            // Where the slot before the first hole is claimed.
            let before = holes[0].0.checked_sub(1).and_then(|slot| self.claimed[slot]);
            return Err(match before {
                Some((_, at)) => self.source.error(self.source.word(at), what, help),
                None => self.source.whole(what, help),
            });
        }
        Ok(self.claimed.into_iter().flatten().map(|(node, _)| node).collect())
    }
}

/// Ascending numbers as ranges, first and last.
pub fn ranges(slots: impl Iterator<Item = usize>) -> Vec<(usize, usize)> {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for slot in slots {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == slot => *last = slot,
            _ => ranges.push((slot, slot)),
        }
    }
    ranges
}

/// `0-5460`, or one number.
pub fn range_text((first, last): (usize, usize)) -> String {
    if first == last { first.to_string() } else { format!("{first}-{last}") }
}

/// What a person should know of replicas that a map names.
pub fn replicas_note(replicas: usize) -> String {
    let what = if replicas == 1 { "replica is" } else { "replicas are" };
    format!("{replicas} {what} left out: slots belong to masters")
}

/// An id for a node that has none yet: 40 hexadecimal digits that its name alone decides.
pub fn made_up_id(name: &str) -> String {
    use sha2::{Digest, Sha256};
    let digest = Sha256::digest(name.as_bytes());
    digest.iter().take(20).map(|byte| format!("{byte:02x}")).collect()
}
