//! A batch of keys: typed values, texts in one arena, loads, digest columns.

use std::fmt;

use super::view::View;
use crate::error::Error;
use crate::hash::{Half, HasherInfo, Input, KeyHash};

/// The type of the keys of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyKind {
    /// UTF-8 text.
    Text,
    /// Arbitrary bytes.
    Bytes,
    /// Signed 64-bit integers.
    I64,
    /// Unsigned 64-bit integers.
    U64,
    /// 128-bit UUIDs.
    Uuid,
}

impl KeyKind {
    /// Whether keys are 64-bit integers.
    pub fn is_integer(self) -> bool {
        matches!(self, KeyKind::I64 | KeyKind::U64)
    }
}

/// What a person calls such keys, before the word "keys".
impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyKind::Text => "text",
            KeyKind::Bytes => "binary",
            KeyKind::I64 => "signed integer",
            KeyKind::U64 => "unsigned integer",
            KeyKind::Uuid => "UUID",
        })
    }
}

/// One key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key<'a> {
    /// UTF-8 text.
    Text(&'a str),
    /// Arbitrary bytes.
    Bytes(&'a [u8]),
    /// A signed integer.
    I64(i64),
    /// An unsigned integer.
    U64(u64),
    /// A UUID, most significant byte first.
    Uuid(u128),
}

/// The default text form: integers in decimal, UUIDs hyphenated in lower case, bytes in hex.
impl fmt::Display for Key<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Text(t) => f.write_str(t),
            Key::Bytes(bytes) => bytes.iter().try_for_each(|b| write!(f, "{b:02x}")),
            Key::I64(i) => write!(f, "{i}"),
            Key::U64(u) => write!(f, "{u}"),
            Key::Uuid(u) => write!(
                f,
                "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                u >> 96,
                (u >> 80) & 0xffff,
                (u >> 64) & 0xffff,
                (u >> 48) & 0xffff,
                u & 0xffff_ffff_ffff
            ),
        }
    }
}

/// Byte strings in one arena.
#[derive(Debug, Clone, Default)]
pub struct ByteColumn {
    bytes: Vec<u8>,
    ends: Vec<u32>,
}

impl ByteColumn {
    /// Empties the column and keeps its memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    /// Number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Bytes of all strings together.
    #[inline]
    pub fn total_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Appends a string.
    #[inline]
    pub fn push(&mut self, item: &[u8]) {
        self.bytes.extend_from_slice(item);
        self.end();
    }

    /// The arena, to which a writer appends the bytes of one string before it calls [`Self::end`].
    #[inline]
    pub fn arena(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Ends the string that was appended to the arena.
    #[inline]
    pub fn end(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    /// Ends `rows` strings of `width` bytes each, which were appended to the arena back to back.
    #[inline]
    pub fn end_fixed(&mut self, rows: usize, width: usize) {
        let start = self.bytes.len() - rows * width;
        self.ends.extend((1..=rows).map(|i| (start + i * width) as u32));
    }

    /// String `i`.
    #[inline]
    pub fn get(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        &self.bytes[start..self.ends[i] as usize]
    }

    /// The strings in order.
    #[inline]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let item = &self.bytes[start..end as usize];
            start = end as usize;
            item
        })
    }
}

/// A digest column that some placement reads: what the hasher sees, which hasher, which seed.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnSpec {
    // The number stands first, so that comparing two columns of a sweep over seeds ends there.
    /// Seed of the hash function; 0 where it takes none.
    pub seed: u64,
    /// Which half of a 128-bit digest.
    pub half: Half,
    /// The hash function.
    pub hasher: &'static HasherInfo,
    /// What the hasher sees of a key.
    pub view: View,
}

impl ColumnSpec {
    /// A column over whole keys with seed 0.
    pub fn whole(hasher: &'static HasherInfo) -> Self {
        ColumnSpec { view: View::whole(), hasher, seed: 0, half: Half::High }
    }

    /// Bits of the column's digests: at most 64.
    pub fn bits(&self) -> u32 {
        self.hasher.bits.min(64)
    }

    /// The other half of a 128-bit digest.
    #[must_use]
    pub fn low(&self) -> Self {
        ColumnSpec { half: Half::Low, ..self.clone() }
    }

    /// Whether the column can be computed for keys of that kind; otherwise the reason why not.
    pub fn fits(&self, kind: KeyKind) -> Result<(), Error> {
        if self.hasher.input == Input::Integer && !kind.is_integer() {
            return Err(Error::unsupported(format!(
                "hasher `{}` takes integer keys, this pattern gives {kind} keys",
                self.hasher.name
            )));
        }
        Ok(())
    }
}

/// Bytes of a text that most keys stay below.
const USUAL_BYTES: usize = 32;

/// Some rows of a source, in columns.
#[derive(Debug, Clone)]
pub struct KeyBatch {
    kind: KeyKind,
    len: usize,
    /// Row number of the first row within its source.
    pub first_row: u64,
    /// Default text form of each key; empty if not wanted and not the keys' own type.
    pub text: ByteColumn,
    /// Integer keys as bits; empty for other kinds.
    pub ints: Vec<u64>,
    /// UUID keys; empty for other kinds.
    pub uuids: Vec<u128>,
    /// Requests of each row; empty when each row is one request.
    pub requests: Vec<u64>,
    /// Bytes of each row; empty when the scenario has no such load.
    pub bytes: Vec<u64>,
    /// Reads among the requests of each row; empty when they are not told from writes.
    pub reads: Vec<u64>,
    /// Writes among the requests of each row; empty as `reads`.
    pub writes: Vec<u64>,
    /// Requests of each row by phase of the traffic; none where it has no phases.
    pub phases: Vec<Vec<u64>>,
    digests: Vec<(ColumnSpec, Vec<u64>)>,
}

impl KeyBatch {
    /// An empty batch.
    pub fn new(kind: KeyKind) -> Self {
        KeyBatch {
            kind,
            len: 0,
            first_row: 0,
            text: ByteColumn::default(),
            ints: Vec::new(),
            uuids: Vec::new(),
            requests: Vec::new(),
            bytes: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            phases: Vec::new(),
            digests: Vec::new(),
        }
    }

    /// An empty batch with room for the usual texts of so many rows, so that its memory does not depend
    /// on how the texts grow from batch to batch.
    pub fn with_rows(kind: KeyKind, rows: usize) -> Self {
        let mut batch = KeyBatch::new(kind);
        batch.text.bytes.reserve(rows * USUAL_BYTES);
        batch.text.ends.reserve(rows);
        batch
    }

    /// A batch of one key with these digest columns, for `route`, `explain` and tests.
    pub fn single(key: &Key<'_>, columns: &[ColumnSpec]) -> Self {
        let mut batch = KeyBatch::new(match key {
            Key::Text(_) => KeyKind::Text,
            Key::Bytes(_) => KeyKind::Bytes,
            Key::I64(_) => KeyKind::I64,
            Key::U64(_) => KeyKind::U64,
            Key::Uuid(_) => KeyKind::Uuid,
        });
        batch.push(key);
        Digester::new(columns).compute(&mut batch);
        batch
    }

    /// Empties the batch, keeps its memory, and says which row comes first.
    pub fn clear(&mut self, first_row: u64) {
        self.len = 0;
        self.first_row = first_row;
        self.text.clear();
        self.ints.clear();
        self.uuids.clear();
        self.requests.clear();
        self.bytes.clear();
        self.reads.clear();
        self.writes.clear();
        self.phases.iter_mut().for_each(Vec::clear);
    }

    /// Appends one key of the batch's kind, with its text.
    pub fn push(&mut self, key: &Key<'_>) {
        match key {
            Key::Text(t) => self.text.push(t.as_bytes()),
            Key::Bytes(b) => self.text.push(b),
            other => {
                match other {
                    Key::I64(i) => self.ints.push(*i as u64),
                    Key::U64(u) => self.ints.push(*u),
                    Key::Uuid(u) => self.uuids.push(*u),
                    Key::Text(_) | Key::Bytes(_) => unreachable!("matched above"),
                }
                self.text.push(other.to_string().as_bytes());
            }
        }
        self.len += 1;
    }

    /// Appends rows `range` of another batch of the same kind (keys and loads, not digests).
    pub fn extend_from(&mut self, other: &KeyBatch, range: std::ops::Range<usize>) {
        for i in range.clone() {
            self.text.push(other.text.get(i));
        }
        if !other.ints.is_empty() {
            self.ints.extend_from_slice(&other.ints[range.clone()]);
        }
        if !other.uuids.is_empty() {
            self.uuids.extend_from_slice(&other.uuids[range.clone()]);
        }
        if !other.requests.is_empty() {
            self.requests.extend_from_slice(&other.requests[range.clone()]);
        }
        if !other.bytes.is_empty() {
            self.bytes.extend_from_slice(&other.bytes[range.clone()]);
        }
        self.len += range.len();
    }

    /// Says that a source has appended `rows` rows to the columns.
    pub fn grow(&mut self, rows: usize) {
        self.len += rows;
    }

    /// The type of the keys.
    pub fn kind(&self) -> KeyKind {
        self.kind
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Key `i`.
    pub fn key(&self, i: usize) -> Key<'_> {
        match self.kind {
            KeyKind::Text => {
                Key::Text(std::str::from_utf8(self.text.get(i)).expect("text sources give UTF-8"))
            }
            KeyKind::Bytes => Key::Bytes(self.text.get(i)),
            KeyKind::I64 => Key::I64(self.ints[i] as i64),
            KeyKind::U64 => Key::U64(self.ints[i]),
            KeyKind::Uuid => Key::Uuid(self.uuids[i]),
        }
    }

    /// A digest column that was computed for this batch.
    #[inline]
    pub fn digests(&self, spec: &ColumnSpec) -> &[u64] {
        match self.digests.iter().find(|(have, _)| have == spec) {
            Some((_, column)) => column,
            None => panic!("column {spec:?} was not declared by the placement that reads it"),
        }
    }
}

/// Computes a set of digest columns, each once per batch.
#[derive(Debug)]
pub struct Digester {
    columns: Vec<(ColumnSpec, Box<dyn KeyHash>)>,
    viewed: ByteColumn,
}

impl Digester {
    /// A digester for these columns; equal ones are computed once.
    pub fn new(specs: &[ColumnSpec]) -> Self {
        let mut columns: Vec<(ColumnSpec, Box<dyn KeyHash>)> = Vec::new();
        for spec in specs {
            if columns.iter().all(|(have, _)| have != spec) {
                columns.push((spec.clone(), (spec.hasher.build)(spec.seed, spec.half)));
            }
        }
        Digester { columns, viewed: ByteColumn::default() }
    }

    /// Whether any column reads the text form of keys of that kind.
    pub fn wants_text(&self, kind: KeyKind) -> bool {
        self.columns
            .iter()
            .any(|(spec, _)| !(spec.hasher.input == Input::Integer && kind.is_integer()))
    }

    /// Fills in the batch's digest columns.
    pub fn compute(&mut self, batch: &mut KeyBatch) {
        let mut digests = std::mem::take(&mut batch.digests);
        digests.truncate(self.columns.len());
        for (i, (spec, hash)) in self.columns.iter().enumerate() {
            if i == digests.len() {
                digests.push((spec.clone(), Vec::new()));
            } else if digests[i].0 != *spec {
                digests[i].0 = spec.clone();
            }
            let out = &mut digests[i].1;
            out.resize(batch.len, 0);
            if spec.hasher.input == Input::Integer && batch.kind.is_integer() {
                hash.batch_integers(&batch.ints, out);
            } else if spec.view.is_whole() {
                hash.batch(&batch.text, out);
            } else {
                self.viewed.clear();
                for row in 0..batch.len {
                    spec.view.write(&batch.key(row), self.viewed.arena());
                    self.viewed.end();
                }
                hash.batch(&self.viewed, out);
            }
        }
        batch.digests = digests;
    }
}
