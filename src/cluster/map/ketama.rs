//! A list of memcached servers as ketama reads it: `host:port weight`, one a line.
//!
//! The file of libketama (R. Jones, 2007, <https://github.com/RJ/ketama>), whose weights are megabytes of
//! memory; a line without a weight has 1. Lines that begin with `#` are comments.

use super::source::Source;
use super::{Content, MapFormat, State, node_at};
use crate::error::Error;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "ketama",
    summary: "a memcached server list, `host:port weight` a line",
    detect: |source| {
        source.lines().all(|line| {
            let mut words = line.text.split_whitespace();
            words.next().is_some_and(|word| port_of(word).is_some())
        })
    },
    read,
    write,
};

/// Whether the first line begins with an address.
pub(super) fn begins(source: &Source) -> bool {
    let word = source.lines().next().and_then(|line| line.text.split_whitespace().next());
    word.is_some_and(|word| port_of(word).is_some())
}

fn port_of(address: &str) -> Option<u16> {
    let (host, port) = address.rsplit_once(':')?;
    port.parse().ok().filter(|_| !host.is_empty())
}

fn read(source: &Source) -> Result<Content, Error> {
    let mut content = Content::default();
    for line in source.lines() {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let address = words[0];
        if port_of(address).is_none() {
            let what = format!("`{address}` is no address");
            return Err(source.error(line.span(address), what, "write host:port, then the weight"));
        }
        source.check_name(address, line.span(address))?;
        if let Some(&extra) = words.get(2) {
            let what = format!("`{extra}` stands after the weight");
            return Err(source.error(line.span(extra), what, "write host:port weight"));
        }
        let mut node = node_at(content.nodes.len() as u32, address);
        if let Some(&weight) = words.get(1) {
            let number = weight.parse().ok().filter(|w: &u32| *w <= 1_000_000_000);
            node.weight = f64::from(number.ok_or_else(|| {
                let what = format!("the weight of {address} is \"{weight}\"");
                let help = "weights are whole numbers from 0 to 1000000000";
                source.error(line.span(weight), what, help)
            })?);
        }
        if content.nodes.iter().any(|have| have.name == node.name) {
            let what = format!("server `{address}` is listed twice");
            return Err(source.error(line.span(address), what, "leave one out"));
        }
        content.nodes.push(node);
    }
    Ok(content)
}

fn write(_: &Source, state: &State<'_>) -> Result<String, Error> {
    let line = |node: &crate::cluster::Node| {
        if libm::trunc(node.weight) != node.weight {
            return Err(Error::invalid(format!("the weight of {} is {}", node.name, node.weight))
                .help("a ketama list holds whole numbers: scale all weights up"));
        }
        Ok(format!("{}\t{}\n", node.name, node.weight))
    };
    state.nodes.iter().map(line).collect()
}
