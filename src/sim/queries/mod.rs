//! Queries over many keys: which nodes hold a match, and which a router must ask.
//!
//! Ranges (and prefixes, which are ranges of texts) cut the order of the keys into *segments*: between
//! two ends nothing begins or stops, so one count by segment and node, one for each row, serves all
//! queries however they overlap. Keys of lists are *points*: a point lives on one node at a step, which
//! is found by placing it, so one count by point serves all cells. Both are integers, and neither grows
//! with the number of keys.

mod draw;
pub mod record;

use super::Progress;
use super::input::Input;
use crate::error::Error;
use crate::keys::range::Position;
use crate::keys::{KeyBatch, KeyKind, KeyRange};
use crate::scenario::{Query, QueryForm};

/// Most ends of ranges and keys of lists of all queries together.
const MAX_CUTS: usize = 1_000_000;

/// The segment of a row that no query asks for.
const NONE: u32 = u32::MAX;

/// The queries of a workload, drawn and cut.
#[derive(Debug, Default)]
pub struct QuerySet {
    /// What was asked for, in the scenario's order.
    asked: Vec<Asked>,
    /// The ranges of all queries.
    ranges: Vec<KeyRange>,
    /// First segment and the one after the last of each range.
    spans: Vec<(usize, usize)>,
    /// Ends of the ranges, ascending: segment s ends at cut s, and the last one has no end.
    cuts: Vec<Position>,
    /// Whether a range covers the segment.
    covered: Vec<bool>,
    /// The keys of all lists.
    listed: Option<KeyBatch>,
    /// Where these keys lie, ascending, each once.
    points: Vec<Position>,
    /// The point of each listed key.
    point_of: Vec<usize>,
}

/// One query, or those that one table draws.
#[derive(Debug)]
struct Asked {
    name: String,
    kind: &'static str,
    drawn: bool,
    /// Of all queries.
    share: f64,
    parts: Parts,
}

/// The queries of a table.
#[derive(Debug)]
enum Parts {
    /// These ranges.
    Ranges(std::ops::Range<usize>),
    /// Lists of listed keys, each by its rows.
    Lists(Vec<std::ops::Range<usize>>),
}

impl QuerySet {
    /// Draws what is to be drawn from the keys of `input`, whose seed is `seed`.
    pub fn new(
        queries: &[Query],
        input: &Input,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        let kind = input.source.kind();
        let mut drawn = draw::draw(queries, input, seed, progress)?.into_iter();
        let mut set = QuerySet::default();
        let total: f64 = queries.iter().map(|query| query.share).sum();
        for query in queries {
            let located = |error| query.places.locate(error);
            let (kind_name, parts) = match &query.form {
                QueryForm::Range { .. } => {
                    ("range", set.add_ranges([query.range(kind).map_err(located)?]))
                }
                QueryForm::Prefix(_) => {
                    ("prefix", set.add_ranges([query.range(kind).map_err(located)?]))
                }
                QueryForm::List(_) => {
                    let keys = query.listed(kind).map_err(located)?;
                    ("list", set.add_lists(kind, [keys]))
                }
                form => {
                    let name = match form {
                        QueryForm::Ranges { .. } => "range",
                        QueryForm::Prefixes { .. } => "prefix",
                        _ => "list",
                    };
                    match drawn.next().expect("drawn in the order of the queries") {
                        draw::Drawn::Ranges(ranges) => (name, set.add_ranges(ranges)),
                        draw::Drawn::Lists(lists) => (name, set.add_lists(kind, lists)),
                    }
                }
            };
            set.asked.push(Asked {
                name: query.name.clone(),
                kind: kind_name,
                drawn: query.form.is_drawn(),
                share: query.share / total,
                parts,
            });
            let cuts = 2 * set.ranges.len() + set.listed.as_ref().map_or(0, KeyBatch::len);
            if cuts > MAX_CUTS {
                return Err(located(
                    Error::invalid(format!("the queries have {cuts} ends of ranges and keys"))
                        .help(format!("at most {MAX_CUTS}: draw or list fewer")),
                ));
            }
        }
        set.cut();
        Ok(set)
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.asked.is_empty()
    }

    /// Number of segments that are counted for every cell and step.
    pub fn segments(&self) -> usize {
        if self.ranges.is_empty() { 0 } else { self.cuts.len() + 1 }
    }

    fn add_ranges(&mut self, ranges: impl IntoIterator<Item = KeyRange>) -> Parts {
        let first = self.ranges.len();
        self.ranges.extend(ranges);
        Parts::Ranges(first..self.ranges.len())
    }

    fn add_lists(&mut self, kind: KeyKind, lists: impl IntoIterator<Item = KeyBatch>) -> Parts {
        let listed = self.listed.get_or_insert_with(|| KeyBatch::new(kind));
        let mut rows = Vec::new();
        for list in lists {
            let first = listed.len();
            listed.extend_from(&list, 0..list.len());
            rows.push(first..listed.len());
        }
        Parts::Lists(rows)
    }

    /// Finds segments and points.
    fn cut(&mut self) {
        let ends = self.ranges.iter().flat_map(|range| [&range.from, &range.to]);
        self.cuts = ends.flatten().cloned().collect();
        self.cuts.sort_unstable();
        self.cuts.dedup();
        // Segment 0 lies before the first cut, so that a range begins with the segment after its cut.
        let at = |place: &Position| self.cuts.binary_search(place).expect("among the cuts") + 1;
        let all = self.cuts.len() + 1;
        let span = |range: &KeyRange| {
            (range.from.as_ref().map_or(0, at), range.to.as_ref().map_or(all, at))
        };
        self.spans = self.ranges.iter().map(span).collect();
        let mut change = vec![0i64; all + 1];
        for &(first, end) in &self.spans {
            change[first] += 1;
            change[end] -= 1;
        }
        let mut open = 0;
        self.covered = change[..all]
            .iter()
            .map(|change| {
                open += change;
                open > 0
            })
            .collect();
        if let Some(listed) = &self.listed {
            let places: Vec<Position> =
                (0..listed.len()).map(|row| Position::of(listed, row)).collect();
            self.points = places.clone();
            self.points.sort_unstable();
            self.points.dedup();
            let point = |place| self.points.binary_search(place).expect("among the points");
            self.point_of = places.iter().map(point).collect();
        }
    }
}

/// One thread's view of the queries: the segments of a batch, and the rows at each point.
#[derive(Debug, Default)]
pub struct Matcher {
    segments: Vec<u32>,
    /// Rows by point.
    pub at_points: Vec<u64>,
}

impl Matcher {
    /// No rows seen.
    pub fn new(set: &QuerySet) -> Self {
        Matcher { segments: Vec::new(), at_points: vec![0; set.points.len()] }
    }

    /// Finds the rows of a batch that some query asks for.
    pub fn batch(&mut self, set: &QuerySet, batch: &KeyBatch) {
        self.segments.clear();
        if !set.ranges.is_empty() {
            self.segments.extend((0..batch.len()).map(|row| {
                let segment = set.cuts.partition_point(|cut| cut.cmp_row(batch, row).is_le());
                if set.covered[segment] { segment as u32 } else { NONE }
            }));
        }
        if !set.points.is_empty() {
            for row in 0..batch.len() {
                let point = set.points.partition_point(|point| point.cmp_row(batch, row).is_lt());
                if set.points.get(point).is_some_and(|point| point.cmp_row(batch, row).is_eq()) {
                    self.at_points[point] += 1;
                }
            }
        }
    }

    /// The rows of the batch that ranges ask for: row and segment.
    pub fn matches(&self) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
        let rows = self.segments.iter().enumerate();
        rows.filter(|(_, segment)| **segment != NONE).map(|(row, &segment)| (row, segment as usize))
    }

    /// Adds what another thread saw.
    pub fn merge(&mut self, other: &Matcher) {
        self.at_points.iter_mut().zip(&other.at_points).for_each(|(mine, theirs)| *mine += theirs);
    }
}
