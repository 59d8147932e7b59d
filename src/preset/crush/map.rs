//! A CRUSH map: devices, buckets of items with weights, rules; read from the text that `crushtool -d`
//! writes, or made of the nodes of a cluster.

use std::collections::BTreeMap;

use crate::cluster::{Cluster, Node};
use crate::error::Error;

/// Devices are numbered below this: tables have an entry for each number.
pub const MOST_DEVICES: u32 = 1 << 20;
/// Most rounds in which a rule may look for a device; Ceph's default is 50.
const MOST_TRIES: u32 = 100_000;
/// Characters of a line that a message shows.
const SHOWN: usize = 80;

/// Type number of devices (OSDs).
pub const DEVICE: u32 = 0;

/// Buckets with straw2; other algorithms are not modelled.
#[derive(Debug, Clone, PartialEq)]
pub struct Bucket {
    /// Type number.
    pub kind: u32,
    /// Items (devices from 0 up, buckets below 0) and weights in 1/65 536, as straw2 draws them.
    pub items: Vec<(u32, u32)>,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rule {
    /// Name and number.
    pub name: String,
    /// Number.
    pub id: u32,
    /// Bucket where it starts.
    pub take: i32,
    /// How many: 0 for as many as are asked for.
    pub count: u32,
    /// Whether places without an item stay open (`indep`), or the next item moves up (`firstn`).
    pub indep: bool,
    /// Type that is chosen.
    pub kind: u32,
    /// Whether a device below each chosen bucket is chosen too.
    pub leaf: bool,
    /// `set_choose_tries`.
    pub tries: Option<u32>,
    /// `set_chooseleaf_tries`.
    pub leaf_tries: Option<u32>,
}

/// A map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Map {
    /// Buckets by number, below 0.
    pub buckets: BTreeMap<i32, Bucket>,
    /// Rules in order.
    pub rules: Vec<Rule>,
    /// One more than the largest device.
    pub devices: u32,
    /// `choose_total_tries`.
    pub total_tries: u32,
}

impl Map {
    /// A map of nodes: a root `flat` of all devices, and a root of hosts, which are the racks (else the
    /// zones) of the nodes. Hosts are numbered by their lowest devices, so that order is irrelevant.
    ///
    /// # Errors
    /// Two nodes with one number, a weight that the map cannot hold.
    pub fn of_cluster(cluster: &Cluster) -> Result<Self, Error> {
        let mut devices = Vec::new();
        for node in &cluster.nodes {
            devices.push((device(node), node, fixed(node.weight)?));
        }
        devices.sort_by_key(|(device, ..)| *device);
        if let Some(pair) = devices.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let (one, other) = (&pair[0].1.name, &pair[1].1.name);
            return Err(Error::invalid(format!(
                "nodes {one} and {other} are both osd.{}",
                pair[0].0
            ))
            .help("give each its own `id`, or none any"));
        }
        if let Some((device, node, _)) = devices.last().filter(|last| last.0 >= MOST_DEVICES) {
            return Err(Error::invalid(format!("node {} is osd.{device}", node.name))
                .help(format!("OSDs are numbered below {MOST_DEVICES}: give it a smaller `id`")));
        }
        let items = |devices: &[&(u32, &Node, u32)]| {
            devices.iter().map(|(device, _, weight)| (*device, *weight)).collect::<Vec<_>>()
        };
        let all: Vec<_> = devices.iter().collect();
        let mut hosts: Vec<(&str, Vec<_>)> = Vec::new();
        for entry in &devices {
            let node = entry.1;
            let name = node.rack.as_deref().or(node.zone.as_deref()).unwrap_or(&node.name);
            match hosts.iter_mut().find(|(have, _)| *have == name) {
                Some((_, host)) => host.push(entry),
                None => hosts.push((name, vec![entry])),
            }
        }
        let mut map = Map {
            devices: devices.last().map_or(0, |(device, ..)| device + 1),
            total_tries: 50,
            ..Map::default()
        };
        let (mut root, flat) = (Vec::new(), -(hosts.len() as i32) - 2);
        for (i, (_, host)) in hosts.iter().enumerate() {
            let (id, items) = (-(i as i32) - 2, items(host));
            root.push((id as u32, items.iter().map(|(_, weight)| weight).sum()));
            map.buckets.insert(id, Bucket { kind: 1, items });
        }
        map.buckets.insert(-1, Bucket { kind: 2, items: root });
        map.buckets.insert(flat, Bucket { kind: 2, items: items(&all) });
        let rule = |name: &str, id, take, kind, indep| Rule {
            name: name.into(),
            id,
            take,
            kind,
            leaf: kind != DEVICE,
            indep,
            tries: if indep { Some(100) } else { None },
            leaf_tries: if indep { Some(5) } else { None },
            ..Rule::default()
        };
        map.rules = vec![
            rule("flat", 0, flat, DEVICE, false),
            rule("host", 1, -1, 1, false),
            rule("host-indep", 2, -1, 1, true),
        ];
        Ok(map)
    }

    /// Reads the text form; `file` is how messages name it.
    ///
    /// # Errors
    /// With the line: what is not modelled (other algorithms than straw2, rules of several choices, other
    /// tunables than those of the profile jewel) or not understood.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        let mut reader =
            Reader { map: Map { total_tries: 50, ..Map::default() }, ..Reader::default() };
        for (at, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            let words: Vec<&str> = line.split_whitespace().collect();
            if !words.is_empty() {
                reader.line(&words).map_err(|why| {
                    let shown: String = line.chars().take(SHOWN).collect();
                    let more = if shown.len() < line.len() { "…" } else { "" };
                    Error::data(format!("CRUSH map `{file}`, line {}: {why}", at + 1))
                        .help(format!("the line is `{shown}{more}`"))
                        .help("give the text of a map, as `crushtool -d` writes it")
                        .field("map")
                })?;
            }
        }
        Ok(reader.map)
    }

    /// The rule of that name or number; the first if none is named.
    pub fn rule(&self, name: Option<&str>) -> Result<&Rule, Error> {
        let found = match name {
            None => self.rules.first(),
            Some(name) => self.rules.iter().find(|r| r.name == name || name.parse() == Ok(r.id)),
        };
        let names = || self.rules.iter().map(|r| r.name.as_str());
        found.ok_or_else(|| Error::unknown("rule", name.unwrap_or(""), names()).field("rule"))
    }
}

/// The number of a node's device.
pub fn device(node: &Node) -> u32 {
    node.server_id.unwrap_or(node.id.0)
}

/// A weight in 1/65 536.
pub fn fixed(weight: f64) -> Result<u32, Error> {
    let scaled = weight * 65_536.0;
    if (0.0..4_294_967_296.0).contains(&scaled) {
        return Ok(scaled as u32);
    }
    Err(Error::invalid(format!("weight {weight}")).help("CRUSH has weights from 0 to below 65536"))
}

/// What a map must set for the model to be exact (profile jewel).
const TUNABLES: [(&str, &str); 5] = [
    ("choose_local_tries", "0"),
    ("choose_local_fallback_tries", "0"),
    ("chooseleaf_descend_once", "1"),
    ("chooseleaf_vary_r", "1"),
    ("chooseleaf_stable", "1"),
];

/// Reads line by line.
#[derive(Default)]
struct Reader {
    map: Map,
    /// Devices and buckets by name.
    names: BTreeMap<String, i32>,
    /// Types by name.
    kinds: BTreeMap<String, u32>,
    within: Within,
}

#[derive(Default)]
enum Within {
    #[default]
    Nothing,
    Bucket {
        name: String,
        id: i32,
        bucket: Bucket,
    },
    Rule(Rule),
}

impl Reader {
    fn line(&mut self, words: &[&str]) -> Result<(), String> {
        match std::mem::take(&mut self.within) {
            Within::Nothing => self.outside(words),
            Within::Bucket { name, id, bucket } => self.in_bucket(words, name, id, bucket),
            Within::Rule(rule) => self.in_rule(words, rule),
        }
    }

    fn outside(&mut self, words: &[&str]) -> Result<(), String> {
        match words {
            ["tunable", "choose_total_tries", tries] => {
                self.map.total_tries = number(tries)?;
                if self.map.total_tries > MOST_TRIES {
                    return Err(format!("at most {MOST_TRIES} tries"));
                }
            }
            ["tunable", name, value] => {
                if TUNABLES.iter().any(|(have, must)| have == name && must != value) {
                    return Err(format!(
                        "only the tunables of profile jewel are modelled, not {name} {value}"
                    ));
                }
            }
            ["device", id, name, ..] => {
                let id: u32 = number(id)?;
                if id >= MOST_DEVICES {
                    return Err(format!("devices are numbered below {MOST_DEVICES}"));
                }
                self.map.devices = self.map.devices.max(id + 1);
                self.names.insert(name.to_string(), id as i32);
            }
            ["type", id, name] => {
                self.kinds.insert(name.to_string(), number(id)?);
            }
            ["rule", name, "{"] => {
                self.within = Within::Rule(Rule { name: name.to_string(), ..Rule::default() });
            }
            [kind, name, "{"] => {
                let bucket = Bucket { kind: self.kind(kind)?, items: Vec::new() };
                self.within = Within::Bucket { name: name.to_string(), id: 0, bucket };
            }
            _ => return Err("not understood".into()),
        }
        Ok(())
    }

    fn in_bucket(
        &mut self,
        words: &[&str],
        name: String,
        mut id: i32,
        mut bucket: Bucket,
    ) -> Result<(), String> {
        match words {
            ["}"] => {
                if id >= 0 {
                    return Err("a bucket has a number below 0".into());
                }
                self.map.buckets.insert(id, bucket);
                self.names.insert(name, id);
                return Ok(());
            }
            // The shadow buckets of a device class are not modelled.
            ["id", _, "class", ..] | ["hash", "0"] | ["alg", "straw2"] => {}
            ["id", number_of] => id = number(number_of)?,
            ["alg", other] => return Err(format!("only straw2 is modelled, not {other}")),
            ["item", item, "weight", weight] => {
                let weight: f64 = number(weight)?;
                let item = self.named(item)?;
                bucket.items.push((item as u32, fixed(weight).map_err(|e| e.message)?));
            }
            _ => return Err("not understood".into()),
        }
        self.within = Within::Bucket { name, id, bucket };
        Ok(())
    }

    fn in_rule(&mut self, words: &[&str], mut rule: Rule) -> Result<(), String> {
        match words {
            ["}"] => {
                self.map.rules.push(rule);
                return Ok(());
            }
            ["id" | "ruleset", id] => rule.id = number(id)?,
            ["type" | "min_size" | "max_size", _] | ["step", "emit"] => {}
            ["step", "set_choose_tries", tries] => rule.tries = Some(number(tries)?),
            ["step", "set_chooseleaf_tries", tries] => rule.leaf_tries = Some(number(tries)?),
            ["step", "take", root] => {
                rule.take = self.named(root)?;
                if rule.take >= 0 {
                    return Err("a rule takes a bucket".into());
                }
            }
            [
                "step",
                what @ ("choose" | "chooseleaf"),
                how @ ("firstn" | "indep"),
                count,
                "type",
                kind,
            ] => {
                if rule.kind != DEVICE || rule.leaf || rule.take == 0 {
                    return Err("only rules of one choice after a take are modelled".into());
                }
                rule.count = number(count)?;
                rule.indep = *how == "indep";
                rule.kind = self.kind(kind)?;
                rule.leaf = *what == "chooseleaf";
                if rule.kind != DEVICE && !rule.leaf {
                    return Err("only rules that choose devices are modelled".into());
                }
            }
            _ => return Err("not understood".into()),
        }
        self.within = Within::Rule(rule);
        Ok(())
    }

    fn named(&self, name: &str) -> Result<i32, String> {
        self.names.get(name).copied().ok_or_else(|| format!("no device or bucket `{name}` so far"))
    }

    fn kind(&self, name: &str) -> Result<u32, String> {
        self.kinds.get(name).copied().ok_or_else(|| format!("no type `{name}` so far"))
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number that can stand here"))
}
