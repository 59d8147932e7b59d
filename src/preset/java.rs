//! What several Java systems partition by: `hashCode()`.

use super::partitions::{JAVA_KINDS, Partitioned, column, fitting, takes};
use crate::error::Error;
use crate::keys::ColumnSpec;
use crate::strategy::{Build, Placement};

/// The hash code of a String, a Long or (parameter `type`) an Integer, low 32 bits of the digest.
pub fn hash_code(build: &Build<'_>) -> Result<ColumnSpec, Error> {
    takes(build, JAVA_KINDS, "only hash codes of strings, longs and ints were recorded")?;
    match (build.keys.is_integer(), build.params.text("type")) {
        (false, _) => column("java-string", "whole", 0),
        (true, "int") => column("identity", "whole", 0),
        (true, _) => column("java-long", "whole", 0),
    }
}

/// Partitions by hash code.
pub fn by_hash_code(
    build: &Build<'_>,
    number: impl Fn(i32) -> u32 + Clone + Send + Sync + 'static,
) -> Result<Box<dyn Placement>, Error> {
    let columns = [hash_code(build)?];
    let number = move |[digest]: [u64; 1]| number(digest as u32 as i32);
    Ok(Box::new(Partitioned::new(build, columns, number)?.accepting_integers(fitting(build))))
}
