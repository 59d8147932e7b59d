//! The README's tables: spliced in from the `report::catalog`, so that they cannot go
//! stale. A table stands between `<!-- begin KIND -->` and `<!-- end KIND -->`.

use super::catalog::{self, Entry, Kind};
use super::markdown::pipe_table;
use crate::error::Error;

/// The text with each table between its markers replaced by a fresh one. `others` are tables, by name,
/// that no kind of the catalog has.
pub fn splice(text: &str, others: &[(&str, String)]) -> Result<String, Error> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- begin ") {
        let (name, after) = after
            .split_once(" -->")
            .ok_or_else(|| Error::invalid("a `<!-- begin` marker has no end"))?;
        let fresh = match others.iter().find(|(other, _)| *other == name) {
            Some((_, fresh)) => fresh.clone(),
            None => table(catalog::find(name)?),
        };
        let end = format!("<!-- end {name} -->");
        let (_, after) = after.split_once(&end).ok_or_else(|| {
            Error::invalid(format!("`<!-- begin {name} -->` has no `{end}` after it"))
        })?;
        out.push_str(before);
        out.push_str(&format!("<!-- begin {name} -->\n{fresh}{end}"));
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

/// The items of a kind as a Markdown table: name, what it is, facts, source.
pub fn table(kind: &Kind) -> String {
    let entries = (kind.entries)();
    let facts: Vec<&str> = entries
        .first()
        .map(|e| e.facts.iter().map(|(name, _)| *name).collect())
        .unwrap_or_default();
    let has_source = entries.iter().any(|e| !e.source.is_empty());
    let mut header = vec!["name", "what it is"];
    header.extend(&facts);
    if has_source {
        header.push("source");
    }
    let row = |e: &Entry| {
        let mut row = vec![format!("`{}`", e.name), e.summary.clone()];
        row.extend(e.facts.iter().map(|(_, value)| value.clone()));
        if has_source {
            row.push(e.source.clone());
        }
        row
    };
    let rows: Vec<Vec<String>> = entries.iter().map(row).collect();
    pipe_table(&header, &vec![false; header.len()], &rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_replaced_between_their_markers_and_stay_when_fresh() {
        let text = "a\n<!-- begin reports -->\nold\n<!-- end reports -->\nb\n";
        let fresh = splice(text, &[]).unwrap();
        assert!(fresh.contains("| `json` |") && !fresh.contains("old"), "{fresh}");
        assert!(fresh.starts_with("a\n<!-- begin reports -->\n| name |"), "{fresh}");
        assert!(fresh.ends_with("|\n<!-- end reports -->\nb\n"), "{fresh}");
        assert_eq!(splice(&fresh, &[]).unwrap(), fresh);
        let other = [("reports", "mine\n".to_string())];
        assert!(splice(&fresh, &other).unwrap().contains("-->\nmine\n<!-- end"));
    }

    #[test]
    fn an_unknown_or_open_marker_is_an_error() {
        assert!(splice("<!-- begin reprots --><!-- end reprots -->", &[]).is_err());
        assert!(splice("<!-- begin reports -->", &[]).is_err());
    }
}
