//! The rules of the model as functions in a table, so that tests can hold copies with one rule broken
//! against the same laws.

use super::rows::Rows;
use super::settings::Mode;
use super::unit::Phase;

/// What a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scene {
    /// Treatment of writes.
    pub mode: Mode,
    /// Phase of the unit.
    pub phase: Phase,
    /// Whether the migration has begun.
    pub begun: bool,
    /// Whether the world is stopped.
    pub stopped: bool,
    /// Whether the source answers.
    pub source_up: bool,
    /// Whether the target answers.
    pub target_up: bool,
}

/// Where a write goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// Nowhere: the client is told so.
    Refused,
    /// To the source.
    Source,
    /// To the target.
    Target,
    /// To both; acknowledged when both have it.
    Both,
    /// To both; acknowledged when one has it.
    First,
}

/// Where a read looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Read {
    /// Nowhere: the client is told so.
    Refused,
    /// On the source.
    Source,
    /// On the target.
    Target,
    /// On the target, and on the source for what is not there.
    TargetThenSource,
}

/// The rules.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    /// Where a write of a client with the present routing goes.
    pub write: fn(&Scene) -> Write,
    /// Where its read looks.
    pub read: fn(&Scene) -> Read,
    /// The phase after this one, which is over; `verify`: check-sums are compared and have not been yet.
    pub next: fn(Mode, Phase, bool) -> Phase,
    /// The source is gone: how many rows are lost.
    pub source_dies: fn(&mut Rows) -> u64,
    /// The target is gone: how many rows are lost.
    pub target_dies: fn(&mut Rows) -> u64,
    /// The source deletes its copy: how many rows are lost.
    pub clean_up: fn(&mut Rows) -> u64,
}

/// The rules as the head of [`super`] states them.
pub static STATED: Rules = Rules { write, read, next, source_dies, target_dies, clean_up };

fn write(scene: &Scene) -> Write {
    let source = if scene.source_up { Write::Source } else { Write::Refused };
    let target = if scene.target_up { Write::Target } else { Write::Refused };
    let twice = match (scene.mode, scene.source_up, scene.target_up) {
        (Mode::DoubleWriteAll, true, true) => Write::Both,
        (Mode::DoubleWriteFirst, true, true) => Write::First,
        (Mode::DoubleWriteFirst, true, false) => Write::Source,
        (Mode::DoubleWriteFirst, false, true) => Write::Target,
        _ => Write::Refused,
    };
    match scene.phase {
        _ if scene.stopped => Write::Refused,
        Phase::Resident | Phase::Stayed => source,
        Phase::Dead | Phase::Closing => Write::Refused,
        Phase::Pending if scene.mode == Mode::RowVersion && scene.begun => target,
        Phase::Pending => source,
        Phase::Copying | Phase::CatchUp | Phase::Verifying | Phase::Repairing => match scene.mode {
            Mode::StopTheWorld | Mode::CopyOnly | Mode::Redirect => source,
            Mode::DoubleWriteAll | Mode::DoubleWriteFirst => twice,
            Mode::RowVersion => target,
        },
        Phase::Kept if scene.mode.is_double_write() => twice,
        Phase::Kept | Phase::Cleaning | Phase::Done => target,
    }
}

fn read(scene: &Scene) -> Read {
    let source = if scene.source_up { Read::Source } else { Read::Refused };
    let target = if scene.target_up { Read::Target } else { Read::Refused };
    let moves = !matches!(
        scene.phase,
        Phase::Resident | Phase::Stayed | Phase::Cleaning | Phase::Done | Phase::Dead
    );
    match scene.phase {
        _ if scene.stopped => Read::Refused,
        Phase::Dead => Read::Refused,
        _ if scene.mode == Mode::RowVersion && scene.begun && moves => {
            match (scene.target_up, scene.source_up) {
                (true, true) => Read::TargetThenSource,
                (true, false) => target,
                (false, _) => source,
            }
        }
        phase if phase.is_over() => target,
        _ => source,
    }
}

fn next(mode: Mode, phase: Phase, verify: bool) -> Phase {
    let over = match mode {
        Mode::StopTheWorld | Mode::CopyOnly | Mode::Redirect => Phase::Closing,
        Mode::DoubleWriteAll | Mode::DoubleWriteFirst | Mode::RowVersion => Phase::Kept,
    };
    match phase {
        Phase::Copying if mode == Mode::Redirect => Phase::CatchUp,
        Phase::Copying | Phase::CatchUp if verify => Phase::Verifying,
        // While check-sums were compared the log has grown.
        Phase::Verifying if mode == Mode::Redirect => Phase::CatchUp,
        Phase::Copying | Phase::CatchUp | Phase::Verifying => over,
        Phase::Repairing => Phase::Verifying,
        Phase::Closing => Phase::Kept,
        Phase::Kept => Phase::Cleaning,
        Phase::Cleaning => Phase::Done,
        other => unreachable!("{other:?} has no next phase"),
    }
}

fn source_dies(rows: &mut Rows) -> u64 {
    let lost = rows.source_only();
    *rows = Rows { target: rows.target + rows.both, ..Rows::default() };
    lost
}

fn target_dies(rows: &mut Rows) -> u64 {
    let lost = rows.target;
    *rows = Rows { ahead: rows.source_only() + rows.both, ..Rows::default() };
    lost
}

fn clean_up(rows: &mut Rows) -> u64 {
    source_dies(rows)
}
