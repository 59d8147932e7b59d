//! CRC-32 as zlib, PNG and Ethernet compute it, by the crate `crc32fast`.

use std::fmt;

use crc32fast::Hasher;

use super::{Half, HasherInfo, Input, KeyHash, Seed, hash_all};
use crate::keys::ByteColumn;

/// `crc32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "crc32",
    summary: "CRC-32 of IEEE 802.3 (polynomial 04c11db7 reflected, in and out inverted), 32 bits",
    source: "IEEE 802.3; ITU-T V.42; zlib, https://zlib.net",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build,
};

/// The state before the first byte. Each key starts from a copy: a new one would ask anew what the
/// processor can do, a fifth of the time of a short key.
struct Crc32(Hasher);

fn build(_: u64, _: Half) -> Box<dyn KeyHash> {
    Box::new(Crc32(Hasher::new()))
}

impl KeyHash for Crc32 {
    #[inline]
    fn hash(&self, bytes: &[u8]) -> u64 {
        let mut state = self.0.clone();
        state.update(bytes);
        state.finalize().into()
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        hash_all(keys, out, |bytes| self.hash(bytes));
    }
}

impl fmt::Debug for Crc32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Crc32")
    }
}

/// The CRC-32 of `bytes`, for digests that are made of it.
#[inline]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_check_value_of_the_crc_catalogue() {
        assert_eq!(build(0, Half::High).hash(b"123456789"), 0xcbf4_3926);
    }
}
