//! The binary: parse, call, exit code. Everything else is the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    shardlab::cli::main(std::env::args_os()).into()
}
