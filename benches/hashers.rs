//! What a digest costs: every hasher on a batch of 1024 keys of 16 bytes; the crate `murmur3` and
//! plain slices beside it.

use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use shardlab::hash::murmur3_32::murmur3_32;
use shardlab::hash::{self, Half};
use shardlab::keys::format::push_u64;
use shardlab::keys::{BATCH_ROWS, ByteColumn};

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(BATCH_ROWS as u64));
    group
}

/// Keys `user:` and a number of 11 digits: 16 bytes.
fn column(text: impl Fn(u64) -> String) -> ByteColumn {
    let mut keys = ByteColumn::default();
    (0..BATCH_ROWS as u64).for_each(|i| keys.push(text(i).as_bytes()));
    keys
}

fn hashers(c: &mut Criterion) {
    let mut group = group(c, "hashers");
    let keys = column(|i| format!("user:{:011}", 10_000_000_000 + i));
    let slices: Vec<&[u8]> = keys.iter().collect();
    let mut out = vec![0u64; BATCH_ROWS];
    for info in hash::ALL {
        let hash = (info.build)(0, Half::High);
        group.bench_function(info.name, |b| b.iter(|| hash.batch(black_box(&keys), &mut out)));
    }
    group.bench_function("murmur3-32 over slices", |b| {
        b.iter(|| {
            for (digest, key) in out.iter_mut().zip(black_box(&slices)) {
                *digest = murmur3_32(key, 0).into();
            }
        });
    });
    group.bench_function("crate murmur3 over slices", |b| {
        b.iter(|| {
            for (digest, key) in out.iter_mut().zip(black_box(&slices)) {
                *digest = murmur3::murmur3_32(&mut &**key, 0).expect("a slice can be read").into();
            }
        });
    });
    // Lengths 11 to 20 in an order without pattern: what the mispredicted branches cost.
    let mixed = column(|i| {
        let width = 6 + (hash::mix::fmix64(i) % 10) as usize;
        format!("user:{i:0width$}")
    });
    for name in ["murmur3-32", "xxh3-64", "crc32"] {
        let hash = (hash::find(name).expect("a hasher").build)(0, Half::High);
        group.bench_function(format!("{name}, 11 to 20 bytes"), |b| {
            b.iter(|| hash.batch(black_box(&mixed), &mut out));
        });
    }
    group.finish();
}

fn format(c: &mut Criterion) {
    let mut group = group(c, "format");
    let numbers: Vec<u64> =
        (0..BATCH_ROWS as u64).map(|i| hash::mix::fmix64(i) % 100_000_000).collect();
    let mut column = ByteColumn::default();
    group.bench_function("push_u64, up to 8 digits", |b| {
        b.iter(|| {
            column.clear();
            for &n in black_box(&numbers) {
                push_u64(n, column.arena());
                column.end();
            }
        });
    });
    group.bench_function("user: and push_u64, up to 8 digits", |b| {
        b.iter(|| {
            column.clear();
            for &n in black_box(&numbers) {
                column.arena().extend_from_slice(b"user:");
                push_u64(n, column.arena());
                column.end();
            }
        });
    });
    let long: Vec<u64> = (0..BATCH_ROWS as u64).map(hash::mix::fmix64).collect();
    group.bench_function("push_u64, 64 bits", |b| {
        b.iter(|| {
            column.clear();
            for &n in black_box(&long) {
                push_u64(n, column.arena());
                column.end();
            }
        });
    });
    group.bench_function("write!, up to 8 digits", |b| {
        b.iter(|| {
            use std::io::Write;
            column.clear();
            for &n in black_box(&numbers) {
                write!(column.arena(), "{n}").expect("memory takes it");
                column.end();
            }
        });
    });
    group.finish();
}

criterion_group!(benches, hashers, format);
criterion_main!(benches);
