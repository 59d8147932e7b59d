//! Hashes that belong to one database each: Aerospike, MongoDB, MariaDB.

use ripemd::{Digest, Ripemd160};

use super::function::of_bytes;
use super::md5::md5;
use super::words::le64;
use super::{HasherInfo, Input, Seed};

/// `ripemd160-64le`.
pub static INFO_RIPEMD160: HasherInfo = HasherInfo {
    name: "ripemd160-64le",
    summary: "the first 8 bytes of the RIPEMD-160 digest, little-endian, 64 bits (Aerospike's partition is \
              its low 12 bits; hashed are the set's name, then view aerospike)",
    source: "H. Dobbertin, A. Bosselaers, B. Preneel, 1996, https://homes.esat.kuleuven.be/~bosselae/ripemd160.html",
    bits: 64,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| le64(&ripemd160(bytes), 0)),
};

/// `mongodb-hashed`.
pub static INFO_MONGODB: HasherInfo = HasherInfo {
    name: "mongodb-hashed",
    summary: "the first 8 bytes, little-endian, of the MD5 of the seed as 4 bytes low first and what the view \
              mongodb gives, 64 bits, read as signed (MongoDB's hashed indexes and shard keys: seed 0)",
    source: "MongoDB, BSONElementHasher::hash64, https://github.com/mongodb/mongo",
    bits: 64,
    seed: Seed::Bits32,
    input: Input::Bytes,
    signed: true,
    build: |seed, _| of_bytes(move |bytes| mongodb_hashed(bytes, seed as u32)),
};

/// `mariadb-key`.
pub static INFO_MARIADB: HasherInfo = HasherInfo {
    name: "mariadb-key",
    summary: "what PARTITION BY KEY divides for one column, as MariaDB hashes sort keys, 32 bits (raw bytes \
              for varbinary, view trimmed for utf8mb4_bin; other collations fold the bytes first)",
    source: "MariaDB 10.11, my_hash_sort_bin, https://github.com/MariaDB/server",
    bits: 32,
    seed: Seed::Fixed,
    input: Input::Bytes,
    signed: false,
    build: |_, _| of_bytes(|bytes| mariadb_key(bytes.iter().copied()).into()),
};

/// The 20 bytes of the digest.
pub fn ripemd160(bytes: &[u8]) -> [u8; 20] {
    Ripemd160::digest(bytes).into()
}

/// The first half of MD5(seed ‖ bytes), low byte first. `bytes` are the value's canonical type and value.
pub fn mongodb_hashed(bytes: &[u8], seed: u32) -> u64 {
    let digest = md5(&[&seed.to_le_bytes(), bytes].concat());
    ((digest >> 64) as u64).swap_bytes()
}

/// Two running numbers of 64 bits; the digest is the low half of the first.
#[inline]
pub fn mariadb_key(bytes: impl IntoIterator<Item = u8>) -> u32 {
    let (mut first, mut second) = (1u64, 4u64);
    for byte in bytes {
        let scaled = (first & 63).wrapping_add(second).wrapping_mul(byte.into());
        first ^= scaled.wrapping_add(first << 8);
        second = second.wrapping_add(3);
    }
    first as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ripemd160_has_the_digests_of_its_authors() {
        let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
        assert_eq!(hex(&ripemd160(b"")), "9c1185a5c5e9fc54612808977ee8f548b2258d31");
        assert_eq!(hex(&ripemd160(b"abc")), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc");
        let digest = (INFO_RIPEMD160.build)(0, super::super::Half::High).hash(b"abc");
        assert_eq!(digest, 0x7a98_5de0_f708_b28e);
    }

    #[test]
    fn an_empty_key_keeps_the_start() {
        assert_eq!(mariadb_key(*b""), 1);
        // 1 ^ ((1 + 4) * 97 + 256).
        assert_eq!(mariadb_key(*b"a"), 1 ^ 741);
    }
}
