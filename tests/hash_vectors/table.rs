//! A recorded table, and the comparison of its columns with hashers.

use std::path::{Path, PathBuf};

use shardlab::hash::{self, Half, KeyHash};
use shardlab::keys::view::View;
use shardlab::keys::{ByteColumn, ColumnSpec, Digester, Key, KeyBatch, KeyKind};

/// Where a recorded file lies.
pub fn path(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(file)
}

/// A recorded table.
pub struct Vectors {
    pub header: Vec<String>,
    pub rows: Vec<Vec<String>>,
}

impl Vectors {
    pub fn read(file: &str) -> Self {
        let mut reader = csv::Reader::from_path(path(file)).unwrap();
        let owned = |record: &csv::StringRecord| record.iter().map(str::to_owned).collect();
        let header = owned(reader.headers().unwrap());
        let rows = reader.records().map(|record| owned(&record.unwrap())).collect();
        Vectors { header, rows }
    }

    pub fn column(&self, name: &str) -> impl Iterator<Item = &str> {
        let at = self.header.iter().position(|h| h == name);
        let at = at.unwrap_or_else(|| panic!("no column {name} in {:?}", self.header));
        self.rows.iter().map(move |row| row[at].as_str())
    }

    /// The keys, as bytes.
    pub fn keys(&self) -> ByteColumn {
        let mut keys = ByteColumn::default();
        if self.header[0] == "key_hex" {
            self.column("key_hex").for_each(|key| keys.push(&from_hex(key)));
        } else {
            self.column("key").for_each(|key| keys.push(key.as_bytes()));
        }
        keys
    }

    /// Compares a column with a hasher, key by key and as a batch; the number of compared cells.
    pub fn check(&self, name: &str, hasher: &dyn KeyHash, expected: impl Fn(&str) -> u64) -> usize {
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

pub fn from_hex(text: &str) -> Vec<u8> {
    let digit = |b: u8| (b as char).to_digit(16).unwrap() as u8;
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

pub fn build(name: &str, seed: u64, half: Half) -> Box<dyn KeyHash> {
    (hash::find(name).unwrap().build)(seed, half)
}

pub fn decimal(cell: &str) -> u64 {
    cell.parse().unwrap()
}

/// A column of a table: what the hasher is given and which it is.
pub struct Check {
    column: &'static str,
    spec: ColumnSpec,
}

/// The column holds the hasher's digests of whole keys under seed 0.
pub fn is(column: &'static str, hasher: &str) -> Check {
    Check { column, spec: ColumnSpec::whole(hash::find(hasher).unwrap()) }
}

impl Check {
    /// … under that seed.
    pub fn seed(self, seed: u64) -> Self {
        Check { spec: ColumnSpec { seed, ..self.spec }, ..self }
    }

    /// … of what that view sees.
    pub fn view(self, view: &str) -> Self {
        Check { spec: ColumnSpec { view: View::parse(view).unwrap(), ..self.spec }, ..self }
    }
}

/// A cell as a key of that kind.
pub fn typed(kind: KeyKind, cell: &str, with: impl FnOnce(&Key<'_>)) {
    match kind {
        KeyKind::Text => with(&Key::Text(cell)),
        KeyKind::Bytes => with(&Key::Bytes(&from_hex(cell))),
        KeyKind::I64 => with(&Key::I64(cell.parse().unwrap())),
        KeyKind::U64 => with(&Key::U64(cell.parse().unwrap())),
        KeyKind::Uuid => {
            with(&Key::Uuid(u128::from_str_radix(&cell.replace('-', ""), 16).unwrap()));
        }
    }
}

impl Vectors {
    /// The keys, in the first column, as a batch with these digests.
    pub fn digested(&self, kind: KeyKind, specs: &[ColumnSpec]) -> KeyBatch {
        let mut batch = KeyBatch::new(kind);
        for row in &self.rows {
            typed(kind, &row[0], |key| batch.push(key));
        }
        Digester::new(specs).compute(&mut batch);
        batch
    }

    /// Compares columns with hashers, in the way a replay computes them; the number of compared cells.
    /// Empty cells are passed over. Every column but the first must be compared or listed in `others`.
    pub fn check_all(&self, kind: KeyKind, checks: &[Check], others: &[&str]) -> usize {
        for name in &self.header[1..] {
            let read = checks.iter().any(|check| check.column == name);
            assert!(read != others.contains(&name.as_str()), "column {name}");
        }
        let specs: Vec<ColumnSpec> = checks.iter().map(|check| check.spec.clone()).collect();
        let batch = self.digested(kind, &specs);
        let mut cells = 0;
        for Check { column, spec } in checks {
            let digests = batch.digests(spec);
            for (row, (cell, &digest)) in self.column(column).zip(digests).enumerate() {
                if !cell.is_empty() {
                    let key = &self.rows[row][0];
                    assert_eq!(digest, bits(cell, spec.bits()), "{spec:?}, {column}, key {key:?}");
                    cells += 1;
                }
            }
        }
        cells
    }

    /// Compares the remainders of a hasher's digests with columns `modulus_N`.
    pub fn check_moduli(&self, kind: KeyKind, spec: &ColumnSpec, prefix: &str) -> usize {
        let batch = self.digested(kind, std::slice::from_ref(spec));
        let mut cells = 0;
        for name in self.header.iter().filter(|name| name.starts_with(prefix)) {
            let n = decimal(&name[prefix.len()..]);
            for (row, cell) in self.column(name).enumerate() {
                let digest = batch.digests(spec)[row];
                assert_eq!(
                    digest % n,
                    decimal(cell),
                    "{spec:?}, {name}, key {:?}",
                    self.rows[row][0]
                );
                cells += 1;
            }
        }
        cells
    }
}

/// The low bits of a decimal number, which may be signed.
pub fn bits(cell: &str, width: u32) -> u64 {
    let number: i128 = cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"));
    number as u64 & u64::MAX >> (64 - width)
}
