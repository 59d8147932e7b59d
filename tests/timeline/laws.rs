//! Laws of every migration, whatever its mode and its faults.

use shardlab::timeline::{Job, Mode, Phase, Rules, STATED, Simulation, Timeline};

use super::random;

/// Runs a migration and holds the laws after every event; the first that is broken is the error.
pub fn run(job: &Job, rules: &Rules) -> Result<Timeline, String> {
    let mut simulation = Simulation::new(job, rules);
    let mut before = 0;
    while simulation.step() {
        if simulation.now() < before {
            return Err(format!("tick {} after tick {before}", simulation.now()));
        }
        before = simulation.now();
        after_event(&simulation)?;
    }
    after_event(&simulation)?;
    let outcome = simulation.outcome();
    at_the_end(job, &simulation, &outcome)?;
    Ok(outcome)
}

fn equal(what: &str, left: u64, right: u64) -> Result<(), String> {
    if left == right { Ok(()) } else { Err(format!("{what}: {left} against {right}")) }
}

fn after_event(simulation: &Simulation<'_>) -> Result<(), String> {
    let at = simulation.now();
    for unit in simulation.units() {
        let what =
            format!("tick {at}, unit {} {:?}: rows in, live + lost", unit.plan.name, unit.phase);
        equal(&what, unit.rows_in, unit.rows.live() + unit.lost)?;
        if unit.plan.to.is_none() && unit.rows.live() != unit.rows.ahead {
            return Err(format!("tick {at}: rows of {} have moved", unit.plan.name));
        }
        if matches!(unit.phase, Phase::Cleaning | Phase::Done) && unit.rows.source_only() > 0 {
            return Err(format!(
                "tick {at}: {} counts rows of a copy that is gone",
                unit.plan.name
            ));
        }
    }
    let totals = simulation.totals();
    let (reads, writes, copies) = simulation.loads();
    let t = totals;
    equal("writes sent", t.writes_sent, t.writes_acknowledged + t.writes_refused)?;
    let asked = t.writes_acknowledged + t.writes_doubled + t.writes_turned_away;
    equal("writes of nodes", writes, asked)?;
    equal("reads of nodes", reads + t.reads_refused, t.reads_sent + t.reads_repeated)?;
    equal("copies of nodes", copies, 2 * t.rows_copied + t.rows_summed)
}

fn at_the_end(job: &Job, simulation: &Simulation<'_>, outcome: &Timeline) -> Result<(), String> {
    let settings = &job.settings;
    // What clients send does not depend on what becomes of it: the rate, to less than one a unit.
    for (sent, rate) in
        [(outcome.writes_sent, settings.writes), (outcome.reads_sent, settings.reads)]
    {
        let due = u128::from(rate) * u128::from(simulation.now());
        let (sent, units) = (u128::from(sent) * 1000, 1000 * job.units.len() as u128);
        if sent > due || sent + units < due {
            return Err(format!("{sent} thousandths sent, {due} due"));
        }
    }
    let windows: u64 = outcome.windows.nodes.iter().flat_map(|n| &n.writes).sum();
    equal("writes of windows", windows, simulation.loads().1)?;
    // With a log, with both nodes asked, with versions, or with nobody writing: nothing is lost.
    let safe = match settings.mode {
        Mode::CopyOnly => settings.writes == 0,
        Mode::DoubleWriteFirst => settings.second_fails == 0,
        Mode::StopTheWorld | Mode::DoubleWriteAll | Mode::Redirect | Mode::RowVersion => true,
    };
    if settings.faults.is_empty() && safe {
        equal("rows lost without a fault", outcome.rows_lost, 0)?;
        equal("units that differ", outcome.units_differing, 0)?;
    }
    if settings.faults.is_empty() && settings.mode.is_double_write() {
        equal("refused without a fault", outcome.writes_refused + outcome.reads_refused, 0)?;
    }
    Ok(())
}

#[test]
fn the_laws_hold_in_random_migrations() {
    let mut finished = 0;
    let mut lost = 0;
    for seed in 0..600 {
        let job = random::job(seed);
        let outcome = run(&job, &STATED)
            .unwrap_or_else(|broken| panic!("seed {seed}: {broken}\n{:#?}", job.settings));
        finished += u32::from(outcome.finished_seconds.is_some());
        lost += u32::from(outcome.rows_lost > 0);
    }
    // The laws would say little of migrations that never end, or in which nothing happens.
    assert!(finished > 300 && lost > 100, "{finished} finished, {lost} lost rows");
}

/// All modes, one after the other, over random migrations in which nothing goes wrong.
#[test]
fn without_a_fault_double_write_redirect_and_row_version_lose_nothing() {
    for seed in 0..150 {
        for mode in Mode::ALL {
            let mut job = random::job(seed);
            job.settings.mode = mode;
            job.settings.faults.clear();
            job.settings.second_fails = 0;
            run(&job, &STATED).unwrap_or_else(|broken| panic!("seed {seed} {mode:?}: {broken}"));
        }
    }
}

/// Units whose rows are all in one state let many ticks arrive at once; with every tick on its own the
/// result is the same, number for number.
#[test]
fn arrivals_at_every_tick_give_the_same() {
    for seed in 0..200 {
        let job = random::job(seed);
        let lazy = run(&job, &STATED).unwrap();
        let mut eager = Simulation::new(&job, &STATED).eager();
        while eager.step() {}
        assert_eq!(eager.outcome(), lazy, "seed {seed}: {:#?}", job.settings);
    }
}

/// The copy never carries more than its overall limit allows: over all ticks to the row, and within a
/// tick but for the part of a row that each stream may have saved.
#[test]
fn limits_hold_in_every_tick() {
    for seed in 0..100 {
        let mut job = random::job(seed);
        job.settings.limits.overall = Some(4500);
        let mut simulation = Simulation::new(&job, &STATED);
        let (mut tick, mut before) = (0, 0);
        while simulation.step() {
            let copied = simulation.totals().rows_copied;
            if simulation.now() > tick {
                tick = simulation.now();
                before = copied;
            }
            let most = 4 + job.settings.concurrency as u64;
            assert!(copied - before <= most, "seed {seed}, tick {tick}: {}", copied - before);
            assert!(copied * 1000 <= tick * 4500, "seed {seed}, tick {tick}: {copied} in all");
        }
    }
}
