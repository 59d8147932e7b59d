//! MetroHash64, by its published description; version 1 of the two numbered variants is another function.

use super::function::of_bytes;
use super::words::{le32, le64};
use super::{HasherInfo, Input, Seed};

/// `metro64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "metro64",
    summary: "MetroHash64 (the class of that name, not metrohash64_1 or _2), 64 bits",
    source: "J. A. Rogers, 2015, https://github.com/jandrewrogers/MetroHash",
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| metro64(bytes, seed)),
};

const K: [u64; 4] = [0xd6d0_18f5, 0xa2aa_033b, 0x6299_2fc1, 0x30bc_5b29];

/// The digest of `bytes` under `seed`.
#[inline]
pub fn metro64(bytes: &[u8], seed: u64) -> u64 {
    let mut h = seed.wrapping_add(K[2]).wrapping_mul(K[0]);
    let (blocks, mut rest) = bytes.as_chunks::<32>();
    if !blocks.is_empty() {
        h = h.wrapping_add(lanes(blocks, h));
    }
    if rest.len() >= 16 {
        let lane = |at| {
            h.wrapping_add(le64(rest, at).wrapping_mul(K[2])).rotate_right(29).wrapping_mul(K[3])
        };
        let (v0, v1) = (lane(0), lane(8));
        let v0 = v0 ^ v0.wrapping_mul(K[0]).rotate_right(21).wrapping_add(v1);
        h = h.wrapping_add(v1 ^ v1.wrapping_mul(K[3]).rotate_right(21).wrapping_add(v0));
        rest = &rest[16..];
    }
    if rest.len() >= 8 {
        h = absorb(h, le64(rest, 0), 55);
        rest = &rest[8..];
    }
    if rest.len() >= 4 {
        h = absorb(h, le32(rest, 0).into(), 26);
        rest = &rest[4..];
    }
    if let [low, high, after @ ..] = rest {
        h = absorb(h, u16::from_le_bytes([*low, *high]).into(), 48);
        rest = after;
    }
    if let [byte] = rest {
        h = absorb(h, (*byte).into(), 37);
    }
    h = (h ^ h.rotate_right(28)).wrapping_mul(K[0]);
    h ^ h.rotate_right(29)
}

/// What the whole blocks of 32 bytes add, four lanes wide.
#[inline]
fn lanes(blocks: &[[u8; 32]], start: u64) -> u64 {
    let mut v = [start; 4];
    for block in blocks {
        for i in 0..4 {
            // Lanes 2 and 3 take the new values of lanes 0 and 1.
            let other = v[(i + 2) % 4];
            let word = le64(block, 8 * i).wrapping_mul(K[i]);
            v[i] = v[i].wrapping_add(word).rotate_right(29).wrapping_add(other);
        }
    }
    let cross = |a: u64, b: u64, k: u64, c: u64| {
        a.wrapping_add(b).wrapping_mul(k).wrapping_add(c).rotate_right(37)
    };
    v[2] ^= cross(v[0], v[3], K[0], v[1]).wrapping_mul(K[1]);
    v[3] ^= cross(v[1], v[2], K[1], v[0]).wrapping_mul(K[0]);
    v[0] ^= cross(v[0], v[2], K[0], v[3]).wrapping_mul(K[1]);
    v[1] ^= cross(v[1], v[3], K[1], v[2]).wrapping_mul(K[0]);
    v[0] ^ v[1]
}

#[inline]
fn absorb(h: u64, word: u64, turn: u32) -> u64 {
    let h = h.wrapping_add(word.wrapping_mul(K[3]));
    h ^ h.rotate_right(turn).wrapping_mul(K[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_digests_of_the_authors_self_test() {
        let text = b"012345678901234567890123456789012345678901234567890123456789012";
        let first = [0x6b, 0x75, 0x3d, 0xae, 0x06, 0x70, 0x4b, 0xad];
        let second = [0x3b, 0x0d, 0x48, 0x1c, 0xf4, 0xb9, 0xb8, 0xdf];
        assert_eq!(metro64(text, 0), u64::from_le_bytes(first));
        assert_eq!(metro64(text, 1), u64::from_le_bytes(second));
    }
}
