//! Does chance alone explain the counts, under the law of the stated strategy?

use super::super::super::peak::{Law, dispersion, trials};
use super::Case;
use crate::metrics::chi_square::chi_square;
use crate::metrics::interval::clopper_pearson;
use crate::metrics::special::normal_cdf;

/// Below this p-value chance is excluded.
pub const EXCLUDED: f64 = 0.001;
/// Below this it is doubtful.
pub const DOUBTFUL: f64 = 0.05;

/// The verdict on chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Such counts are ordinary.
    Explained,
    /// They come up once in 20 to 1000 times.
    Doubtful,
    /// They come up less than once in 1000 times.
    Excluded,
    /// They are more even than chance makes them.
    TooEven,
    /// Nobody said how many keys stand behind the amounts.
    Unknown,
}

/// Where a p-value comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// The chi-square distribution.
    Theory,
    /// A normal law with the statistic's own mean and variance: on many nodes.
    Normal,
    /// So many draws from the law, with the 99 % interval of the p-value.
    Trials {
        /// Draws.
        count: u32,
        /// Those at least as uneven.
        hits: u32,
        /// 99 % interval of the p-value.
        interval: [f64; 2],
    },
}

/// The test of counts against chance.
#[derive(Debug, Clone, PartialEq)]
pub struct Chance {
    /// Expected cv² from placement: points, slots, rounding.
    pub placement: f64,
    /// Expected cv² from the keys that sample it; 0 where their number is not known.
    pub sampling: f64,
    /// Measured cv.
    pub cv: f64,
    /// Position of the node that is furthest off, in standard deviations of its own load.
    pub furthest: usize,
    /// How many standard deviations. None: nothing varies.
    pub z: Option<f64>,
    /// Σ (count − expected)²/expected.
    pub chi_square: f64,
    /// Nodes tested, less one.
    pub dof: u64,
    /// P(chance is at least as uneven). None: not known.
    pub p: Option<f64>,
    /// P(chance is at most as uneven). None: not known.
    pub p_even: Option<f64>,
    /// P(the fullest node is at least as full by chance): union bound over nodes.
    pub p_peak: Option<f64>,
    /// Where p comes from.
    pub method: Method,
    /// Of `p` and `p_peak` the smaller, doubled (Bonferroni): what the verdict goes by.
    pub p_both: Option<f64>,
    /// Max over mean that chance gives in the middle 90 % of cases.
    pub band: [f64; 2],
    /// The verdict.
    pub verdict: Verdict,
}

impl Chance {
    /// Expected cv.
    pub fn cv_expected(&self) -> f64 {
        libm::sqrt(self.placement + self.sampling)
    }
}

/// Draws for a p-value.
const DRAWS: u32 = 10_000;

/// Nodes beyond which the statistic, a sum over nodes, is as good as normal.
const MANY_NODES: usize = 300;

/// P(the statistic is at least `seen`) on many nodes. Its mean is n − 1 variances of a node. The variance
/// is 2(n−1) of them squared, and more for what is not normal in a node: (Σ 1/q − n² − 2n + 2)/K for whole
/// keys (J. Haldane, 1937, <https://doi.org/10.1093/biomet/29.1-2.133>), 3/v as much again for the arcs of v
/// points.
fn by_normal(case: &Case<'_>, seen: f64) -> f64 {
    let keys = case.keys();
    let shares: Vec<f64> = case.expected.iter().copied().filter(|&q| q > 0.0).collect();
    let n = shares.len() as f64;
    let unit = dispersion(case.law.points(), keys);
    let mut variance = 2.0 * (n - 1.0);
    if keys.is_finite() {
        let inverse: f64 = shares.iter().map(|q| 1.0 / q).sum();
        variance += (inverse - n * n - 2.0 * n + 2.0) / keys;
    }
    if let Law::Points(points) = &case.law {
        variance *= 1.0 + 3.0 * n / points.iter().sum::<f64>();
    }
    let z = (seen / unit - (n - 1.0)) / libm::sqrt(variance.max(f64::MIN_POSITIVE));
    normal_cdf(-z)
}

/// Seed of the draws: any fixed number, so that the same counts get the same answer.
const SEED: u64 = 20_260_101;

/// Tests a case.
pub fn test(case: &Case<'_>) -> Chance {
    let keys = case.keys();
    let (placement, sampling) = case.law.cv_squared(&case.fair, keys);
    let total = case.total as f64;
    let statistic = |shares: &mut dyn Iterator<Item = f64>| -> f64 {
        let terms = shares.zip(&case.expected).filter(|(_, q)| **q > 0.0);
        terms.map(|(s, &q)| (s - q) * (s - q) / q).sum()
    };
    let seen = statistic(&mut case.counts.iter().map(|&c| c as f64 / total));
    let (furthest, z) = furthest(case, keys);
    let peak = case.counts[case.extreme(true)] as f64
        / (total * case.fair[case.extreme(true)]).max(f64::MIN_POSITIVE);
    let knows_spread = case.seen.keys.is_some() || matches!(case.law, Law::Points(_));
    let theory = match (&case.law, case.seen.keys) {
        (Law::Fixed(_), Some(_)) => chi_square(&case.counts, &case.expected),
        _ => None,
    };
    let dof = case.expected.iter().filter(|&&q| q > 0.0).count().saturating_sub(1) as u64;
    let (p, p_even, method) = match theory {
        Some(test) => (Some(test.p), Some(1.0 - test.p), Method::Theory),
        None if !knows_spread => (None, None, Method::Theory),
        None if case.fair.len() > MANY_NODES => {
            let p = by_normal(case, seen);
            (Some(p), Some(1.0 - p), Method::Normal)
        }
        None => {
            let count = DRAWS;
            // Sums of the same counts in another order differ in the last digits.
            let drawn = trials::trials(&case.law, case.seen.keys, count, SEED, |shares| {
                let drawn = statistic(&mut shares.iter().copied());
                (drawn >= seen * (1.0 - 1e-12), drawn <= seen * (1.0 + 1e-12))
            });
            let hits = drawn.iter().filter(|d| d.0).count() as u32;
            let below = drawn.iter().filter(|d| d.1).count() as u32;
            let interval = clopper_pearson(u64::from(hits), u64::from(count), 0.99);
            let p = |of: u32| Some(((f64::from(of) + 1.0) / (f64::from(count) + 1.0)).min(1.0));
            (p(hits), p(below), Method::Trials { count, hits, interval })
        }
    };
    // One key less than seen: P(at least as many).
    let below = peak - 0.5 / (total * case.fair[case.extreme(true)]);
    let p_peak = knows_spread.then(|| 1.0 - case.law.bounds(&case.fair, keys, below)[0]);
    let band = trials::peaks(&case.law, &case.fair, case.seen.keys, [0.05, 0.95]);
    let p_both = p.map(|p| p_peak.map_or(p, |peak| (2.0 * p.min(peak)).min(1.0)));
    let verdict = verdict(p_both, p_even);
    let cv = case.balance().cv;
    let chi_square = seen * total;
    Chance {
        placement,
        sampling,
        cv,
        furthest,
        z,
        chi_square,
        dof,
        p,
        p_even,
        p_both,
        p_peak,
        method,
        band,
        verdict,
    }
}

/// The verdict by [`Chance::p_both`] and [`Chance::p_even`].
fn verdict(p_both: Option<f64>, p_even: Option<f64>) -> Verdict {
    match p_both {
        None => Verdict::Unknown,
        _ if p_even.is_some_and(|p| p < EXCLUDED) => Verdict::TooEven,
        Some(p) if p < EXCLUDED => Verdict::Excluded,
        Some(p) if p < DOUBTFUL => Verdict::Doubtful,
        Some(_) => Verdict::Explained,
    }
}

/// The node that is furthest from its expected load in its own standard deviations.
fn furthest(case: &Case<'_>, keys: f64) -> (usize, Option<f64>) {
    let total = case.total as f64;
    let z = |i: usize| {
        let q = case.expected[i];
        let sd = libm::sqrt(case.law.variance(q, keys));
        let off = case.counts[i] as f64 / total - q;
        if sd > 0.0 { Some(off / sd) } else { None }
    };
    let size = |i: usize| z(i).map_or(0.0, libm::fabs);
    let at = (0..case.expected.len())
        .max_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a)))
        .expect("two nodes at least");
    (at, z(at))
}

#[cfg(test)]
mod tests {
    use super::super::tests::seen;
    use super::*;
    use crate::params::{Params, Value};
    use crate::strategy;

    fn tested(counts: &[f64], strategy: &str, vnodes: Option<i64>) -> Chance {
        let info = strategy::find(strategy).unwrap();
        let given = vnodes.map(|v| ("vnodes".to_string(), Value::Int(v))).into_iter().collect();
        let params = Params::from_pairs(info.params, given).unwrap();
        test(&Case::new(&seen(counts), info, &params).unwrap())
    }

    #[test]
    fn z_and_p_of_two_equal_nodes() {
        // 100 keys as 60 and 40: z = 2, chi-square 4, p = 0.0455.
        let chance = tested(&[60.0, 40.0], "modulo", None);
        assert!((chance.z.unwrap() - 2.0).abs() < 1e-12);
        assert!((chance.chi_square - 4.0).abs() < 1e-12);
        assert!((chance.p.unwrap() - 0.0455).abs() < 1e-4);
        assert_eq!(chance.method, Method::Theory);
    }

    #[test]
    fn rings_are_judged_by_their_points() {
        // A node at 0.37 of the mean of five with 160 points each is 8.9 σ off.
        let counts = [309_436.0, 278_731.0, 74_299.0, 146_689.0, 190_845.0];
        let chance = tested(&counts, "ring", Some(160));
        assert!((chance.z.unwrap() + 8.9).abs() < 0.1, "{chance:?}");
        assert_eq!((chance.furthest, chance.verdict), (2, Verdict::Excluded));
        assert!((chance.cv_expected() - 0.0707).abs() < 1e-3);
        // With one point a node the same counts are ordinary.
        assert_eq!(tested(&counts, "ring", Some(1)).verdict, Verdict::Explained);
    }

    /// The normal law of many nodes against 300 draws at its quartiles: a share of ½ ± 0.15 is below the
    /// median, five standard errors.
    #[test]
    fn many_nodes_are_judged_by_a_normal_law() {
        for (law, keys) in
            [(Law::Points(vec![4.0; 400]), 50_000), (Law::Fixed(vec![1.0 / 400.0; 400]), 800)]
        {
            let info = strategy::find("jump").unwrap();
            let params = Params::defaults(info.params).unwrap();
            let mut below = 0;
            trials::trials(&law, Some(keys), 300, 4, |shares| {
                shares.iter().map(|s| s * keys as f64 + 0.25).map(libm::floor).collect::<Vec<f64>>()
            })
            .into_iter()
            .for_each(|counts| {
                let seen = seen(&counts);
                let mut case = Case::new(&seen, info, &params).unwrap();
                case.law = law.clone();
                let statistic = counts
                    .iter()
                    .map(|c| (c / keys as f64 - 0.0025) * (c / keys as f64 - 0.0025) / 0.0025)
                    .sum();
                below += u32::from(by_normal(&case, statistic) > 0.5);
            });
            assert!((105..=195).contains(&below), "{law:?}: {below}");
        }
        assert_eq!(tested(&[2.0; 400], "jump", None).method, Method::Normal);
    }

    #[test]
    fn too_even_is_noticed() {
        let chance = tested(&[1000.0; 8], "jump", None);
        assert_eq!(chance.verdict, Verdict::TooEven);
        // A million keys as an ideal hash spreads them are far too even for arcs, of any number of points.
        let hashed =
            [62_637.0, 62_633.0, 62_482.0, 62_079.0, 62_185.0, 62_495.0, 62_487.0, 62_318.0];
        assert_eq!(tested(&hashed, "modulo", None).verdict, Verdict::Explained);
        for vnodes in [1, 160] {
            assert_eq!(tested(&hashed, "ring", Some(vnodes)).verdict, Verdict::TooEven);
        }
        assert_eq!(tested(&[2000.0; 400], "ring", Some(160)).verdict, Verdict::TooEven);
        // Few keys lie evenly by chance now and then.
        assert_eq!(tested(&[2.0, 2.0], "modulo", None).verdict, Verdict::Explained);
    }

    #[test]
    fn few_keys_are_judged_by_trials() {
        // Both of two keys on one of two nodes: every second time.
        let chance = tested(&[0.0, 2.0], "modulo", None);
        assert_eq!(chance.verdict, Verdict::Explained);
        let Method::Trials { hits, count, interval } = chance.method else { panic!() };
        assert!((f64::from(hits) / f64::from(count) - 0.5).abs() < 0.03);
        assert!(interval[0] < 0.5 && 0.5 < interval[1]);
    }
}
