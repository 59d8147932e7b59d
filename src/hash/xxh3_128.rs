//! XXH3_128, by the crate `xxhash-rust`.

use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::function::of_bytes;
use super::{Half, HasherInfo, Input, Seed};

/// `xxh3-128`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh3-128",
    summary: "XXH3_128 of xxHash 0.8, 128 bits; high half high64, low half low64",
    source: "Y. Collet, 2019, https://github.com/Cyan4973/xxHash",
    bits: 128,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build: |seed, half| match half {
        Half::High => of_bytes(move |bytes| (xxh3_128_with_seed(bytes, seed) >> 64) as u64),
        Half::Low => of_bytes(move |bytes| xxh3_128_with_seed(bytes, seed) as u64),
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!((INFO.build)(0, Half::High).hash(b""), 0x99aa_06d3_0147_98d8);
        assert_eq!((INFO.build)(0, Half::Low).hash(b""), 0x6001_c324_468d_497f);
    }
}
