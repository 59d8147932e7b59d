//! The closed tables of the scenario file: what each may hold.

use super::migration::MIGRATION;
use super::needs::NEEDS;
use super::queries::QUERY;
use super::table::{Holds, Nested, TableSpec};
use crate::params::{Default, Param, Type};

/// Most queries that one `[[query]]` draws.
pub const MAX_QUERIES: i64 = 10_000;
/// Most keys of a drawn range or list.
pub const MAX_QUERY_WIDTH: i64 = 100_000;

/// Most nodes that a cluster may have.
pub const MAX_NODES: usize = 100_000;
/// Most cells that a scenario may have.
pub const MAX_CELLS: usize = 10_000;
/// Most changes of a path.
pub const MAX_STEPS: usize = 1000;
/// Most placements (cells × steps) of a scenario.
pub const MAX_PLACEMENTS: usize = 100_000;
/// Most node entries over all placements: each has a tally of its own.
pub const MAX_PLACED_NODES: usize = 20_000_000;
/// Most node entries over the steps of all distinct clusters and paths: each is a node in memory.
pub const MAX_HISTORY_NODES: usize = 2_000_000;
/// Most label sets of a band, an event or a search.
pub const MAX_TRIALS: i64 = 100_000_000;

const ANY_NUMBER: Type = Type::Float { min: f64::MIN, max: f64::MAX };
/// Number of a step.
pub const STEP: Type = Type::Int { min: 0, max: MAX_STEPS as i64 };

/// Statistics that conditions of events and searches may name (DESIGN section 6).
pub const CONDITION_METRICS: &[&str] =
    &["max-over-mean", "min-over-mean", "max-deviation", "cv", "cv-squared"];

const fn nested(name: &'static str, doc: &'static str, holds: Holds) -> Nested {
    Nested { name, doc, holds }
}

pub(super) const fn text(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Text, Default::Absent, doc)
}

pub(super) const fn name(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Name, Default::Absent, doc)
}

const WEIGHT: Param =
    Param::new("weight", Type::Weight, Default::Absent, "relative capacity; 1 when absent");

/// The whole file.
pub static ROOT: TableSpec = TableSpec {
    name: "the scenario",
    doc: "A shardlab scenario",
    params: &[
        text("title", "title of tables and charts; the file's name when absent"),
        text("question", "question that the scenario answers"),
        text(
            "analysis",
            "text printed above the results; placeholders in braces are filled from the record",
        ),
        Param::new(
            "seed",
            Type::Int { min: 0, max: i64::MAX },
            Default::Int(1),
            "seed of all random streams",
        ),
        Param::new(
            "replicas",
            Type::Int { min: 1, max: 64 },
            Default::Int(1),
            "number of nodes that hold a key",
        ),
    ],
    sweeps: &["seed", "replicas"],
    nested: &[
        nested("cluster", "nodes at step 0", Holds::Table(&CLUSTER)),
        nested("keys", "keys to place", Holds::Open { set: "keys", list: false }),
        nested(
            "traffic",
            "requests that the keys take; one a row when absent",
            Holds::Open { set: "traffic", list: false },
        ),
        nested("strategy", "strategies to compare", Holds::Open { set: "strategy", list: true }),
        nested("change", "changes of the one path `main`", Holds::Tables(&CHANGE)),
        nested("path", "named lists of changes", Holds::Tables(&PATH)),
        nested(
            "migration",
            "simulation of how the rows behind the keys are carried over",
            Holds::Table(&MIGRATION),
        ),
        nested(
            "remedy",
            "what every cell is tried with beside as it is, and at what price",
            Holds::Open { set: "remedy", list: true },
        ),
        nested("trials", "band over label sets", Holds::Table(&TRIALS)),
        nested("needs", "what the cluster must bear, for `advise`", Holds::Table(&NEEDS)),
        nested(
            "search",
            "searches for a node-name template under which conditions hold",
            Holds::Tables(&SEARCH),
        ),
        nested(
            "query",
            "queries over many keys: which nodes hold a match, which must be asked",
            Holds::Tables(&QUERY),
        ),
        nested("expect", "what must hold of the results", Holds::Tables(&EXPECT)),
        nested(
            "chart",
            "charts with their parameters, the only ones drawn; every kind with its defaults if absent",
            Holds::Open { set: "chart", list: true },
        ),
    ],
};

const CAPACITY: Holds = Holds::Map(&Type::Int { min: 0, max: i64::MAX });
/// From nothing to a million times the fair load.
pub const HEADROOM_TYPE: Type = Type::Float { min: 0.0, max: 1e6 };
const HEADROOM: Holds = Holds::Map(&HEADROOM_TYPE);

/// `[cluster]`
pub static CLUSTER: TableSpec = TableSpec {
    name: "[cluster]",
    doc: "Nodes at step 0: a number of them, a list, or a server list in a file",
    params: &[
        Param::new(
            "nodes",
            Type::Int { min: 1, max: MAX_NODES as i64 },
            Default::Absent,
            "number of nodes",
        ),
        Param::new(
            "name",
            Type::Label(&["i"]),
            Default::Text("node{i}"),
            "template of the nodes' names",
        ),
        WEIGHT,
        Param::new("servers", Type::File, Default::Absent, "file with one server a line"),
        Param::new(
            "from",
            Type::File,
            Default::Absent,
            "map of a real cluster: CLUSTER NODES or CLUSTER SLOTS of Redis, a ketama list, nodes or buckets as CSV or JSON",
        ),
        name("format", "format of `from`, e.g. redis-nodes; what its text looks like when absent"),
    ],
    sweeps: &["nodes", "name"],
    nested: &[
        nested("node", "one node each", Holds::Tables(&NODE)),
        nested(
            "capacity",
            "what every node can bear that does not say so itself, by load",
            CAPACITY,
        ),
        nested(
            "headroom",
            "what every node can bear as a multiple of its fair load at step 0, by load",
            HEADROOM,
        ),
    ],
};

/// `[[cluster.node]]`, and the tables of `add`
pub static NODE: TableSpec = TableSpec {
    name: "[[cluster.node]]",
    doc: "One server, shard or database",
    params: &[
        Param::new("name", Type::Name, Default::Required, "name, unique in the cluster"),
        WEIGHT,
        name("zone", "failure domain above the rack"),
        name("rack", "failure domain below the zone"),
        name("host", "host name or address, where labels or keys need it"),
        Param::new(
            "port",
            Type::Int { min: 1, max: 65_535 },
            Default::Absent,
            "port, where labels need it",
        ),
        Param::new(
            "id",
            Type::Int { min: 0, max: u32::MAX as i64 },
            Default::Absent,
            "explicit server id, where a system has one",
        ),
    ],
    sweeps: &[],
    nested: &[
        nested("capacity", "what the node can bear, by load", CAPACITY),
        nested(
            "headroom",
            "what the node can bear as a multiple of the fair load of its weight at step 0, by load",
            HEADROOM,
        ),
    ],
};

/// `[[change]]`
pub static CHANGE: TableSpec = TableSpec {
    name: "[[change]]",
    doc: "One alteration of the cluster or of the strategy",
    params: &[Param::new(
        "on-fail",
        Type::Choice(&["reroute", "unavailable"]),
        Default::Absent,
        "what becomes of a failed node's keys; reroute when absent",
    )],
    sweeps: &[],
    nested: &[
        nested("add", "nodes that join: a number, a name, a table, or a list", Holds::Nodes(&NODE)),
        nested("remove", "nodes that leave as planned", Holds::Names),
        nested("fail", "nodes that fail", Holds::Names),
        nested("reweight", "new weights by node", Holds::Map(&WEIGHT.ty)),
        nested("set", "new values of the strategy's parameters", Holds::Any),
        nested("switch", "another hasher, kind or view, with what belongs to it", Holds::Any),
    ],
};

/// `[[path]]`
pub static PATH: TableSpec = TableSpec {
    name: "[[path]]",
    doc: "A named list of changes from step 0",
    params: &[Param::new("name", Type::Name, Default::Required, "name of the path")],
    sweeps: &[],
    nested: &[nested("change", "changes, in order", Holds::Tables(&CHANGE))],
};

/// `[trials]`
pub static TRIALS: TableSpec = TableSpec {
    name: "[trials]",
    doc: "Band over label sets",
    params: &[
        Param::new(
            "count",
            Type::Int { min: 1, max: MAX_TRIALS },
            Default::Int(1000),
            "number of label sets",
        ),
        Param::new(
            "keys",
            Type::Int { min: 1, max: 10_000_000 },
            Default::Int(100_000),
            "number of keys placed per label set where ownership is not known",
        ),
    ],
    sweeps: &[],
    nested: &[nested("event", "joint events of one label set", Holds::Tables(&EVENT))],
};

/// `[[trials.event]]`
pub static EVENT: TableSpec = TableSpec {
    name: "[[trials.event]]",
    doc: "A joint event of one label set",
    params: &[
        Param::new("name", Type::Name, Default::Required, "name of the event"),
        Param::new(
            "count",
            Type::Int { min: 1, max: MAX_TRIALS },
            Default::Required,
            "number of label sets",
        ),
    ],
    sweeps: &[],
    nested: &[nested("all", "conditions that must all hold", Holds::Tables(&CONDITION))],
};

/// `[[search]]`
pub static SEARCH: TableSpec = TableSpec {
    name: "[[search]]",
    doc: "A search for a node-name template under which conditions hold",
    params: &[
        Param::new("name", Type::Name, Default::Required, "name of what is sought"),
        Param::new(
            "template",
            Type::Name,
            Default::Required,
            "node-name template with {try} and {i}",
        ),
        Param::new(
            "from",
            Type::Int { min: 0, max: i64::MAX },
            Default::Int(0),
            "first number tried",
        ),
        Param::new(
            "to",
            Type::Int { min: 1, max: i64::MAX },
            Default::Required,
            "number after the last one tried",
        ),
    ],
    sweeps: &[],
    nested: &[nested("all", "conditions that must all hold", Holds::Tables(&CONDITION))],
};

/// One of `all`
pub static CONDITION: TableSpec = TableSpec {
    name: "a condition",
    doc: "A condition on one statistic of the owned shares",
    params: &[
        Param::new(
            "metric",
            Type::Choice(CONDITION_METRICS),
            Default::Required,
            "statistic that must lie within the bounds",
        ),
        Param::new("min", ANY_NUMBER, Default::Absent, "least value that passes"),
        Param::new("max", ANY_NUMBER, Default::Absent, "largest value that passes"),
        Param::new("step", STEP, Default::Int(0), "step that it looks at"),
    ],
    sweeps: &[],
    nested: &[nested("where", "cells that it looks at, by axis", Holds::Any)],
};

/// `[[expect]]`
pub static EXPECT: TableSpec = TableSpec {
    name: "[[expect]]",
    doc: "What must hold of every cell and step that matches; the run fails otherwise",
    params: &[
        Param::new(
            "metric",
            Type::Text,
            Default::Required,
            "metric that must lie within the bounds",
        ),
        Param::new("step", STEP, Default::Absent, "step that it looks at; every step when absent"),
        Param::new("min", ANY_NUMBER, Default::Absent, "least value that passes"),
        Param::new("max", ANY_NUMBER, Default::Absent, "largest value that passes"),
        text("because", "theory or claim that the bound comes from"),
    ],
    sweeps: &[],
    nested: &[nested("where", "cells that it looks at, by axis", Holds::Any)],
};

/// Fields of `[keys]` beside the pattern's own.
pub static KEYS_COMMON: &[Param] = &[text("pattern", "key pattern; `file` when `file` is given")];

/// Fields of `[traffic]` beside the shape's own.
pub static TRAFFIC_COMMON: &[Param] = &[
    text("shape", "traffic shape; the file's own counts when `keys.requests` is given"),
    Param::new(
        "requests",
        Type::Int { min: 1, max: i64::MAX },
        Default::Absent,
        "number of requests in total",
    ),
    Param::new(
        "write-share",
        Type::Float { min: 0.0, max: 1.0 },
        Default::Absent,
        "share of the requests that are writes; reads and writes are then loads of their own",
    ),
];

/// Fields of a table of `[[keys]]` beside `pattern` and the pattern's own.
pub static FAMILY_COMMON: &[Param] = &[
    text("pattern", "key pattern; `file` when `file` is given"),
    Param::new("family", Type::Name, Default::Required, "name of the family of keys"),
    Param::new(
        "share",
        Type::Float { min: 0.0, max: 1.0 },
        Default::Absent,
        "share of the traffic's requests that the family takes; in proportion to its keys when absent",
    ),
    name(
        "stream",
        "random stream that the keys are drawn from: families of one stream are correlated; one of its own when absent",
    ),
];

/// What a cache is: the fields of `traffic.cache` and of the remedy.
pub const CACHE_PARAMS: &[Param] = &[
    Param::new(
        "keys",
        Type::Int { min: 1, max: 1_000_000_000 },
        Default::Int(100),
        "number of the hottest keys that it holds: the named ones first, then by rank",
    ),
    Param::new(
        "hit",
        Type::Float { min: 0.0, max: 1.0 },
        Default::Float(0.9),
        "share of the reads of a key that it holds and answers",
    ),
    Param::new(
        "instances",
        Type::Int { min: 1, max: 1_000_000 },
        Default::Int(1),
        "clients with a cache each, whose entries are its price",
    ),
];

/// `traffic.cache`
pub static CACHE: TableSpec = TableSpec {
    name: "cache",
    doc: "A cache in front of the nodes that answers reads of the hottest keys: the named ones first, then by rank",
    params: CACHE_PARAMS,
    sweeps: &["keys", "hit", "instances"],
    nested: &[],
};

/// `split` of a hot key
pub static SPLIT: TableSpec = TableSpec {
    name: "split",
    doc: "A hot key split in parts `key:0`, `key:1` …: a write goes to one of them",
    params: &[
        Param::new(
            "parts",
            Type::Int { min: 1, max: 10_000 },
            Default::Required,
            "number of parts; 1 leaves the key whole",
        ),
        Param::new(
            "read",
            Type::Choice(&["all", "one"]),
            Default::Text("all"),
            "whether a read asks all parts and merges, or any one of them",
        ),
    ],
    sweeps: &["parts", "read"],
    nested: &[],
};

/// `[[traffic.hot]]`
pub static HOT: TableSpec = TableSpec {
    name: "[[traffic.hot]]",
    doc: "A named key that takes a share of all requests",
    params: &[
        Param::new("key", Type::Key, Default::Required, "text of the key"),
        Param::new(
            "share",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Required,
            "share of all requests",
        ),
        Param::new(
            "write-share",
            Type::Float { min: 0.0, max: 1.0 },
            Default::Absent,
            "share of its requests that are writes; that of all traffic when absent",
        ),
        name("family", "family that the key belongs to, where `[[keys]]` has several"),
    ],
    sweeps: &["share", "write-share"],
    nested: &[nested("split", "the key in several parts", Holds::Table(&SPLIT))],
};

/// Fields of `[[strategy]]` beside the strategy's own.
pub static STRATEGY_COMMON: &[Param] = &[
    text("kind", "strategy of the lab; or else `preset`"),
    text("preset", "named real system, modelled bit for bit"),
    name("name", "name that replaces the kind in cell ids and legends"),
];

/// Fields of `[[remedy]]` beside the remedy's own.
pub static REMEDY_COMMON: &[Param] = &[
    Param::new("kind", Type::Text, Default::Required, "remedy"),
    name("name", "name on the axis `remedy`; the kind when absent"),
];

/// Fields of `[[chart]]` beside the kind's own.
pub static CHART_COMMON: &[Param] =
    &[Param::new("kind", Type::Text, Default::Required, "chart kind")];
