//! Range: consecutive keys live together.
//!
//! # Idea
//! The key space is cut into ranges, each with one owner, so that neighbours stay neighbours and a
//! range query asks few nodes. Three ways to cut it:
//! * `bounds`: a list of bounds; range i lives on the i-th node;
//! * `chunks`: many equal chunks between two numbers, assigned to nodes like buckets;
//! * `month`: the month in an order number names the node.
//!
//! # Source
//! Range partitioning as databases have it: `PARTITION BY RANGE` of PostgreSQL
//! (<https://www.postgresql.org/docs/current/ddl-partitioning.html>; upper bounds exclusive), chunks
//! of MongoDB (<https://www.mongodb.com/docs/manual/core/sharding-data-partitioning/>), a table a month.
//!
//! # Cost
//! Look-up O(log bounds), else O(1). Change O(chunks), else nothing. Bytes: 20 a bound (16 and a node),
//! 4 a chunk, 4 a node in `month`.
//!
//! # Choices made where the source is silent
//! * `bounds` and `month` go by the order of the nodes and know no weights. `chunks` starts from the
//!   order, honours weights to the chunk, and later moves the fewest chunks.
//! * Extra nodes own nothing; more ranges than nodes is unsupported.
//! * A key outside `from..to`, without the digits asked for, or dated before `first-month` is ABSENT;
//!   with `assign = "one-each"` so is a month for which there is no node yet.
//! * The facts below hold for all modes together: where they differ the weaker one stands (`month` may
//!   move everything, `chunks` remembers its past, only `chunks` knows weights).
//! * Integer keys are compared as integers, text keys as bytes; a text's number is read where
//!   `digits = "FROM..TO"` says.
//!
//! # Checked against
//! What `INFO.checked` says.

mod bounds;
mod chunks;
mod month;
pub(super) mod number;

use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::quota::MAX_BUCKETS;
use crate::strategy::{
    Build, Caps, Cost, History, Movement, Order, Placement, StrategyInfo, Weights,
};

const ANY_INT: Type = Type::Int { min: i64::MIN, max: i64::MAX };

/// Range.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "range",
    title: "Range",
    summary: "consecutive keys live together: fixed bounds, pre-cut chunks, or a node by month",
    source: "range partitioning of databases; https://www.postgresql.org/docs/current/ddl-partitioning.html",
    checked: "linear scans over the bounds and chunks; months counted by hand",
    caps: Caps { weights: Weights::Fixed, ..Caps::NONE },
    movement: Movement::Full,
    history: History::Dependent,
    order: Order::Dependent,
    params: &[
        Param::new(
            "mode",
            Type::Choice(&["bounds", "chunks", "month"]),
            Default::Required,
            "how the key space is cut",
        ),
        Param::new(
            "bounds",
            Type::List(&ANY_INT),
            Default::Absent,
            "in mode bounds: ascending bounds for numbers, each the first number of the next range",
        ),
        Param::new(
            "text-bounds",
            Type::List(&Type::Text),
            Default::Absent,
            "in mode bounds: the same for text keys, compared as bytes",
        ),
        Param::new("from", ANY_INT, Default::Int(0), "in mode chunks: the first number covered"),
        Param::new(
            "to",
            ANY_INT,
            Default::Absent,
            "in mode chunks: one more than the last number covered; must be given there",
        ),
        Param::new(
            "chunks",
            Type::Int { min: 1, max: MAX_BUCKETS },
            Default::Int(1024),
            "in mode chunks: number of equal chunks",
        ),
        Param::new(
            "digits",
            Type::Text,
            Default::Absent,
            "where the number stands in a text key: `FROM..TO`, bytes counted from 0, TO excluded",
        ),
        Param::new(
            "date-at",
            Type::Int { min: 0, max: 65_535 },
            Default::Int(2),
            "in mode month: byte of the key at which yyyymm begins (2 in NO20250115001)",
        ),
        Param::new(
            "first-month",
            Type::Text,
            Default::Absent,
            "in mode month: the month of the first node as yyyymm; must be given there",
        ),
        Param::new(
            "assign",
            Type::Choice(&["cycle", "one-each"]),
            Default::Text("cycle"),
            "in mode month: months go round the nodes, or each node has one month",
        ),
    ],
    cost: Cost {
        lookup: "O(log bounds) or O(1)",
        change: "O(chunks)",
        bytes: "20 · bounds or 4 · chunks",
    },
    build,
};

fn build(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    if build.cluster.nodes.is_empty() {
        return Err(Error::invalid("the cluster has no nodes").help("give at least one node"));
    }
    match build.params.text("mode") {
        "bounds" => bounds::build(build),
        "chunks" => chunks::build(build),
        _ => month::build(build),
    }
}

/// A parameter that its mode needs is missing.
fn missing(field: &'static str, mode: &str, write: &str) -> Error {
    Error::invalid(format!("`{field}` is missing, and mode \"{mode}\" needs it"))
        .help(format!("write e.g. {field} = {write}"))
        .field(field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};

    /// Builds the strategy as a scenario would, for the tests of the modes.
    pub(super) fn built(
        cluster: &Cluster,
        keys: KeyKind,
        given: &[(&str, Value)],
    ) -> Result<Box<dyn Placement>, Error> {
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(INFO.params, given)?;
        let base = std::path::Path::new(".");
        build(&Build { cluster, params: &params, keys, replicas: 1, base })
    }

    pub(super) fn text(t: &str) -> Value {
        Value::Text(t.to_string())
    }

    #[test]
    fn each_mode_says_which_parameter_it_lacks() {
        let cluster = Cluster::numbered(2, "db{i}");
        let missing =
            |mode, kind| built(&cluster, kind, &[("mode", text(mode))]).unwrap_err().field.unwrap();
        assert_eq!(missing("bounds", KeyKind::I64), "bounds");
        assert_eq!(missing("bounds", KeyKind::Text), "text-bounds");
        assert_eq!(missing("chunks", KeyKind::I64), "to");
        assert_eq!(missing("month", KeyKind::Text), "first-month");
        assert_eq!(built(&cluster, KeyKind::I64, &[]).unwrap_err().field, Some("mode"));
    }
}
