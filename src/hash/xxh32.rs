//! XXH32, by the crate `xxhash-rust`.

use xxhash_rust::xxh32::xxh32;

use super::{Half, HasherInfo, Input, KeyHash, Seed, hash_all};
use crate::keys::ByteColumn;

/// `xxh32`.
pub static INFO: HasherInfo = HasherInfo {
    name: "xxh32",
    summary: "XXH32 of xxHash 0.8, 32 bits",
    source: "Y. Collet, 2012, https://github.com/Cyan4973/xxHash",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: false,
    build,
};

#[derive(Debug)]
struct Xxh32 {
    seed: u32,
}

fn build(seed: u64, _: Half) -> Box<dyn KeyHash> {
    Box::new(Xxh32 { seed: seed as u32 })
}

impl KeyHash for Xxh32 {
    fn hash(&self, bytes: &[u8]) -> u64 {
        xxh32(bytes, self.seed).into()
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        let seed = self.seed;
        hash_all(keys, out, |bytes| xxh32(bytes, seed).into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_empty_key_has_the_digest_that_xxhsum_gives() {
        assert_eq!(build(0, Half::High).hash(b""), 0x02cc_5d05);
    }
}
