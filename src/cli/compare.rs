//! `shardlab compare`: what differs between two records.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};

use super::args::{Form, share};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::compare::{Selection, Tolerance, compare, parse};
use crate::error::Error;
use crate::record::Record;
use crate::report;
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "compare",
    summary: "What differs between two records; exit code 1 beyond a tolerance",
    examples: "Examples:\n  shardlab compare reports/before reports/after --tolerance 1%\n  \
               shardlab compare a/record.json b/record.json --metric 'keys.*' --metric movement.keys.share-moved\n\n\
               Cells are the same when they have the same values on the same axes. Beside the metrics\n\
               (`shardlab list metrics`) the loads of every node are compared, as node.NAME.LOAD.\n\
               Exit codes: 0 within the tolerance, 1 beyond it or not the same cells, 2 no records.",
    augment: CompareArgs::augment_args,
    run,
};

/// Largest record that is read.
const MOST_BYTES: u64 = 1 << 30;

#[derive(Debug, Args)]
struct CompareArgs {
    /// A record.json, or the folder of a report
    #[arg(value_name = "A")]
    first: PathBuf,
    /// The record to compare it with
    #[arg(value_name = "B")]
    second: PathBuf,
    /// Share of the larger value by which two may differ, e.g. 0.01 or 1%
    #[arg(long, value_name = "X", default_value = "0", value_parser = share)]
    tolerance: f64,
    /// Amount by which two values may differ whatever their share, in the metric's unit
    #[arg(long, value_name = "Y", default_value = "0", value_parser = share)]
    absolute: f64,
    /// Metric to compare, with `*` for any characters; repeat for several; all by default
    #[arg(long, value_name = "M")]
    metric: Vec<String>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "table")]
    format: Form,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: CompareArgs = read(matches);
    let take = Selection::new(&args.metric)?;
    let tolerance = Tolerance { relative: args.tolerance, absolute: args.absolute };
    let records = [record(&args.first)?, record(&args.second)?];
    let found = compare(&records[0], &records[1], &take, tolerance);
    if found.compared == 0 && found.cells > 0 && !args.metric.is_empty() {
        return Err(Error::invalid("no cell of either record has a value of these metrics")
            .help("`shardlab list metrics` shows what they need: movement a change, trials a band")
            .into());
    }
    let names = [args.first.display().to_string(), args.second.display().to_string()];
    let names = [names[0].as_str(), names[1].as_str()];
    let bytes = match args.format {
        Form::Table => report::compare::listing(&found, names).table().into_bytes(),
        Form::Markdown => report::compare::listing(&found, names).markdown().into_bytes(),
        Form::Csv => report::compare::rows(&found),
        Form::Json => report::listing::json(&report::compare::json(&found, names)),
    };
    ui.out().write_all(&bytes)?;
    Ok(if found.holds() { Exit::Done } else { Exit::Failed })
}

fn record(path: &Path) -> Result<Record, Error> {
    let file = if path.is_dir() { path.join("record.json") } else { path.to_path_buf() };
    let shown = file.display().to_string();
    let text = text_file::read(&file, &shown, MOST_BYTES).map_err(|error| {
        if path.is_dir() { error.help("a report's folder has a record.json") } else { error }
    })?;
    parse(&text, &shown)
}
