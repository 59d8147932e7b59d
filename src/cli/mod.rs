//! The command line: one file per subcommand, each with its arguments and a `run`.
//!
//! To add a subcommand: a file with its `INFO`, and two lines here. Data goes to stdout, notes and
//! progress to stderr. Exit codes: 0 done, 1 an expectation or check failed, 2 a usage, scenario or
//! data error, 130 interrupted. A closed pipe ends a command in silence.

mod accept;
mod accept_keys;
mod advise;
pub mod args;
mod check;
mod choice;
mod claims;
mod compare;
mod completions;
mod disagree;
mod explain;
mod hash;
mod input;
mod lint_keys;
mod list;
mod man;
mod maps;
mod placements;
mod plan;
mod progress;
mod quick;
mod route;
mod run;
mod schema;
mod size;
mod ui;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Arg, ArgMatches, ColorChoice, Command, FromArgMatches};

use crate::error::{Error, ErrorKind};
use ui::Ui;

/// A subcommand: its name and what to call.
pub struct CommandInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One sentence for `--help`.
    pub summary: &'static str,
    /// Examples shown below the options; may be empty.
    pub examples: &'static str,
    /// Adds its arguments.
    augment: fn(Command) -> Command,
    /// Runs it.
    run: fn(&ArgMatches, &mut Ui) -> Result<Exit, Failure>,
}

/// All subcommands, in the order of `--help`.
pub static ALL: &[&CommandInfo] = &[
    &run::INFO,
    &quick::INFO,
    &route::INFO,
    &disagree::INFO,
    &compare::INFO,
    &advise::INFO,
    &explain::INFO,
    &size::INFO,
    &plan::INFO,
    &accept::INFO,
    &lint_keys::INFO,
    &hash::INFO,
    &check::INFO,
    &claims::INFO,
    &list::INFO,
    &schema::INFO,
    &completions::INFO,
    &man::INFO,
];

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// It did what was asked.
    Done,
    /// An expectation or a check failed.
    Failed,
    /// Usage, scenario or data are wrong.
    Wrong,
    /// The user stopped it.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Wrong => 2,
            Exit::Interrupted => 130,
        })
    }
}

/// Why a command stopped early.
#[derive(Debug)]
pub enum Failure {
    /// Something is wrong.
    Errors(Vec<Error>),
    /// Nobody reads the output any more.
    Closed,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Errors(vec![error])
    }
}

impl From<Vec<Error>> for Failure {
    fn from(errors: Vec<Error>) -> Self {
        Failure::Errors(errors)
    }
}

/// Errors of writing to stdout.
impl From<std::io::Error> for Failure {
    fn from(cause: std::io::Error) -> Self {
        match cause.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Error::io("cannot write the output", &cause).into(),
        }
    }
}

/// The whole command line, as the parser, the help and the completions know it.
pub fn command() -> Command {
    let color = Arg::new("color")
        .long("color")
        .global(true)
        .value_name("WHEN")
        .value_parser(["auto", "always", "never"])
        .default_value("auto")
        .help("Colours: auto (on a terminal, unless NO_COLOR is set), always or never");
    Command::new("shardlab")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Where does each key live, how uneven will it be, what moves, what does a look-up cost?")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(color)
        .subcommands(ALL.iter().map(|info| {
            (info.augment)(Command::new(info.name)).about(info.summary).after_help(info.examples)
        }))
}

/// Parses the arguments, runs the subcommand, reports its errors.
pub fn main(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let command = command().color(help_color(&args));
    let matches = match command.try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(error) => {
            let _ = error.print();
            return if error.use_stderr() { Exit::Wrong } else { Exit::Done };
        }
    };
    let mut ui = Ui::new(matches.get_one::<String>("color").map_or("auto", String::as_str));
    let (name, sub) = matches.subcommand().expect("clap requires a subcommand");
    let info = ALL.iter().find(|info| info.name == name).expect("clap knows only those in ALL");
    let result = (info.run)(sub, &mut ui);
    // Output that nobody reads any more does not change how the command ended.
    let result = match (result, ui.flush()) {
        (Ok(exit), Ok(()) | Err(Failure::Closed)) => Ok(exit),
        (Ok(_), Err(failure)) | (Err(failure), _) => Err(failure),
    };
    match result {
        Ok(exit) => exit,
        Err(Failure::Closed) => Exit::Done,
        Err(Failure::Errors(errors)) => {
            if errors.iter().any(|e| e.kind == ErrorKind::Interrupted) {
                ui.note("interrupted; the run at hand has written nothing");
                return Exit::Interrupted;
            }
            ui.errors(&errors);
            Exit::Wrong
        }
    }
}

/// The colours of help and usage errors, which the parser prints itself: needed before it has read
/// `--color`.
fn help_color(args: &[OsString]) -> ColorChoice {
    let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).collect();
    let with_space = args.windows(2).filter(|pair| pair[0] == "--color").map(|pair| pair[1]);
    let with_sign = args.iter().filter_map(|arg| arg.strip_prefix("--color="));
    match with_space.chain(with_sign).last() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// The arguments of a subcommand, whose presence clap has checked.
fn read<A: FromArgMatches>(matches: &ArgMatches) -> A {
    A::from_arg_matches(matches).unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_takes_its_colours_from_the_option() {
        let choice =
            |line: &str| help_color(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(choice("shardlab run --color never --help"), ColorChoice::Never);
        assert_eq!(choice("shardlab --color=always"), ColorChoice::Always);
        assert_eq!(choice("shardlab run"), ColorChoice::Auto);
    }

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
