//! Weights that do not arrive as they were meant: ignored, cut to whole points, cut to whole units.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, names, normalised, rest};
use crate::report::number::percent;

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "weights-rounded",
    title: "weights that are ignored or rounded away",
    check: "count the points or table entries that each node has",
    propose,
};

/// A way to round weights w of sum W on n nodes, and its words.
type Rounding = (fn(w: f64, sum: f64, nodes: f64) -> f64, &'static str);

/// The known ways.
const ROUNDINGS: [Rounding; 4] = [
    (|_, _, _| 1.0, "every weight counts as 1"),
    (|w, sum, n| libm::floor(w / sum * 40.0 * n) * 4.0, "ketama: ⌊w ÷ W · 40 · n⌋ · 4 points"),
    (|w, _, _| libm::floor(w), "weights cut to whole units"),
    (|w, sum, n| libm::floor(w / sum * n), "⌊w ÷ W · n⌋ points"),
];

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let weights = &case.seen.weights;
    if weights.windows(2).all(|pair| pair[0] == pair[1]) {
        return vec![];
    }
    let (sum, n) = (weights.iter().sum::<f64>(), case.nodes() as f64);
    let mut proposals = Vec::new();
    for (rounding, words) in ROUNDINGS {
        let round = |&w: &f64| if w > 0.0 { rounding(w, sum, n) } else { 0.0 };
        let units: Vec<f64> = weights.iter().map(round).collect();
        if units.iter().sum::<f64>() <= 0.0 {
            continue;
        }
        let none: Vec<usize> =
            (0..units.len()).filter(|&i| units[i] == 0.0 && weights[i] > 0.0).collect();
        let shares = normalised(units);
        if shares.iter().zip(&case.fair).all(|(s, w)| libm::fabs(s - w) < 1e-9) {
            continue;
        }
        let fit = case.fit(&shares, libm::log(ROUNDINGS.len() as f64));
        let most = case.extreme(true);
        let mut evidence = vec![format!(
            "{words}: {} gets {} % instead of {} %",
            case.seen.names[most],
            percent(shares[most], 2),
            percent(case.fair[most], 2)
        )];
        if !none.is_empty() {
            evidence.push(format!("nothing is left for {}", names(case, &none)));
        }
        evidence.extend(rest(case, fit, &shares));
        proposals.push(Proposal { shares, fit, evidence, plan: Box::new(remedy::equal_parts) });
    }
    proposals
}
