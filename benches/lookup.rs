//! Look-up cost of every strategy and preset against the number of nodes; the ring's look-up and build against
//! other ways to do the same, with the ratios that the project must hold (P3, P5) printed.
//!
//! Digests are computed before the clock starts. Every way of looking up is first checked to give the
//! same answers.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shardlab::cluster::Cluster;
use shardlab::hash::{self, Half};
use shardlab::keys::{BATCH_ROWS, ByteColumn, ColumnSpec, Digester, Key, KeyBatch, KeyKind};
use shardlab::params::{Params, Value};
use shardlab::preset;
use shardlab::strategy::{self, Build, Placement, Slot, StrategyInfo};

/// Batches of keys: one of 65 536 keys, too many for a branch predictor to learn.
const BATCHES: usize = 1;

fn build(info: &'static StrategyInfo, nodes: usize, given: &[(&str, &str)]) -> Box<dyn Placement> {
    let given = given.iter().map(|(k, v)| (k.to_string(), Value::Text(v.to_string()))).collect();
    let params = Params::from_pairs(info.params, given).expect("the bench's parameters are right");
    let cluster = Cluster::numbered(nodes, "db{i}");
    let build = Build {
        cluster: &cluster,
        params: &params,
        keys: KeyKind::U64,
        replicas: 1,
        base: Path::new(""),
    };
    (info.build)(&build).expect("the bench's clusters are right")
}

/// Batches of `user:n`-like keys with the columns that a placement reads.
fn batches(placement: &dyn Placement) -> Vec<KeyBatch> {
    let mut digester = Digester::new(placement.columns());
    (0..BATCHES * BATCH_ROWS)
        .collect::<Vec<_>>()
        .chunks(BATCH_ROWS)
        .map(|rows| {
            let mut batch = KeyBatch::new(KeyKind::U64);
            rows.iter().for_each(|&row| batch.push(&Key::U64(row as u64)));
            digester.compute(&mut batch);
            batch
        })
        .collect()
}

fn place_all(placement: &dyn Placement, batches: &[KeyBatch], out: &mut [Slot]) {
    for batch in batches {
        placement.place(batch, out);
        black_box(&out);
    }
}

/// Best times of two calls in nanoseconds, each sampled in stretches that take turns: both see the same
/// machine, and each its own caches.
fn best_ns(mut one: impl FnMut(), mut other: impl FnMut()) -> [f64; 2] {
    let stretch = |call: &mut dyn FnMut()| {
        let time = |()| {
            let start = Instant::now();
            call();
            start.elapsed()
        };
        [(); 10].map(time).into_iter().min().expect("ten times")
    };
    let mut best = [Duration::MAX; 2];
    for _ in 0..10 {
        best = [best[0].min(stretch(&mut one)), best[1].min(stretch(&mut other))];
    }
    best.map(|time| time.as_nanos() as f64)
}

/// What strategies need that have parameters without a default, or take the key's own number.
fn needed(strategy: &str) -> Vec<(String, Value)> {
    let given: &[(&str, Value)] = match strategy {
        "range" => &[("mode", Value::Text("chunks".into())), ("to", Value::Int(1 << 30))],
        "mixed" => &[("bounds", Value::List(vec![Value::Int(1 << 20), Value::Int(1 << 21)]))],
        "embedded-id" => &[("shift", Value::Int(0)), ("bits", Value::Int(2))],
        "table" => &[("file", Value::Text("buckets.csv".into()))],
        _ => &[],
    };
    given.iter().map(|(name, value)| (name.to_string(), value.clone())).collect()
}

/// Every strategy, for as many nodes as it can have: the map of `table` is written for 8.
fn strategies(c: &mut Criterion) {
    let mut group = c.benchmark_group("look-up");
    group.throughput(Throughput::Elements((BATCHES * BATCH_ROWS) as u64));
    group.sample_size(10).measurement_time(Duration::from_millis(500));
    group.warm_up_time(Duration::from_millis(200));
    for info in strategy::ALL {
        let params = Params::from_pairs(info.params, needed(info.name)).expect("all it needs");
        let mut built = 0;
        for nodes in [4, 8, 16, 100, 1000] {
            let cluster = Cluster::numbered(nodes, "db{i}");
            let build = Build {
                cluster: &cluster,
                params: &params,
                keys: KeyKind::U64,
                replicas: 1,
                base: Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data")),
            };
            let Ok(placement) = info.place(&build) else { continue };
            built += 1;
            let batches = batches(placement.as_ref());
            let mut out = vec![Slot::ABSENT; BATCH_ROWS];
            group.bench_function(BenchmarkId::new(info.name, nodes), |b| {
                b.iter(|| place_all(placement.as_ref(), &batches, &mut out));
            });
        }
        assert!(built > 0, "{} is not in the bench: say in `needed` what it needs", info.name);
    }
    group.finish();
}

/// Keys of a kind that the preset takes, as its own clients send them.
fn preset_keys(info: &StrategyInfo, kind: KeyKind, columns: &[ColumnSpec]) -> KeyBatch {
    let mut batch = KeyBatch::new(kind);
    for row in 0..BATCH_ROWS as u64 {
        match kind {
            KeyKind::Text if info.name == "nginx-ip-hash" => {
                batch.push(&Key::Text(&format!("10.{}.{}.7", row / 256, row % 256)));
            }
            KeyKind::Text => batch.push(&Key::Text(&format!("user:{row}"))),
            _ => batch.push(&Key::I64(row as i64)),
        }
    }
    Digester::new(columns).compute(&mut batch);
    batch
}

/// Every preset with its defaults on servers with addresses; text keys where it takes them, else
/// integers. Those with open requests are timed as an idle system.
fn presets(c: &mut Criterion) {
    let mut group = c.benchmark_group("look-up, presets");
    group.throughput(Throughput::Elements(BATCH_ROWS as u64));
    group.sample_size(10).measurement_time(Duration::from_millis(500));
    group.warm_up_time(Duration::from_millis(200));
    for info in preset::ALL.iter().map(|preset| &preset.strategy) {
        let params = Params::from_pairs(info.params, Vec::new()).expect("presets have defaults");
        for nodes in [8, 100] {
            let mut cluster = Cluster::numbered(nodes, "cache{i}");
            for (i, node) in cluster.nodes.iter_mut().enumerate() {
                node.host = Some(format!("10.0.0.{}", i + 1).into());
                node.port = Some(11211);
            }
            let place = |keys| {
                let base = Path::new("");
                let build = Build { cluster: &cluster, params: &params, keys, replicas: 1, base };
                info.place(&build).ok().map(|placement| (keys, placement))
            };
            let Some((kind, placement)) = [KeyKind::Text, KeyKind::I64].into_iter().find_map(place)
            else {
                panic!("{} takes neither texts nor integers", info.name)
            };
            let batches = [preset_keys(info, kind, placement.columns())];
            let mut out = vec![Slot::ABSENT; BATCH_ROWS];
            placement.place(&batches[0], &mut out);
            assert!(out.iter().any(|slot| slot.node().is_some()), "{} places no key", info.name);
            group.bench_function(BenchmarkId::new(info.name, nodes), |b| {
                b.iter(|| place_all(placement.as_ref(), &batches, &mut out));
            });
        }
    }
    group.finish();
}

/// The points of a ring in Eytzinger's order (a binary heap over the sorted points).
struct Eytzinger {
    points: Vec<u32>,
    owners: Vec<Slot>,
    first: Slot,
}

impl Eytzinger {
    fn new(sorted: &[(u32, Slot)]) -> Self {
        let n = sorted.len();
        let mut tree = Eytzinger {
            points: vec![0; n + 1],
            owners: vec![Slot::ABSENT; n + 1],
            first: sorted[0].1,
        };
        let mut next = 0;
        tree.fill(sorted, 1, &mut next);
        tree
    }

    fn fill(&mut self, sorted: &[(u32, Slot)], at: usize, next: &mut usize) {
        if at < self.points.len() {
            self.fill(sorted, 2 * at, next);
            (self.points[at], self.owners[at]) = sorted[*next];
            *next += 1;
            self.fill(sorted, 2 * at + 1, next);
        }
    }

    #[inline]
    fn owner(&self, digest: u32) -> Slot {
        let mut at = 1;
        while at < self.points.len() {
            at = 2 * at + usize::from(self.points[at] < digest);
        }
        // Back up over the right turns to the last left one: the first point not below the digest.
        at >>= at.trailing_ones() + 1;
        if at == 0 { self.first } else { self.owners[at] }
    }
}

/// Labels of all points as text, and their owners.
fn labels(nodes: usize, vnodes: usize) -> Vec<(String, Slot)> {
    let label = |n: usize| (0..vnodes).map(move |i| (format!("db{n}#{i}"), Slot(n as u32)));
    (0..nodes).flat_map(label).collect()
}

/// The ring's index against the other ways.
fn ring_lookup(c: &mut Criterion) {
    let mut group = c.benchmark_group("ring look-up");
    group.throughput(Throughput::Elements((BATCHES * BATCH_ROWS) as u64));
    group.sample_size(10).measurement_time(Duration::from_millis(500));
    group.warm_up_time(Duration::from_millis(200));
    for nodes in [16, 100, 1000] {
        let points = nodes * 160;
        let bucketed = build(&strategy::ring::INFO, nodes, &[("hasher", "murmur3-32")]);
        let sorted =
            build(&strategy::ring::INFO, nodes, &[("hasher", "murmur3-32"), ("lookup", "sorted")]);
        let [list, slots] = ["skip-list", "slot-table"].map(|lookup| {
            let given = [("hasher", "murmur3-32"), ("lookup", lookup)];
            build(&strategy::ring::INFO, nodes, &given)
        });
        let batches = batches(bucketed.as_ref());
        let digests: Vec<&[u64]> =
            batches.iter().map(|b| b.digests(&bucketed.columns()[0])).collect();
        let hash = (hash::find("murmur3-32").expect("a hasher").build)(0, Half::High);
        let names = |slot: Slot| format!("db{}", slot.0);
        let mut pairs: Vec<(u32, Slot)> = labels(nodes, 160)
            .iter()
            .map(|(text, slot)| (hash.hash(text.as_bytes()) as u32, *slot))
            .collect();
        pairs.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| names(a.1).cmp(&names(b.1))));
        pairs.dedup_by_key(|p| p.0);
        let map: BTreeMap<u32, Slot> = pairs.iter().copied().collect();
        let eytzinger = Eytzinger::new(&pairs);
        let by_map = |digest: u64| {
            let mut beyond = map.range(digest as u32..);
            *beyond.next().or_else(|| map.iter().next()).expect("a ring has points").1
        };
        let by_eytzinger = |digest: u64| eytzinger.owner(digest as u32);

        let mut out = vec![Slot::ABSENT; BATCH_ROWS];
        let mut other = out.clone();
        for (batch, digests) in batches.iter().zip(&digests) {
            bucketed.place(batch, &mut out);
            sorted.place(batch, &mut other);
            assert_eq!(out, other, "bucketed and sorted look-up disagree");
            list.place(batch, &mut other);
            assert_eq!(out, other, "bucketed and skip-list look-up disagree");
            for (slot, &digest) in out.iter().zip(*digests) {
                assert_eq!(*slot, by_map(digest), "BTreeMap disagrees");
                assert_eq!(*slot, by_eytzinger(digest), "Eytzinger disagrees");
            }
        }

        group.bench_function(BenchmarkId::new("bucketed", points), |b| {
            b.iter(|| place_all(bucketed.as_ref(), &batches, &mut out));
        });
        group.bench_function(BenchmarkId::new("sorted", points), |b| {
            b.iter(|| place_all(sorted.as_ref(), &batches, &mut out));
        });
        group.bench_function(BenchmarkId::new("skip-list", points), |b| {
            b.iter(|| place_all(list.as_ref(), &batches, &mut out));
        });
        // Rounded to slots: not the same answers.
        group.bench_function(BenchmarkId::new("slot-table", points), |b| {
            b.iter(|| place_all(slots.as_ref(), &batches, &mut out));
        });
        let mut by_one = |name: &str, owner: &dyn Fn(&[u64], &mut [Slot])| {
            group.bench_function(BenchmarkId::new(name, points), |b| {
                b.iter(|| {
                    for digests in &digests {
                        owner(digests, &mut out);
                        black_box(&out);
                    }
                });
            });
        };
        by_one("btreemap", &|digests, out| {
            out.iter_mut().zip(digests).for_each(|(slot, &digest)| *slot = by_map(digest));
        });
        by_one("eytzinger", &|digests, out| {
            out.iter_mut().zip(digests).for_each(|(slot, &digest)| *slot = by_eytzinger(digest));
        });

        let keys = (BATCHES * BATCH_ROWS) as f64;
        let [fast, slow] = best_ns(
            || place_all(bucketed.as_ref(), &batches, &mut out),
            || place_all(sorted.as_ref(), &batches, &mut other),
        )
        .map(|ns| ns / keys);
        println!(
            "P3 {points} points: bucketed {fast:.2} ns, partition_point {slow:.2} ns: {:.1} × (at least 5)",
            slow / fast
        );
    }
    group.finish();
}

/// Building a ring against hashing its labels and sorting the points once.
fn ring_build(c: &mut Criterion) {
    let mut group = c.benchmark_group("ring build");
    group.sample_size(10).measurement_time(Duration::from_millis(500));
    group.warm_up_time(Duration::from_millis(200));
    let hash = (hash::find("murmur3-32").expect("a hasher").build)(0, Half::High);
    for (nodes, vnodes) in [(16, 160), (1000, 160)] {
        let points = nodes * vnodes;
        let mut column = ByteColumn::default();
        let labels = labels(nodes, vnodes);
        labels.iter().for_each(|(text, _)| column.push(text.as_bytes()));
        let mut digests = vec![0; points];
        let mut sorted: Vec<(u32, Slot)> = Vec::with_capacity(points);
        let mut hash_and_sort = || {
            hash.batch(&column, &mut digests);
            sorted.clear();
            sorted.extend(digests.iter().zip(&labels).map(|(d, l)| (*d as u32, l.1)));
            sorted.sort_unstable();
            black_box(&sorted);
        };
        let ring = || drop(black_box(build(&strategy::ring::INFO, nodes, &[])));
        group.bench_function(BenchmarkId::new("hash labels and sort", points), |b| {
            b.iter(&mut hash_and_sort);
        });
        group.bench_function(BenchmarkId::new("build", points), |b| b.iter(ring));
        let [whole, base] = best_ns(ring, hash_and_sort);
        println!(
            "P5 {nodes} × {vnodes}: build {:.0} µs, hash and sort {:.0} µs: {:.2} × (at most 1.5)",
            whole / 1e3,
            base / 1e3,
            whole / base
        );
    }
    group.finish();
}

criterion_group!(benches, strategies, presets, ring_lookup, ring_build);
criterion_main!(benches);
