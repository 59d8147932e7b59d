//! XXH3_64, by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `xxh3-64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh3-64",
    summary: "XXH3_64 of xxHash 0.8, 64 bits",
    source: "Y. Collet, 2019, https://github.com/Cyan4973/xxHash",
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| xxh3_64_with_seed(bytes, seed)),
};

#[cfg(test)]
mod tests {
    use super::super::Half;
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!((INFO.build)(0, Half::High).hash(b""), 0x2d06_8005_38d3_94c2);
    }
}
