//! FNV-1a of 64 bits.

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `fnv1a-64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "fnv1a-64",
    summary: "FNV-1a over unsigned bytes, 64 bits",
    source: "G. Fowler, L. C. Noll, K.-P. Vo, 1991, http://www.isthe.com/chongo/tech/comp/fnv/",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(fnv1a_64),
};

/// The digest of `bytes`; offset basis and prime are those of the source.
#[inline]
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_digests_of_the_authors_test_suite() {
        assert_eq!(fnv1a_64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
