//! Little-endian words of a byte string, as block hashes read them.

/// The 4 bytes from `at` on, which must exist.
#[inline]
pub(super) fn le32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// The 8 bytes from `at` on, which must exist.
#[inline]
pub(super) fn le64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

/// Up to 8 bytes as one number, the first byte lowest; 0 for none.
#[inline]
pub(super) fn le_tail(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// Up to 8 bytes, each sign-extended, shifted to its place and XORed: what C and Java programs compute
/// that forget to mask a signed byte. Equal to [`le_tail`] while all bytes are below 80 (hexadecimal).
#[inline]
pub(super) fn signed_le_tail(bytes: &[u8]) -> u64 {
    bytes.iter().zip(0..).fold(0, |word, (&byte, i)| word ^ sign_extend(byte) << (8 * i))
}

/// A byte as C's `signed char`, extended to 64 bits.
#[inline]
pub(super) fn sign_extend(byte: u8) -> u64 {
    byte as i8 as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_their_first_byte_lowest() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9];
        assert_eq!(le32(&bytes, 1), 0x0504_0302);
        assert_eq!(le64(&bytes, 1), 0x0908_0706_0504_0302);
        assert_eq!(le_tail(&bytes[..3]), 0x03_0201);
        assert_eq!(le_tail(&[]), 0);
        assert_eq!(le_tail(&bytes[..8]), le64(&bytes, 0));
    }

    #[test]
    fn signed_tails_differ_from_the_first_high_byte_on() {
        assert_eq!(signed_le_tail(&[1, 2, 3]), le_tail(&[1, 2, 3]));
        assert_eq!(signed_le_tail(&[0x80]), 0xffff_ffff_ffff_ff80);
        // The second byte's sign bits flip those of the first.
        assert_eq!(signed_le_tail(&[0x80, 0xff]), 0x80);
    }
}
