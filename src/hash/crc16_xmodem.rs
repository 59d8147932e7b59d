//! CRC-16/XMODEM, the hash of Redis Cluster's slots; eight bytes a step.

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `crc16-xmodem`.
pub static INFO: HasherInfo = HasherInfo {
    name: "crc16-xmodem",
    summary: "CRC-16/XMODEM (polynomial 1021, initial value 0, not reflected), 16 bits",
    source: "Redis Cluster specification, appendix A, https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/",
    bits: 16,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| crc16_xmodem(bytes).into()),
};

/// `TABLES[z][b]`: the CRC of byte `b` followed by `z` zero bytes. A CRC is linear, so that the CRC of
/// eight bytes is the XOR of eight table entries.
static TABLES: [[u16; 256]; 8] = tables();

const fn tables() -> [[u16; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut zeros = 0;
        while zeros < 8 {
            let mut bit = 0;
            while bit < 8 {
                crc = if crc & 0x8000 == 0 { crc << 1 } else { crc << 1 ^ 0x1021 };
                bit += 1;
            }
            tables[zeros][byte] = crc;
            zeros += 1;
        }
        byte += 1;
    }
    tables
}

/// The CRC of one byte: what a step adds for the top byte that it shifts out.
#[inline]
pub(super) fn crc16_step(byte: u8) -> u16 {
    TABLES[0][usize::from(byte)]
}

/// The CRC of `bytes`.
#[inline]
pub fn crc16_xmodem(bytes: &[u8]) -> u16 {
    let (blocks, tail) = bytes.as_chunks::<8>();
    let mut crc = 0u16;
    for block in blocks {
        let [first, second] = crc.to_be_bytes();
        crc = TABLES[7][usize::from(block[0] ^ first)] ^ TABLES[6][usize::from(block[1] ^ second)];
        for i in 2..8 {
            crc ^= TABLES[7 - i][usize::from(block[i])];
        }
    }
    for &byte in tail {
        let [first, second] = crc.to_be_bytes();
        crc = u16::from(second) << 8 ^ TABLES[0][usize::from(byte ^ first)];
    }
    crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit by bit, straight from the definition.
    fn slow(bytes: &[u8]) -> u16 {
        let mut crc = 0u16;
        for &byte in bytes {
            crc ^= u16::from(byte) << 8;
            for _ in 0..8 {
                crc = if crc >> 15 == 1 { crc << 1 ^ 0x1021 } else { crc << 1 };
            }
        }
        crc
    }

    #[test]
    fn agrees_with_the_definition_at_every_length() {
        // The check value of the CRC catalogue, also given in Redis Cluster's specification.
        assert_eq!(crc16_xmodem(b"123456789"), 0x31c3);
        let bytes: Vec<u8> = (0..100u32).map(|i| (i * 167 + 13) as u8).collect();
        for len in 0..bytes.len() {
            assert_eq!(crc16_xmodem(&bytes[..len]), slow(&bytes[..len]), "{len} bytes");
        }
    }
}
