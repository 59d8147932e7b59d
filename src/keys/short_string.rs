//! Short random texts, such as `qkzd`: coupon codes, short links, cache tags.
//!
//! Idea: every character is drawn from an alphabet, independent and uniform.
//! Source: none in particular; short keys expose hashers that mix few bytes badly.
//! Cost: one number of the stream for each 12 characters, about 13 ns a key of 4.
//! Choices: texts repeat (alphabet^length of them exist); how many are distinct is not told.

use super::counts::{COUNT, count};
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::rng::{Purpose, Stream};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "short-string",
    summary: "short random texts over a small alphabet",
    source: "coupon codes, short links",
    params: &[
        COUNT,
        Param::new(
            "length",
            Type::Int { min: 1, max: 256 },
            Default::Int(4),
            "characters of a key",
        ),
        Param::new(
            "alphabet",
            Type::Choice(&["lower", "alnum", "digits"]),
            Default::Text("lower"),
            "characters to draw from: a-z, a-z and 0-9, or 0-9",
        ),
    ],
    build,
};

/// a–z, then 0–9: every alphabet is a part of it.
const CHARACTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Characters that one number gives: 36¹² < 2⁶⁴.
const PER_NUMBER: usize = 12;

#[derive(Debug)]
struct ShortString {
    count: u64,
    seed: u64,
    length: usize,
    alphabet: &'static [u8],
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let alphabet = match build.params.text("alphabet") {
        "lower" => &CHARACTERS[..26],
        "digits" => &CHARACTERS[26..],
        _ => &CHARACTERS[..],
    };
    let length = build.params.int("length") as usize;
    Ok(Box::new(ShortString { count: count(build), seed: build.seed, length, alphabet }))
}

impl KeySource for ShortString {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for ShortString {
    fn open(&self, chunk: u64, _want: Want) -> Box<dyn Cursor + '_> {
        Box::new(Walk { source: self, stream: Stream::new(self.seed, Purpose::Keys, chunk) })
    }
}

struct Walk<'a> {
    source: &'a ShortString,
    stream: Stream,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let &ShortString { length, alphabet, .. } = self.source;
        let base = alphabet.len() as u64;
        let arena = batch.text.arena();
        let at = arena.len();
        arena.resize(at + rows * length, 0);
        for key in arena[at..].chunks_exact_mut(length) {
            for part in key.chunks_mut(PER_NUMBER) {
                let mut number = self.stream.below(base.pow(part.len() as u32));
                for slot in part {
                    *slot = alphabet[(number % base) as usize];
                    number /= base;
                }
            }
        }
        batch.text.end_fixed(rows, length);
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_laws, first, source};
    use super::*;
    use crate::params::Value::{Int, Text};

    #[test]
    fn values_are_stable() {
        assert_eq!(first(&INFO, vec![], 3), ["qfdg", "cxov", "lxum"]);
        let long = vec![("length", Int(14)), ("alphabet", Text("alnum".into()))];
        assert_eq!(first(&INFO, long, 2), ["m8m3gw461iri53", "znlm506rdi0rxm"]);
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![]);
        assert_laws(&INFO, vec![("length", Int(25))]);
        assert_eq!(source(&INFO, vec![]).distinct(), None);
    }

    #[test]
    fn every_place_takes_every_character_evenly() {
        let given = vec![("alphabet", Text("digits".into())), ("length", Int(13))];
        let mut counts = [[0u32; 10]; 13];
        for key in first(&INFO, given, 10_000) {
            for (place, character) in key.bytes().enumerate() {
                counts[place][usize::from(character - b'0')] += 1;
            }
        }
        // Chi-square with 9 degrees of freedom: above 45 with probability 1e-6, at 13 places 1e-5.
        for place in counts {
            let chi: f64 = place.iter().map(|&c| (f64::from(c) - 1e3).powi(2) / 1e3).sum();
            assert!(chi < 45.0, "{place:?}");
        }
    }
}
