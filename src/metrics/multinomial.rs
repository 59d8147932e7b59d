//! The exact chance that every count of a multinomial lies within its bounds.

use super::special::{beta_i, poisson_pmf};

/// Multiplications beyond which the exact chance is not computed: some tenths of a second.
pub const MOST_WORK: f64 = 3e8;

/// P(low ≤ count ≤ high for every category) for `keys` draws over categories with these shares, which
/// sum to 1. None where that takes more than [`MOST_WORK`] multiplications.
///
/// Counts of a multinomial are independent Poisson counts under the condition that they sum to the number
/// of draws (B. Levin, 1981, <https://doi.org/10.1214/aos/1176345593>): the distribution of the sum of the
/// counts within their bounds is convolved category by category.
pub fn within(shares: &[f64], bounds: &[(u64, u64)], keys: u64) -> Option<f64> {
    assert_eq!(shares.len(), bounds.len(), "bounds for every category");
    if bounds.iter().any(|(low, high)| low > high) {
        return Some(0.0);
    }
    if let ([a, _], [first, second]) = (shares, bounds) {
        let low = first.0.max(keys.saturating_sub(second.1));
        let high = first.1.min(keys.saturating_sub(second.0));
        return Some(if low > high || second.0 > keys {
            0.0
        } else {
            binomial(*a, keys, low, high)
        });
    }
    if work(bounds, keys) > MOST_WORK {
        return None;
    }
    // `sums[i]` is P(all counts so far within bounds, and their sum is `least` + i).
    let (mut sums, mut least) = (vec![1.0], 0u64);
    for (&share, &(low, high)) in shares.iter().zip(bounds) {
        let high = high.min(keys);
        if low > high {
            return Some(0.0);
        }
        let counts: Vec<f64> = (low..=high).map(|n| poisson_pmf(n, share * keys as f64)).collect();
        let mut next = vec![0.0; (sums.len() + counts.len() - 1).min(reach(keys, least + low))];
        for (i, &sum) in sums.iter().enumerate().take(next.len()) {
            next[i..].iter_mut().zip(&counts).for_each(|(next, count)| *next += sum * count);
        }
        sums = next;
        least += low;
    }
    let at = keys.checked_sub(least).map(|i| i as usize);
    let sum = at.and_then(|i| sums.get(i)).copied().unwrap_or(0.0);
    Some((sum / poisson_pmf(keys, keys as f64)).clamp(0.0, 1.0))
}

/// Sums from `least` to `keys`, at least one.
fn reach(keys: u64, least: u64) -> usize {
    (keys.saturating_sub(least) + 1) as usize
}

fn work(bounds: &[(u64, u64)], keys: u64) -> f64 {
    let (mut work, mut range) = (0.0, 1.0);
    for &(low, high) in bounds {
        let width = (high.min(keys) as f64 - low as f64 + 1.0).max(1.0);
        work += width * range;
        range += width;
    }
    work
}

/// P(low ≤ X ≤ high) for X binomial.
fn binomial(p: f64, n: u64, low: u64, high: u64) -> f64 {
    // P(X ≥ k) = I_p(k, n − k + 1).
    let at_least = |k: u64| match k {
        0 => 1.0,
        k if k > n => 0.0,
        k => beta_i(k as f64, (n - k + 1) as f64, p),
    };
    (at_least(low) - at_least(high.saturating_add(1))).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways to share out the keys, one by one.
    fn enumerated(shares: &[f64], bounds: &[(u64, u64)], keys: u64) -> f64 {
        fn walk(shares: &[f64], bounds: &[(u64, u64)], left: u64, so_far: f64) -> f64 {
            let ([share, rest @ ..], [(low, high), more @ ..]) = (shares, bounds) else {
                return if left == 0 { so_far } else { 0.0 };
            };
            let mut term = so_far;
            let mut sum = 0.0;
            for n in 0..=left {
                if n > 0 {
                    term *= share / n as f64;
                }
                if (*low..=*high).contains(&n) {
                    sum += walk(rest, more, left - n, term);
                }
            }
            sum
        }
        let factorial: f64 = (1..=keys).map(|n| n as f64).product();
        walk(shares, bounds, keys, factorial)
    }

    #[test]
    fn agrees_with_enumeration() {
        type Case<'a> = (&'a [f64], &'a [(u64, u64)], u64);
        let cases: [Case<'_>; 5] = [
            (&[0.25; 4], &[(2, 4); 4], 12),
            (&[0.5, 0.3, 0.2], &[(5, 8), (2, 6), (0, 4)], 13),
            (&[0.5, 0.25, 0.25, 0.0], &[(0, 20), (3, 5), (0, 9), (0, 0)], 20),
            (&[0.3, 0.7], &[(2, 5), (7, 20)], 12),
            (&[0.2; 5], &[(3, 3); 5], 15),
        ];
        for (shares, bounds, keys) in cases {
            let (have, want) = (within(shares, bounds, keys), enumerated(shares, bounds, keys));
            assert!((have.unwrap() / want - 1.0).abs() < 1e-11, "{have:?} for {want}");
        }
    }

    #[test]
    fn the_ends_are_0_and_1() {
        let third = [1.0 / 3.0; 3];
        assert!((within(&third, &[(0, 100); 3], 100).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(within(&third, &[(40, 100); 3], 100), Some(0.0), "40 thrice is too much");
        assert_eq!(within(&third, &[(0, 30); 3], 100), Some(0.0), "30 thrice is too little");
        assert_eq!(within(&third, &[(1, 0), (0, 9), (0, 9)], 9), Some(0.0), "an empty interval");
        assert_eq!(within(&[0.5; 2], &[(60, 100); 2], 100), Some(0.0));
        assert_eq!(within(&third, &[(0, 1 << 40); 3], 1 << 40), None, "too much work");
    }
}
