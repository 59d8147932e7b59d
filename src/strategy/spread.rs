//! Which of the candidates for a key hold its copies: distinct nodes, or nodes of distinct zones.

use super::{Build, Slot};
use crate::cluster::domains;
use crate::params::{Default, Param, Type};

/// `spread`: what no two copies of a key may share.
pub const SPREAD: Param = Param::new(
    "spread",
    Type::Choice(&["node", "zone", "rack"]),
    Default::Text("node"),
    "copies of a key stand on distinct nodes; with `zone` or `rack` on nodes of distinct zones or \
     racks, as far as there are any, then on further nodes",
);

/// The failure domain of every node.
#[derive(Debug, Clone)]
pub struct Domains {
    /// Domain by node id; empty where each node is a domain of its own.
    of: Vec<u32>,
    /// Domains and nodes that can be met: those of nodes with a weight above 0.
    domains: usize,
    nodes: usize,
}

impl Domains {
    /// What `spread` asks for; a strategy without it spreads over nodes. A node without a zone (or
    /// rack) is a domain of its own. Racks of the same name in different zones are different racks.
    pub fn new(build: &Build<'_>) -> Self {
        let members = || build.cluster.nodes.iter().filter(|n| n.weight > 0.0);
        let nodes = members().count();
        let (mut of, domains) = domains(members(), build.cluster.ids, |node| {
            let (zone, rack) = (node.zone.as_deref(), node.rack.as_deref());
            match build.params.text_opt("spread") {
                Some("zone") => zone.map(|zone| (zone, None)),
                Some("rack") => rack.map(|rack| (rack, zone)),
                _ => None,
            }
        });
        if domains == nodes {
            of.clear();
        }
        Domains { of, domains, nodes }
    }

    /// Whether every node is a domain of its own.
    pub fn are_nodes(&self) -> bool {
        self.of.is_empty()
    }

    fn same(&self, a: Slot, b: Slot) -> bool {
        a == b || (!self.are_nodes() && self.of[a.0 as usize] == self.of[b.0 as usize])
    }

    /// Fills in the copies: of the candidates in their order the first of each domain, then, if there
    /// are too few domains, the first further nodes; ABSENT when there are no more.
    pub fn choose(&self, candidates: impl Iterator<Item = Slot> + Clone, out: &mut [Slot]) {
        let mut found = 0;
        // Candidates are found by walking: without the limits a ring of few nodes would be walked
        // round for every key.
        let mut fill = |most: usize, same: &dyn Fn(Slot, Slot) -> bool, out: &mut [Slot]| {
            let most = most.min(out.len());
            for slot in candidates.clone() {
                if found >= most {
                    break;
                }
                if slot.node().is_some() && !out[..found].iter().any(|&chosen| same(chosen, slot)) {
                    out[found] = slot;
                    found += 1;
                }
            }
        };
        fill(self.domains, &|a, b| self.same(a, b), out);
        if self.domains < self.nodes {
            fill(self.nodes, &|a, b| a == b, out);
        }
        out[found..].fill(Slot::ABSENT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, Node};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};

    static DECLARED: &[Param] = &[SPREAD];

    /// Copies of a key whose candidates are these nodes, which have zones and racks (0: none).
    fn copies(spread: &str, places: &[(u32, u32)], candidates: &[u32], copies: usize) -> Vec<u32> {
        let nodes = places.iter().enumerate().map(|(id, &(zone, rack))| Node {
            zone: (zone > 0).then(|| format!("z{zone}").into()),
            rack: (rack > 0).then(|| format!("r{rack}").into()),
            ..Node::named(id as u32, &format!("n{id}"))
        });
        let cluster = Cluster { nodes: nodes.collect(), ids: places.len(), ..Cluster::default() };
        let given = vec![("spread".to_string(), Value::Text(spread.to_string()))];
        let params = Params::from_pairs(DECLARED, given).unwrap();
        let base = std::path::Path::new(".");
        let (keys, replicas) = (KeyKind::Text, copies);
        let build = Build { cluster: &cluster, params: &params, keys, replicas, base };
        let mut out = vec![Slot::MISROUTED; copies];
        Domains::new(&build).choose(candidates.iter().map(|&id| Slot(id)), &mut out);
        out.iter().map(|slot| slot.0).collect()
    }

    const NONE: u32 = Slot::ABSENT.0;

    #[test]
    fn copies_avoid_the_domain_of_those_before() {
        let places = [(1, 1), (1, 2), (2, 1), (2, 1), (3, 1)];
        let walk = [0, 1, 0, 3, 2, 4];
        assert_eq!(copies("node", &places, &walk, 3), [0, 1, 3]);
        assert_eq!(copies("zone", &places, &walk, 3), [0, 3, 4]);
        // r1 stands in three zones and is three racks.
        assert_eq!(copies("rack", &places, &walk, 4), [0, 1, 3, 4]);
    }

    #[test]
    fn too_few_domains_are_filled_up_with_further_nodes() {
        let places = [(1, 0), (1, 0), (2, 0), (2, 0)];
        assert_eq!(copies("zone", &places, &[0, 1, 2, 3], 3), [0, 2, 1]);
        assert_eq!(copies("zone", &places, &[0, 1, 2, 3], 6), [0, 2, 1, 3, NONE, NONE]);
        assert_eq!(copies("node", &places[..2], &[1, 0, 1], 3), [1, 0, NONE]);
    }

    #[test]
    fn a_node_without_a_zone_is_a_zone_of_its_own() {
        let places = [(1, 0), (0, 0), (0, 0), (1, 0)];
        assert_eq!(copies("zone", &places, &[0, 3, 1, 2], 3), [0, 1, 2]);
    }
}
