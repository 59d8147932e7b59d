//! The counts of the key file: every row brings its own requests.

use super::TrafficInfo;

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "file",
    summary: "every row takes the requests that its key file states",
    source: "measured counts, such as the month's downloads of each npm package",
    params: &[],
    reads_counts: true,
    build: None,
};
