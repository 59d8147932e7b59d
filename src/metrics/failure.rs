//! What a failure does: what loses its node, who inherits, what overload does after it.

use super::{Family, MetricInfo, Point, Unit};
use crate::record::{CascadeRecord, Lost};

/// By load.
pub static FAMILY: Family = Family {
    name: "failure",
    forms: &["failure.LOAD.STAT"],
    metrics: &[
        MetricInfo {
            name: "lost",
            unit: Unit::Count,
            range: "0 and more",
            doc: "amount on the nodes that fail",
            formula: "",
            source: "",
            read: |p| Some(p.lost()?.lost as f64),
        },
        MetricInfo {
            name: "lost-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "its share of the total",
            formula: "lost ÷ total",
            source: "",
            read: |p| Some(p.lost()?.lost_share),
        },
        MetricInfo {
            name: "heirs",
            unit: Unit::Count,
            range: "0 and more",
            doc: "survivors that receive some of what was lost",
            formula: "",
            source: "",
            read: |p| Some(p.lost()?.heirs? as f64),
        },
        MetricInfo {
            name: "heir-gain",
            unit: Unit::Count,
            range: "0 and more",
            doc: "by how much the load grows of the survivor whose load grows most",
            formula: "max (load after − before)",
            source: "",
            read: |p| Some(p.lost()?.heir_gain as f64),
        },
        MetricInfo {
            name: "heir-gain-share",
            unit: Unit::Share,
            range: "0 and more",
            doc: "the same relative to that survivor's load before",
            formula: "heir-gain ÷ load before",
            source: "",
            read: |p| p.lost()?.heir_gain_share,
        },
    ],
};

/// Of all loads.
pub static CASCADE: Family = Family {
    name: "cascade",
    forms: &["failure.cascade.STAT"],
    metrics: &[
        MetricInfo {
            name: "waves",
            unit: Unit::Count,
            range: "0 and more",
            doc: "rounds in which nodes above their capacity fail after a failure",
            formula: "",
            source: "",
            read: |p| Some(p.cascade()?.waves as f64),
        },
        MetricInfo {
            name: "failed",
            unit: Unit::Count,
            range: "0 and more",
            doc: "nodes that fail in these rounds together, those that failed first not counted",
            formula: "",
            source: "",
            read: |p| Some(p.cascade()?.failed as f64),
        },
        MetricInfo {
            name: "nodes-left",
            unit: Unit::Count,
            range: "0 and more",
            doc: "nodes alive once no node is above its capacity, or none is left",
            formula: "",
            source: "",
            read: |p| Some(p.cascade()?.nodes_left as f64),
        },
    ],
};

impl<'a> Point<'a> {
    fn lost(&self) -> Option<&'a Lost> {
        self.step.failure.as_ref()?.loads.get(self.load)
    }

    fn cascade(&self) -> Option<&'a CascadeRecord> {
        self.step.failure.as_ref()?.cascade.as_ref()
    }
}
