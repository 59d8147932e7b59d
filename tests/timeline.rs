//! The timeline: hand-computed migrations, laws that hold after every event of random ones, and copies
//! of the model with one rule broken, each of which must break a law.

#[path = "timeline/broken.rs"]
mod broken;
#[path = "timeline/hand.rs"]
mod hand;
#[path = "timeline/laws.rs"]
mod laws;
#[path = "timeline/oracle.rs"]
mod oracle;
#[path = "timeline/random.rs"]
mod random;
#[path = "timeline/units.rs"]
mod units;
