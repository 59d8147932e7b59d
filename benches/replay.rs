//! The ratios that the replay must hold, P1 to P7, each from one run: the contenders take turns, and
//! medians are compared. `cargo bench --bench replay`; as a test (`--test`) everything runs small.
//!
//! P1, P2, P4 and P6 call `sim::run` on a parsed scenario, as the binary does.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use shardlab::cluster::Cluster;
use shardlab::keys::{ColumnSpec, KeyBatch, KeyKind};
use shardlab::params::{Params, Value};
use shardlab::scenario::{Overrides, Scenario, parse};
use shardlab::sim::{Options, Silent, run};
use shardlab::strategy::{Build, Placement, Slot};

/// How large everything is: full for measuring, small as a test.
struct Size {
    keys: u64,
    rounds: usize,
    memory_keys: [u64; 2],
    ring_nodes: usize,
}

fn main() {
    let test = std::env::args().any(|arg| arg == "--test");
    let size = match test {
        true => Size { keys: 200_000, rounds: 1, memory_keys: [100_000, 200_000], ring_nodes: 20 },
        false => Size {
            keys: 10_000_000,
            rounds: 7,
            memory_keys: [1_000_000, 100_000_000],
            ring_nodes: 1000,
        },
    };
    println!("{:4} {:64} {:>9}  at least", "id", "what", "measured");
    replay_against_lookup(&size);
    threads(&size);
    lookup(&size);
    sweep(&size);
    build(&size);
    memory(&size);
    startup(&size);
}

fn line(id: &str, what: &str, measured: String, bound: &str) {
    println!("{id:4} {what:64} {measured:>9}  {bound}");
}

/// Median seconds of each contender over the rounds, the contenders taking turns.
fn race<const N: usize>(rounds: usize, mut contenders: [&mut dyn FnMut(); N]) -> [f64; N] {
    let mut seconds = [const { Vec::new() }; N];
    for _ in 0..rounds {
        for (contender, seconds) in contenders.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            contender();
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    seconds.map(|mut s| {
        s.sort_by(f64::total_cmp);
        s[s.len() / 2]
    })
}

fn scenario(keys: u64, strategies: &str) -> Scenario {
    let text = format!(
        "title = \"bench\"\n[cluster]\nnodes = 100\n[keys]\npattern = \"sequential\"\nprefix = \"user:\"\ncount = {keys}\n{strategies}"
    );
    parse(&text, "bench.toml", "bench", Path::new("."), &Overrides::default())
        .unwrap_or_else(|errors| panic!("{errors:?}"))
}

const RING: &str = "[[strategy]]\nkind = \"ring\"\nvnodes = 160\nhasher = \"murmur3-32\"\n";

fn go(scenario: &Scenario, threads: usize) {
    black_box(
        run(scenario, Options { threads: Some(threads), ..Options::default() }, &Silent)
            .expect("the bench's scenario runs"),
    );
}

fn replay_against_lookup(size: &Size) {
    let replay = scenario(size.keys, RING);
    let mut ring = hashring::HashRing::new();
    for node in 0..100u32 {
        for vnode in 0..160u32 {
            ring.add((node, vnode));
        }
    }
    let keys: Vec<String> = (0..1_000_000.min(size.keys)).map(|i| format!("user:{i}")).collect();
    let [ours, theirs] = race(
        size.rounds,
        [&mut || go(&replay, 1), &mut || {
            for key in &keys {
                black_box(ring.get(key));
            }
        }],
    );
    let (ours, theirs) = (size.keys as f64 / ours, keys.len() as f64 / theirs);
    let what = format!(
        "replay {:.0} M keys/s, crate hashring's look-up alone {:.0} M/s",
        ours / 1e6,
        theirs / 1e6
    );
    line("P1", &what, format!("{:.2} ×", ours / theirs), "2.5 ×");
}

fn threads(size: &Size) {
    let replay = scenario(size.keys * 2, RING);
    let [one, two] = race(size.rounds, [&mut || go(&replay, 1), &mut || go(&replay, 2)]);
    line("P2", "replay on two threads against one", format!("{:.2} ×", one / two), "1.8 ×");
}

fn ring(nodes: usize, lookup: &str) -> Box<dyn Placement> {
    let info = shardlab::strategy::find("ring").expect("ring is a strategy");
    let given = vec![("lookup".to_string(), Value::Text(lookup.into()))];
    let params = Params::from_pairs(info.params, given).expect("declared");
    let cluster = Cluster::numbered(nodes, "node{i}");
    let build = Build {
        cluster: &cluster,
        params: &params,
        keys: KeyKind::Text,
        replicas: 1,
        base: Path::new("."),
    };
    (info.build)(&build).expect("the bench's ring builds")
}

fn lookup(size: &Size) {
    for nodes in [100, size.ring_nodes] {
        let (bucketed, sorted) = (ring(nodes, "bucketed"), ring(nodes, "sorted"));
        let column = ColumnSpec::whole(shardlab::hash::find("murmur3-32").expect("a hasher"));
        let mut digester = shardlab::keys::Digester::new(&[column]);
        let batches: Vec<KeyBatch> = (0..64)
            .map(|b| {
                let mut batch = KeyBatch::new(KeyKind::Text);
                for i in 0..1024 {
                    batch.push(&shardlab::keys::Key::Text(&format!("user:{}", b * 1024 + i)));
                }
                digester.compute(&mut batch);
                batch
            })
            .collect();
        let mut out = vec![Slot::ABSENT; 1024];
        let mut place = |placement: &dyn Placement| {
            for _ in 0..10 {
                for batch in &batches {
                    placement.place(batch, &mut out);
                    black_box(&out);
                }
            }
        };
        let looked_up = 10.0 * 64.0 * 1024.0;
        let mut seconds = [Vec::new(), Vec::new()];
        for _ in 0..size.rounds * 3 {
            for (placement, seconds) in [&bucketed, &sorted].into_iter().zip(&mut seconds) {
                let start = Instant::now();
                place(placement.as_ref());
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        let [ours, theirs] = seconds.map(|mut s| {
            s.sort_by(f64::total_cmp);
            s[s.len() / 2] / looked_up * 1e9
        });
        let what = format!(
            "ring look-up, {} points: {ours:.1} ns, partition_point {theirs:.1} ns",
            bucketed.points()
        );
        line("P3", &what, format!("{:.2} ×", theirs / ours), "5 ×");
    }
}

fn sweep(size: &Size) {
    let one = scenario(size.keys, RING);
    let vnodes: Vec<String> = (0..21).map(|i| (150 + i).to_string()).collect();
    let list = format!("vnodes = [{}]", vnodes.join(", "));
    let many = scenario(size.keys, &RING.replace("vnodes = 160", &list));
    let [first, all] = race(size.rounds.min(3), [&mut || go(&one, 1), &mut || go(&many, 1)]);
    let further = (all - first) / 20.0 / size.keys as f64 * 1e9;
    let share = (all - first) / 20.0 / first;
    let what = format!("each further ring of the same hasher: {:.0} % of the first", share * 100.0);
    line("P4", &what, format!("{further:.1} ns"), "at most 4 ns, or 30 %");
}

fn build(size: &Size) {
    let hash = |label: &str| {
        let mut cursor = std::io::Cursor::new(label.as_bytes());
        murmur3::murmur3_32(&mut cursor, 0).expect("memory can be read")
    };
    let nodes = size.ring_nodes as u32;
    let labels: Vec<Vec<u8>> = (0..nodes)
        .flat_map(|n| (0..160).map(move |i| format!("node{n}#{i}").into_bytes()))
        .collect();
    let slice = (shardlab::hash::find("murmur3-32").expect("a hasher").build)(
        0,
        shardlab::hash::Half::High,
    );
    assert_eq!(slice.hash(b"node1#1"), u64::from(hash("node1#1")));
    let [ours, theirs] = race(
        size.rounds * 3,
        [&mut || drop(black_box(ring(size.ring_nodes, "bucketed"))), &mut || {
            let mut points: Vec<(u32, u32)> = Vec::with_capacity(labels.len());
            for (i, label) in labels.iter().enumerate() {
                points.push((slice.hash(label) as u32, i as u32 / 160));
            }
            points.sort_unstable();
            black_box(&points);
        }],
    );
    let what = format!(
        "ring build {nodes} × 160: {:.1} ms, hashing and sorting {:.1} ms",
        ours * 1e3,
        theirs * 1e3
    );
    line("P5", &what, format!("{:.2} ×", ours / theirs), "at most 1.5 ×");
}

const ZIPF: &str = "[traffic]\nshape = \"zipf\"\nexponent = 1.1\nrequests = 1_000_000_000\n";

fn memory(size: &Size) {
    let folder = std::env::temp_dir().join(format!("shardlab-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let head = "title = \"bench\"\n[cluster]\nnodes = 100\n";
    for (what, traffic) in [("generated keys", ""), ("generated keys, zipf traffic", ZIPF)] {
        let peaks = size.memory_keys.map(|keys| {
            let text = format!(
                "{head}[keys]\npattern = \"sequential\"\nprefix = \"user:\"\ncount = {keys}\n{traffic}{RING}"
            );
            peak_kb(&folder, &text)
        });
        report_memory(what, size, peaks);
    }
    let keys = size.memory_keys.map(|keys| keys / 10);
    let peaks = keys.map(|keys| {
        let file: String = (0..keys).map(|i| format!("user:{i}\n")).collect();
        std::fs::write(folder.join("keys.txt"), file).expect("the temporary folder can be written");
        peak_kb(&folder, &format!("{head}[keys]\nfile = \"keys.txt\"\n{RING}"))
    });
    report_memory("keys of a file, a tenth as many", size, peaks);
    std::fs::remove_dir_all(&folder).expect("our own folder can be removed");
}

fn report_memory(what: &str, size: &Size, [small, large]: [u64; 2]) {
    let [a, b] = size.memory_keys;
    let what = format!("peak memory, {what}, {b} against {a}: {large} and {small} kB");
    line("P6", &what, format!("{:.3} ×", large as f64 / small as f64), "at most 1.05 ×");
}

/// Peak resident memory of a run, from the kernel's own account (Linux; 0 elsewhere).
fn peak_kb(folder: &Path, text: &str) -> u64 {
    let file = folder.join("bench.toml");
    std::fs::write(&file, text).expect("the temporary folder can be written");
    let mut child = command(&file, folder).spawn().expect("the binary starts");
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Ok(text) = std::fs::read_to_string(&status) {
            let kb = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
            let kb = kb.and_then(|l| l.trim().trim_end_matches(" kB").parse().ok());
            peak = peak.max(kb.unwrap_or(0));
        }
        if let Some(status) = child.try_wait().expect("the child can be waited for") {
            assert!(status.success(), "the bench's scenario runs");
            return peak;
        }
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

fn command(file: &Path, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_shardlab"));
    command.args(["run", "--quiet", "--threads", "1", "--out"]).arg(folder.join("out")).arg(file);
    command.stdout(Stdio::null());
    command
}

fn startup(size: &Size) {
    let folder = std::env::temp_dir().join(format!("shardlab-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let file = folder.join("bench.toml");
    let text = format!(
        "title = \"bench\"\n[cluster]\nnodes = 16\n[keys]\npattern = \"sequential\"\nprefix = \"user:\"\ncount = 1000\n{RING}"
    );
    std::fs::write(&file, text).expect("the temporary folder can be written");
    let [seconds] = race(
        size.rounds * 3,
        [&mut || assert!(command(&file, &folder).status().expect("the binary starts").success())],
    );
    line(
        "P7",
        "shardlab run of 1000 keys, whole process",
        format!("{:.1} ms", seconds * 1e3),
        "at most 30 ms",
    );
    std::fs::remove_dir_all(&folder).expect("our own folder can be removed");
}
