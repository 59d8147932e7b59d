//! Questions to the engine that a scenario's record does not answer by itself: one file each.

pub mod claims;
pub mod compare;
pub mod disagree;
pub mod explain;
pub mod peak;
pub mod plan;
pub mod size;
