//! MariaDB's partitions by HASH and KEY, LINEAR or not.
//!
//! # Source
//! MariaDB 10.11.19, `SELECT … PARTITION (pN)`, <https://mariadb.com/kb/en/hash-partitioning-type/>,
//! <https://mariadb.com/kb/en/key-partitioning-type/>.
//!
//! # Choices made where the source is silent
//! - Columns are signed and not null; the expression of HASH is the column.
//! - MySQL 8 hashes texts of its default collation in another way, which was not recorded.

use super::partitions::{
    NONE, PARTITIONS, Partitioned, column, count, fits_i32, fits_i64, numbered, takes,
};
use super::points::Accepts;
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash::mariadb_collations::general_ci;
use crate::keys::{ColumnSpec, KeyKind, latin1};
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Caps, Movement, Placement, StrategyInfo};

const SOURCE: &str = "MariaDB 10.11.19, https://mariadb.com/kb/en/partitioning-types/";
const VERSION: &str = "MariaDB 10.11.19";

/// Most partitions of a table.
const MOST: u32 = 8192;

/// `PARTITION BY HASH`.
pub static HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "mariadb_partition_bigint.csv, mariadb_partition_int.csv (HASH)",
        ..integers(numbered(
            "mariadb-hash",
            "MariaDB HASH",
            "MariaDB and MySQL `PARTITION BY HASH(c)`: the absolute remainder of an integer column",
            SOURCE,
            &[PARTITIONS, INTEGER],
            |build| hash(build, remainder),
        ))
    },
    family: "modulo",
    version: VERSION,
    rule: "|c % partitions|, the remainder with the sign of c. Integers that do not fit the column are refused",
    answer: Answer::Partition,
};

/// `PARTITION BY LINEAR HASH`.
pub static LINEAR_HASH: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "mariadb_partition_bigint.csv, mariadb_partition_int.csv (LINEAR HASH)",
        // A join splits one partition.
        movement: Movement::Minimal,
        ..integers(numbered(
            "mariadb-linear-hash",
            "MariaDB LINEAR HASH",
            "MariaDB and MySQL `PARTITION BY LINEAR HASH(c)`: low bits of an integer column, powers of two",
            SOURCE,
            &[PARTITIONS, INTEGER],
            |build| hash(build, linear),
        ))
    },
    family: "modulo",
    version: VERSION,
    rule: "m = the least power of two that is no less than partitions; c mod m, by the low bits of c; if \
           that is no partition, c mod m/2. Integers that do not fit the column are refused",
    answer: Answer::Partition,
};

/// `PARTITION BY KEY`.
pub static KEY: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "mariadb_partition_bigint.csv, _int, _text, _latin1 (KEY)",
        ..numbered(
            "mariadb-key",
            "MariaDB KEY",
            "MariaDB `PARTITION BY KEY(c)`: a hash of the sort key of the column, mod partitions",
            SOURCE,
            &[PARTITIONS, COLUMN],
            |build| key(build, |digest, n| (digest % u64::from(n)) as u32),
        )
    },
    family: "modulo",
    version: VERSION,
    rule: "h = 1, s = 4; for each byte b of the sort key h ^= ((h & 63) + s) · b + (h << 8), s += 3, in 64 \
           bits; the low 32 bits of h mod partitions. Sort keys, spaces (code 20) at the end dropped: bigint and int are \
           their bytes, low byte first, folded as latin1_swedish_ci; utf8mb4_bin is UTF-8; general_ci the \
           folded code points as 2 bytes, low byte first, fffd beyond U+FFFF; varbinary is the bytes as \
           they are, spaces included. Refused: integers that do not fit, texts that the character set has \
           not, and for general_ci texts with letters whose folding is not modelled (Latin beyond U+017F, \
           rare Greek, Cyrillic beyond U+045F, Armenian, letterlike symbols). The zero bytes of general_ci \
           make h even for nearly every text: of an even number of partitions the odd ones stay almost \
           empty, as was recorded (196 keys to 7 of 2 partitions)",
    answer: Answer::Partition,
};

/// `PARTITION BY LINEAR KEY`.
pub static LINEAR_KEY: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "mariadb_partition_bigint.csv, _int, _text (LINEAR KEY)",
        // A join splits one partition.
        movement: Movement::Minimal,
        ..numbered(
            "mariadb-linear-key",
            "MariaDB LINEAR KEY",
            "MariaDB `PARTITION BY LINEAR KEY(c)`: low bits of the hash of KEY, powers of two",
            SOURCE,
            &[PARTITIONS, COLUMN],
            |build| key(build, linear),
        )
    },
    family: "modulo",
    version: VERSION,
    rule: "the 32-bit hash h of mariadb-key; m = the least power of two that is no less than partitions; h \
           mod m; if that is no partition, h mod m/2",
    answer: Answer::Partition,
};

const INTEGER: Param = Param::new(
    "type",
    Type::Choice(&["bigint", "int"]),
    Default::Text("bigint"),
    "type of the column; integers that do not fit are refused",
);

const COLUMN: Param = Param::new(
    "type",
    Type::Choice(&[
        "bigint",
        "int",
        "utf8mb4_general_ci",
        "utf8mb4_bin",
        "latin1_swedish_ci",
        "varbinary",
    ]),
    Default::Absent,
    "type of the column, of texts its collation. Absent: bigint for integers, utf8mb4_general_ci for \
     texts, varbinary for bytes",
);

const fn integers(info: StrategyInfo) -> StrategyInfo {
    StrategyInfo { caps: Caps { integer_keys: true, ..info.caps }, ..info }
}

fn partitions(build: &Build<'_>) -> Result<u32, Error> {
    match count(build).max(1) {
        n if n > MOST => Err(Error::invalid(format!("MariaDB refuses {n} partitions"))
            .help(format!("at most {MOST}"))
            .field("partitions")),
        n => Ok(n),
    }
}

fn hash(build: &Build<'_>, number: fn(u64, u32) -> u32) -> Result<Box<dyn Placement>, Error> {
    let n = partitions(build)?;
    let fits = if build.params.text("type") == "int" { fits_i32 } else { fits_i64 };
    let columns = [column("identity", "whole", 0)?];
    let placement = Partitioned::new(build, columns, move |[value]| number(value, n))?;
    Ok(Box::new(placement.accepting_integers(fits)))
}

fn key(build: &Build<'_>, number: fn(u64, u32) -> u32) -> Result<Box<dyn Placement>, Error> {
    let n = partitions(build)?;
    let ty = build.params.text_opt("type").unwrap_or(match build.keys {
        KeyKind::I64 | KeyKind::U64 => "bigint",
        KeyKind::Bytes => "varbinary",
        KeyKind::Text | KeyKind::Uuid => "utf8mb4_general_ci",
    });
    let integer = ty == "bigint" || ty == "int";
    match (integer, ty) {
        (true, _) => takes(build, &[KeyKind::I64, KeyKind::U64], "the column is of integers")?,
        (_, "varbinary") => {
            takes(build, &[KeyKind::Text, KeyKind::Bytes], "the column is of bytes")?
        }
        _ => takes(
            build,
            &[KeyKind::Text],
            "the column is of texts; the uuid type was not recorded",
        )?,
    }
    let fits = if ty == "int" { fits_i32 } else { fits_i64 };
    let columns = [sort_key(ty)?];
    let placement = Partitioned::new(build, columns, move |[digest]| number(digest, n))?
        .accepting_integers(fits);
    Ok(Box::new(match accepted(ty) {
        Some(accepts) => placement.accepting(accepts),
        None => placement,
    }))
}

/// The hash of a column's sort key.
fn sort_key(ty: &str) -> Result<ColumnSpec, Error> {
    match ty {
        "bigint" => column("mariadb-key-latin1", "i64-le", 0),
        "int" => column("mariadb-key-latin1", "i32-le", 0),
        "utf8mb4_bin" => column("mariadb-key", "trimmed", 0),
        "latin1_swedish_ci" => column("mariadb-key-latin1", "latin1", 0),
        "varbinary" => column("mariadb-key", "whole", 0),
        _ => column("mariadb-key-general-ci", "whole", 0),
    }
}

/// Which texts a column takes, as far as is modelled; None for all.
fn accepted(ty: &str) -> Option<Accepts> {
    match ty {
        "latin1_swedish_ci" => Some(latin1::holds),
        "utf8mb4_general_ci" => Some(|text| {
            text.is_ascii()
                || std::str::from_utf8(text)
                    .is_ok_and(|text| text.chars().all(|c| general_ci(c).is_some()))
        }),
        _ => None,
    }
}

/// The absolute remainder of a signed integer.
fn remainder(value: u64, n: u32) -> u32 {
    ((value as i64) % i64::from(n)).unsigned_abs() as u32
}

/// Low bits, as many as reach a partition.
fn linear(value: u64, n: u32) -> u32 {
    let mask = u64::from(n.next_power_of_two()) - 1;
    let number = value & mask;
    let number = if number < n.into() { number } else { value & (mask >> 1) };
    u32::try_from(number).unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number};
    use crate::strategy::{Slot, place_one};

    #[test]
    fn recorded_partitions() {
        for (file, key, kind, rows) in [
            ("bigint", "value", KeyKind::I64, 257),
            ("int", "value", KeyKind::I64, 131),
            ("text", "key", KeyKind::Text, 203),
            ("latin1", "key", KeyKind::Text, 171),
        ] {
            let vectors = Vectors::read(&format!("mariadb_partition_{file}.csv"), rows);
            let keys = vectors.keys(key, kind);
            // `varchar(300) utf8mb4_bin LINEAR KEY(c)|p3`
            for column in &vectors.columns()[1..] {
                let (mode, partitions) = column.split_once("|p").unwrap();
                let words: Vec<&str> =
                    mode.strip_suffix("(c)").unwrap().split_whitespace().collect();
                let by = words.iter().position(|w| ["LINEAR", "HASH", "KEY"].contains(w)).unwrap();
                let ty = words[by - 1].split('(').next().unwrap();
                let preset = &format!("mariadb-{}", words[by..].join("-").to_lowercase());
                let params = &[("partitions", partitions), ("type", ty)];
                vectors.check(column, &keys, &Case { preset, params, servers: &[] }, number);
            }
            vectors.finish(&[]);
        }
    }

    /// The recorded column itself, and longer texts through the model.
    #[test]
    fn general_ci_leaves_odd_partitions_empty() {
        let vectors = Vectors::read("mariadb_partition_text.csv", 203);
        let column = vectors.column("varchar(300) utf8mb4_general_ci KEY(c)|p2");
        assert_eq!(column.iter().filter(|partition| **partition == "1").count(), 7);
        let case = Case { preset: "mariadb-key", params: &[("partitions", "8")], servers: &[] };
        let placement = case.build(KeyKind::Text);
        for i in 0..1000 {
            let slot = place_one(placement.as_ref(), &Key::Text(&format!("user:{i}")));
            assert_eq!(slot.0 % 2, 0, "user:{i}");
        }
    }

    #[test]
    fn what_no_column_holds_is_refused() {
        let place = |preset, ty, key: Key<'_>, kind| {
            let params = &[("partitions", "4"), ("type", ty)];
            place_one(Case { preset, params, servers: &[] }.build(kind).as_ref(), &key)
        };
        let int = |ty, key| place("mariadb-hash", ty, Key::I64(key), KeyKind::I64);
        assert_eq!([int("int", 1 << 31), int("bigint", 1 << 31)], [Slot::REFUSED, Slot(0)]);
        let text = |ty, key| place("mariadb-key", ty, Key::Text(key), KeyKind::Text);
        assert_eq!(text("latin1_swedish_ci", "用户"), Slot::REFUSED);
        assert_ne!(text("utf8mb4_bin", "用户"), Slot::REFUSED);
        assert_eq!(text("utf8mb4_general_ci", "đậu"), Slot::REFUSED);
    }
}
