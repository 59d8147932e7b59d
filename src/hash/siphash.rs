//! SipHash-2-4 and SipHash-1-3, by the crate `siphasher`.
//!
//! The digest is the u64 of the eight digest bytes, low byte first. Choice: a seed is the first half of the
//! key, low byte first, and the second half is zero; seed 0 is the key of 16 zero bytes, which ClickHouse
//! takes. The key 00 01 … 0f of the paper's vectors, which is Guava's default, has a name of its own.

use siphasher::sip::{SipHasher13, SipHasher24};

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// The two halves of the key 00 01 … 0f.
pub const COUNTING_KEY: [u64; 2] = [0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908];

/// `siphash-2-4`.
pub static INFO_2_4: HasherInfo = SIPHASH;

const SIPHASH: HasherInfo = HasherInfo {
    name: "siphash-2-4",
    summary: "SipHash-2-4 under the key (seed, 0), 64 bits (ClickHouse's sipHash64 with seed 0)",
    source: "J.-P. Aumasson, D. J. Bernstein, 2012, https://www.aumasson.jp/siphash/siphash.pdf",
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| siphash_2_4(bytes, [seed, 0])),
};

/// `siphash-2-4-guava`.
pub static INFO_GUAVA: HasherInfo = HasherInfo {
    name: "siphash-2-4-guava",
    summary: "SipHash-2-4 under the key 00 01 … 0f, 64 bits (Guava's sipHash24)",
    seed: Seed::Fixed,
    build: |_, _| of_bytes(|bytes| siphash_2_4(bytes, COUNTING_KEY)),
    ..SIPHASH
};

/// `siphash-1-3`.
pub static INFO_1_3: HasherInfo = HasherInfo {
    name: "siphash-1-3",
    summary: "SipHash-1-3 under the key (seed, 0), 64 bits",
    build: |seed, _| of_bytes(move |bytes| siphash_1_3(bytes, [seed, 0])),
    ..SIPHASH
};

/// SipHash-2-4 of `bytes` under the key whose halves are given, each read low byte first.
#[inline]
pub fn siphash_2_4(bytes: &[u8], [k0, k1]: [u64; 2]) -> u64 {
    SipHasher24::new_with_keys(k0, k1).hash(bytes)
}

/// SipHash-1-3 of `bytes`.
#[inline]
pub fn siphash_1_3(bytes: &[u8], [k0, k1]: [u64; 2]) -> u64 {
    SipHasher13::new_with_keys(k0, k1).hash(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_digest_of_the_papers_appendix() {
        let message: Vec<u8> = (0..15).collect();
        assert_eq!(siphash_2_4(&message, COUNTING_KEY), 0xa129_ca61_49be_45e5);
    }
}
