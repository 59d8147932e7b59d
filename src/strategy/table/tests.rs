use super::*;
use crate::cluster::NodeId;
use crate::error::ErrorKind;
use crate::params::{Params, Value};
use crate::strategy::place_one;

/// Builds the strategy from a file with this text and hands it on while the folder exists.
fn built(
    csv: &[u8],
    by: &str,
    keys: KeyKind,
    cluster: &Cluster,
) -> Result<Box<dyn Placement>, Error> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("map.csv"), csv).unwrap();
    build(&Build { cluster, params: &params(by), keys, replicas: 1, base: folder.path() })
}

fn params(by: &str) -> Params {
    let text = |t: &str| Value::Text(t.to_string());
    let given = vec![("by".to_string(), text(by)), ("file".to_string(), text("map.csv"))];
    Params::from_pairs(INFO.params, given).unwrap()
}

fn error(csv: &str, by: &str, keys: KeyKind) -> String {
    let error = built(csv.as_bytes(), by, keys, &Cluster::numbered(3, "db{i}")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Data, "{error}");
    error.message
}

#[test]
fn buckets_go_where_the_file_says() {
    let cluster = Cluster::numbered(3, "db{i}");
    let csv = b"node,bucket,note\ndb2, 3 ,x\ndb0,0,\ndb0,2,\"a,b\"\ndb1,1,\n";
    let table = built(csv, "bucket", KeyKind::Text, &cluster).unwrap();
    let want = [Slot(0), Slot(1), Slot(0), Slot(2)];
    assert_eq!(table.ownership(), Some(Ownership::Buckets(want.to_vec())));
    for i in 0..50 {
        let name = format!("user:{i}");
        let key = Key::Text(&name);
        let digest = KeyBatch::single(&key, table.columns()).digests(&table.columns()[0])[0];
        assert_eq!(place_one(&*table, &key), want[digest as usize % 4]);
        assert_eq!(table.explain(&key).slot, want[digest as usize % 4]);
    }
}

#[test]
fn ranges_are_half_open_and_holes_are_absent() {
    let cluster = Cluster::numbered(3, "db{i}");
    let csv = b"from,to,node\n100,200,db1\n,-5,db0\n0,100,db0\n300,,db2\n";
    let rows = [(100, 200, 1), (i128::MIN, -5, 0), (0, 100, 0), (300, i128::MAX, 2)];
    let table = built(csv, "range", KeyKind::I64, &cluster).unwrap();
    let unsigned = built(csv, "range", KeyKind::U64, &cluster).unwrap();
    for x in (-10..310).chain([i64::MIN, i64::MAX]) {
        let holds = |r: &&(i128, i128, u32)| (r.0..r.1).contains(&i128::from(x));
        let want = rows.iter().find(holds).map_or(Slot::ABSENT, |r| Slot(r.2));
        assert_eq!(place_one(&*table, &Key::I64(x)), want, "{x}");
        assert_eq!(table.explain(&Key::I64(x)).slot, want, "{x}");
        if let Ok(x) = u64::try_from(x) {
            assert_eq!(place_one(&*unsigned, &Key::U64(x)), want, "{x}");
        }
    }
    assert_eq!(place_one(&*unsigned, &Key::U64(u64::MAX)), Slot(2));

    let csv = b"from,to,node\n,h,db0\nh,p,db1\nq,,db2\n";
    let table = built(csv, "range", KeyKind::Text, &cluster).unwrap();
    for (key, want) in [
        ("", Slot(0)),
        ("gz", Slot(0)),
        ("h", Slot(1)),
        ("p", Slot::ABSENT),
        ("q", Slot(2)),
        ("é", Slot(2)),
    ] {
        assert_eq!(place_one(&*table, &Key::Text(key)), want, "{key}");
        assert_eq!(table.explain(&Key::Text(key)).slot, want, "{key}");
    }
}

#[test]
fn the_map_stays_when_nodes_leave_join_and_return() {
    let mut cluster = Cluster::numbered(3, "db{i}");
    let table = built(b"bucket,node\n0,db0\n1,db1\n2,db2\n", "bucket", KeyKind::Text, &cluster);
    let table = table.unwrap();
    let params = params("bucket");
    let step = |table: &dyn Placement, cluster: &Cluster, kind| {
        let base = std::path::Path::new("no such folder: the file is not read again");
        let after = Build { cluster, params: &params, keys: KeyKind::Text, replicas: 1, base };
        let change = Change { kind, text: String::new() };
        table.evolve(&change, &after).unwrap().unwrap()
    };
    let owners = |table: &dyn Placement| match table.ownership() {
        Some(Ownership::Buckets(owners)) => owners,
        other => panic!("{other:?}"),
    };
    let gone = cluster.nodes.remove(1);
    let after = step(&*table, &cluster, ChangeKind::Remove(vec![NodeId(1)]));
    assert_eq!(owners(&*after), [Slot(0), Slot::ABSENT, Slot(2)]);
    cluster.nodes.push(gone);
    let after = step(&*after, &cluster, ChangeKind::Add(vec![NodeId(1)]));
    assert_eq!(owners(&*after), owners(&*table));
}

#[test]
fn bad_bucket_files_name_the_row() {
    let bucket = |csv| error(csv, "bucket", KeyKind::Text);
    let unknown = bucket("bucket,node\n0,db0\n1,bd1\n");
    assert_eq!(unknown, "unknown node in `map.csv`, row 2: `bd1`");
    assert_eq!(
        bucket("bucket,node\n1,db0\n0,db1\n1,db2\n"),
        "`map.csv`, rows 1 and 3: bucket 1 stands twice"
    );
    assert_eq!(bucket("bucket,node\n0,db0\n2,db1\n"), "`map.csv`: bucket 1 is missing");
    assert_eq!(bucket("bucket,node\n1,db0\n2,db1\n"), "`map.csv`: bucket 0 is missing");
    assert_eq!(bucket("bucket,node\n-1,db0\n"), "`map.csv`, row 1: `bucket` is \"-1\"");
    assert_eq!(bucket("shard,node\n0,db0\n"), "`map.csv` has no column `bucket`");
    assert_eq!(bucket(""), "`map.csv` has no column `bucket`");
    assert_eq!(bucket("bucket,node\n"), "`map.csv` has no rows");
    assert!(bucket("bucket,node\n0,db0\n1\n").contains("2"));
    let cluster = Cluster::numbered(3, "db{i}");
    let latin = built(b"bucket,node\n0,db\xff\n", "bucket", KeyKind::Text, &cluster).unwrap_err();
    assert_eq!(latin.message, "`map.csv`, line 2: not UTF-8");
}

#[test]
fn bad_range_files_name_the_rows() {
    let ints = |csv| error(csv, "range", KeyKind::I64);
    assert_eq!(
        ints("from,to,node\n0,10,db0\n20,30,db1\n9,20,db2\n"),
        "`map.csv`, rows 1 and 3: the ranges \"0\" .. \"10\" and \"9\" .. \"20\" overlap"
    );
    assert!(ints("from,to,node\n,,db0\n20,30,db1\n").contains("rows 1 and 2"));
    assert!(ints("from,to,node\n5,6,db0\n5,6,db1\n").contains("rows 1 and 2"));
    assert!(ints("from,to,node\n5,5,db0\n").contains("row 1: `from` is \"5\", not below"));
    assert_eq!(ints("from,to,node\n5,x,db0\n"), "`map.csv`, row 1: `to` is \"x\"");
    assert_eq!(ints("from,node\n5,db0\n"), "`map.csv` has no column `to`");
    let texts = |csv| error(csv, "range", KeyKind::Text);
    assert!(texts("from,to,node\na,c,db0\nb,,db1\n").contains("overlap"));
    assert!(texts("from,to,node\nb,a,db0\n").contains("not below"));
}

#[test]
fn a_missing_file_and_uuid_ranges_are_refused() {
    let cluster = Cluster::numbered(3, "db{i}");
    let base = std::path::Path::new("no such folder");
    let params = params("bucket");
    let error = build(&Build {
        cluster: &cluster,
        params: &params,
        keys: KeyKind::Text,
        replicas: 1,
        base,
    })
    .unwrap_err();
    assert_eq!((error.kind, error.field), (ErrorKind::Io, Some("file")));
    let error = built(b"from,to,node\n,,db0\n", "range", KeyKind::Uuid, &cluster).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unsupported);
}
