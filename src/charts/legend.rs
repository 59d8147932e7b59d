//! The names of the layers: beside the ends of lines, in a column to the right, or below the plot.
//! No name is ever left out or cut.

use super::model::{Chart, Fill, Layer};
use super::palette::{Look, Rgb};
use super::scale::Map;
use super::text::{self, Weight};

/// Font size of names.
pub const SIZE: f64 = 14.0;
/// Height of a line of a name.
pub const LINE: f64 = 18.0;
/// Width of the sample of a layer's look, the gap before its name included.
pub const SAMPLE: f64 = 38.0;
/// Width of the leaders from the plot to names.
pub const LEADER: f64 = 26.0;
/// Height of a row of a legend below the plot.
pub const ROW: f64 = 24.0;

/// Free pixels between two names.
const GAP: f64 = 6.0;
/// Widest name beside the plot before it wraps.
const WIDEST: f64 = 250.0;
/// A name beside the plot has at most so many lines.
const MOST_LINES: usize = 3;
/// More names than this are a list, not direct labels.
const MOST_DIRECT: usize = 6;
/// A line that ends further than this before the others is named inside the plot.
const NEAR: f64 = 60.0;

/// What the sample beside a name shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Sample {
    /// A line with a marker.
    Line(Look),
    /// A faint area.
    Area(Rgb),
    /// A filled box.
    Box(Look, Fill),
    /// Two markers joined by a line.
    Span(Look),
    /// A marker.
    Dot(Look),
}

/// A name to be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The layer's number.
    pub layer: usize,
    /// The name, in lines.
    pub lines: Vec<String>,
    /// What stands beside it.
    pub sample: Sample,
    /// Where the layer ends near the right edge of the plot, when the name stands beside it.
    pub target: Option<(f64, f64)>,
    /// Left end of the sample and middle of the first line.
    pub at: (f64, f64),
}

/// All names of a chart and where they go.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Legend {
    /// Names beside the plot; `at.0` counts from the plot's right edge.
    pub beside: Vec<Entry>,
    /// Names below the plot; `at` counts from the left margin and the top of the block.
    pub below: Vec<Entry>,
    /// Layers to be named inside the plot.
    pub inside: Vec<usize>,
}

impl Legend {
    /// Distributes the names. `width` is the width of the sheet between its margins, `height` what
    /// the plot has at least.
    pub fn new(chart: &Chart, width: f64, height: f64) -> Legend {
        let named: Vec<usize> =
            (0..chart.layers.len()).filter(|&i| sample(&chart.layers[i]).is_some()).collect();
        let rules_inside = chart.is_horizontal();
        let named: Vec<usize> = named
            .into_iter()
            .filter(|&i| !(rules_inside && matches!(chart.layers[i], Layer::Rule(_))))
            .collect();
        let beside: Vec<Entry> = named.iter().map(|&i| entry(chart, i, WIDEST)).collect();
        let tall: f64 = beside.iter().map(Entry::height).sum();
        if tall <= height && beside.iter().all(|e| e.lines.len() <= MOST_LINES) {
            return Legend { beside, ..Legend::default() };
        }
        let mut below: Vec<Entry> =
            named.iter().map(|&i| entry(chart, i, width - SAMPLE - GAP)).collect();
        flow(&mut below, width);
        Legend { below, ..Legend::default() }
    }

    /// Pixels that the names beside the plot need.
    pub fn width_beside(&self) -> f64 {
        let widest = self.beside.iter().map(Entry::width).fold(0.0, f64::max);
        if self.beside.is_empty() { 0.0 } else { LEADER + SAMPLE + widest }
    }

    /// Pixels that the names below the plot need.
    pub fn height_below(&self) -> f64 {
        let lowest = self.below.iter().map(|e| e.at.1 + e.lines.len() as f64 * LINE);
        lowest.fold(0.0, f64::max)
    }

    /// Places the names beside the plot, whose edges are given in pixels.
    pub fn place(&mut self, chart: &Chart, x: &Map, y: &Map, right: f64, top: f64, bottom: f64) {
        let ends: Vec<Option<(f64, f64)>> =
            self.beside.iter().map(|e| end(&chart.layers[e.layer], x, y, right)).collect();
        let is_line = |e: &Entry| !matches!(chart.layers[e.layer], Layer::Rule(_));
        let lines =
            self.beside.iter().zip(&ends).filter(|(e, _)| is_line(e)).filter_map(|(_, end)| *end);
        let last = lines.map(|end| end.0).fold(0.0, f64::max);
        let anchored = ends.iter().flatten().filter(|e| e.0 >= last - NEAR).count();
        if anchored <= MOST_DIRECT {
            let mut kept = Vec::new();
            for (mut entry, end) in std::mem::take(&mut self.beside).into_iter().zip(ends) {
                match end {
                    Some((px, _)) if is_line(&entry) && px < last - NEAR => {
                        self.inside.push(entry.layer)
                    }
                    Some(end) => {
                        entry.target = Some(end);
                        kept.push(entry);
                    }
                    None => kept.push(entry),
                }
            }
            self.beside = kept;
        } else {
            // A list, in the order in which the lines end.
            let mut order: Vec<(f64, Entry)> = Vec::new();
            for (entry, end) in std::mem::take(&mut self.beside).into_iter().zip(ends) {
                order.push((end.map_or(top, |e| e.1), entry));
            }
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            self.beside = order.into_iter().map(|(_, entry)| entry).collect();
        }
        let height = |e: &Entry| e.target.map_or(top, |t| t.1);
        self.beside.sort_by(|a, b| height(a).total_cmp(&height(b)));
        let wanted: Vec<(f64, f64)> = self
            .beside
            .iter()
            .map(|e| (e.target.map_or(top, |t| t.1 - e.height() / 2.0), e.height()))
            .collect();
        for (entry, place) in self.beside.iter_mut().zip(spread(&wanted, top - LINE / 2.0, bottom))
        {
            entry.at = (LEADER, place + GAP / 2.0 + LINE / 2.0);
        }
    }
}

impl Entry {
    fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE + GAP
    }

    fn width(&self) -> f64 {
        self.lines.iter().map(|l| text::width(l, SIZE, Weight::Regular)).fold(0.0, f64::max)
    }
}

fn entry(chart: &Chart, layer: usize, width: f64) -> Entry {
    let (name, sample) = sample(&chart.layers[layer]).expect("only named layers have entries");
    let lines = text::wrap(name, SIZE, Weight::Regular, width);
    Entry { layer, lines, sample, target: None, at: (0.0, 0.0) }
}

/// Name and sample of a layer that has a name.
pub fn sample(layer: &Layer) -> Option<(&str, Sample)> {
    let (name, sample) = match layer {
        Layer::Line(line) => (&line.name, Sample::Line(line.look)),
        Layer::Band(band) => (&band.name, Sample::Area(band.colour)),
        Layer::Bars(bars) => (&bars.name, Sample::Box(bars.look, bars.fill)),
        Layer::Spans(spans) => (&spans.name, Sample::Span(spans.look)),
        Layer::Periods(periods) => (&periods.name, Sample::Box(periods.look, periods.fill)),
        Layer::Rule(rule) => (&rule.name, Sample::Line(rule.look)),
        Layer::Heat(heat) => {
            let look = Look { colour: heat.colour, ..Look::series(0) };
            (&heat.name, Sample::Box(look, Fill::Solid))
        }
        Layer::Dots(dots) => (&dots.name, Sample::Dot(dots.look)),
        Layer::Marks(_) => return None,
    };
    (!name.is_empty()).then_some((name, sample))
}

/// The last place of a line, a band or a rule in the plot.
fn end(layer: &Layer, x: &Map, y: &Map, right: f64) -> Option<(f64, f64)> {
    let place = |px: f64, py: f64| Some((x.px(px)?, y.px(py)?));
    match layer {
        Layer::Line(line) => line.points.iter().rev().find_map(|&(px, py)| place(px, py)),
        Layer::Band(band) => band.points.iter().rev().find_map(|&(px, low, high)| {
            let (low, high) = (place(px, low)?, place(px, high)?);
            Some((low.0, (low.1 + high.1) / 2.0))
        }),
        Layer::Rule(rule) => Some((right, y.px(rule.at)?)),
        Layer::Bars(_)
        | Layer::Spans(_)
        | Layer::Periods(_)
        | Layer::Marks(_)
        | Layer::Dots(_)
        | Layer::Heat(_) => None,
    }
}

/// Lays entries out in rows of equal columns, as many as fit.
fn flow(entries: &mut [Entry], width: f64) {
    let widest = entries.iter().map(Entry::width).fold(0.0, f64::max) + SAMPLE + 24.0;
    let columns = (libm::floor(width / widest) as usize).clamp(1, entries.len().max(1));
    let mut top = 0.0;
    for row in entries.chunks_mut(columns) {
        for (i, entry) in row.iter_mut().enumerate() {
            entry.at = (i as f64 * width / columns as f64, top + LINE / 2.0);
        }
        let lines = row.iter().map(|e| e.lines.len()).max().unwrap_or(1);
        top += ROW + (lines - 1) as f64 * LINE;
    }
}

/// Places stretches of given lengths as near as they can be to where they want to begin, in the
/// order given, without overlap, within `low` … `high` if they fit there: pools of neighbours that
/// would overlap move together to the mean of their wishes.
pub fn spread(wanted: &[(f64, f64)], low: f64, high: f64) -> Vec<f64> {
    struct Pool {
        first: usize,
        count: usize,
        length: f64,
        /// Sum over members of (wish − offset within the pool).
        wishes: f64,
    }
    let begin = |pool: &Pool| {
        let mean = pool.wishes / pool.count as f64;
        mean.min(high - pool.length).max(low)
    };
    let mut pools: Vec<Pool> = Vec::new();
    for (i, &(wish, length)) in wanted.iter().enumerate() {
        pools.push(Pool { first: i, count: 1, length, wishes: wish });
        while let [.., a, b] = &pools[..] {
            if begin(a) + a.length <= begin(b) {
                break;
            }
            let b = pools.pop().expect("there are two");
            let a = pools.last_mut().expect("there are two");
            a.wishes += b.wishes - a.length * b.count as f64;
            a.count += b.count;
            a.length += b.length;
        }
    }
    let mut places = vec![0.0; wanted.len()];
    for pool in &pools {
        let mut at = begin(pool);
        for i in pool.first..pool.first + pool.count {
            places[i] = at;
            at += wanted[i].1;
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_keep_their_wish_where_they_can() {
        assert_eq!(spread(&[(10.0, 5.0), (30.0, 5.0)], 0.0, 100.0), [10.0, 30.0]);
    }

    #[test]
    fn crowded_stretches_share_the_shift_and_stay_inside() {
        assert_eq!(spread(&[(10.0, 10.0), (10.0, 10.0)], 0.0, 100.0), [5.0, 15.0]);
        assert_eq!(spread(&[(98.0, 10.0), (99.0, 10.0)], 0.0, 100.0), [80.0, 90.0]);
        assert_eq!(
            spread(&[(-5.0, 10.0), (-4.0, 10.0), (50.0, 10.0)], 0.0, 100.0),
            [0.0, 10.0, 50.0]
        );
    }

    #[test]
    fn random_stretches_never_overlap() {
        let mut rng = crate::rng::Stream::new(5, crate::rng::Purpose::Keys, 0);
        for _ in 0..200 {
            let n = rng.below(12) as usize + 1;
            let mut wanted: Vec<(f64, f64)> =
                (0..n).map(|_| (rng.unit() * 300.0 - 20.0, 5.0 + rng.unit() * 15.0)).collect();
            wanted.sort_by(|a, b| a.0.total_cmp(&b.0));
            let places = spread(&wanted, 0.0, 260.0);
            for i in 0..n {
                assert!(places[i] >= 0.0 && places[i] + wanted[i].1 <= 260.0 + 1e-9);
                if i > 0 {
                    assert!(places[i - 1] + wanted[i - 1].1 <= places[i] + 1e-9);
                }
            }
        }
    }
}
