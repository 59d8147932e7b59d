//! CRC-32 as zlib, PNG and Ethernet compute it, by the crate `crc32fast`.

use crc32fast::Hasher;

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `crc32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "crc32",
    summary: "CRC-32 of IEEE 802.3 (polynomial 04c11db7 reflected, in and out inverted), 32 bits",
    source: "IEEE 802.3; ITU-T V.42; zlib, https://zlib.net",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| {
        // Each key starts from a copy: a new state would ask anew what the processor can do, a fifth of
        // the time of a short key.
        let fresh = Hasher::new();
        of_bytes(move |bytes| {
            let mut state = fresh.clone();
            state.update(bytes);
            state.finalize().into()
        })
    },
};

/// The CRC-32 of `bytes`, for digests that are made of it.
#[inline]
pub fn crc32(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Half;

    #[test]
    fn has_the_check_value_of_the_crc_catalogue() {
        assert_eq!((INFO.build)(0, Half::High).hash(b"123456789"), 0xcbf4_3926);
    }
}
