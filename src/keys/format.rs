//! Decimal text of integers, eight digits at a time rather than digit by digit.
//!
//! Keys that count up are cheaper still: see `numbered`.

/// Ten to the eighth: the numbers below it have at most eight digits.
const EIGHT: u64 = 100_000_000;

/// The eight digits of `n` < 10⁸ as numbers, the first in the lowest byte.
///
/// Three times, every part is divided by its middle power of ten by a multiplication, all parts of
/// the word at once: 8 digits → 2 × 4 → 4 × 2 → 8 × 1. (P. Khuong, "How to print integers really
/// fast", 2017, <https://pvk.ca/Blog/2017/12/22/appnexus-common-framework-its-out-also-how-to-print-integers-faster/>.)
#[inline]
fn eight_digits(n: u64) -> u64 {
    debug_assert!(n < EIGHT);
    let fours = (n / 10_000) | ((n % 10_000) << 32);
    // 10486 / 2²⁰ and 103 / 2¹⁰ give the right quotient for every part below 10⁴ and 10².
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - 100 * hundreds) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - 10 * tens) << 8)
}

/// The digit `0` in each byte.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Appends the decimal form of `n`.
#[inline]
pub fn push_u64(n: u64, out: &mut Vec<u8>) {
    if n < EIGHT {
        push_short(n, out);
    } else if n < EIGHT * EIGHT {
        push_short(n / EIGHT, out);
        push_eight(n % EIGHT, out);
    } else {
        push_short(n / (EIGHT * EIGHT), out);
        push_eight(n / EIGHT % EIGHT, out);
        push_eight(n % EIGHT, out);
    }
}

/// Appends `n` < 10⁸ without leading zeros.
#[inline]
fn push_short(n: u64, out: &mut Vec<u8>) {
    let digits = eight_digits(n);
    // Zero is one digit long: the last byte counts as one that is not zero.
    let leading = (digits | 1 << 56).trailing_zeros() / 8;
    let text = (digits | ZEROS) >> (8 * leading);
    // Eight bytes of which the rest is taken back: cheaper than a copy of a length known only now.
    let end = out.len() + 8 - leading as usize;
    out.extend_from_slice(&text.to_le_bytes());
    out.truncate(end);
}

/// Appends `n` < 10⁸ as eight digits.
#[inline]
fn push_eight(n: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&(eight_digits(n) | ZEROS).to_le_bytes());
}

/// Appends the decimal form of `n`, with a minus sign where needed.
#[inline]
pub fn push_i64(n: i64, out: &mut Vec<u8>) {
    if n < 0 {
        out.push(b'-');
    }
    push_u64(n.unsigned_abs(), out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::mix::fmix64;

    /// Numbers around every power of ten and of two, the extremes, and some of every length.
    fn numbers() -> Vec<u64> {
        let powers = (0..20).map(|e| 10u64.pow(e)).chain((0..64).map(|e| 1 << e));
        let mut numbers: Vec<u64> =
            powers.flat_map(|p| [p - 1, p, p + 1, p.wrapping_mul(9)]).collect();
        numbers.extend([u64::MAX, u64::MAX - 1]);
        numbers.extend((0..2000).map(|i| fmix64(i) >> (i % 64)));
        numbers
    }

    #[test]
    fn integers_read_as_format_writes_them() {
        for n in numbers() {
            let mut out = b"x".to_vec();
            push_u64(n, &mut out);
            assert_eq!(out, format!("x{n}").as_bytes());
            let mut out = Vec::new();
            push_i64(n as i64, &mut out);
            assert_eq!(out, format!("{}", n as i64).as_bytes());
        }
    }

    #[test]
    fn the_parts_of_eight_digits_are_right_for_all_values() {
        // The tricks work on parts below 10⁴ that do not touch one another.
        for part in 0..10_000 {
            let digits = eight_digits(part * 10_000 + (9999 - part)).to_le_bytes();
            let text: String = digits.iter().map(|d| char::from(b'0' + d)).collect();
            assert_eq!(text, format!("{part:04}{:04}", 9999 - part));
        }
    }
}
