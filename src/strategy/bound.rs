//! The bound of sessions: no node holds more than c times its fair share of the open requests
//! (V. Mirrokni, M. Thorup, M. Zadimoghaddam, SODA 2018), in exact integers; who holds how many; and the
//! placement that all bounded strategies are: a plain one for homes, and a walk from home past full nodes.

use std::sync::Arc;

use super::support::step;
use super::{Build, Caps, Explanation, Placement, Session, Slot, Weights};
use crate::cluster::Cluster;
use crate::keys::{ColumnSpec, Key, KeyBatch};
use crate::params::{Default, Param, Type};

/// What the bounded strategies can do.
pub const CAPS: Caps =
    Caps { weights: Weights::Rounded, names: true, sessions: true, ..Caps::NONE };

/// `factor`: c.
pub const FACTOR: Param = Param::new(
    "factor",
    Type::Float { min: 1.001, max: 1000.0 },
    Default::Float(1.25),
    "c: how many times its fair share of open requests a node may hold, in thousandths",
);

/// c and the weights, as integers.
#[derive(Debug)]
pub struct Bound {
    /// Thousandths.
    factor: u128,
    /// Millionths by id; 0 for ids that are no members.
    weights: Vec<u128>,
    total: u128,
}

impl Bound {
    /// The bound of a cluster; `factor` is c.
    pub fn new(cluster: &Cluster, factor: f64) -> Self {
        /// The heaviest node that keeps its millionths; where one is heavier all are scaled down.
        const MOST: f64 = 5e7;
        let mut weights = vec![0; cluster.ids];
        let heaviest = cluster.nodes.iter().map(|n| n.weight).fold(0.0, f64::max);
        let scale = 1e6 / (heaviest / MOST).max(1.0);
        for node in cluster.nodes.iter().filter(|n| n.weight > 0.0) {
            weights[node.id.0 as usize] = (libm::round(node.weight * scale) as u128).max(1);
        }
        let total = weights.iter().sum();
        Bound { factor: libm::round(factor * 1000.0) as u128, weights, total }
    }

    /// Whether a node that holds `load` may take one more when `open` are open, that one included:
    /// load < ⌈c·m·w/Σw⌉, which for whole numbers is load < c·m·w/Σw.
    #[inline]
    fn has_room(&self, id: usize, load: u64, open: u64) -> bool {
        // At most 2⁶⁰ · 2¹⁰ · 2⁴⁶ and 2²⁰ · 2⁶⁰ · 2⁴⁶ for up to 2⁶⁰ requests: no overflow.
        u128::from(load) * 1000 * self.total < self.factor * u128::from(open) * self.weights[id]
    }

    /// Bytes of the loads of a session.
    pub fn session_bytes(&self) -> u64 {
        8 * self.weights.len() as u64
    }
}

/// Open requests by node.
#[derive(Debug)]
pub struct Loads {
    bound: Arc<Bound>,
    /// By id.
    loads: Vec<u64>,
    open: u64,
}

impl Loads {
    /// None open.
    pub fn new(bound: Arc<Bound>) -> Self {
        Loads { loads: vec![0; bound.weights.len()], bound, open: 0 }
    }

    /// One more request is open; it has no node yet.
    #[inline]
    pub fn open(&mut self) {
        self.open += 1;
    }

    /// Whether the node may take the request that was opened last.
    #[inline]
    pub fn has_room(&self, node: Slot) -> bool {
        let id = node.0 as usize;
        self.bound.has_room(id, self.loads[id], self.open)
    }

    /// The node takes it.
    #[inline]
    pub fn take(&mut self, node: Slot) -> Slot {
        self.loads[node.0 as usize] += 1;
        node
    }
}

/// Where a request goes: from its digest past the nodes that have no room to one that has; ABSENT when no
/// node takes any.
pub type Walk<H> = fn(&H, u64, &Loads) -> Slot;

/// A plain placement, which gives a key its home, and the walk of the requests that stay open.
pub struct Bounded<H> {
    home: Arc<H>,
    bound: Arc<Bound>,
    walk: Walk<H>,
}

impl<H: Placement + 'static> Bounded<H> {
    /// Bounds `home` by the `factor` of the parameters.
    pub fn boxed(home: H, build: &Build<'_>, walk: Walk<H>) -> Box<dyn Placement> {
        let bound = Arc::new(Bound::new(build.cluster, build.params.float(FACTOR.name)));
        Box::new(Bounded { home: Arc::new(home), bound, walk })
    }
}

impl<H: Placement> std::fmt::Debug for Bounded<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bounded").field("home", &self.home).field("bound", &self.bound).finish()
    }
}

impl<H: Placement + 'static> Placement for Bounded<H> {
    fn columns(&self) -> &[ColumnSpec] {
        self.home.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.home.place(batch, out);
    }

    fn session(&self) -> Option<Box<dyn Session>> {
        let loads = Loads::new(Arc::clone(&self.bound));
        Some(Box::new(Open { home: Arc::clone(&self.home), loads, walk: self.walk }))
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let mut explanation = self.home.explain(key);
        explanation.steps.push(step("home, where the key goes while its node has room", ""));
        explanation
    }

    fn heap_bytes(&self) -> u64 {
        self.home.heap_bytes() + self.bound.session_bytes()
    }

    fn lookup_steps(&self) -> Option<f64> {
        self.home.lookup_steps()
    }

    fn points(&self) -> u64 {
        self.home.points()
    }
}

/// Requests that stay open.
struct Open<H> {
    home: Arc<H>,
    loads: Loads,
    walk: Walk<H>,
}

impl<H: Placement> Session for Open<H> {
    fn route(&mut self, digests: &[u64]) -> Slot {
        self.loads.open();
        let slot = (self.walk)(&self.home, digests[0], &self.loads);
        if slot.node().is_some() { self.loads.take(slot) } else { slot }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_and_tiny_weights_do_not_overflow() {
        let mut cluster = Cluster::numbered(2, "db{i}");
        // The heaviest that a ring takes, and one that rounds up to a millionth.
        (cluster.nodes[0].weight, cluster.nodes[1].weight) = (5e7, 1e-9);
        let bound = Bound::new(&cluster, 1000.0);
        assert!(bound.has_room(0, 1 << 59, 1 << 60));
        // ⌈1000 · m · 1e-6 / (5e7 + 1e-6)⌉ is 1 up to about 5e10 open requests.
        assert!(bound.has_room(1, 0, 1) && !bound.has_room(1, 1, 50_000_000_000));
        assert!(bound.has_room(1, 1, 50_000_000_002));
        // Beyond that only the ratios count.
        (cluster.nodes[0].weight, cluster.nodes[1].weight) = (3e300, 1e300);
        let bound = Bound::new(&cluster, 1.001);
        assert!(bound.has_room(0, 750, 1000) && !bound.has_room(0, 751, 1000));
    }
}
