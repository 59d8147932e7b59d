//! Java's hash codes of numbers, HashMap's spread, and ClickHouse's `javaHash` of strings.

use super::function::{of_bytes, of_integers};
use super::java_string::java_string;
use super::words::sign_extend;
use super::{HasherInfo, Input, Seed};

/// `java-long`.
pub static INFO_LONG: HasherInfo = HasherInfo {
    name: "java-long",
    summary: "Java's Long.hashCode: the high half XOR the low half, 32 bits, read as signed; integer keys only",
    source: "Java SE API, Long.hashCode, https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/lang/Long.html#hashCode()",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Integer,
    signed: true,
    build: |_, _| of_integers(|key| (java_long(key as i64) as u32).into()),
};

/// `java-string-spread`.
pub static INFO_STRING_SPREAD: HasherInfo = HasherInfo {
    name: "java-string-spread",
    summary: "h XOR h >>> 16 of Java's String.hashCode, 32 bits, read as signed (what java.util's hash tables bucket by)",
    source: "OpenJDK 17, java.util, hash tables' spread, https://github.com/openjdk/jdk",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| spread(java_string(bytes) as u32).into()),
};

/// `clickhouse-java-hash`.
pub static INFO_CLICKHOUSE: HasherInfo = HasherInfo {
    name: "clickhouse-java-hash",
    summary: "h = 31·h + byte from 0 over signed UTF-8 bytes, 32 bits, read as signed (ClickHouse's javaHash; \
              hiveHash is its low 31 bits)",
    source: "ClickHouse, hash functions, https://clickhouse.com/docs/sql-reference/functions/hash-functions",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: true,
    build: |_, _| of_bytes(|bytes| clickhouse_java_hash(bytes).into()),
};

/// The hash code of a `long`.
#[inline]
pub fn java_long(value: i64) -> i32 {
    (value ^ (value as u64 >> 32) as i64) as i32
}

/// HashMap's spread of a hash code.
#[inline]
pub fn spread(code: u32) -> u32 {
    code ^ (code >> 16)
}

/// Java's hash of a string whose characters are the bytes, read as signed.
#[inline]
pub fn clickhouse_java_hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |h: u32, &b| h.wrapping_mul(31).wrapping_add(sign_extend(b) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_codes_fold_the_halves() {
        assert_eq!(java_long(42), 42);
        assert_eq!(java_long(-1), 0);
        assert_eq!(java_long(-20), 19);
        assert_eq!(java_long(1 << 32), 1);
        assert_eq!(java_long(i64::MIN), i32::MIN);
    }

    #[test]
    fn clickhouse_reads_bytes_where_java_reads_units() {
        assert_eq!(clickhouse_java_hash(b"user:42"), java_string(b"user:42") as u32);
        assert_ne!(clickhouse_java_hash("é".as_bytes()), java_string("é".as_bytes()) as u32);
    }
}
