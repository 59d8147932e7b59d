//! The binary as the tests of the command line run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The binary under test, in a folder of its own.
pub fn shardlab(dir: &Path) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("shardlab"));
    command.current_dir(dir).env_remove("NO_COLOR");
    command
}

/// Runs it with no stdin.
pub fn run(dir: &Path, args: &[&str]) -> Output {
    shardlab(dir).args(args).stdin(Stdio::null()).output().unwrap()
}

/// Runs in an empty folder; exit code, stdout, stderr.
pub fn answer(args: &[&str]) -> (i32, String, String) {
    let temp = tempfile::tempdir().unwrap();
    texts(&run(temp.path(), args))
}

/// Exit code, stdout, stderr.
pub fn texts(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// With keys on stdin.
pub fn piped(args: &[&str], stdin: &str) -> (i32, String, String) {
    let temp = tempfile::tempdir().unwrap();
    let keys = temp.path().join("keys");
    fs::write(&keys, stdin).unwrap();
    let stdin = fs::File::open(&keys).unwrap();
    texts(&shardlab(temp.path()).args(args).stdin(stdin).output().unwrap())
}

pub const SCENARIO: &str = r#"title = "Three and one more"
question = "What moves?"
analysis = "It moves {jump/murmur3-32|1|movement.keys.share-moved|%}."
seed = 1

[cluster]
nodes = 3

[keys]
pattern = "sequential"
count = 1000

[[strategy]]
kind = "jump"
hasher = "murmur3-32"

[[change]]
add = 1
"#;
