//! IPv4 addresses, such as `10.0.3.7`: clients of a load balancer that hashes by source address.
//!
//! Idea: addresses of one network, counting up or drawn at random.
//! Source: dotted quads after RFC 791 and networks after RFC 4632 (<https://www.rfc-editor.org/rfc/rfc4632>).
//! Cost: about 15 ns a key.
//! Choices: every address of the network counts, the first and the last too; counting up goes round.
//! With `type = "integer"` the key is the address as a number (10.0.0.1 is 167772161).

use super::counts::{COUNT, count, first_row};
use super::format::push_u64;
use super::{
    Access, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo, Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Type};
use crate::rng::{Purpose, Stream};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "ipv4",
    summary: "IPv4 addresses of a network, in order or at random",
    source: "RFC 791; RFC 4632",
    params: &[
        COUNT,
        Param::new(
            "network",
            Type::Text,
            Default::Text("10.0.0.0/8"),
            "the network, as ADDRESS/BITS",
        ),
        Param::new(
            "order",
            Type::Choice(&["sequential", "random"]),
            Default::Text("sequential"),
            "whether addresses count up or are drawn",
        ),
        Param::new(
            "type",
            Type::Choice(&["text", "integer"]),
            Default::Text("text"),
            "dotted quads, or numbers of 32 bits",
        ),
    ],
    build,
};

#[derive(Debug)]
struct Ipv4 {
    count: u64,
    seed: u64,
    /// First address.
    first: u32,
    /// Number of addresses.
    size: u64,
    random: bool,
    integer: bool,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let (first, bits) = parse(p.text("network"))?;
    Ok(Box::new(Ipv4 {
        count: count(build),
        seed: build.seed,
        first,
        size: 1 << (32 - bits),
        random: p.text("order") == "random",
        integer: p.text("type") == "integer",
    }))
}

/// First address and prefix length of a network.
fn parse(text: &str) -> Result<(u32, u32), Error> {
    let wrong = |why: &str| {
        Error::invalid(format!("`network` is \"{text}\": {why}"))
            .help("write ADDRESS/BITS with no bit set beyond BITS, e.g. \"10.0.0.0/8\"")
            .field("network")
    };
    let (address, bits) = text.split_once('/').ok_or_else(|| wrong("no `/`"))?;
    let address: std::net::Ipv4Addr = address.parse().map_err(|_| wrong("no IPv4 address"))?;
    let bits = bits.parse().ok().filter(|bits| *bits <= 32).ok_or_else(|| wrong("no length"))?;
    let first = u32::from(address);
    let host = u32::MAX.checked_shr(bits).unwrap_or(0);
    if first & host != 0 {
        return Err(wrong("it has bits beyond its length"));
    }
    Ok((first, bits))
}

impl KeySource for Ipv4 {
    fn kind(&self) -> KeyKind {
        if self.integer { KeyKind::U64 } else { KeyKind::Text }
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    /// Known where addresses count up.
    fn distinct(&self) -> Option<u64> {
        (!self.random).then(|| self.count.min(self.size))
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Ipv4 {
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_> {
        let stream = Stream::new(self.seed, Purpose::Keys, chunk);
        Box::new(Walk { source: self, row: first_row(chunk), stream, want })
    }
}

struct Walk<'a> {
    source: &'a Ipv4,
    row: u64,
    stream: Stream,
    want: Want,
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        let &Ipv4 { first, size, random, integer, .. } = self.source;
        for row in self.row..self.row + rows as u64 {
            let host = if random { self.stream.below(size) } else { row % size };
            let address = u64::from(first) + host;
            if integer {
                batch.ints.push(address);
            }
            if !integer {
                let arena = batch.text.arena();
                for (i, byte) in (address as u32).to_be_bytes().into_iter().enumerate() {
                    if i > 0 {
                        arena.push(b'.');
                    }
                    push_u64(byte.into(), arena);
                }
                batch.text.end();
            } else if self.want.text {
                push_u64(address, batch.text.arena());
                batch.text.end();
            }
        }
        self.row += rows as u64;
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Given, assert_laws, error, first, integers, source};
    use super::*;
    use crate::params::Value::{Int, Text};

    fn given(network: &str, order: &str, ty: &str) -> Given {
        let text = |text: &str| Text(text.into());
        vec![("network", text(network)), ("order", text(order)), ("type", text(ty))]
    }

    #[test]
    fn addresses_count_up_and_go_round() {
        let keys = first(&INFO, given("10.0.3.254/31", "sequential", "text"), 3);
        assert_eq!(keys, ["10.0.3.254", "10.0.3.255", "10.0.3.254"]);
        let keys = first(&INFO, given("10.0.0.0/8", "sequential", "text"), 257);
        assert_eq!(keys[256], "10.0.1.0");
        let source = source(&INFO, given("10.0.0.0/8", "sequential", "integer"));
        assert_eq!(integers(&*source, 0, 2), [167_772_160, 167_772_161]);
        assert_eq!(source.distinct(), Some(1_000_000));
    }

    #[test]
    fn every_address_of_a_network_is_drawn_alike() {
        let mut counts = [0u32; 8];
        for key in first(&INFO, given("192.0.2.8/29", "random", "text"), 40_000) {
            let last: usize = key.strip_prefix("192.0.2.").unwrap().parse().unwrap();
            counts[last - 8] += 1;
        }
        // Chi-square with 7 degrees of freedom: above 41 with probability 1e-6.
        let chi: f64 = counts.iter().map(|&c| (f64::from(c) - 5e3).powi(2) / 5e3).sum();
        assert!(chi < 41.0, "{counts:?}");
    }

    #[test]
    fn laws_hold_for_every_type_and_the_whole_space() {
        assert_laws(&INFO, given("0.0.0.0/0", "random", "text"));
        assert_laws(&INFO, given("0.0.0.0/0", "random", "integer"));
        let mut one = given("127.0.0.1/32", "sequential", "text");
        one.push(("count", Int(5)));
        assert_eq!(source(&INFO, one).distinct(), Some(1));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for wrong in ["10.0.0.0", "10.0.0.0/33", "10.0.0.1/8", "10.0.0/8", "::/8", "10.0.0.0/x", ""]
        {
            assert_eq!(
                error(&INFO, given(wrong, "random", "text")).field,
                Some("network"),
                "{wrong}"
            );
        }
    }
}
