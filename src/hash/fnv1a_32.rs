//! FNV-1a of 32 bits.

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `fnv1a-32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "fnv1a-32",
    summary: "FNV-1a over unsigned bytes, 32 bits",
    source: "G. Fowler, L. C. Noll, K.-P. Vo, 1991, http://www.isthe.com/chongo/tech/comp/fnv/",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| fnv1a_32(bytes).into()),
};

/// The digest of `bytes`; offset basis and prime are those of the source.
#[inline]
pub fn fnv1a_32(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |h, &b| (h ^ u32::from(b)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_digests_of_the_authors_test_suite() {
        assert_eq!(fnv1a_32(b""), 0x811c_9dc5);
        assert_eq!(fnv1a_32(b"foobar"), 0xbf9c_f968);
    }
}
