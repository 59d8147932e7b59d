//! Aerospike's partitions.
//!
//! # Source
//! PyPI aerospike 19.3.0, `calc_digest`; the partition as documented,
//! <https://aerospike.com/docs/database/learn/architecture/data-storage/data-model/>,
//! <https://aerospike.com/docs/database/learn/architecture/clustering/data-distribution/>.
//!
//! # Choices made where the source is silent
//! - Which node is master of a partition follows from the cluster's own list; here they are dealt out in
//!   turn.
//! - The digest has 160 bits and depends on the set, so it is computed here and not in a column.

use super::owners::Owners;
use super::partitions::{JAVA_KINDS, dealt, fits_i64, numbered, takes};
use super::{Answer, PresetInfo};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::databases::ripemd160;
use crate::keys::view::View;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};
use crate::strategy::support::step;
use crate::strategy::{Build, Explanation, Placement, Slot, StrategyInfo};

/// Partitions of a namespace.
const PARTITIONS: u32 = 4096;

/// Aerospike.
pub static AEROSPIKE: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "aerospike_digest_partition.csv (digests)",
        ..dealt(numbered(
            "aerospike",
            "Aerospike",
            "Aerospike: RIPEMD-160 of set, type and key into 4096 partitions",
            "aerospike 19.3.0 (PyPI), https://aerospike.com/docs/database/learn/architecture/clustering/data-distribution/",
            &[SET],
            aerospike,
        ))
    },
    family: "bucket-table",
    version: "aerospike 19.3.0 (PyPI) for the digest; the partition as documented",
    rule: "digest = ripemd160(set ‖ type ‖ value), with type 3 and UTF-8 for texts, type 1 and 8 bytes, high \
           byte first, for integers; partition = the first two bytes, low byte first, mod 4096. The \
           namespace is not hashed. Integers beyond i64 are refused",
    answer: Answer::Partition,
};

const SET: Param = Param::new(
    "set",
    Type::Text,
    Default::Text(""),
    "name of the set, which is hashed before the key; empty for keys in no set",
);

#[derive(Debug)]
struct Aerospike {
    set: Box<str>,
    view: View,
    owners: Owners,
}

fn aerospike(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    takes(build, JAVA_KINDS, "only texts and integers were recorded; give UUIDs as text")?;
    Ok(Box::new(Aerospike {
        set: build.params.text("set").into(),
        view: View::parse("aerospike")?,
        owners: Owners::dealt(build, PARTITIONS, "partitions")?,
    }))
}

impl Aerospike {
    /// The digest of a key; `seen` is emptied and holds what is hashed.
    fn digest(&self, key: &Key<'_>, seen: &mut Vec<u8>) -> [u8; 20] {
        seen.clear();
        seen.extend_from_slice(self.set.as_bytes());
        self.view.write(key, seen);
        ripemd160(seen)
    }
}

fn partition(digest: [u8; 20]) -> u32 {
    u32::from(u16::from_le_bytes([digest[0], digest[1]])) % PARTITIONS
}

fn accepts(key: &Key<'_>) -> bool {
    match key {
        Key::U64(key) => fits_i64((*key).into()),
        _ => true,
    }
}

impl Placement for Aerospike {
    fn columns(&self) -> &[ColumnSpec] {
        &[]
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let mut seen = Vec::new();
        for (row, slot) in out.iter_mut().enumerate() {
            let key = batch.key(row);
            *slot = if accepts(&key) {
                self.owners.of(partition(self.digest(&key, &mut seen)))
            } else {
                Slot::REFUSED
            };
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let (set, view) = (self.set.clone(), self.view);
        let owners = self.owners.evolve(change, after)?;
        Some(owners.map(|owners| Box::new(Aerospike { set, view, owners }) as Box<dyn Placement>))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        if !accepts(key) {
            let steps = vec![step("the system refuses the key", "")];
            return Explanation { steps, slot: Slot::REFUSED };
        }
        let digest = self.digest(key, &mut Vec::new());
        let partition = partition(digest);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let steps = vec![
            step(format!("ripemd160({:?} ‖ type ‖ {key})", self.set), hex),
            step(format!("partition of {PARTITIONS}"), partition),
        ];
        Explanation { steps, slot: self.owners.of(partition) }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.entries()
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.owners.entries()
    }
}

#[cfg(test)]
mod tests {
    use crate::keys::{Key, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number};
    use crate::strategy::{Slot, place_one};

    const CASE: Case<'_> = Case { preset: "aerospike", params: &[("set", "users")], servers: &[] };

    #[test]
    fn recorded_digests() {
        let all = Vectors::read("aerospike_digest_partition.csv", 439);
        for (kind, of, rows) in [("string", KeyKind::Text, 200), ("int", KeyKind::I64, 239)] {
            let vectors = all.only("type", kind, rows);
            let keys = vectors.keys("key", of);
            let placement = CASE.build(of);
            let slots = vectors.place(&keys, &CASE);
            for (row, want) in vectors.column("digest_hex_set=users").iter().enumerate() {
                let told = placement.explain(&keys.key(row));
                assert_eq!(told.steps[0].value, *want, "{}", keys.key(row));
                // The first two bytes, low byte first, low 12 bits.
                let partition = u32::from_str_radix(&format!("{}{}", &want[3..4], &want[..2]), 16);
                assert_eq!(number(slots[row]), partition.unwrap().to_string());
                assert_eq!(told.slot, slots[row]);
            }
            vectors.finish(&[]);
        }
    }

    #[test]
    fn integers_beyond_i64_are_refused() {
        let placement = CASE.build(KeyKind::U64);
        assert_eq!(place_one(placement.as_ref(), &Key::U64(1 << 63)), Slot::REFUSED);
    }
}
