//! SHA-1, of which one library reads the first four bytes, low byte first.

use sha1::{Digest, Sha1};

use super::function::of_bytes;
use super::words::le32;
use super::{HasherInfo, Input, Seed};

/// `sha1-32le`.
pub static INFO_32LE: HasherInfo = HasherInfo {
    name: "sha1-32le",
    summary: "the first 4 bytes of the SHA-1 digest, little-endian, 32 bits (npm hashring)",
    source: "FIPS 180-1, 1995, https://www.rfc-editor.org/rfc/rfc3174",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| le32(&sha1(bytes), 0).into()),
};

/// The 20 bytes of the digest.
pub fn sha1(bytes: &[u8]) -> [u8; 20] {
    Sha1::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Half;

    #[test]
    fn the_first_bytes_of_the_standards_digest() {
        // RFC 3174, 7.3: SHA1("abc") = a9993e36 4706816a …
        assert_eq!(sha1(b"abc")[..8], [0xa9, 0x99, 0x3e, 0x36, 0x47, 0x06, 0x81, 0x6a]);
        assert_eq!((INFO_32LE.build)(0, Half::High).hash(b"abc"), 0x363e_99a9);
    }
}
