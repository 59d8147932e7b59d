//! Remainders by one fixed divisor without a division: for tables of any size.

/// Divides by the same `n` again and again: two multiplications and a compare instead of a division
/// (P. Barrett, 1986; the quotient estimate is off by at most one for any 64-bit number).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remainder {
    n: u64,
    /// ⌊(2⁶⁴ − 1) / n⌋
    reciprocal: u64,
    /// 2⁶⁴ mod n
    two_to_64: u64,
}

impl Remainder {
    /// Remainders by `n`, which must not be 0.
    pub fn new(n: u32) -> Self {
        assert!(n > 0, "a remainder needs a divisor");
        let n = u64::from(n);
        Remainder { n, reciprocal: u64::MAX / n, two_to_64: (u64::MAX % n + 1) % n }
    }

    /// The divisor.
    pub fn divisor(self) -> u32 {
        self.n as u32
    }

    /// `x mod n`.
    #[inline(always)]
    pub fn of(self, x: u64) -> u32 {
        let quotient = ((u128::from(x) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = x - quotient * self.n;
        (if rest >= self.n { rest - self.n } else { rest }) as u32
    }

    /// `x mod n` of a 128-bit number.
    #[inline(always)]
    pub fn of_wide(self, x: u128) -> u32 {
        let high = u64::from(self.of((x >> 64) as u64)) * self.two_to_64;
        let low = u64::from(self.of(x as u64));
        // Both terms are below n² and n, and n < 2³²: no overflow.
        self.of(high + low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::fmix64;

    #[test]
    fn agrees_with_the_processor() {
        let divisors = [1, 2, 3, 7, 8, 10, 641, 1000, 65_537, 1 << 31, u32::MAX - 1, u32::MAX];
        for n in divisors {
            let by = Remainder::new(n);
            let near = [0, 1, u64::from(n) - 1, n.into(), u64::from(n) + 1, u64::MAX, u64::MAX - 1];
            for x in near.into_iter().chain((0..500).map(|i| fmix64(i) >> (i % 64))) {
                assert_eq!(u64::from(by.of(x)), x % u64::from(n), "{x} mod {n}");
                let wide = (u128::from(x) << 64) | u128::from(fmix64(x));
                assert_eq!(u128::from(by.of_wide(wide)), wide % u128::from(n), "{wide} mod {n}");
            }
        }
    }
}
