//! PostgreSQL's hash functions of bytes: lookup3 with a 64-bit seed, and what hash partitions make of it.
//!
//! Text is hashed as its bytes (deterministic collations), UUIDs as their 16 bytes (view `uuid-bytes`), and
//! integers as 4 bytes: `int8` folds its high half into its low one first, so that equal `int4` and `int8`
//! values have equal digests (view `postgres-int`).

use super::function::of_bytes;
use super::jenkins::{add_words, add_words_high, lookup3_final, lookup3_mix};
use super::{HasherInfo, Input, Seed};

const SOURCE: &str = "B. Jenkins, 2006, https://burtleburtle.net/bob/c/lookup3.c; PostgreSQL 15, \
                      src/common/hashfn.c, https://github.com/postgres/postgres";

/// The seed of hash partitions.
pub const PARTITION_SEED: u64 = 0x7a5b_2236_7996_dcfd;

/// `postgres-hash`.
pub static INFO: HasherInfo = HasherInfo {
    name: "postgres-hash",
    summary: "PostgreSQL's hashtext, 32 bits, read as signed (uuid_hash over view uuid-bytes; hashint4 and \
              hashint8 over view postgres-int)",
    source: SOURCE,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| hash_extended(bytes, 0) & 0xffff_ffff),
};

/// `postgres-hash-extended`.
pub static INFO_EXTENDED: HasherInfo = HasherInfo {
    name: "postgres-hash-extended",
    summary: "PostgreSQL's hashtextextended, 64 bits, read as signed (the others over the views of \
              postgres-hash)",
    source: SOURCE,
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: true,
    build: |seed, _| of_bytes(move |bytes| hash_extended(bytes, seed)),
};

/// `postgres-partition`.
pub static INFO_PARTITION: HasherInfo = HasherInfo {
    name: "postgres-partition",
    summary: "what PARTITION BY HASH divides for one column that is not null, 64 bits: the remainder by the \
              modulus names the partition (views as for postgres-hash)",
    source: SOURCE,
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| combine(0, hash_extended(bytes, PARTITION_SEED))),
};

/// `hash_bytes_extended`: 64 bits; with seed 0 the low half is `hash_bytes`.
#[inline]
pub fn hash_extended(bytes: &[u8], seed: u64) -> u64 {
    let (blocks, tail) = bytes.as_chunks::<12>();
    let mut state = [0x9e37_79b9_u32.wrapping_add(bytes.len() as u32).wrapping_add(3_923_095); 3];
    if seed != 0 {
        state[0] = state[0].wrapping_add((seed >> 32) as u32);
        state[1] = state[1].wrapping_add(seed as u32);
        lookup3_mix(&mut state);
    }
    for block in blocks {
        lookup3_mix(add_words(&mut state, block));
    }
    // The low byte of the third word is kept free, as in lookup2, although no length goes there.
    lookup3_final(add_words_high(&mut state, tail));
    u64::from(state[1]) << 32 | u64::from(state[2])
}

/// `hash_combine64`: the digest of several columns, from that of the columns before and the next one's
/// extended hash under [`PARTITION_SEED`]. Starts from 0; null columns are passed over.
#[inline]
pub fn combine(before: u64, next: u64) -> u64 {
    before
        ^ next
            .wrapping_add(0x49a0_f4dd_15e5_a8e3)
            .wrapping_add(before << 54)
            .wrapping_add(before >> 7)
}

/// The four bytes that `hashint8` hashes: the low half XOR the high half, inverted for negative values.
#[inline]
pub fn fold_int8(value: i64) -> u32 {
    let (low, high) = (value as u32, (value >> 32) as u32);
    low ^ if value >= 0 { high } else { !high }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn int8_folds_to_the_bits_of_equal_int4_values() {
        for value in [0, 1, -1, i32::MIN, i32::MAX, -20] {
            assert_eq!(fold_int8(value.into()), value as u32);
        }
        assert_eq!(fold_int8(1 << 32), 1);
        // High half ffffffff, inverted.
        assert_eq!(fold_int8(-1 << 32), 0);
    }
}
