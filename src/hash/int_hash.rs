//! ClickHouse's `intHash64`.

use super::function::of_integers;
use super::mix::fmix64;
use super::{HasherInfo, Input, Seed};

/// `clickhouse-int-hash-64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "clickhouse-int-hash-64",
    summary: "ClickHouse's intHash64, which its cityHash64 and farmHash64 are for integers: a bijection, \
              64 bits; integer keys only",
    source: "ClickHouse, hash functions, https://clickhouse.com/docs/sql-reference/functions/hash-functions; \
             MurmurHash3's finaliser, A. Appleby, 2011",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Integer,
    signed: false,
    build: |_, _| of_integers(int_hash_64),
};

/// The hash of an integer's 64 bits.
#[inline]
pub fn int_hash_64(key: u64) -> u64 {
    fmix64(key ^ 0x4cf2_d2ba_ae6d_a887)
}
