//! Jenkins' hashes: one-at-a-time, lookup2 as Ceph computes it, lookup3 as libhashkit computes it; and the
//! mixers of lookup2 and lookup3 for others.

use super::function::of_bytes;
use super::words::{le_tail, le32, sign_extend};
use super::{HasherInfo, Input, Seed};

/// `one-at-a-time`.
pub static INFO_ONE_AT_A_TIME: HasherInfo = HasherInfo {
    name: "one-at-a-time",
    summary: "Jenkins' one-at-a-time over signed bytes, 32 bits (libmemcached's default, twemproxy)",
    source: "B. Jenkins, 1997, https://burtleburtle.net/bob/hash/doobs.html; libhashkit of libmemcached 1.1, \
             https://github.com/awesomized/libmemcached",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| one_at_a_time(bytes).into()),
};

/// `ceph-rjenkins`.
pub static INFO_CEPH: HasherInfo = HasherInfo {
    name: "ceph-rjenkins",
    summary: "Jenkins' lookup2 over the whole key, 32 bits (Ceph: an object's placement seed)",
    source: "B. Jenkins, 1996, https://burtleburtle.net/bob/hash/evahash.html; Ceph, ceph_str_hash_rjenkins, \
             https://github.com/ceph/ceph",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| ceph_rjenkins(bytes).into()),
};

/// `libhashkit-jenkins`.
pub static INFO_LIBHASHKIT: HasherInfo = HasherInfo {
    name: "libhashkit-jenkins",
    summary: "Jenkins' lookup3 (hashlittle) with initial value 13, 32 bits (libmemcached)",
    source: "B. Jenkins, 2006, https://burtleburtle.net/bob/c/lookup3.c; libhashkit of libmemcached 1.1, \
             https://github.com/awesomized/libmemcached",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| lookup3(bytes, 13).into()),
};

/// One-at-a-time, with the bytes read as C's `signed char`.
#[inline]
pub fn one_at_a_time(bytes: &[u8]) -> u32 {
    let mut h = 0u32;
    for &byte in bytes {
        h = h.wrapping_add(sign_extend(byte) as u32);
        h = h.wrapping_add(h << 10);
        h ^= h >> 6;
    }
    h = h.wrapping_add(h << 3);
    h ^= h >> 11;
    h.wrapping_add(h << 15)
}

/// Lookup2 with initial value 0: the last block's third word leaves its low byte to the length.
#[inline]
pub fn ceph_rjenkins(bytes: &[u8]) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<12>();
    let mut state = [0x9e37_79b9, 0x9e37_79b9, 0];
    for block in blocks {
        lookup2_mix(add_words(&mut state, block));
    }
    state[2] = state[2].wrapping_add(bytes.len() as u32);
    lookup2_mix(add_words_high(&mut state, tail));
    state[2]
}

/// Lookup3's `hashlittle`. Unlike in lookup2, a last block may be whole, and none is mixed if none is left.
#[inline]
pub fn lookup3(bytes: &[u8], initial: u32) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(bytes.len() as u32).wrapping_add(initial);
    let mut state = [start; 3];
    let mut rest = bytes;
    while rest.len() > 12 {
        let (block, after) = rest.split_at(12);
        lookup3_mix(add_words(&mut state, block));
        rest = after;
    }
    if !rest.is_empty() {
        lookup3_final(add_words(&mut state, rest));
    }
    state[2]
}

/// Adds up to 12 bytes as three little-endian words.
#[inline]
pub(super) fn add_words<'a>(state: &'a mut [u32; 3], bytes: &[u8]) -> &'a mut [u32; 3] {
    if bytes.len() == 12 {
        for (i, word) in state.iter_mut().enumerate() {
            *word = word.wrapping_add(le32(bytes, 4 * i));
        }
    } else {
        for (word, part) in state.iter_mut().zip(bytes.chunks(4)) {
            *word = word.wrapping_add(le_tail(part) as u32);
        }
    }
    state
}

/// Adds up to 11 bytes as three little-endian words, the third a byte higher.
#[inline]
pub(super) fn add_words_high<'a>(state: &'a mut [u32; 3], bytes: &[u8]) -> &'a mut [u32; 3] {
    let (low, high) = bytes.split_at(bytes.len().min(8));
    add_words(state, low);
    state[2] = state[2].wrapping_add((le_tail(high) as u32) << 8);
    state
}

/// The mixer of 96 bits of 1996 (lookup2; CRUSH's rjenkins1).
#[inline]
pub fn lookup2_mix(state: &mut [u32; 3]) {
    let [mut a, mut b, mut c] = *state;
    for [first, second, third] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> first);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << second);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> third);
    }
    *state = [a, b, c];
}

/// Lookup3's mixer of a whole block.
#[inline]
pub(super) fn lookup3_mix(state: &mut [u32; 3]) {
    let [mut a, mut b, mut c] = *state;
    for [first, second, third] in [[4, 6, 8], [16, 19, 4]] {
        a = a.wrapping_sub(c) ^ c.rotate_left(first);
        c = c.wrapping_add(b);
        b = b.wrapping_sub(a) ^ a.rotate_left(second);
        a = a.wrapping_add(c);
        c = c.wrapping_sub(b) ^ b.rotate_left(third);
        b = b.wrapping_add(a);
    }
    *state = [a, b, c];
}

/// Lookup3's last mixer.
#[inline]
pub(super) fn lookup3_final(state: &mut [u32; 3]) {
    let [mut a, mut b, mut c] = *state;
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    c = (c ^ b).wrapping_sub(b.rotate_left(24));
    *state = [a, b, c];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup3_has_the_digests_of_its_authors_self_test() {
        // driver5 of lookup3.c.
        assert_eq!(lookup3(b"", 0), 0xdead_beef);
        assert_eq!(lookup3(b"", 0xdead_beef), 0xbd5b_7dde);
        assert_eq!(lookup3(b"Four score and seven years ago", 0), 0x1777_0551);
        assert_eq!(lookup3(b"Four score and seven years ago", 1), 0xcd62_8161);
    }

    #[test]
    fn one_at_a_time_has_published_digests() {
        // Wikipedia, "Jenkins hash function".
        assert_eq!(one_at_a_time(b"a"), 0xca2e_9442);
        assert_eq!(one_at_a_time(b"The quick brown fox jumps over the lazy dog"), 0x519e_91f5);
    }
}
