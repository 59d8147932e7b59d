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

/// Number `k` (from 1) of the generator SplitMix64 seeded by `seed` (G. Steele, D. Lea, C. Flood, "Fast
/// Splittable Pseudorandom Number Generators", OOPSLA 2014, doi 10.1145/2714064.2660195; the mixing
/// constants are D. Stafford's variant 13): any number of the sequence without those before it.
#[inline]
pub const fn splitmix64(seed: u64, k: u64) -> u64 {
    let z = seed.wrapping_add(k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers of seed 1234567 as published with the reference code's test.
    #[test]
    fn splitmix64_gives_the_published_numbers() {
        let want =
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([1, 2, 3].map(|k| splitmix64(1_234_567, k)), want);
    }

    #[test]
    fn zero_is_the_fixed_point() {
        assert_eq!((fmix64(0), fmix32(0)), (0, 0));
        assert_ne!(fmix64(1), fmix64(2));
    }
}
