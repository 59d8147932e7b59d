//! How high the fullest node stands when only chance is at work: the law by which a strategy gives out
//! shares, and what follows from it for counts of keys.
//!
//! [`Law`] says how shares arise: fixed ones (hashing into fair parts, slots, table entries), or the
//! random arcs of a ring. With it come expectations (variance of a node's load), probabilities
//! ([`Law::bounds`], rigorous, and [`Law::peak`], their middle), and draws ([`trials`]). `explain`
//! compares what a person sees with them; `size` looks for the parameter that keeps the peak low.

pub mod draws;
pub mod trials;

use std::path::Path;

use crate::cluster::Cluster;
use crate::error::Error;
use crate::keys::KeyKind;
use crate::metrics::special::{beta_i, gamma_p};
use crate::params::Params;
use crate::strategy::{Build, StrategyInfo, Weights};

/// How the shares of nodes arise.
#[derive(Debug, Clone, PartialEq)]
pub enum Law {
    /// The strategy fixes them; they sum to 1. Fair ones, unless it rounds to slots or entries.
    Fixed(Vec<f64>),
    /// Random arcs of a ring: each node's number of points. Shares are Dirichlet.
    Points(Vec<f64>),
}

impl Law {
    /// The law of a strategy with these parameters on this cluster.
    ///
    /// Errors: the strategy has no law of shares (its shares depend on the keys' order or on a table), or
    /// it cannot be built.
    pub fn of(
        info: &'static StrategyInfo,
        params: &Params,
        cluster: &Cluster,
    ) -> Result<Self, Error> {
        let keys = if info.caps.integer_keys { KeyKind::I64 } else { KeyKind::Text };
        let build = Build { cluster, params, keys, replicas: 1, base: Path::new(".") };
        info.check(&build)?;
        if info.caps.sessions || params.get("probes").is_some() {
            return Err(no_law(info));
        }
        let fair = cluster.fair_shares();
        if let Some(points) = points(params, cluster) {
            return Ok(Law::Points(points));
        }
        match info.caps.weights {
            Weights::Equal | Weights::Exact if !has_own_shares(info) => Ok(Law::Fixed(fair)),
            Weights::Fixed => Err(no_law(info)),
            _ => {
                let placement = info.place(&build)?;
                let ownership = placement.ownership().ok_or_else(|| no_law(info))?;
                let mut shares = ownership.shares(cluster.ids);
                shares.truncate(fair.len());
                Ok(Law::Fixed(shares))
            }
        }
    }

    /// Expected shares.
    pub fn shares(&self) -> Vec<f64> {
        match self {
            Law::Fixed(shares) => shares.clone(),
            Law::Points(points) => {
                let total: f64 = points.iter().sum();
                points.iter().map(|p| p / total).collect()
            }
        }
    }

    /// Points of all nodes together; infinite where shares are fixed.
    pub fn points(&self) -> f64 {
        match self {
            Law::Fixed(_) => f64::INFINITY,
            Law::Points(points) => points.iter().sum(),
        }
    }

    /// Variance of a node's share of the load, for an expected share `q`: of the arcs, and of K keys that
    /// fall on them. `keys` infinite: the arcs alone.
    ///
    /// q(1−q)·(K + A) ÷ (K (A + 1)) for A points: the variance of a beta-binomial share.
    pub fn variance(&self, q: f64, keys: f64) -> f64 {
        let points = self.points();
        q * (1.0 - q) * dispersion(points, keys)
    }

    /// Expected cv² of load over fair load, with nodes of no fair share left out: first that of the
    /// placement (arcs, rounding), then that of K keys that sample it.
    pub fn cv_squared(&self, fair: &[f64], keys: f64) -> (f64, f64) {
        let shares = self.shares();
        let nodes = fair.iter().filter(|&&w| w > 0.0).count().max(1) as f64;
        let mean = |keys: f64| {
            let terms = shares.iter().zip(fair).filter(|(_, w)| **w > 0.0).map(|(&q, &w)| {
                let bias = q / w - 1.0;
                bias * bias + self.variance(q, keys) / (w * w)
            });
            terms.sum::<f64>() / nodes
        };
        let placement = mean(f64::INFINITY);
        (placement, (mean(keys) - placement).max(0.0))
    }

    /// P(load ≤ x · fair) of a node with expected share `q`, exact for fixed shares and for bare arcs. For
    /// keys on arcs a gamma distribution with the right mean and variance, and a lattice of whole keys.
    fn stays_below(&self, i: usize, q: f64, fair: f64, keys: f64, x: f64) -> f64 {
        let limit = x * fair;
        if q <= 0.0 {
            return 1.0;
        }
        match self {
            Law::Fixed(_) if keys.is_infinite() => f64::from(u8::from(q <= limit * (1.0 + 1e-12))),
            Law::Fixed(_) => {
                let most = libm::floor(limit * keys + 1e-9);
                // P(Bin ≤ k) = I_{1−q}(K−k, k+1).
                if most >= keys || q >= 1.0 {
                    f64::from(u8::from(most >= keys))
                } else {
                    beta_i(keys - most, most + 1.0, 1.0 - q)
                }
            }
            Law::Points(points) if keys.is_infinite() => {
                let total: f64 = points.iter().sum();
                let rest = total - points[i];
                if limit >= 1.0 || rest <= 0.0 {
                    f64::from(u8::from(limit >= 1.0))
                } else {
                    beta_i(points[i], rest, limit)
                }
            }
            Law::Points(_) => {
                let most = (libm::floor(limit * keys + 1e-9) + 0.5) / keys;
                let shape = q * q / self.variance(q, keys);
                gamma_p(shape, shape * most / q)
            }
        }
    }

    /// Bounds of P(max over mean ≤ x) with `keys` keys (infinite: of the shares themselves).
    ///
    /// At least 1 − Σ P(node above x) by the union bound. At most Π P(node below x), since multinomial
    /// counts and Dirichlet shares are negatively associated (K. Joag-Dev and F. Proschan, 1983,
    /// <https://doi.org/10.1214/aos/1176346079>). With P = 0.95 the two differ by 0.0012.
    pub fn bounds(&self, fair: &[f64], keys: f64, x: f64) -> [f64; 2] {
        let shares = self.shares();
        let (mut above, mut below) = (0.0, 1.0);
        let mut known: Option<((f64, f64), f64)> = None;
        for (i, (&q, &w)) in shares.iter().zip(fair).enumerate().filter(|(_, (_, w))| **w > 0.0) {
            // Equal nodes stand side by side, most often all of them.
            let p = match known {
                Some((of, p)) if of == (q, w) => p,
                _ => self.stays_below(i, q, w, keys, x),
            };
            known = Some(((q, w), p));
            above += 1.0 - p;
            below *= p;
        }
        [(1.0 - above).max(0.0), below]
    }

    /// The x that max over mean stays below with probability `p`, as if nodes were independent: the upper
    /// end of [`Law::bounds`]. Good to the third digit where p ≥ 0.5 and nodes are many.
    pub fn peak(&self, fair: &[f64], keys: f64, p: f64) -> f64 {
        let below = |x: f64| self.bounds(fair, keys, x)[1] < p;
        let (mut low, mut high) = (0.0, 2.0);
        while below(high) && high < 1e9 {
            low = high;
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if below(middle) { low = middle } else { high = middle }
        }
        high
    }
}

/// What multiplies q(1−q) in the variance of a share: of `keys` keys on arcs cut by `points` points.
pub fn dispersion(points: f64, keys: f64) -> f64 {
    match (points.is_infinite(), keys.is_infinite()) {
        (true, true) => 0.0,
        (true, false) => 1.0 / keys,
        (false, true) => 1.0 / (points + 1.0),
        (false, false) => (keys + points) / (keys * (points + 1.0)),
    }
}

/// Points of each node, for strategies that say how many: `vnodes` for each unit of weight, or `points`
/// shared out by weight.
fn points(params: &Params, cluster: &Cluster) -> Option<Vec<f64>> {
    let weights = cluster.nodes.iter().map(|node| node.weight);
    let number = |name: &str| params.get(name).and_then(|value| value.as_f64());
    let whole = |x: f64| if x > 0.0 { libm::floor(x + 0.5).max(1.0) } else { 0.0 };
    if let Some(vnodes) = number("vnodes") {
        return Some(weights.map(|w| whole(vnodes * w)).collect());
    }
    let total = cluster.total_weight();
    number("points").map(|points| weights.map(|w| whole(points * w / total)).collect())
}

/// Whether a strategy without weights gives unequal shares all the same.
pub fn has_own_shares(info: &StrategyInfo) -> bool {
    let cluster = Cluster::numbered(3, "{i}");
    let Ok(params) = Params::defaults(info.params) else { return true };
    let build = Build {
        cluster: &cluster,
        params: &params,
        keys: if info.caps.integer_keys { KeyKind::I64 } else { KeyKind::Text },
        replicas: 1,
        base: Path::new("."),
    };
    let owned = info.place(&build).ok().and_then(|placement| placement.ownership());
    owned.is_some_and(|owned| {
        owned.shares(3)[..3].iter().any(|share| libm::fabs(share - 1.0 / 3.0) > 1e-3)
    })
}

fn no_law(info: &StrategyInfo) -> Error {
    let has: Vec<&str> = crate::strategy::ALL
        .iter()
        .filter(|s| !matches!(s.caps.weights, Weights::Fixed) && !s.caps.sessions)
        .filter(|s| s.params.iter().all(|p| p.name != "probes"))
        .map(|s| s.name)
        .collect();
    Error::unsupported(format!("there is no law by which {} gives out shares", info.name))
        .help("its shares follow from the keys, a table, open requests or nearest probes")
        .help(format!("strategies with a law: {}", has.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::theory::{cv_owned_ring, cv_sampling};
    use crate::params::Value;
    use crate::strategy::find;

    #[track_caller]
    fn close(have: f64, want: f64, within: f64) {
        assert!((have - want).abs() <= within, "{have} for {want}");
    }

    fn law(name: &str, n: usize, given: &[(&str, Value)]) -> Law {
        let info = find(name).unwrap();
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(info.params, given).unwrap();
        Law::of(info, &params, &Cluster::numbered(n, "node{i}")).unwrap()
    }

    #[test]
    fn strategies_have_the_laws_of_their_shares() {
        assert_eq!(law("jump", 4, &[]), Law::Fixed(vec![0.25; 4]));
        assert_eq!(law("rendezvous", 4, &[]), Law::Fixed(vec![0.25; 4]));
        assert_eq!(law("ring", 2, &[("vnodes", Value::Int(7))]), Law::Points(vec![7.0; 2]));
        // 16384 slots on three masters: one of them has a slot more.
        let Law::Fixed(slots) = law("redis-slots", 3, &[]) else { panic!() };
        let counts: Vec<f64> = slots.iter().map(|s| s * 16384.0).collect();
        assert!(counts.iter().all(|c| *c == 5461.0 || *c == 5462.0), "{counts:?}");
        let range = find("range").unwrap();
        let params = Params::from_pairs(
            range.params,
            vec![("bounds".into(), Value::List(vec![Value::Int(5)]))],
        );
        if let Ok(params) = params {
            assert!(Law::of(range, &params, &Cluster::numbered(2, "{i}")).is_err());
        }
    }

    #[test]
    fn the_two_parts_of_cv_are_those_of_theory() {
        let fair = vec![1.0 / 16.0; 16];
        let (placement, sampling) = Law::Points(vec![160.0; 16]).cv_squared(&fair, 1e6);
        close(placement, cv_owned_ring(16, 160).powi(2), 1e-12);
        // The arcs' own variance takes a little from the sampling: (n−1)/K · A/(A+1).
        close(sampling, cv_sampling(16, 1_000_000).powi(2), 1e-8);
        let (placement, sampling) = Law::Fixed(fair.clone()).cv_squared(&fair, 1e6);
        close(placement, 0.0, 1e-20);
        close(sampling, cv_sampling(16, 1_000_000).powi(2), 1e-15);
    }

    /// One point a node: P(max share ≤ x) by inclusion and exclusion (W. Stevens, 1939).
    fn stevens(n: u32, x: f64) -> f64 {
        let mut sum = 1.0;
        let mut choose = 1.0;
        for k in 1..=n {
            choose *= f64::from(n - k + 1) / f64::from(k);
            let left = 1.0 - f64::from(k) * x;
            if left <= 0.0 {
                break;
            }
            let sign = if k % 2 == 1 { -1.0 } else { 1.0 };
            sum += sign * choose * left.powi(n as i32 - 1);
        }
        sum
    }

    #[test]
    fn bounds_hold_the_exact_probability() {
        for (n, over) in [(2u32, 1.8), (5, 2.5), (5, 3.5), (100, 9.0)] {
            let fair = vec![1.0 / f64::from(n); n as usize];
            let law = Law::Points(vec![1.0; n as usize]);
            let [low, high] = law.bounds(&fair, f64::INFINITY, over);
            let exact = stevens(n, over / f64::from(n));
            assert!(low <= exact + 1e-9 && exact <= high + 1e-9, "{low} {exact} {high}");
            if exact > 0.9 {
                close(low, high, 0.006);
            }
        }
    }

    #[test]
    fn known_peaks() {
        // A node of 16 with 160 points each: trials gave 1.08, 1.14 and 1.22 (5, 50, 95 %).
        let fair = vec![1.0 / 16.0; 16];
        let law = Law::Points(vec![160.0; 16]);
        close(law.peak(&fair, f64::INFINITY, 0.5), 1.14, 0.01);
        close(law.peak(&fair, f64::INFINITY, 0.95), 1.22, 0.015);
        // 100 nodes, one point each: the mean is H_100 = 5.19, the median near ln 100 − ln ln 2.
        let law = Law::Points(vec![1.0; 100]);
        close(law.peak(&vec![0.01; 100], f64::INFINITY, 0.5), 4.9, 0.1);
        // Two nodes, 100 keys: P(max ≤ 60) = 0.965.
        let law = Law::Fixed(vec![0.5; 2]);
        let [low, high] = law.bounds(&[0.5; 2], 100.0, 1.2);
        assert!(low <= 0.9648 && 0.9648 <= high, "{low} {high}");
    }
}
