//! XXH32, by the crate `xxhash-rust`.

use xxhash_rust::xxh32::xxh32;

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `xxh32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh32",
    summary: "XXH32 of xxHash 0.8, 32 bits",
    source: "Y. Collet, 2012, https://github.com/Cyan4973/xxHash",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| xxh32(bytes, seed as u32).into()),
};

#[cfg(test)]
mod tests {
    use super::super::Half;
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!((INFO.build)(0, Half::High).hash(b""), 0x02cc_5d05);
    }
}
