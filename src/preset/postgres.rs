//! PostgreSQL's hash partitions.
//!
//! # Source
//! PostgreSQL 15.18, `PARTITION BY HASH`, <https://www.postgresql.org/docs/15/ddl-partitioning.html>.
//!
//! # Choices made where the source is silent
//! - Texts have a deterministic collation. Bytes are a `bytea` column, whose hash is that of its bytes.

use super::partitions::{PARTITIONS, Partitioned, column, count, fits_i64, numbered};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::keys::KeyKind;
use crate::strategy::remainder::Remainder;
use crate::strategy::{Build, Placement, StrategyInfo};

/// Hash partitions of one column.
pub static HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "postgres_hash_partition_text.csv, _int8, _int4, _uuid (not _int8_text, whose keys are two columns)",
        ..numbered(
            "postgres-hash",
            "PostgreSQL hash",
            "PostgreSQL `PARTITION BY HASH` of one text, integer or uuid column, partition = remainder",
            "PostgreSQL 15.18, https://www.postgresql.org/docs/15/ddl-partitioning.html",
            &[PARTITIONS],
            hash,
        )
    },
    family: "modulo",
    version: "PostgreSQL 15.18",
    rule: "x = the type's extended hash (lookup3 of the bytes) under seed 7a5b22367996dcfd; remainder = (x + \
           49a0f4dd15e5a8e3) mod modulus, unsigned. int4 and int8 of equal value agree: an int8 is hashed \
           as low half XOR high half, the latter inverted if negative. A text with a NUL character and an \
           integer beyond int8 are refused. NULL hashes to 0 and cannot be a key here",
    answer: Answer::Partition,
};

fn hash(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let view = match build.keys {
        KeyKind::Text | KeyKind::Bytes => "whole",
        KeyKind::I64 | KeyKind::U64 => "postgres-int",
        KeyKind::Uuid => "uuid-bytes",
    };
    let modulus = Remainder::new(count(build).max(1));
    let columns = [column("postgres-partition", view, 0)?];
    let placement = Partitioned::new(build, columns, move |[digest]| modulus.of(digest))?
        .accepting_integers(fits_i64);
    Ok(Box::new(match build.keys {
        KeyKind::Text => placement.accepting(|text| !text.contains(&0)),
        _ => placement,
    }))
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number};
    use crate::strategy::{Slot, place_one};

    #[test]
    fn recorded_partitions() {
        for (file, kind, rows) in [
            ("text", KeyKind::Text, 183),
            ("int8", KeyKind::I64, 241),
            ("int4", KeyKind::I64, 120),
            ("uuid", KeyKind::Uuid, 34),
        ] {
            let vectors = Vectors::read(&format!("postgres_hash_partition_{file}.csv"), rows);
            let keys = vectors.keys("key", kind);
            for column in &vectors.columns()[1..] {
                let params = &[("partitions", column.strip_prefix("modulus_").unwrap())];
                let case = Case { preset: "postgres-hash", params, servers: &[] };
                vectors.check(column, &keys, &case, number);
            }
            vectors.finish(&[]);
        }
    }

    #[test]
    fn what_no_column_holds_is_refused() {
        let params = &[("partitions", "8")];
        let case = Case { preset: "postgres-hash", params, servers: &[] };
        let place = |key: Key<'_>, kind| place_one(case.build(kind).as_ref(), &key);
        assert_eq!(place(Key::Text("a\0b"), KeyKind::Text), Slot::REFUSED);
        assert_ne!(place(Key::Bytes(b"a\0b"), KeyKind::Bytes), Slot::REFUSED);
        assert_eq!(place(Key::U64(1 << 63), KeyKind::U64), Slot::REFUSED);
    }
}
