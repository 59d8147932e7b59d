//! Bit mixers shared by strategies and the random streams; not hashers of the lab.

/// The 64-bit finaliser of MurmurHash3 (A. Appleby, 2011,
/// <https://github.com/aappleby/smhasher>): a bijection of u64 in which every input bit changes
/// every output bit with probability one half.
#[inline]
pub const fn fmix64(mut k: u64) -> u64 {
    k ^= k >> 33;
    k = k.wrapping_mul(0xff51_afd7_ed55_8ccd);
    k ^= k >> 33;
    k = k.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    k ^ (k >> 33)
}

/// The 32-bit finaliser of MurmurHash3.
#[inline]
pub const fn fmix32(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_is_the_fixed_point() {
        assert_eq!((fmix64(0), fmix32(0)), (0, 0));
        assert_ne!(fmix64(1), fmix64(2));
    }
}
