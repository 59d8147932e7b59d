//! Tests of key files: every format, every mistake.

use std::fs;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use tempfile::TempDir;

use super::*;
use crate::error::ErrorKind;
use crate::keys::{MAX_BATCH_TEXT, MAX_KEY};
use crate::params::Value;

/// One file in a folder of its own, and the parameters that read it.
pub(super) struct Fixture {
    folder: TempDir,
    given: Vec<(String, Value)>,
}

impl Fixture {
    pub(super) fn new(name: &str, content: &[u8]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(name), content).expect("written");
        Fixture { folder, given: vec![("file".into(), Value::Text(name.into()))] }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.given.push((name.into(), Value::Text(value.into())));
        self
    }

    fn limit(mut self, rows: i64) -> Self {
        self.given.push(("limit".into(), Value::Int(rows)));
        self
    }

    pub(super) fn source(&self) -> Result<Box<dyn KeySource>, Error> {
        let params = Params::from_pairs(INFO.params, self.given.clone())?;
        (INFO.build)(&PatternBuild { params: &params, seed: 1, base: self.folder.path() })
    }

    /// All rows, read in pieces of three.
    pub(super) fn rows(&self) -> Result<KeyBatch, Error> {
        let source = self.source()?;
        let Access::InOrder(open) = source.access() else { panic!("files are read in order") };
        let mut reader = open.open()?;
        let (mut all, mut piece) = (KeyBatch::new(source.kind()), KeyBatch::new(source.kind()));
        loop {
            piece.clear(all.len() as u64);
            reader.read(3, &mut piece)?;
            all.extend_from(&piece, 0..piece.len());
            if piece.len() < 3 {
                assert_eq!(source.rows()?, all.len() as u64);
                return Ok(all);
            }
        }
    }

    pub(super) fn texts(&self) -> Vec<String> {
        let batch = self.rows().expect("the file is right");
        batch.text.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect()
    }

    /// The message and its help, joined.
    pub(super) fn message(&self) -> String {
        let error = self.rows().expect_err("the file is wrong");
        assert_eq!(error.kind, ErrorKind::Data, "{error}");
        error.to_string()
    }
}

pub(super) fn gzip(content: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content).expect("in memory");
    encoder.finish().expect("in memory")
}

const CSV: &[u8] =
    b"size,key,hits\n10,alpha,1\n20,\"be,ta\",2\n\n30,\"g\"\"a\nmma\",3\n40,delta,4\n";

#[test]
fn csv_gives_keys_and_loads() {
    let file = Fixture::new("k.csv", CSV).with("requests", "hits").with("bytes", "size");
    let batch = file.rows().expect("right");
    assert_eq!(file.texts(), ["alpha", "be,ta", "g\"a\nmma", "delta"]);
    assert_eq!(batch.requests, [1, 2, 3, 4]);
    assert_eq!(batch.bytes, [10, 20, 30, 40]);
    let source = file.source().expect("right");
    assert!(source.has_requests() && source.has_bytes());
    assert_eq!(source.distinct(), None);
}

#[test]
fn gzip_of_several_members_is_unpacked_whatever_its_name() {
    let mut packed = gzip(&CSV[..20]);
    packed.extend(gzip(&CSV[20..]));
    assert_eq!(Fixture::new("k.csv.gz", &packed).texts().len(), 4);
    assert_eq!(Fixture::new("k.csv", &packed).texts().len(), 4);
    assert_eq!(Fixture::new("k.txt.gz", &gzip(b"a\nb")).texts(), ["a", "b"]);
    assert_eq!(Fixture::new("k.TXT", b"a").texts(), ["a"]);
}

#[test]
fn text_files_have_a_key_a_line() {
    let file = Fixture::new("k.txt", b"\xef\xbb\xbfone\r\ntwo, three\n\n\r\nf\xc3\xbcnf");
    assert_eq!(file.texts(), ["one", "two, three", "fünf"]);
}

#[test]
fn integers_have_their_decimal_form_as_text() {
    let file = Fixture::new("k.txt", b"7\n-12\n007\n").with("type", "integer");
    assert_eq!(file.texts(), ["7", "-12", "7"]);
    assert_eq!(file.rows().expect("right").ints, [7, (-12i64) as u64, 7]);
}

#[test]
fn integers_without_a_sign_reach_beyond_2_to_the_63() {
    let file = Fixture::new("k.txt", b"7\n18446744073709551615\n007\n").with("type", "unsigned");
    assert_eq!(file.texts(), ["7", "18446744073709551615", "7"]);
    assert_eq!(file.rows().expect("right").ints, [7, u64::MAX, 7]);
    for wrong in ["-1", "18446744073709551616", "x", ""] {
        let file = Fixture::new("k.csv", format!("key\n1\n{wrong:?}\n").as_bytes());
        let message = file.with("type", "unsigned").message();
        assert!(message.contains("is no 64-bit integer without a sign"), "{message}");
    }
}

#[test]
fn the_limit_ends_reading() {
    // The bad fourth row is never reached.
    let content = b"key,requests\na,1\nb,2\nc,3\nd,x\n";
    let file = Fixture::new("k.csv", content).with("requests", "requests").limit(3);
    assert_eq!(file.texts(), ["a", "b", "c"]);
    assert_eq!(Fixture::new("k.txt", b"a\nb\n").limit(1).texts(), ["a"]);
    assert_eq!(Fixture::new("k.txt", b"a\nb\n").limit(9).texts(), ["a", "b"]);
}

#[test]
fn the_fingerprint_is_of_the_bytes_on_disk() {
    let data = Fixture::new("k.txt", b"abc").source().and_then(|s| s.data()).expect("right");
    // FIPS 180-4's example for "abc".
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad".into();
    assert_eq!(data, Some(DataFile { file: "k.txt".into(), sha256, rows: 1 }));
}

#[test]
fn wrong_cells_name_file_row_line_column_and_value() {
    let with = |cell: &str| {
        let content = format!("key,n\n\"a\nb\",1\nc,{cell}\n");
        Fixture::new("k.csv", content.as_bytes()).with("requests", "n").message()
    };
    assert_eq!(
        with("-5"),
        "`k.csv`, row 2 (line 4), column `n`: `-5` is negative\n  \
         allowed: whole numbers from 0 to 18446744073709551615"
    );
    assert!(with("12x").contains("`12x` is no whole number"));
    assert!(with("").contains("`` is no whole number"));
    assert!(with("18446744073709551616").contains("is too large"));
    assert!(with("18446744073709551615").contains("makes the total overflow"));
    assert!(with("1,2").contains("row 2 (line 4): has 3 fields, the header has 2 fields"));
    let integer = Fixture::new("k.txt", b"1\nx\n").with("type", "integer").message();
    assert!(integer.starts_with("`k.txt`, row 2 (line 2): `x` is no 64-bit integer"), "{integer}");
}

#[test]
fn missing_columns_suggest_the_nearest() {
    let file = Fixture::new("k.csv", b"key,requsts\na,1\n").with("requests", "requests");
    let error = file.source().expect_err("missing");
    assert_eq!((error.kind, error.field), (ErrorKind::Data, Some("requests")));
    assert_eq!(error.message, "`k.csv` has no column `requests`");
    assert_eq!(error.help, ["did you mean `requsts`?", "known: key, requsts"]);
    let twice = Fixture::new("k.csv", b"key,key\na,b\n").message();
    assert!(twice.contains("two columns `key`"), "{twice}");
}

#[test]
fn empty_files_are_refused() {
    for (name, content) in
        [("k.csv", &b""[..]), ("k.csv", b"key\n"), ("k.txt", b""), ("k.txt", b"\n\n")]
    {
        let error = Fixture::new(name, content).source().expect_err("empty");
        assert_eq!(error.message, format!("`{name}` has no rows"));
    }
    assert!(Fixture::new("k.txt.gz", &gzip(b"")).message().contains("has no rows"));
}

#[test]
fn invalid_utf8_and_long_keys_are_refused() {
    let bad = Fixture::new("k.csv", b"key\nok\nab\xff\n").message();
    assert!(
        bad.contains("row 2 (line 3), column `key`: `ab\u{fffd}` is no UTF-8 from byte 3 on"),
        "{bad}"
    );
    for (name, head) in [("k.txt", ""), ("k.csv", "key\n")] {
        let exact = head.to_string() + &"x".repeat(65_535) + "\n";
        assert_eq!(Fixture::new(name, exact.as_bytes()).texts()[0].len(), 65_535);
        let long = head.to_string() + &"x".repeat(65_536) + "\n";
        let message = Fixture::new(name, long.as_bytes()).message();
        assert!(message.contains("has 65536 bytes"), "{message}");
    }
}

#[test]
fn batches_of_long_keys_end_early_and_lose_nothing() {
    // 72 MB of texts: at most 32 MiB and one key a batch, so at least three batches.
    let key = |i: usize| format!("{i:0>60000}");
    let lines: String = (0..1200).map(|i| key(i) + "\n").collect();
    for (name, head) in [("k.txt", ""), ("k.csv", "key\n")] {
        let file = Fixture::new(name, (head.to_string() + &lines).as_bytes());
        let source = file.source().expect("right");
        assert_eq!(source.rows().expect("right"), 1200);
        let Access::InOrder(open) = source.access() else { panic!("files are read in order") };
        let mut reader = open.open().expect("right");
        let mut batch = KeyBatch::new(source.kind());
        let (mut row, mut batches) = (0, 0);
        loop {
            batch.clear(row as u64);
            reader.read(BATCH_ROWS, &mut batch).expect("right");
            if batch.is_empty() {
                break;
            }
            assert!(batch.text.total_bytes() < MAX_BATCH_TEXT + MAX_KEY);
            assert_eq!(batch.text.get(0), key(row).as_bytes());
            (row, batches) = (row + batch.len(), batches + 1);
        }
        assert_eq!((row, batches), (1200, 3));
    }
}

#[test]
fn an_open_quote_is_not_read_to_the_end() {
    let mut content = b"key\na\n\"b".to_vec();
    content.resize(17 << 20, b'x');
    let message = Fixture::new("k.csv", &content).message();
    assert!(
        message.contains("row 2 (line 3): has more than 16777216 bytes\n  is a quote left open?"),
        "{message}"
    );
    // A short one is found at the end of the file, in files of one column and of several.
    let message = Fixture::new("k.csv", b"key\na\n\"b\nc\nd\n").message();
    assert!(message.contains("`k.csv`, row 2 (line 3): a quote is left open"), "{message}");
    let message = Fixture::new("k.csv", b"key,n\na,1\n\"b,2\nc,3\n").message();
    assert!(message.contains("row 2 (line 3): has 1 field, the header has 2 fields"), "{message}");
    assert!(message.contains("a quote that is left open"), "{message}");
    // An odd quote within a cell is no open one.
    assert_eq!(Fixture::new("k.csv", b"key\n5\" disk\nb\n").texts(), ["5\" disk", "b"]);
}

#[test]
fn cut_off_and_damaged_gzip_is_found() {
    let lines: String =
        (0..1000u32).map(|i| format!("{:08x}\n", i.wrapping_mul(0x9e37_79b9))).collect();
    let packed = gzip(lines.as_bytes());
    let cut = Fixture::new("k.txt.gz", &packed[..packed.len() / 2]).message();
    assert!(cut.contains("the gzip stream is cut off"), "{cut}");
    let junk = Fixture::new("k.txt.gz", &[&packed[..], &[b'x'; 20]].concat()).message();
    assert!(junk.contains("after row 1000: no gzip header where one must stand"), "{junk}");
    let mut damaged = packed.clone();
    let end = damaged.len() - 6;
    damaged[end] ^= 1;
    let message = Fixture::new("k.txt.gz", &damaged).message();
    assert!(message.contains("`k.txt.gz` is damaged after row"), "{message}");
}

#[test]
fn what_is_no_file_or_has_no_format_is_refused() {
    let mut missing = Fixture::new("k.csv", b"");
    missing.given = vec![("file".into(), Value::Text("data/none.csv".into()))];
    let error = missing.source().expect_err("missing");
    assert_eq!((error.kind, error.field), (ErrorKind::Data, Some("file")));
    assert!(error.message.starts_with("cannot read `data/none.csv`: "), "{error}");
    let error = Fixture::new("k.tsv", b"a").source().expect_err("no format");
    assert_eq!(error.field, Some("file"));
    assert_eq!(Fixture::new("k.tsv", b"a").with("format", "text").texts(), ["a"]);
    let columns = Fixture::new("k.txt", b"a").with("bytes", "size").source().expect_err("columns");
    assert_eq!(columns.field, Some("bytes"));
    let mut folder = Fixture::new("k.csv", b"");
    folder.given = vec![
        ("file".into(), Value::Text(".".into())),
        ("format".into(), Value::Text("csv".into())),
    ];
    assert!(folder.message().contains("it is a folder"));
}

#[cfg(not(feature = "parquet"))]
#[test]
fn parquet_says_how_to_turn_it_on() {
    let error = Fixture::new("k.parquet", b"PAR1").source().expect_err("not built in");
    assert_eq!(error.help, ["build with --features parquet"]);
}
