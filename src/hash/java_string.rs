//! Java's `String.hashCode`.
//!
//! It is defined over UTF-16 units; a key's bytes are taken as UTF-8, and what is not UTF-8 counts
//! as U+FFFD (one for each part that `String::from_utf8_lossy` replaces).

use super::function::of_bytes;
use super::{HasherInfo, Input, Seed};

/// `java-string`.
pub static INFO: HasherInfo = HasherInfo {
    name: "java-string",
    summary: "Java's String.hashCode over the UTF-16 units of the text, 32 bits, read as signed",
    source: "Java SE API, String.hashCode, https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/String.html#hashCode()",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| (java_string(bytes) as u32).into()),
};

/// The hash code of the text, h = 31·h + unit from 0.
#[inline]
pub fn java_string(bytes: &[u8]) -> i32 {
    if bytes.is_ascii() {
        bytes.iter().fold(0, |h, &b| step(h, b.into()))
    } else {
        String::from_utf8_lossy(bytes).encode_utf16().fold(0, step)
    }
}

#[inline]
fn step(h: i32, unit: u16) -> i32 {
    h.wrapping_mul(31).wrapping_add(unit.into())
}

#[cfg(test)]
mod tests {
    use super::super::Half;
    use super::*;

    #[test]
    fn hash_codes_are_those_of_java() {
        // A text whose hash code is Integer.MIN_VALUE: Math.abs leaves it negative.
        assert_eq!(java_string(b"polygenelubricants"), i32::MIN);
        // A character outside the basic plane counts as its two surrogates.
        assert_eq!(java_string("😀".as_bytes()), 0xd83d * 31 + 0xde00);
        assert_eq!(java_string(b"\xff"), 0xfffd);
        assert_eq!((INFO.build)(0, Half::High).hash(b"polygenelubricants"), 1 << 31);
    }
}
