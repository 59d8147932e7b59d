//! What keys are made of: bits, steps, signs, distinct and frequent values. One pass in row order.

use crate::analysis::distinct::{Count, Distinct, fingerprint};
use crate::analysis::heavy::{Frequent, Heavy};
use crate::analysis::rows::each_batch;
use crate::error::Error;
use crate::hash::mix::fmix64;
use crate::keys::{KeyBatch, KeyKind, KeySource};

/// Largest magnitude up to which a double holds every integer.
pub const DOUBLE_EXACT: u64 = 1 << 53;

/// Facts of a column of keys.
#[derive(Debug, Clone)]
pub struct Profile {
    /// Type of the keys.
    pub kind: KeyKind,
    /// Rows.
    pub rows: u64,
    /// Distinct keys.
    pub distinct: Count,
    /// The most frequent key.
    pub top: Option<Frequent>,
    /// Empty keys.
    pub empty: u64,
    /// Facts of the integers: of integer keys, or of texts that are all decimal integers.
    pub integers: Option<Integers>,
    /// Texts that are integers, but not as an integer would be written: `007`, `+7`, ` 7`.
    pub uncanonical: u64,
}

/// Facts of integer keys.
#[derive(Debug, Clone)]
pub struct Integers {
    /// How many keys have each bit set; bit 0 is the lowest.
    pub ones: [u64; 64],
    /// Smallest key.
    pub least: i128,
    /// Largest key.
    pub most: i128,
    /// Greatest common divisor of all differences; 0 where all keys are equal.
    pub step: u64,
    /// Keys below 0.
    pub negative: u64,
    /// Keys beyond ±2⁵³.
    pub beyond_double: u64,
    /// Keys that another number is read for once they were a double.
    pub changed_by_double: u64,
    /// Distinct values that are left when every key was a double.
    pub distinct_as_double: Count,
}

/// Greatest common divisor.
pub fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

struct Counting {
    ones: [u64; 64],
    least: i128,
    most: i128,
    first: Option<i128>,
    step: u64,
    negative: u64,
    beyond_double: u64,
    changed: u64,
    doubles: Distinct,
}

impl Counting {
    fn new() -> Self {
        Counting {
            ones: [0; 64],
            least: i128::MAX,
            most: i128::MIN,
            first: None,
            step: 0,
            negative: 0,
            beyond_double: 0,
            changed: 0,
            doubles: Distinct::default(),
        }
    }

    fn add(&mut self, value: i128) {
        let bits = value as u64;
        for (bit, ones) in self.ones.iter_mut().enumerate() {
            *ones += bits >> bit & 1;
        }
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        let first = *self.first.get_or_insert(value);
        // A difference of two 64-bit numbers fits into 64 bits.
        self.step = gcd(self.step, (value - first).unsigned_abs() as u64);
        self.negative += u64::from(value < 0);
        self.beyond_double += u64::from(value.unsigned_abs() > u128::from(DOUBLE_EXACT));
        let double = value as f64;
        self.changed += u64::from(double as i128 != value);
        self.doubles.add(fmix64(double.to_bits()));
    }

    fn finish(self) -> Option<Integers> {
        self.first?;
        Some(Integers {
            ones: self.ones,
            least: self.least,
            most: self.most,
            step: self.step,
            negative: self.negative,
            beyond_double: self.beyond_double,
            changed_by_double: self.changed,
            distinct_as_double: self.doubles.count(),
        })
    }
}

/// Profiles the first `rows` keys.
///
/// # Errors
/// A fault of a key file.
pub fn profile(source: &dyn KeySource, rows: u64) -> Result<Profile, Error> {
    let kind = source.kind();
    let (mut seen, mut parsed, mut uncanonical, mut empty) = (0u64, 0u64, 0u64, 0u64);
    let mut distinct = Distinct::default();
    let mut heavy = Heavy::default();
    let mut counting = Counting::new();
    each_batch(source, rows, |batch: &KeyBatch| {
        for row in 0..batch.len() {
            seen += 1;
            let print = fingerprint(batch, row);
            distinct.add(print);
            heavy.add(print, || batch.key(row).to_string());
            let value = match kind {
                KeyKind::I64 => Some(i128::from(batch.ints[row] as i64)),
                KeyKind::U64 => Some(i128::from(batch.ints[row])),
                KeyKind::Text => {
                    let text = batch.text.get(row);
                    empty += u64::from(text.is_empty());
                    let number = integer(text);
                    uncanonical +=
                        u64::from(number.is_some_and(|n| n.to_string().as_bytes() != text));
                    number
                }
                KeyKind::Bytes | KeyKind::Uuid => None,
            };
            if let Some(value) = value {
                parsed += 1;
                counting.add(value);
            }
        }
    })?;
    let all = seen > 0 && parsed == seen;
    Ok(Profile {
        kind,
        rows: seen,
        distinct: distinct.count(),
        top: heavy.top(1).into_iter().next(),
        empty,
        integers: if all { counting.finish() } else { None },
        uncanonical: if all { uncanonical } else { 0 },
    })
}

/// The 64-bit integer that a text is, as programs read them: signs, zeros in front and spaces around
/// are taken.
pub fn integer(text: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let value: i128 = text.parse().ok()?;
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_counted_bit_by_bit() {
        let mut counting = Counting::new();
        [-6i128, 6, 18, (1 << 53) + 1].into_iter().for_each(|n| counting.add(n));
        let found = counting.finish().unwrap();
        assert_eq!((found.least, found.most, found.negative), (-6, (1 << 53) + 1, 1));
        // Differences 12, 24 and 2^53 + 7 ≡ 15 mod 24.
        assert_eq!(found.step, gcd(12, (1 << 53) + 7));
        assert_eq!((found.beyond_double, found.changed_by_double), (1, 1));
        assert_eq!(found.ones[0], 1, "2^53 + 1 alone is odd");
        assert_eq!(found.ones[1], 3, "-6, 6 and 18 have bit 1");
        assert_eq!(found.distinct_as_double.number, 4);
    }

    #[test]
    fn texts_are_integers_as_programs_read_them() {
        for (text, want) in [
            ("7", Some(7)),
            ("007", Some(7)),
            ("+7", Some(7)),
            (" -7 ", Some(-7)),
            ("18446744073709551615", Some(i128::from(u64::MAX))),
            ("18446744073709551616", None),
            ("7.0", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(integer(text.as_bytes()), want, "{text:?}");
        }
    }
}
