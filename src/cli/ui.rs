//! The three places a command writes to: data to stdout, notes and errors to stderr.

use std::io::{BufWriter, IsTerminal as _, Write};

use anstream::ColorChoice;

use super::Failure;
use crate::error::Error;
use crate::report::table::{FAILED, HELD};
use crate::scenario;

/// Output of a command.
pub struct Ui {
    out: BufWriter<std::io::Stdout>,
    color_out: bool,
    color_err: bool,
}

impl Ui {
    /// `color` is `auto`, `always` or `never`.
    pub fn new(color: &str) -> Self {
        let (color_out, color_err) = match color {
            "always" => (true, true),
            "never" => (false, false),
            // Terminal, NO_COLOR, CLICOLOR and TERM are weighed by anstream.
            _ => {
                let colored = |choice| choice != ColorChoice::Never;
                (
                    colored(anstream::AutoStream::choice(&std::io::stdout())),
                    colored(anstream::AutoStream::choice(&std::io::stderr())),
                )
            }
        };
        Ui { out: BufWriter::with_capacity(1 << 16, std::io::stdout()), color_out, color_err }
    }

    /// Data for stdout, buffered.
    pub fn out(&mut self) -> &mut impl Write {
        &mut self.out
    }

    /// Writes out what is buffered.
    pub fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Writes a report's bytes; marks of held and failed expectations are painted on a terminal.
    pub fn report(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        if !self.color_out {
            return Ok(self.out.write_all(bytes)?);
        }
        for line in bytes.split_inclusive(|&b| b == b'\n') {
            let mark = [(FAILED, "\x1b[1;31m"), (HELD, "\x1b[32m")]
                .into_iter()
                .find(|(mark, _)| line.starts_with(mark.as_bytes()));
            match mark {
                Some((mark, paint)) => {
                    write!(self.out, "{paint}{mark}\x1b[0m")?;
                    self.out.write_all(&line[mark.len()..])?;
                }
                None => self.out.write_all(line)?,
            }
        }
        Ok(())
    }

    /// A line for the person at the terminal.
    pub fn note(&mut self, text: &str) {
        let _ = self.out.flush();
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Errors, with excerpts of the file where they have a place.
    pub fn errors(&mut self, errors: &[Error]) {
        let _ = self.out.flush();
        let text = scenario::render(errors, self.color_err);
        let _ = std::io::stderr().write_all(text.as_bytes());
        if !text.ends_with('\n') {
            let _ = writeln!(std::io::stderr());
        }
    }

    /// Whether a progress bar can be shown.
    pub fn can_show_progress(&self) -> bool {
        std::io::stderr().is_terminal()
    }
}
