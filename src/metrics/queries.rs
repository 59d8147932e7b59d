//! Queries over many keys: which nodes hold a match, and which must be asked.

use super::{Family, Metric, MetricInfo, Point, Unit};
use crate::record::QueryFigures;

/// The metrics of all queries together, each by its share.
const ALL_FORM: &str = "query.STAT";
/// The same of one query.
const ONE_FORM: &str = "query.NAME.STAT";

/// Scan fan-out.
pub static FAMILY: Family = Family {
    name: "queries",
    forms: &[ALL_FORM, ONE_FORM],
    metrics: &[
        MetricInfo {
            name: "keys",
            unit: Unit::Number,
            range: "0 and more",
            doc: "rows that match, on average over the queries",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.keys)),
        },
        MetricInfo {
            name: "keys-sd",
            unit: Unit::Number,
            range: "0 and more",
            doc: "standard deviation of it over the queries",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.keys_sd)),
        },
        MetricInfo {
            name: "keys-missing",
            unit: Unit::Number,
            range: "0 and more",
            doc: "rows that match and live on no node that is up, on average",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.keys_missing)),
        },
        MetricInfo {
            name: "nodes-touched",
            unit: Unit::Number,
            range: "0 to nodes",
            doc: "nodes that hold a match, on average",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_touched)),
        },
        MetricInfo {
            name: "nodes-touched-sd",
            unit: Unit::Number,
            range: "0 to nodes",
            doc: "standard deviation of it over the queries",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_touched_sd)),
        },
        MetricInfo {
            name: "nodes-touched-max",
            unit: Unit::Count,
            range: "0 to nodes",
            doc: "most nodes that hold a match of one query",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_touched_max as f64)),
        },
        MetricInfo {
            name: "nodes-asked",
            unit: Unit::Number,
            range: "0 to nodes",
            doc: "nodes that a router must ask, on average: the owners where the order of the keys or a list of them tells, else all",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_asked)),
        },
        MetricInfo {
            name: "nodes-asked-sd",
            unit: Unit::Number,
            range: "0 to nodes",
            doc: "standard deviation of it over the queries",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_asked_sd)),
        },
        MetricInfo {
            name: "nodes-asked-max",
            unit: Unit::Count,
            range: "0 to nodes",
            doc: "most nodes that must be asked for one query",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.nodes_asked_max as f64)),
        },
        MetricInfo {
            name: "scatter-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of the queries that go to all nodes, since nothing tells which of them hold a match",
            formula: "",
            source: "",
            read: |p| of(p, |q| Some(q.scatter_share)),
        },
        MetricInfo {
            name: "busiest-node-share",
            unit: Unit::Share,
            range: "1 / nodes to 1",
            doc: "share of a query's matches that the node with most of them holds, on average over queries that match; 1: no node shares the work",
            formula: "",
            source: "",
            read: |p| of(p, |q| q.busiest_node_share),
        },
    ],
};

fn of(point: &Point<'_>, read: fn(&QueryFigures) -> Option<f64>) -> Option<f64> {
    let queries = point.step.queries.as_ref()?;
    match point.query {
        "" => read(&queries.all),
        name => read(&queries.each.iter().find(|query| query.query == name)?.figures),
    }
}

/// The metric of one query by a name of the form `query.NAME.STAT`; the query's name may hold dots.
pub fn of_one(name: &str) -> Option<Metric<'_>> {
    let (query, stat) = name.strip_prefix("query.")?.rsplit_once('.')?;
    let info = FAMILY.metrics.iter().find(|metric| metric.name == stat)?;
    (!query.is_empty()).then_some(Metric { info, form: ONE_FORM, load: "", percentile: "", query })
}
