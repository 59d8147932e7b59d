//! Hash functions of keys, each bit for bit as its source computes it.
//!
//! To add one: a file with the function, its `INFO` and its vectors, and two lines here. Functions of one
//! family share a file.

pub mod checksums;
pub mod city;
pub mod crc16_xmodem;
pub mod crc32;
pub mod databases;
pub mod fnv1;
pub mod fnv1a_32;
pub mod fnv1a_64;
pub(crate) mod function;
pub mod haproxy;
pub mod identity;
pub mod int_hash;
pub mod java;
pub mod java_string;
pub mod jenkins;
pub mod mariadb_collations;
pub mod md5;
pub mod metro;
pub mod mix;
pub mod murmur2;
pub mod murmur3_128;
pub mod murmur3_32;
pub mod murmur3_signed;
pub mod postgres;
pub mod sha1;
pub mod siphash;
mod words;
pub mod xxh32;
pub mod xxh3_128;
pub mod xxh3_64;
pub mod xxh64;

use std::fmt::Debug;

use crate::error::Error;
use crate::keys::ByteColumn;

/// What a hasher reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The bytes that the view gives.
    Bytes,
    /// Integer keys only.
    Integer,
}

/// Which seeds a hasher takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seed {
    /// None.
    Fixed,
    /// The low 32 bits of the seed.
    Bits32,
    /// All 64 bits of the seed.
    Bits64,
}

/// Which 64 bits of a 128-bit digest a column holds; narrower digests have only a high half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The first 64 bits, or the whole of a narrower digest.
    High,
    /// The last 64 bits of a 128-bit digest.
    Low,
}

/// A hash function, seeded.
pub trait KeyHash: Debug + Send + Sync {
    /// The digest of one byte string: zero-extended if it has fewer than 64 bits.
    fn hash(&self, bytes: &[u8]) -> u64;

    /// The digests of a column; `out` has its length. Implementations make the loop compile around
    /// the function: `hash_all(keys, out, |bytes| …)`.
    fn batch(&self, keys: &ByteColumn, out: &mut [u64]);

    /// The digests of a column of integer keys, given as their bits; `out` has its length. Asked of
    /// hashers with [`Input::Integer`], each of which has its own.
    fn batch_integers(&self, keys: &[u64], out: &mut [u64]) {
        panic!("{self:?} hashes bytes; asked for {} of {} integers", out.len(), keys.len());
    }
}

/// Applies a hash function to a column: the one loop behind every `batch`.
#[inline]
pub fn hash_all(keys: &ByteColumn, out: &mut [u64], hash: impl Fn(&[u8]) -> u64) {
    for (digest, key) in out.iter_mut().zip(keys.iter()) {
        *digest = hash(key);
    }
}

/// A hasher: static facts and a `build`.
pub struct HasherInfo {
    /// Name in scenario files.
    pub name: &'static str,
    /// One sentence: what it computes, byte order included.
    pub summary: &'static str,
    /// Authors, year, URL.
    pub source: &'static str,
    /// Width of the digest: 16, 32, 64 or 128.
    pub bits: u32,
    /// Which seeds it takes.
    pub seed: Seed,
    /// What it reads.
    pub input: Input,
    /// Whether the system it comes from reads the digest as a signed integer.
    pub signed: bool,
    /// The function under a seed.
    pub build: fn(seed: u64, half: Half) -> Box<dyn KeyHash>,
}

impl Debug for HasherInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for HasherInfo {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// All hashers, in the order in which lists show them.
pub static ALL: &[&HasherInfo] = &[
    &murmur3_32::INFO,
    &murmur3_signed::INFO_SPARK,
    &murmur3_signed::INFO_COMMONS,
    &murmur3_signed::INFO_GUAVA,
    &murmur3_128::INFO,
    &murmur3_128::INFO_CASSANDRA,
    &murmur3_128::INFO_CLICKHOUSE,
    &murmur2::INFO,
    &murmur2::INFO_KAFKA,
    &murmur2::INFO_LIBHASHKIT,
    &murmur2::INFO_64A,
    &md5::INFO,
    &md5::INFO_64BE,
    &md5::INFO_32LE,
    &md5::INFO_32BE,
    &sha1::INFO_32LE,
    &crc32::INFO,
    &haproxy::INFO_CRC32_AVALANCHE,
    &checksums::INFO_LIBHASHKIT,
    &checksums::INFO_CRC32C,
    &crc16_xmodem::INFO,
    &checksums::INFO_TWEMPROXY,
    &checksums::INFO_ADLER32,
    &xxh32::INFO,
    &xxh64::INFO,
    &xxh3_64::INFO,
    &xxh3_128::INFO,
    &city::INFO,
    &city::INFO_CLICKHOUSE,
    &city::INFO_FARM,
    &metro::INFO,
    &siphash::INFO_2_4,
    &siphash::INFO_GUAVA,
    &siphash::INFO_1_3,
    &fnv1a_32::INFO,
    &fnv1a_64::INFO,
    &fnv1::INFO_32,
    &fnv1::INFO_64,
    &fnv1::INFO_LIBHASHKIT_1_32,
    &fnv1::INFO_LIBHASHKIT_1A_32,
    &fnv1::INFO_LIBHASHKIT_1_64,
    &fnv1::INFO_LIBHASHKIT_1A_64,
    &fnv1::INFO_SPYMEMCACHED_1_32,
    &fnv1::INFO_SPYMEMCACHED_1A_32,
    &fnv1::INFO_SPYMEMCACHED_1_64,
    &fnv1::INFO_SPYMEMCACHED_1A_64,
    &jenkins::INFO_ONE_AT_A_TIME,
    &jenkins::INFO_LIBHASHKIT,
    &jenkins::INFO_CEPH,
    &postgres::INFO,
    &postgres::INFO_EXTENDED,
    &postgres::INFO_PARTITION,
    &databases::INFO_MARIADB,
    &mariadb_collations::INFO_LATIN1,
    &mariadb_collations::INFO_GENERAL_CI,
    &databases::INFO_MONGODB,
    &databases::INFO_RIPEMD160,
    &haproxy::INFO_DJB2,
    &haproxy::INFO_DJB2_AVALANCHE,
    &haproxy::INFO_SDBM,
    &haproxy::INFO_SDBM_AVALANCHE,
    &haproxy::INFO_WT6,
    &haproxy::INFO_WT6_AVALANCHE,
    &java_string::INFO,
    &java::INFO_STRING_SPREAD,
    &java::INFO_CLICKHOUSE,
    &java::INFO_LONG,
    &int_hash::INFO,
    &identity::INFO,
];

/// The hasher of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static HasherInfo, Error> {
    ALL.iter()
        .copied()
        .find(|h| h.name == name)
        .ok_or_else(|| Error::unknown("hasher", name, ALL.iter().map(|h| h.name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys of every length up to 300: random-looking bytes, then decimal texts.
    fn keys() -> ByteColumn {
        let mut keys = ByteColumn::default();
        for len in 0..300u64 {
            let bytes: Vec<u8> = (0..len).map(|i| mix::fmix64(i << 32 | len) as u8).collect();
            keys.push(&bytes);
        }
        for i in 0..300u64 {
            keys.push((mix::fmix64(i) as i64).to_string().as_bytes());
        }
        keys
    }

    fn digests(info: &HasherInfo, seed: u64, half: Half) -> Vec<u64> {
        let keys = keys();
        let mut out = vec![0; keys.len()];
        (info.build)(seed, half).batch(&keys, &mut out);
        out
    }

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        let mut names: Vec<_> = ALL.iter().map(|h| h.name).collect();
        assert_eq!(names.len(), 69);
        for name in &names {
            let part = |p: &str| {
                !p.is_empty() && p.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9'))
            };
            assert!(name.split('-').all(part), "{name}");
            assert_eq!(find(name).unwrap().name, *name);
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        assert!(find("murmur3_32").unwrap_err().to_string().contains("murmur3_32"));
    }

    #[test]
    fn batch_agrees_with_single_keys() {
        let keys = keys();
        for info in ALL {
            for half in [Half::High, Half::Low] {
                let hash = (info.build)(42, half);
                let single: Vec<u64> = keys.iter().map(|key| hash.hash(key)).collect();
                assert_eq!(digests(info, 42, half), single, "{}", info.name);
            }
        }
    }

    #[test]
    fn integers_are_hashed_like_their_decimal_texts() {
        let integers: Vec<u64> =
            (0..300).map(mix::fmix64).chain([0, 1, u64::MAX, 1 << 63]).collect();
        for info in ALL.iter().filter(|info| info.input == Input::Integer) {
            let hash = (info.build)(0, Half::High);
            let mut out = vec![0; integers.len()];
            hash.batch_integers(&integers, &mut out);
            for (&key, digest) in integers.iter().zip(out) {
                assert_eq!(digest, hash.hash(key.to_string().as_bytes()), "{}", info.name);
                assert_eq!(digest, hash.hash((key as i64).to_string().as_bytes()), "{}", info.name);
            }
        }
    }

    #[test]
    fn digests_fill_their_bits_and_no_more() {
        for info in ALL {
            assert!([16, 32, 64, 128].contains(&info.bits), "{}", info.name);
            let bits = info.bits.min(64);
            let seen = digests(info, 0, Half::High).iter().fold(0, |all, d| all | d);
            // A digest that its systems keep in a wider integer.
            let empty = if info.name == "libhashkit-crc" { 17 } else { 0 };
            // Each of the 300 longer digests sets a bit with probability one half.
            assert_eq!(seen, u64::MAX >> (64 - bits + empty), "{}", info.name);
        }
    }

    #[test]
    fn seeds_change_the_digest_as_far_as_they_are_read() {
        for info in ALL {
            let with = |seed| digests(info, seed, Half::High);
            assert_eq!(with(1) != with(0), info.seed != Seed::Fixed, "{}", info.name);
            assert_eq!(with(1 << 40) != with(0), info.seed == Seed::Bits64, "{}", info.name);
        }
    }

    #[test]
    fn only_digests_of_128_bits_have_a_low_half_of_their_own() {
        for info in ALL {
            let (high, low) = (digests(info, 7, Half::High), digests(info, 7, Half::Low));
            assert_eq!(high != low, info.bits == 128, "{}", info.name);
        }
    }
}
