//! Spark's partitioners: of data frames and of RDDs.
//!
//! # Source
//! Apache Spark 4.3.0, `repartition(n, column)`, <https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.DataFrame.repartition.html>,
//! and `HashPartitioner`, <https://spark.apache.org/docs/latest/api/java/org/apache/spark/HashPartitioner.html>.

use super::java::by_hash_code;
use super::partitions::{
    INTEGER_TYPE, JAVA_INTEGER, JAVA_KINDS, PARTITIONS, Partitioned, column, count, dealt, fitting,
    floor_mod, numbered, takes, usually,
};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::params::Param;
use crate::strategy::{Build, Placement, StrategyInfo};

/// Seed of the hash of data frames.
const SEED: u64 = 42;

/// `spark.sql.shuffle.partitions`.
const SHUFFLE: Param = usually(200, i32::MAX as i64);

/// `repartition(n, column)`.
pub static SQL: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "spark_string.csv, spark_bigint.csv (columns sql_hash_* and df_*; not xxhash64, which \
              partitions nothing, nor the hash of two columns)",
        ..dealt(numbered(
            "spark-sql",
            "Spark SQL",
            "Spark SQL `repartition(n, column)` and shuffles: Spark's Murmur3, pmod partitions",
            "Apache Spark 4.3.0, https://spark.apache.org/docs/latest/api/python/reference/pyspark.sql/api/pyspark.sql.DataFrame.repartition.html",
            &[SHUFFLE, INTEGER_TYPE],
            sql,
        ))
    },
    family: "modulo",
    version: "Spark 4.3.0",
    rule: "pmod(h, partitions) with h = murmur3 of seed 42, signed, in which each byte of a text after the \
           last whole block of 4 is a sign-extended block of its own; an int is one block, a bigint two, \
           the low one first. int and bigint of equal value differ",
    answer: Answer::Partition,
};

/// `HashPartitioner`.
pub static RDD: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "spark_string.csv, spark_bigint.csv (columns rdd_*)",
        ..numbered(
            "spark-rdd",
            "Spark RDD",
            "Spark `HashPartitioner` of RDDs: Java's hash code, floorMod partitions",
            "Apache Spark 4.3.0, https://spark.apache.org/docs/latest/api/java/org/apache/spark/HashPartitioner.html",
            &[PARTITIONS, JAVA_INTEGER],
            |build| {
                let partitions = count(build).max(1);
                by_hash_code(build, move |h| floor_mod(h, partitions))
            },
        )
    },
    family: "modulo",
    version: "Spark 4.3.0 on the JVM",
    rule: "floorMod(key.hashCode(), partitions); a null key has partition 0 and cannot be given here",
    answer: Answer::Partition,
};

fn sql(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    takes(build, JAVA_KINDS, "only string, int and bigint columns were recorded")?;
    let view = match (build.keys.is_integer(), build.params.text("type")) {
        (false, _) => "whole",
        (true, "int") => "i32-le",
        (true, _) => "i64-le",
    };
    let columns = [column("spark-murmur3", view, SEED)?];
    let partitions = count(build).max(1);
    let number = move |[digest]: [u64; 1]| floor_mod(digest as u32 as i32, partitions);
    Ok(Box::new(Partitioned::new(build, columns, number)?.accepting_integers(fitting(build))))
}

#[cfg(test)]
mod tests {
    use crate::keys::{KeyBatch, KeyKind};
    use crate::preset::vectors::{Case, Vectors, number, signed};

    /// Columns `df…_N` and `rdd…_N`.
    fn check_partitions(vectors: &Vectors, keys: &KeyBatch) {
        for column in vectors.columns() {
            let preset = match column.split('_').next() {
                Some("df") => "spark-sql",
                Some("rdd") => "spark-rdd",
                _ => continue,
            };
            let params = &[("partitions", column.rsplit_once('_').unwrap().1)];
            vectors.check(column, keys, &Case { preset, params, servers: &[] }, number);
        }
    }

    #[test]
    fn recorded_partitions_of_strings() {
        let vectors = Vectors::read("spark_string.csv", 183);
        let keys = vectors.keys("key", KeyKind::Text);
        check_partitions(&vectors, &keys);
        let case = Case { preset: "spark-sql", params: &[], servers: &[] };
        vectors.check_digests("sql_hash_murmur3_seed42_i32", &keys, &case, signed);
        vectors.finish(&["sql_xxhash64_seed42_i64"]);
    }

    #[test]
    fn recorded_partitions_of_integers() {
        let vectors = Vectors::read("spark_bigint.csv", 250);
        let keys = vectors.keys("value", KeyKind::I64);
        check_partitions(&vectors, &keys);
        let case = |params| Case { preset: "spark-sql", params, servers: &[] };
        vectors.check_digests("sql_hash_bigint", &keys, &case(&[]), signed);
        vectors.finish(&[
            "sql_xxhash64_bigint",
            "sql_hash_int_if_fits",
            "sql_hash_bigint_then_string_x",
        ]);
        let ints = vectors.given("sql_hash_int_if_fits");
        let keys = ints.keys("value", KeyKind::I64);
        ints.check_digests("sql_hash_int_if_fits", &keys, &case(&[("type", "int")]), signed);
    }
}
