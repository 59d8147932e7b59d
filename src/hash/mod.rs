//! Hash functions of keys, each bit for bit as its source computes it.
//!
//! To add one: a file with the function, its `INFO` and its vectors, and two lines here.

pub mod crc16_xmodem;
pub mod crc32;
pub mod fnv1a_32;
pub mod fnv1a_64;
pub mod identity;
pub mod java_string;
pub mod md5;
pub mod mix;
pub mod murmur3_128;
pub mod murmur3_32;
pub mod xxh32;
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
    &murmur3_128::INFO,
    &md5::INFO,
    &md5::INFO_64BE,
    &md5::INFO_32LE,
    &md5::INFO_32BE,
    &crc32::INFO,
    &crc16_xmodem::INFO,
    &xxh32::INFO,
    &xxh64::INFO,
    &xxh3_64::INFO,
    &fnv1a_32::INFO,
    &fnv1a_64::INFO,
    &java_string::INFO,
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
        assert_eq!(names.len(), 15);
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
    fn digests_fill_their_bits_and_no_more() {
        for info in ALL {
            assert!([16, 32, 64, 128].contains(&info.bits), "{}", info.name);
            let bits = info.bits.min(64);
            let seen = digests(info, 0, Half::High).iter().fold(0, |all, d| all | d);
            // Each of the 300 longer digests sets a bit with probability one half.
            assert_eq!(seen, u64::MAX >> (64 - bits), "{}", info.name);
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
