//! `shardlab man`: a manual page, of the program or of one of its subcommands.

use std::io::Write;

use clap::{ArgMatches, Args, Command};
use clap_mangen::Man;

use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::Error;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "man",
    summary: "A manual page: of the program, or of a subcommand",
    examples: "Examples:\n  shardlab man | man -l -\n  shardlab man explain modulo | man -l -",
    augment: ManArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct ManArgs {
    /// The subcommand, e.g. plan or explain modulo
    #[arg(value_name = "COMMAND")]
    path: Vec<String>,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: ManArgs = read(matches);
    let mut page = super::command();
    page.build();
    for name in &args.path {
        page = subcommand(&page, name)?;
    }
    // Into memory first, so that a reader who stops early is no failure of the generator.
    let mut text = Vec::new();
    Man::new(page).render(&mut text)?;
    ui.out().write_all(&text)?;
    Ok(Exit::Done)
}

/// The subcommand of that name, under the name that a person types.
fn subcommand(of: &Command, name: &str) -> Result<Command, Error> {
    let found = of.find_subcommand(name).ok_or_else(|| {
        Error::unknown("command", name, of.get_subcommands().map(|command| command.get_name()))
    })?;
    let full = found.get_bin_name().unwrap_or(name).replace(' ', "-");
    Ok(found.clone().display_name(full))
}
