//! Tests of [`super`]: names, ids and impossible changes.

use super::*;

fn start(n: usize) -> Start {
    let nodes = Cluster::numbered(n, "db{i}").nodes;
    Start { nodes, template: "db{i}".into(), joining: Node::named(0, ""), map: None }
}

fn name(name: &str) -> NameRef {
    NameRef { name: name.into(), place: None }
}

fn walk(n: usize, alterations: &[Alteration]) -> Result<History, Error> {
    let alterations: Vec<_> = alterations.iter().map(|a| (a, None)).collect();
    resolve(&start(n), &mut Ids::default(), &alterations, &mut 1000)
}

fn members(cluster: &Cluster) -> Vec<(u32, &str)> {
    cluster.nodes.iter().map(|n| (n.id.0, &*n.name)).collect()
}

fn texts(history: &History) -> Vec<&str> {
    history.iter().filter_map(|(c, _)| c.as_ref()).map(|c| c.text.as_str()).collect()
}

#[test]
fn numbered_nodes_take_names_that_the_path_has_not_used() {
    let history = walk(
        3,
        &[
            Alteration::Add(vec![Joining::Name(name("db4"))]),
            Alteration::Remove(vec![name("db1")]),
            Alteration::Add(vec![Joining::Count(2, None)]),
            Alteration::Add(vec![Joining::Name(name("db1"))]),
        ],
    )
    .unwrap();
    assert_eq!(texts(&history), ["add db4", "remove db1", "add db3, db5", "add db1"]);
    let last = &history[4].1;
    assert_eq!(
        members(last),
        [(0, "db0"), (2, "db2"), (3, "db4"), (4, "db3"), (5, "db5"), (1, "db1")]
    );
    assert!(history.iter().all(|(_, cluster)| cluster.ids == 6));
}

#[test]
fn a_name_keeps_its_id_on_every_path() {
    let mut ids = Ids::default();
    let by_number = Alteration::Add(vec![Joining::Count(1, None)]);
    let by_name = Alteration::Add(vec![Joining::Name(name("x")), Joining::Name(name("db2"))]);
    let first = resolve(&start(2), &mut ids, &[(&by_number, None)], &mut 1000).unwrap();
    let second = resolve(&start(2), &mut ids, &[(&by_name, None)], &mut 1000).unwrap();
    assert_eq!(members(&first[1].1)[2], (2, "db2"));
    assert_eq!(members(&second[1].1)[2..], [(3, "x"), (2, "db2")]);
    assert_eq!((first[0].1.ids, second[0].1.ids), (3, 4));
}

#[test]
fn a_node_that_comes_back_is_as_it_was() {
    let history = walk(
        2,
        &[
            Alteration::Reweight(vec![(name("db1"), 3.0)]),
            Alteration::Remove(vec![name("db1")]),
            Alteration::Add(vec![Joining::Name(name("db1"))]),
        ],
    )
    .unwrap();
    assert_eq!(history[1].1.nodes, history[3].1.nodes);
    assert_eq!(history[0].1.nodes[1].weight, 1.0);
}

#[test]
fn an_unavailable_node_stays_a_member() {
    let fail = Alteration::Fail(vec![name("db1")], OnFail::Unavailable);
    let history = walk(2, &[fail.clone(), Alteration::Remove(vec![name("db1")])]).unwrap();
    assert_eq!((history[1].1.nodes.len(), &history[1].1.down[..]), (2, &[NodeId(1)][..]));
    assert_eq!((history[2].1.nodes.len(), history[2].1.down.len()), (1, 0));
    assert_eq!(
        walk(2, &[fail.clone(), fail.clone()]).unwrap_err().message,
        "`db1` is down already"
    );
    let other = Alteration::Fail(vec![name("db0")], OnFail::Unavailable);
    assert_eq!(walk(2, &[fail, other]).unwrap_err().message, "`db0` is the last node");
}

#[test]
fn what_is_impossible_is_refused() {
    let message = |n, alteration| walk(n, &[alteration]).unwrap_err().message;
    assert_eq!(
        message(2, Alteration::Remove(vec![name("db7")])),
        "`db7` is not in the cluster at step 0"
    );
    assert_eq!(
        message(2, Alteration::Remove(vec![name("db0"), name("db1")])),
        "`db1` is the last node"
    );
    assert_eq!(
        message(2, Alteration::Add(vec![Joining::Name(name("db1"))])),
        "`db1` is a member already"
    );
    assert_eq!(
        message(2, Alteration::Add(vec![Joining::Count(100_000, None)])),
        "the cluster would have 100002 nodes"
    );
    assert_eq!(message(1, Alteration::Reweight(vec![(name("db0"), 0.0)])), "all weights are 0");
    assert!(message(999, Alteration::Add(vec![Joining::Count(2, None)])).contains("too many"));
}

#[test]
fn texts_say_how_many() {
    let history = walk(
        8,
        &[
            Alteration::Add(vec![Joining::Count(8, None)]),
            Alteration::Set(vec![("vnodes".into(), Value::Int(200))]),
        ],
    )
    .unwrap();
    assert_eq!(texts(&history), ["add 8 nodes (db8 … db15)", "set vnodes = 200"]);
}
