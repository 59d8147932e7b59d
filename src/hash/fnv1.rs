//! FNV-1 (multiply, then XOR), and the FNV hashes of memcached clients, which read signed bytes or
//! UTF-16 units.
//!
//! The clients' 64-bit hashes give their low 32 bits. Twemproxy computes its `fnv1a_64` in 32 bits, from
//! the low halves of basis and prime: the same bits.

use super::function::of_bytes;
use super::words::sign_extend;
use super::{HasherInfo, Input, Seed};

/// What all of them share.
const FNV: HasherInfo = HasherInfo {
    name: "fnv1-32",
    summary: "FNV-1 over unsigned bytes, 32 bits",
    source: "G. Fowler, L. C. Noll, K.-P. Vo, 1991, http://www.isthe.com/chongo/tech/comp/fnv/",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| fnv1_32(bytes).into()),
};

const LIBHASHKIT: HasherInfo = HasherInfo {
    source: "Fowler, Noll, Vo, 1991; libhashkit of libmemcached 1.1, \
             https://github.com/awesomized/libmemcached; twemproxy 0.5, https://github.com/twitter/twemproxy",
    ..FNV
};

const SPYMEMCACHED: HasherInfo = HasherInfo {
    source: "Fowler, Noll, Vo, 1991; spymemcached 2.12, DefaultHashAlgorithm, \
             https://github.com/couchbase/spymemcached",
    ..FNV
};

/// `fnv1-32`.
pub static INFO_32: HasherInfo = FNV;

/// `fnv1-64`.
pub static INFO_64: HasherInfo = HasherInfo {
    name: "fnv1-64",
    summary: "FNV-1 over unsigned bytes, 64 bits",
    bits: 64,
    build: |_, _| of_bytes(fnv1_64),
    ..FNV
};

/// `libhashkit-fnv1-32`.
pub static INFO_LIBHASHKIT_1_32: HasherInfo = HasherInfo {
    name: "libhashkit-fnv1-32",
    summary: "FNV-1 over signed bytes, 32 bits (libmemcached, twemproxy)",
    build: |_, _| of_bytes(|bytes| fnv32(Order::MultiplyFirst, signed(bytes)).into()),
    ..LIBHASHKIT
};

/// `libhashkit-fnv1a-32`.
pub static INFO_LIBHASHKIT_1A_32: HasherInfo = HasherInfo {
    name: "libhashkit-fnv1a-32",
    summary: "FNV-1a over signed bytes, 32 bits (libmemcached, twemproxy)",
    build: |_, _| of_bytes(|bytes| fnv32(Order::XorFirst, signed(bytes)).into()),
    ..LIBHASHKIT
};

/// `libhashkit-fnv1-64`.
pub static INFO_LIBHASHKIT_1_64: HasherInfo = HasherInfo {
    name: "libhashkit-fnv1-64",
    summary: "the low 32 bits of FNV-1 of 64 bits over signed bytes (libmemcached, twemproxy)",
    build: |_, _| of_bytes(|bytes| low(fnv64(Order::MultiplyFirst, signed(bytes)))),
    ..LIBHASHKIT
};

/// `libhashkit-fnv1a-64`.
pub static INFO_LIBHASHKIT_1A_64: HasherInfo = HasherInfo {
    name: "libhashkit-fnv1a-64",
    summary: "the low 32 bits of FNV-1a of 64 bits over signed bytes (libmemcached; twemproxy's default)",
    build: |_, _| of_bytes(|bytes| low(fnv64(Order::XorFirst, signed(bytes)))),
    ..LIBHASHKIT
};

/// `spymemcached-fnv1-32`.
pub static INFO_SPYMEMCACHED_1_32: HasherInfo = HasherInfo {
    name: "spymemcached-fnv1-32",
    summary: "FNV-1 over the UTF-16 units of the text, 32 bits (spymemcached's FNV1_32_HASH)",
    build: |_, _| of_bytes(|text| utf16_fnv32(Order::MultiplyFirst, text)),
    ..SPYMEMCACHED
};

/// `spymemcached-fnv1-64`.
pub static INFO_SPYMEMCACHED_1_64: HasherInfo = HasherInfo {
    name: "spymemcached-fnv1-64",
    summary: "the low 32 bits of FNV-1 of 64 bits over the UTF-16 units of the text (spymemcached's FNV1_64_HASH)",
    build: |_, _| of_bytes(|text| utf16_fnv64(Order::MultiplyFirst, text)),
    ..SPYMEMCACHED
};

/// `spymemcached-fnv1a-32`.
pub static INFO_SPYMEMCACHED_1A_32: HasherInfo = HasherInfo {
    name: "spymemcached-fnv1a-32",
    summary: "FNV-1a over the UTF-16 units of the text, 32 bits (spymemcached's FNV1A_32_HASH)",
    build: |_, _| of_bytes(|text| utf16_fnv32(Order::XorFirst, text)),
    ..SPYMEMCACHED
};

/// `spymemcached-fnv1a-64`.
pub static INFO_SPYMEMCACHED_1A_64: HasherInfo = HasherInfo {
    name: "spymemcached-fnv1a-64",
    summary: "the low 32 bits of FNV-1a of 64 bits over the UTF-16 units of the text (spymemcached's FNV1A_64_HASH)",
    build: |_, _| of_bytes(|text| utf16_fnv64(Order::XorFirst, text)),
    ..SPYMEMCACHED
};

/// Which comes first in each step: FNV-1 multiplies, FNV-1a XORs.
#[derive(Clone, Copy)]
enum Order {
    MultiplyFirst,
    XorFirst,
}

/// FNV-1 of 32 bits.
#[inline]
pub fn fnv1_32(bytes: &[u8]) -> u32 {
    fnv32(Order::MultiplyFirst, bytes.iter().map(|&b| b.into()))
}

/// FNV-1 of 64 bits.
#[inline]
pub fn fnv1_64(bytes: &[u8]) -> u64 {
    fnv64(Order::MultiplyFirst, bytes.iter().map(|&b| b.into()))
}

/// The hash of 32 bits over the low 32 bits of the units.
#[inline]
fn fnv32(order: Order, units: impl Iterator<Item = u64>) -> u32 {
    units.fold(0x811c_9dc5, |h: u32, unit| match order {
        Order::MultiplyFirst => h.wrapping_mul(0x0100_0193) ^ unit as u32,
        Order::XorFirst => (h ^ unit as u32).wrapping_mul(0x0100_0193),
    })
}

#[inline]
fn fnv64(order: Order, units: impl Iterator<Item = u64>) -> u64 {
    units.fold(0xcbf2_9ce4_8422_2325, |h: u64, unit| match order {
        Order::MultiplyFirst => h.wrapping_mul(0x0100_0000_01b3) ^ unit,
        Order::XorFirst => (h ^ unit).wrapping_mul(0x0100_0000_01b3),
    })
}

#[inline]
fn signed(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.iter().map(|&b| sign_extend(b))
}

#[inline]
fn low(hash: u64) -> u64 {
    hash & 0xffff_ffff
}

/// The hash of 32 bits over the UTF-16 units of a text; what is not UTF-8 counts as U+FFFD.
#[inline]
fn utf16_fnv32(order: Order, text: &[u8]) -> u64 {
    fnv32(order, String::from_utf8_lossy(text).encode_utf16().map(u64::from)).into()
}

/// The low 32 bits of the hash of 64 bits over the same.
#[inline]
fn utf16_fnv64(order: Order, text: &[u8]) -> u64 {
    low(fnv64(order, String::from_utf8_lossy(text).encode_utf16().map(u64::from)))
}

#[cfg(test)]
mod tests {
    use super::super::{fnv1a_32::fnv1a_32, fnv1a_64::fnv1a_64};
    use super::*;

    #[test]
    fn has_the_digests_of_the_authors_test_suite() {
        assert_eq!(fnv1_32(b""), 0x811c_9dc5);
        assert_eq!(fnv1_32(b"foobar"), 0x31f0_b262);
        assert_eq!(fnv1_64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1_64(b"foobar"), 0x340d_8765_a4dd_a9c2);
    }

    #[test]
    fn clients_agree_with_fnv_on_ascii_alone() {
        let clients = |text: &str| {
            [
                &INFO_LIBHASHKIT_1_32,
                &INFO_LIBHASHKIT_1A_32,
                &INFO_LIBHASHKIT_1_64,
                &INFO_LIBHASHKIT_1A_64,
                &INFO_SPYMEMCACHED_1_32,
                &INFO_SPYMEMCACHED_1A_32,
                &INFO_SPYMEMCACHED_1_64,
                &INFO_SPYMEMCACHED_1A_64,
            ]
            .map(|info| (info.build)(0, super::super::Half::High).hash(text.as_bytes()))
        };
        let plain = |text: &str| {
            let bytes = text.as_bytes();
            let four = [
                fnv1_32(bytes).into(),
                fnv1a_32(bytes).into(),
                low(fnv1_64(bytes)),
                low(fnv1a_64(bytes)),
            ];
            [four, four].concat()
        };
        assert_eq!(clients("user:42").to_vec(), plain("user:42"));
        for (client, plain) in clients("键").iter().zip(plain("键")) {
            assert_ne!(*client, plain);
        }
    }
}
