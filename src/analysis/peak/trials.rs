//! Draws from a law: how uneven chance alone makes the loads, in a stated number of trials.

use rayon::prelude::*;

use super::Law;
use super::draws::{dirichlet, multinomial};
use crate::metrics::spread::Spread;
use crate::rng::{Purpose, Stream};

/// Loads per node as shares, in each of `count` trials, reduced by `measure`. `keys` of None: the shares
/// that infinitely many keys would show. Trial t depends on `seed` and t alone.
pub fn trials<T: Send>(
    law: &Law,
    keys: Option<u64>,
    count: u32,
    seed: u64,
    measure: impl Fn(&[f64]) -> T + Sync,
) -> Vec<T> {
    (0..u64::from(count))
        .into_par_iter()
        .map_init(
            || (Vec::new(), Vec::new()),
            |(shares, counts), t| {
                let mut stream = Stream::new(seed, Purpose::Chance, t);
                match law {
                    Law::Fixed(fixed) => shares.clone_from(fixed),
                    Law::Points(points) => dirichlet(&mut stream, points, shares),
                }
                if let Some(keys) = keys {
                    multinomial(&mut stream, keys, shares, counts);
                    let total = keys.max(1) as f64;
                    shares.iter_mut().zip(&*counts).for_each(|(s, &c)| *s = c as f64 / total);
                }
                measure(shares)
            },
        )
        .collect()
}

/// The spread over fair shares in each trial.
pub fn spreads(law: &Law, fair: &[f64], keys: Option<u64>, count: u32, seed: u64) -> Vec<Spread> {
    trials(law, keys, count, seed, |shares| Spread::of_shares(shares, fair))
}

/// Most nodes for which [`peaks`] draws: beyond, nodes are as good as independent.
const FEW_NODES: usize = 64;

/// Draws of [`peaks`].
const PEAK_DRAWS: u32 = 2000;

/// From this probability on the bounds of [`Law::bounds`] lie within 0.005 on any number of nodes.
const SHARP: f64 = 0.9;

/// The values that max over mean stays below with these probabilities: from [`Law::peak`] where it is
/// sharp, and from draws for low probabilities on few nodes, whose loads depend on each other.
pub fn peaks<const N: usize>(
    law: &Law,
    fair: &[f64],
    keys: Option<u64>,
    probabilities: [f64; N],
) -> [f64; N] {
    const SEED: u64 = 20_260_102;
    // Nothing is fuller than one node with everything.
    let least = fair.iter().copied().filter(|&w| w > 0.0).fold(1.0, f64::min);
    let by_law =
        |p: f64| law.peak(fair, keys.map_or(f64::INFINITY, |k| k as f64), p).min(1.0 / least);
    if fair.len() > FEW_NODES || probabilities.iter().all(|&p| p >= SHARP) {
        return probabilities.map(by_law);
    }
    let drawn = spreads(law, fair, keys, PEAK_DRAWS, SEED);
    let mut tops: Vec<f64> = drawn.iter().map(|spread| spread.max_over_mean).collect();
    tops.sort_by(f64::total_cmp);
    let rank = |p: f64| (libm::ceil(p * tops.len() as f64) as usize).clamp(1, tops.len()) - 1;
    probabilities.map(|p| if p >= SHARP { by_law(p) } else { tops[rank(p)] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_of_few_and_of_many_nodes_meet() {
        for n in [64usize, 65] {
            let fair = vec![1.0 / n as f64; n];
            let [median, p95] = peaks(&Law::Points(vec![100.0; n]), &fair, None, [0.5, 0.95]);
            assert!(
                (median - 1.24).abs() < 0.015 && (p95 - 1.33).abs() < 0.02,
                "{n}: {median} {p95}"
            );
        }
        // The larger of two arcs is uniform on [½, 1].
        let [median] = peaks(&Law::Points(vec![1.0; 2]), &[0.5; 2], None, [0.5]);
        assert!((median - 1.5).abs() < 0.04, "{median}");
        let [most] = peaks(&Law::Points(vec![1.0; 2]), &[0.5; 2], Some(1), [0.95]);
        assert_eq!(most, 2.0);
    }

    /// The median and the 95th percentile of 4000 trials against the law's own: the share of trials
    /// below each is within four standard errors, and the approximation's own error.
    #[test]
    fn peaks_agree_with_trials() {
        for (law, keys, error) in [
            (Law::Points(vec![160.0; 16]), None, 0.012),
            (Law::Points(vec![8.0; 3]), None, 0.09),
            (Law::Points(vec![64.0; 40]), Some(20_000u64), 0.02),
            (Law::Fixed(vec![0.1; 10]), Some(5000), 0.03),
            (Law::Fixed(vec![0.05; 20]), Some(60), 0.02),
        ] {
            let n = law.shares().len();
            let fair = vec![1.0 / n as f64; n];
            let outcomes = spreads(&law, &fair, keys, 4000, 1);
            let with = keys.map_or(f64::INFINITY, |k| k as f64);
            for x in [law.peak(&fair, with, 0.5), law.peak(&fair, with, 0.95)] {
                let p = law.bounds(&fair, with, x)[1];
                let below = outcomes.iter().filter(|o| o.max_over_mean <= x + 1e-9).count();
                let have = below as f64 / 4000.0;
                let bound = error + 4.0 * (p * (1.0 - p) / 4000.0f64).sqrt();
                assert!((have - p).abs() <= bound, "{law:?} {x}: {have} for {p}");
            }
        }
    }

    #[test]
    fn trials_are_the_same_on_any_number_of_threads() {
        let law = Law::Points(vec![3.0; 5]);
        let max = |s: &[f64]| s.iter().fold(0.0f64, |m, &x| m.max(x));
        let all = trials(&law, Some(100), 50, 9, max);
        let few = trials(&law, Some(100), 10, 9, max);
        assert_eq!(all[..10], few[..]);
    }
}
