//! The tables of a claims file: what each may hold.

use crate::params::{Default, Param, Type};
use crate::scenario::fields::STEP;
use crate::scenario::table::{Holds, Nested, TableSpec};

const fn nested(name: &'static str, doc: &'static str, holds: Holds) -> Nested {
    Nested { name, doc, holds }
}

const fn needed(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Text, Default::Required, doc)
}

const fn text(name: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Text, Default::Absent, doc)
}

const CLAIMED: Param =
    text("claimed", "what is claimed: a point such as `12.9 %`, or a bound such as `< 9 %`");

const UNSTATED: Param = Param::new(
    "unstated",
    Type::Bool,
    Default::Bool(false),
    "whether it takes a condition that the article does not state; it then reproduces nothing outright",
);

/// What a probe reads.
const PROBE: [Param; 7] = [
    text("setup", "set-up of this file that it reads"),
    Param::new("step", STEP, Default::Int(0), "step of the path"),
    text("metric", "metric of the record, or node-share, busy-nodes, only-busy-node, offset-share"),
    text("node", "node that node-share speaks of"),
    Param::new(
        "offset",
        Type::Int { min: 0, max: 1_000_000 },
        Default::Absent,
        "number of positions that offset-share speaks of",
    ),
    Param::new(
        "over",
        Type::Choice(&["max", "min"]),
        Default::Absent,
        "which value counts where several cells match",
    ),
    text("formula", "what is made of the value; the value itself when absent"),
];

const WHERE: Nested = nested("where", "cells that it reads, by axis", Holds::Any);
const WITH: Nested = nested("with", "second probe; what it lacks is as in the first", Holds::Any);
const THEORY: Nested = nested("theory", "closed form for the same number", Holds::Table(&FORMULA));

/// A claims file.
pub static FILE: TableSpec = TableSpec {
    name: "the claims file",
    doc: "Claims of one article",
    params: &[needed("article", "letter of the article"), needed("title", "what it is about")],
    sweeps: &[],
    nested: &[
        nested("setup", "scenarios by name", Holds::Any),
        nested("claim", "the claims", Holds::Tables(&CLAIM)),
    ],
};

/// `[[claim]]`
pub static CLAIM: TableSpec = TableSpec {
    name: "[[claim]]",
    doc: "A claim and what tests it",
    params: &[
        needed("id", "the article's letter and a number"),
        needed("says", "the claim in one sentence"),
        text("parameters", "under which parameters it is made"),
        text("note", "what a reader should know about the readings"),
    ],
    sweeps: &[],
    nested: &[
        nested("part", "what it states", Holds::Tables(&PART)),
        nested("beside", "figures that do not judge", Holds::Tables(&BESIDE)),
        nested("grid", "tables of one figure over many cells", Holds::Tables(&GRID)),
    ],
};

/// `[[claim.part]]`
pub static PART: TableSpec = TableSpec {
    name: "[[claim.part]]",
    doc: "One thing that a claim states",
    params: &[
        needed("says", "what it states"),
        CLAIMED,
        Param::new(
            "aside",
            Type::Bool,
            Default::Bool(false),
            "whether its verdict stands beside the claim's and does not enter it",
        ),
        text("clock", "what only a machine and a clock could tell; the readings then do not judge"),
    ],
    sweeps: &[],
    nested: &[nested("reading", "readings, the plain one first", Holds::Tables(&READING))],
};

/// `[[claim.part.reading]]`
pub static READING: TableSpec = TableSpec {
    name: "[[claim.part.reading]]",
    doc: "One way to understand a part, and the probe that tests it",
    params: &{
        let [a, b, c, d, e, f, g] = PROBE;
        [needed("as", "the reading in words"), CLAIMED, UNSTATED, a, b, c, d, e, f, g]
    },
    sweeps: &[],
    nested: &[WHERE, WITH, THEORY],
};

/// `[[claim.beside]]`
pub static BESIDE: TableSpec = TableSpec {
    name: "[[claim.beside]]",
    doc: "A figure that helps to understand the claim and does not judge it",
    params: &{
        let [a, b, c, d, e, f, g] = PROBE;
        [
            needed("as", "what the figure is"),
            text("event", "event of the set-up whose probability it is; instead of a metric"),
            a,
            b,
            c,
            d,
            e,
            f,
            g,
        ]
    },
    sweeps: &[],
    nested: &[WHERE, WITH, THEORY],
};

/// `[[claim.grid]]`
pub static GRID: TableSpec = TableSpec {
    name: "[[claim.grid]]",
    doc: "A table: one row for each value of an axis, one column for each probe",
    params: &[
        needed("title", "what it shows"),
        needed("rows", "axis whose values make the rows"),
        text("note", "how to read it"),
    ],
    sweeps: &[],
    nested: &[nested("column", "probes", Holds::Tables(&BESIDE))],
};

/// The fields of a second probe.
pub static SECOND: TableSpec = TableSpec {
    name: "`with`",
    doc: "A second probe",
    params: &PROBE,
    sweeps: &[],
    nested: &[WHERE],
};

/// `theory`
pub static FORMULA: TableSpec = TableSpec {
    name: "`theory`",
    doc: "A closed form by name",
    params: &[
        needed("name", "name of the formula"),
        Param::new(
            "args",
            Type::List(&Type::Float { min: 0.0, max: f64::MAX }),
            Default::Required,
            "its arguments",
        ),
    ],
    sweeps: &[],
    nested: &[],
};
