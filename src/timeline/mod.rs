//! The timeline: a deterministic discrete-event simulation of a migration.
//!
//! A step of a path says which keys change their node. Here the rows behind these keys are carried
//! over, unit by unit, while clients read and write and things break. No float, no clock, no draw that
//! depends on an order: time is whole ticks, rows are whole numbers, and what is random has one ChaCha
//! stream per unit and purpose.
//!
//! # Units and rows
//!
//! A unit is what is moved as a whole: a *bucket*, an *arc* of a ring, or a *shard* (all that goes from
//! one node to another). It has a source and a target. The keys that stay are a unit of their node that
//! never moves: they are load, and they die with their node. Rows are not followed one by one; a unit
//! counts how many of its rows have their last acknowledged version where ([`Rows`]):
//!
//! | count | the last acknowledged version is on | and the copy |
//! | --- | --- | --- |
//! | `ahead` | the source | has yet to reach it |
//! | `changed` | the source | has passed it: written behind the copy |
//! | `dropped` | the source | believes that it has carried it over |
//! | `both` | source and target | has carried it over |
//! | `target` | the target | is done with it |
//!
//! A write is *acknowledged* when the client has been told that it is stored. A row is *lost* when its
//! last acknowledged version is on no live owner; the source is an owner until its copy is cleaned up.
//! Rows in = rows live + rows lost, after every event.
//!
//! # Phases of a unit
//!
//! `pending → copying → [catch-up] → [verifying ⇄ repairing] → [closing] → kept → cleaning → done`
//!
//! *Copying* reads rows in their order as they are at that moment. *Catch-up* (only `redirect` keeps a
//! log of changes) carries over what was written behind the copy, until one tick's allowance is left.
//! *Verifying* compares check-sums; rows that differ are *repaired* and compared again, three times at
//! most. *Closing* refuses writes while the rest of the log is carried over and the routing changes.
//! From *kept* on the target is the owner; the source keeps its copy for a while (and as long as the
//! target does not answer), then *cleaning* deletes it, at its beginning; second writes under way to the
//! target arrive before. `stayed`: the target died, the source is the owner for good. `dead`:
//! no owner is left.
//!
//! # Where a write goes and where a read looks ([`rules`])
//!
//! | mode | before | while copying | closing | kept | after |
//! | --- | --- | --- | --- | --- | --- |
//! | `stop-the-world` | source | refused, for all keys until the last unit is over | refused | target | target |
//! | `copy-only` | source | source; nobody tells the copy | refused | target | target |
//! | `double-write-all` | source | both; acknowledged when both have it | – | both | target |
//! | `double-write-first` | source | both; acknowledged when one has it, half by either; the other follows `second-lag` later or not at all | – | both | target |
//! | `redirect` | source | source, and into the log | refused | target | target |
//! | `row-version` | target, once the migration has begun | target; each row says which routing wrote it | – | target | target |
//!
//! Reads go to the source until a unit is over and to the target from then on. With `row-version` they
//! ask the target first and the source for what it does not have. A read is *stale* when the node that
//! answers lacks the row's last acknowledged version. A node that is down answers nothing: a write that
//! needs it is refused, except that `double-write-first` is content with the other one.
//!
//! An update hits each row of its unit with equal chance (skew lies between units), a share `inserts`
//! of the writes adds rows; these lie behind the copy.
//!
//! # Faults
//!
//! * *dies*: the node is gone for good. With replicas a follower takes over after `failover` and
//!   nothing is lost. Without, what only it had is lost at once; after `failover` its units go to
//!   their other owner: before the cut-over to the target with what has arrived there, in `kept` back
//!   to the source, later nowhere. Units that have not begun go to the target, too, with nothing.
//! * *slows*: copies through the node take so many times as long, second writes to it as well.
//! * *restarts*: the coordinator forgets how far it has come: units before their cut-over begin
//!   anew, rows that have arrived stay but must be passed again. None begins while it is down.
//! * *stale-clients*: a share of the clients keeps the routing of that moment: they write to and read
//!   from the source alone, of every unit whose routing has changed since. With `version-check` the
//!   source refuses such a write and the client repeats it as all others do; without, it succeeds, and
//!   where the source has given up its copy the row is lost at once.
//! * *drops-rows*: a share of the rows that a copy carries never arrives, and nobody is told.
//!
//! # Code
//!
//! `settings` in, `outcome` out. `engine` takes events from the [`queue`]; `phases` moves units on,
//! `traffic` lets arrive what clients send, `streams` copies and compares, `faults` breaks things, all by
//! the [`rules`]; `ledger` keeps the books and `watch` follows single keys.
//!
//! # Ties
//!
//! Events of one tick come in the order of [`queue::Kind`]: faults, ends of faults, fail-overs, second
//! writes, arrivals, copies, timers, the scheduler, samples; within a kind by unit, node or fault number,
//! and then as they were planned. Whatever touches a unit first lets arrive what clients sent until then.
//! Units begin in their order. The limits of a copy are shared equally by the streams that run when the
//! tick begins; a unit copies from the tick after its start on.

mod engine;
mod faults;
mod ledger;
mod outcome;
mod phases;
pub mod queue;
mod rows;
pub mod rules;
mod settings;
mod streams;
mod traffic;
mod unit;
mod watch;

pub use engine::Simulation;
pub use ledger::Totals;
pub use outcome::{
    NodeWindows, PhaseRecord, Timeline, UnitRecord, WatchEvent, WatchRecord, Windows,
};
pub use rows::Rows;
pub use rules::{Rules, STATED};
pub use settings::{
    Fault, FaultKind, Job, Limits, Mode, PPM, Settings, UnitPlan, Verify, WatchPlan,
};
pub use unit::{Phase, Unit};

/// A moment, in ticks since the simulation began.
pub type Tick = u64;

/// Runs a migration to its end.
pub fn run(job: &Job) -> Timeline {
    let mut simulation = Simulation::new(job, &STATED);
    while simulation.step() {}
    simulation.outcome()
}
