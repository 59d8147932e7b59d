//! XXH64, by the crate `xxhash-rust`.

use xxhash_rust::xxh64::xxh64;

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `xxh64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh64",
    summary: "XXH64 of xxHash 0.8, 64 bits",
    source: "Y. Collet, 2014, https://github.com/Cyan4973/xxHash",
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, _| of_bytes(move |bytes| xxh64(bytes, seed)),
};

#[cfg(test)]
mod tests {
    use super::super::Half;
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!((INFO.build)(0, Half::High).hash(b""), 0xef46_db37_51d8_e999);
    }
}
