//! Modulo: the digest's remainder by the number of nodes is the node's position.
//!
//! # Idea
//! Number the nodes 0 … n − 1 and send a key to `hash(key) mod n`.
//!
//! # Source
//! Folklore; D. E. Knuth, The Art of Computer Programming, vol. 3, section 6.4 (the division method).
//!
//! # Cost
//! Look-up O(1): two multiplications. Change: a list of n, but up to all keys move: from n to m nodes
//! 1 − min(n, m) / lcm(n, m) of them. Bytes: 4 a node.
//!
//! # Choices made where the source is silent
//! - `sign` says how the digest becomes a number, at the digest's own width (64 bits for `identity`,
//!   128 for both halves of a 128-bit hasher). `unsigned` reads the bits as they are: the integer key
//!   −1 under `identity` is 2⁶⁴ − 1. `abs` is Java's `Math.abs(h) % n`: the absolute value of the least
//!   number is itself, negative. `remainder` is the `%` of C, Java and Go, which keeps the sign.
//!   `floor` is `Math.floorMod` and Python's `%`. `mask` drops the sign bit (`h & 0x7fffffff`).
//! - A negative remainder is no shard: MISROUTED. A remainder of −0 is 0.
//! - `on-remove`: see [`super::positions`].
//!
//! # Checked against
//! What `INFO.checked` says.

use super::positions::{ON_REMOVE, Positions};
use super::remainder::Remainder;
use super::support::{digest_step, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Ownership, Placement, Slot,
    StrategyInfo,
};
use crate::cluster::Change;
use crate::error::Error;
use crate::hash::Input;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "modulo",
    title: "Modulo",
    summary: "the digest's remainder by the number of nodes is the node's position in the list",
    source: "D. E. Knuth, The Art of Computer Programming, vol. 3, 6.4 (1973)",
    checked: "the expressions of JDK 17 (tests/vectors/java_hashcode_string.csv), and i128 arithmetic",
    caps: Caps { positional: true, ..Caps::NONE },
    movement: Movement::Full,
    history: History::Free,
    order: Order::Dependent,
    params: &[
        HASHER,
        HASH_SEED,
        VIEW,
        Param::new(
            "sign",
            Type::Choice(&["unsigned", "abs", "remainder", "floor", "mask"]),
            Default::Text("unsigned"),
            "how the digest becomes a number: its bits as they are, or signed and then Math.abs, \
             plain %, floorMod, or without the sign bit",
        ),
        ON_REMOVE,
    ],
    cost: Cost { lookup: "O(1)", change: "O(n)", bytes: "4 n" },
    build: |build| Ok(Box::new(Modulo::new(build, Positions::new(build))?)),
};

/// How a digest becomes a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Unsigned,
    Abs,
    Remainder,
    Floor,
    Mask,
}

#[derive(Debug)]
struct Modulo {
    /// The high half and, for 128-bit hashers, the low half.
    columns: Vec<ColumnSpec>,
    sign: Sign,
    positions: Positions,
    /// By the number of positions; by 1 when there are none.
    by: Remainder,
}

impl Modulo {
    fn new(build: &Build<'_>, positions: Positions) -> Result<Self, Error> {
        let column = build.params.column();
        column.fits(build.keys)?;
        let columns = if column.hasher.bits == 128 {
            vec![column.clone(), column.low()]
        } else {
            vec![column]
        };
        let sign = match build.params.text("sign") {
            "unsigned" => Sign::Unsigned,
            "abs" => Sign::Abs,
            "remainder" => Sign::Remainder,
            "floor" => Sign::Floor,
            "mask" => Sign::Mask,
            other => unreachable!("`{other}` is not among the choices of `sign`"),
        };
        let by = Remainder::new(positions.len().max(1));
        Ok(Modulo { columns, sign, positions, by })
    }

    fn bits(&self) -> u32 {
        self.columns[0].hasher.bits
    }

    /// The position of a digest, or None for a negative one.
    #[inline(always)]
    fn position(&self, sign: Sign, digest: u64) -> Option<u32> {
        let unused = 64 - self.bits();
        let signed = ((digest << unused) as i64) >> unused;
        let least = i64::MIN >> unused;
        match sign {
            Sign::Unsigned => Some(self.by.of(digest)),
            Sign::Mask => Some(self.by.of(digest & ((u64::MAX >> unused) >> 1))),
            _ => {
                let rest = self.by.of(signed.unsigned_abs());
                self.with_sign(sign, signed < 0, signed == least, rest)
            }
        }
    }

    /// The same for both halves of a 128-bit digest.
    #[inline(always)]
    fn position_wide(&self, sign: Sign, digest: u128) -> Option<u32> {
        let signed = digest as i128;
        match sign {
            Sign::Unsigned => Some(self.by.of_wide(digest)),
            Sign::Mask => Some(self.by.of_wide(digest & (u128::MAX >> 1))),
            _ => {
                let rest = self.by.of_wide(signed.unsigned_abs());
                self.with_sign(sign, signed < 0, signed == i128::MIN, rest)
            }
        }
    }

    /// The position from the remainder of the absolute value and what is known of the number.
    #[inline(always)]
    fn with_sign(&self, sign: Sign, negative: bool, least: bool, rest: u32) -> Option<u32> {
        match sign {
            Sign::Floor if negative && rest != 0 => Some(self.by.divisor() - rest),
            Sign::Remainder if negative && rest != 0 => None,
            Sign::Abs if least && rest != 0 => None,
            _ => Some(rest),
        }
    }

    #[inline(always)]
    fn slot(slots: &[Slot], position: Option<u32>) -> Slot {
        position.map_or(Slot::MISROUTED, |p| slots[p as usize])
    }

    #[inline(always)]
    fn fill(&self, sign: Sign, batch: &KeyBatch, out: &mut [Slot]) {
        let slots = self.positions.slots();
        let high = batch.digests(&self.columns[0]);
        if let [_, low] = &self.columns[..] {
            let low = batch.digests(low);
            for ((out, &high), &low) in out.iter_mut().zip(high).zip(low) {
                let digest = (u128::from(high) << 64) | u128::from(low);
                *out = Self::slot(slots, self.position_wide(sign, digest));
            }
        } else {
            for (out, &digest) in out.iter_mut().zip(high) {
                *out = Self::slot(slots, self.position(sign, digest));
            }
        }
    }
}

impl Placement for Modulo {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        if self.positions.is_empty() {
            return out.fill(Slot::ABSENT);
        }
        // One loop for each reading, so that none tests it a key at a time.
        match self.sign {
            Sign::Unsigned => self.fill(Sign::Unsigned, batch, out),
            Sign::Abs => self.fill(Sign::Abs, batch, out),
            Sign::Remainder => self.fill(Sign::Remainder, batch, out),
            Sign::Floor => self.fill(Sign::Floor, batch, out),
            Sign::Mask => self.fill(Sign::Mask, batch, out),
        }
    }

    fn evolve(
        &self,
        _change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        let positions = self.positions.after(after)?;
        Some(positions.and_then(|positions| {
            Ok(Box::new(Modulo::new(after, positions)?) as Box<dyn Placement>)
        }))
    }

    /// Every remainder is as likely as the next, to within n / 2^bits; for digests of 16 bits, where
    /// that shows, every digest is a bucket. Integers that are not hashed have no such law.
    fn ownership(&self) -> Option<Ownership> {
        let slots = self.positions.slots();
        if self.columns[0].hasher.input == Input::Integer || slots.is_empty() {
            return None;
        }
        let at = |digest| Self::slot(slots, self.position(self.sign, digest));
        Some(Ownership::Buckets(if self.bits() <= 16 {
            (0..1 << self.bits()).map(at).collect()
        } else if self.sign == Sign::Remainder {
            // Half of the digests are negative: of these only multiples of n have a shard.
            let negative =
                (0..slots.len()).map(|r| if r == 0 { slots[0] } else { Slot::MISROUTED });
            slots.iter().copied().chain(negative).collect()
        } else {
            slots.to_vec()
        }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &self.columns);
        let mut steps: Vec<_> =
            self.columns.iter().map(|c| digest_step(c, key, batch.digests(c)[0])).collect();
        let mut out = [Slot::ABSENT];
        self.place(&batch, &mut out);
        let n = self.positions.len();
        if n > 0 {
            let high = batch.digests(&self.columns[0])[0];
            let position = match &self.columns[..] {
                [_, low] => {
                    let low = batch.digests(low)[0];
                    self.position_wide(self.sign, (u128::from(high) << 64) | u128::from(low))
                }
                _ => self.position(self.sign, high),
            };
            let value = position.map_or("negative: no shard".to_string(), |p| p.to_string());
            let name = format!("{:?}", self.sign).to_lowercase();
            steps.push(step(format!("remainder by {n} ({name})"), value));
        }
        Explanation { steps, slot: out[0] }
    }

    fn heap_bytes(&self) -> u64 {
        4 * u64::from(self.positions.len())
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::hash::mix::fmix64;
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use crate::strategy::place_one;
    use std::path::Path;

    fn modulo(hasher: &str, sign: &str, nodes: usize) -> Modulo {
        let text = |t: &str| Value::Text(t.to_string());
        let given = vec![("hasher".into(), text(hasher)), ("sign".into(), text(sign))];
        let params = Params::from_pairs(INFO.params, given).unwrap();
        let cluster = Cluster::numbered(nodes, "db{i}");
        let build = Build {
            cluster: &cluster,
            params: &params,
            keys: KeyKind::I64,
            replicas: 1,
            base: Path::new(""),
        };
        Modulo::new(&build, Positions::new(&build)).unwrap()
    }

    #[test]
    fn agrees_with_the_expressions_of_java() {
        let text = include_str!("../../tests/vectors/java_hashcode_string.csv");
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let headers = reader.headers().unwrap().clone();
        let columns: Vec<(usize, Modulo)> = [
            ("int_Math_abs_mod_8", "abs", 8),
            ("int_Math_abs_mod_10", "abs", 10),
            ("plain_pct_10", "remainder", 10),
            ("floorMod_8", "floor", 8),
            ("floorMod_10", "floor", 10),
            ("mask7fffffff_mod_8", "mask", 8),
            ("mask7fffffff_mod_10", "mask", 10),
        ]
        .into_iter()
        .map(|(header, sign, n)| {
            let column = headers.iter().position(|h| h == header).unwrap();
            (column, modulo("java-string", sign, n))
        })
        .collect();
        let (mut rows, mut misrouted) = (0, [0; 2]);
        for record in reader.records() {
            let record = record.unwrap();
            for (column, placement) in &columns {
                let want: i32 = record[*column].parse().unwrap();
                let slot = place_one(placement, &Key::Text(&record[0]));
                if want < 0 {
                    misrouted[usize::from(placement.sign == Sign::Abs)] += 1;
                    assert_eq!(slot, Slot::MISROUTED, "{}", &record[0]);
                } else {
                    assert_eq!(slot, Slot(want as u32), "{}", &record[0]);
                }
            }
            rows += 1;
        }
        assert_eq!(rows, 196);
        // Plain % fails for about half of the keys, Math.abs only for hash codes of −2³¹.
        assert!(misrouted[0] > 50 && (1..5).contains(&misrouted[1]), "{misrouted:?}");
    }

    /// The position in arithmetic that cannot overflow.
    fn oracle(sign: Sign, bits: u32, digest: u64, n: i128) -> Option<u32> {
        let unsigned = i128::from(digest);
        let least = -(1i128 << (bits - 1));
        let negative = (unsigned >> (bits - 1)) & 1 == 1;
        let signed = if negative { unsigned - (1 << bits) } else { unsigned };
        let rest = match sign {
            Sign::Unsigned => unsigned % n,
            Sign::Abs if signed == least => least % n,
            Sign::Abs => signed.abs() % n,
            Sign::Remainder => signed % n,
            Sign::Floor => signed.rem_euclid(n),
            Sign::Mask => (unsigned & !(1 << (bits - 1))) % n,
        };
        (rest >= 0).then_some(rest as u32)
    }

    #[test]
    fn every_reading_agrees_with_wide_arithmetic() {
        for (hasher, bits) in [("crc16-xmodem", 16), ("murmur3-32", 32), ("xxh3-64", 64)] {
            let top = u64::MAX >> (64 - bits);
            let least = 1u64 << (bits - 1);
            let edges = [0, 1, least - 1, least, least + 1, top - 1, top];
            for n in [1, 2, 7, 8, 10, 1000] {
                for name in ["unsigned", "abs", "remainder", "floor", "mask"] {
                    let modulo = modulo(hasher, name, n);
                    let sign = modulo.sign;
                    for digest in edges.into_iter().chain((0..50).map(|i| fmix64(i) & top)) {
                        let want = oracle(sign, bits, digest, n as i128);
                        assert_eq!(modulo.position(sign, digest), want, "{name} {digest:#x} {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn both_halves_of_a_wide_digest_count() {
        let edges = [0, 1, u128::MAX, 1 << 127, (1 << 127) - 1, u128::from(u64::MAX), 1 << 64];
        for n in [1usize, 2, 7, 10, 1000] {
            let of = |sign: &str, digest: u128| {
                let modulo = modulo("md5", sign, n);
                modulo.position_wide(modulo.sign, digest)
            };
            for digest in edges {
                let (signed, n) = (digest as i128, n as i128);
                let shard = |rest: i128| (rest >= 0).then_some(rest as u32);
                assert_eq!(of("unsigned", digest), Some((digest % n as u128) as u32));
                assert_eq!(of("abs", digest), shard(signed.wrapping_abs() % n));
                assert_eq!(of("remainder", digest), shard(signed % n));
                assert_eq!(of("floor", digest), shard(signed.rem_euclid(n)));
                assert_eq!(of("mask", digest), shard((signed & i128::MAX) % n));
            }
        }
        assert_eq!(modulo("md5", "unsigned", 3).columns.len(), 2);
    }

    #[test]
    fn raw_integers_keep_their_sign_as_told() {
        let at = |sign, id| place_one(&modulo("identity", sign, 8), &Key::I64(id));
        assert_eq!(at("unsigned", 21), Slot(5));
        assert_eq!(at("unsigned", -1), Slot(7));
        assert_eq!(at("remainder", -1), Slot::MISROUTED);
        assert_eq!(at("remainder", -16), Slot(0));
        assert_eq!(at("abs", -9), Slot(1));
        assert_eq!(at("floor", -9), Slot(7));
    }

    #[test]
    fn half_of_the_plain_remainders_are_negative() {
        let ownership = modulo("murmur3-32", "remainder", 10).ownership();
        let Some(Ownership::Buckets(slots)) = ownership else { panic!("it is stated") };
        assert_eq!(slots.iter().filter(|s| **s == Slot::MISROUTED).count(), 9);
        assert_eq!(slots.iter().filter(|s| **s == Slot(0)).count(), 2);
        assert_eq!(slots.len(), 20);
    }
}
