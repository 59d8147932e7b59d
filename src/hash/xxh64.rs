//! XXH64, by the crate `xxhash-rust`.

use xxhash_rust::xxh64::xxh64;

use super::{Half, HasherInfo, Input, KeyHash, Seed, hash_all};
use crate::keys::ByteColumn;

/// `xxh64`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh64",
    summary: "XXH64 of xxHash 0.8, 64 bits",
    source: "Y. Collet, 2014, https://github.com/Cyan4973/xxHash",
    bits: 64,
    seed: Seed::Bits64,
    input: Input::Bytes,
    signed: false,
    build,
};

#[derive(Debug)]
struct Xxh64 {
    seed: u64,
}

fn build(seed: u64, _: Half) -> Box<dyn KeyHash> {
    Box::new(Xxh64 { seed })
}

impl KeyHash for Xxh64 {
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxh64(bytes, self.seed)
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        let seed = self.seed;
        hash_all(keys, out, |bytes| xxh64(bytes, seed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!(build(0, Half::High).hash(b""), 0xef46_db37_51d8_e999);
    }
}
