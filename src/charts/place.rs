//! Finds free places for texts inside the plot: near their point, off other texts, off lines where
//! that can be had.

use super::text::Frame;

/// Directions in which a text can lie from its point, the best first.
const DIRECTIONS: [(f64, f64); 12] = [
    (0.71, -0.71),
    (1.0, 0.0),
    (0.71, 0.71),
    (-0.71, -0.71),
    (0.0, -1.0),
    (0.0, 1.0),
    (-1.0, 0.0),
    (-0.71, 0.71),
    (0.92, -0.38),
    (0.92, 0.38),
    (-0.92, -0.38),
    (-0.92, 0.38),
];

/// Distances of a text from its point in pixels.
const DISTANCES: [f64; 9] = [12.0, 20.0, 34.0, 50.0, 75.0, 105.0, 140.0, 190.0, 250.0];

/// Free pixels between a point and the text straight above it: more than the ring of a mark takes.
pub const ABOVE: f64 = 11.0;

/// What a text on a line costs, in pixels of distance, for each 10 pixels of line beneath it.
const ON_LINE: f64 = 40.0;

/// What it costs that the leader of a text runs through another.
const CROSSING: f64 = 120.0;

/// The free room of a plot.
#[derive(Debug, Clone, PartialEq)]
pub struct Room {
    plot: Frame,
    taken: Vec<Frame>,
    lines: Vec<(f64, f64)>,
    edges: Vec<(f64, f64)>,
}

impl Room {
    /// An empty plot.
    pub fn new(plot: Frame) -> Self {
        Room { plot, taken: Vec::new(), lines: Vec::new(), edges: Vec::new() }
    }

    /// Nothing may cover this.
    pub fn take(&mut self, frame: Frame) {
        self.taken.push(frame);
    }

    /// A line that texts should rather not cover.
    pub fn avoid(&mut self, points: &[(f64, f64)]) {
        self.lines.extend(samples(points));
    }

    /// The edge of an area, which texts should rather not cover either, but can be read on.
    pub fn avoid_edge(&mut self, points: &[(f64, f64)]) {
        self.edges.extend(samples(points));
    }

    /// Whether a line runs beneath a text here.
    pub fn has_lines(&self, frame: &Frame) -> bool {
        self.lines.iter().any(|p| holds(frame, *p))
    }

    /// The place straight above a point, moved sideways as far as the plot's edges ask, and taken from then
    /// on; None where it is not free.
    pub fn above(&mut self, (x, y): (f64, f64), width: f64, height: f64) -> Option<Frame> {
        let half = width / 2.0;
        let (least, most) = (self.plot.left + half, self.plot.right - half);
        let x = if least <= most { x.clamp(least, most) } else { return None };
        let frame = centred(x, y - ABOVE - height / 2.0, width, height);
        let free = self.plot.contains(&frame) && self.taken.iter().all(|t| !t.overlaps(&frame));
        free.then(|| {
            self.take(frame);
            frame
        })
    }

    /// The best free place of a text of this width and height that belongs to a point; taken from
    /// then on. None when the plot is full.
    pub fn find(&mut self, point: (f64, f64), width: f64, height: f64) -> Option<Frame> {
        let near = DISTANCES
            .iter()
            .flat_map(|&d| DIRECTIONS.iter().enumerate().map(move |(i, dir)| (d, i, dir)));
        let near = near.map(|(distance, rank, (dx, dy))| {
            let x = point.0 + dx * distance + dx * width / 2.0;
            let y = point.1 + dy * distance + dy * height / 2.0;
            (distance + rank as f64, centred(x, y, width, height))
        });
        let best = self.best(point, near);
        let best = best.or_else(|| {
            // Anywhere, on a grid as fine as half the text.
            let (w, h) = (self.plot.right - self.plot.left, self.plot.bottom - self.plot.top);
            let (columns, rows) = ((w / width * 4.0) as usize, (h / height * 2.0) as usize);
            let cells = (0..=columns.min(60)).flat_map(|i| (0..=rows.min(60)).map(move |j| (i, j)));
            let cells = cells.map(|(i, j)| {
                let x = self.plot.left + width / 2.0 + i as f64 * width / 4.0;
                let y = self.plot.top + height / 2.0 + j as f64 * height / 2.0;
                (libm::hypot(x - point.0, y - point.1), centred(x, y, width, height))
            });
            self.best(point, cells)
        })?;
        self.avoid(&[point, best.nearest(point)]);
        self.take(best);
        Some(best)
    }

    fn best(&self, point: (f64, f64), places: impl Iterator<Item = (f64, Frame)>) -> Option<Frame> {
        let free = places.filter(|(_, frame)| {
            let roomy = frame.grown(3.0);
            self.plot.contains(frame) && self.taken.iter().all(|t| !t.overlaps(&roomy))
        });
        let priced = free.map(|(cost, frame)| {
            let beneath =
                self.lines.iter().chain(&self.edges).filter(|p| holds(&frame, **p)).count() as f64;
            let crossed = if self.crosses(point, frame.nearest(point)) { CROSSING } else { 0.0 };
            (cost + ON_LINE * beneath + crossed, frame)
        });
        priced.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, frame)| frame)
    }

    /// Whether the leader from a point to its text would run through another text or mark.
    fn crosses(&self, point: (f64, f64), end: (f64, f64)) -> bool {
        let at = |i: u32| {
            let t = f64::from(i) / 20.0;
            (point.0 + (end.0 - point.0) * t, point.1 + (end.1 - point.1) * t)
        };
        let mut others = self.taken.iter().filter(|t| !holds(t, point));
        others.any(|t| (1..20).any(|i| holds(t, at(i))))
    }
}

/// Points along a line, 10 pixels apart or less.
fn samples(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut samples = Vec::new();
    for pair in points.windows(2) {
        let [(x0, y0), (x1, y1)] = [pair[0], pair[1]];
        let length = libm::hypot(x1 - x0, y1 - y0);
        let steps = libm::ceil(length / 10.0).clamp(1.0, 400.0) as usize;
        for i in 0..=steps {
            let t = i as f64 / steps as f64;
            samples.push((x0 + (x1 - x0) * t, y0 + (y1 - y0) * t));
        }
    }
    samples
}

fn holds(frame: &Frame, (x, y): (f64, f64)) -> bool {
    frame.left < x && x < frame.right && frame.top < y && y < frame.bottom
}

fn centred(x: f64, y: f64, width: f64, height: f64) -> Frame {
    Frame {
        left: x - width / 2.0,
        top: y - height / 2.0,
        right: x + width / 2.0,
        bottom: y + height / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_fill_a_plot_without_overlap_until_it_is_full() {
        let plot = Frame { left: 0.0, top: 0.0, right: 200.0, bottom: 100.0 };
        let mut room = Room::new(plot);
        let mut placed: Vec<Frame> = Vec::new();
        while let Some(frame) = room.find((100.0, 50.0), 40.0, 15.0) {
            assert!(plot.contains(&frame) && placed.iter().all(|p| !p.overlaps(&frame)));
            placed.push(frame);
        }
        assert!(placed.len() >= 8, "{}", placed.len());
    }

    #[test]
    fn a_text_above_its_point_stays_in_the_plot_and_off_what_is_taken() {
        let mut room = Room::new(Frame { left: 0.0, top: 0.0, right: 200.0, bottom: 100.0 });
        let frame = room.above((5.0, 50.0), 60.0, 16.0).unwrap();
        assert_eq!((frame.left, frame.bottom), (0.0, 50.0 - ABOVE));
        assert_eq!(room.above((40.0, 50.0), 60.0, 16.0), None, "the place of the first");
        assert_eq!(room.above((100.0, 20.0), 60.0, 16.0), None, "above the plot");
        assert!(room.above((199.0, 50.0), 60.0, 16.0).unwrap().right <= 200.0);
    }

    #[test]
    fn a_text_keeps_off_a_line() {
        let mut room = Room::new(Frame { left: 0.0, top: 0.0, right: 300.0, bottom: 300.0 });
        room.avoid(&[(0.0, 150.0), (300.0, 150.0)]);
        let frame = room.find((150.0, 150.0), 60.0, 20.0).unwrap();
        assert!(frame.bottom <= 150.0 || frame.top >= 150.0, "{frame:?}");
    }
}
