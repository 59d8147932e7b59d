//! Mode `chunks`: equal chunks between two numbers, assigned to nodes like buckets.

use super::missing;
use super::number::Number;
use crate::cluster::Change;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyRange};
use crate::strategy::quota::{self, Layout};
use crate::strategy::{Build, ExplainStep, Explanation, Placement, Slot, distinct};

/// Pre-cut chunks and their owners.
#[derive(Debug, Clone)]
struct Chunks {
    number: Number,
    /// The first number covered.
    from: i64,
    /// How many numbers are covered: at least one a chunk.
    width: u64,
    /// Owner of each chunk.
    owners: Vec<Slot>,
}

pub(super) fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let params = build.params;
    let number = Number::of(build.keys, params)?.ok_or_else(|| {
        Error::unsupported("chunks cut numbers, this pattern gives text keys")
            .help("say where a number stands in the key, e.g. digits = \"2..10\"")
            .field("digits")
    })?;
    params.get("to").ok_or_else(|| missing("to", "chunks", "1000000"))?;
    let (from, to, chunks) = (params.int("from"), params.int("to"), params.int("chunks"));
    if from >= to {
        return Err(Error::invalid(format!("`to` is {to}, not above `from`, which is {from}"))
            .help("numbers from `from` up to but not including `to` are covered")
            .field("to"));
    }
    let width = to.abs_diff(from);
    if chunks as u64 > width {
        return Err(Error::invalid(format!("{chunks} chunks of only {width} numbers"))
            .help("give fewer chunks, or a wider range from `from` to `to`")
            .field("chunks"));
    }
    let owners = quota::allot(chunks as u32, build.cluster, Layout::Contiguous)?;
    Ok(Box::new(Chunks { number, from, width, owners }))
}

impl Chunks {
    /// The chunk of a number: ⌊(x − from) × chunks ÷ width⌋, so that chunk sizes differ by one at most.
    #[inline]
    fn chunk(&self, x: i128) -> Option<usize> {
        let offset = u64::try_from(x - i128::from(self.from)).ok().filter(|o| *o < self.width)?;
        let chunks = self.owners.len() as u64;
        // A 128-bit division takes several times as long as a 64-bit one.
        Some(match offset.checked_mul(chunks) {
            Some(product) => (product / self.width) as usize,
            None => (u128::from(offset) * u128::from(chunks) / u128::from(self.width)) as usize,
        })
    }

    /// The first number of a chunk, or the end of the range for the number of chunks.
    fn start(&self, chunk: usize) -> i128 {
        let offset = (chunk as u128 * u128::from(self.width)).div_ceil(self.owners.len() as u128);
        i128::from(self.from) + offset as i128
    }
}

impl Placement for Chunks {
    fn columns(&self) -> &[ColumnSpec] {
        &[]
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (i, out) in out.iter_mut().enumerate() {
            let chunk = self.number.get(batch, i).and_then(|x| self.chunk(x));
            *out = chunk.map_or(Slot::ABSENT, |chunk| self.owners[chunk]);
        }
    }

    fn evolve(
        &self,
        change: &Change,
        after: &Build<'_>,
    ) -> Option<Result<Box<dyn Placement>, Error>> {
        quota::evolved(&self.owners, change, after.cluster, |owners| Chunks {
            owners,
            ..self.clone()
        })
    }

    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        let from = i128::from(self.from);
        let (least, most) = (from, from + i128::from(self.width) - 1);
        // What lies outside, or has no number, lives nowhere.
        let Some((first, last)) = self.number.span(range).filter(|s| s.0 <= most && s.1 >= least)
        else {
            return Some(Vec::new());
        };
        let at = |x: i128| self.chunk(x.clamp(least, most)).expect("within what is covered");
        Some(distinct(self.owners[at(first)..=at(last)].iter().copied()))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let x = self.number.get(&KeyBatch::single(key, &[]), 0);
        let shown = x.map_or("none".to_string(), |x| x.to_string());
        let mut steps = vec![ExplainStep { what: self.number.describe(), value: shown }];
        let chunk = x.and_then(|x| self.chunk(x));
        let what = match chunk {
            Some(chunk) => format!("{} .. {}", self.start(chunk), self.start(chunk + 1)),
            None => format!("outside {} .. {}", self.from, self.start(self.owners.len())),
        };
        let value = chunk.map_or("no chunk".to_string(), |chunk| format!("chunk {chunk}"));
        steps.push(ExplainStep { what, value });
        Explanation { steps, slot: chunk.map_or(Slot::ABSENT, |chunk| self.owners[chunk]) }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }

    fn points(&self) -> u64 {
        self.owners.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, text};
    use super::*;
    use crate::cluster::{ChangeKind, Cluster, Node, NodeId};
    use crate::error::ErrorKind;
    use crate::keys::KeyKind;
    use crate::params::Value;
    use crate::strategy::place_one;

    fn given(from: i64, to: i64, chunks: i64) -> [(&'static str, Value); 4] {
        [
            ("mode", text("chunks")),
            ("from", Value::Int(from)),
            ("to", Value::Int(to)),
            ("chunks", Value::Int(chunks)),
        ]
    }

    #[test]
    fn chunks_are_equal_to_one_number_and_cover_the_range() {
        // One node a chunk, so that the node is the chunk.
        let cluster = Cluster::numbered(7, "db{i}");
        let placement = built(&cluster, KeyKind::I64, &given(-5, 45, 7)).unwrap();
        let mut counts = [0; 7];
        let mut last = Slot(0);
        for x in -5..45 {
            let slot = place_one(&*placement, &Key::I64(x));
            assert!(slot >= last, "chunks ascend");
            assert_eq!(placement.explain(&Key::I64(x)).slot, slot);
            counts[slot.0 as usize] += 1;
            last = slot;
        }
        assert!(counts.iter().all(|c| [7, 8].contains(c)), "{counts:?}");
        for x in [-6, 45, i64::MIN, i64::MAX] {
            assert_eq!(place_one(&*placement, &Key::I64(x)), Slot::ABSENT, "{x}");
            assert_eq!(placement.explain(&Key::I64(x)).slot, Slot::ABSENT);
        }
    }

    #[test]
    fn the_widest_range_does_not_overflow() {
        let cluster = Cluster::numbered(4, "db{i}");
        let placement = built(&cluster, KeyKind::I64, &given(i64::MIN, i64::MAX, 1 << 22)).unwrap();
        let at = |x| place_one(&*placement, &Key::I64(x));
        assert_eq!([at(i64::MIN), at(-1), at(0), at(i64::MAX - 1)].map(|s| s.0), [0, 1, 2, 3]);
        assert_eq!(at(i64::MAX), Slot::ABSENT);
    }

    #[test]
    fn a_new_node_takes_chunks_and_survivors_exchange_none() {
        let mut cluster = Cluster::numbered(4, "db{i}");
        let params = given(0, 1000, 100);
        let before = built(&cluster, KeyKind::I64, &params).unwrap();
        cluster.nodes.push(Node { weight: 2.0, ..Node::named(4, "db4") });
        cluster.ids = 5;
        let given = params.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = crate::params::Params::from_pairs(super::super::INFO.params, given).unwrap();
        let after = Build {
            cluster: &cluster,
            params: &params,
            keys: KeyKind::I64,
            replicas: 1,
            base: std::path::Path::new("."),
        };
        let change = Change { kind: ChangeKind::Add(vec![NodeId(4)]), text: "add db4".into() };
        let after = before.evolve(&change, &after).unwrap().unwrap();
        let mut moved = 0;
        for x in 0..1000 {
            let (b, a) = (place_one(&*before, &Key::I64(x)), place_one(&*after, &Key::I64(x)));
            assert!(a == b || a == Slot(4));
            moved += usize::from(a != b);
        }
        // A third of 100 chunks, rounded down, of ten numbers each.
        assert_eq!(moved, 330);
    }

    #[test]
    fn texts_need_digits_and_ranges_need_numbers() {
        let cluster = Cluster::numbered(2, "db{i}");
        let text_keys = built(&cluster, KeyKind::Text, &given(0, 100, 10)).unwrap_err();
        assert_eq!((text_keys.kind, text_keys.field), (ErrorKind::Unsupported, Some("digits")));
        let field = |from, to, chunks| {
            built(&cluster, KeyKind::I64, &given(from, to, chunks)).unwrap_err().field.unwrap()
        };
        assert_eq!(field(5, 5, 1), "to");
        assert_eq!(field(0, 5, 6), "chunks");
        let mut with_digits = given(0, 100, 2).to_vec();
        with_digits.push(("digits", text("2..4")));
        let placement = built(&cluster, KeyKind::Text, &with_digits).unwrap();
        let at = |key| place_one(&*placement, &Key::Text(key));
        assert_eq!([at("NO49"), at("NO50"), at("NOxx")], [Slot(0), Slot(1), Slot::ABSENT]);
    }
}
