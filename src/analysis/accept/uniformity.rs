//! Consecutive order numbers, or the rows of a file: the largest deviation from fair load.

use super::GroupInfo;

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "uniformity",
    question: "Do consecutive keys spread evenly?",
    run: |suite, progress| {
        suite.even(INFO.name, &suite.uniformity, suite.limits.uniformity, progress)
    },
};
