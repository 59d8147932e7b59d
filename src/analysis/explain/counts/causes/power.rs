//! No power of two: ranges that split in halves, or a mask of low bits with the rest folded back (linear
//! hashing, stable modulo). With n = 2^k + r parts, 2r are half as large as the others.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal, ln_choose, normalised, rest};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "no-power-of-two",
    title: "halved ranges or folded low bits on a number of nodes that is no power of two",
    check: "the large nodes have two of the next power of two's parts; at 2^k nodes all are even",
    propose,
};

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let n = case.counts.len();
    if n.is_power_of_two() || case.nodes() != n {
        return vec![];
    }
    let half = 1 << n.ilog2();
    let beyond = n - half;
    let (small, large) = (2 * beyond, half - beyond);
    // Linear hashing: number i and its split image 2^k + i are small.
    let by_number = (0..n).map(|i| if i < beyond || i >= half { 1.0 } else { 2.0 });
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| case.counts[b].cmp(&case.counts[a]).then(a.cmp(&b)));
    let mut by_size = vec![1.0; n];
    order[..large].iter().for_each(|&i| by_size[i] = 2.0);
    let models = [
        (by_number.collect(), 0.0, "by number, as linear hashing leaves them"),
        (by_size, ln_choose(n, small), "the fullest ones"),
    ];
    let proposal = |(units, choices, which): (Vec<f64>, f64, &str)| {
        let shares = normalised(units);
        // Two arrangements to choose from.
        let fit = case.fit(&shares, choices + std::f64::consts::LN_2);
        let mut evidence = vec![format!(
            "{n} = {half} + {beyond}: {small} small and {large} double ones, {which}"
        )];
        evidence.extend(rest(case, fit, &shares));
        Proposal {
            shares,
            fit,
            evidence,
            plan: Box::new(move |case| remedy::next_power(case, half)),
        }
    };
    models.into_iter().map(proposal).collect()
}
