//! HAProxy's hash functions djb2, sdbm and wt6, and its "avalanche", a mixer that may follow each.

use super::crc32::crc32;
use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// What all of them share.
const HAPROXY: HasherInfo = HasherInfo {
    name: "",
    summary: "",
    source: "HAProxy 2.6, src/hash.c and include/haproxy/hash.h, https://github.com/haproxy/haproxy",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|_| 0),
};

/// `djb2`.
pub static INFO_DJB2: HasherInfo = HasherInfo {
    name: "djb2",
    summary: "djb2: h = 33·h + byte from 5381, unsigned bytes, 32 bits (HAProxy)",
    source: "D. J. Bernstein, comp.lang.c, 1991; HAProxy 2.6, https://github.com/haproxy/haproxy",
    build: |_, _| of_bytes(|bytes| djb2(bytes).into()),
    ..HAPROXY
};

/// `djb2-avalanche`.
pub static INFO_DJB2_AVALANCHE: HasherInfo = HasherInfo {
    name: "djb2-avalanche",
    summary: "djb2 and HAProxy's avalanche, 32 bits",
    build: |_, _| of_bytes(|bytes| avalanche(djb2(bytes)).into()),
    ..HAPROXY
};

/// `sdbm`.
pub static INFO_SDBM: HasherInfo = HasherInfo {
    name: "sdbm",
    summary: "sdbm: h = 65599·h + byte from 0, unsigned bytes, 32 bits (HAProxy's default)",
    source: "O. Yigit, sdbm, 1990; HAProxy 2.6, https://github.com/haproxy/haproxy",
    build: |_, _| of_bytes(|bytes| sdbm(bytes).into()),
    ..HAPROXY
};

/// `sdbm-avalanche`.
pub static INFO_SDBM_AVALANCHE: HasherInfo = HasherInfo {
    name: "sdbm-avalanche",
    summary: "sdbm and HAProxy's avalanche, 32 bits",
    build: |_, _| of_bytes(|bytes| avalanche(sdbm(bytes)).into()),
    ..HAPROXY
};

/// `wt6`.
pub static INFO_WT6: HasherInfo = HasherInfo {
    name: "wt6",
    summary: "W. Tarreau's wt6: two words rotated by amounts that the key sets, 32 bits (HAProxy)",
    build: |_, _| of_bytes(|bytes| wt6(bytes).into()),
    ..HAPROXY
};

/// `wt6-avalanche`.
pub static INFO_WT6_AVALANCHE: HasherInfo = HasherInfo {
    name: "wt6-avalanche",
    summary: "wt6 and HAProxy's avalanche, 32 bits",
    build: |_, _| of_bytes(|bytes| avalanche(wt6(bytes)).into()),
    ..HAPROXY
};

/// `crc32-avalanche`.
pub static INFO_CRC32_AVALANCHE: HasherInfo = HasherInfo {
    name: "crc32-avalanche",
    summary: "crc32 and HAProxy's avalanche, 32 bits",
    build: |_, _| of_bytes(|bytes| avalanche(crc32(bytes)).into()),
    ..HAPROXY
};

/// h = 33·h + byte from 5381.
#[inline]
pub fn djb2(bytes: &[u8]) -> u32 {
    bytes.iter().fold(5381, |h: u32, &b| h.wrapping_mul(33).wrapping_add(b.into()))
}

/// h = 65599·h + byte from 0; the source writes byte + (h << 6) + (h << 16) − h.
#[inline]
pub fn sdbm(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |h: u32, &b| h.wrapping_mul(65599).wrapping_add(b.into()))
}

/// Two words, each the other's rotation; the next rotations are read from both.
#[inline]
pub fn wt6(bytes: &[u8]) -> u32 {
    let (mut h0, mut h1) = (0xa53c_965a_u32, 0x5ca6_953a_u32);
    let (mut turn0, mut turn1) = (6, 18);
    for &byte in bytes {
        h0 = !(h0 ^ u32::from(byte));
        h1 = !h1.wrapping_add(byte.into());
        (h0, h1) = (h1.rotate_left(turn0), h0.rotate_left(turn1));
        let turns = ((h0 >> 16) ^ h1) & 0xffff;
        (turn0, turn1) = (turns & 31, turns >> 11);
    }
    h0 ^ h1
}

/// HAProxy's `full_hash`: R. Jenkins' 32-bit integer hash and a multiplication; a bijection.
#[inline]
pub fn avalanche(a: u32) -> u32 {
    let a = a.wrapping_add(0x7ed5_5d16).wrapping_add(a << 12);
    let a = (a ^ 0xc761_c23c) ^ (a >> 19);
    let a = a.wrapping_add(0x1656_67b1).wrapping_add(a << 5);
    let a = a.wrapping_add(0xd3a2_646c) ^ (a << 9);
    let a = a.wrapping_add(0xfd70_46c5).wrapping_add(a << 3);
    let a = (a ^ 0xb55a_4f09) ^ (a >> 16);
    a.wrapping_mul(3_221_225_473)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sdbm_is_the_sum_of_shifts_of_its_source() {
        let bytes: Vec<u8> = (0..300u32).map(|i| (i * 167 + 13) as u8).collect();
        let shifts = bytes.iter().fold(0u32, |h, &b| {
            u32::from(b).wrapping_add(h << 6).wrapping_add(h << 16).wrapping_sub(h)
        });
        assert_eq!(sdbm(&bytes), shifts);
    }

    #[test]
    fn empty_keys_keep_the_start() {
        assert_eq!((djb2(b""), sdbm(b"")), (5381, 0));
        assert_eq!(wt6(b""), 0xa53c_965a ^ 0x5ca6_953a);
    }
}
