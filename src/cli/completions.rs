//! `shardlab completions`: a completion script for a shell.

use std::io::Write;

use clap::{ArgMatches, Args};
use clap_complete::Shell;

use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "completions",
    summary: "A completion script for a shell",
    examples: "Example:\n  shardlab completions bash > ~/.local/share/bash-completion/completions/shardlab",
    augment: CompletionsArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: CompletionsArgs = read(matches);
    // Into memory first: the generator panics where it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::command(), "shardlab", &mut script);
    ui.out().write_all(&script)?;
    Ok(Exit::Done)
}
