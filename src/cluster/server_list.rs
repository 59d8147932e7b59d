//! Server lists: one server a line, or several on the command line.
//!
//! A server is `name[=host[:port]] [weight=2] [id=4] [zone=a] [rack=r1]`; a bare `host:port` names
//! itself. Order is kept. Empty lines are skipped, and so is everything from a `#` on that begins a
//! line or follows a blank. IPv6 addresses stand in brackets: `[::1]:6379`. A scheme may stand before an
//! address, `http://10.0.0.1:8000`; it belongs to the name only.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use super::Node;
use crate::error::{Error, Place};
use crate::params::Type;
use crate::text_file;

/// What may follow a server's name.
const ATTRIBUTES: &[&str] = &["weight", "id", "zone", "rack"];

const SYNTAX: &str = "write `name[=host:port] [weight=2] [id=4] [zone=a] [rack=r1]`";

/// Reads a server list of one server a line. `file` is the name that errors show.
/// Ids count from 0 in the order of the list.
pub fn parse(text: &str, file: &str) -> Result<Vec<Node>, Error> {
    let reader = Reader { file: file.into(), text: text.into() };
    let mut start = 0;
    let mut items = Vec::new();
    for line in text.split_inclusive('\n') {
        let end = start + comment_start(line);
        items.push(start..end);
        start += line.len();
    }
    reader.nodes(items)
}

/// Reads a file with a server list of one server a line. `file` is the name that errors show.
pub fn read(path: &Path, file: &str) -> Result<Vec<Node>, Error> {
    /// Room for the most nodes of a scenario with more than a hundred bytes each.
    const MAX_BYTES: u64 = 16 << 20;
    parse(&text_file::read(path, file, MAX_BYTES)?, file)
}

/// Reads servers separated by commas: `a,b=10.0.0.1:80,c weight=2`. `argument` is the name that
/// errors show, e.g. `--servers`.
pub fn parse_inline(text: &str, argument: &str) -> Result<Vec<Node>, Error> {
    let reader = Reader { file: argument.into(), text: text.into() };
    let mut start = 0;
    let mut items = Vec::new();
    for item in text.split(',') {
        items.push(start..start + item.len());
        start += item.len() + 1;
    }
    if let Some(empty) = items.iter().find(|i| text[(*i).clone()].trim().is_empty()) {
        let what = if text.trim().is_empty() { "no servers" } else { "an empty server name" };
        return Err(reader.error(empty.clone(), what, "write names separated by commas: a,b,c"));
    }
    reader.nodes(items)
}

/// Where the comment of a line begins, or the line's length.
fn comment_start(line: &str) -> usize {
    let mut blank_before = true;
    for (i, c) in line.char_indices() {
        if c == '#' && blank_before {
            return i;
        }
        blank_before = c.is_whitespace();
    }
    line.len()
}

struct Reader {
    file: Arc<str>,
    text: Arc<str>,
}

impl Reader {
    /// The servers of these items; blank ones are skipped.
    fn nodes(&self, items: Vec<Range<usize>>) -> Result<Vec<Node>, Error> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut names: BTreeMap<Arc<str>, Range<usize>> = BTreeMap::new();
        for item in items {
            let words = self.words(item);
            let Some(first) = words.first().cloned() else { continue };
            let node = self.node(nodes.len() as u32, &words)?;
            if let Some(earlier) = names.insert(node.name.clone(), first.clone()) {
                let (line, column) = self.place(earlier).line_column();
                return Err(self.error(
                    first,
                    format!("server `{}` is listed twice", node.name),
                    format!("it stands already at line {line}, column {column}; names are unique"),
                ));
            }
            nodes.push(node);
        }
        let all = 0..self.text.len();
        if nodes.is_empty() {
            return Err(self.error(all, "no servers", SYNTAX));
        }
        if nodes.iter().all(|n| n.weight == 0.0) {
            let help = "give at least one server a weight above 0";
            return Err(self.error(all, "all weights are 0", help));
        }
        Ok(nodes)
    }

    /// Places of the words of an item.
    fn words(&self, item: Range<usize>) -> Vec<Range<usize>> {
        let offset = self.text.as_ptr() as usize;
        self.text[item]
            .split_whitespace()
            .map(|word| {
                let start = word.as_ptr() as usize - offset;
                start..start + word.len()
            })
            .collect()
    }

    fn node(&self, id: u32, words: &[Range<usize>]) -> Result<Node, Error> {
        // A terminal would obey such a character where the name is shown.
        if let Some(span) =
            words.iter().find(|w| self.text[(*w).clone()].contains(char::is_control))
        {
            let shown = self.text[span.clone()].escape_debug();
            let what = format!("`{shown}` holds a control character");
            return Err(self.error(span.clone(), what, "write it in visible characters"));
        }
        let mut node = self.name(id, &words[0])?;
        let mut seen: Vec<&str> = Vec::new();
        for span in &words[1..] {
            let word = &self.text[span.clone()];
            let Some((key, value)) = word.split_once('=') else {
                return Err(self.error(span.clone(), format!("`{word}` is no attribute"), SYNTAX));
            };
            if seen.contains(&key) {
                let what = format!("`{key}` is given twice for server `{}`", node.name);
                return Err(self.error(span.clone(), what, "give it once"));
            }
            seen.push(key);
            let value_span = span.start + key.len() + 1..span.end;
            let wrong = |allowed: &str| {
                self.error(value_span.clone(), format!("`{key}` is \"{value}\""), allowed)
            };
            match key {
                "weight" => {
                    node.weight =
                        value.parse().ok().filter(|w: &f64| super::is_weight(*w)).ok_or_else(
                            || wrong(&format!("allowed: {}", Type::Weight.describe())),
                        )?;
                }
                "id" => {
                    let allowed = "allowed: a whole number from 0 to 4294967295";
                    node.server_id = Some(value.parse().map_err(|_| wrong(allowed))?);
                }
                "zone" | "rack" if value.is_empty() => return Err(wrong("allowed: any name")),
                "zone" => node.zone = Some(value.into()),
                "rack" => node.rack = Some(value.into()),
                _ => {
                    return Err(Error::unknown("attribute", key, ATTRIBUTES.iter().copied())
                        .at(self.place(span.clone())));
                }
            }
        }
        Ok(node)
    }

    /// The server that the first word names, with its address if there is one.
    fn name(&self, id: u32, span: &Range<usize>) -> Result<Node, Error> {
        let word = &self.text[span.clone()];
        let (name, address, at) = match word.split_once('=') {
            Some((name, address)) => (name, Some(address), span.start + name.len() + 1),
            None if word.contains(':') => (word, Some(word), span.start),
            None => (word, None, span.start),
        };
        if ATTRIBUTES.contains(&name) && address.is_some() {
            let what = format!("`{word}` stands where the server's name belongs");
            return Err(self.error(span.clone(), what, SYNTAX));
        }
        if name.is_empty() {
            return Err(self.error(span.clone(), "a server without a name", SYNTAX));
        }
        let mut node = Node::named(id, name);
        if let Some(address) = address {
            let (host, port) = split_address(address).ok_or_else(|| {
                self.error(
                    at..span.end,
                    format!("`{address}` is no address"),
                    "write host:port with a port from 0 to 65535; IPv6 as [::1]:6379",
                )
            })?;
            node.host = Some(host.into());
            node.port = port;
        }
        Ok(node)
    }

    fn place(&self, span: Range<usize>) -> Place {
        Place { file: self.file.clone(), text: self.text.clone(), span }
    }

    fn error(&self, span: Range<usize>, what: impl Into<String>, help: impl Into<String>) -> Error {
        Error::invalid(what).help(help).at(self.place(span))
    }
}

/// `host`, `host:port` or `[v6]:port`; brackets and a scheme are dropped. None if it is nothing of the
/// kind.
fn split_address(address: &str) -> Option<(&str, Option<u16>)> {
    let address = address.split_once("://").map_or(address, |(_, rest)| rest);
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, tail) = rest.split_once(']')?;
            (host, if tail.is_empty() { None } else { Some(tail.strip_prefix(':')?) })
        }
        None => match address.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (address, None),
        },
    };
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    let port = match port {
        Some(port) if digits(port) => Some(port.parse().ok()?),
        Some(_) => return None,
        None => None,
    };
    (!host.is_empty()).then_some((host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_its_order_and_reads_every_attribute() {
        let text = "# masters\n\ndb0=10.0.0.1:3306 weight=2 zone=a\r\n10.0.0.2:11211 id=4 # old\n\tshard#7 rack=r1\nv6=[::1]:80 weight=0.5\nh=db.local\nhttp://10.0.0.3:8000";
        let nodes = parse(text, "servers.txt").unwrap();
        let shown: Vec<_> = nodes
            .iter()
            .map(|n| (n.id.0, &*n.name, n.host.as_deref(), n.port, n.weight, n.server_id))
            .collect();
        assert_eq!(
            shown,
            [
                (0, "db0", Some("10.0.0.1"), Some(3306), 2.0, None),
                (1, "10.0.0.2:11211", Some("10.0.0.2"), Some(11211), 1.0, Some(4)),
                (2, "shard#7", None, None, 1.0, None),
                (3, "v6", Some("::1"), Some(80), 0.5, None),
                (4, "h", Some("db.local"), None, 1.0, None),
                (5, "http://10.0.0.3:8000", Some("10.0.0.3"), Some(8000), 1.0, None),
            ]
        );
        assert_eq!((nodes[0].zone.as_deref(), nodes[2].rack.as_deref()), (Some("a"), Some("r1")));
    }

    #[test]
    fn inline_lists_are_separated_by_commas() {
        let nodes = parse_inline("a, b=10.0.0.1:80 weight=3,c", "--servers").unwrap();
        let shown: Vec<_> = nodes.iter().map(|n| (&*n.name, n.port, n.weight)).collect();
        assert_eq!(shown, [("a", None, 1.0), ("b", Some(80), 3.0), ("c", None, 1.0)]);
        for (bad, column) in [("", 1), ("a,,b", 3), ("a,b,", 5), ("a,b,a", 5), ("a,b=:80", 5)] {
            let error = parse_inline(bad, "--servers").unwrap_err();
            assert_eq!(error.place.unwrap().line_column(), (1, column), "{bad}");
        }
    }

    #[test]
    fn mistakes_are_named_with_line_and_column() {
        let error = |text: &str| {
            let error = parse(text, "s.txt").unwrap_err();
            format!("{error}").lines().next().unwrap().to_string()
        };
        assert_eq!(error("a\nb\n a\n"), "s.txt:3:2: server `a` is listed twice");
        for weight in ["-1", "NaN", "inf", "x", "", "-0"] {
            let shown = error(&format!("é weight={weight}\n"));
            assert_eq!(shown, format!("s.txt:1:10: `weight` is \"{weight}\""));
        }
        assert_eq!(error("a wieght=2"), "s.txt:1:3: unknown attribute `wieght`");
        assert_eq!(error("a weight"), "s.txt:1:3: `weight` is no attribute");
        assert_eq!(error("a id=1 id=2"), "s.txt:1:8: `id` is given twice for server `a`");
        assert_eq!(error("a id=4294967296"), "s.txt:1:6: `id` is \"4294967296\"");
        assert_eq!(
            error("weight=2"),
            "s.txt:1:1: `weight=2` stands where the server's name belongs"
        );
        assert_eq!(error("=h:1"), "s.txt:1:1: a server without a name");
        for address in ["h:65536", "h:", ":1", "h:x", "h:+1", "[::1", "[::1]1", "::1:80", "h:1:2"] {
            assert_eq!(
                error(&format!("a={address}")),
                format!("s.txt:1:3: `{address}` is no address")
            );
        }
        assert_eq!(error("\n# nothing\n"), "s.txt:1:1: no servers");
        assert_eq!(error("a weight=0\nb weight=0"), "s.txt:1:1: all weights are 0");
        assert_eq!(error("a zone="), "s.txt:1:8: `zone` is \"\"");
    }
}
