//! The Mersenne Twister of 32 bits, which Envoy seeds with a request's hash.
//!
//! # Source
//! M. Matsumoto, T. Nishimura, "Mersenne Twister", ACM TOMACS 8(1), 1998, doi 10.1145/272991.272995;
//! `std::mt19937`, ISO C++ 29.5.4.3.

/// Words of state.
const N: usize = 624;
/// How far ahead the word is that is mixed in.
const M: usize = 397;

/// The generator; numbers are made one at a time, since few are asked for.
pub struct Mt19937 {
    state: [u32; N],
    at: usize,
}

impl Mt19937 {
    /// The generator under a seed.
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; N];
        for i in 1..N {
            let before = state[i - 1];
            state[i] = (before ^ before >> 30).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Mt19937 { state, at: 0 }
    }

    /// The next number.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        let (at, after) = (self.at, (self.at + 1) % N);
        let joined = (self.state[at] & 0x8000_0000) | (self.state[after] & 0x7fff_ffff);
        let twisted = joined >> 1 ^ if joined & 1 == 1 { 0x9908_b0df } else { 0 };
        self.state[at] = self.state[(at + M) % N] ^ twisted;
        let mut y = self.state[at];
        self.at = after;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }

    /// A number below `k`, each with the same probability, as Envoy draws it: what ⌊2³² / k⌋ does not
    /// divide evenly is drawn again.
    #[inline]
    pub fn below(&mut self, k: u32) -> u32 {
        let part = (1u64 << 32) / u64::from(k);
        loop {
            let drawn = (u64::from(self.next_u32()) / part) as u32;
            if drawn < k {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ten_thousandth_number_is_that_of_the_standard() {
        let mut random = Mt19937::new(5489);
        // ISO C++ 29.5.6: the 10000th number of a default-constructed mt19937.
        assert_eq!((0..10_000).map(|_| random.next_u32()).last(), Some(4_123_659_995));
    }

    #[test]
    fn bounded_numbers_stay_below() {
        let mut random = Mt19937::new(1);
        for k in [1, 2, 3, 8, 1000, u32::MAX] {
            assert!((0..100).all(|_| random.below(k) < k));
        }
    }
}
