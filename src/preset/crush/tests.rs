//! Recorded outputs of crushtool and osdmaptool.

use std::path::Path;

use super::*;
use crate::cluster::Cluster;
use crate::error::ErrorKind;
use crate::keys::KeyBatch;
use crate::params::Params;
use crate::preset::vectors::{Vectors, place};

/// Builds the preset over numbers of OSDs, from a map of the vectors.
fn built(map: &str, keys: KeyKind, replicas: usize, given: &[(&str, Value)]) -> Box<dyn Placement> {
    let base = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let map = ("map".to_string(), Value::Text(map.into()));
    let given = given.iter().map(|(name, value)| (name.to_string(), value.clone()));
    let params = Params::from_pairs(CRUSH.strategy.params, given.chain([map]).collect()).unwrap();
    let cluster = Cluster::default();
    let build = Build { cluster: &cluster, params: &params, keys, replicas, base: &base };
    CRUSH.strategy.place(&build).unwrap()
}

/// OSDs as the files write them, parted by spaces.
fn osds(placement: &dyn Placement, keys: &KeyBatch, replicas: usize) -> Vec<String> {
    let mut out = vec![Slot::ABSENT; keys.len() * replicas];
    let mut keys = keys.clone();
    crate::keys::Digester::new(placement.columns()).compute(&mut keys);
    placement.place(&keys, &mut out);
    let shown = |slots: &[Slot]| {
        let placed = slots.iter().filter(|slot| **slot != Slot::ABSENT);
        placed.map(|slot| slot.0.to_string()).collect::<Vec<_>>().join(" ")
    };
    out.chunks_exact(replicas).map(shown).collect()
}

#[test]
fn recorded_mappings_of_all_rules_and_changes() {
    let all = Vectors::read("ceph_crush_mappings.csv", 2813);
    let mut cases = 0;
    for (rule, variants) in [
        ("0", vec![("base", 208), ("add8", 201), ("rm3", 193)]),
        (
            "1",
            vec![("base", 192), ("add8", 191), ("rm3", 203), ("osd3out", 186), ("osd1half", 198)],
        ),
        ("2", vec![("base", 214), ("osd3out", 191), ("osd1half", 218)]),
        ("3", vec![("base", 201), ("osd3out", 205), ("osd1half", 212)]),
    ] {
        let of_rule: usize = variants.iter().map(|(_, rows)| rows).sum();
        let of_rule = all.only("rule", rule, of_rule);
        for (variant, rows) in variants {
            let vectors = of_rule.only("variant", variant, rows);
            let keys = vectors.keys("x", KeyKind::I64);
            let map = match variant {
                "add8" => "ceph_crush_map_add8.txt",
                "rm3" => "ceph_crush_map_rm3.txt",
                _ => "ceph_crush_map.txt",
            };
            let mut given = vec![("rule", Value::Text(rule.into()))];
            let reweight = match variant {
                "osd3out" => Some("3=0"),
                "osd1half" => Some("1=0.5"),
                _ => None,
            };
            given.extend(reweight.map(|r| ("reweight", Value::List(vec![Value::Text(r.into())]))));
            let replicas = if rule == "0" { 1 } else { 3 };
            let placement = built(map, KeyKind::I64, replicas, &given);
            let got = osds(placement.as_ref(), &keys, replicas);
            for (row, want) in vectors.column("osds").iter().enumerate() {
                assert_eq!(got[row], *want, "rule {rule} {variant} x {}", keys.key(row));
            }
            vectors.tested("rule");
            vectors.finish(&[]);
            cases += vectors.len();
        }
    }
    assert_eq!(cases, all.len());
}

#[test]
fn recorded_groups_and_osds_of_objects() {
    let vectors = Vectors::read("ceph_object_to_pg.csv", 181);
    let keys = vectors.keys("object", KeyKind::Text);
    for pg_num in [128, 384, 65_536] {
        let given = [("pg-num", Value::Int(pg_num))];
        let placement = built("ceph_crush_map_pool.txt", KeyKind::Text, 3, &given);
        for (row, want) in vectors.column(&format!("pg_of_pg_num_{pg_num}")).iter().enumerate() {
            let told = &placement.explain(&keys.key(row)).steps[1].value;
            let group = u32::from_str_radix(told.strip_prefix("1.").unwrap(), 16).unwrap();
            assert_eq!(group.to_string(), *want, "{}", keys.key(row));
        }
        if pg_num != 384 {
            let got = osds(placement.as_ref(), &keys, 3);
            for (row, want) in vectors.column(&format!("osds_{pg_num}")).iter().enumerate() {
                assert_eq!(got[row], *want, "{} of {pg_num}", keys.key(row));
            }
        }
    }
    vectors.finish(&[]);
}

#[test]
fn recorded_osds_of_groups() {
    let vectors = Vectors::read("ceph_pg_to_osds_128.csv", 95);
    let mut keys = KeyBatch::new(KeyKind::I64);
    for group in vectors.column("pg") {
        keys.push(&Key::I64(hash32_2(group.parse().unwrap(), 1).into()));
    }
    let placement = built("ceph_crush_map_pool.txt", KeyKind::I64, 3, &[]);
    let got = osds(placement.as_ref(), &keys, 3);
    for (row, want) in vectors.column("osds").iter().enumerate() {
        assert_eq!(got[row], *want, "{}", keys.key(row));
    }
    let single = built("ceph_crush_map_pool.txt", KeyKind::I64, 1, &[]);
    let primaries = place(single.as_ref(), &keys);
    for (slot, want) in primaries.iter().zip(vectors.column("primary")) {
        assert_eq!(slot.0.to_string(), want);
    }
    vectors.finish(&[]);
}

#[test]
fn a_map_of_nodes_is_that_of_the_file() {
    let hosts = [(0, 1.0), (0, 2.0), (1, 1.0), (1, 1.0), (2, 3.0), (2, 0.5), (3, 1.0), (3, 1.0)];
    let nodes = hosts.iter().zip(0..).map(|((host, weight), i)| {
        let mut node = Node::named(i, &format!("osd.{i}"));
        node.rack = Some(format!("host{host}").into());
        node.weight = *weight;
        node
    });
    let mut cluster = Cluster { nodes: nodes.collect(), ids: 8, ..Cluster::default() };
    cluster.nodes.reverse();
    let map = Map::of_cluster(&cluster).unwrap();
    let text = include_str!("../../../tests/vectors/ceph_crush_map_pool.txt");
    let file = Map::parse(text, "map").unwrap();
    for id in [-1, -2, -3, -4, -5] {
        assert_eq!(map.buckets[&id], file.buckets[&id], "{id}");
    }
    let (of_nodes, of_file) = (map.rule(Some("host")).unwrap(), file.rule(None).unwrap());
    for x in 0..200 {
        let run = |map, rule| Choice { map, reweights: &[], x }.run(rule, 3);
        assert_eq!(run(&map, of_nodes), run(&file, of_file), "{x}");
    }
}

#[test]
fn maps_that_are_not_modelled_are_refused_with_their_line() {
    let text = include_str!("../../../tests/vectors/ceph_crush_map.txt");
    let told = |text: String| Map::parse(&text, "map").unwrap_err().message;
    assert!(told(text.replacen("alg straw2", "alg straw", 1)).contains("line 22"));
    assert!(told(text.replace("vary_r 1", "vary_r 0")).contains("jewel"));
    assert!(told(text.replace("type host\n", "type rack\n")).contains("no type `rack`"));
}

#[test]
fn numbers_that_would_take_too_much_memory_are_refused() {
    let text = include_str!("../../../tests/vectors/ceph_crush_map.txt");
    let told = |text: String| Map::parse(&text, "map").unwrap_err().message;
    let device = text.replace("device 7 osd.7", "device 4294967295 osd.7");
    assert_eq!(told(device), "CRUSH map `map`, line 16: devices are numbered below 1048576");
    assert!(told(text.replace("total_tries 50", "total_tries 4000000000")).contains("tries"));
    let mut cluster = Cluster::numbered(2, "osd.{i}");
    cluster.nodes[1].server_id = Some(u32::MAX);
    let error = Map::of_cluster(&cluster).unwrap_err();
    assert_eq!(error.message, "node osd.1 is osd.4294967295");
    let given = vec![("map".to_string(), Value::Text("ceph_crush_map.txt".into()))];
    let params = Params::from_pairs(CRUSH.strategy.params, given).unwrap();
    let base = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors"));
    let keys = KeyKind::Text;
    let build = Build { cluster: &cluster, params: &params, keys, replicas: 1, base };
    let error = CRUSH.strategy.place(&build).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
    assert!(error.message.ends_with("the map `ceph_crush_map.txt` has osd.0 to osd.7"), "{error}");
}
