//! Tests of [`super`]: texts that redis-server 7.0.15 printed, and every way to get a map wrong.

use super::*;

const NODES: &str = include_str!("../../../tests/data/maps/redis_nodes.txt");
const MIGRATING: &str = include_str!("../../../tests/data/maps/redis_nodes_migrating.txt");
const IMPORTING: &str = include_str!("../../../tests/data/maps/redis_nodes_importing.txt");
const FAILED: &str = include_str!("../../../tests/data/maps/redis_nodes_failed.txt");
const SLOTS: &str = include_str!("../../../tests/data/maps/redis_slots.txt");
const SLOTS_RAW: &str = include_str!("../../../tests/data/maps/redis_slots_raw.txt");

fn map(text: &str) -> ClusterMap {
    parse(text, "map", None).unwrap_or_else(|error| panic!("{error}"))
}

fn error(text: &str) -> String {
    parse(text, "map", None).unwrap_err().to_string()
}

fn first_line(text: &str) -> String {
    error(text).lines().next().unwrap().to_string()
}

fn names(map: &ClusterMap) -> Vec<&str> {
    map.nodes.iter().map(|node| &*node.name).collect()
}

/// First slots and owners of the runs of a map.
fn runs(map: &ClusterMap) -> Vec<(usize, &str)> {
    let owners = &map.buckets.as_ref().unwrap().owners;
    let begins = |&i: &usize| i == 0 || owners[i] != owners[i - 1];
    let name = |i: usize| (i, &*map.nodes[owners[i] as usize].name);
    (0..owners.len()).filter(begins).map(name).collect()
}

/// The map as it is, written anew.
fn rewritten(map: &ClusterMap) -> String {
    let owners = map.buckets.as_ref().map(|buckets| buckets.owners.as_slice());
    map.write(&State { nodes: &map.nodes, owners }).unwrap()
}

#[test]
fn what_redis_prints_is_read_in_each_of_its_forms() {
    let want = [(0, "127.0.0.1:7001"), (5461, "127.0.0.1:7002"), (10923, "127.0.0.1:7003")];
    for (text, format) in
        [(NODES, "redis-nodes"), (SLOTS, "redis-slots"), (SLOTS_RAW, "redis-slots")]
    {
        let map = map(text);
        assert_eq!(map.format.name, format);
        assert_eq!(runs(&map), want, "{format}");
        assert_eq!(map.buckets.as_ref().unwrap().owners.len(), 16_384);
        let first = map.nodes.iter().find(|node| &*node.name == "127.0.0.1:7001").unwrap();
        assert_eq!((first.host.as_deref(), first.port), (Some("127.0.0.1"), Some(7001)));
    }
    // A master without slots is a node that can take some; CLUSTER SLOTS does not know it.
    assert_eq!(names(&map(NODES)).len(), 4);
    assert_eq!(names(&map(SLOTS)).len(), 3);
}

#[test]
fn a_map_is_written_as_it_was_read() {
    for text in [SLOTS, SLOTS_RAW] {
        assert_eq!(rewritten(&map(text)), text);
    }
    assert_eq!(rewritten(&map(NODES)), NODES);
    for text in [
        "10.0.0.1:11211\t600\n10.0.0.2:11211\t300\n",
        "node,weight\ndb0,1\ndb1,2.5\n",
        "node,weight,zone\ndb0,1,a\ndb1,2,b\n",
        "region,weight,node\neu,1,db0\nus,2.5,db1\n",
        "[2001:db8::1]:11211\t600\n[2001:db8::2]:11211\t300\n",
        "bucket,node\n0,db1\n1,db0\n2,db1\n",
        "[\n  \"db0\",\n  \"db1\"\n]\n",
        "{\n  \"0\": \"db0\",\n  \"1\": \"db1\"\n}\n",
    ] {
        assert_eq!(rewritten(&map(text)), text);
    }
}

#[test]
fn a_changed_state_reads_back_as_it_is() {
    for text in [NODES, SLOTS, SLOTS_RAW] {
        let map = map(text);
        let mut nodes = vec![map.nodes[2].clone(), map.nodes[0].clone()];
        nodes.push(node_at(2, "10.0.0.9:7009"));
        let owners: Vec<u32> =
            (0..16_384).map(|slot| if slot % 7 == 0 { 2 } else { slot / 9000 }).collect();
        let text = map.write(&State { nodes: &nodes, owners: Some(&owners) }).unwrap();
        let again = super::parse(&text, "new", None).unwrap_or_else(|e| panic!("{e}\n{text}"));
        assert_eq!(again.format.name, map.format.name);
        let of = |names: &[Node], owners: &[u32]| -> Vec<String> {
            owners.iter().map(|&owner| names[owner as usize].name.to_string()).collect()
        };
        assert_eq!(of(&again.nodes, &again.buckets.unwrap().owners), of(&nodes, &owners));
    }
}

#[test]
fn slots_on_their_way_count_for_their_source() {
    for (text, way) in
        [(MIGRATING, "leaving 127.0.0.1:7001"), (IMPORTING, "coming to 127.0.0.1:7002")]
    {
        let map = map(text);
        assert_eq!(
            map.buckets.as_ref().unwrap().owners[100],
            map.buckets.as_ref().unwrap().owners[99]
        );
        assert!(map.notes.iter().any(|note| note.contains(way)), "{:?}", map.notes);
        // What is written is at rest.
        assert!(!rewritten(&map).contains('['));
    }
    assert!(map(IMPORTING).notes.iter().any(|note| note.starts_with("1 replica is left out")));
    assert!(rewritten(&map(IMPORTING)).contains(" slave "), "its master is still there");
}

#[test]
fn many_slots_on_their_way_are_one_note() {
    let several =
        MIGRATING.replace("[100->-", "[99->-0000000000000000000000000000000000000000] [100->-");
    let map = map(&several);
    let notes: Vec<&String> = map.notes.iter().filter(|note| note.contains("leaving")).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].starts_with("2 slots from 99 to 100 are leaving 127.0.0.1:7001"), "{notes:?}");
}

#[test]
fn other_line_ends_and_a_last_line_without_one_read_the_same() {
    for text in [NODES, SLOTS, SLOTS_RAW, "a:1 5\nb:2 3\n", "node,weight\na,1\nb,2\n"] {
        let want = map(text);
        for other in [text.replace('\n', "\r\n"), text.trim_end().to_string()] {
            let have = map(&other);
            assert_eq!((have.nodes, have.buckets), (want.nodes.clone(), want.buckets.clone()));
        }
    }
}

#[test]
fn a_failed_master_with_slots_is_refused_and_one_without_left_out() {
    let shown = error(FAILED);
    assert!(shown.starts_with("map:4:"), "{shown}");
    assert!(
        shown.contains("master 127.0.0.1:7003 is marked `fail` and still owns slots"),
        "{shown}"
    );
    // Had another master its slots, both that failed would be left out.
    let taken = FAILED
        .replace(" 0-5460", " 0-5460 10923-16383")
        .replace("disconnected 10923-16383", "disconnected");
    let map = map(&taken);
    assert_eq!(names(&map), ["127.0.0.1:7001", "127.0.0.1:7002"]);
    assert_eq!(map.notes.len(), 2);
}

#[test]
fn holes_overlaps_and_slots_beyond_the_last_are_refused_with_their_line() {
    assert_eq!(
        first_line(&NODES.replace("5461-", "5400-")),
        "map:3:100: slot 5400 is claimed twice, first in line 2"
    );
    assert_eq!(
        first_line(&NODES.replace("5461-", "5463-")),
        "map:2:107: 2 slots belong to no node: 5461-5462"
    );
    assert_eq!(first_line(&NODES.replace("16383", "16384")), "map:4:100: `16384` is no slot");
    assert_eq!(
        first_line(&NODES.replace("10923-16383", "16383-10923")),
        "map:4:100: the range 16383-10923 runs backwards"
    );
    assert_eq!(
        first_line(&SLOTS.replace("(integer) 5461", "(integer) 5460")),
        "map:7:1: slot 5460 is claimed twice, first in line 1"
    );
    assert_eq!(
        first_line(&SLOTS.replace("16383", "16382")),
        "map:13:1: 1 slot belongs to no node: 16383"
    );
    assert_eq!(first_line(&SLOTS_RAW.replace("16383", "99999")), "map:13:1: `99999` is no slot");
    assert!(error(&SLOTS.replace("(integer) 7001", "7001")).contains("none of CLUSTER SLOTS"));
    assert!(error(&NODES.replace(" connected", "")).contains("none of CLUSTER NODES"));
}

#[test]
fn lists_and_bucket_maps_are_refused_with_their_line() {
    assert_eq!(first_line("a:1 5\na:1 6\n"), "map:2:1: server `a:1` is listed twice");
    assert_eq!(first_line("a:1 5\nb:2 -3\n"), "map:2:5: the weight of b:2 is \"-3\"");
    assert_eq!(first_line("a:1 5 6\n"), "map:1:7: `6` stands after the weight");
    assert_eq!(first_line("a:1 0\n"), "map:1:1: all weights are 0");
    assert_eq!(first_line("node,weight\na,1\na,2\n"), "map:3:1: node `a` stands twice");
    assert_eq!(first_line("node,weight\na,x\n"), "map:2:1: the weight of a is \"x\"");
    assert_eq!(first_line("node,weight\na\n"), "map:2:1: this row has 1 field, the header has 2");
    assert!(error("a,1\nb,2\n").contains("node-csv: a CSV whose first line names its columns"));
    assert_eq!(first_line("bucket,node\n0,a\n2,a\n"), "map:1:1: bucket 1 is missing");
    assert_eq!(
        first_line("bucket,node\n0,a\n0,b\n"),
        "map:3:1: bucket 0 stands twice, first in line 2"
    );
    assert_eq!(
        first_line("{\"0\": \"a\",\n \"0\": \"b\"}"),
        "map:2:2: bucket 0 stands twice, first in line 1"
    );
    assert_eq!(first_line("{\"x\": \"a\"}"), "map:1:2: `x` is no bucket");
    assert_eq!(first_line("[]"), "map:1:1: the map has no buckets");
    assert!(
        first_line("[1]").starts_with("map:1:2: not a bucket map: invalid type"),
        "{}",
        first_line("[1]")
    );
    assert!(first_line("[\"a\",").starts_with("map:1:"), "{}", first_line("[\"a\","));
    assert_eq!(first_line(""), "map:1:1: the file is empty");
    let unknown = error("hello world\n");
    assert!(unknown.starts_with("map:1:1: no known format"), "{unknown}");
    assert!(ALL.iter().all(|format| unknown.contains(format.name)), "{unknown}");
    assert_eq!(find("redis-node").unwrap_err().help[0], "did you mean `redis-nodes`?");
    assert_eq!(first_line("[\"a\\u001b\"]"), "map:1:1: `a\\u{1b}` holds a control character");
}

#[test]
fn a_weight_that_a_list_cannot_hold_is_refused() {
    let map = map("a:1 5\n");
    let nodes = [Node { weight: 1.5, ..map.nodes[0].clone() }];
    let error = map.write(&State { nodes: &nodes, owners: None }).unwrap_err();
    assert_eq!(error.message, "the weight of a:1 is 1.5");
}
