//! `[migration]`: what a step's movement is carried out with.

use std::sync::Arc;

use super::changes::PathSpec;
use super::faults::{self, FAULT};
use super::fields::MAX_CELLS;
use super::table::{self, Holds, Nested, TableSpec};
use super::tree::Table;
use super::{Migration, MigrationFault, cells};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type, Value};
use crate::quantity::Per;
use crate::timeline::Mode;

/// Most ticks of a simulation.
const MOST_TICKS: u64 = 100_000_000;
/// Most units on their way at once.
const MOST_CONCURRENT: i64 = 100_000;

const COPY_RATE: Type = Type::Rate { bytes: true };
const RATE: Type = Type::Rate { bytes: false };
const SHARE: Type = Type::Float { min: 0.0, max: 1.0 };

const fn duration(name: &'static str, default: &'static str, doc: &'static str) -> Param {
    Param::new(name, Type::Duration, Default::Text(default), doc)
}

const fn absent(name: &'static str, ty: Type, doc: &'static str) -> Param {
    Param::new(name, ty, Default::Absent, doc)
}

const COUNT: Type = Type::Int { min: 1, max: i64::MAX };
/// More rows than this are more than the sums over a simulation can hold.
const ROWS: Type = Type::Int { min: 1, max: 1_000_000_000_000_000 };

/// `[migration]`
pub static MIGRATION: TableSpec = TableSpec {
    name: "[migration]",
    doc: "How the rows behind the keys that move are carried over at each step of a path, and what goes wrong",
    params: &[
        absent("rows", ROWS, "rows behind the keys; one a key if absent"),
        absent("bytes", COUNT, "bytes of all rows, where limits count bytes"),
        absent(
            "reads",
            RATE,
            "reads a second of all clients, shared out as the keys' requests are",
        ),
        absent(
            "writes",
            RATE,
            "writes a second of all clients, shared out as the keys' requests are",
        ),
        Param::new("inserts", SHARE, Default::Float(0.1), "share of the writes that add a row"),
        Param::new(
            "unit",
            Type::Choice(&["bucket", "arc", "shard"]),
            Default::Text("shard"),
            "what is moved as a whole: a bucket, an arc of a ring, or all that goes from one node to another",
        ),
        Param::new(
            "mode",
            Type::Choice(Mode::NAMES),
            Default::Text("redirect"),
            "how writes are treated while a unit is on its way",
        ),
        Param::new(
            "concurrency",
            Type::Int { min: 1, max: MOST_CONCURRENT },
            Default::Int(4),
            "units on their way at once",
        ),
        absent("copy-limit", COPY_RATE, "limit of all copies together"),
        absent("source-limit", COPY_RATE, "limit of all copies from one node"),
        absent("target-limit", COPY_RATE, "limit of all copies to one node"),
        absent("stream-limit", COPY_RATE, "limit of the copy of one unit"),
        Param::new(
            "verify",
            Type::Bool,
            Default::Bool(true),
            "whether check-sums are compared before the cut-over, and rows that differ copied again",
        ),
        absent("verify-limit", COPY_RATE, "limit of the check-sums of one unit; none if absent"),
        duration(
            "cutover",
            "2s",
            "how long writes to a unit are refused at its cut-over, at least",
        ),
        duration("keep-old", "1h", "how long the source keeps its copy after the cut-over"),
        duration("clean-up", "1m", "how long it takes to delete the copy of a unit"),
        duration("failover", "30s", "how long it takes until the routing reacts to a dead node"),
        Param::new(
            "replicas",
            Type::Int { min: 1, max: 9 },
            Default::Int(1),
            "copies of every node's rows in lock step; with 2 or more a follower takes over",
        ),
        Param::new(
            "version-check",
            Type::Bool,
            Default::Bool(false),
            "whether a node refuses writes of clients with an old routing",
        ),
        duration(
            "second-lag",
            "1s",
            "double-write-first: how much later the other node gets a write",
        ),
        Param::new(
            "second-fails",
            SHARE,
            Default::Float(0.0),
            "double-write-first: share of the writes that the other node never gets",
        ),
        duration("tick", "1s", "step of the simulation"),
        duration("start", "0s", "when the migration begins"),
        duration("horizon", "7d", "when the simulation ends if the migration has not"),
        absent("case", Type::Name, "name of a set of faults; a list runs each in turn"),
        absent("watch", Type::List(&Type::Name), "keys that are followed singly"),
    ],
    sweeps: &[
        "rows",
        "bytes",
        "reads",
        "writes",
        "inserts",
        "unit",
        "mode",
        "concurrency",
        "copy-limit",
        "source-limit",
        "target-limit",
        "stream-limit",
        "verify",
        "verify-limit",
        "cutover",
        "keep-old",
        "clean-up",
        "failover",
        "replicas",
        "version-check",
        "second-lag",
        "second-fails",
        "case",
    ],
    nested: &[Nested {
        name: "fault",
        doc: "what goes wrong, and when",
        holds: Holds::Tables(&FAULT),
    }],
};

/// A migration of the sweep.
#[derive(Debug, Clone, std::default::Default)]
pub struct MigrationVariant {
    /// What it is; None without a `[migration]` table.
    pub migration: Option<Arc<Migration>>,
    /// The swept fields and their values here.
    pub swept: Vec<(&'static str, Value)>,
}

/// All migrations that the table spans. None: something is wrong and reported.
pub fn read(
    root: &Table,
    paths: Option<&[PathSpec<'_>]>,
    errors: &mut Vec<Error>,
) -> Option<Vec<MigrationVariant>> {
    let Some(item) = root.get("migration") else {
        return Some(vec![MigrationVariant::default()]);
    };
    let table = table::as_table(item, "migration", errors)?;
    let before = errors.len();
    if paths.is_some_and(|paths| paths.iter().all(|path| path.changes.is_empty())) {
        errors.push(
            Error::invalid("there is nothing to migrate: no path has a change")
                .help("give a `[[change]]`, e.g. add = 1")
                .at(table.place.clone()),
        );
    }
    let faults = faults::read(table, errors);
    let axes = table::closed_axes(table, &MIGRATION, errors)?;
    let Some(combinations) = table::product(&axes, MAX_CELLS) else {
        errors.push(table::too_many_cells("too many", MAX_CELLS, table.place.clone()));
        return None;
    };
    let cases = axes.iter().find(|axis| axis.name == "case").map_or(&[][..], |a| &a.values);
    faults::check_cases(cases, &faults, errors);
    if errors.len() > before {
        return None;
    }
    let places = Arc::new(cells::places(table));
    let mut variants = Vec::new();
    for chosen in combinations {
        let mut swept = Vec::new();
        let mut given = Vec::new();
        for (axis, &i) in axes.iter().zip(&chosen) {
            let value = axis.values[i].clone();
            if axis.swept {
                swept.push((axis.name, value.clone()));
            }
            given.push((axis.name.to_string(), value));
        }
        let checked = Params::from_pairs(MIGRATION.params, given)
            .and_then(|params| check(&params, &faults).map(|()| params));
        let params = match checked {
            Ok(params) => params,
            Err(error) => {
                errors.push(table.locate(error));
                return None;
            }
        };
        let case = params.text_opt("case");
        let here = |f: &&MigrationFault| match f.params.text_opt("case") {
            None => true,
            of => of == case,
        };
        let faults: Vec<MigrationFault> = faults.iter().filter(here).cloned().collect();
        let possible = faults::check_overlaps(&faults)
            .and_then(|()| faults::check_deaths(&faults, params.int("replicas")));
        if let Err(error) = possible {
            errors.push(error);
            return None;
        }
        let migration = Migration { params, faults, places: places.clone() };
        variants.push(MigrationVariant { migration: Some(Arc::new(migration)), swept });
    }
    Some(variants)
}

/// What one set of values must fulfil.
fn check(params: &Params, faults: &[MigrationFault]) -> Result<(), Error> {
    const LIMITS: [&str; 5] =
        ["copy-limit", "source-limit", "target-limit", "stream-limit", "verify-limit"];
    if LIMITS[..4].iter().all(|limit| params.get(limit).is_none()) {
        return Err(Error::invalid("the copy has no limit: it would take no time")
            .help("give at least one of copy-limit, source-limit, target-limit, stream-limit")
            .help("e.g. copy-limit = \"3000 rows/s\""));
    }
    for limit in LIMITS {
        let counts_bytes = params.rate(limit).is_some_and(|rate| rate.per == Per::Byte);
        if counts_bytes && params.get("bytes").is_none() {
            return Err(Error::invalid(format!("`{limit}` counts bytes, and `bytes` is missing"))
                .help("give the bytes of all rows, or a limit in rows/s")
                .field(limit));
        }
    }
    let ms = |name: &str| params.duration_ms(name).expect("it has a default");
    let tick = ms("tick");
    if tick == 0 {
        return Err(Error::invalid("`tick` is 0: time would stand still")
            .help("allowed: a duration above 0; 1s is usual")
            .field("tick"));
    }
    if ms("horizon") / tick > MOST_TICKS {
        return Err(Error::invalid(format!("the horizon is {} ticks away", ms("horizon") / tick))
            .help(format!("at most {MOST_TICKS}: lengthen `tick` or shorten `horizon`"))
            .field("horizon"));
    }
    if ms("start") >= ms("horizon") {
        return Err(Error::invalid("the migration would begin after the horizon")
            .help("make `start` earlier than `horizon`")
            .field("start"));
    }
    for (i, key) in params.list("watch").unwrap_or_default().iter().enumerate() {
        if params.list("watch").unwrap_or_default()[..i].contains(key) {
            return Err(Error::invalid(format!("`{key}` is watched twice"))
                .help("name each key once")
                .field("watch"));
        }
    }
    for fault in faults {
        if fault.params.duration_ms("at").expect("required") >= ms("horizon") {
            let (at, horizon) = (fault.params.text("at"), params.text("horizon"));
            return Err(Error::invalid(format!(
                "`at` is {at}, and the simulation ends after {horizon} at the latest"
            ))
            .help("let the fault begin earlier, or lengthen `horizon`")
            .at(fault.place("at")));
        }
        if fault.params.duration_ms("at").expect("required") < ms("start") {
            let (at, start) = (fault.params.text("at"), params.text("start"));
            return Err(Error::invalid(format!(
                "`at` is {at}, before the start of the migration at {start}"
            ))
            .help("a fault begins at `start` or later")
            .at(fault.place("at")));
        }
    }
    Ok(())
}
