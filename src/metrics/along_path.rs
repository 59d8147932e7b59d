//! How often the same keys move along a path.

use super::{Family, MetricInfo, Point, Unit};
use crate::record::AlongPath;

/// How the names of these metrics begin: a scenario that uses one has them counted.
pub const PREFIX: &str = "movement.along-path.";

/// From step 0 to the step at hand.
pub static FAMILY: Family = Family {
    name: "along path",
    forms: &["movement.along-path.LOAD.STAT"],
    metrics: &[
        MetricInfo {
            name: "moved",
            unit: Unit::Count,
            range: "0 and more",
            doc: "amount moved, summed over the steps so far; a key that moves twice counts twice",
            formula: "Σ moved of each step",
            source: "",
            read: |p| Some(p.along_path()?.moved as f64),
        },
        MetricInfo {
            name: "share-moved",
            unit: Unit::Share,
            range: "0 and more",
            doc: "its share of the total, above 1 where keys move again and again",
            formula: "Σ share-moved of each step",
            source: "",
            read: |p| Some(p.along_path()?.share_moved),
        },
        MetricInfo {
            name: "ever",
            unit: Unit::Count,
            range: "0 and more",
            doc: "amount of the keys that have moved at least once",
            formula: "",
            source: "",
            read: |p| Some(p.along_path()?.ever as f64),
        },
        MetricInfo {
            name: "ever-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "its share of the total",
            formula: "ever ÷ total",
            source: "",
            read: |p| Some(p.along_path()?.ever_share),
        },
        MetricInfo {
            name: "more-than-once",
            unit: Unit::Count,
            range: "0 and more",
            doc: "amount of the keys that have moved more than once",
            formula: "",
            source: "",
            read: |p| Some(p.along_path()?.more_than_once as f64),
        },
        MetricInfo {
            name: "more-than-once-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "its share of the total",
            formula: "more-than-once ÷ total",
            source: "",
            read: |p| Some(p.along_path()?.more_than_once_share),
        },
        MetricInfo {
            name: "most-moves",
            unit: Unit::Count,
            range: "0 and more",
            doc: "the most moves that a key has made",
            formula: "",
            source: "",
            read: |p| Some(p.along_path()?.most_moves as f64),
        },
    ],
};

impl<'a> Point<'a> {
    fn along_path(&self) -> Option<&'a AlongPath> {
        self.step.movement.as_ref()?.along_path.as_ref()?.get(self.load)
    }
}
