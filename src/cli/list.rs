//! `shardlab list`: what there is, with parameters and sources.

use std::io::Write;

use clap::{ArgMatches, Args, ValueEnum};
use serde_json::Value as Json;

use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::Error;
use crate::report::catalog::{self, Entry, default_text};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "list",
    summary: "What there is: strategies, hashers, views, keys, traffic, remedies, metrics, charts, maps, reports",
    examples: "Examples:\n  shardlab list\n  shardlab list strategies ring\n  \
               shardlab list hashers --format json",
    augment: ListArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct ListArgs {
    /// strategies, hashers, views, keys, traffic, remedies, metrics, charts, maps or reports; without one, the kinds
    #[arg(value_name = "KIND")]
    kind: Option<String>,
    /// Only the items of these names
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "text")]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For reading
    Text,
    /// For other programs
    Json,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: ListArgs = read(matches);
    let Some(kind) = &args.kind else {
        return kinds(args.format, ui);
    };
    let kind = catalog::find(kind)?;
    let mut entries = (kind.entries)();
    for name in &args.names {
        if entries.iter().all(|e| e.name != *name) {
            let known = entries.iter().map(|e| e.name.as_str());
            return Err(Error::unknown(&format!("name among {}:", kind.name), name, known).into());
        }
    }
    if !args.names.is_empty() {
        entries.retain(|e| args.names.contains(&e.name));
    }
    match args.format {
        Format::Json => json(entries.iter().map(Entry::to_json).collect(), ui)?,
        Format::Text => {
            for (i, entry) in entries.iter().enumerate() {
                if i > 0 && !(entry.params.is_empty() && entry.source.is_empty()) {
                    writeln!(ui.out())?;
                }
                show(entry, ui)?;
            }
        }
    }
    Ok(Exit::Done)
}

fn kinds(format: Format, ui: &mut Ui) -> Result<Exit, Failure> {
    if format == Format::Json {
        json(catalog::ALL.iter().map(|kind| Json::from(kind.name)).collect(), ui)?;
        return Ok(Exit::Done);
    }
    for kind in catalog::ALL {
        let (name, summary) = (kind.name, kind.summary);
        writeln!(ui.out(), "{name:<12}{summary} ({})", (kind.entries)().len())?;
    }
    Ok(Exit::Done)
}

fn json(items: Vec<Json>, ui: &mut Ui) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&items).expect("JSON values are JSON");
    Ok(writeln!(ui.out(), "{text}")?)
}

fn show(entry: &Entry, ui: &mut Ui) -> Result<(), Failure> {
    let out = ui.out();
    writeln!(out, "{:<20}  {}", entry.name, entry.summary)?;
    let facts = entry.facts.iter().filter(|(_, value)| !value.is_empty());
    let facts: Vec<String> = facts.map(|(name, value)| format!("{name}: {value}")).collect();
    if !facts.is_empty() {
        writeln!(out, "    {}", facts.join("; "))?;
    }
    if !entry.source.is_empty() {
        writeln!(out, "    source: {}", entry.source)?;
    }
    for param in entry.params {
        let default = default_text(&param.default);
        writeln!(out, "    {:<16}  {}", param.name, param.doc)?;
        writeln!(out, "    {:<16}  {}; default: {default}", "", param.ty.describe())?;
    }
    Ok(())
}
