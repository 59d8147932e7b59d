//! Split: a hot key in parts, of which a write takes one, and a read one or all.

use std::sync::Arc;

use super::RemedyInfo;
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::scenario::{Cell, Split, SplitReads};

/// Facts of the remedy.
pub static INFO: RemedyInfo = RemedyInfo {
    name: "split",
    summary: "named hot keys in parts key:0, key:1 …, each placed by itself",
    source: "write sharding of Amazon DynamoDB, https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-sharding.html",
    price: "reads of all parts: r requests for one; parts to merge, and to keep alike where one is read",
    params: &[
        Param::new("key", Type::Text, Default::Absent, "hot key to split; all of them when absent"),
        Param::new(
            "parts",
            Type::Int { min: 1, max: 10_000 },
            Default::Int(100),
            "number of parts",
        ),
        Param::new(
            "read",
            Type::Choice(&["all", "one"]),
            Default::Text("all"),
            "whether a read asks all parts and merges, or any one of them",
        ),
    ],
    apply,
};

fn apply(params: &Params, cell: &Cell) -> Result<Cell, Error> {
    let reads = match params.text("read") {
        "one" => SplitReads::One,
        _ => SplitReads::All,
    };
    let split = Split { parts: params.int("parts") as u64, reads };
    let mut workload = (*cell.workload).clone();
    let names = || cell.workload.hot.iter().map(|hot| hot.key.as_str());
    if workload.hot.is_empty() {
        return Err(Error::invalid("there is no hot key to split")
            .help("name one: [[traffic.hot]] with `key` and `share`"));
    }
    let only = params.text_opt("key");
    if let Some(key) = only.filter(|key| names().all(|name| name != *key)) {
        return Err(Error::unknown("hot key", key, names()).field("key"));
    }
    for hot in workload.hot.iter_mut().filter(|hot| only.is_none_or(|key| hot.key == key)) {
        hot.split = Some(split);
    }
    Ok(Cell { workload: Arc::new(workload), ..cell.clone() })
}
