//! Random UUIDs, version 4.
//!
//! Idea: 122 random bits from the key stream, version and variant set.
//! Source: RFC 9562, section 5.4 (<https://www.rfc-editor.org/rfc/rfc9562#section-5.4>).
//! Cost: two numbers of the stream a key, about 13 ns; the text, when wanted, about 5 ns more.
//! Choices: text is hyphenated lower-case hex. All keys count as distinct: 10¹² of them hold a
//! repeat with probability 10⁻¹³.

use super::counts::{COUNT, count};
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::rng::{Purpose, Stream};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "uuid-v4",
    summary: "random UUIDs, version 4",
    source: "RFC 9562, section 5.4",
    params: &[COUNT],
    build,
};

/// Hex digits of every byte.
const HEX: [[u8; 2]; 256] = {
    let digits = b"0123456789abcdef";
    let mut table = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = [digits[i >> 4], digits[i & 15]];
        i += 1;
    }
    table
};

/// Where the two digits of each byte stand in the text; hyphens at 8, 13, 18, 23.
const PLACES: [usize; 16] = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/// Length of the text.
const TEXT_LEN: usize = 36;

#[derive(Debug)]
struct UuidV4 {
    count: u64,
    seed: u64,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    Ok(Box::new(UuidV4 { count: count(build), seed: build.seed }))
}

impl KeySource for UuidV4 {
    fn kind(&self) -> KeyKind {
        KeyKind::Uuid
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    fn distinct(&self) -> Option<u64> {
        Some(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for UuidV4 {
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_> {
        Box::new(Walk { stream: Stream::new(self.seed, Purpose::Keys, chunk), want })
    }
}

struct Walk {
    stream: Stream,
    want: Want,
}

impl Cursor for Walk {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let from = batch.uuids.len();
        batch.uuids.extend((0..rows).map(|_| {
            let high = u128::from(self.stream.next_u64());
            stamp(high << 64 | u128::from(self.stream.next_u64()))
        }));
        if self.want.text {
            push_texts(batch, from);
        }
        batch.grow(rows);
    }
}

/// Appends the texts of the batch's UUIDs from number `from` on.
pub(super) fn push_texts(batch: &mut KeyBatch, from: usize) {
    let rows = batch.uuids.len() - from;
    let arena = batch.text.arena();
    let at = arena.len();
    arena.resize(at + rows * TEXT_LEN, 0);
    let slots = arena[at..].as_chunks_mut::<TEXT_LEN>().0;
    for (slot, &uuid) in slots.iter_mut().zip(&batch.uuids[from..]) {
        write_text(uuid, slot);
    }
    batch.text.end_fixed(rows, TEXT_LEN);
}

/// Sets version 4 and variant 10.
fn stamp(random: u128) -> u128 {
    random & !(0xf << 76) & !(0b11 << 62) | 4 << 76 | 0b10 << 62
}

#[inline]
fn write_text(uuid: u128, slot: &mut [u8; TEXT_LEN]) {
    *slot = [b'-'; TEXT_LEN];
    for (byte, at) in uuid.to_be_bytes().into_iter().zip(PLACES) {
        slot[at..at + 2].copy_from_slice(&HEX[usize::from(byte)]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{assert_laws, first, source, three_chunks};
    use super::*;
    use crate::params::Value::Int;

    #[test]
    fn values_are_stable() {
        assert_eq!(
            first(&INFO, vec![], 2),
            ["3c4b894a-58c9-4f4b-9468-56418a3d4738", "7e11b1dc-2915-4c19-99f8-50ee9ffa8c19"]
        );
    }

    #[test]
    fn laws_hold() {
        assert_laws(&INFO, vec![]);
    }

    #[test]
    fn version_and_variant_are_set_and_keys_differ() {
        let source = source(&INFO, vec![("count", Int(3 * 65_536))]);
        let mut keys = three_chunks(&*source);
        for key in &keys {
            assert_eq!(key.as_bytes()[14], b'4', "{key}");
            assert!(b"89ab".contains(&key.as_bytes()[19]), "{key}");
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(source.distinct(), Some(keys.len() as u64));
    }
}
