//! Abilities and costs that many presets share.

use crate::strategy::{Caps, Cost, Weights};

/// Of a ring whose points come from the names of servers.
pub const RING: Caps = Caps { weights: Weights::Rounded, names: true, ..Caps::NONE };

/// The same without weights.
pub const EQUAL_RING: Caps = Caps { weights: Weights::Equal, ..RING };

/// Of a list of servers that a remainder indexes.
pub const LIST: Caps = Caps { names: false, positional: true, ..RING };

/// What a ring of 160 points a server costs.
pub const RING_COST: Cost = Cost { lookup: "O(1)", change: "O(160 n)", bytes: "8–16 per point" };

/// What a list costs in which servers stand as often as they weigh.
pub const LIST_COST: Cost = Cost { lookup: "O(1)", change: "O(Σw)", bytes: "4 Σw" };
