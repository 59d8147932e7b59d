//! CityHash64 in its two incompatible versions, and FarmHash's Fingerprint64, which came of the second.
//!
//! All read up to 16, 17 to 32, 33 to 64 and more bytes in four ways of their own.

use super::function::of_bytes;
use super::words::{le32, le64};
use super::{HasherInfo, Input, Seed};

/// `cityhash64`.
pub static INFO: HasherInfo = CITY;

const CITY: HasherInfo = HasherInfo {
    name: "cityhash64",
    summary: "CityHash64 of version 1.1, 64 bits",
    source: "G. Pike, J. Alakuijala, 2013, https://github.com/google/cityhash",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(cityhash64),
};

/// `clickhouse-city64`.
pub static INFO_CLICKHOUSE: HasherInfo = HasherInfo {
    name: "clickhouse-city64",
    summary: "CityHash64 of version 1.0.2, 64 bits (ClickHouse's cityHash64 of strings)",
    source: "G. Pike, J. Alakuijala, 2011, https://github.com/google/cityhash; ClickHouse, hash functions, \
             https://clickhouse.com/docs/sql-reference/functions/hash-functions",
    build: |_, _| of_bytes(cityhash64_v1_0_2),
    ..CITY
};

/// `farm64`.
pub static INFO_FARM: HasherInfo = HasherInfo {
    name: "farm64",
    summary: "FarmHash's Fingerprint64 (farmhashna), 64 bits (Guava's farmHashFingerprint64, ClickHouse's \
              farmFingerprint64, BigQuery's FARM_FINGERPRINT)",
    source: "G. Pike, 2014, https://github.com/google/farmhash",
    build: |_, _| of_bytes(farm_fingerprint64),
    ..CITY
};

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K2: u64 = 0x9ae1_6a3b_2f90_404f;
/// Dropped in version 1.1.
const K3: u64 = 0xc949_d7c7_509e_6557;
/// The multiplier of 128 to 64 bits.
const MUL: u64 = 0x9ddf_ea08_eb38_2d69;

/// CityHash64, version 1.1.
#[inline]
pub fn cityhash64(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => up_to_16(s),
        17..=32 => up_to_32(s),
        33..=64 => city_up_to_64(s),
        _ => city_long(s),
    }
}

/// FarmHash's Fingerprint64.
#[inline]
pub fn farm_fingerprint64(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => up_to_16(s),
        17..=32 => up_to_32(s),
        33..=64 => farm_up_to_64(s),
        _ => farm_long(s),
    }
}

/// CityHash64, version 1.0.2.
#[inline]
pub fn cityhash64_v1_0_2(s: &[u8]) -> u64 {
    match s.len() {
        0..=16 => old_up_to_16(s),
        17..=32 => old_up_to_32(s),
        33..=64 => old_up_to_64(s),
        _ => old_long(s),
    }
}

#[inline]
fn shift_mix(x: u64) -> u64 {
    x ^ (x >> 47)
}

/// 128 bits to 64, in the manner of Murmur.
#[inline]
fn fold(u: u64, v: u64, mul: u64) -> u64 {
    let a = shift_mix((u ^ v).wrapping_mul(mul));
    shift_mix((v ^ a).wrapping_mul(mul)).wrapping_mul(mul)
}

/// The multiplier of a short key.
#[inline]
fn short_mul(s: &[u8]) -> u64 {
    K2.wrapping_add(2 * s.len() as u64)
}

/// The word that starts `back` bytes before the end.
#[inline]
fn from_end(s: &[u8], back: usize) -> u64 {
    le64(s, s.len() - back)
}

/// One to three bytes: the first, the middle and the last one. `last` is the constant that goes with it.
#[inline]
fn up_to_3(s: &[u8], last: u64) -> u64 {
    let y = u64::from(s[0]) + (u64::from(s[s.len() / 2]) << 8);
    let z = s.len() as u64 + (u64::from(s[s.len() - 1]) << 2);
    shift_mix(y.wrapping_mul(K2) ^ z.wrapping_mul(last)).wrapping_mul(K2)
}

#[inline]
fn up_to_16(s: &[u8]) -> u64 {
    let mul = short_mul(s);
    match s.len() {
        0 => K2,
        1..=3 => up_to_3(s, K0),
        4..=7 => {
            let a = s.len() as u64 + (u64::from(le32(s, 0)) << 3);
            fold(a, le32(s, s.len() - 4).into(), mul)
        }
        _ => {
            let a = le64(s, 0).wrapping_add(K2);
            let b = from_end(s, 8);
            let c = b.rotate_right(37).wrapping_mul(mul).wrapping_add(a);
            let d = a.rotate_right(25).wrapping_add(b).wrapping_mul(mul);
            fold(c, d, mul)
        }
    }
}

#[inline]
fn up_to_32(s: &[u8]) -> u64 {
    let mul = short_mul(s);
    let a = le64(s, 0).wrapping_mul(K1);
    let b = le64(s, 8);
    let c = from_end(s, 8).wrapping_mul(mul);
    let d = from_end(s, 16).wrapping_mul(K2);
    let u = sum3(a.wrapping_add(b).rotate_right(43), c.rotate_right(30), d);
    fold(u, sum3(a, b.wrapping_add(K2).rotate_right(18), c), mul)
}

#[inline]
fn city_up_to_64(s: &[u8]) -> u64 {
    let mul = short_mul(s);
    let a = le64(s, 0).wrapping_mul(K2);
    let b = le64(s, 8);
    let (c, d) = (from_end(s, 24), from_end(s, 32));
    let e = le64(s, 16).wrapping_mul(K2);
    let f = le64(s, 24).wrapping_mul(9);
    let (g, h) = (from_end(s, 8), from_end(s, 16).wrapping_mul(mul));
    let ag = a.wrapping_add(g);
    let u = ag.rotate_right(43).wrapping_add(b.rotate_right(30).wrapping_add(c).wrapping_mul(9));
    let v = sum3(ag ^ d, f, 1);
    let w = u.wrapping_add(v).wrapping_mul(mul).swap_bytes().wrapping_add(h);
    let x = e.wrapping_add(f).rotate_right(42).wrapping_add(c);
    let y = v.wrapping_add(w).wrapping_mul(mul).swap_bytes().wrapping_add(g).wrapping_mul(mul);
    let z = sum3(e, f, c);
    let a = x.wrapping_add(z).wrapping_mul(mul).wrapping_add(y).swap_bytes().wrapping_add(b);
    let b = sum3(z.wrapping_add(a).wrapping_mul(mul), d, h);
    shift_mix(b).wrapping_mul(mul).wrapping_add(x)
}

#[inline]
fn farm_up_to_64(s: &[u8]) -> u64 {
    let mul = short_mul(s);
    let a = le64(s, 0).wrapping_mul(K2);
    let b = le64(s, 8);
    let c = from_end(s, 8).wrapping_mul(mul);
    let d = from_end(s, 16).wrapping_mul(K2);
    let y = sum3(a.wrapping_add(b).rotate_right(43), c.rotate_right(30), d);
    let z = fold(y, sum3(a, b.wrapping_add(K2).rotate_right(18), c), mul);
    let e = le64(s, 16).wrapping_mul(mul);
    let f = le64(s, 24);
    let g = y.wrapping_add(from_end(s, 32)).wrapping_mul(mul);
    let h = z.wrapping_add(from_end(s, 24)).wrapping_mul(mul);
    let u = sum3(e.wrapping_add(f).rotate_right(43), g.rotate_right(30), h);
    fold(u, sum3(e, f.wrapping_add(a).rotate_right(18), g), mul)
}

#[inline]
fn sum3(a: u64, b: u64, c: u64) -> u64 {
    a.wrapping_add(b).wrapping_add(c)
}

/// The state of long keys: three words and two pairs.
struct State {
    x: u64,
    y: u64,
    z: u64,
    v: [u64; 2],
    w: [u64; 2],
}

/// 32 bytes and two words into two words.
#[inline]
fn weak(s: &[u8], a: u64, b: u64) -> [u64; 2] {
    let (w, x, y, z) = (le64(s, 0), le64(s, 8), le64(s, 16), le64(s, 24));
    let a = a.wrapping_add(w);
    let b = sum3(b, a, z).rotate_right(21);
    let c = a;
    let a = sum3(a, x, y);
    [a.wrapping_add(z), sum3(b, a.rotate_right(44), c)]
}

impl State {
    /// One block of 64 bytes of version 1.1 and of FarmHash, whose last block has multipliers of its own.
    #[inline]
    fn block(&mut self, s: &[u8], mul: u64, nine: u64) {
        let State { x, y, z, v, w } = self;
        *x = sum3(*x, *y, v[0]).wrapping_add(le64(s, 8)).rotate_right(37).wrapping_mul(mul);
        *y = sum3(*y, v[1], le64(s, 48)).rotate_right(42).wrapping_mul(mul);
        *x ^= w[1].wrapping_mul(nine);
        *y = sum3(*y, v[0].wrapping_mul(nine), le64(s, 40));
        *z = z.wrapping_add(w[0]).rotate_right(33).wrapping_mul(mul);
        *v = weak(s, v[1].wrapping_mul(mul), x.wrapping_add(w[0]));
        *w = weak(&s[32..], z.wrapping_add(w[1]), y.wrapping_add(le64(s, 16)));
        std::mem::swap(z, x);
    }

    /// One block of 64 bytes of version 1.0.2.
    #[inline]
    fn old_block(&mut self, s: &[u8]) {
        let State { x, y, z, v, w } = self;
        *x = sum3(*x, *y, v[0]).wrapping_add(le64(s, 16)).rotate_right(37).wrapping_mul(K1);
        *y = sum3(*y, v[1], le64(s, 48)).rotate_right(42).wrapping_mul(K1);
        *x ^= w[1];
        *y ^= v[0];
        *z = (*z ^ w[0]).rotate_right(33);
        *v = weak(s, v[1].wrapping_mul(K1), x.wrapping_add(w[0]));
        *w = weak(&s[32..], z.wrapping_add(w[1]), *y);
        std::mem::swap(z, x);
    }

    /// The digest; `k` multiplies y.
    #[inline]
    fn finish(&self, mul: u64, k: u64) -> u64 {
        let State { x, y, z, v, w } = self;
        let first = sum3(fold(v[0], w[0], mul), shift_mix(*y).wrapping_mul(k), *z);
        fold(first, fold(v[1], w[1], mul).wrapping_add(*x), mul)
    }
}

/// The whole blocks of 64 bytes that end before the last byte.
#[inline]
fn whole_blocks(s: &[u8]) -> impl Iterator<Item = &[u8]> {
    s[..(s.len() - 1) / 64 * 64].chunks_exact(64)
}

fn city_long(s: &[u8]) -> u64 {
    let len = s.len() as u64;
    let x = from_end(s, 40);
    let y = from_end(s, 16).wrapping_add(from_end(s, 56));
    let z = fold(from_end(s, 48).wrapping_add(len), from_end(s, 24), MUL);
    let v = weak(&s[s.len() - 64..], len, z);
    let w = weak(&s[s.len() - 32..], y.wrapping_add(K1), x);
    let x = x.wrapping_mul(K1).wrapping_add(le64(s, 0));
    let mut state = State { x, y, z, v, w };
    whole_blocks(s).for_each(|block| state.block(block, K1, 1));
    state.finish(MUL, K1)
}

fn farm_long(s: &[u8]) -> u64 {
    const SEED: u64 = 81;
    let y = SEED.wrapping_mul(K1).wrapping_add(113);
    let z = shift_mix(y.wrapping_mul(K2).wrapping_add(113)).wrapping_mul(K2);
    let x = SEED.wrapping_mul(K2).wrapping_add(le64(s, 0));
    let mut state = State { x, y, z, v: [0; 2], w: [0; 2] };
    whole_blocks(s).for_each(|block| state.block(block, K1, 1));
    // The last 64 bytes once more, or for the first time, with a multiplier from the state.
    let mul = K1.wrapping_add((state.z & 0xff) << 1);
    let State { v, w, .. } = &mut state;
    w[0] = w[0].wrapping_add((s.len() as u64 - 1) & 63);
    v[0] = v[0].wrapping_add(w[0]);
    w[0] = w[0].wrapping_add(v[0]);
    state.block(&s[s.len() - 64..], mul, 9);
    state.finish(mul, K0)
}

#[inline]
fn old_up_to_16(s: &[u8]) -> u64 {
    let len = s.len() as u64;
    match s.len() {
        0 => K2,
        1..=3 => up_to_3(s, K3),
        4..=8 => {
            fold(len.wrapping_add(u64::from(le32(s, 0)) << 3), le32(s, s.len() - 4).into(), MUL)
        }
        _ => {
            let b = from_end(s, 8);
            fold(le64(s, 0), b.wrapping_add(len).rotate_right(len as u32), MUL) ^ b
        }
    }
}

#[inline]
fn old_up_to_32(s: &[u8]) -> u64 {
    let a = le64(s, 0).wrapping_mul(K1);
    let b = le64(s, 8);
    let c = from_end(s, 8).wrapping_mul(K2);
    let d = from_end(s, 16).wrapping_mul(K0);
    let u = sum3(a.wrapping_sub(b).rotate_right(43), c.rotate_right(30), d);
    let v = sum3(a, (b ^ K3).rotate_right(20), s.len() as u64).wrapping_sub(c);
    fold(u, v, MUL)
}

/// Two words of 32 bytes from `at` on: a sum and a mix. `a` and `z` start them.
#[inline]
fn old_half(s: &[u8], at: usize, a: u64, z: u64) -> [u64; 2] {
    let b = a.wrapping_add(z).rotate_right(52);
    let c = a.rotate_right(37);
    let a = a.wrapping_add(le64(s, at + 8));
    let c = c.wrapping_add(a.rotate_right(7));
    let a = a.wrapping_add(le64(s, at + 16));
    [a.wrapping_add(z), sum3(b, a.rotate_right(31), c)]
}

#[inline]
fn old_up_to_64(s: &[u8]) -> u64 {
    let end = s.len();
    let a = from_end(s, 16).wrapping_add(end as u64).wrapping_mul(K0).wrapping_add(le64(s, 0));
    let [vf, vs] = old_half(s, 0, a, le64(s, 24));
    let a = le64(s, 16).wrapping_add(from_end(s, 32));
    let [wf, ws] = old_half(s, end - 32, a, from_end(s, 8));
    let r = vf.wrapping_add(ws).wrapping_mul(K2).wrapping_add(wf.wrapping_add(vs).wrapping_mul(K0));
    shift_mix(shift_mix(r).wrapping_mul(K0).wrapping_add(vs)).wrapping_mul(K2)
}

fn old_long(s: &[u8]) -> u64 {
    let len = s.len() as u64;
    let (x, y) = (le64(s, 0), from_end(s, 16) ^ K1);
    let z = from_end(s, 56) ^ K0;
    let v = weak(&s[s.len() - 64..], len, y);
    let w = weak(&s[s.len() - 32..], len.wrapping_mul(K1), K0);
    let z = z.wrapping_add(shift_mix(v[1]).wrapping_mul(K1));
    let x = z.wrapping_add(x).rotate_right(39).wrapping_mul(K1);
    let y = y.rotate_right(33).wrapping_mul(K1);
    let mut state = State { x, y, z, v, w };
    whole_blocks(s).for_each(|block| state.old_block(block));
    state.finish(MUL, K1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agree_with_other_crates_at_every_length() {
        let bytes: Vec<u8> = (0..1100u32).map(|i| (i * 167 + 13 + i / 251) as u8).collect();
        for len in 0..bytes.len() {
            let s = &bytes[..len];
            assert_eq!(cityhash64(s), cityhasher::hash::<u64>(s), "{len} bytes");
            // The crate errs where a long key's last block is whole. There the digests of 128, 192, 256
            // and 512 bytes that FarmHash, Guava and ClickHouse gave are the ones computed here.
            if len <= 64 || len % 64 != 0 {
                assert_eq!(farm_fingerprint64(s), farmhash::fingerprint64(s), "{len} bytes");
            }
        }
    }
}
