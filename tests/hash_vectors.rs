//! Every hasher against digests recorded from real systems (`tests/vectors/README.md`).

use std::path::Path;

use shardlab::hash::{self, Half, KeyHash};
use shardlab::keys::view::View;
use shardlab::keys::{ByteColumn, Key};

/// A recorded table.
struct Vectors {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Vectors {
    fn read(file: &str) -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file);
        let mut reader = csv::Reader::from_path(path).unwrap();
        let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = owned(reader.headers().unwrap());
        let rows = reader.records().map(|record| owned(&record.unwrap())).collect();
        Vectors { header, rows }
    }

    fn column(&self, name: &str) -> impl Iterator<Item = &str> {
        let at = self.header.iter().position(|h| h == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.header));
        self.rows.iter().map(move |row| row[at].as_str())
    }

    /// The keys, as bytes.
    fn keys(&self) -> ByteColumn {
        let mut keys = ByteColumn::default();
        if self.header[0] == "key_hex" {
            self.column("key_hex").for_each(|key| keys.push(&from_hex(key)));
        } else {
            self.column("key").for_each(|key| keys.push(key.as_bytes()));
        }
        keys
    }

    /// Compares a column with a hasher, key by key and as a batch; the number of compared cells.
    fn check(&self, name: &str, hasher: &dyn KeyHash, expected: impl Fn(&str) -> u64) -> usize {
        let keys = self.keys();
        let mut digests = vec![0; keys.len()];
        hasher.batch(&keys, &mut digests);
        let mut cells = 0;
        for ((cell, digest), key) in self.column(name).zip(digests).zip(keys.iter()) {
            assert_eq!(digest, expected(cell), "{hasher:?}, column {name}, key {key:02x?}");
            assert_eq!(digest, hasher.hash(key), "{hasher:?}: batch and single differ");
            cells += 1;
        }
        cells
    }
}

fn from_hex(text: &str) -> Vec<u8> {
    let digit = |b: u8| (b as char).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

fn build(name: &str, seed: u64, half: Half) -> Box<dyn KeyHash> {
    (hash::find(name).unwrap().build)(seed, half)
}

fn decimal(cell: &str) -> u64 {
    cell.parse().unwrap()
}

/// `seed_42` → 42.
fn seed(column: &str) -> u64 {
    decimal(column.rsplit_once("seed_").unwrap().1)
}

#[test]
fn murmur3_32() {
    let vectors = Vectors::read("hash_murmur3_x86_32.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (321, 7));
    let cells: usize = vectors.header[1..]
        .iter()
        .map(|name| vectors.check(name, &*build("murmur3-32", seed(name), Half::High), decimal))
        .sum();
    assert_eq!(cells, 321 * 6);
}

#[test]
fn murmur3_128() {
    let vectors = Vectors::read("hash_murmur3_x64_128.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (313, 5));
    let half =
        |cell: &str, i: usize| u64::from_str_radix(cell.split(':').nth(i).unwrap(), 16).unwrap();
    let mut cells = 0;
    for name in &vectors.header[1..] {
        let hasher = |half| build("murmur3-128", seed(name), half);
        cells += vectors.check(name, &*hasher(Half::High), |cell| half(cell, 0));
        cells += vectors.check(name, &*hasher(Half::Low), |cell| half(cell, 1));
    }
    assert_eq!(cells, 313 * 4 * 2);
}

#[test]
fn md5_and_crc() {
    let vectors = Vectors::read("hash_crypto_crc.csv");
    assert_eq!(vectors.rows.len(), 296);
    let big = |hex: &str| u64::from_str_radix(hex, 16).unwrap();
    let little = |hex: &str| u64::from(u32::from_str_radix(hex, 16).unwrap().swap_bytes());
    let high = |name| build(name, 0, Half::High);
    let cells = vectors.check("md5", &*high("md5"), |c| big(&c[..16]))
        + vectors.check("md5", &*build("md5", 0, Half::Low), |c| big(&c[16..32]))
        + vectors.check("md5", &*high("md5-64be"), |c| big(&c[..16]))
        + vectors.check("md5", &*high("md5-32le"), |c| little(&c[..8]))
        + vectors.check("md5", &*high("md5-32be"), |c| big(&c[..8]))
        + vectors.check("crc32_zlib", &*high("crc32"), decimal)
        + vectors.check("crc16_xmodem_binascii_crc_hqx", &*high("crc16-xmodem"), decimal);
    assert_eq!(cells, 296 * 7);
}

#[test]
fn xxhash() {
    let vectors = Vectors::read("hash_xxhash.csv");
    assert_eq!((vectors.rows.len(), vectors.header.len()), (301, 11));
    let mut cells = 0;
    for name in &vectors.header[1..] {
        let hasher = match name.split("_seed").next().unwrap() {
            "xxh32" => "xxh32",
            "xxh64" => "xxh64",
            "xxh3_64" => "xxh3-64",
            other => {
                assert_eq!(other, "xxh3_128", "a column that nobody reads");
                continue;
            }
        };
        cells += vectors.check(name, &*build(hasher, seed(name), Half::High), decimal);
    }
    assert_eq!(cells, 301 * 8);
}

#[test]
fn fnv1a() {
    let vectors = Vectors::read("hash_fnv.csv");
    assert_eq!(vectors.rows.len(), 314);
    let cells = vectors.check("fnv1a_32", &*build("fnv1a-32", 0, Half::High), decimal)
        + vectors.check("fnv1a_64", &*build("fnv1a-64", 0, Half::High), decimal);
    assert_eq!(cells, 314 * 2);
}

#[test]
fn java_string() {
    let vectors = Vectors::read("java_hashcode_string.csv");
    assert_eq!(vectors.rows.len(), 196);
    let signed = |cell: &str| u64::from(cell.parse::<i32>().unwrap() as u32);
    let cells = vectors.check("hashCode", &*build("java-string", 0, Half::High), signed);
    assert_eq!(cells, 196);
    assert!(hash::find("java-string").unwrap().signed);
}

#[test]
fn redis_slots_are_crc16_of_the_hash_tag() {
    let vectors = Vectors::read("redis_cluster_keyslot.csv");
    assert_eq!(vectors.rows.len(), 331);
    let (crc16, view) = (build("crc16-xmodem", 0, Half::High), View::parse("hash-tag").unwrap());
    let mut tagged = 0;
    for (key, slot) in vectors.keys().iter().zip(vectors.column("slot")) {
        let mut seen = Vec::new();
        view.write(&Key::Bytes(key), &mut seen);
        tagged += usize::from(seen != key);
        assert_eq!(crc16.hash(&seen) & 16383, decimal(slot), "key {key:02x?}");
    }
    assert_eq!(tagged, 26, "keys in which a tag is seen");
}
