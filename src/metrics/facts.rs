//! Plain facts of a step: sizes, totals, outcomes.

use super::{Family, MetricInfo, Unit};

/// Sizes of the cluster and the placement.
pub static SIZES: Family = Family {
    name: "sizes",
    forms: &["STAT"],
    metrics: &[
        MetricInfo {
            name: "nodes",
            unit: Unit::Count,
            range: "0 and more",
            doc: "live nodes",
            formula: "",
            source: "",
            read: |p| Some(p.step.nodes as f64),
        },
        MetricInfo {
            name: "points",
            unit: Unit::Count,
            range: "0 and more",
            doc: "points on the ring, entries of the table, or buckets",
            formula: "",
            source: "",
            read: |p| Some(p.step.points as f64),
        },
        MetricInfo {
            name: "heap-bytes",
            unit: Unit::Bytes,
            range: "0 and more",
            doc: "size of the placement's tables",
            formula: "table entries × entry size",
            source: "",
            read: |p| Some(p.step.heap_bytes as f64),
        },
        MetricInfo {
            name: "shared-points",
            unit: Unit::Count,
            range: "0 and more",
            doc: "points of a ring that lie on another point and so own nothing",
            formula: "",
            source: "",
            read: |p| Some(p.step.shared_points? as f64),
        },
        MetricInfo {
            name: "lookup-steps",
            unit: Unit::Number,
            range: "1 and more",
            doc: "points, entries or nodes that a look-up reads, or turns of its formula, in the mean over digests",
            formula: "",
            source: "",
            read: |p| p.step.lookup_steps,
        },
    ],
};

/// Totals of the loads.
pub static TOTALS: Family = Family {
    name: "totals",
    forms: &["totals.LOAD"],
    metrics: &[MetricInfo {
        name: "total",
        unit: Unit::Count,
        range: "0 and more",
        doc: "total of the load, outcomes included",
        formula: "placed + misrouted + refused + absent",
        source: "",
        read: |p| Some(*p.step.totals.get(p.load)? as f64),
    }],
};

/// Keys that no node got.
pub static OUTCOMES: Family = Family {
    name: "outcomes",
    forms: &["outcomes.STAT"],
    metrics: &[
        MetricInfo {
            name: "misrouted",
            unit: Unit::Count,
            range: "0 and more",
            doc: "keys (requests in sessions) sent to a negative or out-of-range shard",
            formula: "",
            source: "",
            read: |p| Some(p.step.outcomes.misrouted as f64),
        },
        MetricInfo {
            name: "refused",
            unit: Unit::Count,
            range: "0 and more",
            doc: "keys (requests in sessions) that the system would refuse",
            formula: "",
            source: "",
            read: |p| Some(p.step.outcomes.refused as f64),
        },
        MetricInfo {
            name: "absent",
            unit: Unit::Count,
            range: "0 and more",
            doc: "keys (requests in sessions) without a range, a parsable id or a live node",
            formula: "",
            source: "",
            read: |p| Some(p.step.outcomes.absent as f64),
        },
    ],
};
