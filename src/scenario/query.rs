//! Queries over many keys, checked.

use std::fmt;

use super::Places;

/// A query over many keys, or some that are drawn from the scenario's keys.
#[derive(Debug, Clone)]
pub struct Query {
    /// What it is called; unique.
    pub name: String,
    /// How often it is asked, relative to the others; drawn ones have it together.
    pub share: f64,
    /// What it asks for.
    pub form: QueryForm,
    /// Where it stands in the scenario's text.
    pub places: Places,
}

/// What a query asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum QueryForm {
    /// The keys from one up to but not including another; at least one end is given.
    Range {
        /// The first key.
        from: Option<String>,
        /// The end.
        to: Option<String>,
    },
    /// The keys that begin so.
    Prefix(String),
    /// These keys.
    List(Vec<String>),
    /// So many ranges of so many distinct keys, each from a random key on.
    Ranges {
        /// Number of queries.
        count: usize,
        /// Distinct keys in each.
        width: usize,
    },
    /// So many prefixes of so many characters, each of a random key.
    Prefixes {
        /// Number of queries.
        count: usize,
        /// Characters of each.
        width: usize,
    },
    /// So many lists of so many random keys.
    Lists {
        /// Number of queries.
        count: usize,
        /// Keys of each.
        width: usize,
    },
}

impl QueryForm {
    /// Whether it is drawn at random.
    pub fn is_drawn(&self) -> bool {
        self.keys_drawn() > 0
    }

    /// How many random keys it is made from.
    pub fn keys_drawn(&self) -> usize {
        match *self {
            QueryForm::Range { .. } | QueryForm::Prefix(_) | QueryForm::List(_) => 0,
            QueryForm::Ranges { count, .. } | QueryForm::Prefixes { count, .. } => count,
            QueryForm::Lists { count, width } => count * width,
        }
    }
}

impl fmt::Display for QueryForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let many =
            |f: &mut fmt::Formatter<'_>, count: usize, what: &str, width: usize, of: &str| {
                let (s, ss) =
                    (if count == 1 { "" } else { "s" }, if width == 1 { "" } else { "s" });
                let what = if count > 1 && what == "prefix" { "prefixe" } else { what };
                write!(f, "{count} {what}{s} of {width} {of}{ss}")
            };
        match self {
            QueryForm::Range { from, to } => {
                let end = |end: &Option<String>| end.clone().unwrap_or_default();
                f.write_str(format!("{} .. {}", end(from), end(to)).trim())
            }
            QueryForm::Prefix(prefix) => write!(f, "prefix {prefix}"),
            QueryForm::List(keys) => match keys.as_slice() {
                [key] => write!(f, "key {key}"),
                keys => write!(f, "{} keys", keys.len()),
            },
            QueryForm::Ranges { count, width } => many(f, *count, "range", *width, "key"),
            QueryForm::Prefixes { count, width } => many(f, *count, "prefix", *width, "character"),
            QueryForm::Lists { count, width } => many(f, *count, "list", *width, "key"),
        }
    }
}
