//! The keys of one channel's prefix: the largest deviation from fair load.

use super::GroupInfo;

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "subset",
    question: "Do the keys of one channel spread evenly?",
    run: |suite, progress| suite.even(INFO.name, &suite.subset, suite.limits.subset, progress),
};
