//! `[[migration.fault]]`: what goes wrong during a migration, and when.

use std::sync::Arc;

use super::table::{self, TableSpec};
use super::tree::Table;
use super::{Cell, MigrationFault, cells};
use crate::error::{Error, Place};
use crate::params::{Default, Param, Type, Value};

/// A node slows down by at most this.
const MOST_SLOW: f64 = 1e6;

const SHARE: Type = Type::Float { min: 0.0, max: 1.0 };

const fn absent(name: &'static str, ty: Type, doc: &'static str) -> Param {
    Param::new(name, ty, Default::Absent, doc)
}

/// `[[migration.fault]]`
pub static FAULT: TableSpec = TableSpec {
    name: "[[migration.fault]]",
    doc: "Something that goes wrong at a stated time",
    params: &[
        Param::new(
            "kind",
            Type::Choice(&["dies", "slows", "restarts", "stale-clients", "drops-rows"]),
            Default::Required,
            "a node dies or slows down, the coordinator restarts, clients keep an old routing, copies drop rows",
        ),
        Param::new("at", Type::Duration, Default::Required, "when it begins"),
        absent("until", Type::Duration, "when it ends"),
        absent("node", Type::Name, "node that it befalls"),
        absent("share", SHARE, "share of the clients, or of the rows that are copied"),
        absent(
            "factor",
            Type::Float { min: 1.0, max: MOST_SLOW },
            "how many times as long the node takes",
        ),
        absent("case", Type::Name, "case that it belongs to; every case if absent"),
    ],
    sweeps: &[],
    nested: &[],
};

/// The fields of each kind of fault beside `kind`, `at` and `case`: those that it needs, and those that
/// it may have.
const FAULT_FIELDS: &[(&str, &[&str], &[&str])] = &[
    ("dies", &["node"], &[]),
    ("slows", &["node", "factor", "until"], &[]),
    ("restarts", &[], &["until"]),
    ("stale-clients", &["share", "until"], &[]),
    ("drops-rows", &["share", "until"], &[]),
];

/// All faults, in the order of the file; wrong ones are reported.
pub fn read(table: &Table, errors: &mut Vec<Error>) -> Vec<MigrationFault> {
    let tables = table
        .get("fault")
        .map_or(Vec::new(), |item| table::as_tables(item, "migration.fault", errors));
    let mut faults = Vec::new();
    for table in tables {
        let Some(params) = table::closed(table, &FAULT, errors) else { continue };
        let fault = MigrationFault { params, places: Arc::new(cells::places(table)) };
        match check_fault(&fault, table) {
            Ok(()) => faults.push(fault),
            Err(error) => errors.push(error),
        }
    }
    faults
}

/// The fields that belong to the fault's kind, and an end after its beginning.
fn check_fault(fault: &MigrationFault, table: &Table) -> Result<(), Error> {
    let kind = fault.params.text("kind");
    let (_, needed, more) =
        FAULT_FIELDS.iter().find(|(name, ..)| *name == kind).expect("a choice of the field");
    for name in *needed {
        if fault.params.get(name).is_none() {
            let param = FAULT.params.iter().find(|p| p.name == *name).expect("declared");
            let what = format!("a fault of kind {kind}");
            return Err(table::missing(param, table, &what));
        }
    }
    for entry in &table.entries {
        let key = entry.key.as_str();
        let known = ["kind", "at", "case"].contains(&key);
        if !(known || needed.contains(&key) || more.contains(&key)) {
            let fields: Vec<&str> = needed.iter().chain(*more).copied().collect();
            return Err(Error::invalid(format!(
                "`{key}` does not belong to a fault of kind {kind}"
            ))
            .help(format!("fields of {kind}: kind, at, case, {}", fields.join(", ")))
            .at(entry.key_place.clone()));
        }
    }
    if fault.params.get("share").and_then(Value::as_f64).is_some_and(|share| share <= 0.0) {
        return Err(Error::invalid("`share` is 0: nothing would go wrong")
            .help("allowed: more than 0 and at most 1")
            .at(fault.place("share")));
    }
    let (at, until) = (fault.params.duration_ms("at"), fault.params.duration_ms("until"));
    if until.is_some_and(|until| Some(until) <= at) {
        return Err(Error::invalid("the fault ends before it begins")
            .help("make `until` later than `at`: both count from the beginning of the simulation")
            .at(fault.place("until")));
    }
    Ok(())
}

/// Cases of faults must be cases of the migration.
pub fn check_cases(cases: &[Value], faults: &[MigrationFault], errors: &mut Vec<Error>) {
    let names: Vec<String> = cases.iter().map(Value::to_string).collect();
    for fault in faults {
        let Some(case) = fault.params.text_opt("case") else { continue };
        if names.is_empty() {
            errors.push(
                Error::invalid(format!(
                    "a fault belongs to the case `{case}`, and there are no cases"
                ))
                .help(format!("give [migration] e.g. case = [\"no fault\", \"{case}\"]"))
                .at(fault.place("case")),
            );
        } else if !names.iter().any(|name| name == case) {
            let error = Error::unknown("case", case, names.iter().map(String::as_str));
            errors.push(error.at(fault.place("case")));
        }
    }
}

/// Of two faults of one kind (and node) that end, the later must begin when the earlier is over.
pub fn check_overlaps(faults: &[MigrationFault]) -> Result<(), Error> {
    let span = |fault: &MigrationFault| {
        Some((fault.params.duration_ms("at")?, fault.params.duration_ms("until")?))
    };
    for (i, later) in faults.iter().enumerate() {
        for earlier in &faults[..i] {
            let same = |name: &str| later.params.get(name) == earlier.params.get(name);
            let (Some(a), Some(b)) = (span(earlier), span(later)) else { continue };
            if same("kind") && same("node") && a.0 < b.1 && b.0 < a.1 {
                let kind = later.params.text("kind");
                return Err(Error::invalid(format!("two faults of kind {kind} overlap"))
                    .help("let one begin when the other ends, or give them different cases")
                    .at(later.place("at")));
            }
        }
    }
    Ok(())
}

/// A node can die as often as there are copies of its rows.
pub fn check_deaths(faults: &[MigrationFault], replicas: i64) -> Result<(), Error> {
    let dies = |fault: &&MigrationFault| fault.params.text("kind") == "dies";
    let node = |fault: &MigrationFault| fault.params.text("node").to_string();
    for (i, last) in faults.iter().enumerate().filter(|(_, fault)| dies(fault)) {
        let deaths = faults[..=i].iter().filter(dies).filter(|f| node(f) == node(last)).count();
        if deaths as i64 > replicas {
            let copies = if replicas == 1 { "copy" } else { "copies" };
            return Err(Error::invalid(format!(
                "{} dies {deaths} times, and there is {replicas} {copies} of its rows",
                node(last)
            ))
            .help("leave the last death out, give it another case, or give more `replicas`")
            .at(last.place("node")));
        }
    }
    Ok(())
}

/// Nodes that faults name must be members of the cluster at some step of every path.
pub fn check_nodes(cells: &[Cell], errors: &mut Vec<Error>) {
    for cell in cells {
        let Some(migration) = &cell.migration else { continue };
        for fault in &migration.faults {
            let Some(name) = fault.params.text_opt("node") else { continue };
            let mut names: Vec<&str> = Vec::new();
            for node in cell.steps.iter().flat_map(|step| &step.cluster.nodes) {
                if !names.contains(&&*node.name) {
                    names.push(&node.name);
                }
            }
            if !names.contains(&name) {
                let error = Error::unknown("node", name, names);
                errors.push(error.at(fault.place("node")));
                return;
            }
        }
    }
}

impl MigrationFault {
    /// Where a field of it stands, or else its table.
    pub fn place(&self, field: &str) -> Place {
        let table = self.places.table.clone().expect("it was read from a table");
        self.places.fields.get(field).cloned().unwrap_or(table)
    }
}
