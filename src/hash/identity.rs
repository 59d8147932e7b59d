//! The key itself, for integer keys.

use super::{Half, HasherInfo, Input, KeyHash, Seed, hash_all};
use crate::keys::ByteColumn;

/// `identity`.
pub static INFO: HasherInfo = HasherInfo {
    name: "identity",
    summary: "the integer key's own 64 bits (two's complement); integer keys only",
    source: "no hash function: what a plain `id % n` reads",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Integer,
    signed: false,
    build,
};

#[derive(Debug)]
struct Identity;

fn build(_: u64, _: Half) -> Box<dyn KeyHash> {
    Box::new(Identity)
}

/// A replay copies columns of integers; `hash` and `batch` serve keys given as text.
impl KeyHash for Identity {
    fn hash(&self, bytes: &[u8]) -> u64 {
        identity(bytes)
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        hash_all(keys, out, identity);
    }

    fn batch_integers(&self, keys: &[u64], out: &mut [u64]) {
        out.copy_from_slice(keys);
    }
}

/// The bits of a decimal text: an i64, or a u64 beyond its range. Any other text gives 0.
pub fn identity(bytes: &[u8]) -> u64 {
    let Ok(text) = std::str::from_utf8(bytes) else { return 0 };
    text.parse::<i64>().map(|i| i as u64).or_else(|_| text.parse()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_texts_give_their_bits() {
        assert_eq!(identity(b"42"), 42);
        assert_eq!(identity(b"-1"), u64::MAX);
        assert_eq!(identity(b"-9223372036854775808"), 1 << 63);
        assert_eq!(identity(b"18446744073709551615"), u64::MAX);
        assert_eq!(identity(b"18446744073709551616"), 0);
        assert_eq!(identity(b"x"), 0);
        assert_eq!(identity(b""), 0);
        assert_eq!(identity(b"\xff"), 0);
    }
}
