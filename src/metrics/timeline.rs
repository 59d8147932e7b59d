//! The timeline of a step's migration: how long it takes, what it costs, what is lost.

use super::{Family, MetricInfo, Point, Unit};
use crate::timeline::Timeline;

/// How long a phase lasts over all units.
macro_rules! phase_length {
    ($phase:literal) => {
        metric(
            concat!($phase, "-seconds"),
            Unit::Number,
            concat!(
                "seconds from the first unit that enters the phase ",
                $phase,
                " to the last that leaves it"
            ),
            |p| phase(p, $phase),
        )
    };
}

/// The timeline.
pub static FAMILY: Family = Family {
    name: "timeline",
    forms: &["timeline.STAT"],
    metrics: &[
        metric("units", Unit::Count, "units that move", |p| of(p, |t| Some(t.units as f64))),
        metric("rows", Unit::Count, "rows at the beginning", |p| of(p, |t| Some(t.rows as f64))),
        metric("rows-moving", Unit::Count, "rows at the beginning of units that move", |p| {
            of(p, |t| Some(t.rows_moving as f64))
        }),
        metric(
            "migrated-seconds",
            Unit::Number,
            "seconds from the start of the migration until the last unit is cut over; null beyond the horizon",
            |p| of(p, |t| t.migrated_seconds),
        ),
        metric("migrated-minutes", Unit::Number, "the same in minutes", |p| {
            of(p, |t| t.migrated_seconds.map(|s| s / 60.0))
        }),
        metric(
            "finished-seconds",
            Unit::Number,
            "seconds from the start until the last old copy is gone; null beyond the horizon",
            |p| of(p, |t| t.finished_seconds),
        ),
        metric("simulated-seconds", Unit::Number, "seconds that were simulated", |p| {
            of(p, |t| Some(t.simulated_seconds))
        }),
        metric(
            "rows-in",
            Unit::Count,
            "rows at the beginning and rows added by acknowledged writes",
            |p| of(p, |t| Some(t.rows_in as f64)),
        ),
        metric("rows-live", Unit::Count, "rows that are live at the end", |p| {
            of(p, |t| Some(t.rows_live as f64))
        }),
        metric(
            "rows-lost",
            Unit::Count,
            "rows whose last acknowledged version is on no live owner",
            |p| of(p, |t| Some(t.rows_lost as f64)),
        ),
        metric("rows-lost-moving", Unit::Count, "the same of units that move", |p| {
            of(p, |t| Some(t.rows_lost_moving as f64))
        }),
        metric(
            "wrong-node-writes",
            Unit::Count,
            "writes that an old routing sent to the source alone",
            |p| of(p, |t| Some(t.wrong_node_writes as f64)),
        ),
        metric(
            "turned-away-writes",
            Unit::Count,
            "writes with an old routing that a node turned away, to be sent again",
            |p| of(p, |t| Some(t.turned_away_writes as f64)),
        ),
        metric("writes-sent", Unit::Count, "writes that clients sent", |p| {
            of(p, |t| Some(t.writes_sent as f64))
        }),
        metric("writes-acknowledged", Unit::Count, "writes that were acknowledged", |p| {
            of(p, |t| Some(t.writes_acknowledged as f64))
        }),
        metric("writes-refused", Unit::Count, "writes that nobody took", |p| {
            of(p, |t| Some(t.writes_refused as f64))
        }),
        metric(
            "write-amplification",
            Unit::Ratio,
            "writes of nodes for an acknowledged write, of units that move, until each is done",
            |p| of(p, |t| Some(t.write_amplification)),
        ),
        metric("reads-sent", Unit::Count, "reads that clients sent", |p| {
            of(p, |t| Some(t.reads_sent as f64))
        }),
        metric("reads-refused", Unit::Count, "reads that nobody answered", |p| {
            of(p, |t| Some(t.reads_refused as f64))
        }),
        metric("reads-repeated", Unit::Count, "reads that were asked of a second node", |p| {
            of(p, |t| Some(t.reads_repeated as f64))
        }),
        metric(
            "stale-reads",
            Unit::Count,
            "answers that lacked the last acknowledged version",
            |p| of(p, |t| Some(t.stale_reads as f64)),
        ),
        metric("stale-share", Unit::Share, "stale reads ÷ reads sent", |p| {
            of(p, |t| (t.reads_sent > 0).then(|| t.stale_reads as f64 / t.reads_sent as f64))
        }),
        metric(
            "key-seconds-unavailable",
            Unit::Number,
            "rows × seconds in which they could not be read or could not be written",
            |p| of(p, |t| Some(t.key_seconds_unavailable)),
        ),
        metric(
            "key-seconds-unreadable",
            Unit::Number,
            "rows × seconds in which they could not be read",
            |p| of(p, |t| Some(t.key_seconds_unreadable)),
        ),
        metric(
            "key-seconds-unwritable",
            Unit::Number,
            "rows × seconds in which they could not be written",
            |p| of(p, |t| Some(t.key_seconds_unwritable)),
        ),
        metric("rows-copied", Unit::Count, "rows that streams carried", |p| {
            of(p, |t| Some(t.rows_copied as f64))
        }),
        metric(
            "rows-differing",
            Unit::Count,
            "rows that differed when check-sums were compared",
            |p| of(p, |t| Some(t.rows_differing as f64)),
        ),
        metric(
            "units-differing",
            Unit::Count,
            "units whose check-sums did not agree in the end",
            |p| of(p, |t| Some(t.units_differing as f64)),
        ),
        metric(
            "units-rescued",
            Unit::Count,
            "units that went to their target because their source died",
            |p| of(p, |t| Some(t.units_rescued as f64)),
        ),
        metric("units-stayed", Unit::Count, "units that stayed because their target died", |p| {
            of(p, |t| Some(t.units_stayed as f64))
        }),
        metric("units-dead", Unit::Count, "units that move and have no owner left", |p| {
            of(p, |t| Some(t.units_dead as f64))
        }),
        metric(
            "peak-node-operations",
            Unit::Number,
            "operations a second of the busiest node in its busiest minute, or over the whole time if that is shorter",
            |p| of(p, |t| Some(t.peak_node_operations)),
        ),
        phase_length!("copying"),
        phase_length!("catch-up"),
        phase_length!("verifying"),
        phase_length!("repairing"),
        phase_length!("closing"),
        phase_length!("kept"),
        phase_length!("cleaning"),
    ],
};

const fn metric(
    name: &'static str,
    unit: Unit,
    doc: &'static str,
    read: fn(&Point<'_>) -> Option<f64>,
) -> MetricInfo {
    let range = match unit {
        Unit::Share => "0 to 1",
        Unit::Ratio => "1 and more",
        _ => "0 and more",
    };
    MetricInfo { name, unit, range, doc, formula: "", source: "", read }
}

fn of(point: &Point<'_>, get: impl Fn(&Timeline) -> Option<f64>) -> Option<f64> {
    get(point.step.timeline.as_ref()?)
}

fn phase(point: &Point<'_>, name: &str) -> Option<f64> {
    let phases = &point.step.timeline.as_ref()?.phases;
    Some(phases.iter().find(|p| p.phase == name).map_or(0.0, |p| p.end - p.begin))
}
