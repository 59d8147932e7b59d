//! Fixed ring: a ring whose total number of points is given, so that a node's share of them depends on
//! how many nodes there are.
//!
//! # Idea
//! The table has one size for any cluster, which some systems prefer to a ring that grows. But when a node
//! joins, every other node loses points, and when one leaves all others gain some: keys move between nodes
//! that stayed, about as many again as the least that must move.
//!
//! # Source
//! Envoy's ring hash load balancer and its `minimum_ring_size`,
//! <https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/load_balancers>;
//! libketama's 160 points times the share of the memory (R. Jones, 2007).
//!
//! # Cost
//! As the ring, with `points` for n·v.
//!
//! # Choices made where the source is silent
//! - A node of weight w has round(points·w / Σw) points, halves up, at least one; none at weight 0. So the
//!   total may differ from `points` by half a point a node. (Envoy deals out exactly, in the order of its
//!   hosts; libketama rounds down to multiples of four.)
//! - The points of a node are its labels from 0 on: more points keep the old ones.
//! - All else is the ring's.
//!
//! # Checked against
//! What `INFO.checked` says.

use super::ring::{self, Ring};
use super::{Caps, Cost, History, Movement, Order, StrategyInfo, Weights};
use crate::cluster::{Cluster, Node};
use crate::params::{Default, Param, Type};

/// Largest total.
const MAX_POINTS: i64 = 8_388_608;

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "fixed-ring",
    title: "Ring of fixed size",
    summary: "a ring whose total of points is fixed: each node's number of points depends on the others",
    source: "Envoy ring hash, https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/load_balancers",
    checked: "the plain ring where the numbers agree; twice the least movement, nearly",
    caps: Caps { weights: Weights::Rounded, replicas: true, names: true, ..Caps::NONE },
    movement: Movement::Bounded,
    history: History::Free,
    order: Order::Free,
    params: &[
        ring::PARAMS[0],
        ring::PARAMS[1],
        ring::PARAMS[2],
        Param::new(
            "points",
            Type::Int { min: 1, max: MAX_POINTS },
            Default::Int(1024),
            "points of all nodes together; each has at least one",
        ),
        ring::PARAMS[4],
        ring::PARAMS[5],
        ring::PARAMS[6],
        ring::PARAMS[7],
    ],
    cost: Cost { lookup: "O(1)", change: "O(points)", bytes: "8–16 · points (32-bit digests)" },
    build: |build| {
        let counts = counts(build.cluster, build.params.int("points"));
        Ok(Box::new(Ring::with_counts(INFO.name, build, &counts)?))
    },
};

/// Points of each node in the cluster's order.
fn counts(cluster: &Cluster, points: i64) -> Vec<u32> {
    let total = cluster.total_weight();
    let count = |node: &Node| match node.weight {
        0.0 => 0,
        weight => libm::floor(points as f64 * (weight / total) + 0.5).max(1.0) as u32,
    };
    cluster.nodes.iter().map(count).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{built, equal, weighted};
    use super::*;
    use crate::params::Value;

    #[test]
    fn points_are_the_share_of_the_total() {
        assert_eq!(counts(&equal(3), 1024), [341; 3]);
        assert_eq!(counts(&weighted(&[1.0, 2.0, 0.0, 1e-9, 1e300]), 10), [1, 1, 0, 1, 10]);
        assert_eq!(counts(&weighted(&[1.0, 3.0]), 10), [3, 8]);
    }

    #[test]
    fn a_ring_with_as_many_points_a_node_is_the_same() {
        let fixed = built(&INFO, &equal(8), &[("points", Value::Int(1280))]);
        let plain = built(&ring::INFO, &equal(8), &[]);
        assert_eq!(fixed.ownership(), plain.ownership());
        assert_eq!(fixed.points(), 1280);
    }

    /// 16 → 17 nodes: 1/17 of the points go and as many come. A digest moves when its point went or a new
    /// one lies before it, unless both belong to one node: 1 − (16/17)² = 0.114 in the mean, nearly. Over
    /// 30 label sets of 1024 points the mean varies by about √(2 · 0.06 / 1024 / 30) = 0.002.
    #[test]
    fn a_node_more_moves_twice_the_least() {
        let trials = 30;
        let mut sum = 0.0;
        for trial in 0..trials {
            let named = |n: usize| {
                let mut cluster = equal(n);
                for node in &mut cluster.nodes {
                    node.name = format!("t{trial}-{}", node.name).into();
                }
                built(&INFO, &cluster, &[]).ownership().unwrap()
            };
            sum += named(16).share_moved(&named(17)).unwrap();
        }
        let mean = sum / f64::from(trials);
        assert!((mean - 0.114).abs() < 0.015, "{mean:.4}");
    }
}
