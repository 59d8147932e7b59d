//! What several integration tests need: scenarios from text, and runs.

use std::path::Path;

use shardlab::record::Record;
use shardlab::scenario::{Overrides, Scenario, parse};
use shardlab::sim::{Options, Silent, run};

pub fn scenario(text: &str) -> Scenario {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    parse(text, "test.toml", "test", &base, &Overrides::default())
        .unwrap_or_else(|errors| panic!("{}", shardlab::scenario::render(&errors, false)))
}

pub fn run_on(scenario: &Scenario, threads: usize) -> Record {
    run(scenario, Options { threads: Some(threads), ..Options::default() }, &Silent)
        .unwrap_or_else(|e| panic!("{e}"))
}
