//! `shardlab lint-keys` from outside.

use std::fs;
use std::path::Path;

use crate::command::{run, texts};

fn lint(dir: &Path, args: &[&str]) -> (i32, String, String) {
    texts(&run(dir, &[&["lint-keys"], args].concat()))
}

const RAW: [&str; 4] = ["--strategy", "modulo", "--hasher", "identity"];

#[test]
fn a_step_that_shares_a_factor_is_found_with_its_smallest_fix() {
    let temp = tempfile::tempdir().unwrap();
    let keys = ["--keys", "sequential", "--key-param", "step=16", "--rows", "20k", "--nodes", "32"];
    let (code, out, err) = lint(temp.path(), &[&RAW[..], &keys].concat());
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("error residues: the keys reach 2 of 32 nodes"), "{out}");
    assert!(out.contains("key / 16") && out.contains("mends it: the smallest that does"), "{out}");
    let (_, out, _) = lint(temp.path(), &[&RAW[..], &keys, &["--format", "json"]].concat());
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["base"]["used"], 2);
    assert_eq!(found["findings"][0]["smallest"], "key / 16");
    let (_, out, _) = lint(temp.path(), &[&RAW[..], &keys, &["--format", "csv"]].concat());
    assert!(out.starts_with("rule,severity,what,evidence,tried,"), "{out}");
    let good = ["--keys", "order-number", "--rows", "50k", "--nodes", "16"];
    let hashed = ["--strategy", "modulo", "--hasher", "murmur3-32"];
    let (code, out, err) = lint(temp.path(), &[&hashed[..], &good].concat());
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn two_levels_are_asked_for_by_their_numbers() {
    let temp = tempfile::tempdir().unwrap();
    let keys = ["--keys", "sequential", "--rows", "20k", "--nodes", "32"];
    let (code, out, _) = lint(temp.path(), &[&RAW[..], &keys, &["--levels", "32,32"]].concat());
    assert_eq!(code, 1);
    assert!(out.contains("lcm = 32 of 1024 cells can be reached"), "{out}");
    assert!(out.contains("smallest fix: (x / 32) mod 32"), "{out}");
    for wrong in ["32", "0,4", "100000,100000"] {
        let (code, _, err) = lint(temp.path(), &[&RAW[..], &keys, &["--levels", wrong]].concat());
        assert_eq!(code, 2, "{wrong}: {err}");
    }
}

/// A table with a good column, one of two values, and one with a heavy value.
fn table(dir: &Path) {
    let rows: String = (0..20_000u32)
        .map(|i| {
            let city = if i % 10 < 6 { "Ulm".to_string() } else { format!("c{}", i % 300) };
            let gender = if i % 2 == 0 { "f" } else { "m" };
            format!("{i},u{},{gender},{city}\n", i.wrapping_mul(2_654_435_761) % 5000)
        })
        .collect();
    fs::write(dir.join("t.csv"), format!("id,user,gender,city\n{rows}")).unwrap();
    let mix = "[[query]]\ncolumns = [\"user\"]\nshare = 0.7\n\
               [[query]]\ncolumns = [\"id\"]\nshare = 0.1\n\
               [[query]]\ncolumns = [\"city\", \"user\"]\nshare = 0.2\n";
    fs::write(dir.join("mix.toml"), mix).unwrap();
}

#[test]
fn columns_are_ranked_as_shard_keys() {
    let temp = tempfile::tempdir().unwrap();
    table(temp.path());
    let hashed = ["--strategy", "modulo", "--hasher", "murmur3-32", "--nodes", "16"];
    let all = ["--keys", "t.csv", "--columns", "all", "--queries", "mix.toml"];
    let args = [&hashed[..], &all, &["--format", "json"]].concat();
    let (code, out, err) = lint(temp.path(), &args);
    assert_eq!(code, 0, "{err}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    let columns = found["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|c| c["column"].as_str().unwrap()).collect();
    // Even ones first: of these the user answers 90 % of the queries. Of the others the city has the mix.
    assert_eq!(names, ["user", "id", "city", "gender"]);
    let share = |i: usize| columns[i]["queries-on-one-shard"].as_f64().unwrap();
    assert!((share(0) - 0.9).abs() < 1e-9 && (share(1) - 0.1).abs() < 1e-9);
    assert_eq!(columns[1]["distinct"]["number"], 20_000);
    assert_eq!(columns[3]["distinct"]["number"], 2);
    assert_eq!(columns[2]["top"]["value"], "Ulm");
    assert_eq!(columns[2]["is-even"], false);
    // A composite key is answered only by queries that know both.
    let both = ["--keys", "t.csv", "--columns", "city+user,gender", "--queries", "mix.toml"];
    let (code, out, err) = lint(temp.path(), &[&hashed[..], &both, &["--format", "csv"]].concat());
    assert_eq!(code, 0, "{err}");
    let mut reader = csv::Reader::from_reader(out.as_bytes());
    let first = reader.records().next().unwrap().unwrap();
    assert_eq!((&first[1], &first[13]), ("city+user", "0.2"));
    let (_, out, _) = lint(temp.path(), &[&hashed[..], &all].concat());
    assert!(out.contains("too uneven") && out.contains("rank: first those"), "{out}");
}

/// The same table as Parquet: ids of 64 bits, texts, and a column with gaps.
#[cfg(feature = "parquet")]
fn parquet_table(dir: &Path) {
    use std::sync::Arc;

    use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    let schema = "message m { required int64 id; required binary user (UTF8); \
                  required binary gender (UTF8); required binary city (UTF8); \
                  optional int64 coupon; required double price; }";
    let file = fs::File::create(dir.join("t.parquet")).unwrap();
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(file, schema, Default::default()).unwrap();
    let mut reader = csv::Reader::from_path(dir.join("t.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    for group in rows.chunks(7000) {
        let mut out = writer.next_row_group().unwrap();
        let ids: Vec<i64> = group.iter().map(|row| row[0].parse().unwrap()).collect();
        let mut column = out.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&ids, None, None).unwrap();
        column.close().unwrap();
        for at in 1..4 {
            let texts: Vec<ByteArray> = group.iter().map(|row| row[at].into()).collect();
            let mut column = out.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&texts, None, None).unwrap();
            column.close().unwrap();
        }
        let levels: Vec<i16> = ids.iter().map(|id| i16::from(id % 3 == 0)).collect();
        let coupons: Vec<i64> = ids.iter().copied().filter(|id| id % 3 == 0).collect();
        let mut column = out.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(&coupons, Some(&levels), None).unwrap();
        column.close().unwrap();
        let prices: Vec<f64> = ids.iter().map(|&id| id as f64 / 7.0).collect();
        let mut column = out.next_column().unwrap().unwrap();
        column.typed::<DoubleType>().write_batch(&prices, None, None).unwrap();
        column.close().unwrap();
        out.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
#[cfg(feature = "parquet")]
fn columns_of_parquet_are_ranked_as_those_of_csv() {
    let temp = tempfile::tempdir().unwrap();
    table(temp.path());
    parquet_table(temp.path());
    let ask = |file: &str, columns: &str, format: &str| {
        let args = ["--strategy", "modulo", "--hasher", "murmur3-32", "--nodes", "16", "--keys"];
        let more = ["--columns", columns, "--queries", "mix.toml", "--format", format];
        lint(temp.path(), &[&args[..], &[file], &more].concat())
    };
    // The same values in the same order: the same bytes, a composite key among them.
    let some = "id,user,gender,city,city+user";
    let (code, parquet, err) = ask("t.parquet", some, "csv");
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(parquet, ask("t.csv", some, "csv").1);
    // Of all columns those that are no keys are left out, with the reason.
    let (code, out, err) = ask("t.parquet", "all", "json");
    assert_eq!(code, 0, "{err}");
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    let columns = found["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().map(|c| c["column"].as_str().unwrap()).collect();
    assert!(names.starts_with(&["user", "id"]) && !names.contains(&"price"), "{names:?}");
    assert!(err.contains("`price` is left out"), "{err}");
    // Named, it is an error with its place.
    let (code, out, err) = ask("t.parquet", "user,price", "table");
    assert_eq!((code, out.as_str()), (2, ""), "{err}");
    assert!(err.contains("price"), "{err}");
    let (code, _, err) = ask("t.parquet", "user,citty", "table");
    assert!(code == 2 && err.contains("citty") && err.contains("did you mean `city`?"), "{err}");
}

#[test]
fn ids_from_2_to_the_63_on_are_read_without_a_sign() {
    let temp = tempfile::tempdir().unwrap();
    let ids: String = (0..2000u64).map(|i| format!("{}\n", (1 << 63) + 7 * i)).collect();
    fs::write(temp.path().join("ids.txt"), ids).unwrap();
    let keys = ["--keys", "ids.txt", "--nodes", "10"];
    let (code, out, err) = lint(temp.path(), &[&RAW[..], &keys, &["--type", "uint"]].concat());
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("2,000 keys (uint), 2,000 distinct"), "{out}");
    assert!(out.contains("2000 of 2000 keys are from 2^63 on (100 %)"), "{out}");
    let (code, _, err) = lint(temp.path(), &[&RAW[..], &keys, &["--type", "int"]].concat());
    assert_eq!(code, 2);
    assert!(err.contains("is no 64-bit integer"), "{err}");
}

#[test]
fn what_is_no_key_file_exits_with_2() {
    let temp = tempfile::tempdir().unwrap();
    table(temp.path());
    fs::write(temp.path().join("bad.toml"), "[[query]]\ncolumns = [\"usr\"]\nshare = 1\n").unwrap();
    let nodes = ["--nodes", "16"];
    for (args, want) in [
        (&["--keys", "snowflak"] as &[&str], "`snowflake`"),
        (&["--keys", "no.csv"], "no.csv"),
        (&["--keys", "t.csv", "--column", "usr"], "no column `usr`"),
        (&["--keys", "t.csv", "--column", "user"], "is no 64-bit integer"),
        (&["--keys", "t.csv", "--columns", "id,none"], "none"),
        (&["--keys", "t.csv", "--columns", "all", "--queries", "bad.toml"], "no column `usr`"),
        (&["--keys", "t.csv", "--key-param", "rate=5", "--column", "id"], "parameter of a pattern"),
        (&["--keys", "sequential", "--tolerate", "0.5"], "no ratio"),
        (&["--keys", "sequential", "--rows", "0"], "no key"),
    ] {
        let (code, out, err) = lint(temp.path(), &[args, &RAW[..], &nodes].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {err}");
        assert!(err.contains(want), "{args:?}: {err}");
    }
}
