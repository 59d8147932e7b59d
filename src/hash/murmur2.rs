//! MurmurHash2 of 32 bits and MurmurHash64A, with the seeds that systems fix.

use super::function::of_bytes;
use super::words::{le_tail, le64};
use super::{HasherInfo, Input, Seed};

const SOURCE: &str = "A. Appleby, 2008, https://github.com/aappleby/smhasher";

/// Kafka's seed of MurmurHash2.
pub const KAFKA_SEED: u32 = 0x9747_b28c;

/// `murmur2-32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "murmur2-32",
    summary: "MurmurHash2: little-endian blocks, 32 bits (ClickHouse's murmurHash2_32 with seed 0)",
    source: SOURCE,
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| murmur2_32(bytes, seed as u32).into()),
};

/// `kafka-murmur2`.
pub static INFO_KAFKA: HasherInfo = HasherInfo {
    name: "kafka-murmur2",
    summary: "MurmurHash2 with seed 9747b28c, 32 bits, read as signed (Kafka's default partitioner; \
              the partition is of the low 31 bits)",
    source: "A. Appleby, 2008; Apache Kafka, Utils.murmur2, https://github.com/apache/kafka",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| murmur2_32(bytes, KAFKA_SEED).into()),
};

/// `libhashkit-murmur`.
pub static INFO_LIBHASHKIT: HasherInfo = HasherInfo {
    name: "libhashkit-murmur",
    summary: "MurmurHash2 with seed deadbeef times the length, 32 bits (libmemcached, twemproxy)",
    source: "A. Appleby, 2008; libhashkit of libmemcached 1.1, https://github.com/awesomized/libmemcached",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| murmur2_32(bytes, libhashkit_seed(bytes)).into()),
};

/// `murmur64a`.
pub static INFO_64A: HasherInfo = HasherInfo {
    name: "murmur64a",
    summary: "MurmurHash64A, the 64-bit MurmurHash2: little-endian blocks, 64 bits (libstdc++ and Envoy \
              take seed 3339675911 = c70f6907)",
    source: SOURCE,
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| murmur64a(bytes, seed)),
};

/// The seed that libhashkit gives its Murmur hashes: deadbeef times the length, modulo 2³².
pub(super) fn libhashkit_seed(bytes: &[u8]) -> u32 {
    0xdead_beef_u32.wrapping_mul(bytes.len() as u32)
}

/// MurmurHash2 of `bytes`. Lengths enter modulo 2³², as in the source.
#[inline]
pub fn murmur2_32(bytes: &[u8], seed: u32) -> u32 {
    const M: u32 = 0x5bd1_e995;
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut h = seed ^ bytes.len() as u32;
    for block in blocks {
        let mut k = u32::from_le_bytes(*block).wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !tail.is_empty() {
        h = (h ^ le_tail(tail) as u32).wrapping_mul(M);
    }
    h = (h ^ (h >> 13)).wrapping_mul(M);
    h ^ (h >> 15)
}

/// MurmurHash64A of `bytes`.
#[inline]
pub fn murmur64a(bytes: &[u8], seed: u64) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut h = seed ^ (bytes.len() as u64).wrapping_mul(M);
    for block in blocks {
        let mut k = le64(block, 0).wrapping_mul(M);
        k ^= k >> 47;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    if !tail.is_empty() {
        h = (h ^ le_tail(tail)).wrapping_mul(M);
    }
    h = (h ^ (h >> 47)).wrapping_mul(M);
    h ^ (h >> 47)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_digests_of_kafkas_own_test() {
        // UtilsTest.testMurmur2 of Apache Kafka.
        for (text, digest) in [
            ("21", -973_932_308),
            ("foobar", -790_332_482),
            ("a-little-bit-long-string", -985_981_536),
            ("a-little-bit-longer-string", -1_486_304_829),
            ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58_897_971),
            ("abc", 479_470_107),
        ] {
            assert_eq!(murmur2_32(text.as_bytes(), KAFKA_SEED) as i32, digest, "{text}");
        }
    }
}
