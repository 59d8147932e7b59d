//! Migrations small enough to be computed by hand. The arithmetic stands beside the numbers.

use shardlab::timeline::{
    Fault, FaultKind, Job, Limits, Mode, PPM, Settings, Timeline, UnitPlan, Verify, run,
};

/// One unit of 100 rows from a to b, copied at 10 rows a tick of a second; 2 writes a second, all of
/// which add a row; the source keeps its copy for 5 s and deletes it in 1 s.
fn one_unit(mode: Mode) -> Job {
    Job {
        nodes: vec!["a".into(), "b".into()],
        units: vec![UnitPlan { name: "u".into(), from: 0, to: Some(1), rows: 100, requests: 1 }],
        watch: Vec::new(),
        unit: "shard",
        settings: Settings {
            mode,
            tick_ms: 1000,
            start: 0,
            horizon: 1000,
            concurrency: 1,
            limits: Limits { overall: Some(10_000), ..Limits::default() },
            reads: 3000,
            writes: 2000,
            inserts: PPM,
            verify: Verify::Off,
            cutover: 2,
            keep_old: 5,
            clean_up: 1,
            failover: 4,
            replicas: 1,
            version_check: false,
            second_lag: 3,
            second_fails: 0,
            faults: Vec::new(),
            seed: 1,
        },
    }
}

fn spans(outcome: &Timeline) -> Vec<(&str, f64, f64)> {
    outcome.gantt[0].spans.iter().map(|(name, from, to)| (name.as_str(), *from, *to)).collect()
}

#[test]
fn redirect_by_hand() {
    let outcome = run(&one_unit(Mode::Redirect));
    // Copying: 100 rows at 10 a tick, over at 10. Until then 20 rows came behind the copy.
    // Catch-up: 11: 20 + 2 − 10 = 12, more than a tick's 10; 12: 12 + 2 − 10 = 4: over.
    // Closing: 2 ticks without writes; the 4 rows are carried in the first. Kept for 5, cleaned in 1.
    let phases = [
        ("copying", 0.0, 10.0),
        ("catch-up", 10.0, 12.0),
        ("closing", 12.0, 14.0),
        ("kept", 14.0, 19.0),
        ("cleaning", 19.0, 20.0),
    ];
    assert_eq!(spans(&outcome), phases);
    assert_eq!(outcome.migrated_seconds, Some(14.0));
    assert_eq!(outcome.finished_seconds, Some(20.0));
    // 20 s · 2 writes, of which 2 s · 2 found the unit closed.
    assert_eq!((outcome.writes_sent, outcome.writes_refused), (40, 4));
    assert_eq!((outcome.rows_in, outcome.rows_live, outcome.rows_lost), (136, 136, 0));
    // The 100 rows and the 24 that came until 12.
    assert_eq!(outcome.rows_copied, 124);
    // 124 rows for 2 s; they could be read all the time.
    assert_eq!(outcome.key_seconds_unwritable, 248.0);
    assert_eq!(outcome.key_seconds_unreadable, 0.0);
    assert_eq!(outcome.write_amplification, 1.0);
    // a: 24 writes, reads of 14 s · 3, 124 rows read; b: 12 writes, 6 s · 3, 124 rows written.
    let sum = |counts: &[u64]| counts.iter().sum::<u64>();
    let nodes: Vec<[u64; 3]> = outcome
        .windows
        .nodes
        .iter()
        .map(|n| [sum(&n.writes), sum(&n.reads), sum(&n.copies)])
        .collect();
    assert_eq!(nodes, [[24, 42, 124], [12, 18, 124]]);
    // It is over within a minute: 24 + 42 + 124 operations of a in 20 s.
    assert_eq!(outcome.peak_node_operations, 190.0 / 20.0);
}

#[test]
fn copy_only_by_hand() {
    let mut job = one_unit(Mode::CopyOnly);
    job.settings.cutover = 0;
    let outcome = run(&job);
    // Over at 10 with 20 rows behind the copy, which nobody carries: they go with the old copy at 15.
    let phases = [
        ("copying", 0.0, 10.0),
        ("closing", 10.0, 10.0),
        ("kept", 10.0, 15.0),
        ("cleaning", 15.0, 16.0),
    ];
    assert_eq!(spans(&outcome), phases);
    assert_eq!((outcome.rows_in, outcome.rows_lost), (100 + 32, 20));
    assert_eq!(outcome.key_seconds_unavailable, 0.0);
    // From 10 on readers of the target miss 20 rows: 3 reads a second over 6 s, 20 of 120 to 132 rows.
    assert!((1..=6).contains(&outcome.stale_reads), "{}", outcome.stale_reads);
}

#[test]
fn check_sums_see_what_copying_alone_leaves_behind() {
    let mut job = one_unit(Mode::CopyOnly);
    job.settings.verify = Verify::On(None);
    let outcome = run(&job);
    // 11: compared, 22 rows differ (11 s · 2). Repaired at 10 a tick: 12, 13, 14, then 22 are carried.
    // 15: compared, 8 differ (4 s · 2); 16: repaired; 17: compared, 4 differ: three times is enough.
    // Closing at 17 for 2 s, kept at 19, and at 24 the 4 rows go with the old copy.
    assert_eq!(outcome.rows_differing, 22 + 8 + 4);
    assert_eq!(outcome.units_differing, 1);
    assert_eq!(outcome.rows_lost, 4);
    assert_eq!(outcome.migrated_seconds, Some(19.0));
}

#[test]
fn stop_the_world_by_hand() {
    let mut job = one_unit(Mode::StopTheWorld);
    job.units.push(UnitPlan { name: "rest".into(), from: 0, to: None, rows: 50, requests: 1 });
    let outcome = run(&job);
    // Nobody reads or writes for 10 s of copying and 2 s of closing, the 50 rows that stay neither.
    assert_eq!(outcome.migrated_seconds, Some(12.0));
    assert_eq!(outcome.key_seconds_unavailable, 150.0 * 12.0);
    assert_eq!((outcome.writes_sent, outcome.writes_refused), (36, 24));
    assert_eq!((outcome.reads_sent, outcome.reads_refused), (2 * 27, 2 * 18));
    assert_eq!((outcome.rows_lost, outcome.rows_in), (0, 150 + 12));
}

#[test]
fn double_write_all_by_hand() {
    let outcome = run(&one_unit(Mode::DoubleWriteAll));
    // Copying for 10 s, no closing; written twice until the old copy goes at 15: 15 s · 2 of 32 writes.
    assert_eq!(spans(&outcome)[1..], [("kept", 10.0, 15.0), ("cleaning", 15.0, 16.0)]);
    assert_eq!(outcome.write_amplification, (30.0 * 2.0 + 2.0) / 32.0);
    assert_eq!((outcome.rows_lost, outcome.writes_refused), (0, 0));
}

/// C9: what only the node has that acknowledged first dies with it.
#[test]
fn the_first_acknowledgement_alone_is_no_copy() {
    let mut job = one_unit(Mode::DoubleWriteFirst);
    job.settings.writes = 4000;
    job.settings.faults = vec![Fault { at: 8, until: None, kind: FaultKind::Dies(0) }];
    let outcome = run(&job);
    // 7 ticks of copying have carried 70 rows: 30 are ahead. Half of 4 writes a tick, 2, the source
    // acknowledges first; they follow 3 s later, so those of 5, 6, 7 and 8 are on the source alone.
    assert_eq!(outcome.rows_lost, 30 + 4 * 2);
    // From 8 to 12, when the routing reacts, the target takes the writes and nobody answers reads.
    assert_eq!((outcome.writes_refused, outcome.reads_refused), (0, 4 * 3));
    assert_eq!(outcome.units_rescued, 1);
    // The same with both asked: only what had not arrived is lost, but nobody takes a write for 4 s.
    job.settings.mode = Mode::DoubleWriteAll;
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.writes_refused), (30, 4 * 4));
}

#[test]
fn a_target_that_dies_takes_what_only_it_had() {
    // At 17 the unit is kept: redirected writes of 3 s since 14 are on the target alone.
    let mut job = one_unit(Mode::Redirect);
    job.settings.faults = vec![Fault { at: 17, until: None, kind: FaultKind::Dies(1) }];
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.units_stayed), (6, 1));
    // 124 rows cannot be read or written until the routing is back on the source at 21.
    assert_eq!(outcome.key_seconds_unavailable, 2.0 * 124.0 + 4.0 * 124.0);
    // Written twice, all of them are still on the source.
    job.settings.mode = Mode::DoubleWriteAll;
    job.settings.faults[0].at = 13;
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.units_stayed), (0, 1));
    // With the old copy gone (at 15) the target has the only one.
    job.settings.faults[0].at = 16;
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.units_dead), (132, 1));
    // A follower loses nothing and is there after 4 s.
    job.settings.replicas = 2;
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.units_dead), (0, 0));
}

#[test]
fn clients_with_an_old_routing_write_to_the_wrong_node() {
    let mut job = one_unit(Mode::Redirect);
    let stale = FaultKind::StaleClients(PPM / 2);
    job.settings.faults = vec![Fault { at: 1, until: Some(30), kind: stale }];
    let outcome = run(&job);
    // Half of 2 writes a second from the cut-over at 14 until 30: 16. Those until 19 go with the old
    // copy, the others find none.
    assert_eq!((outcome.wrong_node_writes, outcome.rows_lost), (16, 16));
    job.settings.version_check = true;
    let outcome = run(&job);
    assert_eq!((outcome.wrong_node_writes, outcome.rows_lost), (0, 0));
    assert_eq!(outcome.turned_away_writes, 16);
}

#[test]
fn dropped_rows_are_found_by_check_sums_only() {
    let mut job = one_unit(Mode::Redirect);
    let drops = FaultKind::DropsRows(PPM / 10);
    job.settings.faults = vec![Fault { at: 0, until: Some(5), kind: drops }];
    // Faults end before streams: those of 1 to 4 carry 40 rows and drop 4.
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.rows_differing), (4, 0));
    job.settings.verify = Verify::On(None);
    let outcome = run(&job);
    assert_eq!((outcome.rows_lost, outcome.rows_differing), (0, 4));
}

#[test]
fn a_coordinator_that_restarts_passes_all_rows_again() {
    let mut job = one_unit(Mode::DoubleWriteAll);
    job.settings.writes = 0;
    job.settings.faults = vec![Fault { at: 6, until: Some(9), kind: FaultKind::Restarts }];
    let outcome = run(&job);
    // 5 ticks have carried 50; begun anew at 9, 50 are passed again and 50 carried: over at 19.
    assert_eq!(outcome.migrated_seconds, Some(19.0));
    assert_eq!((outcome.rows_copied, outcome.rows_lost), (150, 0));
    // A node that takes three times as long from 6 on: 50 rows, then 3.333 a tick: 15 ticks more.
    let slow = Fault { at: 6, until: Some(500), kind: FaultKind::Slows(1, 3000) };
    job.settings.faults = vec![slow];
    assert_eq!(run(&job).migrated_seconds, Some(5.0 + 16.0));
}

#[test]
fn peaks_are_those_of_a_minute_however_long_the_simulation_goes_on() {
    let mut job = one_unit(Mode::DoubleWriteAll);
    job.units[0].rows = 1000;
    job.settings.keep_old = 200;
    // Copying until 100: all the first minute a has 3 reads, 2 writes and 10 copies a second, b no reads.
    let short = run(&job);
    assert_eq!(short.peak_node_operations, 5.0 + 10.0);
    job.settings.horizon = 100_000;
    let late = Fault { at: 90_000, until: None, kind: FaultKind::Restarts };
    job.settings.faults = vec![late];
    let long = run(&job);
    assert!(long.windows.seconds > 1000.0);
    assert_eq!(long.peak_node_operations, short.peak_node_operations);
}

#[test]
fn the_rows_of_windows_are_those_that_came_until_their_ends() {
    let outcome = run(&one_unit(Mode::StopTheWorld));
    // Nobody adds a row for 12 s; then two a second for 6: kept for 5, cleaned in 1.
    let windows = &outcome.windows;
    assert_eq!(windows.seconds, 1.0);
    let rows: Vec<u64> = (1..=18).map(|second: u64| 100 + 2 * second.saturating_sub(12)).collect();
    assert_eq!(windows.rows, rows);
    // So all rows are unavailable while the world stands still.
    let share = |i: usize| windows.unavailable[i] / windows.rows[i] as f64;
    assert_eq!([share(0), share(5), share(11), share(12)], [1.0, 1.0, 1.0, 0.0]);
}
