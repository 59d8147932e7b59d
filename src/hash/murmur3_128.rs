//! MurmurHash3_x64_128, and what Cassandra and ClickHouse make of it.

use super::function::of_bytes;
use super::mix::fmix64;
use super::words::signed_le_tail;
use super::{Half, HasherInfo, Input, Seed};

/// `murmur3-128`.
pub static INFO: HasherInfo = HasherInfo {
    name: "murmur3-128",
    summary: "MurmurHash3_x64_128: little-endian blocks, 128 bits; high half h1, low half h2",
    source: "A. Appleby, 2011, https://github.com/aappleby/smhasher",
    bits: 128,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: false,
    build: |seed, half| match half {
        Half::High => of_bytes(move |bytes| murmur3_128(bytes, seed as u32)[0]),
        Half::Low => of_bytes(move |bytes| murmur3_128(bytes, seed as u32)[1]),
    },
};

/// `cassandra-murmur3`.
///
/// The token as drivers compute it. The server turns the token i64::MIN into i64::MAX, and an empty key
/// into its smallest token; neither is a hash, and neither is done here.
pub static INFO_CASSANDRA: HasherInfo = HasherInfo {
    name: "cassandra-murmur3",
    summary: "h1 of MurmurHash3_x64_128 with seed 0 and the last 1 to 15 bytes sign-extended, 64 bits, \
              read as signed (Cassandra's Murmur3Partitioner, ScyllaDB)",
    source: "A. Appleby, 2011; Apache Cassandra, MurmurHash.hash3_x64_128, https://github.com/apache/cassandra",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| cassandra_murmur3(bytes, 0)[0]),
};

/// `clickhouse-murmur3-64`.
pub static INFO_CLICKHOUSE: HasherInfo = HasherInfo {
    name: "clickhouse-murmur3-64",
    summary: "h1 XOR h2 of MurmurHash3_x64_128 with seed 0, 64 bits (ClickHouse's murmurHash3_64)",
    source: "A. Appleby, 2011; ClickHouse, hash functions, https://clickhouse.com/docs/sql-reference/functions/hash-functions",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| {
        of_bytes(|bytes| {
            let [h1, h2] = murmur3_128(bytes, 0);
            h1 ^ h2
        })
    },
};

const C1: u64 = 0x87c3_7b91_1142_53d5;
const C2: u64 = 0x4cf5_ad43_2745_937f;

/// The digest of `bytes` under `seed`: h1, h2.
#[inline]
pub fn murmur3_128(bytes: &[u8], seed: u32) -> [u64; 2] {
    let (blocks, tail) = bytes.as_chunks::<16>();
    // Up to 15 bytes as a little-endian number.
    let last = match bytes.last_chunk::<16>() {
        Some(_) if tail.is_empty() => 0,
        Some(&last) => u128::from_le_bytes(last) >> (128 - 8 * tail.len()),
        None => tail.iter().rev().fold(0, |k, &b| k << 8 | u128::from(b)),
    };
    finish(body(blocks, seed), [last as u64, (last >> 64) as u64], bytes.len())
}

/// The state after the whole blocks.
#[inline]
fn body(blocks: &[[u8; 16]], seed: u32) -> [u64; 2] {
    let (mut h1, mut h2) = (u64::from(seed), u64::from(seed));
    for block in blocks {
        let block = u128::from_le_bytes(*block);
        h1 ^= scramble1(block as u64);
        h1 = h1.rotate_left(27).wrapping_add(h2).wrapping_mul(5).wrapping_add(0x52dc_e729);
        h2 ^= scramble2((block >> 64) as u64);
        h2 = h2.rotate_left(31).wrapping_add(h1).wrapping_mul(5).wrapping_add(0x3849_5ab5);
    }
    [h1, h2]
}

/// The digest, from the state and the last bytes as two words; words that they lack are 0, which the
/// scrambles keep.
#[inline]
fn finish([h1, h2]: [u64; 2], last: [u64; 2], len: usize) -> [u64; 2] {
    let mut h1 = h1 ^ scramble1(last[0]) ^ len as u64;
    let mut h2 = h2 ^ scramble2(last[1]) ^ len as u64;
    h1 = h1.wrapping_add(h2);
    h2 = h2.wrapping_add(h1);
    h1 = fmix64(h1);
    h2 = fmix64(h2);
    h1 = h1.wrapping_add(h2);
    [h1, h2.wrapping_add(h1)]
}

/// The same, except that the last bytes are sign-extended before they are put together: Cassandra's.
#[inline]
pub fn cassandra_murmur3(bytes: &[u8], seed: u32) -> [u64; 2] {
    let (blocks, tail) = bytes.as_chunks::<16>();
    let (low, high) = tail.split_at(tail.len().min(8));
    finish(body(blocks, seed), [signed_le_tail(low), signed_le_tail(high)], bytes.len())
}

#[inline]
fn scramble1(k: u64) -> u64 {
    k.wrapping_mul(C1).rotate_left(31).wrapping_mul(C2)
}

#[inline]
fn scramble2(k: u64) -> u64 {
    k.wrapping_mul(C2).rotate_left(33).wrapping_mul(C1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_crate_murmur3_at_every_length() {
        let bytes: Vec<u8> = (0..300u32).map(|i| (i * 167 + 13) as u8).collect();
        for len in 0..bytes.len() {
            for seed in [0, 1, 0x9747_b28c, u32::MAX] {
                // The crate gives h1 in the low and h2 in the high half of a u128.
                let oracle = murmur3::murmur3_x64_128(&mut &bytes[..len], seed).unwrap();
                let ours = murmur3_128(&bytes[..len], seed);
                assert_eq!(
                    ours,
                    [oracle as u64, (oracle >> 64) as u64],
                    "{len} bytes, seed {seed}"
                );
            }
        }
    }
}
