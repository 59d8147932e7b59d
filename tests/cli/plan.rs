//! `shardlab plan`: its formats, files, maps of real clusters, and what it refuses.

use std::fs;
use std::path::Path;

use serde_json::Value as Json;

use crate::command::{run, texts};

fn plan(dir: &Path, args: &[&str]) -> (i32, String, String) {
    texts(&run(dir, &[&["plan"], args].concat()))
}

/// A folder with a scenario and further files.
fn folder(scenario: &str, files: &[(&str, &str)]) -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("s.toml"), scenario).unwrap();
    for (name, text) in files {
        fs::write(temp.path().join(name), text).unwrap();
    }
    temp
}

const DOUBLING: &str = "title = \"Doubling\"\n[cluster]\nnodes = 4\nname = \"ds_{i}\"\n\
    [keys]\npattern = \"sequential\"\ntype = \"integer\"\nstart = 0\ncount = 8192\n\
    [[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n[[change]]\nadd = 4\n";

const REDIS: &str = "title = \"Redis\"\n[cluster]\nfrom = \"nodes.txt\"\n\
    [keys]\npattern = \"sequential\"\ncount = 20_000\n[[strategy]]\nkind = \"redis-slots\"\n";

const NODES: &str = include_str!("../data/maps/redis_nodes.txt");

#[test]
fn a_table_reads_from_totals_to_the_pairing_list() {
    let temp = folder(DOUBLING, &[]);
    let (code, out, err) = plan(temp.path(), &["s.toml"]);
    assert_eq!(code, 0, "{err}");
    let order = [
        "Doubling\n",
        "modulo/identity   keys   4,096     50.00     50.00       0.00",
        "modulo/identity: 4 → 8 nodes",
        "step 1: add 4 nodes (ds_4 … ds_7)",
        "ds_0           1,024",
        "Pairing list: each old node splits into itself and its own new nodes",
        "ds_0   ds_4   1,024      12.500",
        "ds_3   ds_7   1,024      12.500",
    ];
    let mut at = 0;
    for part in order {
        let found = out[at..].find(part);
        at += found.unwrap_or_else(|| panic!("`{part}` is missing or out of place:\n{out}"));
    }
    let (_, page, _) = plan(temp.path(), &["s.toml", "--format", "markdown"]);
    assert!(page.starts_with("# Doubling\n\n| cell | load |"), "{page}");
    assert!(page.contains("## step 1: add 4 nodes"), "{page}");
}

#[test]
fn parts_as_csv_agree_with_the_json() {
    let table = "[[strategy]]\nkind = \"bucket-table\"\nhasher = \"identity\"\nbuckets = 256\n";
    let scenario =
        DOUBLING.replace("[[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n", table);
    let temp = folder(&scenario, &[]);
    let (code, out, err) = plan(temp.path(), &["s.toml", "--format", "csv", "--part", "buckets"]);
    assert_eq!(code, 0, "{err}");
    // 8192 raw numbers are 32 in each of 256 buckets: half of the buckets and half of the keys move.
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows[0], ["id", "step", "bucket", "from", "to"]);
    assert_eq!(rows.len(), 1 + 128);
    let (_, json, _) = plan(temp.path(), &["s.toml", "--format", "json"]);
    let json: Json = serde_json::from_str(&json).unwrap();
    let step = &json["cells"][0]["steps"][0];
    assert_eq!(json["schema"], "shardlab.plan/1");
    for pair in step["pairs"].as_array().unwrap() {
        let of = |row: &&Vec<&str>| row[3] == pair["from"] && row[4] == pair["to"];
        assert_eq!(pair["keys"], 32 * rows[1..].iter().filter(of).count(), "{pair}");
    }
    let (_, pairs, _) = plan(temp.path(), &["s.toml", "--format", "csv"]);
    assert_eq!(pairs.lines().next(), Some("id,step,change,from,to,keys"));
    assert_eq!(pairs.lines().count(), 1 + step["pairs"].as_array().unwrap().len());
}

#[test]
fn arcs_cover_what_moves() {
    let ring = "[[strategy]]\nkind = \"ring\"\nvnodes = 40\n";
    let scenario =
        DOUBLING.replace("[[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n", ring);
    let temp = folder(&scenario, &[]);
    let (code, out, err) = plan(temp.path(), &["s.toml", "--format", "csv", "--part", "arcs"]);
    assert_eq!(code, 0, "{err}");
    let mut share = 0.0;
    let mut end = 0u64;
    for line in out.lines().skip(1) {
        let row: Vec<&str> = line.split(',').collect();
        let (first, last): (u64, u64) = (row[2].parse().unwrap(), row[3].parse().unwrap());
        assert!(first >= end && last >= first, "{line}");
        end = last;
        share += row[4].parse::<f64>().unwrap();
        assert!(row[5] < "ds_4" && row[6] >= "ds_4", "{line}");
    }
    let (_, json, _) = plan(temp.path(), &["s.toml", "--format", "json"]);
    let json: Json = serde_json::from_str(&json).unwrap();
    let moved = json["cells"][0]["totals"]["keys"]["share-moved"].as_f64().unwrap();
    // Five standard errors of 8192 keys.
    assert!((share - moved).abs() < 0.028, "{share} of the space, {moved} of the keys");
}

#[test]
fn a_folder_gets_the_plan_its_parts_and_a_heat_map_and_no_half_of_it() {
    let temp = folder(DOUBLING, &[]);
    let (code, _, err) = plan(temp.path(), &["s.toml", "--out", "p"]);
    assert_eq!(code, 0, "{err}");
    let mut names: Vec<String> = fs::read_dir(temp.path().join("p"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    for name in [
        "movement-heat-map-modulo-identity-step-1.svg",
        "movement.csv",
        "plan-nodes.csv",
        "plan-pairing.csv",
        "plan-paths.csv",
        "plan-steps.csv",
        "plan.json",
        "plan.md",
        "record.json",
    ] {
        assert!(names.iter().any(|have| have == name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name == "plan-arcs.csv"), "a part without rows");
    // A run into the same folder takes the plan away, since it is not of that run.
    let (code, _, err) = texts(&run(temp.path(), &["run", "s.toml", "--out", "p"]));
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("plan.json"), "{err}");
    assert!(!temp.path().join("p/plan.json").exists());
    // Where it goes wrong nothing is written.
    let (code, _, _) = plan(temp.path(), &["s.toml", "--out", "q", "--write-map", "m"]);
    assert_eq!(code, 2);
    assert!(!temp.path().join("q").exists() && !temp.path().join("m").exists());
}

#[test]
fn of_many_nodes_those_that_come_and_those_that_move_most_are_shown() {
    let many = DOUBLING.replace("nodes = 4", "nodes = 300").replace("add = 4", "add = 1");
    let many = many.replace(
        "kind = \"modulo\"\nhasher = \"identity\"",
        "kind = \"ring\"\nhasher = \"murmur3-32\"\nvnodes = 4",
    );
    let temp = folder(&many, &[]);
    let (code, out, err) = plan(temp.path(), &["s.toml"]);
    assert_eq!(code, 0, "{err}");
    let row = |name: &str| out.lines().find(|line| line.split_whitespace().next() == Some(name));
    assert!(row("ds_300").is_some_and(|row| row.contains("joins")), "{out}");
    assert!(out.contains("237 more nodes, which give and receive less"), "{out}");
    // Whoever gives to it is there, too.
    let pairs = out.split("From → to:").nth(1).unwrap();
    let from: Vec<&str> = pairs
        .lines()
        .filter(|line| line.contains(" ds_300 "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(!from.is_empty() && from.iter().all(|name| row(name).is_some()), "{out}");
}

#[test]
fn steps_add_up_and_no_map_is_drawn_twice() {
    let twice =
        DOUBLING.replace("[[change]]\nadd = 4\n", "[[change]]\nadd = 4\n[[change]]\nadd = 8\n");
    let temp = folder(&twice, &[]);
    let (code, out, err) = plan(temp.path(), &["s.toml", "--out", "p"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("4,096     50.00      50.00"), "{out}");
    assert!(out.contains("4,096     50.00     100.00"), "{out}");
    let names = fs::read_dir(temp.path().join("p")).unwrap();
    let names: Vec<String> = names.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    let maps = names.iter().filter(|name| name.starts_with("movement-heat-map")).count();
    assert_eq!(maps, 2, "{names:?}");
}

#[test]
fn a_chart_that_is_asked_for_and_cannot_be_drawn_is_said() {
    // 70 · 80 pairs are more than a record lists.
    let asked = DOUBLING.replace("nodes = 4", "nodes = 70").replace("add = 4", "add = 11")
        + "[[chart]]\nkind = \"movement-heat-map\"\n";
    let asked = asked.replace("hasher = \"identity\"", "hasher = \"md5\"");
    let temp = folder(&asked, &[]);
    let (code, _, err) = texts(&run(temp.path(), &["run", "s.toml", "--out", "r"]));
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("note: the chart movement-heat-map is not drawn"), "{err}");
    let (code, _, err) = plan(temp.path(), &["s.toml", "--out", "p"]);
    assert_eq!(code, 0, "{err}");
    assert!(temp.path().join("p/movement-heat-map-modulo-md5-step-1.svg").exists(), "{err}");
}

#[test]
fn a_redis_cluster_gets_its_empty_master_filled_with_the_fewest_slots() {
    let change = "[[change]]\nreweight = { \"127.0.0.1:7004\" = 1 }\n";
    let temp = folder(&format!("{REDIS}{change}"), &[("nodes.txt", NODES)]);
    let args = ["s.toml", "--format", "csv", "--part", "buckets", "--write-map", "new.txt"];
    let (code, out, err) = plan(temp.path(), &args);
    assert_eq!(code, 0, "{err}");
    // 5461, 5462 and 5461 slots come down to 4096 each.
    assert_eq!(out.lines().skip(1).count(), 4096);
    assert!(out.lines().skip(1).all(|line| line.ends_with(",127.0.0.1:7004")));
    let new = fs::read_to_string(temp.path().join("new.txt")).unwrap();
    assert!(
        new.contains("127.0.0.1:7001@17001 myself,master - 0 1796018643000 1 connected 0-4095\n"),
        "{new}"
    );
    // From the new map nothing is left to do.
    fs::write(temp.path().join("nodes.txt"), new).unwrap();
    let (_, out, _) = plan(temp.path(), &["s.toml", "--format", "csv", "--part", "buckets"]);
    assert_eq!(out, "id,step,bucket,from,to\n");
}

#[test]
fn bucket_maps_and_server_lists_are_planned_from_and_written_back() {
    let table = "title = \"t\"\n[cluster]\nfrom = \"map\"\n[keys]\npattern = \"sequential\"\ncount = 9000\n\
        [[strategy]]\nkind = \"bucket-table\"\nbuckets = 6\n[[change]]\nremove = [\"b\"]\n";
    let map = "bucket,node\n0,a\n1,b\n2,a\n3,c\n4,a\n5,b\n";
    let temp = folder(table, &[("map", map)]);
    let (code, out, err) = plan(
        temp.path(),
        &["s.toml", "--format", "csv", "--part", "buckets", "--write-map", "new"],
    );
    assert_eq!(code, 0, "{err}");
    // a has its share of three already, c takes both.
    assert_eq!(
        out,
        "id,step,bucket,from,to\nbucket-table/murmur3-32,1,1,b,c\nbucket-table/murmur3-32,1,5,b,c\n"
    );
    let new = fs::read_to_string(temp.path().join("new")).unwrap();
    assert_eq!(new, "bucket,node\n0,a\n1,c\n2,a\n3,c\n4,a\n5,c\n");

    // How many buckets there are the map says, if the strategy does not; stated, it must be right.
    let (stated, unstated) = (table, table.replace("buckets = 6\n", ""));
    for (scenario, code) in [(unstated, 0), (stated.replace("buckets = 6", "buckets = 8"), 2)] {
        let temp = folder(&scenario, &[("map", map)]);
        let (exit, again, err) =
            plan(temp.path(), &["s.toml", "--format", "csv", "--part", "buckets"]);
        assert_eq!(exit, code, "{err}");
        match code {
            0 => assert_eq!(again, out),
            _ => assert!(err.contains("the cluster's map has 6"), "{err}"),
        }
    }

    let list = "title = \"t\"\n[cluster]\nfrom = \"servers\"\n[keys]\npattern = \"sequential\"\ncount = 9000\n\
        [[strategy]]\npreset = \"libketama\"\n[[change]]\nadd = [{ name = \"10.0.0.3:11211\", weight = 300 }]\n";
    let temp = folder(list, &[("servers", "10.0.0.1:11211 600\n10.0.0.2:11211 300\n")]);
    let (code, _, err) = plan(temp.path(), &["s.toml", "--write-map", "new"]);
    assert_eq!(code, 0, "{err}");
    let new = fs::read_to_string(temp.path().join("new")).unwrap();
    assert_eq!(new, "10.0.0.1:11211\t600\n10.0.0.2:11211\t300\n10.0.0.3:11211\t300\n");
}

#[test]
fn what_cannot_be_planned_is_refused_with_the_way_out() {
    let refused = |scenario: &str, files: &[(&str, &str)], args: &[&str], parts: &[&str]| {
        let temp = folder(scenario, files);
        let (code, out, err) = plan(temp.path(), &[&["s.toml"], args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{err}");
        for part in parts {
            assert!(err.contains(part), "`{part}` is missing:\n{err}");
        }
    };
    let still = DOUBLING.replace("[[change]]\nadd = 4\n", "");
    refused(&still, &[], &[], &["no change to plan", "add = 1"]);
    refused(DOUBLING, &[], &["--step", "2"], &["no path has a step 2", "1 to 1"]);
    refused(DOUBLING, &[], &["--cell", "modulo/identty"], &["did you mean `modulo/identity`?"]);
    refused(DOUBLING, &[], &["--part", "pairs"], &["--part without --format csv"]);
    refused(DOUBLING, &[], &["--format", "csv", "--part", "pair"], &["did you mean `pairs`?"]);
    refused(DOUBLING, &[], &["--write-map", "m"], &["read from no map"]);
    let grow = format!("{REDIS}[[change]]\nadd = [\"127.0.0.1:7005\"]\n");
    refused(&grow, &[], &[], &["cannot read `nodes.txt`", "the scenario's folder"]);
    let hole = NODES.replace("5461-10922", "5461-10900");
    refused(
        &grow,
        &[("nodes.txt", &hole)],
        &[],
        &["nodes.txt:3", "22 slots belong to no node: 10901-10922"],
    );
    let twice = NODES.replace("5461-10922", "5000-10922");
    refused(&grow, &[("nodes.txt", &twice)], &[], &["nodes.txt:3", "slot 5000 is claimed twice"]);
    let beyond = NODES.replace("16383", "16384");
    refused(&grow, &[("nodes.txt", &beyond)], &[], &["nodes.txt:4", "`16384` is no slot"]);
    refused(&grow, &[("nodes.txt", "hello")], &[], &["nodes.txt:1", "no known format"]);
    let format = grow.replace("from = \"nodes.txt\"", "from = \"nodes.txt\"\nformat = \"redis\"");
    refused(&format, &[("nodes.txt", NODES)], &[], &["unknown format `redis`", "redis-nodes"]);
    let both = grow.replace("from = \"nodes.txt\"", "from = \"nodes.txt\"\nnodes = 3");
    refused(&both, &[("nodes.txt", NODES)], &[], &["has both `nodes` and `from`"]);
    let buckets = grow.replace("\"redis-slots\"", "\"bucket-table\"\nbuckets = 1024");
    refused(&buckets, &[("nodes.txt", NODES)], &[], &["`buckets` is 1024", "buckets = 16384"]);
    let ring = grow.replace("redis-slots", "ring");
    refused(
        &ring,
        &[("nodes.txt", NODES)],
        &["--write-map", "m"],
        &["has no buckets", "redis-slots"],
    );
    let few = grow.replace("nodes.txt", "few.csv");
    refused(
        &few,
        &[("few.csv", "bucket,node\n0,a\n1,b\n")],
        &[],
        &["has 2 buckets", "bucket-table"],
    );
}
