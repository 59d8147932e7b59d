//! Keys that differ only at their end: the largest deviation from fair load.

use super::GroupInfo;

/// The group.
pub static INFO: GroupInfo = GroupInfo {
    name: "hot-prefix",
    question: "Do the keys of a hot prefix spread, or cluster on some nodes?",
    run: |suite, progress| {
        suite.even(INFO.name, &suite.hot_prefix, suite.limits.hot_prefix, progress)
    },
};
