//! `shardlab schema`: the JSON Schema of scenario files, for editors.

use std::io::Write;

use clap::{ArgMatches, Args};

use super::ui::Ui;
use super::{CommandInfo, Exit, Failure};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "schema",
    summary: "The JSON Schema of scenario files",
    examples: "Example:\n  shardlab schema > scenario.json   \
               # and `#:schema scenario.json` on a scenario's first line",
    augment: SchemaArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct SchemaArgs {}

fn run(_matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let schema = crate::scenario::schema();
    let text = serde_json::to_string_pretty(&schema).expect("JSON values are JSON");
    writeln!(ui.out(), "{text}")?;
    Ok(Exit::Done)
}
