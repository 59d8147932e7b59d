//! MurmurHash3_x86_32 as four Java libraries compute it: alike in whole blocks, each with a deviation of
//! its own in the last bytes. All equal `murmur3-32` where nothing but ASCII is hashed, Spark's only
//! where the length is also a multiple of four.

use super::function::of_bytes;
use super::mix::fmix32;
use super::murmur3_32::{body, mix_block, scramble};
use super::words::{sign_extend, signed_le_tail};
use super::{HasherInfo, Input, Seed};

/// `spark-murmur3`.
pub static INFO_SPARK: HasherInfo = HasherInfo {
    name: "spark-murmur3",
    summary: "MurmurHash3_x86_32 with each of the last 1 to 3 bytes as a sign-extended block of its own, \
              32 bits, read as signed (Spark SQL's hash and repartition: seed 42; views i32-le for int, \
              i64-le for bigint)",
    source: "A. Appleby, 2011; Apache Spark, Murmur3_x86_32.hashUnsafeBytes, https://github.com/apache/spark",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: true,
    build: |seed, _| of_bytes(move |bytes| spark_murmur3(bytes, seed as u32).into()),
};

/// `commons-codec-murmur3`.
pub static INFO_COMMONS: HasherInfo = HasherInfo {
    name: "commons-codec-murmur3",
    summary: "MurmurHash3_x86_32 with the last 1 to 3 bytes sign-extended, 32 bits, read as signed \
              (commons-codec's MurmurHash3.hash32 and Hive: seed 104729)",
    source: "A. Appleby, 2011; Apache Commons Codec, MurmurHash3.hash32, https://github.com/apache/commons-codec",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: true,
    build: |seed, _| of_bytes(move |bytes| commons_murmur3(bytes, seed as u32).into()),
};

/// `guava-murmur3-legacy`.
pub static INFO_GUAVA: HasherInfo = HasherInfo {
    name: "guava-murmur3-legacy",
    summary: "Guava's murmur3_32().hashString(text, UTF_8): MurmurHash3_x86_32, wrong after characters \
              beyond U+FFFF, 32 bits, read as signed",
    source: "A. Appleby, 2011; Guava 31, Murmur3_32HashFunction.hashString, https://github.com/google/guava",
    bits: 32,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: true,
    build: |seed, _| of_bytes(move |bytes| guava_murmur3(bytes, seed as u32).into()),
};

/// The digest in which every byte after the last whole block is mixed in as a block.
#[inline]
pub fn spark_murmur3(bytes: &[u8], seed: u32) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let h = tail.iter().fold(body(blocks, seed), |h, &b| mix_block(h, sign_extend(b) as u32));
    fmix32(h ^ bytes.len() as u32)
}

/// The digest in which the bytes after the last whole block are sign-extended before they are put together.
#[inline]
pub fn commons_murmur3(bytes: &[u8], seed: u32) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let last = scramble(signed_le_tail(tail) as u32);
    fmix32(body(blocks, seed) ^ last ^ bytes.len() as u32)
}

/// The digest of a text whose UTF-8 bytes go through a 64-bit buffer that a character of four bytes
/// enters without moving the place of the next. What is not UTF-8 counts as U+FFFD.
#[inline]
pub fn guava_murmur3(bytes: &[u8], seed: u32) -> u32 {
    if bytes.is_ascii() {
        return commons_murmur3(bytes, seed);
    }
    let (mut h, mut buffer, mut shift, mut len) = (seed, 0u64, 0, 0u32);
    for c in String::from_utf8_lossy(bytes).chars() {
        let mut utf8 = [0; 8];
        let width = c.encode_utf8(&mut utf8).len();
        buffer |= u64::from_le_bytes(utf8) << shift;
        len = len.wrapping_add(width as u32);
        if width < 4 {
            shift += 8 * width;
        }
        if shift >= 32 {
            h = mix_block(h, buffer as u32);
            buffer >>= 32;
            shift -= 32;
        }
    }
    fmix32(h ^ scramble(buffer as u32) ^ len)
}

#[cfg(test)]
mod tests {
    use super::super::murmur3_32::murmur3_32;
    use super::*;

    /// Texts of `c` of every length up to 40.
    fn texts(c: &str) -> impl Iterator<Item = String> {
        (0..40).map(move |n| c.repeat(n))
    }

    #[test]
    fn all_agree_with_murmur3_32_where_they_should() {
        for text in texts("k").chain(texts("7a")) {
            let bytes = text.as_bytes();
            let right = murmur3_32(bytes, 42);
            assert_eq!(commons_murmur3(bytes, 42), right, "{text}");
            assert_eq!(guava_murmur3(bytes, 42), right, "{text}");
            assert_eq!(spark_murmur3(bytes, 42) == right, bytes.len() % 4 == 0, "{text}");
        }
        // Blocks are read alike, whatever their bytes.
        for text in texts("éü").map(|t| t.into_bytes()) {
            assert_eq!(commons_murmur3(&text, 42), murmur3_32(&text, 42));
            assert_eq!(spark_murmur3(&text, 42), murmur3_32(&text, 42));
        }
    }

    #[test]
    fn guava_errs_only_beyond_the_basic_plane() {
        for text in texts("é").chain(texts("a键")) {
            let bytes = text.as_bytes();
            assert_eq!(guava_murmur3(bytes, 0), murmur3_32(bytes, 0), "{text}");
        }
        // A single such character in the last block is still right, anything after it is not.
        assert_eq!(guava_murmur3("abc".as_bytes(), 0), murmur3_32(b"abc", 0));
        assert_ne!(guava_murmur3("😀a".as_bytes(), 0), murmur3_32("😀a".as_bytes(), 0));
    }
}
