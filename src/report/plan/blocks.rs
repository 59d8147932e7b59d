//! What a text is made of, and how a terminal and a page show it.

use super::super::markdown::pipe_table;
use super::super::table::plain;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// The title of the whole.
    Title(String),
    /// The title of a part.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// Lines that belong together.
    Lines(Vec<String>),
    /// A table.
    Table(Grid),
}

/// A table of texts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    /// Heads of the columns.
    pub header: Vec<String>,
    /// Whether each column holds numbers.
    pub numeric: Vec<bool>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table without rows; columns whose head begins with `#` hold numbers.
    pub fn new<S: AsRef<str>>(heads: &[S]) -> Self {
        let heads: Vec<&str> = heads.iter().map(AsRef::as_ref).collect();
        Grid {
            header: heads.iter().map(|head| head.trim_start_matches('#').to_string()).collect(),
            numeric: heads.iter().map(|head| head.starts_with('#')).collect(),
            rows: Vec::new(),
        }
    }

    /// The same without the columns that no row fills.
    #[must_use]
    pub fn filled(self) -> Self {
        let kept: Vec<usize> = (0..self.header.len())
            .filter(|&i| self.rows.iter().any(|row| !row[i].is_empty()))
            .collect();
        let pick = |row: &Vec<String>| kept.iter().map(|&i| row[i].clone()).collect();
        Grid {
            header: pick(&self.header),
            numeric: kept.iter().map(|&i| self.numeric[i]).collect(),
            rows: self.rows.iter().map(pick).collect(),
        }
    }
}

/// For a terminal.
pub fn text(blocks: &[Block]) -> String {
    let mut out = String::new();
    for (i, block) in blocks.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        match block {
            Block::Title(text) | Block::Heading(text) | Block::Text(text) => {
                out.push_str(text);
                out.push('\n');
            }
            Block::Lines(lines) => {
                for line in lines {
                    out.push_str(&format!("  {line}\n"));
                }
            }
            Block::Table(grid) => {
                let header = grid.header.iter().map(String::as_str).collect();
                let mut table = plain(header, &grid.numeric);
                table.add_rows(grid.rows.iter().map(|row| row.iter().map(String::as_str)));
                out.push_str(&table.trim_fmt());
                out.push('\n');
            }
        }
    }
    out
}

/// For a page.
pub fn markdown(blocks: &[Block]) -> String {
    let parts: Vec<String> = blocks
        .iter()
        .map(|block| match block {
            Block::Title(text) => format!("# {text}\n"),
            Block::Heading(text) => format!("## {text}\n"),
            Block::Text(text) => format!("{text}\n"),
            Block::Lines(lines) => lines.iter().map(|line| format!("- {line}\n")).collect(),
            Block::Table(grid) => {
                let header: Vec<&str> = grid.header.iter().map(String::as_str).collect();
                pipe_table(&header, &grid.numeric, &grid.rows)
            }
        })
        .collect();
    parts.join("\n")
}
