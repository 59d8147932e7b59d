//! Random migrations: small enough to be quick, with everything that can happen.

use shardlab::rng::{Purpose, Stream};
use shardlab::timeline::{Fault, FaultKind, Job, Limits, Mode, PPM, Settings, UnitPlan, Verify};

/// A migration between three to six nodes.
pub fn job(seed: u64) -> Job {
    let mut rng = Stream::new(seed, Purpose::Keys, 0);
    let nodes = 3 + rng.below(4) as usize;
    let mut units: Vec<UnitPlan> = (0..nodes)
        .map(|node| UnitPlan {
            name: format!("rest of {node}"),
            from: node,
            to: None,
            rows: rng.below(300),
            requests: rng.below(100),
        })
        .collect();
    for i in 0..1 + rng.below(8) {
        let from = rng.below(nodes as u64) as usize;
        let to = (from + 1 + rng.below(nodes as u64 - 1) as usize) % nodes;
        let (rows, requests) = (rng.below(200), rng.below(60));
        units.push(UnitPlan { name: format!("unit {i}"), from, to: Some(to), rows, requests });
    }
    Job {
        nodes: (0..nodes).map(|i| format!("n{i}")).collect(),
        settings: settings(&mut rng, seed, nodes),
        units,
        watch: Vec::new(),
        unit: "shard",
    }
}

fn settings(rng: &mut Stream, seed: u64, nodes: usize) -> Settings {
    let mut limit = |most: u64| match rng.below(3) {
        0 => None,
        _ => Some(500 + rng.below(most)),
    };
    let limits = Limits {
        overall: limit(60_000),
        source: limit(40_000),
        target: limit(40_000),
        stream: Some(limit(20_000).unwrap_or(9_000)),
    };
    let start = rng.below(10);
    let mode = Mode::ALL[rng.below(6) as usize];
    let verify = match rng.below(3) {
        0 => Verify::Off,
        1 => Verify::On(None),
        _ => Verify::On(Some(1000 + rng.below(90_000))),
    };
    Settings {
        mode,
        tick_ms: 1000,
        start,
        horizon: 3000,
        concurrency: 1 + rng.below(4) as usize,
        limits,
        reads: rng.below(40_000),
        writes: if rng.below(5) == 0 { 0 } else { rng.below(9_000) },
        inserts: rng.below(PPM + 1),
        verify,
        cutover: rng.below(4),
        keep_old: rng.below(60),
        clean_up: rng.below(4),
        failover: rng.below(12),
        replicas: if rng.below(4) == 0 { 2 } else { 1 },
        version_check: rng.below(2) == 0,
        second_lag: rng.below(5),
        second_fails: if rng.below(2) == 0 { 0 } else { rng.below(PPM / 5) },
        faults: (0..rng.below(4)).map(|_| fault(rng, start, nodes)).collect(),
        seed,
    }
}

fn fault(rng: &mut Stream, start: u64, nodes: usize) -> Fault {
    let at = start + rng.below(80);
    let until = at + 1 + rng.below(60);
    let node = rng.below(nodes as u64) as usize;
    let share = 1 + rng.below(PPM);
    let (kind, until) = match rng.below(6) {
        0 | 1 => (FaultKind::Dies(node), None),
        2 => (FaultKind::Slows(node, 1500 + rng.below(8000)), Some(until)),
        3 => (FaultKind::Restarts, (rng.below(2) == 0).then_some(until)),
        4 => (FaultKind::StaleClients(share), Some(until)),
        _ => (FaultKind::DropsRows(share), Some(until)),
    };
    Fault { at, until, kind }
}
