//! Questions to the engine that a scenario's record does not answer by itself: one file each.

pub mod accept;
pub mod advise;
pub mod claims;
pub mod compare;
pub mod disagree;
pub mod distinct;
pub mod explain;
pub mod heavy;
pub mod lint;
pub mod peak;
pub mod plan;
pub mod repeats;
pub mod rows;
pub mod shard_key;
pub mod size;
pub mod spread;
