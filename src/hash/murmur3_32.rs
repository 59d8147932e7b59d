//! MurmurHash3_x86_32, over slices and without a branch for the last bytes.
//!
//! A key's last one to three bytes come from one load of its last four, so that keys whose lengths
//! vary cost no mispredicted branch there.

use super::function::of_bytes;
use super::mix::fmix32;
use super::{HasherInfo, Input, Seed};

/// `murmur3-32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "murmur3-32",
    summary: "MurmurHash3_x86_32: little-endian blocks, 32 bits",
    source: "A. Appleby, 2011, https://github.com/aappleby/smhasher",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| murmur3_32(bytes, seed as u32).into()),
};

/// The digest of `bytes` under `seed`. Lengths enter modulo 2³², as in the source.
#[inline]
pub fn murmur3_32(bytes: &[u8], seed: u32) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let h = body(blocks, seed);
    // The tail as a little-endian number. With no tail it is 0, which `scramble` keeps.
    let last = match bytes.last_chunk::<4>() {
        Some(&last) => (u64::from(u32::from_le_bytes(last)) >> (32 - 8 * tail.len())) as u32,
        None => tail.iter().rev().fold(0, |k, &b| k << 8 | u32::from(b)),
    };
    fmix32(h ^ scramble(last) ^ bytes.len() as u32)
}

/// The state after the whole blocks.
#[inline]
pub(super) fn body(blocks: &[[u8; 4]], seed: u32) -> u32 {
    blocks.iter().fold(seed, |h, block| mix_block(h, u32::from_le_bytes(*block)))
}

/// The state after one more block.
#[inline]
pub(super) fn mix_block(h: u32, block: u32) -> u32 {
    (h ^ scramble(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64)
}

#[inline]
pub(super) fn scramble(k: u32) -> u32 {
    k.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_crate_murmur3_at_every_length() {
        let bytes: Vec<u8> = (0..300u32).map(|i| (i * 167 + 13) as u8).collect();
        for len in 0..bytes.len() {
            for seed in [0, 1, 0x9747_b28c, u32::MAX] {
                let oracle = murmur3::murmur3_32(&mut &bytes[..len], seed).unwrap();
                assert_eq!(murmur3_32(&bytes[..len], seed), oracle, "{len} bytes, seed {seed}");
            }
        }
    }
}
