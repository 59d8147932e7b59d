//! Mode `month`: the month written in a key names its node.

use super::missing;
use super::number::{Number, parse_decimal};
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind, KeyRange};
use crate::strategy::{Build, ExplainStep, Explanation, Placement, Slot};

/// What becomes of months beyond the number of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assign {
    /// Months go round the nodes.
    Cycle,
    /// Month i lives on node i; later months are ABSENT until a node is added.
    OneEach,
}

/// Months and their nodes.
#[derive(Debug, Clone)]
struct Month {
    /// Byte at which yyyymm begins.
    date_at: usize,
    /// First month, counted from January of the year 0.
    first: u64,
    assign: Assign,
    /// The nodes in order.
    owners: Vec<Slot>,
}

pub(super) fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let params = build.params;
    if !matches!(build.keys, KeyKind::Text | KeyKind::Bytes) {
        return Err(Error::unsupported(format!(
            "mode \"month\" reads a date in the key's text, this pattern gives {} keys",
            build.keys
        ))
        .help("take text keys such as order-number, or mode \"bounds\" for integer keys"));
    }
    let first = params
        .text_opt("first-month")
        .ok_or_else(|| missing("first-month", "month", "\"202501\""))?;
    let first =
        Some(first.as_bytes()).filter(|t| t.len() == 6).and_then(parse_month).ok_or_else(|| {
            Error::invalid(format!("`first-month` is \"{first}\""))
                .help("write four digits of the year and two of the month, e.g. \"202501\"")
                .field("first-month")
        })?;
    let assign = match params.text("assign") {
        "one-each" => Assign::OneEach,
        _ => Assign::Cycle,
    };
    let owners = build.cluster.nodes.iter().map(|n| n.id.into()).collect();
    Ok(Box::new(Month { date_at: params.int("date-at") as usize, first, assign, owners }))
}

/// `yyyymm` as a number of months since January of the year 0.
#[inline]
fn parse_month(text: &[u8]) -> Option<u64> {
    let (year, month) = (parse_decimal(text.get(..4)?)?, parse_decimal(text.get(4..6)?)?);
    (1..=12).contains(&month).then(|| year * 12 + month - 1)
}

impl Month {
    /// How many months after the first one row `i` is.
    #[inline]
    fn index(&self, batch: &KeyBatch, i: usize) -> Option<u64> {
        let text =
            matches!(batch.kind(), KeyKind::Text | KeyKind::Bytes).then(|| batch.text.get(i))?;
        parse_month(text.get(self.date_at..)?)?.checked_sub(self.first)
    }

    #[inline]
    fn owner(&self, index: u64) -> Slot {
        let nodes = self.owners.len() as u64;
        match self.assign {
            Assign::Cycle => self.owners[(index % nodes) as usize],
            Assign::OneEach if index < nodes => self.owners[index as usize],
            Assign::OneEach => Slot::ABSENT,
        }
    }
}

impl Placement for Month {
    fn columns(&self) -> &[ColumnSpec] {
        &[]
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        for (i, out) in out.iter_mut().enumerate() {
            *out = self.index(batch, i).map_or(Slot::ABSENT, |index| self.owner(index));
        }
    }

    fn owners(&self, range: &KeyRange) -> Option<Vec<Slot>> {
        let digits = Number::Digits(self.date_at..self.date_at + 6);
        let Some((first, last)) = digits.span(range) else { return Some(Vec::new()) };
        let (first, last) = (first as u64, last as u64);
        // The first month from a number yyyymm on, and the last one up to it.
        let from = (first / 100) * 12 + (first % 100).clamp(1, 13) - 1;
        let to = (last / 100) * 12 + (last % 100).min(12);
        let (from, to) = (from.max(self.first) - self.first, to.saturating_sub(self.first));
        let nodes = self.owners.len() as u64;
        let to = to.min(match self.assign {
            Assign::Cycle => from + nodes,
            Assign::OneEach => nodes,
        });
        Some((from..to).map(|index| self.owner(index)).collect())
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let at = self.date_at;
        let what = format!("months from the first to bytes {at}..{} of the key", at + 6);
        let Some(index) = self.index(&KeyBatch::single(key, &[]), 0) else {
            let value = "no month from the first on".to_string();
            return Explanation { steps: vec![ExplainStep { what, value }], slot: Slot::ABSENT };
        };
        let mut steps = vec![ExplainStep { what, value: index.to_string() }];
        let nodes = self.owners.len() as u64;
        steps.push(match self.assign {
            Assign::Cycle => ExplainStep {
                what: format!("{index} mod {nodes}"),
                value: format!("node at position {}", index % nodes),
            },
            Assign::OneEach if index < nodes => ExplainStep {
                what: "one month each".to_string(),
                value: format!("node at position {index}"),
            },
            Assign::OneEach => ExplainStep {
                what: "one month each".to_string(),
                value: format!("no node: there are {nodes}"),
            },
        });
        Explanation { steps, slot: self.owner(index) }
    }

    fn heap_bytes(&self) -> u64 {
        4 * self.owners.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{built, text};
    use super::*;
    use crate::cluster::Cluster;
    use crate::error::ErrorKind;
    use crate::strategy::place_one;

    fn by_month(assign: &str) -> Box<dyn Placement> {
        let cluster = Cluster::numbered(5, "db{i}");
        let given =
            [("mode", text("month")), ("first-month", text("202411")), ("assign", text(assign))];
        built(&cluster, KeyKind::Text, &given).unwrap()
    }

    #[test]
    fn months_go_round_the_nodes_or_end() {
        let (cycle, one_each) = (by_month("cycle"), by_month("one-each"));
        for (key, round, each) in [
            ("NO20241101001", Slot(0), Slot(0)),
            ("NO20241231", Slot(1), Slot(1)),
            ("NO20250115001", Slot(2), Slot(2)),
            ("NO202503", Slot(4), Slot(4)),
            ("NO20250401", Slot(0), Slot::ABSENT),
            ("NO20251101", Slot(2), Slot::ABSENT),
            ("NO20241031", Slot::ABSENT, Slot::ABSENT),
            ("NO20251301", Slot::ABSENT, Slot::ABSENT),
            ("NO20250001", Slot::ABSENT, Slot::ABSENT),
            ("NO2025", Slot::ABSENT, Slot::ABSENT),
            ("N", Slot::ABSENT, Slot::ABSENT),
            ("NOx0250115", Slot::ABSENT, Slot::ABSENT),
        ] {
            for (placement, slot) in [(&cycle, round), (&one_each, each)] {
                assert_eq!(place_one(&**placement, &Key::Text(key)), slot, "{key}");
                assert_eq!(placement.explain(&Key::Text(key)).slot, slot, "{key}");
            }
        }
    }

    #[test]
    fn wrong_months_and_integer_keys_are_refused() {
        let cluster = Cluster::numbered(5, "db{i}");
        for bad in ["2025", "202513", "2025-1", "2025011"] {
            let given = [("mode", text("month")), ("first-month", text(bad))];
            let error = built(&cluster, KeyKind::Text, &given).unwrap_err();
            assert_eq!(error.field, Some("first-month"), "{bad}");
        }
        let given = [("mode", text("month")), ("first-month", text("202501"))];
        let error = built(&cluster, KeyKind::U64, &given).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unsupported);
    }
}
