//! Checksums that systems use as hashes: CRC-32C, Adler-32, and memcached clients' pieces of CRCs.

use super::crc16_xmodem::crc16_step;
use super::crc32::crc32;
use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// What all of them share.
const CHECKSUM: HasherInfo = HasherInfo {
    name: "",
    summary: "",
    source: "",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|_| 0),
};

/// `crc32c`.
pub static INFO_CRC32C: HasherInfo = HasherInfo {
    name: "crc32c",
    summary: "CRC-32C (Castagnoli: polynomial 1edc6f41 reflected, in and out inverted), 32 bits",
    source: "G. Castagnoli, S. Bräuer, M. Herrmann, 1993; RFC 3720, https://www.rfc-editor.org/rfc/rfc3720",
    build: |_, _| of_bytes(|bytes| crc32c(bytes).into()),
    ..CHECKSUM
};

/// `adler32`.
pub static INFO_ADLER32: HasherInfo = HasherInfo {
    name: "adler32",
    summary: "Adler-32: two sums modulo 65521, 32 bits",
    source: "M. Adler, 1995, RFC 1950, https://www.rfc-editor.org/rfc/rfc1950",
    build: |_, _| of_bytes(|bytes| adler32(bytes).into()),
    ..CHECKSUM
};

/// `libhashkit-crc`.
///
/// The clients keep it in 32 bits, and so do rings: a digest of 15 bits falls in their first 32768th.
pub static INFO_LIBHASHKIT: HasherInfo = HasherInfo {
    name: "libhashkit-crc",
    summary: "bits 16 to 30 of the crc32, in a digest of 32 bits (libmemcached's and spymemcached's CRC, \
              twemproxy's crc32, nginx's hash without consistent)",
    source: "libhashkit of libmemcached 1.1, https://github.com/awesomized/libmemcached",
    build: |_, _| of_bytes(|bytes| (crc32(bytes) >> 16 & 0x7fff).into()),
    ..CHECKSUM
};

/// `twemproxy-crc16`.
pub static INFO_TWEMPROXY: HasherInfo = HasherInfo {
    name: "twemproxy-crc16",
    summary: "CRC-16/XMODEM whose high half is not cleared, 32 bits (twemproxy's crc16)",
    source: "twemproxy 0.5, hash_crc16, https://github.com/twitter/twemproxy",
    build: |_, _| of_bytes(|bytes| twemproxy_crc16(bytes).into()),
    ..CHECKSUM
};

/// `TABLES[z][b]`: the CRC-32C of byte `b` followed by `z` zero bytes, without the inversions.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut zeros = 0;
        while zeros < 8 {
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ 0x82f6_3b78 };
                bit += 1;
            }
            tables[zeros][byte] = crc;
            zeros += 1;
        }
        byte += 1;
    }
    tables
}

/// The CRC-32C of `bytes`, eight bytes a step.
#[inline]
pub fn crc32c(bytes: &[u8]) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut crc = u32::MAX;
    for block in blocks {
        let word = u64::from_le_bytes(*block) ^ u64::from(crc);
        crc = 0;
        for (i, byte) in word.to_le_bytes().into_iter().enumerate() {
            crc ^= TABLES[7 - i][usize::from(byte)];
        }
    }
    for &byte in tail {
        crc = crc >> 8 ^ TABLES[0][usize::from(crc as u8 ^ byte)];
    }
    !crc
}

/// The Adler-32 of `bytes`.
#[inline]
pub fn adler32(bytes: &[u8]) -> u32 {
    const MODULUS: u32 = 65521;
    let (mut a, mut b) = (1u32, 0u32);
    // As many bytes as the second sum can take before it overflows 32 bits.
    for part in bytes.chunks(5552) {
        for &byte in part {
            a += u32::from(byte);
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    b << 16 | a
}

/// The CRC-16/XMODEM kept in 32 bits: what each step shifts out of the low half stays in the high one.
#[inline]
pub fn twemproxy_crc16(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0u32, |crc, &byte| crc << 8 ^ u32::from(crc16_step((crc >> 8) as u8 ^ byte)))
}

#[cfg(test)]
mod tests {
    use super::super::crc16_xmodem::crc16_xmodem;
    use super::*;

    fn bytes() -> Vec<u8> {
        (0..6000u32).map(|i| (i * 167 + 13) as u8 | 0xc0).collect()
    }

    /// Bit by bit, straight from the definition.
    fn slow_crc32c(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for &byte in bytes {
            crc ^= u32::from(byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 { crc >> 1 ^ 0x82f6_3b78 } else { crc >> 1 };
            }
        }
        !crc
    }

    #[test]
    fn crc32c_agrees_with_the_definition_at_every_length() {
        // The check value of the CRC catalogue; RFC 3720, B.4: 32 bytes of zeros, of ones.
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let bytes = bytes();
        for len in 0..100 {
            assert_eq!(crc32c(&bytes[..len]), slow_crc32c(&bytes[..len]), "{len} bytes");
        }
    }

    #[test]
    fn adler32_reduces_before_it_overflows() {
        let sum = |bytes: &[u8]| {
            let (mut a, mut b) = (1u64, 0u64);
            for &byte in bytes {
                a = (a + u64::from(byte)) % 65521;
                b = (b + a) % 65521;
            }
            (b << 16 | a) as u32
        };
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
        let bytes = bytes();
        for len in (0..100).chain([5551, 5552, 5553, 6000]) {
            assert_eq!(adler32(&bytes[..len]), sum(&bytes[..len]), "{len} bytes");
        }
        assert_eq!(adler32(&[0xff; 12_000]), sum(&[0xff; 12_000]));
    }

    #[test]
    fn twemproxys_crc16_has_the_right_low_half_and_more_above() {
        let bytes = bytes();
        for len in 0..100 {
            let crc = twemproxy_crc16(&bytes[..len]);
            assert_eq!(crc as u16, crc16_xmodem(&bytes[..len]), "{len} bytes");
        }
        assert_ne!(twemproxy_crc16(b"user:42") >> 16, 0);
    }
}
