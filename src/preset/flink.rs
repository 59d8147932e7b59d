//! Flink's key groups.
//!
//! # Source
//! Apache Flink 2.3.0, `KeyGroupRangeAssignment`,
//! <https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/parallel/#setting-the-maximum-parallelism>.
//!
//! # Choices made where the source is silent
//! - Subtask i runs on node i where there are as many nodes as subtasks; else they are dealt out in turn.

use super::owners::Owners;
use super::partitions::{JAVA_INTEGER, JAVA_KINDS, Partitioned, column, fitting, numbered, takes};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::strategy::{Build, Placement, StrategyInfo};

/// Most key groups (`UPPER_BOUND_MAX_PARALLELISM`).
const MOST: i64 = 32_768;

/// Key groups and subtasks.
pub static FLINK: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "flink_key_group.csv, flink_murmurHash_int.csv",
        ..numbered(
            "flink",
            "Flink",
            "Flink keyBy: Java's hash code, mixed, to a key group; contiguous key groups to a subtask",
            "Apache Flink 2.3.0, https://nightlies.apache.org/flink/flink-docs-stable/docs/dev/datastream/execution/parallel/#setting-the-maximum-parallelism",
            &[ANSWER, MAX_PARALLELISM, PARALLELISM, JAVA_INTEGER],
            flink,
        )
    },
    family: "bucket-table",
    version: "Flink 2.3.0",
    rule: "m = murmur3-32 with seed 0 of the key's hashCode() as 4 bytes, low byte first, signed; h = |m|, and 0 for \
           −2^31; key group = h mod max-parallelism; subtask = key group · parallelism / max-parallelism, \
           integer division",
    answer: Answer::Partition,
};

const ANSWER: Param = Param::new(
    "answer",
    Type::Choice(&["subtask", "key-group"]),
    Default::Text("subtask"),
    "what is numbered: the `subtask`, which lives on a node, or the `key-group`, for which a cluster's \
     nodes may not be given",
);

const MAX_PARALLELISM: Param = Param::new(
    "max-parallelism",
    Type::Int { min: 1, max: MOST },
    Default::Absent,
    "number of key groups. Absent: Flink's default, one and a half times the parallelism rounded up to \
     a power of two, from 128 to 32768",
);

const PARALLELISM: Param = Param::new(
    "parallelism",
    Type::Int { min: 1, max: MOST },
    Default::Absent,
    "number of subtasks, dealt out to the nodes in turn; a change moves the fewest. Absent: as many as \
     there are nodes, and a change renumbers them",
);

fn flink(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    takes(build, JAVA_KINDS, "only keys that are String, Long or Integer were recorded")?;
    let given = |name| build.params.get(name).map(|_| build.params.int(name) as u32);
    let nodes = build.cluster.nodes.len() as u32;
    let group_wanted = build.params.text("answer") == "key-group";
    let parallelism = given("parallelism").unwrap_or(nodes);
    let groups = given("max-parallelism").unwrap_or_else(|| default_groups(parallelism));
    if parallelism > groups {
        return Err(Error::invalid(format!("{parallelism} subtasks for {groups} key groups"))
            .help("Flink refuses a parallelism above the maximum")
            .field("parallelism"));
    }
    let owners = if group_wanted {
        if nodes > 0 {
            return Err(Error::unsupported("key groups live on subtasks, not on nodes")
                .help("leave out `answer`, or the nodes"));
        }
        Owners::Numbers(groups)
    } else if given("parallelism").is_some() {
        Owners::dealt(build, parallelism, "parallelism")?
    } else {
        Owners::nodes(build, "parallelism")?
    };
    let view = match (build.keys.is_integer(), build.params.text("type")) {
        (true, "int") => "i32-le",
        _ => "java-hash-code",
    };
    let columns = [column("murmur3-32", view, 0)?];
    let number = move |[digest]: [u64; 1]| {
        let group = mixed(digest) % groups;
        // Below 2^30.
        if group_wanted { group } else { group * parallelism / groups }
    };
    Ok(Box::new(Partitioned::with(owners, columns, number).accepting_integers(fitting(build))))
}

/// `MathUtils.murmurHash`, from the digest.
#[inline]
fn mixed(digest: u64) -> u32 {
    match digest as u32 as i32 {
        i32::MIN => 0,
        h => h.unsigned_abs(),
    }
}

/// `computeDefaultMaxParallelism`.
fn default_groups(parallelism: u32) -> u32 {
    (parallelism + parallelism / 2).max(1).next_power_of_two().clamp(128, MOST as u32)
}

#[cfg(test)]
mod tests {
    use super::{default_groups, mixed};
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Vectors, number};

    #[test]
    fn recorded_key_groups_and_subtasks() {
        let all = Vectors::read("flink_key_group.csv", 445);
        for (kind, of, rows) in [("string", KeyKind::Text, 205), ("long", KeyKind::I64, 240)] {
            let vectors = all.only("type", kind, rows);
            let keys = vectors.keys("key", of);
            for column in &vectors.columns()[2..] {
                let (what, groups) = column.split_once("_max").unwrap();
                let params: &[(&str, &str)] = match what.strip_prefix("subtask_par") {
                    Some(subtasks) => &[("max-parallelism", groups), ("parallelism", subtasks)],
                    None => &[("max-parallelism", groups), ("answer", "key-group")],
                };
                vectors.check(
                    column,
                    &keys,
                    &Case { preset: "flink", params, servers: &[] },
                    number,
                );
            }
            vectors.finish(&[]);
        }
    }

    #[test]
    fn recorded_mixes_of_hash_codes() {
        let vectors = Vectors::read("flink_murmurHash_int.csv", 117);
        let keys = vectors.keys("code_i32", KeyKind::I64);
        let case = Case {
            preset: "flink",
            params: &[("type", "int"), ("parallelism", "1")],
            servers: &[],
        };
        let shown = |digest| mixed(digest).to_string();
        vectors.check_digests("MathUtils_murmurHash", &keys, &case, shown);
        vectors.finish(&[]);
    }

    #[test]
    fn default_numbers_of_key_groups() {
        for (parallelism, groups) in
            [(1, 128), (85, 128), (86, 256), (1000, 2048), (30_000, 32_768)]
        {
            assert_eq!(default_groups(parallelism), groups, "{parallelism}");
        }
    }
}
