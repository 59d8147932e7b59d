//! Mode `bounds`: k ascending bounds make k + 1 ranges, range i lives on the i-th node.

use super::missing;
use super::number::Number;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind, KeyRange};
use crate::params::Value;
use crate::strategy::support::halvings;
use crate::strategy::{Build, ExplainStep, Explanation, Placement, Slot};

/// Ascending bounds, each the first value of the next range.
#[derive(Debug, Clone)]
enum Bounds {
    Numbers(Number, Vec<i128>),
    Texts(Vec<Vec<u8>>),
}

/// Ranges and their owners: one owner more than bounds.
#[derive(Debug, Clone)]
struct FixedBounds {
    bounds: Bounds,
    owners: Vec<Slot>,
}

pub(super) fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let list = |name: &'static str, example: &str| {
        build.params.list(name).ok_or_else(|| missing(name, "bounds", example))
    };
    let bounds = match Number::of(build.keys, build.params)? {
        Some(number) => {
            let bounds = list("bounds", "[1000000, 2000000]")?.iter().map(|v| match v {
                Value::Int(i) => i128::from(*i),
                other => unreachable!("a list of integers holds {other:?}"),
            });
            Bounds::Numbers(number, ascending("bounds", bounds.collect())?)
        }
        None => {
            let texts = list("text-bounds", "[\"h\", \"p\"]").map_err(|error| {
                error.help("or give `digits` and `bounds`, if the key holds a number")
            })?;
            let bounds = texts.iter().map(|v| v.to_string().into_bytes());
            Bounds::Texts(ascending("text-bounds", bounds.collect())?)
        }
    };
    if bounds.len() == 0 {
        let field = if matches!(bounds, Bounds::Texts(_)) { "text-bounds" } else { "bounds" };
        return Err(Error::invalid(format!(
            "`{field}` is an empty list: all keys would be one range"
        ))
        .help("give at least one bound: k bounds make k + 1 ranges")
        .field(field));
    }
    let ranges = bounds.len() + 1;
    let nodes = &build.cluster.nodes;
    if ranges > nodes.len() {
        return Err(Error::unsupported(format!(
            "{} bounds make {ranges} ranges, one for each node, but there are {} nodes: \
             give at most {} bounds, or more nodes",
            bounds.len(),
            nodes.len(),
            nodes.len() - 1,
        ))
        .help("mode \"chunks\" and strategy \"table\" give a node several ranges")
        .field("bounds"));
    }
    let owners = nodes.iter().take(ranges).map(|n| n.id.into()).collect();
    Ok(Box::new(FixedBounds { bounds, owners }))
}

/// The bounds, if each is above the one before it.
fn ascending<T: Ord + std::fmt::Debug>(
    field: &'static str,
    bounds: Vec<T>,
) -> Result<Vec<T>, Error> {
    match bounds.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(bounds),
        Some(i) => {
            Err(Error::invalid(format!("`{field}`: item {} is not above item {}", i + 2, i + 1))
                .help("each bound must be above the one before it; texts compare by their bytes")
                .field(field))
        }
    }
}

impl Bounds {
    fn len(&self) -> usize {
        match self {
            Bounds::Numbers(_, bounds) => bounds.len(),
            Bounds::Texts(bounds) => bounds.len(),
        }
    }

    /// The range of row `i`: how many bounds are at or below its key.
    #[inline]
    fn range(&self, batch: &KeyBatch, i: usize) -> Option<usize> {
        match self {
            Bounds::Numbers(number, bounds) => {
                let x = number.get(batch, i)?;
                Some(bounds.partition_point(|b| *b <= x))
            }
            Bounds::Texts(bounds) => {
                let text = matches!(batch.kind(), KeyKind::Text | KeyKind::Bytes)
                    .then(|| batch.text.get(i))?;
                Some(bounds.partition_point(|b| b.as_slice() <= text))
            }
        }
    }

    /// The ranges that hold keys of a range of keys.
    fn within(&self, range: &KeyRange) -> Option<std::ops::Range<usize>> {
        Some(match self {
            Bounds::Numbers(number, bounds) => {
                // Keys without a number live nowhere.
                let Some((first, last)) = number.span(range) else { return Some(0..0) };
                let at = |x| bounds.partition_point(|b| *b <= x);
                at(first)..at(last) + 1
            }
            Bounds::Texts(bounds) => {
                let (from, to) = range.texts()?;
                let below = |to: &[u8]| bounds.partition_point(|b| b.as_slice() < to);
                let last = to.map_or(bounds.len(), below);
                bounds.partition_point(|b| b.as_slice() <= from)..last + 1
            }
        })
    }

    /// The bound as a scenario writes it.
    fn show(&self, i: usize) -> String {
        match self {
            Bounds::Numbers(_, bounds) => bounds[i].to_string(),
            Bounds::Texts(bounds) => format!("\"{}\"", String::from_utf8_lossy(&bounds[i])),
        }
    }
}

impl Placement for FixedBounds {
    fn columns(&self) -> &[ColumnSpec] {
        &[]
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.bounds.range(batch, i).map_or(Slot::ABSENT, |range| self.owners[range]);
        }
    }

    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        Some(self.owners[..][self.bounds.within(range)?].to_vec())
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let batch = KeyBatch::single(key, &[]);
        let mut steps = Vec::new();
        if let Bounds::Numbers(number, _) = &self.bounds {
            let value = number.get(&batch, 0).map_or("none".to_string(), |x| x.to_string());
            steps.push(ExplainStep { what: number.describe(), value });
        }
        let Some(range) = self.bounds.range(&batch, 0) else {
            return Explanation { steps, slot: Slot::ABSENT };
        };
        let from = if range == 0 { "first".into() } else { self.bounds.show(range - 1) };
        let to = if range == self.bounds.len() { "last".into() } else { self.bounds.show(range) };
        steps
            .push(ExplainStep { what: format!("{from} .. {to}"), value: format!("range {range}") });
        Explanation { steps, slot: self.owners[range] }
    }

    fn heap_bytes(&self) -> u64 {
        let bounds = match &self.bounds {
            Bounds::Numbers(_, bounds) => 16 * bounds.len(),
            Bounds::Texts(bounds) => bounds.iter().map(Vec::len).sum(),
        };
        (bounds + 4 * self.owners.len()) as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(halvings(self.owners.len()))
    }

    fn points(&self) -> u64 {
        self.owners.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, text};
    use super::*;
    use crate::cluster::Cluster;
    use crate::error::ErrorKind;
    use crate::strategy::place_one;

    fn ints(items: &[i64]) -> Value {
        Value::List(items.iter().map(|i| Value::Int(*i)).collect())
    }

    #[test]
    fn upper_bounds_are_exclusive_and_a_linear_scan_agrees() {
        let cluster = Cluster::numbered(5, "db{i}");
        let bounds = [-10, 0, 7];
        let given = [("mode", text("bounds")), ("bounds", ints(&bounds))];
        let placement = built(&cluster, KeyKind::I64, &given).unwrap();
        for x in -20..20 {
            let scanned = bounds.iter().filter(|b| **b <= x).count() as u32;
            let slot = place_one(&*placement, &Key::I64(x));
            assert_eq!(slot, Slot(scanned), "{x}");
            assert_eq!(placement.explain(&Key::I64(x)).slot, slot);
        }
        assert_eq!(place_one(&*placement, &Key::U64(u64::MAX)), Slot(3));
        // The fifth node owns nothing.
        assert_eq!(placement.points(), 4);
    }

    #[test]
    fn texts_compare_by_bytes_or_by_the_number_in_them() {
        let cluster = Cluster::numbered(3, "db{i}");
        let list = Value::List(vec![text("h"), text("p")]);
        let given = [("mode", text("bounds")), ("text-bounds", list)];
        let placement = built(&cluster, KeyKind::Text, &given).unwrap();
        let at = |key| place_one(&*placement, &Key::Text(key)).0;
        assert_eq!([at(""), at("gz"), at("h"), at("ozzz"), at("p"), at("é")], [0, 0, 1, 1, 2, 2]);
        let told = placement.explain(&Key::Text("kim"));
        assert_eq!((told.steps[0].what.as_str(), told.slot), ("\"h\" .. \"p\"", Slot(1)));

        let given =
            [("mode", text("bounds")), ("bounds", ints(&[5, 50])), ("digits", text("2..4"))];
        let placement = built(&cluster, KeyKind::Text, &given).unwrap();
        for (key, slot) in
            [("NO04", Slot(0)), ("NO05", Slot(1)), ("NO50", Slot(2)), ("NO5", Slot::ABSENT)]
        {
            assert_eq!(place_one(&*placement, &Key::Text(key)), slot, "{key}");
            assert_eq!(placement.explain(&Key::Text(key)).slot, slot, "{key}");
        }
    }

    #[test]
    fn bounds_that_do_not_fit_are_refused() {
        let cluster = Cluster::numbered(3, "db{i}");
        let error = |bounds: &[i64]| {
            let given = [("mode", text("bounds")), ("bounds", ints(bounds))];
            built(&cluster, KeyKind::I64, &given).unwrap_err()
        };
        assert_eq!(error(&[1, 2, 3]).kind, ErrorKind::Unsupported);
        assert_eq!(
            error(&[1, 2, 3]).message,
            "3 bounds make 4 ranges, one for each node, but there are 3 nodes: give at most 2 bounds, \
             or more nodes"
        );
        assert_eq!((error(&[]).kind, error(&[]).field), (ErrorKind::Invalid, Some("bounds")));
        assert_eq!(error(&[2, 2]).kind, ErrorKind::Invalid);
        assert!(error(&[2, 1]).message.contains("item 2 is not above item 1"));
    }
}
