//! The Pareto front of an advice: skew against bytes, told apart by what is moved, with the steps of a
//! look-up beside each name.

use super::model::{Axis, Chart, Dots, Layer, Mark, Scale, Unit};
use super::palette::{AXIS, Look};
use super::render::render;
use crate::analysis::advise::front::Cost;
use crate::analysis::advise::measures::Measures;
use crate::analysis::advise::{Advice, Candidate};
use crate::report::number::fixed;
use crate::scenario::CANDIDATES_HASHER;

/// Stem of its file.
pub const STEM: &str = "pareto";

/// Per cent over fair below which a skew is drawn at the edge: a log axis has no zero.
const LEAST_PERCENT: f64 = 0.5;

/// What moves beyond the least: name, and up to which share.
const MOVEMENT: &[(&str, f64)] = &[
    ("front: moves only what must move", 0.0005),
    ("front: moves up to 10 % of the keys more", 0.1),
    ("front: moves more than that", f64::INFINITY),
];

/// The chart as SVG; None where nothing is left.
pub fn draw(advice: &Advice) -> Option<String> {
    chart(advice).map(|chart| render(&chart, STEM))
}

/// The chart as data.
pub fn chart(advice: &Advice) -> Option<Chart> {
    let left: Vec<(&Candidate, Measures)> = advice
        .candidates
        .iter()
        .filter(|candidate| candidate.rank.is_some())
        .filter_map(|candidate| Some((candidate, candidate.measures?)))
        .collect();
    if left.is_empty() {
        return None;
    }
    let mut layers = Vec::new();
    let mut behind_name = Some("beaten by one of these in all respects".to_string());
    for front in [false, true] {
        for (i, (name, most)) in MOVEMENT.iter().enumerate() {
            let least = i.checked_sub(1).map_or(f64::NEG_INFINITY, |before| MOVEMENT[before].1);
            let of = |m: &Measures| m.excess >= least && m.excess < *most;
            let these = left.iter().filter(|(c, m)| c.front == front && of(m));
            let points: Vec<_> = these.map(|(c, m)| point(c, m)).collect();
            if points.is_empty() {
                continue;
            }
            let name = if advice.changes { *name } else { "front" };
            let look = Look::series(i);
            let (name, look, radius) = match front {
                true => (name.to_string(), look, 7.0),
                false => {
                    (behind_name.take().unwrap_or_default(), Look { colour: AXIS, ..look }, 3.5)
                }
            };
            layers.push(Layer::Dots(Dots { name, points, look, radius }));
        }
    }
    let marks = left.iter().filter(|(candidate, _)| candidate.front);
    layers.push(Layer::Marks(marks.map(|(c, m)| mark(c, m)).collect()));
    let behind = left.iter().filter(|(candidate, _)| !candidate.front).count();
    Some(Chart {
        suffix: String::new(),
        title: "What is left, and what is best in some respect".into(),
        subtitle: advice.title.clone(),
        x: Axis::new("Bytes of a router's tables, log scale", Unit::Number, Scale::Log),
        y: Axis::new("Fullest node over its fair load, log scale", Unit::Percent, Scale::Log),
        layers,
        notes: vec![
            format!(
                "Named: the {} candidates on the front, with the steps of a look-up; without a name: {behind} \
                 that one of them beats in skew, movement, steps and bytes.",
                left.len() - behind
            ),
            format!(
                "Skew: the larger of measured and 95 % of draws, the worst of all steps; below {LEAST_PERCENT} % \
                 it is drawn there."
            ),
        ],
    })
}

/// Where a candidate stands: bytes, and per cent over fair as they are compared.
fn place(measures: &Measures) -> (f64, f64) {
    let cost = Cost::of(measures);
    let over = cost.skew as f64 - 100.0;
    ((cost.bytes as f64).max(1.0), over.max(LEAST_PERCENT))
}

fn point(candidate: &Candidate, measures: &Measures) -> (f64, f64, String) {
    let (x, y) = place(measures);
    (x, y, mark(candidate, measures).lines.join(", "))
}

fn mark(candidate: &Candidate, measures: &Measures) -> Mark {
    let (x, y) = place(measures);
    // The hash function is the same for most, and stands in the table.
    let parts = candidate.candidate.split('/').enumerate();
    let parts = parts.filter(|(i, part)| *i != 1 || *part != CANDIDATES_HASHER);
    let name: Vec<&str> = parts.map(|(_, part)| part).collect();
    let steps = measures.lookup_steps.map(|steps| format!("{} steps", fixed(steps, 1)));
    Mark { x, y, lines: [Some(name.join(" ")), steps].into_iter().flatten().collect() }
}
