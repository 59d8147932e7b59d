//! Events per second of a simulated migration, and how long the large one takes that users would ask
//! for: 240 million rows in 1024 buckets, half of which move, at 8000 writes and 20 000 reads a second,
//! over a day.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use shardlab::timeline::{Job, Limits, Mode, PPM, STATED, Settings, Simulation, UnitPlan, Verify};

/// 8 nodes become 16: every second of 1024 buckets goes from node i to node i + 8.
fn doubling(mode: Mode, rows: u64, rows_per_second: u64) -> Job {
    let bucket = |i: usize| UnitPlan {
        name: format!("bucket {i}"),
        from: i % 8,
        to: (i / 8 % 2 == 1).then_some(i % 8 + 8),
        rows: rows / 1024,
        requests: 900 + (i as u64 * 37) % 200,
    };
    Job {
        nodes: (0..16).map(|i| format!("db{i}")).collect(),
        units: (0..1024).map(bucket).collect(),
        watch: Vec::new(),
        unit: "bucket",
        settings: Settings {
            mode,
            tick_ms: 1000,
            start: 600,
            horizon: 7 * 86_400,
            concurrency: 8,
            limits: Limits { overall: Some(rows_per_second * 1000), ..Limits::default() },
            reads: 20_000_000,
            writes: 8_000_000,
            inserts: PPM / 10,
            verify: Verify::On(Some(100_000_000)),
            cutover: 2,
            keep_old: 3600,
            clean_up: 60,
            failover: 30,
            replicas: 1,
            version_check: false,
            second_lag: 1,
            second_fails: 0,
            faults: Vec::new(),
            seed: 1,
        },
    }
}

fn events(job: &Job) -> u64 {
    let mut simulation = Simulation::new(job, &STATED);
    let mut events = 0;
    while simulation.step() {
        events += 1;
    }
    black_box(simulation.totals());
    events
}

fn timeline(c: &mut Criterion) {
    let mut group = c.benchmark_group("timeline");
    group.sample_size(10);
    for mode in Mode::ALL {
        // An hour or so of it.
        let job = doubling(mode, 10_000_000, 1500);
        group.throughput(Throughput::Elements(events(&job)));
        group.bench_function(mode.name(), |b| b.iter(|| events(black_box(&job))));
    }
    let job = doubling(Mode::Redirect, 240_000_000, 1450);
    let day = events(&job);
    group.throughput(Throughput::Elements(day));
    group.bench_function("240 million rows, 1024 buckets, a day", |b| {
        b.iter(|| events(black_box(&job)));
    });
    group.finish();
}

criterion_group!(benches, timeline);
criterion_main!(benches);
