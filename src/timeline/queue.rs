//! The events that are yet to come, in their order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Tick;

/// What happens. The order of the variants is the order within a tick; then the numbers that each has
/// (fault, node or unit first), then the order in which they were planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A fault begins.
    Fault(u32),
    /// A fault ends.
    FaultEnd(u32),
    /// The routing reacts to a node that died.
    Failover(u32),
    /// Writes that one node has acknowledged reach the other.
    Landing {
        /// The unit.
        unit: u32,
        /// So many reach the target.
        on_target: u64,
        /// So many reach the source.
        on_source: u64,
    },
    /// What clients sent to a unit arrives.
    Arrival(u32),
    /// A unit's stream carries rows.
    Stream(u32),
    /// A unit's phase may be over.
    Timer(u32),
    /// The migration begins.
    Begin,
    /// The loads of a window are noted.
    Sample,
    /// The loads of a stretch are held against the peak.
    Peak,
}

/// An event: when, what, and its number in the order of planning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// When.
    pub at: Tick,
    /// What.
    pub kind: Kind,
    /// How many were planned before it.
    pub planned: u64,
}

/// A heap of events, the first on top.
#[derive(Debug, Default)]
pub struct Queue {
    heap: BinaryHeap<Reverse<Event>>,
    planned: u64,
}

impl Queue {
    /// Plans an event.
    pub fn push(&mut self, at: Tick, kind: Kind) {
        self.heap.push(Reverse(Event { at, kind, planned: self.planned }));
        self.planned += 1;
    }

    /// The next event.
    pub fn pop(&mut self) -> Option<Event> {
        self.heap.pop().map(|Reverse(event)| event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_by_kind_then_number_then_planning() {
        let landing = |on_target| Kind::Landing { unit: 0, on_target, on_source: 0 };
        let ordered = [
            (1, Kind::Sample),
            (2, Kind::Fault(0)),
            (2, Kind::Fault(1)),
            (2, Kind::FaultEnd(0)),
            (2, Kind::Failover(7)),
            (2, landing(4)),
            (2, Kind::Arrival(0)),
            (2, Kind::Arrival(3)),
            (2, Kind::Stream(0)),
            (2, Kind::Timer(0)),
            (2, Kind::Begin),
            (2, Kind::Sample),
        ];
        let mut queue = Queue::default();
        for &(at, kind) in ordered.iter().rev() {
            queue.push(at, kind);
        }
        let popped: Vec<(Tick, Kind)> =
            std::iter::from_fn(|| queue.pop()).map(|e| (e.at, e.kind)).collect();
        assert_eq!(popped, ordered);
        queue.push(5, Kind::Timer(1));
        queue.push(5, Kind::Timer(1));
        assert!(queue.pop().unwrap().planned < queue.pop().unwrap().planned);
    }
}
