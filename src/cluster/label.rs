//! Label templates such as `{node}#{i}`: what a ring hashes for each point of a node.

use super::Node;
use crate::error::Error;

/// Placeholders that a node label may use.
pub const PLACEHOLDERS: &[&str] = &["node", "i", "host", "port", "id"];

#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field(usize),
}

/// A parsed label template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label(Vec<Piece>);

impl Label {
    /// Parses a template in which only `allowed` placeholders (a subset of [`PLACEHOLDERS`]) may stand.
    pub fn parse(template: &str, allowed: &[&str]) -> Result<Self, Error> {
        let mut pieces = Vec::new();
        let mut rest = template;
        while let Some(open) = rest.find('{') {
            let close = rest[open..]
                .find('}')
                .ok_or_else(|| Error::invalid("a `{` has no `}`").help("write e.g. {node}#{i}"))?
                + open;
            let name = &rest[open + 1..close];
            let field = PLACEHOLDERS
                .iter()
                .position(|p| *p == name && allowed.contains(p))
                .ok_or_else(|| Error::unknown("placeholder", name, allowed.iter().copied()))?;
            pieces.push(Piece::Text(rest[..open].to_string()));
            pieces.push(Piece::Field(field));
            rest = &rest[close + 1..];
        }
        pieces.push(Piece::Text(rest.to_string()));
        pieces.retain(|p| !matches!(p, Piece::Text(t) if t.is_empty()));
        Ok(Label(pieces))
    }

    /// Whether the label differs from point to point.
    pub fn has_index(&self) -> bool {
        self.0.contains(&Piece::Field(1))
    }

    /// Writes the label of a node's point `i` over `out`.
    pub fn write(&self, node: &Node, i: u64, out: &mut Vec<u8>) {
        out.clear();
        append(&self.0, node, i, out);
    }

    /// Writes what stands before and after the one `{i}` over `prefix` and `suffix`, so that many
    /// labels of a node can be made from them. False when `{i}` does not stand exactly once.
    pub fn around_index(&self, node: &Node, prefix: &mut Vec<u8>, suffix: &mut Vec<u8>) -> bool {
        let mut indices = (0..self.0.len()).filter(|&at| self.0[at] == Piece::Field(1));
        let (Some(at), None) = (indices.next(), indices.next()) else { return false };
        prefix.clear();
        suffix.clear();
        append(&self.0[..at], node, 0, prefix);
        append(&self.0[at + 1..], node, 0, suffix);
        true
    }
}

fn append(pieces: &[Piece], node: &Node, i: u64, out: &mut Vec<u8>) {
    for piece in pieces {
        match piece {
            Piece::Text(t) => out.extend_from_slice(t.as_bytes()),
            Piece::Field(0) => out.extend_from_slice(node.name.as_bytes()),
            Piece::Field(1) => crate::keys::format::push_u64(i, out),
            Piece::Field(2) => {
                out.extend_from_slice(node.host.as_deref().unwrap_or(&node.name).as_bytes());
            }
            Piece::Field(3) => {
                crate::keys::format::push_u64(u64::from(node.port.unwrap_or(0)), out)
            }
            Piece::Field(_) => {
                let id = node.server_id.unwrap_or(node.id.0);
                crate::keys::format::push_u64(u64::from(id), out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_written_piece_by_piece() {
        let label = Label::parse("{node}#{i}!", PLACEHOLDERS).unwrap();
        let mut out = Vec::new();
        label.write(&Node::named(3, "db3"), 159, &mut out);
        assert_eq!(out, b"db3#159!");
    }

    #[test]
    fn unknown_placeholders_are_refused() {
        assert!(Label::parse("{nod}#{i}", &["node", "i"]).is_err());
        assert!(Label::parse("{node", PLACEHOLDERS).is_err());
    }
}
