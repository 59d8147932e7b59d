//! The text that `redis-cli CLUSTER NODES` prints: a line for each node.
//!
//! `id ip:port@cport[,hostname] flags master ping pong epoch link [slots …]`
//! (<https://redis.io/docs/latest/commands/cluster-nodes/>). Masters that own slots, or that could own
//! some, are the nodes; replicas and nodes that have failed or are unknown are left out. Slots on their
//! way (`[93-<-…]`, `[77->-…]`) still belong to their source.

use super::slots::{Slots, made_up_id, range_text, ranges, replicas_note};
use super::source::{Line, Source};
use super::{Content, MapFormat, State};
use crate::cluster::Node;
use crate::error::Error;

/// The format.
pub static INFO: MapFormat = MapFormat {
    name: "redis-nodes",
    summary: "what `redis-cli CLUSTER NODES` prints",
    detect: |source| source.lines().next().is_some_and(|line| is_id(first_word(line.text))),
    read,
    write,
};

/// Fields before the slots.
const FIELDS: usize = 8;

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

fn is_id(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A line taken apart.
struct Entry<'a> {
    line: Line<'a>,
    words: Vec<&'a str>,
    name: String,
    host: Option<&'a str>,
    port: Option<u16>,
}

impl<'a> Entry<'a> {
    fn read(source: &Source, line: Line<'a>) -> Result<Self, Error> {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        if words.len() < FIELDS || !is_id(words[0]) {
            return Err(source.error(
                line.whole(),
                "this line is none of CLUSTER NODES",
                "it has id, address, flags, master, ping, pong, epoch, link state and slots: save the text with `redis-cli CLUSTER NODES > nodes.txt`",
            ));
        }
        let mut parts = words[1].split(',');
        let address = parts.next().unwrap_or_default();
        let address = address.split('@').next().unwrap_or_default();
        let hostname = parts.find(|part| !part.is_empty() && !part.contains('='));
        let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
        let host = Some(host).filter(|host| !host.is_empty()).or(hostname);
        let name = match host {
            Some(host) => format!("{host}:{port}"),
            None => format!("node-{}", &words[0][..8]),
        };
        source.check_name(&name, line.span(words[1]))?;
        Ok(Entry { line, words, name, host, port: port.parse().ok() })
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.words[2].split(',').any(|have| have == flag)
    }

    fn slots(&self) -> &[&'a str] {
        &self.words[FIELDS..]
    }

    /// What to say of slots that come or go, one note for each way.
    fn on_their_way(&self) -> Vec<String> {
        let note = |(mark, way): (&str, &str)| {
            let marked = self.slots().iter().filter(|word| word.starts_with('['));
            let slots: Vec<&str> = marked
                .filter(|word| word.contains(mark))
                .filter_map(|word| word.trim_start_matches('[').split('-').next())
                .collect();
            let name = &self.name;
            match &slots[..] {
                [] => None,
                [slot] => Some(format!(
                    "slot {slot} is {way} {name}: it counts for its source until it has arrived"
                )),
                [first, .., last] => Some(format!(
                    "{} slots from {first} to {last} are {way} {name}: they count for their source until they have arrived",
                    slots.len()
                )),
            }
        };
        [("->-", "leaving"), ("-<-", "coming to")].into_iter().filter_map(note).collect()
    }

    /// Whether it is a master that takes part; a note where it does not.
    fn takes_part(&self, source: &Source, notes: &mut Vec<String>) -> Result<bool, Error> {
        let name = &self.name;
        if self.has_flag("slave") || self.has_flag("replica") {
            return Ok(false);
        }
        let gone = ["fail", "noaddr", "handshake"].into_iter().find(|flag| self.has_flag(flag));
        match gone {
            Some(flag) if self.slots().iter().any(|slot| !slot.starts_with('[')) => {
                Err(source.error(
                    self.line.span(self.words[2]),
                    format!("master {name} is marked `{flag}` and still owns slots"),
                    "let a replica take over (`CLUSTER FAILOVER TAKEOVER`) or mend the cluster, and save the map anew; to plan for its loss, take a map from before and `fail = [\"…\"]`",
                ))
            }
            Some(flag) => {
                notes.push(format!("{name} is left out: it is marked `{flag}` and owns no slot"));
                Ok(false)
            }
            None => {
                if self.has_flag("fail?") {
                    notes.push(format!("{name} is suspected to have failed; it counts as a member"));
                }
                Ok(true)
            }
        }
    }
}

fn read(source: &Source) -> Result<Content, Error> {
    let mut content = Content::default();
    let mut slots = Slots::new(source);
    let mut replicas = 0;
    for line in source.lines() {
        let entry = Entry::read(source, line)?;
        if !entry.takes_part(source, &mut content.notes)? {
            replicas += usize::from(entry.has_flag("slave") || entry.has_flag("replica"));
            continue;
        }
        let index = content.nodes.len() as u32;
        if content.nodes.iter().any(|node| *node.name == *entry.name) {
            let what = format!("two masters are called {}", entry.name);
            return Err(source.error(
                line.span(entry.words[1]),
                what,
                "each needs an address of its own",
            ));
        }
        let mut node = Node::named(index, &entry.name);
        (node.host, node.port) = (entry.host.map(Into::into), entry.port);
        content.nodes.push(node);
        content.notes.extend(entry.on_their_way());
        for &word in entry.slots().iter().filter(|word| !word.starts_with('[')) {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            slots.claim(first, last, index, line.span(word))?;
        }
    }
    if replicas > 0 {
        content.notes.push(replicas_note(replicas));
    }
    content.owners = Some(slots.owners()?);
    Ok(content)
}

/// Lines of masters with their new slots, replicas of these as they were; new masters last.
fn write(source: &Source, state: &State<'_>) -> Result<String, Error> {
    let owners = state.owners.unwrap_or_default();
    let slots_of = |index: usize| {
        let own = (0..owners.len()).filter(|&slot| owners[slot] as usize == index);
        let own: Vec<String> = ranges(own).into_iter().map(range_text).collect();
        own.iter().map(|text| format!(" {text}")).collect::<String>()
    };
    let place = |name: &str| state.nodes.iter().position(|node| *node.name == *name);
    let entries: Vec<Entry<'_>> =
        source.lines().map(|line| Entry::read(source, line)).collect::<Result<_, _>>()?;
    let stays = |entry: &Entry<'_>| -> Result<Option<usize>, Error> {
        Ok(match entry.takes_part(source, &mut Vec::new())? {
            true => place(&entry.name),
            false => None,
        })
    };
    let mut staying = Vec::new();
    for entry in &entries {
        if stays(entry)?.is_some() {
            staying.push(entry.words[0]);
        }
    }
    let mut out = String::new();
    let mut written = vec![false; state.nodes.len()];
    for entry in &entries {
        if let Some(index) = stays(entry)? {
            written[index] = true;
            out += &format!("{}{}\n", entry.words[..FIELDS].join(" "), slots_of(index));
        } else if staying.contains(&entry.words[3]) {
            out += &format!("{}\n", entry.line.text);
        }
    }
    for (index, node) in state.nodes.iter().enumerate().filter(|(i, _)| !written[*i]) {
        let address = match node.name.rsplit_once(':').map(|(_, port)| port.parse::<u16>()) {
            Some(Ok(port)) => format!("{}@{}", node.name, u32::from(port) + 10_000),
            _ => format!("{}:0@0", node.name),
        };
        let id = made_up_id(&node.name);
        out += &format!("{id} {address} master - 0 0 0 connected{}\n", slots_of(index));
    }
    Ok(out)
}
