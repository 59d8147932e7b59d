//! No traffic of its own: every row is one request.

use super::TrafficInfo;

/// Facts of the shape.
pub static INFO: TrafficInfo = TrafficInfo {
    name: "none",
    summary: "every row is one request",
    source: "what a scenario without a [traffic] table does",
    params: &[],
    reads_counts: false,
    build: None,
};
