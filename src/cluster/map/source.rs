//! The text of a map, line by line with places for messages.

use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Place};

/// A text and the name that errors show for it.
#[derive(Debug, Clone)]
pub struct Source {
    file: Arc<str>,
    text: Arc<str>,
}

/// A line that is not blank, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// The line without its end and the blanks around it.
    pub text: &'a str,
    /// Number of its first byte in the whole text.
    pub start: usize,
}

impl Line<'_> {
    /// The place of a part of it.
    pub fn span(&self, part: &str) -> Range<usize> {
        let offset = part.as_ptr() as usize - self.text.as_ptr() as usize;
        self.start + offset..self.start + offset + part.len()
    }

    /// Its own place.
    pub fn whole(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }
}

impl Source {
    /// A text under that name.
    pub fn new(file: &str, text: &str) -> Self {
        Source { file: file.into(), text: text.into() }
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// All lines, blank ones too, with the number of their first byte; their ends and the blanks at
    /// their ends are cut off.
    pub fn all_lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut start = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let at = start;
            start += line.len();
            Line { text: line.trim_end(), start: at }
        })
    }

    /// The lines that are neither blank nor a comment.
    pub fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.all_lines()
            .map(|line| {
                let text = line.text.trim_start();
                Line { text, start: line.start + line.text.len() - text.len() }
            })
            .filter(|line| !line.text.is_empty() && !line.text.starts_with('#'))
    }

    /// Number of the line that holds a byte, from 1.
    pub fn line_number(&self, at: usize) -> usize {
        self.place(at..at).line_column().0
    }

    /// The word that begins at a byte.
    pub fn word(&self, at: usize) -> Range<usize> {
        let rest = self.text.get(at..).unwrap_or_default();
        at..at + rest.find(char::is_whitespace).unwrap_or(rest.len())
    }

    /// An error at a place.
    pub fn error(
        &self,
        span: Range<usize>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) -> Error {
        Error::data(what).help(help).at(self.place(span))
    }

    /// An error of the whole text.
    pub fn whole(&self, what: impl Into<String>, help: impl Into<String>) -> Error {
        let line = self.lines().next().map_or(0..0, |line| line.whole());
        Error::data(what).help(help).at(self.place(line))
    }

    /// An error at the first line.
    pub fn first(&self, what: impl Into<String>) -> Error {
        let line = self.lines().next().map_or(0..0, |line| line.whole());
        Error::data(what).at(self.place(line))
    }

    /// A name as it may stand in tables: with something in it, and nothing that a terminal obeys.
    pub fn check_name(&self, name: &str, span: Range<usize>) -> Result<(), Error> {
        if name.is_empty() {
            return Err(self.error(span, "a node without a name", "each node needs one"));
        }
        if name.contains(char::is_control) {
            let what = format!("`{}` holds a control character", name.escape_debug());
            return Err(self.error(span, what, "write it in visible characters"));
        }
        Ok(())
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { file: self.file.clone(), text: self.text.clone(), span }
    }
}
