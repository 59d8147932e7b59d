//! Theory: what to expect of a step before any key is placed. Printed beside the measurement.

use super::{Family, MetricInfo, Unit};

/// What theory expects.
pub static FAMILY: Family = Family {
    name: "theory",
    forms: &["theory.STAT"],
    metrics: &[
        MetricInfo {
            name: "cv-owned",
            unit: Unit::Share,
            range: "0 and more",
            doc: "expected cv of the owned shares of a ring",
            formula: "√((n−1) ÷ (n·v+1)) for v points a node; with weights by the shares' covariances",
            source: "points cut the ring into Dirichlet spacings: H. David and H. Nagaraja, \
                     Order Statistics, 2003, section 6.4",
            read: |p| p.step.theory.cv_owned,
        },
        MetricInfo {
            name: "cv-sampling",
            unit: Unit::Share,
            range: "0 and more",
            doc: "cv that an ideal hash shows with that many keys: the sampling floor",
            formula: "√((n−1) ÷ K)",
            source: "standard deviation of a multinomial count",
            read: |p| p.step.theory.cv_sampling,
        },
        MetricInfo {
            name: "hot-key-floor",
            unit: Unit::Ratio,
            range: "0 and more; binds above 1",
            doc: "max over mean of requests that the hottest row forces on any single owner",
            formula: "f ÷ the largest fair share; f·n on equal nodes",
            source: "the owner of the row has its share of the load at least",
            read: |p| p.step.theory.hot_key_floor,
        },
        MetricInfo {
            name: "share-moved",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of the keys expected to move at the step, where a closed form is known",
            formula: "modulo n → m: 1 − min(n,m) ÷ lcm(n,m); minimal strategies: the minimum share",
            source: "",
            read: |p| p.step.theory.share_moved,
        },
    ],
};

/// Expected cv of the owned shares of a ring with `n` ≥ 1 nodes of `v` ≥ 1 points each:
/// √((n−1)/(n·v+1)), the root of `E[cv²]`. 0.0765 at 16 × 160.
pub fn cv_owned_ring(n: u64, v: u64) -> f64 {
    libm::sqrt((n as f64 - 1.0) / (n as f64 * v as f64 + 1.0))
}

/// The same for nodes with different numbers of points: the root of `E[cv²]` of owned share ÷ fair
/// share. A node with p of P points owns a Beta(p, P−p) share; the shares are Dirichlet, so that of
/// their ratios rᵢ to the fair shares, with means mᵢ, Var rᵢ = mᵢ²·(P−p)/(p·(P+1)) and
/// Cov(rᵢ, rⱼ) = −mᵢ·mⱼ/(P+1). Nodes without a fair share are left out.
pub fn cv_owned_points(points: &[u32], fair: &[f64]) -> f64 {
    let total: f64 = points.iter().map(|&p| f64::from(p)).sum();
    let (mut n, mut means, mut squares, mut variances) = (0.0, 0.0, 0.0, 0.0);
    for (&p, &fair) in points.iter().zip(fair).filter(|(p, fair)| **p > 0 && **fair > 0.0) {
        let p = f64::from(p);
        let mean = p / total / fair;
        n += 1.0;
        means += mean;
        squares += mean * mean;
        variances += mean * mean * (total - p) / (p * (total + 1.0));
    }
    if n == 0.0 {
        return 0.0;
    }
    let of_mean = (variances - (means * means - squares) / (total + 1.0)) / (n * n);
    let expected = (variances + squares) / n - of_mean - (means / n) * (means / n);
    libm::sqrt(expected.max(0.0))
}

/// Cv that an ideal hash shows with `keys` ≥ 1 keys on `n` ≥ 1 equal nodes: √((n−1)/K).
pub fn cv_sampling(n: u64, keys: u64) -> f64 {
    libm::sqrt((n as f64 - 1.0) / keys as f64)
}

/// The same for unequal fair shares: count over fair count has variance (1−w)/(w·K). Shares of 0
/// are left out.
pub fn cv_sampling_shares(fair: &[f64], keys: u64) -> f64 {
    let shares = fair.iter().filter(|&&w| w > 0.0);
    mean_root(shares.map(|w| (1.0 - w) / (w * keys as f64)))
}

fn mean_root(variances: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = variances.fold((0.0, 0u64), |(sum, n), v| (sum + v, n + 1));
    if n == 0 { 0.0 } else { libm::sqrt(sum / n as f64) }
}

/// The max over mean of requests that a row with share `hottest` of them forces: its owner has at
/// least that share, and at most the largest of the fair shares. `hottest`·n on equal nodes.
pub fn hot_key_floor(hottest: f64, fair: &[f64]) -> f64 {
    let largest = fair.iter().fold(0.0f64, |largest, &share| largest.max(share));
    if largest > 0.0 { hottest / largest } else { 0.0 }
}

/// Share of the keys that hash mod `n` → hash mod `m` moves: 1 − min(n,m) ÷ lcm(n,m). Exact for
/// whole periods of raw numbers, in expectation for hashed ones; `n`, `m` ≥ 1.
pub fn modulo_moved(n: u64, m: u64) -> f64 {
    // min ÷ lcm = min·gcd ÷ (n·m) = gcd ÷ max.
    let largest = n.max(m);
    (largest - gcd(n, m)) as f64 / largest as f64
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Share of the keys that jump hash moves when the node at `position` (from 0) of `n` ≥ 2 leaves and
/// the later ones close the gap: 1 − i/n − 1/(n(n−1)), and 1/n for the last.
///
/// Keys of earlier nodes stay (i/n). Keys of number j ≥ i keep their number and so go to the next
/// name. Keys of the last number, which is no more, fall evenly on the n−1 others; those that fall on
/// number n−2 find the old last node there and stay, 1/n · 1/(n−1) of all.
pub fn jump_removal_moved(n: u64, position: u64) -> f64 {
    assert!(n >= 2 && position < n, "position {position} of {n}");
    let (n, i) = (n as f64, position as f64);
    if position as f64 == n - 1.0 { 1.0 / n } else { 1.0 - i / n - 1.0 / (n * (n - 1.0)) }
}

/// Share of the keys that any strategy must move from one set of fair shares to the other, both by
/// node id: half their L1 distance. |m−n| ÷ max(n,m) for equal nodes.
pub fn minimum_share(before: &[f64], after: &[f64]) -> f64 {
    let rows = before.len().max(after.len());
    let at = |shares: &[f64], i: usize| shares.get(i).copied().unwrap_or(0.0);
    (0..rows).map(|i| libm::fabs(at(after, i) - at(before, i))).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[track_caller]
    fn close(have: f64, want: f64, within: f64) {
        assert!((have - want).abs() <= within, "{have} for {want}");
    }

    #[test]
    fn rings_as_the_design_states_them() {
        close(cv_owned_ring(16, 160).powi(2), 0.005857, 5e-7);
        close(cv_owned_points(&[160; 16], &[1.0 / 16.0; 16]), cv_owned_ring(16, 160), 1e-12);
        assert_eq!(cv_owned_ring(1, 100), 0.0);
        // Two nodes, one point each: the share is uniform, of variance 1/12, against a mean of ½.
        close(cv_owned_ring(2, 1), (1.0f64 / 3.0).sqrt(), 1e-15);
    }

    /// Shares of a ring of random points, 4000 rings: the mean of cv² within 5 standard errors.
    #[test]
    fn rings_agree_with_simulation() {
        let mut stream = Stream::new(2, Purpose::Trials, 0);
        // Points as the fair shares ask for, and rounded: 1, 2 and 1 of 4 for shares of 0.2, 0.5, 0.3.
        let even = [0.2; 5];
        let rings: [(&[u32], &[f64]); 3] = [
            (&[3; 5], &even),
            (&[2, 4, 8], &[1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0]),
            (&[1, 2, 1], &[0.2, 0.5, 0.3]),
        ];
        for (points, fair) in rings {
            let (mut sum, mut squares) = (0.0, 0.0);
            let rings = 4000;
            for _ in 0..rings {
                let mut cuts: Vec<(u64, usize)> = Vec::new();
                for (node, &p) in points.iter().enumerate() {
                    cuts.extend((0..p).map(|_| (stream.next_u64(), node)));
                }
                cuts.sort_unstable();
                let mut owned = vec![0.0; points.len()];
                let mut last = cuts[cuts.len() - 1].0;
                for &(cut, node) in &cuts {
                    owned[node] += cut.wrapping_sub(last) as f64 / 2f64.powi(64);
                    last = cut;
                }
                let cv2 = crate::metrics::balance::balance_of_shares(&owned, fair).cv.powi(2);
                sum += cv2;
                squares += cv2 * cv2;
            }
            let mean = sum / f64::from(rings);
            let error = ((squares / f64::from(rings) - mean * mean) / f64::from(rings)).sqrt();
            close(mean, cv_owned_points(points, fair).powi(2), 5.0 * error);
        }
    }

    #[test]
    fn sampling_floors() {
        close(cv_sampling(16, 1_000_000), 0.003873, 5e-7);
        close(cv_sampling_shares(&[1.0 / 16.0; 16], 1_000_000), cv_sampling(16, 1_000_000), 1e-15);
        // (0.75/0.25 + 0.25/0.75) / 2 ÷ K.
        close(cv_sampling_shares(&[0.25, 0.0, 0.75], 100), (10.0f64 / 6.0 / 100.0).sqrt(), 1e-15);
    }

    #[test]
    fn hot_keys_force_their_share_on_one_node() {
        close(hot_key_floor(0.1, &[1.0 / 16.0; 16]), 1.6, 1e-15);
        close(hot_key_floor(0.3, &[0.4, 0.6]), 0.5, 1e-15);
        assert_eq!(hot_key_floor(0.3, &[]), 0.0);
    }

    #[test]
    fn modulo_moves_what_counting_a_period_says() {
        assert_eq!(modulo_moved(8, 12), 2.0 / 3.0);
        assert_eq!(modulo_moved(8, 16), 0.5);
        assert_eq!(modulo_moved(3, 100), 0.99);
        assert_eq!(modulo_moved(16, 16), 0.0);
        for n in 1..15u64 {
            for m in 1..15u64 {
                let period = n * m;
                let moved = (0..period).filter(|k| k % n != k % m).count();
                close(modulo_moved(n, m), moved as f64 / period as f64, 1e-15);
            }
        }
    }

    /// Jump hash of J. Lamping and E. Veach, 2014, as published.
    fn jump(mut key: u64, buckets: i64) -> u64 {
        let (mut b, mut j) = (-1i64, 0i64);
        while j < buckets {
            b = j;
            key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
            j = ((b + 1) as f64 * ((1u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
        }
        b as u64
    }

    /// 40 000 keys: within 5 standard deviations of a share, 0.0125 at most.
    #[test]
    fn jump_removals_agree_with_jump() {
        let mut stream = Stream::new(4, Purpose::Keys, 0);
        let keys: Vec<u64> = (0..40_000).map(|_| stream.next_u64()).collect();
        for (n, i) in [(2, 0), (2, 1), (5, 0), (5, 2), (5, 3), (5, 4), (16, 3)] {
            let moved = keys.iter().filter(|&&key| {
                let after = jump(key, n - 1);
                let node_after = if after >= i { after + 1 } else { after };
                jump(key, n) != node_after
            });
            let have = moved.count() as f64 / keys.len() as f64;
            close(have, jump_removal_moved(n as u64, i), 0.0125);
        }
    }

    #[test]
    fn minimum_shares() {
        let equal = |n: usize| vec![1.0 / n as f64; n];
        close(minimum_share(&equal(8), &equal(12)), 1.0 / 3.0, 1e-15);
        close(minimum_share(&equal(16), &equal(15)), 1.0 / 16.0, 1e-15);
        close(minimum_share(&[0.5, 0.5, 0.0], &[0.0, 0.5, 0.5]), 0.5, 1e-15);
        assert_eq!(minimum_share(&equal(8), &equal(8)), 0.0);
    }
}
