//! MD5, whole and in the pieces that real systems read from it.
//!
//! The digest is 16 bytes; what differs between systems is which of them they read and in which
//! byte order. Ketama's clients read four bytes, low byte first; others read the hexadecimal text
//! from its start, which is high byte first.

use md5::{Digest, Md5};

use super::function::of_bytes;
use super::{Half, HasherInfo, Input, KeyHash, Seed};

const SOURCE: &str = "R. Rivest, 1992, RFC 1321, https://www.rfc-editor.org/rfc/rfc1321";
const KETAMA: &str = "MD5: R. Rivest, 1992, RFC 1321; read as by ketama, R. Jones, 2007, \
                      https://github.com/RJ/ketama";

/// `md5`.
pub static INFO: HasherInfo = HasherInfo {
    name: "md5",
    summary: "MD5, 128 bits: high half = first 8 digest bytes, low half = last 8, each big-endian",
    source: SOURCE,
    bits: 128,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, half| match half {
        Half::High => piece(high),
        Half::Low => piece(low),
    },
};

/// `md5-64be`.
pub static INFO_64BE: HasherInfo = HasherInfo {
    name: "md5-64be",
    summary: "the first 8 bytes of the MD5 digest, big-endian, 64 bits",
    source: SOURCE,
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| piece(high),
};

/// `md5-32le`.
pub static INFO_32LE: HasherInfo = HasherInfo {
    name: "md5-32le",
    summary: "the first 4 bytes of the MD5 digest, little-endian, 32 bits (ketama)",
    source: KETAMA,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| piece(le32),
};

/// `md5-32be`.
pub static INFO_32BE: HasherInfo = HasherInfo {
    name: "md5-32be",
    summary: "the first 4 bytes of the MD5 digest, big-endian, 32 bits",
    source: SOURCE,
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| piece(be32),
};

/// MD5, and the piece of the digest that is read.
fn piece(read: impl Fn(u128) -> u64 + Send + Sync + 'static) -> Box<dyn KeyHash> {
    of_bytes(move |bytes| read(md5(bytes)))
}

/// The digest of `bytes`, its first byte the most significant one.
pub fn md5(bytes: &[u8]) -> u128 {
    u128::from_be_bytes(Md5::digest(bytes).into())
}

fn high(digest: u128) -> u64 {
    (digest >> 64) as u64
}

fn low(digest: u128) -> u64 {
    digest as u64
}

fn be32(digest: u128) -> u64 {
    high(digest) >> 32
}

fn le32(digest: u128) -> u64 {
    (be32(digest) as u32).swap_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_from_the_stated_bytes() {
        // RFC 1321, A.5: MD5("abc").
        let digest = md5(b"abc");
        assert_eq!(digest, 0x9001_5098_3cd2_4fb0_d696_3f7d_28e1_7f72);
        assert_eq!(high(digest), 0x9001_5098_3cd2_4fb0);
        assert_eq!(low(digest), 0xd696_3f7d_28e1_7f72);
        assert_eq!(be32(digest), 0x9001_5098);
        assert_eq!(le32(digest), 0x9850_0190);
    }
}
