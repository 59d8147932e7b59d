//! From the seconds of `[migration]` to whole numbers per tick.

use crate::error::Error;
use crate::params::Params;
use crate::quantity::{Per, Rate};
use crate::scenario::{Migration, MigrationFault};
use crate::timeline::{Fault, FaultKind, Limits, Mode, PPM, Settings, Tick, Verify};

/// Rates per tick and moments in ticks; `row_bytes`: bytes of so many rows.
///
/// Errors: a rate that is too small or too large for a tick.
pub fn settings(
    migration: &Migration,
    row_bytes: Option<(u64, u64)>,
    nodes: &[String],
    seed: u64,
) -> Result<Settings, Error> {
    let params = &migration.params;
    let tick_ms = params.duration_ms("tick").expect("it has a default");
    let clock = Clock { tick_ms, row_bytes };
    let ticks = |name: &str| clock.ticks(params.duration_ms(name).expect("it has a default"));
    let limit = |name: &'static str| params.rate(name).map(|r| clock.per_tick(name, r)).transpose();
    let plain = |name: &'static str| limit(name).map(|rate| rate.unwrap_or(0));
    Ok(Settings {
        mode: Mode::find(params.text("mode")).expect("a choice of the field"),
        tick_ms,
        start: ticks("start"),
        horizon: ticks("horizon"),
        concurrency: params.int("concurrency") as usize,
        limits: Limits {
            overall: limit("copy-limit")?,
            source: limit("source-limit")?,
            target: limit("target-limit")?,
            stream: limit("stream-limit")?,
        },
        reads: plain("reads")?,
        writes: plain("writes")?,
        inserts: ppm(params.float("inserts")),
        verify: match params.bool("verify") {
            true => Verify::On(limit("verify-limit")?),
            false => Verify::Off,
        },
        cutover: ticks("cutover"),
        keep_old: ticks("keep-old"),
        clean_up: ticks("clean-up"),
        failover: ticks("failover"),
        replicas: params.int("replicas") as u32,
        version_check: params.bool("version-check"),
        second_lag: ticks("second-lag"),
        second_fails: ppm(params.float("second-fails")),
        faults: migration.faults.iter().filter_map(|f| fault(f, &clock, nodes)).collect(),
        seed,
    })
}

fn ppm(share: f64) -> u64 {
    libm::round(share * PPM as f64) as u64
}

/// From seconds to ticks.
struct Clock {
    tick_ms: u64,
    /// Bytes of so many rows.
    row_bytes: Option<(u64, u64)>,
}

impl Clock {
    /// Ticks that a duration takes, the last one whole.
    fn ticks(&self, ms: u64) -> Tick {
        ms.div_ceil(self.tick_ms)
    }

    /// Thousandths of a row, read or write in a tick.
    fn per_tick(&self, name: &'static str, rate: Rate) -> Result<u64, Error> {
        let (bytes, rows) = match (rate.per, self.row_bytes) {
            (Per::Byte, Some(size)) => size,
            _ => (1, 1),
        };
        let per_tick = u128::from(rate.milli) * u128::from(self.tick_ms) * u128::from(rows)
            / (1000 * u128::from(bytes));
        match u64::try_from(per_tick) {
            Ok(0) => Err(Error::invalid(format!("`{name}` is less than a row in 1000 ticks"))
                .help("raise it, or lengthen `tick`")
                .field(name)),
            Ok(rate) if rate <= u64::MAX >> 20 => Ok(rate),
            _ => Err(Error::invalid(format!("`{name}` is too much for one tick"))
                .help("lower it, or shorten `tick`")
                .field(name)),
        }
    }
}

/// A fault of this step; None if its node is no member now.
fn fault(fault: &MigrationFault, clock: &Clock, nodes: &[String]) -> Option<Fault> {
    let params: &Params = &fault.params;
    let node = match params.text_opt("node") {
        Some(name) => nodes.iter().position(|node| node == name)?,
        None => 0,
    };
    let share = || ppm(params.float("share")).max(1);
    let kind = match params.text("kind") {
        "dies" => FaultKind::Dies(node),
        "slows" => FaultKind::Slows(node, libm::round(params.float("factor") * 1000.0) as u64),
        "restarts" => FaultKind::Restarts,
        "stale-clients" => FaultKind::StaleClients(share()),
        _ => FaultKind::DropsRows(share()),
    };
    let at = clock.ticks(params.duration_ms("at").expect("required"));
    let until = params.duration_ms("until").map(|ms| clock.ticks(ms).max(at + 1));
    Some(Fault { at, until, kind })
}
