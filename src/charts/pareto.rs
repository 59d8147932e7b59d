//! The Pareto front of an advice: skew against bytes, told apart by what is moved, with the steps of a
//! look-up beside each name.

use super::model::{Axis, Chart, Dots, Layer, Mark, Scale, Unit};
use super::palette::{AXIS, Look};
use super::render::render;
use crate::analysis::advise::front::Cost;
use crate::analysis::advise::measures::Measures;
use crate::analysis::advise::{Advice, Candidate};
use crate::report::number::{fixed, percent};
use crate::scenario::CANDIDATES_HASHER;

/// Stem of its file.
pub const STEM: &str = "pareto";

/// Per cent over fair below which a skew is drawn at the edge: a log axis has no zero.
const LEAST_PERCENT: f64 = 0.5;

/// Most lines of a mark's text.
const MOST_LINES: usize = 8;

/// What moves beyond the least: name, and up to which share.
const MOVEMENT: &[(&str, f64)] = &[
    ("moves only what must move", 0.0005),
    ("moves up to 10 % of the keys more", 0.1),
    ("moves more than that", f64::INFINITY),
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
    for front in [false, true] {
        for (i, (name, most)) in MOVEMENT.iter().enumerate() {
            let least = i.checked_sub(1).map_or(f64::NEG_INFINITY, |before| MOVEMENT[before].1);
            let of = |m: &Measures| m.excess >= least && m.excess < *most;
            let these = left.iter().filter(|(c, m)| c.front == front && of(m));
            let points: Vec<_> = these.map(|(c, m)| point(c, m)).collect();
            if points.is_empty() {
                continue;
            }
            let look = Look::series(i);
            let (whose, look, radius) = match front {
                true => ("front", look, 7.0),
                false => ("beaten by one on the front", Look { colour: AXIS, ..look }, 3.5),
            };
            let name = match advice.changes {
                true => format!("{whose}: {name}"),
                false => whose.to_string(),
            };
            layers.push(Layer::Dots(Dots { name, points, look, radius }));
        }
    }
    layers.push(Layer::Marks(marks(&left)));
    let behind = left.iter().filter(|(candidate, _)| !candidate.front).count();
    Some(Chart {
        suffix: String::new(),
        title: "What is left, and what is best in some respect".into(),
        subtitle: advice.title.clone(),
        x: Axis::new("Bytes of a router's tables, log scale", Unit::Number, Scale::Log),
        y: Axis::new(
            "What the fullest node carries beyond its fair load, log scale",
            Unit::Percent,
            Scale::Log,
        ),
        layers,
        notes: vec![
            format!(
                "Named: the {} candidates on the front, with the steps of a look-up and what they move beyond the least; without a name: {behind} \
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
    (x, y, [vec![short(candidate)], steps(measures)].concat().join(", "))
}

/// A mark for each place on the front, with the names of all that stand there.
fn marks(left: &[(&Candidate, Measures)]) -> Vec<Mark> {
    let mut marks: Vec<Mark> = Vec::new();
    for (candidate, measures) in left.iter().filter(|(candidate, _)| candidate.front) {
        let (x, y) = place(measures);
        let lines = [vec![short(candidate)], steps(measures)].concat();
        match marks.iter_mut().find(|mark| (mark.x, mark.y) == (x, y)) {
            // Equal costs but for the steps, or in all.
            Some(mark) if mark.lines.last() == lines.last() => {
                let at = mark.lines.len() - 1;
                mark.lines.insert(at, lines[0].clone());
            }
            Some(mark) => mark.lines.extend(lines),
            None => marks.push(Mark { x, y, lines }),
        }
    }
    for mark in &mut marks {
        let more = mark.lines.len().saturating_sub(MOST_LINES);
        if more > 0 {
            mark.lines.truncate(MOST_LINES);
            mark.lines.push(format!("and {more} lines more in the table"));
        }
    }
    marks
}

/// The candidate's name without the hash function that most have in common; that stands in the table.
fn short(candidate: &Candidate) -> String {
    let parts = candidate.candidate.split('/').enumerate();
    let parts = parts.filter(|(i, part)| *i != 1 || *part != CANDIDATES_HASHER);
    parts.map(|(_, part)| part).collect::<Vec<_>>().join(" ")
}

/// Steps of a look-up, and what moves beyond the least; nothing of what is not known or nothing.
fn steps(measures: &Measures) -> Vec<String> {
    let steps = measures.lookup_steps.map(|steps| format!("{} steps", fixed(steps, 1)));
    let more = measures.excess >= MOVEMENT[0].1;
    let moves = more.then(|| format!("moves {} % more", percent(measures.excess, 1)));
    let said: Vec<String> = [steps, moves].into_iter().flatten().collect();
    if said.is_empty() { said } else { vec![said.join(", ")] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::advise::SCHEMA;

    fn candidate(name: &str, rank: usize, front: bool, bytes: u64, excess: f64) -> Candidate {
        let measures = Measures {
            load: "keys",
            max_over_mean: 1.02,
            p95: None,
            moved: excess,
            excess,
            lookup_steps: Some(2.0),
            table_bytes: bytes,
            nodes_asked: None,
            differs: None,
            homeless: 0.0,
        };
        Candidate {
            candidate: name.into(),
            strategy: name.into(),
            preset: None,
            rank: (rank > 0).then_some(rank),
            front,
            dominated_by: None,
            measures: Some(measures),
            ruled_out: Vec::new(),
        }
    }

    fn advice(candidates: Vec<Candidate>) -> Advice {
        Advice {
            schema: SCHEMA.into(),
            shardlab: String::new(),
            scenario: "s".into(),
            title: "t".into(),
            setting: String::new(),
            needs: Vec::new(),
            changes: true,
            own_list: true,
            candidates,
            not_tried: Vec::new(),
        }
    }

    #[test]
    fn only_the_front_is_named_and_equal_places_share_a_mark() {
        let chart = chart(&advice(vec![
            candidate("ring/xxh3-64/vnodes=40", 1, true, 64, 0.0),
            candidate("jump/xxh3-64", 2, true, 64, 0.0),
            candidate("maglev/xxh3-64", 3, true, 4, 0.01),
            candidate("behind", 4, false, 99, 0.0),
            candidate("out", 0, false, 1, 0.0),
        ]));
        let chart = chart.unwrap();
        let Some(Layer::Marks(marks)) = chart.layers.last() else { panic!("no marks") };
        let lines: Vec<_> = marks.iter().map(|mark| mark.lines.join("|")).collect();
        assert_eq!(lines, ["ring vnodes=40|jump|2.0 steps", "maglev|2.0 steps, moves 1.0 % more"]);
        let dots = chart.layers.iter().filter_map(|layer| match layer {
            Layer::Dots(dots) => Some((dots.name.as_str(), dots.points.len())),
            _ => None,
        });
        assert_eq!(
            dots.collect::<Vec<_>>(),
            [
                ("beaten by one on the front: moves only what must move", 1),
                ("front: moves only what must move", 2),
                ("front: moves up to 10 % of the keys more", 1),
            ]
        );
        assert!(render(&chart, STEM).contains("ring vnodes=40"));
    }

    #[test]
    fn where_nothing_is_left_nothing_is_drawn() {
        assert_eq!(draw(&advice(vec![candidate("out", 0, false, 1, 0.0)])), None);
    }
}
