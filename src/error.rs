//! The one error type: what is wrong, where, what is allowed, what to do next.

use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// What an [`Error`] is about; the command line derives its exit code from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// A scenario, an argument or a parameter is wrong.
    Invalid,
    /// A key file or another data file is wrong.
    Data,
    /// The operating system refused to read or write.
    Io,
    /// A strategy cannot do what the cell asks of it. Not a failure of the run: the cell is reported
    /// as `unsupported` with this message as its reason.
    Unsupported,
    /// The user interrupted the run.
    Interrupted,
}

/// A place in a text file that an [`Error`] points at.
#[derive(Debug, Clone)]
pub struct Place {
    /// The file's name as the user gave it.
    pub file: Arc<str>,
    /// The file's whole text, for the excerpt in the message.
    pub text: Arc<str>,
    /// Byte range in `text`.
    pub span: Range<usize>,
}

impl Place {
    /// Line and column of the start of the span, both counted from 1; columns count characters.
    pub fn line_column(&self) -> (usize, usize) {
        let start = self.span.start.min(self.text.len());
        let before = &self.text.as_bytes()[..start];
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let column = String::from_utf8_lossy(&before[line_start..]).chars().count() + 1;
        (line, column)
    }
}

/// One error with everything a person needs to mend it.
#[derive(Debug, Clone)]
pub struct Error {
    /// What it is about.
    pub kind: ErrorKind,
    /// What is wrong, naming the value. No trailing full stop.
    pub message: String,
    /// What is allowed and what to do next, one sentence or line each.
    pub help: Vec<String>,
    /// The parameter it concerns, from which the scenario reader finds the place in the file.
    pub field: Option<&'static str>,
    /// Where in a text file it is, when it is in one.
    pub place: Option<Place>,
}

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error { kind, message: message.into(), help: Vec::new(), field: None, place: None }
    }

    /// A scenario, argument or parameter is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// A data file is wrong.
    pub fn data(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Data, message)
    }

    /// The operating system refused: `what` tells what was tried, e.g. ``cannot read `keys.csv` ``.
    pub fn io(what: impl fmt::Display, cause: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, format!("{what}: {cause}"))
    }

    /// A strategy cannot do what is asked; the message is the reason that the record shows.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unsupported, reason)
    }

    /// Adds a line of help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Names the parameter that is wrong.
    #[must_use]
    pub fn field(mut self, field: &'static str) -> Self {
        self.field = Some(field);
        self
    }

    /// Points at a place in a text file, unless a more exact place is known already.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place.get_or_insert(place);
        self
    }

    /// "unknown WHAT `name`" with the nearest of `known` suggested and all of them listed.
    pub fn unknown<'a>(what: &str, name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let nearest = known
            .iter()
            .map(|k| (strsim::damerau_levenshtein(name, k), Reverse(common_ends(name, k)), *k))
            .min()
            .filter(|(distance, _, k)| *distance <= 1 + k.len().max(name.len()) / 3);
        let mut error = Self::invalid(format!("unknown {what} `{name}`"));
        // Of several names that hold the given one, one is meant: the nearest is only the shortest, unless it
        // lacks no more than a letter.
        let holding: Vec<String> = known
            .iter()
            .filter(|k| name.len() >= 3 && k.contains(name))
            .map(|k| format!("`{k}`"))
            .collect();
        match nearest {
            Some((distance, _, nearest)) if distance <= 1 || holding.len() < 2 => {
                error = error.help(format!("did you mean `{nearest}`?"));
            }
            _ if !holding.is_empty() => {
                error = error.help(format!("with this in the name: {}", holding.join(", ")));
            }
            _ => {}
        }
        let known = if known.is_empty() { "none".to_string() } else { known.join(", ") };
        error.help(format!("known: {known}"))
    }
}

/// Characters that two names share at their start and at their end: of two equally near names the one
/// that only lacks a letter is likelier than the one that has another.
fn common_ends(a: &str, b: &str) -> usize {
    let head = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    head + a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).count()
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            let (line, column) = place.line_column();
            write!(f, "{}:{line}:{column}: ", place.file)?;
        }
        f.write_str(&self.message)?;
        for help in &self.help {
            write!(f, "\n  {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let error = Error::unknown("strategy", "rnig", ["jump", "ring", "maglev"]);
        assert_eq!(error.help[0], "did you mean `ring`?");
        let error = Error::unknown("field", "nods", ["node", "nodes"]);
        assert_eq!(error.help[0], "did you mean `nodes`?");
        let error =
            Error::unknown("preset", "map", ["envoy-maglev", "haproxy-map", "some-hashmap"]);
        assert_eq!(error.help[0], "with this in the name: `haproxy-map`, `some-hashmap`");
        let error = Error::unknown("strategy", "zzzzzz", ["jump", "ring"]);
        assert_eq!(error.help, ["known: jump, ring"]);
    }

    #[test]
    fn lines_and_columns_count_from_one_in_characters() {
        let text: Arc<str> = "a = 1\nü = 2\n".into();
        let place = Place { file: "s.toml".into(), span: 9..10, text };
        assert_eq!(place.line_column(), (2, 3));
    }
}
