//! What must hold of every chart: well-formed, deterministic, nothing outside, no text on a text.

use serde_json::json;

use super::text::{ASCENT, DESCENT, Frame, Weight, width};
use super::*;
use crate::charts::fixtures;
use crate::record::ChartRecord;
use crate::rng::{Purpose, Stream};

/// Checks that tags nest and close, attributes are quoted and ids occur once; returns the texts with their boxes.
fn check_xml(svg: &str) -> Vec<(String, Frame)> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = std::collections::BTreeSet::new();
    let mut texts = Vec::new();
    let mut rest = svg;
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "stray > before {}", &rest[start..]);
        let end = start + rest[start..].find('>').expect("every tag ends");
        let tag = &rest[start + 1..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let after = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            let name = tag.split(' ').next().unwrap();
            open.push(name);
            if name == "text" {
                texts.push(text_box(tag, &after[..after.find('<').unwrap()]));
            }
        }
        if let Some(id) = attribute(tag, "id") {
            assert!(ids.insert(id.to_string()), "id {id} twice");
        }
        rest = after;
    }
    assert!(open.is_empty() && rest.trim().is_empty());
    let bad = svg.match_indices('&').find(|(i, _)| {
        !["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|e| svg[*i..].starts_with(e))
    });
    assert_eq!(bad, None);
    texts
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let from = tag.find(&format!(" {name}=\""))? + name.len() + 3;
    Some(&tag[from..from + tag[from..].find('"')?])
}

fn number(tag: &str, name: &str) -> f64 {
    attribute(tag, name).unwrap_or_else(|| panic!("{name} of {tag}")).parse().unwrap()
}

fn text_box(tag: &str, text: &str) -> (String, Frame) {
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&amp;", "&");
    let (x, y, size) = (number(tag, "x"), number(tag, "y"), number(tag, "font-size"));
    let weight =
        if attribute(tag, "font-weight").is_some() { Weight::Bold } else { Weight::Regular };
    let wide = width(&text, size, weight);
    let left = match attribute(tag, "text-anchor") {
        None => x,
        Some("middle") => x - wide / 2.0,
        Some("end") => x - wide,
        Some(other) => panic!("{other}"),
    };
    let frame =
        Frame { left, top: y - ASCENT * size, right: left + wide, bottom: y + DESCENT * size };
    (text, frame)
}

/// Draws the charts of a record twice and checks each.
fn check(record: &Record) -> Vec<(String, String)> {
    let drawn = draw_all(record);
    let data: Vec<Chart> = charts(record).into_iter().flat_map(|(_, charts)| charts).collect();
    assert_eq!(data.len(), drawn.len());
    for ((stem, svg), chart) in drawn.iter().zip(&data) {
        let texts = check_xml(svg);
        let dense = |t: &str| t.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        let all = dense(&texts.iter().map(|t| t.0.as_str()).collect::<String>());
        for (name, _) in chart.layers.iter().filter_map(legend::sample) {
            assert!(all.contains(&dense(name)), "{stem}: \"{name}\" is not shown");
        }
        let tag = &svg[..svg.find('>').unwrap()];
        let sheet = Frame {
            left: 0.0,
            top: 0.0,
            right: number(tag, "width"),
            bottom: number(tag, "height"),
        };
        for (i, (text, frame)) in texts.iter().enumerate() {
            assert!(sheet.contains(frame), "{stem}: \"{text}\" leaves the sheet: {frame:?}");
            for (other, place) in &texts[i + 1..] {
                // A rounded tenth of a pixel is no overlap.
                assert!(
                    !frame.grown(-0.2).overlaps(place),
                    "{stem}: \"{text}\" on \"{other}\": {frame:?} {place:?}"
                );
            }
        }
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{stem}");
    }
    drawn
}

fn stems(drawn: &[(String, String)]) -> Vec<&str> {
    drawn.iter().map(|d| d.0.as_str()).collect()
}

fn headline() -> Record {
    let counts = [1.0, 8.0, 32.0, 100.0, 160.0, 200.0, 500.0];
    let mut record = fixtures::vnodes(&["murmur3-32", "md5", "xxh3-64"], &counts);
    let marks = json!(["32:0.27:claimed 27 % at 32", "160:0.083:claimed 8.3 % at 160"]);
    record.charts.push(ChartRecord {
        kind: "skew-by-axis".into(),
        params: [("marks".to_string(), marks)].into_iter().collect(),
    });
    record
}

fn expansion() -> Record {
    let one_by_one: Vec<usize> = (8..=16).collect();
    fixtures::expansion(
        &[
            ("modulo", 20.0),
            ("ring", 1.2),
            ("ring-160", 1.0),
            ("jump", 1.0),
            ("rendezvous", 1.0),
            ("maglev", 1.1),
            ("bucket-table", 1.0),
        ],
        &[("one by one", &one_by_one), ("at once", &[8, 16]), ("8 to 12", &[8, 12])],
    )
}

#[test]
fn the_headline_chart_holds_all_its_parts() {
    let drawn = check(&headline());
    assert_eq!(stems(&drawn)[0], "skew-by-axis");
    let svg = &drawn[0].1;
    for part in [
        "murmur3-32",
        "md5",
        "xxh3-64",
        "label sets",
        "theory",
        "claimed 27 % at 32",
        "claimed 8.3 % at 160",
        "41st percentile",
        ">500<",
        ">200 %<",
    ] {
        assert!(svg.contains(part), "{part}");
    }
    assert!(svg.len() < 40_000, "{} bytes", svg.len());
}

#[test]
fn every_path_has_its_chart() {
    let drawn = check(&expansion());
    let movement: Vec<&str> =
        stems(&drawn).into_iter().filter(|s| s.starts_with("movement")).collect();
    assert_eq!(
        movement,
        ["movement-by-step-one-by-one", "movement-by-step-at-once", "movement-by-step-8-to-12"]
    );
    assert!(
        drawn
            .iter()
            .all(|(stem, svg)| !stem.starts_with("movement") || svg.contains("least possible"))
    );
}

#[test]
fn many_nodes_become_a_sorted_curve() {
    let few = check(&fixtures::loads(&["ring"], 64, "db"));
    assert!(few.iter().any(|(s, svg)| s == "load-per-node" && svg.contains("class=\"bars\"")));
    let many = check(&fixtures::loads(&["ring"], 65, "db"));
    assert!(many.iter().any(|(s, svg)| s == "load-per-node" && svg.contains("most loaded first")));
}

#[test]
fn nothing_collides_in_random_records() {
    let mut rng = Stream::new(11, Purpose::Keys, 0);
    let long = "a-strategy/with-a_name that goes on and on: 0123456789 <&> \"quoted\"";
    for series in [1, 2, 6, 7, 12, 40] {
        for length in [4, 60] {
            let names: Vec<String> =
                (0..series).map(|i| format!("{}{i}", &long[..length.min(long.len())])).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let counts: Vec<f64> =
                [1.0, 3.0, 32.0, 500.0, 4000.0][..3 + rng.below(3) as usize].to_vec();
            let mut record = fixtures::vnodes(&names, &counts);
            let marks: Vec<String> = (0..rng.below(6))
                .map(|_| {
                    format!("{}:{}:{}", 1 + rng.below(500), 0.05 + rng.unit(), &long[..length])
                })
                .collect();
            record.charts.push(ChartRecord {
                kind: "skew-by-axis".into(),
                params: [("marks".to_string(), json!(marks))].into_iter().collect(),
            });
            check(&record);

            let steps: Vec<usize> = (0..2 + rng.below(12) as usize).map(|i| 3 + i).collect();
            let strategies: Vec<(&str, f64)> =
                names.iter().map(|n| (*n, 1.0 + rng.unit() * 4.0)).collect();
            check(&fixtures::expansion(&strategies, &[("one by one", &steps), (long, &[3, 100])]));
            check(&fixtures::loads(&names, 1 + rng.below(90) as usize, &long[..length]));
        }
    }
}

#[test]
fn records_without_the_data_give_no_chart() {
    assert_eq!(draw_all(&fixtures::empty("x", "", "")), []);
    let mut record = fixtures::vnodes(&["md5"], &[1.0, 2.0, 3.0]);
    for cell in &mut record.cells {
        cell.unsupported = Some("no".into());
    }
    assert_eq!(draw_all(&record), []);
}

#[test]
fn strange_values_do_no_harm() {
    let mut record = fixtures::vnodes(&["md5", "xxh64"], &[1.0, 2.0, 3.0, 0.0]);
    let strange = [f64::NAN, f64::INFINITY, 0.0, -1.0, 1e300, 5e-324];
    for (cell, value) in record.cells.iter_mut().zip(strange) {
        let balance = cell.steps[0].balance.get_mut("owned").unwrap();
        balance.max_deviation = value;
        balance.max_over_mean = value;
    }
    record.scenario.title = "\u{0} <script>alert('x')</script> &amp; 中文 \u{202e}".into();
    check(&record);
    for value in strange {
        for cell in &mut record.cells {
            cell.steps[0].balance.get_mut("owned").unwrap().max_deviation = value;
        }
        check(&record);
    }
}

#[test]
fn wrong_parameters_are_errors_that_name_them() {
    let refused = |kind: &str, name: &str, value: Value| {
        let info = find(kind).unwrap();
        let params = Params::from_pairs(info.params, vec![(name.into(), value)]);
        params.and_then(|p| (info.check)(&p)).unwrap_err()
    };
    let texts = |t: &str| Value::List(vec![Value::Text(t.into())]);
    assert_eq!(refused("skew-by-axis", "marks", texts("32:x:y")).field, Some("marks"));
    assert_eq!(refused("skew-by-axis", "band", texts("md5")).field, Some("band"));
    assert_eq!(
        refused("skew-by-axis", "stat", Value::Text("max-devation".into())).field,
        Some("stat")
    );
    assert_eq!(refused("balance-by-cell", "where", texts("")).field, Some("where"));
    let unknown = vec![("axis".to_string(), Value::Text("vnode".into()))];
    let params = Params::from_pairs(find("skew-by-axis").unwrap().params, unknown).unwrap();
    let error = (find("skew-by-axis").unwrap().draw)(&headline(), &params).unwrap_err();
    assert_eq!(error.help[0], "did you mean `vnodes`?");
    assert!(find("skew").unwrap_err().message.contains("skew"));
}

#[test]
fn a_wrong_table_in_a_record_gives_a_sheet_that_says_so() {
    let mut record = headline();
    record.charts.push(ChartRecord { kind: "pie".into(), params: serde_json::Map::new() });
    record.charts[0].params.insert("marks".into(), json!(["nonsense"]));
    let drawn = check(&record);
    assert!(drawn[0].1.contains("nonsense"));
    assert!(drawn.last().unwrap().1.contains("unknown chart"));
}

#[test]
fn two_tables_of_a_kind_give_two_files() {
    let mut record = headline();
    record.charts.push(record.charts[0].clone());
    // And no others: the scenario's tables decide.
    assert_eq!(stems(&check(&record)), ["skew-by-axis", "skew-by-axis-2"]);
    record.charts.clear();
    assert_eq!(stems(&check(&record))[..2], ["skew-by-axis", "balance-by-cell"]);
}

#[test]
fn movement_goes_on_a_log_axis_where_it_spans_a_factor_of_eight() {
    let table = |params: &[(&str, &str)]| ChartRecord {
        kind: "movement-by-step".into(),
        params: params.iter().map(|(k, v)| ((*k).to_string(), json!(v))).collect(),
    };
    let mut record = expansion();
    record.charts = vec![
        table(&[("path", "one by one")]),
        table(&[("path", "one by one"), ("y-scale", "linear"), ("measure", "cumulative")]),
    ];
    let drawn = check(&record);
    let want = ["movement-by-step-one-by-one", "movement-by-step-one-by-one-cumulative"];
    assert_eq!(stems(&drawn), want);
    assert!(drawn[0].1.contains(", log scale") && !drawn[1].1.contains(", log scale"));
}

/// The value at the end of a bar is drawn after the rule that runs through it.
#[test]
fn values_stand_above_rules() {
    let drawn = check(&fixtures::expansion(&[("ring", 0.99)], &[("at once", &[8, 16])]));
    let svg = &drawn.iter().find(|(stem, _)| stem.starts_with("movement")).unwrap().1;
    let last = |class: &str| svg.rfind(&format!("class=\"{class}\"")).unwrap();
    assert!(last("rule") < last("values") && last("bars") < last("values"));
}

#[test]
fn sweeps_tick_at_their_own_numbers() {
    let svg = &check(&fixtures::vnodes(&["md5"], &[1.0, 32.0, 160.0]))[0].1;
    for number in [">32<", ">160<"] {
        assert!(svg.contains(number), "{number}");
    }
    assert!(!svg.contains(">100<"));
}

#[test]
fn a_migration_has_its_loads_units_and_unavailability() {
    let drawn = check(&fixtures::migrations(40, ""));
    let of = |kind: &str| stems(&drawn).iter().filter(|stem| stem.starts_with(kind)).count();
    assert_eq!((of("load-over-time"), of("unit-gantt"), of("unavailability")), (3, 2, 1));
    let gantt = &drawn.iter().find(|(stem, _)| stem.starts_with("unit-gantt")).unwrap().1;
    assert!(gantt.contains("class=\"periods\"") && gantt.contains("bucket 0: db0 → db3"));
    let crowded = check(&fixtures::migrations(300, ""));
    let gantt = &crowded.iter().find(|(stem, _)| stem.starts_with("unit-gantt")).unwrap().1;
    assert!(gantt.contains("of 150 units."));
}

fn many(series: usize, length: usize) -> Record {
    let long = "a-strategy/with-a_name that goes on and on: 0123456789 and so on, ever after";
    let names: Vec<String> = (0..series).map(|i| format!("{}{i}", &long[..length])).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    fixtures::vnodes(&names, &[1.0, 10.0, 32.0, 160.0, 500.0])
}

/// The headline with one more line of two points.
fn search() -> Record {
    let mut record = headline();
    let mut found = fixtures::vnodes(&["murmur3-32"], &[32.0, 160.0]);
    for (cell, value) in found.cells.iter_mut().zip([0.27, 0.083]) {
        cell.label = Some("found by search: shard-{try}-{i}".into());
        cell.trials = None;
        cell.steps[0].balance.get_mut("owned").unwrap().max_deviation = value;
    }
    record.cells.append(&mut found.cells);
    record
}

/// Every shape of record, crowded ones among them.
fn shapes() -> Vec<Record> {
    let grow = [("modulo", 3.0), ("ring", 1.2), ("jump", 1.0), ("maglev", 1.1)];
    vec![
        headline(),
        search(),
        expansion(),
        fixtures::expansion(&grow, &[("grow", &[3, 10, 30, 100])]),
        fixtures::loads(&["ring", "jump", "maglev"], 16, "db"),
        fixtures::loads(&["ring"], 48, "a-rather-long-node-name"),
        fixtures::loads(&["rendezvous"], 100, "db"),
        many(12, 12),
        many(40, 20),
        many(12, 60),
        fixtures::migrations(12, ""),
        fixtures::migrations(300, "a-rather-long-name-"),
    ]
}

#[test]
fn nothing_collides_in_usual_shapes() {
    for record in shapes() {
        assert_eq!(check(&record), draw_all(&record));
    }
}

/// A run of one strategy along paths that grow, and of several on clusters in which a node fails.
fn ran(text: &str) -> Record {
    let base = std::path::Path::new(".");
    let scenario = crate::scenario::parse(text, "t.toml", "t", base, &Default::default())
        .unwrap_or_else(|errors| panic!("{}", errors[0]));
    let options =
        crate::sim::Options { threads: Some(1), repeats: true, ..crate::sim::Options::default() };
    crate::sim::run(&scenario, options, &crate::sim::Silent).unwrap()
}

#[test]
fn who_gives_to_whom_is_a_grid_and_paths_stand_side_by_side() {
    for (nodes, add) in [(2, 1), (8, 8), (40, 3), (100, 100)] {
        let record = ran(&format!(
            "title = \"t\"\n[cluster]\nnodes = {nodes}\nname = \"a-node-with-a-name-{{i}}\"\n\
             [keys]\npattern = \"sequential\"\ncount = 30_000\n\
             [[strategy]]\nkind = [\"ring\", \"jump\"]\n\
             [[path]]\nname = \"at once\"\nchange = [{{ add = {add} }}]\n\
             [[path]]\nname = \"in two steps\"\nchange = [{{ add = {add} }}, {{ remove = [\"a-node-with-a-name-1\"] }}]\n"
        ));
        let drawn = check(&record);
        let maps = stems(&drawn).iter().filter(|s| s.starts_with("movement-heat-map")).count();
        // A record lists no more than 4096 pairs, of which a grid is made: of the large ones only those of
        // jump's second step, at which most moves, each node to its neighbour.
        assert_eq!(maps, if nodes < 100 { 4 } else { 1 }, "{nodes}");
        let (_, svg) = drawn.iter().find(|(stem, _)| stem == "path-totals").expect("it is there");
        assert!(svg.contains("keys that move more than once"));
    }
    // A grid shades by the value, and says it.
    let text = "title = \"t\"\n[cluster]\nnodes = 2\nname = \"db{i}\"\n\
        [keys]\npattern = \"sequential\"\ntype = \"integer\"\nstart = 0\ncount = 1000\n\
        [[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n[[change]]\nadd = 2\n";
    let drawn = check(&ran(text));
    let (_, svg) = drawn.iter().find(|(s, _)| s.starts_with("movement-heat-map")).unwrap();
    assert!(svg.contains("<title>db0 → db2: 25.0 %</title>"), "{svg}");
    assert!(svg.contains("the darkest is 25.0 %"), "{svg}");
    assert!(!svg.contains("<title>db0 → db3"), "{svg}");
}

#[test]
fn of_many_nodes_several_share_a_field() {
    let drawn = check(&ran("title = \"t\"\n[cluster]\nnodes = 300\nname = \"db{i}\"\n\
         [keys]\npattern = \"sequential\"\ntype = \"integer\"\nstart = 0\ncount = 600\n\
         [[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n[[change]]\nadd = 300\n"));
    let (_, svg) = drawn.iter().find(|(s, _)| s.starts_with("movement-heat-map")).unwrap();
    // 100 fields of three nodes a side; each node gives one of 600 keys.
    assert!(svg.contains("<title>db0 … db2 → db300 … db302: 0.500 %</title>"), "{svg}");
    assert_eq!(svg.matches(": 0.500 %</title>").count(), 100);
    assert!(svg.contains("A row stands for 3 nodes, a column for 3 nodes"), "{svg}");
}

#[test]
fn a_blast_radius_needs_clusters_of_several_sizes() {
    let text = |nodes: &str| {
        format!(
            "title = \"t\"\n[cluster]\nnodes = {nodes}\nname = \"db{{i}}\"\n\
             [keys]\npattern = \"sequential\"\ntype = \"integer\"\nstart = 0\ncount = 24_000\n\
             [[strategy]]\nkind = \"modulo\"\nhasher = \"identity\"\n\
             [[strategy]]\nkind = \"ring\"\n[[change]]\nfail = [\"db0\"]\n"
        )
    };
    let drawn = check(&ran(&text("[3, 4, 5]")));
    let (_, svg) = drawn.iter().find(|(stem, _)| stem == "blast-radius").expect("it is there");
    // 1 − 1/n for the first of n: two thirds at 3.
    assert!(svg.contains("<title>modulo: 3, 66.7 %</title>"), "{svg}");
    assert!(svg.contains("1 ÷ nodes"));
    assert!(!stems(&check(&ran(&text("3")))).contains(&"blast-radius"));
    for measure in ["lost", "heir-gain", "heirs", "max-over-mean"] {
        let mut record = ran(&text("[3, 4, 5]"));
        let params = [("measure".to_string(), json!(measure))].into_iter().collect();
        record.charts = vec![ChartRecord { kind: "blast-radius".into(), params }];
        assert_eq!(stems(&check(&record)), [format!("blast-radius-{measure}")]);
    }
}
